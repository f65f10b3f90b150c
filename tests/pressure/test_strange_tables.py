"""Strange tables through estimators: an answer of the right shape, or a refusal that names its cause."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pressure_problems import CHOSEN
from skcredal import CredalCompAODE
from strange_problems import outcome, rows_of, tables, vectors

# What numpy and pandas warn of while a strange argument is made or read is not under test.
pytestmark = pytest.mark.filterwarnings("ignore")

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.sampled_from(["impute", "marginalize"]),
        "handle_unknown": st.sampled_from(["ignore", "error"]),
        "max_categories": st.sampled_from([2, 3]),
        "categorical_features": st.sampled_from(["all", [0], ["c0"], [True, False]]),
        "categories": st.sampled_from([[["a", "b"]], [[0, 1, 2], ["a"]]]),
    },
)


def check_answers(clf, X):
    """Ask everything; whatever is answered must make sense."""
    proba = outcome(lambda: clf.predict_proba(X))
    if proba is None:
        for method in ("predict", "predict_set", "predict_interval", "robustness", "explain", "spode_proba"):
            if hasattr(clf, method):
                assert outcome(lambda method=method: getattr(clf, method)(X)) is None, method
        return
    n, n_classes = len(proba), len(clf.classes_)
    assert proba.shape == (n, n_classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)
    assert (proba >= 0).all()
    answer = clf.predict(X)
    assert (answer.shape, answer.dtype) == ((n,), clf.classes_.dtype)
    if hasattr(clf, "predict_set"):
        sets, bounds = clf.predict_set(X), clf.predict_interval(X)
        assert sets[np.arange(n), proba.argmax(axis=1)].all()
        assert ((bounds[..., 0] <= proba + 1e-9) & (proba <= bounds[..., 1] + 1e-9)).all()
        assert ((bounds >= 0) & (bounds <= 1)).all()
    if hasattr(clf, "robustness"):
        robustness = clf.robustness(X)
        assert ((robustness >= 0) & (robustness <= 1)).all()
        assert len(outcome(lambda: clf.explain(X))) == len(robustness) == n


@pytest.mark.parametrize("classifier", CHOSEN)
@settings(max_examples=60)
@given(data=st.data())
def test_a_strange_table_is_learned_or_refused(classifier, data):
    X = data.draw(tables(), "X")
    n = rows_of(X)
    y = data.draw(vectors(n), "y")
    weights = data.draw(st.one_of(st.none(), st.none(), vectors(n)), "sample_weight")
    options = data.draw(st.one_of(st.just({}), OPTIONS), "parameters")
    clf = classifier(**options)
    if outcome(lambda: clf.fit(X, y, sample_weight=weights)) is None:
        return
    check_answers(clf, X)
    check_answers(clf, data.draw(tables(), "X new"))


@pytest.mark.parametrize("classifier", CHOSEN)
@settings(max_examples=40)
@given(data=st.data())
def test_another_table_than_the_one_learned_from_is_answered_or_refused(classifier, data):
    """Other columns and types, another order, unseen states, text where numbers were."""
    X = data.draw(tables(sane=True), "X")
    options = data.draw(st.one_of(st.just({}), OPTIONS), "parameters")
    clf = classifier(**options)
    if outcome(lambda: clf.fit(X, np.arange(len(X)) % 3)) is None:
        assert options
        return
    check_answers(clf, X)
    names = [f"c{j}" for j in range(clf.n_features_in_)]
    check_answers(clf, data.draw(tables(names), "X new"))


# --- What the search found, each as it was found --------------------------------------------------

TABLE = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "s": list("abab")})
MASK = [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("X", pd.DataFrame({"t": [(1, [2])] * 4}), "^Column 't' cannot be read: unhashable"),
        ("y", [[0], [1, 2], [0], [1]], "^y cannot be read"),
        ("y", np.array(["a", 1, "a", 1], object), "^y must be all text or all numbers"),
        ("sample_weight", [10**400, 1, 1, 1], "^sample_weight cannot be read: int too large"),
        ("sample_weight", ["1", "2", "1", "1"], "^sample_weight must .*, got '1'"),
        ("sample_weight", np.ma.masked_array([1, 2, 3, 4], MASK), "^sample_weight must not be a masked"),
        ("sample_weight", [1e308, 1e308, 1e308, 1], "^sample_weight must .*, got 1e.308 in row 0"),
        ("sample_weight", [1, 5e-324, 1, 1], "^sample_weight must .*, got 5e-324 in row 1"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(name, value, message):
    arguments = {"X": TABLE, "y": [0, 1, 0, 1], name: value}
    with pytest.raises((TypeError, ValueError), match=message):
        CredalCompAODE().fit(**arguments)


@pytest.mark.parametrize("classifier", CHOSEN)
def test_a_text_column_that_was_empty_in_training_may_hold_text_later(classifier):
    X = TABLE.assign(s=pd.array([None] * 4, "string"))
    clf = classifier(categorical_features=["s"]).fit(X, [0, 1, 0, 1])
    check_answers(clf, TABLE)
    strict = clf.set_params(handle_unknown="error").fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"^Column 's' must contain only known states"):
        strict.predict(TABLE)


def test_a_score_reads_a_target_of_another_library():
    clf = CredalCompAODE().fit(TABLE, [0, 1, 0, 1])
    assert clf.score(TABLE, pl.Series([0, 1, 0, 0]), sample_weight=[1, 1, 1, 0]) == 1.0
