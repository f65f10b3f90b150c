import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from problems import as_rows, as_states, counts_of, random_codes
from skcredal._ensemble import counts as counts_module
from skcredal._ensemble.counts import count, count_regions, count_values


def assert_same(found, expected):
    for name in ("n_states", "n_c", "n_ca", "n_cab", "n_leaves", "n_cz", "n_cza"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_counts_are_those_of_the_definition(unknown, weighting, monkeypatch):
    monkeypatch.setattr(counts_module, "WORTH_A_THREAD", 1)
    rng = np.random.default_rng(1)
    for _ in range(200):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        weights = {
            "none": np.ones(len(labels)),
            "integer": rng.integers(1, 5, len(labels)).astype(np.float64),
            "real": rng.integers(1, 9, len(labels)) / 4.0,  # quarters, so that sums are exact
        }[weighting]
        counts = counts_of(codes, labels, n_states, n_classes, weights, n_threads=2)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes, weights
        )
        assert counts.n == float(sum(expected.n_c))
        np.testing.assert_array_equal(counts.n_c, np.array(expected.n_c, float))
        for j in range(len(n_states)):
            np.testing.assert_array_equal(counts.values(j), np.array(expected.n_ca[j], float))
            for i in range(j):
                np.testing.assert_array_equal(counts.pair(i, j), np.array(expected.n_cab[i, j], float))
            # A feature is never seen with another of its own states.
            own = counts.pair(j, j)
            np.testing.assert_array_equal(own, np.eye(len(own))[:, :, None] * counts.values(j))
        np.testing.assert_array_equal(counts.n_cab, counts.n_cab.swapaxes(1, 2))
        # Without pairs, a cell that may be anything counts as little as an unknown one.
        may_be_any = np.where((codes == n_states[:, None]) & (rng.random(codes.shape) < 0.5), 1, 0)
        states = as_states(codes + may_be_any, n_states)
        values = count_values(states, labels, weights, n_states, n_classes)
        np.testing.assert_array_equal(values.n_ca, counts.n_ca)
        np.testing.assert_array_equal(values.n_c, counts.n_c)


@st.composite
def coded_tables(draw, unknown=True):
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from([0.0, 0.3])) if unknown else 0.0
    rng = np.random.default_rng(seed)
    return random_codes(rng, n=draw(st.integers(2, 60)), k=draw(st.integers(0, 5)), unknown=share)


@given(coded_tables(), st.data())
def test_regions_are_counted_as_super_parents(table, data):
    codes, labels, n_states, n_classes = table
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n_leaves, weights = rng.integers(1, 4, 2), rng.integers(1, 9, len(labels)) / 4.0
    own = rng.integers(0, n_leaves[:, None], (2, len(labels)))
    leaves, states = (own + np.array([[0], [n_leaves[0]]])).astype(np.uint32), as_states(codes, n_states)

    def counted(rows):
        part = states[:, rows], labels[rows], weights[rows]
        counts = count(*part, n_states, n_classes)
        return count_regions(counts, leaves[:, rows], n_leaves, part)

    cut, whole = data.draw(st.integers(0, len(labels))), counted(slice(None))
    assert_same(counted(slice(cut)) + counted(slice(cut, None)), whole)
    assert whole.n_leaves.tolist() == n_leaves.tolist()
    n_cz = np.zeros((n_classes, n_leaves.sum()))
    n_cza = np.zeros((*n_cz.shape, n_states.sum() + 1))
    for of_tree in leaves:
        np.add.at(n_cz, (labels, of_tree), weights)
        for of_feature in states:
            np.add.at(n_cza, (labels, of_tree, of_feature), weights)
    np.testing.assert_array_equal(whole.n_cz, n_cz)
    np.testing.assert_array_equal(whole.n_cza, n_cza[:, :, :-1])
