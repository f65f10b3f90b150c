"""Credal decision trees: growth by imprecise information gain, and the answers of the nodes (§8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._ensemble.counts import class_counts
from skcredal._kernels import split_gains

__all__ = ["DecisionTree", "LeafEvidence", "LeafPriors", "TreeNode", "grow_tree", "idm_sets"]

# Counts closer than this, relative to the largest, are a tie: sums of real weights are off by rounding.
TIE = 1e-12


def idm_intervals(n_c: FloatArray, s: float) -> FloatArray:
    """Return the bounds [n_c/(n + s), (n_c + s)/(n + s)] of counts (..., n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> idm_intervals(np.array([3.0, 1.0]), 1.0)
    array([[0.6, 0.8],
           [0.2, 0.4]])
    """
    total = n_c.sum(axis=-1, keepdims=True) + s
    upper = (n_c + s) / total
    # A single class gets all of s under every prior, so that both bounds are 1.
    lower = n_c / total if n_c.shape[-1] > 1 else upper
    return np.stack([lower, upper], axis=-1)


def idm_sets(n_c: FloatArray, s: float) -> BoolArray:
    """Return every class with n_c + s ≥ max n, ties included: those that no other dominates.

    Examples
    --------
    >>> import numpy as np
    >>> idm_sets(np.array([3.0, 2.0, 1.0]), 1.0)
    array([ True,  True, False])
    """
    kept: BoolArray = n_c + s >= n_c.max(axis=-1, keepdims=True) * (1.0 - TIE)
    return kept


class LeafEvidence(NamedTuple):
    """The class counts (n_rows, n_classes) of each row's node, and probabilities under the uniform prior."""

    counts: FloatArray
    reference: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LeafPriors:
    """All priors that spread the pseudo-count s over the classes of a leaf: the imprecise Dirichlet model."""

    s: float

    def maximal_sets(self, evidence: LeafEvidence) -> BoolArray:
        """Return the undominated classes of rows, (rows, n_classes)."""
        return idm_sets(evidence.counts, self.s)

    def intervals(self, evidence: LeafEvidence) -> FloatArray:
        """Return the lower and upper probabilities of rows, (rows, n_classes, 2)."""
        return idm_intervals(evidence.counts, self.s)


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """One node of a tree.

    Parameters
    ----------
    index : int
        Its index in the tree; the root is 0.
    depth : int
        The number of splits that lead to it.
    feature : str or int or None
        The feature it splits on, by name or else by index; ``None`` for a leaf.
    counts : ndarray of shape (n_classes,)
        Its training rows of each class, or the sums of their weights.
    children : dict
        The index of the child for each state or bin that occurs in the node.
    """

    index: int
    depth: int
    feature: Any
    counts: FloatArray
    children: dict[str, int]

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return not self.children


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """A tree in flat arrays, its nodes in depth-first order from the root.

    Parameters
    ----------
    features : ndarray of shape (k,)
        The features, by name or else by index.
    states : list of list of str
        What each state of each feature is called.
    feature : ndarray of shape (n_nodes,)
        The index in ``features`` of the one that each node splits on; -1 for a leaf.
    counts : ndarray of shape (n_nodes, n_classes)
        The training rows of each class, or the sums of their weights.
    parent : ndarray of shape (n_nodes,)
        The node above each node; -1 for the root.
    value : ndarray of shape (n_nodes,)
        The state of the parent's feature that leads to the node; -1 for the root.
    """

    features: Sequence[Any]
    states: list[list[str]]
    feature: IntArray
    counts: FloatArray
    parent: IntArray
    value: IntArray

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def depth(self) -> int:
        """The number of splits on the longest path."""
        return int(self.depths.max())

    @cached_property
    def starts(self) -> IntArray:
        """The first state of each feature, and V, the unknown one."""
        return np.cumsum([0, *map(len, self.states)])

    @cached_property
    def branches(self) -> tuple[IntArray, IntArray]:
        """The branches of all nodes: their keys, ascending, and the nodes that they lead to.

        Only the states that occur in a node have one: a branch for every state would take room that grows
        with the square of their number.
        """
        below = np.arange(1, self.n_nodes)
        keys = self._keys(self.parent[below], self.value[below])
        order = np.argsort(keys)
        return keys[order], below[order]

    def _keys(self, node: IntArray, value: IntArray) -> IntArray:
        return node * (int(self.starts[-1]) + 1) + value

    @cached_property
    def depths(self) -> IntArray:
        """How many splits lead to each node."""
        depths = [0] * self.n_nodes
        # A node comes before what is below it, so that its depth is known by then.
        for node, parent in enumerate(self.parent[1:].tolist(), start=1):
            depths[node] = depths[parent] + 1
        return np.array(depths, np.int64)

    def node(self, index: int) -> TreeNode:
        """Return the node with an index."""
        if not 0 <= index < self.n_nodes:
            raise IndexError(f"index must lie in [0, {self.n_nodes}) for this tree, got {index}.")
        j, depth = int(self.feature[index]), int(self.depths[index])
        if j < 0:
            return TreeNode(index, depth, None, self.counts[index], {})
        below = np.flatnonzero(self.parent == index).tolist()  # in depth-first order, hence by value
        children = {self.states[j][self.value[child]]: child for child in below}
        return TreeNode(index, depth, self.features[j], self.counts[index], children)

    def depth_below(self, index: int) -> int:
        """Return the number of splits on the longest path from a node down."""
        # In depth-first order, the descendants of a node follow it, up to the next node that is not deeper.
        deeper = self.depths[index:] - self.depths[index]
        ends = np.flatnonzero(deeper[1:] <= 0)
        return int(deeper[: ends[0] + 1].max() if len(ends) else deeper.max())

    def find(self, states: StateArray) -> IntArray:
        """Return the nodes that answer for states (k, rows): the last on the path of each row."""
        keys, nodes = self.branches
        found, going = np.zeros(states.shape[1], np.int64), np.arange(states.shape[1])
        while len(going) and len(keys):
            at = found[going]
            feature = self.feature[at]
            # A leaf goes nowhere; an unknown value is that of no branch.
            value = np.where(feature < 0, -1, states[feature, going].astype(np.int64) - self.starts[feature])
            wanted = np.where(value < 0, -1, self._keys(at, value))
            branch = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            goes_on = keys[branch] == wanted
            going = going[goes_on]
            found[going] = nodes[branch[goes_on]]
        return found

    def __repr__(self) -> str:
        return f"DecisionTree(nodes={self.n_nodes}, leaves={self.n_leaves}, depth={self.depth})"


def grow_tree(
    states: StateArray,
    labels: LabelArray,
    weights: FloatArray,
    n_classes: int,
    s: float,
    *,
    features: Sequence[Any],
    names: list[list[str]],
) -> DecisionTree:
    """Grow a tree: split on the largest imprecise information gain, as long as it is positive.

    The rows are given as in :func:`count_values`, ``s`` is the strength of the prior, and ``features`` and
    ``names`` are the names of the features and of their states.

    Examples
    --------
    A feature that tells four rows of class 0 from four of class 1:

    >>> import numpy as np
    >>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    >>> states = labels[None].astype(np.uint16)
    >>> names = [["small", "large"]]
    >>> tree = grow_tree(states, labels, np.ones(8), 2, 1.0, features=["size"], names=names)
    >>> tree
    DecisionTree(nodes=3, leaves=2, depth=1)
    >>> tree.node(0).children
    {'small': 1, 'large': 2}
    """
    starts = np.cumsum([0, *map(len, names)])
    # The feature, the counts, the node above and the state that leads here; and likewise what is still to
    # do: the node above, the state, the rows, and the features that the path has not used.
    nodes: list[tuple[int, FloatArray, int, int]] = []
    todo = [(-1, -1, np.arange(len(labels)), np.arange(len(names)))]
    while todo:
        above, state, rows, available = todo.pop()
        n_c = class_counts(labels[rows], weights[rows], n_classes)
        j = -1
        # The fewer rows a pure node has, the larger its upper entropy: no split gains anything.
        if np.count_nonzero(n_c) > 1 and len(available):
            own_rows = states.take(rows, axis=1), labels[rows], weights[rows]
            found = split_gains(own_rows, available, starts, n_classes, s)
            # The first of the largest gain, ties within 1e-12, if it exceeds that.
            largest = np.flatnonzero((found > TIE) & (found >= found.max() - TIE))
            j = int(available[largest[0]]) if len(largest) else -1
        if j >= 0:
            left = available[available != j]  # once on a path (§8)
            own = states[j, rows].astype(np.int64) - starts[j]
            # The last state is pushed first, so that the first is grown first. A state without rows has no
            # branch: the node itself will answer for it (§8). Neither has an unknown value.
            present = np.unique(own[own < len(names[j])])
            todo += [(len(nodes), int(a), rows[own == a], left) for a in present[::-1]]
        nodes.append((j, n_c, above, state))
    feature, counts, parent, value = zip(*nodes, strict=True)
    return DecisionTree(
        features, names, np.array(feature), np.array(counts), np.array(parent), np.array(value)
    )
