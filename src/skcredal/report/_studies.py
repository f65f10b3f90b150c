"""What the paper does not show: other ε, setting aside the least robust, and rivals of COMP-AODE*."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._validation import check_choice
from skcredal.report._base import (
    FIRST,
    INK,
    MUTED,
    SECOND,
    TIED,
    Display,
    NothingToShowError,
    check_table,
    clean_axes,
    datasets_word,
    draw_rows,
    label,
    side_colors,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["EpsilonDisplay", "RivalsDisplay", "SetAsideDisplay"]

_MEASURES = {
    "determinacy": "determinacy",
    "single_accuracy": "accuracy on the rows with one class",
    "set_accuracy": "accuracy of the sets of several classes",
    "output_size": "classes in the sets of several",
    "u65": "u65",
    "u80": "u80",
}
# Of two lines the colour, the dashes and the marker tell the same.
_LINES: tuple[dict[str, Any], ...] = (
    {"color": FIRST, "linestyle": "-", "marker": "o"},
    {"color": SECOND, "linestyle": "--", "marker": "s"},
    {"color": MUTED, "linestyle": ":", "marker": "^"},
)


def _read(table: DataFrame, name: str, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return the table with its measures as floats; refuse one of another study, or without rows."""
    table = check_table("table", table, ("dataset", "series", *text), measures)
    if table.empty:
        raise NothingToShowError(f"table must have rows of the study {name}, is empty.")
    if lacking := [
        column for column in ("dataset", "series", *text, *measures) if column not in table.columns
    ]:
        raise ValueError(f"table must have the columns of {name}.csv, lacks {', '.join(lacking)}.")
    return table


def _draw_lines(ax: Axes, x: Sequence[float], lines: dict[str, list[float]]) -> None:
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
        The values of ε; where a data set admits only smaller ones, just below 1/(k+1) is used.
    values : dict of list of float
        By classifier, the mean over the data sets that have the measure; None where none has it.
    n_datasets : dict of list of int
        By classifier, how many have it: a data set without sets of several classes has no accuracy of them.
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
            The study of ε: a row for each data set, series and epsilon.
        measure : str, default="determinacy"
            The column to average.

        Returns
        -------
        EpsilonDisplay
        """
        check_choice("measure", measure, tuple(_MEASURES))
        table = _read(table, "epsilon", (), ("epsilon", measure))
        table = table[table["epsilon"].notna() & table["series"].notna()]
        if table[measure].isna().all():
            raise NothingToShowError(f"table must have a data set with {measure}, has none.")
        series = [str(name) for name in table["series"].dropna().unique()]
        groups = {
            name: table[table["series"] == name].groupby("epsilon", sort=True)[measure] for name in series
        }
        # A series that lacks an ε has a gap there.
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
        """Where each line begins and ends."""
        what = _MEASURES[self.measure]
        parts = []
        for name, values in self.values.items():
            known = [
                (value, n)
                for value, n in zip(values, self.n_datasets[name], strict=True)
                if value is not None
            ]
            if known:
                (first, n_first), (last, n_last) = known[0], known[-1]
                some = datasets_word(n_first) if n_first == n_last else f"{n_first}, then {n_last} data sets"
                parts.append(f"of {label(name)} goes from {first:.3f} to {last:.3f} ({some})")
        return f"From ε = {self.epsilon[0]:g} to {self.epsilon[-1]:g}, the {what} " + ", ".join(parts) + "."

    def _draw(self, ax: Axes) -> None:
        lines = {
            label(name): [math.nan if value is None else value for value in values]
            for name, values in self.values.items()
        }
        _draw_lines(ax, self.epsilon, lines)
        ax.set_xscale("log")
        ax.axvline(0.01, color=MUTED, linewidth=0.8, zorder=1)
        ax.set_xlabel("ε; the paper's 0.01 is marked")
        ax.set_ylabel(_MEASURES[self.measure])


@dataclass(eq=False, kw_only=True)
class SetAsideDisplay(Display):
    """Accuracy of the predictions that are retained as the least trusted ones are set aside.

    Parameters
    ----------
    set_aside : list of float
        The share of rows set aside.
    accuracy : dict of list of float
        By what the rows are ordered by, the mean over data sets of the accuracy of the rest.
    n_datasets : int
        The data sets.

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
            The study of what is set aside: a row for each data set, series and share.

        Returns
        -------
        SetAsideDisplay
        """
        table = _read(table, "set-aside", (), ("set_aside", "accuracy"))
        means = {
            str(by): rows.groupby("set_aside", sort=True)["accuracy"].mean()
            for by, rows in table.groupby("series", sort=False)
        }
        grid = sorted(float(share) for share in table["set_aside"].dropna().unique())
        gaps = [by for by, mean in means.items() if mean.reindex(grid).isna().any()]
        if gaps or not means or not grid:
            raise NothingToShowError(
                f"table must have an accuracy of every series for every share, lacks {gaps}."
            )
        return cls(
            set_aside=grid,
            accuracy={by: [float(value) for value in mean] for by, mean in means.items()},
            n_datasets=int(table["dataset"].nunique()),
        )

    @property
    def caption(self) -> str:
        """What setting a tenth and a half of the rows aside gains."""
        places = [int(np.argmin(np.abs(np.subtract(self.set_aside, share)))) for share in (0.1, 0.5)]
        parts = [
            f"{' and '.join(f'{values[place]:.3f}' for place in dict.fromkeys(places))} by {by}"
            for by, values in self.accuracy.items()
        ]
        shares = " and ".join(f"{self.set_aside[place] * 100:g} %" for place in dict.fromkeys(places))
        start = next(iter(self.accuracy.values()))[0]
        return (
            f"COMP-AODE's accuracy of {start:.3f} becomes, with {shares} of the rows set aside, "
            f"{'; '.join(parts)} (mean over {datasets_word(self.n_datasets)})."
        )

    def _draw(self, ax: Axes) -> None:
        lines = {f"by {by}": values for by, values in self.accuracy.items()}
        _draw_lines(ax, [share * 100.0 for share in self.set_aside], lines)
        ax.set_xlabel("% of the rows set aside")
        ax.set_ylabel("accuracy of the others")


@dataclass(eq=False, kw_only=True)
class RivalsDisplay(Display):
    """Utility of other ways to make sets beside that of COMP-AODE*, on the same folds.

    Parameters
    ----------
    rivals : list of str
        The other ways.
    difference : dict of list of float
        By rival, the utility minus that of COMP-AODE*, for each data set.
    datasets : list of str
        The data sets.
    utility : {"u65", "u80"}
        The utility; rivals that can be made for one are made for this.
    reference : float
        Mean utility of COMP-AODE*.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "iris", "series": ["comp-aode*", "utility-optimal, aode"],
    ...     "judged_by": "u65", "utility": [0.75, 0.875],
    ... })
    >>> RivalsDisplay.from_table(table, utility="u65").difference
    {'utility-optimal, aode': [0.125]}
    """

    rivals: list[str]
    difference: dict[str, list[float]]
    datasets: list[str]
    utility: str
    reference: float

    @classmethod
    def from_table(cls, table: DataFrame, *, utility: str = "u65") -> RivalsDisplay:
        """Subtract the utility of COMP-AODE*.

        Parameters
        ----------
        table : DataFrame
            The study of rivals: a row for each data set, series and utility.
        utility : {"u65", "u80"}
            Which of the two.

        Returns
        -------
        RivalsDisplay
        """
        check_choice("utility", utility, ("u65", "u80"))
        table = _read(table, "rivals", ("judged_by",), ("utility",))
        if table.duplicated(["dataset", "series", "judged_by"]).any():
            raise ValueError("table must have one row for each data set, series and utility, has several.")
        wide = table[table["judged_by"] == utility].pivot(index="dataset", columns="series", values="utility")
        rivals = [name for name in table["series"].dropna().unique() if name != "comp-aode*" and name in wide]
        if "comp-aode*" not in wide or not rivals:
            raise NothingToShowError("table must have comp-aode* and a rival, lacks one of them.")
        return cls(
            rivals=rivals,
            difference={name: (wide[name] - wide["comp-aode*"]).tolist() for name in rivals},
            datasets=[str(name) for name in wide.index],
            utility=utility,
            reference=float(wide["comp-aode*"].mean()),
        )

    def _means(self) -> list[tuple[float, str]]:
        return sorted(((float(np.mean(self.difference[name])), name) for name in self.rivals), reverse=True)

    @property
    def caption(self) -> str:
        """Which rivals are above and which are not, on average."""
        means = self._means()

        def listed(some: list[tuple[float, str]]) -> str:
            return ", ".join(f"{_spelled(name, ' of ')} {mean:+.3f}" for mean, name in some)

        above = [one for one in means if one[0] > TIED]
        others = [one for one in means if one[0] <= TIED]
        sides = [f"above it: {listed(above)}"] * bool(above) + [f"not above: {listed(others)}"] * bool(others)
        return (
            f"COMP-AODE* has a mean {self.utility} of {self.reference:.3f} over "
            f"{datasets_word(len(self.datasets))}; {'; '.join(sides)}."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        """A row for each rival."""
        return 4.6, 0.95 + 0.3 * len(self.rivals)

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The data sets with their differences, a group for each row."""
        return {
            f"points-{row}": [
                f"{dataset}: {value:+.3f}"
                for dataset, value in zip(self.datasets, self.difference[name], strict=True)
            ]
            for row, (_, name) in enumerate(self._means())
        }

    def _draw(self, ax: Axes) -> None:
        means = self._means()
        draw_rows(ax, [_spelled(name) for _, name in means], length=32)
        ax.tick_params(axis="y", labelsize=9)
        ax.axvline(0.0, color=INK, linewidth=1.0, zorder=1)
        for row, (mean, name) in enumerate(means):
            values = np.asarray(self.difference[name])
            ax.scatter(values, np.full(len(values), row), s=12, c=MUTED, linewidths=0, gid=f"points-{row}")
            ax.scatter(
                [mean], [row], s=48, marker="D", c=side_colors(np.array([mean])), linewidths=0, zorder=4
            )
        # A few data sets far off shall not press all others into the line; the caption counts them in.
        spread = np.concatenate([np.asarray(values) for values in self.difference.values()])
        low, high = np.quantile(spread, [0.02, 0.98])
        margin = 0.1 * max(high - low, 0.01)
        ax.set_xlim(min(low, 0.0) - margin, max(high, 0.0) + margin)
        ax.set_xlabel(
            f"{self.utility} minus that of COMP-AODE*\nabove 0 is better\ndots: data sets; diamonds: means"
        )


def _spelled(rival: str, between: str = ", ") -> str:
    """Return the name of a rival as the paper would print it."""
    how, _, of = rival.partition(", ")
    return f"{how}{between}{label(of)}" if of else label(how)
