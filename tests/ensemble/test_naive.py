import numpy as np
import pytest

import oracles
import oracles_trees
from problems import as_rows, random_codes
from skcredal import _kernels as kernels
from skcredal._ensemble.counting import count, count_values
from skcredal._ensemble.networks import (
    class_prior,
    conditional_information,
    naive_tables,
    spanning_tree,
    tan_tables,
)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_value_counts_are_those_of_the_definition(unknown, weighting):
    rng = np.random.default_rng(50)
    for _ in range(100):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        weights = {
            "none": None,
            "integer": rng.integers(1, 5, len(labels)),
            "real": rng.integers(1, 9, len(labels)) / 4.0,
        }[weighting]
        counts = count_values(codes, labels, n_states, n_classes, weights)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes, weights
        )
        np.testing.assert_array_equal(counts.n_c, np.array(expected.n_c, float))
        for j in range(len(n_states)):
            np.testing.assert_array_equal(counts.values(j), np.array(expected.n_ca[j], float))
        assert counts.n == float(sum(expected.n_c))
        assert counts.n_ca.dtype == counts.n_c.dtype == (np.float64 if weighting == "real" else np.int64)


def test_value_counts_add():
    codes, labels, n_states, n_classes = random_codes(np.random.default_rng(51), n=30, k=3, n_classes=2)
    whole = count_values(codes, labels, n_states, n_classes)
    parts = [
        count_values(codes[:, rows], labels[rows], n_states, n_classes) for rows in (slice(12), slice(12, 30))
    ]
    total = parts[0] + parts[1]
    np.testing.assert_array_equal(total.n_c, whole.n_c)
    np.testing.assert_array_equal(total.n_ca, whole.n_ca)
    assert repr(total) == "ValueCounts(n=30, features=3, classes=2)"
    with pytest.raises(ValueError, match="features, states and classes are the same"):
        whole + count_values(codes[:2], labels, n_states[:2], n_classes)
    with pytest.raises(TypeError):
        whole + 1


def tan_of(counts, ess):
    edges = spanning_tree(conditional_information(counts), len(counts.layout.n_states))
    return edges, tan_tables(counts, edges, ess)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1, 3])
def test_posteriors_are_products_of_fractions(unknown, ess):
    """Naive Bayes and TAN, with unknown values in the new rows, and with ``unknown`` in training too."""
    rng = np.random.default_rng(52)
    for trial in range(100):
        codes, labels, n_states, n_classes = random_codes(rng, k=trial % 6, unknown=unknown)
        counts = count(codes, labels, n_states, n_classes)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes
        )
        new = rng.integers(0, n_states[:, None] + 1, (len(n_states), 5)).astype(np.uint8)
        naive = naive_tables(count_values(codes, labels, n_states, n_classes), float(ess))
        edges, tan = tan_of(counts, float(ess))
        parent = [None] * len(n_states)
        none = parent.copy()
        for i, j in edges.tolist():
            parent[j] = i
        naive_posterior, tan_posterior = naive.posteriors(new), tan.posteriors(new)
        for r, row in enumerate(as_rows(new, n_states)):
            for posterior, network in ((naive_posterior, none), (tan_posterior, parent)):
                wanted = [float(p) for p in oracles_trees.network_posterior(expected, network, row, ess)]
                np.testing.assert_allclose(posterior[r], wanted, rtol=1e-11)
        prior = [float(p) for p in oracles.class_prior(expected, ess)]
        np.testing.assert_allclose(naive.prior, prior, rtol=1e-13)
        np.testing.assert_allclose(class_prior(counts.n_c, float(ess)), prior, rtol=1e-13)


@pytest.mark.parametrize("unknown", [0.0, 0.4])
def test_information_and_tree_are_those_of_the_definition_and_of_networkx(unknown):
    rng = np.random.default_rng(53)
    n_distinct = 0
    for trial in range(100):
        k = trial % 7
        codes, labels, n_states, n_classes = random_codes(rng, k=k, unknown=unknown)
        if k > 2 and trial % 3 == 0:
            codes[-1], n_states[-1] = codes[0], n_states[0]  # a copy: pairs of equal information
        counts = count(codes, labels, n_states, n_classes)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes
        )
        information = {
            (i, j): oracles_trees.mutual_information(expected, i, j) for i, j in oracles_trees.pairs(k)
        }
        found = conditional_information(counts)
        np.testing.assert_allclose(found, list(information.values()), atol=1e-13)
        np.testing.assert_array_equal(conditional_information(counts, n_threads=3), found)
        edges = [tuple(sorted(edge)) for edge in spanning_tree(found, k).tolist()]
        tree = oracles_trees.spanning_tree(information, k)
        assert len(edges) == len(set(edges)) == len(tree) == max(k - 1, 0)
        assert sum(information[edge] for edge in edges) == pytest.approx(
            sum(information[edge] for edge in tree), abs=1e-10
        )
        gaps = np.diff(sorted(information.values()))
        if (gaps > 1e-9).all():
            n_distinct += 1
            assert set(edges) == tree
    assert n_distinct > 0


def test_edges_lead_away_from_the_first_feature():
    rng = np.random.default_rng(54)
    for _ in range(20):
        k = int(rng.integers(2, 9))
        reached = {0}
        for parent, child in spanning_tree(rng.random(k * (k - 1) // 2), k).tolist():
            assert parent in reached
            assert child not in reached
            reached.add(child)
        assert reached == set(range(k))


def test_the_first_of_equal_pairs_goes_into_the_tree():
    assert spanning_tree(np.full(6, 0.25), 4).tolist() == [[0, 1], [0, 2], [0, 3]]
    # Equal up to rounding is equal: the pairs are (0,1), (0,2), (1,2).
    assert spanning_tree(np.array([0.3, 0.2, 0.2 + 1e-16]), 3).tolist() == [[0, 1], [0, 2]]
    assert spanning_tree(np.array([0.3, 0.2, 0.2 + 1e-9]), 3).tolist() == [[0, 1], [1, 2]]


def test_a_pair_that_is_never_known_together_says_nothing():
    codes = np.array([[0, 1, 2, 2], [2, 2, 0, 1]], np.uint8)
    counts = count(codes, np.array([0, 1, 0, 1], np.int32), np.array([2, 2]), 2)
    assert conditional_information(counts).tolist() == [0.0]


def test_scores_far_below_the_smallest_double_are_normalised():
    log_joint = np.array([[-2000.0, -2000.0 - np.log(3.0)], [-1e5, -2e5]])
    kernels.naive.normalise_rows(log_joint)
    np.testing.assert_allclose(log_joint, [[0.75, 0.25], [1.0, 0.0]])


def test_a_product_of_codes_does_not_wrap_around():
    """Codes of a byte are multiplied by strides that do not fit into a byte."""
    codes = np.array([[200, 199, 200], [250, 3, 250]], np.uint8)
    labels = np.array([1, 0, 1], np.int32)
    n_states = np.array([254, 254])
    _, tan = tan_of(count(codes, labels, n_states, 2), 1.0)
    wide = tan.posteriors(codes.astype(np.uint32))
    np.testing.assert_array_equal(tan.posteriors(codes), wide)
    assert (wide.argmax(axis=1) == labels).all()
