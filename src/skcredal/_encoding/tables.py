"""Tables of every kind read as columns, and back: numpy, pandas, polars and pyarrow."""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.utils import check_array

from skcredal._arrays import AnyArray, BoolArray
from skcredal._encoding.columns import Column
from skcredal._extras import require
from skcredal._validation import naming, refuse_mask, safe_repr

__all__ = ["Table", "frame_library", "make_frame", "read_series", "read_table"]


class Table(NamedTuple):
    """A table that was read."""

    data: Any  # the table as it was given, with all its rows, for scikit-learn's checks of names and numbers
    columns: list[Column]
    n_rows: int  # how many rows the columns have

    def select(self, rows: BoolArray) -> Table:
        """Return the table of the rows of a mask."""
        indices = np.flatnonzero(rows)
        return Table(self.data, [column.select(indices) for column in self.columns], len(indices))


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
        frame = _as_frame(X)
        if frame is None:
            array = _as_array(X, estimator)
        elif 0 in frame.shape:
            check_array(np.empty(frame.shape), estimator=estimator)  # for its error
    if frame is None:
        # A column of a row-major table is scattered in memory. Bytes are gathered once for all columns.
        arrays = np.ascontiguousarray(array.T) if array.dtype.itemsize == 1 else array.T
        return Table(array, [Column(f"Feature {j}", own) for j, own in enumerate(arrays)], len(array))
    named = zip(frame.columns, frame.iter_columns(), strict=True)
    columns = [Column(f"Column {safe_repr(name)}", column) for name, column in named]
    return Table(frame.to_native(), columns, len(frame))


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:
    if isinstance(X, np.ndarray):
        return None
    # By name, because pyarrow need not be installed. A table keeps the names of the columns.
    if type(X).__name__ == "RecordBatch":
        X = require("pyarrow", extra="scale", purpose="Reading batches of Arrow").Table.from_batches([X])
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from error
    if isinstance(frame, nw.LazyFrame):
        other = (
            ", or use fit_dask and predict_dask of skcredal.scale" if frame.implementation.is_dask() else ""
        )
        raise TypeError(f"X is a lazy table ({type(X).__name__}); collect or compute it first{other}.")
    return frame if isinstance(frame, nw.DataFrame) else None


def _as_array(X: Any, estimator: Any) -> AnyArray:
    if isinstance(X, (list, tuple)) and np.asarray(X).dtype.kind in "SU":
        # Rows of mixed cells: by itself numpy would turn the numbers into text.
        X = np.array(X, dtype=object)
    # Nothing is left to check of numbers in rows and columns, and a small table need not wait for that.
    if not (type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"):
        X = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")
    array: AnyArray = X.astype(np.float64) if X.dtype.type is np.longdouble else X
    return array


def read_series(y: Any) -> Any:
    """Return a polars or pyarrow series as a numpy array, and anything else as it is."""
    if isinstance(y, np.ndarray):
        return y
    series = nw.from_native(y, allow_series=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) else y


def frame_library(table: Any) -> Any:
    """Return the library that a DataFrame comes from; ``None`` for an array or a list."""
    frame = _as_frame(table)
    return None if frame is None else nw.get_native_namespace(frame)


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
