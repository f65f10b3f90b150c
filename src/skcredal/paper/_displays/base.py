"""What all displays share: reading a summary, the paper's names, colours, and axes without ornament."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._extras import require
from skcredal.paper._result_tables import check_table

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
    "datasets_word",
    "draw_rows",
    "read_values",
    "row_height",
    "shorten",
    "side_colors",
    "with_accuracy",
]

# Two of Okabe and Ito's colours, which the colour-blind tell apart; what they say, the position says as well.
FIRST, SECOND = "#0072b2", "#d55e00"
INK, MUTED, GRID = "#24292f", "#66707b", "#d8dee4"

# Accuracy and utility of the same rows are sums in different orders: what differs by less is equal.
TIED = 1e-12


class NothingToShowError(ValueError):
    """The summary lacks the classifiers or the data sets that a display needs."""


class Display(ABC):
    """A figure in two steps: a ``from_...`` method computes the numbers, ``plot`` draws them.

    A subclass is a dataclass of numbers, text and lists of them, so that JSON can hold what it draws.
    """

    by_name: ClassVar[dict[str, type[Display]]] = {}

    ax_: Axes
    figure_: Figure

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Display.by_name[cls.__name__] = cls

    @property
    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        return 4.2, 4.0

    @property
    @abstractmethod
    def caption(self) -> str:
        """One sentence that says what is seen, computed from the numbers."""

    @property
    def point_names(self) -> dict[str, list[str]]:
        """What each point stands for, by the group that was drawn, for an interactive page."""
        return {}

    def numbers(self) -> dict[str, Any]:
        """Return all that is drawn, as a dict that JSON can hold; the class makes the display of it again."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw into the axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure of a fitting size if None.

        Returns
        -------
        self
            With the attributes ``ax_`` and ``figure_``.
        """
        if ax is None:
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
    """Return a name that fits beside an axis."""
    return name if len(name) <= length else name[: length - 1] + "…"


def datasets_word(n: int, total: int | None = None) -> str:
    """Return a number of data sets in words.

    Examples
    --------
    >>> datasets_word(1), datasets_word(3, 39)
    ('1 data set', '3 of 39 data sets')
    """
    last = n if total is None else total
    return f"{n}{'' if total is None else f' of {total}'} data set{'' if last == 1 else 's'}"


def read_values(
    summary: DataFrame, wanted: Sequence[tuple[str, str]]
) -> tuple[list[str], list[FloatArray], int]:
    """Return columns of classifiers on the data sets that have all of them.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier.
    wanted : sequence of (classifier, column)
        What to read; the classifier in the summary's spelling.

    Returns
    -------
    datasets : list of str
        The data sets that have all values, in the summary's order.
    values : list of ndarray
        An array for each wanted column.
    n_left_out : int
        Data sets that lack one of them.
    """
    summary = check_table("summary", summary, ("dataset", "classifier"), [column for _, column in wanted])
    _check_columns(summary, ("dataset", "classifier"))
    check_names(summary)
    there = [str(name) for name in summary["classifier"].unique()]
    if missing := [name for name in dict.fromkeys(name for name, _ in wanted) if name not in there]:
        has = f"has {', '.join(there)}" if there else "is empty"
        raise NothingToShowError(f"summary must have the classifier {' and '.join(missing)}, {has}.")
    _check_columns(summary, [column for _, column in wanted])
    twice = summary.duplicated(["dataset", "classifier"])
    if twice.any():
        dataset, classifier = summary.loc[twice, ["dataset", "classifier"]].iloc[0]
        raise ValueError(f"summary must have one row of {classifier} for {dataset}, has several.")
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
    """Return the summary with the accuracy standing in where a determinate classifier has no utility."""
    summary = check_table("summary", summary, ("dataset", "classifier"), ("accuracy", measure))
    _check_columns(summary, ("dataset", "classifier"))
    if "accuracy" not in summary.columns:
        return summary
    utility = summary.get(measure, summary["accuracy"])
    return summary.assign(**{measure: utility.where(utility.notna(), summary["accuracy"])})


def check_names(summary: DataFrame) -> None:
    """Refuse a summary that does not name every classifier."""
    if "classifier" in summary.columns and summary["classifier"].isna().any():
        raise ValueError(
            "summary must name the classifier of every row. pandas reads the name 'null' as missing: read "
            "summary.csv with keep_default_na=False, na_values=['']."
        )


def _check_columns(summary: DataFrame, needed: Sequence[str]) -> None:
    if lacking := [column for column in dict.fromkeys(needed) if column not in summary.columns]:
        raise ValueError(f"summary must have the columns of summary.csv, lacks {', '.join(lacking)}.")


def clean_axes(ax: Axes, *, grid: str | None = None) -> None:
    """Take away what carries no information, and draw a light grid along one axis, or along both."""
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
    """Return a colour for each difference: the first for a gain, the second for a loss, muted for neither."""
    return [FIRST if gain > TIED else SECOND if gain < -TIED else MUTED for gain in gains]


def row_height(n: int) -> float:
    """Return the height in inches of a plot with a row of text for each of n names."""
    return 0.8 + 0.17 * n


def draw_rows(ax: Axes, names: Sequence[str], *, length: int = 24) -> None:
    """Write names along the vertical axis, the first on top, each with a light line to its points."""
    # A dollar sign in the name of a data set is not mathematics.
    ax.set_yticks(range(len(names)), [shorten(name, length) for name in names], parse_math=False)
    clean_axes(ax, grid="both")
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.5, -0.5)
