"""Checks of the arrays passed to measures and decisions, each in one function."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skcredal._arrays import BoolArray, FloatArray
from skcredal._validation import has_hash, naming, real_numbers, refuse_mask, safe_repr

__all__ = [
    "IndexArray",
    "as_array",
    "as_booleans",
    "as_column",
    "as_labels",
    "as_mask",
    "as_probabilities",
    "as_values",
    "as_weights",
    "check_distributions",
    "check_label",
    "check_unit_interval",
    "label_indices",
]

IndexArray = NDArray[np.intp]

# Probabilities in single precision sum to 1 up to about 1e-6; unnormalised scores miss it by far more.
SUM_TOLERANCE = 1e-4
# Larger than any sensible weight, and small enough that sums of weights cannot overflow.
_LARGEST_WEIGHT = 1e100


def as_array(name: str, given: Any, *, dtype: type | None = None) -> NDArray[Any]:
    """Return an argument as an array; errors name it."""
    with naming(name):
        refuse_mask(name, given)
        return np.asarray(given, dtype=dtype)


def as_booleans(name: str, mask: NDArray[Any]) -> BoolArray:
    """Return an array of booleans, or of zeros and ones, as booleans."""
    # An empty list becomes an array of float64, which the next test would refuse.
    if mask.size == 0:
        return np.zeros(mask.shape, np.bool_)
    if mask.dtype.kind not in "biu":
        raise ValueError(f"{name} must be boolean (0 and 1 are accepted), got dtype {mask.dtype}.")
    wrong = mask[(mask != 0) & (mask != 1)]
    if wrong.size:
        raise ValueError(f"{name} must be boolean (0 and 1 are accepted), got the value {wrong[0]}.")
    return mask.astype(np.bool_)


def as_mask(y_set: ArrayLike) -> BoolArray:
    """Check the sets and return them as a boolean mask."""
    rule = "y_set must be a boolean mask of shape (n_rows, n_classes)"
    try:
        mask = as_array("y_set", y_set)
    except ValueError as error:
        # numpy's message about an "inhomogeneous shape" would not help.
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(f"{rule}, got rows of different lengths.") from None
    if mask.ndim != 2 or mask.shape[1] == 0:
        raise ValueError(f"{rule}, got shape {mask.shape}.")
    return as_booleans("y_set", mask)


def as_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """Return the checked weights; by default, every row has weight 1."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = real_numbers("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one for each row, got {weight.shape}.")
    wrong = weight[~((weight >= 0) & (weight <= _LARGEST_WEIGHT))]
    if wrong.size:
        raise ValueError(
            f"sample_weight must be finite and not negative (at most {_LARGEST_WEIGHT:g}), got {wrong[0]}."
        )
    return weight


def as_column(name: str, y: ArrayLike) -> NDArray[Any]:
    """Return labels as a one-dimensional array."""
    # As objects: numpy would turn the list ["a", nan] into strings.
    values = as_array(name, y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {values.shape}.")
    return values


def as_values(name: str, y: ArrayLike, n_rows: int | None = None) -> list[Any]:
    """Return labels as a list of Python values, after checking their number and that none is missing."""
    values = as_column(name, y)
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(f"{name} must have one label for each of the {n_rows} rows, got {len(values)}.")
    plain: list[Any] = values.tolist()
    # Only these dtypes can hold missing values or unhashable objects; long arrays of others need no loop.
    if values.dtype.kind in "fOV":
        for r, value in enumerate(plain):
            check_label(name, value, r)
    return plain


def check_label(name: str, value: Any, r: int) -> None:
    """Refuse a label that is missing or cannot be looked up."""
    with naming(name):  # labels of the user's own types may refuse to be compared
        # None, NaN (not equal to itself) or pandas' NA (comparing gives NA).
        same = value == value
        if value is None or not (isinstance(same, bool | np.bool_) and same):
            raise ValueError(f"{name} must not have missing values, got {safe_repr(value)} in row {r}.")
    if not has_hash(value):
        raise TypeError(f"{name} must contain labels, got a {type(value).__name__} in row {r}.")


def as_labels(labels: ArrayLike | None, y_true: list[Any], n_columns: int, table: str) -> list[Any]:
    """Return the class of each column: the given labels, or the sorted classes of ``y_true``."""
    if labels is None:
        if not y_true:
            return list(range(n_columns))  # without rows they are never looked up
        with naming("y_true"):
            found = sorted(set(y_true))
        if len(found) != n_columns:
            raise ValueError(
                f"labels must be given unless every class occurs in y_true: {table} has {n_columns} "
                f"columns, y_true has {len(found)} classes. Pass labels=clf.classes_."
            )
        return found
    given = as_values("labels", labels)
    if len(given) != n_columns:
        raise ValueError(
            f"labels must have one label for each of the {n_columns} columns of {table}, got {len(given)}."
        )
    if len(set(given)) != len(given):
        raise ValueError(f"labels must be distinct, got {safe_repr(given)}.")
    return given


def as_probabilities(y_proba: ArrayLike, n_rows: int, n_columns: int | None = None) -> FloatArray:
    """Return the checked probabilities; one dimension holds those of the second of two classes."""
    proba = real_numbers("y_proba", y_proba)
    if proba.ndim == 1:
        # Before the column of 1 - p is added, so that an error shows the number that was passed.
        check_unit_interval("y_proba", proba)
        proba = np.column_stack([1.0 - proba, proba])
    if proba.ndim != 2 or len(proba) != n_rows or n_columns not in (None, proba.shape[1]):
        columns = "n_classes" if n_columns is None else n_columns
        raise ValueError(f"y_proba must have shape ({n_rows}, {columns}), got {np.shape(y_proba)}.")
    check_distributions("y_proba", proba)
    return proba


def check_distributions(name: str, p: FloatArray) -> None:
    """Raise an error for rows that are not probability distributions."""
    check_unit_interval(name, p)
    sums = p.sum(axis=1)
    is_wrong = np.abs(sums - 1) > SUM_TOLERANCE
    if is_wrong.any():
        r = int(is_wrong.argmax())
        raise ValueError(f"{name} must sum to 1 in each row, got a sum of {sums[r]} in row {r}.")


def check_unit_interval(name: str, p: FloatArray) -> None:
    """Raise an error for numbers outside [0, 1]."""
    # Negated, because every comparison with NaN is false.
    wrong = p[~((p >= 0) & (p <= 1))]
    if wrong.size:
        raise ValueError(f"{name} must lie in [0, 1], got {wrong[0]}.")


def label_indices(name: str, values: list[Any], labels: list[Any]) -> IndexArray:
    """Return the index of each value among the labels, -1 if it is not one of them."""
    index = {label: c for c, label in enumerate(labels)}
    found = np.array([index.get(value, -1) for value in values], dtype=np.intp)
    # A class that is not a label counts as a miss. But if no value is one and the types differ, "1" was
    # passed for 1, and every row would silently count as a miss.
    if len(found) and (found < 0).all() and not set(map(_kind, values)) & set(map(_kind, labels)):
        raise ValueError(
            f"{name} and labels must have the same type, got {safe_repr(values[0])} in {name} and "
            f"{safe_repr(labels[0])} in labels."
        )
    return found


def _kind(value: object) -> str:
    """Return the kind of a value; only values of the same kind can be equal, such as 1, 1.0 and True."""
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, Number | np.bool_) else type(value).__name__
