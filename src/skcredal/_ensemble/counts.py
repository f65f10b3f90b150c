"""The sufficient statistics of all SPODEs: counts of classes, values and pairs of values, which add (§2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, CountArray, IntArray, LabelArray
from skcredal._threads import parts, run_in_threads

__all__ = [
    "JointCounts",
    "Layout",
    "ValueCounts",
    "count",
    "count_values",
    "is_complete",
    "pair_cells",
    "pair_table_bytes",
]

# Bitmaps count a pair of so many cells (values × values × classes) as fast as increments do.
MOST_CELLS = 512
# Codes of bitmaps are less.
BYTE = 256
# What a cell costs however few rows there are, in rows.
ROWS_A_CELL = 2048
# Fewer rows are counted in no time anyhow, without having the kernels for bitmaps compiled.
FEW_ROWS = 1000
# Rows whose bitmaps are held at a time.
SLAB_ROWS = 1 << 20
# Rows times pairs that are worth starting a thread for.
WORTH_A_THREAD = 1_000_000


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the block of each feature and of each pair ``i < j`` begins in a packed table.

    Parameters
    ----------
    n_states : ndarray of shape (k,)
        How many states each feature has.
    n_classes : int
        How many classes there are; the class is innermost.
    slots : int
        How many slots each feature has besides its states: 0 in counts, 1 (unknown) in the tables of
        inference.
    """

    n_states: IntArray
    n_classes: int
    slots: int = 0

    @cached_property
    def pairs(self) -> IntArray:
        """The pairs of features, (n_pairs, 2), in the order of their blocks."""
        return np.stack(np.triu_indices(len(self.n_states), k=1), axis=1)

    @cached_property
    def value_offsets(self) -> IntArray:
        """The beginning of each feature's block (values × classes), and the end of the last."""
        return _ends((self.n_states + self.slots) * self.n_classes)

    @cached_property
    def pair_offsets(self) -> IntArray:
        """The beginning of each pair's block (values × values × classes), and the end of the last."""
        widths = self.n_states + self.slots
        return _ends(widths[self.pairs[:, 0]] * widths[self.pairs[:, 1]] * self.n_classes)

    @cached_property
    def line_offsets(self) -> IntArray:
        """The beginning of each super-parent's block (values × values of all others × classes), and the end.

        It consists of lines, one for each value (see ``kernels.parameters``).
        """
        widths = self.n_states + self.slots
        return _ends(widths * (widths.sum() - widths) * self.n_classes)

    def pair_index(self, i: int, j: int) -> int:
        """Return the index of the pair ``i < j`` in the order of the blocks."""
        k = len(self.n_states)
        return i * k - i * (i + 1) // 2 + (j - i - 1)


def _ends(sizes: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def pair_table_bytes(n_states: npt.ArrayLike, n_classes: int) -> int:
    """Return the bytes of the pair tables of a model: the counts, and the logarithms with a slot for unknown.

    A pair has one block of counts and two of logarithms, one for each of the two as super-parent.

    Examples
    --------
    Two features of two states and two classes: 2·2·2 counts and twice 3·3·2 logarithms of 8 bytes each.

    >>> pair_table_bytes([2, 2], 2)
    352
    """
    states = [int(v) for v in np.atleast_1d(np.asarray(n_states))]
    wider = [v + 1 for v in states]
    return 8 * int(n_classes) * (pair_cells(states) + 2 * pair_cells(wider))


def pair_cells(sizes: Sequence[int]) -> int:
    """Return Σ_{i<j} v_i v_j, in Python's integers: it is what may not fit.

    Examples
    --------
    >>> pair_cells([2, 3, 4])
    26
    """
    return (sum(sizes) ** 2 - sum(v * v for v in sizes)) // 2


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """n(c), n(c,a): how often each class and value was seen.

    They are integers, or real numbers if rows have real weights, and they add: the counts of two blocks of
    rows are the sum of the counts.

    Parameters
    ----------
    layout : Layout
        The numbers of states and of classes, and where each block lies.
    n_c : ndarray of shape (n_classes,)
        Rows of each class.
    n_ca : ndarray
        Rows of each class and value; see :meth:`values`.
    """

    layout: Layout
    n_c: CountArray
    n_ca: CountArray

    @property
    def n(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.n_c.sum())

    def values(self, j: int) -> CountArray:
        """Return n(c, a_j) as an array (values, classes)."""
        begin, end = self.layout.value_offsets[j : j + 2]
        return self.n_ca[begin:end].reshape(-1, self.layout.n_classes)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        same_states = np.array_equal(self.layout.n_states, other.layout.n_states)
        if not same_states or self.layout.n_classes != other.layout.n_classes:
            raise ValueError("Counts add only if they have the same features, states and classes.")
        return ValueCounts(self.layout, self.n_c + other.n_c, self.n_ca + other.n_ca)

    def __repr__(self) -> str:
        layout = self.layout
        return f"ValueCounts(n={self.n:g}, features={len(layout.n_states)}, classes={layout.n_classes})"


@dataclass(frozen=True, slots=True, eq=False)
class JointCounts:
    """n(c), n(c,a), n(c,a,b): how often each class, value and pair of values was seen.

    Parameters
    ----------
    singles : ValueCounts
        The counts of classes and values.
    n_cab : ndarray
        Rows of each class and pair of values; see :meth:`pair`.
    complete : bool
        Whether every cell of every row was known.
    """

    singles: ValueCounts
    n_cab: CountArray
    complete: bool

    @property
    def layout(self) -> Layout:
        """The numbers of states and of classes, and where each block lies."""
        return self.singles.layout

    @property
    def n(self) -> float:
        """The number of rows, or the sum of their weights."""
        return self.singles.n

    @property
    def n_c(self) -> CountArray:
        """Rows of each class."""
        return self.singles.n_c

    @property
    def n_ca(self) -> CountArray:
        """Rows of each class and value; see :meth:`values`."""
        return self.singles.n_ca

    def values(self, j: int) -> CountArray:
        """Return n(c, a_j) as an array (values, classes)."""
        return self.singles.values(j)

    def pair(self, i: int, j: int) -> CountArray:
        """Return n(c, a_i, a_j) as an array (values of i, values of j, classes)."""
        if i > j:
            return self.pair(j, i).swapaxes(0, 1)
        p = self.layout.pair_index(i, j)
        begin, end = self.layout.pair_offsets[p : p + 2]
        v_i, v_j = self.layout.n_states[[i, j]]
        return self.n_cab[begin:end].reshape(v_i, v_j, self.layout.n_classes)

    def __add__(self, other: JointCounts) -> JointCounts:
        if not isinstance(other, JointCounts):
            return NotImplemented
        singles = self.singles + other.singles  # refused if the features differ
        return JointCounts(singles, self.n_cab + other.n_cab, self.complete and other.complete)

    def __repr__(self) -> str:
        return repr(self.singles).replace("ValueCounts", "JointCounts")


def is_complete(codes: CodeArray, n_states: IntArray) -> bool:
    """Tell whether every cell is known."""
    return bool(np.all(codes.max(axis=1, initial=0) < n_states))


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
        The states of the features, feature-major; the number of states of a feature stands for unknown.
    labels : ndarray of shape (n,)
        The classes, from 0.
    n_states : ndarray of shape (k,)
        How many states each feature has.
    n_classes : int
        How many classes there are.
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
    """Count the classes, values and pairs of values of rows.

    Parameters
    ----------
    codes : ndarray of shape (k, n)
        The states of the features, feature-major; the number of states of a feature stands for unknown.
    labels : ndarray of shape (n,)
        The classes, from 0.
    n_states : ndarray of shape (k,)
        How many states each feature has.
    n_classes : int
        How many classes there are.
    weights : ndarray of shape (n,), optional
        Integer or real weights of the rows.
    n_threads : int
        Threads; the counts do not depend on it.

    Examples
    --------
    Two features over three rows, the last of class 1:

    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1], [1, 1, 0]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1], np.int32), np.array([2, 2]), 2)
    >>> counts.n_c
    array([2, 1])
    >>> counts.values(0)
    array([[1, 0],
           [1, 1]])
    >>> counts.pair(0, 1)[1, 1]
    array([1, 0])
    """
    layout = Layout(n_states, n_classes)
    if weights is None:
        return _count_rows(codes, labels, layout, n_threads)
    n_cab = np.zeros(layout.pair_offsets[-1], weights.dtype)
    complete = is_complete(codes, n_states)
    everything = np.ones(len(layout.pairs), np.bool_)
    _increment(codes, labels, weights, layout, everything, complete, n_cab, n_threads)
    return JointCounts(count_values(codes, labels, n_states, n_classes, weights), n_cab, complete)


def _count_rows(codes: CodeArray, labels: LabelArray, layout: Layout, n_threads: int) -> JointCounts:
    """Count rows without weights: by bitmaps, and pairs with many cells by increments."""
    n_states, n_classes = layout.n_states, layout.n_classes
    k, n = codes.shape
    n_ca = np.zeros(layout.value_offsets[-1], np.int64)
    n_cab = np.zeros(layout.pair_offsets[-1], np.int64)
    cells = np.diff(layout.pair_offsets)
    # A cell costs a word for every 64 rows, and something however few they are; an increment costs the same.
    by_bits = cells * (n + ROWS_A_CELL) <= MOST_CELLS * n
    by_bits &= (n >= FEW_ROWS) & (n_classes < BYTE) & (n_states[layout.pairs].max(axis=1, initial=0) < BYTE)
    packed = np.zeros(k, np.bool_)
    packed[layout.pairs[by_bits]] = True
    features = np.flatnonzero(packed)
    if len(features) == 0:
        n_c = np.bincount(labels, minlength=n_classes)
    else:
        # Wide codes have bytes in the features that are packed; the others are counted below, from the codes.
        bytes_ = np.where(packed[:, None], codes, 0) if codes.itemsize > 1 else codes
        bytes_ = np.ascontiguousarray(bytes_, np.uint8)
        classes = labels.astype(np.uint8)
        occurrences = np.zeros(BYTE, np.int64)
        kernels.counting.count_bytes(classes, occurrences)
        n_c = occurrences[:n_classes].copy()
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
    """Add the counts of a slab of rows for some features, and for the pairs that ask for it."""
    n = rows.stop - rows.start
    n_words = -(-n // kernels.counting.WORD)
    sizes = np.zeros(len(codes), np.int64)
    sizes[features] = layout.n_states[features]
    bit_offsets = _ends(sizes)
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

    # Each thread packs whole features, and their counts lie apart: no two write to the same place in memory.
    run_in_threads(pack, parts(len(features), n_threads, WORTH_A_THREAD // n + 1), n_threads)
    n_ca += slab_ca
    # Of a feature that is known in the whole slab, the counts of its last state follow from the others.
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
