"""How often classes, states and pairs of states were seen: statistics that add (§2)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from skcredal._arrays import FloatArray, IntArray, LabelArray, StateArray
from skcredal._kernels import count_pairs
from skcredal._threads import run_in_threads

__all__ = ["SUMS", "Counts", "class_counts", "count", "count_regions", "count_values", "pair_table_bytes"]

# What adds up over rows.
SUMS = ("n_c", "n_ca", "n_cab", "n_cz", "n_cza")
# Starting a thread pays from this many increments.
WORTH_A_THREAD = 1_000_000


@dataclass(frozen=True, eq=False)
class Counts:
    """n(c), n(c,a) and n(c,a,b): how many rows, or how much weight, classes and states have.

    The states of all features are numbered 0 … V-1. The counts of two blocks of rows are the sum of the
    counts.
    """

    n_states: IntArray  # (k,): how many states each feature has; V is their sum
    n_c: FloatArray  # (n_classes,): rows of each class
    n_ca: FloatArray  # (n_classes, V): rows of each class and state
    # (n_classes, V, V): rows of each class and two states; it is symmetric, its diagonal is ``n_ca``, and two
    # states of one feature are never seen together; empty, (n_classes, 0, 0), where only states were counted
    n_cab: FloatArray
    # (n_trees,): how many regions each tree has (§14); Z is their sum; regions are super-parents, too
    n_leaves: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    # (n_classes, Z): rows of each class and region
    n_cz: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    # (n_classes, Z, V): rows of each class, region and state
    n_cza: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))

    @property
    def n(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.n_c.sum())

    @property
    def n_values(self) -> int:
        """V, the number of all states, which also stands for the unknown one."""
        return int(self.n_states.sum())

    @cached_property
    def starts(self) -> IntArray:
        """The first state of each feature."""
        return np.cumsum(self.n_states) - self.n_states

    @cached_property
    def n_states_of(self) -> IntArray:
        """How many states the feature has to which each state belongs, (V,)."""
        return self.n_states.repeat(self.n_states)

    def states_of(self, j: int) -> slice:
        """Return the states of a feature."""
        return slice(int(self.starts[j]), int(self.starts[j] + self.n_states[j]))

    def values(self, j: int) -> FloatArray:
        """Return n(c, a_j) as an array (values, classes)."""
        return self.n_ca[:, self.states_of(j)].T

    def pair(self, i: int, j: int) -> FloatArray:
        """Return n(c, a_i, a_j) as an array (values of i, values of j, classes)."""
        return self.n_cab[:, self.states_of(i), self.states_of(j)].transpose(1, 2, 0)

    def sum_over_features(self, of_states: FloatArray, axis: int = -1) -> FloatArray:
        """Return the sums over the states of each feature: V entries along the axis become k."""
        if not len(self.n_states):
            return of_states
        return np.add.reduceat(of_states, self.starts, axis=axis)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if not np.array_equal(self.n_states, other.n_states) or len(self.n_c) != len(other.n_c):
            raise ValueError("Counts can be added only if their features, states and classes are the same.")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in SUMS})

    def __repr__(self) -> str:
        return f"Counts(n={self.n:g}, features={len(self.n_states)}, classes={len(self.n_c)})"


def class_counts(labels: LabelArray, weights: FloatArray, n_classes: int) -> FloatArray:
    """Return n(c), the sums of the weights of the rows of each class."""
    return np.asarray(np.bincount(labels, weights, n_classes), np.float64)


def count_values(
    states: StateArray, labels: LabelArray, weights: FloatArray, n_states: IntArray, n_classes: int
) -> Counts:
    """Count the classes and states of rows; ``states`` are (k, n), those beyond V - 1 are not counted.

    Examples
    --------
    One feature over three rows, the last of class 1:

    >>> import numpy as np
    >>> states, labels = np.array([[0, 1, 1]], np.uint16), np.array([0, 0, 1], np.int32)
    >>> count_values(states, labels, np.ones(3), np.array([2]), 2).values(0)
    array([[1., 0.],
           [1., 1.]])
    """
    n_values = int(n_states.sum())
    n_ca = np.zeros((n_classes, n_values + 2))  # with the unknown state, and with that which may be any
    cell = labels.astype(np.int64) * (n_values + 2)
    for of_feature in states:
        n_ca += np.bincount(cell + of_feature, weights, n_ca.size).reshape(n_ca.shape)
    n_c, no_pairs = class_counts(labels, weights, n_classes), np.empty((n_classes, 0, 0))
    return Counts(n_states, n_c, n_ca[:, :n_values], no_pairs)


def count(
    states: StateArray,
    labels: LabelArray,
    weights: FloatArray,
    n_states: IntArray,
    n_classes: int,
    *,
    n_threads: int = 1,
) -> Counts:
    """Count the classes, states and pairs of states of rows, given as in :func:`count_values`.

    Examples
    --------
    Two features over three rows, the last of class 1:

    >>> import numpy as np
    >>> states, labels = np.array([[0, 1, 1], [3, 3, 2]], np.uint16), np.array([0, 0, 1], np.int32)
    >>> counts = count(states, labels, np.ones(3), np.array([2, 2]), 2)
    >>> counts.n_c
    array([2., 1.])
    >>> counts.pair(0, 1)[1, 1]
    array([1., 0.])
    """
    (k, n), n_values = states.shape, int(n_states.sum())
    n_cab = np.zeros((n_classes, n_values + 1, n_values + 1))
    # Each pair of features once, and each feature with itself.
    n_shares = n_threads if n * k * k // 2 >= WORTH_A_THREAD * n_threads else 1
    first = np.arange(k)

    def count_share(share: int) -> None:
        count_pairs(states, states, first, labels, weights, share, n_shares, n_cab)

    run_in_threads(count_share, range(n_shares), n_shares)
    n_cab = n_cab[:, :n_values, :n_values]  # without the unknown state
    n_ca = n_cab.diagonal(axis1=1, axis2=2).copy()
    n_cab = n_cab + n_cab.swapaxes(1, 2)
    diagonal = np.arange(n_values)
    n_cab[:, diagonal, diagonal] = n_ca
    return Counts(n_states, class_counts(labels, weights, n_classes), n_ca, n_cab)


def count_regions(
    counts: Counts, leaves: StateArray, n_leaves: IntArray, part: tuple[StateArray, LabelArray, FloatArray]
) -> Counts:
    """Return the counts of rows with those of their regions: the leaf of each tree, (n_trees, n).

    ``part`` are the states, classes and weights of the rows that were counted.
    """
    states, labels, weights = part
    n_cz = np.zeros((len(counts.n_c), int(n_leaves.sum())))
    n_cza = np.zeros((*n_cz.shape, counts.n_values + 1))  # with the unknown state
    for of_tree in leaves:
        cells = labels * np.int64(n_cz.shape[1]) + of_tree
        n_cz += np.bincount(cells, weights, n_cz.size).reshape(n_cz.shape)
    count_pairs(leaves, states, np.zeros(len(leaves), np.int64), labels, weights, 0, 1, n_cza)
    return replace(counts, n_leaves=n_leaves, n_cz=n_cz, n_cza=n_cza[:, :, :-1].copy())


def pair_table_bytes(n_values: int, n_classes: int, n_leaves: int = 0) -> int:
    """Return the size in bytes of a model's pair tables: the counts, and the logarithms for inference.

    ``n_leaves`` is the number of regions, which are super-parents of all states, too.

    Examples
    --------
    Two features of two states and two classes: 4·4·2 counts and 5·5·2 logarithms of 8 bytes each.

    >>> pair_table_bytes(4, 2)
    656
    """
    counts, logarithms = (n_values + n_leaves) * n_values, (n_values + 1 + n_leaves) * (n_values + 1)
    return 8 * n_classes * (counts + logarithms)
