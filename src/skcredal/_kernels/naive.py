"""Naive Bayes for a chunk of rows, and the tree of features that makes TAN of it.

Tables lie as in ``tables``: the class innermost, and the last value of a feature is the unknown one, whose
entries are zeros, so that its factors drop out.
"""

import numpy as np

from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = ["add_corrections", "conditional_information", "naive_log_joints", "normalise_rows"]


@kernel
def naive_log_joints(
    codes: CodeArray,
    log_c: FloatArray,
    log_a: FloatArray,
    value_offsets: IntArray,
    log_joint: FloatArray,
) -> None:
    """Fill in log P(c) + Σ_j log P(a_j|c) of a chunk of codes, (rows, classes)."""
    k, n = codes.shape
    n_classes = len(log_c)
    for r in range(n):
        for c in range(n_classes):
            log_joint[r, c] = log_c[c]
    for j in range(k):
        for r in range(n):
            cell = value_offsets[j] + np.int64(codes[j, r]) * n_classes
            for c in range(n_classes):
                log_joint[r, c] += log_a[cell + c]


@kernel
def add_corrections(
    codes: CodeArray,
    n_states: IntArray,
    pairs: IntArray,
    log_ratio: FloatArray,
    pair_offsets: IntArray,
    log_joint: FloatArray,
) -> None:
    """Add the corrections log P(a_child|a_parent,c) - log P(a_child|c) to the naive Bayes scores.

    ``pairs`` are the edges as ``i < j``; the table of each is (values of i, values of j, classes), whichever
    of the two is the parent.
    """
    n, n_classes = log_joint.shape
    for p in range(len(pairs)):
        i, j = pairs[p]
        offset, stride = pair_offsets[p], n_states[j] + 1
        for r in range(n):
            cell = offset + (np.int64(codes[i, r]) * stride + np.int64(codes[j, r])) * n_classes
            for c in range(n_classes):
                log_joint[r, c] += log_ratio[cell + c]


@kernel
def conditional_information(
    n_cab: CountArray,
    n_states: IntArray,
    pairs: IntArray,
    pair_offsets: IntArray,
    n_classes: int,
    information: FloatArray,
) -> None:
    """Fill in I(A_i; A_j | C) = Σ n(c,a,b)/n · log [n(c,a,b) n(c) / (n(c,a) n(c,b))] of the pairs, in nats.

    All counts are those of the pair: of the rows in which both cells are known.
    """
    widest = 0
    for v in n_states:
        widest = max(widest, v)
    n_a, n_b = np.empty(widest), np.empty(widest)
    for p in range(len(pairs)):
        i, j = pairs[p]
        v_i, v_j = n_states[i], n_states[j]
        sum_, n = 0.0, 0.0
        for c in range(n_classes):
            n_c = 0.0
            for b in range(v_j):
                n_b[b] = 0.0
            for a in range(v_i):
                n_a[a] = 0.0
                for b in range(v_j):
                    count = n_cab[pair_offsets[p] + (a * v_j + b) * n_classes + c]
                    n_a[a] += count
                    n_b[b] += count
                n_c += n_a[a]
            for a in range(v_i):
                for b in range(v_j):
                    count = n_cab[pair_offsets[p] + (a * v_j + b) * n_classes + c]
                    if count > 0:
                        sum_ += count * np.log((count / n_a[a]) * (n_c / n_b[b]))
            n += n_c
        information[p] = sum_ / n if n > 0.0 else 0.0


@kernel
def normalise_rows(log_joint: FloatArray) -> None:
    """Turn log joints (rows, classes) into probabilities, in place."""
    n, n_classes = log_joint.shape
    for r in range(n):
        highest = log_joint[r, 0]
        for c in range(1, n_classes):
            highest = max(highest, log_joint[r, c])
        total = 0.0
        for c in range(n_classes):
            likely = np.exp(log_joint[r, c] - highest)
            log_joint[r, c] = likely
            total += likely
        for c in range(n_classes):
            log_joint[r, c] /= total
