"""Tables of every kind read as columns: numpy, pandas, polars and pyarrow, missing values in any form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from skcredal import kernels
from skcredal._arrays import AnyArray, BoolArray, ByteArray, FloatArray
from skcredal._extras import require
from skcredal._threads import parts, run_in_threads
from skcredal._validation import naming, safe_repr
from skcredal.data.factors import (
    Factor,
    Places,
    declared_factor,
    factor_of_bytes,
    factor_of_small_integers,
    factor_of_text,
    in_order,
    is_missing,
    is_missing_type,
)

__all__ = [
    "Column",
    "Table",
    "as_bytes",
    "is_missing",
    "make_frame",
    "read_series",
    "read_table",
    "read_text",
]

# Cells that are worth starting a thread for.
CELLS_WORTH_A_THREAD = 1 << 20
# Integers that span less than this are told apart by a table instead of by sorting.
_SMALL_RANGE = 1 << 16

Result = TypeVar("Result")


def _named(read: Callable[[Column], Result]) -> Callable[[Column], Result]:
    """Let what goes wrong in the depths of a library name the column that is read."""

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

    @property
    @_named
    def is_numeric(self) -> bool:
        """Whether the column's type speaks of numbers."""
        kinds = self._refuse_foreign_types()
        if isinstance(self.data, nw.Series):
            if self.data.dtype.is_numeric():
                return True
            if self.data.dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
                return False
        values = self._array()
        if values.dtype.kind == "O":
            return bool not in kinds and all(issubclass(kind, (Real, Decimal)) for kind in kinds)
        return values.dtype.kind in "iuf"

    @property
    def is_untyped(self) -> bool:
        """Whether only the values of the column tell if they are numbers."""
        if isinstance(self.data, nw.Series):
            if self.data.dtype.is_numeric():
                return False
            if self.data.dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
                # narwhals takes pandas' objects for text if they look like it.
                dtype = getattr(nw.to_native(self.data), "dtype", None)
                return isinstance(dtype, np.dtype) and dtype.kind == "O"
        return self._array().dtype.kind == "O"

    def check(self) -> None:
        """Refuse what no feature can hold, in a column that nothing else is read from."""
        if self.is_numeric:
            self.numbers()
        else:
            self.factor()

    @_named
    def numbers(self) -> FloatArray:
        """Return the column as numbers, NaN where it is missing."""
        self._refuse_foreign_types()
        if isinstance(self.data, nw.Series) and self.data.dtype.is_numeric():
            numbers = self.data.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False)
        else:
            numbers = self._converted(self._array())
        if np.isinf(numbers).any():
            raise ValueError(f"{self.label} contains infinity; a feature is finite or missing.")
        return numbers

    @_named
    def factor(self) -> Factor:
        """Return the column as states, those that its type declares or else those that occur, in order."""
        declared = declared_factor(self.data) if self._declares_states() else None
        if declared is not None:
            self._refuse_infinity(declared.states)
            return declared
        self._refuse_foreign_types()
        text = factor_of_text(self.data) if isinstance(self.data, nw.Series) else None
        if text is not None:
            return text
        values = self._array()
        if values.dtype.kind in "OSUT":
            return self._factor_of_objects(values.tolist())
        if values.dtype == np.uint8 and values.flags.c_contiguous:
            return factor_of_bytes(values)
        if values.dtype.kind in "iu" and len(values):
            low, high = int(values.min()), int(values.max())
            if high - low < _SMALL_RANGE:
                return factor_of_small_integers(values, low, high)
        states, codes = np.unique(values, return_inverse=True)
        self._refuse_infinity(states.tolist())
        if states.dtype.kind == "f" and len(states) and np.isnan(states[-1]):
            states = states[:-1]
            codes = np.where(codes == len(states), -1, codes)
        return Factor(codes, states.tolist(), declared=False)

    def _declares_states(self) -> bool:
        return isinstance(self.data, nw.Series) and self.data.dtype in (nw.Categorical, nw.Enum)

    def _array(self) -> AnyArray:
        values: AnyArray = self.data.to_numpy() if isinstance(self.data, nw.Series) else self.data
        return values

    def _refuse_foreign_types(self) -> set[type]:
        """Refuse the types that no feature can have: dates and times, complex numbers, nested values.

        Return the types of the values, where the type of the column leaves them open.
        """
        if isinstance(self.data, nw.Series):
            dtype = self.data.dtype
            if dtype.is_numeric() or dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum):
                return set()
            if dtype.is_temporal():
                raise self._temporal(str(dtype))
            if dtype.is_nested():
                raise self._not_a_state(str(dtype))
        values = self._array()
        if values.dtype.kind in "Mm":
            raise self._temporal(str(values.dtype))
        if values.dtype.kind not in "iufbOUST":
            raise self._no_feature(str(values.dtype))
        kinds = _types_in(values) if values.dtype.kind == "O" else set()
        for kind in kinds:
            if issubclass(kind, (date, time, timedelta, np.datetime64, np.timedelta64)) or (
                kind.__name__ == "Period"  # of pandas, which need not be there
            ):
                raise self._temporal(kind.__name__)
            if issubclass(kind, (complex, np.complexfloating)):
                raise self._no_feature(kind.__name__)
            if kind.__hash__ is None:
                raise self._not_a_state(kind.__name__)
        return kinds

    def _temporal(self, dtype: str) -> TypeError:
        return TypeError(
            f"{self.label} has the type {dtype}. Dates and times are not features as they stand: "
            "give a number (such as days since a date) or a category (such as the month) instead."
        )

    def _no_feature(self, dtype: str) -> ValueError:
        # The first words are those that scikit-learn's contract asks for.
        reason = "Complex data not supported: " if "complex" in dtype else ""
        return ValueError(f"{reason}{self.label} has the type {dtype}, which is no feature.")

    def _not_a_state(self, kind: str) -> TypeError:
        return TypeError(f"{self.label} holds a {kind}; each argument must be a string or a number.")

    def _refuse_infinity(self, states: list[Any]) -> None:
        if any(isinstance(state, (float, np.floating, Decimal)) and abs(state) == np.inf for state in states):
            raise ValueError(f"{self.label} contains infinity; a state is finite or missing.")

    def _converted(self, values: AnyArray) -> FloatArray:
        if values.dtype.kind in "iufb":
            # A column of a row-major table lies scattered: gathered once, it is read fast from then on.
            return np.ascontiguousarray(values, np.float64)
        numbers = np.empty(len(values))
        for r, value in enumerate(values.tolist()):
            try:
                numbers[r] = np.nan if is_missing(value) else float(value)
            except (TypeError, ValueError, OverflowError):
                text = safe_repr(value)
                shown = text if len(text) < 40 else text[:36] + " ..."
                raise ValueError(f"{self.label} is numeric, but row {r} holds {shown}.") from None
        return numbers

    def _factor_of_objects(self, values: list[Any]) -> Factor:
        places = Places()
        try:
            codes = np.fromiter(map(places.__getitem__, values), np.int64, len(values))
        except TypeError:
            unhashable = next(value for value in values if not _has_hash(value))
            raise self._not_a_state(type(unhashable).__name__) from None
        known = [state for state in places if not is_missing(state)]
        self._refuse_infinity(known)
        states = in_order(known)
        rank = {state: code for code, state in enumerate(states)}
        new_codes = np.array([-1 if is_missing(state) else rank[state] for state in places], np.int64)
        return Factor(new_codes[codes] if len(places) else codes, states, declared=False)


def _has_hash(value: Any) -> bool:
    # A tuple has one only if all that it holds has one.
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _types_in(values: AnyArray) -> set[type]:
    return {kind for kind in set(map(type, values.tolist())) if not is_missing_type(kind)}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table that was read: what scikit-learn's checks of names and shape take, and the columns.

    ``cells`` are all of them, (n_columns, n_rows), of an array whose integers all are bytes.
    """

    data: Any
    columns: list[Column]
    n_rows: int
    cells: ByteArray | None = None

    def select(self, rows: BoolArray) -> Table:
        """Return the table of the rows that the mask keeps."""
        columns = []
        for column in self.columns:
            data = column.data
            columns.append(
                Column(
                    column.label, data.filter(rows.tolist()) if isinstance(data, nw.Series) else data[rows]
                )
            )
        return Table(self.data, columns, int(rows.sum()))


def read_table(X: Any, *, estimator: Any, n_threads: int = 1) -> Table:
    """Read the features of any table.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_features)
        A numpy array of numbers, objects or strings, a list of rows, or a table of pandas, polars or pyarrow.
    estimator : object
        Named in error messages.
    n_threads : int
        Threads that may transpose an array.
    """
    if sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert it."
        )
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            "X is a masked array, whose mask would be lost: use X.astype(float).filled(numpy.nan)."
        )
    with naming("X"):
        return _read_any_table(X, estimator, n_threads)


def _read_any_table(X: Any, estimator: Any, n_threads: int) -> Table:
    X = _whole_table(X)
    try:
        frame = X if isinstance(X, np.ndarray) else nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a lazy table ({type(X).__name__}); collect or compute it first.")
    if isinstance(frame, nw.DataFrame):
        n_rows, n_columns = frame.shape
        for found, what in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
            if found == 0:
                raise ValueError(
                    f"X must not be empty. Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a "
                    f"minimum of 1 is required by {type(estimator).__name__}."
                )
        series = zip(frame.columns, frame.iter_columns(), strict=True)
        columns = [Column(f"Column {safe_repr(name)}", column) for name, column in series]
        return Table(X, columns, n_rows)
    if isinstance(X, (list, tuple)):
        try:
            kind = np.asarray(X).dtype.kind
        except ValueError:
            raise ValueError(
                "X must have the same number of cells in every row, got rows of different lengths."
            ) from None
        if kind in "SU":
            # Rows of mixed cells: numpy alone would turn the numbers into text.
            X = np.array(X, dtype=object)
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    cells = as_bytes(array, n_threads=n_threads)
    data = array.T if cells is None else cells
    columns = [Column(f"Feature {j}", column) for j, column in enumerate(data)]
    return Table(array, columns, len(array), cells)


def _whole_table(X: Any) -> Any:
    """Return a record batch of Arrow as a table, which keeps its names, and anything else as it is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    >>> type(_whole_table(batch)).__name__
    'Table'
    """
    if type(X).__name__ != "RecordBatch" or not type(X).__module__.startswith("pyarrow"):
        return X
    return require("pyarrow", extra="scale", purpose="Reading batches of Arrow").Table.from_batches([X])


def as_bytes(table: AnyArray, *, n_threads: int = 1) -> ByteArray | None:
    """Return the columns of a table of integers as bytes, one after the other; ``None`` if some are none."""
    if table.dtype.kind not in "iu":
        return None
    columns = np.empty(table.shape[::-1], np.uint8)

    def transpose(rows: slice) -> bool:
        return kernels.cells.bytes_of_columns(table, rows.start, rows.stop, columns)

    some = parts(len(table), n_threads, CELLS_WORTH_A_THREAD // table.shape[1] + 1)
    return columns if all(run_in_threads(transpose, some, n_threads)) else None


def read_text(y: Any) -> Factor | None:
    """Return a series of text whose library tells its states apart as a factor; ``None`` for anything else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> factor = read_text(pa.chunked_array([["b", None, "a"]]))
    >>> factor.codes.tolist(), factor.states
    ([1, -1, 0], ['a', 'b'])
    >>> read_text(["a"]) is None
    True
    """
    if isinstance(y, np.ndarray):
        return None
    try:
        series = nw.from_native(y, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        return None
    is_text = isinstance(series, nw.Series) and series.dtype == nw.String
    return factor_of_text(series) if is_text else None


def read_series(y: Any) -> Any:
    """Return a polars or pyarrow series as a numpy array, and anything else as it is."""
    if isinstance(y, np.ndarray):
        return y
    try:
        series = nw.from_native(y, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        return y  # a table with two columns of a name, which is no series
    return series.to_numpy() if isinstance(series, nw.Series) else y


def make_frame(columns: dict[str, list[Any]], *, like: Any) -> Any:
    """Return columns as a DataFrame of the library that a table is of, or of pandas if it is of none.

    Examples
    --------
    >>> import polars as pl
    >>> make_frame({"a": [1, 2]}, like=pl.DataFrame({"x": [0.5]})).columns
    ['a']
    """
    frame = nw.from_native(like, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return nw.from_dict(columns, backend=nw.get_native_namespace(frame)).to_native()
    pandas = require("pandas", extra="report", purpose="A DataFrame for an array")
    return pandas.DataFrame(columns)
