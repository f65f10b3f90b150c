"""Masks of classes and the labels they stand for."""

import numpy as np
import pytest

from skcredal.decisions import set_labels


def test_each_row_gives_its_labels_in_the_order_of_the_classes():
    sets = set_labels(np.array([[True, False, True], [False, True, False]]), np.array(["c", "a", "b"]))
    assert [labels.tolist() for labels in sets] == [["c", "b"], ["a"]]


def test_the_arrays_keep_the_type_of_the_classes():
    (labels,) = set_labels([[1, 0]], np.array([3, 7], dtype=np.int16))
    assert labels.dtype == np.int16


def test_an_empty_set_gives_an_empty_array_and_no_rows_no_arrays():
    assert set_labels([[0, 0]], ["a", "b"])[0].shape == (0,)
    assert set_labels(np.zeros((0, 2)), ["a", "b"]) == []


@pytest.mark.parametrize(
    ("y_set", "classes", "message"),
    [
        ([[1, 0]], ["a", "b", "c"], r"y_set must have shape \(n_rows, 3\).* got \(1, 2\)"),
        ([1, 0], ["a", "b"], r"y_set must have shape \(n_rows, 2\).* got \(2,\)"),
        ([[1, 0]], [["a", "b"]], r"classes must be one-dimensional, got shape \(1, 2\)"),
        ([[1, 2]], ["a", "b"], r"y_set must be boolean .* got the value 2"),
        ([[0.2, 0.8]], ["a", "b"], r"y_set must be boolean .* got values of type float64"),
    ],
)
def test_refusals_name_the_parameter_the_rule_and_the_value(y_set, classes, message):
    with pytest.raises(ValueError, match=message):
        set_labels(y_set, classes)
