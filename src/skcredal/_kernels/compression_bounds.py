"""COMP-AODE*: lower and upper probabilities under all priors P(s_0) = ε, P(s_j) ≥ ε (§7).

The symbols are those of ``compression``. Here the rows of a block go together through the iteration, each
step of which is a loop over them that takes several at an instruction; ``p[m, r]`` is what the m-th feasible
SPODE says of a class.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Compression, Evidence
from skcredal._kernels._instructions import log
from skcredal._kernels._jit import kernel, step

__all__ = ["compression_intervals"]

# Rows whose bounds are found together.
BLOCK_ROWS = 64
# In place of the probability of a SPODE that has no say in a row: above all others, so that it never shares.
NO_SAY = 2.0
# A smaller difference is taken to be 0: nothing is divided by it, and no digit of a bound depends on it.
LEAST_DIFFERENCE = 1e-290
# A bound is exact up to this.
EXACT = 1e-14
# Coefficients whose sum is below this share of their sizes are 0 but for rounding (as in ``compression``).
TIE = 1e-12


@step
def _share_out(
    p: FloatArray,
    n: int,
    t: FloatArray,
    size: FloatArray,
    mass: FloatArray,
    eps: float,
    n_sharing: FloatArray,
    floor: FloatArray,
    factor: FloatArray,
    count: FloatArray,
    sum_d: FloatArray,
) -> None:
    """Fill in how the mass is shared at the minimum of Σ_j (p_j - t)·π_j, for each row of a block.

    It is the water-filling of ``minimise_compression`` with |d_j| = t - p_j: a model whose |d_j| exceeds
    the ``floor`` has the prior ``factor``·|d_j|, all others have ε. Where no |d_j| does, ``n_sharing`` is
    infinite.
    """
    for r in range(n):
        n_sharing[r], floor[r], factor[r] = np.inf, LEAST_DIFFERENCE, 0.0
    settled = False
    while not settled:
        for r in range(n):
            count[r], sum_d[r] = 0.0, 0.0
        for m in range(len(p)):
            for r in range(n):
                d = t[r] - p[m, r]
                count[r] += 1.0 if d > floor[r] else 0.0
                sum_d[r] += d if d > floor[r] else 0.0
        settled = True
        for r in range(n):
            # The floor only rises, until no model falls below it. The last one takes what is left, whatever
            # rounding makes of it.
            if 0.0 < count[r] < n_sharing[r]:
                n_sharing[r] = count[r]
                factor[r] = np.divide(mass[r] - (size[r] - count[r]) * eps, sum_d[r])
                floor[r] = np.divide(eps, factor[r])
                settled = False


@step
def _find_lower(
    p: FloatArray,
    n: int,
    models: IntArray,
    priors: Compression,
    size: FloatArray,
    mass: FloatArray,
    t: FloatArray,
    moving: BoolArray,
    work: FloatArray,
) -> None:
    """Replace t by the minimum of Σ p_j π_j / Σ π_j over the priors, in the rows that are ``moving``.

    It is Dinkelbach's iteration: Newton's method for a concave function (§7).
    """
    _, base, kappa, eps = priors
    k = len(base)
    n_sharing, floor, factor, pi, score, total = work[0], work[1], work[2], work[3], work[4], work[5]
    log_eps = np.log(eps)
    # The limit only keeps the last digits from going round for ever.
    for _ in range(100):
        _share_out(p, n, t, size, mass, eps, n_sharing, floor, factor, score, total)
        for r in range(n):
            score[r], total[r] = 0.0, 0.0
        for m in range(len(p)):
            own_base = base[models[m]]
            for r in range(n):
                d = t[r] - p[m, r]
                log_y = log(d * factor[r])
                pi[r] = own_base + kappa * (log_y if d > floor[r] else log_eps)
            for r in range(n):
                score[r] += p[m, r] * pi[r] if p[m, r] < NO_SAY else 0.0
                total[r] += pi[r] if p[m, r] < NO_SAY else 0.0
        for r in range(n):
            # No d_j is negative: at the vertex, the model whose d_j is smallest has all that is free, unless
            # an infeasible one takes it.
            if n_sharing[r] == np.inf and size[r] == k:
                smallest = NO_SAY
                for m in range(len(p)):
                    smallest = min(smallest, p[m, r])
                gain = kappa * (np.log(mass[r] - (k - 1) * eps) - log_eps)
                score[r] += smallest * gain
                total[r] += gain
        n_moving = 0
        for r in range(n):
            # Unlike the operator, it has no check for 0, which would keep the loop from being vectorised.
            new = np.divide(score[r], total[r]) if moving[r] else t[r]
            change = abs(t[r] - new)
            t[r] = new
            # The error is at most change²·|F″/2F′|, where F′ = -Σ π_j and |F″| ≤ κ Σ 1/|d_j| over the models
            # that share, whose |d_j| are above the floor, and stay near it only if the change is smaller.
            large = kappa * size[r] * change * change > 2.0 * EXACT * total[r] * floor[r]
            moving[r] = (change > EXACT) & (large | (change > floor[r]))
            n_moving += moving[r]
        if n_moving == 0:
            break


@step
def _find_size(
    codes: CodeArray,
    start: int,
    n: int,
    n_states: IntArray,
    models: IntArray,
    priors: Compression,
    size: FloatArray,
    mass: FloatArray,
    silent: BoolArray,
    work: FloatArray,
) -> None:
    """Fill in how many models have a say in each row of a block, their mass, and which rows are ``silent``.

    These are the rows where Σ_j π_j fails to be positive for some prior (its minimum, at a vertex, is not),
    as for the sets.
    """
    _, base, kappa, eps = priors
    k, least, scale = len(base), work[0], work[1]
    for r in range(n):
        size[r], least[r], scale[r] = 0.0, 0.0, 0.0
    for j in models:
        own_base, v = base[j], n_states[j]
        for r in range(n):
            # A SPODE whose super-parent the row does not know counts as infeasible in it (§1).
            known = codes[j, start + r] < v
            size[r] += 1.0 if known else 0.0
            least[r] += own_base if known else 0.0
            scale[r] += abs(own_base) if known else 0.0
    log_eps, log_most = np.log(eps), np.log(1.0 - k * eps)
    for r in range(n):
        # M of §6: the null model has ε, and each SPODE without a say in this row has at least ε.
        mass[r] = 1.0 - eps - (k - size[r]) * eps
        # One model has all that is free, unless an infeasible one takes it.
        of_priors = kappa * ((size[r] - 1.0) * log_eps + (log_eps if size[r] < k else log_most))
        silent[r] = size[r] > 0.0 and least[r] + of_priors <= TIE * (scale[r] - of_priors)


@kernel
def compression_intervals(evidence: Evidence, priors: Compression, out: FloatArray) -> None:
    """Fill in the lower and upper probability of every class, (rows, classes, 2)."""
    codes, n_states, posterior, reference, _, _ = evidence
    feasible = priors.feasible
    k, n_rows, n_classes = posterior.shape
    n_models = 0
    for j in range(k):
        n_models += feasible[j]
    models = np.empty(n_models, np.int64)
    m = 0
    for j in range(k):
        if feasible[j]:
            models[m] = j
            m += 1
    p = np.empty((n_models, BLOCK_ROWS))
    size, mass, t = np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS), np.empty(BLOCK_ROWS)
    silent, moving = np.empty(BLOCK_ROWS, np.bool_), np.empty(BLOCK_ROWS, np.bool_)
    work = np.empty((6, BLOCK_ROWS))
    for start in range(0, n_rows, BLOCK_ROWS):
        n = min(BLOCK_ROWS, n_rows - start)
        _find_size(codes, start, n, n_states, models, priors, size, mass, silent, work)
        for c in range(n_classes):
            # What one of two classes is sure to have, the other cannot get: half of the iterations saved.
            if c == 1 and n_classes == 2:
                for r in range(start, start + n):
                    out[r, 1, 0] = min(reference[r, 1], 1.0 - out[r, 0, 1])
                    out[r, 1, 1] = max(reference[r, 1], 1.0 - out[r, 0, 0])
                continue
            for m in range(n_models):
                j = models[m]
                for r in range(n):
                    known = codes[j, start + r] < n_states[j]
                    p[m, r] = posterior[j, start + r, c] if known else NO_SAY
            for side in range(2):
                # The upper probability is 1 less the lower one of all other classes together.
                if side == 1:
                    for m in range(n_models):
                        for r in range(n):
                            p[m, r] = 1.0 - p[m, r] if p[m, r] < NO_SAY else NO_SAY
                for r in range(n):
                    t[r] = reference[start + r, c] if side == 0 else 1.0 - reference[start + r, c]
                    moving[r] = n_classes > 1 and size[r] > 0.0 and not silent[r]
                _find_lower(p, n, models, priors, size, mass, t, moving, work)
                for r in range(n):
                    at_reference = reference[start + r, c]
                    if n_classes == 1:
                        bound = 1.0  # under every prior
                    elif silent[r]:
                        # The scores are not probabilities under every prior: no bound can be given (§7).
                        bound = 1.0 * side
                    # Where a SPODE is feasible for the set only, the reference may lie outside: doubt widens.
                    elif side == 0:
                        bound = min(at_reference, t[r])
                    else:
                        bound = max(at_reference, 1.0 - t[r])
                    # A coefficient may be negative under some prior (§7): the quotient then leaves [0, 1].
                    out[start + r, c, side] = min(max(bound, 0.0), 1.0)
