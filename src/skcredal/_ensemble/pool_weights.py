"""The weights of a logarithmic pool: the best ones within their bounds, and how certain they are (§12).

Experts are numbered: 0 is the null model, which knows only the class frequencies, then come the others, block
after block: the SPODEs, the regions, the line (§14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from skcredal._arrays import FloatArray, LabelArray
from skcredal._ensemble.spodes import log_sum_exp
from skcredal._threads import one_blas_thread

__all__ = ["ENOUGH", "PoolWeights", "pool_weights", "prior_weights"]

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
# The Gauss-Legendre nodes that the curvature is averaged over: part of the definition.
N_NODES = 8
# Numbers of a block whose curvature is summed at a time: 4 MiB.
BLOCK_NUMBERS = 1 << 19


class PoolWeights(NamedTuple):
    """The weights of a pool, null model first, their covariance, and by how much log-odds may be off."""

    weights: FloatArray
    covariance: FloatArray
    error: float


def prior_weights(sizes: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the standard deviation of the prior of each weight, given the blocks' sizes.

    Examples
    --------
    >>> prior_weights([2, 1])[0]
    array([0.  , 0.25, 0.25, 0.5 ])
    """
    shares = np.repeat([1.0 / (len(sizes) * k) for k in sizes], sizes)
    return np.append(0.0, shares), np.append(1.0, PRIOR_SPREAD * shares)


@one_blas_thread()
def pool_weights(
    logs: FloatArray, labels: LabelArray, row_weights: FloatArray, sizes: Sequence[int]
) -> PoolWeights:
    """Return the weights that minimise J of §12, by Newton's method within the bounds.

    ``logs``, (n_rows, n_classes, 1 + m), is what the experts say about the rows, up to a constant for each
    row and expert; ``sizes`` is how many experts each block has.

    In units of the prior's standard deviations, the curvature is that of the rows, which is never negative,
    plus the identity: no duplicate expert makes it singular, and the gradient within the bounds bounds how
    far the weights are from the best ones.
    """
    mean, scale = prior_weights(sizes)
    low = np.append(LEAST_NULL, np.full(len(mean) - 1, LEAST_WEIGHT)) / scale
    rows, centre = _Rows.centred(logs, labels, row_weights, scale), mean / scale
    best, error = _minimise(rows, centre, low)
    covariance = _covariance(rows, best, low, centre)
    return PoolWeights(best * scale, covariance * np.outer(scale, scale), error)


def _minimise(rows: _Rows, centre: FloatArray, low: FloatArray) -> tuple[FloatArray, float]:
    """Return the minimum of the loss plus ½‖v - centre‖² above ``low``, and how far log-odds may be off."""
    v, value, error = centre.copy(), rows.loss(centre), np.inf
    reach = rows.reach()
    for _ in range(MOST_STEPS):
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
    """Return the inverse of H of §12 in the weights that are off their bounds, and zeros elsewhere."""
    near = AT_BOUND * np.append(1.0, centre[1:])
    free = v > low + near
    curvature = np.eye(len(v)) + _averaged_curvature(rows, v)
    covariance = np.zeros_like(curvature)
    of_free = curvature[np.ix_(free, free)]
    covariance[np.ix_(free, free)] = cho_solve(cho_factor(of_free), np.eye(len(of_free)))
    return covariance


def _averaged_curvature(rows: _Rows, v: FloatArray) -> FloatArray:
    """Return the rows' curvature averaged on the way from v to 0, 2∫ u Σ_r ω_r Cov(L_r; u·v) du (§12).

    At v alone, a row that is predicted with certainty has no curvature: what is certain would be left
    undecided. At 0 all classes are equally probable. The nodes are those of u = node³, which lie close to 0,
    where rows of large odds have their curvature.
    """
    nodes, shares = np.polynomial.legendre.leggauss(N_NODES)
    nodes = (nodes + 1.0) / 2.0  # from (-1, 1) to (0, 1), where the shares add up to 1, not to 2
    factors = 3.0 * shares * nodes**5
    return np.asarray(
        sum(factor * rows.derivatives(node**3 * v)[1] for node, factor in zip(nodes, factors, strict=True))
    )


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
        # scipy's, which keeps what a rival adds to a class that is all but certain: Newton's method needs it.
        return float(self.weights @ logsumexp(self.log_odds @ v, axis=1)) if len(self.weights) else 0.0

    def derivatives(self, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient of the loss and its curvature, Σ_r ω_r Cov(L_r) over the classes."""
        slope, curvature = np.zeros(len(v)), np.zeros((len(v), len(v)))
        # Blocks of a fixed size: sums over them do not depend on anything but the rows.
        size = max(BLOCK_NUMBERS // (self.log_odds.shape[1] * len(v)), 1)
        for start in range(0, len(self.weights), size):
            some = self.log_odds[start : start + size]
            weights = self.weights[start : start + size]
            scores = some @ v
            proba = np.exp(scores - log_sum_exp(scores, axis=1)[:, None])
            mean = np.einsum("rc,rcj->rj", proba, some)
            slope += weights @ mean
            spread = (some - mean[:, None]) * np.sqrt(proba * weights[:, None])[:, :, None]
            flat = spread.reshape(-1, len(v))
            curvature += flat.T @ flat
        return slope, curvature

    def reach(self) -> float:
        """Return how much the log-odds of any two classes of a row may move, for weights that move by one."""
        return 2.0 * float(np.sqrt(np.einsum("rcj,rcj->rc", self.log_odds, self.log_odds).max(initial=0.0)))
