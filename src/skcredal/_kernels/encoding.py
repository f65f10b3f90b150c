"""From a table to codes: small integers read cell by cell, and the cut of least class entropy (§1).

For the cuts, the values of a feature lie class by class, ascending within each class. A *boundary* in the
feature is one index for every class, that of the first value above it. It never separates equal values.
``masses`` holds the sum of the weights in front of each index; it is empty where every value counts once.
"""

import numpy as np

from skcredal._arrays import AnyArray, ByteArray, FloatArray, IntArray, LabelArray
from skcredal._kernels._jit import kernel, step

__all__ = ["BYTE", "bytes_of_columns", "find_lowest", "split_by_class", "translate", "translate_table"]

# How many values a byte can have.
BYTE = 256
# Rows transposed at a time: they stay in the cache while column after column is read from them.
ROW_BLOCK = 256


@kernel
def bytes_of_columns(table: AnyArray, first: int, last: int, columns: ByteArray) -> bool:
    """Fill in some rows of the columns of a table of integers as bytes; tell whether all of them fit."""
    k = table.shape[1]
    for start in range(first, last, ROW_BLOCK):
        stop = min(last, start + ROW_BLOCK)
        rows = table[start:stop]
        for j in range(k):
            # Views: checking whether an index is negative takes as long as the copy.
            source, target = rows[:, j], columns[j, start:stop]
            # Asked once for a block: a branch for every cell would keep the loop from being vectorised.
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
        for j in range(len(columns)):
            source, target = rows[:, columns[j]], codes[j, start:stop]
            for r in range(stop - start):
                value = source[r]
                target[r] = lookup[j, value if 0 <= value < BYTE else BYTE]


@kernel
def split_by_class(numbers: FloatArray, labels: LabelArray, starts: IntArray, values: FloatArray) -> None:
    """Group the numbers by class, in the order they come; fill in where each class starts."""
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
    total: FloatArray,
    boundaries: IntArray,
    block: int,
    lowest: float,
    enough: float,
    rounding: float,
    by_class: FloatArray,
    boundary: IntArray,
    left: FloatArray,
) -> float:
    """Return the least class entropy, times the rows, of all cuts of a block.

    It stops at a cut that reaches ``enough``, and returns infinity if none is below ``lowest``. ``boundary``
    and what is ``left`` of it move from the beginning of the block to where it stops. The least entropy lies
    where the class changes (Fayyad and Irani), so a cut between two values that both occur in the same class
    only is skipped, and so is the first boundary, which cuts nothing off.
    """
    n_classes, end = len(total), block + 1
    # What each class takes off the entropy is ``by_class``. Its running sum changes with one class at a time,
    # and is good enough to rule a cut out; a candidate is summed afresh, to the same digits wherever the scan
    # started.
    n, of_classes, found = 0.0, 0.0, np.inf
    # The value in front of the boundary and the next one: their class if only one class has it, else -1.
    value, value_class = -np.inf, -1
    for c in range(n_classes):
        n += total[c]
        by_class[c] = 0.0
        boundary[c] = boundaries[block, c]
        if boundary[c] > boundaries[0, c] and values[boundary[c] - 1] >= value:
            value_class = c if values[boundary[c] - 1] > value else -1
            value = values[boundary[c] - 1]
    starting = True
    while True:
        n_left = 0.0
        for c in range(n_classes):
            if starting or (boundary[c] < boundaries[end, c] and values[boundary[c]] == value):
                # A value that occurs very often is the last of its block: no need to step through it.
                if not starting and values[boundaries[end, c] - 1] == value:
                    boundary[c] = boundaries[end, c]
                while not starting and boundary[c] < boundaries[end, c] and values[boundary[c]] == value:
                    boundary[c] += 1
                if len(masses) > 0:
                    left[c] = masses[boundary[c]] - masses[boundaries[0, c]]
                else:
                    left[c] = boundary[c] - boundaries[0, c]
                of_classes -= by_class[c]
                by_class[c] = _two_sides(left[c], total[c])
                of_classes += by_class[c]
            n_left += left[c]
        starting, last_class = False, value_class
        value, value_class = np.inf, -1
        for c in range(n_classes):
            if boundary[c] < boundaries[end, c] and values[boundary[c]] <= value:
                value_class = c if values[boundary[c]] < value else -1
                value = values[boundary[c]]
        if value == np.inf:
            return found
        if n_left > 0.0 and (value_class == -1 or value_class != last_class):
            entropy = _two_sides(n_left, n)
            # With a wide margin: the running sum has gathered the rounding of all steps before this one.
            if entropy - of_classes <= lowest + 16.0 * rounding:
                for c in range(n_classes):
                    entropy -= by_class[c]
                if entropy <= enough:
                    return entropy
                if entropy < lowest:
                    lowest = found = entropy


@kernel
def find_lowest(
    values: FloatArray,
    masses: FloatArray,
    total: FloatArray,
    boundaries: IntArray,
    bounds: FloatArray,
    limit: float,
    rounding: float,
    cut: IntArray,
    left: FloatArray,
) -> int:
    """Find the first cut of least class entropy, up to rounding, between the first and the last boundary.

    Block t lies between ``boundaries[t]`` and ``boundaries[t + 1]``; no cut in it falls below ``bounds[t]``.
    Blocks above the limit are skipped, which does not change the answer.

    Returns
    -------
    block : int
        The block that holds the cut, or -1 if there is none. The boundary is filled into ``cut``, and what
        lies left of it into ``left``.
    """
    lowest, enough = np.inf, -np.inf
    by_class = np.empty(len(total))
    # Of equally good cuts the lowest is taken (§1), and rounding must not decide between them: the first
    # round finds the least entropy, the second the first cut that comes within rounding of it.
    for _ in range(2):
        for t in range(len(bounds)):
            # Not ``>``: the bound of a block without rows is NaN.
            if not bounds[t] <= limit:
                continue
            entropy = _scan(
                values, masses, total, boundaries, t, lowest, enough, rounding, by_class, cut, left
            )
            if entropy <= enough:
                return t
            if entropy < lowest:
                lowest = entropy
                # The bounds are rounded, too: a block is skipped only if it is clearly worse.
                limit = min(limit, lowest + 4.0 * rounding)
        if lowest == np.inf:
            break
        lowest = enough = lowest + rounding
    return -1
