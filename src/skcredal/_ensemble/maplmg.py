"""The weights of MAPLMG: the most probable linear mixture of the SPODEs, by leave-one-out (§5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, LabelArray
from skcredal._ensemble.counts import JointCounts
from skcredal._ensemble.leave_one_out import LeaveOneOut, itself
from skcredal._ensemble.parameters import SpodeTables, chunks
from skcredal._ensemble.weights import uniform_weights
from skcredal._threads import run_in_threads

Part = TypeVar("Part")

__all__ = ["LeftOut", "Mixture", "leave_one_out", "maplmg_weights"]

# Rows that are summed at a time: the last digits of a sum depend on this number, but not on the threads.
BLOCK_ROWS = 16_384
# A sum over fewer blocks is done before threads have started.
BLOCKS_FOR_THREADS = 4
# The share of the gain predicted by the tangent that a step must achieve, as in Armijo's rule.
PROMISE = 0.1
# How far the objective may be off by rounding, relative to its size.
ROUNDING = 1e-13
# Below this Newton's method converges quadratically: a decrement that does not even halve is rounding.
NEAR = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """P_{-r}(c_r | a_r, s_j), the probability of each training row's class if the row itself is left out.

    Parameters
    ----------
    relative : ndarray of shape (n, k)
        Relative to the largest of the row, so that no mixture of a row underflows to 0.
    log_best : ndarray of shape (n,)
        The logarithm of the largest.
    """

    relative: FloatArray
    log_best: FloatArray

    @property
    def log_proba(self) -> FloatArray:
        """The logarithms of the probabilities, (n, k); -inf where one is too small beside the best."""
        with np.errstate(divide="ignore"):
            log_proba: FloatArray = np.log(self.relative) + self.log_best[:, None]
        return log_proba


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The weights of a mixture, and how close they are to the best ones.

    Parameters
    ----------
    weights : ndarray of shape (k,)
        The weights.
    objective : float
        The objective at the weights; NaN without SPODEs.
    n_iter : int
        The number of iterations.
    gap : float
        An upper bound on how far the objective is below its maximum.
    converged : bool
        Whether the gap is within the tolerance, or as small as rounding allows.
    """

    weights: FloatArray
    objective: float
    n_iter: int
    gap: float
    converged: bool


def leave_one_out(
    counts: JointCounts,
    tables: SpodeTables,
    codes: CodeArray,
    labels: LabelArray,
    *,
    weights: CountArray | None = None,
    n_threads: int = 1,
) -> LeftOut:
    """Return each SPODE's probability of each training row's class, with the row taken out of the counts."""
    k, n = codes.shape
    taken_off = itself(weights, n)
    left_out = LeaveOneOut.prepare(counts, tables, taken_off)
    relative, log_best = np.empty((n, k)), np.empty(n)

    def leave_out(rows: slice) -> None:
        chunk = np.ascontiguousarray(codes[:, rows])
        kernels.leave_one_out.relative_to_best(
            chunk,
            labels[rows],
            taken_off[rows],
            counts.layout.n_states,
            counts.n_c,
            tables.ess,
            left_out.log_posteriors(chunk, labels[rows], taken_off[rows]),
            relative[rows],
            log_best[rows],
        )

    run_in_threads(leave_out, chunks(n), n_threads)
    return LeftOut(relative, log_best)


def maplmg_weights(
    left_out: LeftOut,
    *,
    weights: CountArray | None = None,
    max_iter: int = 1000,
    tol: float = 1e-10,
    n_threads: int = 1,
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
    >>> one_row = LeftOut(np.array([[1.0, 0.0]]), np.zeros(1))
    >>> maplmg_weights(one_row).weights.round(4)
    array([0.6667, 0.3333])
    """
    n, k = left_out.relative.shape
    mixture = uniform_weights(k)
    if k == 0:
        return Mixture(mixture, np.nan, 0, 0.0, True)
    rows = _Rows(
        left_out, np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64), n_threads
    )
    n_all = float(n if weights is None else rows.weights.sum())
    objective, n_iter, decrement = rows.objective(mixture), 0, np.inf
    while True:
        sums, curvature = rows.derivatives(mixture)
        # The tangent at the weights is highest at a corner of the simplex, and the objective lies below it.
        gap = max(float(((1.0 + sums) / mixture).max()) - (n_all + k), 0.0)
        slope = 1.0 + sums - (n_all + k) * mixture
        step = np.linalg.solve(curvature + np.eye(k), slope)
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
            reached = rows.objective(moved)
            if reached >= objective + PROMISE * length * decrement - rounding:
                break
            length /= 2.0
        mixture, objective = moved, reached


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Sums over all rows, whose last digits do not depend on the threads."""

    left_out: LeftOut
    weights: FloatArray
    n_threads: int

    def objective(self, mixture: FloatArray) -> float:
        """Return Σ_r log Σ_j w_j P_rj + Σ_j log w_j."""

        def add(rows: slice) -> float:
            return kernels.leave_one_out.log_likelihood(
                self.left_out.relative[rows], self.left_out.log_best[rows], self.weights[rows], mixture
            )

        return float(np.log(mixture).sum()) + sum(self._over_blocks(add))

    def derivatives(self, mixture: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the responsibilities of the SPODEs, and of the products of any two of them."""
        k = len(mixture)

        def add(rows: slice) -> tuple[FloatArray, FloatArray]:
            sums, curvature = np.zeros(k), np.zeros((k, k))
            kernels.leave_one_out.add_curvature(
                self.left_out.relative[rows], self.weights[rows], mixture, sums, curvature
            )
            return sums, curvature

        # The matrix is symmetric, and the kernel fills only its lower triangle.
        parts = self._over_blocks(add)
        lower = sum((part[1] for part in parts), np.zeros((k, k)))
        return sum((part[0] for part in parts), np.zeros(k)), lower + np.tril(lower, -1).T

    def _over_blocks(self, work: Callable[[slice], Part]) -> list[Part]:
        n = len(self.left_out.log_best)
        blocks = [slice(start, start + BLOCK_ROWS) for start in range(0, n, BLOCK_ROWS)]
        return run_in_threads(work, blocks, 1 if len(blocks) < BLOCKS_FOR_THREADS else self.n_threads)
