"""The logarithmic pool of the SPODEs of several codings, its weights, and the credal set of them (§12).

Experts are numbered as in §12: 0 is the null model, which knows only the class frequencies, then come the
SPODEs of the first coding, of the second, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky
from scipy.special import erf, erfinv, logsumexp, softmax
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._ensemble.counts import CodingCounts, ends
from skcredal._ensemble.leave_one_out import LeaveOneOut, itself
from skcredal._ensemble.parameters import SpodeTables, chunks
from skcredal._ensemble.priors import most_probable
from skcredal._kernels._arguments import Folded

__all__ = [
    "Contest",
    "LogPool",
    "PoolEvidence",
    "PoolWeights",
    "WeightSet",
    "expert_logs",
    "pool_weights",
    "prior_weights",
]

# The prior's standard deviation of a weight, in multiples of its mean.
PRIOR_SPREAD = 3.0
# The bounds of the null model's weight and of the others.
LEAST_NULL, LEAST_WEIGHT = -1.0, 0.0
# Log-odds of training rows are to be this close to those of the best weights; §12 asks for 1e-6.
WANTED, ENOUGH = 1e-11, 1e-6
# Newton's method takes a dozen steps or so.
MOST_STEPS = 200
# The share of the promised gain that a step must keep.
PROMISE = 1e-4
# The rounding of the objective, relative to its size, and the shortest step that is tried.
ROUNDING, LEAST_STEP = 1e-14, 1e-12
# How often weights are held and let go within a step; a few times are enough.
MOST_TURNS = 100
# A weight this close to its bound, relative to the prior's mean (for the null model: absolutely), lies on it.
AT_BOUND = 1e-6
# Log-odds must exceed this, relative to the largest score of the row, to tell classes apart.
TIE = 1e-10
# Numbers of a block whose curvature is summed at a time: 4 MiB.
BLOCK_NUMBERS = 1 << 19

_one_solver = Lock()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class PoolWeights(NamedTuple):
    """The weights of a pool, null model first, their covariance, and by how much log-odds may be off."""

    weights: FloatArray
    covariance: FloatArray
    error: float


def prior_weights(sizes: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the standard deviation of the prior of each weight, given the codings' features.

    Examples
    --------
    >>> prior_weights([2, 1])[0]
    array([0.  , 0.25, 0.25, 0.5 ])
    """
    shares = np.repeat([1.0 / (len(sizes) * k) for k in sizes], sizes)
    return np.append(0.0, shares), np.append(1.0, PRIOR_SPREAD * shares)


def expert_logs(
    counts: CodingCounts,
    tables: Sequence[SpodeTables],
    log_c: FloatArray,
    codes: CodeArray,
    labels: LabelArray,
    weights: CountArray | None,
) -> tuple[FloatArray, BoolArray]:
    """Return log p_{-r,j}(c|a_r) of training rows, (rows, n_classes, 1 + m), and which know a super-parent.

    Neither the null model nor what stands in for an unknown super-parent is left out: it would always be too
    low for the row's own class, and turn the frequencies around.
    """
    m, n = codes.shape
    logs = np.empty((n, len(log_c), 1 + m))
    logs[:, :, 0] = log_c
    speaks = np.zeros(n, np.bool_)
    taken_off, begin = itself(weights, n), 0
    for of_coding, spodes in zip(counts.codings, tables, strict=True):
        n_states = spodes.layout.n_states
        left_out = LeaveOneOut.prepare(of_coding, spodes, taken_off)
        experts = slice(1 + begin, 1 + begin + len(n_states))
        own = codes[begin : begin + len(n_states)]
        for rows in chunks(n):
            chunk = np.ascontiguousarray(own[:, rows])
            log_p = left_out.log_posteriors(chunk, labels[rows], taken_off[rows])
            unknown = chunk == n_states[:, None]
            log_p[unknown] = log_c
            logs[rows, :, experts] = log_p.transpose(1, 2, 0)
            speaks[rows] |= ~unknown.all(axis=0)
        begin += len(n_states)
    return logs, speaks


def pool_weights(
    logs: FloatArray,
    labels: LabelArray,
    row_weights: FloatArray,
    sizes: Sequence[int],
    *,
    most_steps: int = MOST_STEPS,
) -> PoolWeights:
    """Return the weights that minimise J of §12, by Newton's method within the bounds.

    Parameters
    ----------
    logs : ndarray of shape (n_rows, n_classes, 1 + m)
        What the experts say of the rows, as logarithms.
    labels, row_weights : ndarray of shape (n_rows,)
        The classes of the rows, and their weights.
    sizes : sequence of int
        How many experts each coding has.
    most_steps : int
        The most steps of Newton's method.

    Notes
    -----
    In units of the prior's standard deviations, the curvature is that of the rows, which is never negative,
    plus the identity: no duplicate expert makes it singular, and the gradient within the bounds bounds how
    far the weights are from the best ones.
    """
    mean, scale = prior_weights(sizes)
    low = np.append(LEAST_NULL, np.full(len(mean) - 1, LEAST_WEIGHT)) / scale
    # The last digits of BLAS may depend on its threads; the limit is the process's, hence one at a time.
    with _one_solver, _blas().limit(limits=1, user_api="blas"):
        rows = _Rows.centred(logs, labels, row_weights, scale)
        centre = mean / scale
        best, error = _minimise(rows, centre, low, most_steps)
        covariance = _covariance(rows, best, low, centre)
    return PoolWeights(best * scale, covariance * np.outer(scale, scale), error)


def _minimise(rows: _Rows, centre: FloatArray, low: FloatArray, most_steps: int) -> tuple[FloatArray, float]:
    """Return the minimum of the loss plus ½‖v - centre‖² above ``low``, and how far log-odds may be off."""
    v, value, error = centre.copy(), rows.loss(centre), np.inf
    reach = rows.reach()
    for _ in range(most_steps):
        slope, curvature = rows.derivatives(v)
        slope += v - centre
        # A weight at its bound that would only go further down does not count.
        held = (v <= low) & (slope > 0.0)
        before, error = error, reach * float(np.linalg.norm(np.where(held, 0.0, slope)))
        # Below what is enough, an error that no longer shrinks is rounding.
        if error <= WANTED or (error <= ENOUGH and error >= before / 2.0):
            break
        direction = _newton_target(v, slope, curvature + np.eye(len(v)), low) - v
        promised = float(slope @ direction)
        rounding, length = ROUNDING * (1.0 + abs(value)), 1.0
        while length > LEAST_STEP:
            moved = np.maximum(v + length * direction, low)
            reached = rows.loss(moved) + 0.5 * float(((moved - centre) ** 2).sum())
            if reached <= value + PROMISE * length * promised + rounding:
                break
            length /= 2.0
        v, value = moved, reached
    return v, error


def _newton_target(v: FloatArray, slope: FloatArray, curvature: FloatArray, low: FloatArray) -> FloatArray:
    """Return the minimum of the quadratic model at v within the bounds.

    Weights are held at their bound and let go in turns, until those that are held want to stay and the others
    keep clear of it. Should that go round in circles, a step along the slope does, shorter than the model's
    curvature allows.
    """
    free = (v > low) | (slope < 0.0)
    for _ in range(MOST_TURNS):
        target = np.where(free, v, low)
        # Those that go to their bound change the slope of the others.
        rest = slope[free] + curvature[np.ix_(free, ~free)] @ (low - v)[~free]
        target[free] -= cho_solve(cho_factor(curvature[np.ix_(free, free)]), rest)
        below = free & (target < low)
        released = ~free & (slope + curvature @ (target - v) < 0.0)
        if below.any():
            free &= ~below
        elif released.any():
            free |= released
        else:
            return target
    step: FloatArray = np.maximum(v - slope / np.trace(curvature), low)
    return step


def _covariance(rows: _Rows, v: FloatArray, low: FloatArray, centre: FloatArray) -> FloatArray:
    """Return the inverse of the curvature in the weights that are off their bounds, and zeros elsewhere."""
    near = AT_BOUND * np.append(1.0, centre[1:])
    free = v > low + near
    _, curvature = rows.derivatives(v)
    covariance = np.zeros_like(curvature)
    of_free = (curvature + np.eye(len(v)))[np.ix_(free, free)]
    covariance[np.ix_(free, free)] = cho_solve(cho_factor(of_free), np.eye(len(of_free)))
    return covariance


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The log-odds of all classes over each row's own, in units of the prior: (n_rows, n_classes, 1 + m)."""

    log_odds: FloatArray
    weights: FloatArray

    @classmethod
    def centred(cls, logs: FloatArray, labels: LabelArray, weights: FloatArray, scale: FloatArray) -> _Rows:
        own = np.take_along_axis(logs, labels.astype(np.int64)[:, None, None], axis=1)
        return cls((logs - own) * scale, weights)

    def loss(self, v: FloatArray) -> float:
        """Return -Σ_r ω_r log P(c_r|a_r)."""
        return float(self.weights @ logsumexp(self.log_odds @ v, axis=1)) if len(self.weights) else 0.0

    def derivatives(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient of the loss and its curvature, Σ_r ω_r Cov(L_r) over the classes."""
        slope, curvature = np.zeros(len(v)), np.zeros((len(v), len(v)))
        # Blocks of a fixed size: sums over them do not depend on anything but the rows.
        size = max(BLOCK_NUMBERS // (self.log_odds.shape[1] * len(v)), 1)
        for start in range(0, len(self.weights), size):
            some = self.log_odds[start : start + size]
            weights = self.weights[start : start + size]
            proba = softmax(some @ v, axis=1)
            mean = np.einsum("rc,rcj->rj", proba, some)
            slope += weights @ mean
            spread = (some - mean[:, None]) * np.sqrt(proba * weights[:, None])[:, :, None]
            flat = spread.reshape(-1, len(v))
            curvature += flat.T @ flat
        return slope, curvature

    def reach(self) -> float:
        """Return how much the log-odds of any two classes of a row may move, for weights that move by one."""
        if self.log_odds.size == 0:
            return 0.0
        return 2.0 * float(np.sqrt(np.einsum("rcj,rcj->rc", self.log_odds, self.log_odds).max()))


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
        for (_, rows), folded in zip(self.parts(), self.folded, strict=True):
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
            logs[1:][rows] = spodes.log_joints(codes[rows])
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
        with _one_solver, _blas().limit(limits=1, user_api="blas"):
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
        best = reference.argmax(axis=1)
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
