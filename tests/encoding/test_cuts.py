"""Cuts of a column from its histogram, and its median: against the definitions of §1."""

import numpy as np
import pytest

import oracles
from skcredal._encoding.cuts import mdl_cuts, midpoint, weighted_median
from skcredal._encoding.histogram import Histogram


def histogram(values, labels, weights=None, **options):
    labels = np.asarray(labels, np.int32)
    weights = None if weights is None else np.asarray(weights, float)
    return Histogram.of_column(np.asarray(values, float), labels, weights, int(labels.max()) + 1, **options)


def cuts_of(values, labels, weights=None):
    found = histogram(values, labels, weights)
    return mdl_cuts(found.low, found.high, found.counts).tolist()


def median_of(values, weights=None):
    found = histogram(values, np.zeros(len(values)), weights)
    return weighted_median(found.low, found.counts.sum(axis=0))


@pytest.mark.parametrize("kind", ["noise", "steps", "duplicates", "mirrored", "relabelled"])
def test_cuts_are_those_of_brute_force(kind):
    rng = np.random.default_rng(8)
    for _ in range(150):
        n, n_classes = int(rng.integers(2, 45)), int(rng.integers(2, 5))
        labels = rng.integers(0, n_classes, n)
        values = rng.normal(size=n).round(2)
        if kind == "steps":
            values = (labels * 2 + rng.normal(size=n)).round(1)
        if kind == "duplicates":
            values = rng.integers(0, 6, n) + (rng.random(n) < 0.8) * labels
        if kind == "mirrored":
            values, labels = np.concatenate([values, -values]), np.concatenate([labels, labels])
        if kind == "relabelled":
            # The same counts under permuted names: exact ties that rounding must not decide.
            values = np.concatenate([values, -values])
            labels = np.concatenate([labels, rng.permutation(n_classes)[labels]])
        assert cuts_of(values, labels) == oracles.mdl_cuts(values.tolist(), labels.tolist())


@pytest.mark.parametrize("kind", ["noise", "steps", "duplicates"])
def test_cuts_of_some_hundred_rows_are_those_of_brute_force(kind):
    rng = np.random.default_rng(10)
    n_cuts = 0
    for _ in range(12):
        n, n_classes = int(rng.integers(150, 300)), int(rng.integers(2, 5))
        labels = rng.integers(0, n_classes, n)
        values = rng.normal(size=n)
        if kind == "steps":
            values += labels * 2
        if kind == "duplicates":
            values = rng.integers(0, 30, n) // 2 + np.where(rng.random(n) < 0.5, 7.0, 3.0 * labels)
        weights = rng.integers(1, 4, n)
        expected = oracles.mdl_cuts(values.tolist(), labels.tolist(), weights.tolist())
        assert cuts_of(values, labels, weights) == expected
        # Nearly the same real weights are not looked up in a table, but give the same cuts.
        assert cuts_of(values, labels, weights * (1.0 + 1e-13)) == expected
        n_cuts += len(expected)
    assert kind == "noise" or n_cuts > 0


def test_real_weights_leave_no_trace_of_an_absent_class():
    """0.1 + 0.2 + 0.3 less its parts is not 0 in floating point; the class is absent all the same."""
    values, labels = np.arange(12.0), np.repeat([0, 1], 6)
    weights = np.tile([0.1, 0.2, 0.3], 4) * 10
    assert cuts_of(values, labels, weights) == [5.5]
    assert cuts_of(values, 1 - labels, weights) == [5.5]
    # A class without any row changes nothing either.
    found = histogram(values, labels, weights)
    wider = np.vstack([found.counts, np.zeros(12)])
    assert mdl_cuts(found.low, found.high, wider).tolist() == [5.5]


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, np.nextafter(1.0, 2.0)), (np.nextafter(1.0, 0.0), 1.0), (1.7e308, 1.75e308), (0.0, 5e-324)],
)
def test_a_cut_lies_below_the_upper_value(low, high):
    found = cuts_of([low] * 5 + [high] * 5, [0] * 5 + [1] * 5)
    assert found == oracles.mdl_cuts([low] * 5 + [high] * 5, [0] * 5 + [1] * 5)
    assert low <= found[0] < high
    assert midpoint(low, high) == found[0]


def test_nothing_is_cut_where_there_is_nothing_to_tell():
    assert cuts_of([1.0], [0]) == []
    assert cuts_of([1.0, 2.0, 3.0], [0, 0, 0]) == []
    assert cuts_of([2.0, 2.0, 2.0], [0, 1, 0]) == []
    # A total weight of at most 1 has no description length: log2(N - 1) is not defined.
    assert cuts_of([1.0, 2.0], [0, 1], [0.5, 0.5]) == []


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.3, 1 / 7, 1e-9])
def test_the_median_is_that_of_the_definition_whatever_all_weights_are_scaled_by(scale):
    rng = np.random.default_rng(1)
    for trial in range(300):
        n = int(rng.integers(1, 12 if trial % 2 else 40))
        values, weights = rng.integers(-n, n, n) / 3, rng.integers(1, 4, n)
        assert median_of(values, np.full(n, scale)) == oracles.weighted_median(values.tolist())
        expected = oracles.weighted_median(values.tolist(), weights.tolist())
        assert median_of(values, weights * scale) == expected
