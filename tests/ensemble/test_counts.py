import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import random_codes
from skcredal import _kernels as kernels
from skcredal._ensemble.counting import count
from skcredal._ensemble.counts import pair_table_bytes
from skcredal._ensemble.parameters import spode_tables


@st.composite
def coded_tables(draw, unknown=True):
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from([0.0, 0.3])) if unknown else 0.0
    rng = np.random.default_rng(seed)
    return random_codes(rng, n=draw(st.integers(2, 60)), k=draw(st.integers(0, 5)), unknown=share)


def assert_same(found, expected):
    for name in ("n_c", "n_ca", "n_cab"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.complete == expected.complete


@given(coded_tables(), st.data())
def test_counts_do_not_depend_on_the_split(table, data):
    codes, labels, n_states, n_classes = table
    cut = data.draw(st.integers(0, len(labels)))
    first = count(codes[:, :cut], labels[:cut], n_states, n_classes)
    second = count(codes[:, cut:], labels[cut:], n_states, n_classes)
    assert_same(first + second, count(codes, labels, n_states, n_classes))


@given(coded_tables(), st.integers(2, 4))
def test_counts_of_rows_repeated_are_multiples(table, m):
    codes, labels, n_states, n_classes = table
    once = count(codes, labels, n_states, n_classes)
    repeated = count(np.tile(codes, m), np.tile(labels, m), n_states, n_classes)
    np.testing.assert_array_equal(repeated.n_cab, m * once.n_cab)
    np.testing.assert_array_equal(repeated.n_ca, m * once.n_ca)
    np.testing.assert_array_equal(repeated.n_c, m * once.n_c)
    assert_same(count(codes, labels, n_states, n_classes, weights=np.full(len(labels), m)), repeated)


@given(coded_tables(), st.integers(2, 5), st.booleans())
def test_counts_and_tables_do_not_depend_on_threads(table, n_threads, real_weights):
    codes, labels, n_states, n_classes = table
    weights = np.random.default_rng(0).random(len(labels)) if real_weights else None
    alone = count(codes, labels, n_states, n_classes, weights=weights)
    together = count(codes, labels, n_states, n_classes, weights=weights, n_threads=n_threads)
    assert_same(together, alone)
    np.testing.assert_array_equal(
        spode_tables(alone, 1.0).log_ratio, spode_tables(together, 1.0, n_threads=n_threads).log_ratio
    )


@given(coded_tables(unknown=False))
def test_counts_of_pairs_sum_to_counts_of_values(table):
    codes, labels, n_states, n_classes = table
    counts = count(codes, labels, n_states, n_classes)
    for i in range(len(n_states)):
        for j in range(i + 1, len(n_states)):
            np.testing.assert_array_equal(counts.pair(i, j).sum(axis=1), counts.values(i))
            np.testing.assert_array_equal(counts.pair(i, j).sum(axis=0), counts.values(j))


def test_counts_of_different_shapes_do_not_add():
    rng = np.random.default_rng(0)
    codes, labels, _, _ = random_codes(rng, n=10, k=2, n_classes=2, most_states=2)
    counts = count(codes, labels, np.array([2, 2]), 2)
    with pytest.raises(ValueError, match="features, states and classes are the same"):
        counts + count(codes, labels, np.array([2, 3]), 2)
    with pytest.raises(ValueError, match="features, states and classes are the same"):
        counts + count(codes, labels, np.array([2, 2]), 3)
    with pytest.raises(TypeError):
        counts + 1


def test_size_of_the_tables_is_what_they_take():
    rng = np.random.default_rng(0)
    codes, labels, n_states, n_classes = random_codes(rng, n=20, k=5, n_classes=3)
    counts = count(codes, labels, n_states, n_classes)
    tables = spode_tables(counts, 1.0)
    assert pair_table_bytes(n_states, n_classes) == counts.n_cab.nbytes + 8 * tables.layout.line_offsets[-1]
    assert tables.log_ratio.nbytes == 8 * (tables.layout.line_offsets[-1] + kernels.inference.LANES)
    # Beyond 64 bits it is still a number.
    assert pair_table_bytes([10**6] * 1000, 10**4) > 2**64
