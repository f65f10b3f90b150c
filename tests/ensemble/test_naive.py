import numpy as np

from problems import counts_of
from skcredal._ensemble.naive import conditional_information, spanning_tree


def matrix_of(k, pairs):
    """Return the symmetric matrix of numbers of the pairs (0,1), (0,2), …, (1,2), …."""
    matrix = np.zeros((k, k))
    matrix[np.triu_indices(k, k=1)] = pairs
    return matrix + matrix.T


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
