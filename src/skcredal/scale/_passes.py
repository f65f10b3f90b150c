"""Learning in passes over parts of the rows: each pass makes values of the parts, and adds them.

1. encoding: classes, states and cuts (``EncodingStatistics``), with another pass if a numeric column has too
   many values to be counted one by one;
2. counts (``JointCounts``);
3. what the weights of the models come from: likelihoods (:class:`LikelihoodSums`), or some of the rows
   themselves (``RowSample``).

A :class:`RowSource` says where the parts come from, and where they are summed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from skcredal import classifiers
from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._encoding.learning import categorical_mask, conservative_mask
from skcredal._encoding.statistics import EncodingStatistics
from skcredal._encoding.table_encoding import TableEncoding
from skcredal._encoding.target import ONLY_ZEROS
from skcredal._ensemble.counts import CodingCounts, JointCounts, ValueCounts
from skcredal._ensemble.parameters import SpodeTables
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import LabelledRows, RowSample, TrainingRows, encoding_rules, read_rows

__all__ = [
    "CHANGED",
    "BatchEncoder",
    "BatchReader",
    "Edges",
    "LikelihoodSums",
    "RowSource",
    "SummedRows",
    "check_learner",
    "summed_rows",
]

Value = TypeVar("Value")
CHANGED = "The batches must hold the same rows in every pass"
# The edges of the bins of numeric columns with very many values, by column.
Edges = Mapping[int, IntArray]
# Each pass divides a bin that is too heavy by up to 65,536 = 2^16, and doubles have 64 bits.
MOST_BINNING_PASSES = 4


@dataclass(frozen=True, slots=True, eq=False)
class BatchReader:
    """Reads parts of the rows for an estimator that knows the names and number of its features."""

    estimator: TabularClassifier

    def read(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows:
        """Read rows; those of weight 0, and classes that only they have, are left out."""
        return read_rows(self.estimator, X, y, sample_weight, reset=False, is_batch=True)

    def encoding_statistics(
        self, batch: LabelledRows, edges: Edges | None = None, *, n_threads: int = 1
    ) -> EncodingStatistics:
        """Return a batch's part of the first pass; with edges, only of the columns that have any."""
        return EncodingStatistics.of_rows(
            batch.table,
            batch.classes,
            batch.labels,
            batch.weights,
            categorical=self.categorical,
            edges=edges,
            n_threads=n_threads,
        )

    @property
    def categorical(self) -> BoolArray:
        """Which features the user declares categorical, whatever their values."""
        names = getattr(self.estimator, "feature_names_in_", None)
        numeric = [True] * self.estimator.n_features_in_
        return categorical_mask(numeric, self.estimator.categorical_features, names)


@dataclass(frozen=True, slots=True, eq=False)
class BatchEncoder:
    """Turns parts of the rows into codes, once the encoding and the classes are known."""

    reader: BatchReader
    encoding: TableEncoding
    classes: AnyArray
    weight_type: np.dtype[Any] | None

    def encode(self, batch: LabelledRows, first_row: int, *, n_threads: int = 1) -> TrainingRows:
        """Return the codes, labels and weights of a batch, given the number of its first row."""
        # A batch knows only its own classes: their indices among all of them.
        index = np.searchsorted(self.classes, batch.classes)
        known = self.classes[np.minimum(index, len(self.classes) - 1)]
        if not np.array_equal(known, batch.classes):
            new = next(one for one, other in zip(batch.classes, known, strict=True) if one != other)
            raise ValueError(f"{CHANGED}, got class {new!s}, which did not occur in the first pass.")
        weights: AnyArray | None = None
        # One dtype for all batches, even if the weights of this one are all 1: otherwise integers and floats
        # would be added.
        if self.weight_type is not None:
            ones = np.ones(len(batch.labels))
            weights = (ones if batch.weights is None else batch.weights).astype(self.weight_type)
        # Unlike a whole table, a part may well lack all states of a column: no reason to warn.
        codes = self.encoding.encode(batch.table, n_threads=n_threads, is_part=True)
        labels = index.astype(np.int32)[batch.labels]
        return TrainingRows(self.encoding, self.classes, codes, labels, weights, first_row)


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodSums:
    """Log-likelihoods of some rows: sums and their rounding errors, so that the order does not matter."""

    sums: FloatArray
    residue: FloatArray

    def __add__(self, other: LikelihoodSums) -> LikelihoodSums:
        # Knuth's two-sum: the sum of two numbers, and its exact rounding error.
        sums = self.sums + other.sums
        second = sums - self.sums
        error = (self.sums - (sums - second)) + (other.sums - second)
        return LikelihoodSums(sums, self.residue + other.residue + error)

    @property
    def log_likelihood(self) -> FloatArray:
        """The sums, rounded once."""
        return self.sums + self.residue


def _sum_log_likelihoods(
    rows: TrainingRows, *, tables: SpodeTables, floor: float, n_threads: int
) -> LikelihoodSums:
    """Sum the likelihoods over a batch."""
    sums = rows.log_likelihoods(tables, floor=floor, n_threads=n_threads)
    return LikelihoodSums(sums, np.zeros(len(sums)))


class RowSource(ABC):
    """Where the rows are, and how sums over them are taken."""

    @abstractmethod
    def describe(self, estimator: TabularClassifier) -> BatchReader:
        """Tell the estimator the names and number of its features, and return a reader of its rows."""

    @abstractmethod
    def encoding_statistics(self, reader: BatchReader, edges: Edges | None = None) -> EncodingStatistics:
        """Return the sum of the first pass, or of one that counts the bins of some columns."""

    @abstractmethod
    def sum(self, stage: str, work: Callable[[TrainingRows], Value], encoder: BatchEncoder) -> Value:
        """Return the sum of ``work`` over the codes of all parts."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SummedRows(TrainingRows):
    """Training rows that are never in memory as a whole: what is learned is summed over their parts."""

    source: RowSource
    encoder: BatchEncoder
    statistics: EncodingStatistics

    def count_values(self) -> ValueCounts:
        """Count the classes and values in a pass over the rows."""
        return self._sum("counts", TrainingRows.count_values)

    def count_cells(self) -> ValueCounts:
        """Count the classes and all codes in a pass over the rows."""
        return self._sum("counts", TrainingRows.count_cells)

    def count_pairs(self, *, n_threads: int) -> JointCounts:
        """Count the classes, values and pairs of values in a pass over the rows."""
        return self._sum("counts", partial(TrainingRows.count_pairs, n_threads=n_threads))

    def count_codings(self, *, n_threads: int) -> CodingCounts:
        """Count the pairs of values in each of several codings, in one pass over the rows."""
        return self._sum("counts", partial(TrainingRows.count_codings, n_threads=n_threads))

    def sample(self, most: int, seed: int) -> RowSample:
        """Return some rows, chosen by their numbers alone, from another pass over all of them."""
        return self._sum("rows", partial(TrainingRows.sample, most=most, seed=seed))

    def log_likelihoods(self, tables: SpodeTables, *, floor: float, n_threads: int) -> FloatArray:
        """Return the conditional log-likelihood of every SPODE from another pass over the rows."""
        work = partial(_sum_log_likelihoods, tables=tables, floor=floor, n_threads=n_threads)
        return self._sum("likelihoods", work).log_likelihood

    def _sum(self, stage: str, work: Callable[[TrainingRows], Value]) -> Value:
        """Return the sum of the work over all parts, if they hold the rows of the first pass."""
        total = self.source.sum(stage, partial(_with_counts, work=work), self.encoder)
        check_same_classes(self.statistics, total.counts.n_c, stage)
        for j, (label, expected) in enumerate(self.statistics.totals(self.encoding)):
            found = total.counts.values(j).sum(axis=1)
            # Sums of real weights differ in their last digits if the batches come in another order.
            if not np.allclose(found, expected, rtol=1e-9, atol=1e-9 * total.counts.n):
                raise ValueError(
                    f"{CHANGED}, but the values of {label} are others in the pass for the {stage} than in "
                    "the first."
                )
        return total.value


@dataclass(frozen=True, slots=True, eq=False)
class _Counted(Generic[Value]):
    """A value of some rows, and their counts, by which rows that changed between passes are recognised."""

    value: Value
    counts: ValueCounts

    def __add__(self, other: _Counted[Value]) -> _Counted[Value]:
        return _Counted(self.value + other.value, self.counts + other.counts)  # type: ignore[operator]


def _with_counts(rows: TrainingRows, *, work: Callable[[TrainingRows], Value]) -> _Counted[Value]:
    return _Counted(work(rows), rows.count_values())


def check_same_classes(statistics: EncodingStatistics, n_c: AnyArray, stage: str) -> None:
    """Refuse the classes of a pass if they are not those of the first."""
    expected = statistics.n_c
    if len(n_c) != len(expected) or not np.allclose(n_c, expected, rtol=1e-9, atol=0.0):
        raise ValueError(
            f"{CHANGED}, got {expected.tolist()} rows of the classes in the first pass and {n_c.tolist()} in "
            f"that for the {stage}."
        )


def check_learner(estimator: Any) -> None:
    """Raise an error if the estimator cannot learn from sums over parts of the rows."""
    reason = getattr(estimator, "_needs_all_rows", None)
    if isinstance(estimator, TabularClassifier) and reason is None:
        return
    because = f": {reason}" if reason else ""
    *others, last = _learners()
    raise TypeError(
        f"{type(estimator).__name__} cannot learn from rows that are not in memory{because}. "
        f"{', '.join(others)} and {last} can."
    )


def _learners() -> list[str]:
    """Return the names of the package's classifiers that can learn from sums over parts of the rows.

    Examples
    --------
    >>> {"AODE", "CredalLogPoolAODE", "CredalTree"} - set(_learners())
    {'CredalTree'}
    """
    public = [getattr(classifiers, name) for name in classifiers.__all__]
    kinds = [kind for kind in public if isinstance(kind, type) and issubclass(kind, TabularClassifier)]
    # The base is no classifier by itself.
    return sorted(
        kind.__name__ for kind in kinds if kind is not TabularClassifier and kind._needs_all_rows is None
    )


def summed_rows(learner: TabularClassifier, source: RowSource) -> SummedRows:
    """Learn the encoding in one pass or several, and return rows that are summed in further passes."""
    reader = source.describe(learner)
    rules, names = encoding_rules(learner), getattr(learner, "feature_names_in_", None)
    # Names that no column has are refused before the first pass, like those of categorical features.
    conservative_mask(learner.n_features_in_, rules.conservative_features, names)
    statistics = source.encoding_statistics(reader)
    # Batches with weights of 0 alone are accepted, but not if there are no others.
    if statistics.n_rows == 0:
        raise ValueError(ONLY_ZEROS)
    for _ in range(MOST_BINNING_PASSES):
        # Columns with too many values to count one by one are counted in bins, in passes of their own.
        edges = statistics.quantile_edges()
        if not edges:
            break
        binned = source.encoding_statistics(reader, edges)
        check_same_classes(statistics, binned.n_c, "bins")
        statistics = statistics.with_bins(binned, edges)
    encoding = statistics.learn_encoding(rules, names=names)
    return SummedRows(
        encoding,
        statistics.classes,
        # No rows: what is asked of them is summed over the source.
        np.empty((len(encoding.kept), 0), np.uint8),
        np.empty(0, np.int32),
        None,
        source=source,
        encoder=BatchEncoder(reader, encoding, statistics.classes, statistics.weight_type),
        statistics=statistics,
    )
