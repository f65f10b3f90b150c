"""The classes and the weights of the training rows."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from skcredal._arrays import AnyArray, CountArray, FloatArray, LabelArray
from skcredal._validation import naming
from skcredal.data.columns import is_missing, read_series, read_text

__all__ = ["ONLY_ZEROS", "check_weights", "encode_target", "read_weights"]

ONLY_ZEROS = "sample_weight must hold a number > 0, got only zeros: no row is left."


def encode_target(y: Any, *, estimator: Any, n_rows: int | None = None) -> tuple[AnyArray, LabelArray]:
    """Return the classes present, sorted, and the place of each row's class among them.

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
    with naming("y"):
        return _encode_classes(y, n_rows)


def _encode_classes(y: Any, n_rows: int | None) -> tuple[AnyArray, LabelArray]:
    _refuse_mask("y", y)
    text = read_text(y)
    if text is not None and n_rows in (None, len(text.codes)) and text.codes.min(initial=0) >= 0:
        return np.array(text.states, object), text.codes.astype(np.int32)
    if isinstance(y, (list, tuple)):
        y = _without_conversion(y)
    target = column_or_1d(read_series(y), warn=True)
    if n_rows is not None and len(target) != n_rows:
        raise ValueError(f"y must have one class for each of the {n_rows} rows of X, got {len(target)}.")
    if target.dtype.kind in "cV":
        raise TypeError(f"y must hold classes (text, numbers, booleans), got values of type {target.dtype}.")
    if target.dtype.kind == "O":
        return _encode_objects(target)
    assert_all_finite(target, input_name="y")
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
    if np.all(weights == 1.0):
        return None
    whole = np.all(weights == np.floor(weights)) and weights.sum() < 2.0**53
    return weights.astype(np.int64) if whole else weights


def check_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weights of some rows as they are, refused if one is negative or not finite.

    Examples
    --------
    >>> check_weights(2, 3)
    array([2., 2., 2.])
    """
    if sample_weight is None:
        return None
    with naming("sample_weight"):
        _refuse_mask("sample_weight", sample_weight)
        weights = _as_numbers(sample_weight, n_rows)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1D, got an array of shape {weights.shape}.")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight must have one number for each of {n_rows} rows, got {len(weights)}.")
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        r = int(wrong.argmax())
        raise ValueError(f"sample_weight must hold finite numbers ≥ 0, got {float(weights[r])!r} in row {r}.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError(
                "sample_weight must hold numbers with a finite sum, got a sum beyond the largest double."
            )
    return weights


def _encode_objects(target: AnyArray) -> tuple[AnyArray, LabelArray]:
    """Do the same for objects; only the different ones among them are sorted and checked."""
    places: dict[Any, int] = {}
    try:
        codes = np.fromiter(
            (places.setdefault(value, len(places)) for value in target), np.int64, len(target)
        )
        different = np.empty(len(places), object)
        different[:] = list(places)
        for place, value in enumerate(different):
            if is_missing(value):
                r = int((codes == place).argmax())
                raise ValueError(
                    f"y contains a missing value ({value!r}, in row {r}); every row needs a class."
                )
        assert_all_finite(different, input_name="y")
        check_classification_targets(different)
        classes, labels = np.unique(different, return_inverse=True)
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in target}))
        raise ValueError(f"y must be all text or all numbers, to have an order, got {kinds}.") from None
    return classes, labels.astype(np.int32)[codes]


def _as_numbers(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return weights as numbers; numpy alone would read text, dates and the real part of complex numbers."""
    if isinstance(sample_weight, Real):
        return np.full(n_rows, float(sample_weight))
    given = np.asarray(read_series(sample_weight))
    if given.dtype.kind == "O" and given.ndim == 1:
        strange = [value for value in given if not (is_missing(value) or isinstance(value, (Real, Decimal)))]
        numbers = np.array([np.nan if is_missing(value) else value for value in given], object)
    else:
        strange = [] if given.dtype.kind in "biuf" else given.ravel()[:1].tolist() or [given.dtype]
        numbers = given
    if strange:
        raise ValueError(f"sample_weight must hold finite numbers ≥ 0, got {strange[0]!r}.")
    return numbers.astype(np.float64)


def _refuse_mask(name: str, given: Any) -> None:
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; give the values alone.")


def _without_conversion(y: list[Any] | tuple[Any, ...]) -> AnyArray:
    """Return a list as an array; numpy alone would turn ["a", nan] into text, and nan into a class."""
    array = np.asarray(y)
    if array.ndim != 1 or array.dtype.kind not in "US" or all(isinstance(value, (str, bytes)) for value in y):
        return array
    objects = np.empty(len(y), object)
    objects[:] = y
    return objects
