"""The parameters of all SPODEs as one table, and what the SPODEs say about rows (§2 to §5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._ensemble.counts import Counts
from skcredal._kernels import sum_pairs
from skcredal._threads import run_in_threads

__all__ = [
    "SpodeTables",
    "between",
    "chunks",
    "class_prior",
    "log_conditionals",
    "log_likelihoods",
    "log_mass",
    "log_sum_exp",
    "normalised",
    "softmax",
]

# Numbers of a chunk of rows, 1 MiB: they stay in the cache.
CHUNK_NUMBERS = 1 << 17
# Starting threads pays from this many numbers that are looked up.
WORTH_A_THREAD = 10_000_000
# Chunks are not so short that each drags all tables through the cache, and not so long that threads wait.
LEAST_ROWS, MOST_ROWS = 512, 2048


def chunks(n_rows: int, n_numbers: int) -> list[slice]:
    """Return slices of rows, each with ``n_numbers`` numbers; they depend on neither threads nor batches.

    Examples
    --------
    >>> chunks(5000, 40)[:2]
    [slice(0, 2048, None), slice(2048, 4096, None)]
    """
    size = min(max(CHUNK_NUMBERS // max(n_numbers, 1), LEAST_ROWS), MOST_ROWS)
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def class_prior(n_c: FloatArray, ess: float) -> FloatArray:
    """Return P(c) = (n(c) + s/l)/(n + s), of counts (..., n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> class_prior(np.array([3.0, 1.0]), 1.0)
    array([0.7, 0.3])
    """
    return np.asarray((n_c + ess / n_c.shape[-1]) / (n_c.sum(axis=-1, keepdims=True) + ess))


def log_sum_exp(x: FloatArray, axis: int) -> FloatArray:
    """Return log Σ exp(x) along an axis of finite numbers, at a third of the time of scipy's."""
    highest = x.max(axis=axis, keepdims=True)
    total = np.exp(x - highest).sum(axis=axis)
    return np.asarray(np.log(total) + highest.squeeze(axis))


def normalised(log_joint: FloatArray) -> FloatArray:
    """Return probabilities (rows, n_classes) from logarithms up to a constant, (n_classes, rows)."""
    proba = np.exp(log_joint - log_joint.max(axis=0))
    proba /= proba.sum(axis=0)
    return np.ascontiguousarray(proba.T)


def softmax(log_odds: FloatArray) -> FloatArray:
    """Return the probabilities (k, l, rows) of log-odds against the first class, (k, l - 1, rows).

    In place: arrays of this size that come and go would be given back to the system, and cleared, every time.
    """
    k, m, n = log_odds.shape
    proba = np.empty((k, m + 1, n))
    if m == 1:
        # Each by itself: the difference of the other to 1 would have lost its digits.
        with np.errstate(over="ignore"):
            np.exp(log_odds[:, 0], out=proba[:, 0])
            np.exp(-log_odds[:, 0], out=proba[:, 1])
        proba += 1.0
        return np.reciprocal(proba, out=proba)
    proba[:, 0], proba[:, 1:] = 0.0, log_odds
    proba -= proba.max(axis=1, keepdims=True)
    np.exp(proba, out=proba)
    proba /= proba.sum(axis=1, keepdims=True)
    return proba


def log_mass(n: FloatArray, pseudo_count: FloatArray | float, less: FloatArray | float = 0.0) -> FloatArray:
    """Return the logarithm of a count less what a row takes off it, plus the prior's pseudo-count."""
    return np.log(np.maximum(n - less, 0.0) + pseudo_count)


def log_conditionals(
    n: FloatArray, n_states: IntArray, n_of_parent: IntArray, ess: float, n_classes: int
) -> FloatArray:
    """Return log P(a_t | s, c) of one class (§2), from the counts n[s, t] of its rows, (parents, V).

    ``n_of_parent`` is how many states the variable has to which each parent s belongs. A conditional is
    divided by the rows that know both: for complete data, by n(c, s).
    """
    if not n.size:
        return np.zeros(n.shape)
    alpha = ess / (n_classes * n_of_parent[:, None])
    n_both = np.add.reduceat(n, np.cumsum(n_states) - n_states, axis=1)
    log_both = log_mass(n_both, alpha).repeat(n_states, axis=1)
    return np.asarray(log_mass(n, alpha / n_states.repeat(n_states)) - log_both)


def _over_first(plane_of: Callable[[int], FloatArray], n_classes: int) -> FloatArray:
    """Return the plane of each other class less that of the first one, (n_classes - 1, …).

    One after another, as the planes of regions are large: their copies take as long as their logarithms.
    """
    first = plane_of(0)
    odds = np.empty((n_classes - 1, *first.shape))
    for c in range(1, n_classes):
        np.subtract(plane_of(c), first, out=odds[c - 1])
    return odds


def between(log_odds: FloatArray, one: IntArray, other: IntArray, *at: AnyArray) -> FloatArray:
    """Return the entries of one class less those of another, of each row, in a table of log-odds."""
    if not len(log_odds):  # a single class
        return np.zeros(len(one))

    def of_class(c: IntArray) -> FloatArray:
        return np.where(c > 0, log_odds[(c - 1, *at)], 0.0)  # the first class has none: all are 0

    return of_class(one) - of_class(other)


@dataclass(frozen=True, eq=False)
class SpodeTables:
    """The parameters of the SPODEs of some counts.

    ``L[c, s, t]`` is log P(a_t | a_s, c), for states s and t of different features, with log P(c, a_s) on the
    diagonal. It is 0 for two states of one feature and for an unknown t: these factors drop out. The line
    of an unknown s has log P(a_t | c), the class alone. Then log P(c, a | s_j) = Σ_i L[c, s_j, s_i].
    """

    counts: Counts  # the counts of the training rows, with those of pairs
    ess: float  # the equivalent sample size of the BDeu prior

    def __getstate__(self) -> dict[str, Any]:
        return {"counts": self.counts, "ess": self.ess}  # a pickle holds what the tables are made of

    @property
    def unknown(self) -> int:
        """V, the unknown state."""
        return self.counts.n_values

    @cached_property
    def prior(self) -> FloatArray:
        """P(c), the answer of the null model."""
        return class_prior(self.counts.n_c, self.ess)

    @cached_property
    def log_c(self) -> FloatArray:
        """The logarithm of P(c)."""
        return np.log(self.prior)

    def log_plane(self, c: int) -> FloatArray:
        """Return L[c], (V + 1, V + 1)."""
        counts, n_classes = self.counts, len(self.counts.n_c)
        n_values, v = counts.n_values, counts.n_states_of
        log_p = np.zeros((n_values + 1, n_values + 1))
        if not n_values:
            return log_p

        log_p[:-1, :-1] = log_conditionals(counts.n_cab[c], counts.n_states, v, self.ess, n_classes)
        for j in range(len(counts.n_states)):
            log_p[counts.states_of(j), counts.states_of(j)] = 0.0
        n_known = counts.sum_over_features(counts.n_ca[c])
        log_a = log_mass(counts.n_ca[c], self.ess / (n_classes * v))
        log_a -= log_mass(n_known, self.ess / n_classes).repeat(counts.n_states)
        log_c = self.log_c[c]
        diagonal = np.arange(n_values)
        log_p[diagonal, diagonal] = log_c + log_a
        log_p[-1, :-1] = log_a
        return log_p

    @cached_property
    def log_p(self) -> FloatArray:
        """L, (n_classes, V + 1, V + 1), for those that compare joint probabilities."""
        return np.stack([self.log_plane(c) for c in range(len(self.counts.n_c))])

    @cached_property
    def log_odds(self) -> FloatArray:
        """L[1:] - L[0], (n_classes - 1, V + 1, V + 1): all that a posterior needs."""
        return _over_first(self.log_plane, len(self.counts.n_c))

    def _sums(self, states: StateArray, table: FloatArray) -> FloatArray:
        # The one check before the kernel: a state beyond the table would read another's memory.
        if states.size and int(states.max()) > self.unknown:
            raise IndexError(f"States must not exceed {self.unknown}, got {int(states.max())}.")
        states = np.ascontiguousarray(states)
        out = np.empty((len(states), len(table), states.shape[1]))
        sum_pairs(states, states, table, out)
        return out

    def log_joints(self, states: StateArray) -> FloatArray:
        """Return log P(c, a | s_j) of rows, (k, n_classes, rows)."""
        return self._sums(states, self.log_p)

    def odds(self, states: StateArray) -> FloatArray:
        """Return the log-odds of the other classes over the first, (k, n_classes - 1, rows).

        Those of a SPODE whose super-parent is unknown mean nothing.
        """
        return self._sums(states, self.log_odds)

    def posteriors(self, states: StateArray) -> FloatArray:
        """Return P(c | a, s_j), (k, n_classes, rows); likewise."""
        return softmax(self.odds(states))

    @cached_property
    def log_cz(self) -> FloatArray:
        """The logarithms of P(c, z) of the regions up to a constant, (n_classes, Z) (§14)."""
        alpha = self.ess / (len(self.counts.n_c) * self.counts.n_leaves)
        return log_mass(self.counts.n_cz, alpha.repeat(self.counts.n_leaves))

    @cached_property
    def region_odds(self) -> FloatArray:
        """The log-odds of P(a|z,c), (n_classes - 1, Z, V + 1); 0 for an unknown value."""
        counts, n_classes = self.counts, len(self.counts.n_c)
        of_parent = counts.n_leaves.repeat(counts.n_leaves)

        def plane_of(c: int) -> FloatArray:
            log_p = np.zeros((len(of_parent), counts.n_values + 1))
            log_p[:, :-1] = log_conditionals(counts.n_cza[c], counts.n_states, of_parent, self.ess, n_classes)
            return log_p

        return _over_first(plane_of, n_classes)

    def odds_of_regions(self, leaves: StateArray, states: StateArray) -> FloatArray:
        """Return what the regions say together, (1/T) Σ_t log p_t, as log-odds (n_classes - 1, rows).

        A region is a super-parent like any other: log P(c, a | z) = log P(c, z) + Σ_i log P(a_i | z, c).
        """
        said = np.empty((len(leaves), len(self.region_odds), leaves.shape[1]))
        sum_pairs(leaves, states, self.region_odds, said)
        of_leaves = self.log_cz[1:] - self.log_cz[0]
        return np.asarray(said.mean(axis=0) + of_leaves[:, leaves].mean(axis=1))

    def contributions(
        self, leaves: StateArray, states: StateArray, weights: FloatArray, one: IntArray, other: IntArray
    ) -> FloatArray:
        """Return what each feature adds to the weighted log-odds of one class over another, (k, rows) (§12).

        Feature i adds w_i Δlog P(a_i|c), and w_j Δlog P(a_i|a_j,c) for every other super-parent j that the
        row knows, regions included, whose weight is the last. What they all say of P(c), and regions of
        P(z|c), is not a feature's.
        """
        found, (k, n) = np.zeros(states.shape), states.shape
        for i, child in enumerate(states):
            for j, parent in enumerate(states):
                # The super-parent itself has P(a_j|c), as with an unknown parent.
                given = np.full(n, self.unknown) if i == j else parent
                share = weights[j] * (parent != self.unknown)
                found[i] += share * between(self.log_odds, one, other, given, child)
            for leaf in leaves:
                found[i] += weights[k] / len(leaves) * between(self.region_odds, one, other, leaf, child)
        return found

    def mean_posterior(self, states: StateArray, weights: FloatArray, posterior: FloatArray) -> FloatArray:
        """Return Σ_j w_j P(c | a, s_j), (rows, n_classes), over the SPODEs whose super-parent is known.

        Where none of these has any weight, it is P(c).
        """
        known = states != self.unknown
        if known.all():
            mean, total = np.tensordot(weights, posterior, 1), np.full(states.shape[1], weights.sum())
        else:
            share = weights[:, None] * known
            mean, total = np.einsum("jr,jcr->cr", share, posterior), share.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            # A sum of rounded products may exceed 1 by a last digit.
            mean = np.minimum(mean / total, 1.0)
        return np.where(total > 0.0, mean, self.prior[:, None]).T

    def mean_joint(self, states: StateArray, log_weights: FloatArray) -> FloatArray:
        """Return the classes' shares of Σ_j w_j P(c, a | s_j), (rows, n_classes), likewise."""
        known = states != self.unknown
        log_joint = self.log_joints(states) + log_weights[:, None, None]
        log_joint = np.where(known[:, None], log_joint, -np.inf)
        some = known.any(axis=0)
        highest = np.where(some, log_joint.max(axis=(0, 1), initial=-np.inf), 0.0)
        total = np.exp(log_joint - highest).sum(axis=0)
        total[:, ~some] = self.prior[:, None]
        return np.ascontiguousarray((total / total.sum(axis=0)).T)


def log_likelihoods(
    tables: SpodeTables,
    states: StateArray,
    labels: LabelArray,
    weights: FloatArray,
    *,
    floor: float = 0.0,
    n_threads: int = 1,
) -> FloatArray:
    """Return LL_j = Σ_r w_r log P(c_r | a_r, s_j) of every SPODE (§4).

    A row that does not know the super-parent adds log P(c_r). ``floor`` bounds each probability inside the
    sum from below.
    """
    k, n_classes = len(states), len(tables.log_c)
    log_floor = math.log(floor) if floor > 0.0 else -math.inf

    def sum_chunk(rows: slice) -> FloatArray:
        some, label = states[:, rows], labels[rows]
        log_own = np.maximum(_log_posterior_of(tables.odds(some), label), log_floor)
        return np.where(some == tables.unknown, tables.log_c[label], log_own) @ weights[rows]

    _ = tables.log_odds  # before the threads, which would all make it
    # Chunk after chunk, whichever thread computes it: the sum does not depend on threads.
    n_threads = n_threads if states.size * k * n_classes >= WORTH_A_THREAD else 1
    parts = run_in_threads(sum_chunk, chunks(len(labels), k * n_classes), n_threads)
    return np.sum(parts, axis=0) if parts else np.zeros(k)


def _log_posterior_of(log_odds: FloatArray, labels: LabelArray) -> FloatArray:
    """Return log P(c_r | a_r, s_j) of each row's own class, (k, rows), from log-odds over the first class.

    The log-odds are used up.
    """
    k, m, n = log_odds.shape
    if m == 1:
        # Of the log-odds x of the own class, min(x, 0) - log(1 + exp(-|x|)): one exponential, no overflow.
        own: FloatArray = np.multiply(log_odds[:, 0], np.where(labels > 0, 1.0, -1.0), out=log_odds[:, 0])
        less = np.abs(own)
        np.exp(np.negative(less, out=less), out=less)
        np.minimum(own, 0.0, out=own)
        return np.subtract(own, np.log1p(less, out=less), out=own)
    scores = np.zeros((k, m + 1, n))
    scores[:, 1:] = log_odds
    scores -= scores.max(axis=1, keepdims=True)
    own = scores[:, labels, np.arange(n)]
    return np.asarray(own - np.log(np.exp(scores, out=scores).sum(axis=1)))
