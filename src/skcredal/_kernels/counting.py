"""Counting classes, values and pairs of values.

Codes lie feature-major, ``codes[j, r]``, so that a pair of features is two contiguous rows of memory. Counts
are packed with the class innermost; pairs ``i < j`` follow each other in the order (0,1), (0,2), ..., (1,2),
...
"""

import numpy as np

from skcredal._arrays import CodeArray, CountArray, IntArray, LabelArray
from skcredal._kernels._jit import kernel

__all__ = ["count_pairs", "count_values"]

# Rows taken at a time: their codes of all features stay in the cache while the pairs go by.
ROW_BLOCK = 4096


@kernel
def count_values(
    codes: CodeArray,
    labels: LabelArray,
    weights: CountArray,
    n_states: IntArray,
    offsets: IntArray,
    n_classes: int,
    n_ca: CountArray,
) -> None:
    """Add n(c, a_j) of every feature to ``n_ca``; no weights (an empty array) means 1 each."""
    k, n = codes.shape
    weighted = len(weights) > 0
    for j in range(k):
        for r in range(n):
            a = np.int64(codes[j, r])
            if a < n_states[j]:
                cell = offsets[j] + a * n_classes + labels[r]
                if weighted:
                    n_ca[cell] += weights[r]
                else:
                    n_ca[cell] += 1


@kernel
def count_pairs(
    codes: CodeArray,
    labels: LabelArray,
    weights: CountArray,
    n_states: IntArray,
    pairs: IntArray,
    offsets: IntArray,
    n_classes: int,
    complete: bool,
    n_cab: CountArray,
) -> None:
    """Add n(c, a_i, a_j) of the given pairs to ``n_cab``, each at its offset.

    Threads take different pairs and all rows, so that every cell is summed in the order of the rows: the
    result, with real weights too, does not depend on the number of threads. ``complete`` promises that every
    code is a state.
    """
    n = codes.shape[1]
    weighted = len(weights) > 0
    for start in range(0, n, ROW_BLOCK):
        stop = min(n, start + ROW_BLOCK)
        for p in range(len(pairs)):
            i, j = pairs[p]
            v_i, v_j = n_states[i], n_states[j]
            offset = offsets[p]
            if complete and not weighted:
                for r in range(start, stop):
                    n_cab[offset + (codes[i, r] * v_j + codes[j, r]) * n_classes + labels[r]] += 1
            else:
                for r in range(start, stop):
                    a, b = np.int64(codes[i, r]), np.int64(codes[j, r])
                    if a < v_i and b < v_j:
                        cell = offset + (a * v_j + b) * n_classes + labels[r]
                        if weighted:
                            n_cab[cell] += weights[r]
                        else:
                            n_cab[cell] += 1
