"""From the caller's arrays to what became of each row, checked once for every measure."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skcredal._validation import naming, real_numbers, refuse_mask, safe_repr

__all__ = [
    "Outcomes",
    "as_labels",
    "as_mask",
    "as_probabilities",
    "as_values",
    "as_weights",
    "positions",
    "true_class_losses",
    "weighted_mean",
]

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Probabilities in single precision sum to one up to about 1e-6; unnormalised scores miss it by far more.
_SUM_TOLERANCE = 1e-4
_LARGEST_WEIGHT = 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What became of each row; what the caller did not give is NaN, and so is every mean of it.

    ``truth`` is the position of the true class among the labels, -1 if it is not one of them; ``size`` the
    number of classes in the set; ``hit`` whether they hold the true one; ``correct`` whether the determinate
    counterpart is right; ``brier`` its loss; ``weight`` how often the row counts.
    """

    truth: IntArray
    size: IntArray
    hit: FloatArray
    correct: FloatArray
    brier: FloatArray
    weight: FloatArray

    @classmethod
    def from_sets(cls, y_set: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Take sets alone: their sizes are known, whether they are right is not."""
        mask = as_mask(y_set)
        unknown = np.full(len(mask), np.nan)
        weight = as_weights(sample_weight, len(mask))
        return cls(np.full(len(mask), -1), mask.sum(axis=1), unknown, unknown, unknown, weight)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_set: ArrayLike,
        labels: ArrayLike | None,
        sample_weight: ArrayLike | None,
        y_pred: ArrayLike | None = None,
        y_proba: ArrayLike | None = None,
    ) -> Self:
        """Take sets with the true classes and, where given, the answers of the determinate counterpart."""
        mask = as_mask(y_set)
        n_rows, n_columns = mask.shape
        values = as_values("y_true", y_true, n_rows)
        classes = as_labels(labels, values, n_columns, "y_set")
        truth = positions("y_true", values, classes)
        known = truth >= 0
        hit = known & mask[np.arange(n_rows), truth]
        correct = brier = np.full(n_rows, np.nan)
        if y_proba is not None:
            proba = as_probabilities(y_proba, n_rows, n_columns)
            brier = true_class_losses(truth, proba)
            correct = (proba.argmax(axis=1) == truth).astype(np.float64)
        if y_pred is not None:
            predicted = positions("y_pred", as_values("y_pred", y_pred, n_rows), classes)
            correct = (known & (predicted == truth)).astype(np.float64)
        weight = as_weights(sample_weight, n_rows)
        return cls(truth, mask.sum(axis=1), hit.astype(np.float64), correct, brier, weight)

    @property
    def single(self) -> BoolArray:
        """Rows answered with one class."""
        rows: BoolArray = self.size == 1
        return rows

    @property
    def several(self) -> BoolArray:
        """Rows answered with more than one class."""
        return self.size > 1

    def only(self, rows: BoolArray) -> Self:
        """Keep the chosen rows."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    def mean(self, values: NDArray[Any]) -> float:
        """Weighted mean over the rows, NaN if they weigh nothing."""
        return weighted_mean(values, self.weight)

    def determinacy(self) -> float:
        """Share of rows answered with one class."""
        return self.mean(self.single)

    def single_accuracy(self) -> float:
        """Accuracy on the rows answered with one class."""
        rows = self.only(self.single)
        return rows.mean(rows.hit)

    def set_accuracy(self) -> float:
        """Share of the sets of several classes that hold the true one."""
        rows = self.only(self.several)
        return rows.mean(rows.hit)

    def output_size(self) -> float:
        """Mean size of the sets of several classes."""
        rows = self.only(self.several)
        return rows.mean(rows.size)

    def utility(self, w: float) -> float:
        """Mean of ``u_w(x)``, ``x`` the discounted accuracy of a row."""
        x = self.hit / np.maximum(self.size, 1)
        # (4w−1)x + (2−4w)x², arranged so that u(1) is 1 to the last bit.
        return self.mean(x + (4 * w - 2) * x * (1 - x))


def weighted_mean(values: NDArray[Any], weight: FloatArray) -> float:
    """Weighted mean, NaN if the weights sum to nothing."""
    total = weight.sum()
    # The product is summed in the same order as the weights, so that a mean of ones is exactly 1.
    return float((weight * values).sum() / total) if total > 0 else float("nan")


def true_class_losses(truth: IntArray, proba: FloatArray) -> FloatArray:
    """``(1 − P(true class))²`` of each row; a class that is not a label has probability 0."""
    p_true = np.where(truth >= 0, proba[np.arange(len(truth)), truth], 0.0)
    losses: FloatArray = (1.0 - p_true) ** 2
    return losses


def as_mask(y_set: ArrayLike) -> BoolArray:
    """Check the sets and return them as booleans."""
    rule = "y_set must be a boolean mask of shape (n_rows, n_classes)"
    try:
        with naming("y_set"):
            refuse_mask("y_set", y_set)
            mask = np.asarray(y_set)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(f"{rule}, got rows of different lengths.") from None
    if mask.ndim != 2 or mask.shape[1] == 0:
        raise ValueError(f"{rule}, got shape {mask.shape}.")
    if mask.size == 0:  # of whatever type: there is nothing in it to be wrong
        return np.zeros(mask.shape, np.bool_)
    if mask.dtype.kind not in "biu":
        raise ValueError(f"{rule} (0 and 1 will do), got values of type {mask.dtype}.")
    wrong = mask[(mask != 0) & (mask != 1)]
    if wrong.size:
        raise ValueError(f"{rule} (0 and 1 will do), got the value {wrong[0]}.")
    return mask.astype(np.bool_)


def as_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """Check the weights; none given means one for each row."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = real_numbers("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one for each row, got {weight.shape}.")
    # Sums of weights beyond the bound would leave the range of doubles.
    wrong = weight[~((weight >= 0) & (weight <= _LARGEST_WEIGHT))]
    if wrong.size:
        raise ValueError(
            f"sample_weight must be finite and not negative, got {wrong[0]} (most: {_LARGEST_WEIGHT:g})."
        )
    return weight


def as_values(name: str, y: ArrayLike, n_rows: int | None = None) -> list[Any]:
    """Return labels as a list of plain values, none of them missing, one for each row."""
    with naming(name):
        return _plain_labels(name, y, n_rows)


def _plain_labels(name: str, y: ArrayLike, n_rows: int | None) -> list[Any]:
    refuse_mask(name, y)
    # As objects, because numpy would turn a list such as ["a", nan] into strings.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {values.shape}.")
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(f"{name} must have one label for each of the {n_rows} rows, got {len(values)}.")
    plain: list[Any] = values.tolist()
    if values.dtype.kind in "fOV":
        for r, value in enumerate(plain):
            if _is_missing(value):
                raise ValueError(f"{name} must not have missing values, got {safe_repr(value)} in row {r}.")
            if not _has_hash(value):
                raise TypeError(f"{name} must hold labels, got a {type(value).__name__} in row {r}.")
    return plain


def as_labels(labels: ArrayLike | None, y_true: list[Any], n_columns: int, table: str) -> list[Any]:
    """Return the classes of the columns: the labels given, or the classes of ``y_true`` in order."""
    if labels is None:
        if not y_true:
            return list(range(n_columns))  # no row asks for a name
        with naming("y_true"):
            found = sorted(set(y_true))
        if len(found) != n_columns:
            raise ValueError(
                f"labels must name the columns of {table} unless y_true shows every class, got {n_columns} "
                f"columns and {len(found)} classes in y_true. Pass labels=clf.classes_."
            )
        return found
    given = as_values("labels", labels)
    if len(given) != n_columns:
        raise ValueError(f"labels must name the {n_columns} columns of {table}, got {len(given)} labels.")
    if len(set(given)) != len(given):
        raise ValueError(f"labels must be distinct, got {safe_repr(given)}.")
    return given


def as_probabilities(y_proba: ArrayLike, n_rows: int, n_columns: int | None = None) -> FloatArray:
    """Check the probabilities; one dimension holds those of the second of two classes."""
    proba = real_numbers("y_proba", y_proba)
    wrong = proba[~((proba >= 0) & (proba <= 1))]
    if wrong.size:
        raise ValueError(f"y_proba must lie in [0, 1], got {wrong[0]}.")
    if proba.ndim == 1:
        proba = np.column_stack([1.0 - proba, proba])
    if proba.ndim != 2 or len(proba) != n_rows or n_columns not in (None, proba.shape[1]):
        columns = "n_classes" if n_columns is None else n_columns
        raise ValueError(f"y_proba must have shape ({n_rows}, {columns}), got {np.shape(y_proba)}.")
    sums = proba.sum(axis=1)
    wrong = sums[np.abs(sums - 1) > _SUM_TOLERANCE]
    if wrong.size:
        raise ValueError(f"y_proba must sum to 1 in each row, got a row that sums to {wrong[0]}.")
    return proba


def positions(name: str, values: list[Any], labels: list[Any]) -> IntArray:
    """Return where each value stands among the labels, -1 if it is not one of them."""
    place = {label: c for c, label in enumerate(labels)}
    found = np.array([place.get(value, -1) for value in values], dtype=np.intp)
    # Rows of unseen classes are missed, but "1" where the labels say 1 is a slip that would miss them all.
    if len(found) and (found < 0).all() and not set(map(_kind, values)) & set(map(_kind, labels)):
        raise ValueError(
            f"{name} and labels must be of one type, got {safe_repr(values[0])} in {name} and "
            f"{safe_repr(labels[0])} in labels."
        )
    return found


def _kind(value: object) -> str:
    """Tell apart what can never be equal: 1, 1.0 and True are one kind, "1" is another."""
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, Number | np.bool_) else type(value).__name__


def _has_hash(value: Any) -> bool:
    # A tuple has one only if all that it holds has one.
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_missing(value: Any) -> bool:
    """None, NaN (not equal to itself) or pandas' NA (neither equal nor unequal)."""
    same = value == value
    return value is None or not (isinstance(same, bool | np.bool_) and same)
