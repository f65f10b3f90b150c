"""Fayyad and Irani's MDL cuts of one numeric feature (specification, §1).

The values of a feature lie class by class, ascending within each: those of class c from ``starts[c]`` to
``starts[c + 1]``. A *place* in the feature is one index for every class, behind the values that lie below it.
Places are never within a value: what is equal stays together. ``masses`` holds the weights of the values,
summed up within each class; it is empty where every value counts once.
"""

import numpy as np

from skcredal._arrays import FloatArray, IntArray, LabelArray
from skcredal.kernels._jit import kernel

__all__ = ["find_cut", "split_by_class"]

# Rounding of a sum of n·log2(n) terms, relative to the largest: cuts closer than this are a tie.
ROUNDING = 2.0**-48
# Up to so many values are looked at one by one.
FEW_VALUES = 12
# What is halved so often without becoming few is looked at one by one, too.
MOST_HALVINGS = 48


@kernel
def split_by_class(numbers: FloatArray, labels: LabelArray, starts: IntArray, values: FloatArray) -> None:
    """Put the numbers of each class behind one another, in their order; fill in where each class starts."""
    n_classes = len(starts) - 1
    for c in range(n_classes + 1):
        starts[c] = 0
    for r in range(len(labels)):
        starts[labels[r] + 1] += 1
    free = np.empty(n_classes, np.int64)
    for c in range(n_classes):
        starts[c + 1] += starts[c]
        free[c] = starts[c]
    for r in range(len(labels)):
        values[free[labels[r]]] = numbers[r]
        free[labels[r]] += 1


@kernel
def _n_log_n(n: float) -> float:
    return n * np.log2(n) if n > 0.0 else 0.0


@kernel
def _two_sides(part: float, whole: float) -> float:
    return _n_log_n(part) + _n_log_n(whole - part)


@kernel
def _midpoint(low: float, high: float) -> float:
    middle = (low + high) / 2.0
    if np.isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between neighbouring doubles the midpoint may round to the upper one, which belongs to the upper bin.
    return middle if middle < high else low


@kernel
def _mass(masses: FloatArray, start: int, index: int) -> float:
    """Return the weight of the values of a class, which starts at ``start``, in front of an index."""
    if len(masses) == 0:
        return float(index - start)
    return masses[index - 1] if index > start else 0.0


@kernel
def _only_class_at_end(values: FloatArray, begin: IntArray, end: IntArray) -> int:
    """Return the class of the largest value between two places if no other class has it, else -1."""
    largest, only = -np.inf, -1
    for c in range(len(end)):
        if end[c] > begin[c] and values[end[c] - 1] >= largest:
            only = c if values[end[c] - 1] > largest else -1
            largest = values[end[c] - 1]
    return only


@kernel
def _scan(
    values: FloatArray,
    masses: FloatArray,
    starts: IntArray,
    lo: IntArray,
    total: FloatArray,
    place: IntArray,
    end: IntArray,
    enough: float,
    left: FloatArray,
) -> float:
    """Return the least class entropy, times the rows, of all cuts from ``place`` to just before ``end``.

    It stops at a cut that reaches ``enough``. ``place`` and what is ``left`` of it move on to where it stops.
    The least entropy lies where the class changes (Fayyad and Irani), so that a cut between two values that
    are both pure in the same class is passed over, and so is the place ``lo``, which cuts nothing off.
    """
    n_classes = len(total)
    n_left = _fill_left(masses, starts, lo, place, left)
    lowest = np.inf
    last_class = _only_class_at_end(values, lo, place)
    while True:
        value, value_class = np.inf, -1
        for c in range(n_classes):
            if place[c] < end[c] and values[place[c]] <= value:
                value_class = c if values[place[c]] < value else -1
                value = values[place[c]]
        if value == np.inf:
            return lowest
        if n_left > 0.0 and (value_class == -1 or value_class != last_class):
            lowest = min(lowest, _entropy(left, total))
            if lowest <= enough:
                return lowest
        for c in range(n_classes):
            if place[c] < end[c] and values[place[c]] == value:
                # A value that occurs very often is the last one before the end.
                if values[end[c] - 1] == value:
                    place[c] = end[c]
                while place[c] < end[c] and values[place[c]] == value:
                    place[c] += 1
        n_left = _fill_left(masses, starts, lo, place, left)
        last_class = value_class


@kernel
def _bound(before: FloatArray, after: FloatArray, total: FloatArray) -> float:
    """Return what the entropy of no cut between two places falls below, from what lies left of each.

    With g(x) = x log2 x + (N - x) log2(N - x), the entropy is g of the rows on the left less g of those of
    each class. The first is convex, and above its tangent at the middle of the two places; with the tangent
    in its stead, the entropy is a sum of concave functions of the rows of one class each, every one of them
    least at one of the places.
    """
    n, middle = 0.0, 0.0
    for c in range(len(total)):
        n += total[c]
        middle += (before[c] + after[c]) / 2.0
    slope = np.log2(middle) - np.log2(n - middle)
    bound: float = _two_sides(middle, n) - slope * middle
    for c in range(len(total)):
        at_begin = slope * before[c] - _two_sides(before[c], total[c])
        if after[c] > before[c]:
            bound += min(at_begin, slope * after[c] - _two_sides(after[c], total[c]))
        else:
            bound += at_begin
    return bound


@kernel
def _fill_left(
    masses: FloatArray, starts: IntArray, lo: IntArray, place: IntArray, left: FloatArray
) -> float:
    """Fill in the weight of each class between ``lo`` and a place, and return that of all."""
    n_left = 0.0
    for c in range(len(lo)):
        left[c] = _mass(masses, starts[c], place[c]) - _mass(masses, starts[c], lo[c])
        n_left += left[c]
    return n_left


@kernel
def _entropy(left: FloatArray, total: FloatArray) -> float:
    """Return the class entropy of a cut, times the rows, from what lies left of it."""
    n, n_left, entropy = 0.0, 0.0, 0.0
    for c in range(len(total)):
        n += total[c]
        n_left += left[c]
        entropy -= _two_sides(left[c], total[c])
    return entropy + _two_sides(n_left, n)


@kernel
def _first_above(values: FloatArray, begin: int, end: int, value: float) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] <= value:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def _halve(values: FloatArray, begin: IntArray, end: IntArray, half: IntArray) -> bool:
    """Fill in a place about half-way between two; ``False`` if there is a single value between them."""
    most, largest = 0, -np.inf
    for c in range(len(begin)):
        if end[c] - begin[c] > end[most] - begin[most]:
            most = c
        if end[c] > begin[c]:
            largest = max(largest, values[end[c] - 1])
    value = values[(begin[most] + end[most] - 1) // 2]
    if value == largest:
        # Nothing is above it: halve in front of it.
        value = np.nextafter(value, -np.inf)
    moved = False
    for c in range(len(begin)):
        half[c] = _first_above(values, begin[c], end[c], value)
        moved = moved or half[c] > begin[c]
    return moved


@kernel
def _search(
    values: FloatArray,
    masses: FloatArray,
    starts: IntArray,
    lo: IntArray,
    total: FloatArray,
    place: IntArray,
    end: IntArray,
    limit: float,
    enough: float,
    left: FloatArray,
) -> float:
    """Do as :func:`_scan` does, but halve what may hold a cut below the limit, and pass over what may not."""
    n_classes = len(total)
    ends, after = np.empty((MOST_HALVINGS, n_classes), np.int64), np.empty(n_classes)
    for c in range(n_classes):
        ends[0, c] = end[c]
    lowest, depth = np.inf, 0
    while depth >= 0:
        n_values = 0
        for c in range(n_classes):
            n_values += ends[depth, c] - place[c]
        _fill_left(masses, starts, lo, place, left)
        _fill_left(masses, starts, lo, ends[depth], after)
        if n_values == 0 or _bound(left, after, total) > min(limit, lowest):
            for c in range(n_classes):
                place[c] = ends[depth, c]
            depth -= 1
        elif (
            n_values > FEW_VALUES
            and depth + 1 < MOST_HALVINGS
            and _halve(values, place, ends[depth], ends[depth + 1])
        ):
            depth += 1
        else:
            lowest = min(lowest, _scan(values, masses, starts, lo, total, place, ends[depth], enough, left))
            if lowest <= enough:
                return lowest
            depth -= 1
    return lowest


@kernel
def _is_worthwhile(total: FloatArray, left: FloatArray) -> bool:
    """Tell whether the cut pays for its description: Gain > (log2(N-1) + Δ)/N."""
    n, n_left = 0.0, 0.0
    for c in range(len(total)):
        n += total[c]
        n_left += left[c]
    if n <= 1.0:
        return False
    n_right = n - n_left
    # N·Ent of the whole and of the two sides, and the number of classes present in each.
    whole, low, high = _n_log_n(n), _n_log_n(n_left), _n_log_n(n_right)
    m, m_low, m_high = 0, 0, 0
    for c in range(len(total)):
        right = total[c] - left[c]
        whole -= _n_log_n(total[c])
        low -= _n_log_n(left[c])
        high -= _n_log_n(right)
        m += total[c] > 0.0
        m_low += left[c] > 0.0
        m_high += right > 0.0
    gain = (whole - low - high) / n
    # log2(3^m - 2), which overflows as it stands for many classes.
    delta = m * np.log2(3.0) + np.log1p(-2.0 * 3.0**-m) / np.log(2.0)
    delta -= m * whole / n - m_low * low / n_left - m_high * high / n_right
    return bool(gain > (np.log2(n - 1.0) + delta) / n)


@kernel
def find_cut(
    values: FloatArray,
    masses: FloatArray,
    starts: IntArray,
    lo: IntArray,
    ends: IntArray,
    cut: IntArray,
    middle: FloatArray,
) -> int:
    """Find the cut of least class entropy between the place ``lo`` and the last of ``ends``, if it pays.

    ``ends`` are the places where blocks of values end; only blocks that may hold the least entropy are looked
    into, which does not change the answer. Ties go to the lowest cut.

    Returns
    -------
    block : int
        The block that holds the cut, whose place is filled into ``cut`` and whose number into ``middle``; -1
        if there is no cut or it does not pay.
    """
    n_classes = len(lo)
    hi = ends[len(ends) - 1]
    total, left, after = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    n = _fill_left(masses, starts, lo, hi, total)
    n_present = 0
    for c in range(n_classes):
        n_present += hi[c] > lo[c]
    if n_present < 2:
        return -1
    rounding = ROUNDING * _n_log_n(n + 1.0)
    # A block may end where no class changes, or with the whole: such an end has no less entropy than any cut.
    limit, bounds = np.inf, np.empty(len(ends))
    n_left = _fill_left(masses, starts, lo, lo, left)
    for t in range(len(ends)):
        bounds[t] = np.inf
        n_after = _fill_left(masses, starts, lo, ends[t], after)
        if n_after > n_left:
            bounds[t] = _bound(left, after, total)
            limit = min(limit, _entropy(after, total) + 4.0 * rounding)
        n_left, left, after = n_after, after, left
    lowest, enough, found = np.inf, -np.inf, -1
    # First what the least entropy is, then the first cut that reaches it.
    for _ in range(2):
        for t in range(len(ends)):
            if bounds[t] > limit:
                continue
            for c in range(n_classes):
                cut[c] = ends[t - 1, c] if t > 0 else lo[c]
            entropy = _search(values, masses, starts, lo, total, cut, ends[t], limit, enough, left)
            if entropy <= enough:
                found = t
                break
            lowest = min(lowest, entropy)
            limit = min(limit, lowest + 4.0 * rounding)
        if lowest == np.inf:
            return -1
        enough = lowest + rounding
    if found < 0 or not _is_worthwhile(total, left):
        return -1
    below, above = -np.inf, np.inf
    for c in range(n_classes):
        if cut[c] > lo[c]:
            below = max(below, values[cut[c] - 1])
        if cut[c] < hi[c]:
            above = min(above, values[cut[c]])
    middle[0] = _midpoint(below, above)
    return found
