"""Learning in passes over parts of the rows: each pass sums what the parts add, and must see the same rows.

1. encoding: the classes, the statistics that states and cuts are learned from, and some of the rows
   themselves, for classifiers that need them;
2. counts;
3. likelihoods, where the weights of the models depend on them.
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
from skcredal.classifiers._rows import LabelledRows, MemoryRows, Part, RowSample, rules_of

__all__ = ["PassRows", "check_learner"]

Value = TypeVar("Value")
CHANGED = "The batches must contain the same rows in every pass"


def check_learner(estimator: Any) -> None:
    """Refuse an estimator that cannot learn from sums over parts of the rows."""
    reason = getattr(estimator, "_needs_all_rows", "it is not a classifier of skcredal")
    if not isinstance(estimator, TabularClassifier) or reason is not None:
        name = type(estimator).__name__
        raise TypeError(f"{name} cannot learn from rows that are not in memory: {reason}.")


class PassRows(ABC):
    """Training rows that are summed part by part, in a pass for each sum."""

    learns_encoding = True

    def __init__(self, classifier: TabularClassifier) -> None:
        self.classifier = classifier
        found: tuple[Statistics, RowSample | None] = self._pass("encoding", partial(_read, classifier)).values
        statistics, self._sample = found
        self.encoding = statistics.learn(rules_of(classifier), getattr(classifier, "feature_names_in_", None))
        self.classes, self._n_c = statistics.classes, statistics.n_c

    def sample(self, most: int, seed: int) -> Part:
        """Return the rows that were taken in the first pass, as the classifier's parameters say."""
        assert self._sample is not None  # a classifier that asks for it has said so
        return self._sample.part(self.encoding, self.classes)

    def once(self, make: Callable[[], Value], key: Hashable) -> Value:
        """Return what ``make`` does."""
        return make()

    def sum(self, work: Callable[[Part], Value], stage: str, key: Hashable = None) -> Value:
        """Return the sum of the work over all parts."""
        # Not self, as Dask sends to the workers what the function below refers to.
        encoding, classes, n_threads = self.encoding, self.classes, thread_count(self.classifier.n_jobs)

        def summed(rows: LabelledRows, first: int) -> _Sums:
            part = MemoryRows.encoded(encoding, rows.among(classes, CHANGED), n_threads=n_threads).part
            part = part._replace(numbers=part.numbers + first)
            return _Sums((work(part), class_counts(part.labels, part.weights, len(classes))))

        found: tuple[Value, FloatArray] = self._pass(stage, summed).values
        value, n_c = found
        # Sums of real weights differ in their last digits if the parts come in another order.
        if not np.allclose(n_c, self._n_c, rtol=1e-9, atol=0.0):
            first, now = self._n_c.tolist(), n_c.tolist()
            raise ValueError(f"{CHANGED}, got {first} of the classes at first, and {now} for the {stage}.")
        return value

    @abstractmethod
    def _pass(self, stage: str, work: Callable[[LabelledRows, int], Any]) -> Any:
        """Return the sum of what the work makes of the rows of each part and the number of its first row.

        Parts without rows of positive weight are left out, but not all of them may be such.
        """


@dataclass(frozen=True, eq=False)
class _Sums:
    """Values of some rows that add, each to its counterpart; one that is ``None`` stays so."""

    values: tuple[Any, ...]

    def __add__(self, other: _Sums) -> _Sums:
        pairs = zip(self.values, other.values, strict=True)
        return _Sums(tuple(None if one is None else one + two for one, two in pairs))


def _read(classifier: TabularClassifier, rows: LabelledRows, first: int) -> _Sums:
    """Return the statistics of some rows, and a sample of them for those classifiers that need one."""
    names, n_threads = getattr(classifier, "feature_names_in_", None), thread_count(classifier.n_jobs)
    rules, size = rules_of(classifier), classifier._sample_size()
    statistics = Statistics.of_rows(*rows, rules, names, limit=MOST_CELLS, n_threads=n_threads)
    categorical = rules.categorical(len(rows.table.columns), names)
    sample = None if size is None else RowSample.of(rows, first, categorical, *size)
    return _Sums((statistics, sample))
