"""Classifiers by name, and scikit-learn's on tables as users have them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info, threadpool_limits

from skcredal import evaluation
from skcredal.evaluation import CLASSIFIERS, make_classifiers
from skcredal.evaluation._classifiers import BASELINES, Baseline, display_name
from skcredal.evaluation._names import COMPARED, NAMES

pd = pytest.importorskip("pandas", reason="a table of mixed columns is one of pandas")


def test_public_are_the_steps_from_a_file_to_the_page():
    assert set(evaluation.__all__) == {
        *(
            "read_table_file",
            "make_classifiers",
            "evaluate_table",
            "Evaluation",
            "ranking",
            "write_evaluation",
        ),
        "CLASSIFIERS",
        "cross_val_predict_set",
    }


def test_names_without_the_classifiers_are_theirs():
    assert list(CLASSIFIERS) == list(NAMES)
    assert set(COMPARED) <= {*CLASSIFIERS, *BASELINES}


def test_by_default_what_one_compares_first_is_made():
    expected = {"lp-aode*", "comp-aode*", "ncc", "null", "logistic-regression", "random-forest"}
    assert set(make_classifiers()) == expected
    assert list(make_classifiers("all")) == [*CLASSIFIERS, *BASELINES]
    assert make_classifiers(["random-forest"])["random-forest"].n_trees == 100
    assert list(make_classifiers(["Comp-AODE-star", "tan"])) == ["comp-aode*", "tan"]
    with pytest.raises(ValueError, match="'forest'"):
        make_classifiers(["forest"])


def test_epsilon_is_that_of_sets():
    made = make_classifiers(["comp-aode", "comp-aode*", "aode"], epsilon=0.003, ess=2.0)
    assert made["comp-aode*"].epsilon == 0.003
    assert made["comp-aode"].epsilon == make_classifiers(["comp-aode"])["comp-aode"].epsilon
    assert [one.ess for one in made.values()] == [2.0] * 3
    with pytest.raises(ValueError, match="epsilon is not a parameter of comp-aode, tan"):
        make_classifiers(["comp-aode", "tan"], epsilon=0.003)


def test_names_are_printed_as_in_the_paper():
    printed = {
        "lp-aode*": "LP-AODE*",
        "naive-bayes": "naive Bayes",
        "null": "null",
        "random-forest": "random forest",
    }
    assert {name: display_name(name) for name in printed} == printed


def mixed_table(n, seed, colours=("red", "green", "blue")):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    table = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(0, 0.5, n)),
            "count": rng.integers(0, 5, n),
            "colour": pd.Categorical(np.array(colours)[rng.integers(0, len(colours), n)]),
            "shape": np.where(rng.random(n) < 0.2, None, np.array(["round", "flat", "odd"], object)[y]),
            "old": rng.random(n) < 0.5,
            "mixed": np.array([1, "1", None, 2.5], object)[rng.integers(0, 4, n)],
            "empty": np.nan,
            # More categories than gradient boosting has bins.
            "name": [f"n{value}" for value in rng.integers(0, 400, n)],
        }
    )
    return table, np.array(["a", "b", "c"], object)[y]


@pytest.mark.parametrize("name", BASELINES)
def test_mixed_columns_missing_and_unknown_values_are_read(name):
    train, y = mixed_table(600, 0)
    test, y_test = mixed_table(100, 1, colours=("red", "violet"))
    model = BASELINES[name]().fit(train, y)
    proba = model.predict_proba(test)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (model.classes_[proba.argmax(axis=1)] == y_test).mean() > 0.8
    np.testing.assert_array_equal(BASELINES[name]().fit(train, y).predict_proba(test), proba)


@pytest.mark.parametrize("columns", [["size", "count"], ["colour", "shape"]])
def test_columns_may_all_be_of_one_kind(columns):
    table, y = mixed_table(60, 0)
    for make in BASELINES.values():
        assert make().fit(table[columns], y).classes_.tolist() == ["a", "b", "c"]


def test_the_forest_has_no_probability_of_0():
    """(T·p + 1)/(T + l): as if every class had one more tree."""
    train = pd.DataFrame({"x": np.arange(90.0)})
    test, y = train + 0.5, np.repeat(["a", "b", "c"], 30)
    model = BASELINES["random-forest"](n_trees=50).fit(train, y)
    columns, forest = model.pipeline_[:-1], model.pipeline_[-1]
    assert len(forest.estimators_) == 50
    x = columns.transform(test)
    mean = np.mean([tree.predict_proba(x) for tree in forest.estimators_], axis=0)
    assert (mean == 0.0).any()
    np.testing.assert_allclose(model.predict_proba(test), (50 * mean + 1) / 53)


def test_baselines_keep_blas_to_one_thread():
    """With more, they wait for each other on busy cores, and last digits depend on the machine."""
    seen = []

    def blas_threads():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    class Inner(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            seen.append(blas_threads())
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            seen.append(blas_threads())
            return np.full((len(X), 2), 0.5)

    class Outer(Baseline):
        def _steps(self, n_categories):
            return "passthrough", "passthrough", Inner()

    table = pd.DataFrame({"x": range(6)})
    with threadpool_limits(2, user_api="blas"):
        assert Outer().fit(table, np.array(["a", "b"] * 3)).predict_proba(table).shape == (6, 2)
        assert blas_threads() == {2}
    assert seen == [{1}, {1}]
