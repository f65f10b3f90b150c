"""The logarithmic pool of the SPODEs of several codings, and the credal set of its weights (§12).

Experts are numbered as in §12: 0 is the null model, which knows only the class frequencies, then come the
SPODEs of the first coding, of the second, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky
from scipy.special import erf, erfinv

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._ensemble.counts import ends
from skcredal._ensemble.parameters import SpodeTables
from skcredal._ensemble.pool_weights import prior_weights
from skcredal._kernels._arguments import Folded
from skcredal._threads import one_blas_thread
from skcredal._ties import best_class, most_probable

__all__ = ["Contest", "LogPool", "PoolEvidence", "WeightSet"]

# Log-odds must exceed this, relative to the largest score of the row, to tell classes apart.
TIE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class LogPool:
    """The SPODEs of all codings and their weights: the scores and the posteriors of the pool.

    Parameters
    ----------
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    tables : tuple of SpodeTables
        The SPODEs of each coding.
    weights : ndarray of shape (1 + m,)
        The weights, null model first.
    folded : tuple of Folded
        The tables of each coding with the weights in them.
    """

    log_c: FloatArray
    tables: tuple[SpodeTables, ...]
    weights: FloatArray
    folded: tuple[Folded, ...]

    # As for the tables: a pickle holds what the rest is made of.

    def __getstate__(self) -> list[Any]:
        return [self.log_c, self.tables, self.weights]

    def __setstate__(self, state: list[Any]) -> None:
        made = LogPool.of(*state)
        for field in fields(self):
            object.__setattr__(self, field.name, getattr(made, field.name))

    @classmethod
    def of(cls, log_c: FloatArray, tables: tuple[SpodeTables, ...], weights: FloatArray) -> LogPool:
        """Fold the weights into the tables."""
        pool = cls(log_c, tables, weights, ())
        folded = tuple(_fold(spodes, weights[1:][rows]) for spodes, rows in pool.parts())
        return cls(log_c, tables, weights, folded)

    @property
    def n_states(self) -> IntArray:
        """The numbers of states of all super-parents."""
        return np.concatenate([np.empty(0, np.int64), *(spodes.layout.n_states for spodes in self.tables)])

    def posterior(self, codes: CodeArray) -> FloatArray:
        """Return P(c|a) of a chunk of codes (m, rows) of all codings, as an array (rows, n_classes)."""
        scores = np.empty((len(self.log_c), codes.shape[1]))
        # The frequencies have a share in every expert, unknown super-parents included.
        scores[:] = (self.weights.sum() * self.log_c)[:, None]
        for (spodes, rows), folded in zip(self.parts(), self.folded, strict=True):
            if n_packed := spodes.packed_size_for(codes.shape[1]):
                kernels.packing.look_up_scores(
                    codes[rows], spodes.layout.n_states, folded, len(self.log_c), n_packed, scores
                )
            else:
                kernels.log_pool.add_scores(codes[rows], folded, len(self.log_c), scores)
        proba = np.empty(scores.shape[::-1])
        kernels.log_pool.normalise(codes, self.n_states, np.exp(self.log_c), scores, proba)
        return proba

    def speaks(self, codes: CodeArray) -> BoolArray:
        """Tell which rows know the super-parent of any expert."""
        return np.asarray((codes < self.n_states[:, None]).any(axis=0))

    def expert_logs(self, codes: CodeArray) -> FloatArray:
        """Return log p_j(c|a), each expert up to a constant, (1 + m, rows, n_classes)."""
        logs = np.empty((len(self.weights), codes.shape[1], len(self.log_c)))
        logs[0] = self.log_c
        for spodes, rows in self.parts():
            spodes.log_joints(codes[rows], logs[1:][rows])
        logs[1:][codes == self.n_states[:, None]] = self.log_c
        return logs

    def contributions(
        self, codes: CodeArray, one: IntArray, other: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the frequencies, (rows,), and each expert's super-parent as a feature, (m, rows), add.

        They add up to the log-odds of one class over another.
        """
        by_feature = np.zeros(codes.shape)
        for spodes, rows in self.parts():
            kernels.log_pool.add_contributions(
                codes[rows], spodes.kernel_tables, self.weights[1:][rows], one, other, by_feature[rows]
            )
        share = np.where(self.speaks(codes), self.weights.sum(), 1.0)
        return share * (self.log_c[one] - self.log_c[other]), by_feature

    def parts(self) -> list[tuple[SpodeTables, slice]]:
        """Return the SPODEs of each coding, and where its codes and weights lie."""
        parts, begin = [], 0
        for spodes in self.tables:
            end = begin + len(spodes.layout.n_states)
            parts.append((spodes, slice(begin, end)))
            begin = end
        return parts


def _fold(spodes: SpodeTables, weights: FloatArray) -> Folded:
    """Return the tables of one coding with the weights of its SPODEs in them."""
    layout = spodes.layout
    # A line holds the values of all later features.
    lengths = layout.value_offsets[-1] - layout.value_offsets[1:]
    line_offsets = ends((layout.n_states + 1) * lengths)
    # Vectors read beyond the last cell.
    beyond = kernels.inference.LANES
    folded = Folded(
        np.zeros(layout.value_offsets[-1] + beyond),
        np.zeros(line_offsets[-1] + beyond),
        layout.value_offsets,
        line_offsets,
    )
    kernels.log_pool.fold(spodes.kernel_tables, weights, folded)
    return folded


class PoolEvidence(NamedTuple):
    """What a set of weights judges of rows.

    ``reference``, (rows, n_classes), are the probabilities under the best weights and ``best`` the most
    probable class; ``scores`` are their logarithms up to a constant, as the experts by themselves give them,
    ``ties`` what log-odds must exceed to tell classes of a row apart, and ``spreads``, (rows, n_classes,
    n_classes), the standard deviations of the log-odds of each two classes. Rows that do not ``speak`` have
    the class frequencies, of which ``prior_set`` are the most probable.
    """

    reference: FloatArray
    best: IntArray
    scores: FloatArray
    ties: FloatArray
    spreads: FloatArray
    speaks: BoolArray
    prior_set: BoolArray


class Contest(NamedTuple):
    """The class that some weights bring closest to the most probable one, or past it, and the log-odds.

    With a single class, the rival is that class itself. ``lower`` and ``upper`` are the bounds of the
    ``log_odds`` over the set of weights.
    """

    rival: IntArray
    log_odds: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
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
    variances : ndarray of shape (1 + m,)
        The variances of the prior, of those that vary.
    z : float
        How many standard deviations.
    """

    pool: LogPool
    free: IntArray
    root: FloatArray
    variances: FloatArray
    z: float

    @classmethod
    def of(cls, pool: LogPool, covariance: FloatArray, credibility: float) -> WeightSet:
        """Build the set in which every log-odds has the given credibility."""
        free = np.flatnonzero(covariance.diagonal() > 0.0)
        _, scale = prior_weights([len(spodes.layout.n_states) for spodes in pool.tables])
        # In units of the prior no eigenvalue is far from 1, and the factorisation loses no digits.
        of_free = covariance[np.ix_(free, free)] / np.outer(scale[free], scale[free])
        with one_blas_thread():
            root = np.ascontiguousarray(cholesky(of_free, lower=True) * scale[free][:, None])
        variances = np.zeros(len(scale))
        variances[free] = scale[free] ** 2
        return cls(pool, free, root, variances, float(np.sqrt(2.0) * erfinv(credibility)))

    def sets(self, codes: CodeArray) -> BoolArray:
        """Return the undominated classes of a chunk of codes (m, rows), without bounds and the like."""
        sets = np.empty((codes.shape[1], len(self.pool.log_c)), np.bool_)
        kernels.log_pool.find_sets(
            self.pool.expert_logs(codes),
            self.pool.weights,
            self.variances,
            self.free,
            self.root,
            self.z,
            TIE,
            sets,
        )
        sets[~self.pool.speaks(codes)] = most_probable(np.exp(self.pool.log_c))
        return sets

    def evidence(self, codes: CodeArray, reference: FloatArray) -> PoolEvidence:
        """Return what is to be judged of a chunk of codes (m, rows), given its probabilities."""
        n, n_classes = reference.shape
        scores, sizes, spreads = np.empty((n, n_classes)), np.empty(n), np.empty((n, n_classes, n_classes))
        kernels.log_pool.judge(
            self.pool.expert_logs(codes), self.pool.weights, self.free, self.root, scores, sizes, spreads
        )
        prior_set = most_probable(np.exp(self.pool.log_c))
        best = best_class(reference)
        return PoolEvidence(reference, best, scores, TIE * sizes, spreads, self.pool.speaks(codes), prior_set)

    def maximal_sets(self, evidence: PoolEvidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes)."""
        dominates = self._log_odds(evidence) - self.z * evidence.spreads > evidence.ties[:, None, None]
        sets = np.logical_not(dominates.any(axis=1))
        sets[~evidence.speaks] = evidence.prior_set
        return sets

    def intervals(self, evidence: PoolEvidence) -> FloatArray:
        """Return the lower and upper probabilities, (rows, n_classes, 2)."""
        log_odds, width = self._log_odds(evidence), self.z * evidence.spreads
        # 1/(1 + Σ exp(-log-odds)) over the other classes; a class against itself adds exp(0) = 1.
        with np.errstate(over="ignore"):
            lower = 1.0 / np.exp(width - log_odds).sum(axis=2)
            upper = 1.0 / np.exp(-width - log_odds).sum(axis=2)
        # The bounds hold the probabilities, whose last digits come from other sums.
        interval = np.stack(
            [np.minimum(lower, evidence.reference), np.maximum(upper, evidence.reference)], axis=2
        )
        interval[~evidence.speaks] = evidence.reference[~evidence.speaks][:, :, None]
        return interval

    def robustness(self, evidence: PoolEvidence) -> FloatArray:
        """Return up to which credibility the most probable class dominates all others, (rows,)."""
        rows = np.arange(len(evidence.best))
        ahead = self._log_odds(evidence)[rows, evidence.best] - evidence.ties[:, None]
        spread = evidence.spreads[rows, evidence.best]
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations = np.where(spread > 0.0, ahead / spread, np.where(ahead > 0.0, np.inf, 0.0))
        deviations[rows, evidence.best] = np.inf  # no class has to dominate itself
        robustness: FloatArray = erf(np.maximum(deviations.min(axis=1), 0.0) / np.sqrt(2.0))
        robustness[~evidence.speaks] = float(evidence.prior_set.sum() == 1)
        return robustness

    def contest(self, evidence: PoolEvidence) -> Contest:
        """Return the strongest rival of the most probable class of each row, and the odds between them."""
        rows, best = np.arange(len(evidence.best)), evidence.best
        log_odds, width = self._log_odds(evidence)[rows, best], self.z * evidence.spreads[rows, best]
        # Where only the frequencies speak, they are the odds, and nothing varies.
        silent = ~evidence.speaks
        log_odds[silent] = self.pool.log_c[best[silent], None] - self.pool.log_c
        width[silent] = 0.0
        lower = log_odds - width
        if lower.shape[1] > 1:
            lower[rows, best] = np.inf
        rival = lower.argmin(axis=1)
        at, spread = log_odds[rows, rival], width[rows, rival]
        return Contest(rival, at, at - spread, at + spread)

    @staticmethod
    def _log_odds(evidence: PoolEvidence) -> FloatArray:
        """Return the log-odds of each class over each other, (rows, n_classes, n_classes)."""
        log_odds: FloatArray = evidence.scores[:, :, None] - evidence.scores[:, None, :]
        return log_odds
