"""Strange tables through every estimator: an answer of the right shape, or a refusal that names its cause."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skcredal
import strange_problems
from strange_problems import rows_of, tables, vectors

CLASSIFIERS = [
    getattr(skcredal, name) for name in skcredal.__all__ if hasattr(getattr(skcredal, name), "predict")
]
WISHES = st.fixed_dictionaries(
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
    """Return the result or None: what is refused is the table, the target, the weights or a wish about them."""
    return strange_problems.outcome(work, "X|y|sample_weight|categories|categorical_features|feature names")


def check_answers(clf, X):
    """Ask everything; whatever is answered must make sense."""
    proba = outcome(lambda: clf.predict_proba(X))
    if proba is None:
        for method in ("predict", "predict_set", "predict_interval", "robustness", "explain", "spode_proba"):
            if hasattr(clf, method):
                assert outcome(lambda method=method: getattr(clf, method)(X)) is None, method
        return
    n, l = len(proba), len(clf.classes_)
    assert n > 0
    assert proba.shape == (n, l)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-9)
    assert (proba >= 0).all()
    assert not np.isnan(clf.predict_log_proba(X)).any()
    answer = clf.predict(X)
    assert answer.shape == (n,)
    assert answer.dtype == clf.classes_.dtype
    places = proba.argmax(axis=1)
    if hasattr(clf, "predict_set"):
        sets, bounds = clf.predict_set(X), clf.predict_interval(X)
        assert sets.shape == (n, l)
        assert sets[np.arange(n), places].all()
        assert bounds.shape == (n, l, 2)
        assert ((bounds[..., 0] <= proba + 1e-9) & (proba <= bounds[..., 1] + 1e-9)).all()
        assert ((bounds >= 0) & (bounds <= 1)).all()
    if hasattr(clf, "robustness"):
        robustness, why = clf.robustness(X), outcome(lambda: clf.explain(X))
        assert robustness.shape == (n,)
        assert ((robustness >= 0) & (robustness <= 1)).all()
        assert len(why) == n
    if hasattr(clf, "spode_proba"):
        spodes = clf.spode_proba(X)
        assert spodes.shape == (n, len(clf.super_parents_), l)
        known = ~np.isnan(spodes).any(axis=2)
        np.testing.assert_allclose(spodes[known].sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@settings(max_examples=60)
@given(data=st.data())
def test_a_strange_table_is_learned_or_refused(classifier, data):
    X = data.draw(tables(), "X")
    n = rows_of(X)
    y = data.draw(vectors(n), "y")
    weights = data.draw(st.one_of(st.none(), st.none(), vectors(n)), "sample_weight")
    wishes = data.draw(st.one_of(st.just({}), WISHES), "parameters")
    clf = classifier(**wishes)
    if outcome(lambda: clf.fit(X, y, sample_weight=weights)) is None:
        return
    check_answers(clf, X)
    score = outcome(lambda: clf.score(X, y))
    assert score is None or 0 <= score <= 1
    check_answers(clf, data.draw(tables(), "X new"))
