"""Which differences between classifiers are more than noise, by the Bayesian correlated t-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from skcredal._arrays import FloatArray
from skcredal.evaluation._results import Sums

__all__ = ["against_best", "against_null", "correlated_t_test", "in_words"]

# Differences of utility below this are of no practical importance.
_ROPE = 0.01
# How probable it must be that one is better by more than that.
_SURE, _PROBABLE = 0.95, 0.75


def correlated_t_test(differences: FloatArray, *, folds: int, rope: float = _ROPE) -> float:
    """Return the probability that the mean difference is larger than a negligible one.

    There is a difference for each test fold of each run of so many folds. Training sets of different folds
    share most of their rows, so the differences are correlated and say less than their number suggests.

    Examples
    --------
    >>> import numpy as np
    >>> round(correlated_t_test(np.array([0.03, 0.01, 0.05, 0.02]), folds=4), 3)
    0.864
    """
    from scipy import stats

    n, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1))
    # Rounding alone makes equal differences differ: a spread that small is none.
    if spread < 1e-12:
        return float(mean > rope + 1e-12)
    scale = spread * np.sqrt(1.0 / n + 1.0 / (folds - 1))
    return float(stats.t.sf(rope, n - 1, loc=mean, scale=scale))


def in_words(worse: float) -> str:
    """Return what the probability of being worse than another by more than 0.01 amounts to."""
    if worse >= _SURE:
        return "worse"
    return "probably worse" if worse >= _PROBABLE else "no clear difference"


def against_best(utilities: Mapping[str, FloatArray], sizes: FloatArray, *, folds: int) -> dict[str, str]:
    """Return how each classifier compares with the best, given their mean utilities in folds of these sizes.

    Examples
    --------
    >>> import numpy as np
    >>> utilities = {"a": np.array([0.9, 0.8]), "b": np.array([0.9, 0.79]), "c": np.array([0.5, 0.4])}
    >>> against_best(utilities, np.array([10, 10]), folds=2)
    {'a': 'best', 'b': 'no clear difference', 'c': 'worse'}
    """
    # Every row counts the same, as in all other measures.
    means = {name: float(np.average(part, weights=sizes)) for name, part in utilities.items()}
    best = max(means, key=lambda name: means[name])
    found = {}
    for name, part in utilities.items():
        worse = correlated_t_test(utilities[best] - part, folds=folds)
        # As good as the best, up to rounding, is one of the best.
        found[name] = "best" if means[best] - means[name] < 1e-9 else in_words(worse)
    return found


def against_null(parts: Sequence[Sums], null: Sequence[Sums], *, folds: int) -> tuple[bool, bool]:
    """Tell whether log-loss and accuracy are clearly better than the null model's, even if only by a little.

    Examples
    --------
    Right more often, but with the same log-loss:

    >>> null = [{"n": 10.0, "correct": 7.0, "log_loss": 6.0}, {"n": 10.0, "correct": 6.0, "log_loss": 7.0}]
    >>> found = [part | {"correct": part["correct"] + 2.0} for part in null]
    >>> against_null(found, null, folds=2)
    (False, True)
    """

    def is_clear(name: str, sign: float) -> bool:
        gains = [sign * (one[name] - other[name]) / one["n"] for one, other in zip(parts, null, strict=True)]
        return correlated_t_test(np.array(gains), folds=folds, rope=0.0) >= _SURE

    return is_clear("log_loss", -1.0), is_clear("correct", 1.0)
