"""The results of a classifier on test rows, as sums that can be pooled exactly, and the measures of §9."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal._ties import best_class
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, utility_of_accuracy

__all__ = [
    "LOWEST_PROBABILITY",
    "MEASURES",
    "SUM_NAMES",
    "FoldSums",
    "fold_sums",
    "measures",
    "pool",
    "share",
]


@dataclass(frozen=True, slots=True)
class FoldSums:
    """Sums over the test rows of one fold, or of several.

    Parameters
    ----------
    n, correct : int
        Number of rows, and of those whose most probable class is the true one.
    brier : float
        Sum of (1 - P(true class))², the paper's loss.
    brier_multiclass, log_loss : float
        Sums of the squared errors of all classes' probabilities, and of -log P(true class).
    determinate, single_correct : int
        Number of rows with one class in their set, and of those where it is the true one. This and all that
        follows is 0 for a determinate classifier, which has no sets.
    indeterminate, set_correct, set_size : int
        Number of rows with several classes, of those whose set contains the true one, and sum of set sizes.
    discounted, u65, u80 : float
        Sums of the discounted accuracy and of the utilities.
    dependent_correct : int
        Number of rows with several classes whose most probable class is the true one.
    dependent_u65, dependent_u80 : float
        Sums of the utilities over the rows with several classes.
    fit_seconds, predict_seconds : float
        How long fitting and predicting took, as if the classifier had run alone.
    """

    n: int
    correct: int
    brier: float
    brier_multiclass: float
    log_loss: float
    determinate: int = 0
    single_correct: int = 0
    indeterminate: int = 0
    set_correct: int = 0
    set_size: int = 0
    discounted: float = 0.0
    u65: float = 0.0
    u80: float = 0.0
    dependent_correct: int = 0
    dependent_u65: float = 0.0
    dependent_u80: float = 0.0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0

    def __add__(self, other: FoldSums) -> FoldSums:
        return FoldSums(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


# A probability of 0 would make one row outweigh all others: -log 1e-15 is 34.5.
LOWEST_PROBABILITY = 1e-15

SUM_NAMES = tuple(field.name for field in fields(FoldSums))


def fold_sums(
    y_true: AnyArray,
    y_proba: FloatArray,
    y_set: BoolArray | None,
    classes: AnyArray,
    *,
    fit_seconds: float = 0.0,
    predict_seconds: float = 0.0,
) -> FoldSums:
    """Return the sums over test rows; a true class that is not among the classes counts as a miss.

    Examples
    --------
    Two rows: the first is right, the second is undecided between both classes:

    >>> import numpy as np
    >>> proba, sets = np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, False], [True, True]])
    >>> sums = fold_sums(np.array(["a", "b"]), proba, sets, np.array(["a", "b"]))
    >>> sums.correct, sums.determinate, sums.set_correct, sums.u65
    (1, 1, 1, 1.65)
    """
    rows = np.arange(len(y_true))
    # An unknown class may sort after the last one; is_known discards it.
    index = np.minimum(np.searchsorted(classes, y_true), len(classes) - 1)
    is_known = classes[index] == y_true
    correct = is_known & (best_class(y_proba) == index)
    p_true = np.where(is_known, y_proba[rows, index], 0.0)
    # fsum is exact, so the result depends neither on the order of the rows nor on the machine.
    whole = FoldSums(
        n=len(rows),
        correct=int(correct.sum()),
        brier=math.fsum((1.0 - p_true) ** 2),
        # Σ_c (P(c) − [c true])² = Σ_c P(c)² − 2 P(true) + 1, also where the true class has no column.
        brier_multiclass=math.fsum((y_proba**2).sum(axis=1) - 2.0 * p_true + 1.0),
        log_loss=math.fsum(-np.log(np.maximum(p_true, LOWEST_PROBABILITY))),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
    )
    if y_set is None:
        return whole
    size = y_set.sum(axis=1)
    held = is_known & y_set[rows, index]
    x = np.where(held, 1.0 / size, 0.0)
    u65, u80 = (utility_of_accuracy(x, UTILITY_WEIGHTS[name]) for name in ("u65", "u80"))
    several = size > 1
    return replace(
        whole,
        determinate=int((size == 1).sum()),
        single_correct=int((held & (size == 1)).sum()),
        indeterminate=int(several.sum()),
        set_correct=int((held & several).sum()),
        set_size=int(size[several].sum()),
        discounted=math.fsum(x),
        u65=math.fsum(u65),
        u80=math.fsum(u80),
        dependent_correct=int((correct & several).sum()),
        dependent_u65=math.fsum(u65[several]),
        dependent_u80=math.fsum(u80[several]),
    )


def pool(parts: Iterable[FoldSums]) -> FoldSums:
    """Return the sums over all parts, added in the given order."""
    total = FoldSums(0, 0, 0.0, 0.0, 0.0)
    for part in parts:
        total = total + part
    return total


def measures(sums: FoldSums, *, credal: bool) -> dict[str, float]:
    """Return the measures from pooled sums; NaN if there is nothing to average over."""
    of_sets = (sums.n, sums.determinate, sums.indeterminate) if credal else (0, 0, 0)
    n, determinate, indeterminate = of_sets
    return {
        "accuracy": share(sums.correct, sums.n),
        "brier": share(sums.brier, sums.n),
        "brier_multiclass": share(sums.brier_multiclass, sums.n),
        "log_loss": share(sums.log_loss, sums.n),
        "determinacy": share(sums.determinate, n),
        "single_accuracy": share(sums.single_correct, determinate),
        "set_accuracy": share(sums.set_correct, indeterminate),
        "output_size": share(sums.set_size, indeterminate),
        "discounted_accuracy": share(sums.discounted, n),
        "u65": share(sums.u65, n),
        "u80": share(sums.u80, n),
        # If a set has one class, it is the most probable one.
        "accuracy_safe": share(sums.single_correct, determinate),
        "accuracy_dependent": share(sums.dependent_correct, indeterminate),
        "u65_dependent": share(sums.dependent_u65, indeterminate),
        "u80_dependent": share(sums.dependent_u80, indeterminate),
    }


def share(part: float, whole: float) -> float:
    """Return the quotient, NaN if there is nothing to divide by."""
    return part / whole if whole else math.nan


# In the order of the columns in summary.csv.
MEASURES = tuple(measures(FoldSums(0, 0, 0.0, 0.0, 0.0), credal=True))
