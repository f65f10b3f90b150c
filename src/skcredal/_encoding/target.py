"""The classes and the weights of the training rows."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from skcredal._arrays import AnyArray, CountArray, FloatArray, LabelArray
from skcredal._encoding.factors import (
    FirstOccurrences,
    as_bytes,
    factor_of_bytes,
    factor_of_small_integers,
    is_missing,
    plain_numbers,
)
from skcredal._encoding.frames import read_series, read_text
from skcredal._validation import naming, real_numbers, refuse_mask, safe_repr

__all__ = ["ONLY_ZEROS", "check_spread", "check_weights", "encode_target", "read_weights"]

ONLY_ZEROS = "sample_weight must hold a number > 0, got only zeros: no row is left."

_ROWS_WORTH_A_KERNEL = 100_000
# Sums of more extreme weights, or their likelihoods, would leave the range of doubles.
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-100, 1e100
# Beside a weight so many times as large, a row of the least weight is within rounding of none at all.
_MOST_SPREAD = 1e12


@naming("y")
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
    # Text is left to the library that holds it. If a class is missing, the way below says in which row.
    text = read_text(y)
    if text is not None and n_rows in (None, len(text.codes)) and text.codes.min(initial=0) >= 0:
        return np.array(text.states, object), text.codes.astype(np.int32)
    if isinstance(y, (list, tuple)):
        y = _without_conversion(y)
    target = read_series(y)
    if type(target) is not np.ndarray or target.ndim != 1:
        target = column_or_1d(target, warn=True)
    if n_rows is not None and len(target) != n_rows:
        raise ValueError(f"y must have one class for each of the {n_rows} rows of X, got {len(target)}.")
    if target.dtype.kind in "cV":
        raise TypeError(f"y must hold classes (text, numbers, booleans), got values of type {target.dtype}.")
    if target.dtype.kind == "O":
        return _encode_objects(target)
    assert_all_finite(target, input_name="y")
    if target.dtype.kind in "iu" and len(target):
        low, high = int(target.min()), int(target.max())
        # Few integers close together are certainly classes, and need no sorting.
        if 2 * (high - low + 1) <= len(target):
            # A kernel is faster, but fewer rows are not worth compiling it.
            bytes_ = as_bytes(plain_numbers(target)) if len(target) >= _ROWS_WORTH_A_KERNEL else None
            factor = (
                factor_of_small_integers(target, low, high) if bytes_ is None else factor_of_bytes(bytes_)
            )
            return np.array(factor.states, target.dtype), factor.codes.astype(np.int32)
    # Refuses numbers that look like the target of a regression.
    check_classification_targets(target)
    classes, labels = np.unique(target, return_inverse=True)
    return classes, labels.astype(np.int32)


def read_weights(sample_weight: Any, n_rows: int) -> CountArray | None:
    """Return the weights of the rows, whole numbers as integers; ``None`` where every row counts once.

    Examples
    --------
    >>> read_weights([2.0, 0.0, 1.0], 3)
    array([2, 0, 1])
    >>> read_weights([1, 1, 1], 3) is None
    True
    """
    weights = check_weights(sample_weight, n_rows)
    if weights is None:
        return None
    if not weights.any():
        raise ValueError(ONLY_ZEROS)
    # Without weights counting is faster, and the answer the same (§2).
    if np.all(weights == 1.0):
        return None
    # Integers add exactly in any order, as long as doubles hold them exactly, too.
    whole = np.all(weights == np.floor(weights)) and weights.sum() < 2.0**53
    return weights.astype(np.int64) if whole else weights


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of some rows as they are, or refuse them if one is negative or not finite.

    Examples
    --------
    >>> check_weights(2, 3)
    array([2., 2., 2.])
    """
    if sample_weight is None:
        return None
    with naming("sample_weight"):
        given = (
            np.full(n_rows, sample_weight) if isinstance(sample_weight, Real) else read_series(sample_weight)
        )
        weights = real_numbers("sample_weight", given, "hold finite numbers ≥ 0")
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1D, got an array of shape {weights.shape}.")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight must have one number for each of {n_rows} rows, got {len(weights)}.")
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        r = int(wrong.argmax())
        raise ValueError(f"sample_weight must hold finite numbers ≥ 0, got {float(weights[r])!r} in row {r}.")
    beyond = (weights > 0.0) & ((weights < _LEAST_WEIGHT) | (weights > _MOST_WEIGHT))
    if beyond.any():
        r = int(beyond.argmax())
        raise ValueError(
            f"sample_weight must hold 0 or numbers from {_LEAST_WEIGHT:g} to {_MOST_WEIGHT:g}, got "
            f"{float(weights[r])!r} in row {r}."
        )
    positive = weights[weights > 0.0]
    if len(positive):
        check_spread(float(positive.min()), float(positive.max()))
    return weights


def check_spread(least: float, most: float) -> None:
    """Refuse weights of which some rows have so much more than others that these are lost in the sums."""
    if most > _MOST_SPREAD * least:
        raise ValueError(
            f"sample_weight must hold positive numbers within a ratio of 1e12, got {least!r} and {most!r}."
        )


def _encode_objects(target: AnyArray) -> tuple[AnyArray, LabelArray]:
    """Return classes and labels of objects; only the distinct ones are sorted and checked."""
    numbering = FirstOccurrences()
    try:
        codes = np.fromiter(map(numbering.__getitem__, target), np.int64, len(target))
        # Filled in, not converted: numpy would take tuples for another dimension.
        different = np.empty(len(numbering), object)
        different[:] = list(numbering)
        for code, value in enumerate(different):
            if is_missing(value):
                r = int((codes == code).argmax())
                raise ValueError(
                    f"y contains a missing value ({safe_repr(value)}, in row {r}); every row needs a class."
                )
        assert_all_finite(different, input_name="y")
        check_classification_targets(different)
        classes, labels = np.unique(different, return_inverse=True)
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in target}))
        raise ValueError(
            f"y must be all text or all numbers, so that classes can be sorted, got {kinds}."
        ) from None
    return classes, labels.astype(np.int32)[codes]


def _without_conversion(y: list[Any] | tuple[Any, ...]) -> AnyArray:
    """Return a list as an array, without turning ["a", nan] into text, which would make nan a class."""
    array = np.asarray(y)
    if array.ndim != 1 or array.dtype.kind not in "US" or all(isinstance(value, (str, bytes)) for value in y):
        return array
    objects = np.empty(len(y), object)
    objects[:] = y
    return objects
