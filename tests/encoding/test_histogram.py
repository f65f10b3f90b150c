"""Histograms of numeric values: they add, and what they say depends on the values alone."""

from functools import reduce
from operator import add

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skcredal._encoding.histogram import Histogram

FIELDS = ("low", "high", "counts", "missing", "shift")
numbers = hnp.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(
        st.floats(allow_infinity=False, width=64),
        st.integers(-3, 3).map(float),
        st.sampled_from([0.0, -0.0, np.nan, 5e-324, -5e-324, 1.7e308, -1.7e308]),
    ),
)


def in_parts(values, labels, cuts, limit):
    parts = [
        Histogram.of_column(v, c, None, 3, limit=limit)
        for v, c in zip(np.split(values, cuts), np.split(labels, cuts), strict=True)
    ]
    return reduce(add, parts), reduce(add, parts[::-1])


@given(values=numbers, seed=st.integers(0, 999), limit=st.sampled_from([None, 2, 5, 1000]))
@settings(max_examples=200)
def test_neither_the_split_nor_the_order_has_a_say(values, seed, limit):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, len(values)).astype(np.int32)
    cuts = np.sort(rng.integers(0, len(values) + 1, 3))
    whole = Histogram.of_column(values, labels, None, 3, limit=limit)
    for parts in in_parts(values, labels, cuts, limit):
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    known = np.unique(values[~np.isnan(values)])
    is_exact = limit is None or len(known) <= limit
    assert is_exact == np.array_equal(whole.low, known)
    assert len(whole.low) <= (len(known) if limit is None else limit)
    for low, high, n in zip(whole.low, whole.high, whole.counts.sum(axis=0), strict=True):
        assert np.sum((values >= low) & (values <= high)) == n > 0
    assert (whole.high[:-1] < whole.low[1:]).all()
    assert whole.counts.sum() + whole.missing.sum() == len(values)
