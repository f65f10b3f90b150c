"""MDL cuts of a numeric feature, from its rows or from how often each class has each of its values (§1)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from skcredal import kernels
from skcredal._arrays import CountArray, FloatArray, IntArray, LabelArray

__all__ = ["cuts_of_histogram", "cuts_of_rows"]

# Values to a block: blocks that cannot hold the best cut are passed over as a whole.
BLOCK_VALUES = 256


def cuts_of_rows(
    numbers: FloatArray,
    labels: LabelArray,
    weights: CountArray | None,
    n_classes: int,
) -> FloatArray:
    """Return Fayyad and Irani's MDL cuts of a feature from its known numbers and their classes.

    Sorting is most of the work, and bare numbers are sorted several times faster than places of numbers: so
    each class is sorted by itself. What lies below a cut is then an index in each of the classes.

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
    if weights is None:
        kernels.cuts.split_by_class(numbers, labels, starts, values)
        for c in range(n_classes):
            values[starts[c] : starts[c + 1]].sort()
        return _cuts_of_classes(values, np.empty(0), starts)
    order = np.argsort(numbers)
    masses, ordered_labels = np.empty(len(numbers)), labels[order]
    kernels.cuts.split_by_class(numbers[order], ordered_labels, starts, values)
    kernels.cuts.split_by_class(weights[order].astype(np.float64), ordered_labels, starts, masses)
    return _cuts_of_classes(values, _summed_up(masses, starts), starts)


def cuts_of_histogram(values: FloatArray, counts: CountArray) -> FloatArray:
    """Return Fayyad and Irani's MDL cuts of a feature from how often each class has each of its values.

    All that the cuts depend on: rows may be counted in any order and in any parts, whose counts add up. Rows
    of a table have the same cuts as their histogram.

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
    labels, places = np.nonzero(by_class)
    starts = np.searchsorted(labels, np.arange(len(by_class) + 1))
    masses = _summed_up(by_class[labels, places].astype(np.float64), starts)
    return _cuts_of_classes(values[places].astype(np.float64, copy=False), masses, starts)


def _summed_up(weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the weights of class after class, summed up within each."""
    return np.concatenate([np.cumsum(part) for part in np.split(weights, starts[1:-1])])


def _cuts_of_classes(values: FloatArray, masses: FloatArray, starts: IntArray) -> FloatArray:
    """Return the cuts of values that lie class by class, ascending within each, with weights summed up."""
    ends = _block_ends(values, starts)
    lo, first = starts[:-1].copy(), 0
    cut, middle = np.empty_like(lo), np.empty(1)
    cuts: list[float] = []
    # The upper ends of what is still to be cut, the lowest last: where each is, in front of which block, and
    # the number that cuts it off.
    todo = [(starts[1:], len(ends) - 1, np.nan)]
    while todo:
        hi, last, number = todo[-1]
        inside = np.concatenate([ends[first:last], hi[None]])
        block = kernels.cuts.find_cut(values, masses, starts, lo, inside, cut, middle)
        if block >= 0:
            todo.append((cut.copy(), first + block, float(middle[0])))
            continue
        todo.pop()
        if todo:
            cuts.append(number)
        lo, first = hi, last
    return np.array(cuts)


def _block_ends(values: FloatArray, starts: IntArray) -> IntArray:
    """Return places that part the feature into blocks of about as many values each, (n_blocks, n_classes)."""
    n_classes = len(starts) - 1
    # With many classes a place is long; all together must not be longer than the values.
    step = max(BLOCK_VALUES, 4 * n_classes)
    if len(values) < 2 * step:
        return starts[None, 1:]
    classes = [values[start:stop] for start, stop in pairwise(starts)]
    limits = np.unique(np.concatenate([own[step - 1 :: step] for own in classes]))
    ends = [np.searchsorted(own, limits, side="right") for own in classes]
    return np.concatenate([np.stack(ends, axis=1) + starts[:-1], starts[None, 1:]])
