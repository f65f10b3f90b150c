"""Naive Bayes: counts of classes and values, which add, and their BDeu parameters (§2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._ensemble.counts import JointCounts, Layout

__all__ = ["NaiveTables", "ValueCounts", "class_prior", "count_values", "naive_tables"]


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


def class_prior(n_c: CountArray, ess: float) -> FloatArray:
    """Return P(c) = (n(c) + s/l)/(n + s).

    Examples
    --------
    >>> import numpy as np
    >>> class_prior(np.array([3, 1]), 1.0)
    array([0.7, 0.3])
    """
    prior: FloatArray = (n_c + ess / len(n_c)) / (n_c.sum() + ess)
    return prior


@dataclass(frozen=True, slots=True, eq=False)
class NaiveTables:
    """log P(c) and log P(a|c), with a slot of zeros for the unknown value (see ``kernels.parameters``).

    Parameters
    ----------
    layout : Layout
        Where each block lies, with a slot for the unknown value.
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    log_a : ndarray
        The factors of the values.
    """

    layout: Layout
    log_c: FloatArray
    log_a: FloatArray

    @property
    def prior(self) -> FloatArray:
        """P(c), what the null model answers."""
        return np.exp(self.log_c)

    def log_joints(self, codes: CodeArray) -> FloatArray:
        """Return log P(c, a) of a chunk of codes (k, rows) as an array (rows, n_classes)."""
        out = np.empty((codes.shape[1], self.layout.n_classes))
        kernels.naive.naive_log_joints(codes, self.log_c, self.log_a, self.layout.value_offsets, out)
        return out

    def posteriors(self, codes: CodeArray) -> FloatArray:
        """Return P(c | a) of a chunk likewise."""
        out = self.log_joints(codes)
        kernels.naive.normalise_rows(out)
        return out


def naive_tables(counts: ValueCounts | JointCounts, ess: float) -> NaiveTables:
    """Learn the parameters of naive Bayes from the counts.

    Examples
    --------
    Three rows of class 0 and one of class 1, no feature: P(c) = (n(c) + 1/2)/(n + 1).

    >>> import numpy as np
    >>> labels = np.array([0, 0, 0, 1], np.int32)
    >>> counts = count_values(np.empty((0, 4), np.uint8), labels, np.empty(0, np.int64), 2)
    >>> naive_tables(counts, 1.0).prior
    array([0.7, 0.3])
    """
    n_states, n_classes = counts.layout.n_states, counts.layout.n_classes
    layout = Layout(n_states, n_classes, slots=1)
    log_a = np.empty(layout.value_offsets[-1])
    kernels.parameters.fill_values(
        counts.n_ca,
        n_states,
        counts.layout.value_offsets,
        layout.value_offsets,
        n_classes,
        ess,
        log_a,
        np.empty_like(log_a),  # masses are for super-parents, and there are none
    )
    return NaiveTables(layout, np.log(class_prior(counts.n_c, ess)), log_a)
