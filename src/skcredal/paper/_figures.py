"""The figures of the report page, and how a display becomes inline SVG."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from skcredal._extras import require
from skcredal.paper._displays import (
    AccuracyScatterDisplay,
    BayesianDisplay,
    CriticalDifferenceDisplay,
    EpsilonDisplay,
    RanksDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    RivalsDisplay,
    SafeDependentDisplay,
    SetAsideDisplay,
)
from skcredal.paper._displays.base import FIRST, GRID, INK, MUTED, SECOND, Display, NothingToShowError

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["new_figures", "paper_figures", "svg_of"]

# The page defines these CSS variables for light and dark mode; without it, the colour itself is used.
_COLOR_NAMES = {FIRST: "first", SECOND: "second", INK: "ink", MUTED: "muted", GRID: "grid"}
_Wanted = dict[str, list[tuple[Callable[..., Display], dict[str, Any]]]]
_DETERMINATE_PAIRS = [
    ("comp-aode", "aode"),
    ("bma-aode", "aode"),
    ("comp-aode", "bma-aode"),
    ("maplmg", "comp-aode"),
    ("comp-aode", "tan"),
    ("comp-aode", "naive-bayes"),
]
_CREDAL_PAIRS = [
    ("comp-aode*", "comp-aode"),
    ("comp-aode*", "bma-aode*"),
    ("comp-aode*", "cdt"),
    ("comp-aode*", "cma"),
    ("comp-aode*", "ncc"),
]
# Text stays text: it can be selected and read aloud, and takes the font of the page.
_DRAWN_WITH = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9.0, "axes.labelsize": 9.0}


def paper_figures(summary: DataFrame) -> list[tuple[str, list[Display]]]:
    """Return the paper's figures by title, as far as the summary has the data for them."""
    if summary.empty:
        return []
    everyone = tuple(str(name) for name in summary["classifier"].unique())
    wanted: _Wanted = {
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
            # With three or fewer it would repeat the figure above.
            if len(everyone) > 3
        ],
    }
    return _possible(summary, wanted)


def new_figures(summary: DataFrame, studies: Mapping[str, DataFrame]) -> list[tuple[str, list[Display]]]:
    """Return additional figures by title, as far as there are data for them.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier.
    studies : mapping
        The tables of the studies by name.
    """
    of_studies: dict[str, _Wanted] = {
        "epsilon": {
            "How much ε matters": [
                (EpsilonDisplay.from_table, {"measure": measure})
                for measure in ("determinacy", "set_accuracy")
            ]
        },
        "set-aside": {
            "Setting aside the least robust or least probable rows": [(SetAsideDisplay.from_table, {})]
        },
        "rivals": {
            "COMP-AODE* and other ways to make sets, on the same folds": [
                (RivalsDisplay.from_table, {"utility": utility}) for utility in ("u65", "u80")
            ]
        },
    }
    found = [
        figure
        for name, wanted in of_studies.items()
        if name in studies
        for figure in _possible(studies[name], wanted)
    ]
    if summary.empty:
        return found
    tests: _Wanted = {
        "Critical differences": [
            (CriticalDifferenceDisplay.from_summary, {"measure": measure})
            for measure in ("u65", "u80")
            # Two classifiers leave nothing to join.
            if summary["classifier"].nunique() > 2
        ],
        "Bayesian signed-rank tests": [
            (BayesianDisplay.from_summary, {"measure": "accuracy", "pairs": _DETERMINATE_PAIRS}),
            *(
                (BayesianDisplay.from_summary, {"measure": measure, "pairs": _CREDAL_PAIRS})
                for measure in ("u65", "u80")
            ),
        ],
    }
    return [*found, *_possible(summary, tests)]


def _possible(table: DataFrame, wanted: _Wanted) -> list[tuple[str, list[Display]]]:
    """Return the displays that the table has data for, by title; a title without displays is left out."""
    figures = []
    for title, makers in wanted.items():
        displays = []
        for make, options in makers:
            # Only a lack of data is skipped; other errors are errors.
            with suppress(NothingToShowError):
                displays.append(make(table, **options))
        if displays:
            figures.append((title, displays))
    return figures


def svg_of(display: Display, prefix: str) -> str:
    """Draw a display as an SVG element for a page.

    Parameters
    ----------
    display : Display
        What to draw.
    prefix : str
        Prefix of all ids in the SVG, unique for every figure on the page.

    Returns
    -------
    str
        One ``<svg>`` element that scales with its container and follows the page's colours.
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
