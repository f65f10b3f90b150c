"""From a table to codes: small integers read cell by cell, and the cut of least class entropy (§1).

The values of a feature lie class by class, ascending within each. A *place* in the feature is one index for
every class, behind the values that lie below it. Places are never within a value: what is equal stays
together. ``masses`` holds the sums of the weights in front of each index; it is empty where every value
counts once.
"""

import numpy as np

from skcredal._arrays import AnyArray, ByteArray, FloatArray, IntArray, LabelArray
from skcredal._kernels._jit import kernel, step

__all__ = ["BYTE", "bytes_of_columns", "find_lowest", "split_by_class", "translate", "translate_table"]

# How many values a byte has.
BYTE = 256
# Rows that are transposed at a time: they stay in the cache while the columns go by.
ROW_BLOCK = 256


@kernel
def bytes_of_columns(table: AnyArray, first: int, last: int, columns: ByteArray) -> bool:
    """Fill in some rows of the columns of a table of integers as bytes; tell whether all of them are."""
    k = table.shape[1]
    for start in range(first, last, ROW_BLOCK):
        stop = min(last, start + ROW_BLOCK)
        rows = table[start:stop]
        for j in range(k):
            # Views: indices that might be negative take twice the time.
            source, target = rows[:, j], columns[j, start:stop]
            beyond = False
            for r in range(stop - start):
                target[r] = np.int64(source[r]) & 255
                beyond |= target[r] != source[r]
            if beyond:
                return False
    return True


@kernel
def translate(values: ByteArray, lookup: ByteArray, out: ByteArray) -> None:
    """Fill in ``lookup[value]`` of every value."""
    for r in range(len(values)):
        out[r] = lookup[values[r]]


@kernel
def translate_table(table: AnyArray, columns: IntArray, lookup: ByteArray, codes: ByteArray) -> None:
    """Fill in the codes of some columns of a table of integers, (columns, rows).

    ``lookup``, (columns, 257), holds the code of every byte, and then that of any other number.
    """
    n = len(table)
    for start in range(0, n, ROW_BLOCK):
        stop = min(n, start + ROW_BLOCK)
        rows = table[start:stop]
        for place in range(len(columns)):
            source, target = rows[:, columns[place]], codes[place, start:stop]
            for r in range(stop - start):
                value = source[r]
                target[r] = lookup[place, value if 0 <= value < BYTE else BYTE]


@kernel
def split_by_class(numbers: FloatArray, labels: LabelArray, starts: IntArray, values: FloatArray) -> None:
    """Put the numbers of each class behind one another, in their order; fill in where each class starts."""
    n_classes = len(starts) - 1
    for c in range(n_classes + 1):
        starts[c] = 0
    for label in labels:
        starts[label + 1] += 1
    free = np.empty(n_classes, np.int64)
    for c in range(n_classes):
        starts[c + 1] += starts[c]
        free[c] = starts[c]
    for r in range(len(labels)):
        values[free[labels[r]]] = numbers[r]
        free[labels[r]] += 1


@step
def _two_sides(part: float, whole: float) -> float:
    """Return x log2 x + (N - x) log2(N - x)."""
    other, both = whole - part, 0.0
    if part > 0.0:
        both += part * np.log2(part)
    if other > 0.0:
        both += other * np.log2(other)
    return both


@step
def _scan(
    values: FloatArray,
    masses: FloatArray,
    lo: IntArray,
    total: FloatArray,
    place: IntArray,
    end: IntArray,
    lowest: float,
    enough: float,
    rounding: float,
    left: FloatArray,
) -> float:
    """Return the least class entropy, times the rows, of all cuts from ``place`` to just before ``end``.

    It stops at a cut that reaches ``enough``, and returns infinity if none is below ``lowest``. ``place`` and
    what is ``left`` of it move on to where it stops. The least entropy lies where the class changes (Fayyad
    and Irani), so that a cut between two values that are both pure in the same class is passed over, and so
    is the place ``lo``, which cuts nothing off.
    """
    n_classes = len(total)
    n, n_left, found = 0.0, 0.0, np.inf
    # What each class takes off the entropy. Their sum changes with one class at a time, and is good enough to
    # pass over a cut; what may be the lowest is summed up anew, to the same digits wherever a scan starts.
    by_class, of_classes = np.empty(n_classes), 0.0
    # The value in front of the place, and the next one: their class if no other has it, else -1.
    last, last_class = -np.inf, -1
    for c in range(n_classes):
        left[c] = masses[place[c]] - masses[lo[c]] if len(masses) > 0 else float(place[c] - lo[c])
        by_class[c] = _two_sides(left[c], total[c])
        of_classes += by_class[c]
        n_left += left[c]
        n += total[c]
        if place[c] > lo[c] and values[place[c] - 1] >= last:
            last_class = c if values[place[c] - 1] > last else -1
            last = values[place[c] - 1]
    while True:
        value, value_class = np.inf, -1
        for c in range(n_classes):
            if place[c] < end[c] and values[place[c]] <= value:
                value_class = c if values[place[c]] < value else -1
                value = values[place[c]]
        if value == np.inf:
            return found
        if n_left > 0.0 and (value_class == -1 or value_class != last_class):
            entropy = _two_sides(n_left, n)
            if entropy - of_classes <= lowest + 16.0 * rounding:
                for c in range(n_classes):
                    entropy -= by_class[c]
                if entropy <= enough:
                    return entropy
                if entropy < lowest:
                    lowest = found = entropy
        n_left = 0.0
        for c in range(n_classes):
            if place[c] < end[c] and values[place[c]] == value:
                # A value that occurs very often is the last one before the end.
                if values[end[c] - 1] == value:
                    place[c] = end[c]
                while place[c] < end[c] and values[place[c]] == value:
                    place[c] += 1
                left[c] = masses[place[c]] - masses[lo[c]] if len(masses) > 0 else float(place[c] - lo[c])
                of_classes -= by_class[c]
                by_class[c] = _two_sides(left[c], total[c])
                of_classes += by_class[c]
            n_left += left[c]
        last_class = value_class


@kernel
def find_lowest(
    values: FloatArray,
    masses: FloatArray,
    total: FloatArray,
    places: IntArray,
    bounds: FloatArray,
    limit: float,
    rounding: float,
    cut: IntArray,
    left: FloatArray,
) -> int:
    """Find the first cut whose class entropy is least, but for rounding, between the first and last place.

    Block t lies between ``places[t]`` and ``places[t + 1]``; no cut in it falls below ``bounds[t]``. Those
    above the limit are passed over, which does not change the answer.

    Returns
    -------
    block : int
        The block that holds the cut, whose place is filled into ``cut`` and what lies left of it into
        ``left``; -1 if there is none.
    """
    lowest, enough = np.inf, -np.inf
    # First what the least entropy is, then the first cut that reaches it.
    for _ in range(2):
        for t in range(len(bounds)):
            if not bounds[t] <= limit:
                continue
            for c in range(len(total)):
                cut[c] = places[t, c]
            entropy = _scan(
                values, masses, places[0], total, cut, places[t + 1], lowest, enough, rounding, left
            )
            if entropy <= enough:
                return t
            if entropy < lowest:
                lowest = entropy
                limit = min(limit, lowest + 4.0 * rounding)
        if lowest == np.inf:
            break
        lowest = enough = lowest + rounding
    return -1
