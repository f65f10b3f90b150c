"""The report of an experiment, as one self-contained HTML file: compute the data, render, write."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skcredal._validation import check_instance, naming
from skcredal.evaluation._html import document, escape, fact_list, read_resource, write_page
from skcredal.paper._compare import format_p_value
from skcredal.paper._contents import ClaimLike, claim_rows, fact_rows, result_table
from skcredal.paper._displays.base import Display, check_names
from skcredal.paper._figures import new_figures, paper_figures, svg_of
from skcredal.paper._result_tables import check_table, datasets_word

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["render_page", "report_data", "write_report"]

_TITLE = "Credal classification based on AODE and compression coefficients"
_SIGNS = {"holds": "✓", "does not hold": "✗", "not judged": "–"}
_TALLY_WORDS = {"holds": "hold", "does not hold": "do not hold", "not judged": "not judged"}
_CLAIM_HEADERS = ("#", "Verdict", "Claim", "In the paper", "Here", "p")


def report_data(
    summary: DataFrame,
    claims: Iterable[ClaimLike],
    facts: Mapping[str, Any],
    *,
    studies: Mapping[str, DataFrame] | None = None,
) -> dict[str, Any]:
    """Compute everything that the page shows.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier, with the columns of ``summary.csv``; NaN if missing.
    claims : iterable
        Objects with the attributes ``number``, ``text``, ``where``, ``paper``, ``ours``, ``p_value``,
        ``holds`` and ``note``.
    facts : mapping
        How it was run: ``protocol``, ``setting``, ``source``, ``seed``, ``seconds``, the mappings
        ``versions`` and ``failures``, and any others; facts without a value are left out.
    studies : mapping, optional
        The tables of the studies by name; their figures follow those of the paper.

    Returns
    -------
    dict
        Made of strings, numbers, None, lists and dicts, so that it can be written as JSON.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris"], "classifier": ["aode"], "accuracy": [0.94], "u65": [float("nan")]
    ... })
    >>> data = report_data(summary, [], {"seed": 0})
    >>> data["table"]["rows"], data["run"]
    ([['iris', 'AODE', 0.94]], [{'label': 'Seed', 'value': '0'}])
    """
    check_instance("facts", facts, Mapping)
    if studies is not None:
        check_instance("studies", studies, Mapping)
    with naming("claims"):
        rows = claim_rows(claims)
    with naming("facts"):
        run = fact_rows(facts)
    summary = check_table("summary", summary, ("dataset", "classifier"), ())
    check_names(summary)
    with naming("summary"):
        table = result_table(summary)
    figures = [*paper_figures(summary), *new_figures(summary, studies or {})]
    return {
        "title": _TITLE,
        "n_datasets": int(summary["dataset"].nunique()) if "dataset" in summary.columns else 0,
        "claims": rows,
        "figures": [
            {
                "title": title,
                "panels": [
                    {
                        "display": type(display).__name__,
                        "numbers": display.numbers(),
                        "caption": display.caption,
                    }
                    for display in displays
                ],
            }
            for title, displays in figures
        ],
        "table": table,
        "run": run,
    }


def render_page(data: Mapping[str, Any]) -> str:
    """Render what :func:`report_data` computed as a self-contained HTML page.

    Parameters
    ----------
    data : mapping
        As returned by :func:`report_data`, possibly after a round trip through JSON.

    Returns
    -------
    str
        The page, including styles, script and figures; sections without content are left out.

    Examples
    --------
    >>> page = render_page({"title": "A & B", "n_datasets": 0, "claims": [], "figures": [],
    ...                     "table": {"columns": [], "rows": []}, "run": []})
    >>> "<h1>A &amp; B</h1>" in page, "<table" in page
    (True, False)
    """
    with naming("data"):
        return _render(data)


def _render(data: Mapping[str, Any]) -> str:
    sections = (
        ("claims", "The paper's claims", _claims(data["claims"])),
        ("figures", "Figures", "".join(_figure(i, figure) for i, figure in enumerate(data["figures"]))),
        ("results", "Every data set and classifier", _results(data["table"])),
        ("run", "How it was run", fact_list(data["run"])),
    )
    style = read_resource("skcredal.evaluation", "_page.css")
    script = read_resource("skcredal.paper", "_page.js")
    return document(data["title"], sections, styles=[style], script=script, lead=_lead(data))


def write_report(
    path: str | os.PathLike[str],
    summary: DataFrame,
    claims: Iterable[ClaimLike],
    facts: Mapping[str, Any],
    *,
    studies: Mapping[str, DataFrame] | None = None,
) -> Path:
    """Write the page to a file, which is replaced completely or not at all.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    summary, claims, facts, studies
        As in :func:`report_data`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> summary = pd.DataFrame({"dataset": ["iris"], "classifier": ["aode"], "accuracy": [0.94]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_report(f"{folder}/report.html", summary, [], {}).name)
    report.html
    """
    return write_page(path, render_page(report_data(summary, claims, facts, studies=studies)))


def _lead(data: Mapping[str, Any]) -> str:
    claims, n = data["claims"], data["n_datasets"]
    if not claims:
        return f'<p class="lead">{datasets_word(n)}.</p>\n' if n else ""
    counts = Counter(claim["verdict"] for claim in claims)
    # All three verdicts, so that a 0 is seen as well.
    tally = "".join(
        f'<li class="{_class(verdict)}"><strong>{counts[verdict]}</strong> {_SIGNS[verdict]} {words}</li>'
        for verdict, words in _TALLY_WORDS.items()
    )
    how_many = "1 claim" if len(claims) == 1 else f"{len(claims)} claims"
    where = f", judged on {datasets_word(n)}" if n else ""
    return f'<p class="lead">{how_many} of the paper{where}:</p>\n<ul class="tally">{tally}</ul>\n'


def _class(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _claims(claims: Sequence[Mapping[str, Any]]) -> str:
    if not claims:
        return ""
    # Explicit roles: on a narrow screen the style sheet lays the table out as cards, and browsers then drop
    # the implicit ones.
    headers = "".join(f'<th role="columnheader" scope="col">{header}</th>' for header in _CLAIM_HEADERS)
    return (
        '<table class="claims" role="table" aria-labelledby="claims-title">'
        f'<thead role="rowgroup"><tr role="row">{headers}</tr></thead>\n<tbody role="rowgroup">\n'
        + "".join(map(_claim, claims))
        + "</tbody></table>\n"
    )


def _claim(claim: Mapping[str, Any]) -> str:
    def small(name: str) -> str:
        return f"<small>{escape(claim[name])}</small>" if claim[name] else ""

    verdict = claim["verdict"]
    cells = {
        "number": str(claim["number"]),
        "verdict": f'<span class="{_class(verdict)}">{_SIGNS[verdict]} {verdict}</span>',
        "claim": f"{escape(claim['text'])}{small('where')}",
        "paper": escape(claim["paper"]),
        "ours": f"{escape(claim['ours'])}{small('note')}",
        "p": escape(format_p_value(claim["p_value"])),
    }
    inside = "".join(
        f'<td role="cell" class="{name}"><div>{content}</div></td>' for name, content in cells.items()
    )
    return f'<tr role="row">{inside}</tr>\n'


def _figure(index: int, figure: Mapping[str, Any]) -> str:
    panels = "".join(
        f"<figure>{svg_of(Display.by_name[panel['display']](**panel['numbers']), f'figure{index}-{i}')}\n"
        f"<figcaption>{escape(panel['caption'])}</figcaption></figure>\n"
        for i, panel in enumerate(figure["panels"])
    )
    return f'<h3>{escape(figure["title"])}</h3>\n<div class="panels">{panels}</div>\n' if panels else ""


def _results(table: Mapping[str, Any]) -> str:
    columns, rows = table["columns"], table["rows"]
    if not rows:
        return ""
    headers = "".join(
        f'<th scope="col"{_number_class(column["decimals"])}>{escape(column["label"])}</th>'
        for column in columns
    )
    decimals = [column["decimals"] for column in columns]
    lines = "".join(f"<tr>{''.join(map(_value, row, decimals))}</tr>\n" for row in rows)
    meanings = "".join(
        f"<div><dt>{escape(column['label'])}</dt><dd>{escape(column['meaning'])}</dd></div>"
        for column in columns
        if column["meaning"]
    )
    legend = (
        f"<details><summary>What the columns mean</summary><dl>{meanings}</dl></details>\n"
        if meanings
        else ""
    )
    return (
        f'{legend}<div class="filters" hidden></div><p class="sorted" role="status"></p>\n'
        '<div class="wide" role="region" aria-labelledby="results-title" tabindex="0">'
        f'<table class="results" aria-labelledby="results-title"><thead><tr>{headers}</tr></thead>\n'
        f"<tbody>\n{lines}</tbody></table></div>\n"
    )


def _number_class(decimals: int | None) -> str:
    return "" if decimals is None else ' class="number"'


def _value(value: str | float | None, decimals: int | None) -> str:
    if decimals is None or isinstance(value, str):
        return f"<td>{escape(str(value))}</td>"
    if value is None:
        return '<td class="number">–</td>'
    # The page sorts by the full value, not by the rounded text.
    return f'<td class="number" data-value="{value!r}">{value:.{decimals}f}</td>'
