"""What happened in each row, and the measures made of it: one definition for all of the package.

``row_outcomes`` returns one number a row for each outcome. Their sums add over rows, folds and data sets,
and every measure is a quotient of two of these sums (`MEASURES`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._ties import best_class

# What a correct set of two classes is worth under the paper's two utilities (§9).
UTILITY_WEIGHTS = {"u65": 0.65, "u80": 0.8}
# A probability of 0 would make one row outweigh all others: -log 1e-15 is 34.5.
_LOWEST_PROBABILITY = 1e-15

# Each measure of §9 is a sum of outcomes divided by another.
MEASURES = {
    "accuracy": ("correct", "n"),
    "brier": ("brier", "n"),
    "brier_multiclass": ("brier_multiclass", "n"),
    "log_loss": ("log_loss", "n"),
    "determinacy": ("decided", "n"),
    "single_accuracy": ("single_correct", "decided"),
    "set_accuracy": ("set_correct", "undecided"),
    "output_size": ("set_size", "undecided"),
    "discounted_accuracy": ("discounted", "n"),
    "u65": ("u65", "n"),
    "u80": ("u80", "n"),
    "accuracy_undecided": ("correct_undecided", "undecided"),
    "u65_undecided": ("u65_undecided", "undecided"),
    "u80_undecided": ("u80_undecided", "undecided"),
}


def class_indices(labels: AnyArray | Sequence[Any], classes: AnyArray | Sequence[Any]) -> IntArray:
    """Return the index of each label among the classes, -1 if it is not one of them.

    Examples
    --------
    >>> class_indices(["b", "a", "z"], ["a", "b"])
    array([ 1,  0, -1])
    """
    index = {label: c for c, label in enumerate(classes)}
    return np.array([index.get(label, -1) for label in labels], dtype=np.int64)


def row_outcomes(
    true: IntArray,
    proba: FloatArray | None = None,
    sets: BoolArray | None = None,
    best: IntArray | None = None,
) -> dict[str, AnyArray]:
    """Return what happened in each row, as one array of length n_rows for each outcome.

    ``true`` is the index of the true class, -1 if it has no column: then the row counts as a miss. ``best``
    is the index of the single answer, by default the first of the most probable classes.

    - always ``n``: 1;
    - from ``proba`` or ``best``, ``correct``: whether the single answer is the true class;
    - from ``proba``, ``brier``: (1 − P(true class))², the paper's loss; ``brier_multiclass``: the sum of the
      squared errors over all classes; ``log_loss``: −log P(true class);
    - from ``sets``, ``decided``: whether the set contains one class, ``single_correct``: and it is the true
      one; ``undecided``: whether it contains several, ``set_correct``: and one is the true one, ``set_size``:
      their number (0 for a decided row); ``discounted``: 1/m if one of the m classes is the true one, else 0;
      ``u65`` and ``u80``: its utilities; ``u65_undecided``, ``u80_undecided``: these on undecided rows;
    - from both, ``correct_decided``, ``correct_undecided``: ``correct`` on decided and undecided rows.

    Examples
    --------
    The first row is right, the second is undecided between both classes:

    >>> import numpy as np
    >>> proba, sets = np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, False], [True, True]])
    >>> rows = row_outcomes(np.array([0, 1]), proba, sets)
    >>> rows["correct"], rows["decided"], rows["set_correct"], rows["u65"]
    (array([ True, False]), array([ True, False]), array([False,  True]), array([1.  , 0.65]))
    """
    each = np.arange(len(true))
    # The index -1 reads the last column; is_known discards it again.
    is_known = true >= 0
    rows: dict[str, AnyArray] = {"n": np.ones(len(true), np.int64)}
    if proba is not None:
        p_true = np.where(is_known, proba[each, true], 0.0)
        rows["brier"] = (1.0 - p_true) ** 2
        # Σ_c (P(c) − [c true])² = Σ_c P(c)² − 2 P(true) + 1, also where the true class has no column.
        rows["brier_multiclass"] = (proba**2).sum(axis=1) - 2.0 * p_true + 1.0
        rows["log_loss"] = -np.log(np.maximum(p_true, _LOWEST_PROBABILITY))
        best = best_class(proba) if best is None else best
    if best is not None:
        rows["correct"] = is_known & (best == true)
    if sets is None:
        return rows
    size = sets.sum(axis=1)
    contains = is_known & sets[each, true]
    decided, undecided = size == 1, size > 1
    # An empty set contains nothing; the maximum only avoids 0/0.
    rows["discounted"] = contains / np.maximum(size, 1)
    rows |= {"decided": decided, "single_correct": contains & decided}
    rows |= {"undecided": undecided, "set_correct": contains & undecided, "set_size": size * undecided}
    for name, w in UTILITY_WEIGHTS.items():
        rows[name] = utility_of_accuracy(rows["discounted"], w)
        rows[f"{name}_undecided"] = rows[name] * undecided
    if best is not None:
        rows["correct_decided"] = rows["correct"] & decided
        rows["correct_undecided"] = rows["correct"] & undecided
    return rows


def row_sums(rows: Mapping[str, AnyArray], weight: FloatArray | float = 1.0) -> dict[str, float]:
    """Return the weighted sum of each outcome; it depends neither on the order of rows nor on the machine."""
    return {name: math.fsum((weight * values).tolist()) for name, values in rows.items()}


def measures(sums: Mapping[str, float]) -> dict[str, float]:
    """Return every measure from sums of outcomes, pooled over any rows; NaN where there is nothing to divide.

    Examples
    --------
    >>> found = measures({"n": 4.0, "correct": 3.0})
    >>> found["accuracy"], found["u65"]
    (0.75, nan)
    """
    return {
        name: quotient(sums.get(part, math.nan), sums.get(whole, math.nan))
        for name, (part, whole) in MEASURES.items()
    }


def quotient(part: float, whole: float) -> float:
    """Return part/whole, NaN if there is nothing to divide by."""
    return part / whole if whole else math.nan


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


def weighted_mean(values: AnyArray, weight: FloatArray) -> float:
    """Return the weighted mean; NaN if the weights sum to 0."""
    return quotient(math.fsum((weight * values).tolist()), math.fsum(weight.tolist()))
