"""Counting classes, values and pairs of values in rows, with bitmaps where that is faster (§2)."""

from __future__ import annotations

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, CountArray, IntArray, LabelArray
from skcredal._ensemble.counts import JointCounts, Layout, ValueCounts, ends
from skcredal._threads import parts, run_in_threads

__all__ = ["count", "count_values"]

# With many rows, bitmaps are as fast as increments for a pair of this many cells (values × values × classes).
MOST_CELLS = 512
# Bitmaps are made of codes below this.
BYTE = 256
# The fixed cost of a cell, in rows.
ROWS_A_CELL = 2048
# Fewer rows are counted in no time anyway, and the kernels for bitmaps need not be compiled for them.
FEW_ROWS = 1000
# Rows whose bitmaps are held at a time: a bit per state, so that 1,000 states take 128 MiB.
SLAB_ROWS = 1 << 20
# Starting a thread pays from this many rows times pairs.
WORTH_A_THREAD = 1_000_000


def count_values(
    codes: CodeArray,
    labels: LabelArray,
    n_states: IntArray,
    n_classes: int,
    weights: CountArray | None = None,
) -> ValueCounts:
    """Count the classes and values of rows.

    Parameters
    ----------
    codes : ndarray of shape (k, n)
        The states of the features, feature-major; a feature's number of states stands for unknown.
    labels : ndarray of shape (n,)
        The classes, counted from 0.
    n_states : ndarray of shape (k,)
        The number of states of each feature.
    n_classes : int
        The number of classes.
    weights : ndarray of shape (n,), optional
        Integer or real weights of the rows.

    Examples
    --------
    One feature over three rows, the last of class 1:

    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1]], dtype=np.uint8)
    >>> count_values(codes, np.array([0, 0, 1], np.int32), np.array([2]), 2).values(0)
    array([[1, 0],
           [1, 1]])
    """
    layout = Layout(n_states, n_classes)
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    # To the kernel, no weights means that every row counts once.
    row_weights = np.empty(0, np.int64) if weights is None else weights
    n_c = np.bincount(labels, weights, n_classes).astype(dtype)
    n_ca = np.zeros(layout.value_offsets[-1], dtype)
    kernels.counting.count_values(codes, labels, row_weights, n_states, layout.value_offsets, n_classes, n_ca)
    return ValueCounts(layout, n_c, n_ca)


def count(
    codes: CodeArray,
    labels: LabelArray,
    n_states: IntArray,
    n_classes: int,
    *,
    weights: CountArray | None = None,
    n_threads: int = 1,
) -> JointCounts:
    """Count the classes, values and pairs of values of rows, given as in :func:`count_values`.

    Examples
    --------
    Two features over three rows, the last of class 1:

    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1], [1, 1, 0]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1], np.int32), np.array([2, 2]), 2)
    >>> counts.n_c
    array([2, 1])
    >>> counts.pair(0, 1)[1, 1]
    array([1, 0])
    """
    layout = Layout(n_states, n_classes)
    if weights is None:
        return _count_rows(codes, labels, layout, n_threads)
    n_cab = np.zeros(layout.pair_offsets[-1], weights.dtype)
    complete = bool(np.all(codes.max(axis=1, initial=0) < n_states))
    # Bitmaps count rows and know no weights: all pairs are counted by increments.
    everything = np.ones(len(layout.pairs), np.bool_)
    _increment(codes, labels, weights, layout, everything, complete, n_cab, n_threads)
    return JointCounts(count_values(codes, labels, n_states, n_classes, weights), n_cab, complete)


def _count_rows(codes: CodeArray, labels: LabelArray, layout: Layout, n_threads: int) -> JointCounts:
    """Count rows without weights: with bitmaps, and pairs with many cells by increments."""
    n_states, n_classes = layout.n_states, layout.n_classes
    k, n = codes.shape
    n_ca = np.zeros(layout.value_offsets[-1], np.int64)
    n_cab = np.zeros(layout.pair_offsets[-1], np.int64)
    cells = np.diff(layout.pair_offsets)
    # With bitmaps a pair costs a word per cell and 64 rows, and a fixed amount per cell; by increments it
    # costs the same per row however many cells it has. So few cells favour bitmaps, and many increments.
    by_bits = cells * (n + ROWS_A_CELL) <= MOST_CELLS * n
    by_bits &= (n >= FEW_ROWS) & (n_classes < BYTE) & (n_states[layout.pairs].max(axis=1, initial=0) < BYTE)
    packed = np.zeros(k, np.bool_)
    packed[layout.pairs[by_bits]] = True
    features = np.flatnonzero(packed)
    if len(features) == 0:
        n_c = np.bincount(labels, minlength=n_classes)
    else:
        # The features to pack have codes below 256, even where others need wider ones and are counted below.
        bytes_ = np.where(packed[:, None], codes, 0) if codes.itemsize > 1 else codes
        bytes_ = np.ascontiguousarray(bytes_, np.uint8)
        classes = labels.astype(np.uint8)
        occurrences = np.zeros(BYTE, np.int64)
        kernels.counting.count_bytes(classes, occurrences)
        n_c = occurrences[:n_classes].copy()
        # Slab by slab, so that the bitmaps of all rows are never in memory at once.
        for start in range(0, n, SLAB_ROWS):
            rows = slice(start, min(start + SLAB_ROWS, n))
            _count_bits(bytes_, classes, rows, layout, features, by_bits, n_ca, n_cab, n_threads)
    rest = np.flatnonzero(~packed)
    no_weights = np.empty(0, np.int64)
    for j in rest:
        begin, end = layout.value_offsets[j : j + 2]
        kernels.counting.count_values(
            codes[j : j + 1],
            labels,
            no_weights,
            n_states[j : j + 1],
            np.zeros(1, np.int64),
            n_classes,
            n_ca[begin:end],
        )
    # A cell is unknown exactly if no value of its feature was counted for its row.
    n_known = np.add.reduceat(n_ca, layout.value_offsets[:-1]) if k > 0 else n_ca
    complete = bool(np.all(n_known == n))
    if not by_bits.all():
        _increment(codes, labels, no_weights, layout, ~by_bits, complete, n_cab, n_threads)
    return JointCounts(ValueCounts(layout, n_c, n_ca), n_cab, complete)


def _count_bits(
    codes: CodeArray,
    labels: CodeArray,
    rows: slice,
    layout: Layout,
    features: IntArray,
    by_bits: BoolArray,
    n_ca: CountArray,
    n_cab: CountArray,
    n_threads: int,
) -> None:
    """Add the counts of a slab of rows for some features, and for the pairs that are counted by bits."""
    n = rows.stop - rows.start
    n_words = -(-n // kernels.counting.WORD)
    sizes = np.zeros(len(codes), np.int64)
    sizes[features] = layout.n_states[features]
    bit_offsets = ends(sizes)
    bits = np.empty((bit_offsets[-1], n_words), np.uint64)
    class_bits = np.empty((layout.n_classes, n_words), np.uint64)
    slab_ca = np.zeros_like(n_ca)
    kernels.counting.pack_bits(labels[rows], layout.n_classes, class_bits)

    def pack(some: slice) -> None:
        kernels.counting.pack_features(
            codes,
            rows.start,
            rows.stop,
            features[some],
            class_bits,
            bit_offsets,
            layout.value_offsets,
            bits,
            slab_ca,
        )

    # Each thread packs whole features, whose counts lie apart: no two threads write to the same memory.
    run_in_threads(pack, parts(len(features), n_threads, WORTH_A_THREAD // n + 1), n_threads)
    n_ca += slab_ca
    # If a feature is known in the whole slab, the counts of its last state follow from the others.
    whole = np.add.reduceat(slab_ca, layout.value_offsets[:-1]) == n
    pairs, offsets = layout.pairs[by_bits], layout.pair_offsets[:-1][by_bits]

    def count_some(some: slice) -> None:
        kernels.counting.count_pairs_by_bitmaps(
            bits,
            class_bits,
            bit_offsets,
            layout.n_states,
            whole,
            layout.value_offsets,
            slab_ca,
            pairs[some],
            offsets[some],
            n_cab,
        )

    run_in_threads(count_some, parts(len(pairs), n_threads, WORTH_A_THREAD // n + 1), n_threads)


def _increment(
    codes: CodeArray,
    labels: LabelArray,
    weights: CountArray,
    layout: Layout,
    some: BoolArray,
    complete: bool,
    n_cab: CountArray,
    n_threads: int,
) -> None:
    """Add the counts of some of the pairs row by row."""
    pairs, offsets = layout.pairs[some], layout.pair_offsets[:-1][some]

    def count_some(some: slice) -> None:
        kernels.counting.count_pairs(
            codes,
            labels,
            weights,
            layout.n_states,
            pairs[some],
            offsets[some],
            layout.n_classes,
            complete,
            n_cab,
        )

    least = WORTH_A_THREAD // max(len(labels), 1) + 1
    run_in_threads(count_some, parts(len(pairs), n_threads, least), n_threads)
