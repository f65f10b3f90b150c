"""Tables of small integers, read cell by cell: transposed and translated."""

import numpy as np

from skcredal._arrays import AnyArray, ByteArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = ["BYTE", "bytes_of_columns", "translate", "translate_table"]

# How many values a byte has.
BYTE = 256
# Rows that are transposed at a time: they stay in the cache while the columns go by.
ROW_BLOCK = 256


@kernel
def bytes_of_columns(table: AnyArray, first: int, last: int, columns: ByteArray) -> bool:
    """Fill in some rows of the columns of a table of integers as bytes; tell whether all of them are."""
    k = table.shape[1]
    for start in range(first, last, ROW_BLOCK):
        stop = min(last, start + ROW_BLOCK)
        rows = table[start:stop]
        for j in range(k):
            # Views: indices that might be negative take twice the time.
            source, target = rows[:, j], columns[j, start:stop]
            beyond = False
            for r in range(stop - start):
                target[r] = np.int64(source[r]) & 255
                beyond |= target[r] != source[r]
            if beyond:
                return False
    return True


@kernel
def translate(values: ByteArray, lookup: ByteArray, out: ByteArray) -> None:
    """Fill in ``lookup[value]`` of every value."""
    for r in range(len(values)):
        out[r] = lookup[values[r]]


@kernel
def translate_table(table: AnyArray, columns: IntArray, lookup: ByteArray, codes: ByteArray) -> None:
    """Fill in the codes of some columns of a table of integers, (columns, rows).

    ``lookup``, (columns, 257), holds the code of every byte, and then that of any other number.
    """
    n = len(table)
    for start in range(0, n, ROW_BLOCK):
        stop = min(n, start + ROW_BLOCK)
        rows = table[start:stop]
        for place in range(len(columns)):
            source, target = rows[:, columns[place]], codes[place, start:stop]
            for r in range(stop - start):
                value = source[r]
                target[r] = lookup[place, value if 0 <= value < BYTE else BYTE]
