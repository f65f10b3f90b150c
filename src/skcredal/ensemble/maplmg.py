"""The weights of MAPLMG: the most probable linear mixture of the SPODEs, judged by leaving rows out (§5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, LabelArray
from skcredal._threads import run_in_threads
from skcredal.ensemble.counts import JointCounts
from skcredal.ensemble.parameters import SpodeTables, chunks
from skcredal.ensemble.weights import uniform_weights

__all__ = ["LeftOut", "Mixture", "leave_one_out", "maplmg_weights"]

# Rows that EM takes at a time; the last digits of its sums depend on this number, not on the threads.
EM_ROWS = 16_384
# An iteration over fewer blocks is done before threads have started.
EM_BLOCKS_FOR_THREADS = 4


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """P_{-r}(c_r | a_r, s_j), what each SPODE says of a training row that it was not trained on.

    Parameters
    ----------
    relative : ndarray of shape (n, k)
        Relative to the best SPODE of the row, so that no mixture of a row vanishes.
    log_best : ndarray of shape (n,)
        The logarithm of what the best one says.
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
    """The weights of a mixture, the objective they reach, and how EM came to them."""

    weights: FloatArray
    objective: float
    n_iter: int
    gain: float
    converged: bool


def leave_one_out(
    counts: JointCounts,
    tables: SpodeTables,
    codes: CodeArray,
    labels: LabelArray,
    ess: float,
    *,
    weights: CountArray | None = None,
    n_threads: int = 1,
) -> LeftOut:
    """Return what each SPODE says of each training row's class, with the row taken out of the counts.

    A row of weight w ≥ 1 is taken out once (each of its copies leaves itself out), one of less altogether.

    Examples
    --------
    Two classes, one feature; all rows agree with their class. Without the first row, class 0 has one row of
    two: P(c) ∝ 3/2 and 5/2, P(a|c) = (1 + 1/4)/(1 + 1/2) and (0 + 1/4)/(2 + 1/2).

    >>> import numpy as np
    >>> from skcredal.ensemble.counts import count
    >>> from skcredal.ensemble.parameters import spode_tables
    >>> codes, labels = np.array([[0, 0, 1, 1]], np.uint8), np.array([0, 0, 1, 1], np.int32)
    >>> counts = count(codes, labels, np.array([2]), 2)
    >>> out = leave_one_out(counts, spode_tables(counts, 1.0), codes, labels, 1.0)
    >>> round(float(np.exp(out.log_proba[0, 0])), 6), round(1.25 / (1.25 + 0.25), 6)
    (0.833333, 0.833333)
    """
    k, n = codes.shape
    layout = counts.layout
    itself = np.ones(n) if weights is None else np.minimum(weights, 1.0)
    # Where all cells are known, the rows in which both cells of a pair are known are all rows.
    n_margins = np.zeros(len(layout.pairs), np.int64)
    if not counts.complete:
        n_margins = layout.n_states[layout.pairs].sum(axis=1) * layout.n_classes
    margin_offsets = np.cumsum(n_margins) - n_margins
    margins = np.zeros(n_margins.sum())
    if len(margins) > 0:
        kernels.leave_one_out.fill_margins(
            counts.n_cab, layout.n_states, layout.pair_offsets, margin_offsets, layout.n_classes, margins
        )
    relative, log_best = np.empty((n, k)), np.empty(n)

    def leave_out(rows: slice) -> None:
        chunk = np.ascontiguousarray(codes[:, rows])
        kernels.leave_one_out.leave_one_out(
            chunk,
            labels[rows],
            itself[rows],
            layout.n_states,
            counts.n_c,
            counts.n_ca,
            layout.value_offsets,
            counts.n_cab,
            layout.pair_offsets,
            margins,
            margin_offsets,
            ess,
            tables.log_joints(chunk),
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
    """Maximise Σ_r log Σ_j w_j P_{-r}(c_r | a_r, s_j) + Σ_j log w_j over the simplex by EM, from uniform.

    It ends when the objective gains no more than ``tol`` times its size. Without SPODEs there is nothing to
    maximise, and the objective is NaN.

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
    row_weights = np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64)
    n_all = float(n if weights is None else row_weights.sum())
    blocks = [slice(start, start + EM_ROWS) for start in range(0, n, EM_ROWS)]
    if len(blocks) < EM_BLOCKS_FOR_THREADS:
        n_threads = 1

    def expect(mixture: FloatArray) -> tuple[FloatArray, float]:
        """Return Σ_r r_rj / w_j and the objective at the weights."""

        def expect_block(rows: slice) -> tuple[FloatArray, float]:
            part = np.zeros(k)
            log_lik = kernels.leave_one_out.add_responsibilities(
                left_out.relative[rows], left_out.log_best[rows], row_weights[rows], mixture, part
            )
            return part, log_lik

        sums, objective = np.zeros(k), float(np.log(mixture).sum())
        for part, log_lik in run_in_threads(expect_block, blocks, n_threads):
            sums += part
            objective += log_lik
        return sums, objective

    sums, objective = expect(mixture)
    gain, converged, n_iter = np.inf, False, 0
    while n_iter < max_iter and not converged:
        n_iter += 1
        mixture = (1.0 + mixture * sums) / (n_all + k)
        before = objective
        sums, objective = expect(mixture)
        gain = objective - before
        converged = gain <= tol * abs(objective)
    return Mixture(mixture, objective, n_iter, gain, converged)
