"""How one feature becomes codes, learned from what was seen in its training column (§1).

A column is read as *cells*: numbers, NaN where they are missing; or the indices of known values, -1 where a
value is missing, and the number of known values where it is none of them.

Codes are those of one feature: 0 to ``n_states - 1`` are its states, ``n_states`` is *unknown*, a value that
is not among them, and ``n_states + 1`` is a missing value that may be any (§13). A missing value gets the
code of the median or the mode where missing values are imputed; it is *unknown* where they are marginalized,
or where the training column had no value. In a conservative feature it may be any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from skcredal._arrays import AnyArray, FloatArray, IntArray, LabelArray
from skcredal._encoding.columns import Column, Factor
from skcredal._encoding.cuts import mdl_cuts, weighted_median
from skcredal._encoding.histogram import Histogram
from skcredal._validation import naming, safe_repr, warn

if TYPE_CHECKING:
    from skcredal._encoding.encoding import Rules

__all__ = ["CategoricalFeature", "Feature", "NumericFeature", "look_like_identifiers"]

# The display name of the state that all but the most frequent values are merged into.
OTHER = "(other)"
# Where there are so many values, and such a share of them are different, they look like identifiers.
_IDENTIFIERS, _DIFFERENT = 10, 0.95
# Comparing many rows with a few cuts, one after another, takes a fifth of the time of a search for each row.
FEW_CUTS, MANY_ROWS = 20, 1000


@dataclass(frozen=True, slots=True, eq=False)
class NumericFeature:
    """Cuts of a numeric feature, its median, and the range of the training values."""

    cuts: FloatArray  # the cuts, ascending
    fill: float  # the median of the training values; NaN if there was none
    # low, high: the least and the greatest training value; NaN if there was none
    low: float = np.nan
    high: float = np.nan
    # "impute", "marginalize" or "any": whether a missing value becomes the median, is left out, or may be
    # any (§13)
    missing: str = "impute"

    @classmethod
    def learn(cls, histogram: Histogram, missing: str = "impute") -> NumericFeature:
        """Learn the median and the MDL cuts from how often each value was seen with each class."""
        low, high, counts = histogram.low, histogram.high, histogram.counts
        if len(low) == 0:
            return cls(np.empty(0), np.nan, missing=missing)
        # A cell of several values is represented by its middle; a single value must stay exactly itself.
        middles = np.where(low == high, low, low / 2 + high / 2)
        fill = weighted_median(middles, counts.sum(axis=0))
        if missing == "impute" and histogram.missing.any():
            # Imputed first, then cut (§1): missing rows take part at the median, maybe a new value.
            cell = int(np.searchsorted(high, fill))
            if fill < low[cell]:
                low, high = np.insert(low, cell, fill), np.insert(high, cell, fill)
                counts = np.insert(counts, cell, 0.0, axis=1)
            counts = counts.copy()
            counts[:, cell] += histogram.missing
        return cls(mdl_cuts(low, high, counts), fill, float(low[0]), float(high[-1]), missing)

    def learned_from(
        self, cells: FloatArray, labels: LabelArray, weights: FloatArray, n_classes: int
    ) -> NumericFeature:
        """Return the feature as fewer rows would have it."""
        return self.learn(Histogram.of_column(cells, labels, weights, n_classes), self.missing)

    @property
    def varies(self) -> bool:
        """Whether there were two different training values."""
        return self.low < self.high

    @property
    def n_states(self) -> int:
        """The number of bins."""
        return len(self.cuts) + 1

    @property
    def is_informative(self) -> bool:
        """Whether the feature is kept: it has more than one bin."""
        return self.n_states > 1

    def read(self, column: Column) -> AnyArray:
        """Return the cells of a column."""
        if not self.varies and not column.is_numeric:
            # Nothing depends on such a column, and one without a value may turn out to be text.
            return np.full(len(column.factor.codes), np.nan)
        return column.numbers

    @property
    def fill_number(self) -> float:
        """The median, as :meth:`numbers` has it."""
        return self.fill

    def numbers(self, cells: AnyArray) -> FloatArray:
        """Return the numbers, imputed where missing ones are, and NaN where they are left out."""
        return np.where(np.isnan(cells), self.fill, cells) if self.missing == "impute" else cells

    def encode(self, cells: AnyArray, numbering: AnyArray) -> AnyArray:
        """Return what ``numbering`` (n_states + 2,) calls each row's bin, which contains its upper cut."""
        if len(self.cuts) <= FEW_CUTS and len(cells) >= MANY_ROWS:
            codes: AnyArray = np.zeros(len(cells), np.uint8)
            for cut in self.cuts:
                codes += cells > cut
        else:
            codes = np.searchsorted(self.cuts, cells, side="left")
        missing = np.isnan(cells)
        if missing.any():
            imputes = self.missing == "impute" and self.fill == self.fill
            fill = int(np.searchsorted(self.cuts, self.fill)) if imputes else self.n_states
            codes[missing] = self.n_states + 1 if self.missing == "any" else fill
        states: AnyArray = numbering.take(codes)
        return states


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalFeature:
    """States of a categorical feature, and its mode."""

    values: list[Any]  # the values that are known
    # (n_values,): the code of each; values that were merged share one, and one that does not occur is unknown
    codes: IntArray
    states: list[Any]  # what each code means, for display
    # how many codes occur among the training cells: the known ones, or all if missing ones may be any
    n_observed: int
    fill: int  # the index of the most frequent value; -1 if there was none
    declared: bool = False  # whether the states are known without a row that has them
    # "impute", "marginalize" or "any": whether a missing value becomes the mode, is left out, or may be any
    # (§13)
    missing: str = "impute"
    refuse_unknown: bool = False  # whether a value that is not among the states is an error
    # (n_states,): the numbers that the states have among those of all rows, where only some of them were seen
    state_numbers: IntArray | None = None

    @classmethod
    def learn(
        cls, seen: Mapping[Any, float], rules: Rules, missing: str, *, declared: bool, has_missing: bool
    ) -> CategoricalFeature:
        """Learn the states and the mode from how often each state was seen, in the order of the states."""
        states, counts = list(seen), list(seen.values())
        codes, names = list(range(len(states))), states
        if rules.max_categories is not None and len(states) > rules.max_categories:
            # The sort is stable: of equally frequent states the first stay. Those that stay keep their order.
            common = sorted(sorted(codes, key=lambda code: -counts[code])[: rules.max_categories - 1])
            new_code = {old: code for code, old in enumerate(common)}
            codes = [new_code.get(old, len(common)) for old in codes]
            names = [*(states[old] for old in common), OTHER]
        refuse = rules.handle_unknown == "error"
        feature = cls(states, np.array(codes, np.int64), names, 0, -1, declared, missing, refuse)
        return feature._seen(np.array(counts, np.float64), has_missing=has_missing)

    def _seen(self, counts: AnyArray, *, has_missing: bool) -> CategoricalFeature:
        """Return the feature with its mode, given how often each value was seen."""
        n_observed = len(np.unique(self.codes[counts > 0.0]))
        # The mode is that of the states before they are merged, the first of equal ones (§1).
        fill = int(counts.argmax()) if n_observed else -1
        if self.missing == "any" and has_missing and n_observed > 0:
            n_observed = self.n_states
        return replace(self, n_observed=n_observed, fill=fill)

    def learned_from(
        self, cells: AnyArray, labels: LabelArray, weights: FloatArray, n_classes: int
    ) -> CategoricalFeature:
        """Return the feature as fewer rows would have it: states without a row are unknown, or declared."""
        counts = np.bincount(cells.astype(np.int64) + 1, weights, len(self.values) + 2)[1:-1]
        if self.declared:
            return self._seen(counts, has_missing=False)
        # Merged as among all rows: a value that does not occur is known if another of its state does.
        found = np.unique(self.codes[counts > 0.0])
        codes = np.full(self.n_states, len(found))
        codes[found] = np.arange(len(found))
        states = [self.states[code] for code in found]
        some = replace(self, codes=codes[self.codes], states=states, state_numbers=found)
        return some._seen(counts, has_missing=False)

    @property
    def n_states(self) -> int:
        """The number of states, merged ones counted once."""
        return len(self.states)

    @property
    def is_informative(self) -> bool:
        """Whether the feature is kept: more than one state occurs."""
        return self.n_observed > 1

    def warn_of_another_kind(self, states: Sequence[Any], label: str) -> None:
        """Warn if a column has none of the states, but values of another type: text instead of numbers."""
        with naming(label):  # states of the user's own classes may refuse to be compared
            if not states or not self.values or not set(self.values).isdisjoint(states):
                return
        if {_kind(state) for state in states}.isdisjoint(_kind(value) for value in self.values):
            warn(
                f"{label} was learned as {_kind(self.values[0])} and now contains only {_kind(states[0])} "
                f"({safe_repr(states[0])}): all its values are unknown."
            )

    def unknown_states(self, factor: Factor) -> list[str]:
        """Return the states that some rows have and that are not known, as messages show them, in order."""
        # A declared state may be new without a row that has it.
        seen = [factor.states[code] for code in np.unique(factor.codes).tolist() if code >= 0]
        return sorted(map(safe_repr, set(seen).difference(self.values)))

    def read(self, column: Column) -> AnyArray:
        """Return the cells of a column."""
        factor, index_of = column.factor, {value: index for index, value in enumerate(self.values)}
        with naming(column.label):  # hashes and comparisons of any class
            indices = [index_of.get(state, len(self.values)) for state in factor.states]
        if self.refuse_unknown and (unknown := self.unknown_states(factor)):
            some = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
            raise ValueError(
                f"{column.label} must contain only known states where handle_unknown='error', got {some}."
            )
        if indices == list(range(len(indices))):
            return factor.codes
        # A missing value is -1, which indexes the last entry.
        return np.array([*indices, -1], np.int32).take(factor.codes)

    def numbers(self, cells: AnyArray) -> FloatArray:
        """Return the numbers of the states; NaN where one is unknown, or missing and left out.

        A missing value that is imputed has the number of the mode.
        """
        missing = self.fill_number if self.missing == "impute" else np.nan
        return np.array([*self._value_numbers(), np.nan, missing]).take(cells)

    @property
    def fill_number(self) -> float:
        """The number of the mode; NaN if there was no value."""
        return float(self._value_numbers()[self.fill]) if self.fill >= 0 else np.nan

    def _value_numbers(self) -> FloatArray:
        """Return the number of each value's state; NaN where it is unknown."""
        own = np.arange(self.n_states) if self.state_numbers is None else self.state_numbers
        return np.append(own, np.nan)[self.codes]

    def encode(self, cells: AnyArray, numbering: AnyArray) -> AnyArray:
        """Return what ``numbering`` (n_states + 2,) calls the code of each row."""
        imputes = self.missing == "impute" and self.fill >= 0
        missing = int(self.codes[self.fill]) if imputes else self.n_states + (self.missing == "any")
        named = numbering[[*self.codes.tolist(), self.n_states, missing]]
        in_order = cells.dtype.kind == "u" and (np.diff(named[:-2].astype(np.int64)) == 1).all()
        if in_order and cells.max(initial=0) < len(self.codes):
            # Codes of which none is missing or unknown, in their order: adding is far faster than looking up.
            return np.asarray(np.add(cells, named[0], dtype=named.dtype))
        return np.asarray(named.take(cells))


Feature: TypeAlias = NumericFeature | CategoricalFeature


def look_like_identifiers(n_different: int, n_known: int) -> bool:
    """Tell whether so many different texts among those known look like identifiers."""
    return n_known >= _IDENTIFIERS and n_different >= _DIFFERENT * n_known


def _kind(state: Any) -> str:
    return (
        "text" if isinstance(state, str) else "numbers" if isinstance(state, Real) else type(state).__name__
    )
