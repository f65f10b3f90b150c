"""What all pages share: the HTML document, its navigation, and how a page is written to a file."""

from __future__ import annotations

import base64
import hashlib
import html
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from skcredal._files import replacing
from skcredal._validation import check_instance

__all__ = ["document", "escape", "fact_list", "read_resource", "write_page"]


def escape(text: str) -> str:
    """Escape text for an element or attribute; a number and its percent sign stay on one line."""
    return html.escape(text, quote=True).replace(" %", "\u00a0%").replace("p = ", "p\u00a0=\u00a0")


def document(
    title: str,
    sections: Iterable[tuple[str, str, str]],
    *,
    styles: Sequence[str],
    script: str,
    lead: str = "",
    data: str | None = None,
) -> str:
    """Return a self-contained HTML page; empty sections are left out.

    A section is a name, a title and its content. ``lead`` is HTML between the heading and the links to the
    sections, and ``data`` JSON for the script, safe inside of a script element.
    """
    # The policy makes the browser enforce that nothing is fetched and that no other script runs.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    kept = [(name, escape(heading), content) for name, heading, content in sections if content]
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in kept)
    navigation = f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav>' if links else ""
    body = "".join(
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{heading}</h2>\n'
        f"{content}</section>\n"
        for name, heading, content in kept
    )
    embedded = "" if data is None else f'<script type="application/json" id="data">{data}</script>\n'
    # The empty icon keeps browsers from requesting favicon.ico.
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{"".join(styles)}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
{lead}{navigation}
</header>
<main>
{body}</main>
{embedded}<script>{script}</script>
</body>
</html>
"""


def fact_list(facts: Sequence[Mapping[str, Any]]) -> str:
    """Return facts, each a label with a text or pairs of texts, as an HTML list; empty without facts."""
    return f"<dl>{''.join(map(_fact, facts))}</dl>\n" if facts else ""


def write_page(path: str | os.PathLike[str], page: str) -> Path:
    """Write a page to a file, and return its path."""
    check_instance("path", path, (str, os.PathLike))
    with replacing(path) as unfinished:
        # The same bytes on every system.
        unfinished.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def read_resource(package: str, name: str) -> str:
    """Return a style sheet or script that is stored next to the code."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _fact(fact: Mapping[str, Any]) -> str:
    value = fact["value"]
    if isinstance(value, str):
        content = escape(value)
    else:
        content = f"<ul>{''.join(f'<li>{escape(name)} {escape(text)}</li>' for name, text in value)}</ul>"
    return f"<div><dt>{escape(fact['label'])}</dt><dd>{content}</dd></div>"
