"""The weights of MAPLMG: the most probable linear mixture of the SPODEs, by leave-one-out (§5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skcredal._arrays import FloatArray, LabelArray, StateArray
from skcredal._ensemble.spodes import SpodeTables, chunks, log_mass, log_sum_exp
from skcredal._threads import one_blas_thread, run_in_threads

__all__ = ["Mixture", "log_own_left_out", "maplmg_weights"]

# The share of the gain predicted by the tangent that a step must achieve, as in Armijo's rule.
PROMISE = 0.1
# How far the objective may be off by rounding, relative to its size.
ROUNDING = 1e-13
# Below this Newton's method converges quadratically: a decrement that does not even halve is rounding.
NEAR = 1e-8


class Mixture(NamedTuple):
    """The weights of a mixture, and how close they are to the best ones."""

    weights: FloatArray  # (k,)
    objective: float  # the objective at the weights; NaN without SPODEs
    n_iter: int  # the number of iterations
    gap: float  # an upper bound on how far the objective is below its maximum
    converged: bool  # whether the gap is within the tolerance, or as small as rounding allows


def log_own_left_out(
    tables: SpodeTables, states: StateArray, labels: LabelArray, weights: FloatArray, *, n_threads: int = 1
) -> FloatArray:
    """Return log P_{-r}(c_r | a_r, s_j), of each training row's class if the row is left out, (rows, k).

    A row takes off min(1, its weight), and only counts of its own class become less by it: these are looked
    up. Where the super-parent is unknown, it is the frequency of the class without the row. Here the divisor
    counts, too: unlike a joint it is not normalised afterwards.
    """
    (k, n), counts, ess, n_classes = states.shape, tables.counts, tables.ess, len(tables.log_c)
    log_own, every = np.empty((n, k)), np.arange(k)
    n_both, n_known = counts.sum_over_features(counts.n_cab), counts.sum_over_features(counts.n_ca)
    v = counts.n_states[:, None, None]
    alpha = ess / (n_classes * v)

    def leave_out(rows: slice) -> None:
        some, label, less = states[:, rows], labels[rows], np.minimum(weights[rows], 1.0)
        known = some < tables.unknown
        s = np.where(known, some, 0)
        factors = log_mass(counts.n_cab[label, s[:, None], s], alpha / v.swapaxes(0, 1), less)
        factors -= log_mass(n_both[label, s[:, None], every[None, :, None]], alpha, less)
        factors[~np.broadcast_to(known, factors.shape)] = 0.0  # an unknown child drops out
        factors[every, every] = 0.0
        own = log_mass(counts.n_ca[label, s], alpha[:, 0], less) + factors.sum(axis=1)
        own -= log_mass(n_known[label, every[:, None]], ess / n_classes, less)
        log_c = log_mass(counts.n_c[label], ess / n_classes, less)
        log_joint = tables.log_joints(some)
        # The divisor of P(c) is the same for all classes: that of all rows.
        log_joint[:, label, np.arange(len(label))] = own = own + log_c - np.log(counts.n + ess)
        without = log_c - log_mass(np.full_like(less, counts.n), ess, less)
        log_own[rows] = np.where(known, own - log_sum_exp(log_joint, axis=1), without).T

    run_in_threads(leave_out, chunks(n, k * max(k, n_classes)), n_threads)
    return log_own


@one_blas_thread()
def maplmg_weights(
    log_own: FloatArray, row_weights: FloatArray, *, max_iter: int = 10_000, tol: float = 1e-10
) -> Mixture:
    """Maximise Σ_r log Σ_j w_j P_{-r}(c_r | a_r, s_j) + Σ_j log w_j over the simplex, from uniform weights.

    The objective is concave, so that its tangent bounds the gap to the maximum; the method stops when the gap
    is at most ``tol`` times the objective. Without SPODEs there is nothing to maximise, and the objective is
    NaN.

    Notes
    -----
    Every derivative at the maximum is n + k. So the constraint Σ_j w_j = 1 can be replaced by subtracting
    (n + k) Σ_j w_j, which has the same maximum over all positive weights. What remains is a sum of
    logarithms, on which Newton's method with step halving always converges. In steps relative to the weights
    its matrix is RᵀR + 1, with R the responsibilities of the SPODEs for the rows; no eigenvalue is below 1.
    EM, which has the same maximum, takes thousands of passes over the rows if SPODEs nearly agree.

    Examples
    --------
    With one row that only the first of two SPODEs predicts, log w + log w + log(1 - w) is largest at 2/3:

    >>> import numpy as np
    >>> maplmg_weights(np.log([[1.0, 1e-300]]), np.ones(1)).weights.round(4)
    array([0.6667, 0.3333])
    """
    k = log_own.shape[1]
    mixture = np.full(k, 1.0 / max(k, 1))
    if k == 0:
        return Mixture(mixture, np.nan, 0, 0.0, True)
    # Relative to the largest of the row, so that no mixture underflows; what that takes off adds to all
    # alike.
    highest = log_own.max(axis=1)
    relative, constant = np.exp(log_own - highest[:, None]), row_weights @ highest
    n_all = float(row_weights.sum())

    def value(mixture: FloatArray) -> float:
        return float(row_weights @ np.log(relative @ mixture) + constant + np.log(mixture).sum())

    objective, n_iter, decrement = value(mixture), 0, np.inf
    while True:
        share = relative * mixture
        share /= share.sum(axis=1, keepdims=True)
        sums = row_weights @ share
        # The tangent at the weights is highest at a corner of the simplex, and the objective lies below it.
        gap = max(float(((1.0 + sums) / mixture).max()) - (n_all + k), 0.0)
        slope = 1.0 + sums - (n_all + k) * mixture
        step = np.linalg.solve((share * row_weights[:, None]).T @ share + np.eye(k), slope)
        before, decrement = decrement, float(slope @ step)
        # Rounding alone may keep the gap above the tolerance: then the decrement no longer shrinks.
        converged = gap <= tol * abs(objective) or (before < NEAR and decrement >= before / 2.0)
        if converged or n_iter == max_iter:
            return Mixture(mixture, objective, n_iter, gap, converged)
        n_iter += 1
        # No weight loses more than nine tenths of itself in one step, so that all stay positive.
        length = min(1.0, 0.9 / max(-float(step.min()), 0.9))
        # The number of rows matters, too: a row that all SPODEs predict adds nothing but rounding.
        rounding = ROUNDING * (abs(objective) + n_all)
        while True:
            moved = mixture * (1.0 + length * step)
            moved /= moved.sum()
            reached = value(moved)
            if reached >= objective + PROMISE * length * decrement - rounding:
                break
            length /= 2.0
        mixture, objective = moved, reached
