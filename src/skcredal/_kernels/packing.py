"""What every SPODE says about many rows, where values are few.

A feature j under a super-parent i has a number for each class and pair of values, that of index ``a_j · v_i +
a_i``. Where values are few, the numbers of a class fit in a few registers: rows are looked up eight at a
time, where ``inference``, which takes the classes of one row at a time, would leave most of a vector empty.
The tables of a super-parent are packed for it, which pays for many rows. The answers are the same to the last
bit.
"""

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Folded, Packed, Tables
from skcredal._kernels._jit import kernel, step
from skcredal._kernels._vectors import BLOCK_ROWS, CAN_PERMUTE, LANES, PIECE, WIDTH, look_up_2, look_up_3

__all__ = ["CAN_PERMUTE", "MOST_INDICES", "MOST_PERMUTATIONS", "PIECE", "look_up_joints", "look_up_scores"]

# An index is a byte.
MOST_INDICES = 256
# So many permutations for a feature take as long as adding up its classes row by row.
MOST_PERMUTATIONS = 8
# Tables of this many numbers, 32 KiB, stay in the first cache.
MOST_CACHED = 4096


@step
def _make_room(k: int, n_packed: int) -> Packed:
    """Return empty tables of so many numbers, for k features and one more that may be added."""
    return Packed(
        np.empty(n_packed + LANES),
        np.empty(k + 1, np.int64),
        np.empty(k + 1, np.int64),
        np.empty(k + 1, np.int64),
    )


@step
def _number_states(
    codes: CodeArray,
    first: int,
    last: int,
    i: int,
    n_states: IntArray,
    numbered: int,
    gaps: BoolArray,
    states: AnyArray,
    own_states: AnyArray,
) -> int:
    """Fill in the two parts of the rows' indices under super-parent i, and which features have gaps.

    The ``states`` of the features are multiplied by how many the super-parent has; that is returned, and
    ``numbered`` is what was returned before.
    """
    n, v = last - first, 1
    if i >= 0:
        v = n_states[i]
    if v != numbered:
        for j in range(len(n_states)):
            values, gap = codes[j, first:last], False
            # Of the same type as the codes: bytes are compared many at once, larger numbers are not.
            absent = codes.dtype.type(n_states[j])
            for r in range(n):
                gap |= values[r] == absent
                states[j, r] = values[r] * v
            gaps[j] = gap
    for r in range(n):
        own_states[r] = 0
    if i >= 0:
        values, absent = codes[i, first:last], codes.dtype.type(v)
        for r in range(n):
            own_states[r] = values[r] if values[r] < absent else 0
    return v


@step
def _pack(
    i: int,
    last: int,
    v: int,
    table: FloatArray,
    origin: int,
    line: int,
    n_states: IntArray,
    value_offsets: IntArray,
    n_classes: int,
    gaps: BoolArray,
    packed: Packed,
) -> int:
    """Fill in the packed tables of super-parent i, which has v values, for the ``last`` features after it.

    The number of the values a of i and b of j for a class c is in ``table``, at the sum of ``origin``, a
    ``line`` for each value before a, and the offset of b and c; features after the last one are the first
    ones again. Returns the number of features, made even by one whose numbers are zeros.
    """
    k = len(n_states)
    # Where a line of the cache begins, too.
    begin = -(packed.numbers.ctypes.data // 8) % LANES
    for t in range(last):
        j, source = i + 1 + t, origin
        if j >= k:
            j -= k
            source += value_offsets[k]
        source += value_offsets[j]
        # Where every row knows the feature, the unknown value, whose numbers are zeros, is left out.
        n_values = n_states[j] + gaps[j]
        size = -(-n_values * v // PIECE) * PIECE
        packed.features[t], packed.begins[t], packed.sizes[t] = j, begin, size
        for c in range(n_classes):
            for b in range(n_values):
                for a in range(v):
                    packed.numbers[begin + b * v + a] = table[source + a * line + b * n_classes + c]
            begin += size
    if last % 2 == 1:
        packed.features[last], packed.begins[last], packed.sizes[last] = 0, begin, PIECE
        for t in range(begin, begin + PIECE * n_classes):
            packed.numbers[t] = 0.0
    return last + last % 2


@step
def _look_up(
    packed: Packed,
    n_features: int,
    states: AnyArray,
    own_states: AnyArray,
    start: int,
    n: int,
    partial: FloatArray,
    base: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in ``base`` plus what the features contribute to the rows of a block, (classes, rows).

    The block begins at row ``start`` of the states; ``own_states`` are those of the super-parent.
    """
    n_classes, first = len(out), 0
    while first < n_features:
        # Some features at a time, whose tables stay in the first cache for all rows of the block.
        last = first + 2
        while last < n_features and packed.begins[last] - packed.begins[first] < MOST_CACHED:
            last += 2
        c = 0
        while c < n_classes:
            two = n_classes - c == 2 or n_classes - c == 4
            if two:
                look_up_2(
                    packed, n_features, first, last, states, own_states, start, n, c, partial, base, out
                )
            else:
                look_up_3(
                    packed, n_features, first, last, states, own_states, start, n, c, partial, base, out
                )
            c += 2 if two else 3
        first = last


@kernel
def look_up_joints(
    codes: CodeArray,
    first: int,
    last: int,
    tables: Tables,
    wanted: BoolArray,
    n_packed: int,
    joints: FloatArray,
) -> None:
    """Fill in log P(c, a | s_j) of the rows from first to last, (blocks, k, n_classes, ``WIDTH``).

    SPODEs that are not ``wanted`` are left out. ``n_packed`` is how many numbers the packed tables of a
    super-parent have at most. Where a super-parent is unknown, what its SPODE says has no meaning.
    """
    n_states, log_c, log_a, value_offsets, log_ratio, line_offsets = tables
    k, n, n_classes = len(n_states), last - first, len(log_c)
    n_blocks = -(-n // BLOCK_ROWS)
    packed = _make_room(k, n_packed)
    states, own_states = np.empty((k, n_blocks * WIDTH), np.uint8), np.empty(n_blocks * WIDTH, np.uint8)
    gaps, partial = np.empty(k, np.bool_), np.empty((2 * n_classes, WIDTH))
    naive = np.empty((n_blocks, n_classes, WIDTH))
    for b in range(n_blocks):
        for c in range(n_classes):
            for r in range(WIDTH):
                naive[b, c, r] = log_c[c]
    end, numbered = value_offsets[k], 0
    # Naive Bayes comes first, as number -1: every SPODE starts from it.
    for j in range(-1, k):
        table, last_feature, origin, line = log_a, k, 0, 0
        if j >= 0:
            if not wanted[j]:
                continue
            # A line begins with the feature after j and wraps around (see ``parameters``).
            table, last_feature, line = log_ratio, k - 1, end - value_offsets[j + 1] + value_offsets[j]
            origin = line_offsets[j] - value_offsets[j + 1]
        numbered = _number_states(codes, first, last, j, n_states, numbered, gaps, states, own_states)
        n_features = _pack(
            j,
            last_feature,
            numbered,
            table,
            origin,
            line,
            n_states,
            value_offsets,
            n_classes,
            gaps,
            packed,
        )
        for b in range(n_blocks):
            start = b * BLOCK_ROWS
            rows = min(BLOCK_ROWS, n - start)
            out = naive[b] if j < 0 else joints[b, j]
            _look_up(packed, n_features, states, own_states, start, rows, partial, naive[b], out)


@kernel
def look_up_scores(
    codes: CodeArray, n_states: IntArray, folded: Folded, n_classes: int, n_packed: int, scores: FloatArray
) -> None:
    """Add what the features of one coding contribute to the scores of rows, like ``log_pool.add_scores``."""
    k, n = codes.shape
    value_offsets, end = folded.value_offsets, folded.value_offsets[k]
    n_blocks = -(-n // BLOCK_ROWS)
    packed = _make_room(k, n_packed)
    states, own_states = np.empty((k, n_blocks * WIDTH), np.uint8), np.empty(n_blocks * WIDTH, np.uint8)
    gaps, partial = np.empty(k, np.bool_), np.empty((2 * n_classes, WIDTH))
    sums, spare = np.empty((n_blocks, n_classes, WIDTH)), np.empty((n_classes, WIDTH))
    for b in range(n_blocks):
        for c in range(n_classes):
            for r in range(WIDTH):
                sums[b, c, r] = 0.0
    numbered = 0
    # The singles as if they were the line of a feature in front of all others.
    for i in range(-1, k - 1):
        table, origin, line = folded.singles, 0, 0
        if i >= 0:
            table, line = folded.pairs, end - value_offsets[i + 1]
            origin = folded.line_offsets[i] - value_offsets[i + 1]
        numbered = _number_states(codes, 0, n, i, n_states, numbered, gaps, states, own_states)
        n_features = _pack(
            i,
            k - 1 - i,
            numbered,
            table,
            origin,
            line,
            n_states,
            value_offsets,
            n_classes,
            gaps,
            packed,
        )
        gap = i >= 0 and gaps[max(i, 0)]
        for b in range(n_blocks):
            start = b * BLOCK_ROWS
            rows = min(BLOCK_ROWS, n - start)
            out = spare if gap else sums[b]
            _look_up(packed, n_features, states, own_states, start, rows, partial, sums[b], out)
            if gap:
                # An unknown value contributes nothing, whatever was looked up for it.
                for r in range(rows):
                    if codes[i, start + r] < n_states[i]:
                        for c in range(n_classes):
                            sums[b, c, r] = spare[c, r]
    for b in range(n_blocks):
        for c in range(n_classes):
            some = scores[c, b * BLOCK_ROWS : (b + 1) * BLOCK_ROWS]
            for r in range(len(some)):
                some[r] += sums[b, c, r]
