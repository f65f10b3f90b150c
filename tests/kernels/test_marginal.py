"""Marginal likelihoods against the product of the probabilities of one row after the other."""

import math
from fractions import Fraction

import numpy as np
import pytest

import oracles
import oracles_averages
from problems import as_rows, random_codes, repetitions
from skcredal._ensemble import marginal
from skcredal._ensemble.counting import count
from skcredal._ensemble.marginal import spode_log_marginals
from skcredal._ensemble.parameters import spode_tables

pytestmark = pytest.mark.kernel


def log_of(fraction):
    return math.log(fraction.numerator) - math.log(fraction.denominator)


@pytest.mark.parametrize("unknown", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("ess", [1.0, 0.25, 8.0])
def test_marginal_likelihoods_are_products_of_predictive_probabilities(ess, unknown):
    rng = np.random.default_rng(70)
    for _ in range(repetitions(30)):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        found = spode_log_marginals(count(codes, labels, n_states, n_classes), ess)
        rows = as_rows(codes, n_states)
        expected = oracles_averages.marginal_likelihoods(
            rows, labels.tolist(), n_states.tolist(), n_classes, Fraction(ess)
        )
        np.testing.assert_allclose(found, [log_of(p) for p in expected], rtol=1e-11, atol=1e-12)


def test_a_whole_weight_is_that_many_rows():
    rng = np.random.default_rng(71)
    for unknown in (0.0, 0.4):
        codes, labels, n_states, n_classes = random_codes(rng, n=25, k=4, unknown=unknown)
        weights = rng.integers(1, 4, len(labels))
        again = np.repeat(np.arange(len(labels)), weights)
        once = count(codes, labels, n_states, n_classes, weights=weights.astype(np.float64))
        repeated = count(np.ascontiguousarray(codes[:, again]), labels[again], n_states, n_classes)
        np.testing.assert_allclose(
            spode_log_marginals(once, 1.0), spode_log_marginals(repeated, 1.0), rtol=1e-12
        )


def test_rounded_sums_of_weights_are_no_missing_cells():
    """With a minute prior, the last digit of a sum, taken for a part of a row, would cost hundreds."""
    rng = np.random.default_rng(72)
    codes, labels, n_states, n_classes = random_codes(rng, n=150, k=3, n_classes=2)
    counts = count(codes, labels, n_states, n_classes, weights=rng.random(150))
    ess = 1e-100

    def log_g(numbers, alpha):
        total = math.lgamma(alpha * len(numbers)) - math.lgamma(alpha * len(numbers) + sum(numbers))
        return total + sum(math.lgamma(number + alpha) - math.lgamma(alpha) for number in numbers)

    for j, found in enumerate(spode_log_marginals(counts, ess)):
        v = n_states[j]
        expected = log_g(counts.n_c, ess / 2)
        expected += sum(log_g(counts.values(j)[:, c], ess / (2 * v)) for c in range(2))
        for i in {0, 1, 2} - {j}:
            pseudo_count = ess / (2 * v * n_states[i])
            pair = counts.pair(j, i)
            expected += sum(log_g(pair[a, :, c], pseudo_count) for a in range(v) for c in range(2))
        assert found == pytest.approx(expected, rel=1e-9)


def test_a_super_parent_does_not_win_by_its_missing_cells():
    """A feature that tells nothing is no better a super-parent where half of its cells are missing."""
    rng = np.random.default_rng(73)
    n = 400
    labels = rng.integers(0, 2, n).astype(np.int32)
    told = np.where(rng.random(n) < 0.9, labels, 1 - labels)
    other = np.where(rng.random(n) < 0.9, told, 1 - told)
    noise = np.where(rng.random(n) < 0.5, rng.integers(0, 2, n), 2)
    codes = np.array([told, other, noise], np.uint8)
    log_p = spode_log_marginals(count(codes, labels, np.array([2, 2, 2]), 2), 1.0)
    assert log_p.argmax() != 2


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(marginal, "PAIRS_WORTH_A_THREAD", 2)
    codes, labels, n_states, n_classes = random_codes(np.random.default_rng(74), n=60, k=7, unknown=0.1)
    counts = count(codes, labels, n_states, n_classes)
    one, three = (spode_log_marginals(counts, 1.0, n_threads=t) for t in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_without_features_there_is_no_model():
    counts = count(np.empty((0, 3), np.uint8), np.array([0, 1, 1], np.int32), np.empty(0, np.int64), 2)
    assert spode_log_marginals(counts, 1.0).shape == (0,)


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_weighted_joints_are_those_of_multiplied_fractions(shift):
    """Also where the weights of all SPODEs that a row leaves are too small to be a number."""
    rng = np.random.default_rng(75)
    for _ in range(repetitions(40)):
        codes, labels, n_states, n_classes = random_codes(rng)
        tables = spode_tables(count(codes, labels, n_states, n_classes), 1.0)
        counts = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states, n_classes)
        test = rng.integers(0, n_states[:, None] + 1, (len(codes), 5)).astype(np.uint8)
        weights = [Fraction(int(w), 64) for w in rng.integers(1, 64, len(codes))]
        found = tables.mean_joint(test, np.array([math.log(w) for w in weights]) - shift)
        for r, row in enumerate(as_rows(test, n_states)):
            expected = oracles_averages.averaged_joints(counts, row, weights)
            np.testing.assert_allclose(found[r], np.array(expected, float), rtol=1e-9)
