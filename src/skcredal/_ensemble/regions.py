"""Regions as super-parents: how often they were seen with classes and states, and what they say (§14)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skcredal._arrays import FloatArray, IntArray, LabelArray, StateArray
from skcredal._ensemble.spodes import between, log_conditionals, log_mass
from skcredal._kernels import count_pairs, sum_pairs

__all__ = ["RegionCounts", "RegionTables", "count_regions"]


@dataclass(frozen=True, eq=False)
class RegionCounts:
    """n(c,z) and n(c,z,a): the weights of the rows of each class in each leaf, and with each state; they add.

    Parameters
    ----------
    n_leaves : ndarray of shape (n_trees,)
        How many leaves each tree has; those of all trees are numbered, Z in all.
    n_cz : ndarray of shape (n_classes, Z)
        Rows of each class and leaf.
    n_cza : ndarray of shape (n_classes, Z, V)
        Rows of each class, leaf and state.
    """

    n_leaves: IntArray
    n_cz: FloatArray
    n_cza: FloatArray

    def __add__(self, other: RegionCounts) -> RegionCounts:
        return RegionCounts(self.n_leaves, self.n_cz + other.n_cz, self.n_cza + other.n_cza)


def count_regions(
    leaves: StateArray,
    states: StateArray,
    labels: LabelArray,
    weights: FloatArray,
    n_leaves: IntArray,
    n_values: int,
    n_classes: int,
) -> RegionCounts:
    """Count rows by their leaf in each tree, (n_trees, n), and their states, (k, n)."""
    n_trees, n_all = len(leaves), int(n_leaves.sum())
    n_cz = np.zeros((n_classes, n_all))
    for of_tree in leaves:
        cell = labels * np.int64(n_all) + of_tree
        n_cz += np.bincount(cell, weights, n_cz.size).reshape(n_cz.shape)
    n_cza = np.zeros((n_classes, n_all, n_values + 1))
    count_pairs(leaves, states, np.zeros(n_trees, np.int64), labels, weights, 0, 1, n_cza)
    return RegionCounts(n_leaves, n_cz, n_cza[:, :, :n_values].copy())


@dataclass(frozen=True, eq=False)
class RegionTables:
    """The parameters of the regions of some counts: a region is a super-parent like any other.

    ``log_odds[c, z, t]`` is log P(a_t | z, c) less that of the first class, 0 for an unknown t, and
    ``own_odds[c, z]`` is log P(c, z) likewise. Then log P(c, a | tree) = log P(c, z) + Σ_i log P(a_i | z, c).

    Parameters
    ----------
    counts : RegionCounts
        The counts of the training rows.
    n_states : ndarray of shape (k,)
        How many states each feature has.
    n_c : ndarray of shape (n_classes,)
        Rows of each class.
    ess : float
        The equivalent sample size of the BDeu prior.
    """

    counts: RegionCounts
    n_states: IntArray
    n_c: FloatArray
    ess: float

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("counts", "n_states", "n_c", "ess")}

    @property
    def _n_leaves_of(self) -> IntArray:
        """How many leaves the tree has to which each leaf belongs, (Z,)."""
        return self.counts.n_leaves.repeat(self.counts.n_leaves)

    @cached_property
    def log_cz(self) -> FloatArray:
        """The logarithms of P(c, z) up to a constant, (n_classes, Z)."""
        return log_mass(self.counts.n_cz, self.ess / (len(self.n_c) * self._n_leaves_of))

    @cached_property
    def own_odds(self) -> FloatArray:
        """The log-odds of P(c, z), (n_classes - 1, Z)."""
        return np.asarray(self.log_cz[1:] - self.log_cz[0])

    @cached_property
    def log_odds(self) -> FloatArray:
        """The log-odds of P(a|z,c), (n_classes - 1, Z, V + 1)."""
        n_classes, n_all, n_values = self.counts.n_cza.shape
        odds, first = np.zeros((n_classes - 1, n_all, n_values + 1)), np.empty(0)
        for c, n in enumerate(self.counts.n_cza):
            log_p = log_conditionals(n, self.n_states, self._n_leaves_of, self.ess, n_classes)
            if c == 0:
                first = log_p
            else:
                odds[c - 1, :, :-1] = log_p - first
        return odds

    def odds(self, leaves: StateArray, states: StateArray) -> FloatArray:
        """Return what all trees say together, (1/T) Σ_t log p_t, as log-odds (n_classes - 1, rows)."""
        said = np.empty((len(leaves), len(self.log_odds), leaves.shape[1]))
        sum_pairs(leaves, states, self.log_odds, said)
        return np.asarray(said.mean(axis=0) + self.own_odds[:, leaves].mean(axis=1))

    def contributions(
        self, leaves: StateArray, states: StateArray, one: IntArray, other: IntArray
    ) -> FloatArray:
        """Return what the value of each feature adds to the log-odds of two classes, over all trees, (k, rows)."""
        found = np.zeros(states.shape)
        for leaf in leaves:
            for i, child in enumerate(states):
                found[i] += between(self.log_odds, one, other, leaf, child)
        return found
