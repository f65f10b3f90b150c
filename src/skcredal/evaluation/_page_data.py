"""The page about an evaluation, as one HTML file: compute the data, render, write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import IntArray
from skcredal._encoding.columns import is_missing
from skcredal._validation import check_instance, check_real, naming, safe_repr
from skcredal.evaluation._classifiers import display_name
from skcredal.evaluation._comparison import WORTHS, correlated_t_test, in_words
from skcredal.evaluation._cross_validation import ALL_CLASSES, Evaluation, check_table, ranking
from skcredal.evaluation._html import document, escape, fact_list, read_resource, write_page
from skcredal.evaluation._names import CLOSE_CALL
from skcredal.evaluation._page_views import number, view

if TYPE_CHECKING:
    import pandas

__all__ = ["evaluation_data", "render_evaluation", "write_evaluation"]

_SCRIPTS = (
    "_scroll_cue.js",
    "_evaluation_figures.js",
    "_evaluation_cases.js",
    "_evaluation.js",
)
# What the script needs; the rest is written into the page here.
_EMBEDDED = (
    *("n", "classes", "most_frequent", "worths", "close_call", "opening", "classifiers", "names", "ids"),
)
_MEASURES = ("accuracy", "brier_multiclass", "log_loss", "determinacy", "single_accuracy", "set_accuracy")


def evaluation_data(
    evaluation: Evaluation,
    *,
    title: str,
    numbers: IntArray | None = None,
    ids: pandas.DataFrame | None = None,
    close_call: float = CLOSE_CALL,
    columns: Sequence[Sequence[str]] = (),
    messages: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Compute everything that an evaluation page shows.

    Parameters
    ----------
    evaluation : Evaluation
        As :func:`evaluate_table` returns it, with ``explain=True`` for reasons, bounds and robustness.
    title : str
        What is evaluated.
    numbers : ndarray of shape (n_rows,), optional
        The number of each row in the user's file; by default from 1.
    ids : pandas.DataFrame, optional
        Columns that identify the rows, and that nothing was learned from.
    close_call : float
        A single class with a probability below this is a close call. The reader can move it, by whole
        percents, to which it is rounded.
    columns : sequence of (name, contents, use, missing)
        What was read: texts for each column of the file.
    messages : sequence of str
        What the reader was told meanwhile.
    facts : mapping, optional
        How it was run: texts by label.

    Returns
    -------
    dict
        Made of strings, numbers, None, lists and dicts, so that it can be written as JSON.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.evaluation import evaluate_table, make_classifiers
    >>> data = load_dataset("iris")
    >>> made = make_classifiers(["null", "lp-aode*"])
    >>> found = evaluate_table(made, data.features, data.target.to_numpy(), folds=3, explain=True)
    >>> page = evaluation_data(found, title="Iris")
    >>> page["opening"], [one["name"] for one in page["classifiers"]]
    (0, ['LP-AODE*', 'all classes', 'null'])
    """
    check_instance("evaluation", evaluation, Evaluation)
    check_instance("title", title, str)
    true = next(iter(evaluation.cases.values())).true
    row_numbers = _row_numbers(numbers, len(true))
    if ids is not None:
        check_table("ids", ids, len(true))
    with naming("columns"):
        column_rows = [[str(cell) for cell in row] for row in columns]
    with naming("messages"):
        said = [str(message) for message in messages]
    with naming("facts"):
        fact_rows = [
            {"label": str(label), "value": str(value)}
            for label, value in ({} if facts is None else facts).items()
        ]
    names: dict[str, int] = {}
    classifiers = _classifiers(evaluation, row_numbers, names)
    order = [one["key"] for one in classifiers]
    most = int(np.bincount(true).argmax())
    return {
        "title": title,
        "n": len(true),
        "classes": [str(label) for label in evaluation.classes],
        "most_frequent": {"class": most, "share": number((true == most).mean())},
        "worths": list(WORTHS),
        "close_call": check_real("close_call", close_call, low=0.0, high=1.0),
        "opening": order.index(evaluation.opening),
        "classifiers": classifiers,
        "names": list(names),
        "ids": _ids(ids, row_numbers, classifiers),
        "columns": column_rows,
        "messages": said,
        "facts": fact_rows,
    }


def _row_numbers(numbers: Any, n: int) -> IntArray:
    with naming("numbers"):
        found: IntArray = np.arange(1, n + 1) if numbers is None else np.asarray(numbers)
        if found.shape != (n,) or found.dtype.kind not in "iu":
            raise ValueError(f"numbers must be {n} integers, got {safe_repr(numbers)}.")
    return found


def _classifiers(evaluation: Evaluation, numbers: IntArray, names: dict[str, int]) -> list[dict[str, Any]]:
    """Return the classifiers by u65, the best first: their measures, and what the page shows of each."""
    answers, optimal = evaluation.compare(), evaluation.compare_optimal()
    found = []
    for row in ranking(evaluation):
        key = row["classifier"]
        one = {
            "key": key,
            "name": display_name(key) if key != ALL_CLASSES else key,
            "credal": row["credal"],
            **{name: number(row[name], digits=6) for name in _MEASURES},
            "utility": [number(value, digits=6) for value in answers.utilities[key]],
            "best_is": answers.verdicts[key],
        }
        if key != ALL_CLASSES:
            one["optimal"] = [number(value, digits=6) for value in optimal.utilities[key]]
            one["best_optimal_is"] = optimal.verdicts[key]
            one["beats_null"] = _beats_null(evaluation, key)
            one["view"] = view(evaluation.cases[key], numbers, names)
        found.append(one)
    return found


def _beats_null(evaluation: Evaluation, key: str) -> bool | None:
    """Tell whether a classifier is at least probably more accurate than the null model; None if unknown."""
    if "null" not in evaluation.sums or key == "null":
        return None
    accuracy, null = (
        np.array([part.correct / part.n for part in evaluation.sums[name]]) for name in (key, "null")
    )
    _, _, better = correlated_t_test(accuracy - null, folds=evaluation.folds)
    return in_words(better) != "about equal"


def _ids(ids: Any, numbers: IntArray, classifiers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the names of the columns of ids, and their cells in the rows that the page lists."""
    if ids is None or not ids.shape[1]:
        return {"names": [], "rows": {}}
    listed = {case[0] for one in classifiers if "view" in one for case in one["view"]["cases"]}
    columns = [ids.iloc[:, j].tolist() for j in range(ids.shape[1])]
    return {
        "names": [str(name) for name in ids.columns],
        "rows": {
            str(row): ["" if is_missing(cell) else str(cell) for cell in cells]
            for row, *cells in zip(numbers.tolist(), *columns, strict=True)
            if row in listed
        },
    }


def write_evaluation(path: str | os.PathLike[str], data: Mapping[str, Any]) -> Path:
    """Write the page to a file, which is replaced completely or not at all.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    data : mapping
        As returned by :func:`evaluation_data`.

    Returns
    -------
    Path
        The file.
    """
    return write_page(path, render_evaluation(data))


@naming("data")
def render_evaluation(data: Mapping[str, Any]) -> str:
    """Make a self-contained HTML page of what :func:`evaluation_data` returns; all texts are escaped."""
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
