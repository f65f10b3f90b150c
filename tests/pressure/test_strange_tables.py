"""Strange tables through every estimator: an answer of the right shape, or a refusal that names its cause."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strange_problems
from pressure_problems import CLASSIFIERS
from skcredal import AODE, CredalCompAODE, CredalLogPoolAODE
from strange_problems import changed, rows_of, sane_tables, tables, vectors

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


def outcome(work):
    """Return the result, or None if the table, the target, the weights or an option was refused."""
    return strange_problems.outcome(work, "X|y|sample_weight|categories|categorical_features|feature names")


def check_answers(clf, X):
    """Ask everything; whatever is answered must make sense."""
    proba = outcome(lambda: clf.predict_proba(X))
    if proba is None:
        for method in ("predict", "predict_set", "predict_interval", "robustness", "explain", "spode_proba"):
            if hasattr(clf, method):
                assert outcome(lambda method=method: getattr(clf, method)(X)) is None, method
        return
    n, n_classes = len(proba), len(clf.classes_)
    assert n > 0
    assert proba.shape == (n, n_classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)
    assert (proba >= 0).all()
    assert not np.isnan(clf.predict_log_proba(X)).any()
    answer = clf.predict(X)
    assert answer.shape == (n,)
    assert answer.dtype == clf.classes_.dtype
    best = proba.argmax(axis=1)
    if hasattr(clf, "predict_set"):
        sets, bounds = clf.predict_set(X), clf.predict_interval(X)
        assert sets.shape == (n, n_classes)
        assert sets[np.arange(n), best].all()
        assert bounds.shape == (n, n_classes, 2)
        assert ((bounds[..., 0] <= proba + 1e-9) & (proba <= bounds[..., 1] + 1e-9)).all()
        assert ((bounds >= 0) & (bounds <= 1)).all()
    if hasattr(clf, "robustness"):
        robustness, why = clf.robustness(X), outcome(lambda: clf.explain(X))
        assert robustness.shape == (n,)
        assert ((robustness >= 0) & (robustness <= 1)).all()
        assert len(why) == n
    if hasattr(clf, "spode_proba"):
        spodes = clf.spode_proba(X)
        n_models = len(clf.counts_.n_states)
        assert spodes.shape == (n, n_models, n_classes)
        known = ~np.isnan(spodes).any(axis=2)
        np.testing.assert_allclose(spodes[known].sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@settings(max_examples=40)
@given(data=st.data())
def test_another_table_than_the_one_learned_from_is_answered_or_refused(classifier, data):
    """Other columns and types, another order, unseen states, text where numbers were."""
    X = data.draw(sane_tables(), "X")
    options = data.draw(st.one_of(st.just({}), OPTIONS), "parameters")
    clf = classifier(**options)
    if outcome(lambda: clf.fit(X, np.arange(len(X)) % 3)) is None:
        assert options
        return
    check_answers(clf, X)
    check_answers(clf, data.draw(changed(X), "X new"))


WITHOUT_PAIRS = [
    "CompressionNB",
    "CredalModelAveraging",
    "CredalTree",
    "NaiveBayes",
    "NaiveCredal",
    "NullClassifier",
]


@pytest.mark.filterwarnings("ignore:.*look like identifiers")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_hundred_thousand_declared_categories_are_learned_or_refused_by_name(classifier):
    """Tables of pairs grow with the square of all states."""
    y = np.arange(100) % 2
    states = pd.Categorical.from_codes(np.arange(100) * 999, pd.RangeIndex(100_000).astype(str))
    X = pd.DataFrame({"many": states, "tells": np.where(y, "a", "b")})
    if classifier.__name__ not in WITHOUT_PAIRS:
        with pytest.raises(ValueError, match=r"pair tables .* many \(100000 states\)"):
            classifier().fit(X, y)
        X["many"] = X["many"].cat.set_categories([str(999 * r) for r in range(100)])
    clf = classifier().fit(X, y)
    probes = pd.DataFrame({"many": ["0", "999", "1", "unheard of", None], "tells": list("abaab")})
    check_answers(clf, probes)


@pytest.mark.parametrize("classifier", [CredalCompAODE, CredalLogPoolAODE])
def test_a_few_thousand_categories_are_learned(classifier):
    n = 3_000
    y = np.arange(n) % 2
    X = pd.DataFrame({"identifier": np.arange(n).astype(str), "tells": np.where(y, "a", "b")})
    with pytest.warns(UserWarning, match="look like identifiers.*Column 'identifier'"):
        clf = classifier().fit(X, y)
    counts = clf.counts_
    assert counts.n_states.tolist() == [n, 2]
    check_answers(clf, X[:3].assign(identifier=["0", "unheard of", None]))


@pytest.mark.parametrize("classifier", [AODE, CredalLogPoolAODE])
def test_two_columns_of_a_hundred_thousand_categories_are_refused_by_name(classifier):
    n = 100_000
    X = pd.DataFrame({name: np.arange(n).astype(str) for name in ("first", "second")})
    with (
        pytest.warns(UserWarning, match="look like identifiers"),
        pytest.raises(ValueError, match=r"pair tables .* first \(100000 states\)"),
    ):
        classifier().fit(X, np.arange(n) % 2)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_numbers_at_the_ends_of_the_doubles_are_cut_in_between(classifier):
    huge = np.finfo(float).max
    X = np.array(
        [[-huge, 5e-324], [-huge, 5e-324], [-huge, 0.0], [huge, 1e-323], [huge, 1e-323], [huge, 1e-323]]
    )
    clf = classifier().fit(np.repeat(X, 4, axis=0), np.repeat([0, 1], 12))
    check_answers(clf, X)
    if classifier.__name__ != "NullClassifier":
        assert clf.predict(X).tolist() == [0, 0, 0, 1, 1, 1]


# --- What the search found, each as it was found --------------------------------------------------

TABLE = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "s": list("abab")})


class Tensor:
    """Like an array of another library, which it refuses to convert."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("requires grad")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (Tensor(), "^X cannot be read: requires grad"),
        (np.ones(4), "^X cannot be read: Expected 2D array"),
        (np.ones((4, 2, 2)), "^X cannot be read: Found array with dim 3"),
        (np.ones((0, 2)), "^X cannot be read: Found array with 0 sample"),
        (pd.DataFrame(index=range(4)), "^X cannot be read: Found array with 0 feature"),
        (np.array([[1j]] * 4), "^X cannot be read: Complex data not supported"),
        ([[(1, [2])]] * 4, "^X|^Feature 0 cannot be read: unhashable"),
        (pd.DataFrame({"t": [(1, [2])] * 4}), "^Column 't' cannot be read: unhashable"),
    ],
    ids=["tensor", "1-d", "3-d", "no rows", "no columns", "complex", "cells", "unhashable tuples"],
)
def test_a_table_that_cannot_be_read_is_refused_by_name(X, message):
    with pytest.raises((TypeError, ValueError), match=message):
        CredalCompAODE().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ma.masked_array([0, 1, 0, 1], [1, 0, 0, 0]), "^y must not be a masked array"),
        (np.array([(0, 1.0)] * 4, dtype=[("a", int), ("b", float)]), "^y must hold classes"),
        ([1j, 0, 1j, 0], "^y must hold classes .*, got values of type complex128"),
        ([[0], [1, 2], [0], [1]], "^y cannot be read"),
        *(
            [(pl.Series([2**100, 1, 1, 2], dtype=pl.Int128), "^y cannot be read: .*i128")]
            if hasattr(pl, "Int128")
            else []
        ),
        ([0.5, 1.5, 2.5, 3.5], "^y cannot be read: Unknown label type: continuous"),
        (np.array([np.arange(2), np.arange(3), 1, 2], object), "^y "),
    ],
)
def test_a_target_of_no_classes_is_refused_by_name(y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        CredalCompAODE().fit(TABLE, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([10**400, 1, 1, 1], "^sample_weight cannot be read: int too large"),
        ([1j, 1, 1, 1], "^sample_weight must hold 0 or numbers from .*, got 1j"),
        (["1", "2", "1", "1"], "^sample_weight must hold 0 or numbers from .*, got '1'"),
        (pd.date_range("2020", periods=4), "^sample_weight must hold 0 or numbers from .*, got"),
        (np.ma.masked_array([1, 2, 3, 4], [1, 0, 0, 0]), "^sample_weight must not be a masked array"),
        ([1e308, 1e308, 1e308, 1], "^sample_weight must hold 0 or numbers from .*, got 1e.308 in row 0"),
        ([1, 5e-324, 1, 1], "^sample_weight must hold 0 or numbers from .*, got 5e-324 in row 1"),
        (
            [1e-5, 0, 1, 1e12],
            "^sample_weight must hold positive numbers within a ratio of 1e12, got 1e-05",
        ),
    ],
)
def test_weights_of_no_numbers_are_refused_by_name(weights, message):
    with pytest.raises((TypeError, ValueError), match=message):
        CredalCompAODE().fit(TABLE, [0, 1, 0, 1], sample_weight=weights)


@pytest.mark.parametrize("classifier", [CredalCompAODE, CredalLogPoolAODE])
@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_a_text_column_that_was_empty_in_training_may_hold_text_later(classifier, missing):
    X = TABLE.assign(s=pd.array([None] * 4, "string"))
    clf = classifier(handle_unknown="ignore", missing=missing, categorical_features=["s"]).fit(
        X, [0, 1, 0, 1]
    )
    check_answers(clf, TABLE)
    strict = clf.set_params(handle_unknown="error").fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"^Column 's' must hold only known states"):
        strict.predict(TABLE)


def test_a_score_reads_a_target_of_another_library():
    clf = CredalCompAODE().fit(TABLE, [0, 1, 0, 1])
    assert clf.score(TABLE, pl.Series([0, 1, 0, 0]), sample_weight=[1, 1, 1, 0]) == 1.0
