"""scikit-learn's contract for every estimator once, and every classifier at the ends of its ranges."""

import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import skcredal
from pressure_problems import CLASSIFIERS
from skcredal import CredalBmaAODE, CredalCompAODE, CredalLogPoolAODE, LogPoolAODE, NullClassifier
from skcredal.persistence import ESTIMATORS

POOLS = (LogPoolAODE, CredalLogPoolAODE)


def expected_to_fail(estimator):
    """Return the checks that an estimator cannot pass, with the reason."""
    if not isinstance(estimator, LogPoolAODE):
        return {}
    reason = "two copies of a row may fall into different folds, a row of weight 2 does not"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [kind(n_regions=2) if kind in POOLS else kind() for kind in ESTIMATORS.values()],
    expected_failed_checks=expected_to_fail,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


FRAME = pd.DataFrame({"x": [1.0, 2.0, 2.5, 10.0, 11.0], "s": list("abbbc"), "drop": [7.0] * 5})
LABELS = ["u", "u", "u", "v", "v"]
NAMED = [["nope"], [7], [-4], [1.5], [True]]
BAD_VALUES = {
    "ess": [0, 0.9e-6, 1.1e6, math.nan, math.inf, "1", None, True],
    "s": [0, 1.1e6, math.nan],
    "contamination": [-0.1, 1.1],
    "likelihood": ["joint"],
    "likelihood_floor": [-0.1, 1.0, math.nan, "0", None],
    "epsilon": [0, -0.01, math.nan, "0.1", None, True],
    "credibility": [1.0, -0.1],
    "average": ["mean", None],
    "criterion": ["maximal", None],
    "n_regions": [-1, 2.5, None, True],
    "line": [1, "yes"],
    "max_rows": [0],
    "random_state": [None, 1.5, True],
    "max_iter": [0, 1.5],
    "tol": [-1e-3],
    "missing": ["drop", None],
    "handle_unknown": ["warn", True],
    "max_categories": [1, 0, 2.5, "3", True],
    "n_jobs": [0, 1.5, "2"],
    "categorical_features": ["some", None, 3, [[0]], *NAMED],
    "conservative_features": ["some", 3, *NAMED],
    "categories": [None, "none", [], ["abc"], [5], [["a", "a"]], [["a", None]], [[]], [[["a"], ["b"]]]],
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_a_bad_parameter_is_refused_by_name_and_value(name):
    kinds = [kind for kind in CLASSIFIERS if name in kind().get_params()]
    assert kinds
    for kind in kinds:
        for value in BAD_VALUES[name]:
            clf = kind(**{name: value})
            with pytest.raises((TypeError, ValueError), match=f"^{name} ") as refusal:
                clf.fit(FRAME, LABELS)
            inner = value[0] if isinstance(value, list) and value else value
            shown = [repr(value), repr(inner), str(len(value) if isinstance(value, list) else value)]
            assert any(text in str(refusal.value) for text in shown)
            assert not hasattr(clf, "classes_")


# --- The ends of the ranges -----------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_weakest_and_the_strongest_prior_and_weights_far_apart_have_answers(kind):
    X, y = small_table()
    for name in {"ess", "s"} & kind().get_params().keys():
        for value in (1e-6, 1e6):
            assert_probabilities(kind(**{name: value}).fit(X, y), X)
    weights = np.where(np.arange(len(y)) < 20, 1e-6, 1e6)
    assert_probabilities(kind().fit(X, y, sample_weight=weights), X)
    weights[0] = 1e-7
    with pytest.raises(ValueError, match=r"^sample_weight .* within a ratio of 1e12"):
        kind().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_without_an_informative_feature_the_class_frequencies_answer(kind, missing):
    X = pd.DataFrame({"k": ["k"] * 7, "n": [None] * 7, "x": [1.0, 1.0, 2.0, 2.0, 1.0, 2.0, None]})
    spodes_alone = {"n_regions": 0, "line": False, "ess": 1.0} if kind in POOLS else {}
    clf = kind(missing=missing, **spodes_alone).fit(X, list("vuvuvuw"))
    expected = [(3 + 1 / 3) / 8, (3 + 1 / 3) / 8, (1 + 1 / 3) / 8]
    np.testing.assert_allclose(clf.predict_proba(X), [expected] * 7, rtol=1e-14)
    assert clf.predict(X).tolist() == ["u"] * 7
    if hasattr(clf, "predict_set"):
        assert clf.predict_set(X)[:, :2].all()


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_row_of_unknown_values_is_answered_by_the_class_frequencies(kind):
    X = np.array([["a", "p"], ["b", "q"], ["a", "q"], ["b", "p"], ["a", "p"]])
    clf = kind(**({"s": 1.0} if kind is skcredal.CredalTree else {"ess": 1.0}))
    clf.fit(X, ["u", "v", "u", "v", "w"])
    unknown, expected = np.array([["z", "z"]]), [(2 + 1 / 3) / 6, (2 + 1 / 3) / 6, (1 + 1 / 3) / 6]
    np.testing.assert_allclose(clf.predict_proba(unknown), [expected], rtol=1e-14)
    assert clf.predict_set(unknown)[0, :2].all() if hasattr(clf, "predict_set") else True


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_one_class_and_one_row_are_certain(kind):
    for n in (5, 1):
        clf = kind().fit(FRAME[:n], ["only"] * n)
        assert clf.predict(FRAME).tolist() == ["only"] * 5
        np.testing.assert_array_equal(clf.predict_proba(FRAME), np.ones((5, 1)))
        if hasattr(clf, "predict_set"):
            np.testing.assert_array_equal(clf.predict_set(FRAME), np.ones((5, 1), bool))
            np.testing.assert_array_equal(clf.predict_interval(FRAME), np.ones((5, 1, 2)))
        if hasattr(clf, "robustness"):
            assert clf.robustness(FRAME).tolist() == [1.0] * 5
            assert clf.explain(FRAME)["rival"][0] is None


@pytest.mark.parametrize("kind", [kind for kind in CLASSIFIERS if kind is not NullClassifier])
def test_three_hundred_features_and_numbers_at_the_ends_of_the_doubles(kind):
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3
    X = np.where(rng.random((60, 300)) < 0.5, y[:, None], rng.integers(0, 3, (60, 300))).astype(str)
    clf = kind().fit(X, y)
    if kind is not skcredal.CredalTree:
        assert clf.predict(X).tolist() == y.tolist()
    if kind in (CredalBmaAODE, CredalCompAODE):
        assert clf.epsilon_ == 1 / 602
    assert_probabilities(clf, X)
    huge, low, high = np.finfo(float).max, [0.0, 5e-324], [1e-323]
    ends = np.array([[-huge, x] for x in low * 6] + [[huge, x] for x in high * 12])
    clf = kind().fit(ends, np.repeat([0, 1], 12))
    assert clf.predict(ends).tolist() == [0] * 12 + [1] * 12


def test_a_parameter_set_after_the_fit_changes_no_answer_and_is_checked_when_saved(tmp_path):
    X, y = small_table()
    clf = skcredal.NaiveCredal().fit(X, y)
    before = clf.predict_interval(X), clf.predict_set(X)
    clf.set_params(s=math.nan)
    for found, expected in zip((clf.predict_interval(X), clf.predict_set(X)), before, strict=True):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"^s must lie in .*, got nan"):
        skcredal.save(clf, tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("kind", [CredalCompAODE, CredalLogPoolAODE])
@pytest.mark.parametrize("method", ["predict_proba", "predict_set"])
def test_prediction_holds_no_array_of_rows_by_features_by_classes(kind, method):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (20_000, 25)).astype(np.uint8)
    clf = kind(categorical_features="all").fit(X[:500], rng.integers(0, 6, 500))
    predict = getattr(clf, method)
    predict(X[:600])
    tracemalloc.start()
    try:
        predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.size * 6 * 8 / 2
