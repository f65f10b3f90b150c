"""The loops that sum and count, each against a twin in plain Python; the others are compared with oracles."""

import itertools

import numpy as np
import pytest

from skcredal._kernels import BLOCK_ROWS, count_pairs, sum_pairs


def random_states(rng, k, n, n_values, dtype=np.uint16):
    """Return states (k, n) from 0 to the unknown one."""
    return rng.integers(0, n_values + 1, (k, n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
@pytest.mark.parametrize("n_children", range(10))
def test_pairs_are_summed(n_children, dtype):
    """Parents need not be the children, nor have as many states: leaves of trees are parents, too."""
    rng = np.random.default_rng(n_children)
    for n_parents, n_classes, n in itertools.product((0, 1, 3), (0, 1, 4), (0, 1, 7)):
        parents = random_states(rng, n_parents, n, 5, dtype)
        children = random_states(rng, n_children, n, 11, dtype)
        table = rng.integers(-9, 10, (n_classes, 6, 12)).astype(np.float64)  # whole, so that sums are exact
        out = np.full((n_parents, n_classes, n), np.nan)
        sum_pairs(parents, children, table, out)
        expected = np.zeros(out.shape)
        for j, c, r, i in itertools.product(*map(range, out.shape), range(n_children)):
            expected[j, c, r] += table[c, parents[j, r], children[i, r]]
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("n", [0, 1, 30, BLOCK_ROWS - 1, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 5])
@pytest.mark.parametrize("n_shares", [1, 2, 5])
@pytest.mark.parametrize("n_children", [0, 1, 4, 5, 9])
def test_pairs_are_counted(n_children, n_shares, n):
    """Parents need not be the children; each has its own first child, the last line is unknown."""
    rng = np.random.default_rng(n_children)
    for n_parents, n_classes in itertools.product((0, 1, 3), (1, 4)):
        parents, children = random_states(rng, n_parents, n, 5), random_states(rng, n_children, n, 11)
        first = rng.integers(0, n_children + 1, n_parents)
        labels = rng.integers(0, n_classes, n).astype(np.int32)
        weights = rng.integers(0, 9, n) / 8.0
        found = np.ones((n_classes, 6, 12))  # they are added to what is there
        expected = found.copy()
        for share in range(n_shares):
            count_pairs(parents, children, first, labels, weights, share, n_shares, found)
        for j in range(n_parents):
            for i in range(first[j], n_children):
                np.add.at(expected, (labels, parents[j], children[i]), weights)
        np.testing.assert_array_equal(found, expected)
