"""Sets of classes by cross-validation, which scikit-learn has for the methods it knows."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from skcredal._arrays import BoolArray
from skcredal.metrics import predict_set

__all__ = ["cross_val_predict_set"]


def cross_val_predict_set(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, n_jobs: int | None = None
) -> BoolArray:
    """Return the set of classes of each row, by a clone of the estimator that has not seen the row.

    Parameters
    ----------
    estimator : object
        An estimator with ``predict_set``, a pipeline that ends in one, or a search over one.
    X : array-like or DataFrame of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their classes.
    cv : int, splitter or iterable
        The folds as in scikit-learn: a number means stratified ones. Each row must be in one test fold.
    n_jobs : int, optional
        How many processes fit the folds; -1 means one for each core.

    Returns
    -------
    y_set : ndarray of bool of shape (n_rows, n_classes)
        Which classes belong to the set of each row, columns as in ``np.unique(y)``. A class without a
        training row in the fold is in none of its sets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from skcredal import CredalCompAODE
    >>> from skcredal.evaluation import cross_val_predict_set
    >>> from skcredal.metrics import u65_score
    >>> X, y = load_iris(return_X_y=True)
    >>> y_set = cross_val_predict_set(CredalCompAODE(), X, y, cv=10)
    >>> y_set.shape
    (150, 3)
    >>> u65_score(y, y_set) > 0.9
    True
    """
    classes = np.unique(y)
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    rows = np.concatenate([test for _, test in folds])
    if not np.array_equal(np.sort(rows), np.arange(len(y))):
        raise ValueError(f"cv must put each of the {len(y)} rows into one test fold, got {len(rows)} in all.")

    def answer(train: Any, test: Any) -> BoolArray:
        fitted = clone(estimator).fit(_safe_indexing(X, train), _safe_indexing(y, train))
        sets = np.zeros((len(test), len(classes)), np.bool_)
        sets[:, np.searchsorted(classes, fitted.classes_)] = predict_set(fitted, _safe_indexing(X, test))
        return sets

    parts = Parallel(n_jobs=n_jobs)(delayed(answer)(*fold) for fold in folds)
    return np.asarray(np.concatenate(parts)[np.argsort(rows)])
