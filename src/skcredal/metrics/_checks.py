"""Checks of the arrays passed to measures and decisions; what scikit-learn checks is left to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, column_or_1d

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._validation import naming, safe_repr
from skcredal.metrics._outcomes import class_indices

# Probabilities in single precision sum to 1 up to about 1e-6; unnormalised scores miss it by far more.
SUM_TOLERANCE = 1e-4
# The length of each axis, None for any.
_Shape = tuple[int | None, ...]


def _as_numbers(name: str, given: ArrayLike, shape: _Shape | None = None) -> AnyArray:
    with naming(name):
        found = check_array(given, ensure_2d=False, allow_nd=True, ensure_min_samples=0, input_name=name)
    lengths = found.shape if shape is None else shape
    if found.ndim != len(lengths) or any(
        n not in (None, m) for n, m in zip(lengths, found.shape, strict=True)
    ):
        raise ValueError(f"{name} must have shape {shape}, got {found.shape}.")
    return np.asarray(found)


def as_mask(name: str, given: ArrayLike, shape: _Shape = (None, None)) -> BoolArray:
    """Return booleans, or zeros and ones, as a mask."""
    mask = _as_numbers(name, given, shape)
    wrong = mask[(mask != 0) & (mask != 1)]
    if wrong.size:
        raise ValueError(f"{name} must be boolean (0 and 1 are accepted), got the value {wrong[0]}.")
    return mask.astype(np.bool_)


def as_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """Return the weights of the rows; by default, every row has weight 1."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = _as_numbers("sample_weight", sample_weight, (n_rows,)).astype(np.float64)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    return weight


def as_unit_numbers(name: str, given: ArrayLike, shape: _Shape | None = None) -> FloatArray:
    """Return numbers in [0, 1]."""
    p = _as_numbers(name, given, shape).astype(np.float64)
    if p.size and not 0 <= p.min() <= p.max() <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got numbers from {p.min()} to {p.max()}.")
    return p


def as_distributions(name: str, given: ArrayLike, shape: _Shape = (None, None)) -> FloatArray:
    """Return probabilities of classes, which sum to 1 in every row."""
    p = as_unit_numbers(name, given, shape)
    sums = p.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    if wrong.size:
        raise ValueError(f"{name} must sum to 1 in each row, got {sums[wrong[0]]} in row {wrong[0]}.")
    return p


def as_labels(name: str, y: ArrayLike, n_rows: int | None = None, only: Any = slice(None)) -> list[Any]:
    """Return labels as a list of Python values, perhaps of some rows only, none of them missing."""
    with naming(name):
        # As objects: numpy would turn the list ["a", nan] into strings.
        column = column_or_1d(np.array(y, dtype=object) if isinstance(y, list | tuple) else y)
        if n_rows not in (None, len(column)):
            raise ValueError(f"{name} must have one label for each of the {n_rows} rows, got {len(column)}.")
        values: list[Any] = column[only].tolist()
        if any(value is None or value != value for value in values):
            raise ValueError(f"{name} must not have missing values.")
    return values


def as_classes(labels: ArrayLike | None, y_true: list[Any], n_columns: int) -> list[Any]:
    """Return the class of each column: the given labels, or the sorted classes of ``y_true``."""
    with naming("y_true"):
        classes = sorted(set(y_true)) if labels is None else as_labels("labels", labels)
    # Without rows the classes are never looked up.
    if y_true and not len(classes) == len(set(classes)) == n_columns:
        listed = safe_repr(classes)
        raise ValueError(
            f"labels must be the {n_columns} classes of the columns, clf.classes_, got {listed}."
        )
    return classes


def label_indices(name: str, values: list[Any], classes: list[Any]) -> IntArray:
    """Return the index of each label among the classes, -1 if it is not one of them."""
    found = class_indices(values, classes)
    # A label that is not a class counts as a miss, but not every row because "1" was passed for 1.
    if values and (found < 0).all() and isinstance(values[0], str) != isinstance(classes[0], str):
        raise ValueError(f"{name} must have the type of the labels, got {values[0]!r} and {classes[0]!r}.")
    return found
