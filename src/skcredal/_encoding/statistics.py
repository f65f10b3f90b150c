"""What is known about the columns of some rows: statistics that add, and the only way to an encoding (§1).

The encoding of a table is learned from the statistics of all its rows, and these are the sum of those of any
batches. ``fit`` is a sum over one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, FloatArray, LabelArray
from skcredal._encoding.columns import Column, in_order
from skcredal._encoding.encoding import Encoding, Rules, for_each_column
from skcredal._encoding.features import CategoricalFeature, Feature, NumericFeature, look_like_identifiers
from skcredal._encoding.histogram import Histogram
from skcredal._encoding.tables import Table
from skcredal._validation import warn

__all__ = ["MOST_CELLS", "Statistics"]

# The most cells of a numeric column in a sum over batches. The one batch of ``fit`` has no limit.
MOST_CELLS = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class _StateCounts:
    """How often each state was seen, or the weight of its rows; and whether the column's type declares them.

    Declared states keep the order in which they come, batch after batch; others are sorted in the end.
    """

    seen: dict[Any, float]
    missing: float
    declared: bool

    @classmethod
    def of_column(cls, column: Column, weights: FloatArray | None) -> _StateCounts:
        factor = column.factor
        # Missing values, which are -1, are counted in front; unsigned codes have none.
        first = int(factor.codes.dtype.kind != "u")
        codes = factor.codes.astype(np.int64) + 1 if first else factor.codes
        n = np.bincount(codes, weights, len(factor.states) + first).astype(np.float64)
        of_states = dict(zip(factor.states, n[first:].tolist(), strict=True))
        return cls(of_states, float(n[:first].sum()), factor.declared)

    def __add__(self, other: _StateCounts) -> _StateCounts:
        seen = self.seen.copy()
        for state, count in other.seen.items():
            seen[state] = seen.get(state, 0.0) + count
        return _StateCounts(seen, self.missing + other.missing, self.declared and other.declared)

    def in_order(self) -> dict[Any, float]:
        """Return the states as a column of all rows would have them: declared, or else sorted."""
        # A state that all batches declare counts without a row; one that only some declare must occur.
        if self.declared:
            return self.seen
        return {state: self.seen[state] for state in in_order([s for s, n in self.seen.items() if n > 0])}


@dataclass(frozen=True, slots=True, eq=False)
class _ColumnStatistics:
    """A column as numbers, as states, or as both where its type leaves open which it contains."""

    label: str  # what messages call the column
    numbers: Histogram | None  # its values, if all of them so far are numbers
    states: _StateCounts | None  # its states, if it may turn out to be categorical

    def __add__(self, other: _ColumnStatistics) -> _ColumnStatistics:
        # Only what both batches can be read as can the whole be read as.
        numbers = None if self.numbers is None or other.numbers is None else self.numbers + other.numbers
        states = None if self.states is None or other.states is None else self.states + other.states
        if numbers is None and states is None:
            raise ValueError(
                f"{self.label} must contain the same kind of values in all batches, got numbers in one and "
                "text or categories in another."
            )
        return _ColumnStatistics(self.label, numbers, states)

    def learn(self, rules: Rules, *, declared: Sequence[Any] | None, conservative: bool) -> Feature:
        """Learn the feature."""
        missing = "any" if conservative else rules.missing
        if self.numbers is not None:
            return NumericFeature.learn(self.numbers, missing)
        assert self.states is not None  # a column is one or the other
        seen, are_declared = self.states.in_order(), self.states.declared or declared is not None
        # Declared states count even if no row has them: they have their BDeu probability (§1).
        of_states = seen if declared is None else {state: seen.get(state, 0.0) for state in declared}
        feature = CategoricalFeature.learn(
            of_states, rules, missing, declared=are_declared, has_missing=self.states.missing > 0
        )
        # Declared states of another type than the values would make all of them unknown.
        feature.warn_of_another_kind(list(seen), self.label)
        return feature


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The classes, the rows and every column of some rows. They add, also if their classes differ."""

    classes: AnyArray  # the classes of the rows, sorted
    n_c: FloatArray  # (n_classes,): rows of each class, or their weights
    n_rows: int  # how many rows of positive weight there are
    columns: list[_ColumnStatistics]  # what each column contains

    @classmethod
    def of_rows(
        cls,
        table: Table,
        classes: AnyArray,
        labels: LabelArray,
        weights: FloatArray | None,
        rules: Rules,
        names: Sequence[str] | None,
        *,
        limit: int | None = None,
        n_threads: int = 1,
    ) -> Statistics:
        """Read rows of positive weight; ``labels`` are indices into the ``classes``, which are sorted.

        ``limit`` is the most cells of a numeric column: :data:`MOST_CELLS` if the rows are one of several
        batches.
        """
        categorical = rules.categorical(len(table.columns), names)
        rules.conservative(len(table.columns), names)  # wrong names are refused at once

        def read(j: int) -> _ColumnStatistics:
            column, numbers, states = table.columns[j], None, None
            if column.is_numeric and not categorical[j]:
                numbers = Histogram.of_column(column.numbers, labels, weights, len(classes), limit=limit)
                if len(numbers.low) == 0:
                    # Text that is empty in a part of a file is often read as numbers, all missing.
                    states = _StateCounts({}, float(numbers.missing.sum()), declared=False)
            # Objects are counted both ways: another batch may have text where this one has numbers.
            if numbers is None or column.is_untyped:
                states = _StateCounts.of_column(column, weights)
            return _ColumnStatistics(column.label, numbers, states)

        columns = for_each_column(read, len(table.columns), table.n_rows, n_threads)
        n_c = np.bincount(labels, weights, len(classes)).astype(np.float64)
        return cls(classes, n_c, table.n_rows, columns)

    def __add__(self, other: Statistics) -> Statistics:
        if len(self.columns) != len(other.columns):
            raise ValueError(
                f"All batches must have the same features, got {len(self.columns)} and {len(other.columns)}."
            )
        # A batch may lack a class: the counts of both get a column for every class of either.
        classes = _merge_classes(self.classes, other.classes)
        one, two = self._with_classes(classes), other._with_classes(classes)
        columns = [a + b for a, b in zip(one.columns, two.columns, strict=True)]
        return Statistics(classes, one.n_c + two.n_c, self.n_rows + other.n_rows, columns)

    def _with_classes(self, classes: AnyArray) -> Statistics:
        if len(classes) == len(self.classes):
            return self
        indices = np.searchsorted(classes, self.classes)
        n_c = np.zeros(len(classes))
        n_c[indices] = self.n_c
        columns = [
            replace(column, numbers=column.numbers and column.numbers.with_classes(indices, len(classes)))
            for column in self.columns
        ]
        return replace(self, n_c=n_c, columns=columns)

    def learn(self, rules: Rules, names: Sequence[str] | None, *, n_threads: int = 1) -> Encoding:
        """Learn how the table becomes states, by the user's rules and, if any, the names of the features."""
        labels = [column.label for column in self.columns]
        # The user can declare numbers as categories, but not text as numbers.
        text = [column.numbers is None for column in self.columns]
        declared = rules.declared(labels, rules.categorical(len(labels), names) | text)
        conservative = rules.conservative(len(labels), names).tolist()

        def learn(j: int) -> Feature:
            return self.columns[j].learn(rules, declared=declared.get(j), conservative=conservative[j])

        encoding = Encoding(for_each_column(learn, len(labels), self.n_rows, n_threads))
        self._warn_of_identifiers(encoding)
        return encoding

    def _warn_of_identifiers(self, encoding: Encoding) -> None:
        """Warn of features with so many states that most have a single row to learn from."""
        suspects = []
        for feature, column in zip(encoding.features, self.columns, strict=True):
            if isinstance(feature, CategoricalFeature) and column.states is not None:
                n_known = round(self.n_rows * (1.0 - column.states.missing / self.n_c.sum()))
                if look_like_identifiers(feature.n_observed, n_known):
                    suspects.append(f"{column.label} ({feature.n_observed} states)")
        if suspects:
            some = ", ".join(suspects[:5]) + (", ..." if len(suspects) > 5 else "")
            warn(
                f"In {self.n_rows} rows these look like identifiers, and will be trusted too much: {some}. "
                "Drop them, turn them into numbers, or set max_categories."
            )


def _merge_classes(one: AnyArray, two: AnyArray) -> AnyArray:
    """Return the classes of two batches together, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> _merge_classes(np.array(["b"]), np.array(["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    try:
        sorted([*one.tolist(), *two.tolist()])  # numpy would turn numbers beside text into text
    except TypeError as error:
        raise ValueError(
            "y must be all text or all numbers, got text in some batches and numbers in others."
        ) from error
    return np.unique(np.concatenate([one, two]))
