"""NCC and NCC2: sets and bounds under all priors of the imprecise Dirichlet model (§8, §13).

One row at a time: only the features count whose value the row knows or which may have any, and ``k`` is their
number. With ``mass_c = n(c) + sλ/l``, ``lower_a`` and ``upper_a`` the masses of a value with a class
(``n(a_i,c) + sλ/(l v_i)``, without and with the missing cells that may be it) and ``free = s(1-λ)``, the part
of the pseudo-count that moves, the least ratio of the probabilities of c and d is the minimum over
0 ≤ x ≤ free of

    h(x) = ((mass_d + x)/(mass_c + free - x))^(k-1) · Π_i lower_ic/(upper_id + x)

which has a convex logarithm: no value has more mass than its class. A feature that some training rows leave
out (``missing="marginalize"`` beside conservative features) has instead of its share of the power the ratio
``(known_id + x)/(known_ic + free - x)`` of the rows that know it.

A cell of the row that may have any value has the factor of the worst one, ``min_a lower_ac/(upper_ad + x)``,
the inverse of the highest of several lines: as x grows, one value after another takes over. Between two such
changes log h is convex as before, so that each such piece has its own minimum, and the least of them counts.
"""

from typing import NamedTuple

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._kernels._arguments import DirichletMasses
from skcredal._kernels._jit import kernel

__all__ = ["minimise_log_ratio", "ncc_intervals", "ncc_sets"]

# The logarithm of the least ratio must exceed this: classes equal up to rounding stay together (§7).
TIE = 1e-10
# Newton's last step, relative to the nearest pole of log h. At a minimum, so small an error in x changes the
# value only by its square.
LAST_STEP = 1e-10


class Row(NamedTuple):
    """What a row says, filled in by :func:`_read`; of each array only the first few entries are used.

    ``upper``, (n_classes, k), and ``log_lower``, (n_classes,): the upper masses of its values, and Σ_i log of
    their lower masses. ``known``, (n_classes, k): the masses of the classes in the training rows that know a
    feature, for the features that not all of them know. ``open_cells``, (k,): the features that may have any
    value. ``sizes``, (3,): how many there are of each of these. ``worst``, (k,): room for the values that
    make the factors of the open cells least.
    """

    upper: FloatArray
    log_lower: FloatArray
    known: FloatArray
    open_cells: IntArray
    sizes: IntArray
    worst: IntArray


@kernel
def _make_row(n_classes: int, k: int) -> Row:
    """Return room for a row of k features."""
    return Row(
        np.empty((n_classes, k)),
        np.empty(n_classes),
        np.empty((n_classes, k)),
        np.empty(k, np.int64),
        np.empty(3, np.int64),
        np.empty(k, np.int64),
    )


@kernel
def _read(codes: CodeArray, masses: DirichletMasses, r: int, row: Row) -> None:
    """Fill in what a row says."""
    n_classes = len(masses.mass_c)
    size, n_known, n_open = 0, 0, 0
    for c in range(n_classes):
        row.log_lower[c] = 0.0
    for i in range(len(codes)):
        a = np.int64(codes[i, r])
        if a > masses.n_states[i]:
            row.open_cells[n_open] = i
            n_open += 1
        elif a < masses.n_states[i]:
            for c in range(n_classes):
                lower = masses.lower[masses.offsets[i] + a * n_classes + c]
                row.upper[c, size] = masses.upper[masses.offsets[i] + a * n_classes + c]
                # A count of zero, which only contamination makes a positive mass.
                row.log_lower[c] += np.log(lower) if lower > 0.0 else -np.inf
                if not masses.whole[i]:
                    row.known[c, n_known] = masses.known[i, c]
                    if masses.known[i, c] == 0.0:
                        # No row of the class knows the feature: x/x, or any other ratio that is 1 throughout.
                        row.known[c, n_known] = row.upper[c, size] = 1.0
            size += 1
            if not masses.whole[i]:
                n_known += 1
    row.sizes[0], row.sizes[1], row.sizes[2] = size, n_known, n_open


@kernel
def _slope_and_curvature(
    mass_c: float,
    mass_d: float,
    upper_d: FloatArray,
    known_c: FloatArray,
    known_d: FloatArray,
    free: float,
    x: float,
) -> tuple[float, float]:
    """Return the first two derivatives of log h at x; a count of zero makes a pole at 0."""
    k, p = len(upper_d), len(known_d)
    # The brackets make the last term exactly mass_c at x = free.
    up, down = 1.0 / (mass_d + x), 1.0 / (mass_c + (free - x))
    slope = (k - p - 1) * (up + down)
    curvature = (k - p - 1) * (down * down - up * up)
    for m in range(p):
        up, down = 1.0 / (known_d[m] + x), 1.0 / (known_c[m] + (free - x))
        slope += up + down
        curvature += down * down - up * up
    for m in range(k):
        mass = upper_d[m] + x
        if mass == 0.0:
            return -np.inf, np.inf
        inverse = 1.0 / mass
        slope -= inverse
        curvature += inverse * inverse
    return slope, curvature


@kernel
def minimise_log_ratio(
    mass_c: float,
    mass_d: float,
    log_lower_c: float,
    upper_d: FloatArray,
    known_c: FloatArray,
    known_d: FloatArray,
    free: float,
    low: float,
    high: float,
) -> float:
    """Return the minimum of log h from ``low`` to ``high``; ``log_lower_c`` is Σ_i log lower_ic.

    ``known_c`` and ``known_d`` are empty where every feature is known in all training rows. A slope of one
    sign throughout puts the minimum at an end. Otherwise Newton's method finds where the slope is 0, and
    halves the bracket wherever a step would leave it.
    """
    k, p = len(upper_d), len(known_d)
    # log h is convex: the slopes at the two ends say whether the minimum is at one of them.
    x = low
    if k == 0 or _slope_and_curvature(mass_c, mass_d, upper_d, known_c, known_d, free, high)[0] <= 0.0:
        x = high
    elif _slope_and_curvature(mass_c, mass_d, upper_d, known_c, known_d, free, low)[0] < 0.0:
        lower, upper, pole = low, high, mass_c
        for m in range(p):
            pole = min(pole, known_c[m])
        # Newton alone could leap out of the bracket, where a pole makes the slope steep.
        x = (low + high) / 2.0
        for _ in range(200):
            slope, curvature = _slope_and_curvature(mass_c, mass_d, upper_d, known_c, known_d, free, x)
            if slope < 0.0:
                lower = x
            else:
                upper = x
            following = x - slope / curvature
            if not lower < following < upper:
                following = (lower + upper) / 2.0
            step = abs(following - x)
            x = following
            if step <= LAST_STEP * min(x, pole + (free - x)):
                break
    log_h = float((k - p - 1) * (np.log(mass_d + x) - np.log(mass_c + (free - x))) + log_lower_c)
    for m in range(p):
        log_h += np.log(known_d[m] + x) - np.log(known_c[m] + (free - x))
    for m in range(k):
        log_h -= np.log(upper_d[m] + x)
    return log_h


@kernel
def _find_worst(masses: DirichletMasses, i: int, c: int, d: int) -> int:
    """Return the value of a feature whose factor is the least at x = 0, or -1 if one is 0 throughout."""
    n_classes, worst = len(masses.mass_c), 0
    begin = masses.offsets[i]
    for a in range(masses.n_states[i]):
        lower, upper = masses.lower[begin + a * n_classes + c], masses.upper[begin + a * n_classes + d]
        if lower == 0.0:
            return -1
        lower_worst = masses.lower[begin + worst * n_classes + c]
        upper_worst = masses.upper[begin + worst * n_classes + d]
        # Of equal ones the one that is the least as soon as x grows; else there could be a pole at 0 alone.
        this, that = lower * upper_worst, lower_worst * upper
        if this < that or (this == that and lower < lower_worst):
            worst = a
    return worst


@kernel
def _find_next(masses: DirichletMasses, i: int, c: int, d: int, worst: int, x: float) -> tuple[float, int]:
    """Return where beyond x another value takes over as the worst, and which; infinity if none does.

    The factor of a is the inverse of the line (upper_ad + x)/lower_ac. Only a steeper line, of a smaller mass
    with c, can overtake the highest one; the first to do so is the next.
    """
    n_classes, begin = len(masses.mass_c), masses.offsets[i]
    lower = masses.lower[begin + worst * n_classes + c]
    upper = masses.upper[begin + worst * n_classes + d]
    where, which = np.inf, worst
    for a in range(masses.n_states[i]):
        lower_a, upper_a = masses.lower[begin + a * n_classes + c], masses.upper[begin + a * n_classes + d]
        if lower_a < lower:
            # Rounding may put a crossing a little before x, where the last one was.
            crossing = max((upper * lower_a - upper_a * lower) / (lower - lower_a), x)
            if crossing < where:
                where, which = crossing, a
    return where, which


@kernel
def _least_log_ratio(masses: DirichletMasses, row: Row, c: int, d: int) -> float:
    """Return the minimum of log h over all priors, and over all values of the cells that may have any."""
    # A value never seen with c gives its ratio 0 under some prior: c dominates nobody (§8).
    if row.log_lower[c] == -np.inf:
        return -np.inf
    size, n_known, n_open = row.sizes
    n_classes, free = len(masses.mass_c), masses.free
    known_c, known_d = row.known[c, :n_known], row.known[d, :n_known]
    upper_d = row.upper[d, : size + n_open]
    for m in range(n_open):
        row.worst[m] = _find_worst(masses, row.open_cells[m], c, d)
        if row.worst[m] < 0:
            return -np.inf
    # Piece by piece; where no cell is open, [0, free] is the only one.
    least, x = np.inf, 0.0
    while True:
        log_lower, end, changing, next_worst = row.log_lower[c], free, -1, -1
        for m in range(n_open):
            i = row.open_cells[m]
            cell = masses.offsets[i] + row.worst[m] * n_classes
            log_lower += np.log(masses.lower[cell + c])
            upper_d[size + m] = masses.upper[cell + d]
            where, which = _find_next(masses, i, c, d, row.worst[m], x)
            if where < end:
                end, changing, next_worst = where, m, which
        minimum = minimise_log_ratio(
            masses.mass_c[c], masses.mass_c[d], log_lower, upper_d, known_c, known_d, free, x, end
        )
        least = min(least, minimum)
        if changing < 0:
            return least
        row.worst[changing] = next_worst
        x = end


@kernel
def ncc_sets(codes: CodeArray, masses: DirichletMasses, best: IntArray, out: BoolArray) -> None:
    """Fill in the maximal sets; ``best`` is the most probable class of each row under the reference prior.

    It is tested against all others first, and only the survivors are compared with each other, which gives
    the same set because dominance is transitive. It may be dominated itself, by a survivor.
    """
    k, n = codes.shape
    n_classes = len(masses.mass_c)
    row = _make_row(n_classes, k)
    for r in range(n):
        _read(codes, masses, r, row)
        # The best class first: where the data decide, it alone removes all rivals, at one test each.
        b = best[r]
        for d in range(n_classes):
            out[r, d] = d == b or not _least_log_ratio(masses, row, b, d) > TIE
        # A class that is dominated at all is dominated by a survivor.
        for c in range(n_classes):
            for d in range(n_classes):
                if c != b and c != d and out[r, c] and out[r, d]:
                    out[r, d] = not _least_log_ratio(masses, row, c, d) > TIE


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
def ncc_intervals(codes: CodeArray, masses: DirichletMasses, reference: FloatArray, out: FloatArray) -> None:
    """Fill in bounds on the probability of every class, (rows, classes, 2), which hold the reference too.

    Every ratio is taken at its own extreme: exact for two classes; for more, where no single prior may attain
    all of them, the bounds may be wider than necessary.
    """
    k, n = codes.shape
    n_classes = len(masses.mass_c)
    row = _make_row(n_classes, k)
    most, least = np.zeros((n_classes, n_classes)), np.zeros((n_classes, n_classes))
    for r in range(n):
        _read(codes, masses, r, row)
        for c in range(n_classes):
            for d in range(n_classes):
                if c != d:
                    minimum = _least_log_ratio(masses, row, c, d)
                    # The least ratio of c to d is the inverse of the greatest of d to c.
                    most[c, d], least[d, c] = -minimum, minimum
        for c in range(n_classes):
            out[r, c, 0] = min(reference[r, c], _share(most[c]))
            out[r, c, 1] = max(reference[r, c], _share(least[c]))
