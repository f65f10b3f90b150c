"""What every SPODE says about a chunk of rows, and the averages of it.

The loop is pair-major: the small table of one pair stays in the innermost cache while the rows of the chunk
go by. Arrays over the chunk are ``[super-parent, row, class]``, so that nothing of the size rows × features ×
classes is ever held for more than a chunk. A SPODE whose super-parent is unknown in a row is left out of that
row (§1).
"""

import numpy as np

from skcredal._arrays import CodeArray, FloatArray, IntArray, LabelArray
from skcredal.kernels._jit import kernel

__all__ = ["add_log_likelihoods", "mean_joint", "mean_posterior", "normalise", "spode_log_joints"]


@kernel
def spode_log_joints(
    codes: CodeArray,
    n_states: IntArray,
    log_c: FloatArray,
    log_a: FloatArray,
    value_offsets: IntArray,
    log_ratio: FloatArray,
    log_ratio_reverse: FloatArray,
    pair_offsets: IntArray,
    log_joint: FloatArray,
) -> None:
    """Fill in log P(c, a | s_j) of a chunk of codes: naive Bayes and its corrections (see ``tables``)."""
    k, n = codes.shape
    if k == 0:
        return
    n_classes = len(log_c)
    both_ways = len(log_ratio_reverse) > 0
    for r in range(n):
        for c in range(n_classes):
            log_joint[0, r, c] = log_c[c]
    for i in range(k):
        for r in range(n):
            cell = value_offsets[i] + np.int64(codes[i, r]) * n_classes
            for c in range(n_classes):
                log_joint[0, r, c] += log_a[cell + c]
    for j in range(1, k):
        for r in range(n):
            for c in range(n_classes):
                log_joint[j, r, c] = log_joint[0, r, c]
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            offset, stride = pair_offsets[p], n_states[j] + 1
            p += 1
            for r in range(n):
                cell = offset + (codes[i, r] * stride + codes[j, r]) * n_classes
                for c in range(n_classes):
                    ratio = log_ratio[cell + c]
                    log_joint[i, r, c] += ratio
                    if both_ways:
                        ratio = log_ratio_reverse[cell + c]
                    log_joint[j, r, c] += ratio


@kernel
def normalise(
    codes: CodeArray,
    n_states: IntArray,
    left_out: float,
    log_joint: FloatArray,
) -> None:
    """Turn log joints into P(c | a, s_j), in place; a SPODE left out gets the given number."""
    k, n, n_classes = log_joint.shape
    for j in range(k):
        for r in range(n):
            if codes[j, r] == n_states[j]:
                for c in range(n_classes):
                    log_joint[j, r, c] = left_out
                continue
            highest = log_joint[j, r, 0]
            for c in range(1, n_classes):
                highest = max(highest, log_joint[j, r, c])
            total = 0.0
            for c in range(n_classes):
                likely = np.exp(log_joint[j, r, c] - highest)
                log_joint[j, r, c] = likely
                total += likely
            for c in range(n_classes):
                log_joint[j, r, c] /= total


@kernel
def mean_posterior(
    codes: CodeArray,
    n_states: IntArray,
    posterior: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in Σ_j w_j P(c | a, s_j), the weights renormalised over a row's SPODEs; none left: the prior."""
    k, n, n_classes = posterior.shape
    total = np.zeros(n)
    for r in range(n):
        for c in range(n_classes):
            out[r, c] = 0.0
    for j in range(k):
        if weights[j] == 0.0:
            continue
        for r in range(n):
            if codes[j, r] < n_states[j]:
                total[r] += weights[j]
                for c in range(n_classes):
                    out[r, c] += weights[j] * posterior[j, r, c]
    for r in range(n):
        for c in range(n_classes):
            out[r, c] = out[r, c] / total[r] if total[r] > 0.0 else prior[c]


@kernel
def mean_joint(
    codes: CodeArray,
    n_states: IntArray,
    log_joint: FloatArray,
    prior: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in Σ_j P(c, a | s_j), normalised over the classes (Webb's AODE, without a frequency limit)."""
    k, n, n_classes = log_joint.shape
    for r in range(n):
        highest = -np.inf
        for j in range(k):
            if codes[j, r] < n_states[j]:
                for c in range(n_classes):
                    highest = max(highest, log_joint[j, r, c])
        for c in range(n_classes):
            out[r, c] = 0.0
        total = 0.0
        for j in range(k):
            if codes[j, r] < n_states[j]:
                for c in range(n_classes):
                    likely = np.exp(log_joint[j, r, c] - highest)
                    out[r, c] += likely
                    total += likely
        for c in range(n_classes):
            out[r, c] = out[r, c] / total if total > 0.0 else prior[c]


@kernel
def add_log_likelihoods(
    codes: CodeArray,
    labels: LabelArray,
    weights: FloatArray,
    n_states: IntArray,
    log_joint: FloatArray,
    log_c: FloatArray,
    log_floor: float,
    log_lik: FloatArray,
) -> None:
    """Add log P(c_r | a_r, s_j) of the chunk's rows to every LL_j (§4), in the order of the rows."""
    k, n, n_classes = log_joint.shape
    weighted = len(weights) > 0
    for j in range(k):
        sum_ = 0.0
        for r in range(n):
            if codes[j, r] == n_states[j]:
                log_p = log_c[labels[r]]
            else:
                highest = log_joint[j, r, 0]
                for c in range(1, n_classes):
                    highest = max(highest, log_joint[j, r, c])
                total = 0.0
                for c in range(n_classes):
                    total += np.exp(log_joint[j, r, c] - highest)
                log_p = max(log_joint[j, r, labels[r]] - highest - np.log(total), log_floor)
            sum_ += weights[r] * log_p if weighted else log_p
        log_lik[j] += sum_
