"""Which figures a page has, and how a display becomes SVG inside of it."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from skcredal._extras import require
from skcredal.report._base import FIRST, GRID, INK, MUTED, SECOND, Display, NothingToShowError
from skcredal.report.displays import (
    AccuracyScatterDisplay,
    RanksDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    SafeDependentDisplay,
)

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["paper_figures", "svg_of"]

# The page sets these for light and dark; elsewhere the colour itself stays.
_COLOR_NAMES = {FIRST: "first", SECOND: "second", INK: "ink", MUTED: "muted", GRID: "grid"}
_DRAWN_WITH = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9.0, "axes.labelsize": 9.0}


def paper_figures(summary: DataFrame) -> list[tuple[str, list[Display]]]:
    """Return the paper's figures by title, without those that the summary has nothing for."""
    if summary.empty:
        return []
    everyone = tuple(str(name) for name in summary["classifier"].unique())
    wanted: dict[str, list[tuple[Callable[..., Display], dict[str, Any]]]] = {
        "Accuracy": [(AccuracyScatterDisplay.from_summary, {"x": x}) for x in ("bma-aode", "comp-aode")],
        "Brier loss relative to AODE": [
            (RelativeBrierDisplay.from_summary, {"classifier": name})
            for name in ("bma-aode", "comp-aode", "maplmg")
        ],
        "Accuracy on safe and on prior-dependent instances": [
            (SafeDependentDisplay.from_summary, {"classifier": name}) for name in ("bma-aode*", "comp-aode*")
        ],
        "Utility relative to the determinate counterpart": [
            (RelativeUtilityDisplay.from_summary, {"classifier": name})
            for name in ("bma-aode*", "comp-aode*")
        ],
        "Average ranks of the credal classifiers that the paper compares": [
            (RanksDisplay.from_summary, {"measure": measure}) for measure in ("u65", "u80")
        ],
        "Average ranks of all classifiers; the utility of a determinate one is its accuracy": [
            (RanksDisplay.from_summary, {"measure": measure, "classifiers": everyone})
            for measure in ("u65", "u80")
            if len(everyone) > 3
        ],
    }
    figures = ((title, list(_possible(summary, makers))) for title, makers in wanted.items())
    return [(title, displays) for title, displays in figures if displays]


def _possible(
    summary: DataFrame, makers: list[tuple[Callable[..., Display], dict[str, Any]]]
) -> Iterator[Display]:
    for make, options in makers:
        try:
            yield make(summary, **options)
        except NothingToShowError:
            continue


def svg_of(display: Display, prefix: str) -> str:
    """Draw a display as an SVG element for the inside of a page.

    Parameters
    ----------
    display : Display
        What to draw.
    prefix : str
        What the ids inside start with; different for every figure of a page.

    Returns
    -------
    str
        One ``<svg>`` element that scales with its container and follows the page's colours.
    """
    matplotlib = require("matplotlib", extra="report", purpose="A report")
    figures = require("matplotlib.figure", extra="report", purpose="A report")
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The page looks the same whatever style the session uses; its ids are the same in every run.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_DRAWN_WITH, "svg.hashsalt": prefix})
        # The reader's fonts have the letters that matplotlib's lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = figures.Figure(figsize=display.figure_size, layout="constrained")
        display.plot(figure.add_subplot())
        file = io.StringIO()
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    return _inline(file.getvalue(), display, prefix)


def _inline(document: str, display: Display, prefix: str) -> str:
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    for group, names in display.point_names.items():
        svg = _name_points(svg, group, names)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    for color, name in _COLOR_NAMES.items():
        svg = svg.replace(f": {color}", f": var(--figure-{name}, {color})")
    described = html.escape(display.caption, quote=True)
    return re.sub(r"^<svg", f'<svg role="img" aria-label="{described}"', svg)


def _name_points(svg: str, group: str, names: Sequence[str]) -> str:
    """Give the points of a group titles, which browsers show under the pointer."""
    found = re.search(rf'<g id="{group}">.*?\n   </g>', svg, flags=re.DOTALL)
    if found is None or found[0].count("<use ") != len(names):
        return svg
    titles = iter(names)
    named = re.sub(
        r"(<use [^>]*?)/>", lambda use: f"{use[1]}><title>{html.escape(next(titles))}</title></use>", found[0]
    )
    return svg[: found.start()] + named + svg[found.end() :]
