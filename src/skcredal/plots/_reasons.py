"""Why a case has its answer: the odds as a waterfall, or what each model votes for."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
from sklearn.utils import _safe_indexing

from skcredal._arrays import FloatArray
from skcredal._colours import COLOURS
from skcredal._encoding.columns import is_missing
from skcredal._encoding.tables import read_table
from skcredal._ensemble.explain import as_factor, rounded, strongest
from skcredal._validation import check_integer
from skcredal.plots._drawing import Display, asked, legend, short, ticks

# Where the axis of weights begins, beside that of votes.
_LANE = 1.25


@dataclass(eq=False)
class ReasonsDisplay(Display):
    """Why one case has its answer, as ``explain`` says it.

    LP-AODE* has a waterfall of the odds of the answer over its rival, on a logarithmic scale: from the class
    frequencies through the features to the answer, with the interval that the weights leave open and the line
    of even odds. The ten strongest features have a bar each, the others one together.

    COMP-AODE* and BMA-AODE* have a bar for what each model votes for; beside it are the weight of the model
    under the reference prior, and its mass in the prior that favours the rival most. Where the case is
    undecided, this prior turns the answer.

    Parameters
    ----------
    reason : mapping
        The row of ``explain``.
    labels : list of str of length n_bars
        What each bar is about: the class frequencies or "feature = value".
    parts : ndarray of shape (n_bars,)
        What each bar adds to the log-odds of the answer over its rival; or by how much each model prefers the
        answer.
    weights, prior : ndarray of shape (n_bars,) or None
        The weight of each model, and its mass in the prior.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from skcredal import CredalLogPoolAODE
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.plots import ReasonsDisplay
    >>> data = load_dataset("iris")
    >>> clf = CredalLogPoolAODE().fit(data.features, data.target)
    >>> display = ReasonsDisplay.from_estimator(clf, data.features, row=70)
    >>> display.labels[0], len(display.parts)
    ('class frequencies', 5)
    >>> bool(np.isclose(display.parts.sum(), np.log(display.reason["odds"])))
    True
    """

    reason: Mapping[str, Any]
    labels: list[str]
    parts: FloatArray
    weights: FloatArray | None = None
    prior: FloatArray | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, row: int = 0, ax: Any = None) -> Self:
        """Draw the reasons of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A classifier with ``explain``, a pipeline that ends in one, or a search over one. Behind
            transformers, the reasons are about the columns that reach the classifier.
        X : array-like or DataFrame of shape (n_rows, n_features)
            Rows to classify.
        row : int, default=0
            The row to explain, counted from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : ReasonsDisplay
            The display.
        """
        check_integer("row", row, low=0, high=len(X) - 1)
        classifier, rows = asked(cls, estimator, _safe_indexing(X, [row]), "explain")
        (reason,) = nw.from_native(classifier.explain(rows)).rows(named=True)
        columns = read_table(rows, estimator=classifier).columns
        names = getattr(classifier, "feature_names_in_", [f"feature {j}" for j in range(len(columns))])
        cells = {str(name): _shown(one.data[0]) for name, one in zip(names, columns, strict=True)}
        if "contributions" in reason:
            parts = strongest(reason, cells, most=10)
            labels = [short(name, 20) + cell for name, cell, _ in parts]
            return cls(reason, labels, np.array([part for *_, part in parts])).plot(ax)
        kept = [name for name, how in zip(cells, classifier.encoding_, strict=True) if how.kept]
        weights = classifier.weights_[[kept.index(name) for name in reason["super_parents"]]]
        labels = [short(name, 20) + cells[name] for name in reason["super_parents"]]
        return cls(reason, labels, np.array(reason["votes"]), weights, np.array(reason["prior"])).plot(ax)

    def _draw(self, ax: Any, ink: str) -> float:
        one, other = short(self.reason["predicted"], 20), short(self.reason["rival"], 20)
        if self.weights is None:
            self._draw_odds(ax, ink)
            meaning, pad = f"odds of {one} over {other} (dashed: even)", 8
        else:
            self._draw_votes(ax, ink)
            meaning, pad = f"vote for {other} (left) or {one} (right)", 26  # above the legend
        ax.set_xlabel(meaning, parse_math=False, loc="right")
        # As wide as the axes are before they make room for names; right, so that it may begin above these.
        inches, size = ax.get_window_extent().width / ax.figure.dpi, ax.xaxis.label.get_size()
        lines = textwrap.wrap(self.reason["sentence"], max(20, int(inches * 72 / (0.65 * size))))
        where = {"loc": "right", "multialignment": "left", "pad": pad, "fontsize": size}
        ax.set_title("\n".join(lines), parse_math=False, **where)
        return 1.8 + 0.3 * len(self.parts)

    def _draw_odds(self, ax: Any, ink: str) -> None:
        from matplotlib.ticker import LogLocator, NullLocator

        n, path = len(self.parts), np.append(0.0, self.parts.cumsum())
        # Odds beyond these are not numbers any more, or have no logarithm.
        odds = np.exp(path.clip(-690.0, 690.0))
        least, most = (np.clip(self.reason[name], 1e-300, 1e300) for name in ("lower_odds", "upper_odds"))
        left, right = np.minimum(odds[:-1], odds[1:]), np.maximum(odds[:-1], odds[1:])
        ax.set_xscale("log")
        ax.axvline(1.0, color=ink, linewidth=0.8, linestyle="--")
        ax.barh(range(n), right - left, 0.7, left=left, color=np.where(self.parts >= 0.0, *COLOURS[:2]))
        ax.vlines(odds[1:], np.arange(n) - 0.35, np.arange(n) + 1.35, colors=ink, linewidth=0.8)
        ax.plot([least, odds[-1], most], [n] * 3, marker="|", markersize=9, color=ink)
        ax.plot(odds[-1], n, "D", color=ink)
        for y, (x, part) in enumerate(zip(right, self.parts, strict=True)):
            ax.annotate(as_factor(part), (x, y), (4, 0), textcoords="offset points", va="center", color=ink)
        low, high = np.log10(min(odds.min(), least)), np.log10(max(odds.max(), most))
        # Room for the factors at the right end.
        ax.set(xlim=10.0 ** np.array([low - 0.04 * (high - low) - 0.02, high + 0.15 * (high - low) + 0.02]))
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high - low > 3.0 else (1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(lambda x, _: as_factor(np.log(x))[1:])
        ax.xaxis.set_minor_locator(NullLocator())
        ticks(ax.yaxis, [*self.labels, f"{rounded(odds[-1])} to 1 ({rounded(least)} to {rounded(most)})"])
        ax.set_ylim(n + 0.6, -0.6)

    def _draw_votes(self, ax: Any, ink: str) -> None:
        at = np.arange(len(self.parts))
        # Many models share the mass: their axis ends at the largest.
        end = max(np.max([self.weights, self.prior], initial=0.0), 1e-9)
        weights, prior = (_LANE + np.array(one) / end for one in (self.weights, self.prior))
        ax.barh(at, self.parts, 0.7, color=np.where(self.parts >= 0.0, *COLOURS[:2]))
        ax.vlines([0.0, _LANE], -0.5, len(at) - 0.5, colors=ink, linewidth=0.8)
        ax.hlines(at, weights, prior, colors=ink, linewidth=0.8)
        before = ax.scatter(weights, at, s=30, c="none", edgecolors=ink, zorder=3)
        after = ax.scatter(prior, at, s=30, c=ink, marker="^", zorder=3)
        turns = "that turns the answer" if self.reason["set_size"] > 1 else "worst for the answer"
        legend(ax, [before, after], ["weight", f"prior {turns}"])
        ax.set(xlim=(-1.05, _LANE + 1.05), ylim=(len(at) - 0.4, -0.6))
        ax.set_xticks([-1.0, 0.0, 1.0, _LANE, _LANE + 1.0], ["1", "0", "1", "0", f"{end:.2g}"])
        ticks(ax.yaxis, self.labels)


def _shown(value: Any) -> str:
    # repr of a float may have 17 digits, most of them rounding.
    text = f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
    return " = " + short("missing" if is_missing(value) else text, 13)
