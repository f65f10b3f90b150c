"""Counting classes, values and pairs of values.

Codes lie feature-major, ``codes[j, r]``, so that a pair of features is two contiguous rows of memory. Counts
are packed with the class innermost; pairs ``i < j`` follow each other in the order (0,1), (0,2), ..., (1,2),
...

Where rows have no weights and a pair has few cells, bitmaps count faster than increments: every value has a
bit for each row, and a cell's count is the number of ones of a logical and, 64 rows a word and several words
an instruction. An unknown value has no bit anywhere.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic, overload

from skcredal._arrays import CodeArray, CountArray, IntArray, LabelArray
from skcredal.kernels._jit import kernel

__all__ = ["WORD", "count_bits", "count_pairs", "count_pairs_of_bits", "count_values", "pack_bits"]

# Rows of a word of a bitmap.
WORD = 64
# Words taken at a time: those of all features stay in the cache while the pairs go by.
WORD_BLOCK = 256

BitArray = npt.NDArray[np.uint64]

# Rows taken at a time: their codes of all features stay in the cache while the pairs go by.
ROW_BLOCK = 4096


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


def _ones(word: Any) -> int:
    """Return how many bits of a word are set."""
    return int(word).bit_count()


@intrinsic
def _ones_by_instruction(_: Any, word: Any) -> Any:  # pragma: no cover, it runs in the compiler
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


@overload(_ones, strict=False)
def _compiled_ones(word: Any) -> Any:  # pragma: no cover, it runs in the compiler
    by_instruction: Any = _ones_by_instruction
    return lambda word: by_instruction(word)


@kernel
def pack_bits(codes: npt.NDArray[np.uint8], v: int, bits: BitArray) -> None:
    """Fill in a bitmap for each of v values of one feature (or of the classes): the rows that have it.

    Eight codes of a byte are compared at once: what differs from the value has a bit set in its byte, which
    the sum carries into the highest one; the highest bits, inverted, then move together.
    """
    n_eights = len(codes) // 8
    eights = codes[: n_eights * 8].view(np.uint64)
    low, high = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
    for a in range(v):
        bytes_ = bits[a].view(np.uint8)
        value = np.uint64(a) * np.uint64(0x0101010101010101)
        for t in range(n_eights):
            x = eights[t] ^ value
            x = (~(((x & low) + low) | x) & high) >> np.uint64(7)
            x |= x >> np.uint64(7)
            x |= x >> np.uint64(14)
            x |= x >> np.uint64(28)
            bytes_[t] = x & np.uint64(0xFF)
        for t in range(n_eights, len(bytes_)):
            last = np.int64(0)
            for r in range(t * 8, min(t * 8 + 8, len(codes))):
                last |= np.int64(codes[r] == a) << (r - t * 8)
            bytes_[t] = last


@kernel
def count_bits(bits: BitArray, class_bits: BitArray, counts: CountArray) -> None:
    """Add n(c, a) to ``counts``, where the bitmaps of all values follow each other."""
    n_classes, n_words = class_bits.shape
    for a in range(len(bits)):
        for c in range(n_classes):
            ones = 0
            for w in range(n_words):
                ones += _ones(bits[a, w] & class_bits[c, w])
            counts[a * n_classes + c] += ones


@kernel
def count_pairs_of_bits(
    bits: BitArray,
    class_bits: BitArray,
    bit_offsets: IntArray,
    n_states: IntArray,
    pairs: IntArray,
    offsets: IntArray,
    n_cab: CountArray,
) -> None:
    """Add n(c, a_i, a_j) of the given pairs to ``n_cab``, from bitmaps that begin at ``bit_offsets``."""
    n_classes, n_words = class_bits.shape
    both = np.empty(WORD_BLOCK, np.uint64)
    start = 0
    while start < len(pairs):
        i = pairs[start, 0]
        stop = start + 1
        while stop < len(pairs) and pairs[stop, 0] == i:
            stop += 1
        for first in range(0, n_words, WORD_BLOCK):
            n = min(WORD_BLOCK, n_words - first)
            for a in range(n_states[i]):
                for c in range(n_classes):
                    # Views: an index that might be negative would keep the loops from being vectors.
                    of_value = bits[bit_offsets[i] + a, first : first + n]
                    of_class = class_bits[c, first : first + n]
                    for w in range(n):
                        both[w] = of_value[w] & of_class[w]
                    for p in range(start, stop):
                        j = pairs[p, 1]
                        for b in range(n_states[j]):
                            of_value = bits[bit_offsets[j] + b, first : first + n]
                            ones = 0
                            for w in range(n):
                                ones += _ones(both[w] & of_value[w])
                            n_cab[offsets[p] + (a * n_states[j] + b) * n_classes + c] += ones
        start = stop
