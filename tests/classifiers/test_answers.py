"""All that a classifier says of rows: the same as its methods say one by one, in one schema."""

import re

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
from pressure_problems import CLASSIFIERS
from same_models import fitted
from skcredal import (
    AODE,
    BmaAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    NaiveCredal,
    NullClassifier,
)

WIDER = {"criterion": "interval_dominance"}
CHOICES = [
    *((kind, {}) for kind in CLASSIFIERS),
    *((kind, WIDER) for kind in CLASSIFIERS if hasattr(kind, "predict_set")),
    *((BmaAODE, {"likelihood": "marginal"}), (CredalBmaAODE, {"criterion": "e_admissibility"})),
]
METHODS = {"proba": "predict_proba", "sets": "predict_set", "interval": "predict_interval"}


def assert_same_answers(clf, X):
    answers = skcredal.answers(clf, X)
    np.testing.assert_array_equal(answers.predicted, clf.predict(X))
    for name, method in [*METHODS.items(), ("robustness", "robustness")]:
        answer = getattr(answers, name)
        if hasattr(clf, method):
            np.testing.assert_array_equal(answer, getattr(clf, method)(X), strict=True)
        else:
            assert answer is None
    assert (answers.set_size is None) == (answers.sets is None)


@given(seed=seeds, choice=st.sampled_from(CHOICES), missing=st.sampled_from(["impute", "marginalize"]))
@settings(max_examples=80)
def test_answers_together_are_those_of_the_methods(seed, choice, missing):
    """Rows with missing and with unknown values: the first half is learned, all are asked for."""
    X, y, _ = messy_table(np.random.default_rng(seed))
    learner, parameters = choice
    half = -(-len(y) // 2)
    # Its text may all be in the other half.
    categorical = [j for j, name in enumerate(X.columns) if name == "mixed"]
    clf = learner(missing=missing, categorical_features=categorical, **parameters)
    fitted(lambda: clf.fit(X[:half], y[:half]))
    fitted(lambda: assert_same_answers(clf, X))


@pytest.mark.parametrize(("learner", "parameters"), CHOICES)
def test_answers_for_many_chunks_of_rows_stay_in_order(learner, parameters):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2500)
    X = pd.DataFrame({f"x{j}": rng.integers(0, 4, 2500) + (rng.random(2500) < 0.2) * y for j in range(6)})
    X["text"] = np.array([None, "b", "new"], object)[np.where(np.arange(2500) < 20, y % 2, y)]
    X["number"] = np.where(rng.random(2500) < 0.1, np.nan, rng.normal(size=2500) + y)
    n = 60 if learner is CredalLogPoolAODE else 20  # with 20, it leaves all classes open
    clf = learner(n_jobs=3, categorical_features=["x0", "x1"], **parameters).fit(X[:n], y[:n])
    assert_same_answers(clf, X)


def small_problem(n=40):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.normal(size=n).round(2), "c": rng.choice(["u", "v"], n)})
    return X, np.where(X["x"] + (X["c"] == "u") + rng.normal(size=n) > 0, "a", "b")


COLUMNS = {"predicted", "probability_a", "probability_b"}
OF_SETS = COLUMNS | {"set", "set_size", "lower_a", "lower_b", "upper_a", "upper_b"}


@pytest.mark.parametrize(
    ("classifier", "columns"),
    [(AODE, COLUMNS), (NaiveCredal, OF_SETS), (CredalCompAODE, OF_SETS | {"robustness"})],
)
def test_a_table_of_answers_has_the_columns_of_the_schema_and_is_of_the_library_of_the_rows(
    classifier, columns
):
    X, y = small_problem()
    clf = classifier().fit(X, y)
    frame = skcredal.answers(clf, X).to_frame()
    assert set(frame.columns) == columns
    assert frame["predicted"].tolist() == clf.predict(X).tolist()
    np.testing.assert_array_equal(frame["probability_b"], clf.predict_proba(X)[:, 1])
    if "set" in columns:
        assert frame["set"].tolist() == [clf.classes_[mask].tolist() for mask in clf.predict_set(X)]
        np.testing.assert_array_equal(frame["set_size"], clf.predict_set(X).sum(axis=1))
        np.testing.assert_array_equal(frame["upper_b"], clf.predict_interval(X)[:, 1, 1])
    for table, kind in ((pl.from_pandas(X), pl.DataFrame), (pa.Table.from_pandas(X), pa.Table)):
        assert isinstance(skcredal.answers(clf, table).to_frame(), kind)


def test_a_notebook_shows_a_table_of_bars_and_nothing_that_is_markup():
    labels = np.array(["<script>alert(1)</script>", "$a$"])
    proba, sets = np.array([[0.75, 0.25]] * 60), np.array([[True, False], [True, True]] * 30)
    html = skcredal.Answers(labels, proba, sets, np.array([[[0.5, 0.875], [0.125, 0.5]]] * 60))._repr_html_()
    assert "<script" not in html
    rows = html.split("<tr>")[1:]
    assert len(rows) == 1 + 50
    assert "10 more rows" in rows[-1]
    cells = [re.sub(r"<[^>]*>", "", cell) for cell in rows[2].split("</td>")][:4]
    assert cells == [
        "1",
        "&lt;script&gt;alert(1)&lt;/script&gt; or $a$",
        "0.75 (0.50 to 0.88)",
        "0.25 (0.12 to 0.50)",
    ]
    for part in ("transparent 50.0%, #0072b2 0 87.5%", "left: 75.0%", "12.5%, #0072b2 0 50.0%"):
        assert part in rows[2]
    assert "12.5%, #8c959f 0 50.0%" in rows[1]  # a class outside of the set
    alone = skcredal.Answers(labels, proba[:2])._repr_html_()
    assert "more rows" not in alone
    assert "0.75</td>" in alone


def test_a_classifier_of_another_library():
    X, y = small_problem()
    assert_same_answers(LogisticRegression().fit(X[["x"]], y), X[["x"]])


@pytest.mark.parametrize("classifier", [NullClassifier, CredalCompAODE, CredalLogPoolAODE, NaiveCredal])
def test_no_rows_have_no_answers(classifier):
    X, y = small_problem()
    clf = classifier().fit(X, y)
    every = clf._encode(X)
    none = every.select(np.arange(0))
    assert skcredal.answers(clf, none).proba.shape == (0, 2)
    if hasattr(clf, "explain"):
        assert len(clf.explain(none)) == 0
    with pytest.raises(ValueError, match="another encoding"):
        classifier().fit(X, y).predict(every)
