"""Classifiers side by side: their utilities, and which differences are more than noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._sums import FoldSums
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, utility_of_accuracy

__all__ = [
    "ROPE",
    "WORTHS",
    "Comparison",
    "compare",
    "correlated_t_test",
    "in_words",
    "mean_utilities",
    "optimal_utilities",
]

# What a correct set of two classes may be worth: from what half of it is worth (u50) to as much as one class.
WORTHS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))
# Differences of utility below this are of no practical importance.
ROPE = 0.01
# How probable it must be that the best is better by more than that.
_BETTER, _PROBABLY_BETTER = 0.95, 0.75


def correlated_t_test(differences: FloatArray, *, folds: int) -> tuple[float, float, float]:
    """Return the probabilities that the mean difference is below, within and above ±0.01.

    The Bayesian correlated t-test: training sets of different folds share most of their rows, so that the
    differences are correlated, and fewer than they seem.

    There is a difference for each test fold of each run of so many folds.

    Examples
    --------
    >>> import numpy as np
    >>> [round(p, 3) for p in correlated_t_test(np.array([0.03, 0.01, 0.05, 0.02]), folds=4)]
    [0.032, 0.104, 0.864]
    """
    from scipy import stats

    n, mean = len(differences), float(differences.mean())
    # Rounding alone makes equal differences differ: a spread that small is none.
    spread = float(differences.std(ddof=1))
    if spread < 1e-12:
        return float(mean < -ROPE), float(abs(mean) <= ROPE), float(mean > ROPE)
    scale = spread * np.sqrt(1.0 / n + 1.0 / (folds - 1))
    below, upto = (float(stats.t.cdf(at, n - 1, loc=mean, scale=scale)) for at in (-ROPE, ROPE))
    return below, upto - below, 1.0 - upto


def mean_utilities(parts: Sequence[FoldSums], *, credal: bool) -> FloatArray:
    """Return the mean utility of each fold for each of `WORTHS`, (n_folds, n_worths).

    A single class is worth 1 or 0: without sets, the utility is the accuracy, whatever a pair is worth.

    Examples
    --------
    A pair that holds the true class, and a single one:

    >>> sums = FoldSums(2, 1, 0.0, 0.0, 0.0, discounted=1.5, u65=1.65)
    >>> mean_utilities([sums], credal=True)[0, [0, 3, 10]].round(3)
    array([0.75 , 0.825, 1.   ])
    """
    n = np.array([part.n for part in parts], float)[:, None]
    if not credal:
        accuracy = np.array([part.correct for part in parts])[:, None] / n
        return np.repeat(accuracy, len(WORTHS), axis=1)
    # The utility is a straight line in the worth of a pair: two points of it give all others.
    at_half = np.array([part.discounted for part in parts])[:, None]
    at_65 = np.array([part.u65 for part in parts])[:, None]
    slope = (at_65 - at_half) / (UTILITY_WEIGHTS["u65"] - 0.5)
    means: FloatArray = (at_half + slope * (np.array(WORTHS) - 0.5)) / n
    return means


def optimal_utilities(proba: FloatArray, true: IntArray) -> FloatArray:
    """Return the mean utility of the sets that the probabilities make optimal, for each of `WORTHS`.

    ``true`` are the indices of the true classes, -1 for a class without a probability.
    """
    rows, m = np.arange(len(true)), np.arange(1, proba.shape[1] + 1)
    found = []
    for worth in WORTHS:
        of_size = utility_of_accuracy(1.0 / m, worth)
        sets: BoolArray = utility_optimal_sets(
            proba, utility=dict(enumerate(of_size.tolist(), start=1)).__getitem__
        )
        held = (true >= 0) & sets[rows, true]
        found.append(float(np.where(held, of_size[sets.sum(axis=1) - 1], 0.0).mean()))
    return np.array(found)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The mean utilities of classifiers for each of `WORTHS`, and how the best of them compares with each.

    A verdict is ``"best"``, or what the best is in comparison: ``"about equal"``, ``"probably better"`` or
    ``"better"``.
    """

    utilities: dict[str, FloatArray]
    verdicts: dict[str, list[str]]


def compare(by_fold: Mapping[str, FloatArray], *, sizes: Sequence[int], folds: int) -> Comparison:
    """Compare classifiers by their utilities, (n_folds, n_worths) for each, given the sizes of the folds."""
    # Every row counts the same, as in all other measures.
    means = {name: np.average(part, axis=0, weights=sizes) for name, part in by_fold.items()}
    verdicts: dict[str, list[str]] = {name: [] for name in by_fold}
    for column in range(len(WORTHS)):
        best = max(means, key=lambda name: means[name][column])
        for name, part in by_fold.items():
            _, _, better = correlated_t_test(by_fold[best][:, column] - part[:, column], folds=folds)
            # As good as the best, up to rounding, is one of the best.
            is_best = means[best][column] - means[name][column] < 1e-9
            verdicts[name].append("best" if is_best else in_words(better))
    return Comparison(means, verdicts)


def in_words(better: float) -> str:
    """Return what the probability of being better than another by more than `ROPE` amounts to."""
    if better >= _BETTER:
        return "better"
    return "probably better" if better >= _PROBABLY_BETTER else "about equal"
