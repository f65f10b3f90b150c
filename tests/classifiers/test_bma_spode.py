"""BmaAODE with the marginal likelihood, against products of predictive probabilities."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
import oracles_averages
import skcredal
from messy_tables import messy_table, seeds, split
from pressure_problems import messy_table as larger_table
from problems import as_rows, random_codes
from same_models import assert_same_model, fitted
from skcredal import AODE, BmaAODE, CredalBmaAODE
from skcredal.scale import fit_batches


def marginal(**parameters):
    return BmaAODE(likelihood="marginal", **parameters)


@parametrize_with_checks([marginal(), marginal(missing="marginalize", n_jobs=2)])
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


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1, 4])
def test_weights_and_answers_are_those_of_the_definition(ess, unknown):
    rng = np.random.default_rng(90)
    for _ in range(8):
        codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
        rows, y = as_rows(codes, n_states), labels.tolist()
        clf = marginal(ess=float(ess), missing="marginalize").fit(frame_of(codes, n_states), labels)
        likelihoods = oracles_averages.marginal_likelihoods(rows, y, n_states.tolist(), n_classes, ess)
        logs = [math.log(p.numerator) - math.log(p.denominator) for p in likelihoods]
        np.testing.assert_allclose(clf.log_likelihood_, logs, rtol=1e-11)
        shares = np.array([float(p / sum(likelihoods)) for p in likelihoods])
        np.testing.assert_allclose(clf.weights_, shares, rtol=1e-9)
        counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
        test = rng.integers(0, n_states[:, None] + 1, (len(codes), 8))
        proba = clf.predict_proba(frame_of(test, n_states))
        for r, row in enumerate(as_rows(test, n_states)):
            expected = oracles_averages.averaged_joints(counts, row, likelihoods, ess)
            np.testing.assert_allclose(proba[r], np.array(expected, float), rtol=1e-8)


def test_a_row_without_the_best_super_parent_has_an_answer():
    """With many rows the weights of all but one SPODE are 0 as doubles; their ratios are not forgotten."""
    rng = np.random.default_rng(91)
    n = 20_000
    hub = rng.integers(0, 2, n)
    y, *others = (np.where(rng.random(n) < p, hub, 1 - hub) for p in (0.8, 0.95, 0.85, 0.75))
    clf = marginal(categorical_features="all").fit(np.stack([hub, *others], axis=1), y)
    assert clf.log_likelihood_.argsort()[::-1].tolist() == [0, 1, 2, 3]
    assert clf.weights_.tolist() == [1.0, 0.0, 0.0, 0.0]
    # Without the best super-parent the next one decides, by far the most probable of the others.
    rows = np.array([[9, 0, 1, 0], [9, 1, 0, 1]])
    np.testing.assert_allclose(clf.predict_proba(rows), clf.spode_proba(rows)[:, 1], rtol=1e-9)


def test_small_weights_count():
    """Weights below 1/10,000 of the largest are kept, unlike those of the conditional likelihood."""
    rng = np.random.default_rng(92)
    X, y = rng.integers(0, 3, (60, 5)), rng.integers(0, 2, 60)
    clf = marginal(categorical_features="all").fit(X, y)
    assert 0.0 < clf.weights_.min() < 1e-4 * clf.weights_.max()
    assert clf.weights_.sum() == pytest.approx(1.0)


@given(
    seed=seeds,
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    missing=st.sampled_from(["impute", "marginalize"]),
)
@settings(max_examples=40)
def test_batches_give_the_model_of_all_rows(seed, weighting, missing):
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    X = X.drop(columns=["nothing"], errors="ignore")
    if X.shape[1] == 0:
        return
    weights = None if weights is None else weights + 1
    parameters = {"categorical_features": "all", "missing": missing}
    expected = fitted(lambda: marginal(**parameters).fit(X, y, weights))
    batches = [batch for batch in split(rng, X, y, weights) if len(batch[0])]
    in_passes = fitted(lambda: fit_batches(marginal(**parameters), batches))
    assert_same_model(in_passes, expected)
    np.testing.assert_allclose(in_passes.log_likelihood_, expected.log_likelihood_, rtol=1e-9)
    np.testing.assert_allclose(in_passes.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_a_saved_model_derives_its_likelihoods_anew(tmp_path, missing):
    X, y = larger_table(90)
    clf = marginal(missing=missing).fit(X, y)
    skcredal.save(clf, tmp_path / "model")
    loaded = skcredal.load(tmp_path / "model")
    assert loaded.likelihood == "marginal"
    np.testing.assert_array_equal(loaded.log_likelihood_, clf.log_likelihood_)
    np.testing.assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))


def test_only_the_marginal_likelihood_learns_from_a_stream():
    assert hasattr(marginal(), "partial_fit")
    assert not hasattr(BmaAODE(), "partial_fit")
    assert "likelihood" not in CredalBmaAODE().get_params()


def test_threads_do_not_change_a_bit():
    X, y = larger_table(400)
    one, three = (marginal(n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    np.testing.assert_array_equal(one.log_likelihood_, three.log_likelihood_)
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))


def test_with_two_features_it_is_aode_of_joints():
    """Either super-parent makes the same joint model, so that both weigh the same."""
    rng = np.random.default_rng(93)
    X, y = rng.integers(0, 3, (80, 2)), rng.integers(0, 3, 80)
    clf = marginal(categorical_features="all").fit(X, y)
    np.testing.assert_allclose(clf.weights_, 0.5)
    aode = AODE(categorical_features="all", average="joint").fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), aode.predict_proba(X), rtol=1e-12)


def test_without_features_the_prior_answers():
    clf = marginal().fit(np.ones((4, 2)), ["a", "b", "b", "b"])
    assert clf.weights_.shape == clf.log_likelihood_.shape == (0,)
    np.testing.assert_allclose(clf.predict_proba(np.ones((1, 2))), [[1.5 / 5, 3.5 / 5]])


def test_another_likelihood_is_refused():
    message = r"likelihood must be 'conditional' or 'marginal', got 'joint'"
    with pytest.raises(ValueError, match=message):
        BmaAODE(likelihood="joint").fit([[0], [1]], [0, 1])
