"""The logarithmic pool of the SPODEs of several codings, and the credal set of its weights (§12).

Experts are numbered as in §12: 0 is the null model, which knows only the class frequencies, then come the
SPODEs of the first coding, of the second, and so on. What they say is kept as log-odds over the first class,
``odds[j, c, r]`` with c from 1 on: the score of a class is then ``w @ odds``, a logistic regression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky
from scipy.special import erf, erfinv

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._ensemble.dominance import bounds_of_log_ratios, undominated
from skcredal._ensemble.pool_weights import prior_weights
from skcredal._ensemble.spodes import SpodeTables, chunks, log_sum_exp, normalised
from skcredal._threads import one_blas_thread
from skcredal._ties import best_class, most_probable

__all__ = ["Contest", "LogPool", "PoolEvidence", "WeightSet", "left_out_logs", "with_lines"]

# Log-odds must exceed this, relative to the largest score of the row, to tell classes apart.
TIE = 1e-10


def with_lines(tables: Sequence[SpodeTables]) -> Iterator[tuple[SpodeTables, slice]]:
    """Return the SPODEs of each coding with the lines of states that are theirs."""
    ends = np.cumsum([0, *(len(spodes.counts.n_states) for spodes in tables)]).tolist()
    return zip(tables, (slice(*ends_of) for ends_of in pairwise(ends)), strict=True)


def left_out_logs(
    tables: Sequence[SpodeTables],
    log_c: FloatArray,
    states: StateArray,
    labels: LabelArray,
    weights: FloatArray,
) -> tuple[FloatArray, BoolArray]:
    """Return log p_{-r,j}(c|a_r) of training rows, (rows, n_classes, 1 + m), and which know a super-parent.

    Neither the null model nor what stands in for an unknown super-parent is left out: it would always be too
    low for the row's own class, and turn the frequencies around.
    """
    m, n = states.shape
    logs, speaks = np.empty((n, len(log_c), 1 + m)), np.zeros(n, np.bool_)
    logs[:, :, 0] = log_c
    for spodes, lines in with_lines(tables):
        own, without = states[lines], spodes.without_a_row()
        for rows in chunks(n, own.shape[0] * len(log_c)):
            some = own[:, rows]
            log_p = spodes.log_joints_left_out(some, labels[rows], weights[rows], without)
            log_p -= log_sum_exp(log_p, axis=1)[:, None]
            unknown = some == spodes.unknown
            log_p = np.where(unknown[:, None], log_c[:, None], log_p)
            logs[rows, :, 1:][:, :, lines] = log_p.transpose(2, 1, 0)
            speaks[rows] |= ~unknown.all(axis=0)
    return logs, speaks


@dataclass(frozen=True, eq=False)
class LogPool:
    """The SPODEs of all codings and their weights.

    Parameters
    ----------
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    tables : tuple of SpodeTables
        The SPODEs of each coding.
    weights : ndarray of shape (1 + m,)
        The weights, null model first.
    """

    log_c: FloatArray
    tables: tuple[SpodeTables, ...]
    weights: FloatArray

    def speaks(self, states: StateArray) -> BoolArray:
        """Tell which rows know the super-parent of any expert."""
        return np.asarray(self.known(states).any(axis=0))

    def known(self, states: StateArray) -> BoolArray:
        """Tell which super-parents rows know, (m, rows)."""
        known = np.empty(states.shape, np.bool_)
        for spodes, lines in with_lines(self.tables):
            known[lines] = states[lines] != spodes.unknown
        return known

    def odds(self, states: StateArray) -> FloatArray:
        """Return the experts' log-odds over the first class, (1 + m, n_classes - 1, rows)."""
        log_odds_c = (self.log_c[1:] - self.log_c[0])[:, None]
        odds = np.empty((len(self.weights), len(self.log_c) - 1, states.shape[1]))
        odds[0] = log_odds_c
        for spodes, lines in with_lines(self.tables):
            odds[1:][lines] = spodes.odds(states[lines])
        # An expert that does not know its super-parent knows no more than the frequencies.
        np.copyto(odds[1:], log_odds_c, where=~self.known(states)[:, None])
        return odds

    def posterior(self, odds: FloatArray, speaks: BoolArray) -> FloatArray:
        """Return P(c|a), (rows, n_classes); where no expert speaks, the class frequencies."""
        scores = np.zeros((len(self.log_c), odds.shape[2]))
        scores[1:] = np.tensordot(self.weights, odds, 1)
        scores[:, ~speaks] = self.log_c[:, None]
        return normalised(scores)

    def contributions(
        self, states: StateArray, one: IntArray, other: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the frequencies, (rows,), and each expert's super-parent as a feature, (m, rows), add.

        They add up to the log-odds of one class over another. Feature i adds w_i Δlog P(a_i|c) and Σ_{j≠i}
        w_j Δlog P(a_i|a_j,c) over the super-parents j that the row knows; an unknown one adds nothing.
        """
        by_feature, known = np.zeros(states.shape), self.known(states)
        for spodes, lines in with_lines(self.tables):
            own, weights = states[lines], self.weights[1:][lines]
            table = np.concatenate([np.zeros((1, *spodes.log_odds.shape[1:])), spodes.log_odds])
            for j, parent in enumerate(own):
                for i, child in enumerate(own):
                    # The super-parent itself has P(a_j|c); its P(c) belongs to the frequencies.
                    given = np.full(len(one), spodes.unknown) if i == j else parent
                    share = weights[j] * (table[one, given, child] - table[other, given, child])
                    by_feature[lines][i] += np.where(known[lines][j], share, 0.0)
        share = np.where(known.any(axis=0), self.weights.sum(), 1.0)
        return share * (self.log_c[one] - self.log_c[other]), by_feature


@dataclass(frozen=True, eq=False)
class PoolEvidence:
    """What a set of weights judges of rows.

    ``reference``, (rows, n_classes), are the probabilities under the best weights; ``scores``, likewise,
    their logarithms up to a constant; ``ties`` what log-odds must exceed to tell classes of a row apart;
    ``turned``, (rows, n_classes, n_free), what the experts say, turned so that the standard deviation of
    the log-odds of two classes is the distance of their points. Rows that do not ``speak`` have the class
    frequencies, of which ``prior_set`` are the most probable.
    """

    reference: FloatArray
    scores: FloatArray
    ties: FloatArray
    turned: FloatArray
    speaks: BoolArray
    prior_set: BoolArray

    @cached_property
    def best(self) -> IntArray:
        """The most probable class of each row."""
        return best_class(self.reference)

    def between(self, rows: IntArray, c: IntArray | int, d: IntArray | int) -> tuple[FloatArray, FloatArray]:
        """Return the log-odds of class c over d, and their standard deviation, (rows,)."""
        spread = np.linalg.norm(self.turned[rows, c] - self.turned[rows, d], axis=1)
        return self.scores[rows, c] - self.scores[rows, d], spread


class Contest(NamedTuple):
    """The class that some weights bring closest to the most probable one, or past it, and the log-odds.

    With a single class, the rival is that class itself. ``lower`` and ``upper`` are the bounds of the
    ``log_odds`` over the set of weights.
    """

    rival: IntArray
    log_odds: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, eq=False)
class WeightSet:
    """LP-AODE*'s set of weights: the ellipsoid within z standard deviations of the best ones.

    Parameters
    ----------
    pool : LogPool
        The experts and the best weights.
    free : ndarray of int
        The weights that vary: those off their bounds.
    root : ndarray of shape (n_free, n_free)
        The lower triangle K with K Kᵀ = C, their covariance.
    z : float
        How many standard deviations.
    """

    pool: LogPool
    free: IntArray
    root: FloatArray
    z: float

    @classmethod
    def of(cls, pool: LogPool, covariance: FloatArray, credibility: float) -> WeightSet:
        """Build the set in which every log-odds has the given credibility."""
        free = np.flatnonzero(covariance.diagonal() > 0.0)
        _, scale = prior_weights([len(spodes.counts.n_states) for spodes in pool.tables])
        # In units of the prior no eigenvalue is far from 1, and the factorisation loses no digits.
        of_free = covariance[np.ix_(free, free)] / np.outer(scale[free], scale[free])
        with one_blas_thread():
            root = cholesky(of_free, lower=True) * scale[free][:, None]
        return cls(pool, free, root, float(np.sqrt(2.0) * erfinv(credibility)))

    def evidence(self, states: StateArray) -> PoolEvidence:
        """Return what is to be judged of rows."""
        pool, odds, speaks = self.pool, self.pool.odds(states), self.pool.speaks(states)
        n, n_classes = states.shape[1], len(pool.log_c)
        scores = np.zeros((n, n_classes))
        scores[:, 1:] = np.tensordot(pool.weights, odds, 1).T
        # The score of a class is Σ_j w_j log p_j(c|a). Its size, for ties, takes the normaliser of an
        # expert for what it can be at most, so that no exponential is taken.
        highest = np.maximum(odds[1:].max(axis=1, initial=-np.inf), 0.0)
        shift = pool.weights[0] * pool.log_c[0] - pool.weights[1:] @ (highest + np.log(n_classes))
        ties = TIE * np.abs(scores + shift[:, None]).max(axis=1)
        turned = np.zeros((n, n_classes, len(self.free)))
        turned[:, 1:] = np.tensordot(odds[self.free], self.root, (0, 0)).transpose(1, 0, 2)
        reference = pool.posterior(odds, speaks)
        return PoolEvidence(reference, scores, ties, turned, speaks, most_probable(np.exp(pool.log_c)))

    def maximal_sets(self, evidence: PoolEvidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes)."""

        def dominates(rows: IntArray, c: IntArray | int, d: int) -> BoolArray:
            log_odds, spread = evidence.between(rows, c, d)
            return log_odds - self.z * spread > evidence.ties[rows]

        sets = undominated(dominates, evidence.best, evidence.reference.shape[1])
        sets[~evidence.speaks] = evidence.prior_set
        return sets

    def intervals(self, evidence: PoolEvidence) -> FloatArray:
        """Return the lower and upper probabilities, (rows, n_classes, 2)."""
        (n, n_classes), every = evidence.reference.shape, np.arange(len(evidence.reference))
        least = np.zeros((n, n_classes, n_classes))
        for c in range(n_classes):
            for d in range(n_classes):
                log_odds, spread = evidence.between(every, c, d)
                least[:, c, d] = log_odds - self.z * spread
        interval = bounds_of_log_ratios(least, evidence.reference)
        interval[~evidence.speaks] = evidence.reference[~evidence.speaks][:, :, None]
        return interval

    def robustness(self, evidence: PoolEvidence) -> FloatArray:
        """Return up to which credibility the most probable class dominates all others, (rows,)."""
        deviations = np.full(len(evidence.best), np.inf)
        for d in range(evidence.reference.shape[1]):
            rows = np.flatnonzero(evidence.best != d)
            log_odds, spread = evidence.between(rows, evidence.best[rows], d)
            ahead = log_odds - evidence.ties[rows]
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.where(spread > 0.0, ahead / spread, np.where(ahead > 0.0, np.inf, 0.0))
            deviations[rows] = np.minimum(deviations[rows], found)
        robustness: FloatArray = erf(np.maximum(deviations, 0.0) / np.sqrt(2.0))
        robustness[~evidence.speaks] = float(evidence.prior_set.sum() == 1)
        return robustness

    def contest(self, evidence: PoolEvidence) -> Contest:
        """Return the strongest rival of the most probable class of each row, and the odds between them."""
        n, n_classes = evidence.reference.shape
        best, every = evidence.best, np.arange(n)
        log_odds, width = np.zeros((n, n_classes)), np.zeros((n, n_classes))
        for d in range(n_classes):
            log_odds[:, d], spread = evidence.between(every, best, d)
            width[:, d] = self.z * spread
        # Where only the frequencies speak, they are the odds, and nothing varies.
        silent = ~evidence.speaks
        log_odds[silent] = self.pool.log_c[best[silent], None] - self.pool.log_c
        width[silent] = 0.0
        lower = log_odds - width
        if n_classes > 1:
            lower[every, best] = np.inf
        rival = lower.argmin(axis=1)
        at, spread = log_odds[every, rival], width[every, rival]
        return Contest(rival, at, at - spread, at + spread)
