"""Averaged selective naive Bayes below the estimator, against all subsets evaluated one by one."""

from fractions import Fraction

import numpy as np
import pytest

import oracles_averages
from problems import as_rows, as_states, counts_of, random_codes, value_counts
from skcredal._ensemble.naive import NaiveTables, naive_tables
from skcredal._ensemble.subsets import SubsetSearch, average_subsets, log_subset_priors


def search_of(codes, labels, n_states, n_classes, ess=1.0, weights=None):
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    counts = counts_of(codes, labels, n_states, n_classes, weights)
    return SubsetSearch(naive_tables(counts, ess), counts, as_states(codes, n_states), labels, weights)


def members(subset, k):
    return frozenset(j for j in range(k) if subset >> j & 1)


def scores_of(codes, labels, n_states, n_classes, ess=1.0, weights=None):
    return oracles_averages.subset_scores(
        as_rows(codes, n_states),
        labels.tolist(),
        n_states.tolist(),
        n_classes,
        Fraction(ess),
        None if weights is None else weights.tolist(),
    )


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_search_is_that_of_the_definition(unknown, weighted):
    rng = np.random.default_rng(80)
    for _ in range(60):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        ess = float(rng.choice([1.0, 0.25, 4.0]))
        weights = rng.integers(1, 4, len(labels)) if weighted else None
        k = len(codes)
        search = search_of(codes, labels, n_states, n_classes, ess, weights)
        expected = scores_of(codes, labels, n_states, n_classes, ess, weights)
        orders = [rng.permutation(k) for _ in range(3)]
        met = [search.from_empty(order) for order in orders]
        for found, order in zip(met, orders, strict=True):
            assert {members(subset, k) for subset in found} == oracles_averages.evaluated_subsets(
                expected, [order.tolist()]
            )
            for subset, score in found.items():
                assert score == pytest.approx(expected[members(subset, k)], rel=1e-11, abs=1e-11)
        together = oracles_averages.evaluated_subsets(expected, [order.tolist() for order in orders])
        average = average_subsets(search, orders)
        assert average.n_models == len(together)
        np.testing.assert_allclose(
            average.weights, oracles_averages.feature_weights(expected, together, k), atol=1e-10
        )


def test_priors_of_subsets_are_counts_of_choices():
    for k in range(8):
        expected = [oracles_averages.log_prior(k, d) for d in range(k + 1)] if k else [0.0]
        np.testing.assert_allclose(log_subset_priors(k), expected, atol=1e-13)


def test_products_below_the_smallest_number_are_added_as_logarithms():
    """Two features that exclude each other's class, both by more than a double can tell."""
    log_a = np.array([[0.0, 0.0, -735.0, -1.0, 0.0, 0.0], [-740.0, -3.0, 0.0, -2.0, 0.0, 0.0]])
    states, labels = np.array([[0, 1], [2, 3]], np.uint16), np.array([0, 1], np.int32)
    # So many rows that any subset is better than none.
    counts = value_counts([2, 2], [500, 500], np.zeros((2, 4)))
    search = SubsetSearch(NaiveTables(np.zeros(2), log_a), counts, states, labels, np.array([1.0, 2.0]))
    found = search.from_empty(np.array([0, 1]))
    first = -np.log1p(np.exp(-740.0)) + 2.0 * (-3.0 - np.log1p(np.exp(-3.0)))
    # log(1/(1 + e^-5)) and, twice, log(e^-5/(e^-1 + e^-5)).
    both = -np.log1p(np.exp(-5.0)) + 2.0 * (-4.0 - np.log1p(np.exp(-4.0)))
    log_priors = log_subset_priors(2)
    assert found[0b01] == pytest.approx(log_priors[1] + first, rel=1e-12)
    assert found[0b11] == pytest.approx(log_priors[2] + both, rel=1e-12)
