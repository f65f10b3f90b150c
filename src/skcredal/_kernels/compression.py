"""COMP-AODE*: sets and robustness under all priors P(s_0) = ε, P(s_j) ≥ ε (§7).

One row at a time: the *members* are the SPODEs that are feasible and whose super-parent the row knows;
``posterior[j, r, c]`` is P(c | a, s_j). A compression coefficient is ``π_j = base_j + κ·log y_j`` with y_j =
P(s_j), ``base_j = 1 - LL_j/B``, ``κ = -1/B``, B = LL_0 + log ε. Everything comes down to one problem, the
minimum of Σ_j d_j·π_j over the priors, which :func:`minimise_compression` solves exactly.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import Compression, Evidence
from skcredal._kernels._jit import kernel

__all__ = [
    "compression_contest",
    "compression_robustness",
    "compression_sets",
    "minimise_compression",
]

# Dominance must exceed this share of the scores themselves: classes equal up to rounding stay together (§7).
# A share of their difference would not do: between equal classes the difference is nothing but rounding.
TIE = 1e-12
# The smallest part of the reference prior, 1 - r, that is tried: beyond it robustness is reported as 1 (§7).
LEAST_KEPT = 1e-15


@kernel
def _find_members(
    codes: CodeArray,
    n_states: IntArray,
    feasible: BoolArray,
    base: FloatArray,
    r: int,
    members: IntArray,
    member_base: FloatArray,
) -> int:
    """Fill in the members of a row and their ``base``, and return how many they are."""
    size = 0
    for j in range(len(feasible)):
        # A SPODE whose super-parent the row does not know counts as infeasible in it (§1).
        if feasible[j] and codes[j, r] < n_states[j]:
            members[size] = j
            member_base[size] = base[j]
            size += 1
    return size


@kernel
def _some_prior_says_nothing(
    base: FloatArray, size: int, kappa: float, lower: float, mass: float, spare: bool
) -> bool:
    """Tell whether Σ_j π_j fails to be positive for some prior (its minimum, at a vertex, is not)."""
    # The problem of :func:`minimise_compression` with all d_j = 1, where every vertex is as good.
    largest = lower if spare else mass - (size - 1) * lower
    least = kappa * ((size - 1) * np.log(lower) + np.log(largest))
    # SPODEs that say no more than the null model make it 0, but for rounding, by which nothing is divided.
    scale = -least
    for m in range(size):
        least += base[m]
        scale += abs(base[m])
    return bool(least <= TIE * scale)


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
    water-filling, ``y_j = max(lower, |d_j|/λ)``: models whose share at the current level λ is too small are
    set to the bound, which only raises λ, until none is. Otherwise the objective is concave and its minimum
    is at a vertex. (Proposition 2 of §7 has the proof.)
    """
    k = len(difference)
    log_lower = np.log(lower)
    # ``sum_d`` is Σ|d_j| over the models that share.
    n_sharing, sum_d, smallest = 0, 0.0, 0
    for j in range(k):
        log_y[j] = log_lower
        if difference[j] < 0.0:
            n_sharing += 1
            sum_d -= difference[j]
        if difference[j] < difference[smallest]:
            smallest = j
    if n_sharing > 0:
        # Moving mass from a d_j ≥ 0 to a negative one lowers both terms: only the negative ones share. Among
        # them the problem is convex, and its conditions fix every y_j but for the one number λ: no solver.
        # While the level rises, a model that still shares is marked by log_y = +inf.
        for j in range(k):
            if difference[j] < 0.0:
                log_y[j] = np.inf
        # Water-filling starts with the level at which all of them share, Σ|d_j|/λ = the mass left.
        shared = mass - (k - n_sharing) * lower
        settled = False
        while not settled:
            settled = True
            level = sum_d / shared
            for j in range(k):
                # At most k passes: each but the last settles a model, and the level never falls, so that a
                # settled one stays settled. The last model takes what is left, whatever rounding makes of it.
                if log_y[j] == np.inf and -difference[j] < lower * level and n_sharing > 1:
                    log_y[j] = log_lower
                    n_sharing -= 1
                    sum_d += difference[j]
                    shared -= lower
                    settled = False
        # It ends where every share is at least the bound: the conditions for the minimum hold.
        log_level = np.log(level)
        for j in range(k):
            if log_y[j] == np.inf:
                log_y[j] = np.log(-difference[j]) - log_level
    elif not spare:
        # A vertex gives one model all that is free; it costs least where d_j is smallest. With something to
        # spare, an infeasible model takes it instead, at no cost.
        log_y[smallest] = np.log(mass - (k - 1) * lower)
    minimum = 0.0
    for j in range(k):
        minimum += difference[j] * (base[j] + kappa * log_y[j])
    return minimum


@kernel
def _dominates(
    posterior: FloatArray,
    r: int,
    c: int,
    d: int,
    members: IntArray,
    base: FloatArray,
    kappa: float,
    lower: float,
    mass: float,
    spare: bool,
    difference: FloatArray,
    log_y: FloatArray,
) -> bool:
    """Tell whether c beats d for every prior with y_j ≥ lower; ``base`` is that of the members."""
    k = len(members)
    log_lower = np.log(lower)
    log_most = np.log(mass - (k - 1) * lower)
    bound, scale = 0.0, 0.0
    for m in range(k):
        p_c, p_d = posterior[members[m], r, c], posterior[members[m], r, d]
        difference[m] = p_c - p_d
        log_worst = log_lower if p_c >= p_d else log_most
        bound += difference[m] * (base[m] + kappa * log_worst)
        scale += (abs(base[m]) - kappa * log_lower) * (p_c + p_d)
    # Each y_j at its own worst, regardless of their sum, bounds the minimum from below, and the scale is the
    # largest of any prior: what passes here passes the exact test, too. It is cheap, and settles most pairs.
    if bound > TIE * scale:
        return True
    minimum = minimise_compression(difference[:k], base[:k], kappa, lower, mass, spare, log_y[:k])
    # The tolerance of the exact test is that of the scores at the minimising prior.
    scale = 0.0
    for m in range(k):
        sum_ = posterior[members[m], r, c] + posterior[members[m], r, d]
        scale += (abs(base[m]) + kappa * abs(log_y[m])) * sum_
    return minimum > TIE * scale


@kernel
def compression_sets(evidence: Evidence, priors: Compression, out: BoolArray) -> None:
    """Fill in the maximal sets.

    The best class is tested against all others first, and only the survivors are compared with each other,
    which gives the same set because dominance is transitive.
    """
    codes, n_states, posterior, _, best, prior_set = evidence
    feasible, base, kappa, eps = priors
    k, n, n_classes = posterior.shape
    members, left = np.empty(k, np.int64), np.empty(n_classes, np.int64)
    member_base, difference, log_y = np.empty(k), np.empty(k), np.empty(k)
    for r in range(n):
        size = _find_members(codes, n_states, feasible, base, r, members, member_base)
        for c in range(n_classes):
            # Without members the null model answers, and keeps its ties.
            out[r, c] = prior_set[c] if size == 0 else True
        # M of §6: the null model has ε, and each SPODE without a say in this row has at least ε.
        spare = size < k
        mass = 1.0 - eps - (k - size) * eps
        if size == 0 or _some_prior_says_nothing(member_base, size, kappa, eps, mass, spare):
            continue  # a prior under which the SPODEs compress nothing leaves all classes open (§7)
        chosen = members[:size]
        # The best class first: where the data decide, it alone removes all rivals, at one test each.
        n_left = 0
        for d in range(n_classes):
            if d != best[r] and _dominates(
                posterior, r, best[r], d, chosen, member_base, kappa, eps, mass, spare, difference, log_y
            ):
                out[r, d] = False
            else:
                left[n_left] = d
                n_left += 1
        # A class that is dominated at all is dominated by a survivor. The best class has been tested against
        # all of them; a class that falls here dominates nothing that its own victor does not.
        for c in left[:n_left]:
            for d in left[:n_left]:
                if c != best[r] and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _dominates(
                        posterior, r, c, d, chosen, member_base, kappa, eps, mass, spare, difference, log_y
                    )


@kernel
def compression_robustness(evidence: Evidence, priors: Compression, out: FloatArray) -> None:
    """Fill in how much of the reference prior may be replaced before the best class stops dominating.

    With the part r replaced, ``y_j ≥ (1-r)(1-ε)/k``; the largest r at which the class still dominates all
    others is found by bisection on log(1-r). A rival is tested at the r found so far first, so that most cost
    one test.
    """
    codes, n_states, posterior, _, best, prior_set = evidence
    feasible, base, kappa, eps = priors
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    member_base, difference, log_y = np.empty(k), np.empty(k), np.empty(k)
    tied = 0
    for c in range(n_classes):
        tied += prior_set[c]
    for r in range(n):
        size = _find_members(codes, n_states, feasible, base, r, members, member_base)
        if size == 0:
            out[r] = 1.0 if tied == 1 else 0.0
            continue
        chosen = members[:size]
        spare = size < k
        # log(1-r): the least robust rival so far holds out down to here.
        log_kept = np.log(LEAST_KEPT)
        for d in range(n_classes):
            if d == best[r]:
                continue
            # ``safe`` is where the class holds out, ``lost`` where it does not. The ends first: as much is
            # replaced as the rivals before this one allow, which settles most of them, then nothing. To get
            # from the width of log 1e-15 to 1e-12 takes 45 halvings.
            safe, lost = 0.0, log_kept
            for step in range(60):
                tried = lost if step == 0 else (0.0 if step == 1 else (safe + lost) / 2.0)
                # The bound falls as more is replaced, and so does what SPODEs without a say must have (§7).
                lower = np.exp(tried) * (1.0 - eps) / k
                mass = 1.0 - eps - (k - size) * lower
                holds = not _some_prior_says_nothing(
                    member_base, size, kappa, lower, mass, spare
                ) and _dominates(
                    posterior,
                    r,
                    best[r],
                    d,
                    chosen,
                    member_base,
                    kappa,
                    lower,
                    mass,
                    spare,
                    difference,
                    log_y,
                )
                if step == 0 and holds:
                    break  # another rival decides
                if step == 1 and not holds:
                    # The reference prior itself does not make the class dominate: nothing may be replaced.
                    log_kept = 0.0
                    break
                if step > 1:
                    safe, lost = (tried, lost) if holds else (safe, tried)
                    log_kept = safe
                    if safe - lost < 1e-12:
                        break
            if log_kept == 0.0:
                break
        out[r] = 1.0 if log_kept <= np.log(LEAST_KEPT) else 1.0 - np.exp(log_kept)


@kernel
def compression_contest(evidence: Evidence, priors: Compression, rival: IntArray, worst: FloatArray) -> None:
    """Fill in the class that some prior brings closest to the best, or past it, and that prior, (k, rows).

    Without members there is no prior to blame: the next most probable class is the rival, the prior NaN. A
    SPODE that is left out has the prior ε; one of them also takes the mass that the others do not need.
    """
    codes, n_states, posterior, reference, best, _ = evidence
    feasible, base, kappa, eps = priors
    k, n, n_classes = posterior.shape
    members = np.empty(k, np.int64)
    member_base, difference, log_y, kept = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    for r in range(n):
        size = _find_members(codes, n_states, feasible, base, r, members, member_base)
        spare = size < k
        mass = 1.0 - eps - (k - size) * eps
        rival[r] = -1
        closest, advantage = -np.inf, np.inf
        for d in range(n_classes):
            if d == best[r]:
                continue
            if size == 0:
                if reference[r, d] > closest:
                    closest = reference[r, d]
                    rival[r] = d
                continue
            for m in range(size):
                difference[m] = posterior[members[m], r, best[r]] - posterior[members[m], r, d]
            minimum = minimise_compression(
                difference[:size], member_base[:size], kappa, eps, mass, spare, log_y[:size]
            )
            # Relative to the scores themselves: rivals of little probability would all be close otherwise.
            scale = 0.0
            for m in range(size):
                sum_ = posterior[members[m], r, best[r]] + posterior[members[m], r, d]
                scale += (abs(member_base[m]) + kappa * abs(log_y[m])) * sum_
            if minimum / scale < advantage:
                advantage = minimum / scale
                rival[r] = d
                for m in range(size):
                    kept[m] = log_y[m]
        for j in range(k):
            worst[j, r] = np.nan if size == 0 or rival[r] < 0 else eps
        if size == 0 or rival[r] < 0:
            continue
        rest = 1.0 - eps - (k - size) * eps
        for m in range(size):
            worst[members[m], r] = np.exp(kept[m])
            rest -= worst[members[m], r]
        if spare:
            # The first SPODE that is left out.
            j = 0
            while j < size and members[j] == j:
                j += 1
            worst[j, r] += rest
