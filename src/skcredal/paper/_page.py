"""The report of an experiment as one self-contained HTML file: the dict of `report_data`, rendered."""

from __future__ import annotations

import html
import io
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skcredal._extras import require
from skcredal.evaluation._html import document, escape, fact_list, read_resource, write_page
from skcredal.paper import _displays
from skcredal.paper._compare import format_p_value
from skcredal.paper._displays.base import FIRST, GRID, INK, MUTED, SECOND, Display
from skcredal.paper._report import report_data
from skcredal.paper._summary import datasets_word
from skcredal.paper._verdicts import VERDICTS, Claim, verdict_kind

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["render_page", "write_report"]

# The class in the style sheet, and the sign. Other verdicts are open: they say neither that a claim holds nor
# that it does not.
_LOOKS = {
    **dict.fromkeys(VERDICTS, ("not-judged", "–")),
    "holds": ("holds", "✓"),
    "does not hold": ("does-not-hold", "✗"),
    "contradicted": ("does-not-hold", "✗"),
}
_CLAIM_HEADERS = ("#", "Verdict", "Claim", "In the paper", "Here", "p")
# The page defines these CSS variables for light and dark mode; without it, the colour itself is used.
_COLOR_NAMES = {FIRST: "first", SECOND: "second", INK: "ink", MUTED: "muted", GRID: "grid"}
# Text stays text: it can be selected and read aloud, and takes the font of the page.
_DRAWN_WITH = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9.0, "axes.labelsize": 9.0}


def write_report(
    path: str | os.PathLike[str],
    summary: DataFrame,
    claims: Iterable[Claim],
    facts: Mapping[str, Any],
    *,
    studies: Mapping[str, DataFrame] | None = None,
    beyond: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page to a file, which is replaced completely or not at all.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    summary : DataFrame
        A row for each data set and classifier, with the columns of ``summary.csv``; NaN if missing.
    claims : iterable of Claim
        As returned by :func:`check_claims`.
    facts : mapping
        How it was run: ``protocol``, ``setting``, ``source``, ``seed``, ``seconds``, the mappings
        ``versions`` and ``failures``, and any others; facts without a value are left out.
    studies : mapping, optional
        The tables of the studies by name; their figures follow those of the paper.
    beyond : mapping, optional
        As returned by :func:`beyond_data`.

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
    return write_page(path, render_page(report_data(summary, claims, facts, studies=studies, beyond=beyond)))


def render_page(data: Mapping[str, Any]) -> str:
    """Render what `report_data` computed, possibly after a round trip through JSON.

    The page includes styles, script and figures; sections without content are left out.
    """
    sections = (
        ("claims", "The paper's claims", _claims(data["claims"], data["reasons"])),
        ("figures", "Figures", _figures(data["figures"], "figure")),
        ("beyond", "Beyond the paper", _beyond(data["beyond"])),
        ("results", "Every data set and classifier", _results(data["table"])),
        ("run", "How it was run", fact_list(data["run"])),
    )
    styles = [
        read_resource("skcredal.evaluation", "_page.css"),
        read_resource("skcredal.paper", "_report.css"),
    ]
    sorting = read_resource("skcredal.paper", "_page.js")
    scrolling = read_resource("skcredal.evaluation", "_scroll_cue.js")
    return document(data["title"], sections, styles=styles, script=sorting + scrolling, lead=_lead(data))


def _lead(data: Mapping[str, Any]) -> str:
    paper, claims = data["paper"], data["claims"]
    about = (
        f'<p class="about">{escape(data["about"])}</p>\n'
        f'<p class="about">The paper: {escape(paper["authors"])}, '
        f'<a href="{escape(paper["url"])}">{escape(paper["title"])}</a>, doi:{escape(paper["doi"])}.</p>\n'
    )
    if not claims:
        return about
    tally = "".join(
        f'<li class="{_LOOKS[kind][0]}"><strong>{count}</strong> {_LOOKS[kind][1]} {VERDICTS[kind]}</li>'
        for kind, count in data["tally"].items()
    )
    lead = f"{len(claims)} claims of the paper, judged on {datasets_word(data['n_datasets'])}:"
    return f'{about}<p class="lead">{lead}</p>\n<ul class="tally">{tally}</ul>\n'


def _claims(claims: Sequence[Mapping[str, Any]], reasons: Mapping[str, Any]) -> str:
    if not claims:
        return ""
    # Explicit roles: on a narrow screen the style sheet lays the table out as cards, and browsers then drop
    # the implicit ones.
    headers = "".join(f'<th role="columnheader" scope="col">{header}</th>' for header in _CLAIM_HEADERS)
    explained = {number: item["claims"][0] for item in reasons["items"] for number in item["claims"]}
    rows = "".join(_claim(claim, explained.get(claim["number"])) for claim in claims)
    return (
        _reasons(reasons) + '<table class="claims" role="table" aria-labelledby="claims-title">'
        f'<thead role="rowgroup"><tr role="row">{headers}</tr></thead>\n<tbody role="rowgroup">\n'
        f"{rows}</tbody></table>\n"
    )


def _reasons(reasons: Mapping[str, Any]) -> str:
    """Return why claims do not hold, each reason once; the verdicts of the claims link to it."""
    if not reasons["items"]:
        return ""
    items = "".join(
        f'<li id="why-{item["claims"][0]}"><strong>{escape(item["what"])} '
        f"({', '.join(map(str, item['claims']))}).</strong> {escape(item['why'])}</li>\n"
        for item in reasons["items"]
    )
    return f'<h3>{escape(reasons["title"])}</h3>\n<ul class="reasons">{items}</ul>\n<h3>All claims</h3>\n'


def _claim(claim: Mapping[str, Any], explained: int | None) -> str:
    def small(name: str) -> str:
        return f"<small>{escape(claim[name])}</small>" if claim[name] else ""

    kind = verdict_kind(claim["verdict"])
    style, sign = _LOOKS[kind]
    # Another claim of the same reason may hold.
    judged_not_to_hold = explained is not None and kind not in ("holds", "not comparable", "not judged")
    why = f' <a href="#why-{explained}">why</a>' if judged_not_to_hold else ""
    cells = {
        "number": str(claim["number"]),
        "verdict": f'<span class="{style}">{sign} {escape(claim["verdict"])}</span>{why}',
        "claim": f"{escape(claim['text'])}{small('where')}",
        "paper": escape(claim["paper"]),
        "ours": f"{escape(claim['ours'])}{small('note')}",
        "p": escape(format_p_value(claim["p_value"])),
    }
    inside = "".join(
        f'<td role="cell" class="{name}"><div>{content}</div></td>' for name, content in cells.items()
    )
    return f'<tr role="row">{inside}</tr>\n'


def _figures(figures: Sequence[Mapping[str, Any]], prefix: str) -> str:
    return "".join(_figure(f"{prefix}{i}", figure) for i, figure in enumerate(figures))


def _figure(prefix: str, figure: Mapping[str, Any]) -> str:
    panels = ""
    for i, panel in enumerate(figure["panels"]):
        display = getattr(_displays, panel["display"])(**panel["numbers"])
        panels += (
            f"<figure>{_svg(display, f'{prefix}-{i}')}\n"
            f"<figcaption>{escape(panel['caption'])}</figcaption></figure>\n"
        )
    # Four in a row of three and one would be too small to read.
    pairs = " pairs" if len(figure["panels"]) == 4 else ""
    text = f'<p class="about">{escape(figure["text"])}</p>\n' if figure["text"] else ""
    return f'<h3>{escape(figure["title"])}</h3>\n{text}<div class="panels{pairs}">{panels}</div>\n'


def _beyond(beyond: Mapping[str, Any] | None) -> str:
    if beyond is None:
        return ""
    notes = "".join(f"<li>{escape(note)}</li>" for note in beyond["notes"])
    tables = "".join(
        _wide_table("beyond-title", f"results {name}", beyond[name])
        for name in ("means", "tests")
        if beyond[name]["rows"]
    )
    return f'{tables}<ul class="notes">{notes}</ul>\n{_figures(beyond["figures"], "beyond")}'


def _table_content(table: Mapping[str, Any]) -> str:
    headers = "".join(
        f'<th scope="col"{_number_class(column["decimals"])}>{escape(column["label"])}</th>'
        for column in table["columns"]
    )
    decimals = [column["decimals"] for column in table["columns"]]
    lines = "".join(f"<tr>{''.join(map(_value, row, decimals))}</tr>\n" for row in table["rows"])
    return f"<thead><tr>{headers}</tr></thead>\n<tbody>\n{lines}</tbody>"


def _results(table: Mapping[str, Any]) -> str:
    if not table["rows"]:
        return ""
    meanings = "".join(
        f"<div><dt>{escape(column['label'])}</dt><dd>{escape(column['meaning'])}</dd></div>"
        for column in table["columns"]
        if column["meaning"]
    )
    return (
        f"<details><summary>What the columns mean</summary><dl>{meanings}</dl></details>\n"
        '<div class="filters" hidden></div><p class="sorted" role="status"></p>\n'
        f"{_wide_table('results-title', 'results', table)}"
    )


def _wide_table(title: str, classes: str, table: Mapping[str, Any]) -> str:
    """Return a table that may be wider than the page; the script says so where it is."""
    return (
        f'<div class="wide" role="region" aria-labelledby="{title}" tabindex="0">'
        f'<table class="{classes}" aria-labelledby="{title}">{_table_content(table)}</table></div>\n'
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


def _svg(display: Display, prefix: str) -> str:
    """Draw a display as one SVG element that scales with its container and follows the page's colours.

    All ids in it begin with the prefix, which differs for every figure on the page.
    """
    matplotlib = require("matplotlib", extra="paper", purpose="A report")
    figures = require("matplotlib.figure", extra="paper", purpose="A report")
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The page must not depend on the style of the session, nor its ids on the run.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_DRAWN_WITH, "svg.hashsalt": prefix})
        # Text stays text in the SVG, and the browser's fonts have the glyphs that matplotlib's lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = figures.Figure(figsize=display.figure_size, layout="constrained")
        display.plot(figure.add_subplot())
        file = io.StringIO()
        # Without a date and a version, equal results give equal files.
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    return _inline(file.getvalue(), display, prefix)


def _inline(document: str, display: Display, prefix: str) -> str:
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    for group, names in display.point_names.items():
        svg = _name_points(svg, group, names)
    # Ids must be unique on the page, and references have to follow.
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    for color, name in _COLOR_NAMES.items():
        svg = svg.replace(f": {color}", f": var(--figure-{name}, {color})")
    described = html.escape(display.caption, quote=True)
    return re.sub(r"^<svg", f'<svg role="img" aria-label="{described}"', svg)


def _name_points(svg: str, group: str, names: Sequence[str]) -> str:
    """Give the points of a group titles, which browsers show as tooltips."""
    found = re.search(rf'<g id="{group}">.*?\n   </g>', svg, flags=re.DOTALL)
    # matplotlib skips points that it cannot draw; the names would then belong to other points.
    if found is None or found[0].count("<use ") != len(names):
        return svg
    titles = iter(names)
    named = re.sub(
        r"(<use [^>]*?)/>", lambda use: f"{use[1]}><title>{html.escape(next(titles))}</title></use>", found[0]
    )
    return svg[: found.start()] + named + svg[found.end() :]
