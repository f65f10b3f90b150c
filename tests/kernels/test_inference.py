from fractions import Fraction

import numpy as np
import pytest

import oracles
from problems import as_rows, needs_jit, random_codes, repetitions
from skcredal import kernels
from skcredal.ensemble.counts import count
from skcredal.ensemble.parameters import spode_tables
from skcredal.ensemble.weights import log_likelihoods

pytestmark = pytest.mark.kernel


def random_tables(rng, *, ess, unknown_in_training, unknown_in_test):
    codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown_in_training)
    counts = count(codes, labels, n_states, n_classes)
    expected = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states, n_classes)
    test = rng.integers(0, n_states[:, None] + 1, (len(codes), 6))
    known = rng.random(test.shape) >= unknown_in_test
    test = np.where(known, test % n_states[:, None], n_states[:, None]).astype(np.uint8)
    return spode_tables(counts, ess), expected, test, codes, labels


@pytest.mark.parametrize("unknown_in_test", [0.0, 0.4])
@pytest.mark.parametrize("unknown_in_training", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1.0, 0.25])
def test_posteriors_are_those_of_multiplied_fractions(ess, unknown_in_training, unknown_in_test):
    rng = np.random.default_rng(4)
    for _ in range(repetitions(60)):
        tables, counts, test, _, _ = random_tables(
            rng, ess=ess, unknown_in_training=unknown_in_training, unknown_in_test=unknown_in_test
        )
        found = tables.posteriors(test, left_out=np.nan)
        joints = np.exp(tables.log_joints(test))
        for r, row in enumerate(as_rows(test, counts.n_states)):
            posteriors = oracles.spode_posteriors(counts, row, Fraction(ess))
            exact_joints = oracles.spode_joint(counts, row, Fraction(ess))
            for j, posterior in enumerate(posteriors):
                if posterior is None:
                    assert np.isnan(found[j, r]).all()
                else:
                    np.testing.assert_allclose(found[j, r], np.array(posterior, float), rtol=1e-12)
                    np.testing.assert_allclose(joints[j, r], np.array(exact_joints[j], float), rtol=1e-12)


@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_likelihoods_are_those_of_the_definition(unknown, weighted, floor):
    rng = np.random.default_rng(5)
    for _ in range(repetitions(40)):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown, n=15)
        weights = rng.integers(1, 4, len(labels)) if weighted else None
        tables = spode_tables(count(codes, labels, n_states, n_classes, weights=weights), 1.0)
        rows = as_rows(codes, n_states)
        plain = None if weights is None else weights.tolist()
        counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes, plain)
        expected = oracles.log_likelihoods(counts, rows, labels.tolist(), floor=floor, weights=plain)
        found = log_likelihoods(tables, codes, labels, weights=weights, floor=floor)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_joint_average_is_that_of_multiplied_fractions():
    rng = np.random.default_rng(6)
    for _ in range(repetitions(60)):
        tables, counts, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.4)
        out = np.empty((test.shape[1], counts.n_classes))
        kernels.inference.mean_joint(test, tables.layout.n_states, tables.log_joints(test), tables.prior, out)
        for r, row in enumerate(as_rows(test, counts.n_states)):
            expected = oracles.aode_posterior(counts, row, average="joint")
            np.testing.assert_allclose(out[r], expected, rtol=1e-12)


def test_weighted_mean_renormalises_over_the_spodes_of_a_row():
    rng = np.random.default_rng(7)
    for _ in range(repetitions(60)):
        tables, counts, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.5)
        weights = rng.random(len(test)) * (rng.random(len(test)) < 0.7)
        out, nothing = tables.mean_posterior(test, weights)
        assert nothing.size == 0
        prior = oracles.class_prior(counts)
        for r, row in enumerate(as_rows(test, counts.n_states)):
            expected = oracles.mixture(weights.tolist(), oracles.spode_posteriors(counts, row), prior)
            np.testing.assert_allclose(out[r], np.array(expected, float), rtol=1e-12)


def test_without_features_there_is_nothing_to_say():
    tables = spode_tables(
        count(np.empty((0, 3), np.uint8), np.zeros(3, np.int32), np.empty(0, np.int64), 1), 1.0
    )
    assert tables.posteriors(np.empty((0, 5), np.uint8)).shape == (0, 5, 1)


@needs_jit
def test_probabilities_too_small_for_a_double_do_no_harm():
    """Half the features contradict the other half: log joints differ by more than 745, the range of exp."""
    k, n = 300, 400
    labels = np.repeat([0, 1], n // 2).astype(np.int32)
    codes = np.tile(labels.astype(np.uint8), (k, 1))
    tables = spode_tables(count(codes, labels, np.full(k, 2), 2), 1.0)
    torn = np.repeat([[0], [1]], k // 2, axis=0).astype(np.uint8)
    posterior = tables.posteriors(torn)
    assert (posterior == 0.0).any()
    np.testing.assert_allclose(posterior.sum(axis=2), 1.0, rtol=1e-12)
    surprise = log_likelihoods(tables, torn, np.zeros(1, np.int32))
    assert np.isfinite(surprise).all()
    assert surprise.min() < -745
