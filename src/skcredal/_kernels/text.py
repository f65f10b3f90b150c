"""Text becomes codes: which of the different texts of a column each row has.

A column is read as Arrow stores it. Either its texts lie one behind the other in an array of bytes, text r
between ``offsets[r]`` and ``offsets[r + 1]``; or each row has a *view* of two words, which hold the size of
the text and, if that is at most twelve bytes, the text itself, and then zeros. ``valid`` is a bitmap of the
rows that have a text, empty if all of them do. The rows asked for start at ``first_row``.

Both kernels number the texts in the order in which they first occur. They fill in the code of every row, -1
where the text is missing, and for each text a row that has it (``found``). They return how many texts there
are; -1 if there are more than ``found`` has room for, at most ``MOST_TEXTS``, and then the codes mean
nothing.
"""

from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, ByteArray, IntArray
from skcredal._kernels._instructions import load_word
from skcredal._kernels._jit import kernel

__all__ = ["MOST_TEXTS", "number_texts", "number_views"]

# As many different texts as int8 has codes for, besides -1; and the slots of the hash table, four times as
# many, so that two texts seldom want the same one.
MOST_TEXTS = 127
SLOT_BITS = 9
SLOTS = 1 << SLOT_BITS
# 2^64 over the golden ratio: its multiples spread over all slots (Knuth's multiplicative hashing).
SPREAD = np.uint64(0x9E3779B97F4A7C15)
# Words are shifted by words: numba takes a word and a signed integer for floats.
ONE, BYTE_BITS, HALF_WORD, HIGHEST_BYTE = np.uint64(1), np.uint64(8), np.uint64(32), np.uint64(56)
TO_SLOT, LAST_SLOT = np.uint64(64 - SLOT_BITS), np.uint64(SLOTS - 1)
WORD_BYTES = 8


@kernel
def number_texts(
    text: ByteArray, offsets: AnyArray, valid: ByteArray, first_row: int, codes: AnyArray, found: IntArray
) -> int:
    """Return how many texts there are in a column of bytes and offsets, and fill in the codes."""
    # Of the text in each slot: its code, its last bytes, its size (-1 if the slot is free), where it begins.
    slot_codes, tails = np.empty(SLOTS, np.int8), np.empty(SLOTS, np.uint64)
    sizes, begins = np.empty(SLOTS, np.int64), np.empty(SLOTS, np.int64)
    for free in range(SLOTS):
        sizes[free] = -1
    n_texts = 0
    for r in range(len(codes)):
        row = first_row + r
        if len(valid) > 0 and not (valid[row >> 3] >> (row & 7)) & 1:
            codes[r] = -1
            continue
        begin, end = int(offsets[row]), int(offsets[row + 1])
        size = end - begin
        # The last eight bytes or fewer. What the word holds of the text before is shifted out; nothing is
        # read beyond the end, where memory may end, too.
        tail: Any = np.uint64(0)
        if size > 0:
            if end >= WORD_BYTES:
                tail = load_word(text, end - WORD_BYTES)
            else:
                for p in range(end):
                    tail = (tail >> BYTE_BITS) | (np.uint64(text[p]) << HIGHEST_BYTE)
            if size < WORD_BYTES:
                tail >>= np.uint64(8 * (WORD_BYTES - size))
        # The words before; the last of them may overlap with the tail.
        mixed: Any = (tail ^ np.uint64(size)) * SPREAD
        p = begin
        while p < end - WORD_BYTES:
            mixed = (mixed ^ (mixed >> HALF_WORD) ^ load_word(text, p)) * SPREAD
            p += WORD_BYTES
        # The highest bits depend on all bits of the words.
        slot = mixed >> TO_SLOT
        while sizes[slot] >= 0:
            if sizes[slot] == size and tails[slot] == tail:
                other, p = begins[slot], 0
                while p < size - WORD_BYTES and load_word(text, other + p) == load_word(text, begin + p):
                    p += WORD_BYTES
                if p >= size - WORD_BYTES:
                    break
            slot = (slot + ONE) & LAST_SLOT
        if sizes[slot] < 0:
            if n_texts == len(found):
                return -1
            found[n_texts] = r
            slot_codes[slot], tails[slot], sizes[slot], begins[slot] = n_texts, tail, size, begin
            n_texts += 1
        codes[r] = slot_codes[slot]
    return n_texts


@kernel
def number_views(views: AnyArray, valid: ByteArray, first_row: int, codes: AnyArray, found: IntArray) -> int:
    """Return how many texts there are in a column of views, (rows, 2), and fill in the codes."""
    # Of the text in each slot: its code, -1 if the slot is free, and the two words.
    slot_codes = np.empty(SLOTS, np.int8)
    heads, tails = np.empty(SLOTS, np.uint64), np.empty(SLOTS, np.uint64)
    for free in range(SLOTS):
        slot_codes[free] = -1
    n_texts = 0
    for r in range(len(codes)):
        row = first_row + r
        if len(valid) > 0 and not (valid[row >> 3] >> (row & 7)) & 1:
            codes[r] = -1
            continue
        head, tail = views[row, 0], views[row, 1]
        slot = (((head ^ (head >> HALF_WORD)) * SPREAD) ^ tail) * SPREAD >> TO_SLOT
        while slot_codes[slot] >= 0 and (heads[slot] != head or tails[slot] != tail):
            slot = (slot + ONE) & LAST_SLOT
        if slot_codes[slot] < 0:
            if n_texts == len(found):
                return -1
            found[n_texts] = r
            slot_codes[slot], heads[slot], tails[slot] = n_texts, head, tail
            n_texts += 1
        codes[r] = slot_codes[slot]
    return n_texts
