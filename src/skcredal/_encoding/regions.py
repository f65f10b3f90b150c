"""Regions of a table: the leaves of randomised trees (§14).

The columns of a table are numbers, (n_columns, n_rows): those of a category are the numbers of its states,
and NaN is a cell that is unknown, or missing and not imputed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import config_context

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray
from skcredal._kernels import find_leaves

__all__ = ["Regions", "varying_columns"]

# A tree has a leaf for so many rows, within these bounds, and no leaf with fewer than this weight (§14).
ROWS_PER_LEAF, LEAST_LEAVES, MOST_LEAVES = 16, 32, 256
LEAST_WEIGHT = 5.0


def varying_columns(numbers: FloatArray, fills: FloatArray) -> IntArray:
    """Return the columns with two different values after imputation."""
    imputed = _imputed(numbers, fills)
    return np.flatnonzero((imputed != imputed[:, :1]).any(axis=1) & ~np.isnan(fills))


def _imputed(numbers: FloatArray, fills: FloatArray) -> FloatArray:
    return np.where(np.isnan(numbers), fills[:, None], numbers)


@dataclass(frozen=True, eq=False)
class Regions:
    """Randomised trees over some columns. The nodes of all trees are numbered, parents before children."""

    columns: IntArray  # (m,): the columns of the table that the trees ask about
    # fills, low, high: (m,): their imputed values, and the range of numbers; 0 and 0 for categories, which
    # are not scaled
    fills: FloatArray
    low: FloatArray
    high: FloatArray
    roots: IntArray  # (n_trees,): the first node of each tree
    feature: IntArray  # (n_nodes,): which of the columns a node asks about; -1 for a leaf
    threshold: FloatArray  # (n_nodes,): up to which value a row goes left
    # left, right: (n_nodes,): the nodes below; -1 for a leaf
    left: IntArray
    right: IntArray

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: vars(self)[one.name] for one in fields(self)}  # a pickle needs no more than a fit

    @classmethod
    def grow(
        cls,
        numbers: FloatArray,
        fills: FloatArray,
        is_number: BoolArray,
        labels: LabelArray,
        weights: FloatArray,
        *,
        n_trees: int,
        seed: int,
    ) -> Regions:
        """Grow trees from the columns of rows, (n_columns, n_rows); ``fills`` are their medians and modes."""
        # Imported here: only LP-AODE needs it, and it takes a moment.
        from sklearn.tree import ExtraTreeClassifier

        columns = varying_columns(numbers, fills)
        some = _imputed(numbers[columns], fills[columns])
        scaled = is_number[columns]
        low = np.where(scaled, some.min(axis=1, initial=np.inf), 0.0)
        high = np.where(scaled, some.max(axis=1, initial=-np.inf), 0.0)
        stump = np.array([-1]), np.array([0.0]), np.array([-1]), np.array([-1])
        grown, total = [stump] * n_trees, float(weights.sum())
        if total >= 2.0 * LEAST_WEIGHT:
            x = np.ascontiguousarray(_scaled(some, low, high).T)
            seeds = np.random.RandomState(seed % 2**32).randint(2**31 - 1, size=n_trees)
            # If all weights are 1, scikit-learn need not look at them: a tenth of the time for small tables.
            shares = weights if (weights != 1.0).any() else None
            for t, state in enumerate(seeds.tolist()):
                tree = ExtraTreeClassifier(
                    max_leaf_nodes=min(MOST_LEAVES, max(LEAST_LEAVES, int(total / ROWS_PER_LEAF))),
                    max_features=None,
                    # A little less: the sum of five weights of 1 must not fall short by rounding.
                    min_weight_fraction_leaf=(1.0 - 1e-9) * LEAST_WEIGHT / total,
                    random_state=state,
                )
                # The rows are as it wants them: looking at them again would take a third of the time.
                with config_context(assume_finite=True, skip_parameter_validation=True):
                    found = tree.fit(x, labels, shares, check_input=False).tree_
                below = found.children_left, found.children_right
                grown[t] = np.maximum(found.feature, -1), found.threshold, *below
        sizes = [len(tree[0]) for tree in grown]
        roots = np.cumsum([0, *sizes])[:-1]
        feature, threshold, left, right = (np.concatenate(parts) for parts in zip(*grown, strict=True))
        shift = np.where(feature < 0, 0, roots.repeat(sizes))
        return cls(columns, fills[columns], low, high, roots, feature, threshold, left + shift, right + shift)

    @cached_property
    def leaf_numbers(self) -> IntArray:
        """The number of each leaf among those of all trees, for every node."""
        return np.cumsum(self.feature < 0) - 1

    @cached_property
    def n_leaves(self) -> IntArray:
        """The number of leaves of each tree."""
        return np.add.reduceat(self.feature < 0, self.roots, dtype=np.int64)

    def leaves(self, numbers: FloatArray) -> npt.NDArray[np.uint32]:
        """Return the leaf that each row reaches in each tree, (n_trees, n_rows)."""
        x = self._questions(numbers)
        nodes = np.empty((len(self.roots), x.shape[1]), np.int64)
        find_leaves(x, self.roots, np.maximum(self.feature, 0), self.threshold, self._children, nodes)
        return self.leaf_numbers[nodes].astype(np.uint32)

    @cached_property
    def _children(self) -> IntArray:
        """The two nodes below each node, one pair after another; a leaf is its own."""
        below = np.stack([self.left, self.right], axis=1)
        return np.where(below < 0, np.arange(len(below))[:, None], below).ravel()

    def sums_below(self, of_leaves: FloatArray) -> FloatArray:
        """Return the sums over the leaves below each node, (…, n_nodes), of numbers of leaves, (…, Z)."""
        sums = np.where(self.feature < 0, of_leaves[..., self.leaf_numbers], 0.0)
        for node in np.flatnonzero(self.feature >= 0)[::-1]:  # children come after their parents
            sums[..., node] = sums[..., self.left[node]] + sums[..., self.right[node]]
        return sums

    def steps(self, numbers: FloatArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Yield the steps of all rows down the trees: the rows, the nodes they leave and those they reach."""
        x = self._questions(numbers)
        for root in self.roots:
            rows = np.arange(x.shape[1])
            node = np.full(len(rows), root)
            while len(rows := rows[self.feature[node[rows]] >= 0]):
                at = node[rows]
                goes_left = x[self.feature[at], rows] <= self.threshold[at]
                node[rows] = np.where(goes_left, self.left[at], self.right[at])
                yield rows, at, node[rows]

    def _questions(self, numbers: FloatArray) -> npt.NDArray[np.float32]:
        """Return the columns as the trees compare them: imputed, scaled, and as short as scikit-learn's."""
        return _scaled(_imputed(numbers[self.columns], self.fills), self.low, self.high)


def _scaled(numbers: FloatArray, low: FloatArray, high: FloatArray) -> npt.NDArray[np.float32]:
    """Return numbers between 0, at ``low``, and 1, at ``high``; lines without a range as they are."""
    low, high = low[:, None], high[:, None]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # Halved, a difference of the largest doubles does not overflow.
        half = np.where(np.isinf(high - low), 0.5, 1.0)
        share = np.clip((numbers * half - low * half) / (high * half - low * half), 0.0, 1.0)
    return np.where(low == high, numbers, share).astype(np.float32)
