"""Naive Bayes, TAN and the averages of CMA: sums of single entries of the same table (§2, §8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit

from skcredal._arrays import FloatArray, IntArray, StateArray
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.spodes import SpodeTables, class_prior, normalised
from skcredal._ensemble.weights import log_marginals

__all__ = [
    "NaiveTables",
    "TanTables",
    "averaged_tables",
    "conditional_information",
    "log_bayes_factors",
    "naive_tables",
    "spanning_tree",
]

# Mutual informations are rounded to this many decimals before they are compared: between equal ones, the
# order of the features should decide, not rounding.
DECIMALS = 12


@dataclass(frozen=True, eq=False)
class NaiveTables:
    """log P(c), (n_classes,), and log P(a|c), (n_classes, V + 2), 0 for the two states that drop out.

    These are V, unknown, and V + 1, which may be any.
    """

    log_c: FloatArray
    log_a: FloatArray

    def posteriors(self, states: StateArray) -> FloatArray:
        """Return P(c | a), (rows, n_classes)."""
        return normalised(self.log_c[:, None] + self.log_a[:, states].sum(axis=1))


def naive_tables(counts: Counts, ess: float) -> NaiveTables:
    """Learn the parameters of naive Bayes; P(a_j|c) is divided by the rows that know the feature."""
    n_classes, v = len(counts.n_c), counts.n_states
    n_known = counts.sum_over_features(counts.n_ca)
    log_a = np.log(counts.n_ca + ess / (n_classes * counts.n_states_of))
    log_a -= np.log(n_known + ess / n_classes).repeat(v, axis=1)
    return NaiveTables(np.log(class_prior(counts.n_c, ess)), np.pad(log_a, ((0, 0), (0, 2))))


def conditional_information(counts: Counts) -> FloatArray:
    """Return the empirical mutual information I(A_i; A_j | C) of features, (k, k), in nats.

    If training cells are unknown, each pair uses the rows in which both of its cells are known.
    """
    n, v = counts.n_cab, counts.n_states
    information = np.zeros((len(v), len(v)))
    for i in range(len(v)):
        n_i = n[:, counts.states_of(i)]  # (n_classes, v_i, V)
        # n(c, a_i) of the rows that know the other, (n_classes, v_i, k)
        n_parent = counts.sum_over_features(n_i)
        n_child = n_i.sum(axis=1)  # n(c, a_j) of the rows that know i, (n_classes, V)
        n_both = n_parent.sum(axis=1)  # (n_classes, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = n_i * n_both.repeat(v, axis=1)[:, None] / (n_parent.repeat(v, axis=2) * n_child[:, None])
            terms = np.where(n_i > 0.0, n_i * np.log(ratio), 0.0).sum(axis=(0, 1))
        total = n_both.sum(axis=0)
        information[i] = counts.sum_over_features(terms) / np.where(total > 0.0, total, 1.0)
    return information


def spanning_tree(information: FloatArray) -> IntArray:
    """Return the edges (parent, child) of the tree with the most information, directed away from feature 0.

    Among pairs with equal information the first is preferred; the edge to a feature precedes those from it.

    Examples
    --------
    >>> import numpy as np
    >>> information = np.array([[0.0, 0.1, 0.5], [0.1, 0.0, 0.4], [0.5, 0.4, 0.0]])
    >>> spanning_tree(information).tolist()
    [[0, 2], [2, 1]]
    """
    # Prim's algorithm on ranks, the most informative pair first: unlike informations, they have no ties.
    k = len(information)
    first, second = np.triu_indices(k, k=1)
    beyond = len(first)
    rank = np.full((k, k), beyond)
    order = np.argsort(-information[first, second].round(DECIMALS), kind="stable")
    rank[first[order], second[order]] = rank[second[order], first[order]] = np.arange(beyond)
    edges = np.empty((max(k - 1, 0), 2), np.int64)
    nearest, parent = np.full(k, beyond), np.zeros(k, np.int64)
    outside = np.ones(k, np.bool_)
    newest = 0
    for edge in edges:
        outside[newest] = False
        closer = outside & (rank[newest] < nearest)
        nearest[closer], parent[closer] = rank[newest, closer], newest
        nearest[newest] = beyond
        newest = int(nearest.argmin())
        edge[:] = parent[newest], newest
    return edges


@dataclass(frozen=True, eq=False)
class TanTables:
    """The table of the SPODEs and the edges (parent, child) of a tree, along which its entries are summed."""

    tables: SpodeTables
    edges: IntArray

    def posteriors(self, states: StateArray) -> FloatArray:
        """Return P(c | a), (rows, n_classes); a child whose parent is unknown has P(a|c)."""
        log_p, alone = self.tables.log_p, self.tables.unknown
        roots = np.setdiff1d(np.arange(len(states)), self.edges[:, 1])
        log_joint = self.tables.log_c[:, None] + log_p[:, alone][:, states[roots]].sum(axis=1)
        for parent, child in self.edges:
            log_joint = log_joint + log_p[:, states[parent], states[child]]
        return normalised(log_joint)


def log_bayes_factors(counts: Counts, ess: float) -> FloatArray:
    """Return CMA's log E_j: how much better each feature is explained with the class than without it.

    Rows in which the cell is unknown say nothing about the feature, with the class or without it.

    Examples
    --------
    One feature that separates two classes of two rows each: E = (5/12)² / (3/128) = 200/27.

    >>> import numpy as np
    >>> from skcredal._ensemble.counts import count_values
    >>> states, labels = np.array([[0, 0, 1, 1]], np.uint16), np.array([0, 0, 1, 1], np.int32)
    >>> counts = count_values(states, labels, np.ones(4), np.array([2]), 2)
    >>> round(float(np.exp(log_bayes_factors(counts, 1.0)[0])) * 27, 9)
    200.0
    """
    alone = ess / counts.n_states_of
    with_class = log_marginals(counts, counts.n_ca, alone / len(counts.n_c)).sum(axis=0)
    return np.asarray(with_class - log_marginals(counts, counts.n_ca.sum(axis=0), alone))


def averaged_tables(
    naive: NaiveTables, counts: Counts, ess: float, log_e: FloatArray, log_odds: float
) -> NaiveTables:
    """Return naive Bayes averaged over all subsets of features, each feature with prior odds exp(log_odds).

    A feature has the factor ``w_j P(a_j|c) + (1-w_j) P(a_j)``, with w_j the posterior probability that it
    is in the model: the 2^k models need not be enumerated.
    """
    v, n_a = counts.n_states, counts.n_ca.sum(axis=0)
    log_alone = np.log(n_a + ess / counts.n_states_of) - np.log(counts.sum_over_features(n_a) + ess).repeat(v)
    # log w and log(1 - w) from the odds: exp(log E_j) itself may overflow.
    inclusion = (log_e + log_odds).repeat(v)
    mixture = np.logaddexp(log_expit(inclusion) + naive.log_a[:, :-2], log_expit(-inclusion) + log_alone)
    return NaiveTables(naive.log_c, np.pad(mixture, ((0, 0), (0, 2))))
