"""Predictions of rows that come in batches, written to Parquet as they are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skcredal._encoding.tables import read_series
from skcredal._extras import require
from skcredal._files import replacing
from skcredal._progress import ProgressChoice
from skcredal._validation import naming
from skcredal.classifiers._answers import Answers, answers
from skcredal.scale._batches import reading
from skcredal.scale._parquet import locate

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
        Tables ``X``, or tuples ``(X, y)`` or ``(X, y, sample_weight)``. They are read only once, so you can
        pass a generator.
    path : str or path
        The file to write, or its address in an object store, as in :func:`scan_parquet`. It appears when it
        is complete; an existing file is replaced only then. A file for an object store is written to the
        folder for temporary files first.
    progress : bool or function, default=False
        As in :func:`fit_batches`.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        The file system to write to, if the path does not say.

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
    total, writer, known = 0, None, getattr(batches, "n_rows", None)
    with (
        _new_file(path, filesystem) as file,
        ExitStack() as stack,
        reading(batches, "predictions", progress, known, learning=False) as triples,
    ):
        for X, y, _ in triples:
            table = arrow.table(prediction_columns(estimator, X, y))
            # The schema is that of the first batch: whether there is a target is not known before.
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(file, table.schema))
            # A batch in which all classes are missing fits any other.
            writer.write_table(table.cast(writer.schema))
            total += table.num_rows
        if writer is None:
            raise ValueError("batches must yield at least one row, got none.")
    return total


@contextmanager
def _new_file(path: Any, filesystem: Any) -> Iterator[str]:
    """Yield a local file to write to; it appears at the path or address if nothing fails."""
    fs = require("pyarrow.fs", extra="scale", purpose="predict_batches")
    store, name = locate(path, filesystem)
    if isinstance(store, fs.LocalFileSystem):
        with replacing(name) as unfinished:
            yield str(unfinished)
        return
    # A file is sent to a store as a whole: an object appears there as soon as its stream is closed, also
    # where that happens because of an error.
    with TemporaryDirectory() as folder:
        local = str(Path(folder) / "answers.parquet")
        yield local
        fs.copy_files(local, name, source_filesystem=fs.LocalFileSystem(), destination_filesystem=store)


def prediction_columns(estimator: Any, X: Any, y: Any = None) -> dict[str, Any]:
    """Return the answers for a table as Arrow columns, by name, with ``y`` as ``target``."""
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    columns = arrow_columns(answers(estimator, X))
    if y is not None:
        with naming("y"):
            columns["target"] = arrow.array(np.asarray(read_series(y)), from_pandas=True)
    return columns


def arrow_columns(found: Answers) -> dict[str, Any]:
    """Return answers as Arrow columns, named like :meth:`Answers.columns`."""
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    label = arrow.array(found.classes.tolist()).type
    # Without rows, values alone do not tell the types.
    types = {"predicted": label, "set": arrow.list_(label), "set_size": arrow.int32()}
    return {name: arrow.array(values, types.get(name)) for name, values in found.columns().items()}
