"""The classes and the weights of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from skcredal._arrays import AnyArray, FloatArray, LabelArray
from skcredal._encoding.columns import is_missing, number_objects, number_small_integers
from skcredal._encoding.tables import read_series
from skcredal._validation import naming, real_numbers, refuse_mask, safe_repr

__all__ = ["ONLY_ZEROS", "check_weights", "encode_target", "read_weights"]

ONLY_ZEROS = "sample_weight must contain a number > 0, got only zeros: no row is left."
# Sums of more extreme weights, or their likelihoods, would leave the range of doubles.
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-100, 1e100
# Next to a weight this many times as large, a row of the least weight is lost in the rounding of sums.
_MOST_SPREAD = 1e12


def encode_target(y: Any, *, estimator: Any, n_rows: int | None = None) -> tuple[AnyArray, LabelArray]:
    """Return the classes present, sorted, and the index of each row's class among them.

    Examples
    --------
    >>> classes, labels = encode_target(["yes", "no", "yes"], estimator=None)
    >>> classes
    array(['no', 'yes'], dtype='<U3')
    >>> labels
    array([1, 0, 1], dtype=int32)
    """
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    refuse_mask("y", y)
    with naming("y"):  # scikit-learn and the libraries of tables refuse in their own words
        target = read_series(_without_conversion(y) if isinstance(y, (list, tuple)) else y)
        if type(target) is not np.ndarray or target.ndim != 1:
            target = column_or_1d(target, warn=True)
        if n_rows is not None and len(target) != n_rows:
            raise ValueError(f"y must have one class for each of the {n_rows} rows of X, got {len(target)}.")
        if target.dtype.kind in "cV":
            raise TypeError(
                f"y must contain classes (text, numbers, booleans), got values of type {target.dtype}."
            )
        # Integers that repeat are certainly classes, and need no sorting.
        small = number_small_integers(target) if target.dtype.kind in "iu" else None
        if small is not None and 2 * len(small[1]) <= len(target):
            return np.array(small[1], target.dtype), small[0].astype(np.int32)
        codes, different = _number(target) if target.dtype.kind == "O" else (slice(None), target)
        try:
            assert_all_finite(different, input_name="y")
            # Refuses numbers that look like the target of a regression, and warns if most rows have different
            # ones. Of objects that repeat, two of each tell as much as all rows.
            few = 2 * len(different) <= len(target)
            check_classification_targets(np.repeat(different, 2) if few else different[codes])
            classes, labels = np.unique(different, return_inverse=True)
        except TypeError as error:
            kinds = " and ".join(sorted({type(value).__name__ for value in target}))
            raise ValueError(
                f"y must be all text or all numbers, so that classes can be sorted, got {kinds}."
            ) from error
    return classes, labels.astype(np.int32)[codes]


def _number(target: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the index of each object among the different ones, and these, which are sorted and checked."""
    codes, found = number_objects(target)
    for code, value in enumerate(found):
        if is_missing(value):
            r = int((codes == code).argmax())
            raise ValueError(
                f"y contains a missing value ({safe_repr(value)}, in row {r}); every row needs a class."
            )
    kind = bool if {type(value) for value in found} <= {bool, np.bool_} else object
    return codes, np.fromiter(found, kind)


def _without_conversion(y: list[Any] | tuple[Any, ...]) -> AnyArray:
    """Return a list as an array, without turning ["a", nan] into text, which would make nan a class."""
    array = np.asarray(y)
    if array.ndim != 1 or array.dtype.kind not in "US" or all(isinstance(value, (str, bytes)) for value in y):
        return array
    return np.array(y, object)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of all rows, of which some must be positive; ``None`` where none were given.

    Examples
    --------
    >>> read_weights([2, 0, 1], 3)
    array([2., 0., 1.])
    """
    weights = check_weights(sample_weight, n_rows)
    if weights is not None and not weights.any():
        raise ValueError(ONLY_ZEROS)
    return weights


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of some rows, maybe all 0, or refuse them if one is negative or not finite.

    Examples
    --------
    >>> check_weights(2, 3)
    array([2., 2., 2.])
    """
    if sample_weight is None:
        return None
    rule = f"contain 0 or numbers from {_LEAST_WEIGHT:g} to {_MOST_WEIGHT:g}"
    with naming("sample_weight"):
        weights = real_numbers("sample_weight", read_series(sample_weight), rule)
    weights = np.full(n_rows, weights) if weights.ndim == 0 else weights
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must be 1D, with one number for each of {n_rows} rows, got an array of shape "
            f"{weights.shape}."
        )
    is_weight = (weights == 0.0) | ((weights >= _LEAST_WEIGHT) & (weights <= _MOST_WEIGHT))
    if not is_weight.all():
        r = int(is_weight.argmin())
        raise ValueError(f"sample_weight must {rule}, got {float(weights[r])!r} in row {r}.")
    least, most = weights.min(initial=np.inf, where=weights > 0.0), weights.max(initial=0.0)
    if most > _MOST_SPREAD * least:
        raise ValueError(
            "sample_weight must contain positive numbers within a ratio of 1e12, got "
            f"{float(least)!r} and {float(most)!r}."
        )
    return weights
