"""Scatter plots with the diagonal: two classifiers, or two kinds of instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skcredal._arrays import BoolArray
from skcredal.evaluation._registry import display_name
from skcredal.paper._displays.base import (
    MUTED,
    TIED,
    Display,
    clean_axes,
    read_values,
    side_colors,
)
from skcredal.paper._result_tables import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["AccuracyScatterDisplay", "SafeDependentDisplay"]

# With fewer prior-dependent instances, an accuracy on them is little more than an anecdote.
_FEW = 30


@dataclass(eq=False, kw_only=True)
class AccuracyScatterDisplay(Display):
    """Accuracy of two classifiers, one point per data set, with the diagonal.

    Parameters
    ----------
    datasets : list of str
        The data sets on which both classifiers were run.
    x, y : list of float
        Their accuracies.
    x_classifier, y_classifier : str
        The classifiers on the horizontal and the vertical axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris", "iris", "wine", "wine"],
    ...     "classifier": ["aode", "bma-aode"] * 2,
    ...     "accuracy": [0.94, 0.92, 0.97, 0.98],
    ... })
    >>> display = AccuracyScatterDisplay.from_summary(summary, x="bma-aode", y="aode")
    >>> display.datasets, display.y
    (['iris', 'wine'], [0.94, 0.97])
    >>> display.caption
    'AODE has the higher accuracy on 1 of 2 data sets, BMA-AODE on 1.'
    """

    datasets: list[str]
    x: list[float]
    y: list[float]
    x_classifier: str
    y_classifier: str

    @classmethod
    def from_summary(
        cls, summary: DataFrame, *, x: str = "comp-aode", y: str = "aode"
    ) -> AccuracyScatterDisplay:
        """Read the accuracies from a summary.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        x, y : str
            The classifiers on the axes.

        Returns
        -------
        AccuracyScatterDisplay
        """
        datasets, (of_x, of_y), _ = read_values(summary, [(x, "accuracy"), (y, "accuracy")])
        return cls(datasets=datasets, x=of_x.tolist(), y=of_y.tolist(), x_classifier=x, y_classifier=y)

    @property
    def caption(self) -> str:
        """How often each classifier has the higher accuracy."""
        difference = np.subtract(self.y, self.x)
        ranked = sorted(
            [
                (int((difference > TIED).sum()), display_name(self.y_classifier)),
                (int((difference < -TIED).sum()), display_name(self.x_classifier)),
            ],
            key=lambda pair: -pair[0],
        )
        (most, leader), (fewer, other) = ranked
        n = len(difference)
        ties = n - most - fewer
        equal = f", and both are equal on {ties}" if ties else ""
        return f"{leader} has the higher accuracy on {datasets_word(most, n)}, {other} on {fewer}{equal}."

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The data sets with their accuracies."""
        return {"points": _pairs(self.datasets, self.x, self.y)}

    def _draw(self, ax: Axes) -> None:
        x_name, y_name = display_name(self.x_classifier), display_name(self.y_classifier)
        _draw_with_diagonal(ax, self.x, self.y)
        _name_side(ax, f"{y_name} is better")
        ax.set_xlabel(f"Accuracy of {x_name}")
        ax.set_ylabel(f"Accuracy of {y_name}")


@dataclass(eq=False, kw_only=True)
class SafeDependentDisplay(Display):
    """Accuracy of a determinate classifier where its credal counterpart is sure, against where it is not.

    Points above the diagonal are more accurate on the safe instances than on the prior-dependent ones. Hollow
    points have fewer than 30 prior-dependent instances.

    Parameters
    ----------
    datasets : list of str
        The data sets that have both safe and prior-dependent instances.
    safe, dependent : list of float
        The accuracies on them.
    n_dependent : list of float
        Number of prior-dependent instances.
    classifier : str
        The credal classifier that judges the instances.
    n_left_out : int
        Number of data sets with only one kind of instances.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris", "wine"],
    ...     "classifier": "comp-aode*",
    ...     "accuracy_safe": [0.94, 0.98],
    ...     "accuracy_dependent": [0.5, float("nan")],
    ...     "n_indeterminate": [12, 0],
    ... })
    >>> display = SafeDependentDisplay.from_summary(summary, classifier="comp-aode*")
    >>> display.datasets, display.safe, display.dependent, display.n_left_out
    (['iris'], [0.94], [0.5], 1)
    """

    datasets: list[str]
    safe: list[float]
    dependent: list[float]
    n_dependent: list[float]
    classifier: str
    n_left_out: int = 0

    @classmethod
    def from_summary(cls, summary: DataFrame, *, classifier: str = "comp-aode*") -> SafeDependentDisplay:
        """Read the accuracies on both kinds of instances from a summary.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        classifier : str
            The credal classifier that judges the instances.

        Returns
        -------
        SafeDependentDisplay
        """
        columns = ("accuracy_safe", "accuracy_dependent", "n_indeterminate")
        datasets, values, n_left_out = read_values(summary, [(classifier, column) for column in columns])
        safe, dependent, n_dependent = (array.tolist() for array in values)
        return cls(
            datasets=datasets,
            safe=safe,
            dependent=dependent,
            n_dependent=n_dependent,
            classifier=classifier,
            n_left_out=n_left_out,
        )

    @property
    def caption(self) -> str:
        """How often, and by how much, the accuracy is lower on the prior-dependent instances."""
        n = len(self.datasets)
        higher = int((np.subtract(self.safe, self.dependent) > TIED).sum())
        safe, dependent = 100.0 * np.mean(self.safe), 100.0 * np.mean(self.dependent)
        rest = f"; {datasets_word(self.n_left_out)} without both kinds left out" if self.n_left_out else ""
        return (
            f"{display_name(self.classifier.removesuffix('*'))} is more accurate on the safe than on the "
            f"prior-dependent instances on {datasets_word(higher, n)}, {safe:.0f} % against "
            f"{dependent:.0f} % on average{rest}."
        )

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The data sets with both accuracies and the number of prior-dependent instances."""
        pairs = _pairs(self.datasets, self.dependent, self.safe)
        return {
            "points": [
                f"{pair}; {n:.0f} prior-dependent" for pair, n in zip(pairs, self.n_dependent, strict=True)
            ]
        }

    def _draw(self, ax: Axes) -> None:
        few = np.asarray(self.n_dependent) < _FEW
        _draw_with_diagonal(ax, self.dependent, self.safe, hollow=few)
        _name_side(ax, "better on the safe instances")
        name = display_name(self.classifier.removesuffix("*"))
        note = f"\nhollow: fewer than {_FEW} instances" if few.any() else ""
        ax.set_xlabel(f"Accuracy of {name}, prior-dependent instances{note}")
        ax.set_ylabel(f"Accuracy of {name}, safe instances")


def _pairs(datasets: Sequence[str], x: Sequence[float], y: Sequence[float]) -> list[str]:
    return [f"{name}: {a:.3f}, {b:.3f}" for name, a, b in zip(datasets, x, y, strict=True)]


def _draw_with_diagonal(
    ax: Axes, x: Sequence[float], y: Sequence[float], *, hollow: BoolArray | None = None
) -> None:
    clean_axes(ax, grid="both")
    # Both axes have the same range, so that equality is the diagonal.
    lowest = min(*x, *y)
    # Round ticks, and at most six of them.
    step = 0.1 if lowest >= 0.5 else 0.2
    n_steps = min(5, math.ceil((1.0 - lowest) / step))
    low = 1.0 - n_steps * step
    # A margin, so that points at the edge are not cut in half.
    ax.set_xlim(low - 0.02, 1.02)
    ax.set_ylim(low - 0.02, 1.02)
    ax.set_aspect("equal")
    ticks = np.linspace(low, 1.0, n_steps + 1)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    ax.plot([low - 0.02, 1.02], [low - 0.02, 1.02], color=MUTED, linewidth=1.0, zorder=1)
    colors = np.asarray(side_colors(np.subtract(y, x)))
    faces = colors if hollow is None else np.where(hollow, "none", colors)
    ax.scatter(
        x,
        y,
        s=26,
        facecolors=faces.tolist(),
        edgecolors=colors.tolist(),
        linewidths=1.0,
        zorder=3,
        gid="points",
    )


def _name_side(ax: Axes, above: str) -> None:
    # Outside of the axes, because the points may be anywhere inside.
    ax.text(0.0, 1.015, f"above the line: {above}", transform=ax.transAxes, color=MUTED, fontsize=8)
