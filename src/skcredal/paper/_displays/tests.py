"""Statistical comparisons over data sets: critical differences and Bayesian signed-rank tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skcredal._extras import require
from skcredal._validation import check_choice, check_texts, safe_repr
from skcredal.evaluation._registry import display_name
from skcredal.paper._compare import bayesian_signed_rank, friedman_test, nemenyi_p_values
from skcredal.paper._displays.base import (
    FIRST,
    GRID,
    INK,
    SECOND,
    Display,
    NothingToShowError,
    draw_rows,
    read_values,
    with_accuracy,
)
from skcredal.paper._result_tables import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["BayesianDisplay", "CriticalDifferenceDisplay"]


@dataclass(eq=False, kw_only=True)
class CriticalDifferenceDisplay(Display):
    """Average ranks on a line; bars join classifiers that do not differ significantly (scikit-posthocs).

    Parameters
    ----------
    classifiers : list of str
        The classifiers.
    ranks : list of float
        Their average ranks, 1 for the best.
    p_values : list of list of float
        The p-value of Nemenyi's test for each pair.
    n_datasets : int
        Number of data sets on which all classifiers were run.
    measure : {"u65", "u80"}
        The measure to rank by; the utility of a determinate classifier is its accuracy.
    alpha : float
        The significance level.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris", "iris", "wine", "wine"],
    ...     "classifier": ["cdt", "comp-aode*"] * 2,
    ...     "accuracy": 0.9,
    ...     "u65": [0.91, 0.95, 0.96, 0.97],
    ... })
    >>> display = CriticalDifferenceDisplay.from_summary(summary)
    >>> display.classifiers, display.ranks
    (['cdt', 'comp-aode*'], [2.0, 1.0])
    """

    classifiers: list[str]
    ranks: list[float]
    p_values: list[list[float]]
    n_datasets: int
    measure: str
    alpha: float = 0.05

    @classmethod
    def from_summary(
        cls,
        summary: DataFrame,
        *,
        classifiers: Sequence[str] | None = None,
        measure: str = "u65",
        alpha: float = 0.05,
    ) -> CriticalDifferenceDisplay:
        """Rank the classifiers of a summary on the data sets on which all of them were run.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        classifiers : sequence of str, optional
            At least two classifiers; by default all in the summary.
        measure : {"u65", "u80"}, default="u65"
            The measure to rank by; for determinate classifiers, the accuracy.
        alpha : float, default=0.05
            The level of Nemenyi's test.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        check_choice("measure", measure, ("u65", "u80"))
        summary = with_accuracy(summary, measure)
        names = check_texts("classifiers", summary["classifier"] if classifiers is None else classifiers)
        if len(names) < 2:
            # Not a plain ValueError: a report on one classifier just leaves this figure out.
            raise NothingToShowError(f"classifiers must name at least two, got {safe_repr(names)}.")
        # Nemenyi's test needs the ranks of all classifiers on the same data sets.
        datasets, values, _ = read_values(summary, [(name, measure) for name in names])
        ranks = friedman_test(np.column_stack(values)).average_ranks
        return cls(
            classifiers=names,
            ranks=list(ranks),
            p_values=nemenyi_p_values(ranks, len(datasets)).tolist(),
            n_datasets=len(datasets),
            measure=measure,
            alpha=alpha,
        )

    @property
    def caption(self) -> str:
        """Which classifier ranks best, and which do not differ from it."""
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
        """Wide enough for names on both sides."""
        return 6.0, 0.9 + 0.14 * len(self.classifiers)

    def _draw(self, ax: Axes) -> None:
        posthocs = require("scikit_posthocs", extra="paper", purpose="A critical-difference diagram")
        pandas = require("pandas", extra="paper", purpose="A critical-difference diagram")
        names = [display_name(name) for name in self.classifiers]
        posthocs.critical_difference_diagram(
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
        ax.tick_params(colors=INK, labelsize=9)


@dataclass(eq=False, kw_only=True)
class BayesianDisplay(Display):
    """The probability that one classifier is practically better than another (Bayesian signed-rank test).

    Parameters
    ----------
    pairs : list of (str, str)
        The classifiers to compare.
    left, rope, right : list of float
        Probability that the first is higher by more than the region of practical equivalence, that the two
        are practically equal, and that the second is higher.
    n_datasets : list of int
        Number of data sets with both.
    measure : str
        The measure to compare; the utility of a determinate classifier is its accuracy.
    width : float
        Smaller differences count as none.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": [name for name in "abcdefgh" for _ in range(2)],
    ...     "classifier": ["aode", "tan"] * 8,
    ...     "accuracy": [0.9, 0.7] * 8,
    ... })
    >>> display = BayesianDisplay.from_summary(summary, pairs=[("aode", "tan")], measure="accuracy")
    >>> display.left[0] > 0.99
    True
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
        cls,
        summary: DataFrame,
        *,
        pairs: Sequence[tuple[str, str]],
        measure: str = "u65",
        rope: float = 0.01,
        seed: int = 0,
    ) -> BayesianDisplay:
        """Compare pairs of classifiers in a summary; pairs that are not in it are left out.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        pairs : sequence of (str, str)
            The pairs to compare.
        measure : {"accuracy", "u65", "u80"}, default="u65"
            The measure to compare; for determinate classifiers, the accuracy.
        rope : float, default=0.01
            Smaller differences count as practical equality.
        seed : int, default=0
            Random seed of the samples from the posterior.

        Returns
        -------
        BayesianDisplay
        """
        check_choice("measure", measure, ("accuracy", "u65", "u80"))
        summary = with_accuracy(summary, measure)
        available = set(summary["classifier"])
        kept = [(a, b) for a, b in pairs if a in available and b in available]
        if not kept:
            raise NothingToShowError("summary must have both classifiers of at least one pair, has none.")
        found = []
        for a, b in kept:
            _, (first, second), _ = read_values(summary, [(a, measure), (b, measure)])
            # The same seed for every pair, so that a figure does not depend on which pairs are in it.
            found.append(bayesian_signed_rank(first, second, rope=rope, seed=seed))
        return cls(
            pairs=kept,
            left=[one.left for one in found],
            rope=[one.rope for one in found],
            right=[one.right for one in found],
            n_datasets=[one.n for one in found],
            measure=measure,
            width=rope,
        )

    @property
    def caption(self) -> str:
        """The pairs that are decided with a probability of at least 95 %."""
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
        """A row for each pair."""
        return 4.8, 1.15 + 0.3 * len(self.pairs)

    def _draw(self, ax: Axes) -> None:
        draw_rows(ax, [f"{display_name(a)} – {display_name(b)}" for a, b in self.pairs], length=32)
        ax.tick_params(axis="y", labelsize=9)
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
