"""Tables of small integers, read cell by cell: transposed, counted and translated."""

import numpy as np
import numpy.typing as npt

from skcredal._arrays import AnyArray, IntArray
from skcredal.kernels._jit import kernel

__all__ = ["BYTE", "bytes_of_columns", "count_bytes", "translate", "translate_table"]

# How many values a byte has.
BYTE = 256
# Rows that are transposed at a time: they stay in the cache while the columns go by.
ROW_BLOCK = 256

ByteArray = npt.NDArray[np.uint8]


@kernel
def bytes_of_columns(table: AnyArray, columns: ByteArray) -> bool:
    """Fill in the columns of a table of integers as bytes; tell whether all of them are."""
    n, k = table.shape
    for start in range(0, n, ROW_BLOCK):
        stop = min(n, start + ROW_BLOCK)
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
def count_bytes(values: ByteArray, counts: IntArray) -> None:
    """Add how often each value occurs to four rows of ``counts``, (4, 256): neighbours often are alike."""
    n = len(values)
    for r in range(0, n - 3, 4):
        counts[0, values[r]] += 1
        counts[1, values[r + 1]] += 1
        counts[2, values[r + 2]] += 1
        counts[3, values[r + 3]] += 1
    for r in range(n - n % 4, n):
        counts[0, values[r]] += 1


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
