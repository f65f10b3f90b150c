"""Training rows: how they are read, and what several classifiers that learn from them can share."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from skcredal._arrays import AnyArray, CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._encoding.frames import Table, read_table
from skcredal._encoding.learning import EncodingRules, learn_encoding
from skcredal._encoding.table_encoding import Codings, TableEncoding
from skcredal._encoding.target import check_weights, encode_target, read_weights
from skcredal._ensemble.counting import count, count_values
from skcredal._ensemble.counts import CodingCounts, JointCounts, ValueCounts
from skcredal._ensemble.parameters import SpodeTables
from skcredal._ensemble.weights import log_likelihoods
from skcredal._threads import thread_count

if TYPE_CHECKING:
    from skcredal.classifiers._base import TabularClassifier

__all__ = [
    "LabelledRows",
    "RowSample",
    "TrainingRows",
    "encoding_rules",
    "read_rows",
    "row_hashes",
    "training_rows",
]

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
    first_row : int
        The number of the first row, if these are a part of all rows.
    """

    encoding: TableEncoding
    classes: AnyArray
    codes: CodeArray
    labels: LabelArray
    weights: CountArray | None
    first_row: int = 0
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

    def count_cells(self) -> ValueCounts:
        """Count the classes and all codes: the states of each feature, unknown, and what may be any (§13)."""
        n_codes, n_classes = self.encoding.n_states + 2, len(self.classes)
        return self.shared(
            "cell counts",
            lambda: count_values(self.codes, self.labels, n_codes, n_classes, self.weights),
        )

    def count_pairs(self, *, n_threads: int) -> JointCounts:
        """Count the classes, values and pairs of values."""
        n_states, n_classes, weights = self.encoding.n_states, len(self.classes), self.weights
        return self.shared(
            "joint counts",
            lambda: count(self.codes, self.labels, n_states, n_classes, weights=weights, n_threads=n_threads),
        )

    def count_codings(self, *, n_threads: int) -> CodingCounts:
        """Count the pairs of values in each of several codings."""
        encoding, n_classes = self.encoding, len(self.classes)
        assert isinstance(encoding, Codings)

        def count_coding(some: slice) -> JointCounts:
            codes, n_states = self.codes[some], encoding.n_states[some]
            return count(codes, self.labels, n_states, n_classes, weights=self.weights, n_threads=n_threads)

        return self.shared(
            "coding counts",
            lambda: CodingCounts(self.count_values().n_c, tuple(map(count_coding, encoding.rows))),
        )

    def sample(self, most: int, seed: int) -> RowSample:
        """Return all rows, or that many of them, chosen by their numbers alone."""
        numbers = np.arange(self.first_row, self.first_row + len(self.labels))
        return RowSample(numbers, self.codes, self.labels, self.weights, most, seed).within_limit()

    def log_likelihoods(self, tables: SpodeTables, *, floor: float, n_threads: int) -> FloatArray:
        """Return the conditional log-likelihood of every SPODE, each probability at least ``floor``."""
        return self.shared(
            # All tables come from the counts of these rows, and differ only by their prior.
            ("log-likelihoods", tables.ess, floor),
            lambda: log_likelihoods(
                tables, self.codes, self.labels, weights=self.weights, floor=floor, n_threads=n_threads
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """The rows with the least hashes of their numbers: a choice that depends on no batches, and adds.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows,)
        Their numbers among all rows of positive weight, ascending.
    codes, labels, weights : ndarray
        Their codes (k, n_rows), classes and weights, as in :class:`TrainingRows`.
    most : int
        How many rows there may be.
    seed : int
        What else is hashed.
    """

    numbers: IntArray
    codes: CodeArray
    labels: LabelArray
    weights: CountArray | None
    most: int
    seed: int

    def within_limit(self) -> RowSample:
        """Return the rows that stay where there are too many."""
        if len(self.numbers) <= self.most:
            return self
        # Stable: of equal hashes the lower number stays.
        order = np.argsort(row_hashes(self.numbers, self.seed), kind="stable")[: self.most]
        return self._select(np.sort(order))

    def _select(self, rows: IntArray) -> RowSample:
        weights = None if self.weights is None else self.weights[rows]
        return RowSample(
            self.numbers[rows],
            np.ascontiguousarray(self.codes[:, rows]),
            self.labels[rows],
            weights,
            self.most,
            self.seed,
        )

    def __add__(self, other: RowSample) -> RowSample:
        if not isinstance(other, RowSample):
            return NotImplemented
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        both = RowSample(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.codes, other.codes], axis=1),
            np.concatenate([self.labels, other.labels]),
            weights,
            self.most,
            self.seed,
        )
        return both._select(np.argsort(both.numbers)).within_limit()


def row_hashes(numbers: IntArray, seed: int) -> npt.NDArray[np.uint64]:
    """Return the rank of each row by its number: splitmix64(splitmix64(seed) XOR number) (§12).

    Examples
    --------
    >>> import numpy as np
    >>> row_hashes(np.arange(3), 0).tolist()
    [12035550249420947055, 627405149472732430, 15549969042648332857]
    """
    start = _splitmix64(np.array([seed % 2**64], np.uint64))
    return _splitmix64(start ^ numbers.astype(np.uint64))


def _splitmix64(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the first output of the generator with each state; arithmetic is modulo 2^64."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


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
        # Of classifiers that read a table in several codings.
        tuple(map(int, classifier.bins)) if hasattr(classifier, "bins") else None,
        # Of the naive credal classifier.
        getattr(classifier, "conservative_features", None),
    )
