"""One column of a table, of any library: read as numbers or as states, with missing values in any form."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from skcredal._arrays import AnyArray, FloatArray, IntArray, LabelArray
from skcredal._validation import naming, safe_repr

__all__ = ["Column", "Factor", "in_order", "is_missing", "number_objects", "number_small_integers"]

# Integers that span less than this are numbered by a table of the range instead of being sorted.
SMALL_RANGE = 1 << 16
# In so many rows, all of a few integers usually occur.
FIRST_ROWS = 1000
# The types of narwhals whose values are states.
_OF_STATES = (nw.Boolean, nw.String, nw.Categorical, nw.Enum)
_TEMPORAL = (date, time, timedelta, np.datetime64, np.timedelta64)


class Factor(NamedTuple):
    """A column as states: for each row the index of its state, -1 where the value is missing.

    Unsigned codes tell that no value is missing. ``declared`` says that the states and their order are those
    of the column's type, seen or not.
    """

    codes: AnyArray
    states: list[Any]
    declared: bool = False


class Column:
    """One feature as it was given. What was read once is kept for the next reader.

    Parameters
    ----------
    label : str
        What messages call the column.
    data : ndarray or narwhals.Series
        The values.
    """

    def __init__(self, label: str, data: Any) -> None:
        if isinstance(data, nw.Series):
            # narwhals would call objects of pandas text after a look at the first.
            if getattr(nw.to_native(data), "dtype", None) == np.dtype(object):
                data = data.to_numpy()
            elif not (data.dtype.is_numeric() or data.dtype in _OF_STATES):
                with naming(label):
                    data = np.fromiter(data.to_list(), object)
        self.label, self.data = label, data
        # Whether only the values, not the type, tell if the column contains numbers.
        self.is_untyped = isinstance(data, np.ndarray) and data.dtype.kind == "O"

    def select(self, rows: Any) -> Column:
        """Return the column of some rows, given as an array of indices."""
        return Column(self.label, self.data[rows])

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the column contains numbers, by its type or, for objects, by the types of all values."""
        if isinstance(self.data, nw.Series):
            return self.data.dtype.is_numeric()
        # In Python bool is a Real, but True and False are states.
        return bool not in self._types and all(issubclass(kind, (Real, Decimal)) for kind in self._types)

    @cached_property
    def numbers(self) -> FloatArray:
        """The column as numbers, NaN where it is missing."""
        if self.is_numeric and isinstance(self.data, nw.Series):
            with naming(self.label):
                values = self.data.cast(nw.Float64()).to_numpy()
        else:
            values = self._array
        if values.dtype.kind in "iufb":
            # A column of a row-major table is scattered in memory: copied once, it is read fast from then on.
            numbers: FloatArray = np.ascontiguousarray(values, np.float64)
        else:
            codes, different = self._numbered
            numbers = np.array([self._as_number(value, code) for code, value in enumerate(different)])[codes]
        if np.isinf(numbers).any():
            raise self._infinite()
        return numbers

    @cached_property
    def factor(self) -> Factor:
        """The column as states: those that its type declares, else those that occur, sorted."""
        _ = self._types  # refuses those that are not supported
        with naming(self.label):
            factor = _factor_of_library(self.data) if isinstance(self.data, nw.Series) else None
        factor = factor or self._factor_of_array()
        real = [state for state in factor.states if isinstance(state, (float, np.floating, Decimal))]
        if np.inf in map(abs, real):
            raise self._infinite()
        return factor

    def plain(self, rows: IntArray, *, categorical: bool) -> AnyArray:
        """Return some cells as numbers, or as objects where the column has states, or may have them."""
        if self.is_numeric and not self.is_untyped and not categorical:
            return self.numbers[rows]
        # A missing value is -1, which indexes the last entry.
        states = np.fromiter([*self.factor.states, None], object)
        return states[self.factor.codes[rows]]

    @cached_property
    def _array(self) -> AnyArray:
        with naming(self.label):
            values: AnyArray = self.data.to_numpy() if isinstance(self.data, nw.Series) else self.data
        return values

    def _as_number(self, value: Any, code: int) -> float:
        try:
            return np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError, OverflowError) as error:
            r = int((self._numbered[0] == code).argmax())
            raise ValueError(f"{self.label} is numeric, but row {r} contains {safe_repr(value)}.") from error

    @cached_property
    def _numbered(self) -> tuple[LabelArray, list[Any]]:
        """The index of each row's value among the different ones, in the order of their first rows."""
        with naming(self.label):  # hashes and comparisons of any class
            return number_objects(self._array.tolist())

    def _factor_of_array(self) -> Factor:
        values = self._array
        if values.dtype.kind in "OSUT":
            codes, different = self._numbered
            states = in_order([state for state in different if not is_missing(state)])
            code_of = {state: code for code, state in enumerate(states)}
            lookup = np.array([-1 if is_missing(value) else code_of[value] for value in different], np.int32)
            return Factor(lookup[codes], states)
        if values.dtype.kind in "iu" and (numbered := number_small_integers(values)) is not None:
            return Factor(*numbered)
        found, rank = np.unique(values, return_inverse=True)
        # NaN is sorted to the end, all of them as one.
        if found.dtype.kind == "f" and len(found) and np.isnan(found[-1]):
            found, rank = found[:-1], np.where(rank == len(found) - 1, -1, rank)
        return Factor(rank, found.tolist())

    @cached_property
    def _types(self) -> set[type]:
        """The types of the values of an array, but for missing ones; none where narwhals knows them.

        Dates and times, complex numbers and nested values are refused.
        """
        if isinstance(self.data, nw.Series):
            return set()
        found = {self.data.dtype.type}
        if self.is_untyped:
            found = {kind for kind in set(map(type, self.data.tolist())) if not _is_missing_type(kind)}
        for kind in found:
            # The Period of pandas, by name, because pandas need not be installed.
            if issubclass(kind, _TEMPORAL) or kind.__name__ == "Period":
                raise TypeError(
                    f"{self.label}: dtype {kind.__name__} is not supported for a feature. Turn dates and "
                    "times into a number (such as days since a date) or a category (such as the month)."
                )
            if issubclass(kind, (complex, np.complexfloating)):
                # scikit-learn's checks require these words.
                raise ValueError(f"Complex data not supported: {self.label} contains a {kind.__name__}.")
            if kind.__hash__ is None or issubclass(kind, np.void):
                # The last words are those that scikit-learn's checks require.
                raise TypeError(
                    f"{self.label} contains a {kind.__name__}; each argument must be a string or a number."
                )
        return found

    def _infinite(self) -> ValueError:
        return ValueError(f"{self.label} contains infinity; numbers must be finite or missing.")


def _factor_of_library(series: nw.Series[Any]) -> Factor | None:
    """Let the library find the states that a type declares, or those of text; ``None`` for anything else.

    narwhals itself would report only the declared states that occur.
    """
    native, dtype = nw.to_native(series), series.dtype
    if dtype == nw.Boolean or dtype.is_numeric():
        return None
    if series.implementation.is_polars():
        # The categories of a polars Categorical are a pool shared by the whole process: they say nothing
        # about this column (§1). So it is read as text.
        if dtype != nw.Enum:
            text = series.cast(nw.String())
            series = text.cast(nw.Enum(text.drop_nulls().unique().sort().to_list()))
        enum = nw.to_native(series)
        codes = enum.to_physical().cast(int).fill_null(-1).to_numpy()
        return Factor(codes, enum.dtype.categories.to_list(), declared=dtype == nw.Enum)
    if hasattr(native, "chunks"):
        return _factor_of_arrow(native, declared=dtype != nw.String)
    if hasattr(native.array, "codes"):
        return Factor(native.array.codes, native.array.categories.tolist(), declared=True)
    # Strings that pandas stores as Python objects are read as objects.
    if getattr(native.dtype, "storage", "pyarrow") != "pyarrow":
        return None
    return _factor_of_arrow(native.array.__arrow_array__(), declared=dtype != nw.String)


def _factor_of_arrow(column: Any, *, declared: bool) -> Factor:
    """Return the states of a column of Arrow; each of its chunks may have a dictionary of its own."""
    chunks = (column if declared else column.dictionary_encode()).chunks
    dictionaries = [chunk.dictionary.to_pylist() for chunk in chunks]
    # A dictionary may contain a state twice, and missing values.
    found = dict.fromkeys(state for own in dictionaries for state in own if not is_missing(state))
    states = list(found) if declared else sorted(found)
    code_of = {state: code for code, state in enumerate(states)}
    codes = [np.empty(0, np.int64)]
    for chunk, own in zip(chunks, dictionaries, strict=True):
        # The last entry is that of -1, a missing value.
        lookup = np.array([*(code_of.get(state, -1) for state in own), -1])
        codes.append(lookup.take(chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)))
    return Factor(np.concatenate(codes), states, declared)


class _FirstOccurrences(dict[Any, int]):
    """Numbers values from 0 in the order in which they are first looked up."""

    # Called for a new value only: those that repeat, which most do, never leave the C code of dict.
    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number


def number_objects(values: Iterable[Any]) -> tuple[LabelArray, list[Any]]:
    """Return the index of each value among the different ones, and these in the order of their occurrence.

    Examples
    --------
    >>> number_objects(["b", "a", "b"])
    (array([0, 1, 0], dtype=int32), ['b', 'a'])
    """
    numbering = _FirstOccurrences()
    return np.fromiter(map(numbering.__getitem__, values), np.int32), list(numbering)


def number_small_integers(values: AnyArray) -> tuple[AnyArray, list[int]] | None:
    """Return the same for integers, sorted, by a table of their range; ``None`` if that is too large.

    Examples
    --------
    >>> import numpy as np
    >>> number_small_integers(np.array([7, -3, 7], np.int8))
    (array([1, 0, 1], dtype=int32), [-3, 7])
    >>> number_small_integers(np.array([4, 5, 4], np.int8))
    (array([0, 1, 0], dtype=uint8), [4, 5])
    """
    low = values.min(initial=np.iinfo(values.dtype).max)
    # As unsigned integers, differences never overflow: int8 has -128 and 127, but not what lies between.
    offsets = (values - low).view(f"u{values.dtype.itemsize}")
    if (most := int(offsets.max(initial=0))) >= SMALL_RANGE:
        return None
    # They are small: numpy 1.26 does not count unsigned integers of eight bytes.
    offsets = offsets.view(np.int64) if offsets.itemsize == 8 else offsets
    # Counting all rows takes longer than all else here, and is needed only where some may not occur.
    present = np.bincount(offsets[:FIRST_ROWS], minlength=(most + 1) * (len(offsets) > 0)) > 0
    if not present.all():
        present = np.bincount(offsets) > 0
    states = [int(low) + offset for offset in np.flatnonzero(present).tolist()]
    # Without a gap they are numbered already, and in as few bytes as they came.
    return offsets if present.all() else (np.cumsum(present, dtype=np.int32) - 1).take(offsets), states


def _is_missing_type(kind: type) -> bool:
    """Tell whether every value of a type is missing: None, and NA and NaT of pandas."""
    # By name, because pandas need not be installed.
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def is_missing(value: Any) -> bool:
    """Tell whether a single value is missing: None, NaN, or NA or NaT of pandas.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    return _is_missing_type(type(value)) or (
        # NaN is the only number that differs from itself; a Decimal has no np.isnan.
        isinstance(value, (float, np.floating, Decimal)) and value != value
    )


def in_order(states: list[Any]) -> list[Any]:
    """Sort states; where numbers and text are mixed, by type and then as printed.

    Examples
    --------
    >>> in_order(["a", 2, 1])
    [1, 2, 'a']
    """
    try:
        return sorted(states)
    except TypeError:
        return sorted(states, key=lambda state: (type(state).__name__, safe_repr(state)))
