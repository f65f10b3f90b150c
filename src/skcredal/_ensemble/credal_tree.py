"""Credal decision trees: growth by imprecise information gain, and the answers of the nodes (§8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, BoolArray, CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._ensemble.counts import check_counts, ends
from skcredal._validation import check_array

__all__ = [
    "DecisionTree",
    "LeafEvidence",
    "LeafPriors",
    "TreeNode",
    "grow_tree",
    "idm_intervals",
    "idm_posterior",
    "idm_sets",
]

# Counts closer than this, relative to the largest, are a tie: sums of real weights are off by rounding.
TIE = 1e-12
# Initial room for the nodes of a tree: when it is full, the kernel stops, and goes on after it is doubled.
FIRST_NODES = 256


def idm_posterior(n_c: CountArray, s: float) -> FloatArray:
    """Return (n_c + s/l)/(n + s) of counts (..., n_classes): the probabilities under the uniform prior."""
    posterior: FloatArray = (n_c + s / n_c.shape[-1]) / (n_c.sum(axis=-1, keepdims=True) + s)
    return posterior


def idm_intervals(n_c: CountArray, s: float) -> FloatArray:
    """Return the bounds [n_c/(n + s), (n_c + s)/(n + s)] of counts (..., n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> idm_intervals(np.array([3, 1]), 1.0)
    array([[0.6, 0.8],
           [0.2, 0.4]])
    """
    total = n_c.sum(axis=-1, keepdims=True) + s
    upper = (n_c + s) / total
    # A single class gets all of s under every prior, so that both bounds are 1.
    lower = n_c / total if n_c.shape[-1] > 1 else upper
    return np.stack([lower, upper], axis=-1)


def idm_sets(n_c: CountArray, s: float) -> BoolArray:
    """Return every class with n_c + s ≥ max n, ties included: those that no other dominates.

    Examples
    --------
    >>> import numpy as np
    >>> idm_sets(np.array([3, 2, 1]), 1.0)
    array([ True,  True, False])
    """
    kept: BoolArray = n_c + s >= n_c.max(axis=-1, keepdims=True) * (1.0 - TIE)
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class LeafEvidence:
    """The class counts (n_rows, n_classes) of each row's node, and probabilities under the uniform prior."""

    counts: CountArray
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
    counts: CountArray
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
    counts: CountArray
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
    def branches(self) -> IntArray:
        """The nodes that branches lead to, node by node that they leave, and by value.

        Only the states that occur in a node have one: a branch for every state would take room that grows
        with the square of their number.
        """
        # In depth-first order the children of a node come by value; a stable sort keeps that.
        return 1 + np.argsort(self.parent[1:], kind="stable")

    @cached_property
    def branch_offsets(self) -> IntArray:
        """Where the branches of each node begin, and the end of the last."""
        return ends(np.bincount(self.parent[1:], minlength=self.n_nodes))

    @cached_property
    def depths(self) -> IntArray:
        """How many splits lead to each node."""
        depths = [0] * self.n_nodes
        # A node comes before what is below it, so that its depth is known by then.
        for node, parent in enumerate(self.parent[1:].tolist(), start=1):
            depths[node] = depths[parent] + 1
        return np.array(depths, np.int64)

    def check(self, n_classes: int) -> None:
        """Refuse a tree from elsewhere unless every way through it goes onwards, along nodes of its own."""
        check_array("feature", self.feature, ("int64",))
        if not len(self.feature) or np.any((self.feature < -1) | (self.feature >= len(self.states))):
            raise ValueError("feature must be indices of features, or -1, for one node at least.")
        check_counts("counts", self.counts, (self.n_nodes, n_classes))
        check_array("parent", self.parent, ("int64",), (self.n_nodes,))
        check_array("value", self.value, ("int64",), (self.n_nodes,))
        above = self.parent[1:]
        if self.parent[0] != -1 or np.any((above < 0) | (above >= np.arange(1, self.n_nodes))):
            raise ValueError("parent must be -1 for the root, and an earlier node for all others.")
        # The index -1 of a leaf is that of the last number of states: none.
        n_states = np.array([*map(len, self.states), 0], np.int64)[self.feature[above]]
        if self.value[0] != -1 or np.any((self.value[1:] < 0) | (self.value[1:] >= n_states)):
            raise ValueError(
                "value must be a state of the feature on which the parent splits, and -1 at the root."
            )
        same_parent = np.diff(self.parent[self.branches]) == 0
        if np.any(np.diff(self.value[self.branches])[same_parent] <= 0):
            raise ValueError("value must ascend from child to child of a node.")

    def node(self, index: int) -> TreeNode:
        """Return the node with an index."""
        if not 0 <= index < self.n_nodes:
            raise IndexError(f"index must lie in [0, {self.n_nodes}) for this tree, got {index}.")
        j, depth = int(self.feature[index]), int(self.depths[index])
        if j < 0:
            return TreeNode(index, depth, None, self.counts[index], {})
        below = self.branches[self.branch_offsets[index] : self.branch_offsets[index + 1]]
        children = {self.states[j][self.value[child]]: child for child in below.tolist()}
        return TreeNode(index, depth, self.features[j], self.counts[index], children)

    def depth_below(self, index: int) -> int:
        """Return the number of splits on the longest path from a node down."""
        depth = deepest = self.depths[index]
        # In depth-first order, the descendants of a node follow it, up to the next node that is not deeper.
        below = index + 1
        while below < self.n_nodes and self.depths[below] > depth:
            deepest = max(deepest, self.depths[below])
            below += 1
        return int(deepest - depth)

    def find(self, codes: CodeArray) -> IntArray:
        """Return the nodes that answer for codes (k, rows): the last on the path of each row."""
        nodes = np.empty(codes.shape[1], np.int64)
        values = self.value[self.branches]
        kernels.tree.find_nodes(codes, self.feature, self.branch_offsets, values, self.branches, nodes)
        return nodes

    def __repr__(self) -> str:
        return f"DecisionTree(nodes={self.n_nodes}, leaves={self.n_leaves}, depth={self.depth})"


def grow_tree(
    codes: CodeArray,
    labels: LabelArray,
    n_classes: int,
    s: float,
    *,
    features: Sequence[Any],
    states: list[list[str]],
    weights: CountArray | None = None,
) -> DecisionTree:
    """Grow a tree: split on the largest imprecise information gain, as long as it is positive.

    The rows are given as in :func:`count_values`, ``s`` is the strength of the prior, and ``features`` and
    ``states`` are the names of the features and of their states.

    Examples
    --------
    A feature that tells four rows of class 0 from four of class 1:

    >>> import numpy as np
    >>> codes = np.array([[0, 0, 0, 0, 1, 1, 1, 1]], dtype=np.uint8)
    >>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    >>> tree = grow_tree(codes, labels, 2, 1.0, features=["size"], states=[["small", "large"]])
    >>> tree
    DecisionTree(nodes=3, leaves=2, depth=1)
    >>> tree.node(0).children
    {'small': 1, 'large': 2}
    """
    k, n = codes.shape
    n_states = np.array([len(names) for names in states], np.int64)
    widest = int(n_states.max(initial=0))
    row_weights = np.ones(n) if weights is None else weights.astype(np.float64)
    # Nodes still to be split have disjoint rows, and on each level there is at most one for every state: this
    # bounds how many wait at a time.
    todo = np.empty((min(n, k * widest) + 1, 5), np.int64)
    todo[0] = 0, -1, -1, 0, n
    progress = np.array([1, 0, 0])
    rows, scratch_rows = np.arange(n), np.empty(n, np.int64)
    scratch_counts, starts = np.empty((widest + 1, n_classes)), np.empty(widest + 2, np.int64)
    path, available = np.empty(k, np.int64), np.ones(k, np.bool_)
    feature, counts = np.empty(FIRST_NODES, np.int64), np.empty((FIRST_NODES, n_classes))
    parent, value = np.empty(FIRST_NODES, np.int64), np.empty(FIRST_NODES, np.int64)
    while not kernels.tree.grow(
        codes,
        labels,
        row_weights,
        n_states,
        s,
        rows,
        scratch_rows,
        scratch_counts,
        starts,
        path,
        available,
        todo,
        progress,
        feature,
        counts,
        parent,
        value,
    ):
        feature, counts = _doubled(feature), _doubled(counts)
        parent, value = _doubled(parent), _doubled(value)
    n_nodes = int(progress[2])
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    return DecisionTree(
        features,
        states,
        feature[:n_nodes].copy(),
        counts[:n_nodes].astype(dtype),
        parent[:n_nodes].copy(),
        value[:n_nodes].copy(),
    )


def _doubled(part: AnyArray) -> AnyArray:
    """Return an array with room for as many entries again."""
    return np.concatenate([part, np.empty_like(part)])
