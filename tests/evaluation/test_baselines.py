"""Classifiers of scikit-learn on tables as users have them."""

import numpy as np
import pytest

from skcredal.evaluation._baselines import BASELINES, make_baseline
from skcredal.evaluation._fold import Fold, run_baselines
from skcredal.evaluation._registry import display_name, is_credal

pd = pytest.importorskip("pandas", reason="a table of mixed columns is one of pandas")


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
    model = make_baseline(name, train).fit(train, y)
    proba = model.predict_proba(test)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (model.predict(test) == y_test).mean() > 0.8
    again = make_baseline(name, train).fit(train, y)
    np.testing.assert_array_equal(again.predict_proba(test), proba)


@pytest.mark.parametrize("columns", [["size", "count"], ["colour", "shape"]])
def test_columns_may_all_be_of_one_kind(columns):
    table, y = mixed_table(60, 0)
    for name in BASELINES:
        assert make_baseline(name, table[columns]).fit(table[columns], y).classes_.tolist() == ["a", "b", "c"]


def test_a_fold_runs_them_on_its_rows():
    table, y = mixed_table(120, 2)
    train, test = np.arange(90), np.arange(90, 120)
    sums = run_baselines(BASELINES, Fold(table, y, train, test))
    assert list(sums) == ["random-forest", "gradient-boosting", "logistic-regression"]
    for name, found in sums.items():
        model = make_baseline(name, table).fit(table.iloc[train], y[train])
        assert found.n == 30
        assert found.correct == (model.predict(table.iloc[test]) == y[test]).sum()
        assert found.determinate == found.indeterminate == 0
        assert found.fit_seconds > 0.0


def test_the_forest_has_500_trees_and_no_probability_of_0():
    """(T·p + 1)/(T + l): as if every class had one more tree."""
    train = pd.DataFrame({"x": np.arange(90.0)})
    test, y = train + 0.5, np.repeat(["a", "b", "c"], 30)
    model = make_baseline("random-forest", train).fit(train, y)
    columns, forest = model[:-1], model[-1]
    assert len(forest.estimators_) == 500
    x = columns.transform(test)
    mean = np.mean([tree.predict_proba(x) for tree in forest.estimators_], axis=0)
    assert (mean == 0.0).any()
    np.testing.assert_allclose(model.predict_proba(test), (500 * mean + 1) / 503)


def test_they_have_names_and_no_sets():
    assert [display_name(name) for name in BASELINES] == [
        "random forest",
        "gradient boosting",
        "logistic regression",
    ]
    assert not any(map(is_credal, BASELINES))
    with pytest.raises(ValueError, match="name must be 'random-forest' or"):
        make_baseline("forest", pd.DataFrame({"a": [1]}))
