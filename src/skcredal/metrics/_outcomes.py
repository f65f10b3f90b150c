"""The outcome of each row, computed once from the caller's arrays and averaged by every measure."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skcredal._arrays import BoolArray, FloatArray
from skcredal._ties import best_class
from skcredal.metrics._checks import (
    IndexArray,
    as_labels,
    as_mask,
    as_probabilities,
    as_values,
    as_weights,
    label_indices,
)

__all__ = [
    "UTILITY_WEIGHTS",
    "Outcomes",
    "true_class_losses",
    "utility_of_accuracy",
    "weighted_mean",
]

# What a correct set of two classes is worth under the paper's two utilities (§9).
UTILITY_WEIGHTS = {"u65": 0.65, "u80": 0.8}


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The outcome of each row. What the caller did not pass is NaN, and so is every mean of it.

    ``truth`` is the index of the true class among the labels, -1 if it is not one of them; ``size`` is the
    number of classes in the set; ``hit``, whether the true class is in the set; ``correct``, whether the
    determinate counterpart is right; ``brier``, its Brier loss; ``weight``, how often the row counts.
    """

    truth: IndexArray
    size: IndexArray
    hit: FloatArray
    correct: FloatArray
    brier: FloatArray
    weight: FloatArray

    @classmethod
    def from_sets(cls, y_set: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Return outcomes from the sets alone: their sizes are known, but not whether they are right."""
        mask = as_mask(y_set)
        # NaN, so that a measure that needs the true classes cannot come out as a number.
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
        """Return outcomes from sets and true classes and, if given, the determinate counterpart's answers."""
        mask = as_mask(y_set)
        n_rows, n_columns = mask.shape
        values = as_values("y_true", y_true, n_rows)
        classes = as_labels(labels, values, n_columns, "y_set")
        truth = label_indices("y_true", values, classes)
        known = truth >= 0
        # An unknown class has the index -1, which reads the last column; `known` discards it again.
        hit = known & mask[np.arange(n_rows), truth]
        correct = brier = np.full(n_rows, np.nan)
        if y_proba is not None:
            proba = as_probabilities(y_proba, n_rows, n_columns)
            brier = true_class_losses(truth, proba)
            correct = (best_class(proba) == truth).astype(np.float64)
        # y_pred takes precedence: the caller may have broken ties of y_proba in another way.
        if y_pred is not None:
            predicted = label_indices("y_pred", as_values("y_pred", y_pred, n_rows), classes)
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
        """Return the outcomes of some rows."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    def mean(self, values: NDArray[Any]) -> float:
        """Weighted mean over the rows; NaN if the weights sum to 0."""
        return weighted_mean(values, self.weight)

    def determinacy(self) -> float:
        """Share of rows answered with one class."""
        return self.mean(self.single)

    def single_accuracy(self) -> float:
        """Accuracy on the rows answered with one class."""
        rows = self.only(self.single)
        return rows.mean(rows.hit)

    def set_accuracy(self) -> float:
        """Share of the sets of several classes that contain the true one."""
        rows = self.only(self.several)
        return rows.mean(rows.hit)

    def output_size(self) -> float:
        """Mean size of the sets of several classes."""
        rows = self.only(self.several)
        return rows.mean(rows.size)

    def utility(self, w: float) -> float:
        """Mean utility, where a correct set of two classes is worth ``w``."""
        # An empty set is never a hit; the maximum only avoids 0/0.
        return self.mean(utility_of_accuracy(self.hit / np.maximum(self.size, 1), w))


def utility_of_accuracy(x: FloatArray, w: float) -> FloatArray:
    """Return the utility of discounted accuracies: the parabola through (0, 0), (1/2, w) and (1, 1) (§9).

    Examples
    --------
    >>> import numpy as np
    >>> utility_of_accuracy(np.array([0.0, 0.5, 1.0]), 0.8)
    array([0. , 0.8, 1. ])
    """
    # (4w−1)x + (2−4w)x², arranged so that the utility of 1 is 1 to the last bit.
    utility: FloatArray = x + (4 * w - 2) * x * (1 - x)
    return utility


def weighted_mean(values: NDArray[Any], weight: FloatArray) -> float:
    """Return the weighted mean; NaN if the weights sum to 0."""
    total = weight.sum()
    # The product is summed in the same order as the weights, so that a mean of ones is exactly 1.
    return float((weight * values).sum() / total) if total > 0 else float("nan")


def true_class_losses(truth: IndexArray, proba: FloatArray) -> FloatArray:
    """Return ``(1 − P(true class))²`` of each row; a class that is not a label has probability 0."""
    # As above, the index -1 reads the last column, and is discarded.
    p_true = np.where(truth >= 0, proba[np.arange(len(truth)), truth], 0.0)
    losses: FloatArray = (1.0 - p_true) ** 2
    return losses
