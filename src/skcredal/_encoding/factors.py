"""The different values of a column, and which of them each row has."""

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
    "Places",
    "as_bytes",
    "declared_factor",
    "factor_of_bytes",
    "factor_of_small_integers",
    "factor_of_text",
    "in_order",
    "is_missing",
    "is_missing_type",
]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A categorical column: for each row the place of its value among the states, -1 where it is missing.

    ``occurrences`` tells how many rows have each state, where that was found out on the way.
    """

    codes: AnyArray
    states: list[Any]
    declared: bool
    occurrences: IntArray | None = None


class Places(dict[Any, int]):
    """The place of every value among those that were asked for, in the order of their first time."""

    def __missing__(self, value: Any) -> int:
        place = self[value] = len(self)
        return place


def is_missing_type(kind: type) -> bool:
    """Tell whether all of a type stands for nothing: None, and pandas' NA and NaT, without importing it."""
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def is_missing(value: Any) -> bool:
    """Tell whether a single value stands for nothing: None, NaN, pandas' NA or NaT."""
    return is_missing_type(type(value)) or (
        isinstance(value, (float, np.floating, Decimal)) and value != value
    )


def in_order(states: list[Any]) -> list[Any]:
    """Sort states; where numbers and text are mixed, by type and then as printed."""
    try:
        return sorted(states)
    except TypeError:
        return sorted(states, key=lambda state: (type(state).__name__, safe_repr(state)))


def as_bytes(values: AnyArray) -> ByteArray | None:
    """Return integers as bytes that lie side by side; ``None`` if some are none.

    Examples
    --------
    >>> import numpy as np
    >>> as_bytes(np.array([0, 255])), as_bytes(np.array([-1, 0])), as_bytes(np.array([0, 256]))
    (array([  0, 255], dtype=uint8), None, None)
    """
    if values.dtype.kind not in "iu":
        return None
    if values.dtype == np.uint8 and values.flags.c_contiguous:
        return values
    bytes_ = np.empty((1, len(values)), np.uint8)
    return bytes_[0] if kernels.encoding.bytes_of_columns(values[:, None], 0, len(values), bytes_) else None


def factor_of_bytes(values: AnyArray) -> Factor:
    """Tell bytes apart by counting them."""
    occurrences = np.zeros(kernels.encoding.BYTE, np.int64)
    kernels.counting.count_bytes(values, occurrences)
    present = np.flatnonzero(occurrences)
    states = present.tolist()
    if len(states) and states[-1] >= len(states):
        lookup = np.zeros(kernels.encoding.BYTE, np.uint8)
        lookup[present] = np.arange(len(states))
        values, bytes_ = np.empty_like(values), values
        kernels.encoding.translate(bytes_, lookup, values)
    return Factor(values, states, declared=False, occurrences=occurrences[present])


def factor_of_small_integers(values: AnyArray, low: int, high: int) -> Factor:
    """Tell integers that lie between two others apart by a table."""
    # Wide enough for the difference: int8 holds -128 and 127, but not how far they are apart.
    wide = values.astype(np.int64) if values.dtype.kind == "i" else values
    shifted = (wide - wide.dtype.type(low)).astype(np.int64)
    present = np.zeros(high - low + 1, np.bool_)
    present[shifted] = True
    rank = np.cumsum(present) - 1
    states = [low + place for place in np.flatnonzero(present).tolist()]
    return Factor(rank[shifted], states, declared=False)


def declared_factor(series: nw.Series[Any]) -> Factor | None:
    """Read declared categories from the native column; ``None`` for a polars Categorical, with none.

    narwhals reports only the categories that occur, and takes no notice of a null in an Arrow dictionary.
    """
    native = nw.to_native(series)
    if hasattr(getattr(native, "dtype", None), "categories") and not hasattr(native, "to_physical"):
        # The array of pandas: its accessor would be built anew each time, and a series for the codes.
        values: Any = getattr(native, "array", None)
        if hasattr(values, "codes"):
            return Factor(values.codes, values.categories.tolist(), declared=True)
    if hasattr(native, "to_physical"):
        if not isinstance(series.dtype, nw.Enum):
            return None
        physical = nw.from_native(native.to_physical(), series_only=True).cast(nw.Int64())
        return Factor(physical.fill_null(-1).to_numpy(), list(series.dtype.categories), declared=True)
    if not hasattr(native, "chunks"):
        native = native.array.__arrow_array__()  # pandas over Arrow
    codes, states = _read_dictionaries(native.chunks)
    return Factor(codes, states, declared=True)


def _read_dictionaries(chunks: list[Any]) -> tuple[AnyArray, list[Any]]:
    """Return the codes and the states of an Arrow dictionary, -1 where one is missing.

    Chunks may have dictionaries of their own, with nulls and repetitions among the values.
    """
    merged: dict[Any, int] = {}
    codes: list[AnyArray] = [np.empty(0, np.int64)]
    for chunk in chunks:
        places = [
            -1 if is_missing(state) else merged.setdefault(state, len(merged))
            for state in chunk.dictionary.to_pylist()
        ]
        indices = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.array([*places, -1], np.int64)[indices])
    return np.concatenate(codes), list(merged)


def factor_of_text(series: nw.Series[Any]) -> Factor | None:
    """Let the library that a column of text comes from tell its states apart; ``None`` for other columns.

    An object column of pandas is none: narwhals takes it for text after a look at its first rows. Text that
    pandas keeps as objects is read faster as such.
    """
    native = nw.to_native(series)
    if hasattr(native, "to_physical"):
        if series.dtype not in (nw.String, nw.Categorical):
            return None
        text = series.cast(nw.String())
        states = text.drop_nulls().unique().sort().to_list()
        if not states:  # some versions know no empty Enum
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
    # The states as they come, sorted.
    order = sorted(range(len(states)), key=states.__getitem__)
    rank = np.full(len(states) + 1, -1)
    rank[order] = np.arange(len(states))
    return Factor(rank[codes], [states[place] for place in order], declared=False)
