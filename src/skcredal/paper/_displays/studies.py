"""Studies beyond the paper: other ε, and setting aside the least robust rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._validation import check_choice
from skcredal.evaluation._registry import display_name
from skcredal.paper._displays.base import (
    FIRST,
    INK,
    MUTED,
    SECOND,
    Display,
    NothingToShowError,
    clean_axes,
)
from skcredal.paper._result_tables import check_columns, check_table, datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["EpsilonDisplay", "SetAsideDisplay", "read_study"]

_MEASURES = {
    "determinacy": "determinacy",
    "single_accuracy": "accuracy on the rows with one class",
    "set_accuracy": "accuracy of the sets of several classes",
    "output_size": "number of classes in sets of several",
    "u65": "u65",
    "u80": "u80",
}
# Colour, dashes and marker say the same, so that the lines also differ in black and white.
_LINES: tuple[dict[str, Any], ...] = (
    {"color": FIRST, "linestyle": "-", "marker": "o"},
    {"color": SECOND, "linestyle": "--", "marker": "s"},
    {"color": MUTED, "linestyle": ":", "marker": "^"},
)


def read_study(table: DataFrame, name: str, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return the table with its measures as floats; refuse an empty table and one of another study."""
    table = check_table("table", table, ("dataset", "series", *text), measures)
    if table.empty:
        raise NothingToShowError(f"table must have rows of the study {name}, is empty.")
    check_columns("table", table, ("dataset", "series", *text, *measures), f"{name}.csv")
    return table


def _draw_lines(ax: Axes, x: Sequence[float], lines: dict[str, list[float]]) -> None:
    # No study has more than three series.
    for (name, values), style in zip(lines.items(), _LINES, strict=False):
        ax.plot(x, values, linewidth=1.6, markersize=4.0, label=name, **style)
    clean_axes(ax, grid="both")
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)


@dataclass(eq=False, kw_only=True)
class EpsilonDisplay(Display):
    """A measure of credal classifiers against ε, the mean over data sets.

    Parameters
    ----------
    epsilon : list of float
        The values of ε; for data sets that allow only smaller ones, a value just below 1/(k+1) was used.
    values : dict of list of float
        By classifier, the mean over the data sets that have the measure; None if no data set has it.
    n_datasets : dict of list of int
        By classifier, how many data sets have it; without sets of several classes, they have no accuracy.
    measure : str
        The measure.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": ["iris", "iris"], "series": "comp-aode*", "epsilon": [0.001, 0.01],
    ...     "determinacy": [0.9, 1.0],
    ... })
    >>> EpsilonDisplay.from_table(table).caption
    'From ε = 0.001 to 0.01, the determinacy of COMP-AODE* goes from 0.900 to 1.000 (1 data set).'
    """

    epsilon: list[float]
    values: dict[str, list[float | None]]
    n_datasets: dict[str, list[int]]
    measure: str

    @classmethod
    def from_table(cls, table: DataFrame, *, measure: str = "determinacy") -> EpsilonDisplay:
        """Average a measure over data sets.

        Parameters
        ----------
        table : DataFrame
            The table of the study: a row for each data set, series and epsilon.
        measure : str, default="determinacy"
            The column to average.

        Returns
        -------
        EpsilonDisplay
        """
        check_choice("measure", measure, tuple(_MEASURES))
        table = read_study(table, "epsilon", (), ("epsilon", measure))
        table = table[table["epsilon"].notna() & table["series"].notna()]
        if table[measure].isna().all():
            raise NothingToShowError(f"table must have a data set with {measure}, has none.")
        series = [str(name) for name in table["series"].dropna().unique()]
        groups = {
            name: table[table["series"] == name].groupby("epsilon", sort=True)[measure] for name in series
        }
        # Aligned on a common grid: a series without results for an ε has a gap there.
        grid = sorted(float(epsilon) for epsilon in table["epsilon"].dropna().unique())
        return cls(
            epsilon=grid,
            values={
                name: [None if math.isnan(value) else float(value) for value in group.mean().reindex(grid)]
                for name, group in groups.items()
            },
            n_datasets={
                name: [int(n) for n in group.count().reindex(grid, fill_value=0)]
                for name, group in groups.items()
            },
            measure=measure,
        )

    @property
    def caption(self) -> str:
        """The first and last value of each line."""
        what = _MEASURES[self.measure]
        parts = []
        for name, values in self.values.items():
            # The ends of what is known: without sets of several classes there is no accuracy of them.
            known = [
                (value, n)
                for value, n in zip(values, self.n_datasets[name], strict=True)
                if value is not None
            ]
            if known:
                (first, n_first), (last, n_last) = known[0], known[-1]
                some = datasets_word(n_first) if n_first == n_last else f"{n_first}, then {n_last} data sets"
                parts.append(f"of {display_name(name)} goes from {first:.3f} to {last:.3f} ({some})")
        return f"From ε = {self.epsilon[0]:g} to {self.epsilon[-1]:g}, the {what} " + ", ".join(parts) + "."

    def _draw(self, ax: Axes) -> None:
        lines = {
            display_name(name): [math.nan if value is None else value for value in values]
            for name, values in self.values.items()
        }
        _draw_lines(ax, self.epsilon, lines)
        ax.set_xscale("log")
        ax.axvline(0.01, color=MUTED, linewidth=0.8, zorder=1)
        ax.set_xlabel("ε; the paper's 0.01 is marked")
        ax.set_ylabel(_MEASURES[self.measure])


@dataclass(eq=False, kw_only=True)
class SetAsideDisplay(Display):
    """Accuracy of the predictions that are kept when the least trusted ones are set aside.

    Parameters
    ----------
    set_aside : list of float
        The share of rows set aside.
    accuracy : dict of list of float
        Mean accuracy over data sets of the rows that are kept, by what they are ordered by.
    n_datasets : int
        Number of data sets.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "iris", "series": ["robustness"] * 2 + ["probability"] * 2,
    ...     "set_aside": [0.0, 0.2] * 2, "accuracy": [0.9, 0.95, 0.9, 1.0],
    ... })
    >>> SetAsideDisplay.from_table(table).accuracy["probability"]
    [0.9, 1.0]
    """

    set_aside: list[float]
    accuracy: dict[str, list[float]]
    n_datasets: int

    @classmethod
    def from_table(cls, table: DataFrame) -> SetAsideDisplay:
        """Average the accuracy over data sets.

        Parameters
        ----------
        table : DataFrame
            The table of the study: a row for each data set, series and share.

        Returns
        -------
        SetAsideDisplay
        """
        table = read_study(table, "set-aside", (), ("set_aside", "accuracy"))
        means = {
            str(by): rows.groupby("set_aside", sort=True)["accuracy"].mean()
            for by, rows in table.groupby("series", sort=False)
        }
        grid = sorted(float(share) for share in table["set_aside"].dropna().unique())
        gaps = [by for by, mean in means.items() if mean.reindex(grid).isna().any()]
        # A line with gaps would suggest an accuracy that was not computed.
        if gaps or not means or not grid:
            raise NothingToShowError(f"table must have an accuracy for every series and share, lacks {gaps}.")
        return cls(
            set_aside=grid,
            accuracy={by: [float(value) for value in mean] for by, mean in means.items()},
            n_datasets=int(table["dataset"].nunique()),
        )

    @property
    def caption(self) -> str:
        """The gain from setting aside a tenth and a half of the rows."""
        nearest = [int(np.argmin(np.abs(np.subtract(self.set_aside, share)))) for share in (0.1, 0.5)]
        parts = [
            f"{' and '.join(f'{values[i]:.3f}' for i in dict.fromkeys(nearest))} by {by}"
            for by, values in self.accuracy.items()
        ]
        shares = " and ".join(f"{self.set_aside[i] * 100:g} %" for i in dict.fromkeys(nearest))
        start = next(iter(self.accuracy.values()))[0]
        return (
            f"COMP-AODE's accuracy of {start:.3f} becomes, with {shares} of the rows set aside, "
            f"{'; '.join(parts)} (mean over {datasets_word(self.n_datasets)})."
        )

    def _draw(self, ax: Axes) -> None:
        lines = {f"by {by}": values for by, values in self.accuracy.items()}
        _draw_lines(ax, [share * 100.0 for share in self.set_aside], lines)
        ax.set_xlabel("% of the rows set aside")
        ax.set_ylabel("accuracy on the others")
