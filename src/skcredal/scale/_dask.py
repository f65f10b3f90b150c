"""Rows on many machines: learning from and predicting the partitions of Dask collections.

Each pass is a sum over the partitions, computed on the workers as a tree; only its root is sent to the
driver. What a pass needs (the encoding, the tables) is sent to the workers once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._extras import require
from skcredal._validation import naming, safe_repr
from skcredal.classifiers._answers import no_answers
from skcredal.classifiers._base import Classifier, TabularClassifier, fit_on
from skcredal.classifiers._rows import LabelledRows, read_rows
from skcredal.scale._predictions import arrow_columns, prediction_columns
from skcredal.scale._rows import PassRows, check_learner

__all__ = ["fit_dask", "predict_dask"]

# How many parts are added at a time: few, since a worker holds that many sums at once, but enough that the
# sum of 500 partitions takes only three steps.
FAN_IN = 8


def fit_dask(
    estimator: Classifier, data: Any, *, target: Any, sample_weight: Any = None, client: Any = None
) -> Classifier:
    """Fit a classifier to a Dask collection, on the workers that hold its partitions.

    It makes the same passes as :func:`fit_batches`, so the model is the same as that of ``fit`` on all rows,
    however they are partitioned. If a worker is lost, Dask reads its partitions again.

    Parameters
    ----------
    estimator : TabularClassifier
        The classifier to fit, in place.
    data : dask.dataframe.DataFrame or dask.array.Array
        The features; a DataFrame also contains the target, and the weights if there are any.
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
    if client is not None and not hasattr(client, "scatter"):
        raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}.")
    return fit_on(estimator, lambda learner: DaskRows(learner, data, target, sample_weight, client))


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
    description, blocks = _tables(data)
    dask = require("dask", extra="dask", purpose="predict_dask")
    frames = require("dask.dataframe", extra="dask", purpose="predict_dask")
    # An error should come now, and not from the workers when the answers are computed. Other estimators may
    # accept other columns than they were fitted with.
    if isinstance(estimator, TabularClassifier):
        validate_data(estimator, description, reset=False, skip_check_array=True)
    meta = _frame(arrow_columns(no_answers(estimator)))
    model = dask.delayed(estimator)  # one node of the graph, which all partitions share
    # Not map_partitions, which up to dask 2025.1 passes a delayed model on as it is, without computing it.
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


class DaskRows(PassRows):
    """Training rows in the partitions of a Dask collection, which are summed where they are."""

    def __init__(
        self, classifier: TabularClassifier, data: Any, target: Any, sample_weight: Any, client: Any
    ) -> None:
        features, self.parts = _labelled_parts(data, target, sample_weight)
        validate_data(classifier, features, reset=True, skip_check_array=True)
        self.dask = require("dask", extra="dask", purpose="fit_dask")
        self.classifier, self.client, self.first_rows = classifier, client, [0] * len(self.parts)
        if classifier._sample_size() is not None:
            # Which rows are taken depends on their numbers, and a partition does not know how many rows of
            # positive weight come before it.
            sizes = self.dask.compute(*self._on_parts(lambda rows, _: len(rows.labels)), scheduler=client)
            self.first_rows = [0, *accumulate(size or 0 for size in sizes[:-1])]
        super().__init__(classifier)

    def _pass(self, stage: str, work: Callable[[LabelledRows, int], Any]) -> Any:
        level = self._on_parts(work)
        # Level by level up to the root, so that no worker, nor the driver, holds all parts at once.
        while len(level) > 1:
            groups = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
            level = [self.dask.delayed(_add, pure=False)(group) for group in groups]
        (total,) = self.dask.compute(level[0], scheduler=self.client)
        if total is None:
            raise ValueError("data must have at least one row of positive weight, got none.")
        return total

    def _on_parts(self, work: Callable[[LabelledRows, int], Any]) -> list[Any]:
        # One node of the graph, which all partitions share; if its worker is lost, Dask sends it again.
        shared = self.dask.delayed((self.classifier, work), pure=False)
        return [
            self.dask.delayed(_work, pure=False)(shared, part, first, number)
            for number, (part, first) in enumerate(zip(self.parts, self.first_rows, strict=True), 1)
        ]


def _work(shared: tuple[Any, Any], part: tuple[Any, ...], first: int, number: int) -> Any:
    """Read a partition and work on its rows; an error says in which partition it occurred."""
    (classifier, work), (X, *given) = shared, part
    if len(X) == 0:
        return None
    try:
        if not isinstance(X, np.ndarray):  # what was given are names of columns
            X, given = X.drop(columns=given), [X[name] for name in given]
        y, weights = given if len(given) == 2 else (*given, None)
        rows = read_rows(classifier, X, y, weights, reset=False)
        return work(rows, first) if len(rows.labels) > 0 else None
    except Exception as error:
        error.add_note(f"This happened in partition {number}.")
        raise


def _add(parts: list[Any]) -> Any:
    # A partition without rows has no part in the sum.
    filled = [part for part in parts if part is not None]
    return reduce(add, filled) if filled else None


def _is_array(data: Any) -> bool:
    return hasattr(data, "rechunk") and hasattr(data, "to_delayed")


def _tables(data: Any) -> tuple[Any, Any]:
    """Return a small table with the columns of a collection, and its partitions."""
    if not _is_array(data):
        if not (hasattr(data, "to_delayed") and hasattr(data, "columns")):
            raise TypeError(
                f"data must be a dask.dataframe.DataFrame or a dask.array.Array, got {type(data).__name__}."
            )
        return data._meta, data.to_delayed()
    if data.ndim != 2 or np.isnan(data.shape[1]):
        raise ValueError(f"data must have two dimensions and a known number of columns, got {data.shape}.")
    return np.empty((1, data.shape[1]), data.dtype), data.rechunk({1: -1}).to_delayed()[:, 0]


def _labelled_parts(data: Any, target: Any, weight: Any) -> tuple[Any, list[Any]]:
    """Return a small table of the features, and the partitions, each with its classes and weights.

    For a DataFrame these are the names of columns.
    """
    table, blocks = _tables(data)
    given = {"target": target} if weight is None else {"target": target, "sample_weight": weight}
    if not _is_array(data):
        for parameter, name in given.items():
            if name not in (names := list(table.columns)):
                raise ValueError(f"{parameter} must be one of the columns {names}, got {safe_repr(name)}.")
        return table.drop(columns=list(given.values())), [(block, *given.values()) for block in blocks]
    columns = []
    for parameter, array in given.items():
        if not _is_array(array) or array.ndim != 1:
            raise TypeError(
                f"{parameter} must be a dask.array.Array of one dimension, got {safe_repr(array)}."
            )
        with naming(parameter):
            columns.append(array.rechunk((data.chunks[0],)).to_delayed())
    return table, list(zip(blocks, *columns, strict=True))
