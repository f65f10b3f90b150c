"""Rivals of COMP-AODE*: conformal sets, the reject option and utility-optimal sets, by data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skcredal._validation import check_choice
from skcredal.evaluation._registry import display_name
from skcredal.paper._displays.base import (
    INK,
    MUTED,
    TIED,
    Display,
    NothingToShowError,
    draw_rows,
    side_colors,
)
from skcredal.paper._displays.studies import read_study
from skcredal.paper._result_tables import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["RivalsDisplay"]


@dataclass(eq=False, kw_only=True)
class RivalsDisplay(Display):
    """Utility of other ways to make sets, compared with COMP-AODE* on the same folds.

    Parameters
    ----------
    rivals : list of str
        Names of the rivals.
    difference : dict of list of float
        By rival, its utility minus that of COMP-AODE*, for each data set.
    datasets : list of str
        The data sets.
    utility : {"u65", "u80"}
        The utility; rivals that can be optimised for a utility are optimised for this one.
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
            The table of the study: a row for each data set, series and utility.
        utility : {"u65", "u80"}
            Which of the two.

        Returns
        -------
        RivalsDisplay
        """
        check_choice("utility", utility, ("u65", "u80"))
        table = read_study(table, "rivals", ("judged_by",), ("utility",))
        if table.duplicated(["dataset", "series", "judged_by"]).any():
            raise ValueError("table must have one row for each data set, series and utility, has several.")
        # One row per data set, so that differences are paired.
        wide = table[table["judged_by"] == utility].pivot(index="dataset", columns="series", values="utility")
        rivals = [name for name in table["series"].dropna().unique() if name != "comp-aode*" and name in wide]
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
        """Which rivals are better on average, and which are not."""
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
        """The data sets with their differences, one group per row."""
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
        # A few outliers would squeeze all other points together; the means in the caption include them.
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
    return f"{how}{between}{display_name(of)}" if of else display_name(how)
