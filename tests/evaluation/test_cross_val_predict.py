"""Sets of classes by cross-validation."""

from inspect import signature

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from skcredal import CredalCompAODE, CredalLogPoolAODE, load
from skcredal.evaluation import cross_val_predict_set

X, NUMBERS = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[NUMBERS]
CLF = CredalCompAODE()


def test_sets_are_those_of_a_clone_that_has_not_seen_the_row():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = cross_val_predict_set(CLF, X, Y, cv=folds)
    for train, test in folds.split(X, Y):
        expected = CredalCompAODE().fit(X[train], Y[train]).predict_set(X[test])
        np.testing.assert_array_equal(found[test], expected)
    assert not hasattr(CLF, "classes_")
    for other in (list(folds.split(X, Y)), folds):
        np.testing.assert_array_equal(cross_val_predict_set(CLF, X, Y, cv=other, n_jobs=2), found)


def test_a_class_without_a_training_row_is_in_no_set():
    found = cross_val_predict_set(CLF, X, Y, cv=KFold(3))  # the rows are sorted by class
    assert found.shape == (150, 3)
    assert not found[:50, 0].any()
    assert not found[50:100, 1].any()
    assert found.any(axis=1).all()


def test_each_row_must_be_in_one_test_fold():
    with pytest.raises(ValueError, match=r"cv must .* 150 rows .* got 45"):
        cross_val_predict_set(CLF, X, Y, cv=ShuffleSplit(3, test_size=0.1))


def test_what_returns_a_table_or_a_model_says_so():
    for explaining in (CredalCompAODE, CredalLogPoolAODE):
        assert "DataFrame" in signature(explaining.explain).return_annotation
    assert "Classifier" in signature(load).return_annotation
