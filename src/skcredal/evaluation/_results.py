"""What a classifier achieved on the test rows of a fold: sums that add, from which the measures are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal.metrics._outcomes import class_indices, row_outcomes, row_sums

__all__ = ["Sums", "fold_sums", "pool"]

# By the names of `row_outcomes`; what is about sets is not there for a classifier without sets.
Sums = dict[str, float]


def fold_sums(y_true: AnyArray, y_proba: FloatArray, y_set: BoolArray | None, classes: AnyArray) -> Sums:
    """Return the sums over test rows; a true class that is not among the classes counts as a miss.

    Examples
    --------
    Two rows: the first is right, the second is undecided between both classes:

    >>> import numpy as np
    >>> proba, sets = np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, False], [True, True]])
    >>> sums = fold_sums(np.array(["a", "b"]), proba, sets, np.array(["a", "b"]))
    >>> sums["correct"], sums["decided"], sums["set_correct"], sums["u65"]
    (1.0, 1.0, 1.0, 1.65)
    """
    return row_sums(row_outcomes(class_indices(y_true, classes), y_proba, y_set))


def pool(parts: Iterable[Mapping[str, float]]) -> Sums:
    """Return the sums over all parts, added in the given order."""
    total: Sums = {}
    for part in parts:
        total = {name: total.get(name, 0.0) + value for name, value in part.items()}
    return total
