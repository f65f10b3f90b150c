"""Naive Bayes for a chunk of rows, the tree of features that makes TAN of it, and CMA (§8).

Tables are laid out as in ``parameters``: the class is innermost, and the last value of a feature is the
unknown one, whose entries are zeros, so that its factors drop out.

In CMA the score of a class is P(c) times one factor per feature, ``w_j P(a_j|c) + (1-w_j) P(a_j)``, where w_j
is the posterior probability that the feature is in the model. The ratio of two such factors is monotone in
the inclusion probability, so that each takes its extremes at the ends: ``log_low`` and ``log_high`` hold the
logarithms of the factors there.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, CountArray, FloatArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = [
    "add_corrections",
    "cma_intervals",
    "cma_sets",
    "conditional_information",
    "naive_log_joints",
    "normalise_rows",
]

# The logarithm of the least ratio must exceed this: classes equal up to rounding stay together (§7).
TIE = 1e-10


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
    # Feature by feature, as the codes lie in memory; the scores of a chunk stay in the cache.
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
        # One more than the states: an unknown value has a slot too, with zeros.
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
        # Less the highest: at least one exponential is 1, however small the joint probabilities are.
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


@kernel
def _find_cells(codes: CodeArray, offsets: IntArray, n_classes: int, r: int, cells: IntArray) -> None:
    """Fill in where the factors of a row's values begin."""
    for j in range(len(codes)):
        cells[j] = offsets[j] + np.int64(codes[j, r]) * n_classes


@kernel
def _least_log_ratio(
    cells: IntArray, log_c: FloatArray, log_low: FloatArray, log_high: FloatArray, c: int, d: int
) -> float:
    """Return the minimum of log P(c, a) - log P(d, a) over the inclusion probabilities, factor by factor."""
    minimum = float(log_c[c] - log_c[d])
    for cell in cells:
        at_low = log_low[cell + c] - log_low[cell + d]
        at_high = log_high[cell + c] - log_high[cell + d]
        # The inclusion probabilities vary independently: each factor takes its own minimum (§8).
        minimum += min(at_low, at_high)
    return minimum


@kernel
def cma_sets(
    codes: CodeArray,
    offsets: IntArray,
    log_c: FloatArray,
    log_low: FloatArray,
    log_high: FloatArray,
    best: IntArray,
    out: BoolArray,
) -> None:
    """Fill in the maximal sets; ``best`` is the most probable class of each row under the reference prior.

    It is tested against all others first, and only the survivors are compared with each other, which gives
    the same set because dominance is transitive.
    """
    k, n = codes.shape
    n_classes = len(log_c)
    cells = np.empty(k, np.int64)
    for r in range(n):
        _find_cells(codes, offsets, n_classes, r, cells)
        # The best class first: where the data decide, it alone removes all rivals, at one test each.
        b = best[r]
        for d in range(n_classes):
            out[r, d] = d == b or not _least_log_ratio(cells, log_c, log_low, log_high, b, d) > TIE
        # A class that is dominated at all is dominated by a survivor.
        for c in range(n_classes):
            for d in range(n_classes):
                if c != b and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _least_log_ratio(cells, log_c, log_low, log_high, c, d) > TIE


@kernel
def _share(log_odds: FloatArray) -> float:
    """Return 1/Σ_d exp(log_odds_d), where one of them is 0, without overflow."""
    highest = 0.0
    for d in range(len(log_odds)):
        highest = max(highest, log_odds[d])
    total = 0.0
    for d in range(len(log_odds)):
        total += np.exp(log_odds[d] - highest)
    return float(np.exp(-highest) / total)


@kernel
def cma_intervals(
    codes: CodeArray,
    offsets: IntArray,
    log_c: FloatArray,
    log_low: FloatArray,
    log_high: FloatArray,
    reference: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in bounds on the probability of every class, (rows, classes, 2).

    Every ratio is taken at its own extreme: exact for two classes; for more, where no single prior may attain
    all of them, the bounds may be wider than necessary. The reference prior is in the set; rounding must not
    leave it outside the bounds.
    """
    k, n = codes.shape
    n_classes = len(log_c)
    cells = np.empty(k, np.int64)
    most, least = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    for r in range(n):
        _find_cells(codes, offsets, n_classes, r, cells)
        for c in range(n_classes):
            for d in range(n_classes):
                if c != d:
                    minimum = _least_log_ratio(cells, log_c, log_low, log_high, c, d)
                    # The least ratio of c to d is the inverse of the greatest of d to c.
                    most[c, d], least[d, c] = -minimum, minimum
        for c in range(n_classes):
            out[r, c, 0] = min(reference[r, c], _share(most[c]))
            out[r, c, 1] = max(reference[r, c], _share(least[c]))
