"""Stratified cross-validation of classifiers on the same folds, pooled over all test rows (§11)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal._validation import check_integer
from skcredal.classifiers.base import TabularClassifier
from skcredal.classifiers.credal import CredalClassifier
from skcredal.data.datasets import Dataset
from skcredal.metrics import credal_summary

__all__ = ["PooledPredictions", "cross_validate", "summarise"]


@dataclass(frozen=True, slots=True, eq=False)
class PooledPredictions:
    """What a classifier said of every test row of every fold; columns are the classes of the data set.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes of the data set; one that a training fold lacks has the probability 0.
    y_true : ndarray of shape (n_rows,)
        The classes of the test rows.
    y_proba : ndarray of shape (n_rows, n_classes)
        The probabilities.
    y_set : ndarray of bool of shape (n_rows, n_classes), or None
        The sets of a credal classifier.
    fit_seconds, predict_seconds : float
        Time spent over all folds.
    """

    classes: AnyArray
    y_true: AnyArray
    y_proba: FloatArray
    y_set: BoolArray | None
    fit_seconds: float
    predict_seconds: float


def cross_validate(
    data: Dataset,
    classifiers: Mapping[str, TabularClassifier],
    *,
    folds: int = 5,
    runs: int = 1,
    seed: int = 0,
    on_fold: Callable[[], None] | None = None,
) -> dict[str, PooledPredictions]:
    """Cross-validate classifiers on one data set, every classifier on the same folds.

    Imputation, cuts and the dropping of features are learned inside each training fold.

    Parameters
    ----------
    data : Dataset
        The data set.
    classifiers : mapping
        Unfitted classifiers by name; they are cloned.
    folds, runs : int
        Stratified folds of each run, and how often the rows are shuffled and split anew.
    seed : int
        Seed of the splits.
    on_fold : callable, optional
        Called after each classifier of each fold, to show progress.

    Returns
    -------
    dict
        The pooled predictions of each classifier.

    Examples
    --------
    >>> from skcredal.data.datasets import load_dataset
    >>> from skcredal.experiment.plan import make_classifiers
    >>> found = cross_validate(load_dataset("monks1"), make_classifiers(["aode"]), folds=2)
    >>> found["aode"].y_proba.shape
    (432, 2)
    """
    check_integer("folds", folds, low=2)
    check_integer("runs", runs, low=1)
    target = data.target.astype(object).to_numpy()
    classes, labels = np.unique(target, return_inverse=True)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=runs, random_state=seed)
    parts: dict[str, list[PooledPredictions]] = {name: [] for name in classifiers}
    with warnings.catch_warnings():
        # A class with fewer rows than folds is part of the protocol: some training folds lack it.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(splitter.split(labels, labels))
    for train, test in splits:
        X_train, X_test = data.features.iloc[train], data.features.iloc[test]
        for name, classifier in classifiers.items():
            part = _predict_fold(clone(classifier), X_train, target[train], X_test, target[test], classes)
            parts[name].append(part)
            if on_fold is not None:
                on_fold()
    return {name: _pooled(of_folds) for name, of_folds in parts.items()}


def _predict_fold(
    classifier: TabularClassifier,
    X_train: Any,
    y_train: AnyArray,
    X_test: Any,
    y_test: AnyArray,
    classes: AnyArray,
) -> PooledPredictions:
    start = time.perf_counter()
    classifier.fit(X_train, y_train)
    fitted = time.perf_counter()
    columns = np.searchsorted(classes, classifier.classes_)
    y_proba = np.zeros((len(y_test), len(classes)))
    y_proba[:, columns] = classifier.predict_proba(X_test)
    y_set = None
    if isinstance(classifier, CredalClassifier):
        y_set = np.zeros(y_proba.shape, np.bool_)
        y_set[:, columns] = classifier.predict_set(X_test)
    return PooledPredictions(classes, y_test, y_proba, y_set, fitted - start, time.perf_counter() - fitted)


def _pooled(parts: list[PooledPredictions]) -> PooledPredictions:
    sets = [part.y_set for part in parts if part.y_set is not None]
    return PooledPredictions(
        parts[0].classes,
        np.concatenate([part.y_true for part in parts]),
        np.concatenate([part.y_proba for part in parts]),
        np.concatenate(sets) if sets else None,
        sum(part.fit_seconds for part in parts),
        sum(part.predict_seconds for part in parts),
    )


def summarise(predictions: PooledPredictions) -> dict[str, float]:
    """Return the measures of §9 and the number of rows with several classes.

    Those of sets are NaN for a determinate classifier.

    Examples
    --------
    >>> from skcredal.data.datasets import load_dataset
    >>> from skcredal.experiment.plan import make_classifiers
    >>> found = cross_validate(load_dataset("iris"), make_classifiers(["comp-aode*"]))
    >>> summary = summarise(found["comp-aode*"])
    >>> summary["n"], summary["accuracy"] > 0.9, summary["determinacy"] > 0.9
    (150.0, True, True)
    """
    y_set = predictions.y_set
    is_credal = y_set is not None
    if y_set is None:
        y_set = np.zeros(predictions.y_proba.shape, np.bool_)
        y_set[np.arange(len(y_set)), predictions.y_proba.argmax(axis=1)] = True
    summary = credal_summary(
        predictions.y_true, y_set, y_proba=predictions.y_proba, labels=predictions.classes
    )
    summary["n_indeterminate"] = float((y_set.sum(axis=1) > 1).sum())
    if not is_credal:
        of_both = {"n", "accuracy", "brier"}
        summary = {name: value if name in of_both else float("nan") for name, value in summary.items()}
    return summary
