"""Tables of every kind read as columns: numpy, pandas, polars and pyarrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, BoolArray, ByteArray
from skcredal._encoding.columns import Column
from skcredal._encoding.factors import Factor, holds_integers, plain_numbers
from skcredal._encoding.states import factor_of_text
from skcredal._extras import require
from skcredal._threads import parts, run_in_threads
from skcredal._validation import naming, safe_repr

__all__ = [
    "CELLS_WORTH_A_THREAD",
    "Table",
    "frame_library",
    "make_frame",
    "read_series",
    "read_table",
    "read_text",
    "table_as_bytes",
]

# It takes at least so many cells to be worth starting a thread.
CELLS_WORTH_A_THREAD = 1 << 20
# For fewer rows, asking a DataFrame what it is takes longer than reading its columns one by one.
ROWS_WORTH_A_LOOK = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table that was read: ``data`` for scikit-learn's checks of names and shape, and the columns.

    ``cells`` are all cells as bytes, (n_columns, n_rows), where all are integers that fit.
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
        data = self.data[rows] if isinstance(self.data, np.ndarray) else self.data
        return Table(data, columns, int(rows.sum()))


@naming("X")
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
    # numpy would convert it to a plain array, with whatever lies under the mask.
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            "X is a masked array, whose mask would be lost: use X.astype(float).filled(numpy.nan)."
        )
    X = _whole_table(X)
    try:
        frame = X if isinstance(X, np.ndarray) else nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a lazy table ({type(X).__name__}); collect or compute it first.")
    if isinstance(frame, nw.DataFrame):
        n_rows, n_columns = frame.shape
        # The words are those of check_array, which scikit-learn's checks require.
        for found, what in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
            if found == 0:
                raise ValueError(
                    f"X must not be empty. Found array with 0 {what} (shape=({n_rows}, {n_columns})) while a "
                    f"minimum of 1 is required by {type(estimator).__name__}."
                )
        cells = _frame_as_bytes(frame, n_threads)
        series = zip(frame.columns, frame.iter_columns() if cells is None else cells, strict=True)
        columns = [Column(f"Column {safe_repr(name)}", column) for name, column in series]
        return Table(X, columns, n_rows, cells)
    if isinstance(X, (list, tuple)):
        try:
            kind = np.asarray(X).dtype.kind
        except ValueError:
            raise ValueError(
                "X must have the same number of cells in every row, got rows of different lengths."
            ) from None
        if kind in "SU":
            # Rows of mixed cells: by itself numpy would turn the numbers into text.
            X = np.array(X, dtype=object)
    # Of numbers in rows and columns, nothing is left to check, and a small table need not wait for that.
    is_checked = type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"
    if not is_checked:
        X = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    array = plain_numbers(X)
    # Small integers are transposed once for all columns: a column of a row-major array is slow to read alone.
    cells = table_as_bytes(array, n_threads=n_threads)
    data = array.T if cells is None else cells
    columns = [Column(f"Feature {j}", column) for j, column in enumerate(data)]
    return Table(array, columns, len(array), cells)


def _whole_table(X: Any) -> Any:
    """Return a record batch of Arrow as a table, which keeps its column names, and anything else as it is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    >>> type(_whole_table(batch)).__name__
    'Table'
    """
    # By name, since pyarrow need not be installed.
    if type(X).__name__ != "RecordBatch" or not type(X).__module__.startswith("pyarrow"):
        return X
    return require("pyarrow", extra="scale", purpose="Reading batches of Arrow").Table.from_batches([X])


def table_as_bytes(table: AnyArray, *, n_threads: int = 1) -> ByteArray | None:
    """Return the columns of a table of integers as bytes; ``None`` if some integers do not fit."""
    if not holds_integers(table):
        return None
    columns = np.empty(table.shape[::-1], np.uint8)

    def transpose(rows: slice) -> bool:
        return kernels.encoding.bytes_of_columns(table, rows.start, rows.stop, columns)

    # Whole blocks of rows for each thread, but not so few that starting it takes longer than the work.
    some = parts(len(table), n_threads, CELLS_WORTH_A_THREAD // table.shape[1] + 1)
    return columns if all(run_in_threads(transpose, some, n_threads)) else None


def _frame_as_bytes(frame: Any, n_threads: int) -> ByteArray | None:
    """Return the columns of a large pandas DataFrame of small integers as bytes; else ``None``.

    It often keeps them in one row-major array, of which a single column is slow to read.
    """
    if len(frame) < ROWS_WORTH_A_LOOK or not frame.implementation.is_pandas():
        return None
    native = nw.to_native(frame)
    # Not those of pandas' own types, which may be missing.
    if not all(isinstance(dtype, np.dtype) and dtype.kind in "iu" for dtype in native.dtypes):
        return None
    return table_as_bytes(plain_numbers(native.to_numpy()), n_threads=n_threads)


def read_text(y: Any) -> Factor | None:
    """Return a series of text as a factor if its library can find the states; ``None`` for anything else.

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
