"""Statistics of batches: their sum is that of all rows, and so is the encoding."""

import warnings
from functools import reduce
from operator import add

import numpy as np
import pytest

from skcredal._encoding.encoding import EncodedTable, Rules
from skcredal._encoding.features import NumericFeature
from skcredal._encoding.statistics import MOST_CELLS, Statistics
from skcredal._encoding.tables import read_table
from skcredal._encoding.target import encode_target


def statistics(X, y, weights=None, rules=None, limit=MOST_CELLS):
    if weights is not None:
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0].astype(float)
    classes, labels = encode_target(y, estimator=None)
    table = read_table(X, estimator=None)
    return Statistics.of_rows(table, classes, labels, weights, rules or Rules(), None, limit=limit)


def learn(found, rules=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return found.learn(rules or Rules(), None)


def assert_same(encoding, expected):
    assert encoding.kept == expected.kept
    assert encoding.n_states.tolist() == expected.n_states.tolist()
    for feature, like in zip(encoding.features, expected.features, strict=True):
        assert type(feature) is type(like)
        np.testing.assert_array_equal(feature.fill, like.fill)
        if isinstance(feature, NumericFeature):
            np.testing.assert_array_equal(feature.cuts, like.cuts)
            np.testing.assert_array_equal((feature.low, feature.high), (like.low, like.high))
        else:
            assert (feature.values, feature.states) == (like.values, like.states)
            assert (feature.codes.tolist(), feature.n_observed) == (like.codes.tolist(), like.n_observed)


def test_cuts_of_very_many_values_depend_on_the_values_alone():
    """Beyond 65,536 values digits are dropped: the same ones however the rows are split and ordered."""
    rng = np.random.default_rng(0)
    n = 90_000
    y = rng.integers(0, 2, n)
    X = np.stack([rng.normal(size=n) + y, rng.integers(0, 5, n) + y], axis=1)
    X[::50, 0] = np.nan
    rows = np.arange(n)
    encodings = []
    for parts in (
        np.array_split(rows, 5),
        np.array_split(rng.permutation(n), 7),
        [rows[1::2], rows[::2]],
        [rows[:10], rows[10:]],
    ):
        encodings.append(learn(reduce(add, [statistics(X[part], y[part]) for part in parts])))
    for other in encodings[1:]:
        assert_same(other, encodings[0])
    exact = learn(statistics(X, y, limit=None))
    np.testing.assert_array_equal(encodings[0].features[1].cuts, exact.features[1].cuts)
    assert encodings[0].features[0].fill == pytest.approx(exact.features[0].fill, abs=1e-3)
    # Few rows change their bin, although only one digit in three is left.
    table = read_table(X, estimator=None)
    states = [EncodedTable.of(encoding, table).states for encoding in (encodings[0], exact)]
    assert np.mean(states[0] != states[1]) < 0.01


def test_a_column_that_is_numbers_in_one_batch_and_text_in_another():
    numbers, text = np.array([[1], [2], [1]], object), np.array([["a"], [2], [None]], object)
    total = statistics(numbers, [0, 1, 0]) + statistics(text, [0, 1, 1])
    assert learn(total).features[0].states == [1, 2, "a"]
    nothing = np.array([[None]], object)
    total = statistics(nothing, [0]) + statistics(numbers, [0, 1, 0])
    assert isinstance(learn(total).features[0], NumericFeature)
    with pytest.raises(ValueError, match="Feature 0 must contain the same kind of values in all batches"):
        statistics(np.array([[1.0]]), [0]) + statistics(np.array([["a"]]), [0])
