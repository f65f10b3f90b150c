"""The HTML of the evaluation page: its texts and frames, which the page's script fills from the data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from skcredal._validation import naming
from skcredal.evaluation._html import document, escape, fact_list, read_resource

__all__ = ["render_evaluation"]

_SCRIPTS = (
    "_scroll_cue.js",
    "_evaluation_tools.js",
    "_evaluation_figures.js",
    "_evaluation_cases.js",
    "_evaluation.js",
)
# What the script needs; the rest is written into the page here.
_EMBEDDED = (
    *("n", "classes", "most_frequent", "worths", "close_call", "opening", "classifiers", "names", "ids"),
)


def render_evaluation(data: Mapping[str, Any]) -> str:
    """Make a self-contained HTML page of an evaluation.

    Parameters
    ----------
    data : mapping
        As returned by :func:`~skcredal.evaluation._page_data.evaluation_data`, possibly after a round trip
        through JSON.

    Returns
    -------
    str
        The page, including styles, script and data. Names and values are escaped, whatever they contain.
    """
    with naming("data"):
        return _render(data)


def _render(data: Mapping[str, Any]) -> str:
    parts = re.split(r"<!-- section (\w+) -->\n", read_resource(__package__, "_evaluation.html"))
    frames = dict(zip(parts[1::2], parts[2::2], strict=True))
    sections = (
        ("answers", "What it answers", frames["answers"]),
        ("classifiers", "Classifiers side by side", frames["classifiers"]),
        ("classes", "Class by class", frames["classes"]),
        ("reliability", "Can its probabilities be trusted?", frames["reliability"]),
        ("aside", "Setting doubtful cases aside", frames["aside"]),
        ("cases", "The cases", frames["cases"]),
        ("notes", "Data notes", _notes(data["columns"], data["messages"])),
        ("run", "How it was run", fact_list(data["facts"])),
    )
    script = "".join(read_resource(__package__, name) for name in _SCRIPTS)
    return document(
        data["title"],
        sections,
        styles=[read_resource(__package__, name) for name in ("_page.css", "_evaluation.css")],
        # One function, so that nothing of it can be reached from outside.
        script=f'"use strict";\n(() => {{\n{script}}})();\n',
        lead='<p class="lead" id="lead"></p>\n<p class="control" id="choice"></p>\n',
        data=_json({name: data[name] for name in _EMBEDDED}),
    )


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON that is safe inside of a script element: nothing in it can close the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" in a name would end the element, and U+2028 a line of JavaScript.
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Lone surrogates cannot be encoded in UTF-8.
    return text.encode("utf-8", errors="replace").decode()


def _notes(columns: Sequence[Sequence[str]], messages: Sequence[str]) -> str:
    """Return what was read: a line for each column of the table, and what the reader was told meanwhile."""
    said = "".join(f"<li>{escape(message)}</li>" for message in messages)
    lines = ""
    for name, *texts in columns:
        cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
        lines += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>\n'
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("column", "holds", "used as", "missing"))
    table = (
        '<div class="wide" role="region" aria-labelledby="notes-title" tabindex="0">'
        f'<table class="side notes"><thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n'
    )
    return (f"<ul>{said}</ul>\n" if said else "") + (table if lines else "")
