import math
from fractions import Fraction

import numpy as np
import pytest

import oracles
import oracles_averages
from problems import as_rows, as_states, counts_of, random_codes
from skcredal._ensemble.spodes import MOST_ROWS, SpodeTables, log_likelihoods, normalised


def tables_of(codes, labels, n_states, n_classes, ess=1.0, weights=None):
    return SpodeTables(counts_of(codes, labels, n_states, n_classes, weights), ess)


def random_problem(rng, *, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.4, **options):
    """Return tables, the oracle's counts, and new rows as states and as the oracle wants them."""
    codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown_in_training, **options)
    counts = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states, n_classes)
    test = rng.integers(0, n_states[:, None] + 1, (len(codes), 6))
    known = rng.random(test.shape) >= unknown_in_test
    test = np.where(known, test % n_states[:, None], n_states[:, None])
    tables = tables_of(codes, labels, n_states, n_classes, ess)
    return tables, counts, as_states(test, n_states), as_rows(test, n_states)


def assert_exact(tables, counts, states, rows, ess=1):
    """Compare joints and posteriors with products of fractions, where the super-parent is known."""
    found, joints = tables.posteriors(states), np.exp(tables.log_joints(states))
    for r, row in enumerate(rows):
        exact_joints = oracles.spode_joint(counts, row, Fraction(ess))
        for j, posterior in enumerate(oracles.spode_posteriors(counts, row, Fraction(ess))):
            if posterior is not None:
                np.testing.assert_allclose(found[j, :, r], np.array(posterior, float), rtol=1e-12)
                np.testing.assert_allclose(joints[j, :, r], np.array(exact_joints[j], float), rtol=1e-12)


@pytest.mark.parametrize("unknown_in_test", [0.0, 0.4])
@pytest.mark.parametrize("unknown_in_training", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1.0, 0.25])
def test_posteriors_are_those_of_multiplied_fractions(ess, unknown_in_training, unknown_in_test):
    rng = np.random.default_rng(4)
    unknown = {"unknown_in_training": unknown_in_training, "unknown_in_test": unknown_in_test}
    for _ in range(60):
        assert_exact(*random_problem(rng, ess=ess, **unknown), ess=ess)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 8, 9, 17])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 9])
def test_any_number_of_classes_and_features_is_summed(n_classes, k):
    """Features are summed four at a time; of two classes, one has its exponential taken."""
    rng = np.random.default_rng(8)
    assert_exact(*random_problem(rng, n=40, k=k, n_classes=n_classes, unknown_in_training=0.1))


@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_likelihoods_are_those_of_the_definition(unknown, weighted, floor):
    rng = np.random.default_rng(5)
    for _ in range(40):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown, n=15)
        weights = rng.integers(1, 4, len(labels)).astype(float) if weighted else np.ones(len(labels))
        tables = tables_of(codes, labels, n_states, n_classes, weights=weights)
        rows, plain = as_rows(codes, n_states), weights.tolist()
        counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes, plain)
        expected = oracles.log_likelihoods(counts, rows, labels.tolist(), floor=floor, weights=plain)
        found = log_likelihoods(tables, as_states(codes, n_states), labels, weights, floor=floor)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("n", [1, MOST_ROWS - 1, MOST_ROWS, MOST_ROWS + 1, 5 * MOST_ROWS + 17])
def test_likelihoods_do_not_depend_on_threads(n):
    rng = np.random.default_rng(22)
    codes, labels, n_states, n_classes = random_codes(rng, n=n, k=6, n_classes=3)
    tables, states = tables_of(codes, labels, n_states, n_classes), as_states(codes, n_states)
    alone = log_likelihoods(tables, states, labels, np.ones(n))
    for n_threads in (2, 3, 8):
        found = log_likelihoods(tables, states, labels, np.ones(n), n_threads=n_threads)
        assert found.tolist() == alone.tolist()
    joint = tables.log_joints(states)
    log_p = joint - joint.max(axis=1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    expected = [math.fsum(log_p[j, labels, np.arange(n)]) for j in range(6)]
    np.testing.assert_allclose(alone, expected, rtol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_weighted_joints_are_those_of_multiplied_fractions(shift):
    """Also where the weights of all SPODEs that a row leaves are too small to be a number."""
    rng = np.random.default_rng(75)
    for _ in range(40):
        tables, counts, states, rows = random_problem(rng)
        weights = [Fraction(int(w), 64) for w in rng.integers(1, 64, len(states))]
        found = tables.mean_joint(states, np.array([math.log(w) for w in weights]) - shift)
        alike = tables.mean_joint(states, np.zeros(len(states)))
        for r, row in enumerate(rows):
            expected = oracles_averages.averaged_joints(counts, row, weights)
            np.testing.assert_allclose(found[r], np.array(expected, float), rtol=1e-9)
            expected = oracles.aode_posterior(counts, row, average="joint")
            np.testing.assert_allclose(alike[r], np.array(expected, float), rtol=1e-12)


def test_weighted_mean_renormalises_over_the_spodes_of_a_row():
    rng = np.random.default_rng(7)
    for _ in range(60):
        tables, counts, states, rows = random_problem(rng, unknown_in_test=0.5)
        weights = rng.random(len(states)) * (rng.random(len(states)) < 0.7)
        found = tables.mean_posterior(states, weights, tables.posteriors(states))
        prior = oracles.class_prior(counts)
        for r, row in enumerate(rows):
            expected = oracles.mixture(weights.tolist(), oracles.spode_posteriors(counts, row), prior)
            np.testing.assert_allclose(found[r], np.array(expected, float), rtol=1e-12)


def test_probabilities_too_small_for_a_double_do_no_harm():
    """Half the features contradict the other half: log joints differ by more than 745, the range of exp."""
    k, n = 300, 400
    labels = np.repeat([0, 1], n // 2).astype(np.int32)
    tables = tables_of(np.tile(labels, (k, 1)), labels, np.full(k, 2), 2)
    torn = as_states(np.repeat([[0], [1]], k // 2, axis=0), np.full(k, 2))
    posterior = tables.posteriors(torn)
    assert (posterior == 0.0).any()
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    surprise = log_likelihoods(tables, torn, np.zeros(1, np.int32), np.ones(1))
    assert np.isfinite(surprise).all()
    assert surprise.min() < -745
    log_joint = np.array([[-2000.0, -2000.0 - np.log(3.0)], [-1e5, -2e5]]).T
    np.testing.assert_allclose(normalised(log_joint), [[0.75, 0.25], [1.0, 0.0]])


def test_states_beyond_the_table_are_refused():
    codes, labels, n_states, n_classes = random_codes(np.random.default_rng(2), n=10, k=2)
    tables = tables_of(codes, labels, n_states, n_classes)
    beyond = as_states(n_states[:, None] + 1, n_states)
    for ask in (tables.posteriors, tables.log_joints):
        with pytest.raises(IndexError, match=str(n_states.sum() + 1)):
            ask(beyond)
