"""Two classifiers, or two kinds of instances, compared by data set: ratios next to 1, and scatter plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray
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
    read_values,
    side_colors,
)
from skcredal.paper._summary import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = [
    "AccuracyScatterDisplay",
    "RelativeBrierDisplay",
    "RelativeUtilityDisplay",
    "SafeDependentDisplay",
]

# With fewer prior-dependent instances, an accuracy on them is little more than an anecdote.
_FEW = 30


@dataclass(eq=False, kw_only=True)
class AccuracyScatterDisplay(Display):
    """Accuracy of a classifier against that of AODE, one point per data set, with the diagonal."""

    datasets: list[str]
    x: list[float]
    y: list[float]
    classifier: str

    @classmethod
    def from_summary(cls, summary: DataFrame, *, classifier: str) -> AccuracyScatterDisplay:
        datasets, (x, y) = read_values(summary, [(classifier, "accuracy"), ("aode", "accuracy")])
        return cls(datasets=datasets, x=x.tolist(), y=y.tolist(), classifier=classifier)

    @property
    def caption(self) -> str:
        difference = np.subtract(self.y, self.x)
        n = len(difference)
        counts = [
            (int((difference > TIED).sum()), "AODE"),
            (int((difference < -TIED).sum()), display_name(self.classifier)),
        ]
        (most, leader), (fewer, other) = sorted(counts, key=lambda pair: -pair[0])
        ties = n - most - fewer
        equal = f", and both are equal on {ties}" if ties else ""
        return f"{leader} has the higher accuracy on {datasets_word(most, n)}, {other} on {fewer}{equal}."

    @property
    def point_names(self) -> dict[str, list[str]]:
        return {"points": _name_pairs(self.datasets, self.x, self.y)}

    def plot(self, ax: Axes) -> None:
        _draw_with_diagonal(ax, self.x, self.y, above="AODE is better")
        ax.set_xlabel(f"Accuracy of {display_name(self.classifier)}")
        ax.set_ylabel("Accuracy of AODE")


@dataclass(eq=False, kw_only=True)
class SafeDependentDisplay(Display):
    """Accuracy of a determinate classifier where its credal counterpart is sure, against where it is not.

    Points above the diagonal are more accurate on the safe instances than on the prior-dependent ones. Hollow
    points have fewer than 30 prior-dependent instances. Data sets with only one kind are left out.
    """

    datasets: list[str]
    safe: list[float]
    dependent: list[float]
    n_dependent: list[float]
    classifier: str
    n_left_out: int

    @classmethod
    def from_summary(cls, summary: DataFrame, *, classifier: str) -> SafeDependentDisplay:
        columns = ("accuracy_safe", "accuracy_dependent", "n_indeterminate")
        datasets, (safe, dependent, n) = read_values(summary, [(classifier, column) for column in columns])
        return cls(
            datasets=datasets,
            safe=safe.tolist(),
            dependent=dependent.tolist(),
            n_dependent=n.tolist(),
            classifier=classifier,
            n_left_out=summary["dataset"].nunique() - len(datasets),
        )

    @property
    def caption(self) -> str:
        higher = int((np.subtract(self.safe, self.dependent) > TIED).sum())
        safe, dependent = 100.0 * np.mean(self.safe), 100.0 * np.mean(self.dependent)
        rest = f"; {datasets_word(self.n_left_out)} without both kinds left out" if self.n_left_out else ""
        return (
            f"{display_name(self.classifier.removesuffix('*'))} is more accurate on the safe than on the "
            f"prior-dependent instances on {datasets_word(higher, len(self.datasets))}, {safe:.0f} % against "
            f"{dependent:.0f} % on average{rest}."
        )

    @property
    def point_names(self) -> dict[str, list[str]]:
        pairs = _name_pairs(self.datasets, self.dependent, self.safe)
        return {
            "points": [
                f"{pair}; {n:.0f} prior-dependent" for pair, n in zip(pairs, self.n_dependent, strict=True)
            ]
        }

    def plot(self, ax: Axes) -> None:
        few = np.asarray(self.n_dependent) < _FEW
        _draw_with_diagonal(ax, self.dependent, self.safe, above="better on the safe instances", hollow=few)
        name = display_name(self.classifier.removesuffix("*"))
        note = f"\nhollow: fewer than {_FEW} instances" if few.any() else ""
        ax.set_xlabel(f"Accuracy of {name}, prior-dependent instances{note}")
        ax.set_ylabel(f"Accuracy of {name}, safe instances")


@dataclass(eq=False, kw_only=True)
class RelativeBrierDisplay(Display):
    """Brier loss of a classifier relative to that of AODE, by data set; below 1, the classifier is better."""

    datasets: list[str]
    ratio: list[float]
    classifier: str

    @classmethod
    def from_summary(cls, summary: DataFrame, *, classifier: str) -> RelativeBrierDisplay:
        datasets, (loss, of_aode) = read_values(summary, [(classifier, "brier"), ("aode", "brier")])
        datasets, (ratio,) = _divide(datasets, [loss], of_aode, what="Brier loss of aode")
        return cls(datasets=datasets, ratio=ratio.tolist(), classifier=classifier)

    @property
    def caption(self) -> str:
        lower = int((np.subtract(1.0, self.ratio) > TIED).sum())
        mean = float(np.mean(self.ratio)) - 1.0
        return (
            f"{display_name(self.classifier)} has the lower Brier loss on "
            f"{datasets_word(lower, len(self.ratio))}; "
            f"on average its loss is {abs(mean) * 100.0:.1f} % {'below' if mean < 0.0 else 'above'} AODE's."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        return 4.2, _rows_height(len(self.datasets))

    @property
    def point_names(self) -> dict[str, list[str]]:
        return {"points": [f"{self.datasets[i]}: {self.ratio[i]:.3f}" for i in np.argsort(self.ratio)]}

    def plot(self, ax: Axes) -> None:
        order = np.argsort(self.ratio)
        ratio = np.asarray(self.ratio)[order]
        draw_rows(ax, [self.datasets[i] for i in order])
        _draw_line_at_one(ax, self.ratio)
        rows = np.arange(len(order))
        ax.hlines(rows, np.minimum(ratio, 1.0), np.maximum(ratio, 1.0), color=MUTED, linewidth=0.8, zorder=2)
        colors = side_colors(1.0 - ratio)
        ax.scatter(ratio, rows, s=24, c=colors, linewidths=0, zorder=3, gid="points")
        ax.set_xlabel(f"Brier loss, {display_name(self.classifier)} / AODE\nbelow 1 is better")


@dataclass(eq=False, kw_only=True)
class RelativeUtilityDisplay(Display):
    """Utilities of a credal classifier relative to the accuracy of its determinate counterpart, by data set.

    Accuracy is the utility of a determinate classifier: above 1, sets are worth more than single classes.
    """

    datasets: list[str]
    u65: list[float]
    u80: list[float]
    classifier: str
    counterpart: str

    @classmethod
    def from_summary(cls, summary: DataFrame, *, classifier: str) -> RelativeUtilityDisplay:
        counterpart = classifier.removesuffix("*")
        wanted = [(classifier, "u65"), (classifier, "u80"), (counterpart, "accuracy")]
        datasets, (*utilities, accuracy) = read_values(summary, wanted)
        datasets, (u65, u80) = _divide(datasets, utilities, accuracy, what=f"accuracy of {counterpart}")
        return cls(
            datasets=datasets,
            u65=u65.tolist(),
            u80=u80.tolist(),
            classifier=classifier,
            counterpart=counterpart,
        )

    @property
    def caption(self) -> str:
        # Ties up to rounding are neither above nor below.
        above = [int((np.subtract(ratio, 1.0) > TIED).sum()) for ratio in (self.u65, self.u80)]
        gains = [(float(np.mean(ratio)) - 1.0) * 100.0 for ratio in (self.u65, self.u80)]
        return (
            f"The utility of {display_name(self.classifier)} is above the accuracy of "
            f"{display_name(self.counterpart)} on {above[0]} (u65) and {above[1]} (u80) of "
            f"{datasets_word(len(self.datasets))}; the mean gain is {gains[0]:+.1f} and {gains[1]:+.1f} %."
        ).replace("-0.0 ", "0.0 ")

    @property
    def figure_size(self) -> tuple[float, float]:
        # Room for the legend above the rows.
        return 4.2, _rows_height(len(self.datasets)) + 0.25

    @property
    def point_names(self) -> dict[str, list[str]]:
        order = np.argsort(self.u80)[::-1]
        return {
            f"points-{name}": [f"{self.datasets[i]}: {ratio[i]:.3f} under {name}" for i in order]
            for name, ratio in (("u65", self.u65), ("u80", self.u80))
        }

    def plot(self, ax: Axes) -> None:
        order = np.argsort(self.u80)[::-1]
        u65, u80 = np.asarray(self.u65)[order], np.asarray(self.u80)[order]
        draw_rows(ax, [self.datasets[i] for i in order])
        _draw_line_at_one(ax, [*self.u65, *self.u80])
        rows = np.arange(len(order))
        ax.hlines(rows, np.minimum(u65, u80), np.maximum(u65, u80), color=MUTED, linewidth=0.8, zorder=2)
        # u80 is the open square, so that it stays visible around a u65 of the same value.
        u80_marker: dict[str, Any] = {"marker": "s", "facecolors": "none", "edgecolors": SECOND}
        ax.scatter(u65, rows, s=20, c=FIRST, linewidths=0, zorder=4, label="u65", gid="points-u65")
        ax.scatter(u80, rows, s=30, linewidths=1.2, zorder=3, label="u80", gid="points-u80", **u80_marker)
        ax.set_xlabel(
            f"utility of {display_name(self.classifier)} / accuracy of "
            f"{display_name(self.counterpart)}\nabove 1 is better"
        )
        ax.legend(
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=2,
            frameon=False,
            fontsize=9,
            labelcolor=INK,
            handletextpad=0.2,
        )


def _name_pairs(datasets: Sequence[str], x: Sequence[float], y: Sequence[float]) -> list[str]:
    return [f"{name}: {a:.3f}, {b:.3f}" for name, a, b in zip(datasets, x, y, strict=True)]


def _rows_height(n: int) -> float:
    # 0.17 inches for a row of 8-point text, the rest for the axis and its label.
    return 0.8 + 0.17 * n


def _divide(
    datasets: list[str], parts: list[FloatArray], whole: FloatArray, *, what: str
) -> tuple[list[str], list[FloatArray]]:
    """Divide the parts by the whole, on the data sets where it is not 0."""
    # Dividing by 0 gives nothing that a plot could show.
    positive = whole > 0.0
    if not positive.any():
        raise NothingToShowError(f"summary must have a data set where the {what} is not 0, has none.")
    kept = [name for name, is_positive in zip(datasets, positive, strict=True) if is_positive]
    return kept, [part[positive] / whole[positive] for part in parts]


def _draw_line_at_one(ax: Axes, ratios: Sequence[float]) -> None:
    low, high = min(1.0, *ratios), max(1.0, *ratios)
    # A minimum margin, so that ratios close to 1 also look close to 1.
    margin = max(0.06 * (high - low), 0.005)
    ax.set_xlim(low - margin, high + margin)
    ax.axvline(1.0, color=INK, linewidth=1.0, zorder=1)
    ax.locator_params(axis="x", nbins=6)
    # An offset such as +9.9e-1 would have to be added by the reader.
    ax.ticklabel_format(axis="x", useOffset=False)


def _draw_with_diagonal(
    ax: Axes, x: Sequence[float], y: Sequence[float], *, above: str, hollow: BoolArray | None = None
) -> None:
    """Draw points next to the line where both are equal, and say what lies above it."""
    clean_axes(ax)
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
    # Outside of the axes, because the points may be anywhere inside.
    ax.text(0.0, 1.015, f"above the line: {above}", transform=ax.transAxes, color=MUTED, fontsize=8)
