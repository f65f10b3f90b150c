"""Which classes no other dominates, exactly and in closed form (specification, §7).

One row at a time: ``members`` are the SPODEs that count for the row, ``posterior[j, r, c]`` is P(c | a, s_j).
The most probable class of the reference prior is tested against all others first; only the survivors are
compared with each other, which gives the same set because dominance is transitive.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal.kernels._jit import kernel

__all__ = ["bma_sets", "compression_sets", "minimise_compression"]

# Dominance must exceed this share of the scores themselves: classes that are equal up to rounding stay
# together.
TIE = 1e-12


@kernel
def _start(reference: FloatArray, r: int, out: BoolArray) -> int:
    """Put every class into the set of a row, and return the most probable one."""
    best = 0
    for c in range(reference.shape[1]):
        out[r, c] = True
        if reference[r, c] > reference[r, best]:
            best = c
    return best


@kernel
def _bma_dominates(
    posterior: FloatArray,
    r: int,
    c: int,
    d: int,
    members: IntArray,
    lik: FloatArray,
    eps: float,
) -> bool:
    """Tell whether c beats d for every prior ≥ ε; the minimum ε·Σw + (1-k'ε)·min w is at a vertex."""
    sum_w, min_w = 0.0, np.inf
    sum_scale, scale_at_min = 0.0, 0.0
    for j in members:
        w = lik[j] * (posterior[j, r, c] - posterior[j, r, d])
        scale = lik[j] * (posterior[j, r, c] + posterior[j, r, d])
        sum_w += w
        sum_scale += scale
        if w < min_w:
            min_w, scale_at_min = w, scale
    free = 1.0 - len(members) * eps
    return eps * sum_w + free * min_w > TIE * (eps * sum_scale + free * scale_at_min)


@kernel
def bma_sets(
    codes: CodeArray,
    n_states: IntArray,
    posterior: FloatArray,
    reference: FloatArray,
    prior_set: BoolArray,
    lik: FloatArray,
    eps: float,
    out: BoolArray,
) -> None:
    """Fill in the maximal sets of BMA-AODE*; ``lik`` is L_j relative to the largest, 0 below the cut."""
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    for r in range(n):
        size = 0
        for j in range(k):
            if lik[j] > 0.0 and codes[j, r] < n_states[j]:
                members[size] = j
                size += 1
        if size == 0:
            for c in range(n_classes):
                out[r, c] = prior_set[c]
            continue
        chosen = members[:size]
        best = _start(reference, r, out)
        for d in range(n_classes):
            if d != best and _bma_dominates(posterior, r, best, d, chosen, lik, eps):
                out[r, d] = False
        for c in range(n_classes):
            for d in range(n_classes):
                if c != best and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _bma_dominates(posterior, r, c, d, chosen, lik, eps)


@kernel
def minimise_compression(
    difference: FloatArray,
    base: FloatArray,
    kappa: float,
    lower: float,
    mass: float,
    spare: bool,
    log_y: FloatArray,
) -> float:
    """Return the minimum over y of Σ_j d_j·(base_j + κ log y_j), and fill in log y_j where it lies.

    Each ``y_j ≥ lower``; they sum to ``mass``, or, if ``spare``, to no more than it (an infeasible model,
    which the score ignores, takes the rest).

    Where some ``d_j < 0``, the others take the lower bound, and the negative ones share the rest by
    water-filling, ``y_j = max(lower, |d_j|/λ)``: models whose share at the current λ is too small are set to
    the bound, which only raises λ, until none is. Otherwise the objective is concave and its minimum is at a
    vertex.
    """
    k = len(difference)
    log_lower = np.log(lower)
    n_sharing, drowned, smallest = 0, 0.0, 0
    for j in range(k):
        log_y[j] = log_lower
        if difference[j] < 0.0:
            n_sharing += 1
            drowned -= difference[j]
        if difference[j] < difference[smallest]:
            smallest = j
    if n_sharing > 0:
        # While the level rises, a model still sharing is marked by log_y = +inf.
        for j in range(k):
            if difference[j] < 0.0:
                log_y[j] = np.inf
        shared = mass - (k - n_sharing) * lower
        settled = False
        while not settled:
            settled = True
            level = drowned / shared
            for j in range(k):
                if log_y[j] == np.inf and -difference[j] < lower * level and n_sharing > 1:
                    log_y[j] = log_lower
                    n_sharing -= 1
                    drowned += difference[j]
                    shared -= lower
                    settled = False
        log_level = np.log(level)
        for j in range(k):
            if log_y[j] == np.inf:
                log_y[j] = np.log(-difference[j]) - log_level
    elif not spare:
        log_y[smallest] = np.log(mass - (k - 1) * lower)
    minimum = 0.0
    for j in range(k):
        minimum += difference[j] * (base[j] + kappa * log_y[j])
    return minimum


@kernel
def _compression_dominates(
    posterior: FloatArray,
    r: int,
    c: int,
    d: int,
    members: IntArray,
    base: FloatArray,
    kappa: float,
    eps: float,
    mass: float,
    spare: bool,
    difference: FloatArray,
    log_y: FloatArray,
) -> bool:
    """Tell whether c beats d for every prior of COMP-AODE*'s set; ``base`` is that of the members."""
    k = len(members)
    log_eps = np.log(eps)
    log_most = np.log(mass - (k - 1) * eps)
    bound, scale = 0.0, 0.0
    for m in range(k):
        p_c, p_d = posterior[members[m], r, c], posterior[members[m], r, d]
        difference[m] = p_c - p_d
        log_worst = log_eps if p_c >= p_d else log_most
        bound += difference[m] * (base[m] + kappa * log_worst)
        scale += (abs(base[m]) - kappa * log_eps) * (p_c + p_d)
    # Each y_j at its own worst, regardless of their sum, bounds the minimum from below; mostly that settles
    # it.
    if bound > TIE * scale:
        return True
    minimum = minimise_compression(difference[:k], base[:k], kappa, eps, mass, spare, log_y[:k])
    scale = 0.0
    for m in range(k):
        sum_ = posterior[members[m], r, c] + posterior[members[m], r, d]
        scale += (abs(base[m]) + kappa * abs(log_y[m])) * sum_
    return minimum > TIE * scale


@kernel
def compression_sets(
    codes: CodeArray,
    n_states: IntArray,
    posterior: FloatArray,
    reference: FloatArray,
    prior_set: BoolArray,
    feasible: BoolArray,
    base: FloatArray,
    kappa: float,
    eps: float,
    out: BoolArray,
) -> None:
    """Fill in the maximal sets of COMP-AODE*; ``base`` is 1 - LL_j/B, ``kappa`` is -1/B, B = LL_0 + log ε."""
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    member_base, difference, log_y = np.empty(k), np.empty(k), np.empty(k)
    for r in range(n):
        size = 0
        sum_base = 0.0
        for j in range(k):
            if feasible[j] and codes[j, r] < n_states[j]:
                members[size] = j
                member_base[size] = base[j]
                sum_base += base[j]
                size += 1
        if size == 0:
            for c in range(n_classes):
                out[r, c] = prior_set[c]
            continue
        best = _start(reference, r, out)
        spare = size < k
        mass = 1.0 - eps - (k - size) * eps
        log_largest = np.log(eps if spare else mass - (size - 1) * eps)
        if sum_base + kappa * ((size - 1) * np.log(eps) + log_largest) <= 0.0:
            continue  # some prior gives every model the weight 0 or less, and says nothing
        chosen = members[:size]
        for d in range(n_classes):
            if d != best and _compression_dominates(
                posterior, r, best, d, chosen, member_base, kappa, eps, mass, spare, difference, log_y
            ):
                out[r, d] = False
        for c in range(n_classes):
            for d in range(n_classes):
                if c != best and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _compression_dominates(
                        posterior, r, c, d, chosen, member_base, kappa, eps, mass, spare, difference, log_y
                    )
