"""Studies beyond the paper: other ε, setting rows aside, rivals of COMP-AODE*, reliability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal.evaluation._registry import display_name
from skcredal.paper._displays.base import (
    FIRST,
    INK,
    MUTED,
    SECOND,
    TIED,
    Display,
    NothingToShowError,
    clean_axes,
    draw_rows,
    side_colors,
)
from skcredal.paper._summary import check_columns, check_table, datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame, Series

__all__ = ["EpsilonDisplay", "ReliabilityDisplay", "RivalsDisplay", "SetAsideDisplay"]

_MEASURES = {
    "determinacy": "determinacy",
    "set_accuracy": "accuracy of the sets of several classes",
    "u65": "u65",
    "u80": "u80",
}
# Colour, dashes and marker say the same, so that the lines also differ in black and white.
_LINES: tuple[dict[str, Any], ...] = (
    {"color": FIRST, "linestyle": "-", "marker": "o"},
    {"color": SECOND, "linestyle": "--", "marker": "s"},
    {"color": MUTED, "linestyle": ":", "marker": "^"},
    {"color": INK, "linestyle": "-.", "marker": "D"},
)

# Shares of fewer rows jump; they are in the means of the caption all the same.
_FEWEST_ROWS = 30


def _read_study(table: DataFrame, name: str, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return the table with its measures as floats; refuse an empty table and one of another study."""
    table = check_table("table", table, ("dataset", "series", *text), measures)
    if table.empty:
        raise NothingToShowError(f"table must have rows of the study {name}, is empty.")
    check_columns("table", table.columns, ("dataset", "series", *text, *measures), f"{name}.csv")
    return table


def _draw_lines(ax: Axes, x: Sequence[float], lines: dict[str, list[float]]) -> None:
    # No study has more than four series.
    for (name, values), style in zip(lines.items(), _LINES, strict=False):
        ax.plot(x, values, linewidth=1.6, markersize=4.0, label=name, **style)
    clean_axes(ax)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)


@dataclass(eq=False, kw_only=True)
class EpsilonDisplay(Display):
    """A measure of credal classifiers against ε, the mean over the data sets that have it.

    Where a data set allows only smaller ε, a value just below 1/(k+1) was used. A measure that no data set
    has is None: without sets of several classes, for example, they have no accuracy.
    """

    epsilon: list[float]
    values: dict[str, list[float | None]]
    n_datasets: dict[str, list[int]]
    measure: str

    @classmethod
    def from_table(cls, table: DataFrame, *, measure: str = "determinacy") -> EpsilonDisplay:
        table = _read_study(table, "epsilon", (), ("epsilon", measure))
        if table[measure].isna().all():
            raise NothingToShowError(f"table must have a data set with {measure}, has none.")
        groups = table.groupby(["epsilon", "series"])[measure]
        # Aligned on a common grid: a series without results for an ε has a gap there.
        means, counts = groups.mean().unstack(), groups.count().unstack(fill_value=0)
        series = table["series"].unique()
        return cls(
            epsilon=means.index.tolist(),
            values={name: [None if math.isnan(mean) else mean for mean in means[name]] for name in series},
            n_datasets={name: counts[name].tolist() for name in series},
            measure=measure,
        )

    @property
    def caption(self) -> str:
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

    def plot(self, ax: Axes) -> None:
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
    """Mean accuracy of the predictions that are kept when the least trusted ones are set aside."""

    set_aside: list[float]
    accuracy: dict[str, list[float]]
    n_datasets: int

    @classmethod
    def from_table(cls, table: DataFrame) -> SetAsideDisplay:
        table = _read_study(table, "set-aside", (), ("set_aside", "accuracy"))
        means = table.groupby(["set_aside", "series"])["accuracy"].mean().unstack()
        return cls(
            set_aside=means.index.tolist(),
            accuracy={by: means[by].tolist() for by in table["series"].unique()},
            n_datasets=int(table["dataset"].nunique()),
        )

    @property
    def caption(self) -> str:
        tenth, half = (self.set_aside.index(share) for share in (0.1, 0.5))
        parts = [
            f"{values[tenth]:.3f} and {values[half]:.3f} by {by}" for by, values in self.accuracy.items()
        ]
        start = next(iter(self.accuracy.values()))[0]
        found = {by: round(values[half], 3) for by, values in self.accuracy.items()}

        def finds(by: str) -> str:
            if found[by] == found["probability"]:
                return "about as many errors as"
            return "fewer errors than" if found[by] < found["probability"] else "more errors than"

        return (
            f"COMP-AODE's accuracy of {start:.3f} becomes, with 10 % and 50 % of the rows set aside, "
            f"{'; '.join(parts)} (mean over {datasets_word(self.n_datasets)}). With 50 % set aside, "
            f"robustness alone finds {finds('robustness')} probability; together they find "
            f"{finds('robustness, then probability')} probability alone."
        )

    def plot(self, ax: Axes) -> None:
        lines = {f"by {by}": values for by, values in self.accuracy.items()}
        _draw_lines(ax, [share * 100.0 for share in self.set_aside], lines)
        ax.set_xlabel("% of the rows set aside")
        ax.set_ylabel("accuracy on the others")


@dataclass(eq=False, kw_only=True)
class RivalsDisplay(Display):
    """Utility of other ways to make sets minus that of COMP-AODE*, on the same folds, by data set.

    Rivals that can be optimised for a utility are optimised for this one.
    """

    rivals: list[str]
    difference: dict[str, list[float]]
    datasets: list[str]
    utility: str
    reference: float

    @classmethod
    def from_table(cls, table: DataFrame, *, utility: str = "u65") -> RivalsDisplay:
        table = _read_study(table, "rivals", ("judged_by",), ("utility",))
        # One row per data set, so that differences are paired.
        wide = table[table["judged_by"] == utility].pivot(index="dataset", columns="series", values="utility")
        rivals = [name for name in table["series"].unique() if name != "comp-aode*" and name in wide]
        if "comp-aode*" not in wide or not rivals:
            raise NothingToShowError("table must have comp-aode* and at least one rival, lacks one of them.")
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
        return 4.6, 0.95 + 0.3 * len(self.rivals)

    @property
    def point_names(self) -> dict[str, list[str]]:
        return {
            f"points-{row}": [
                f"{dataset}: {value:+.3f}"
                for dataset, value in zip(self.datasets, self.difference[name], strict=True)
            ]
            for row, (_, name) in enumerate(self._means())
        }

    def plot(self, ax: Axes) -> None:
        means = self._means()
        draw_rows(ax, [_spelled(name) for _, name in means], length=32, labelsize=9)
        ax.axvline(0.0, color=INK, linewidth=1.0, zorder=1)
        for row, (mean, name) in enumerate(means):
            values = np.asarray(self.difference[name])
            ax.scatter(values, np.full(len(values), row), s=12, c=MUTED, linewidths=0, gid=f"points-{row}")
            ax.scatter(
                [mean], [row], s=48, marker="D", c=side_colors(np.array([mean])), linewidths=0, zorder=4
            )
        # A few outliers would squeeze all other points together; the means in the caption include them.
        spread = np.concatenate([np.asarray(values) for values in self.difference.values()])
        low, high = np.quantile(spread, [0.02, 0.98])
        margin = 0.1 * max(high - low, 0.01)
        ax.set_xlim(min(low, 0.0) - margin, max(high, 0.0) + margin)
        ax.set_xlabel(
            f"{self.utility} minus that of COMP-AODE*\nabove 0 is better\ndots: data sets; diamonds: means"
        )


@dataclass(eq=False, kw_only=True)
class ReliabilityDisplay(Display):
    """How often the most probable class is right against its probability, pooled over all data sets.

    For each classifier a point per bin of probabilities that has rows: their mean probability, the share of
    them that is right, and their number. With ``alike``, the rows of each data set have the weight 1 in all:
    otherwise a few large data sets decide.
    """

    probability: dict[str, list[float]]
    accuracy: dict[str, list[float]]
    rows: dict[str, list[int]]
    weight: dict[str, list[float]]
    n_datasets: int
    alike: bool

    @classmethod
    def from_table(cls, table: DataFrame, *, alike: bool = False) -> ReliabilityDisplay:
        table = _read_study(table, "reliability", (), ("at_most", "rows", "probability", "accuracy"))
        weight = table["rows"]
        if alike:
            weight = weight / table.groupby(["dataset", "series"])["rows"].transform("sum")
        # A bin without rows has no means, and adds nothing.
        sums = table.assign(
            weight=weight, probability=weight * table["probability"], accuracy=weight * table["accuracy"]
        )[table["rows"] > 0.0]
        pooled = sums.groupby(["series", "at_most"])[["rows", "weight", "probability", "accuracy"]].sum()

        def by_series(column: Series[Any]) -> dict[str, Any]:
            return {name: column.loc[name].tolist() for name in sums["series"].unique()}

        return cls(
            probability=by_series(pooled["probability"] / pooled["weight"]),
            accuracy=by_series(pooled["accuracy"] / pooled["weight"]),
            rows=by_series(pooled["rows"].astype(int)),
            weight=by_series(pooled["weight"]),
            n_datasets=int(table["dataset"].nunique()),
            alike=alike,
        )

    def calibration_error(self, name: str) -> float:
        """Return the mean distance of a classifier's points from the diagonal, by their weights."""
        distance = np.abs(np.subtract(self.probability[name], self.accuracy[name]))
        return float(np.average(distance, weights=self.weight[name]))

    def overconfidence(self, name: str) -> float:
        """Return by how much probabilities are too high on average; negative if they are too low."""
        excess = np.subtract(self.probability[name], self.accuracy[name])
        return float(np.average(excess, weights=self.weight[name]))

    @property
    def caption(self) -> str:
        parts = [
            f"{display_name(name)} {self.calibration_error(name):.3f} ({self.overconfidence(name):+.3f})"
            for name in self.rows
        ]
        n = max(sum(rows) for rows in self.rows.values())
        which = f"{datasets_word(self.n_datasets)}, " + (
            "each with the same weight" if self.alike else f"{n:,} test rows with the same weight"
        )
        return (
            "How far the probability of the most probable class is from how often it is right, on average "
            f"over {which} (and by how much it is too high): {', '.join(parts)}."
        )

    def plot(self, ax: Axes) -> None:
        ax.plot([0.0, 1.0], [0.0, 1.0], color=MUTED, linewidth=0.8, zorder=1)
        # The last first, as it is the one that the others are compared with.
        for name, style in zip(reversed(self.rows), _LINES, strict=False):
            enough = np.asarray(self.rows[name]) >= _FEWEST_ROWS
            ax.plot(
                np.asarray(self.probability[name])[enough],
                np.asarray(self.accuracy[name])[enough],
                linewidth=1.4,
                markersize=4.0,
                label=display_name(name),
                **style,
            )
        clean_axes(ax)
        ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower right")
        ax.set(xlim=(0.0, 1.02), ylim=(0.0, 1.02))
        ax.set_xlabel(f"probability of the most probable class\n(bins of at least {_FEWEST_ROWS} rows)")
        ax.set_ylabel("share of the rows where it is right")


def _spelled(rival: str, between: str = ", ") -> str:
    """Return the name of a rival as the paper would print it."""
    how, _, of = rival.partition(", ")
    return f"{how}{between}{display_name(of)}" if of else display_name(how)
