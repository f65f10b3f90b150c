"""Other ways to turn probabilities into sets of classes, for a comparison with COMP-AODE*."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._extras import require
from skcredal.decisions import utility_optimal_sets
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, utility_of_accuracy

__all__ = ["CONFORMAL_LEVELS", "conformal_sets", "optimal_sets", "reject_or_answer"]

CONFORMAL_LEVELS = (0.8, 0.9, 0.95)


def optimal_sets(proba: FloatArray, utility: str) -> BoolArray:
    """Return the sets of largest expected utility."""
    return utility_optimal_sets(proba, utility=utility)


def reject_or_answer(proba: FloatArray, utility: str) -> BoolArray:
    """Return the most probable class, or all classes if that has the larger expected utility.

    This is the reject option: a rejected row is worth as much as the set of all classes.

    Examples
    --------
    Under u65, the set of both classes is worth 0.65:

    >>> import numpy as np
    >>> reject_or_answer(np.array([[0.7, 0.3], [0.6, 0.4]]), "u65").tolist()
    [[True, False], [True, True]]
    """
    n_rows, n_classes = proba.shape
    worth_of_all = utility_of_accuracy(np.array(1.0 / n_classes), UTILITY_WEIGHTS[utility])
    y_set: BoolArray = np.repeat((proba.max(axis=1) < worth_of_all)[:, None], n_classes, axis=1)
    y_set[np.arange(n_rows), proba.argmax(axis=1)] = True
    return y_set


class _Precomputed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with precomputed answers: the only feature of a row is the index of its answer."""

    def __init__(self, proba: FloatArray) -> None:
        self.proba = proba
        self.classes_ = np.arange(proba.shape[1])
        self.n_features_in_ = 1

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> _Precomputed:  # MAPIE checks that the method exists
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        return self.proba[np.asarray(X)[:, 0].astype(np.int64)]

    def predict(self, X: Any) -> IntArray:
        best: IntArray = self.predict_proba(X).argmax(axis=1)
        return best


def conformal_sets(proba: FloatArray, labels: IntArray, test_proba: FloatArray) -> list[BoolArray]:
    """Return MAPIE's split conformal sets of the test rows, for each confidence level.

    The score is LAC (least ambiguous sets). If a set is empty, the most probable class is added. If too few
    rows were held out for a level, the set of all classes is the only one that guarantees it.

    Parameters
    ----------
    proba, labels : ndarray of shape (n_held_out, n_classes) and (n_held_out,)
        Probabilities and true classes of rows that were held out of fitting.
    test_proba : ndarray of shape (n_test, n_classes)
        Probabilities of the test rows.

    Returns
    -------
    list of ndarray of shape (n_test, n_classes)
    """
    mapie = require("mapie.classification", extra="paper", purpose="A comparison with conformal sets")
    n_held_out = len(proba)
    # The quantile at level 1 − α needs more than 1/α held-out rows.
    possible = [level for level in CONFORMAL_LEVELS if n_held_out * (1.0 - level) > 1.0]
    sets = {level: np.ones(test_proba.shape, np.bool_) for level in CONFORMAL_LEVELS}
    if possible and len(test_proba):
        precomputed = _Precomputed(np.vstack([proba, test_proba]))
        rows = np.arange(n_held_out + len(test_proba))[:, None]
        conformal = mapie.SplitConformalClassifier(
            precomputed, confidence_level=possible, conformity_score="lac", prefit=True
        )
        with warnings.catch_warnings():
            # A rare class may have no row among those held out, which does not matter for LAC.
            warnings.filterwarnings("ignore", message=".*conformalization dataset has less labels")
            conformal.conformalize(rows[:n_held_out], labels)
        _, found = conformal.predict_set(rows[n_held_out:])
        for i, level in enumerate(possible):
            sets[level] = found[:, :, i].astype(np.bool_)
    # An empty set would always be wrong, so that the comparison would be unfair.
    for y_set in sets.values():
        y_set[np.arange(len(test_proba)), test_proba.argmax(axis=1)] |= ~y_set.any(axis=1)
    return list(sets.values())
