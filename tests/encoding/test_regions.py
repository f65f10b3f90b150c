"""Regions: the leaves of scikit-learn's own trees, whatever is in the cells (§14)."""

import numpy as np
import pytest
from sklearn.tree import ExtraTreeClassifier

from skcredal._encoding.regions import Regions, varying_columns


def table(rng, n=120):
    """Return columns of all kinds, (n_columns, n), their fills, which are numbers, and classes."""
    y = rng.integers(0, 3, n).astype(np.int32)
    columns = {
        "number": (rng.normal(y, 1.0), 0.3, True),
        "whole": (rng.poisson(2.0 + y).astype(float), 3.0, True),
        "state": (np.where(rng.random(n) < 0.5, y, rng.integers(0, 5, n)).astype(float), 1.0, False),
        "same": (np.full(n, 7.0), 7.0, True),
        "nothing": (np.full(n, np.nan), np.nan, True),
        "hardly": (np.where(np.arange(n) < 9, np.nan, 2.0), 5.0, True),  # two values after imputation
        "wide": (rng.uniform(-1.0, 1.0, n) * 1.7e308, 0.0, True),
        "tiny": (rng.integers(0, 9, n) * 5e-324, 0.0, True),
        # Further apart than float32 tells numbers of this size apart.
        "close": (1e9 + rng.integers(0, 7, n) + 2.0 * y, 1e9, True),
    }
    numbers = np.array([cells for cells, _, _ in columns.values()])
    fills, is_number = (np.array(one) for one in list(zip(*columns.values(), strict=True))[1:])
    missing = rng.random(numbers.shape) < 0.1
    missing[3] = False
    return np.where(missing, np.nan, numbers), fills, is_number, y


def scaled(x, low, high):
    """§14: (x - lo)/(hi - lo) clipped to [0, 1], all three halved first if the difference overflows."""
    with np.errstate(over="ignore"):
        if np.isinf(high - low):
            x, low, high = x / 2, low / 2, high / 2
        return np.clip((x - low) / (high - low), 0.0, 1.0)


def seen_by_trees(rows, numbers, fills, is_number, columns):
    """Return rows as §14 says that the trees see them, (n, columns), given the training rows."""

    def imputed(some, j):
        return np.where(np.isnan(some[j]), fills[j], some[j])

    return np.stack(
        [
            scaled(imputed(rows, j), imputed(numbers, j).min(), imputed(numbers, j).max())
            if is_number[j]
            else imputed(rows, j)
            for j in columns
        ],
        axis=1,
    )


def trees_of_scikit_learn(x, y, weights, n_trees, seed):
    total = weights.sum()
    return [
        ExtraTreeClassifier(
            max_leaf_nodes=min(256, max(32, int(total / 16))),
            max_features=None,
            min_weight_fraction_leaf=(1 - 1e-9) * 5 / total,
            random_state=state,
        ).fit(x, y, sample_weight=weights)
        for state in np.random.RandomState(seed % 2**32).randint(2**31 - 1, size=n_trees)
    ]


def new_rows(rng, numbers, is_number):
    """Return rows beyond the training rows' range, between their values, and without some cells."""
    n = 300
    found = np.stack([rng.choice(line, n) for line in numbers])
    found[:, :50] = np.nan
    found[is_number, 50:60], found[is_number, 60:70] = 1.7e308, -1.7e308
    # As close to a value as doubles are, and between values.
    found[is_number, 70:150] = np.nextafter(found[is_number, 70:150], np.inf)
    found[0, 150:] += rng.normal(size=n - 150)
    found[2, 200:250] = np.nan  # an unknown state
    return found


@pytest.mark.parametrize("seed", [0, 3, -1, 2**40])
@pytest.mark.parametrize("weighting", ["none", "real"])
def test_leaves_are_those_of_scikit_learn(weighting, seed):
    rng = np.random.default_rng([seed % 2**32, len(weighting)])
    numbers, fills, is_number, y = table(rng)
    weights = np.ones(len(y)) if weighting == "none" else rng.uniform(0.1, 9.0, len(y))
    found = Regions.grow(numbers, fills, is_number, y, weights, n_trees=3, seed=seed)
    assert found.columns.tolist() == [0, 1, 2, 5, 6, 7, 8]
    assert varying_columns(numbers, fills).tolist() == found.columns.tolist()
    x = seen_by_trees(numbers, numbers, fills, is_number, found.columns)
    trees = trees_of_scikit_learn(x, y, weights, 3, seed)
    assert found.n_leaves.tolist() == [tree.get_n_leaves() for tree in trees]
    starts = np.cumsum(found.n_leaves) - found.n_leaves
    for rows in (numbers, new_rows(rng, numbers, is_number)):
        x = seen_by_trees(rows, numbers, fills, is_number, found.columns)
        leaves = found.leaves(rows)
        assert leaves.shape == (3, rows.shape[1])
        for own, start, tree in zip(leaves, starts, trees, strict=True):
            # The same numbering: leaves in the order of their nodes.
            nodes = np.flatnonzero(tree.tree_.children_left < 0)
            np.testing.assert_array_equal(nodes[own - start], tree.apply(x))


def test_paths_lead_from_the_root_to_the_leaf():
    rng = np.random.default_rng(2)
    numbers, fills, is_number, y = table(rng)
    found = Regions.grow(numbers, fills, is_number, y, np.ones(len(y)), n_trees=2, seed=0)
    rows = new_rows(rng, numbers, is_number)
    leaves, x = found.leaves(rows), seen_by_trees(rows, numbers, fills, is_number, found.columns)
    paths = {(t, r): [root] for t, root in enumerate(found.roots.tolist()) for r in range(rows.shape[1])}
    for some, nodes, children in found.steps(rows):
        for r, node, child in zip(some.tolist(), nodes.tolist(), children.tolist(), strict=True):
            tree = int(np.searchsorted(found.roots, node, side="right")) - 1
            assert paths[tree, r][-1] == node
            goes_left = np.float32(x[r, found.feature[node]]) <= found.threshold[node]
            assert child == (found.left if goes_left else found.right)[node] > node
            paths[tree, r].append(child)
    for (t, r), path in paths.items():
        assert found.feature[path[-1]] == -1
        assert found.leaf_numbers[path[-1]] == leaves[t, r]
    # Each row is in one leaf below every node of its paths.
    n_of_leaves = np.bincount(leaves.ravel(), minlength=found.n_leaves.sum()).astype(float)
    passed = np.bincount([node for path in paths.values() for node in path], minlength=len(found.feature))
    np.testing.assert_array_equal(found.sums_below(n_of_leaves), passed)
    np.testing.assert_array_equal(found.sums_below(np.stack([n_of_leaves] * 2))[1], passed)


@pytest.mark.parametrize(("weight", "n_leaves"), [(9.99 / 30, 1), (10 / 30, 2)])
def test_too_little_weight_leaves_one_region(weight, n_leaves):
    numbers = np.stack([np.arange(30.0) % 2])
    found = Regions.grow(
        numbers,
        np.zeros(1),
        np.ones(1, np.bool_),
        (np.arange(30) % 2).astype(np.int32),
        np.full(30, weight),
        n_trees=3,
        seed=0,
    )
    assert found.n_leaves.tolist() == [n_leaves] * 3
    assert set(found.leaves(numbers).ravel().tolist()) == set(range(3 * n_leaves))
    assert sum(1 for _ in found.steps(numbers)) == (0 if n_leaves == 1 else 3)
