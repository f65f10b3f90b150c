"""All that a classifier says of rows: the same as its methods say one by one, in one schema."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import skcredal
from messy_tables import messy_table, seeds
from same_models import fitted
from skcredal import (
    AODE,
    TAN,
    BmaAODE,
    CompressionNB,
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    LogPoolAODE,
    NaiveCredal,
    NullClassifier,
)

CHOICES = [
    (AODE, {}),
    (BmaAODE, {}),
    (BmaAODE, {"likelihood": "marginal"}),
    (CompressionNB, {}),
    (LogPoolAODE, {}),
    (TAN, {}),
    (NullClassifier, {}),
    *((CredalBmaAODE, {"criterion": c}) for c in ("maximality", "interval_dominance", "e_admissibility")),
    *((CredalCompAODE, {"criterion": c}) for c in ("maximality", "interval_dominance")),
    *((CredalLogPoolAODE, {"criterion": c}) for c in ("maximality", "interval_dominance")),
    *((NaiveCredal, {"criterion": c}) for c in ("maximality", "interval_dominance")),
    (CredalModelAveraging, {}),
    (CredalTree, {}),
]
METHODS = {
    "proba": "predict_proba",
    "sets": "predict_set",
    "interval": "predict_interval",
    "robustness": "robustness",
}


def assert_same_answers(clf, X):
    answers = skcredal.answers(clf, X)
    np.testing.assert_array_equal(answers.predicted, clf.predict(X))
    for name, method in METHODS.items():
        answer = getattr(answers, name)
        if hasattr(clf, method):
            np.testing.assert_array_equal(answer, getattr(clf, method)(X), strict=True)
        else:
            assert answer is None
    assert (answers.set_size is None) == (answers.sets is None)


@given(
    seed=seeds,
    choice=st.sampled_from(CHOICES),
    missing=st.sampled_from(["impute", "marginalize"]),
    epsilon=st.sampled_from(["auto", 0.001]),
)
@settings(max_examples=80)
def test_answers_together_are_those_of_the_methods(seed, choice, missing, epsilon):
    """Rows with missing and with unknown values: the first half is learned, all are asked for."""
    rng = np.random.default_rng(seed)
    X, y, _ = messy_table(rng)
    learner, parameters = choice
    if epsilon != "auto" and learner in (CredalBmaAODE, CredalCompAODE):
        parameters = {**parameters, "epsilon": epsilon}
    half = -(-len(y) // 2)
    # Its text may all be in the other half.
    categorical = [j for j, name in enumerate(X.columns) if name == "mixed"]
    clf = learner(missing=missing, categorical_features=categorical, **parameters)
    fitted(lambda: clf.fit(X[:half], y[:half]))
    fitted(lambda: assert_same_answers(clf, X))


def long_table(n=2500):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame({f"x{j}": rng.integers(0, 4, n) + (rng.random(n) < 0.2) * y for j in range(6)})
    X["text"] = np.array([None, "b", "new"], object)[np.where(np.arange(n) < 20, y % 2, y)]
    X["number"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + y)
    return X, np.array(["low", "middle", "high"])[y]


@pytest.mark.parametrize(("learner", "parameters"), CHOICES)
def test_answers_for_many_chunks_of_rows_stay_in_order(learner, parameters):
    X, y = long_table()
    n = 60 if learner is CredalLogPoolAODE else 20  # with 20, it leaves all classes open
    clf = learner(n_jobs=3, categorical_features=["x0", "x1"], **parameters).fit(X[:n], y[:n])
    if hasattr(clf, "predict_set"):
        assert 1.0 < clf.predict_set(X).sum(axis=1).mean() < 3.0
    assert_same_answers(clf, X)


def test_a_classifier_of_another_library():
    X, y = long_table(60)
    X = X[["x0", "x1"]]
    clf = LogisticRegression().fit(X, y)
    assert_same_answers(clf, X)


COLUMNS = ["predicted", "probability_a", "probability_b"]
CREDAL_COLUMNS = [*COLUMNS, "set", "set_size", "lower_a", "lower_b", "upper_a", "upper_b"]


def small_problem(n=40):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.normal(size=n).round(2), "c": rng.choice(["u", "v"], n)})
    return X, np.where(X["x"] + (X["c"] == "u") + rng.normal(size=n) > 0, "a", "b")


@pytest.mark.parametrize(
    ("classifier", "columns"),
    [
        (AODE, COLUMNS),
        (LogPoolAODE, COLUMNS),
        (NaiveCredal, CREDAL_COLUMNS),
        (CredalCompAODE, [*CREDAL_COLUMNS, "robustness"]),
        (CredalLogPoolAODE, [*CREDAL_COLUMNS, "robustness"]),
    ],
)
def test_a_table_of_answers_has_the_columns_of_the_schema(classifier, columns):
    X, y = small_problem()
    clf = classifier().fit(X, y)
    frame = skcredal.answers(clf, X).to_frame()
    assert list(frame.columns) == columns
    assert frame["predicted"].tolist() == clf.predict(X).tolist()
    if "set" in columns:
        assert frame["set"].tolist() == [clf.classes_[mask].tolist() for mask in clf.predict_set(X)]
        np.testing.assert_array_equal(frame["set_size"], clf.predict_set(X).sum(axis=1))
        np.testing.assert_array_equal(frame["upper_b"], clf.predict_interval(X)[:, 1, 1])


@pytest.mark.parametrize(("given_as", "expected"), [(pl.from_pandas, pl.DataFrame), (pa.table, pa.Table)])
def test_a_table_of_answers_is_of_the_library_of_the_rows(given_as, expected):
    X, y = small_problem()
    table = given_as(X) if given_as is pl.from_pandas else pa.Table.from_pandas(X)
    clf = NaiveCredal().fit(table, y)
    assert isinstance(skcredal.answers(clf, table).to_frame(), expected)
    array = X.to_numpy(object)
    assert isinstance(skcredal.answers(NaiveCredal().fit(array, y), array).to_frame(), pd.DataFrame)


@pytest.mark.parametrize("classifier", [AODE, CredalCompAODE, CredalBmaAODE, CredalLogPoolAODE, NaiveCredal])
def test_rows_that_are_encoded_and_none_at_all(classifier):
    X, y = small_problem()
    clf = classifier().fit(X, y)
    every = clf._encode(X)
    np.testing.assert_array_equal(clf.predict_proba(every), clf.predict_proba(X))
    none, n_classes = every.select(np.arange(0)), len(clf.classes_)
    assert clf.predict_proba(none).shape == skcredal.answers(clf, none).proba.shape == (0, n_classes)
    if hasattr(clf, "predict_set"):
        assert clf.predict_set(none).shape == (0, n_classes)
        assert clf.predict_interval(none).shape == (0, n_classes, 2)
    if hasattr(clf, "explain"):
        assert len(clf.explain(none)) == 0
    other = classifier().fit(X, y)
    with pytest.raises(ValueError, match="another encoding"):
        other.predict(every)
