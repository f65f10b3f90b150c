"""What every SPODE says about a training row that is left out of its counts (§5, §12), and MAPLMG's sums.

Leaving out a row of class c lowers only counts of class c: what the SPODEs say about the other classes stays,
and the constant n - 1 + s of P(c) cancels. So the log joints of a chunk are computed as in prediction, and
only the entry of the row's own class is computed here, from the counts less the row itself. What a row takes
off the counts is 1, or its weight if that is less; ``itself`` holds that number.
"""

import numpy as np

from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._kernels._jit import kernel

__all__ = [
    "add_curvature",
    "fill_log_pairs",
    "fill_margins",
    "leave_one_out",
    "log_likelihood",
    "relative_to_best",
]


@kernel
def fill_margins(
    n_cab: CountArray,
    n_states: IntArray,
    pair_offsets: IntArray,
    margin_offsets: IntArray,
    n_classes: int,
    margins: FloatArray,
) -> None:
    """Fill in, for every pair, n(c, a_i) and then n(c, a_j) over the rows in which both cells are known."""
    k = len(n_states)
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            v_i, v_j = n_states[i], n_states[j]
            first, second = margin_offsets[p], margin_offsets[p] + v_i * n_classes
            for a in range(v_i):
                for b in range(v_j):
                    cell = pair_offsets[p] + (a * v_j + b) * n_classes
                    for c in range(n_classes):
                        margins[first + a * n_classes + c] += n_cab[cell + c]
                        margins[second + b * n_classes + c] += n_cab[cell + c]
            p += 1


@kernel
def _log_less(count: float, itself: float, prior: float) -> float:
    # Sums of real weights are rounded: what is left must not become negative.
    log_mass: float = np.log(max(count - itself, 0.0) + prior)
    return log_mass


@kernel
def fill_log_pairs(
    n_cab: CountArray,
    n_states: IntArray,
    pair_offsets: IntArray,
    n_classes: int,
    ess: float,
    log_pairs: FloatArray,
) -> None:
    """Fill in, for every cell of every pair, the logarithm of its mass less a row that counts once."""
    # Where every row counts once, all rows of a cell share one value: a logarithm per cell, not per row.
    p = 0
    for i in range(len(n_states)):
        for j in range(i + 1, len(n_states)):
            prior = ess / (n_classes * n_states[i] * n_states[j])
            for cell in range(pair_offsets[p], pair_offsets[p] + n_states[i] * n_states[j] * n_classes):
                log_pairs[cell] = _log_less(n_cab[cell], 1.0, prior)
            p += 1


@kernel
def _own_log_joints(
    codes: CodeArray,
    labels: LabelArray,
    itself: FloatArray,
    n_states: IntArray,
    n_c: CountArray,
    n_ca: CountArray,
    value_offsets: IntArray,
    n_cab: CountArray,
    pair_offsets: IntArray,
    log_pairs: FloatArray,
    margins: FloatArray,
    margin_offsets: IntArray,
    ess: float,
    own: FloatArray,
) -> None:
    """Fill in log P(c, a | s_j) of each row's own class c, from the counts less the row, up to log(n + s)."""
    k, n = codes.shape
    n_classes = len(n_c)
    complete, in_table = len(margins) == 0, len(log_pairs) > 0
    log_mass = np.empty((k, n))
    n_known = np.empty(n_classes)
    for j in range(k):
        v = n_states[j]
        # P(a_j|c) is divided by the rows of the class that know the feature, not by all of them (§1).
        for c in range(n_classes):
            n_known[c] = 0.0
            for a in range(v):
                n_known[c] += n_ca[value_offsets[j] + a * n_classes + c]
        for r in range(n):
            c, value = labels[r], np.int64(codes[j, r])
            own[j, r] = 0.0
            if value < v:
                count = n_ca[value_offsets[j] + value * n_classes + c]
                log_mass[j, r] = _log_less(count, itself[r], ess / (n_classes * v))
                own[j, r] = (
                    _log_less(n_c[c], itself[r], ess / n_classes)
                    + log_mass[j, r]
                    - _log_less(n_known[c], itself[r], ess / n_classes)
                )
    p = 0
    for i in range(k):
        for j in range(i + 1, k):
            v_i, v_j = n_states[i], n_states[j]
            prior = ess / (n_classes * v_i * v_j)
            for r in range(n):
                value_i, value_j = np.int64(codes[i, r]), np.int64(codes[j, r])
                # An unknown value leaves its factors out (§1).
                if value_i == v_i or value_j == v_j:
                    continue
                c = labels[r]
                cell = pair_offsets[p] + (value_i * v_j + value_j) * n_classes + c
                log_pair = log_pairs[cell] if in_table else _log_less(n_cab[cell], itself[r], prior)
                # A SPODE divides by the rows that know both features; in complete data these are all rows of
                # the super-parent's value, whose logarithm is there already.
                if complete:
                    own[i, r] += log_pair - log_mass[i, r]
                    own[j, r] += log_pair - log_mass[j, r]
                else:
                    n_i = margins[margin_offsets[p] + value_i * n_classes + c]
                    n_j = margins[margin_offsets[p] + (v_i + value_j) * n_classes + c]
                    own[i, r] += log_pair - _log_less(n_i, itself[r], ess / (n_classes * v_i))
                    own[j, r] += log_pair - _log_less(n_j, itself[r], ess / (n_classes * v_j))
            p += 1


@kernel
def leave_one_out(
    codes: CodeArray,
    labels: LabelArray,
    itself: FloatArray,
    n_states: IntArray,
    n_c: CountArray,
    n_ca: CountArray,
    value_offsets: IntArray,
    n_cab: CountArray,
    pair_offsets: IntArray,
    log_pairs: FloatArray,
    margins: FloatArray,
    margin_offsets: IntArray,
    ess: float,
    log_joint: FloatArray,
) -> None:
    """Replace the log joints of a chunk, (k, rows, n_classes), by log P_{-r}(c | a_r, s_j).

    ``log_joint`` is what the SPODEs say with all rows counted. ``margins`` is empty for complete data, and
    ``log_pairs`` where some rows count themselves less than once. What stands for a SPODE whose super-parent
    is unknown in a row means nothing.
    """
    k, n, n_classes = log_joint.shape
    own = np.empty((k, n))
    _own_log_joints(
        codes,
        labels,
        itself,
        n_states,
        n_c,
        n_ca,
        value_offsets,
        n_cab,
        pair_offsets,
        log_pairs,
        margins,
        margin_offsets,
        ess,
        own,
    )
    n_all = 0.0
    for c in range(n_classes):
        n_all += n_c[c]
    # The joints of the other classes have the constant log(n + s) in them; so must that of the row's own.
    log_all = np.log(n_all + ess)
    for j in range(k):
        for r in range(n):
            label = labels[r]
            mine = own[j, r] - log_all
            highest = mine
            for c in range(n_classes):
                if c != label:
                    highest = max(highest, log_joint[j, r, c])
            total = np.exp(mine - highest)
            for c in range(n_classes):
                if c != label:
                    total += np.exp(log_joint[j, r, c] - highest)
            log_joint[j, r, label] = mine
            log_total = np.log(total)
            for c in range(n_classes):
                log_joint[j, r, c] = log_joint[j, r, c] - highest - log_total


@kernel
def relative_to_best(
    codes: CodeArray,
    labels: LabelArray,
    itself: FloatArray,
    n_states: IntArray,
    n_c: CountArray,
    ess: float,
    log_posterior: FloatArray,
    relative: FloatArray,
    log_best: FloatArray,
) -> None:
    """Fill in P_{-r}(c_r | a_r, s_j) of a chunk, relative to the best SPODE of the row, and log of the best.

    A row with an unknown super-parent gives its SPODE P_{-r}(c_r).
    """
    k, n, n_classes = log_posterior.shape
    n_all = 0.0
    for c in range(n_classes):
        n_all += n_c[c]
    own = np.empty(k)
    for r in range(n):
        label = labels[r]
        prior = _log_less(n_c[label], itself[r], ess / n_classes) - _log_less(n_all, itself[r], ess)
        log_best[r] = -np.inf
        for j in range(k):
            own[j] = prior if codes[j, r] == n_states[j] else log_posterior[j, r, label]
            log_best[r] = max(log_best[r], own[j])
        # Relative to the best SPODE of the row, one number is 1: their mixture does not underflow.
        for j in range(k):
            relative[r, j] = np.exp(own[j] - log_best[r])


@kernel
def log_likelihood(
    relative: FloatArray, log_best: FloatArray, row_weights: FloatArray, weights: FloatArray
) -> float:
    """Return Σ_r log Σ_j w_j P_rj, summed in the order of the rows."""
    n, k = relative.shape
    weighted = len(row_weights) > 0
    log_lik = 0.0
    for r in range(n):
        mixture = 0.0
        for j in range(k):
            mixture += weights[j] * relative[r, j]
        times = row_weights[r] if weighted else 1.0
        log_lik += times * (np.log(mixture) + log_best[r])
    return log_lik


@kernel
def add_curvature(
    relative: FloatArray,
    row_weights: FloatArray,
    weights: FloatArray,
    sums: FloatArray,
    curvature: FloatArray,
) -> None:
    """Add Σ_r r_rj to the sums and Σ_r r_ri r_rj to the lower half of the curvature, row after row.

    Here r_rj = w_j P_rj / Σ_i w_i P_ri, the responsibility of a SPODE for a row.
    """
    n, k = relative.shape
    weighted = len(row_weights) > 0
    share = np.empty(k)
    for r in range(n):
        mixture = 0.0
        for j in range(k):
            share[j] = weights[j] * relative[r, j]
            mixture += share[j]
        times = row_weights[r] if weighted else 1.0
        for j in range(k):
            share[j] /= mixture
            sums[j] += times * share[j]
        # The matrix is symmetric: its lower half is enough.
        for i in range(k):
            factor = times * share[i]
            for j in range(i + 1):
                curvature[i, j] += factor * share[j]
