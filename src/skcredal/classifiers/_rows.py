"""Training rows: how they are read, and what several classifiers that learn from them can share."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils.validation import validate_data

from skcredal._arrays import AnyArray, CodeArray, CountArray, FloatArray, LabelArray
from skcredal._encoding.frames import Table, read_table
from skcredal._encoding.table_encoding import EncodingRules, TableEncoding, learn_encoding
from skcredal._encoding.target import check_weights, encode_target, read_weights
from skcredal._ensemble.counting import count, count_values
from skcredal._ensemble.counts import JointCounts, ValueCounts
from skcredal._ensemble.parameters import SpodeTables
from skcredal._ensemble.weights import log_likelihoods
from skcredal._threads import thread_count

if TYPE_CHECKING:
    from skcredal.classifiers._base import TabularClassifier

__all__ = ["LabelledRows", "TrainingRows", "encoding_rules", "read_rows", "training_rows"]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Training rows as codes, their classes, and what has been computed from them.

    Several classifiers may learn from the same rows; what more than one of them needs is computed once.

    Parameters
    ----------
    encoding : TableEncoding
        How the table becomes codes.
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    codes : ndarray of shape (k, n_rows)
        The states of the features kept; the number of states of a feature stands for unknown.
    labels : ndarray of shape (n_rows,)
        The index of each row's class.
    weights : ndarray of shape (n_rows,), optional
        The weights of the rows.
    """

    encoding: TableEncoding
    classes: AnyArray
    codes: CodeArray
    labels: LabelArray
    weights: CountArray | None
    # What has been computed, how long it took, and the times of what was then reused: a classifier that is
    # timed is charged for all of its work, also for what another one happened to do first.
    _shared: dict[Hashable, Any] = field(default_factory=dict)
    _seconds: dict[Hashable, float] = field(default_factory=dict)
    _reused: list[float] = field(default_factory=list)

    def shared(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed the first time it is asked for."""
        if key in self._shared:
            self._reused.append(self._seconds[key])
        else:
            start = time.perf_counter()
            self._shared[key] = compute()
            self._seconds[key] = time.perf_counter() - start
        value: Value = self._shared[key]
        return value

    def seconds_saved(self) -> float:
        """Return how long it took to compute what has been reused since the last call of this method."""
        seconds = sum(self._reused)
        self._reused.clear()
        return seconds

    def count_values(self) -> ValueCounts:
        """Count the classes and values."""
        n_states, n_classes = self.encoding.n_states, len(self.classes)
        return self.shared(
            "value counts",
            lambda: count_values(self.codes, self.labels, n_states, n_classes, self.weights),
        )

    def count_pairs(self, *, n_threads: int) -> JointCounts:
        """Count the classes, values and pairs of values."""
        n_states, n_classes, weights = self.encoding.n_states, len(self.classes), self.weights
        return self.shared(
            "joint counts",
            lambda: count(self.codes, self.labels, n_states, n_classes, weights=weights, n_threads=n_threads),
        )

    def log_likelihoods(self, tables: SpodeTables, *, floor: float, n_threads: int) -> FloatArray:
        """Return the conditional log-likelihood of every SPODE, each probability at least ``floor``."""
        return self.shared(
            # All tables come from the counts of these rows, and differ only by their prior.
            ("log-likelihoods", tables.ess, floor),
            lambda: log_likelihoods(
                tables, self.codes, self.labels, weights=self.weights, floor=floor, n_threads=n_threads
            ),
        )


def training_rows(classifier: TabularClassifier, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
    """Read a training table, learn its encoding, and return its rows of positive weight."""
    given = read_rows(classifier, X, y, sample_weight, reset=True)
    encoding, codes = learn_encoding(
        given.table,
        given.labels,
        given.weights,
        len(given.classes),
        encoding_rules(classifier),
        names=getattr(classifier, "feature_names_in_", None),
        n_threads=thread_count(classifier.n_jobs),
    )
    return TrainingRows(encoding, given.classes, codes, given.labels, given.weights)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows of positive weight: their table, the classes present, each row's class index, and weights."""

    table: Table
    classes: AnyArray
    labels: LabelArray
    weights: CountArray | None


def read_rows(
    classifier: TabularClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    reset: bool,
    is_batch: bool = False,
) -> LabelledRows:
    """Read training rows; with ``reset``, the classifier takes over the names and number of the features."""
    table = read_table(X, estimator=classifier, n_threads=thread_count(classifier.n_jobs))
    validate_data(classifier, table.data, reset=reset, skip_check_array=True)
    # In a batch all weights may be 0, and whether those of all batches are whole numbers is not known yet.
    weights = (check_weights if is_batch else read_weights)(sample_weight, table.n_rows)
    classes, labels = encode_target(y, n_rows=table.n_rows, estimator=classifier)
    if weights is not None and not weights.all():
        # A row of weight 0 is absent: its values are not states, and its class may have no other row.
        rows = weights > 0
        table, weights = table.select(rows), weights[rows]
        present, index = np.unique(labels[rows], return_inverse=True)
        classes, labels = classes[present], index.astype(np.int32)
    return LabelledRows(table, classes, labels, weights)


def encoding_rules(classifier: TabularClassifier) -> EncodingRules:
    """Return how a classifier's parameters say that tables are to be read."""
    return EncodingRules(
        classifier.categorical_features,
        classifier.categories,
        classifier.missing,
        classifier.handle_unknown,
        classifier.max_categories,
    )
