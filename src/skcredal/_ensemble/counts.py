"""The sufficient statistics of all SPODEs: counts of classes, values and pairs of values, which add (§2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skcredal._arrays import CountArray, IntArray
from skcredal._validation import check_array, check_instance

__all__ = [
    "ROUNDING",
    "CodingCounts",
    "JointCounts",
    "Layout",
    "ValueCounts",
    "check_counts",
    "ends",
    "pair_cells",
    "pair_table_bytes",
    "split_cells",
]

# How far sums of real weights may be above their total, relative to it.
ROUNDING = 1e-9


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
        Extra slots of each feature after its states: 0 in counts, 1 (unknown) in the tables of inference.
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
        """Where each feature's block (values × classes) begins, and the end of the last."""
        return ends((self.n_states + self.slots) * self.n_classes)

    @cached_property
    def pair_offsets(self) -> IntArray:
        """Where each pair's block (values × values × classes) begins, and the end of the last."""
        widths = self.n_states + self.slots
        return ends(widths[self.pairs[:, 0]] * widths[self.pairs[:, 1]] * self.n_classes)

    @cached_property
    def line_offsets(self) -> IntArray:
        """Where each super-parent's block (values × values of all others × classes) begins, and the end.

        A block consists of lines, one for each value of the super-parent (see ``kernels.parameters``).
        """
        widths = self.n_states + self.slots
        return ends(widths * (widths.sum() - widths) * self.n_classes)

    def pair_index(self, i: int, j: int) -> int:
        """Return the index of the pair ``i < j`` in the order of the blocks."""
        # The rows of the triangle above have k - 1, k - 2, … pairs.
        k = len(self.n_states)
        return i * k - i * (i + 1) // 2 + (j - i - 1)


def ends(sizes: IntArray) -> IntArray:
    """Return where consecutive blocks of these sizes begin, and the end of the last."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def pair_table_bytes(n_states: npt.ArrayLike, n_classes: int, n_logarithms: int = 2) -> int:
    """Return the size in bytes of a model's pair tables: the counts, and the logarithms for inference.

    A pair has one block of counts and two of logarithms, one for each feature as super-parent, with slots for
    unknown values; and another one if weights are folded into them.

    Examples
    --------
    Two features of two states and two classes: 2·2·2 counts and twice 3·3·2 logarithms of 8 bytes each.

    >>> pair_table_bytes([2, 2], 2)
    352
    """
    states = [int(v) for v in np.atleast_1d(np.asarray(n_states))]
    wider = [v + 1 for v in states]
    return 8 * int(n_classes) * (pair_cells(states) + n_logarithms * pair_cells(wider))


def pair_cells(sizes: Sequence[int]) -> int:
    """Return Σ_{i<j} v_i v_j as a Python integer, which cannot overflow.

    Examples
    --------
    >>> pair_cells([2, 3, 4])
    26
    """
    return (sum(sizes) ** 2 - sum(v * v for v in sizes)) // 2


def check_counts(name: str, counts: CountArray, shape: tuple[int, ...]) -> None:
    """Refuse an array of counts, or of sums of weights, that has another shape or that no rows have."""
    check_array(name, counts, ("int64", "float64"), shape)
    if not np.all(np.isfinite(counts) & (counts >= 0)):
        raise ValueError(f"{name} must hold finite numbers ≥ 0.")


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

    def check(self) -> None:
        """Refuse counts from elsewhere that do not fit the layout or that no rows have."""
        # In Python's integers, and before any offset is made: few bytes may claim more than memory holds.
        sizes, n_classes = self.layout.n_states.tolist(), self.layout.n_classes
        check_counts("n_c", self.n_c, (n_classes,))
        check_counts("n_ca", self.n_ca, (sum(sizes) * n_classes,))
        for j in range(len(sizes)):
            # As real numbers: sums of integers might start again from the smallest.
            if np.any(self.values(j).sum(axis=0, dtype=np.float64) > self.n_c * (1.0 + ROUNDING)):
                raise ValueError(f"n_ca does not add up to the classes in the feature {j}.")

    def __add__(self, other: ValueCounts) -> ValueCounts:
        if not isinstance(other, ValueCounts):
            return NotImplemented
        same_states = np.array_equal(self.layout.n_states, other.layout.n_states)
        if not same_states or self.layout.n_classes != other.layout.n_classes:
            raise ValueError("Counts can be added only if their features, states and classes are the same.")
        return ValueCounts(self.layout, self.n_c + other.n_c, self.n_ca + other.n_ca)

    def __repr__(self) -> str:
        layout = self.layout
        return f"ValueCounts(n={self.n:g}, features={len(layout.n_states)}, classes={layout.n_classes})"


def split_cells(cells: ValueCounts, n_states: IntArray) -> tuple[ValueCounts, CountArray]:
    """Return the counts of the states, and of the cells that may have any value, (k, n_classes).

    ``cells`` counts two more codes of every feature after its states: unknown, and any value (§13).

    Examples
    --------
    One feature with two states; a row of class 0 has each, and a row of class 1 may have either.

    >>> import numpy as np
    >>> layout = Layout(np.array([4]), 2)
    >>> cells = ValueCounts(layout, np.array([2, 1]), np.array([1, 0, 1, 0, 0, 0, 0, 1]))
    >>> counts, n_missing = split_cells(cells, np.array([2]))
    >>> counts.n_ca, n_missing
    (array([1, 0, 1, 0]), array([[0, 1]]))
    """
    n_ca, n_missing = [cells.n_ca[:0]], [cells.n_c[None, :][:0]]
    for j, v in enumerate(n_states):
        n_ca.append(cells.values(j)[:v].ravel())
        n_missing.append(cells.values(j)[v + 1 :])
    layout = Layout(n_states, cells.layout.n_classes)
    return ValueCounts(layout, cells.n_c, np.concatenate(n_ca)), np.concatenate(n_missing)


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

    def check(self) -> None:
        """Refuse counts from elsewhere that do not fit the layout or that no rows have."""
        self.singles.check()
        check_counts("n_cab", self.n_cab, (pair_cells(self.layout.n_states.tolist()) * len(self.n_c),))
        check_instance("complete", self.complete, bool)
        blocks = self.layout.pair_offsets[:-1]
        if len(blocks) and np.any(
            np.add.reduceat(self.n_cab, blocks, dtype=np.float64) > self.n * (1.0 + ROUNDING)
        ):
            raise ValueError("n_cab does not add up to the classes.")

    def __add__(self, other: JointCounts) -> JointCounts:
        if not isinstance(other, JointCounts):
            return NotImplemented
        singles = self.singles + other.singles  # refused if the features differ
        return JointCounts(singles, self.n_cab + other.n_cab, self.complete and other.complete)

    def __repr__(self) -> str:
        return repr(self.singles).replace("ValueCounts", "JointCounts")


@dataclass(frozen=True, slots=True, eq=False)
class CodingCounts:
    """The counts of the same rows in several codings (§12), which add like those of one.

    Parameters
    ----------
    n_c : ndarray of shape (n_classes,)
        Rows of each class.
    codings : tuple of JointCounts
        The counts of each coding; there may be none.
    """

    n_c: CountArray
    codings: tuple[JointCounts, ...]

    @property
    def n(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.n_c.sum())

    def __add__(self, other: CodingCounts) -> CodingCounts:
        if not isinstance(other, CodingCounts):
            return NotImplemented
        codings = tuple(one + two for one, two in zip(self.codings, other.codings, strict=True))
        return CodingCounts(self.n_c + other.n_c, codings)

    def __repr__(self) -> str:
        sizes = [len(counts.layout.n_states) for counts in self.codings]
        return f"CodingCounts(n={self.n:g}, features={sizes}, classes={len(self.n_c)})"
