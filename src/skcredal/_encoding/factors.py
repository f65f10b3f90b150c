"""The distinct values of a column, and which of them each row has."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, ByteArray, IntArray
from skcredal._validation import safe_repr

__all__ = [
    "Factor",
    "FirstOccurrences",
    "as_bytes",
    "declared_factor",
    "factor_of_bytes",
    "factor_of_small_integers",
    "factor_of_text",
    "holds_integers",
    "in_order",
    "is_missing",
    "is_missing_type",
    "plain_numbers",
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
    # Wide enough for the difference: int8 holds -128 and 127, but not the distance between them.
    wide = values.astype(np.int64) if values.dtype.kind == "i" else values
    shifted = (wide - wide.dtype.type(low)).astype(np.int64)
    present = np.zeros(high - low + 1, np.bool_)
    present[shifted] = True
    rank = np.cumsum(present) - 1
    states = [low + offset for offset in np.flatnonzero(present).tolist()]
    return Factor(rank[shifted], states, declared=False)


def declared_factor(series: nw.Series[Any]) -> Factor | None:
    """Read declared categories from the native column; ``None`` for a polars Categorical, without any.

    narwhals reports only the categories that occur, and ignores a null in an Arrow dictionary.
    """
    native = nw.to_native(series)
    if hasattr(getattr(native, "dtype", None), "categories") and not hasattr(native, "to_physical"):
        # From the array: the ``cat`` accessor is built for each use, and wraps the codes in a series.
        values: Any = getattr(native, "array", None)
        if hasattr(values, "codes"):
            return Factor(values.codes, values.categories.tolist(), declared=True)
    if hasattr(native, "to_physical"):
        # The categories of a polars Categorical are a pool shared by the whole process: they say nothing
        # about this column (§1).
        if not isinstance(series.dtype, nw.Enum):
            return None
        physical = nw.from_native(native.to_physical(), series_only=True).cast(nw.Int64())
        return Factor(physical.fill_null(-1).to_numpy(), list(series.dtype.categories), declared=True)
    if not hasattr(native, "chunks"):
        native = native.array.__arrow_array__()  # pandas over Arrow
    codes, states = _read_dictionaries(native.chunks)
    return Factor(codes, states, declared=True)


def _read_dictionaries(chunks: list[Any]) -> tuple[AnyArray, list[Any]]:
    """Return the codes, -1 where a value is missing, and the states of an Arrow dictionary.

    Each chunk may have its own dictionary, with nulls and repetitions among the values.
    """
    merged: dict[Any, int] = {}
    codes: list[AnyArray] = [np.empty(0, np.int64)]
    for chunk in chunks:
        new_codes = [
            -1 if is_missing(state) else merged.setdefault(state, len(merged))
            for state in chunk.dictionary.to_pylist()
        ]
        indices = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        # A null is -1, which indexes the last entry.
        codes.append(np.array([*new_codes, -1], np.int64)[indices])
    return np.concatenate(codes), list(merged)


def factor_of_text(series: nw.Series[Any]) -> Factor | None:
    """Let the library that a column of text comes from find its states; ``None`` for other columns.

    An object column of pandas does not count as text, although narwhals reports it as such after a look at
    its first rows. Strings that pandas stores as Python objects are read faster as objects.
    """
    native = nw.to_native(series)
    if hasattr(native, "to_physical"):
        if series.dtype not in (nw.String, nw.Categorical):
            return None
        text = series.cast(nw.String())
        states = text.drop_nulls().unique().sort().to_list()
        if not states:  # some versions refuse an empty Enum
            return Factor(np.full(len(series), -1), [], declared=False)
        declared = declared_factor(text.cast(nw.Enum(states)))
        return None if declared is None else Factor(declared.codes, states, declared=False)
    kind = getattr(native, "dtype", None)
    if series.dtype != nw.String or str(kind) == "object" or getattr(kind, "storage", "pyarrow") != "pyarrow":
        return None
    if hasattr(native, "factorize"):
        codes, values = native.factorize()
        states = values.tolist()
    else:
        codes, states = _read_dictionaries(native.dictionary_encode().chunks)
    # The library numbers the states as they occur; ours are sorted.
    order = sorted(range(len(states)), key=states.__getitem__)
    rank = np.full(len(states) + 1, -1)
    rank[order] = np.arange(len(states))
    return Factor(rank[codes], [states[code] for code in order], declared=False)
