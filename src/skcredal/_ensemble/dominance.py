"""Sets from a test of dominance, and bounds from least log-ratios: once for all credal classifiers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray

__all__ = ["Dominates", "bounds_of_log_ratios", "interval_dominance", "undominated"]

# Tells in which of some rows a class of each (or one class of all) beats another under every prior of the
# set.
Dominates = Callable[[IntArray, IntArray | int, int], BoolArray]
# Bounds closer than this may differ by rounding alone, so that the class stays: doubt widens the set.
BOUND_TIE = 1e-10


def undominated(dominates: Dominates, best: IntArray, n_classes: int) -> BoolArray:
    """Return the classes that no other dominates, (rows, n_classes): the maximal sets (§7).

    The best class comes first, since it removes most others. Then only survivors are compared, which gives
    the same set: dominance is transitive, so a dominated class is dominated by a survivor. The best class
    always stays. It may be dominated where the reference prior is not one of the set: in COMP-AODE*, if a
    SPODE is feasible under some prior of the set but not under the reference prior; in NCC, whose reference
    is naive Bayes.
    """
    sets = np.ones((len(best), n_classes), np.bool_)
    for d in range(n_classes):
        rows = np.flatnonzero(best != d)
        sets[rows, d] = ~dominates(rows, best[rows], d)
    several = np.flatnonzero(sets.sum(axis=1) > 2)
    for c in range(n_classes) if len(several) else ():
        for d in range(n_classes):
            if c != d:
                both = sets[several, c] & sets[several, d]
                rows = several[both & (best[several] != c) & (best[several] != d)]
                sets[rows, d] = ~dominates(rows, c, d)
    return sets


def bounds_of_log_ratios(least_of: Callable[[int, int], FloatArray], reference: FloatArray) -> FloatArray:
    """Return bounds on probabilities, (rows, n_classes, 2), from the least log-ratio of each two classes.

    ``least_of(c, d)`` returns that of c over d in all rows. The bounds are exact for two classes; for more
    they contain the exact ones, since no single prior need attain all least ratios at once. They are widened
    to contain the reference, from which rounding or another prior may exclude it.
    """
    n_classes = reference.shape[1]
    least = np.zeros((*reference.shape, n_classes))
    for c, d in permutations(range(n_classes), 2):
        least[:, c, d] = least_of(c, d)
    with np.errstate(over="ignore"):
        lower = 1.0 / np.exp(-least).sum(axis=2)
        upper = 1.0 / np.exp(least).sum(axis=1)
    return np.stack([np.minimum(lower, reference), np.maximum(upper, reference)], axis=2)


def interval_dominance(interval: FloatArray) -> BoolArray:
    """Return the classes whose upper probability reaches the largest lower one.

    Examples
    --------
    >>> import numpy as np
    >>> interval_dominance(np.array([[[0.4, 0.6], [0.3, 0.5], [0.1, 0.3]]]))
    array([[ True,  True, False]])
    """
    lower, upper = interval[..., 0], interval[..., 1]
    kept: BoolArray = upper >= lower.max(axis=-1, keepdims=True) - BOUND_TIE
    return kept
