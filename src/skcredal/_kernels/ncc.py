"""NCC: sets and bounds under all priors of the imprecise Dirichlet model (§8).

One row at a time: only the features whose value the row knows count, and ``k`` is their number. With ``mass_c
= n(c) + sλ/l``, ``mass_a = n(a_i,c) + sλ/(l v_i)`` and ``free = s(1-λ)``, the part of the pseudo-count that
moves, the least ratio of the probabilities of c and d is the minimum over 0 ≤ x ≤ free of

    h(x) = ((mass_d + x)/(mass_c + free - x))^(k-1) · Π_i mass_ic/(mass_id + x)

which has a convex logarithm: no feature has more mass than its class.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._jit import kernel

__all__ = ["minimise_log_ratio", "ncc_intervals", "ncc_sets"]

# The logarithm of the least ratio must exceed this: classes equal up to rounding stay together (§7).
TIE = 1e-10
# Newton's last step, relative to the nearest pole of log h. At a minimum, so small an error in x changes the
# value only by its square.
LAST_STEP = 1e-10


@kernel
def _slope_and_curvature(
    mass_c: float, mass_d: float, values_d: FloatArray, free: float, x: float
) -> tuple[float, float]:
    """Return the first two derivatives of log h at x; a count of zero makes a pole at 0."""
    k = len(values_d)
    # The brackets make the last term exactly mass_c at x = free.
    up, down = 1.0 / (mass_d + x), 1.0 / (mass_c + (free - x))
    slope = (k - 1) * (up + down)
    curvature = (k - 1) * (down * down - up * up)
    for m in range(k):
        mass = values_d[m] + x
        if mass == 0.0:
            return -np.inf, np.inf
        inverse = 1.0 / mass
        slope -= inverse
        curvature += inverse * inverse
    return slope, curvature


@kernel
def minimise_log_ratio(
    mass_c: float, mass_d: float, log_values_c: float, values_d: FloatArray, free: float
) -> float:
    """Return the minimum of log h; ``log_values_c`` is Σ_i log mass_ic, ``values_d`` holds mass_id.

    A slope of one sign throughout puts it at an end. Otherwise Newton's method finds where the slope is 0,
    and halves the bracket wherever a step would leave it.
    """
    # A value never seen with c gives its ratio 0 under some prior: c dominates nobody (§8).
    if log_values_c == -np.inf:
        return -np.inf
    k = len(values_d)
    # log h is convex: the slopes at the two ends say whether the minimum is at one of them.
    x = 0.0
    if k == 0 or _slope_and_curvature(mass_c, mass_d, values_d, free, free)[0] <= 0.0:
        x = free
    elif _slope_and_curvature(mass_c, mass_d, values_d, free, 0.0)[0] < 0.0:
        lower, upper = 0.0, free
        # Newton alone could leap out of the bracket, where a pole makes the slope steep.
        x = free / 2.0
        for _ in range(200):
            slope, curvature = _slope_and_curvature(mass_c, mass_d, values_d, free, x)
            if slope < 0.0:
                lower = x
            else:
                upper = x
            following = x - slope / curvature
            if not lower < following < upper:
                following = (lower + upper) / 2.0
            step = abs(following - x)
            x = following
            if step <= LAST_STEP * min(x, mass_c + (free - x)):
                break
    log_h = float((k - 1) * (np.log(mass_d + x) - np.log(mass_c + (free - x))) + log_values_c)
    for m in range(k):
        log_h -= np.log(values_d[m] + x)
    return log_h


@kernel
def _gather(
    codes: CodeArray,
    n_states: IntArray,
    offsets: IntArray,
    mass_a: FloatArray,
    r: int,
    values: FloatArray,
    log_values: FloatArray,
) -> int:
    """Fill in the masses of a row's known values by class, and Σ_i log mass_ic; return how many they are."""
    n_classes = len(values)
    size = 0
    for c in range(n_classes):
        log_values[c] = 0.0
    for i in range(len(codes)):
        a = np.int64(codes[i, r])
        if a < n_states[i]:
            for c in range(n_classes):
                mass = mass_a[offsets[i] + a * n_classes + c]
                values[c, size] = mass
                # A count of zero, which only contamination makes a positive mass.
                log_values[c] += np.log(mass) if mass > 0.0 else -np.inf
            size += 1
    return size


@kernel
def ncc_sets(
    codes: CodeArray,
    n_states: IntArray,
    offsets: IntArray,
    mass_c: FloatArray,
    mass_a: FloatArray,
    free: float,
    best: IntArray,
    out: BoolArray,
) -> None:
    """Fill in the maximal sets; ``best`` is the most probable class of each row under the reference prior.

    It is tested against all others first, and only the survivors are compared with each other, which gives
    the same set because dominance is transitive. It may be dominated itself, by a survivor.
    """
    k, n = codes.shape
    n_classes = len(mass_c)
    values, log_values = np.empty((n_classes, k)), np.empty(n_classes)
    for r in range(n):
        size = _gather(codes, n_states, offsets, mass_a, r, values, log_values)
        # The best class first: where the data decide, it alone removes all rivals, at one test each.
        b = best[r]
        for d in range(n_classes):
            out[r, d] = d == b or not (
                minimise_log_ratio(mass_c[b], mass_c[d], log_values[b], values[d, :size], free) > TIE
            )
        # A class that is dominated at all is dominated by a survivor.
        for c in range(n_classes):
            for d in range(n_classes):
                if c != b and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not (
                        minimise_log_ratio(mass_c[c], mass_c[d], log_values[c], values[d, :size], free) > TIE
                    )


@kernel
def _share(log_odds: FloatArray) -> float:
    """Return 1/Σ_d exp(log_odds_d), where one of them is 0, without overflow."""
    highest = 0.0
    for d in range(len(log_odds)):
        highest = max(highest, log_odds[d])
    # A ratio without bound, which a zero count gives: the lower probability is 0.
    if highest == np.inf:
        return 0.0
    total = 0.0
    for d in range(len(log_odds)):
        total += np.exp(log_odds[d] - highest)
    return float(np.exp(-highest) / total)


@kernel
def ncc_intervals(
    codes: CodeArray,
    n_states: IntArray,
    offsets: IntArray,
    mass_c: FloatArray,
    mass_a: FloatArray,
    free: float,
    reference: FloatArray,
    out: FloatArray,
) -> None:
    """Fill in bounds on the probability of every class, (rows, classes, 2), which hold the reference too.

    Every ratio is taken at its own extreme: exact for two classes; for more, where no single prior may attain
    all of them, the bounds may be wider than necessary.
    """
    k, n = codes.shape
    n_classes = len(mass_c)
    values, log_values = np.empty((n_classes, k)), np.empty(n_classes)
    most, least = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    for r in range(n):
        size = _gather(codes, n_states, offsets, mass_a, r, values, log_values)
        for c in range(n_classes):
            for d in range(n_classes):
                if c != d:
                    minimum = minimise_log_ratio(mass_c[c], mass_c[d], log_values[c], values[d, :size], free)
                    # The least ratio of c to d is the inverse of the greatest of d to c.
                    most[c, d], least[d, c] = -minimum, minimum
        for c in range(n_classes):
            out[r, c, 0] = min(reference[r, c], _share(most[c]))
            out[r, c, 1] = max(reference[r, c], _share(least[c]))
