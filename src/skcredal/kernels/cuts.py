"""Fayyad and Irani's MDL cuts of one numeric feature (specification, §1)."""

import numpy as np

from skcredal._arrays import FloatArray, LabelArray
from skcredal.kernels._jit import kernel

__all__ = ["mdl_cuts"]

# Rounding of a sum of n·log2(n) terms, relative to the largest: cuts closer than this are a tie.
ROUNDING = 2.0**-48


@kernel
def _n_log_n(n: float) -> float:
    return n * np.log2(n) if n > 0.0 else 0.0


@kernel
def _midpoint(low: float, high: float) -> float:
    middle = (low + high) / 2.0
    if np.isinf(middle):
        middle = low / 2.0 + high / 2.0
    # Between neighbouring doubles the midpoint may round to the upper one, which belongs to the upper bin.
    return middle if middle < high else low


@kernel
def _best_cut(
    values: FloatArray,
    labels: LabelArray,
    weights: FloatArray,
    start: int,
    stop: int,
    total: FloatArray,
    left: FloatArray,
    best_left: FloatArray,
) -> int:
    """Return where the upper side of the cut of least class entropy begins; ``start`` if there is none.

    The minimum lies where the class changes (Fayyad and Irani), so that a position between two values that
    are both pure in the same class is passed over. Ties go to the lowest cut.
    """
    n_classes = len(total)
    n = 0.0
    for c in range(n_classes):
        n += total[c]
        left[c] = 0.0
    rounding = ROUNDING * _n_log_n(n + 1.0)
    n_left = 0.0
    best, best_entropy = start, np.inf
    previous_class = -1
    r = start
    while r < stop:
        group = r
        group_class = labels[r]
        while r < stop and values[r] == values[group]:
            if labels[r] != group_class:
                group_class = -1
            r += 1
        changes = group_class == -1 or group_class != previous_class
        if group > start and changes:
            entropy = _n_log_n(n_left) + _n_log_n(n - n_left)
            for c in range(n_classes):
                entropy -= _n_log_n(left[c]) + _n_log_n(total[c] - left[c])
            if entropy < best_entropy - rounding:
                best, best_entropy = group, entropy
                for c in range(n_classes):
                    best_left[c] = left[c]
        for q in range(group, r):
            left[labels[q]] += weights[q]
            n_left += weights[q]
        previous_class = group_class
    return best


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
        if right <= ROUNDING * total[c]:
            right = 0.0  # what real weights leave behind of a class that lies wholly on the left
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
def mdl_cuts(
    values: FloatArray,
    labels: LabelArray,
    weights: FloatArray,
    n_classes: int,
) -> FloatArray:
    """Return the accepted cuts, ascending, of sorted values with their labels and positive weights."""
    total, left, best_left = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    cuts = []
    # A stack of segments instead of recursion; the lower side is taken first, so cuts come in order.
    segments = [(0, len(values), False)]
    while len(segments) > 0:
        start, stop, is_cut = segments.pop()
        if is_cut:
            cuts.append(_midpoint(values[start - 1], values[start]))
            continue
        for c in range(n_classes):
            total[c] = 0.0
        for r in range(start, stop):
            total[labels[r]] += weights[r]
        cut = _best_cut(values, labels, weights, start, stop, total, left, best_left)
        if cut > start and _is_worthwhile(total, best_left):
            segments.append((cut, stop, False))
            segments.append((cut, cut, True))
            segments.append((start, cut, False))
    return np.array(cuts)
