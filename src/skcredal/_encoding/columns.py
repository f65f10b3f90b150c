"""One column of a table, of any library: read as numbers or as states, with missing values in any form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from skcredal._arrays import AnyArray, FloatArray
from skcredal._encoding.factors import (
    Factor,
    FirstOccurrences,
    as_bytes,
    factor_of_bytes,
    factor_of_small_integers,
    in_order,
    is_missing,
    is_missing_type,
    plain_numbers,
)
from skcredal._encoding.states import declared_factor, factor_of_text
from skcredal._validation import has_hash, naming, safe_repr

__all__ = ["Column"]

# Integers that span less than this are looked up in a table instead of being sorted.
_SMALL_RANGE = 1 << 16
# The types of narwhals whose values are states.
_OF_STATES = (nw.Boolean, nw.String, nw.Categorical, nw.Enum)

Result = TypeVar("Result")


def _named(read: Callable[[Column], Result]) -> Callable[[Column], Result]:
    """Name the column in errors that come from inside a library while it is read."""

    @wraps(read)
    def read_by_name(column: Column) -> Result:
        with naming(column.label):
            return read(column)

    return read_by_name


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One feature as it was given: an array, or a narwhals series."""

    label: str
    data: Any
    # What narwhals says it holds, asked once because it takes its time to answer; ``None`` for an array.
    _dtype: Any = field(init=False)

    def __post_init__(self) -> None:
        dtype = self.data.dtype if isinstance(self.data, nw.Series) else None
        object.__setattr__(self, "_dtype", dtype)

    @property
    @_named
    def is_numeric(self) -> bool:
        """Whether the column holds numbers, by its type."""
        kinds = self._refuse_foreign_types()
        if self._dtype is not None:
            if self._dtype.is_numeric():
                return True
            if self._dtype in _OF_STATES:
                return False
        values = self._array()
        if values.dtype.kind == "O":
            # In Python bool is a Real, but True and False are states.
            return bool not in kinds and all(issubclass(kind, (Real, Decimal)) for kind in kinds)
        return values.dtype.kind in "iuf"

    @property
    def is_untyped(self) -> bool:
        """Whether only the values, not the type, tell if the column holds numbers."""
        if self._dtype is not None:
            if self._dtype.is_numeric():
                return False
            if self._dtype in _OF_STATES:
                # narwhals reports a pandas column of objects as text if the values look like it.
                dtype = getattr(nw.to_native(self.data), "dtype", None)
                return isinstance(dtype, np.dtype) and dtype.kind == "O"
        return self._array().dtype.kind == "O"

    def check(self) -> None:
        """Refuse values that are not supported, in a column that is not read otherwise."""
        if self.is_numeric:
            self.numbers()
        else:
            self.factor()

    @_named
    def numbers(self) -> FloatArray:
        """Return the column as numbers, NaN where it is missing."""
        self._refuse_foreign_types()
        if self._dtype is not None and self._dtype.is_numeric():
            numbers: FloatArray = self.data.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False)
        else:
            numbers = self._converted(self._array())
        if np.isinf(numbers).any():
            raise ValueError(f"{self.label} contains infinity; numbers must be finite or missing.")
        return numbers

    @_named
    def factor(self) -> Factor:
        """Return the column as states: those that its type declares, else those that occur, sorted."""
        # The cheapest first: states that the library knows, then small integers, which need no sorting.
        if self._dtype in (nw.Categorical, nw.Enum):
            declared = declared_factor(self.data)
            if declared is not None:
                self._refuse_infinity(declared.states)
                return declared
        self._refuse_foreign_types()
        text = factor_of_text(self.data) if self._dtype in (nw.String, nw.Categorical) else None
        if text is not None:
            return text
        values = self._array()
        if values.dtype.kind in "OSUT":
            return self._factor_of_objects(values.tolist())
        # Bytes are codes already, or nearly so: one pass counts them, and no states need to be searched for.
        bytes_ = as_bytes(values)
        if bytes_ is not None:
            return factor_of_bytes(bytes_)
        if values.dtype.kind in "iu" and len(values):
            low, high = int(values.min()), int(values.max())
            if high - low < _SMALL_RANGE:
                return factor_of_small_integers(values, low, high)
        states, codes = np.unique(values, return_inverse=True)
        self._refuse_infinity(states.tolist())
        # np.unique sorts NaN to the end, all of them as one.
        if states.dtype.kind == "f" and len(states) and np.isnan(states[-1]):
            states = states[:-1]
            codes = np.where(codes == len(states), -1, codes)
        return Factor(codes, states.tolist(), declared=False)

    def _array(self) -> AnyArray:
        return plain_numbers(self.data if self._dtype is None else self.data.to_numpy())

    def _refuse_foreign_types(self) -> set[type]:
        """Refuse types that are not supported: dates and times, complex numbers, nested values.

        Return the types of the values where the dtype leaves them open.
        """
        if (dtype := self._dtype) is not None:
            if dtype.is_numeric() or dtype in _OF_STATES:
                return set()
            if dtype.is_temporal():
                raise self._temporal(str(dtype))
            if dtype.is_nested():
                raise self._not_a_state(str(dtype))
        values = self._array()
        if values.dtype.kind in "Mm":
            raise self._temporal(str(values.dtype))
        if values.dtype.kind not in "iufbOUST":
            raise self._unsupported(str(values.dtype))
        kinds = _types_in(values) if values.dtype.kind == "O" else set()
        for kind in kinds:
            if issubclass(kind, (date, time, timedelta, np.datetime64, np.timedelta64)) or (
                kind.__name__ == "Period"  # of pandas, which need not be installed
            ):
                raise self._temporal(kind.__name__)
            if issubclass(kind, (complex, np.complexfloating)):
                raise self._unsupported(kind.__name__)
            if kind.__hash__ is None:
                raise self._not_a_state(kind.__name__)
        return kinds

    def _temporal(self, dtype: str) -> TypeError:
        return TypeError(
            f"{self.label}: dtype {dtype} is not supported for a feature. Turn dates and times into a number "
            "(such as days since a date) or a category (such as the month)."
        )

    def _unsupported(self, dtype: str) -> ValueError:
        # scikit-learn's checks require these words for complex data.
        reason = "Complex data not supported: " if "complex" in dtype else ""
        return ValueError(f"{reason}{self.label}: dtype {dtype} is not supported for a feature.")

    def _not_a_state(self, kind: str) -> TypeError:
        # The last words are those that scikit-learn's checks require.
        return TypeError(f"{self.label} holds a {kind}, but each argument must be a string or a number.")

    def _refuse_infinity(self, states: list[Any]) -> None:
        if any(isinstance(state, (float, np.floating, Decimal)) and abs(state) == np.inf for state in states):
            raise ValueError(f"{self.label} contains infinity; states must be finite or missing.")

    def _converted(self, values: AnyArray) -> FloatArray:
        if values.dtype.kind in "iufb":
            # A column of a row-major table is scattered in memory: copied once, it is read fast from then on.
            return np.ascontiguousarray(values, np.float64)
        numbers = np.empty(len(values))
        for r, value in enumerate(values.tolist()):
            try:
                numbers[r] = np.nan if is_missing(value) else float(value)
            except (TypeError, ValueError, OverflowError):
                text = safe_repr(value)
                short = text if len(text) < 40 else text[:36] + " ..."
                raise ValueError(f"{self.label} is numeric, but row {r} holds {short}.") from None
        return numbers

    def _factor_of_objects(self, values: list[Any]) -> Factor:
        numbering = FirstOccurrences()
        try:
            codes = np.fromiter(map(numbering.__getitem__, values), np.int64, len(values))
        except TypeError:
            unhashable = next(value for value in values if not has_hash(value))
            raise self._not_a_state(type(unhashable).__name__) from None
        # Only the distinct values are looked at one by one from here on, not the rows.
        known = [state for state in numbering if not is_missing(state)]
        self._refuse_infinity(known)
        states = in_order(known)
        rank = {state: code for code, state in enumerate(states)}
        new_codes = np.array([-1 if is_missing(state) else rank[state] for state in numbering], np.int64)
        return Factor(new_codes[codes] if len(numbering) else codes, states, declared=False)


def _types_in(values: AnyArray) -> set[type]:
    return {kind for kind in set(map(type, values.tolist())) if not is_missing_type(kind)}
