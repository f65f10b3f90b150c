"""How one feature becomes codes, learned from its training column (§1).

The code after the last state, ``n_states``, stands for a value that is not among the states.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from skcredal import kernels
from skcredal._arrays import CountArray, FloatArray, IntArray, LabelArray
from skcredal._validation import naming
from skcredal.data.columns import Column, Factor

__all__ = ["CategoricalFeature", "NumericFeature", "weighted_median"]

# What values beyond the most frequent ones are merged into, as people read it.
OTHER = "(other)"
ROUNDING = 1e-12
# Fewer states than this are never taken for an identifier.
IDENTIFIER_STATES = 20


def weighted_median(values: FloatArray, weights: CountArray | None = None) -> float:
    """Return the median, a value of weight w counting w times; of an even count, the mean of the middle two.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_median(np.array([1.0, 5.0, 2.0, 4.0]))
    3.0
    >>> weighted_median(np.array([1.0, 5.0]), np.array([2, 1]))
    1.0
    """
    order = np.argsort(values, kind="stable")
    return _median_of_sorted(values[order], None if weights is None else weights[order])


def _median_of_sorted(ordered: FloatArray, weights: CountArray | None) -> float:
    passed = np.arange(1, len(ordered) + 1) if weights is None else np.cumsum(weights)
    half = passed[-1] / 2
    # Sums of real weights meet the half only up to rounding.
    rounding = half * ROUNDING if passed.dtype.kind == "f" else 0.0
    low = float(ordered[np.searchsorted(passed, half - rounding, side="left")])
    high = float(ordered[min(np.searchsorted(passed, half + rounding, side="right"), len(ordered) - 1)])
    # Halving first would lose the last digit of tiny numbers, adding first overflows for huge ones.
    middle = (low + high) / 2
    return middle if np.isfinite(middle) else low / 2 + high / 2


@dataclass(frozen=True, slots=True, eq=False)
class NumericFeature:
    """Cuts of a numeric feature, and what a missing value is taken for: a number, or NaN for unknown."""

    cuts: FloatArray
    fill: float

    @classmethod
    def learn(
        cls,
        numbers: FloatArray,
        labels: LabelArray,
        weights: CountArray | None,
        n_classes: int,
        *,
        impute: bool,
    ) -> NumericFeature:
        """Learn the median and the cuts from a training column."""
        known = ~np.isnan(numbers)
        if not known.any():
            return cls(np.empty(0), np.nan)
        # Missing values sort to the end, where they are cut off or take the median's place.
        order = np.argsort(numbers, kind="stable")
        n_known = np.count_nonzero(known)
        ordered, ordered_weights = numbers[order], None if weights is None else weights[order]
        fill = np.nan
        if impute:
            fill = _median_of_sorted(
                ordered[:n_known], None if ordered_weights is None else ordered_weights[:n_known]
            )
            if n_known < len(numbers):
                middle = np.searchsorted(ordered[:n_known], fill)
                order = np.concatenate([order[:middle], order[n_known:], order[middle:n_known]])
                ordered = np.where(known, numbers, fill)[order]
        else:
            order, ordered = order[:n_known], ordered[:n_known]
        cut_weights = np.ones(len(order)) if weights is None else weights[order].astype(np.float64)
        return cls(kernels.cuts.mdl_cuts(ordered, labels[order], cut_weights, n_classes), fill)

    @property
    def n_states(self) -> int:
        """The number of bins."""
        return len(self.cuts) + 1

    @property
    def is_informative(self) -> bool:
        """Whether the feature is worth keeping: it has more than one bin."""
        return self.n_states > 1

    def encode(self, numbers: FloatArray) -> IntArray:
        """Return the bins of numbers; a bin holds its upper cut."""
        missing = np.isnan(numbers)
        codes = np.searchsorted(self.cuts, np.where(missing, self.fill, numbers), side="left")
        if np.isnan(self.fill):
            codes[missing] = self.n_states
        return codes

    def read(self, column: Column) -> IntArray:
        """Return the bins of a column."""
        return self.encode(column.numbers())


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalFeature:
    """States of a categorical feature, and the code that a missing value is taken for.

    Parameters
    ----------
    lookup : dict
        The code of each state; states that were merged share one.
    states : list
        What each code stands for, for people to read.
    n_observed : int
        How many codes occur among the known training cells.
    fill : int
        The code of a missing value; the number of states for unknown.
    refuse_unknown : bool
        Whether a value that is not among the states is an error.
    """

    lookup: dict[Any, int]
    states: list[Any]
    n_observed: int
    fill: int
    refuse_unknown: bool = False

    @classmethod
    def learn(
        cls,
        factor: Factor,
        weights: CountArray | None,
        *,
        declared: Sequence[Any] | None,
        max_categories: int | None,
        impute: bool,
        refuse_unknown: bool,
    ) -> CategoricalFeature:
        """Learn the states and the mode from a training column."""
        known = factor.codes >= 0
        occurrences = np.bincount(
            factor.codes[known], None if weights is None else weights[known], len(factor.states)
        )
        seen = dict(zip(factor.states, occurrences.tolist(), strict=True))
        states = list(declared) if declared is not None else factor.states
        counts = np.array([seen.get(state, 0) for state in states])
        codes = np.arange(len(states))
        names = list(states)
        if max_categories is not None and len(states) > max_categories:
            # A stable sort of the negated counts: of equally frequent states the first stay.
            common = np.sort(np.argsort(-counts, kind="stable")[: max_categories - 1])
            codes = np.full(len(states), len(common))
            codes[common] = np.arange(len(common))
            names = [*(states[place] for place in common), OTHER]
        n_observed = len(np.unique(codes[counts > 0]))
        fill = int(codes[counts.argmax()]) if impute and n_observed > 0 else len(names)
        lookup = dict(zip(states, codes.tolist(), strict=True))
        return cls(lookup, names, n_observed, fill, refuse_unknown)

    def looks_like_identifier(self, n_rows: float) -> bool:
        """Tell whether so many states occur that each has hardly a row to learn from."""
        return self.n_observed > IDENTIFIER_STATES and self.n_observed > n_rows / 4

    @property
    def n_states(self) -> int:
        """The number of states, merged ones counted once."""
        return len(self.states)

    @property
    def is_informative(self) -> bool:
        """Whether the feature is worth keeping: more than one state occurs."""
        return self.n_observed > 1

    def encode(self, factor: Factor, label: str) -> IntArray:
        """Return the codes of a factor; the label names it in an error."""
        with naming(label):  # states of the user's own classes may refuse to be compared
            codes = [self.lookup.get(state, self.n_states) for state in factor.states]
        nothing_known = bool(factor.states) and min(codes) == self.n_states
        if nothing_known and self.lookup and self._is_of_another_kind(factor.states):
            warnings.warn(
                f"{label} was learned as {_kind(next(iter(self.lookup)))} and now holds only "
                f"{_kind(factor.states[0])} ({factor.states[0]!r}): all its values are unknown.",
                stacklevel=2,
            )
        new_codes: IntArray = np.array([*codes, self.fill], np.int64)[factor.codes]
        if self.refuse_unknown:
            unknown = (new_codes == self.n_states) & (factor.codes >= 0)
            if unknown.any():
                values = sorted({repr(factor.states[code]) for code in factor.codes[unknown]})
                shown = ", ".join(values[:5]) + (", ..." if len(values) > 5 else "")
                raise ValueError(f"{label} holds unknown states, and handle_unknown='error': {shown}.")
        return new_codes

    def _is_of_another_kind(self, states: list[Any]) -> bool:
        return {_kind(state) for state in states}.isdisjoint(_kind(state) for state in self.lookup)

    def read(self, column: Column) -> IntArray:
        """Return the codes of a column."""
        return self.encode(column.factor(), column.label)


def _kind(state: Any) -> str:
    return (
        "text" if isinstance(state, str) else "numbers" if isinstance(state, Real) else type(state).__name__
    )
