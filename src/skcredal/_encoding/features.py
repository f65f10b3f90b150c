"""How one feature becomes codes, learned from its training column (§1).

The code after the last state, ``n_states``, stands for a value that is not among the states.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._encoding.columns import Column
from skcredal._encoding.cuts import cuts_of_histogram, cuts_of_rows
from skcredal._encoding.factors import Factor
from skcredal._encoding.histogram import ValueHistogram
from skcredal._validation import naming, safe_repr

__all__ = ["CategoricalFeature", "NumericFeature", "state_counts", "weighted_median"]

# What values beyond the most frequent ones are merged into, as people read it.
OTHER = "(other)"
ROUNDING = 1e-12
# Fewer states than this are never taken for an identifier.
IDENTIFIER_STATES = 20
# Comparing all rows with a few cuts, one after another, is faster than to look for every row's bin.
FEW_CUTS = 40
ROWS_AT_A_TIME = 1 << 14


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
    if weights is None:
        middle = len(values) // 2
        parted = np.partition(values, middle)
        high = float(parted[middle])
        low = high if len(values) % 2 else float(parted[:middle].max())
    else:
        order = np.argsort(values)
        ordered, passed = values[order], np.cumsum(weights[order])
        half = passed[-1] / 2
        # Sums of real weights meet the half only up to rounding.
        rounding = half * ROUNDING if passed.dtype.kind == "f" else 0.0
        low = float(ordered[np.searchsorted(passed, half - rounding, side="left")])
        high = float(ordered[min(np.searchsorted(passed, half + rounding, side="right"), len(values) - 1)])
    # Halving first would lose the last digit of tiny numbers, adding first overflows for huge ones.
    mean = (low + high) / 2
    return mean if np.isfinite(mean) else low / 2 + high / 2


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
        lowest = float(numbers.min())
        if lowest == numbers.max():
            return cls(np.empty(0), lowest if impute else np.nan)
        # The least of numbers among which one is missing is missing, too.
        if not np.isnan(lowest):
            fill = weighted_median(numbers, weights) if impute else np.nan
            return cls(cuts_of_rows(numbers, labels, weights, n_classes), fill)
        known = ~np.isnan(numbers)
        if not known.any():
            return cls(np.empty(0), np.nan)
        known_weights = None if weights is None else weights[known]
        if not impute:
            return cls(cuts_of_rows(numbers[known], labels[known], known_weights, n_classes), np.nan)
        fill = weighted_median(numbers[known], known_weights)
        return cls(cuts_of_rows(np.where(known, numbers, fill), labels, weights, n_classes), fill)

    @classmethod
    def from_histogram(cls, histogram: ValueHistogram, *, impute: bool) -> NumericFeature:
        """Learn the same from how often each value was seen with each class."""
        low, high, counts = histogram.low, histogram.high, histogram.counts
        if len(low) == 0:
            return cls(np.empty(0), np.nan)
        fill = np.nan
        if impute:
            middles = np.where(low == high, low, low / 2 + high / 2)
            fill = weighted_median(middles, counts.sum(axis=1))
            if histogram.missing.any():
                place = int(np.searchsorted(high, fill))
                if place == len(low) or fill < low[place]:  # between two values
                    low, high = np.insert(low, place, fill), np.insert(high, place, fill)
                    counts = np.insert(counts, place, histogram.missing, axis=0)
                else:
                    counts = counts.copy()
                    counts[place] += histogram.missing
        return cls(_cuts_between_cells(low, high, counts), fill)

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
        if len(self.cuts) <= FEW_CUTS and len(numbers) > ROWS_AT_A_TIME:
            codes = np.empty(len(numbers), np.int64)
            for start in range(0, len(numbers), ROWS_AT_A_TIME):
                rows = slice(start, start + ROWS_AT_A_TIME)
                codes[rows] = _count_below(numbers[rows], self.cuts)
        else:
            codes = np.searchsorted(self.cuts, numbers, side="left")
        missing = np.isnan(numbers)
        if missing.any():
            known = not np.isnan(self.fill)
            codes[missing] = np.searchsorted(self.cuts, self.fill, side="left") if known else self.n_states
        return codes

    def read(self, column: Column, *, is_part: bool = False) -> IntArray:
        """Return the bins of a column, or of a part of one."""
        return self.encode(column.numbers())


def _cuts_between_cells(low: FloatArray, high: FloatArray, counts: CountArray) -> FloatArray:
    """Return the cuts between cells with the least and the greatest value of each."""
    if np.array_equal(low, high):
        return cuts_of_histogram(low, counts)
    # A cut between the cells q and q + 1 comes out as q + 1/2; it lies between the values next to it.
    below = cuts_of_histogram(np.arange(len(low), dtype=np.float64), counts).astype(np.int64)
    cuts: FloatArray = low[below + 1] / 2 + high[below] / 2
    return np.where(cuts < low[below + 1], cuts, high[below])


def state_counts(factor: Factor, weights: CountArray | None) -> dict[Any, float]:
    """Return how often each state of a column was seen, or the weight of its rows."""
    occurrences = factor.occurrences
    if occurrences is None or weights is not None:
        known = factor.codes >= 0
        occurrences = np.bincount(
            factor.codes[known], None if weights is None else weights[known], len(factor.states)
        )
    return dict(zip(factor.states, occurrences.tolist(), strict=True))


def _count_below(numbers: FloatArray, cuts: FloatArray) -> AnyArray:
    """Return how many of a few cuts lie below each number."""
    n_below, above = np.zeros(len(numbers), np.uint8), np.empty(len(numbers), np.bool_)
    for cut in cuts:
        np.greater(numbers, cut, out=above)
        n_below += above
    return n_below


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
        return cls.from_counts(
            state_counts(factor, weights),
            declared=declared,
            max_categories=max_categories,
            impute=impute,
            refuse_unknown=refuse_unknown,
        )

    @classmethod
    def from_counts(
        cls,
        seen: Mapping[Any, float],
        *,
        declared: Sequence[Any] | None,
        max_categories: int | None,
        impute: bool,
        refuse_unknown: bool,
    ) -> CategoricalFeature:
        """Learn the states and the mode from how often each state was seen, in the order of the states."""
        states = list(seen if declared is None else declared)
        counts = [seen.get(state, 0) for state in states]
        codes, names = list(range(len(states))), states
        if max_categories is not None and len(states) > max_categories:
            # The sort is stable: of equally frequent states the first stay.
            common = sorted(sorted(codes, key=lambda code: -counts[code])[: max_categories - 1])
            codes = [len(common)] * len(states)
            for code, place in enumerate(common):
                codes[place] = code
            names = [*(states[place] for place in common), OTHER]
        n_observed = len({code for code, count in zip(codes, counts, strict=True) if count > 0})
        fill = codes[counts.index(max(counts))] if impute and n_observed > 0 else len(names)
        return cls(dict(zip(states, codes, strict=True)), names, n_observed, fill, refuse_unknown)

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

    def warn_of_another_kind(self, states: list[Any], label: str) -> None:
        """Warn if a column holds none of the states and nothing like them: text instead of numbers."""
        with naming(label):  # states of the user's own classes may refuse to be compared
            if not states or not self.lookup or any(state in self.lookup for state in states):
                return
        if {_kind(state) for state in states}.isdisjoint(_kind(state) for state in self.lookup):
            warnings.warn(
                f"{label} was learned as {_kind(next(iter(self.lookup)))} and now holds only "
                f"{_kind(states[0])} ({safe_repr(states[0])}): all its values are unknown.",
                stacklevel=2,
            )

    def encode(self, factor: Factor, label: str) -> AnyArray:
        """Return the codes of a factor; the label names it in an error."""
        with naming(label):
            codes = [self.lookup.get(state, self.n_states) for state in factor.states]
        # A missing value, -1, stands for the last.
        lookup = np.array([*codes, self.fill], np.min_scalar_type(self.n_states))
        new_codes = self._translated(factor.codes, lookup)
        if self.refuse_unknown:
            unknown = (new_codes == self.n_states) & (factor.codes >= 0)
            if unknown.any():
                values = sorted({safe_repr(factor.states[code]) for code in factor.codes[unknown]})
                shown = ", ".join(values[:5]) + (", ..." if len(values) > 5 else "")
                raise ValueError(f"{label} holds unknown states, and handle_unknown='error': {shown}.")
        return new_codes

    @staticmethod
    def _translated(codes: AnyArray, lookup: AnyArray) -> AnyArray:
        few = len(codes) < kernels.encoding.BYTE
        if few or codes.itemsize > 1 or lookup.itemsize > 1 or not codes.flags.c_contiguous:
            return np.asarray(lookup[codes])
        if codes.dtype == np.uint8 and np.array_equal(lookup[:-1], np.arange(len(lookup) - 1)):
            return codes
        of_bytes = np.full(kernels.encoding.BYTE, lookup[-1])
        of_bytes[: len(lookup) - 1] = lookup[:-1]
        new_codes = np.empty(len(codes), np.uint8)
        kernels.encoding.translate(codes.view(np.uint8), of_bytes, new_codes)
        return new_codes

    def read(self, column: Column, *, is_part: bool = False) -> AnyArray:
        """Return the codes of a column; of a part of one, it is no wonder that it lacks states."""
        factor = column.factor()
        if not is_part:
            self.warn_of_another_kind(factor.states, column.label)
        return self.encode(factor, column.label)


def _kind(state: Any) -> str:
    return (
        "text" if isinstance(state, str) else "numbers" if isinstance(state, Real) else type(state).__name__
    )
