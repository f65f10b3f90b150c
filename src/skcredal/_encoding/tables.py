"""Tables of every kind read as columns, and back: numpy, pandas, polars and pyarrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils import check_array

from skcredal._arrays import AnyArray
from skcredal._encoding.columns import Column
from skcredal._extras import require
from skcredal._validation import naming, refuse_mask, safe_repr

__all__ = ["Table", "frame_library", "make_frame", "read_series", "read_table"]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table that was read.

    Parameters
    ----------
    data : array or DataFrame
        The table as it was given, with all its rows, for scikit-learn's checks of names and numbers.
    columns : list of Column
        The columns.
    n_rows : int
        How many rows the columns have.
    """

    data: Any
    columns: list[Column]
    n_rows: int

    def select(self, rows: Any) -> Table:
        """Return the table of some rows: a slice, a mask, or an array of indices."""
        if not isinstance(rows, slice):
            rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        n_rows = len(range(self.n_rows)[rows]) if isinstance(rows, slice) else len(rows)
        return Table(self.data, [column.select(rows) for column in self.columns], n_rows)


def read_table(X: Any, *, estimator: Any) -> Table:
    """Read the features of any table.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_features)
        A numpy array of numbers, objects or strings, a list of rows, or a table of pandas, polars or pyarrow.
    estimator : object
        Named in error messages.
    """
    refuse_mask("X", X)
    with naming("X"):
        X = _whole_table(X)
        frame = _as_frame(X)
        if frame is None:
            X = _as_array(X, estimator)
    if frame is None:
        # A column of a row-major table is scattered in memory. Bytes are gathered once for all columns.
        columns = np.ascontiguousarray(X.T) if X.dtype.itemsize == 1 else X.T
        return Table(X, [Column(f"Feature {j}", column) for j, column in enumerate(columns)], len(X))
    n_rows, n_columns = frame.shape
    # The words are those of check_array, which scikit-learn's checks require.
    for found, what in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
        if found == 0:
            raise ValueError(
                f"X must not be empty. Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a "
                f"minimum of 1 is required by {type(estimator).__name__}."
            )
    named = zip(frame.columns, frame.iter_columns(), strict=True)
    return Table(X, [Column(f"Column {safe_repr(name)}", column) for name, column in named], n_rows)


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a lazy table ({type(X).__name__}); collect or compute it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def _as_array(X: Any, estimator: Any) -> AnyArray:
    if isinstance(X, (list, tuple)):
        try:
            kind = np.asarray(X).dtype.kind
        except ValueError as error:
            raise ValueError(
                "X must have the same number of cells in every row, got rows of different lengths."
            ) from error
        if kind in "SU":
            # Rows of mixed cells: by itself numpy would turn the numbers into text.
            X = np.array(X, dtype=object)
    # Nothing is left to check of numbers in rows and columns, and a small table need not wait for that.
    if type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf":
        return X
    array: AnyArray = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")
    return array


def _whole_table(X: Any) -> Any:
    """Return a record batch of Arrow as a table, which keeps its column names, and anything else as it is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    >>> type(_whole_table(batch)).__name__
    'Table'
    """
    # By name, because pyarrow need not be installed.
    if type(X).__name__ != "RecordBatch" or not type(X).__module__.startswith("pyarrow"):
        return X
    return require("pyarrow", extra="scale", purpose="Reading batches of Arrow").Table.from_batches([X])


def read_series(y: Any) -> Any:
    """Return a polars or pyarrow series as a numpy array, and anything else as it is."""
    if isinstance(y, np.ndarray):
        return y
    try:
        series = nw.from_native(y, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        return y  # a table with two columns of the same name: not a series
    return series.to_numpy() if isinstance(series, nw.Series) else y


def frame_library(table: Any) -> Any:
    """Return the library that a DataFrame comes from; ``None`` for an array or a list."""
    frame = nw.from_native(_whole_table(table), pass_through=True)
    return nw.get_native_namespace(frame) if isinstance(frame, nw.DataFrame) else None


def make_frame(columns: dict[str, Any], library: Any) -> Any:
    """Return columns as a DataFrame of a library (see :func:`frame_library`), of pandas for ``None``.

    Examples
    --------
    >>> import polars as pl
    >>> make_frame({"a": [1, 2]}, frame_library(pl.DataFrame({"x": [0.5]}))).columns
    ['a']
    """
    if library is not None:
        return nw.from_dict(columns, backend=library).to_native()
    pandas = require("pandas", extra="cli", purpose="A DataFrame for an array")
    return pandas.DataFrame(columns)
