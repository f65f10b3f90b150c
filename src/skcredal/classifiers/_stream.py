"""Counts of rows that come one batch after another and are never seen again.

Every state and every missing cell is counted in a slot of its own; new states get new slots. What ``fit``
decides from all rows at once (the order of the states, the mode, rare states to merge, features to drop) is
decided from the counts, again after each batch, so that the model is that of ``fit`` on all rows so far. Only
the cuts and the medians of numeric features remain those of the first batch.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from skcredal._arrays import AnyArray, CodeArray, CountArray, IntArray, LabelArray
from skcredal._encoding.columns import Column
from skcredal._encoding.features import CategoricalFeature, NumericFeature, unknown_states
from skcredal._encoding.frames import Table
from skcredal._encoding.learning import EncodingPlan, EncodingRules, categorical_mask
from skcredal._encoding.statistics import StateCounts
from skcredal._encoding.table_encoding import Feature, TableEncoding
from skcredal._encoding.target import encode_target
from skcredal._ensemble.counting import count
from skcredal._ensemble.counts import JointCounts, Layout, ValueCounts
from skcredal._threads import run_in_threads, thread_count
from skcredal._validation import check_instance, safe_repr
from skcredal.classifiers._rows import encoding_rules, read_rows
from skcredal.classifiers._spodes import SpodeEnsemble

__all__ = ["CountStream", "Slots", "StreamingEnsemble"]

# What partial_fit keeps of the batches before.
_OF_BATCHES = ("_stream", "classes_", "n_features_in_", "feature_names_in_")
# The slot of the missing cells of a categorical feature; those of its states follow.
MISSING = 0


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slots of a categorical feature: one for missing cells, and one for each state as it came."""

    label: str
    # The states in the order in which they came: the slot of the first is 1.
    values: list[Any]
    declared_by_type: bool
    # Whether the user declares the feature categorical, so that numbers are states, too.
    by_choice: bool = False
    # The states that the user declares.
    declared: list[Any] | None = None

    def check(self) -> None:
        """Refuse what comes from elsewhere and was not counted."""
        check_instance("label", self.label, str)
        check_instance("values", self.values, list)
        # Two slots for one state: later batches would count in slots that are not there.
        if len(self.slots) < len(self.values):
            raise ValueError("values must be different states.")
        check_instance("declared", self.declared, (list, NoneType))
        check_instance("declared_by_type", self.declared_by_type, bool)
        check_instance("by_choice", self.by_choice, bool)

    @property
    def n_slots(self) -> int:
        """The number of slots."""
        return len(self.values) + 1

    @property
    def slots(self) -> dict[Any, int]:
        """The slot of each state."""
        return {state: slot for slot, state in enumerate(self.values, MISSING + 1)}

    def read(self, column: Column) -> tuple[Slots, IntArray]:
        """Return the slots, with new ones for new states, and the slot of every row."""
        if (
            column.is_numeric
            and not (self.by_choice or column.is_untyped)
            # A batch in which a column of text is empty is often read as numbers that are all missing.
            and not np.isnan(column.numbers()).all()
        ):
            raise ValueError(
                f"{self.label} must hold the same kind of values in all batches, got numbers after text or "
                "categories."
            )
        factor = column.factor()
        slots = self.slots
        of_states = [slots.setdefault(state, len(slots) + 1) for state in factor.states]
        declared = self.declared_by_type and factor.declared
        known = replace(self, values=list(slots), declared_by_type=declared)
        # A missing cell has the code -1, which indexes the last entry.
        return known, np.array([*of_states, MISSING])[factor.codes]


@dataclass(frozen=True, slots=True, eq=False)
class CountStream:
    """All counts so far.

    Parameters
    ----------
    features : list of NumericFeature or Slots
        How each column becomes slots.
    counts : JointCounts
        The counts of the slots of all columns.
    """

    features: list[NumericFeature | Slots]
    counts: JointCounts

    @classmethod
    def start(
        cls,
        table: Table,
        labels: LabelArray,
        weights: CountArray | None,
        n_classes: int,
        rules: EncodingRules,
        names: Sequence[str] | None,
    ) -> CountStream:
        """Learn from the first batch which features are categorical and where to cut the others."""
        plan = EncodingPlan.of(
            [column.label for column in table.columns],
            [column.is_numeric for column in table.columns],
            rules,
            names,
        )
        # As if all columns were numeric, so that only those that the user declares are in the mask.
        chosen = categorical_mask([True] * len(table.columns), rules.categorical_features, names)
        features: list[NumericFeature | Slots] = []
        for j, column in enumerate(table.columns):
            if plan.categorical[j]:
                features.append(Slots(column.label, [], True, bool(chosen[j]), plan.declared.get(j)))
            else:
                numbers = column.numbers()
                features += NumericFeature.learn(numbers, labels, weights, n_classes, impute=plan.imputes(j))
        n_slots = cls.n_slots_of(features)
        # The counts of no rows, to which every batch is added.
        nothing = np.empty((len(features), 0), np.uint8)
        return cls(features, count(nothing, np.empty(0, np.int32), n_slots, n_classes))

    def read(self, table: Table, *, n_threads: int) -> tuple[CountStream, CodeArray]:
        """Return the stream with slots for all values of the table, and the slot of each cell."""

        def read(j: int) -> tuple[NumericFeature | Slots, IntArray]:
            feature, column = self.features[j], table.columns[j]
            if isinstance(feature, NumericFeature):
                return feature, feature.read(column)
            return feature.read(column)

        learned = run_in_threads(read, range(len(self.features)), n_threads)
        features = [feature for feature, _ in learned]
        n_slots = self.n_slots_of(features)
        codes = np.empty((len(features), table.n_rows), np.min_scalar_type(int(n_slots.max(initial=0))))
        for j, (_, column_codes) in enumerate(learned):
            codes[j] = column_codes
        return CountStream(features, self.counts), codes

    @property
    def n_slots(self) -> IntArray:
        """The number of slots of each column."""
        return self.n_slots_of(self.features)

    @staticmethod
    def n_slots_of(features: Sequence[NumericFeature | Slots]) -> IntArray:
        """Return the number of slots of each of some columns."""
        # A numeric feature has a slot for unknown numbers after its bins.
        numbers = [f.n_states + 1 if isinstance(f, NumericFeature) else f.n_slots for f in features]
        return np.array(numbers, np.int64)

    def add(
        self, codes: CodeArray, labels: LabelArray, weights: CountArray | None, *, n_threads: int
    ) -> CountStream:
        """Return the stream with more rows counted."""
        n_classes = self.counts.layout.n_classes
        new = count(codes, labels, self.n_slots, n_classes, weights=weights, n_threads=n_threads)
        # The old slots keep their numbers; new states make the tables wider.
        identity = [np.arange(v) for v in self.counts.layout.n_states]
        padded = _moved(self.counts, list(range(len(self.features))), identity, self.n_slots)
        return replace(self, counts=padded + new)

    def encoding(self, rules: EncodingRules) -> TableEncoding:
        """Return how tables become codes, as ``fit`` on all rows so far would learn it."""
        slots = [feature if isinstance(feature, Slots) else None for feature in self.features]
        # Numeric features are learned already; the plan is for the others.
        plan = EncodingPlan(
            ["" if feature is None else feature.label for feature in slots],
            np.array([feature is not None for feature in slots]),
            {j: one.declared for j, one in enumerate(slots) if one is not None and one.declared is not None},
            np.zeros(len(slots), np.bool_),  # no classifier that counts a stream has any
            rules,
        )
        features: list[Feature] = []
        for j, feature in enumerate(self.features):
            if isinstance(feature, NumericFeature):
                features.append(feature)
                continue
            totals = self.counts.values(j).sum(axis=1)
            seen = {state: totals[slot].item() for state, slot in feature.slots.items()}
            states = StateCounts(seen, totals[MISSING].item(), feature.declared_by_type)
            features.append(plan.learn_states(j, states.in_order()))
        return TableEncoding(features)

    def counts_in(self, encoding: TableEncoding) -> JointCounts:
        """Return the counts of the features kept, by their codes."""
        moves = []
        for j in encoding.kept:
            slots, feature = self.features[j], encoding.features[j]
            if isinstance(feature, CategoricalFeature) and isinstance(slots, Slots):
                # Unless said otherwise, a slot moves to unknown: states that are not declared, for instance.
                move = np.full(slots.n_slots, feature.n_states)
                move[MISSING] = feature.fill
                for state, slot in slots.slots.items():
                    move[slot] = feature.lookup.get(state, feature.n_states)
            else:
                move = np.arange(feature.n_states + 1)
            moves.append(move)
        return _moved(self.counts, encoding.kept, moves, encoding.n_states)

    def refuse_unknown(self, codes: CodeArray) -> None:
        """Raise an error for states that the user did not declare."""
        for j, slots in enumerate(self.features):
            if isinstance(slots, NumericFeature) or slots.declared is None:
                continue
            # Of this batch only: earlier ones may have been counted with handle_unknown="ignore".
            known = set(slots.declared)
            foreign = [s for s, slot in slots.slots.items() if s not in known and (codes[j] == slot).any()]
            if foreign:
                raise unknown_states(slots.label, foreign)


def _moved(counts: JointCounts, kept: list[int], moves: list[IntArray], n_states: IntArray) -> JointCounts:
    """Return the counts of some features with their slots moved; what moves beyond the end is unknown."""
    n_classes = counts.layout.n_classes
    layout = Layout(n_states, n_classes)
    n_ca = np.zeros(layout.value_offsets[-1], counts.n_ca.dtype)
    n_cab = np.zeros(layout.pair_offsets[-1], counts.n_cab.dtype)
    result = JointCounts(ValueCounts(layout, counts.n_c, n_ca), n_cab, complete=True)
    complete = True
    # A cell that becomes unknown drops out of the counts, and with it every pair that it is part of.
    stay = [move < n for move, n in zip(moves, n_states, strict=True)]
    for i, feature in enumerate(kept):
        # add.at and not +=: several slots may be merged into one state.
        values = counts.values(feature)
        np.add.at(result.values(i), moves[i][stay[i]], values[stay[i]])
        complete = complete and not values[~stay[i]].any()
        for j in range(i + 1, len(kept)):
            block = counts.pair(feature, kept[j])[stay[i]][:, stay[j]]
            cells = np.ix_(moves[i][stay[i]], moves[j][stay[j]])
            np.add.at(result.pair(i, j), cells, block)
    return replace(result, complete=complete)


def _counts_suffice(classifier: StreamingEnsemble) -> bool:
    """Tell whether nothing is learned in a second pass over the rows, which a stream does not have."""
    return not classifier._scores


class StreamingEnsemble(SpodeEnsemble):
    """A SPODE ensemble with ``partial_fit``, which is there only where the counts suffice."""

    _stream: CountStream | None = None

    @available_if(_counts_suffice)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows, without the earlier ones.

        With categorical features the model is that of :meth:`fit` on all batches so far: new states may
        appear at any time, and the mode, the rarest states and the features to drop are decided again after
        each batch. A numeric feature keeps the cuts and the median of the first batch, which should be large
        enough for them; :func:`skcredal.scale.fit_batches` learns cuts from all rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features of some rows.
        y : array-like of shape (n_rows,)
            Their classes; a batch need not have all of them.
        classes : array-like of shape (n_classes,), optional
            All classes that may occur; required in the first call. After :meth:`fit`, whose rows are
            forgotten with a warning, the default is the same classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        self : object
            The classifier, fitted to all batches so far. If a batch is refused, it stays as it was.

        Examples
        --------
        >>> from skcredal import AODE
        >>> clf = AODE().partial_fit([["red"], ["red"]], ["apple", "apple"], classes=["apple", "banana"])
        >>> clf.partial_fit([["yellow"]], ["banana"]).predict([["yellow"], ["red"]])
        array(['banana', 'apple'], dtype='<U6')
        """
        # As in fit_rows, a copy learns; unlike there, it starts from the counts so far.
        learner = self._unfitted()
        learner.__dict__ |= {name: vars(self)[name] for name in _OF_BATCHES if name in vars(self)}
        learner._check_parameters()
        learner._learn_batch(X, y, classes, sample_weight)
        self.__dict__ = learner.__dict__  # as a whole or not at all, as in fit_rows
        return self

    def _learn_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        stream, rules, n_threads = self._stream, encoding_rules(self), thread_count(self.n_jobs)
        given = read_rows(self, X, y, sample_weight, reset=stream is None)
        table, weights = given.table, given.weights
        labels = self._declared_classes(classes, given.classes)[given.labels]
        # The first batch decides which features are categorical, and where the others are cut.
        if stream is None:
            features = getattr(self, "feature_names_in_", None)
            stream = CountStream.start(table, labels, weights, len(self.classes_), rules, features)
        stream, codes = stream.read(table, n_threads=n_threads)
        if rules.handle_unknown == "error":
            stream.refuse_unknown(codes)
        # The slots of all columns, also of those that a model would drop: a later batch may make them useful.
        names = [column.label for column in table.columns]
        cut = [isinstance(feature, NumericFeature) for feature in stream.features]
        self._refuse_large_tables([stream.n_slots], names, cut)
        self._learn_stream(stream.add(codes, labels, weights, n_threads=n_threads))

    def _learn_stream(self, stream: CountStream) -> None:
        """Learn from all that was counted so far; also done when a model is loaded."""
        self._stream, self._encoding = stream, stream.encoding(encoding_rules(self))
        # Again: states that were declared have room in the tables even if no batch has them.
        self._refuse_large_tables([self._encoding.n_states], self._kept_features(), self._kept_numeric())
        self.counts_ = stream.counts_in(self._encoding)
        self._derive()

    def _declared_classes(self, classes: Any, present: AnyArray) -> LabelArray:
        """Set the classes in the first call; return the index among them of each class of the batch."""
        if self._stream is None:
            if hasattr(self, "classes_"):
                warnings.warn(
                    "partial_fit does not continue from fit, but starts anew: what fit learned is forgotten.",
                    stacklevel=4,
                )
            elif classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            if classes is not None:
                self.classes_ = encode_target(classes, estimator=self)[0]
        elif classes is not None and not np.array_equal(
            encode_target(classes, estimator=self)[0], self.classes_
        ):
            raise ValueError(
                "classes must be the same as in the first call to partial_fit, "
                f"{safe_repr(self.classes_.tolist())}, got {safe_repr(classes)}."
            )
        # A class that is not known has the index of the next one, or of none: compare before trusting it.
        index = np.searchsorted(self.classes_, present)
        known = self.classes_[np.minimum(index, len(self.classes_) - 1)]
        for label, found in zip(present.tolist(), known.tolist(), strict=True):
            if label != found:
                raise ValueError(
                    f"y must hold only the classes {safe_repr(self.classes_.tolist())}, got "
                    f"{safe_repr(label)}."
                )
        return index.astype(np.int32)
