"""What all displays share: reading a summary, colours, and plain axes."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import FloatArray
from skcredal.paper._summary import Results, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = [
    "FIRST",
    "GRID",
    "INK",
    "MUTED",
    "SECOND",
    "TIED",
    "Display",
    "NothingToShowError",
    "clean_axes",
    "draw_rows",
    "read_utilities",
    "read_values",
    "side_colors",
]

# Two of Okabe and Ito's colours, which colour-blind readers can tell apart; position always says the same.
FIRST, SECOND = "#0072b2", "#d55e00"
INK, MUTED, GRID = "#24292f", "#66707b", "#d8dee4"

# Accuracy and utility of the same rows are summed in different orders: smaller differences are rounding.
TIED = 1e-12


class NothingToShowError(ValueError):
    """The table lacks the data sets that a display needs."""


class Display(ABC):
    """A figure in two steps: a ``from_...`` method computes the numbers, ``plot`` draws them.

    A subclass is a dataclass of numbers, strings and lists of them, so that it can be written as JSON.
    """

    @property
    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 4.2, 4.0

    @property
    @abstractmethod
    def caption(self) -> str:
        """One sentence that says what the figure shows, computed from its numbers."""

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The label of each point, by the id of its group, for tooltips on a page."""
        return {}

    def numbers(self) -> dict[str, Any]:
        """Return everything that is drawn, as a dict for JSON; ``cls(**numbers)`` restores the display."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @abstractmethod
    def plot(self, ax: Axes) -> None:
        """Draw into the axes."""


def read_values(summary: DataFrame, wanted: Sequence[Value]) -> tuple[list[str], list[FloatArray]]:
    """Return the data sets that have all wanted (classifier, column), and an array for each of these."""
    common = Results(summary, [measure for _, measure in wanted]).common(*wanted)
    if common.empty:
        listed = ", ".join(f"{column} of {name}" for name, column in wanted)
        raise NothingToShowError(f"summary must have a data set with {listed}, has none.")
    return list(common.index), list(common.to_numpy(np.float64).T.copy())


def read_utilities(
    summary: DataFrame, classifiers: Sequence[str], measure: str
) -> tuple[list[str], list[FloatArray]]:
    """Return a utility of several classifiers as `read_values` does; a determinate one's is its accuracy."""
    if "accuracy" in summary.columns:
        utility = summary.get(measure, summary["accuracy"])
        summary = summary.assign(**{measure: utility.where(utility.notna(), summary["accuracy"])})
    return read_values(summary, [(name, measure) for name in classifiers])


def clean_axes(ax: Axes) -> None:
    """Remove what carries no information, and draw a light grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(MUTED)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(colors=INK, labelsize=9, width=0.8, length=3)
    ax.tick_params(color=MUTED)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.grid(visible=True, axis="both", color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)


def side_colors(gains: FloatArray) -> list[str]:
    """Return a colour for each difference: FIRST for a gain, SECOND for a loss, MUTED for a tie."""
    return [FIRST if gain > TIED else SECOND if gain < -TIED else MUTED for gain in gains]


def draw_rows(ax: Axes, names: Sequence[str], *, length: int = 24, labelsize: int = 8) -> None:
    """Write names along the vertical axis, the first on top, each with a light line."""
    shortened = [name if len(name) <= length else name[: length - 1] + "…" for name in names]
    # matplotlib would parse a dollar sign in the name of a data set as mathematics.
    ax.set_yticks(range(len(names)), shortened, parse_math=False)
    clean_axes(ax)
    ax.tick_params(axis="y", length=0, labelsize=labelsize)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.5, -0.5)
