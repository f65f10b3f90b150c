"""The MDL cuts of a numeric feature and its median, from its histogram (§1)."""

from __future__ import annotations

from math import isinf, log, log1p, log2

import numpy as np

from skcredal._arrays import AnyArray, FloatArray

__all__ = ["mdl_cuts", "midpoint", "weighted_median"]

# Rounding of a sum of n·log2(n) terms, relative to the largest, with some room: cuts closer than this are a
# tie, of which the lowest is taken (§1).
ROUNDING = 2.0**-48
# How far sums of real weights may be off, relative to the sum (§1).
SLACK = 1e-12


def mdl_cuts(low: FloatArray, high: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Fayyad and Irani's MDL cuts of a feature from how often each class has each of its values.

    ``low`` and ``high`` are the least and the greatest value of each cell, ascending, ``counts``, (n_classes,
    n_cells), the weights of its rows by class. The cuts are ascending; a bin contains its upper cut.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> mdl_cuts(values, values, np.array([[9.0, 9.0, 0.0, 0.0], [0.0, 0.0, 9.0, 9.0]]))
    array([2.5])
    """
    rows: AnyArray = counts
    n, terms = counts.sum(), None
    # Whole numbers are looked up in a table of x·log2(x), if that is no larger than the histogram itself.
    if n <= counts.size and np.array_equal(counts, np.floor(counts)):
        rows, terms = counts.astype(np.int64), _n_log_n(np.arange(n + 1.0))
    # Rows of each class below the first cell, the second, and so on.
    below = np.zeros((len(rows), len(low) + 1), rows.dtype)
    np.cumsum(rows, axis=1, out=below[:, 1:])
    # The best cut lies where the class changes: not between two values of the same single class.
    present = counts > 0
    candidates = 1 + np.flatnonzero(np.count_nonzero(present[:, 1:] | present[:, :-1], axis=0) > 1)
    cuts, todo = [], [(0, len(low))]
    # A stack, because a chain of cuts may be longer than Python recurses.
    while todo:
        first, last = todo.pop()
        begin, end = np.searchsorted(candidates, [first + 1, last])
        some, total = candidates[begin:end], below[:, last] - below[:, first]
        if len(some) == 0 or np.count_nonzero(total) < 2:
            continue
        left = below[:, some] - below[:, first, None]
        best = _least_entropy(left, total, terms)
        if _pays(total.tolist(), left[:, best].tolist()):
            cut = int(some[best])
            cuts.append(midpoint(float(high[cut - 1]), float(low[cut])))
            todo += [(first, cut), (cut, last)]
    return np.sort(np.array(cuts, np.float64))


def _least_entropy(left: AnyArray, total: AnyArray, terms: FloatArray | None) -> int:
    """Return the lowest cut with the least class entropy, given the rows (n_classes, n_cuts) on its left."""

    def both_sides(part: AnyArray, whole: float) -> FloatArray:
        other: AnyArray = whole - part
        return _n_log_n(part) + _n_log_n(other) if terms is None else terms.take(part) + terms.take(other)

    n = float(total.sum())
    entropy = both_sides(left.sum(axis=0), total.sum())
    for of_class, whole in zip(left, total, strict=True):
        entropy -= both_sides(of_class, whole)
    # The entropies are differences of sums whose terms are as large as n·log2(n) in all.
    tie = ROUNDING * (n + 1.0) * log2(n + 1.0)
    return int((entropy <= entropy.min() + tie).argmax())


def _n_log_n(n: FloatArray) -> FloatArray:
    logs: FloatArray = n * np.log2(np.where(n > 0.0, n, 1.0))
    return logs


def _pays(total: list[float], left: list[float]) -> bool:
    """Tell whether a cut passes Fayyad and Irani's MDL criterion, Gain > (log2(N-1) + Δ)/N (§1)."""
    right = [whole - part for whole, part in zip(total, left, strict=True)]
    n = sum(total)
    # Real weights may sum to less than a row; log2(N-1) needs more than one.
    if n <= 1.0:
        return False
    # N·Ent of the whole and of the two sides, and the number of classes present in each.
    (whole, m), (low, m_low), (high, m_high) = _spread(total), _spread(left), _spread(right)
    gain = (whole - low - high) / n
    # log2(3^m - 2), written so that 3^m does not overflow for many classes.
    delta = m * log2(3.0) + log1p(-2.0 * 3.0**-m) / log(2.0)
    delta -= m * whole / n - m_low * low / sum(left) - m_high * high / sum(right)
    return gain > (log2(n - 1.0) + delta) / n


def _spread(counts: list[float]) -> tuple[float, int]:
    """Return the entropy of counts, times their sum, and how many are positive."""
    present = [count for count in counts if count > 0.0]
    n = sum(present)
    return n * log2(n) - sum(count * log2(count) for count in present), len(present)


def midpoint(low: float, high: float) -> float:
    """Return the cut between two neighbouring values."""
    middle = _mean(low, high)
    # Between neighbouring doubles the midpoint may round to the upper one, which must stay in the upper bin
    # (§1).
    return middle if middle < high else low


def _mean(low: float, high: float) -> float:
    mean = (low + high) / 2.0
    # Only if needed: halving first loses the last digit of the tiniest numbers.
    return low / 2.0 + high / 2.0 if isinf(mean) else mean


def weighted_median(values: FloatArray, weights: FloatArray) -> float:
    """Return the median of ascending values, where one of weight w counts w times.

    Where the weights up to a value sum to half of all, it is the mean of this value and the next.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_median(np.array([1.0, 2.0, 4.0, 5.0]), np.ones(4))
    3.0
    >>> weighted_median(np.array([1.0, 5.0]), np.array([2.0, 1.0]))
    1.0
    """
    passed = np.cumsum(weights)
    half, slack = passed[-1] / 2.0, passed[-1] * SLACK / 2.0
    low = np.searchsorted(passed, half - slack, side="left")
    high = min(np.searchsorted(passed, half + slack, side="right"), len(values) - 1)
    return _mean(float(values[low]), float(values[high]))
