"""The logarithmic pool of what experts say, and the credal set of its weights (§12, §14).

Experts are numbered as in §12: 0 is the null model, which knows only the class frequencies, then come the
others. What they say is kept as log-odds over the first class, ``odds[j, c, r]`` with c from 1 on: the score
of a class is then ``w @ odds``, a logistic regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky
from scipy.special import erf, erfinv

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._ensemble.dominance import bounds_of_log_ratios, undominated
from skcredal._ensemble.pool_weights import prior_weights
from skcredal._ensemble.spodes import normalised
from skcredal._threads import one_blas_thread
from skcredal._ties import best_class

__all__ = ["Contest", "PoolEvidence", "WeightSet", "pooled"]

# Log-odds must exceed this, relative to the largest log-odds of the row, to tell classes apart.
TIE = 1e-10


def pooled(weights: FloatArray, odds: FloatArray, speaks: BoolArray, log_c: FloatArray) -> FloatArray:
    """Return P(c|a), (rows, n_classes), of weighted experts; where none speaks, the class frequencies."""
    return normalised(_scores(weights, odds, speaks, log_c))


def _scores(weights: FloatArray, odds: FloatArray, speaks: BoolArray, log_c: FloatArray) -> FloatArray:
    scores = np.zeros((len(log_c), odds.shape[2]))
    scores[1:] = np.tensordot(weights, odds, 1)
    scores[:, ~speaks] = log_c[:, None]
    return scores


@dataclass(frozen=True, eq=False)
class PoolEvidence:
    """What a set of weights needs to judge rows.

    ``reference``, (rows, n_classes), are the probabilities under the best weights; ``scores``, likewise,
    their logarithms up to a constant; ``ties`` what log-odds must exceed to tell classes of a row apart;
    ``turned``, (rows, n_classes, n_free), what the experts say, turned so that the standard deviation of
    the log-odds of two classes is the distance of their points. In rows of which nothing is known, which do
    not ``speak``, the scores are those of the class frequencies, and nothing varies.
    """

    reference: FloatArray
    scores: FloatArray
    ties: FloatArray
    turned: FloatArray
    speaks: BoolArray

    @cached_property
    def best(self) -> IntArray:
        """The most probable class of each row."""
        return best_class(self.reference)

    def of_best(self) -> tuple[FloatArray, FloatArray]:
        """Return the log-odds of the most probable class over each, and their standard deviations."""
        rows, best = np.arange(len(self.best)), self.best
        spread = np.linalg.norm(self.turned[rows, best][:, None] - self.turned, axis=2)
        return self.scores[rows, best][:, None] - self.scores, spread

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
    """LP-AODE*'s set of weights: the ellipsoid within z standard deviations of the best ones."""

    weights: FloatArray  # (1 + m,): the best weights, null model first
    log_c: FloatArray  # (n_classes,): the logarithms of the class probabilities
    free: IntArray  # the weights that vary: those off their bounds
    root: FloatArray  # (n_free, n_free): the lower triangle K with K Kᵀ = C, their covariance
    z: float  # how many standard deviations

    @classmethod
    def of(
        cls,
        weights: FloatArray,
        log_c: FloatArray,
        covariance: FloatArray,
        sizes: Sequence[int],
        credibility: float,
    ) -> WeightSet:
        """Build the set in which every log-odds has the given credibility; ``sizes`` are those of blocks."""
        free = np.flatnonzero(covariance.diagonal() > 0.0)
        _, scale = prior_weights(sizes)
        # In units of the prior no eigenvalue is far from 1, and the factorisation loses no digits.
        of_free = covariance[np.ix_(free, free)] / np.outer(scale[free], scale[free])
        with one_blas_thread():
            root = cholesky(of_free, lower=True) * scale[free][:, None]
        return cls(weights, log_c, free, root, float(np.sqrt(2.0) * erfinv(credibility)))

    def evidence(self, odds: FloatArray, speaks: BoolArray) -> PoolEvidence:
        """Return what is to be judged of rows, given what the experts say and which rows know anything."""
        n, n_classes = odds.shape[2], len(self.log_c)
        scores = _scores(self.weights, odds, speaks, self.log_c).T
        ties = TIE * (scores.max(axis=1) - scores.min(axis=1))
        turned = np.zeros((n, n_classes, len(self.free)))
        turned[:, 1:] = np.tensordot(odds[self.free], self.root, (0, 0)).transpose(1, 0, 2)
        turned[~speaks] = 0.0
        return PoolEvidence(normalised(scores.T), scores, ties, turned, speaks)

    def maximal_sets(self, evidence: PoolEvidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes)."""

        def dominates(rows: IntArray, c: IntArray | int, d: int) -> BoolArray:
            log_odds, spread = evidence.between(rows, c, d)
            return log_odds - self.z * spread > evidence.ties[rows]

        return undominated(dominates, evidence.best, evidence.reference.shape[1])

    def intervals(self, evidence: PoolEvidence) -> FloatArray:
        """Return the lower and upper probabilities, (rows, n_classes, 2)."""
        every = np.arange(len(evidence.reference))

        def least_of(c: int, d: int) -> FloatArray:
            log_odds, spread = evidence.between(every, c, d)
            return log_odds - self.z * spread

        return bounds_of_log_ratios(least_of, evidence.reference)

    def robustness(self, evidence: PoolEvidence) -> FloatArray:
        """Return up to which credibility the most probable class dominates all others, (rows,)."""
        log_odds, spread = evidence.of_best()
        ahead = log_odds - evidence.ties[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations = np.where(spread > 0.0, ahead / spread, np.where(ahead > 0.0, np.inf, 0.0))
        deviations[np.arange(len(deviations)), evidence.best] = np.inf
        return np.asarray(erf(np.maximum(deviations.min(axis=1), 0.0) / np.sqrt(2.0)))

    def contest(self, evidence: PoolEvidence) -> Contest:
        """Return the strongest rival of the most probable class of each row, and the odds between them."""
        log_odds, spread = evidence.of_best()
        lower, every = log_odds - self.z * spread, np.arange(len(log_odds))
        if lower.shape[1] > 1:
            lower[every, evidence.best] = np.inf
        rival = lower.argmin(axis=1)
        at, width = log_odds[every, rival], self.z * spread[every, rival]
        return Contest(rival, at, at - width, at + width)
