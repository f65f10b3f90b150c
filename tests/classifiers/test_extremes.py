"""Parameters and weights at the ends of their ranges: an answer that holds, or a refusal with the rule."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import skcredal
from skcredal import CredalCompAODE
from table_limits import limited_to

PUBLIC = [getattr(skcredal, name) for name in skcredal.__all__]
CLASSIFIERS = [made for made in PUBLIC if hasattr(made, "predict_proba")]
WITH_STRENGTH = [
    (classifier, name)
    for classifier in CLASSIFIERS
    for name in ("ess", "s")
    if name in classifier().get_params()
]


def small_table():
    rng = np.random.default_rng(8)
    y = np.arange(40) % 3
    follows = np.where(rng.random((40, 4)) < 0.6, y[:, None], rng.integers(0, 3, (40, 4)))
    return pd.DataFrame(follows.astype(str), columns=list("abcd")), y


def assert_probabilities(clf, X):
    proba = clf.predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    if hasattr(clf, "predict_interval"):
        interval = clf.predict_interval(X)
        assert ((interval >= 0.0) & (interval <= 1.0)).all()


@pytest.mark.parametrize(("classifier", "name"), WITH_STRENGTH)
def test_the_strength_of_a_prior_has_bounds_within_which_answers_hold(classifier, name):
    X, y = small_table()
    for value in (5e-324, 1e-308, 0.9e-6, 1.1e6, 1e308, float("nan")):
        with pytest.raises(
            ValueError, match=rf"^{name} must lie in \[1e-6, 1e6\], got {re.escape(repr(value))}"
        ):
            classifier(**{name: value}).fit(X, y)
    for value in (1e-6, 1e6):
        assert_probabilities(classifier(**{name: value}).fit(X, y), X)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_weights_may_be_a_million_million_times_as_large_as_others(classifier):
    X, y = small_table()
    weights = np.where(np.arange(len(y)) < 20, 1e-6, 1e6)
    assert_probabilities(classifier().fit(X, y, sample_weight=weights), X)
    weights[0] = 1e-7
    with pytest.raises(ValueError, match=r"^sample_weight must hold positive numbers within a ratio of 1e12"):
        classifier().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("k", [2, 7, 15, 16, 19, 29])
def test_one_class_is_certain_whatever_is_unknown(k):
    X = pd.DataFrame({f"x{j}": ["a", "b"] * 5 for j in range(k)})
    clf = CredalCompAODE().fit(X, ["only"] * 10)
    new = X[:2].assign(x0="new")
    np.testing.assert_array_equal(clf.predict_interval(new), np.ones((2, 1, 2)))
    np.testing.assert_array_equal(clf.predict_set(new), np.ones((2, 1), bool))
    np.testing.assert_array_equal(clf.robustness(new), np.ones(2))


@pytest.mark.parametrize("k", [2, 7, 15, 16, 19, 29])
def test_features_that_tell_nothing_leave_all_classes_open(k):
    """Every SPODE is as likely as the null model: a prior of ε takes its coefficient to 0, up to rounding."""
    X = pd.DataFrame({f"x{j}": ["a", "a", "b", "b"] * 5 for j in range(k)})
    clf = CredalCompAODE(ess=1e-6).fit(X, ["one", "two"] * 10)
    new = X[:2].assign(x0="new")
    assert_probabilities(clf, new)
    assert clf.predict_set(new).all()


@pytest.mark.parametrize("classifier", [skcredal.CredalTree, skcredal.NaiveCredal])
def test_a_parameter_set_after_the_fit_changes_no_answer_and_is_checked_when_saved(classifier, tmp_path):
    X, y = small_table()
    clf = classifier().fit(X, y)
    before = clf.predict_interval(X), clf.predict_proba(X), clf.predict_set(X)
    clf.set_params(s=float("nan"))
    for found, expected in zip(
        (clf.predict_interval(X), clf.predict_proba(X), clf.predict_set(X)), before, strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"^s must lie in \[1e-6, 1e6\], got nan"):
        skcredal.save(clf, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def refusal(clf, X, y):
    with (
        limited_to(2_000),
        warnings.catch_warnings(action="ignore"),
        pytest.raises(ValueError, match="pair tables") as caught,
    ):
        clf.fit(X, y)
    return str(caught.value)


def test_tables_that_are_too_large_are_met_with_advice_that_helps():
    rng = np.random.default_rng(9)
    y = np.arange(300) % 3
    numbers = pd.DataFrame({name: y + rng.random(300) / 2 for name in "uvwxz"})
    said = refusal(skcredal.AODE(), numbers, y)
    assert "u (3 states)" in said
    assert "round numbers" in said
    text = numbers.round(1).astype(str)
    assert "max_categories" in refusal(skcredal.AODE(), text, y)
    assert "set_config(pair_table_limit" in refusal(skcredal.LogPoolAODE(), numbers, y)
