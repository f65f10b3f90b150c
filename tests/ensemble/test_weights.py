import math

import numpy as np
import pytest

import oracles
from problems import random_codes
from skcredal._ensemble.counting import count
from skcredal._ensemble.parameters import CHUNK_ROWS, spode_tables
from skcredal._ensemble.weights import (
    automatic_epsilon,
    bma_weights,
    compression_weights,
    log_likelihoods,
    null_log_likelihood,
    relative_likelihoods,
    uniform_weights,
)


def test_weights_are_those_of_the_definitions():
    rng = np.random.default_rng(20)
    for _ in range(500):
        k = int(rng.integers(1, 12))
        log_lik_null = -(10.0 ** rng.uniform(-1, 5))
        log_lik = log_lik_null * rng.uniform(0.0, 1.5, k)
        if rng.random() < 0.5:
            log_lik = log_lik_null * 0.5 + rng.normal(size=k) * 5
        eps = float(rng.uniform(0.01, 0.99) / (k + 1))
        np.testing.assert_allclose(bma_weights(log_lik), oracles.bma_weights(log_lik.tolist()), rtol=1e-12)
        expected = oracles.comp_weights(log_lik.tolist(), log_lik_null, eps)
        np.testing.assert_allclose(compression_weights(log_lik, log_lik_null, eps), expected, rtol=1e-10)


def test_a_spread_of_likelihoods_beyond_the_range_of_doubles_does_no_harm():
    """The paper's Algorithm 1 shifts by the minimum and overflows here."""
    weights = bma_weights(np.array([-1e5, 0.0, -5.0, -9.3]))
    assert weights[0] == 0.0
    assert weights.sum() == pytest.approx(1.0)
    # exp(-9.3) is below 1e-4 of the maximum and is cut, exp(-5) is not.
    assert weights[3] == 0.0
    assert weights[2] > 0.0
    assert relative_likelihoods(np.array([-3.0, -3.0])).tolist() == [1.0, 1.0]


def test_no_model_better_than_none_leaves_no_weight():
    assert compression_weights(np.array([-90.0, -80.0]), -50.0, 0.01).tolist() == [0.0, 0.0]
    assert compression_weights(np.empty(0), -50.0, 0.01).size == 0
    assert bma_weights(np.empty(0)).size == 0
    assert uniform_weights(0).size == 0


def test_null_likelihood_takes_the_empirical_frequencies():
    rng = np.random.default_rng(21)
    for _ in range(50):
        n_c = rng.integers(0, 30, 4) + np.array([1, 0, 0, 0])
        assert null_log_likelihood(n_c) == pytest.approx(oracles.null_log_likelihood(n_c.tolist()), rel=1e-12)
    assert null_log_likelihood(np.array([7])) == 0.0


@pytest.mark.parametrize(("k", "expected"), [(0, 0.01), (1, 0.01), (49, 0.01), (50, 1 / 102), (299, 1 / 600)])
def test_automatic_epsilon(k, expected):
    assert automatic_epsilon(k) == pytest.approx(expected)
    assert 0.0 < automatic_epsilon(k) < 1.0 / (k + 1)


@pytest.mark.parametrize("n", [1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 5 * CHUNK_ROWS + 17])
def test_likelihoods_do_not_depend_on_threads(n):
    rng = np.random.default_rng(22)
    codes, labels, n_states, n_classes = random_codes(rng, n=n, k=6, n_classes=3)
    tables = spode_tables(count(codes, labels, n_states, n_classes), 1.0)
    alone = log_likelihoods(tables, codes, labels)
    for n_threads in (2, 3, 8):
        assert log_likelihoods(tables, codes, labels, n_threads=n_threads).tolist() == alone.tolist()
    joint = tables.log_joints(codes)
    log_p = joint - np.log(np.exp(joint - joint.max(axis=2, keepdims=True)).sum(axis=2, keepdims=True))
    log_p -= joint.max(axis=2, keepdims=True)
    expected = [math.fsum(log_p[j, np.arange(n), labels]) for j in range(6)]
    np.testing.assert_allclose(alone, expected, rtol=1e-12)
