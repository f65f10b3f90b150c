"""What a classifier said about each row while it was in the test fold; of the least certain ones also why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._ties import best_class
from skcredal.classifiers._answers import answers
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalSpodesMixin
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.evaluation._changes import Change, single_changes
from skcredal.evaluation._fold import Answer
from skcredal.evaluation._names import is_below
from skcredal.evaluation._values import values_with_bins

if TYPE_CHECKING:
    import pandas

__all__ = ["CaseDetails", "Cases", "FoldCases", "Wanted", "fold_cases", "join_cases", "least_certain"]

# For how many cases of all folds together a classifier is asked why; and what would change its answer.
_EXPLAINED = 300
_CHANGED = 50
# A model with less weight has none to speak of under any prior of a set.
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class CaseDetails:
    """What is known about one of the least certain cases beyond its answer, where the classifier can tell.

    These are lower and upper probabilities, what ``explain`` returns, the cells of the row as a reader sees
    them, the models without weight, and what would change the answer.
    """

    interval: FloatArray | None
    reason: dict[str, Any] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    changes: list[Change] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """What a classifier said about each row while it was in the test fold.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        All classes of the table, sorted.
    true, predicted : ndarray of int of shape (n_rows,)
        Indices into ``classes``.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities under the reference prior or the best weights; 0 for a class that is absent from the
        training fold.
    sets : ndarray of bool of shape (n_rows, n_classes)
        The sets; of a classifier without sets, the most probable class alone.
    robustness : ndarray of shape (n_rows,)
        How much of the prior may be replaced before the answer changes, or, of weights, up to which
        credibility it does not; NaN if the classifier cannot tell.
    details : dict
        More about the least certain rows, by row.
    over : {"prior", "weights"}, optional
        What the sets, bounds and robustness range over; ``None`` for a classifier without sets.
    """

    classes: AnyArray
    true: IntArray
    predicted: IntArray
    proba: FloatArray
    sets: BoolArray
    robustness: FloatArray
    details: dict[int, CaseDetails]
    over: str | None = None

    @property
    def undecided(self) -> BoolArray:
        """Which rows have several classes in their set."""
        several: BoolArray = self.sets.sum(axis=1) > 1
        return several

    @property
    def correct(self) -> BoolArray:
        """For which rows the most probable class is the true one."""
        right: BoolArray = self.predicted == self.true
        return right

    @property
    def probability(self) -> FloatArray:
        """The probability of the most probable class of each row."""
        largest: FloatArray = self.proba[np.arange(len(self.predicted)), self.predicted]
        return largest

    def close_calls(self, threshold: float) -> BoolArray:
        """Which rows have a single class, but with a probability below a threshold."""
        close: BoolArray = ~self.undecided & is_below(self.probability, threshold)
        return close


@dataclass(frozen=True, slots=True, eq=False)
class FoldCases:
    """The cases of one fold: its test rows, with everything else as in :class:`Cases`."""

    test: IntArray
    proba: FloatArray
    sets: BoolArray
    robustness: FloatArray
    details: dict[int, CaseDetails]
    over: str | None


class Wanted(NamedTuple):
    """What is to be known of the cases of a fold; with the ``opening`` classifier's name, also why."""

    features: pandas.DataFrame
    test: IntArray
    classes: AnyArray
    folds: int
    opening: str | None


def least_certain(probability: FloatArray, undecided: BoolArray, robustness: FloatArray, n: int) -> IntArray:
    """Return the n least certain rows: undecided ones first, then by probability and robustness in turn."""
    # NaN sorts last: without robustness, all rows keep the order of their probabilities.
    ranks = [np.argsort(np.lexsort((probability, key, ~undecided))) for key in (probability, robustness)]
    # The row with the best rank in either order comes first; the least probable one where both are equal.
    return np.lexsort((ranks[0], np.minimum(*ranks)))[:n]


def fold_cases(name: str, answer: Answer, wanted: Wanted) -> FoldCases:
    """Return what a classifier that learned a fold says about its test rows, and what is wanted beside."""
    test, classes, learner = wanted.test, wanted.classes, answer.learner
    # A training fold may lack a class; its columns keep their zeros.
    columns = np.searchsorted(classes, learner.classes_)
    proba = np.zeros((len(test), len(classes)))
    proba[:, columns] = answer.proba
    sets = np.zeros(proba.shape, np.bool_)
    if answer.sets is None:
        sets[np.arange(len(test)), best_class(proba)] = True
    else:
        sets[:, columns] = answer.sets
    over = None
    if isinstance(learner, CredalMixin):
        over = "weights" if isinstance(learner, CredalLogPoolAODE) else "prior"
    robustness, details = np.full(len(test), np.nan), dict[int, CaseDetails]()
    if wanted.opening is not None and isinstance(learner, TabularClassifier):
        if isinstance(learner, (CredalSpodesMixin, CredalLogPoolAODE)):
            robustness = learner.robustness(wanted.features.iloc[test])
        # As many of each fold: which folds a row is in is chance, so that these are the least certain of all.
        n_explained, n_changed = (-(-most // wanted.folds) for most in (_EXPLAINED, _CHANGED))
        chosen = least_certain(proba.max(axis=1), sets.sum(axis=1) > 1, robustness, n_explained)
        rows = wanted.features.iloc[test[chosen]]
        training = wanted.features.iloc[np.delete(np.arange(len(wanted.features)), test)]
        found = _details(learner, rows, training, classes, n_changed if name == wanted.opening else 0)
        details = dict(zip(test[chosen].tolist(), found, strict=True))
    return FoldCases(test, proba, sets, robustness, details, over)


def _details(
    learner: TabularClassifier,
    rows: pandas.DataFrame,
    training: pandas.DataFrame,
    classes: AnyArray,
    n_changed: int,
) -> list[CaseDetails]:
    columns = np.searchsorted(classes, learner.classes_)
    n = len(rows)
    interval: list[Any] = [None] * n
    if isinstance(learner, CredalMixin):
        bounds = np.zeros((n, len(classes), 2))
        bounds[:, columns] = answers(learner, rows).interval
        interval = list(bounds)
    reasons: list[dict[str, Any]] = [{}] * n
    values: list[dict[str, str]] = [{}] * n
    if isinstance(learner, (CredalSpodesMixin, CredalLogPoolAODE)):
        reasons = learner.explain(rows).to_dict("records")
        values = values_with_bins(learner, rows)
    left_out = _without_weight(learner)
    changes: list[list[Change] | None] = [None] * n
    for r, found in enumerate(single_changes(learner, rows.iloc[:n_changed], training) if n_changed else ()):
        changes[r] = [
            change._replace(remaining=tuple(columns[list(change.remaining)].tolist())) for change in found
        ]
    return [CaseDetails(interval[r], reasons[r], values[r], left_out, changes[r]) for r in range(n)]


def _without_weight(learner: TabularClassifier) -> list[str]:
    """Return the names of the models that have practically no weight."""
    if not isinstance(learner, CredalSpodesMixin):
        return []
    names = [name if isinstance(name, str) else f"feature {name}" for name in learner.super_parents_]
    return [str(name) for name, w in zip(names, learner.weights_, strict=True) if abs(w) < _NEGLIGIBLE]


def join_cases(parts: Sequence[FoldCases], classes: AnyArray, true: IntArray) -> Cases:
    """Put the cases of all folds of a run into the order of the rows."""
    n, n_classes = len(true), len(classes)
    proba, sets = np.zeros((n, n_classes)), np.zeros((n, n_classes), np.bool_)
    robustness = np.full(n, np.nan)
    details: dict[int, CaseDetails] = {}
    for part in parts:
        proba[part.test], sets[part.test] = part.proba, part.sets
        robustness[part.test] = part.robustness
        details |= part.details
    return Cases(classes, true, best_class(proba), proba, sets, robustness, details, parts[0].over)
