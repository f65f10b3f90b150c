"""What every SPODE says about many rows, where values are few.

A feature j under a super-parent i has a number for each class and pair of values, that of index ``a_j · v_i +
a_i``. Where values are few, the numbers of a class fit in a few registers: rows are looked up eight at a
time, where ``inference``, which takes the classes of one row at a time, would leave most of a vector empty.
The tables of a super-parent are packed for it, which pays for many rows. The answers are the same to the last
bit.
"""

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Packed, Tables
from skcredal._kernels._jit import kernel, step
from skcredal._kernels._vectors import BLOCK_ROWS, CAN_PERMUTE, LANES, PIECE, WIDTH, look_up_2, look_up_3

__all__ = ["CAN_PERMUTE", "MOST_INDICES", "MOST_PERMUTATIONS", "PIECE", "look_up_joints"]

# An index is a byte.
MOST_INDICES = 256
# So many permutations for a feature take as long as adding up its classes row by row.
MOST_PERMUTATIONS = 8
# Tables of this many numbers, 32 KiB, stay in the first cache.
MOST_CACHED = 4096


@step
def _number_states(
    codes: CodeArray, start: int, n: int, n_states: IntArray, v: int, gaps: BoolArray, states: AnyArray
) -> None:
    """Fill in the states of rows times v, which is their part of an index, and which features have gaps."""
    for j in range(len(n_states)):
        values, gap = codes[j, start : start + n], False
        # Of the same type as the codes: bytes are compared many at once, larger numbers are not.
        absent = codes.dtype.type(n_states[j])
        for r in range(n):
            gap |= values[r] == absent
            states[j, r] = values[r] * v
        gaps[j] = gap


@step
def _pack(i: int, tables: Tables, gaps: BoolArray, packed: Packed) -> int:
    """Fill in the packed tables of super-parent i, those of naive Bayes if it is -1.

    Returns the number of features, made even by one whose numbers are zeros.
    """
    n_states, log_c, log_a, value_offsets, log_ratio, line_offsets = tables
    k, n_classes = len(n_states), len(log_c)
    v_i, table, line, origin, last = 1, log_a, 0, 0, k
    if i >= 0:
        # A line begins with the feature after i and wraps around (see ``parameters``).
        v_i, table, last = n_states[i], log_ratio, k - 1
        line = value_offsets[k] - value_offsets[i + 1] + value_offsets[i]
        origin = line_offsets[i] - value_offsets[i + 1]
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
        size = -(-n_values * v_i // PIECE) * PIECE
        packed.features[t], packed.begins[t], packed.sizes[t] = j, begin, size
        for c in range(n_classes):
            for b in range(n_values):
                for a in range(v_i):
                    packed.numbers[begin + b * v_i + a] = table[source + a * line + b * n_classes + c]
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
    n_states, log_c = tables.n_states, tables.log_c
    k, n, n_classes = len(n_states), last - first, len(log_c)
    n_blocks = -(-n // BLOCK_ROWS)
    packed = Packed(
        np.empty(n_packed + LANES),
        np.empty(k + 1, np.int64),
        np.empty(k + 1, np.int64),
        np.empty(k + 1, np.int64),
    )
    states, own_states = np.empty((k, n_blocks * WIDTH), np.uint8), np.empty(n_blocks * WIDTH, np.uint8)
    gaps, partial = np.empty(k, np.bool_), np.empty((2 * n_classes, WIDTH))
    naive = np.empty((n_blocks, n_classes, WIDTH))
    for b in range(n_blocks):
        for c in range(n_classes):
            for r in range(WIDTH):
                naive[b, c, r] = log_c[c]
    numbered = 0
    # Naive Bayes comes first, as number -1: every SPODE starts from it.
    for j in range(-1, k):
        if j >= 0 and not wanted[j]:
            continue
        v = n_states[j] if j >= 0 else 1
        if v != numbered:
            _number_states(codes, first, n, n_states, v, gaps, states)
            numbered = v
        for r in range(n):
            own_states[r] = 0
        if j >= 0:
            values, absent = codes[j, first:last], codes.dtype.type(n_states[j])
            for r in range(n):
                own_states[r] = values[r] if values[r] < absent else 0
        n_features = _pack(j, tables, gaps, packed)
        for b in range(n_blocks):
            start = b * BLOCK_ROWS
            out = naive[b] if j < 0 else joints[b, j]
            rows = min(BLOCK_ROWS, n - start)
            _look_up(packed, n_features, states, own_states, start, rows, partial, naive[b], out)
