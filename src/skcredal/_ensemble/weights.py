"""Likelihoods of the SPODEs and the weights that follow from them (§4, §5, §6)."""

import math

import numpy as np
import numpy.typing as npt

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, LabelArray
from skcredal._ensemble.parameters import SpodeTables
from skcredal._kernels._arguments import Likelihoods
from skcredal._threads import parts, run_in_threads

__all__ = [
    "automatic_epsilon",
    "bma_weights",
    "compression_coefficients",
    "compression_weights",
    "log_likelihoods",
    "model_probabilities",
    "null_log_likelihood",
    "relative_likelihoods",
    "uniform_weights",
]

# BMA leaves out models whose likelihood, relative to the best, is below this (§5).
LIKELIHOOD_CUT = 1e-4


def log_likelihoods(
    tables: SpodeTables,
    codes: CodeArray,
    labels: LabelArray,
    *,
    weights: CountArray | None = None,
    floor: float = 0.0,
    n_threads: int = 1,
) -> FloatArray:
    """Return LL_j = Σ_r log P(c_r | a_r, s_j) of every SPODE, summed block by block in the order of the rows.

    ``floor`` bounds each probability inside the sum from below.
    """
    k, n = codes.shape
    row_weights = np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64)
    log_floor = math.log(floor) if floor > 0.0 else -math.inf
    if k == 0 or n == 0:
        return np.zeros(k)
    # One row of sums per block, whichever thread computes it, so that the total does not depend on threads.
    block = kernels.inference.BLOCK_ROWS
    sums = np.empty((-(-n // block), k))

    def sum_blocks(blocks: slice) -> None:
        rows = slice(blocks.start * block, min(n, blocks.stop * block))
        tables.infer(codes, rows, likelihoods=Likelihoods(labels, row_weights, log_floor, sums[blocks]))

    # Four tasks per thread: while one thread is held up, the others take over its share.
    run_in_threads(sum_blocks, parts(len(sums), 4 * n_threads, 4), n_threads)
    # cumsum adds block after block; np.sum may add pairwise, depending on the shape.
    return np.asarray(sums.cumsum(axis=0)[-1])


def null_log_likelihood(n_c: CountArray) -> float:
    """Return LL_0 = -n·H(C) with the empirical class frequencies and natural logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> null_log_likelihood(np.array([2, 2])) == float(-4 * np.log(2))
    True
    """
    present = n_c[n_c > 0]  # 0·log 0 = 0
    return float(np.sum(present * np.log(present / present.sum())))


def automatic_epsilon(k: int) -> float:
    """Return the ε that ``"auto"`` means for k features: 0.01, or less from 50 features on (§6)."""
    return min(0.01, 1.0 / (2 * (k + 1)))


def uniform_weights(k: int) -> FloatArray:
    """Return AODE's weights, 1/k each."""
    return np.full(k, 1.0 / max(k, 1))


def relative_likelihoods(log_lik: FloatArray) -> FloatArray:
    """Return L_j relative to the largest, 0 below the cut.

    Shifting by the maximum keeps the exponentials from overflowing, whatever the spread.

    Examples
    --------
    >>> import numpy as np
    >>> relative_likelihoods(np.log([2.0, 8.0, 1e-9])).round(6).tolist()
    [0.25, 1.0, 0.0]
    """
    if len(log_lik) == 0:
        return log_lik
    likelihood: FloatArray = np.exp(log_lik - log_lik.max())
    likelihood[likelihood < LIKELIHOOD_CUT] = 0.0
    return likelihood


def bma_weights(log_lik: FloatArray) -> FloatArray:
    """Return BMA-AODE's weights: the posterior probabilities of the SPODEs under the uniform prior."""
    likelihood = relative_likelihoods(log_lik)
    return likelihood / likelihood.sum() if len(likelihood) else likelihood


def model_probabilities(log_lik: FloatArray) -> FloatArray:
    """Return the posterior probabilities of models under the uniform prior, however small (§13).

    Examples
    --------
    >>> import numpy as np
    >>> model_probabilities(np.log([2.0, 6.0])).round(9).tolist()
    [0.25, 0.75]
    """
    if len(log_lik) == 0:
        return log_lik
    likelihood: FloatArray = np.exp(log_lik - log_lik.max())
    likelihood /= likelihood.sum()
    return likelihood


def compression_coefficients(
    log_lik: FloatArray, log_lik_null: float, eps: float, log_prior: npt.ArrayLike
) -> FloatArray:
    """Return the raw coefficients π_j = 1 - (LL_j + log P(s_j))/(LL_0 + log ε)."""
    pi: FloatArray = 1.0 - (log_lik + np.asarray(log_prior)) / (log_lik_null + math.log(eps))
    return pi


def compression_weights(log_lik: FloatArray, log_lik_null: float, eps: float) -> FloatArray:
    """Return COMP-AODE's weights; all 0 if no SPODE is better than the null model.

    Examples
    --------
    A model that explains everything, and one that is worse than none:

    >>> import numpy as np
    >>> compression_weights(np.array([0.0, -80.0]), -50.0, 0.01).tolist()
    [1.0, 0.0]
    """
    k = len(log_lik)
    if k == 0:
        return log_lik
    pi = compression_coefficients(log_lik, log_lik_null, eps, math.log((1.0 - eps) / k))
    # A model that describes the classes no shorter than the null model gets no weight (§5).
    pi = np.maximum(pi, 0.0)
    total = pi.sum()
    return np.asarray(pi / total) if total > 0.0 else pi
