"""The distinct values of a column, and which of them each row has."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, ByteArray, IntArray
from skcredal._validation import safe_repr

__all__ = [
    "Factor",
    "FirstOccurrences",
    "as_bytes",
    "factor_of_bytes",
    "factor_of_small_integers",
    "holds_integers",
    "in_order",
    "is_missing",
    "is_missing_type",
    "plain_numbers",
    "translated",
]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A categorical column: for each row the index of its value among the states, -1 where it is missing.

    ``occurrences`` is how many rows have each state, where reading the column has counted them anyway.
    """

    codes: AnyArray
    states: list[Any]
    declared: bool
    occurrences: IntArray | None = None


class FirstOccurrences(dict[Any, int]):
    """Numbers values from 0 in the order in which they are first looked up."""

    # Called for a new value only: those that repeat, which most do, never leave the C code of dict.
    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number


def is_missing_type(kind: type) -> bool:
    """Tell whether every value of a type is missing: None, and NA and NaT of pandas."""
    # By name, since pandas need not be installed.
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def is_missing(value: Any) -> bool:
    """Tell whether a single value is missing: None, NaN, or NA or NaT of pandas."""
    return is_missing_type(type(value)) or (
        # NaN is the only number that differs from itself; a Decimal has no np.isnan.
        isinstance(value, (float, np.floating, Decimal)) and value != value
    )


def in_order(states: list[Any]) -> list[Any]:
    """Sort states; where numbers and text are mixed, by type and then as printed."""
    try:
        return sorted(states)
    except TypeError:
        return sorted(states, key=lambda state: (type(state).__name__, safe_repr(state)))


def plain_numbers(values: AnyArray) -> AnyArray:
    """Return numbers in a type that the kernels and Python's own numbers cover; anything else as it is.

    Foreign byte orders become the machine's, wide floats become doubles, and unsigned 64-bit integers signed
    ones. Only where some integer is too large for that do they stay unsigned.

    Examples
    --------
    >>> import numpy as np
    >>> plain_numbers(np.array([1, 2], ">u8")).dtype
    dtype('int64')
    """
    if values.dtype.kind not in "iuf":
        return values
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        # A number too large for a double becomes infinite, and is refused as such.
        with np.errstate(over="ignore"):
            return values.astype(np.float64)
    if values.dtype.kind == "u" and values.dtype.itemsize == 8 and values.max(initial=0) < 2**63:
        return values.astype(np.int64)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def holds_integers(values: AnyArray) -> bool:
    """Tell whether an array holds integers that the kernels can compare with signed ones."""
    return values.dtype.kind in "iu" and values.dtype != np.uint64


def as_bytes(values: AnyArray) -> ByteArray | None:
    """Return integers as contiguous bytes; ``None`` if some do not fit in a byte.

    Examples
    --------
    >>> import numpy as np
    >>> as_bytes(np.array([0, 255])), as_bytes(np.array([-1, 0])), as_bytes(np.array([0, 256]))
    (array([  0, 255], dtype=uint8), None, None)
    """
    if not holds_integers(values):
        return None
    if values.dtype == np.uint8 and values.flags.c_contiguous:
        return values
    bytes_ = np.empty((1, len(values)), np.uint8)
    return bytes_[0] if kernels.encoding.bytes_of_columns(values[:, None], 0, len(values), bytes_) else None


def factor_of_bytes(values: AnyArray) -> Factor:
    """Find the states of a column of bytes by counting them."""
    occurrences = np.zeros(kernels.encoding.BYTE, np.int64)
    kernels.counting.count_bytes(values, occurrences)
    present = np.flatnonzero(occurrences)
    states = present.tolist()
    # Bytes without gaps are codes as they stand: they need not even be copied.
    if len(states) and states[-1] >= len(states):
        lookup = np.zeros(kernels.encoding.BYTE, np.uint8)
        lookup[present] = np.arange(len(states))
        values, bytes_ = np.empty_like(values), values
        kernels.encoding.translate(bytes_, lookup, values)
    return Factor(values, states, declared=False, occurrences=occurrences[present])


def factor_of_small_integers(values: AnyArray, low: int, high: int) -> Factor:
    """Find the states of integers between ``low`` and ``high`` with a table of that range."""
    shifted = values
    # np.bincount takes no unsigned integers of 64 bits.
    if low != 0 or values.dtype == np.uint64:
        # Wide enough for the difference: int8 holds -128 and 127, but not the distance between them.
        wide = values.astype(np.int64, copy=False) if values.dtype.kind == "i" else values
        shifted = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
    present = np.bincount(shifted, minlength=high - low + 1) > 0
    states = [low + offset for offset in np.flatnonzero(present).tolist()]
    # Without gaps they are codes already.
    codes = shifted if present.all() else (np.cumsum(present) - 1)[shifted]
    return Factor(codes, states, declared=False)


def translated(codes: AnyArray, lookup: AnyArray) -> AnyArray:
    """Return ``lookup[codes]``, where the last entry of the lookup is that of -1, a missing value.

    Examples
    --------
    >>> import numpy as np
    >>> translated(np.array([0, 1, -1, 0]), np.array([5, 7, 9]))
    array([5, 7, 9, 5])
    """
    # Many bytes are translated by a kernel with a table of all 256; for fewer rows than that, it is not
    # worth making one.
    few = len(codes) < kernels.encoding.BYTE
    if few or codes.itemsize > 1 or lookup.itemsize > 1 or not codes.flags.c_contiguous:
        return np.asarray(lookup[codes])
    # A missing value of int8 is -1, hence the byte 255: all bytes that are no state get its code.
    of_bytes = np.full(kernels.encoding.BYTE, lookup[-1])
    of_bytes[: len(lookup) - 1] = lookup[:-1]
    new_codes = np.empty(len(codes), np.uint8)
    kernels.encoding.translate(codes.view(np.uint8), of_bytes.view(np.uint8), new_codes)
    return new_codes.view(lookup.dtype)
