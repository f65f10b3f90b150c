"""What a classifier said about each row while it was in the test fold; of the least certain ones also why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._ties import best_class
from skcredal.classifiers._answers import answers
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalSpodesMixin
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.evaluation._changes import single_changes
from skcredal.evaluation._fold import Answer
from skcredal.evaluation._names import is_below
from skcredal.evaluation._words import values_with_bins

if TYPE_CHECKING:
    import pandas

__all__ = ["Cases", "case_details", "fold_cases", "importance", "join_cases", "least_certain"]

# A model with less weight has none to speak of under any prior of a set.
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """What a classifier said about each row while it was in the test fold."""

    true: IntArray  # (n_rows,): the true class, as an index into all classes
    proba: FloatArray  # (n_rows, n_classes): probabilities; 0 for a class that the training fold lacks
    # (n_rows, n_classes): the sets; of a classifier without sets, the most probable class alone
    sets: BoolArray
    # (n_rows,): how much of the prior may be replaced before the answer changes, or, for a set of weights,
    # the credibility up to which it stays the same; NaN if the classifier has no robustness, or was not asked
    # for it
    robustness: FloatArray
    details: dict[int, dict[str, Any]]  # more about the least certain rows, by row: see :func:`case_details`
    # by feature: by how much it moves the log-odds of the answer over its rival, up or down, summed over the
    # rows; empty if the contributions of the features do not add up
    importance: dict[str, float] = field(default_factory=dict)

    @property
    def predicted(self) -> IntArray:
        """The index of the most probable class of each row."""
        return best_class(self.proba)

    @property
    def undecided(self) -> BoolArray:
        """Which rows have several classes in their set."""
        return np.asarray(self.sets.sum(axis=1) > 1)

    @property
    def correct(self) -> BoolArray:
        """For which rows the most probable class is the true one."""
        return np.asarray(self.predicted == self.true)

    @property
    def probability(self) -> FloatArray:
        """The probability of the most probable class of each row."""
        return np.asarray(self.proba[np.arange(len(self.true)), self.predicted])

    @property
    def set_probability(self) -> FloatArray:
        """The probability of all classes of each set together."""
        return np.asarray((self.proba * self.sets).sum(axis=1))

    @property
    def contains(self) -> BoolArray:
        """For which rows the set contains the true class."""
        return np.asarray(self.sets[np.arange(len(self.true)), self.true])

    def close_calls(self, threshold: float) -> BoolArray:
        """Which rows have a single class, but with a probability below a threshold."""
        return np.asarray(~self.undecided & is_below(self.probability, threshold))


def fold_cases(answer: Answer, true: IntArray, classes: AnyArray) -> Cases:
    """Return the cases of a fold; where its training rows lack a class, that class has zeros."""
    columns = np.searchsorted(classes, answer.learner.classes_)
    proba = np.zeros((len(true), len(classes)))
    proba[:, columns] = answer.proba
    sets = np.eye(len(classes), dtype=np.bool_)[best_class(proba)]
    if answer.sets is not None:
        sets[:] = False
        sets[:, columns] = answer.sets
    return Cases(true, proba, sets, np.full(len(true), np.nan), {})


def join_cases(parts: Sequence[Cases], rows: IntArray) -> Cases:
    """Put the cases of all folds of a run, which are about these rows, into the order of the table."""
    order = np.argsort(rows)
    arrays = ((part.true, part.proba, part.sets, part.robustness) for part in parts)
    true, proba, sets, robustness = (np.concatenate(some)[order] for some in zip(*arrays, strict=True))
    details = {r: about for part in parts for r, about in part.details.items()}
    importances = Counter[str]()
    for part in parts:
        importances.update(part.importance)
    return Cases(true, proba, sets, robustness, details, dict(importances))


def least_certain(cases: Cases, n: int) -> IntArray:
    """Return the n least certain rows: undecided ones first, then by probability and robustness in turn."""
    probability, decided = cases.probability, ~cases.undecided
    # NaN sorts last: without robustness, all rows keep the order of their probabilities.
    ranks = [np.argsort(np.lexsort((probability, key, decided))) for key in (probability, cases.robustness)]
    # The row with the best rank in either order comes first; the least probable one where both are equal.
    return np.lexsort((ranks[0], np.minimum(*ranks)))[:n]


def case_details(
    learner: TabularClassifier,
    rows: pandas.DataFrame,
    training: pandas.DataFrame,
    classes: AnyArray,
    n_changed: int,
) -> list[dict[str, Any]]:
    """Return what there is to say about rows beyond the answers.

    Each has, as far as the classifier can tell, ``interval``: lower and upper probabilities; ``reason``: what
    ``explain`` returns; ``values``: the cells as a reader sees them; ``left_out``: the models without weight;
    and the first rows have ``changes``: what would change the answer.
    """
    columns = np.searchsorted(classes, learner.classes_)
    found: list[dict[str, Any]] = [{} for _ in range(len(rows))]
    if isinstance(learner, CredalMixin):
        bounds = np.zeros((len(rows), len(classes), 2))
        bounds[:, columns] = answers(learner, rows).interval
        for details, interval in zip(found, bounds, strict=True):
            details["interval"] = interval
    if hasattr(learner, "explain"):
        reasons, values = learner.explain(rows).to_dict("records"), values_with_bins(learner, rows)
        for details, reason, cells in zip(found, reasons, values, strict=True):
            details |= {"reason": reason, "values": cells, "left_out": _without_weight(learner)}
    for details, changes in zip(found, single_changes(learner, rows[:n_changed], training), strict=False):
        details["changes"] = [
            change._replace(remaining=tuple(columns[list(change.remaining)].tolist())) for change in changes
        ]
    return found


def importance(learner: TabularClassifier, rows: pandas.DataFrame, n_rows: int) -> dict[str, float]:
    """Return how much each feature moves the log-odds, summed over so many rows like these."""
    if not isinstance(learner, CredalLogPoolAODE):
        return {}
    reasons = learner.explain(rows)
    names, index = np.unique(reasons["features"].tolist(), return_inverse=True)
    moves = np.bincount(index.ravel(), np.abs(reasons["contributions"].tolist()).ravel(), len(names))
    return dict(zip(names.tolist(), (moves * n_rows / len(rows)).tolist(), strict=True))


def _without_weight(learner: TabularClassifier) -> list[str]:
    """Return the names of the models that have practically no weight."""
    if not isinstance(learner, CredalSpodesMixin):
        return []
    names = [name if isinstance(name, str) else f"feature {name}" for name in learner.super_parents_]
    return [str(name) for name, w in zip(names, learner.weights_, strict=True) if abs(w) < _NEGLIGIBLE]
