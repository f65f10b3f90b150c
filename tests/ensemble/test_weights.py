"""Weights against their definitions, and marginal likelihoods against products over row after row."""

import math
from fractions import Fraction

import numpy as np
import pytest

import oracles
import oracles_averages
from problems import as_rows, counts_of, random_codes
from skcredal._ensemble.weights import (
    automatic_epsilon,
    bma_weights,
    compression_weights,
    null_log_likelihood,
    relative_likelihoods,
    spode_log_marginals,
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


def log_of(fraction):
    return math.log(fraction.numerator) - math.log(fraction.denominator)


@pytest.mark.parametrize("unknown", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ess", [1.0, 0.25, 8.0])
def test_marginal_likelihoods_are_products_of_predictive_probabilities(ess, unknown):
    rng = np.random.default_rng(70)
    for _ in range(30):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        found = spode_log_marginals(counts_of(codes, labels, n_states, n_classes), ess)
        rows = as_rows(codes, n_states)
        expected = oracles_averages.marginal_likelihoods(
            rows, labels.tolist(), n_states.tolist(), n_classes, Fraction(ess)
        )
        np.testing.assert_allclose(found, [log_of(p) for p in expected], rtol=1e-11, atol=1e-12)
