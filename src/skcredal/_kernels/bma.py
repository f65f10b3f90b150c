"""BMA-AODE*: sets, bounds and robustness under all priors P(s_j) ≥ ε, in closed form (§7).

One row at a time: the *members* are the SPODEs that survive the likelihood cut and whose super-parent the row
knows; ``posterior[j, r, c]`` is P(c | a, s_j), ``lik[j]`` is L_j relative to the largest, 0 below the cut.
Everything is linear or linear-fractional in the prior, so that every extreme lies at one of the extreme
points, which give all but ε·(k'-1) of the mass to one member.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Bma, Evidence
from skcredal._kernels._jit import kernel

__all__ = ["bma_contest", "bma_intervals", "bma_robustness", "bma_sets"]

# Dominance must exceed this share of the scores themselves: classes equal up to rounding stay together (§7).
# A share of their difference would not do: between equal classes the difference is nothing but rounding.
TIE = 1e-12


@kernel
def _find_members(codes: CodeArray, n_states: IntArray, lik: FloatArray, r: int, members: IntArray) -> int:
    """Fill in the members of a row and return how many they are."""
    size = 0
    for j in range(len(lik)):
        # A SPODE says nothing about a row whose super-parent is unknown (§1).
        if lik[j] > 0.0 and codes[j, r] < n_states[j]:
            members[size] = j
            size += 1
    return size


@kernel
def _dominates(
    posterior: FloatArray,
    r: int,
    c: int,
    d: int,
    members: IntArray,
    lik: FloatArray,
    eps: float,
) -> bool:
    """Tell whether c beats d for every prior ≥ ε: the minimum, ε·Σw + (1-k'ε)·min w, is at a vertex (§7)."""
    sum_w, min_w = 0.0, np.inf
    # The scale of the scores is needed at the same vertex as the minimum.
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
def bma_sets(evidence: Evidence, priors: Bma, out: BoolArray) -> None:
    """Fill in the maximal sets.

    The best class is tested against all others first, and only the survivors are compared with each other,
    which gives the same set because dominance is transitive.
    """
    codes, n_states, posterior, _, best, prior_set = evidence
    lik, eps = priors
    k, n, n_classes = posterior.shape
    members, left = np.empty(k, np.int64), np.empty(n_classes, np.int64)
    for r in range(n):
        chosen = members[: _find_members(codes, n_states, lik, r, members)]
        for c in range(n_classes):
            # Without members the null model answers, and keeps its ties.
            out[r, c] = prior_set[c] if len(chosen) == 0 else True
        if len(chosen) == 0:
            continue
        # The best class first: where the data decide, it alone removes all rivals, at one test each.
        n_left = 0
        for d in range(n_classes):
            if d != best[r] and _dominates(posterior, r, best[r], d, chosen, lik, eps):
                out[r, d] = False
            else:
                left[n_left] = d
                n_left += 1
        # A class that is dominated at all is dominated by a survivor. The best class has been tested against
        # all of them; a class that falls here dominates nothing that its own victor does not.
        for c in left[:n_left]:
            for d in left[:n_left]:
                if c != best[r] and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _dominates(posterior, r, c, d, chosen, lik, eps)


@kernel
def bma_intervals(evidence: Evidence, priors: Bma, out: FloatArray) -> None:
    """Fill in the lower and upper probability of every class, (rows, classes, 2)."""
    codes, n_states, posterior, reference, _, _ = evidence
    lik, eps = priors
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    for r in range(n):
        chosen = members[: _find_members(codes, n_states, lik, r, members)]
        free = 1.0 - len(chosen) * eps
        sum_lik = 0.0
        for j in chosen:
            sum_lik += lik[j]
        for c in range(n_classes):
            # The reference prior is in the set; where no member is left, its answer is the only one.
            lower, upper = reference[r, c], reference[r, c]
            sum_score = 0.0
            for j in chosen:
                sum_score += lik[j] * posterior[j, r, c]
            for j in chosen:
                # The vertex at which this member has all the mass that ε leaves free.
                score = eps * sum_score + free * lik[j] * posterior[j, r, c]
                bound = score / (eps * sum_lik + free * lik[j])
                lower, upper = min(lower, bound), max(upper, bound)
            # Quotients of rounded sums may leave [0, 1] by a last digit.
            out[r, c, 0] = max(lower, 0.0)
            out[r, c, 1] = min(upper, 1.0)


@kernel
def bma_robustness(evidence: Evidence, priors: Bma, out: FloatArray) -> None:
    """Fill in how much of the uniform prior may be replaced before the best class stops dominating."""
    codes, n_states, posterior, _, best, prior_set = evidence
    lik = priors.likelihood
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    tied = 0
    for c in range(n_classes):
        tied += prior_set[c]
    for r in range(n):
        chosen = members[: _find_members(codes, n_states, lik, r, members)]
        out[r] = 1.0
        if len(chosen) == 0:
            # No prior over SPODEs matters here: the null model decides, and a tie has no robustness.
            out[r] = 1.0 if tied == 1 else 0.0
            continue
        for d in range(n_classes):
            if d == best[r]:
                continue
            mean, scale, least = 0.0, 0.0, np.inf
            for j in chosen:
                w = lik[j] * (posterior[j, r, best[r]] - posterior[j, r, d])
                mean += w / len(chosen)
                scale += lik[j] * (posterior[j, r, best[r]] + posterior[j, r, d]) / len(chosen)
                least = min(least, w)
            # Already a tie, or behind, under the uniform prior itself.
            if mean <= TIE * scale:
                out[r] = 0.0
            elif least < 0.0:
                # With a part ρ replaced, the least difference is (1-ρ)·mean + ρ·least: 0 at this ρ (§7).
                # Where no member speaks against the best class, no prior does.
                out[r] = min(out[r], mean / (mean - least))


@kernel
def bma_contest(evidence: Evidence, priors: Bma, rival: IntArray, worst: FloatArray) -> None:
    """Fill in the class that some prior brings closest to the best, or past it, and that prior, (k, rows).

    Without members there is no prior to blame: the next most probable class is the rival, the prior NaN. The
    prior of SPODEs that are left out is 0.
    """
    codes, n_states, posterior, reference, best, _ = evidence
    lik, eps = priors
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    for r in range(n):
        chosen = members[: _find_members(codes, n_states, lik, r, members)]
        free = 1.0 - len(chosen) * eps
        rival[r] = -1
        closest, advantage, against = -np.inf, np.inf, -1
        for d in range(n_classes):
            if d == best[r]:
                continue
            if len(chosen) == 0:
                if reference[r, d] > closest:
                    closest = reference[r, d]
                    rival[r] = d
                continue
            sum_w, sum_scale, min_w, at, scale_at = 0.0, 0.0, np.inf, -1, 0.0
            for j in chosen:
                w = lik[j] * (posterior[j, r, best[r]] - posterior[j, r, d])
                scale = lik[j] * (posterior[j, r, best[r]] + posterior[j, r, d])
                sum_w += w
                sum_scale += scale
                if w < min_w:
                    min_w, at, scale_at = w, j, scale
            # Relative to the scores themselves: rivals of little probability would all be close otherwise.
            found = (eps * sum_w + free * min_w) / (eps * sum_scale + free * scale_at)
            if found < advantage:
                advantage, against = found, at
                rival[r] = d
        for j in range(k):
            worst[j, r] = np.nan if len(chosen) == 0 or rival[r] < 0 else 0.0
        if against >= 0:
            for j in chosen:
                worst[j, r] = eps
            # All of the free mass goes to the SPODE that is most against the best class (§7).
            worst[against, r] += free
