"""Predictions of rows that come in batches, written to Parquet as they are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skcredal._encoding.frames import read_series
from skcredal._extras import require
from skcredal._progress import ProgressChoice, report_progress
from skcredal._validation import naming
from skcredal.classifiers._answers import Answers, answers
from skcredal.scale._batches import annotate_error, n_rows_of, refuse_path
from skcredal.scale._storage import replacing_in_store

__all__ = ["arrow_columns", "predict_batches", "prediction_columns"]


def predict_batches(
    estimator: Any,
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    path: str | os.PathLike[str],
    *,
    progress: ProgressChoice = False,
    filesystem: Any = None,
) -> int:
    """Predict rows that come in batches, and write the answers to a Parquet file.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier.
    batches : iterable, or function that returns one
        Tables ``X``, or tuples ``(X, y)`` or ``(X, y, sample_weight)``. There is only one pass over them, so
        that a generator will do.
    path : str or path
        The file to write, or its address in an object store, as in :func:`scan_parquet`. It appears when it
        is complete; an existing file is replaced only then.
    progress : bool or function, default=False
        As in :func:`fit_batches`.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        Where to write the file, if the path does not tell.

    Returns
    -------
    n_rows : int
        The number of rows written.

    Notes
    -----
    The columns are ``predicted``, the class; ``probability_<class>`` for every class; for a credal classifier
    also ``set``, the list of its classes, ``set_size``, ``lower_<class>`` and ``upper_<class>``, and
    ``robustness`` if there is one; and ``target``, the true class, if all batches have one.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from skcredal import NaiveCredal
    >>> from skcredal.scale import predict_batches
    >>> fruit = pd.DataFrame({"colour": ["red", "red", "yellow", "yellow"]})
    >>> clf = NaiveCredal().fit(fruit, ["apple", "apple", "banana", "banana"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predict_batches(clf, [fruit[:1], fruit[1:]], f"{folder}/answers.parquet")
    ...     answers = pd.read_parquet(f"{folder}/answers.parquet")
    4
    >>> list(answers.columns)[:5]
    ['predicted', 'probability_apple', 'probability_banana', 'set', 'set_size']
    >>> answers["predicted"].tolist()
    ['apple', 'apple', 'banana', 'banana']
    """
    check_is_fitted(estimator)
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    parquet = require("pyarrow.parquet", extra="scale", purpose="predict_batches")
    refuse_path(batches)
    tables = batches() if callable(batches) and not hasattr(batches, "__iter__") else batches
    if not hasattr(tables, "__iter__"):
        raise TypeError(f"batches must be iterable, got {type(tables).__name__}.")
    total = 0
    with (
        replacing_in_store(path, filesystem) as unfinished,
        report_progress(progress, "predictions", getattr(batches, "n_rows", None)) as advance,
    ):
        writer = None
        try:
            for number, (X, y) in enumerate(_pairs(tables), 1):
                with annotate_error(batches, "predictions", number):
                    table = arrow.table(prediction_columns(estimator, X, y))
                    # The schema is that of the first batch: whether there is a target is not known before.
                    if writer is None:
                        writer = parquet.ParquetWriter(unfinished, table.schema)
                    table = _fitted_to(table, writer.schema)
                writer.write_table(table)
                total += table.num_rows
                advance(table.num_rows)
            if writer is None:
                raise ValueError("batches must yield at least one row, got none.")
        finally:
            if writer is not None:
                writer.close()
    return total


def prediction_columns(estimator: Any, X: Any, y: Any = None) -> dict[str, Any]:
    """Return the answers for a table as Arrow columns, by name, with ``y`` as ``target``."""
    columns = arrow_columns(answers(estimator, X))
    return columns if y is None else {**columns, "target": _target(y, n_rows_of(X))}


def arrow_columns(found: Answers) -> dict[str, Any]:
    """Return answers as Arrow columns, named like :meth:`Answers.columns`."""
    # The columns that hold classes are built from indices in Arrow: Python lists of a million rows are slow.
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    classes = arrow.array(found.classes.tolist())
    columns = replace(found, sets=None).columns()
    columns = {name: arrow.array(values) for name, values in columns.items() if name != "predicted"}
    columns = {"predicted": classes.take(arrow.array(found.predicted_index)), **columns}
    sizes = found.set_size
    if found.sets is None or sizes is None:
        return columns
    ends = arrow.array(np.concatenate([[0], np.cumsum(sizes)]), arrow.int32())
    members = classes.take(arrow.array(np.nonzero(found.sets)[1]))
    sets = {
        "set": arrow.ListArray.from_arrays(ends, members),
        "set_size": arrow.array(sizes, arrow.int32()),
    }
    # The sets come after the class and the probabilities, in the order of Answers.columns.
    n_first = 1 + len(found.classes)
    first, rest = list(columns.items())[:n_first], list(columns.items())[n_first:]
    return dict([*first, *sets.items(), *rest])


def _target(y: Any, n_rows: int) -> Any:
    """Return the true classes, some of which may be missing, as an Arrow column."""
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    if isinstance(y, (arrow.Array, arrow.ChunkedArray)):
        column = y
    else:
        with naming("y"):
            column = arrow.array(np.asarray(read_series(y)), from_pandas=True)
    if len(column) != n_rows:
        raise ValueError(f"y must have one class for each of the {n_rows} rows of X, got {len(column)}.")
    # One type for all batches: dictionaries and large strings are only other ways to store text.
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(arrow.string()) if arrow.types.is_large_string(column.type) else column


def _fitted_to(table: Any, schema: Any) -> Any:
    """Return a table with the schema of the first one; an error if they do not match."""
    if table.schema == schema:
        return table
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    if table.schema.names != schema.names:
        has, had = ("a" if "target" in some.names else "no" for some in (table.schema, schema))
        raise ValueError(f"batches must all have y, or none, got {has} target after {had} target.")
    found, expected = (some.field("target").type for some in (table.schema, schema))
    # Arrow's null type means that all classes of the batch are missing: they fit any type.
    if not arrow.types.is_null(found):
        raise ValueError(f"batches must all have y of the same type, got {found} after {expected}.")
    return table.cast(schema)


def _pairs(batches: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for batch in batches:
        X, y = (batch[0], batch[1]) if isinstance(batch, tuple) and len(batch) in (2, 3) else (batch, None)
        if n_rows_of(X) > 0:
            yield X, y
