import numpy as np
import pytest

import oracles_trees
from problems import as_rows, random_codes
from skcredal import _kernels as kernels
from skcredal._ensemble import credal_tree
from skcredal._ensemble.credal_tree import grow_tree, idm_intervals, idm_posterior, idm_sets


def random_counts(rng):
    """Return counts of classes with zeros and ties, and a strength."""
    n_classes = int(rng.integers(1, 7))
    counts = rng.integers(0, rng.choice([2, 5, 50]), n_classes)
    if rng.random() < 0.4:
        return counts + rng.integers(0, 8, n_classes) / 8.0, float(rng.choice([0.25, 0.5, 3.75]))
    return counts.astype(float), float(rng.choice([1.0, 2.0, 7.0]))


def test_upper_entropy_is_that_of_the_sorted_counts():
    rng = np.random.default_rng(60)
    for _ in range(500):
        counts, s = random_counts(rng)
        found = kernels.tree.upper_entropy(counts, s)
        assert found == pytest.approx(float(oracles_trees.upper_entropy(counts, s)), rel=1e-13, abs=1e-15)


def test_upper_entropy_is_that_of_the_solver_and_of_falling_drops():
    rng = np.random.default_rng(61)
    for _ in range(100):
        counts, s = random_counts(rng)
        found = kernels.tree.upper_entropy(counts, s)
        assert found == pytest.approx(oracles_trees.upper_entropy_by_optimisation(counts, s), abs=1e-7)
        assert found == pytest.approx(oracles_trees.upper_entropy_by_drops(counts, s), abs=1e-5)


def test_upper_entropy_holds_out_at_the_ends():
    assert kernels.tree.upper_entropy(np.array([5.0]), 1.0) == 0.0
    assert kernels.tree.upper_entropy(np.zeros(4), 1.0) == pytest.approx(np.log(4.0))
    # So small an s that the mean of equal counts rounds below them, or that nothing is left to share.
    assert kernels.tree.upper_entropy(np.full(3, 0.1), 1e-300) == pytest.approx(np.log(3.0))
    assert kernels.tree.upper_entropy(np.array([1.0, 0.0, 0.0, 0.0]), 5e-324) == 0.0
    assert kernels.tree.upper_entropy(np.full(2, 1e15), 1.0) == pytest.approx(np.log(2.0))


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_gains_are_those_of_the_definition(unknown):
    rng = np.random.default_rng(62)
    for _ in range(100):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        k, n = codes.shape
        weights = rng.integers(1, 9, n) / 4.0
        rows = np.flatnonzero(rng.random(n) < 0.8)
        rows = rows if len(rows) else np.arange(n)
        available = rng.random(k) < 0.8
        gains, n_c = np.empty(k), np.empty(n_classes)
        scratch = np.full((n_states.max() + 1, n_classes), np.nan)
        kernels.tree.information_gains(
            codes, labels, weights, n_states, rows, available, 1.0, scratch, n_c, gains
        )
        np.testing.assert_array_equal(n_c, np.bincount(labels[rows], weights[rows], n_classes))
        for j in range(k):
            expected = -np.inf
            if available[j]:
                expected = oracles_trees.information_gain(
                    as_rows(codes[:, rows], n_states),
                    labels[rows].tolist(),
                    oracles_trees._exact_weights(weights[rows], len(rows)),
                    j,
                    n_classes,
                    1,
                )
            assert gains[j] == pytest.approx(float(expected), abs=1e-13)


@pytest.mark.parametrize(
    ("gains", "chosen"),
    [
        ([], -1),
        ([-np.inf, 0.0, -0.2], -1),
        ([1e-12, 0.9e-12], -1),
        ([0.1, 0.3, 0.2], 1),
        ([0.1, 0.3, 0.3 + 0.5e-12], 1),
        ([0.1, 0.3, 0.3 + 1e-9], 2),
        # The first is within the tie of the largest, but no gain itself.
        ([0.9e-12, 1.5e-12], 1),
    ],
)
def test_the_first_of_the_largest_gains_is_chosen(gains, chosen):
    assert kernels.tree.choose_split(np.array(gains, float)) == chosen


def test_rows_are_sorted_by_value_and_keep_their_order():
    rng = np.random.default_rng(63)
    for _ in range(50):
        n, v = int(rng.integers(1, 30)), int(rng.integers(1, 5))
        values = rng.integers(0, v + 1, n).astype(np.uint8)
        own = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
        rows, starts = own.copy(), np.empty(v + 4, np.int64)
        kernels.tree.sort_rows(values, v, rows, np.empty(n, np.int64), starts)
        np.testing.assert_array_equal(rows, own[np.argsort(values[own], kind="stable")])
        ends = np.cumsum([np.count_nonzero(values[own] == a) for a in range(v + 1)])
        np.testing.assert_array_equal(starts[: v + 2], [0, *ends])


def assert_same_tree(tree, index, expected):
    """Compare the nodes below ``index`` with those of the oracle, and return how many there are."""
    node = tree.node(index)
    assert node.index == index
    assert node.feature == expected.feature
    assert node.counts.tolist() == [float(count) for count in expected.counts]
    assert [int(state) for state in node.children] == list(expected.children)
    assert node.is_leaf == (not expected.children)
    size = 1
    for state, child in node.children.items():
        assert child == index + size
        assert tree.node(child).depth == node.depth + 1
        size += assert_same_tree(tree, child, expected.children[int(state)])
    return size


def grown(codes, labels, n_states, n_classes, s=1.0, weights=None):
    states = [[str(a) for a in range(v)] for v in n_states]
    return grow_tree(codes, labels, n_classes, s, features=range(len(states)), states=states, weights=weights)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_trees_are_those_grown_by_recursion_node_by_node(unknown, weighting, monkeypatch):
    monkeypatch.setattr(credal_tree, "FIRST_NODES", 2)  # room must be made again and again
    rng = np.random.default_rng(64)
    sizes, answers = [], 0
    for trial in range(100):
        codes, labels, n_states, n_classes = random_codes(rng, n=60, k=trial % 6, unknown=unknown)
        s = float(rng.choice([0.5, 1.0, 3.0]))
        weights = {
            "none": None,
            "integer": rng.integers(1, 5, len(labels)),
            "real": rng.integers(1, 30, len(labels)) / 8.0,
        }[weighting]
        tree = grown(codes, labels, n_states, n_classes, s, weights)
        expected = oracles_trees.grow(
            as_rows(codes, n_states), labels.tolist(), len(n_states), n_classes, s, weights
        )
        assert assert_same_tree(tree, 0, expected) == tree.n_nodes
        assert tree.counts.dtype == (np.float64 if weighting == "real" else np.int64)
        assert tree.depth == tree.depths.max() == tree.depth_below(0)
        sizes.append(tree.n_nodes)
        new = rng.integers(0, n_states[:, None] + 1, (len(n_states), 8)).astype(np.uint8)
        for node, row in zip(tree.find(new), as_rows(new, n_states), strict=True):
            counts = [float(n) for n in oracles_trees.answering_node(expected, row).counts]
            assert tree.counts[node].tolist() == counts
            answers += tree.feature[node] >= 0
    assert max(sizes) > 10
    assert answers > 0  # some rows end before a leaf


def test_a_node_outside_the_tree_is_refused():
    tree = grown(np.empty((0, 3), np.uint8), np.zeros(3, np.int32), np.empty(0, np.int64), 2)
    assert repr(tree) == "DecisionTree(nodes=1, leaves=1, depth=0)"
    assert tree.find(np.empty((0, 5), np.uint8)).tolist() == [0] * 5
    for index in (-1, 1):
        with pytest.raises(IndexError, match=r"\[0, 1\)"):
            tree.node(index)


def test_depths_below_nodes_are_those_of_their_paths():
    rng = np.random.default_rng(65)
    codes, labels, n_states, n_classes = random_codes(rng, n=300, k=5, n_classes=3)
    tree = grown(codes, labels, n_states, n_classes)

    def depth_below(index):
        return max((1 + depth_below(child) for child in tree.node(index).children.values()), default=0)

    assert tree.n_nodes > 20
    assert [tree.depth_below(i) for i in range(tree.n_nodes)] == [depth_below(i) for i in range(tree.n_nodes)]


def test_answers_are_those_of_the_extreme_points():
    rng = np.random.default_rng(66)
    for _ in range(300):
        counts, s = random_counts(rng)
        assert idm_sets(counts, s).tolist() == oracles_trees.idm_set(counts, s)
        np.testing.assert_allclose(idm_intervals(counts, s), oracles_trees.idm_bounds(counts, s), atol=1e-15)
        np.testing.assert_allclose(idm_posterior(counts, s), (counts + s / len(counts)) / (counts.sum() + s))


def test_classes_that_tie_up_to_rounding_stay():
    assert idm_sets(np.array([0.1 + 0.2 + 1.0, 0.3]), 1.0).tolist() == [True, True]
    assert idm_sets(np.array([1.3 + 1e-9, 0.3]), 1.0).tolist() == [True, False]
