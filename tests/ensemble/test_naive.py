import numpy as np

from problems import as_states, counts_of
from skcredal._ensemble.naive import TanTables, conditional_information, naive_tables, spanning_tree
from skcredal._ensemble.spodes import SpodeTables


def tan_of(counts, ess):
    edges = spanning_tree(conditional_information(counts))
    return edges, TanTables(SpodeTables(counts, ess), edges)


def matrix_of(k, pairs):
    """Return the symmetric matrix of numbers of the pairs (0,1), (0,2), …, (1,2), …."""
    matrix = np.zeros((k, k))
    matrix[np.triu_indices(k, k=1)] = pairs
    return matrix + matrix.T


def test_edges_lead_away_from_the_first_feature():
    rng = np.random.default_rng(54)
    for _ in range(20):
        k = int(rng.integers(2, 9))
        reached = {0}
        for parent, child in spanning_tree(matrix_of(k, rng.random(k * (k - 1) // 2))).tolist():
            assert parent in reached
            assert child not in reached
            reached.add(child)
        assert reached == set(range(k))


def test_the_first_of_equal_pairs_goes_into_the_tree():
    assert spanning_tree(matrix_of(4, 0.25)).tolist() == [[0, 1], [0, 2], [0, 3]]
    # Equal up to rounding is equal: the pairs are (0,1), (0,2), (1,2).
    assert spanning_tree(matrix_of(3, [0.3, 0.2, 0.2 + 1e-16])).tolist() == [[0, 1], [0, 2]]
    assert spanning_tree(matrix_of(3, [0.3, 0.2, 0.2 + 1e-9])).tolist() == [[0, 1], [1, 2]]


def test_a_pair_that_is_never_known_together_says_nothing():
    codes = np.array([[0, 1, 2, 2], [2, 2, 0, 1]])
    counts = counts_of(codes, np.array([0, 1, 0, 1], np.int32), np.array([2, 2]), 2)
    information = conditional_information(counts)
    assert (information[0, 1], information[1, 0]) == (0.0, 0.0)


def test_more_states_than_a_byte_has_are_looked_up():
    codes = np.array([[200, 199, 200], [250, 3, 250]])
    labels, n_states = np.array([1, 0, 1], np.int32), np.array([254, 254])
    counts = counts_of(codes, labels, n_states, 2)
    states = as_states(codes, n_states)
    for tables in (naive_tables(counts, 1.0), tan_of(counts, 1.0)[1]):
        posterior = tables.posteriors(states)
        np.testing.assert_array_equal(tables.posteriors(states.astype(np.uint32)), posterior)
        assert (posterior.argmax(axis=1) == labels).all()
