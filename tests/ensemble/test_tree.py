import numpy as np
import pytest

import oracles_trees
from problems import as_rows, as_states, random_codes
from skcredal._ensemble.spodes import class_prior
from skcredal._ensemble.tree import LeafEvidence, LeafPriors, grow_tree, idm_sets
from skcredal._kernels import upper_entropy


def random_counts(rng):
    n_classes = int(rng.integers(1, 7))
    counts = rng.integers(0, rng.choice([2, 5, 50]), n_classes)
    if rng.random() < 0.4:
        return counts + rng.integers(0, 8, n_classes) / 8.0, float(rng.choice([0.25, 0.5, 3.75]))
    return counts.astype(float), float(rng.choice([1.0, 2.0, 7.0]))


def test_upper_entropy_is_that_of_the_solver_and_of_falling_drops():
    rng = np.random.default_rng(61)
    for _ in range(100):
        counts, s = random_counts(rng)
        found = upper_entropy(counts, s)
        assert found == pytest.approx(oracles_trees.upper_entropy_by_optimisation(counts, s), abs=1e-7)
        assert found == pytest.approx(oracles_trees.upper_entropy_by_drops(counts, s), abs=1e-5)


def test_upper_entropy_holds_out_at_the_ends():
    assert upper_entropy(np.array([5.0]), 1.0) == 0.0
    assert upper_entropy(np.zeros(4), 1.0) == pytest.approx(np.log(4.0))
    # So small an s that the mean of equal counts rounds below them, or that nothing is left to share.
    assert upper_entropy(np.full(3, 0.1), 1e-300) == pytest.approx(np.log(3.0))
    assert upper_entropy(np.array([1.0, 0.0, 0.0, 0.0]), 5e-324) == 0.0
    assert upper_entropy(np.full(2, 1e15), 1.0) == pytest.approx(np.log(2.0))


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
    names = [[str(a) for a in range(v)] for v in n_states]
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    states = as_states(codes, n_states)
    return grow_tree(states, labels, weights, n_classes, s, features=range(len(names)), names=names)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_trees_are_those_grown_by_recursion_node_by_node(unknown, weighting):
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
        assert tree.depth == tree.depths.max() == tree.depth_below(0)
        sizes.append(tree.n_nodes)
        new = rng.integers(0, n_states[:, None] + 1, (len(n_states), 8))
        for node, row in zip(tree.find(as_states(new, n_states)), as_rows(new, n_states), strict=True):
            counts = [float(n) for n in oracles_trees.answering_node(expected, row).counts]
            assert tree.counts[node].tolist() == counts
            answers += tree.feature[node] >= 0
    assert max(sizes) > 10
    assert answers > 0  # some rows end before a leaf


def test_answers_are_those_of_the_extreme_points():
    rng = np.random.default_rng(66)
    for _ in range(300):
        counts, s = random_counts(rng)
        priors, evidence = LeafPriors(s), LeafEvidence(counts[None], class_prior(counts[None], s))
        assert priors.maximal_sets(evidence)[0].tolist() == oracles_trees.idm_set(counts, s)
        bounds = oracles_trees.idm_bounds(counts, s)
        np.testing.assert_allclose(priors.intervals(evidence)[0], bounds, atol=1e-15)
        expected = (counts + s / len(counts)) / (counts.sum() + s)
        np.testing.assert_allclose(evidence.reference[0], expected)


def test_classes_that_tie_up_to_rounding_stay():
    assert idm_sets(np.array([0.1 + 0.2 + 1.0, 0.3]), 1.0).tolist() == [True, True]
    assert idm_sets(np.array([1.3 + 1e-9, 0.3]), 1.0).tolist() == [True, False]


def test_upper_entropy_is_that_of_the_sorted_counts():
    rng = np.random.default_rng(60)
    for _ in range(500):
        counts, s = random_counts(rng)
        found = upper_entropy(counts, s)
        assert found == pytest.approx(float(oracles_trees.upper_entropy(counts, s)), rel=1e-13, abs=1e-15)
