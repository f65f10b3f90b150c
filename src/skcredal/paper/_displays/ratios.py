"""Ratios of two classifiers by data set, next to the line at 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import FloatArray
from skcredal.evaluation._registry import display_name
from skcredal.paper._displays.base import (
    FIRST,
    INK,
    MUTED,
    SECOND,
    TIED,
    Display,
    NothingToShowError,
    draw_rows,
    read_values,
    row_height,
    side_colors,
)
from skcredal.paper._result_tables import datasets_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["RelativeBrierDisplay", "RelativeUtilityDisplay"]

_UTILITIES = ("u65", "u80")


@dataclass(eq=False, kw_only=True)
class RelativeBrierDisplay(Display):
    """Brier loss of a classifier relative to another one, by data set, next to the line at 1.

    Parameters
    ----------
    datasets : list of str
        The data sets on which both classifiers were run.
    ratio : list of float
        The ratios of their Brier losses; below 1, the classifier is better than the reference.
    classifier, reference : str
        The classifiers in the numerator and in the denominator.
    n_left_out : int
        Number of data sets without a ratio: one of the two was not run, or the reference has loss 0.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris", "iris", "wine", "wine"],
    ...     "classifier": ["aode", "comp-aode"] * 2,
    ...     "brier": [0.4, 0.2, 0.2, 0.2],
    ... })
    >>> display = RelativeBrierDisplay.from_summary(summary)
    >>> display.ratio
    [0.5, 1.0]
    >>> display.caption
    "COMP-AODE has the lower Brier loss on 1 of 2 data sets; on average its loss is 25.0 % below AODE's."
    """

    datasets: list[str]
    ratio: list[float]
    classifier: str
    reference: str
    n_left_out: int = 0

    @classmethod
    def from_summary(
        cls, summary: DataFrame, *, classifier: str = "comp-aode", reference: str = "aode"
    ) -> RelativeBrierDisplay:
        """Divide the Brier losses of a summary.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        classifier, reference : str
            The classifiers in the numerator and in the denominator.

        Returns
        -------
        RelativeBrierDisplay
        """
        read = read_values(summary, [(classifier, "brier"), (reference, "brier")])
        datasets, (ratio,), n_left_out = _divide(*read, what=f"Brier loss of {reference}")
        return cls(
            datasets=datasets,
            ratio=ratio.tolist(),
            classifier=classifier,
            reference=reference,
            n_left_out=n_left_out,
        )

    @property
    def caption(self) -> str:
        """How often the loss is lower, and by how much on average."""
        lower = int((np.subtract(1.0, self.ratio) > TIED).sum())
        mean = float(np.mean(self.ratio)) - 1.0
        return (
            f"{display_name(self.classifier)} has the lower Brier loss on "
            f"{datasets_word(lower, len(self.ratio))}; "
            f"on average its loss is {abs(mean) * 100.0:.1f} % {'below' if mean < 0.0 else 'above'} "
            f"{display_name(self.reference)}'s."
        )

    @property
    def figure_size(self) -> tuple[float, float]:
        """A row for each data set."""
        return 4.2, row_height(len(self.datasets))

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The data sets with their ratios, from the lowest to the highest."""
        return {"points": [f"{self.datasets[i]}: {self.ratio[i]:.3f}" for i in np.argsort(self.ratio)]}

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(self.ratio)
        ratio = np.asarray(self.ratio)[order]
        draw_rows(ax, [self.datasets[i] for i in order])
        _draw_line_at_one(ax, self.ratio)
        rows = np.arange(len(order))
        ax.hlines(rows, np.minimum(ratio, 1.0), np.maximum(ratio, 1.0), color=MUTED, linewidth=0.8, zorder=2)
        colors = side_colors(1.0 - ratio)
        ax.scatter(ratio, rows, s=24, c=colors, linewidths=0, zorder=3, gid="points")
        ax.set_xlabel(
            f"Brier loss, {display_name(self.classifier)} / {display_name(self.reference)}\nbelow 1 is better"
        )


@dataclass(eq=False, kw_only=True)
class RelativeUtilityDisplay(Display):
    """Utilities of a credal classifier relative to the accuracy of its determinate counterpart.

    The utility of a determinate classifier is its accuracy.

    Parameters
    ----------
    datasets : list of str
        The data sets on which both classifiers were run.
    u65, u80 : list of float
        The quotients; above 1, the sets are worth more than single classes.
    classifier, counterpart : str
        The credal classifier and the determinate one.
    n_left_out : int
        Number of data sets without a ratio.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn, after ``plot``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris", "iris"],
    ...     "classifier": ["comp-aode", "comp-aode*"],
    ...     "accuracy": [0.8, 0.8],
    ...     "u65": [float("nan"), 0.8],
    ...     "u80": [float("nan"), 0.84],
    ... })
    >>> display = RelativeUtilityDisplay.from_summary(summary)
    >>> display.u65, [round(ratio, 2) for ratio in display.u80]
    ([1.0], [1.05])
    """

    datasets: list[str]
    u65: list[float]
    u80: list[float]
    classifier: str
    counterpart: str
    n_left_out: int = 0

    @classmethod
    def from_summary(
        cls, summary: DataFrame, *, classifier: str = "comp-aode*", counterpart: str | None = None
    ) -> RelativeUtilityDisplay:
        """Divide the utilities of a summary by accuracies.

        Parameters
        ----------
        summary : DataFrame
            A row for each data set and classifier.
        classifier : str
            The credal classifier.
        counterpart : str, default=None
            The determinate classifier; if None, the one of the same name without the star.

        Returns
        -------
        RelativeUtilityDisplay
        """
        if counterpart is None:
            if not classifier.endswith("*"):
                raise ValueError(
                    f"counterpart must be given for {classifier}, because its name does not end in a star."
                )
            counterpart = classifier.removesuffix("*")
        wanted = [*((classifier, utility) for utility in _UTILITIES), (counterpart, "accuracy")]
        read = read_values(summary, wanted)
        datasets, (u65, u80), n_left_out = _divide(*read, what=f"accuracy of {counterpart}")
        return cls(
            datasets=datasets,
            u65=u65.tolist(),
            u80=u80.tolist(),
            classifier=classifier,
            counterpart=counterpart,
            n_left_out=n_left_out,
        )

    @property
    def caption(self) -> str:
        """How often the utilities are above the accuracy, and by how much on average."""
        n = len(self.datasets)
        # Ties up to rounding are neither above nor below.
        above = [int((np.subtract(ratio, 1.0) > TIED).sum()) for ratio in (self.u65, self.u80)]
        gains = [(float(np.mean(ratio)) - 1.0) * 100.0 for ratio in (self.u65, self.u80)]
        return (
            f"The utility of {display_name(self.classifier)} is above the accuracy of "
            f"{display_name(self.counterpart)} on "
            f"{above[0]} (u65) and {above[1]} (u80) of {datasets_word(n)}; the mean gain is {gains[0]:+.1f} "
            f"and {gains[1]:+.1f} %."
        ).replace("-0.0 ", "0.0 ")

    @property
    def figure_size(self) -> tuple[float, float]:
        """A row for each data set."""
        return 4.2, row_height(len(self.datasets)) + 0.25

    @property
    def point_names(self) -> dict[str, list[str]]:
        """The data sets with their ratios, ordered by those under u80."""
        order = np.argsort(self.u80)[::-1]
        return {
            f"points-{name}": [f"{self.datasets[i]}: {ratio[i]:.3f} under {name}" for i in order]
            for name, ratio in (("u65", self.u65), ("u80", self.u80))
        }

    def _draw(self, ax: Axes) -> None:
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


def _divide(
    datasets: list[str], values: list[FloatArray], n_left_out: int, *, what: str
) -> tuple[list[str], list[FloatArray], int]:
    """Divide all but the last values by the last, on the data sets where it is not 0."""
    *parts, whole = values
    # Dividing by 0 gives nothing that a plot could show.
    positive = whole > 0.0
    if not positive.any():
        raise NothingToShowError(f"summary must have a data set where the {what} is not 0, has none.")
    kept = [name for name, is_positive in zip(datasets, positive, strict=True) if is_positive]
    n_zero = len(datasets) - len(kept)
    return kept, [part[positive] / whole[positive] for part in parts], n_left_out + n_zero


def _draw_line_at_one(ax: Axes, ratios: Sequence[float]) -> None:
    low, high = min(1.0, *ratios), max(1.0, *ratios)
    # A minimum margin, so that ratios close to 1 also look close to 1.
    margin = max(0.06 * (high - low), 0.005)
    ax.set_xlim(low - margin, high + margin)
    ax.axvline(1.0, color=INK, linewidth=1.0, zorder=1)
    ax.locator_params(axis="x", nbins=6)
    # An offset such as +9.9e-1 would have to be added by the reader.
    ax.ticklabel_format(axis="x", useOffset=False)
