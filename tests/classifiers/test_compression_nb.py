"""CompressionNB against all subsets of the features evaluated one by one, through the public interface."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
import oracles_averages
import oracles_logpool
import skcredal
from pressure_problems import messy_table
from problems import as_rows, random_codes
from skcredal import CompressionNB, NaiveBayes, NullClassifier
from skcredal.scale import fit_batches


@parametrize_with_checks([CompressionNB(), CompressionNB(missing="marginalize", n_jobs=2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def frame_of(codes, n_states):
    """Return codes (k, n) as a DataFrame of declared categories; the unknown code becomes a missing value."""
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical.from_codes(np.where(column == v, -1, column.astype(int)), range(v))
            for j, (column, v) in enumerate(zip(codes, n_states, strict=True))
        }
    )


def varied_problem(rng, *, n=30, k=4, n_classes=3, unknown=0.0):
    """Return random codes in which every feature and class takes at least two known values."""
    while True:
        codes, labels, n_states, n_classes = random_codes(rng, n=n, k=k, n_classes=n_classes, unknown=unknown)
        varied = all(len(set(column) - {v}) > 1 for column, v in zip(codes.tolist(), n_states, strict=True))
        if varied and len(np.unique(labels)) == n_classes:
            return codes, labels, n_states, n_classes


def orders_of(k, n_orders, random_state):
    """Return the orders of the features: by the ranks of consecutive numbers, k for each search."""
    ranks = [oracles_logpool.row_rank(random_state, number) for number in range(n_orders * k)]
    return [sorted(range(k), key=lambda j, t=t: ranks[t * k + j]) for t in range(n_orders)]


@given(
    seed=st.integers(0, 10**6),
    ess=st.sampled_from([1, 4]),
    unknown=st.sampled_from([0.0, 0.2]),
    random_state=st.sampled_from([0, 7]),
)
@settings(max_examples=25)
def test_weights_and_answers_are_those_of_the_definition(seed, ess, unknown, random_state):
    """The answers are the normalised geometric mean of the posteriors of all models, which is a theorem."""
    rng = np.random.default_rng(seed)
    codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
    rows, y, k = as_rows(codes, n_states), labels.tolist(), len(codes)
    clf = CompressionNB(ess=float(ess), missing="marginalize", random_state=random_state)
    clf.fit(frame_of(codes, n_states), labels)
    scores = oracles_averages.subset_scores(rows, y, n_states.tolist(), n_classes, ess)
    # ⌈log₂(30 · 4)⌉ + 1 searches.
    met = oracles_averages.evaluated_subsets(scores, orders_of(k, 8, random_state))
    assert clf.n_models_ == len(met)
    np.testing.assert_allclose(clf.weights_, oracles_averages.feature_weights(scores, met, k), atol=1e-9)
    counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
    test = rng.integers(0, n_states[:, None] + 1, (k, 6))
    proba = clf.predict_proba(frame_of(test, n_states))
    pi = oracles_averages.coefficients(scores, met)
    for r, row in enumerate(as_rows(test, n_states)):
        np.testing.assert_allclose(proba[r], oracles_averages.geometric_mean(counts, row, pi, ess), rtol=1e-8)


def test_the_seed_chooses_the_orders():
    X, y = messy_table(80)
    X = pd.concat([X, X.shift(1).add_suffix(" before"), X.shift(2).add_suffix(" long before")], axis=1)
    one, same, other = (CompressionNB(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.weights_, same.weights_)
    assert one.n_models_ != other.n_models_ or np.any(one.weights_ != other.weights_)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_threads_do_not_change_a_bit(missing):
    X, y = messy_table(500)
    one, three = (CompressionNB(missing=missing, n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    np.testing.assert_array_equal(one.weights_, three.weights_)
    assert one.n_models_ == three.n_models_
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_a_whole_weight_repeats_the_row(missing):
    rng = np.random.default_rng(95)
    X, y = messy_table(70)
    weights = rng.integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    once = CompressionNB(missing=missing).fit(X, y, sample_weight=weights)
    repeated = CompressionNB(missing=missing).fit(X.iloc[copies], y[copies])
    np.testing.assert_allclose(once.weights_, repeated.weights_, rtol=1e-9)
    assert once.n_models_ == repeated.n_models_
    np.testing.assert_allclose(once.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


def test_noise_weighs_less_and_what_says_nothing_is_answered_by_the_frequencies():
    rng = np.random.default_rng(96)
    y = rng.integers(0, 2, 2000)
    told = np.where(rng.random((2, 2000)) < 0.8, y, 1 - y)
    X = np.stack([*told, *rng.integers(0, 2, (4, 2000))], axis=1)
    clf = CompressionNB(categorical_features="all").fit(X, y)
    assert clf.weights_[:2].min() > 0.7
    assert clf.weights_[2:].max() < 0.5
    noise = CompressionNB(categorical_features="all").fit(X[:, 2:], y)
    assert noise.weights_.tolist() == [0.0] * 4
    null = NullClassifier(categorical_features="all").fit(X[:, 2:], y)
    np.testing.assert_allclose(noise.predict_proba(X[:3, 2:]), null.predict_proba(X[:3, 2:]), rtol=1e-12)


def test_with_one_feature_it_is_naive_bayes():
    X, y = [["a"], ["a"], ["b"], ["b"]] * 5, ["x", "x", "y", "y"] * 5
    clf = CompressionNB().fit(X, y)
    assert (clf.weights_.tolist(), clf.n_models_) == ([1.0], 2)
    np.testing.assert_allclose(clf.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X), rtol=1e-12)


def test_without_features_or_with_a_single_class_the_prior_answers():
    clf = CompressionNB().fit(np.ones((4, 2)), ["a", "b", "b", "b"])
    assert (clf.weights_.tolist(), clf.n_models_) == ([], 1)
    np.testing.assert_allclose(clf.predict_proba(np.ones((1, 2))), [[1.5 / 5, 3.5 / 5]])
    for X in (np.ones((3, 1)), [["a"], ["b"], ["b"]]):
        alone = CompressionNB().fit(X, ["only"] * 3)
        assert alone.weights_.sum() == 0.0
        assert alone.predict_proba(X).tolist() == [[1.0]] * 3


def test_more_features_than_bits():
    """Subsets are told apart beyond 64 features."""
    rng = np.random.default_rng(97)
    y = rng.integers(0, 2, 60)
    X = rng.integers(0, 2, (60, 70))
    X[:, -1] = y
    clf = CompressionNB(categorical_features="all").fit(X, y)
    assert clf.weights_.argmax() == 69
    assert clf.n_models_ > 70


def test_a_copy_answers_alike(tmp_path):
    X, y = messy_table(90)
    clf = CompressionNB(missing="marginalize", random_state=3).fit(X, y)
    skcredal.save(clf, tmp_path / "model")
    for copy in (skcredal.load(tmp_path / "model"), pickle.loads(pickle.dumps(clf))):
        assert copy.n_models_ == clf.n_models_
        np.testing.assert_array_equal(copy.weights_, clf.weights_)
        np.testing.assert_array_equal(copy.predict_proba(X), clf.predict_proba(X))
        np.testing.assert_array_equal(clone(copy).fit(X, y).weights_, clf.weights_)


def test_rows_that_are_not_in_memory_are_refused():
    with pytest.raises(TypeError, match=r"CompressionNB cannot learn .* every step of the search"):
        fit_batches(CompressionNB(), [([["a"], ["b"]], [0, 1])])
    assert not hasattr(CompressionNB(), "partial_fit")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ess": 0.0}, r"ess must lie in \[1e-6, 1e6\], got 0.0"),
        ({"random_state": None}, "random_state must be a whole number, got None"),
        ({"random_state": 1.5}, "random_state must be a whole number, got 1.5"),
        ({"random_state": True}, "random_state must be a whole number, got True"),
    ],
)
def test_refusals_name_the_parameter_the_rule_and_the_value(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        CompressionNB(**parameters).fit([[0], [1]], [0, 1])
