"""How often each value of a numeric column was seen with each class: histograms that add.

Each value has a cell of its own, as long as there are no more of them than a limit. Beyond that, the last
binary digits are dropped from all values, one after another, until there are few enough cells: how many
digits depends on the values alone, neither on the order of the rows nor on the batches they come in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skcredal._arrays import FloatArray, IntArray, LabelArray

__all__ = ["Histogram"]

# Whole numbers that span less than this are counted in a table of their range instead of being sorted.
SMALL_RANGE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Cells of neighbouring values, with the rows of each class in each."""

    # low, high: (n_cells,): the least and the greatest value seen in each cell, ascending
    low: FloatArray
    high: FloatArray
    # (n_classes, n_cells): rows of each class, or their weights; class by class, because numpy sums short
    # rows slowly
    counts: FloatArray
    missing: FloatArray  # (n_classes,): the same for missing values
    limit: int | None = None  # the most cells there may be
    shift: int = 0  # how many binary digits were dropped

    @classmethod
    def of_column(
        cls,
        numbers: FloatArray,
        labels: LabelArray,
        weights: FloatArray | None,
        n_classes: int,
        *,
        limit: int | None = None,
    ) -> Histogram:
        """Count a column of numbers, NaN where it is missing.

        Examples
        --------
        >>> import numpy as np
        >>> numbers, labels = np.array([2.0, 1.0, np.nan, 2.0]), np.array([0, 1, 1, 0], np.int32)
        >>> histogram = Histogram.of_column(numbers, labels, None, 2)
        >>> histogram.low
        array([1., 2.])
        >>> histogram.counts
        array([[0., 2.],
               [1., 0.]])
        >>> (histogram + histogram).missing
        array([0., 2.])
        """
        unknown = np.isnan(numbers)
        missing = np.zeros(n_classes)
        if unknown.any():
            missing += np.bincount(labels[unknown], None if weights is None else weights[unknown], n_classes)
            numbers, labels = numbers[~unknown], labels[~unknown]
            weights = None if weights is None else weights[~unknown]
        values, cells = _cells(numbers)
        cells += len(values) * labels.astype(np.int64)
        counts = np.bincount(cells, weights, n_classes * len(values)).reshape(n_classes, len(values))
        histogram = cls(values, values, counts.astype(np.float64, copy=False), missing, limit)
        return histogram if limit is None else histogram._within_limit()

    def with_classes(self, indices: IntArray, n_classes: int) -> Histogram:
        """Return the histogram for more classes, in which its own have the given indices."""
        counts, missing = np.zeros((n_classes, len(self.low))), np.zeros(n_classes)
        counts[indices], missing[indices] = self.counts, self.missing
        return replace(self, counts=counts, missing=missing)

    def __add__(self, other: Histogram) -> Histogram:
        low = np.concatenate([self.low, other.low])
        # Two ascending halves: this is what a stable sort is fast at.
        order = np.argsort(low, kind="stable")
        return Histogram(
            low[order],
            np.concatenate([self.high, other.high])[order],
            np.concatenate([self.counts, other.counts], axis=1)[:, order],
            self.missing + other.missing,
            self.limit,
            # The coarser of the two decides: dropped digits do not come back.
            max(self.shift, other.shift),
        )._within_limit()

    def _within_limit(self) -> Histogram:
        """Return one cell for values that are equal without the digits dropped, and drop more if needed."""
        shift, keys = self.shift, _ordered(self.low) >> self.shift
        # Two neighbours share a cell once the shift has cleared the highest bit in which they differ.
        differ = keys[1:] ^ keys[:-1]
        while self.limit is not None and np.count_nonzero(differ) >= self.limit:
            differ >>= 1
            shift += 1
        starts = np.flatnonzero(np.append(True, differ != 0)[: len(keys)])
        if len(starts) == len(keys):
            return replace(self, shift=shift)
        return replace(
            self,
            low=self.low[starts],
            high=np.maximum.reduceat(self.high, starts),
            counts=np.add.reduceat(self.counts, starts, axis=1),
            shift=shift,
        )


def _cells(numbers: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different numbers, ascending, and the index of each number among them."""
    least, most = float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf))
    if most - least < SMALL_RANGE and np.array_equal(numbers, np.floor(numbers)):
        offsets = (numbers - least).astype(np.int64)
        present = np.bincount(offsets) > 0
        values: FloatArray = least + np.flatnonzero(present).astype(np.float64)
        return values, (np.cumsum(present) - 1).take(offsets)
    order = np.argsort(numbers)
    ordered = numbers.take(order)
    is_new = np.append(True, ordered[1:] != ordered[:-1])
    cells = np.empty(len(numbers), np.int64)
    cells[order] = np.cumsum(is_new) - 1
    # Adding 0 turns -0 into 0.
    return ordered[is_new] + 0.0, cells


def _ordered(numbers: FloatArray) -> IntArray:
    """Return doubles as integers in the same order."""
    bits = numbers.view(np.int64)
    # The bits of a negative double grow with its magnitude: all but the sign bit are inverted.
    return bits ^ ((bits >> 63) & np.int64(0x7FFF_FFFF_FFFF_FFFF))
