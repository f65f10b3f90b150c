"""The logarithmic pool of SPODEs: its scores from folded tables, and what a set of weights needs (§12).

The normalisers of the SPODEs cancel in log-odds, so that a class's score is a sum over pairs of features, and
the weights go into the tables once: for a pair i < j the entry ``w_i log P(a_j|a_i,c) + w_j log
P(a_i|a_j,c)``, for a feature ``w_i log P(a_i|c)``. The entries of the pairs lie in lines, one for each value
of the first feature: those for every value of every later feature side by side. A row reads half of what the
SPODEs by themselves would, and needs one exponential for each class.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Folded, Tables
from skcredal._kernels._instructions import LANES, sum_4, sum_8
from skcredal._kernels._jit import fused_kernel, kernel

__all__ = ["add_contributions", "add_scores", "find_doubtful", "fold", "judge"]

# Rows of a block, as in ``inference``.
BLOCK_ROWS = 256


@kernel
def fold(tables: Tables, weights: FloatArray, folded: Folded) -> None:
    """Fill in the folded tables of one coding; what belongs to an unknown value stays 0."""
    n_states, log_c, log_a, value_offsets, log_ratio, line_offsets = tables
    k, n_classes, end = len(n_states), len(log_c), value_offsets[len(n_states)]
    for i in range(k):
        for cell in range(value_offsets[i], value_offsets[i] + n_states[i] * n_classes):
            folded.singles[cell] = weights[i] * log_a[cell]
    for i in range(k):
        # The lines of a super-parent begin with the feature after it and go round (see ``parameters``).
        line_i = end - value_offsets[i + 1] + value_offsets[i]
        for j in range(i + 1, k):
            line_j = end - value_offsets[j + 1] + value_offsets[j]
            for a in range(n_states[i]):
                of_a = value_offsets[i] + a * n_classes
                to_j = line_offsets[i] + a * line_i - value_offsets[i + 1]
                target = folded.line_offsets[i] + (a * (end - value_offsets[i + 1])) - value_offsets[i + 1]
                for b in range(n_states[j]):
                    of_b = value_offsets[j] + b * n_classes
                    to_i = line_offsets[j] + b * line_j - value_offsets[j + 1] + end
                    for c in range(n_classes):
                        folded.pairs[target + of_b + c] = weights[i] * (
                            log_ratio[to_j + of_b + c] + log_a[of_b + c]
                        ) + weights[j] * (log_ratio[to_i + of_a + c] + log_a[of_a + c])


@fused_kernel
def add_scores(codes: CodeArray, folded: Folded, n_classes: int, scores: FloatArray) -> None:
    """Add what the features of one coding contribute to the scores of rows, (n_classes, rows)."""
    k, n_rows = codes.shape
    value_offsets, end = folded.value_offsets, folded.value_offsets[k]
    cells = np.empty((BLOCK_ROWS, k), np.uint32)
    sums = np.empty((BLOCK_ROWS, LANES))
    for start in range(0, n_rows, BLOCK_ROWS):
        n = min(BLOCK_ROWS, n_rows - start)
        for j in range(k):
            for r in range(n):
                cells[r, j] = value_offsets[j] + np.int64(codes[j, start + r]) * n_classes
        for first in range(0, n_classes, LANES):
            left = min(n_classes - first, LANES)
            # The singles as if they were the line of a feature in front of all others.
            for i in range(-1, k - 1):
                origin, length = np.int64(first), np.int64(0)
                if i >= 0:
                    length = end - value_offsets[i + 1]
                    origin += folded.line_offsets[i] - value_offsets[i + 1]
                table = folded.singles if i < 0 else folded.pairs
                for r in range(n):
                    code = np.int64(0) if i < 0 else np.int64(codes[i, start + r])
                    # Up to four classes would waste half of a wide vector.
                    if left > 4:
                        sum_8(table, origin + code * length, cells, r, i + 1, k - 1 - i, sums)
                    else:
                        sum_4(table, origin + code * length, cells, r, i + 1, k - 1 - i, sums)
                for c in range(left):
                    for r in range(n):
                        scores[first + c, start + r] += sums[r, c]


@kernel
def find_doubtful(
    logs: FloatArray,
    best: IntArray,
    weights: FloatArray,
    variances: FloatArray,
    z: float,
    tie: float,
    doubtful: BoolArray,
) -> None:
    """Fill in for which rows the most probable class may fail to dominate another.

    ``logs``, (1 + m, rows, n_classes), is what the experts say, each up to a constant; the null model is the
    first. The data only ever make the weights surer than their prior, whose ``variances`` therefore bound the
    spread of log-odds from above (0 for a weight that does not vary).
    """
    m, n_rows, n_classes = logs.shape
    gap, square, depth = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    # The normaliser of an expert lies at most this much above its largest logarithm.
    slack = 0.0
    for j in range(m):
        slack += abs(weights[j]) * np.log(n_classes)
    for r in range(n_rows):
        for c in range(n_classes):
            gap[c], square[c], depth[c] = 0.0, 0.0, 0.0
        for j in range(m):
            highest = logs[j, r, 0]
            for c in range(1, n_classes):
                highest = max(highest, logs[j, r, c])
            own = logs[j, r, best[r]]
            for c in range(n_classes):
                delta = own - logs[j, r, c]
                gap[c] += weights[j] * delta
                square[c] += variances[j] * delta * delta
                depth[c] += abs(weights[j]) * (highest - logs[j, r, c])
        deepest = 0.0
        for c in range(n_classes):
            deepest = max(deepest, depth[c])
        doubtful[r] = False
        for c in range(n_classes):
            # Not ``<=``: NaN counts as doubt, too.
            if c != best[r] and not gap[c] - z * np.sqrt(square[c]) > tie * (deepest + slack):
                doubtful[r] = True


@kernel
def judge(
    logs: FloatArray,
    best: IntArray,
    weights: FloatArray,
    free: IntArray,
    root: FloatArray,
    scores: FloatArray,
    spreads: FloatArray,
) -> None:
    """Fill in the scores of the classes, (rows, n_classes), and the spread of the log-odds of each two.

    The score of a class is Σ_j w_j log p_j(c|a). ``root`` is the lower triangle K with K Kᵀ = C, the
    covariance of the weights that are ``free``; the spread of log-odds δ is ``√(δᵀ C δ) = ‖Kᵀ δ‖``.
    """
    m, n_rows, n_classes = logs.shape
    n_free = len(free)
    # Kᵀ δ of every class against the best one: those of any two classes differ by Kᵀ of their own log-odds.
    turned = np.empty((n_classes, n_free))
    for r in range(n_rows):
        for c in range(n_classes):
            scores[r, c] = 0.0
        for j in range(m):
            highest = logs[j, r, 0]
            for c in range(1, n_classes):
                highest = max(highest, logs[j, r, c])
            total = 0.0
            for c in range(n_classes):
                total += np.exp(logs[j, r, c] - highest)
            normaliser = highest + np.log(total)
            for c in range(n_classes):
                scores[r, c] += weights[j] * (logs[j, r, c] - normaliser)
        turned[:] = 0.0
        for i in range(n_free):
            own = logs[free[i], r, best[r]]
            for c in range(n_classes):
                delta = own - logs[free[i], r, c]
                # A row of K times one number: the loop over it becomes vector instructions.
                if delta != 0.0:
                    for t in range(i + 1):
                        turned[c, t] += root[i, t] * delta
        for c in range(n_classes):
            spreads[r, c, c] = 0.0
            for d in range(c):
                square = 0.0
                for t in range(n_free):
                    square += (turned[c, t] - turned[d, t]) ** 2
                spreads[r, c, d] = spreads[r, d, c] = np.sqrt(square)


@kernel
def add_contributions(
    codes: CodeArray,
    tables: Tables,
    weights: FloatArray,
    one: IntArray,
    other: IntArray,
    contributions: FloatArray,
) -> None:
    """Fill in what each feature of a coding adds to the log-odds of one class over another, (k, rows).

    Feature i adds ``w_i Δlog P(a_i|c) + Σ_{j≠i} w_j Δlog P(a_i|a_j,c)`` over the super-parents j that the row
    knows; an unknown one adds nothing.
    """
    n_states, log_c, log_a, value_offsets, log_ratio, line_offsets = tables
    k, n_rows = codes.shape
    n_classes, end = len(log_c), value_offsets[k]
    for r in range(n_rows):
        c, d = one[r], other[r]
        known = 0.0
        for j in range(k):
            if codes[j, r] < n_states[j]:
                known += weights[j]
        for i in range(k):
            contributions[i, r] = 0.0
            if codes[i, r] == n_states[i]:
                continue
            of_i = value_offsets[i] + np.int64(codes[i, r]) * n_classes
            # log P(a_i|a_j,c) is log P(a_i|c) plus the correction of super-parent j.
            total = known * (log_a[of_i + c] - log_a[of_i + d])
            for j in range(k):
                if j == i or codes[j, r] == n_states[j]:
                    continue
                line = line_offsets[j] - value_offsets[j + 1] + (end if i < j else 0)
                line += np.int64(codes[j, r]) * (end - value_offsets[j + 1] + value_offsets[j])
                total += weights[j] * (log_ratio[line + of_i + c] - log_ratio[line + of_i + d])
            contributions[i, r] = total
