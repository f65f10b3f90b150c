"""Statistics of batches: their sum is that of all rows, and so is the encoding."""

import warnings
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messy_tables import as_arrow, as_polars, messy_table, seeds, split
from skcredal._encoding.encoding import EncodedTable, Rules
from skcredal._encoding.features import NumericFeature
from skcredal._encoding.statistics import MOST_CELLS, Statistics
from skcredal._encoding.tables import read_table
from skcredal._encoding.target import encode_target


def statistics(X, y, weights=None, rules=None, limit=MOST_CELLS):
    """Return the statistics of the rows of positive weight."""
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


@given(
    seed=seeds,
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    rules=st.sampled_from(
        [
            Rules(),
            Rules("all", max_categories=2),
            Rules(missing="marginalize"),
            Rules(conservative_features="all"),
        ]
    ),
    kind=st.sampled_from([lambda X: X, as_polars, as_arrow]),
)
@settings(max_examples=150)
def test_the_sum_over_batches_is_the_one_batch(seed, weighting, rules, kind):
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    if weights is not None:
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
    if len(as_polars(X).columns) == 0:
        kind = lambda X: X  # noqa: E731
    batches = [batch for batch in split(rng, X, y, weights) if len(batch[1])]
    rng.shuffle(batches)
    parts = []
    for Xb, yb, *wb in batches:
        classes, labels = encode_target(yb, estimator=None)
        wb = None if weights is None else np.asarray(wb[0], float)
        table = read_table(kind(Xb), estimator=None)
        parts.append(Statistics.of_rows(table, classes, labels, wb, rules, None, limit=MOST_CELLS))
    total = reduce(add, parts)
    classes, labels = encode_target(y, estimator=None)
    weights = None if weights is None else np.asarray(weights, float)
    table = read_table(kind(X), estimator=None)
    whole = Statistics.of_rows(table, classes, labels, weights, rules, None)
    assert total.classes.tolist() == whole.classes.tolist()
    np.testing.assert_array_equal(total.n_c, whole.n_c)
    assert total.n_rows == whole.n_rows == len(y)
    encoding, expected = learn(total, rules), learn(whole, rules)
    assert_same(encoding, expected)
    found, like = (EncodedTable.of(one, table, is_part=True).states for one in (encoding, expected))
    np.testing.assert_array_equal(found, like)


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
    with pytest.raises(ValueError, match="Feature 0 must hold the same kind of values in all batches"):
        statistics(np.array([[1.0]]), [0]) + statistics(np.array([["a"]]), [0])
