"""Average ranks of classifiers, with the critical distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skcredal._validation import check_choice, check_texts, safe_repr
from skcredal.evaluation._registry import display_name
from skcredal.paper._compare import friedman_test, nemenyi_critical_distance
from skcredal.paper._displays.base import (
    FIRST,
    INK,
    MUTED,
    Display,
    draw_rows,
    read_values,
    with_accuracy,
)
from skcredal.paper._result_tables import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["RanksDisplay"]


@dataclass(eq=False, kw_only=True)
class RanksDisplay(Display):
    """Average ranks of classifiers over data sets, with bars of the Nemenyi critical distance.

    Two classifiers differ significantly if their bars do not overlap.

    Parameters
    ----------
    classifiers : list of str
        The classifiers.
    ranks : list of float
        Their average ranks, 1 for the best; equal values share the average of their ranks.
    critical_distance : float
        How far apart two average ranks must be to differ significantly.
    n_datasets : int
        Number of data sets on which all classifiers were run.
    measure : {"u65", "u80"}
        The measure to rank by; the utility of a determinate classifier is its accuracy.
    alpha : float
        The significance level of the critical distance.
    n_left_out : int
        Number of data sets on which some classifier was not run.

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
    ...     "u65": [0.91, 0.95, 0.97, 0.97],
    ... })
    >>> display = RanksDisplay.from_summary(summary, classifiers=["cdt", "comp-aode*"], measure="u65")
    >>> display.ranks, round(display.critical_distance, 3)
    ([1.75, 1.25], 1.386)
    """

    classifiers: list[str]
    ranks: list[float]
    critical_distance: float
    n_datasets: int
    measure: str
    alpha: float = 0.05
    n_left_out: int = 0

    @classmethod
    def from_summary(
        cls,
        summary: DataFrame,
        *,
        classifiers: Sequence[str] = ("cdt", "cma", "comp-aode*"),
        measure: str = "u65",
        alpha: float = 0.05,
    ) -> RanksDisplay:
        """Rank the classifiers of a summary on the data sets on which all of them were run.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        classifiers : sequence of str
            At least two classifiers.
        measure : {"u65", "u80"}, default="u65"
            The measure to rank by; for determinate classifiers, the accuracy.
        alpha : float, default=0.05
            The significance level of the critical distance.

        Returns
        -------
        RanksDisplay
        """
        check_choice("measure", measure, ("u65", "u80"))
        names = check_texts("classifiers", classifiers)
        if len(names) < 2:
            raise ValueError(f"classifiers must name at least two, got {safe_repr(names)}.")
        wanted = [(name, measure) for name in names]
        datasets, values, n_left_out = read_values(with_accuracy(summary, measure), wanted)
        n = len(datasets)
        return cls(
            classifiers=names,
            ranks=list(friedman_test(np.column_stack(values)).average_ranks),
            critical_distance=nemenyi_critical_distance(len(names), n, alpha),
            n_datasets=n,
            measure=measure,
            alpha=alpha,
            n_left_out=n_left_out,
        )

    @property
    def caption(self) -> str:
        """Who ranks best, and who is significantly worse."""
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
        """A row for each classifier."""
        return 4.2, 0.95 + 0.27 * len(self.classifiers)

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(self.ranks, kind="stable")
        ranks = np.asarray(self.ranks)[order]
        draw_rows(ax, [display_name(self.classifiers[i]) for i in order])
        ax.tick_params(axis="y", labelsize=9)
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


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
