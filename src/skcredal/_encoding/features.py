"""How one feature becomes codes, learned from its training column (§1).

The code after the last state, ``n_states``, means *unknown*: a value that is not among the states. A missing
value gets the code that ``fill`` stands for: the median's or the mode's where missing values are imputed, and
*unknown* where they are marginalized, or where the training column had no value at all. Where it may be any
value, as NCC2 takes it (§13), it has a code of its own, ``n_states + 1``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._encoding.columns import Column
from skcredal._encoding.cuts import (
    cuts_of_histogram,
    cuts_of_rows,
    equal_frequency_cuts,
    equal_frequency_cuts_of_rows,
    midpoint,
)
from skcredal._encoding.factors import Factor, translated
from skcredal._encoding.histogram import ValueHistogram
from skcredal._validation import check_array, check_instance, check_integer, naming, safe_repr

__all__ = [
    "CategoricalFeature",
    "NumericFeature",
    "state_counts",
    "too_many_states",
    "unknown_states",
    "weighted_median",
]

# The number that stands for all numbers, where a missing one may be any (§13); no table holds it.
ANY_NUMBER = np.inf
# The display name of the state that all but the most frequent values are merged into.
OTHER = "(other)"
# How far sums of real weights may be off, relative to the sum.
ROUNDING = 1e-12
# A column with so many states or fewer is never suspected to be an identifier.
IDENTIFIER_STATES = 20
# Comparing many rows with a few cuts, one after another, is faster than searching for the bin of every row.
FEW_CUTS = 40
MANY_ROWS = 2048
# Rows compared at a time: 128 KiB of numbers stay in the cache while cut after cut is compared with them.
ROWS_AT_A_TIME = 1 << 14


def unknown_states(label: str, states: Sequence[Any]) -> ValueError:
    """Return the refusal of states that are not known; it names a few of them."""
    some = ", ".join(safe_repr(state) for state in states[:5]) + (", ..." if len(states) > 5 else "")
    return ValueError(f"{label} must hold only known states where handle_unknown='error', got {some}.")


def too_many_states(n_states: int, n_rows: float) -> bool:
    """Tell whether so many states look like an identifier: each has hardly a row to learn from."""
    return n_states > IDENTIFIER_STATES and n_states > n_rows / 4


def weighted_median(values: FloatArray, weights: CountArray | None = None) -> float:
    """Return the median, where a value of weight w counts w times; the mean of the middle two if n is even.

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
        # Where the weights up to a value sum to half of all, the median is a mean of two values; sums of real
        # weights meet the half only up to rounding.
        rounding = half * ROUNDING if passed.dtype.kind == "f" else 0.0
        low = float(ordered[np.searchsorted(passed, half - rounding, side="left")])
        high = float(ordered[min(np.searchsorted(passed, half + rounding, side="right"), len(values) - 1)])
    # Halving first would lose the last digit of tiny numbers, adding first overflows for huge ones.
    mean = (low + high) / 2
    return mean if np.isfinite(mean) else low / 2 + high / 2


@dataclass(frozen=True, slots=True, eq=False)
class NumericFeature:
    """Cuts of a numeric feature, what replaces a missing value, and the range of the training values.

    Parameters
    ----------
    cuts : ndarray
        The cuts, ascending.
    fill : float
        The number that replaces a missing value; NaN if it stays unknown, and infinity if it may be any.
    low, high : float
        The least and the greatest training value; NaN if there was none.
    """

    cuts: FloatArray
    fill: float
    low: float = np.nan
    high: float = np.nan

    @classmethod
    def learn(
        cls,
        numbers: FloatArray,
        labels: LabelArray,
        weights: CountArray | None,
        n_classes: int,
        *,
        impute: bool,
        bins: Sequence[int] = (),
    ) -> list[NumericFeature]:
        """Learn the median and the MDL cuts from a training column, and then the cuts of equal frequency.

        The column is imputed once; ``bins`` says how many bins each further feature is to have.
        """
        lowest, highest = float(numbers.min()), float(numbers.max())
        # A constant column has no cuts, and need not be sorted to find that out.
        if lowest == highest:
            return [cls(np.empty(0), lowest if impute else np.nan, lowest, highest)] * (1 + len(bins))
        fill = np.nan
        # The minimum is NaN if any number is: one test for the usual column without missing values.
        if not np.isnan(lowest):
            fill = weighted_median(numbers, weights) if impute else np.nan
        else:
            known = ~np.isnan(numbers)
            if not known.any():
                return [cls(np.empty(0), np.nan)] * (1 + len(bins))
            lowest, highest = float(numbers[known].min()), float(numbers[known].max())
            known_weights = None if weights is None else weights[known]
            if impute:
                # Imputed first, then cut (§1): the missing rows take part at the median.
                fill = weighted_median(numbers[known], known_weights)
                numbers = np.where(known, numbers, fill)
            else:
                # With missing="marginalize" the cuts come from the known cells only (§1).
                numbers, labels, weights = numbers[known], labels[known], known_weights
        all_cuts = [cuts_of_rows(numbers, labels, weights, n_classes)]
        if bins:
            all_cuts += equal_frequency_cuts_of_rows(numbers, weights, bins)
        return [cls(cuts, fill, lowest, highest) for cuts in all_cuts]

    @classmethod
    def from_histogram(
        cls, histogram: ValueHistogram, *, impute: bool, bins: Sequence[int] = ()
    ) -> list[NumericFeature]:
        """Learn the same from how often each value was seen with each class."""
        low, high, counts = histogram.low, histogram.high, histogram.counts
        if len(low) == 0:
            return [cls(np.empty(0), np.nan)] * (1 + len(bins))
        fill = np.nan
        if impute:
            # A cell of several values is represented by its middle; a single value must stay exactly itself.
            middles = np.where(low == high, low, low / 2 + high / 2)
            fill = weighted_median(middles, counts.sum(axis=1))
            if histogram.missing.any():
                # As in ``learn``, the missing rows take part at the median, which may lie between two values.
                cell = int(np.searchsorted(high, fill))
                if cell == len(low) or fill < low[cell]:
                    low, high = np.insert(low, cell, fill), np.insert(high, cell, fill)
                    counts = np.insert(counts, cell, histogram.missing, axis=0)
                else:
                    counts = counts.copy()
                    counts[cell] += histogram.missing
        all_cuts = [_cuts_between_cells(low, high, counts)]
        if bins:
            all_cuts += equal_frequency_cuts(low, high, counts.sum(axis=1), bins)
        return [cls(cuts, fill, float(low[0]), float(high[-1])) for cuts in all_cuts]

    @property
    def varies(self) -> bool:
        """Whether there were two different training values."""
        return self.low < self.high

    @property
    def is_conservative(self) -> bool:
        """Whether a missing value may be any (§13)."""
        return self.fill == ANY_NUMBER

    def conservative(self) -> NumericFeature:
        """Return the feature with missing values that may be any."""
        return replace(self, fill=ANY_NUMBER)

    def check(self) -> None:
        """Refuse what comes from elsewhere and was not learned."""
        check_array("cuts", self.cuts, ("float64",))
        if np.isnan(self.cuts).any() or np.any(self.cuts[1:] <= self.cuts[:-1]):
            raise ValueError("cuts must ascend.")
        for name in ("fill", "low", "high"):
            check_instance(name, getattr(self, name), float)

    @property
    def n_states(self) -> int:
        """The number of bins."""
        return len(self.cuts) + 1

    @property
    def is_informative(self) -> bool:
        """Whether the feature is kept: it has more than one bin."""
        return self.n_states > 1

    def encode(self, numbers: FloatArray) -> IntArray:
        """Return the bins of numbers; a bin holds its upper cut."""
        if len(self.cuts) <= FEW_CUTS and len(numbers) >= MANY_ROWS:
            codes = np.empty(len(numbers), np.int64)
            for start in range(0, len(numbers), ROWS_AT_A_TIME):
                rows = slice(start, start + ROWS_AT_A_TIME)
                codes[rows] = _count_below(numbers[rows], self.cuts)
        else:
            codes = np.searchsorted(self.cuts, numbers, side="left")
        # NaN compares like no number: its code so far means nothing.
        missing = np.isnan(numbers)
        if missing.any():
            codes[missing] = self._missing_code
        return codes

    @property
    def _missing_code(self) -> int:
        if self.is_conservative:
            return self.n_states + 1
        return self.n_states if np.isnan(self.fill) else int(np.searchsorted(self.cuts, self.fill))

    def read(self, column: Column, *, is_part: bool = False) -> IntArray:
        """Return the bins of a column, or of a part of one."""
        return self.encode(column.numbers())


def _cuts_between_cells(low: FloatArray, high: FloatArray, counts: CountArray) -> FloatArray:
    """Return the cuts between cells with the least and the greatest value of each."""
    if np.array_equal(low, high):
        return cuts_of_histogram(low, counts)
    # Cut by the numbers of the cells: q + 1/2 is the cut between the cells q and q + 1, half-way between the
    # greatest value of the one and the least of the other.
    below = cuts_of_histogram(np.arange(len(low), dtype=np.float64), counts).astype(np.int64)
    return np.array([midpoint(high[q], low[q + 1]) for q in below])


def state_counts(factor: Factor, weights: CountArray | None) -> dict[Any, float]:
    """Return how often each state of a column was seen, or the weight of its rows."""
    codes, n_states = factor.codes, len(factor.states)
    if factor.occurrences is not None and weights is None:
        occurrences = factor.occurrences  # counted already where the column was read as bytes
    elif codes.itemsize == 1 and weights is None and len(codes) >= kernels.encoding.BYTE:
        # A missing value of int8 is -1, hence the byte 255, which is beyond its states.
        of_bytes = np.zeros(kernels.encoding.BYTE, np.int64)
        kernels.counting.count_bytes(np.ascontiguousarray(codes).view(np.uint8), of_bytes)
        occurrences = of_bytes[:n_states]
    else:
        known = codes >= 0
        occurrences = np.bincount(codes[known], None if weights is None else weights[known], n_states)
    return dict(zip(factor.states, occurrences.tolist(), strict=True))


def _count_below(numbers: FloatArray, cuts: FloatArray) -> AnyArray:
    """Return how many of a few cuts lie below each number."""
    # A byte is enough for FEW_CUTS, and lets one instruction add many.
    n_below, above = np.zeros(len(numbers), np.uint8), np.empty(len(numbers), np.bool_)
    for cut in cuts:
        np.greater(numbers, cut, out=above)
        n_below += above
    return n_below


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
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
        The code of a missing value; the number of states if it stays unknown, one more if it may be any.
    refuse_unknown : bool
        Whether a value that is not among the states is an error.
    """

    values: list[Any]
    codes: IntArray
    states: list[Any]
    n_observed: int
    fill: int
    refuse_unknown: bool = False

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
        # Declared states count even if no row has them: they have their BDeu probability (§1).
        states = list(seen if declared is None else declared)
        counts = [seen.get(state, 0) for state in states]
        codes, names = list(range(len(states))), list(states)
        if max_categories is not None and len(states) > max_categories:
            # The sort is stable: of equally frequent states the first stay. Those that stay keep their order.
            common = sorted(sorted(codes, key=lambda code: -counts[code])[: max_categories - 1])
            codes = [len(common)] * len(states)
            for code, old in enumerate(common):
                codes[old] = code
            names = [*(states[old] for old in common), OTHER]
        n_observed = len({code for code, count in zip(codes, counts, strict=True) if count > 0})
        # The mode is that of the states before they are merged, the first of equal ones (§1). Where nothing
        # was seen, a missing value stays unknown.
        fill = codes[counts.index(max(counts))] if impute and n_observed > 0 else len(names)
        return cls(states, np.array(codes, np.int64), names, n_observed, fill, refuse_unknown)

    def check(self) -> None:
        """Refuse what comes from elsewhere and was not learned: codes must be in the tables."""
        check_array("codes", self.codes, ("int64",), (len(self.values),))
        beyond = (self.codes < 0) | (self.codes >= self.n_states)
        if beyond.any():
            raise ValueError(
                f"codes must be indices of {self.n_states} states, got {self.codes[beyond].tolist()}."
            )
        check_integer("n_observed", self.n_observed, low=0, high=self.n_states)
        check_integer("fill", self.fill, low=0, high=self.n_states + 1)
        check_instance("refuse_unknown", self.refuse_unknown, bool)

    @property
    def lookup(self) -> dict[Any, int]:
        """The code of each value."""
        found = _LOOKUPS.get(self)
        if found is None:
            found = _LOOKUPS[self] = dict(zip(self.values, self.codes.tolist(), strict=True))
        return found

    @property
    def n_states(self) -> int:
        """The number of states, merged ones counted once."""
        return len(self.states)

    @property
    def is_informative(self) -> bool:
        """Whether the feature is kept: more than one state occurs."""
        return self.n_observed > 1

    @property
    def is_conservative(self) -> bool:
        """Whether a missing value may be any (§13)."""
        return self.fill > self.n_states

    def conservative(self, *, has_missing: bool) -> CategoricalFeature:
        """Return the feature with missing values that may be any; in training, too, where there are any."""
        n_observed = self.n_states if has_missing and self.n_observed > 0 else self.n_observed
        return replace(self, fill=self.n_states + 1, n_observed=n_observed)

    def warn_of_another_kind(self, states: list[Any], label: str) -> None:
        """Warn if a column holds none of the states, and values of another type: text instead of numbers."""
        lookup = self.lookup
        with naming(label):  # states of the user's own classes may refuse to be compared
            if not states or not lookup or any(state in lookup for state in states):
                return
        if {_kind(state) for state in states}.isdisjoint(_kind(state) for state in lookup):
            warnings.warn(
                f"{label} was learned as {_kind(next(iter(lookup)))} and now holds only "
                f"{_kind(states[0])} ({safe_repr(states[0])}): all its values are unknown.",
                stacklevel=2,
            )

    def encode(self, factor: Factor, label: str) -> AnyArray:
        """Return the codes of a factor; the label names it in an error."""
        code_of = self.lookup
        with naming(label):
            codes = [code_of.get(state, self.n_states) for state in factor.states]
        # Bytes that are already codes are returned as they are: the caller sees that, and copies nothing. The
        # last of them may be the code of an unknown state.
        may_stay = not self.refuse_unknown or self.n_states not in codes
        if factor.codes.dtype == np.uint8 and may_stay and codes == list(range(len(codes))):
            return factor.codes
        # A missing value is -1, which indexes the last entry: this is where it becomes what ``fill`` says.
        lookup = np.array([*codes, self.fill], np.min_scalar_type(max(self.n_states, self.fill)))
        new_codes = translated(factor.codes, lookup)
        if self.refuse_unknown:
            # A missing value is not an unknown state, even if it has the same code.
            unknown = (new_codes == self.n_states) & (factor.codes >= 0)
            if unknown.any():
                states = {factor.states[code] for code in factor.codes[unknown]}
                raise unknown_states(label, sorted(states, key=safe_repr))
        return new_codes

    def read(self, column: Column, *, is_part: bool = False) -> AnyArray:
        """Return the codes of a column; no warning for a part of one, which may lack states by chance."""
        factor = column.factor()
        if not is_part:
            self.warn_of_another_kind(factor.states, column.label)
        return self.encode(factor, column.label)


# Made when first used, and not part of a feature: formats that write the keys of a dict as text, like that of
# skops, would take True and False for strings that are both true.
_LOOKUPS: WeakKeyDictionary[CategoricalFeature, dict[Any, int]] = WeakKeyDictionary()


def _kind(state: Any) -> str:
    return (
        "text" if isinstance(state, str) else "numbers" if isinstance(state, Real) else type(state).__name__
    )
