"""Single Bayesian networks: naive Bayes and its parameters, TAN with its tree (§2, §8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray
from skcredal._ensemble.counts import JointCounts, Layout, ValueCounts, ends
from skcredal._threads import run_in_threads

__all__ = [
    "NaiveEvidence",
    "NaiveTables",
    "TanTables",
    "class_prior",
    "conditional_information",
    "naive_tables",
    "spanning_tree",
    "tan_tables",
    "value_tables",
]

# Mutual informations are rounded to this many decimals before they are compared: between equal ones, the
# order of the features should decide, not rounding.
DECIMALS = 12


@dataclass(frozen=True, slots=True, eq=False)
class NaiveEvidence:
    """What a set of priors judges: codes (k, n_rows), and the probabilities under the reference prior."""

    codes: CodeArray
    reference: FloatArray


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
        """P(c), the answer of the null model."""
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


def value_tables(counts: ValueCounts, ess: float, layout: Layout) -> tuple[FloatArray, FloatArray]:
    """Return log P(a_j|c) and the logarithms of the masses of a_j, laid out as told.

    Codes beyond the states have zeros, log 1: their factors drop out without a branch in inference.
    """
    n_states, n_classes = layout.n_states, layout.n_classes
    n_ca = counts.n_ca.reshape(-1, n_classes)
    # The rows of the class that know the feature; all of them in complete data (§1).
    n_known = np.add.reduceat(n_ca, ends(n_states)[:-1])
    prior = ess / (n_classes * n_states)
    of_values = np.log(n_ca + prior.repeat(n_states)[:, None])
    of_features = np.log(n_known + ess / n_classes)
    shifts = layout.value_offsets[:-1] - counts.layout.value_offsets[:-1]
    cells = np.arange(counts.n_ca.size) + shifts.repeat(n_states * n_classes)
    log_a, log_masses = np.zeros((2, layout.value_offsets[-1]))
    log_masses[cells] = of_values.ravel()
    log_a[cells] = (of_values - of_features.repeat(n_states, axis=0)).ravel()
    return log_a, log_masses


def naive_tables(counts: ValueCounts, ess: float, *, slots: int = 1) -> NaiveTables:
    """Learn the parameters of naive Bayes from the counts; all codes beyond the states have the factor 1."""
    n_states, n_classes = counts.layout.n_states, counts.layout.n_classes
    layout = Layout(n_states, n_classes, slots=slots)
    log_a, _ = value_tables(counts, ess, layout)
    return NaiveTables(layout, np.log(class_prior(counts.n_c, ess)), log_a)


def conditional_information(counts: JointCounts, *, n_threads: int = 1) -> FloatArray:
    """Return the empirical mutual information I(A_i; A_j | C) of every pair ``i < j``, in nats.

    If training cells are unknown, each pair uses the rows in which both of its cells are known.
    """
    layout = counts.layout

    def inform_some(some: IntArray) -> FloatArray:
        out = np.empty(len(some))
        kernels.naive.conditional_information(
            counts.n_cab,
            layout.n_states,
            layout.pairs[some],
            layout.pair_offsets[some],
            layout.n_classes,
            out,
        )
        return out

    tasks = np.array_split(np.arange(len(layout.pairs)), n_threads)
    return np.concatenate(run_in_threads(inform_some, tasks, n_threads))


def spanning_tree(information: FloatArray, k: int) -> IntArray:
    """Return the edges (parent, child) of the tree with the most information, directed away from feature 0.

    Among pairs with equal information the first is preferred; the edge to a feature precedes those from it.

    Examples
    --------
    Three features, and the pairs (0, 1), (0, 2), (1, 2):

    >>> import numpy as np
    >>> spanning_tree(np.array([0.1, 0.5, 0.4]), 3).tolist()
    [[0, 2], [2, 1]]
    """
    # Prim's algorithm on ranks, the most informative pair first: unlike informations, they have no ties.
    ranks = np.empty(len(information), np.int64)
    ranks[np.argsort(-information.round(DECIMALS), kind="stable")] = np.arange(len(information))
    beyond = len(information)
    rank = np.full((k, k), beyond)
    first, second = np.triu_indices(k, k=1)
    rank[first, second] = rank[second, first] = ranks
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


@dataclass(frozen=True, slots=True, eq=False)
class TanTables:
    """Naive Bayes and a correction for every edge of the tree (see ``kernels.parameters``).

    Parameters
    ----------
    naive : NaiveTables
        log P(c) and log P(a|c).
    pairs : ndarray of shape (k - 1, 2)
        The edges as ``i < j``, whichever is the parent.
    pair_offsets : ndarray of shape (k,)
        Where the table of each edge begins, and the end of the last.
    log_ratio : ndarray
        log P(child|parent,c) - log P(child|c), by the values of i, of j and the class.
    """

    naive: NaiveTables
    pairs: IntArray
    pair_offsets: IntArray
    log_ratio: FloatArray

    def log_joints(self, codes: CodeArray) -> FloatArray:
        """Return log P(c, a) of a chunk of codes (k, rows) as an array (rows, n_classes)."""
        out = self.naive.log_joints(codes)
        kernels.naive.add_corrections(
            codes, self.naive.layout.n_states, self.pairs, self.log_ratio, self.pair_offsets, out
        )
        return out

    def posteriors(self, codes: CodeArray) -> FloatArray:
        """Return P(c | a) of a chunk likewise."""
        out = self.log_joints(codes)
        kernels.naive.normalise_rows(out)
        return out


def tan_tables(counts: JointCounts, edges: IntArray, ess: float) -> TanTables:
    """Learn the parameters from the counts, for edges (parent, child)."""
    naive = naive_tables(counts.singles, ess)
    n_states, n_classes = counts.layout.n_states, counts.layout.n_classes
    pairs = np.sort(edges, axis=1)
    widths = n_states + 1
    sizes = widths[pairs[:, 0]] * widths[pairs[:, 1]] * n_classes
    offsets = ends(sizes)
    # If all cells are known, the ratio is the same in both directions. Otherwise it depends on which of the
    # two is the parent, and the kernel fills in both.
    log_ratio = np.zeros(offsets[-1])
    log_ratio_reverse = np.zeros(0 if counts.complete else offsets[-1])
    index = np.array([counts.layout.pair_index(i, j) for i, j in pairs.tolist()], np.int64)
    kernels.parameters.fill_pairs(
        counts.n_cab,
        naive.log_a,
        n_states,
        pairs,
        counts.layout.pair_offsets[index],
        naive.layout.value_offsets,
        offsets,
        n_classes,
        ess,
        log_ratio,
        log_ratio_reverse,
    )
    if not counts.complete:
        for e in np.flatnonzero(edges[:, 0] > edges[:, 1]):
            block = slice(offsets[e], offsets[e + 1])
            log_ratio[block] = log_ratio_reverse[block]
    return TanTables(naive, pairs, offsets, log_ratio)
