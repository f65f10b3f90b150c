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
from skcredal._kernels._jit import fused_kernel, kernel, step
from skcredal._kernels._vectors import LANES, add_4_rows, sum_4, sum_8

__all__ = ["add_contributions", "add_scores", "find_sets", "fold", "judge", "normalise"]

# Rows of a block, as in ``inference``.
BLOCK_ROWS = 256
# Scores closer than this belong to equal probabilities (as in ``skcredal._ties``).
TIE = 1e-12


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
    sums, block = np.empty((BLOCK_ROWS, LANES)), np.empty((LANES, BLOCK_ROWS))
    for start in range(0, n_rows, BLOCK_ROWS):
        n = min(BLOCK_ROWS, n_rows - start)
        for j in range(k):
            for r in range(n):
                cells[r, j] = value_offsets[j] + np.int64(codes[j, start + r]) * n_classes
        for first in range(0, n_classes, LANES):
            left = min(n_classes - first, LANES)
            for c in range(left):
                for r in range(BLOCK_ROWS):
                    block[c, r] = 0.0
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
                # Some rows after the last may be added up, too: a block has room for them.
                for lane in range(0, left, 4):
                    for r in range(0, n, 4):
                        add_4_rows(sums, r, lane, block, lane, left - lane, block)
            for c in range(left):
                for r in range(n):
                    scores[first + c, start + r] += block[c, r]


@kernel
def normalise(
    codes: CodeArray, n_states: IntArray, prior: FloatArray, scores: FloatArray, proba: FloatArray
) -> None:
    """Fill in the probabilities of rows, (rows, n_classes), from the scores of all codings.

    Where no super-parent is known, nothing speaks but the frequencies, at their own temperature: P(c).
    """
    n_classes, n_rows = scores.shape
    for r in range(n_rows):
        j = 0
        while j < len(n_states) and codes[j, r] == n_states[j]:
            j += 1
        if j == len(n_states):
            for c in range(n_classes):
                proba[r, c] = prior[c]
            continue
        highest = scores[0, r]
        for c in range(1, n_classes):
            highest = max(highest, scores[c, r])
        total = 0.0
        for c in range(n_classes):
            proba[r, c] = np.exp(scores[c, r] - highest)
            total += proba[r, c]
        for c in range(n_classes):
            proba[r, c] /= total


@step
def _score(logs: FloatArray, r: int, weights: FloatArray, scores: FloatArray) -> float:
    """Fill in the scores of a row's classes, up to a constant, and return the size of the largest.

    The score of a class is Σ_j w_j log p_j(c|a). An expert's normaliser is not needed for differences, and
    for the size it is replaced by what it can be at most: no exponential is taken, and classes that all
    experts find equally probable still have scores of some size, so that rounding does not tell them apart.
    """
    m, n_classes = len(weights), len(scores)
    most = np.log(n_classes)
    for c in range(n_classes):
        scores[c] = weights[0] * logs[0, r, c]
    for j in range(1, m):
        highest = logs[j, r, 0]
        for c in range(1, n_classes):
            highest = max(highest, logs[j, r, c])
        for c in range(n_classes):
            scores[c] += weights[j] * (logs[j, r, c] - highest - most)
    size = 0.0
    for c in range(n_classes):
        size = max(size, abs(scores[c]))
    return size


@step
def _best_class(scores: FloatArray) -> int:
    """Return the class of the highest score of a row, the first of those that are equal up to rounding."""
    highest = scores[0]
    for c in range(1, len(scores)):
        highest = max(highest, scores[c])
    best = 0
    while scores[best] < highest - TIE:
        best += 1
    return best


@step
def _turn(
    logs: FloatArray, r: int, one: int, other: int, free: IntArray, root: FloatArray, turned: FloatArray
) -> float:
    """Fill in Kᵀ δ with δ the log-odds of one class over another, and return its length: their spread."""
    turned[:] = 0.0
    for i in range(len(free)):
        delta = logs[free[i], r, one] - logs[free[i], r, other]
        # A row of K times one number: the loop over it becomes vector instructions.
        for t in range(i + 1):
            turned[t] += root[i, t] * delta
    square = 0.0
    for t in range(len(free)):
        square += turned[t] * turned[t]
    spread: float = np.sqrt(square)
    return spread


@step
def _distance(one: FloatArray, other: FloatArray) -> float:
    square = 0.0
    for t in range(len(one)):
        square += (one[t] - other[t]) ** 2
    distance: float = np.sqrt(square)
    return distance


@kernel
def find_sets(
    logs: FloatArray,
    weights: FloatArray,
    variances: FloatArray,
    free: IntArray,
    root: FloatArray,
    z: float,
    tie: float,
    sets: BoolArray,
) -> None:
    """Fill in the classes of every row that no other dominates, (rows, n_classes).

    ``logs``, (1 + m, rows, n_classes), is what the experts say, each up to a constant; the null model is the
    first. ``root`` is the lower triangle K with K Kᵀ = C, the covariance of the weights that are ``free``;
    the spread of log-odds δ is ``√(δᵀ C δ) = ‖Kᵀ δ‖``.
    """
    m, n_rows, n_classes = logs.shape
    scores = np.empty(n_classes)
    turned = np.empty((n_classes, len(free)))
    for r in range(n_rows):
        threshold = tie * _score(logs, r, weights, scores)
        best = _best_class(scores)
        # Dominance is transitive: whom the best class leaves is all that is left to compare.
        for d in range(n_classes):
            sets[r, d] = True
            if d == best:
                turned[d] = 0.0
                continue
            # Cheap first: the data only ever make the weights surer than their prior, whose variances bound
            # the spread from above.
            square = 0.0
            for j in range(m):
                delta = logs[j, r, best] - logs[j, r, d]
                square += variances[j] * delta * delta
            gap = scores[best] - scores[d]
            # Not ``<=``: a score that is NaN leaves nobody out.
            if gap - z * np.sqrt(square) > threshold:
                sets[r, d] = False
            else:
                spread = _turn(logs, r, best, d, free, root, turned[d])
                sets[r, d] = not gap - z * spread > threshold
        for c in range(n_classes):
            for d in range(n_classes):
                if c in (d, best) or d == best or not (sets[r, c] and sets[r, d]):
                    continue
                # Against the best class both were turned already: their difference is Kᵀ of their own.
                spread = _distance(turned[c], turned[d])
                sets[r, d] = not scores[c] - scores[d] - z * spread > threshold


@kernel
def judge(
    logs: FloatArray,
    weights: FloatArray,
    free: IntArray,
    root: FloatArray,
    scores: FloatArray,
    sizes: FloatArray,
    spreads: FloatArray,
) -> None:
    """Fill in the scores of the classes, (rows, n_classes), their sizes, and the spreads of all log-odds.

    The spread of the log-odds of two classes is that of :func:`find_sets`, (rows, n_classes, n_classes).
    """
    n_rows, n_classes = scores.shape
    turned = np.zeros((n_classes, len(free)))
    for r in range(n_rows):
        sizes[r] = _score(logs, r, weights, scores[r])
        for c in range(n_classes):
            spreads[r, c, c] = 0.0
            if c > 0:
                _turn(logs, r, 0, c, free, root, turned[c])
            for d in range(c):
                spreads[r, c, d] = spreads[r, d, c] = _distance(turned[c], turned[d])


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
