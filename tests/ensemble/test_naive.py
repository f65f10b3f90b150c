import numpy as np
import pytest

import oracles
import oracles_trees
from problems import as_rows, as_states, counts_of, random_codes
from skcredal._ensemble.naive import TanTables, conditional_information, naive_tables, spanning_tree
from skcredal._ensemble.spodes import SpodeTables, class_prior


def tan_of(counts, ess):
    edges = spanning_tree(conditional_information(counts))
    return edges, TanTables(SpodeTables(counts, ess), edges)


def matrix_of(k, pairs):
    """Return the symmetric matrix of numbers of the pairs (0,1), (0,2), …, (1,2), …."""
    matrix = np.zeros((k, k))
    matrix[np.triu_indices(k, k=1)] = pairs
    return matrix + matrix.T


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1, 3])
def test_posteriors_are_products_of_fractions(unknown, ess):
    """Naive Bayes and TAN, with unknown values in the new rows, and with ``unknown`` in training too."""
    rng = np.random.default_rng(52)
    for trial in range(100):
        codes, labels, n_states, n_classes = random_codes(rng, k=trial % 6, unknown=unknown)
        counts = counts_of(codes, labels, n_states, n_classes)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes
        )
        new = rng.integers(0, n_states[:, None] + 1, (len(n_states), 5))
        states, naive = as_states(new, n_states), naive_tables(counts, float(ess))
        edges, tan = tan_of(counts, float(ess))
        parent = [None] * len(n_states)
        none = parent.copy()
        for i, j in edges.tolist():
            parent[j] = i
        naive_posterior, tan_posterior = naive.posteriors(states), tan.posteriors(states)
        for r, row in enumerate(as_rows(new, n_states)):
            for posterior, network in ((naive_posterior, none), (tan_posterior, parent)):
                wanted = [float(p) for p in oracles_trees.network_posterior(expected, network, row, ess)]
                np.testing.assert_allclose(posterior[r], wanted, rtol=1e-11)
        prior = [float(p) for p in oracles.class_prior(expected, ess)]
        np.testing.assert_allclose(np.exp(naive.log_c), prior, rtol=1e-13)
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
        counts = counts_of(codes, labels, n_states, n_classes)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes
        )
        information = {
            (i, j): oracles_trees.mutual_information(expected, i, j) for i, j in oracles_trees.pairs(k)
        }
        found = conditional_information(counts)
        pairs = np.triu_indices(k, k=1)
        np.testing.assert_allclose(found[pairs], list(information.values()), atol=1e-13)
        np.testing.assert_allclose(found, found.T, atol=1e-13)
        edges = [tuple(sorted(edge)) for edge in spanning_tree(found).tolist()]
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


def test_the_first_of_equal_pairs_goes_into_the_tree():
    assert spanning_tree(matrix_of(4, 0.25)).tolist() == [[0, 1], [0, 2], [0, 3]]
    # Equal up to rounding is equal: the pairs are (0,1), (0,2), (1,2).
    assert spanning_tree(matrix_of(3, [0.3, 0.2, 0.2 + 1e-16])).tolist() == [[0, 1], [0, 2]]
    assert spanning_tree(matrix_of(3, [0.3, 0.2, 0.2 + 1e-9])).tolist() == [[0, 1], [1, 2]]
