"""CMA: sets and bounds over all inclusion probabilities between ε and 1 - ε (specification, §8).

The score of a class is P(c) times one factor per feature, ``w_j P(a_j|c) + (1-w_j) P(a_j)``, where w_j is the
posterior probability that the feature is in the model. The ratio of two such factors is monotone in the
inclusion probability, so that each takes its extremes at the ends: ``log_low`` and ``log_high`` hold the
logarithms of the factors there, with zeros at the unknown value, whose factor drops out.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = ["cma_intervals", "cma_sets"]

# The logarithm of the least ratio must exceed this: classes equal up to rounding stay together.
TIE = 1e-10


@kernel
def _find_cells(codes: CodeArray, offsets: IntArray, n_classes: int, r: int, cells: IntArray) -> None:
    """Fill in where the factors of a row's values begin."""
    for j in range(len(codes)):
        cells[j] = offsets[j] + np.int64(codes[j, r]) * n_classes


@kernel
def _least_log_ratio(
    cells: IntArray, log_c: FloatArray, log_low: FloatArray, log_high: FloatArray, c: int, d: int
) -> float:
    """Return the minimum of log P(c, a) - log P(d, a) over the inclusion probabilities, factor by factor."""
    minimum = float(log_c[c] - log_c[d])
    for cell in cells:
        at_low = log_low[cell + c] - log_low[cell + d]
        at_high = log_high[cell + c] - log_high[cell + d]
        minimum += min(at_low, at_high)
    return minimum


@kernel
def cma_sets(
    codes: CodeArray,
    offsets: IntArray,
    log_c: FloatArray,
    log_low: FloatArray,
    log_high: FloatArray,
    best: IntArray,
    out: BoolArray,
) -> None:
    """Fill in the maximal sets; ``best`` is the most probable class of each row under the reference prior.

    It is tested against all others first, and only the survivors are compared with each other, which gives
    the same set because dominance is transitive.
    """
    k, n = codes.shape
    n_classes = len(log_c)
    cells = np.empty(k, np.int64)
    for r in range(n):
        _find_cells(codes, offsets, n_classes, r, cells)
        b = best[r]
        for d in range(n_classes):
            out[r, d] = d == b or not _least_log_ratio(cells, log_c, log_low, log_high, b, d) > TIE
        for c in range(n_classes):
            for d in range(n_classes):
                if c != b and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _least_log_ratio(cells, log_c, log_low, log_high, c, d) > TIE


@kernel
def _share(log_odds: FloatArray) -> float:
    """Return 1/Σ_d exp(log_odds_d), where one of them is 0, without overflow."""
    highest = 0.0
    for d in range(len(log_odds)):
        highest = max(highest, log_odds[d])
    total = 0.0
    for d in range(len(log_odds)):
        total += np.exp(log_odds[d] - highest)
    return float(np.exp(-highest) / total)


@kernel
def cma_intervals(
    codes: CodeArray,
    offsets: IntArray,
    log_c: FloatArray,
    log_low: FloatArray,
    log_high: FloatArray,
    reference: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in bounds on the probability of every class, (rows, classes, 2).

    Every ratio at its own extreme: exact for two classes, and from the outside for more, where one prior need
    not attain all of them. The reference prior is in the set; rounding must not leave it outside the bounds.
    """
    k, n = codes.shape
    n_classes = len(log_c)
    cells = np.empty(k, np.int64)
    most, least = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    for r in range(n):
        _find_cells(codes, offsets, n_classes, r, cells)
        for c in range(n_classes):
            for d in range(n_classes):
                if c != d:
                    minimum = _least_log_ratio(cells, log_c, log_low, log_high, c, d)
                    # The least ratio of c to d is the inverse of the greatest of d to c.
                    most[c, d], least[d, c] = -minimum, minimum
        for c in range(n_classes):
            out[r, c, 0] = min(reference[r, c], _share(most[c]))
            out[r, c, 1] = max(reference[r, c], _share(least[c]))
