"""Statistical comparisons over data sets: average ranks, critical differences, Bayesian signed-rank tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skcredal._extras import require
from skcredal.evaluation._registry import display_name
from skcredal.paper._compare import (
    bayesian_signed_rank,
    friedman_test,
    nemenyi_critical_distance,
    nemenyi_p_values,
)
from skcredal.paper._displays.base import (
    FIRST,
    GRID,
    INK,
    MUTED,
    SECOND,
    Display,
    NothingToShowError,
    draw_rows,
    read_utilities,
)
from skcredal.paper._summary import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["BayesianDisplay", "CriticalDifferenceDisplay", "RanksDisplay"]

_ALPHA = 0.05


@dataclass(eq=False, kw_only=True)
class RanksDisplay(Display):
    """Average ranks of classifiers over data sets, with bars of the Nemenyi critical distance.

    Two classifiers differ significantly if their bars do not overlap.
    """

    classifiers: list[str]
    ranks: list[float]
    critical_distance: float
    n_datasets: int
    measure: str
    alpha: float = _ALPHA

    @classmethod
    def from_summary(
        cls,
        summary: DataFrame,
        *,
        classifiers: Sequence[str] = ("cdt", "cma", "comp-aode*"),
        measure: str = "u65",
    ) -> RanksDisplay:
        ranks, n_datasets = _average_ranks(summary, classifiers, measure)
        return cls(
            classifiers=list(classifiers),
            ranks=ranks,
            critical_distance=nemenyi_critical_distance(len(classifiers), n_datasets, _ALPHA),
            n_datasets=n_datasets,
            measure=measure,
        )

    @property
    def caption(self) -> str:
        # Stable, so that equal ranks keep the given order.
        order = np.argsort(self.ranks, kind="stable")
        best = min(self.ranks)
        leaders = [display_name(self.classifiers[i]) for i in order if self.ranks[i] == best]
        worse = [
            display_name(self.classifiers[i]) for i in order if self.ranks[i] - best >= self.critical_distance
        ]
        if worse:
            verdict = f"significantly better than {_listed(worse)}"
        else:
            verdict = "not significantly better than any other"
        have = "have" if len(leaders) > 1 else "has"
        return (
            f"{_listed(leaders)} {have} the best average rank under {self.measure}, {best:.2f} over "
            f"{datasets_word(self.n_datasets)}, {verdict} (critical distance {self.critical_distance:.2f} "
            f"at {(1.0 - self.alpha) * 100.0:g} %)."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        return 4.2, 0.95 + 0.27 * len(self.classifiers)

    def plot(self, ax: Axes) -> None:
        order = np.argsort(self.ranks, kind="stable")
        ranks = np.asarray(self.ranks)[order]
        draw_rows(ax, [display_name(self.classifiers[i]) for i in order], labelsize=9)
        rows = np.arange(len(order))
        # Bars of half the distance to each side overlap exactly if two ranks are closer than the distance.
        half = self.critical_distance / 2.0
        ax.errorbar(
            ranks,
            rows,
            xerr=half,
            fmt="none",
            ecolor=MUTED,
            elinewidth=1.6,
            capsize=3,
            capthick=1.6,
            zorder=2,
        )
        ax.scatter(ranks, rows, s=36, c=FIRST, linewidths=0, zorder=3, gid="points")
        for rank, row in zip(ranks, rows, strict=True):
            ax.annotate(
                f"{rank:.2f}",
                (rank, row),
                xytext=(0, 4),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=8,
                color=INK,
            )
        ax.set_xlim(min(1.0, ranks.min() - half) - 0.1, max(len(order), ranks.max() + half) + 0.1)
        # Room for the number above the first row.
        ax.set_ylim(len(order) - 0.5, -0.8)
        ax.set_xticks(range(1, len(order) + 1))
        ax.set_xlabel(
            f"average rank under {self.measure}, 1 is best\n"
            f"bars that do not overlap differ at {(1.0 - self.alpha) * 100.0:g} %"
        )


@dataclass(eq=False, kw_only=True)
class CriticalDifferenceDisplay(Display):
    """Average ranks on a line; bars join classifiers that do not differ significantly (scikit-posthocs)."""

    classifiers: list[str]
    ranks: list[float]
    p_values: list[list[float]]
    n_datasets: int
    measure: str
    alpha: float = _ALPHA

    @classmethod
    def from_summary(cls, summary: DataFrame, *, measure: str = "u65") -> CriticalDifferenceDisplay:
        classifiers = [str(name) for name in summary["classifier"].unique()]
        ranks, n_datasets = _average_ranks(summary, classifiers, measure)
        return cls(
            classifiers=classifiers,
            ranks=ranks,
            p_values=nemenyi_p_values(ranks, n_datasets).tolist(),
            n_datasets=n_datasets,
            measure=measure,
        )

    @property
    def caption(self) -> str:
        best = int(np.argmin(self.ranks))
        alike = [
            display_name(self.classifiers[i])
            for i in np.argsort(self.ranks, kind="stable")
            if i != best and self.p_values[best][i] > self.alpha
        ]
        rest = (
            f"does not differ significantly from {', '.join(alike)}" if alike else "differs from all others"
        )
        return (
            f"Under {self.measure} over {datasets_word(self.n_datasets)}, "
            f"{display_name(self.classifiers[best])} "
            f"ranks best ({self.ranks[best]:.2f}) and {rest} (Nemenyi, {self.alpha:g})."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        # Wide enough for names on both sides.
        return 6.0, 0.9 + 0.14 * len(self.classifiers)

    def plot(self, ax: Axes) -> None:
        posthocs = require("scikit_posthocs", extra="paper", purpose="A critical-difference diagram")
        pandas = require("pandas", extra="paper", purpose="A critical-difference diagram")
        names = [display_name(name) for name in self.classifiers]
        drawn = posthocs.critical_difference_diagram(
            pandas.Series(self.ranks, index=names),
            pandas.DataFrame(self.p_values, index=names, columns=names),
            alpha=self.alpha,
            ax=ax,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
            label_props={"fontsize": 9},
            marker_props={"color": FIRST, "s": 18},
            elbow_props={"color": INK, "linewidth": 0.7},  # also the colour of the names
            crossbar_props={"color": INK, "linewidth": 2.0, "marker": None},
        )
        # The corners of a bar come in the order of a set of names, which differs in every process.
        for line in (line for bar in drawn["crossbars"] for line in bar):
            line.set_xdata(sorted(line.get_xdata()))
        ax.spines["top"].set_color(INK)
        ax.tick_params(colors=INK, labelsize=9)


@dataclass(eq=False, kw_only=True)
class BayesianDisplay(Display):
    """The probability that one classifier is practically better than another (Bayesian signed-rank test).

    For each pair: the first is better (``left``), both are equal up to ``width`` (``rope``), or the second is
    better (``right``).
    """

    pairs: list[tuple[str, str]]
    left: list[float]
    rope: list[float]
    right: list[float]
    n_datasets: list[int]
    measure: str
    width: float = 0.01

    @classmethod
    def from_summary(
        cls, summary: DataFrame, *, pairs: Sequence[tuple[str, str]], measure: str = "u65"
    ) -> BayesianDisplay:
        """Compare pairs of classifiers; pairs that are not in the summary are left out."""
        available = set(summary["classifier"])
        kept = [(a, b) for a, b in pairs if a in available and b in available]
        if not kept:
            raise NothingToShowError("summary must have both classifiers of at least one pair, has none.")
        found, n_datasets = [], []
        for pair in kept:
            _, (first, second) = read_utilities(summary, pair, measure)
            found.append(bayesian_signed_rank(first, second, rope=cls.width))
            n_datasets.append(len(first))
        return cls(
            pairs=kept,
            left=[one.left for one in found],
            rope=[one.rope for one in found],
            right=[one.right for one in found],
            n_datasets=n_datasets,
            measure=measure,
        )

    @property
    def caption(self) -> str:
        parts = []
        for (a, b), *probabilities in zip(self.pairs, self.left, self.rope, self.right, strict=True):
            statements = (
                f"{display_name(a)} is better than {display_name(b)}",
                f"{display_name(a)} and {display_name(b)} are equivalent",
                f"{display_name(b)} is better than {display_name(a)}",
            )
            most = int(np.argmax(probabilities))
            # The usual threshold for a decision by this test.
            if probabilities[most] >= 0.95:
                parts.append(f"{statements[most]} ({probabilities[most]:.2f})")
        verdict = "; ".join(parts) if parts else "no pair is decided"
        return (
            f"With a probability of at least 0.95 under {self.measure}, if differences up to {self.width:g} "
            f"count as none: {verdict}."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        return 4.8, 1.15 + 0.3 * len(self.pairs)

    def plot(self, ax: Axes) -> None:
        names = [f"{display_name(a)} – {display_name(b)}" for a, b in self.pairs]
        draw_rows(ax, names, length=32, labelsize=9)
        rows, start = np.arange(len(self.pairs)), np.zeros(len(self.pairs))
        parts = (
            ("first better", self.left, FIRST),
            ("equivalent", self.rope, GRID),
            ("second better", self.right, SECOND),
        )
        for name, values, color in parts:
            ax.barh(rows, values, left=start, height=0.6, color=color, label=name, zorder=2)
            start = start + np.asarray(values)
        ax.set_xlim(0.0, 1.0)
        ax.set_xlabel(f"probability, by {self.measure}")
        ax.legend(
            loc="lower right", bbox_to_anchor=(1.05, 1.0), ncols=3, frameon=False, fontsize=8, labelcolor=INK
        )


def _average_ranks(summary: DataFrame, classifiers: Sequence[str], measure: str) -> tuple[list[float], int]:
    """Return the average ranks over the data sets on which all classifiers were run, and their number."""
    datasets, values = read_utilities(summary, classifiers, measure)
    return list(friedman_test(np.column_stack(values)).average_ranks), len(datasets)


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
