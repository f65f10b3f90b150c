"""Predictions of rows that come in batches, written to Parquet as they are made."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skcredal._arrays import AnyArray
from skcredal._extras import require
from skcredal.data.columns import read_series
from skcredal.scale.batches import n_rows_of
from skcredal.scale.progress import ProgressWish, reporting

__all__ = ["answer_columns", "predict_batches", "prediction_columns"]


def predict_batches(
    estimator: Any,
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    path: str | os.PathLike[str],
    *,
    progress: ProgressWish = False,
) -> int:
    """Predict rows that come in batches, and write what is said of them to a Parquet file.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier.
    batches : iterable, or function that returns one
        Tables ``X``, or tuples ``(X, y)`` or ``(X, y, sample_weight)``; they are gone over once, so that a
        generator will do.
    path : str or path
        The file to write. It appears when it is complete; one that was there before stays until then, and
        for good if anything is wrong.
    progress : bool or function, default=False
        As in :func:`fit_batches`.

    Returns
    -------
    n_rows : int
        How many rows were written.

    Notes
    -----
    The columns are ``predicted``, the class; ``probability_<class>`` of every class; of a credal classifier
    also ``set``, the list of classes that remain, ``set_size``, ``lower_<class>`` and ``upper_<class>``, and
    ``robustness`` where there is one; and ``target``, the class given, where all batches have one.

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
    tables = batches() if callable(batches) and not hasattr(batches, "__iter__") else batches
    if not hasattr(tables, "__iter__"):
        raise TypeError(f"batches must be iterable, got {type(tables).__name__}.")
    total = 0
    with (
        _appearing_when_complete(Path(path)) as unfinished,
        reporting(progress, "predictions", getattr(batches, "n_rows", None)) as advance,
    ):
        writer = None
        try:
            for X, y in _pairs(tables):
                table = arrow.table(prediction_columns(estimator, X, y))
                if writer is None:
                    writer = parquet.ParquetWriter(unfinished, table.schema)
                elif table.schema != writer.schema:
                    raise ValueError(
                        f"All batches must bring the same, got the columns {table.schema.names} after "
                        f"{writer.schema.names}, or targets of another type."
                    )
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
    """Return what is said of a table as columns of Arrow, by name.

    Examples
    --------
    >>> from skcredal import AODE
    >>> clf = AODE().fit([["a"], ["b"]], [0, 1])
    >>> list(prediction_columns(clf, [["a"]]))
    ['predicted', 'probability_0', 'probability_1']
    """
    return answer_columns(
        estimator,
        lambda method: getattr(estimator, method)(X),
        None if y is None else np.asarray(read_series(y)),
    )


def answer_columns(estimator: Any, answer: Callable[[str], AnyArray], target: Any = None) -> dict[str, Any]:
    """Return the columns of what each method of the estimator answers."""
    arrow = require("pyarrow", extra="scale", purpose="predict_batches")
    labels = estimator.classes_.tolist()
    classes = arrow.array(labels)
    proba = answer("predict_proba")
    columns = {"predicted": classes.take(arrow.array(proba.argmax(axis=1)))}
    columns |= {f"probability_{label}": arrow.array(proba[:, c]) for c, label in enumerate(labels)}
    if hasattr(estimator, "predict_set"):
        sets = answer("predict_set")
        sizes = sets.sum(axis=1)
        ends = arrow.array(np.concatenate([[0], np.cumsum(sizes)]), arrow.int32())
        columns["set"] = arrow.ListArray.from_arrays(ends, classes.take(arrow.array(np.nonzero(sets)[1])))
        columns["set_size"] = arrow.array(sizes, arrow.int32())
    if hasattr(estimator, "predict_interval"):
        interval = answer("predict_interval")
        for bound, name in enumerate(("lower", "upper")):
            for c, label in enumerate(labels):
                columns[f"{name}_{label}"] = arrow.array(interval[:, c, bound])
    if hasattr(estimator, "robustness"):
        columns["robustness"] = arrow.array(answer("robustness"))
    if target is not None:
        columns["target"] = arrow.array(target)
    return columns


def _pairs(batches: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for batch in batches:
        X, y = (batch[0], batch[1]) if isinstance(batch, tuple) and len(batch) in (2, 3) else (batch, None)
        if n_rows_of(X) > 0:
            yield X, y


@contextmanager
def _appearing_when_complete(path: Path) -> Iterator[Path]:
    """Yield the path of a file beside the one wanted, which takes its place if all goes well."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(descriptor)
    unfinished = Path(name)
    try:
        yield unfinished
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)  # as any other file; a temporary one is the owner's alone
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
