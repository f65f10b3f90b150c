"""Learning in passes over parts of the rows: each pass sums what the parts add, and must see the same rows.

1. encoding: the classes, and the statistics that states and cuts are learned from;
2. counts;
3. what the weights of the models depend on: likelihoods, or some of the rows themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._encoding.statistics import MOST_CELLS, Statistics
from skcredal._ensemble.counts import class_counts
from skcredal._threads import thread_count
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import LabelledRows, MemoryRows, Part, rules_of

__all__ = ["PassRows", "check_learner"]

Value = TypeVar("Value")
CHANGED = "The batches must hold the same rows in every pass"


def check_learner(estimator: Any) -> None:
    """Refuse an estimator that cannot learn from sums over parts of the rows."""
    reason = getattr(estimator, "_needs_all_rows", "it is not a classifier of skcredal")
    if not isinstance(estimator, TabularClassifier) or reason is not None:
        name = type(estimator).__name__
        raise TypeError(f"{name} cannot learn from rows that are not in memory: {reason}.")


class PassRows(ABC):
    """Training rows that are summed part by part, in a pass for each sum."""

    def __init__(self, classifier: TabularClassifier) -> None:
        self.classifier = classifier
        statistics: Statistics = self._pass("encoding", partial(_statistics, classifier))
        self.encoding = statistics.learn(rules_of(classifier), getattr(classifier, "feature_names_in_", None))
        self.classes, self._n_c = statistics.classes, statistics.n_c

    def sum(self, work: Callable[[Part], Value], stage: str, key: Hashable = None) -> Value:
        """Return the sum of the work over all parts."""
        # Not self, as Dask sends to the workers what the function below refers to.
        encoding, classes, n_threads = self.encoding, self.classes, thread_count(self.classifier.n_jobs)

        def summed(rows: LabelledRows, first: int) -> _Summed:
            part = MemoryRows.encoded(encoding, rows.among(classes, CHANGED), n_threads=n_threads).part
            part = part._replace(numbers=part.numbers + first)
            return _Summed(work(part), class_counts(part.labels, part.weights, len(classes)))

        found: _Summed = self._pass(stage, summed)
        # Sums of real weights differ in their last digits if the parts come in another order.
        if not np.allclose(found.n_c, self._n_c, rtol=1e-9, atol=0.0):
            first, now = self._n_c.tolist(), found.n_c.tolist()
            raise ValueError(f"{CHANGED}, got {first} of the classes at first, and {now} for the {stage}.")
        value: Value = found.value
        return value

    @abstractmethod
    def _pass(self, stage: str, work: Callable[[LabelledRows, int], Any]) -> Any:
        """Return the sum of what the work makes of the rows of each part and the number of its first row.

        Parts without rows of positive weight are left out, but not all of them may be such.
        """


@dataclass(frozen=True, eq=False)
class _Summed:
    """What some rows add to a sum, and their classes."""

    value: Any
    n_c: FloatArray

    def __add__(self, other: _Summed) -> _Summed:
        return _Summed(self.value + other.value, self.n_c + other.n_c)


def _statistics(classifier: TabularClassifier, rows: LabelledRows, first: int) -> Statistics:
    names, n_threads = getattr(classifier, "feature_names_in_", None), thread_count(classifier.n_jobs)
    return Statistics.of_rows(*rows, rules_of(classifier), names, limit=MOST_CELLS, n_threads=n_threads)
