"""Classifiers by name, and scikit-learn's on tables as users have them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from pressure_problems import messy_table
from skcredal.evaluation import CLASSIFIERS, make_classifiers
from skcredal.evaluation._classifiers import BASELINES, display_name
from skcredal.evaluation._names import NAMES


def test_by_default_what_one_compares_first_is_made():
    expected = {"lp-aode*", "comp-aode*", "ncc", "null", "logistic-regression", "random-forest"}
    assert set(make_classifiers()) == expected
    assert list(make_classifiers("all")) == [*CLASSIFIERS, *BASELINES] == [*NAMES, *BASELINES]
    assert list(make_classifiers(["Comp-AODE-star", "tan"])) == ["comp-aode*", "tan"]
    with pytest.raises(ValueError, match="'forest'"):
        make_classifiers(["forest"])
    printed = ["LP-AODE*", "naive Bayes", "random forest"]
    assert [display_name(name) for name in ("lp-aode*", "naive-bayes", "random-forest")] == printed


def test_epsilon_is_that_of_sets():
    made = make_classifiers(["comp-aode", "comp-aode*", "aode"], epsilon=0.003, ess=2.0)
    assert made["comp-aode*"].epsilon == 0.003
    assert made["comp-aode"].epsilon == make_classifiers(["comp-aode"])["comp-aode"].epsilon
    assert [one.ess for one in made.values()] == [2.0] * 3
    with pytest.raises(ValueError, match="epsilon is not a parameter of comp-aode, tan"):
        make_classifiers(["comp-aode", "tan"], epsilon=0.003)


def mixed_table(n, seed):
    X, y = messy_table(n, seed)
    rng = np.random.default_rng(seed)
    mixed = np.array([1, "1", None, 2.5], object)[rng.integers(0, 4, n)]
    # More categories than gradient boosting has bins.
    return X.assign(mixed=mixed, empty=np.nan, name=[f"n{value}" for value in rng.integers(0, 900, n)]), y


@pytest.mark.parametrize("name", BASELINES)
def test_mixed_columns_missing_and_unknown_values_are_read(name):
    train, y = mixed_table(400, 0)
    test, y_test = mixed_table(100, 1)
    model = BASELINES[name]().fit(train, y)
    proba = model.predict_proba(test)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (model.classes_[proba.argmax(axis=1)] == y_test).mean() > 0.8
    np.testing.assert_array_equal(BASELINES[name]().fit(train, y).predict_proba(test), proba)
    for columns in (["number", "noise"], ["text", "size"]):
        assert BASELINES[name]().fit(train[columns], y).classes_.tolist() == ["r", "s", "t"]


def test_the_forest_has_no_probability_of_0():
    """(T·p + 1)/(T + l): as if every class had one more tree."""
    train = pd.DataFrame({"x": np.arange(90.0)})
    test, y = train + 0.5, np.repeat(["a", "b", "c"], 30)
    model = BASELINES["random-forest"](n_trees=50).fit(train, y)
    mean = model.pipeline_.predict_proba(test)
    assert (mean == 0.0).any()
    np.testing.assert_allclose(model.predict_proba(test), (50 * mean + 1) / 53)


def test_baselines_keep_blas_to_one_thread(monkeypatch):
    threads = []

    class Watched(LogisticRegression):
        def fit(self, X, y):
            threads.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
            return super().fit(X, y)

        def predict_proba(self, X):
            threads.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
            return super().predict_proba(X)

    monkeypatch.setattr("skcredal.evaluation._classifiers.LogisticRegression", Watched)
    train, y = mixed_table(60, 0)
    with threadpool_limits(2, "blas"):
        BASELINES["logistic-regression"]().fit(train, y).predict_proba(train)
    assert set(threads) == {1}
    assert len(threads) >= 2


def test_baselines_learn_from_some_rows_of_a_large_table(monkeypatch):
    monkeypatch.setattr("skcredal.evaluation._classifiers.MOST_ROWS", 40)
    table = pd.DataFrame({"x": np.arange(100.0)})
    forest = BASELINES["random-forest"](n_trees=1).fit(table, np.arange(100) % 2)
    assert forest.pipeline_[-1].estimators_[0].tree_.weighted_n_node_samples[0] == 40
    assert forest.predict_proba(table).shape == (100, 2)
