"""What is learned about a table before its rows are counted, from statistics of its parts, which add (§1).

The encoding learned from their sum is that of ``learning.learn_encoding`` on the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._encoding.columns import Column
from skcredal._encoding.factors import Factor, in_order
from skcredal._encoding.features import NumericFeature, state_counts
from skcredal._encoding.frames import Table
from skcredal._encoding.histogram import ValueHistogram
from skcredal._encoding.learning import EncodingPlan, EncodingRules, warn_of_identifiers
from skcredal._encoding.table_encoding import Codings, Feature, TableEncoding
from skcredal._encoding.target import check_spread
from skcredal._threads import run_in_threads

__all__ = ["MAX_STATES", "ColumnStatistics", "EncodingStatistics", "StateCounts", "merge_classes"]

# A column of text with more states is an identifier: they would fill the memory, and their tables even more.
MAX_STATES = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class StateCounts:
    """How often each state was seen, or the weight of its rows; and whether the column's type declares them.

    Declared states keep the order in which they come, part after part; others are sorted in the end.
    """

    seen: dict[Any, float]
    missing: float
    declared: bool

    @classmethod
    def of_column(cls, column: Column, weights: CountArray | None) -> StateCounts:
        """Count the states of a column."""
        factor = column.factor()
        absent = factor.codes < 0
        missing = absent.sum() if weights is None else weights[absent].sum()
        return cls(state_counts(factor, weights), missing.item(), factor.declared)

    def __add__(self, other: StateCounts) -> StateCounts:
        if not isinstance(other, StateCounts):
            return NotImplemented
        seen = self.seen.copy()
        for state, count in other.seen.items():
            seen[state] = seen.get(state, 0) + count
        return StateCounts(seen, self.missing + other.missing, self.declared and other.declared)

    def in_order(self) -> dict[Any, float]:
        """Return the states as a column of all rows would have them: declared, or else sorted."""
        # A state that all parts declare counts without a row; one that only some declare must occur.
        if self.declared:
            return self.seen
        return {state: self.seen[state] for state in in_order([s for s, n in self.seen.items() if n > 0])}


@dataclass(frozen=True, slots=True, eq=False)
class ColumnStatistics:
    """A column as numbers, as states, or as both where its type leaves open which it holds.

    Parameters
    ----------
    label : str
        Names the column in an error.
    numbers : ValueHistogram or None
        Its values, if all of them so far are numbers.
    states : StateCounts or None
        Its states, if it may turn out to be categorical.
    numeric_type : bool
        Whether it is read as numbers; this decides if no value is seen at all.
    """

    label: str
    numbers: ValueHistogram | None
    states: StateCounts | None
    numeric_type: bool

    @classmethod
    def of_column(
        cls,
        column: Column,
        labels: LabelArray,
        weights: CountArray | None,
        n_classes: int,
        *,
        is_categorical: bool,
        edges: IntArray | None = None,
    ) -> ColumnStatistics:
        """Count a column of a part of the rows, in bins if there are edges.

        ``is_categorical`` means that the user declares the column as categorical.
        """
        if edges is not None:
            bins = ValueHistogram.of_bins(column.numbers(), labels, weights, n_classes, edges)
            return cls(column.label, bins, None, numeric_type=True)
        is_numeric, is_untyped = column.is_numeric, column.is_untyped
        # Objects are counted both ways: another part may hold text where this one holds numbers.
        states = None
        if not is_numeric or is_categorical or is_untyped:
            states = StateCounts.of_column(column, weights)
        # A column of objects without a single value may turn out to be numeric, too.
        numbers = None
        is_blank = is_untyped and states is not None and not states.declared and not states.seen
        if not is_categorical and (is_numeric or is_blank):
            numbers = ValueHistogram.of_column(column.numbers(), labels, weights, n_classes)
            if states is None and len(numbers.keys) == 0:
                # A column of text that is empty in a part of a file is often read as numbers, all missing.
                states = StateCounts({}, numbers.missing.sum().item(), declared=False)
        return cls(column.label, numbers, states, is_numeric)

    @property
    def is_numeric(self) -> bool:
        """Whether a column of all rows would be read as numbers."""
        if self.numbers is None or self.states is None or self.states.seen:
            return self.numbers is not None
        # Nothing was seen at all: only the type is left to decide.
        return self.numeric_type

    def totals(self, feature: Feature) -> FloatArray:
        """Return how many rows each state or bin of the feature learned from the column must have."""
        if isinstance(feature, NumericFeature):
            assert self.numbers is not None
            # A missing value is encoded like any other, as the last one.
            codes = feature.encode(np.append(self.numbers.low, np.nan))
            rows = np.append(self.numbers.counts.sum(axis=1, dtype=np.float64), self.numbers.missing.sum())
        else:
            assert self.states is not None
            states = list(self.states.seen)
            codes = feature.encode(Factor(np.arange(-1, len(states)), states, declared=False), self.label)
            rows = np.array([self.states.missing, *self.states.seen.values()], np.float64)
        # Unknown values and those that may be any have the codes after the states.
        return np.bincount(codes, rows, feature.n_states + 2)[: feature.n_states].astype(np.float64)

    def with_classes(self, indices: IntArray, n_classes: int) -> ColumnStatistics:
        """Return the statistics for more classes, in which those counted have the given indices."""
        if self.numbers is None:
            return self
        return replace(self, numbers=self.numbers.with_classes(indices, n_classes))

    def __add__(self, other: ColumnStatistics) -> ColumnStatistics:
        if not isinstance(other, ColumnStatistics):
            return NotImplemented
        # Only what both parts can be read as can the whole be read as.
        numbers = None if self.numbers is None or other.numbers is None else self.numbers + other.numbers
        states = None if self.states is None or other.states is None else self.states + other.states
        if numbers is None and states is None:
            raise ValueError(
                f"{self.label} must hold the same kind of values in all batches, got numbers in one and text "
                "or categories in another."
            )
        # Refused while the parts are added, before an identifier has filled the memory.
        if numbers is None and states is not None and len(states.seen) > MAX_STATES:
            raise ValueError(
                f"{self.label} has more than {MAX_STATES} states, which no table of counts can hold. Drop "
                "it, or turn it into numbers or a few categories."
            )
        return ColumnStatistics(self.label, numbers, states, self.numeric_type and other.numeric_type)


@dataclass(frozen=True, slots=True, eq=False)
class EncodingStatistics:
    """The classes, the rows and every column of a part of the rows.

    Parameters
    ----------
    columns : list of ColumnStatistics
        What each column holds.
    classes : ndarray
        The classes of the rows that count, sorted.
    n_c : ndarray of shape (n_classes,)
        Rows of each class, or their weights.
    n_rows : int
        How many rows there are; those of weight 0 do not count.
    weighted, whole : bool
        Whether some weight is not 1, and whether all weights are whole numbers.
    lightest, heaviest : float
        The least and the greatest weight of a row.
    """

    columns: list[ColumnStatistics]
    classes: AnyArray
    n_c: CountArray
    n_rows: int
    weighted: bool
    whole: bool
    lightest: float
    heaviest: float

    @classmethod
    def of_rows(
        cls,
        table: Table,
        classes: AnyArray,
        labels: LabelArray,
        weights: FloatArray | None,
        *,
        categorical: BoolArray,
        edges: Mapping[int, IntArray] | None = None,
        n_threads: int = 1,
    ) -> EncodingStatistics:
        """Read a part of the rows.

        Parameters
        ----------
        table : Table
            The rows, without those of weight 0.
        classes : ndarray
            The classes that occur, sorted.
        labels : ndarray of shape (n_rows,)
            The index of each row's class among them.
        weights : ndarray of shape (n_rows,), optional
            Positive weights of the rows.
        categorical : ndarray of shape (n_features,)
            Which features the user says are categorical, whatever they hold.
        edges : mapping of int to ndarray, optional
            The bins of some columns (see :meth:`quantile_edges`); if given, only these columns are read.
        n_threads : int
            Threads; the result does not depend on it.
        """
        weighted = weights is not None and not bool(np.all(weights == 1.0))
        whole = weights is None or bool(np.all(weights == np.floor(weights)))
        # Whole numbers are added exactly as integers, in any order; real weights are not.
        counts = weights if weighted else None
        if counts is not None and whole:
            counts = counts.astype(np.int64)
        n_classes = len(classes)

        def read(j: int) -> ColumnStatistics:
            return ColumnStatistics.of_column(
                table.columns[j],
                labels,
                counts,
                n_classes,
                is_categorical=bool(categorical[j]),
                edges=None if edges is None else edges[j],
            )

        wanted = range(len(table.columns)) if edges is None else sorted(edges)
        columns = run_in_threads(read, wanted, n_threads)
        n_c = np.bincount(labels, counts, n_classes)
        n_c = n_c.astype(np.int64 if counts is None else counts.dtype)
        lightest, heaviest = (
            (1.0, 1.0) if weights is None else (weights.min(initial=np.inf), weights.max(initial=0.0))
        )
        return cls(columns, classes, n_c, table.n_rows, weighted, whole, float(lightest), float(heaviest))

    def __add__(self, other: EncodingStatistics) -> EncodingStatistics:
        if not isinstance(other, EncodingStatistics):
            return NotImplemented
        if len(self.columns) != len(other.columns):
            raise ValueError(
                f"All batches must have the same features, got {len(self.columns)} and {len(other.columns)}."
            )
        # A part may lack a class: the counts of both get a column for every class of either.
        classes = merge_classes(self.classes, other.classes)
        lightest, heaviest = min(self.lightest, other.lightest), max(self.heaviest, other.heaviest)
        check_spread(lightest, heaviest)
        one, two = self._with_classes(classes), other._with_classes(classes)
        return EncodingStatistics(
            [a + b for a, b in zip(one.columns, two.columns, strict=True)],
            classes,
            one.n_c + two.n_c,
            self.n_rows + other.n_rows,
            self.weighted or other.weighted,
            self.whole and other.whole,
            lightest,
            heaviest,
        )

    def _with_classes(self, classes: AnyArray) -> EncodingStatistics:
        if len(classes) == len(self.classes):
            return self
        indices = np.searchsorted(classes, self.classes)
        n_c = np.zeros(len(classes), self.n_c.dtype)
        n_c[indices] = self.n_c
        columns = [column.with_classes(indices, len(classes)) for column in self.columns]
        return replace(self, columns=columns, n_c=n_c)

    @property
    def weight_type(self) -> np.dtype[Any] | None:
        """The dtype of the weights of all rows, integer or real; ``None`` where every row counts once."""
        if not self.weighted:
            return None
        # As for rows of a whole table: integers only as far as doubles hold them exactly.
        return np.dtype(np.int64 if self.whole and self.n_c.sum() < 2**53 else np.float64)

    def quantile_edges(self) -> dict[int, IntArray]:
        """Return the bins of the columns that have too many values to be counted one by one."""
        found = {}
        for j, column in enumerate(self.columns):
            edges = column.numbers.quantile_edges() if column.is_numeric and column.numbers else None
            if edges is not None:
                found[j] = edges
        return found

    def with_bins(self, binned: EncodingStatistics, edges: Mapping[int, IntArray]) -> EncodingStatistics:
        """Return the statistics with the columns that another pass has counted in bins."""
        # ``binned`` holds only the columns that have edges, in the order of their indices.
        columns = self.columns.copy()
        for j, column in zip(sorted(edges), binned.columns, strict=True):
            columns[j] = replace(columns[j], numbers=column.numbers)
        return replace(self, columns=columns)

    def totals(self, encoding: TableEncoding) -> list[tuple[str, FloatArray]]:
        """Return of each feature kept the label, and how many rows its states must have.

        The order is that of the codes: in several codings, those of the first come first.
        """
        codings = encoding.codings.values() if isinstance(encoding, Codings) else [encoding]
        return [
            (self.columns[j].label, self.columns[j].totals(coding.features[j]))
            for coding in codings
            for j in coding.kept
        ]

    def learn_encoding(self, rules: EncodingRules, *, names: Sequence[str] | None = None) -> TableEncoding:
        """Learn how the table becomes codes.

        Parameters
        ----------
        rules : EncodingRules
            The user's parameters.
        names : sequence of str, optional
            The names of the features, if they have any.
        """
        plan = EncodingPlan.of(
            [column.label for column in self.columns],
            [column.is_numeric for column in self.columns],
            rules,
            names,
        )
        learned: list[list[Feature]] = []
        for j, column in enumerate(self.columns):
            if column.is_numeric:
                assert column.numbers is not None  # or it would not be numeric
                numeric = NumericFeature.from_histogram(
                    column.numbers, impute=plan.imputes(j), bins=rules.bins or ()
                )
                learned.append([*plan.with_missing(j, numeric)])
            else:
                assert column.states is not None
                states = column.states
                learned.append([plan.learn_states(j, states.in_order(), has_missing=states.missing > 0)])
        encoding = plan.encoding(learned)
        warn_of_identifiers(encoding, plan.labels, self.n_rows)
        return encoding


def merge_classes(one: AnyArray, two: AnyArray) -> AnyArray:
    """Return the classes of two parts together, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> merge_classes(np.array(["b"]), np.array(["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    # Objects may be either; whether they can be sorted together turns out below.
    kinds = {"numbers" if array.dtype.kind in "iufb" else "text" for array in (one, two) if len(array)}
    if len(kinds) == 2 and "O" not in (one.dtype.kind, two.dtype.kind):
        raise ValueError("y must be all text or all numbers, got text in some batches and numbers in others.")
    if np.array_equal(one, two) and one.dtype == two.dtype:
        return one
    both = [array for array in (one, two) if len(array)] or [one]
    try:
        classes: AnyArray = np.unique(np.concatenate(both))
    except TypeError:
        raise ValueError(
            "y must be all text or all numbers, got text in some batches and numbers in others."
        ) from None
    return classes
