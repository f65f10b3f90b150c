"""Cuts of a numeric feature, from its rows or its histogram: by MDL (§1), or of equal frequency (§12)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isinf, log, log1p, log2

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CountArray, FloatArray, IntArray, LabelArray

__all__ = [
    "cuts_of_histogram",
    "cuts_of_rows",
    "equal_frequency_cuts",
    "equal_frequency_cuts_of_rows",
    "midpoint",
]

# Values per block: a block that cannot hold the best cut is skipped as a whole.
BLOCK_VALUES = 64
# Fewer values than this are scanned one by one, without bounds of blocks.
FEW_VALUES = 1024
# Rounding of a sum of n·log2(n) terms, relative to the largest, with some room: cuts closer than this are a
# tie, of which the lowest is taken (§1).
ROUNDING = 2.0**-48
# What sums of real weights may lack of a share of all rows, relative to the sum of all weights (§12).
SHARE_ROUNDING = 1e-12


def cuts_of_rows(
    numbers: FloatArray,
    labels: LabelArray,
    weights: CountArray | None,
    n_classes: int,
) -> FloatArray:
    """Return Fayyad and Irani's MDL cuts of a feature from its known numbers and their classes.

    Sorting is most of the work, and bare numbers are sorted several times faster than indices of numbers: so
    each class is sorted by itself. What lies below a cut is then given by one index per class.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows,)
        The numbers, in any order, finite.
    labels : ndarray of shape (n_rows,)
        The classes, from 0.
    weights : ndarray of shape (n_rows,), optional
        Positive weights of the rows.
    n_classes : int
        How many classes there are.

    Examples
    --------
    >>> import numpy as np
    >>> cuts_of_rows(np.array([4.0, 1, 5, 2, 6, 3]), np.array([1, 0, 1, 0, 1, 0], np.int32), None, 2)
    array([3.5])
    """
    values, starts = np.empty(len(numbers)), np.empty(n_classes + 1, np.int64)
    # A weight has to stay with its number, and only the order of indices does that.
    if weights is None:
        kernels.encoding.split_by_class(numbers, labels, starts, values)
        for c in range(n_classes):
            values[starts[c] : starts[c + 1]].sort()
        return _cuts_of_classes(values, np.empty(0), starts)
    order = np.argsort(numbers)
    ordered_weights, ordered_labels = np.empty(len(numbers)), labels[order]
    kernels.encoding.split_by_class(numbers[order], ordered_labels, starts, values)
    kernels.encoding.split_by_class(
        weights[order].astype(np.float64), ordered_labels, starts, ordered_weights
    )
    return _cuts_of_classes(values, np.append(0.0, np.cumsum(ordered_weights)), starts)


def cuts_of_histogram(values: FloatArray, counts: CountArray) -> FloatArray:
    """Return Fayyad and Irani's MDL cuts of a feature from how often each class has each of its values.

    The cuts depend on nothing else: rows may be counted in any order and in parts whose counts are added. The
    rows of a table have the same cuts as their histogram.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        The distinct values, ascending, finite.
    counts : ndarray of shape (n_values, n_classes)
        How many rows of each class have the value, or the sums of their weights.

    Returns
    -------
    cuts : ndarray
        The cuts, ascending; a bin holds its upper cut.

    Examples
    --------
    Nine rows of class 0 have the value 1 or 2, nine of class 1 the value 4:

    >>> import numpy as np
    >>> cuts_of_histogram(np.array([1.0, 2.0, 4.0]), np.array([[4, 0], [5, 0], [0, 9]]))
    array([3.])
    """
    by_class = counts.T
    labels, indices = np.nonzero(by_class)
    starts = np.searchsorted(labels, np.arange(len(by_class) + 1))
    masses = np.append(0.0, np.cumsum(by_class[labels, indices], dtype=np.float64))
    return _cuts_of_classes(values[indices].astype(np.float64, copy=False), masses, starts)


def _cuts_of_classes(values: FloatArray, masses: FloatArray, starts: IntArray) -> FloatArray:
    """Return the cuts of values that lie class by class, ascending within each.

    ``masses`` holds the sums of the weights in front of each index, or nothing where every value counts once.
    """
    ends = _block_ends(values, starts)
    lo, first = starts[:-1], 0
    cuts: list[float] = []
    # A stack, since a chain of cuts may be longer than Python recurses. It holds the upper ends of what is
    # still to be cut, the lowest on top: the boundary, the block end behind it, and the number of the cut.
    todo = [(starts[1:], len(ends), np.nan)]
    while todo:
        hi, last, number = todo[-1]
        found = _find_cut(values, masses, lo, ends[first:last], hi)
        if found is not None:
            cut, block, middle = found
            todo.append((cut, first + block, middle))
            continue
        # No cut pays any more (§1): this part is a bin, and its upper end a cut unless nothing lies above.
        todo.pop()
        if todo:
            cuts.append(number)
        lo, first = hi, last
    return np.array(cuts)


def _block_ends(values: FloatArray, starts: IntArray) -> IntArray:
    """Return the boundaries between blocks of about equally many values, (n_blocks - 1, n_classes).

    A boundary is one index for every class, that of the first value above it.
    """
    n_classes = len(starts) - 1
    # A boundary has an entry for every class: with many classes the blocks are larger, so that all boundaries
    # together take less memory than the values.
    step = max(BLOCK_VALUES, 4 * n_classes)
    if len(values) <= FEW_VALUES:
        return np.empty((0, n_classes), np.int64)
    classes = [values[start:stop] for start, stop in pairwise(starts)]
    limits = np.unique(np.concatenate([own[step - 1 :: step] for own in classes]))
    ends = [np.searchsorted(own, limits, side="right") for own in classes]
    return np.stack(ends, axis=1) + starts[:-1]


def _find_cut(
    values: FloatArray, masses: FloatArray, lo: IntArray, ends: IntArray, hi: IntArray
) -> tuple[IntArray, int, float] | None:
    """Return the cut between two boundaries, if one pays: its boundary, its block, and its number."""
    # A part of a single class has nothing to gain.
    if np.count_nonzero(hi > lo) < 2:
        return None
    few = len(ends) == 0 or (hi - lo).sum() <= FEW_VALUES
    boundaries = np.stack([lo, hi]) if few else np.concatenate([lo[None], ends, hi[None]])
    left = masses[boundaries] - masses[lo] if len(masses) else (boundaries - lo).astype(np.float64)
    total = left[-1]
    n = float(total.sum())
    # The entropies are differences of such sums, whose terms are as large as n·log2(n) in all.
    rounding = ROUNDING * (n + 1.0) * log2(n + 1.0)
    bounds, limit = (np.zeros(1), 0.0) if few else _bounds(left)
    cut, left_of_cut = np.empty_like(lo), np.empty_like(total)
    block = kernels.encoding.find_lowest(
        values, masses, total, boundaries, bounds, limit + 4.0 * rounding, rounding, cut, left_of_cut
    )
    if block < 0 or not _pays(total.tolist(), left_of_cut.tolist()):
        return None
    # A scan of the whole part does not say in which block it found the cut.
    if few:
        block = int(np.count_nonzero((ends < cut).any(axis=1)))
    low = float(values[cut[cut > lo] - 1].max())
    high = float(values[cut[cut < hi]].min())
    return cut, block, midpoint(low, high)


def _bounds(left: FloatArray) -> tuple[FloatArray, float]:
    """Return a lower bound of the entropy of all cuts in each block, and the least entropy at a block's end.

    ``left`` (n_blocks + 1, n_classes) holds the rows to the left of the boundaries of the blocks. With
    g(x) = x log2 x + (N - x) log2(N - x), the entropy, times the rows, is g of the rows on the left less g of
    those of each class. The first term is convex, hence above its tangent at the middle of the block; with
    the tangent instead, the entropy is a sum of concave functions, one for the rows of each class, and each
    is least at an end of the block. A block without rows has no bound: NaN.
    """
    total, n_left = left[-1], left.sum(axis=1)
    n, middle = n_left[-1], (n_left[:-1] + n_left[1:]) / 2.0
    by_class = _two_sides(left, total)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (np.log2(middle) - np.log2(n - middle))[:, None]
        low, high = slope * left[:-1] - by_class[:-1], slope * left[1:] - by_class[1:]
        bounds = _two_sides(middle, n) - slope[:, 0] * middle + np.minimum(low, high).sum(axis=1)
    bounds[n_left[1:] == n_left[:-1]] = np.nan
    # A block may end where no cut is allowed: where no class changes, or with all values. But the entropy
    # there is never below that of every cut, so that the limit is valid.
    return bounds, float((_two_sides(n_left, n) - by_class.sum(axis=1)).min())


def _two_sides(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return x log2 x + (N - x) log2(N - x)."""
    other = whole - part
    both: FloatArray = part * np.log2(np.where(part > 0.0, part, 1.0))
    both += other * np.log2(np.where(other > 0.0, other, 1.0))
    return both


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
    """Return the entropy of counts, times their sum, and how many there are."""
    present = [count for count in counts if count > 0.0]
    n = sum(present)
    return n * log2(n) - sum(count * log2(count) for count in present), len(present)


def midpoint(low: float, high: float) -> float:
    """Return the cut between two neighbouring values."""
    middle = (low + high) / 2.0
    # Only if needed: halving first loses the last digit of the tiniest numbers.
    if isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between neighbouring doubles the midpoint may round to the upper one, which must stay in the upper bin
    # (§1).
    return middle if middle < high else low


def equal_frequency_cuts_of_rows(
    numbers: FloatArray, weights: CountArray | None, bins: Sequence[int]
) -> list[FloatArray]:
    """Return the cuts of a feature into each number of bins with about equally many rows.

    Examples
    --------
    >>> import numpy as np
    >>> equal_frequency_cuts_of_rows(np.array([4.0, 1.0, 3.0, 2.0]), None, (2, 4))
    [array([2.5]), array([1.5, 2.5, 3.5])]
    """
    if weights is None:
        values = np.sort(numbers)
        last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
        return equal_frequency_cuts(values[last], values[last], np.diff(last, prepend=-1), bins)
    values, cell_of_row = np.unique(numbers, return_inverse=True)
    counts = np.bincount(cell_of_row, weights, len(values)).astype(weights.dtype)
    return equal_frequency_cuts(values, values, counts, bins)


def equal_frequency_cuts(
    low: FloatArray, high: FloatArray, counts: CountArray, bins: Sequence[int]
) -> list[FloatArray]:
    """Return the same from cells of neighbouring values, ascending, the ends of each and its rows.

    For every b below the number of bins B, the lowest cell is found up to which there are b shares of B of
    all rows, and the cut lies between it and the next one.

    Examples
    --------
    Half of the rows have the value 1: of five bins, the first two begin and end there.

    >>> import numpy as np
    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> equal_frequency_cuts(values, values, np.array([5, 2, 2, 1]), (5,))
    [array([1.5, 2.5, 3.5])]
    """
    passed = np.cumsum(counts)
    slack = SHARE_ROUNDING * passed[-1] if passed.dtype.kind == "f" else 0
    found = []
    for n_bins in bins:
        wanted = np.arange(1, n_bins) * passed[-1] - slack
        below = np.unique(np.searchsorted(n_bins * passed, wanted))
        # The last cell has no next one to be cut from.
        below = below[below < len(low) - 1]
        found.append(np.array([midpoint(float(high[q]), float(low[q + 1])) for q in below]))
    return found
