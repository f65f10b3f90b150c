"""How one feature becomes codes, learned from what was seen in its training column (§1).

Codes are those of one feature: 0 to ``n_states - 1`` are its states, ``n_states`` is *unknown*, a value that
is not among them, and ``n_states + 1`` is a missing value that may be any (§13). A missing value gets the
code that ``fill`` stands for: the median's or the mode's where missing values are imputed, and *unknown*
where they are marginalized, or where the training column had no value. In a conservative feature it may be
any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from skcredal._arrays import AnyArray, FloatArray, IntArray
from skcredal._encoding.columns import Column, Factor
from skcredal._encoding.cuts import equal_frequency_cuts, mdl_cuts, weighted_median
from skcredal._encoding.histogram import Histogram
from skcredal._validation import naming, safe_repr, warn

if TYPE_CHECKING:
    from skcredal._encoding.encoding import Rules

__all__ = ["IDENTIFIER_STATES", "CategoricalFeature", "Feature", "NumericFeature", "too_many_states"]

# The display name of the state that all but the most frequent values are merged into.
OTHER = "(other)"
# A column with so many states or fewer is never suspected to be an identifier.
IDENTIFIER_STATES = 20
# Comparing many rows with a few cuts, one after another, takes a fifth of the time of a search for each row.
FEW_CUTS, MANY_ROWS = 20, 1000


@dataclass(frozen=True, slots=True, eq=False)
class NumericFeature:
    """Cuts of a numeric feature, what replaces a missing value, and the range of the training values.

    Parameters
    ----------
    cuts : ndarray
        The cuts, ascending.
    fill : float
        The number that replaces a missing value; NaN if it stays unknown or may be any.
    low, high : float
        The least and the greatest training value; NaN if there was none.
    conservative : bool
        Whether a missing value may be any (§13).
    """

    cuts: FloatArray
    fill: float
    low: float = np.nan
    high: float = np.nan
    conservative: bool = False

    @classmethod
    def learn(
        cls, histogram: Histogram, *, impute: bool, conservative: bool = False, bins: Sequence[int] = ()
    ) -> list[NumericFeature]:
        """Learn the median and the MDL cuts from how often each value was seen with each class.

        ``bins`` says how many bins of equal frequency each further feature is to have (§12).
        """
        low, high, counts = histogram.low, histogram.high, histogram.counts
        if len(low) == 0:
            return [cls(np.empty(0), np.nan, conservative=conservative)] * (1 + len(bins))
        fill = np.nan
        if impute and not conservative:
            # A cell of several values is represented by its middle; a single value must stay exactly itself.
            middles = np.where(low == high, low, low / 2 + high / 2)
            fill = weighted_median(middles, counts.sum(axis=0))
            if histogram.missing.any():
                # Imputed first, then cut (§1): missing rows take part at the median, maybe a new value.
                cell = int(np.searchsorted(high, fill))
                if fill < low[cell]:
                    low, high = np.insert(low, cell, fill), np.insert(high, cell, fill)
                    counts = np.insert(counts, cell, 0.0, axis=1)
                counts = counts.copy()
                counts[:, cell] += histogram.missing
        all_cuts = [mdl_cuts(low, high, counts), *equal_frequency_cuts(low, high, counts.sum(axis=0), bins)]
        return [cls(cuts, fill, float(low[0]), float(high[-1]), conservative) for cuts in all_cuts]

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

    def encode(self, column: Column, numbering: AnyArray) -> AnyArray:
        """Return what ``numbering`` (n_states + 2,) calls each row's bin, which contains its upper cut."""
        numbers = column.numbers()
        if len(self.cuts) <= FEW_CUTS and len(numbers) >= MANY_ROWS:
            codes: AnyArray = np.zeros(len(numbers), np.uint8)
            for cut in self.cuts:
                codes += numbers > cut
        else:
            codes = np.searchsorted(self.cuts, numbers, side="left")
        missing = np.isnan(numbers)
        if missing.any():
            fill = int(np.searchsorted(self.cuts, self.fill)) if self.fill == self.fill else self.n_states
            codes[missing] = self.n_states + 1 if self.conservative else fill
        states: AnyArray = numbering.take(codes)
        return states


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalFeature:
    """States of a categorical feature, and the code that replaces a missing value.

    Parameters
    ----------
    values : list
        The values that are known.
    codes : ndarray of shape (n_values,)
        The code of each; values that were merged share one.
    states : list
        What each code means, for display.
    n_observed : int
        How many codes occur among the training cells: the known ones, or all if missing ones may be any.
    fill : int
        The code that replaces a missing value; the number of states if it stays unknown or may be any.
    refuse_unknown : bool
        Whether a value that is not among the states is an error.
    conservative : bool
        Whether a missing value may be any (§13).
    """

    values: list[Any]
    codes: IntArray
    states: list[Any]
    n_observed: int
    fill: int
    refuse_unknown: bool = False
    conservative: bool = False

    @classmethod
    def learn(
        cls,
        seen: Mapping[Any, float],
        rules: Rules,
        *,
        declared: Sequence[Any] | None = None,
        conservative: bool = False,
        has_missing: bool = False,
    ) -> CategoricalFeature:
        """Learn the states and the mode from how often each state was seen, in the order of the states."""
        # Declared states count even if no row has them: they have their BDeu probability (§1).
        states = list(seen if declared is None else declared)
        counts = [seen.get(state, 0.0) for state in states]
        codes, names = list(range(len(states))), states
        if rules.max_categories is not None and len(states) > rules.max_categories:
            # The sort is stable: of equally frequent states the first stay. Those that stay keep their order.
            common = sorted(sorted(codes, key=lambda code: -counts[code])[: rules.max_categories - 1])
            new_code = {old: code for code, old in enumerate(common)}
            codes = [new_code.get(old, len(common)) for old in codes]
            names = [*(states[old] for old in common), OTHER]
        n_observed = len({code for code, count in zip(codes, counts, strict=True) if count > 0})
        # The mode is that of the states before they are merged, the first of equal ones (§1). Where nothing
        # was seen, a missing value stays unknown.
        imputes = rules.missing == "impute" and not conservative and n_observed > 0
        fill = codes[counts.index(max(counts))] if imputes else len(names)
        if conservative and has_missing and n_observed > 0:
            n_observed = len(names)
        refuse = rules.handle_unknown == "error"
        return cls(states, np.array(codes, np.int64), names, n_observed, fill, refuse, conservative)

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
                f"{label} was learned as {_kind(self.values[0])} and now holds only {_kind(states[0])} "
                f"({safe_repr(states[0])}): all its values are unknown."
            )

    def unknown_states(self, factor: Factor) -> list[str]:
        """Return the states that some rows have and that are not known, as messages show them, in order."""
        # A declared state may be new without a row that has it.
        seen = [factor.states[code] for code in np.unique(factor.codes).tolist() if code >= 0]
        return sorted(map(safe_repr, set(seen).difference(self.values)))

    def encode(self, column: Column, numbering: AnyArray) -> AnyArray:
        """Return what ``numbering`` (n_states + 2,) calls the code of each row."""
        factor, code_of = column.factor(), dict(zip(self.values, self.codes.tolist(), strict=True))
        with naming(column.label):  # hashes and comparisons of any class
            codes = [code_of.get(state, self.n_states) for state in factor.states]
        if self.refuse_unknown and (unknown := self.unknown_states(factor)):
            some = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
            raise ValueError(
                f"{column.label} must hold only known states where handle_unknown='error', got {some}."
            )
        # A missing value is -1, which indexes the last entry.
        missing = self.n_states + 1 if self.conservative else self.fill
        named = numbering[[*codes, missing]]
        if factor.codes.dtype.kind == "u" and (np.diff(named[:-1].astype(np.int64)) == 1).all():
            # Codes of which none is missing, and that keep their order: adding is far faster than looking up.
            return np.asarray(np.add(factor.codes, named[0], dtype=named.dtype))
        return np.asarray(named.take(factor.codes))


Feature: TypeAlias = NumericFeature | CategoricalFeature


def too_many_states(n_states: int, n_rows: float) -> bool:
    """Tell whether so many states look like an identifier: each has hardly a row to learn from."""
    return n_states > IDENTIFIER_STATES and n_states > n_rows / 4


def _kind(state: Any) -> str:
    return (
        "text" if isinstance(state, str) else "numbers" if isinstance(state, Real) else type(state).__name__
    )
