"""Counting classes, values and pairs of values, by increments or by bitmaps.

Codes lie feature-major, ``codes[j, r]``, so that a pair of features is two contiguous rows of memory. Counts
are packed with the class innermost; pairs ``i < j`` follow each other in the order (0,1), (0,2), ..., (1,2),
...

Bitmaps are faster than increments where rows have no weights and there are few cells. Every value has a bit
for each row, and a count is the number of ones of a logical and, 64 rows a word and several words an
instruction. An unknown value has no bit anywhere.
"""

import numpy as np
import numpy.typing as npt

from skcredal._arrays import BoolArray, ByteArray, CodeArray, CountArray, IntArray, LabelArray
from skcredal._kernels._instructions import WORD, count_ones, equal_bytes
from skcredal._kernels._jit import kernel, step

__all__ = [
    "WORD",
    "count_bytes",
    "count_pairs",
    "count_pairs_by_bitmaps",
    "count_values",
    "pack_bits",
    "pack_features",
]

# Rows taken at a time: their codes of all features stay in the cache while pair after pair is counted.
ROW_BLOCK = 4096
# Words taken at a time, 4 KiB of each bitmap: they stay in the cache while pair after pair is counted.
WORD_BLOCK = 512
# Bitmaps (of a value with a class) that one load of another bitmap serves. Four and eight were slower.
TILE = 6
# How many values a byte can have.
BYTE = 256
# Words (of 64 bytes) taken at a time: these 16 KiB stay in the cache while they are compared with each value.
BYTE_BLOCK = 256
# Up to so many values, comparing all bytes with each of them is faster than increments.
FEW_VALUES = 16

BitArray = npt.NDArray[np.uint64]


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
            # The code after the last state is *unknown*, which is not counted (§1).
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
            # The usual case has a loop without a branch.
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


@kernel
def pack_bits(codes: ByteArray, v: int, bits: BitArray) -> None:
    """Fill in a bitmap for each of v values of one feature (or of the classes): the rows that have it."""
    n_whole = len(codes) // WORD
    for a in range(v):
        of_value = bits[a]
        for w in range(n_whole):
            of_value[w] = equal_bytes(codes, w * WORD, a)
        # Bits beyond the last row must be 0, or they would be counted.
        if n_whole < len(of_value):
            last = np.uint64(0)
            for r in range(n_whole * WORD, len(codes)):
                last |= np.uint64(codes[r] == a) << np.uint64(r - n_whole * WORD)
            of_value[n_whole] = last


@kernel
def count_bytes(values: ByteArray, counts: IntArray) -> None:
    """Add how often each value occurs to ``counts``, (256,)."""
    n_whole = len(values) // WORD
    # No value exceeds the union of the bits of all values.
    any_bit = np.uint8(0)
    for r in range(len(values)):
        any_bit |= values[r]
    if any_bit < FEW_VALUES:
        for start in range(0, n_whole, BYTE_BLOCK):
            for value in range(any_bit + 1):
                ones = 0
                for w in range(start, min(start + BYTE_BLOCK, n_whole)):
                    ones += count_ones(equal_bytes(values, w * WORD, value))
                counts[value] += ones
        for r in range(n_whole * WORD, len(values)):
            counts[values[r]] += 1
        return
    # Four tables by turns: neighbours are often equal, and increments of one cell wait for each other.
    by_turns = np.empty((4, BYTE), np.int64)
    for value in range(BYTE):
        for turn in range(4):
            by_turns[turn, value] = 0
    for r in range(len(values)):
        by_turns[r & 3, values[r]] += 1
    for value in range(BYTE):
        for turn in range(4):
            counts[value] += by_turns[turn, value]


@step
def _count_bits(bits: BitArray, class_bits: BitArray, counts: CountArray) -> None:
    """Add n(c, a) to ``counts``, where the bitmaps of all values follow each other."""
    n_classes, n_words = class_bits.shape
    for a in range(len(bits)):
        for c in range(n_classes):
            ones = 0
            for w in range(n_words):
                ones += count_ones(bits[a, w] & class_bits[c, w])
            counts[a * n_classes + c] += ones


@kernel
def pack_features(
    codes: ByteArray,
    first: int,
    last: int,
    features: IntArray,
    class_bits: BitArray,
    bit_offsets: IntArray,
    value_offsets: IntArray,
    bits: BitArray,
    n_ca: CountArray,
) -> None:
    """Fill in the bitmaps of some features in some rows, at ``bit_offsets``, and add n(c, a) to ``n_ca``."""
    # Both at once: a bitmap is counted while it is still in the cache.
    for j in features:
        own = bits[bit_offsets[j] : bit_offsets[j + 1]]
        pack_bits(codes[j, first:last], len(own), own)
        _count_bits(own, class_bits, n_ca[value_offsets[j] :])


@kernel
def count_pairs_by_bitmaps(
    bits: BitArray,
    class_bits: BitArray,
    bit_offsets: IntArray,
    n_states: IntArray,
    whole: BoolArray,
    value_offsets: IntArray,
    n_ca: CountArray,
    pairs: IntArray,
    offsets: IntArray,
    n_cab: CountArray,
) -> None:
    """Add n(c, a_i, a_j) of the given pairs to ``n_cab``, from bitmaps that begin at ``bit_offsets``.

    Where a feature is ``whole``, known in every row, the counts of its last state are not counted: they are
    what the others leave of ``n_ca``, the n(c, a) of the same rows.
    """
    n_classes, n_words = class_bits.shape
    both = np.empty((TILE, WORD_BLOCK), np.uint64)
    at_a, at_c, ones = np.empty(TILE, np.int64), np.empty(TILE, np.int64), np.empty(TILE, np.int64)
    # Pairs that share their first feature are counted together, so that its bitmaps are combined with the
    # classes only once.
    start = 0
    while start < len(pairs):
        i = pairs[start, 0]
        stop, size = start, 0
        while stop < len(pairs) and pairs[stop, 0] == i:
            size += n_states[i] * n_states[pairs[stop, 1]] * n_classes
            stop += 1
        # Apart from ``n_cab``: the last states below are what is left of the counts of these rows alone.
        cells = np.empty(size, np.int64)
        for t in range(size):
            cells[t] = 0
        n_a = n_states[i] - 1 if whole[i] else n_states[i]
        for first in range(0, n_words, WORD_BLOCK):
            n = min(WORD_BLOCK, n_words - first)
            # Each bitmap of j is read once for a whole tile of values of i with a class.
            for tile in range(0, n_a * n_classes, TILE):
                n_tile = min(TILE, n_a * n_classes - tile)
                for t in range(TILE):
                    # The last tile is filled up with copies of its first row, whose counts are ignored: only
                    # a fixed number of sums stays in registers.
                    row = tile + t if t < n_tile else tile
                    at_a[t], at_c[t] = row // n_classes, row % n_classes
                    # Views: an index that might be negative would keep the loops from being vectorised.
                    of_value = bits[bit_offsets[i] + at_a[t], first : first + n]
                    of_class = class_bits[at_c[t], first : first + n]
                    of_both = both[t]
                    for w in range(n):
                        of_both[w] = of_value[w] & of_class[w]
                begin = 0
                for p in range(start, stop):
                    j = pairs[p, 1]
                    width_j = n_states[j] * n_classes
                    for b in range(n_states[j] - 1 if whole[j] else n_states[j]):
                        _count_tile(both, bits[bit_offsets[j] + b, first : first + n], n, ones)
                        for t in range(n_tile):
                            cells[begin + at_a[t] * width_j + b * n_classes + at_c[t]] += ones[t]
                    begin += n_states[i] * width_j
        begin = 0
        for p in range(start, stop):
            j = pairs[p, 1]
            block = cells[begin : begin + n_states[i] * n_states[j] * n_classes]
            begin += len(block)
            _count_last(
                block,
                n_states[i],
                n_states[j],
                n_classes,
                whole[i],
                whole[j],
                n_ca[value_offsets[i] :],
                n_ca[value_offsets[j] :],
            )
            target = n_cab[offsets[p] : offsets[p] + len(block)]
            for t in range(len(block)):
                target[t] += block[t]
        start = stop


@step
def _count_tile(both: BitArray, of_value: BitArray, n: int, ones: IntArray) -> None:
    """Fill in how many bits each of the six bitmaps of a tile has in common with another."""
    # Sums in variables of their own stay in registers; in an array they would not.
    both_0, both_1, both_2, both_3, both_4, both_5 = both[0], both[1], both[2], both[3], both[4], both[5]
    ones_0, ones_1, ones_2, ones_3, ones_4, ones_5 = 0, 0, 0, 0, 0, 0
    for w in range(n):
        word = of_value[w]
        ones_0 += count_ones(both_0[w] & word)
        ones_1 += count_ones(both_1[w] & word)
        ones_2 += count_ones(both_2[w] & word)
        ones_3 += count_ones(both_3[w] & word)
        ones_4 += count_ones(both_4[w] & word)
        ones_5 += count_ones(both_5[w] & word)
    ones[0], ones[1], ones[2], ones[3], ones[4], ones[5] = ones_0, ones_1, ones_2, ones_3, ones_4, ones_5


@step
def _count_last(
    block: CountArray,
    v_i: int,
    v_j: int,
    n_classes: int,
    whole_i: bool,
    whole_j: bool,
    n_i: CountArray,
    n_j: CountArray,
) -> None:
    """Fill in the counts of the last states of a pair, where they are what the other states leave."""
    width_j = v_j * n_classes
    # First j, then i: the second fills the whole last row of i, the last state of j included.
    if whole_j:
        for a in range(v_i - 1 if whole_i else v_i):
            for c in range(n_classes):
                rest = n_i[a * n_classes + c]
                for b in range(v_j - 1):
                    rest -= block[a * width_j + b * n_classes + c]
                block[(a + 1) * width_j - n_classes + c] = rest
    if whole_i:
        for t in range(width_j):
            rest = n_j[t]
            for a in range(v_i - 1):
                rest -= block[a * width_j + t]
            block[(v_i - 1) * width_j + t] = rest
