"""Histograms of numeric values, exact and binned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skcredal._encoding.features import NumericFeature
from skcredal._encoding.histogram import ValueHistogram

numbers = hnp.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(
        st.floats(allow_infinity=False, width=64),
        st.integers(-3, 3).map(float),
        st.sampled_from([0.0, -0.0, np.nan, 5e-324, -5e-324, 1.7e308, -1.7e308]),
    ),
)


def total(parts):
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def histograms(values, labels, cuts, limit):
    parts = [
        ValueHistogram.of_column(v, c, None, 3, limit=limit)
        for v, c in zip(np.split(values, cuts), np.split(labels, cuts), strict=True)
    ]
    return total(parts), total(parts[::-1])


@given(values=numbers, seed=st.integers(0, 999), limit=st.sampled_from([2, 5, 1000]))
@settings(max_examples=200)
def test_neither_the_split_nor_the_order_has_a_say(values, seed, limit):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, len(values)).astype(np.int32)
    cuts = np.sort(rng.integers(0, len(values) + 1, 3))
    whole = ValueHistogram.of_column(values, labels, None, 3, limit=limit)
    for parts in histograms(values, labels, cuts, limit):
        for name in ("keys", "low", "high", "counts", "missing", "shift"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    known = np.unique(values[~np.isnan(values)])
    assert whole.is_exact == (len(known) <= limit) or len(known) <= limit
    assert len(whole.keys) <= max(limit, 2)
    assert (whole.counts.sum(axis=1) > 0).all()
    for low, high, rows in zip(whole.low, whole.high, whole.counts.sum(axis=1), strict=True):
        assert np.sum((values >= low) & (values <= high)) == rows
    assert (whole.high[:-1] < whole.low[1:]).all()


@given(
    values=numbers,
    seed=st.integers(0, 999),
    impute=st.booleans(),
    weighting=st.sampled_from(["none", "whole", "eighths"]),
)
@settings(max_examples=200)
def test_cuts_and_median_are_those_of_the_column(values, seed, impute, weighting):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, len(values)).astype(np.int32)
    values = np.concatenate([values, np.linspace(-1, 1, 20)])
    labels = np.concatenate([labels, np.repeat([0, 2], 10)]).astype(np.int32)
    weights = {
        "none": None,
        "whole": rng.integers(1, 4, len(values)),
        "eighths": rng.integers(1, 24, len(values)) / 8.0,
    }[weighting]
    (learned,) = NumericFeature.learn(values, labels, weights, 3, impute=impute)
    histogram = ValueHistogram.of_column(values, labels, weights, 3)
    (ours,) = NumericFeature.from_histogram(histogram, impute=impute)
    np.testing.assert_array_equal(ours.cuts, learned.cuts)
    np.testing.assert_array_equal(ours.fill, learned.fill)


@pytest.mark.parametrize("limit", [64, 1024])
def test_binned_cuts_are_close(limit):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 20_000).astype(np.int32)
    values = rng.normal(size=20_000) + 1.5 * labels
    values[::11] = np.nan
    (exact,) = NumericFeature.learn(values, labels, None, 3, impute=True)
    histogram = ValueHistogram.of_column(values, labels, None, 3, limit=limit)
    assert limit / 4 < len(histogram.keys) <= limit
    (binned,) = NumericFeature.from_histogram(histogram, impute=True)
    # The width of a bin, relative to its values, is two to the digits dropped.
    width = 2.0 ** (histogram.shift - 52)
    assert abs(binned.fill - exact.fill) < width * 2
    assert not np.isin(binned.cuts, values).any()
    for cut in binned.cuts:
        assert not np.any((histogram.low < cut) & (cut < histogram.high))


@given(values=numbers, seed=st.integers(0, 999), limit=st.sampled_from([4, 16]))
@settings(max_examples=100)
def test_bins_are_counted_whatever_the_split(values, seed, limit):
    rng = np.random.default_rng(seed)
    values = np.concatenate([values, rng.normal(size=40)])
    labels = rng.integers(0, 3, len(values)).astype(np.int32)
    edges = ValueHistogram.of_column(values, labels, None, 3, limit=limit).quantile_edges()
    if edges is None:
        return
    assert (np.diff(edges) > 0).all()
    assert len(edges) < limit
    whole = ValueHistogram.of_bins(values, labels, None, 3, edges, limit=limit)
    for order in (np.arange(len(values)), rng.permutation(len(values))):
        parts = [
            ValueHistogram.of_bins(values[rows], labels[rows], None, 3, edges, limit=limit)
            for rows in np.array_split(order, 4)
        ]
        summed = total(parts)
        for name in ("keys", "low", "high", "counts", "missing", "shift"):
            np.testing.assert_array_equal(getattr(summed, name), getattr(whole, name))
    assert whole.counts.sum() + whole.missing.sum() == len(values)
    assert (whole.high[:-1] < whole.low[1:]).all()


@pytest.mark.parametrize("width", [1.0, 1e-9, 1e-15])
def test_bins_hold_about_as_many_rows_each_however_narrow(width):
    """Nine tenths of the values lie as close together as doubles can tell, next to 1."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 50_000).astype(np.int32)
    values = rng.normal(size=50_000) + labels
    values[rng.random(50_000) < 0.9] *= width
    values += 1.0
    histogram = ValueHistogram.of_column(values, labels, None, 2, limit=256)
    for _ in range(4):
        edges = histogram.quantile_edges()
        if edges is None:
            break
        histogram = ValueHistogram.of_bins(values, labels, None, 2, edges, limit=256)
    several = histogram.low < histogram.high
    assert histogram.counts.sum(axis=1)[several].max() <= 4 * 50_000 / 256


@pytest.mark.parametrize("atoms", [[0.0, 1.0], [0.1, 3.0, -7.0], list(range(40))])
def test_values_that_many_rows_share_have_bins_of_their_own_after_one_pass(atoms):
    """Another pass over all rows would be spent on them, and the next one undo what it has done."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 50_000).astype(np.int32)
    values = np.where(
        rng.random(50_000) < 0.5, rng.choice(atoms, 50_000), rng.lognormal(sigma=3, size=50_000)
    )
    histogram = ValueHistogram.of_column(values, labels, None, 2, limit=4096)
    edges = histogram.quantile_edges()
    assert len(edges) < 4096
    binned = ValueHistogram.of_bins(values, labels, None, 2, edges, limit=4096)
    for atom in atoms:
        (place,) = np.flatnonzero((binned.low <= atom) & (atom <= binned.high))
        assert binned.low[place] == binned.high[place] == atom
        assert binned.counts[place].sum() == np.count_nonzero(values == atom)
    assert binned.quantile_edges() is None


def test_histograms_add_only_to_their_like():
    histogram = ValueHistogram.of_column(np.ones(2), np.zeros(2, np.int32), None, 1)
    with pytest.raises(TypeError):
        histogram + 1
