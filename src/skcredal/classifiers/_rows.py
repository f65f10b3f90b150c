"""Training rows: how they are read, and the one protocol by which classifiers learn from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._encoding.columns import Column
from skcredal._encoding.encoding import EncodedTable, Encoding, Rules
from skcredal._encoding.statistics import Statistics
from skcredal._encoding.tables import Table, read_table
from skcredal._encoding.target import ONLY_ZEROS, check_weights, encode_target
from skcredal._threads import thread_count

if TYPE_CHECKING:
    from skcredal.classifiers._base import TabularClassifier

Value = TypeVar("Value")


class Part(NamedTuple):
    """Some of the training rows, all of positive weight.

    ``rows`` are their cells and states, ``labels`` the indices of the classes, and ``numbers`` those of the
    rows among all of positive weight.
    """

    rows: EncodedTable
    labels: LabelArray
    weights: FloatArray
    numbers: IntArray

    @property
    def states(self) -> StateArray:
        """The states (k, n) of the features kept."""
        return self.rows.states

    @property
    def labelled(self) -> tuple[StateArray, LabelArray, FloatArray]:
        """States, labels and weights, as most of what is learned needs them."""
        return self.states, self.labels, self.weights

    def select(self, rows: BoolArray) -> Part:
        """Return the rows of a mask."""
        return Part(self.rows.select(rows), self.labels[rows], self.weights[rows], self.numbers[rows])

    def encoded(self, encoding: Encoding) -> Part:
        """Return the rows as another encoding of the same columns has them."""
        return self._replace(rows=EncodedTable.encoded(encoding, self.rows.cells))


class Rows(Protocol):
    """All training rows, in memory, in batches or in the partitions of Dask."""

    @property
    def encoding(self) -> Encoding:
        """How the table becomes states."""

    @property
    def classes(self) -> AnyArray:
        """The classes, sorted."""

    def sum(self, work: Callable[[Part], Value], stage: str, key: Hashable = None) -> Value:
        """Return the sum of what ``work`` makes of the parts.

        ``stage`` is what progress is shown for. Sums of the same stage and key are the same, whichever
        classifier asks for them.
        """

    @property
    def learns_encoding(self) -> bool:
        """Whether fewer of the rows would have another encoding: it was learned from them."""

    def sample(self, most: int, seed: int) -> Part:
        """Return all rows, or so many of them by :func:`row_hashes`, in the order of their numbers."""

    def once(self, make: Callable[[], Value], key: Hashable) -> Value:
        """Return what ``make`` does; of classifiers that share the rows, only the first makes it."""


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Training rows in memory: one part."""

    encoding: Encoding
    classes: AnyArray
    part: Part
    learns_encoding: bool = True

    @classmethod
    def of(cls, classifier: TabularClassifier, X: Any, y: Any, sample_weight: Any = None) -> MemoryRows:
        """Read a training table, learn its encoding, and encode its rows of positive weight."""
        rows = read_rows(classifier, X, y, sample_weight, reset=True)
        return cls.encoded(learn_encoding(classifier, rows), rows, n_threads=thread_count(classifier.n_jobs))

    @classmethod
    def encoded(cls, encoding: Encoding, rows: LabelledRows, *, n_threads: int = 1) -> MemoryRows:
        """Encode rows as an encoding says that was learned from them, or from more."""
        # Warnings about the columns were given when they were learned.
        table = EncodedTable.of(encoding, rows.table, n_threads=n_threads, is_part=True)
        weights = np.ones(len(rows.labels)) if rows.weights is None else rows.weights
        return cls(encoding, rows.classes, Part(table, rows.labels, weights, np.arange(len(weights))))

    def sum(self, work: Callable[[Part], Value], stage: str, key: Hashable = None) -> Value:
        return work(self.part)

    def sample(self, most: int, seed: int) -> Part:
        if len(self.part.numbers) <= most:
            return self.part
        return self.part.select(_are_chosen(self.part.numbers, most, seed))

    def once(self, make: Callable[[], Value], key: Hashable) -> Value:
        return make()


class LabelledRows(NamedTuple):
    """Rows of positive weight: their table, the classes present, each row's class index, and weights."""

    table: Table
    classes: AnyArray
    labels: LabelArray
    weights: FloatArray | None

    def among(self, classes: AnyArray, rule: str) -> LabelledRows:
        """Return the rows with labels among all classes; a class that is none of them breaks the rule."""
        index = np.searchsorted(classes, self.classes)
        known = classes[np.minimum(index, len(classes) - 1)]
        for label, found in zip(self.classes.tolist(), known.tolist(), strict=True):
            if label != found:
                raise ValueError(f"{rule}, got class {label!r}.")
        return self._replace(classes=classes, labels=index.astype(np.int32)[self.labels])


def read_rows(classifier: TabularClassifier, X: Any, y: Any, weights: Any, *, reset: bool) -> LabelledRows:
    """Read training rows; with ``reset``, the classifier takes over the names and number of the features."""
    table = read_table(X, estimator=classifier)
    validate_data(classifier, table.data, reset=reset, skip_check_array=True)
    weights = check_weights(weights, table.n_rows)
    classes, labels = encode_target(y, n_rows=table.n_rows, estimator=classifier)
    if weights is not None and not weights.all():
        # A row of weight 0 is absent: its values are not states, and its class may have no other row.
        rows = weights > 0
        table, weights = table.select(rows), weights[rows]
        present, index = np.unique(labels[rows], return_inverse=True)
        classes, labels = classes[present], index.astype(np.int32)
    return LabelledRows(table, classes, labels, weights)


def learn_encoding(classifier: TabularClassifier, rows: LabelledRows) -> Encoding:
    """Learn how a table becomes states, from rows in memory."""
    rules, names = rules_of(classifier), getattr(classifier, "feature_names_in_", None)
    n_threads = thread_count(classifier.n_jobs)
    if not rows.table.n_rows:
        raise ValueError(ONLY_ZEROS)
    return Statistics.of_rows(*rows, rules, names, n_threads=n_threads).learn(rules, names)


def rules_of(classifier: TabularClassifier) -> Rules:
    """Return how a classifier's parameters say that tables are to be read."""
    given: dict[str, Any] = {one.name: getattr(classifier, one.name, None) for one in fields(Rules)}
    return Rules(**given)


@dataclass(frozen=True, eq=False)
class RowSample:
    """The rows with the least hashes of their numbers: a choice that depends on no batches, and adds."""

    # the cells of each column as they came, before an encoding is known: numbers, or objects; then the
    # classes of the rows, their weights, and their numbers among all rows of positive weight
    arrays: list[AnyArray]
    # most, seed: how many rows there may be, and what else is hashed
    most: int
    seed: int

    @classmethod
    def of(cls, rows: LabelledRows, first: int, categorical: BoolArray, most: int, seed: int) -> RowSample:
        """Take all rows, or so many of them; ``first`` is the number of the first one."""
        numbers = first + np.arange(len(rows.labels))
        kept = np.flatnonzero(_are_chosen(numbers, most, seed))
        pairs = zip(rows.table.columns, categorical.tolist(), strict=True)
        columns = [column.plain(kept, categorical=chosen) for column, chosen in pairs]
        weights = np.ones(len(numbers)) if rows.weights is None else rows.weights
        return cls([*columns, rows.classes[rows.labels[kept]], weights[kept], numbers[kept]], most, seed)

    def __add__(self, other: RowSample) -> RowSample:
        joined = [np.concatenate(pair) for pair in zip(self.arrays, other.arrays, strict=True)]
        order = np.argsort(joined[-1])
        order = order[_are_chosen(joined[-1][order], self.most, self.seed)]
        return replace(self, arrays=[one[order] for one in joined])

    def part(self, encoding: Encoding, classes: AnyArray) -> Part:
        """Return the rows as an encoding reads them."""
        *cells, y, weights, numbers = self.arrays
        columns = [Column(f"Column {j}", own) for j, own in enumerate(cells)]
        rows = EncodedTable.of(encoding, Table(None, columns, len(y)), is_part=True)
        return Part(rows, np.searchsorted(classes, y).astype(np.int32), weights, numbers)


def _are_chosen(numbers: IntArray, most: int, seed: int) -> BoolArray:
    """Tell which rows are the chosen ones, given their ascending numbers."""
    chosen = np.ones(len(numbers), np.bool_)
    # Stable: of equal hashes the lower number stays.
    chosen[np.argsort(row_hashes(numbers, seed), kind="stable")[most:]] = False
    return chosen


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
