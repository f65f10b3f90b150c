"""Rows on many machines: learning from and predicting the partitions of Dask collections.

Each pass is a sum over the partitions, computed on the workers as a tree; only its root is sent to the
driver. What a pass needs (the encoding, the tables) is sent to the workers once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import accumulate
from operator import add
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._encoding.statistics import EncodingStatistics
from skcredal._extras import require
from skcredal._validation import safe_repr
from skcredal.classifiers._answers import no_answers
from skcredal.classifiers._base import TabularClassifier, fit_rows
from skcredal.classifiers._rows import TrainingRows
from skcredal.scale._passes import (
    CHANGED,
    BatchEncoder,
    BatchReader,
    Edges,
    RowSource,
    check_learner,
    summed_rows,
)
from skcredal.scale._predictions import arrow_columns, prediction_columns

__all__ = ["fit_dask", "predict_dask"]

Classifier = TypeVar("Classifier", bound=TabularClassifier)
Value = TypeVar("Value")

# How many parts are added at a time: few, since a worker holds that many sums at once, but enough that the
# sum of 500 partitions takes only three steps.
FAN_IN = 8
# What was sent to the workers is lost with the last worker that holds it; then it is sent again. A cluster
# that loses it three times in a pass would lose it again, and the user should know.
ATTEMPTS = 3


def fit_dask(
    estimator: Classifier, data: Any, *, target: Any, sample_weight: Any = None, client: Any = None
) -> Classifier:
    """Fit a classifier to a Dask collection, on the workers that hold its partitions.

    The passes are those of :func:`fit_batches`, and so the model is that of ``fit`` on all rows, whatever the
    partitions. If a worker is lost, its partitions are read again.

    Parameters
    ----------
    estimator : TabularClassifier
        The classifier, which is fitted in place.
    data : dask.dataframe.DataFrame or dask.array.Array
        The features; a DataFrame also holds the target, and the weights if there are any.
    target : column name, or dask.array.Array
        The column of the classes; for an array, a one-dimensional array of the classes.
    sample_weight : column name, or dask.array.Array, optional
        The column, or array, of the weights.
    client : distributed.Client, optional
        The cluster to compute on; by default the one that Dask is connected to, or else threads.

    Returns
    -------
    estimator : TabularClassifier
        The same classifier, fitted. If fitting fails, it stays as it was.

    See Also
    --------
    predict_dask : The answers of a fitted classifier, partition by partition.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> from skcredal.scale import fit_dask
    >>> fruit = pd.DataFrame({"colour": ["red", "yellow", "red"], "kind": ["apple", "banana", "apple"]})
    >>> clf = fit_dask(AODE(), dd.from_pandas(fruit, npartitions=2), target="kind")
    >>> clf.predict(pd.DataFrame({"colour": ["yellow"]})).tolist()
    ['banana']
    """
    check_learner(estimator)
    require("dask", extra="dask", purpose="fit_dask")
    source = DaskSource(data, target, sample_weight, _client_of(client))
    return fit_rows(estimator, lambda learner: summed_rows(learner, source))


def predict_dask(estimator: Any, data: Any) -> Any:
    """Predict a Dask collection, partition by partition.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier.
    data : dask.dataframe.DataFrame or dask.array.Array
        The features.

    Returns
    -------
    answers : dask.dataframe.DataFrame
        The columns that :func:`predict_batches` writes, with the index of ``data`` if it has one. It is lazy.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> from skcredal.scale import predict_dask
    >>> fruit = pd.DataFrame({"colour": ["red", "yellow", "red"]})
    >>> clf = AODE().fit(fruit, ["apple", "banana", "apple"])
    >>> answers = predict_dask(clf, dd.from_pandas(fruit, npartitions=2))
    >>> answers["predicted"].compute().tolist()
    ['apple', 'banana', 'apple']
    """
    check_is_fitted(estimator)
    _refuse_other_tables(data)
    dask = require("dask", extra="dask", purpose="predict_dask")
    frames = require("dask.dataframe", extra="dask", purpose="predict_dask")
    description = _array_description(data) if _is_array(data) else data._meta
    # An error should come now, and not from the workers when the answers are computed. Other estimators may
    # accept other columns than they were fitted with.
    if isinstance(estimator, TabularClassifier):
        validate_data(estimator, description, reset=False, skip_check_array=True)
    meta = _frame(arrow_columns(no_answers(estimator)))
    model = dask.delayed(estimator)  # one node of the graph, which all partitions share
    # Not map_partitions, which up to dask 2025.1 passes a delayed model on as it is, without computing it.
    blocks = data.rechunk({1: -1}).to_delayed()[:, 0] if _is_array(data) else data.to_delayed()
    parts = [dask.delayed(_predict_part)(block, model, meta) for block in blocks]
    divisions = None if _is_array(data) else data.divisions
    # Sets are lists, which dask would take for text.
    with dask.config.set({"dataframe.convert-string": False}):
        return frames.from_delayed(parts, meta=meta, divisions=divisions, verify_meta=False)


def _predict_part(part: Any, estimator: Any, meta: Any) -> Any:
    # Classifiers refuse a table without rows, but a partition may well be empty.
    if len(part) == 0:
        return meta
    return _frame(prediction_columns(estimator, part), getattr(part, "index", None))


def _frame(columns: dict[str, Any], index: Any = None) -> Any:
    arrow = require("pyarrow", extra="dask", purpose="predict_dask")
    frame = arrow.table(columns).to_pandas()
    return frame if index is None else frame.set_index(index)


class DaskSource(RowSource):
    """Partitions that are summed on the workers that hold them."""

    def __init__(self, data: Any, target: Any, sample_weight: Any, client: Any) -> None:
        self.client = client
        self.names: tuple[Any, Any] = (target, sample_weight)
        if _is_array(data):
            self.parts, self.features = _blocks(data, target, sample_weight)
            return
        _refuse_other_tables(data)
        for parameter, name in (("target", target), ("sample_weight", sample_weight)):
            wanted = parameter == "target" or name is not None
            if wanted and (not isinstance(name, Hashable) or name not in list(data.columns)):
                raise ValueError(
                    f"{parameter} must be one of the columns {safe_repr(list(data.columns))}, got "
                    f"{safe_repr(name)}."
                )
        if target == sample_weight:
            raise ValueError(
                f"target and sample_weight must be different columns, got {safe_repr(target)} for both."
            )
        self.features = _features(data._meta, self.names)
        self.parts = [(part, self.names) for part in data.to_delayed()]

    def describe(self, estimator: TabularClassifier) -> BatchReader:
        """Tell the estimator its features, from the metadata of the collection."""
        validate_data(estimator, self.features, reset=True, skip_check_array=True)
        return BatchReader(estimator)

    def encoding_statistics(self, reader: BatchReader, edges: Edges | None = None) -> EncodingStatistics:
        """Return the sum of the first pass, or of one that counts the bins of some columns."""
        total: _NumberedStatistics = self._tree(_encoding_part, (reader, edges))
        # A partition does not know how many rows of positive weight come before it.
        sizes = [total.n_rows.get(number, 0) for number in range(1, len(self.parts) + 1)]
        self.first_rows = [0, *accumulate(sizes)]
        return total.statistics

    def sum(self, stage: str, work: Callable[[TrainingRows], Value], encoder: BatchEncoder) -> Value:
        """Return the sum over all partitions."""
        total: Value = self._tree(_sum_part, (encoder, work, self.first_rows))
        return total

    def _tree(self, work: Callable[[Any, Any, Any, int], Any], shared: Any) -> Any:
        for _ in range(ATTEMPTS - 1):
            try:
                return self._attempt(work, shared)
            except Exception as error:
                if not _is_loss(error):
                    raise
        return self._attempt(work, shared)

    def _attempt(self, work: Callable[[Any, Any, Any, int], Any], shared: Any) -> Any:
        dask = require("dask", extra="dask", purpose="fit_dask")
        if self.client is None:
            sent = dask.delayed(shared)
        else:
            # To all workers at once, and without a hash of tables that may be large.
            sent = self.client.scatter([shared], broadcast=True, hash=False)[0]
        level = [
            dask.delayed(_noted, pure=False)(work, part, names, sent, number)
            for number, (part, names) in enumerate(self.parts, 1)
        ]
        # Level by level up to the root, so that no worker, nor the driver, holds all parts at once.
        while len(level) > 1:
            groups = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
            level = [dask.delayed(_add, pure=False)(group) for group in groups]
        total = level[0].compute() if self.client is None else self.client.compute(level[0]).result()
        if total is None:
            raise ValueError("data must have at least one row, got none.")
        return total


def _client_of(client: Any) -> Any:
    """Return the client given, the one that Dask is connected to, or ``None``."""
    if client is not None:
        if not hasattr(client, "scatter"):
            raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}.")
        return client
    try:
        return import_module("distributed").default_client()
    except (ImportError, ValueError):  # not installed, or not connected
        return None


def _is_loss(error: Exception) -> bool:
    """Tell whether an error is due to a lost worker, not to the rows."""
    # By name, since distributed need not be installed.
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"CancelledError", "FutureCancelledError", "KilledWorker", "CommClosedError"})


def _refuse_other_tables(data: Any) -> None:
    if not _is_array(data) and not (hasattr(data, "to_delayed") and hasattr(data, "columns")):
        raise TypeError(
            "data must be a dask.dataframe.DataFrame or a dask.array.Array, got "
            f"{type(data).__module__}.{type(data).__name__}."
        )


def _is_array(data: Any) -> bool:
    return hasattr(data, "rechunk") and hasattr(data, "to_delayed")


def _features(frame: Any, names: tuple[Any, Any]) -> Any:
    return frame.drop(columns=[name for name in names if name is not None])


def _array_description(data: Any) -> Any:
    """Return a table of one row with the width and dtype of an array."""
    if data.ndim != 2 or np.isnan(data.shape[1]):
        raise ValueError(f"data must have two dimensions and a known number of columns, got {data.shape}.")
    return np.empty((1, data.shape[1]), data.dtype)


def _blocks(data: Any, target: Any, sample_weight: Any) -> tuple[list[Any], Any]:
    """Return the blocks of an array with their classes and weights, and a table of its width."""
    description = _array_description(data)
    X = data.rechunk({1: -1})
    columns = [X.to_delayed()[:, 0]]
    for parameter, given in (("target", target), ("sample_weight", sample_weight)):
        if parameter == "sample_weight" and given is None:
            columns.append([None] * len(columns[0]))
            continue
        if not _is_array(given) or given.ndim != 1:
            raise TypeError(
                f"{parameter} must be a dask.array.Array of one dimension for an array, got "
                f"{f'{given.ndim} dimensions' if _is_array(given) else type(given).__name__}."
            )
        # Blocks of known sizes are cut alike; of unknown ones, only their number can be compared.
        if not np.isnan(X.chunks[0]).any() and not np.isnan(given.chunks[0]).any():
            if given.shape[0] != X.shape[0]:
                raise ValueError(
                    f"{parameter} must have one entry for each of {X.shape[0]} rows, got {given.shape[0]}."
                )
            given = given.rechunk((X.chunks[0],))
        elif len(given.chunks[0]) != len(X.chunks[0]):
            raise ValueError(
                f"{parameter} must have as many blocks as data if their sizes are unknown, got "
                f"{len(given.chunks[0])} blocks for {len(X.chunks[0])}; compute_chunk_sizes() computes them."
            )
        columns.append(given.to_delayed())
    parts = [(block, (labels, weights)) for block, labels, weights in zip(*columns, strict=True)]
    return parts, description


def _triple(part: Any, names: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return the features, the classes and the weights of a partition or a block."""
    target, weight = names
    if isinstance(part, np.ndarray):
        return part, target, weight
    return _features(part, (target, weight)), part[target], None if weight is None else part[weight]


def _noted(work: Callable[[Any, Any, Any, int], Any], part: Any, names: Any, shared: Any, number: int) -> Any:
    """Do the work, and add to an error in which partition it occurred."""
    try:
        return work(part, names, shared, number)
    except Exception as error:
        error.add_note(f"This happened in partition {number}.")
        raise


@dataclass(frozen=True, slots=True, eq=False)
class _NumberedStatistics:
    """The first pass's part of some partitions, and how many rows that count each of them has, by number."""

    statistics: EncodingStatistics
    n_rows: dict[int, int]

    def __add__(self, other: _NumberedStatistics) -> _NumberedStatistics:
        return _NumberedStatistics(self.statistics + other.statistics, self.n_rows | other.n_rows)


def _encoding_part(
    part: Any, names: Sequence[Any], shared: tuple[BatchReader, Edges | None], number: int
) -> _NumberedStatistics | None:
    if len(part) == 0:
        return None
    reader, edges = shared
    statistics = reader.encoding_statistics(reader.read(*_triple(part, names)), edges)
    return _NumberedStatistics(statistics, {number: statistics.n_rows})


def _sum_part(
    part: Any,
    names: Sequence[Any],
    shared: tuple[BatchEncoder, Callable[..., Any], Sequence[int]],
    number: int,
) -> Any:
    encoder, work, first_rows = shared
    expected = first_rows[number] - first_rows[number - 1]
    rows = None
    if len(part) > 0:
        rows = encoder.encode(encoder.reader.read(*_triple(part, names)), first_rows[number - 1])
    found = 0 if rows is None else len(rows.labels)
    if found != expected:
        raise ValueError(f"{CHANGED}, got {expected} in partition {number} at first and now {found}.")
    return None if rows is None else work(rows)


def _add(parts: Sequence[Any]) -> Any:
    # A partition without rows has no part in the sum.
    filled = [part for part in parts if part is not None]
    return reduce(add, filled) if filled else None
