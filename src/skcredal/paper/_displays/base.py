"""What all displays share: reading a summary, colours, and plain axes."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._extras import require
from skcredal.paper._result_tables import check_columns, check_table, check_unique_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
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
    "check_names",
    "clean_axes",
    "draw_rows",
    "read_values",
    "row_height",
    "shorten",
    "side_colors",
    "with_accuracy",
]

# Two of Okabe and Ito's colours, which colour-blind readers can tell apart; position always says the same.
FIRST, SECOND = "#0072b2", "#d55e00"
INK, MUTED, GRID = "#24292f", "#66707b", "#d8dee4"

# Accuracy and utility of the same rows are summed in different orders: smaller differences are rounding.
TIED = 1e-12


class NothingToShowError(ValueError):
    """The summary lacks the classifiers or the data sets that a display needs."""


class Display(ABC):
    """A figure in two steps: a ``from_...`` method computes the numbers, ``plot`` draws them.

    A subclass is a dataclass of numbers, strings and lists of them, so that it can be written as JSON.
    """

    by_name: ClassVar[dict[str, type[Display]]] = {}

    ax_: Axes
    figure_: Figure

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # render_page rebuilds displays from the JSON of report_data by their class name.
        Display.by_name[cls.__name__] = cls

    @property
    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches of a new figure."""
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
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw into the axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure of suitable size if None.

        Returns
        -------
        self
            With the attributes ``ax_`` and ``figure_``.
        """
        if ax is None:
            # Only if a figure has to be made: pyplot chooses a backend, which a server may not have.
            pyplot = require("matplotlib.pyplot", extra="paper", purpose="A display")
            _, ax = pyplot.subplots(figsize=self.figure_size, layout="constrained")
        self._draw(ax)
        self.ax_ = ax
        self.figure_ = ax.figure  # type: ignore[assignment]
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw what was computed."""


def shorten(name: str, length: int = 24) -> str:
    """Shorten a name to fit next to an axis."""
    return name if len(name) <= length else name[: length - 1] + "…"


def read_values(
    summary: DataFrame, wanted: Sequence[tuple[str, str]]
) -> tuple[list[str], list[FloatArray], int]:
    """Return measures of classifiers on the data sets that have all of them.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier.
    wanted : sequence of (classifier, column)
        What to read; classifiers are spelled as in the summary.

    Returns
    -------
    datasets : list of str
        The data sets that have all values, in the summary's order.
    values : list of ndarray
        An array for each wanted column.
    n_left_out : int
        Number of data sets that lack one of them.
    """
    summary = check_table("summary", summary, ("dataset", "classifier"), [column for _, column in wanted])
    check_columns("summary", summary, ("dataset", "classifier"), "summary.csv")
    check_names(summary)
    available = [str(name) for name in summary["classifier"].unique()]
    if missing := [name for name in dict.fromkeys(name for name, _ in wanted) if name not in available]:
        has = f"has {', '.join(available)}" if available else "is empty"
        raise NothingToShowError(f"summary must have the classifier {' and '.join(missing)}, {has}.")
    check_columns("summary", summary, [column for _, column in wanted], "summary.csv")
    check_unique_rows(summary)
    datasets = summary["dataset"].unique()
    columns = np.array(
        [
            summary[summary["classifier"] == classifier]
            .set_index("dataset")[column]
            .reindex(datasets)
            .to_numpy(dtype=np.float64, na_value=nan)
            for classifier, column in wanted
        ]
    )
    # Only data sets with all values, so that every comparison is paired.
    known = np.isfinite(columns).all(axis=0)
    if not known.any():
        listed = ", ".join(f"{column} of {name}" for name, column in wanted)
        raise NothingToShowError(f"summary must have a data set with {listed}, has none.")
    return (
        [str(name) for name in datasets[known]],
        list(columns[:, known]),
        int((~known).sum()),
    )


def with_accuracy(summary: DataFrame, measure: str) -> DataFrame:
    """Return the summary with the accuracy as the utility of determinate classifiers."""
    summary = check_table("summary", summary, ("dataset", "classifier"), ("accuracy", measure))
    check_columns("summary", summary, ("dataset", "classifier"), "summary.csv")
    if "accuracy" not in summary.columns:
        return summary
    utility = summary.get(measure, summary["accuracy"])
    return summary.assign(**{measure: utility.where(utility.notna(), summary["accuracy"])})


def check_names(summary: DataFrame) -> None:
    """Refuse a summary with missing names of classifiers."""
    if "classifier" in summary.columns and summary["classifier"].isna().any():
        raise ValueError(
            "summary must name the classifier in every row. pandas reads the name 'null' as missing: read "
            "summary.csv with keep_default_na=False, na_values=['']."
        )


def clean_axes(ax: Axes, *, grid: str | None = None) -> None:
    """Remove what carries no information, and draw a light grid along one axis or both."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(MUTED)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(colors=INK, labelsize=9, width=0.8, length=3)
    ax.tick_params(color=MUTED)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    if grid is not None:
        ax.grid(visible=True, axis=grid, color=GRID, linewidth=0.7)  # type: ignore[arg-type]
        ax.set_axisbelow(True)


def side_colors(gains: FloatArray) -> list[str]:
    """Return a colour for each difference: FIRST for a gain, SECOND for a loss, MUTED for a tie."""
    return [FIRST if gain > TIED else SECOND if gain < -TIED else MUTED for gain in gains]


def row_height(n: int) -> float:
    """Return the height in inches of a plot with one row of text for each of n names."""
    # 0.17 inches for a row of 8-point text, the rest for the axis and its label.
    return 0.8 + 0.17 * n


def draw_rows(ax: Axes, names: Sequence[str], *, length: int = 24) -> None:
    """Write names along the vertical axis, the first on top, each with a light line."""
    # matplotlib would parse a dollar sign in the name of a data set as mathematics.
    ax.set_yticks(range(len(names)), [shorten(name, length) for name in names], parse_math=False)
    clean_axes(ax, grid="both")
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.5, -0.5)
