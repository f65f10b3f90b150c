"""Marginal likelihoods of the SPODEs: how probable all rows are, whatever the parameters (§13).

Counts of v states with pseudo-counts α have ``G = lnΓ(Σα) - lnΓ(Σα + Σn) + Σ [lnΓ(n + α) - lnΓ(α)]``.
"""

import math

import numpy as np

from skcredal._arrays import CountArray, FloatArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = ["pair_log_marginals"]

# A count of missing cells is a difference of sums of weights: less than this share of them is rounding.
ROUNDING = 1e-9


@kernel
def _log_marginal(counts: FloatArray, n_states: int, alpha: float) -> float:
    """Return G of the first counts, with the same pseudo-count for each."""
    total, log_g = 0.0, 0.0
    for a in range(n_states):
        if counts[a] > 0.0:
            total += counts[a]
            log_g += math.lgamma(counts[a] + alpha) - math.lgamma(alpha)
    return log_g + math.lgamma(n_states * alpha) - math.lgamma(n_states * alpha + total)


@kernel
def _child_log_marginal(
    block: CountArray, n_a: CountArray, n_b: CountArray, ess: float, is_second: bool, counts: FloatArray
) -> float:
    """Return what a child adds to the log marginal likelihood of its super-parent's SPODE.

    ``block`` is n(c,a,b), (values of i, values of j, classes), ``n_a`` and ``n_b`` are the counts of the two
    alone; ``is_second`` says that j is the child. The child's cell is explained by the super-parent's value
    where both are known, and by the class alone where only the child is.
    """
    v_i, v_j, n_classes = block.shape
    v_child, v_parent = (v_j, v_i) if is_second else (v_i, v_j)
    log_g = 0.0
    for c in range(n_classes):
        for a in range(v_parent):
            for b in range(v_child):
                counts[b] = block[a, b, c] if is_second else block[b, a, c]
            log_g += _log_marginal(counts, v_child, ess / (n_classes * v_i * v_j))
        for b in range(v_child):
            known = 0.0
            for a in range(v_parent):
                known += block[a, b, c] if is_second else block[b, a, c]
            seen = n_b[b, c] if is_second else n_a[b, c]
            missing = seen - known
            counts[b] = missing if missing > ROUNDING * seen else 0.0
        log_g += _log_marginal(counts, v_child, ess / (n_classes * v_child))
    return log_g


@kernel
def pair_log_marginals(
    n_cab: CountArray,
    n_ca: CountArray,
    n_states: IntArray,
    pairs: IntArray,
    pair_offsets: IntArray,
    value_offsets: IntArray,
    n_classes: int,
    ess: float,
    log_marginal: FloatArray,
) -> None:
    """Fill in for pairs ``i < j`` what j adds to the SPODE of i, and i to that of j, (pairs, 2)."""
    widest = 0
    for v in n_states:
        widest = max(widest, v)
    counts = np.empty(widest)
    for p in range(len(pairs)):
        i, j = pairs[p]
        v_i, v_j = n_states[i], n_states[j]
        block = n_cab[pair_offsets[p] : pair_offsets[p] + v_i * v_j * n_classes].reshape(v_i, v_j, n_classes)
        n_a = n_ca[value_offsets[i] : value_offsets[i] + v_i * n_classes].reshape(v_i, n_classes)
        n_b = n_ca[value_offsets[j] : value_offsets[j] + v_j * n_classes].reshape(v_j, n_classes)
        log_marginal[p, 0] = _child_log_marginal(block, n_a, n_b, ess, True, counts)
        log_marginal[p, 1] = _child_log_marginal(block, n_a, n_b, ess, False, counts)
