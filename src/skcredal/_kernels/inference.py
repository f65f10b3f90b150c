"""What every SPODE says about rows, and the averages of it.

Rows are processed in blocks. Each cell of a row becomes an offset into the tables, ``cells[r, j]``: that of
its value's first class. What SPODE i says about a row is naive Bayes plus the sum of its corrections, which
are contiguous in the line of ``log_ratio`` that belongs to the value of its super-parent (see
``parameters``): k - 1 look-ups of neighbouring numbers, one per class, added in a register and written once.
A line begins with the feature after i and wraps around; the offsets are stored twice in ``cells``, so that a
window of them follows the same order. Only then come the exponentials and the weights: nothing of the size
rows × features × classes is kept unless it is asked for. Arrays of a block are ``[class, row]``: their loops
run over rows and become vector instructions.

A SPODE whose super-parent is unknown in a row is left out of that row (§1).
"""

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Average, Decision, Likelihoods, Tables
from skcredal._kernels._jit import fused_kernel, kernel, step
from skcredal._kernels._vectors import BLOCK_ROWS, LANES, WIDTH, add_4_rows, exponentiate, sum_4, sum_8

__all__ = [
    "BLOCK_ROWS",
    "LANES",
    "WIDTH",
    "find_doubtful",
    "infer",
    "mean_joint",
    "spode_log_joints",
]

# Rows are taken in the order of a super-parent's values where its lines, in numbers, leave the first cache,
# and where there are so many more features than values that putting the rows in order costs little.
MOST_CACHED, FEATURES_A_VALUE = 8192, 8
# A block is first reduced to so many sums and products, of rows this far apart: a logarithm serves 32 rows.
STRIDE = 8
# Probabilities closer than this, relative to the largest, are equal (as in ``skcredal._ties``).
TIE = 1e-12


@step
def _locate_cells(
    codes: CodeArray, start: int, n: int, value_offsets: IntArray, n_classes: int, cells: AnyArray
) -> None:
    """Fill in the offsets of a block's cells, and a second time for lines that have wrapped around."""
    k = codes.shape[0]
    for j in range(k):
        for r in range(n):
            offset = value_offsets[j] + np.int64(codes[j, start + r]) * n_classes
            cells[r, j] = offset
            cells[r, k + j] = offset + value_offsets[k]


@step
def _order_rows(values: CodeArray, n: int, v: int, order: IntArray) -> None:
    """Fill in the rows of a block in the order of their values, from 0 to v, of a feature."""
    filled = 0
    for a in range(v + 1):
        for r in range(n):
            # Stored in any case, and overwritten unless the value fits: a branch would be guessed wrong.
            order[filled] = r
            filled += values[r] == a


@step
def _sum_window(
    table: FloatArray,
    origin: int,
    slots: int,
    i: int,
    cells: AnyArray,
    n: int,
    rows: IntArray,
    window: int,
    size: int,
    left: int,
    sums: FloatArray,
) -> None:
    """Fill in the sums over the cells of a window, for up to eight classes.

    The line of a row begins at ``origin`` plus ``slots`` times the offset of its cell i.
    """
    for t in range(n):
        r = rows[t]
        begin = origin + np.int64(cells[r, i]) * slots
        # Up to four classes would waste half of a wide vector.
        if left > 4:
            sum_8(table, begin, cells, r, window, size, sums)
        else:
            sum_4(table, begin, cells, r, window, size, sums)


@step
def _add_up(
    i: int,
    cells: AnyArray,
    n: int,
    rows: IntArray,
    log_c: FloatArray,
    log_a: FloatArray,
    value_offsets: IntArray,
    log_ratio: FloatArray,
    line_offsets: IntArray,
    naive: FloatArray,
    sums: FloatArray,
    block: FloatArray,
) -> None:
    """Fill in log P(c, a | s_i) of a block; with -1 for i, ``naive``: log P(c) + Σ_j log P(a_j|c).

    Both are one step with one call of the sum, which takes long to compile.
    """
    n_classes, k = len(log_c), len(value_offsets) - 1
    table, slots, origin, window, size = log_a, 0, 0, 0, k
    target = naive if i < 0 else block
    if i < 0:
        for c in range(n_classes):
            for r in range(n):
                naive[c, r] = log_c[c]
    else:
        # A line is this many times as long as the step of the offsets from one value to the next, n_classes.
        slots = (value_offsets[k] - value_offsets[i + 1] + value_offsets[i]) // n_classes
        origin = line_offsets[i] - value_offsets[i] * slots - value_offsets[i + 1]
        table, window, size = log_ratio, i + 1, k - 1
    for first in range(0, n_classes, LANES):
        left = min(n_classes - first, LANES)
        _sum_window(table, origin + first, slots, max(i, 0), cells, n, rows, window, size, left, sums)
        # Some rows after the last may be added up, too: the arrays have room for whole blocks.
        for lane in range(0, left, 4):
            for r in range(0, n, 4):
                add_4_rows(sums, r, lane, naive, first + lane, left - lane, target)


@kernel
def spode_log_joints(
    codes: CodeArray,
    log_c: FloatArray,
    log_a: FloatArray,
    value_offsets: IntArray,
    log_ratio: FloatArray,
    line_offsets: IntArray,
    log_joint: FloatArray,
) -> None:
    """Fill in log P(c, a | s_j), (k, rows, n_classes)."""
    k, n_rows = codes.shape
    n_classes = len(log_c)
    cells, rows = np.empty((BLOCK_ROWS, max(2 * k, 1)), np.uint32), np.empty(BLOCK_ROWS, np.int64)
    for r in range(BLOCK_ROWS):
        rows[r] = r
    sums = np.empty((BLOCK_ROWS, LANES))
    naive, block = np.empty((n_classes, BLOCK_ROWS)), np.empty((n_classes, BLOCK_ROWS))
    for start in range(0, n_rows, BLOCK_ROWS):
        n = min(BLOCK_ROWS, n_rows - start)
        _locate_cells(codes, start, n, value_offsets, n_classes, cells)
        for j in range(-1, k):
            _add_up(
                j, cells, n, rows, log_c, log_a, value_offsets, log_ratio, line_offsets, naive, sums, block
            )
            if j >= 0:
                for r in range(n):
                    for c in range(n_classes):
                        log_joint[j, start + r, c] = block[c, r]


@step
def _add_up_block(own: FloatArray, total: FloatArray, weights: FloatArray, start: int, n: int) -> float:
    """Return the weighted sum of ``own - log total`` over a block, whose arrays are overwritten."""
    sum_ = 0.0
    if len(weights) > 0:
        for r in range(n):
            sum_ += weights[start + r] * (own[r] - np.log(total[r]))
        return sum_
    # A sum of logarithms is the logarithm of the product, which cannot overflow: it has 32 factors, each
    # between 1 and the number of classes.
    for far in range(STRIDE, n, STRIDE):
        for r in range(min(STRIDE, n - far)):
            own[r] += own[far + r]
            total[r] *= total[far + r]
    for r in range(min(STRIDE, n)):
        sum_ += own[r] - np.log(total[r])
    return sum_


@fused_kernel
def infer(
    codes: CodeArray,
    origin: int,
    first: int,
    last: int,
    tables: Tables,
    wanted: BoolArray,
    said: FloatArray,
    looked_up: bool,
    average: Average,
    likelihoods: Likelihoods,
) -> None:
    """Compute P(c | a, s_j) of the rows from first to last, and fill in what is wanted.

    SPODEs that are not ``wanted`` take no part. ``said``, (blocks, k, n_classes, ``WIDTH``), or empty if not
    wanted: P(c | a, s_j) itself. With ``looked_up`` it holds log P(c, a | s_j), found by ``packing``; that is
    computed here otherwise. Row 0 of every other result is ``origin``. All of it is one kernel, because
    compilation takes seconds for each that holds these loops.
    """
    n_states, log_c, log_a, value_offsets, log_ratio, line_offsets = tables
    weights, left_out, mean, posterior = average
    labels, row_weights, log_floor, log_lik = likelihoods
    k, n_classes = codes.shape[0], len(log_c)
    # A column at least, since the step for naive Bayes looks at the first cell even if it has no use for it.
    cells, rows = np.empty((BLOCK_ROWS, max(2 * k, 1)), np.uint32), np.empty(BLOCK_ROWS, np.int64)
    # A loop, as np.arange takes a tenth of a second to compile; likewise np.zeros, below.
    for r in range(BLOCK_ROWS):
        rows[r] = r
    sums = np.empty((BLOCK_ROWS, LANES))
    naive, answer = np.empty((n_classes, BLOCK_ROWS)), np.empty((n_classes, BLOCK_ROWS))
    order = np.empty(BLOCK_ROWS + 1, np.int64)
    total, weight, highest = np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS)
    own = np.empty(BLOCK_ROWS)
    # Empty results are not wanted.
    learn, keep, everything = log_lik.size > 0, posterior.size > 0, said.size > 0
    # What the SPODEs say: of all of them, or of one at a time.
    blocks = said if everything else np.empty((1, 1, n_classes, BLOCK_ROWS))
    for start in range(first, last, BLOCK_ROWS):
        n, to = min(BLOCK_ROWS, last - start), start - origin
        b = (start - first) // BLOCK_ROWS if everything else 0
        if not looked_up:
            _locate_cells(codes, start, n, value_offsets, n_classes, cells)
        for r in range(n):
            weight[r] = 0.0
        for c in range(n_classes):
            for r in range(n):
                answer[c, r] = 0.0
        # Naive Bayes comes first, as number -1: every SPODE starts from it.
        for j in range(0 if looked_up else -1, k):
            if j >= 0 and not wanted[j]:
                continue
            block = blocks[b, max(j, 0) if everything else 0]
            if not looked_up:
                some = rows
                if j >= 0:
                    few_values = FEATURES_A_VALUE * (n_states[j] + 1) <= k
                    if few_values and line_offsets[j + 1] - line_offsets[j] > MOST_CACHED:
                        _order_rows(codes[j, start:], n, n_states[j], order)
                        some = order
                _add_up(
                    j,
                    cells,
                    n,
                    some,
                    log_c,
                    log_a,
                    value_offsets,
                    log_ratio,
                    line_offsets,
                    naive,
                    sums,
                    block,
                )
                if j < 0:
                    continue
            # Kept now: the exponentials overwrite the logarithms.
            if learn:
                for r in range(n):
                    own[r] = block[labels[start + r], r]
            exponentiate(block, n, highest, total)
            # Most blocks know the super-parent in all rows, and a loop without branches tells at once. Of the
            # same type as the codes: bytes are compared many at once, larger numbers are not.
            values, absent, unknown = codes[j, start : start + n], codes.dtype.type(n_states[j]), False
            for r in range(n):
                unknown |= values[r] == absent
            if learn:
                for r in range(n):
                    own[r] -= highest[r]
                # A floor applies to each row, so that rows cannot share a logarithm.
                if log_floor > -np.inf:
                    for r in range(n):
                        own[r], total[r] = max(own[r] - np.log(total[r]), log_floor), 1.0
                # A row without the super-parent adds log P(c): all likelihoods have n terms (§1).
                if unknown:
                    for r in range(n):
                        if values[r] == absent:
                            own[r], total[r] = log_c[labels[start + r]], 1.0
                log_lik[to // BLOCK_ROWS, j] = _add_up_block(own, total, row_weights, start, n)
                continue
            for r in range(n):
                own[r] = weights[j]
                # Unlike the operator, it has no check for 0, which would keep the loop from being vectorised.
                total[r] = np.divide(1.0, total[r])
            if unknown:
                for r in range(n):
                    if values[r] == absent:
                        own[r] = 0.0
            for r in range(n):
                weight[r] += own[r]
            for c in range(n_classes):
                for r in range(n):
                    block[c, r] *= total[r]
                    answer[c, r] += own[r] * block[c, r]
            if keep:
                for r in range(n):
                    known = values[r] < absent
                    for c in range(n_classes):
                        posterior[j, to + r, c] = block[c, r] if known else left_out
        if learn:
            continue
        for r in range(n):
            for c in range(n_classes):
                if weight[r] > 0.0:
                    mean[to + r, c] = answer[c, r] / weight[r]
                else:
                    # No SPODE with weight is left in this row: the null model answers (§1).
                    mean[to + r, c] = np.exp(log_c[c])


@step
def _best_class(proba: FloatArray) -> int:
    """Return the most probable class of a row, the first of those that are equal up to rounding."""
    highest = proba[0]
    for c in range(1, len(proba)):
        highest = max(highest, proba[c])
    best = 0
    while proba[best] < highest * (1.0 - TIE):
        best += 1
    return best


@fused_kernel
def find_doubtful(
    codes: CodeArray, first: int, last: int, n_states: IntArray, said: FloatArray, decision: Decision
) -> None:
    """Fill in which of the rows from first to last need a closer look to know what remains of the classes.

    ``said[b, j, c, r]`` is P(c | a, s_j) of row r of block b. A set of priors gives SPODE j a factor between
    ``least`` and ``most``. The best class certainly dominates another if it is ahead by more than the tie
    when every SPODE, for itself, has the factor that favours the other most.
    """
    mean, least, most, tie, best, doubtful = decision
    k, n_classes = said.shape[1:3]
    doubt, own = np.empty(BLOCK_ROWS, np.int64), np.empty(BLOCK_ROWS)
    winner, bound = np.empty(BLOCK_ROWS, np.int64), np.empty((n_classes, BLOCK_ROWS))
    for start in range(first, last, BLOCK_ROWS):
        n, block = min(BLOCK_ROWS, last - start), said[(start - first) // BLOCK_ROWS]
        for r in range(n):
            winner[r] = _best_class(mean[start + r])
            doubt[r] = 0
        for d in range(n_classes):
            for r in range(n):
                bound[d, r] = 0.0
        for j in range(k):
            if most[j] <= 0.0:
                continue
            low, high, values = least[j], most[j], codes[j, start : start + n]
            absent = codes.dtype.type(n_states[j])
            # Without the super-parent of such a SPODE, the factors of the others are different ones.
            for r in range(n):
                own[r] = block[j, winner[r], r]
                doubt[r] |= values[r] == absent
            for d in range(n_classes):
                for r in range(n):
                    difference = own[r] - block[j, d, r]
                    bound[d, r] += difference * (low if difference >= 0.0 else high)
        # Not ``<=``: NaN counts as doubt, too.
        for d in range(n_classes):
            for r in range(n):
                doubt[r] |= d != winner[r] and not bound[d, r] > tie
        for r in range(n):
            best[start + r] = winner[r]
            doubtful[start + r] = doubt[r] > 0


@kernel
def mean_joint(
    codes: CodeArray,
    n_states: IntArray,
    log_joint: FloatArray,
    log_weights: FloatArray,
    prior: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in Σ_j w_j P(c, a | s_j), normalised over the classes.

    With equal weights it is Webb's AODE, without a frequency limit.
    """
    k, n, n_classes = log_joint.shape
    for r in range(n):
        # One shift for all SPODEs of a row: joint probabilities are averaged, whose sizes count.
        highest = -np.inf
        for j in range(k):
            if codes[j, r] < n_states[j]:
                for c in range(n_classes):
                    highest = max(highest, log_weights[j] + log_joint[j, r, c])
        for c in range(n_classes):
            out[r, c] = 0.0
        total = 0.0
        for j in range(k):
            if codes[j, r] < n_states[j]:
                for c in range(n_classes):
                    likely = np.exp(log_weights[j] + log_joint[j, r, c] - highest)
                    out[r, c] += likely
                    total += likely
        for c in range(n_classes):
            out[r, c] = out[r, c] / total if total > 0.0 else prior[c]
