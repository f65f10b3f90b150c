"""Slow, plain oracles written straight from the definitions of SPEC §1–§7; nothing of ours is imported.

Rows hold codes `0..v_j-1`, or None where the cell is unknown; classes are `0..l-1`. Counts and SPODE
probabilities are exact fractions, logarithms come from mpmath, minima from scipy's general solvers.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypedDict, TypeVar

import mpmath  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog, minimize

Number = int | float | Fraction
Row = Sequence[int | None]
Posteriors = Sequence[Sequence[Number] | None]
State = TypeVar("State", bound=Hashable)

SURVIVAL = 1e-4  # SPODEs below this share of the largest likelihood leave the BMA ensembles (§5)
TIE = 1e-12  # two classes of the prior closer than this are tied (§7)
SOLVER_TOLERANCE = 1e-8  # normalised minima below this are not told from 0; §7's own 1e-12 needs closed forms


# --- §1, §2: counts and parameters ----------------------------------------------------------------


class Counts(NamedTuple):
    """§2: n(c), n(c, a_j) as n_ca[j][a][c], and n(c, a_i, a_j) as n_cab[i, j][a][b][c] for i < j."""

    n_states: list[int]
    n_classes: int
    n_c: list[Fraction]
    n_ca: list[list[list[Fraction]]]
    n_cab: dict[tuple[int, int], list[list[list[Fraction]]]]


def count_tables(
    codes: Sequence[Row],
    y: Sequence[int],
    n_states: Sequence[int],
    n_classes: int,
    weights: Sequence[Number] | None = None,
) -> Counts:
    """§2: the sufficient statistics, exact; a row counts wherever the cells concerned are known."""
    k = len(n_states)
    n_c = [Fraction(0)] * n_classes
    n_ca = [[[Fraction(0)] * n_classes for _ in range(v)] for v in n_states]
    n_cab = {
        (i, j): [[[Fraction(0)] * n_classes for _ in range(n_states[j])] for _ in range(n_states[i])]
        for i, j in itertools.combinations(range(k), 2)
    }
    for row, c, weight in zip(codes, y, _exact_weights(weights, len(y)), strict=True):
        n_c[c] += weight
        for j, a in enumerate(row):
            if a is not None:
                n_ca[j][a][c] += weight
        for (i, a), (j, b) in itertools.combinations(enumerate(row), 2):
            if a is not None and b is not None:
                n_cab[i, j][a][b][c] += weight
    return Counts(list(n_states), n_classes, n_c, n_ca, n_cab)


def class_prior(counts: Counts, ess: int | Fraction = 1) -> list[Fraction]:
    """§2: P(c) = (n(c) + s/l) / (n + s)."""
    s, n = Fraction(ess), sum(counts.n_c)
    return [(n_c + s / counts.n_classes) / (n + s) for n_c in counts.n_c]


def spode_joint(counts: Counts, row: Row, ess: int | Fraction = 1) -> list[list[Fraction] | None]:
    """§2, §3: P(c, known cells | s_j) for each j and c; None where the super-parent is unknown (§1)."""
    prior = class_prior(counts, ess)
    joints: list[list[Fraction] | None] = []
    for j, a in enumerate(row):
        if a is None:
            joints.append(None)
            continue
        joint = []
        for c in range(counts.n_classes):
            p = prior[c] * _p_value(counts, j, a, c, Fraction(ess))
            for i, b in enumerate(row):
                if i != j and b is not None:
                    p *= _p_value_given_parent(counts, i, b, j, a, c, Fraction(ess))
            joint.append(p)
        joints.append(joint)
    return joints


def spode_posteriors(counts: Counts, row: Row, ess: int | Fraction = 1) -> list[list[Fraction] | None]:
    """§3: P(c | known cells, s_j), the joints normalised over the classes."""
    return [None if joint is None else _normalised(joint) for joint in spode_joint(counts, row, ess)]


def _p_value(counts: Counts, j: int, a: int, c: int, s: Fraction) -> Fraction:
    """§2: P(a_j | c), divided by the rows in which cell j is known (§1, marginalize)."""
    cells = counts.n_classes * counts.n_states[j]
    known = sum(counts.n_ca[j][value][c] for value in range(counts.n_states[j]))
    return (counts.n_ca[j][a][c] + s / cells) / (known + s / counts.n_classes)


def _p_value_given_parent(counts: Counts, i: int, b: int, j: int, a: int, c: int, s: Fraction) -> Fraction:
    """§2: P(a_i = b | a_j = a, c), divided by the rows in which both cells are known (§1, marginalize)."""
    cells = counts.n_classes * counts.n_states[j]
    known = sum(_n_pair(counts, i, value, j, a, c) for value in range(counts.n_states[i]))
    return (_n_pair(counts, i, b, j, a, c) + s / (cells * counts.n_states[i])) / (known + s / cells)


def _n_pair(counts: Counts, i: int, b: int, j: int, a: int, c: int) -> Fraction:
    """§2: n(c, a_i = b, a_j = a), whichever of i and j comes first."""
    return counts.n_cab[i, j][b][a][c] if i < j else counts.n_cab[j, i][a][b][c]


def _normalised(scores: Sequence[Fraction]) -> list[Fraction]:
    """§3: scores divided by their sum."""
    total = sum(scores)
    return [score / total for score in scores]


def _exact_weights(weights: Sequence[Number] | None, n: int) -> list[Fraction]:
    """§2: the row weights as fractions; a double is one exactly."""
    return [Fraction(1)] * n if weights is None else [Fraction(weight) for weight in weights]


# --- §4: likelihoods ------------------------------------------------------------------------------


def log_likelihoods(
    counts: Counts,
    codes: Sequence[Row],
    y: Sequence[int],
    ess: int | Fraction = 1,
    floor: float = 0.0,
    weights: Sequence[Number] | None = None,
) -> list[float]:
    """§4: LL_j = Σ_i w_i log P(c_i|a_i,s_j), each P floored; without the super-parent: log P(c_i)."""
    prior = class_prior(counts, ess)
    with mpmath.workdps(50):
        log_lik = [mpmath.mpf(0)] * len(counts.n_states)
        for row, c, weight in zip(codes, y, _exact_weights(weights, len(y)), strict=True):
            for j, posterior in enumerate(spode_posteriors(counts, row, ess)):
                p = prior[c] if posterior is None else max(posterior[c], Fraction(floor))
                log_lik[j] += _mpf(weight) * mpmath.log(_mpf(p))
        return [float(total) for total in log_lik]


def null_log_likelihood(n_c: Sequence[Number]) -> float:
    """§4: LL_0 = −n H(C) = Σ_c n_c log(n_c/n) with the empirical frequencies."""
    exact = [Fraction(count) for count in n_c]
    n = sum(exact, Fraction(0))
    with mpmath.workdps(50):
        return float(sum(_mpf(count) * mpmath.log(_mpf(count / n)) for count in exact if count))


def _mpf(q: Fraction) -> Any:
    """Return the fraction as an mpmath number of the working precision (§4)."""
    return mpmath.mpf(q.numerator) / q.denominator


# --- §5: determinate classifiers ------------------------------------------------------------------


def aode_posterior(
    counts: Counts,
    row: Row,
    ess: int | Fraction = 1,
    average: Literal["posterior", "joint"] = "posterior",
) -> list[float]:
    """§5: the mean of the posteriors (or of the joints) of the SPODEs available in the row; none: P(c)."""
    spodes = {"posterior": spode_posteriors, "joint": spode_joint}[average](counts, row, ess)
    available = [p for p in spodes if p is not None]
    if not available:
        return [float(p) for p in class_prior(counts, ess)]
    sums = [sum(column, Fraction(0)) for column in zip(*available, strict=True)]
    return [float(p) for p in _normalised(sums)]


def bma_weights(log_lik: Sequence[float]) -> list[float]:
    """§5: weights ∝ exp(LL_j − max LL), those below 1e-4 of the maximum set to 0."""
    likelihoods = [lik if lik >= SURVIVAL else 0.0 for lik in _relative_likelihoods(log_lik)]
    return [lik / math.fsum(likelihoods) for lik in likelihoods]


def comp_weights(log_lik: Sequence[float], log_lik_null: float, eps: float) -> list[float]:
    """§5: π_j/Σπ over the models with π_j > 0 under the uniform prior; all 0 if there is none."""
    k, b = len(log_lik), log_lik_null + math.log(eps)
    coefficients = [max(0.0, 1 - (ll + math.log((1 - eps) / k)) / b) for ll in log_lik]
    total = math.fsum(coefficients)
    return [pi / total if total > 0 else 0.0 for pi in coefficients]


def mixture(
    weights: Sequence[float], posteriors_per_spode: Posteriors, prior: Sequence[Number]
) -> list[float]:
    """§1, §5: Σ_j w_j P(c|a,s_j), weights renormalised over the row's available SPODEs; none left: P(c)."""
    pairs = zip(weights, posteriors_per_spode, strict=True)
    available = [(w, p) for w, p in pairs if p is not None and w > 0]
    if not available:
        return [float(p) for p in prior]
    total = math.fsum(w for w, _ in available)
    return [math.fsum(w * float(p[c]) for w, p in available) / total for c in range(len(prior))]


def _relative_likelihoods(log_lik: Sequence[float]) -> list[float]:
    """§5: L_j relative to the largest, exp(LL_j − max LL)."""
    return [math.exp(ll - max(log_lik)) for ll in log_lik]


# --- §1: imputation and discretisation ------------------------------------------------------------


def weighted_median(values: Sequence[float], weights: Sequence[Number] | None = None) -> float:
    """§1, §2: the median, integer weights repeating values; an even count: the mean of the middle two."""
    ordered = sorted(_repeated(values, weights))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else _mean_of_two(ordered[middle - 1], ordered[middle])


def mode(values: Sequence[State], order: Sequence[State], weights: Sequence[Number] | None = None) -> State:
    """§1: the state of `order` with the largest total weight; ties: the first in `order`."""
    totals: dict[State, Fraction] = dict.fromkeys(order, Fraction(0))
    for value, weight in zip(values, _exact_weights(weights, len(values)), strict=True):
        if value in totals:
            totals[value] += weight
    return max(order, key=lambda state: totals[state])


def mdl_cuts(
    values: Sequence[float], labels: Sequence[int], weights: Sequence[Number] | None = None
) -> list[float]:
    """§1: Fayyad–Irani cuts by trying every candidate; candidates are compared as exact integers."""
    return sorted(_cuts_within(sorted(_repeated(list(zip(values, labels, strict=True)), weights))))


def bin_of(value: float, cuts: Sequence[float]) -> int:
    """§1: the bin of a value; a bin holds its upper cut."""
    return sum(cut < value for cut in cuts)


def _cuts_within(pairs: list[tuple[float, int]]) -> list[float]:
    """§1: the best cut of the sorted (value, label) pairs, if accepted, and those of both its sides."""
    best: tuple[int, int, float] | None = None
    distinct = sorted({value for value, _ in pairs})
    for lower, upper in itertools.pairwise(distinct):
        numerator, denominator = _exponential_entropy([label for value, label in pairs if value <= lower])
        right_numerator, right_denominator = _exponential_entropy([c for value, c in pairs if value >= upper])
        numerator, denominator = numerator * right_numerator, denominator * right_denominator
        if best is None or numerator * best[1] < best[0] * denominator:
            best = numerator, denominator, _cut_between(lower, upper)
    if best is None:
        return []
    cut = best[2]
    left, right = [pair for pair in pairs if pair[0] <= cut], [pair for pair in pairs if pair[0] > cut]
    if not _accepts([label for _, label in left], [label for _, label in right]):
        return []
    return [*_cuts_within(left), cut, *_cuts_within(right)]


def _exponential_entropy(labels: Sequence[int]) -> tuple[int, int]:
    """§1: exp(N·Ent) = N^N / Π_c n_c^n_c as an integer numerator and denominator."""
    return len(labels) ** len(labels), math.prod(count**count for count in Counter(labels).values())


def _accepts(left: list[int], right: list[int]) -> bool:
    """§1: Gain > (log2(N−1) + Δ)/N, at 60 digits; a difference below 1e-50 is an equality."""
    n = len(left) + len(right)
    with mpmath.workdps(60):
        ent, ent_1, ent_2 = _entropy([*left, *right]), _entropy(left), _entropy(right)
        m, m_1, m_2 = len(set(left) | set(right)), len(set(left)), len(set(right))
        gain = ent - (len(left) * ent_1 + len(right) * ent_2) / n
        delta = mpmath.log(3**m - 2, 2) - (m * ent - m_1 * ent_1 - m_2 * ent_2)
        return bool(gain - (mpmath.log(n - 1, 2) + delta) / n > mpmath.mpf("1e-50"))


def _entropy(labels: Sequence[int]) -> Any:
    """§1: the class entropy in bits, at the working precision."""
    shares = [Fraction(count, len(labels)) for count in Counter(labels).values()]
    return -sum((_mpf(p) * mpmath.log(_mpf(p), 2) for p in shares), mpmath.mpf(0))


def _cut_between(lower: float, upper: float) -> float:
    """§1: the midpoint, or the lower value where the midpoint rounds to the upper one."""
    middle = _mean_of_two(lower, upper)
    return middle if lower <= middle < upper else lower


def _mean_of_two(first: float, second: float) -> float:
    """§1: the mean of two doubles, even where their sum overflows."""
    total = first + second
    return first / 2 + second / 2 if math.isinf(total) else total / 2


Item = TypeVar("Item")


def _repeated(items: Sequence[Item], weights: Sequence[Number] | None) -> list[Item]:
    """§2: each item as many times as its integer weight says."""
    repeated: list[Item] = []
    for item, weight in zip(items, _exact_weights(weights, len(items)), strict=True):
        if weight.denominator != 1 or weight < 0:
            raise ValueError(f"weights must be non-negative integers to repeat rows, got {weight}.")
        repeated += [item] * int(weight)
    return repeated


# --- §6, §7: BMA-AODE* ----------------------------------------------------------------------------


def bma_min_ratio(p1: Sequence[Number], p2: Sequence[Number], log_lik: Sequence[float], eps: float) -> float:
    """§6 and the paper's appendix: min of Σ p1_j L_j P_j / Σ p2_j L_j P_j by the Charnes–Cooper program.

    Variables y_j = P_j t and t = 1/Σ δ_j P_j; inf if the denominator vanishes everywhere.
    """
    lik, first, second = _survivors(p1, p2, log_lik)
    gamma = [a * b for a, b in zip(first, lik, strict=True)]
    delta = [a * b for a, b in zip(second, lik, strict=True)]
    if max(delta) == 0:
        return math.inf
    if max(gamma) == 0:
        return 0.0
    k = len(lik)
    y = _solve_linear_program(
        cost=[*(g / max(gamma) for g in gamma), 0.0],
        equalities=[([*(d / max(delta) for d in delta), 0.0], 1.0), ([1.0] * k + [-1.0], 0.0)],
        below_zero=[[-float(i == j) for i in range(k)] + [eps] for j in range(k)],
        lower=[0.0] * (k + 1),
    )
    return _dot(gamma, y[:k]) / _dot(delta, y[:k])


def bma_min_difference(
    p1: Sequence[Number], p2: Sequence[Number], log_lik: Sequence[float], eps: float
) -> float:
    """§7: min of Σ (p1_j − p2_j) L_j P_j over the BMA-AODE* set by an LP, L_j = exp(LL_j − max LL)."""
    return _bma_minimum(p1, p2, log_lik, eps)[0]


def bma_margins(
    posteriors: Posteriors, log_lik: Sequence[float], eps: float, prior: Sequence[Number]
) -> list[list[float]]:
    """§7: entry [c'][c'']: the minimum difference over Σ_j P_j L_j (p'_j + p''_j) at the minimising prior.

    Where no SPODE is left, the relative difference of P(c') and P(c'').
    """
    row_posteriors, row_log_lik = _bma_row(posteriors, log_lik)
    if not row_posteriors:
        return _prior_margins(prior)

    def margin(first: int, second: int) -> float:
        p1, p2 = [p[first] for p in row_posteriors], [p[second] for p in row_posteriors]
        minimum, at = _bma_minimum(p1, p2, row_log_lik, eps)
        scores = [a + b for a, b in zip(p1, p2, strict=True)]
        scale = _dot([a * b for a, b in zip(scores, _relative_likelihoods(row_log_lik), strict=True)], at)
        return minimum / scale if scale > 0 else 0.0

    return _matrix(len(prior), margin)


def bma_set(
    posteriors: Posteriors,
    log_lik: Sequence[float],
    eps: float,
    prior: Sequence[Number],
    reference: Sequence[Number],
    *,
    margins: list[list[float]] | None = None,
) -> list[bool]:
    """§7: the classes that BMA-AODE* returns for one row; posteriors[j] is None if A_j is unknown.

    Margins that were computed before need not be computed again.
    """
    if not _bma_row(posteriors, log_lik)[0]:
        return _with_reference(_most_probable(prior), reference)
    if margins is None:
        margins = bma_margins(posteriors, log_lik, eps, prior)
    return _with_reference(maximal_set(len(prior), lambda c, d: margins[c][d] > SOLVER_TOLERANCE), reference)


def _bma_row(posteriors: Posteriors, log_lik: Sequence[float]) -> tuple[list[list[float]], list[float]]:
    """§1: the row's own surviving SPODEs: those above the 1e-4 cut whose super-parent is known."""
    kept = [j for j, w in enumerate(bma_weights(log_lik)) if w > 0 and posteriors[j] is not None]
    return [[float(p) for p in posteriors[j] or ()] for j in kept], [log_lik[j] for j in kept]


def _bma_minimum(
    p1: Sequence[Number], p2: Sequence[Number], log_lik: Sequence[float], eps: float
) -> tuple[float, list[float]]:
    """§7: the minimum difference and the prior over the survivors at which it is attained."""
    lik, first, second = _survivors(p1, p2, log_lik)
    w = [l_j * (a - b) for l_j, a, b in zip(lik, first, second, strict=True)]
    scale = max(abs(w_j) for w_j in w)
    if scale == 0:
        return 0.0, [1 / len(w)] * len(w)
    at = _solve_linear_program(
        cost=[w_j / scale for w_j in w],
        equalities=[([1.0] * len(w), 1.0)],
        below_zero=[],
        lower=[eps] * len(w),
    )
    return _dot(w, at), at


def _survivors(
    p1: Sequence[Number], p2: Sequence[Number], log_lik: Sequence[float]
) -> tuple[list[float], list[float], list[float]]:
    """§6: relative likelihoods and both posteriors of the SPODEs that survive the 1e-4 cut."""
    lik = _relative_likelihoods(log_lik)
    kept = [j for j, l_j in enumerate(lik) if l_j >= SURVIVAL]
    return [lik[j] for j in kept], [float(p1[j]) for j in kept], [float(p2[j]) for j in kept]


def _solve_linear_program(
    cost: list[float],
    equalities: list[tuple[list[float], float]],
    below_zero: list[list[float]],
    lower: list[float],
) -> list[float]:
    """Minimise cost·x with HiGHS subject to a·x = b, g·x ≤ 0 and x ≥ lower; a failure is an error (§7)."""
    result = linprog(
        cost,
        A_ub=np.array(below_zero) if below_zero else None,
        b_ub=np.zeros(len(below_zero)) if below_zero else None,
        A_eq=np.array([a for a, _ in equalities]),
        b_eq=np.array([b for _, b in equalities]),
        bounds=[(bound, None) for bound in lower],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.x is None or not result.success:
        raise RuntimeError(f"linprog failed: {result.message}")
    return [float(x) for x in result.x]


# --- §6, §7: COMP-AODE* ---------------------------------------------------------------------------


def comp_feasible(log_lik: Sequence[float], log_lik_null: float, eps: float, k: int) -> list[bool]:
    """§6: whether the upper coefficient 1 − (LL_j + log(1 − kε))/(LL_0 + log ε) is positive."""
    b = log_lik_null + math.log(eps)
    return [1 - (ll + math.log(1 - k * eps)) / b > 0 for ll in log_lik]


def comp_min_difference(
    d: Sequence[float],
    log_lik: Sequence[float],
    log_lik_null: float,
    eps: float,
    *,
    available: Sequence[bool] | None = None,
    starts: int = 12,
    seed: int = 0,
) -> float:
    """§7: min of Σ d_j π_j over the whole COMP-AODE* set, j feasible and available, by multi-start SLSQP."""
    return _comp_minimum(d, log_lik, log_lik_null, eps, available, starts, seed)[0]


def comp_lower_probability(
    p: Sequence[float],
    log_lik: Sequence[float],
    log_lik_null: float,
    eps: float,
    available: Sequence[bool],
) -> float:
    """§7: min of Σ p_j π_j / Σ π_j over the COMP-AODE* set, j available, which are taken to be feasible.

    It is where the minimum of Σ (p_j - t) π_j changes its sign, found by bisection with 30 digits. That
    minimum is the least of all its candidates: every number of the smallest p_j shares by |p_j - t|, or one
    or none takes all that is free.
    """
    used = sorted((j for j, is_used in enumerate(available) if is_used), key=lambda j: p[j])
    k, size = len(p), len(used)
    with mpmath.workdps(30):
        least = mpmath.mpf(eps)
        b = mpmath.mpf(log_lik_null) + mpmath.log(least)
        mass = 1 - least - (k - size) * least

        def minimum(t: Any) -> Any:
            d = [mpmath.mpf(p[j]) - t for j in used]
            priors = [
                [mass - (size - 1) * least if i == one else least for i in range(size)] for one in range(size)
            ]
            if size < k:
                priors.append([least] * size)
            for n in range(1, size + 1):
                level = mpmath.fsum(d[:n]) / (mass - (size - n) * least)
                if d[n - 1] < 0 and d[n - 1] / level >= least:
                    priors.append([d_j / level for d_j in d[:n]] + [least] * (size - n))
            return min(
                mpmath.fsum(
                    d_j * (1 - (log_lik[j] + mpmath.log(y_j)) / b)
                    for j, d_j, y_j in zip(used, d, prior, strict=True)
                )
                for prior in priors
            )

        low, high = mpmath.mpf(-8), mpmath.mpf(9)
        # Negative coefficients may lead out of [0, 1], but bounds are cut off there anyway.
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if minimum(middle) > 0 else (low, middle)
        return float(low)


def comp_margins(
    posteriors: Posteriors,
    log_lik: Sequence[float],
    log_lik_null: float,
    eps: float,
    prior: Sequence[Number],
    *,
    starts: int = 12,
) -> list[list[float]]:
    """§7: [c'][c'']: the minimum difference over Σ_j (|1 − LL_j/B| + κ|log y_j|)(p'_j + p''_j) there.

    Where no SPODE is left, the relative difference of P(c') and P(c'').
    """
    used = _comp_row(posteriors, log_lik, log_lik_null, eps)
    if not any(used):
        return _prior_margins(prior)
    b = log_lik_null + math.log(eps)
    rows = [[0.0] * len(prior) if p is None else [float(q) for q in p] for p in posteriors]

    def margin(first: int, second: int) -> float:
        d = [p[first] - p[second] for p in rows]
        minimum, at = _comp_minimum(d, log_lik, log_lik_null, eps, used, starts, 0)
        scale = math.fsum(
            (abs(1 - ll / b) + abs(math.log(y_j) / b)) * (p[first] + p[second])
            for ll, y_j, p, is_used in zip(log_lik, at, rows, used, strict=True)
            if is_used
        )
        return minimum / scale if scale > 0 else 0.0

    return _matrix(len(prior), margin)


def comp_set(
    posteriors: Posteriors,
    log_lik: Sequence[float],
    log_lik_null: float,
    eps: float,
    prior: Sequence[Number],
    reference: Sequence[Number],
    *,
    starts: int = 12,
    margins: list[list[float]] | None = None,
) -> list[bool]:
    """§7: the classes that COMP-AODE* returns for one row; posteriors[j] is None if A_j is unknown.

    Margins that were computed before need not be computed again.
    """
    used = _comp_row(posteriors, log_lik, log_lik_null, eps)
    if not any(used):
        return _with_reference(_most_probable(prior), reference)
    if comp_min_difference([1.0] * len(log_lik), log_lik, log_lik_null, eps, available=used) <= 0:
        return [True] * len(prior)
    if margins is None:
        margins = comp_margins(posteriors, log_lik, log_lik_null, eps, prior, starts=starts)
    return _with_reference(maximal_set(len(prior), lambda c, d: margins[c][d] > SOLVER_TOLERANCE), reference)


def _comp_row(
    posteriors: Posteriors, log_lik: Sequence[float], log_lik_null: float, eps: float
) -> list[bool]:
    """§1, §6: the SPODEs that are feasible and whose super-parent the row knows."""
    feasible = comp_feasible(log_lik, log_lik_null, eps, len(log_lik))
    return [ok and p is not None for ok, p in zip(feasible, posteriors, strict=True)]


def _comp_minimum(
    d: Sequence[float],
    log_lik: Sequence[float],
    log_lik_null: float,
    eps: float,
    available: Sequence[bool] | None,
    starts: int,
    seed: int,
) -> tuple[float, list[float]]:
    """§7: the least score difference found and the prior y over all k SPODEs at which it was found."""
    k, b = len(d), log_lik_null + math.log(eps)
    used = [
        ok and (available is None or available[j])
        for j, ok in enumerate(comp_feasible(log_lik, log_lik_null, eps, k))
    ]
    slopes = np.array([float(d_j) if used[j] else 0.0 for j, d_j in enumerate(d)])

    def score(y: Sequence[float]) -> float:
        return math.fsum(d[j] * (1 - (log_lik[j] + math.log(y[j])) / b) for j in range(k) if used[j])

    reference = [(1 - eps) / k] * k
    vertices = [[1 - k * eps if i == j else eps for i in range(k)] for j in range(k)]
    spread = np.random.default_rng(seed).dirichlet(np.ones(k), size=starts)
    interior = [[float(eps + (1 - (k + 1) * eps) * share) for share in shares] for shares in spread]
    candidates = [reference, *vertices]
    if slopes.any():
        found = [_local_minimum(slopes, start, eps) for start in (reference, *vertices, *interior)]
        candidates += found
        candidates.append(_exchanged(slopes, min(found, key=score), eps))
    best = min(candidates, key=score)
    return score(best), best


def _local_minimum(slopes: npt.NDArray[np.float64], start: Sequence[float], eps: float) -> list[float]:
    """§7: SLSQP on Σ d_j log y_j, scaled to max |d_j| = 1, over y_j ≥ ε, Σ y_j = 1 − ε; then put inside."""
    k, scaled = len(slopes), slopes / np.abs(slopes).max()

    def objective(y: npt.NDArray[np.float64]) -> float:
        return float(scaled @ np.log(y))

    def gradient(y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        slope: npt.NDArray[np.float64] = scaled / y
        return slope

    total: Any = {"type": "eq", "fun": lambda y: y.sum() - (1 - eps), "jac": lambda y: np.ones(k)}
    result = minimize(
        objective,
        np.array(start),
        jac=gradient,
        method="SLSQP",
        bounds=[(eps, 1 - k * eps)] * k,
        constraints=total,
        options={"ftol": 1e-15, "maxiter": 500},
    )
    above = np.clip(result.x - eps, 0.0, None)
    if not above.sum() > 0:
        raise RuntimeError(f"SLSQP failed: {result.message}")
    return [float(y_j) for y_j in eps + above * ((1 - (k + 1) * eps) / above.sum())]


def _exchanged(slopes: npt.NDArray[np.float64], start: Sequence[float], eps: float) -> list[float]:
    """§7: polish by moving prior mass between two models at a time, each move the best of its line.

    SLSQP alone loses digits where ε is small and the slopes d_j/ε are steep.
    """
    d, y = [float(slope) for slope in slopes / np.abs(slopes).max()], list(start)
    before, now = math.inf, _dot(d, [math.log(y_j) for y_j in y])
    while now < before - 1e-15:
        for i, j in itertools.combinations(range(len(d)), 2):
            y[i], y[j] = _best_split(d[i], d[j], y[i], y[j], eps)
        before, now = now, _dot(d, [math.log(y_j) for y_j in y])
    return y


def _best_split(d_i: float, d_j: float, y_i: float, y_j: float, eps: float) -> tuple[float, float]:
    """§7: the split of y_i + y_j of least d_i log y_i + d_j log y_j: an end, or the stationary point."""
    shared = y_i + y_j
    splits = [(y_i, y_j), (eps, shared - eps), (shared - eps, eps)]
    if d_i * d_j > 0:
        stationary = shared * d_i / (d_i + d_j)
        if eps < stationary < shared - eps:
            splits.append((stationary, shared - stationary))
    return min(splits, key=lambda split: d_i * math.log(split[0]) + d_j * math.log(split[1]))


# --- §7: sets -------------------------------------------------------------------------------------


def maximal_set(n_classes: int, dominates: Callable[[int, int], bool]) -> list[bool]:
    """§7, the paper's Algorithm 2: every class that no class dominates."""
    non_dominated = [True] * n_classes
    for c in range(n_classes):
        for d in range(n_classes):
            if c != d and dominates(c, d):
                non_dominated[d] = False
    return non_dominated


def _most_probable(prior: Sequence[Number]) -> list[bool]:
    """§7: the argmax of P(c), ties within 1e-12 kept."""
    return [float(p) >= max(float(q) for q in prior) - TIE for p in prior]


def _with_reference(mask: list[bool], reference: Sequence[Number]) -> list[bool]:
    """§7: the first most probable class under the reference prior always belongs."""
    best = max(range(len(mask)), key=lambda c: reference[c])
    return [inside or c == best for c, inside in enumerate(mask)]


def _prior_margins(prior: Sequence[Number]) -> list[list[float]]:
    """§7: relative differences of P(c), which answers where no SPODE is left."""
    return _matrix(len(prior), lambda c, d: float((prior[c] - prior[d]) / (prior[c] + prior[d])))


def _matrix(n_classes: int, entry: Callable[[int, int], float]) -> list[list[float]]:
    """§7: entry(c', c'') for every ordered pair, 0 on the diagonal."""
    return [[entry(c, d) if c != d else 0.0 for d in range(n_classes)] for c in range(n_classes)]


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the inner product, correctly summed."""
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


# --- end to end -----------------------------------------------------------------------------------


class Encoded(NamedTuple):
    """§1: codes of both tables over the features kept, their numbers of states, and which they are."""

    train_codes: list[list[int | None]]
    test_codes: list[list[int | None]]
    n_states: list[int]
    kept: list[int]


class Results(TypedDict):
    """§4–§7: what the classifiers say of the test rows, and the likelihoods behind it."""

    bma: list[list[bool]]
    comp: list[list[bool]]
    bma_proba: list[list[float]]
    comp_proba: list[list[float]]
    aode_proba: list[list[float]]
    log_lik: list[float]
    log_lik_null: float


def encode_table(
    train: Sequence[Sequence[Any]],
    test: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    declared: Sequence[Sequence[Any] | None],
    y: Sequence[int],
    n_classes: int,
) -> Encoded:
    """§1, missing="impute": impute, discretise numeric features, code, drop what is constant in training."""
    if not all(0 <= c < n_classes for c in y):
        raise ValueError(f"labels must lie in 0..{n_classes - 1}.")
    columns = []
    for j, kind in enumerate(kinds):
        train_column, test_column = [row[j] for row in train], [row[j] for row in test]
        if kind == "numeric":
            columns.append(_encode_numeric(train_column, test_column, y))
        else:
            columns.append(_encode_categorical(train_column, test_column, declared[j]))
    kept = [j for j, (codes, _, _) in enumerate(columns) if len(set(codes) - {None}) > 1]
    return Encoded(
        [[columns[j][0][r] for j in kept] for r in range(len(train))],
        [[columns[j][1][r] for j in kept] for r in range(len(test))],
        [columns[j][2] for j in kept],
        kept,
    )


def end_to_end_sets(
    train: Sequence[Sequence[Any]],
    y: Sequence[int],
    test: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    declared: Sequence[Sequence[Any] | None],
    n_classes: int,
    eps: float | Literal["auto"] = "auto",
) -> Results:
    """§1–§7 from raw tables to the sets and posteriors of the test rows, with the default settings."""
    encoded = encode_table(train, test, kinds, declared, y, n_classes)
    k = len(encoded.kept)
    epsilon = min(0.01, 1 / (2 * (k + 1))) if eps == "auto" else eps
    counts = count_tables(encoded.train_codes, y, encoded.n_states, n_classes)
    log_lik = log_likelihoods(counts, encoded.train_codes, y)
    log_lik_null = null_log_likelihood(counts.n_c)
    prior = class_prior(counts)
    results = Results(
        bma=[],
        comp=[],
        bma_proba=[],
        comp_proba=[],
        aode_proba=[],
        log_lik=log_lik,
        log_lik_null=log_lik_null,
    )
    for row in encoded.test_codes:
        posteriors = spode_posteriors(counts, row)
        bma = mixture(bma_weights(log_lik), posteriors, prior)
        comp = mixture(comp_weights(log_lik, log_lik_null, epsilon), posteriors, prior)
        results["aode_proba"].append(aode_posterior(counts, row))
        results["bma_proba"].append(bma)
        results["comp_proba"].append(comp)
        results["bma"].append(bma_set(posteriors, log_lik, epsilon, prior, bma))
        results["comp"].append(comp_set(posteriors, log_lik, log_lik_null, epsilon, prior, comp))
    return results


def _encode_numeric(
    train: Sequence[Any], test: Sequence[Any], y: Sequence[int]
) -> tuple[list[int | None], list[int | None], int]:
    """§1: median in, then the bins of the MDL cuts; nothing observed leaves every cell unknown."""
    observed = [float(value) for value in train if value is not None]
    if not observed:
        return [None] * len(train), [None] * len(test), 0
    median = weighted_median(observed)
    filled = [median if value is None else float(value) for value in train]
    cuts = mdl_cuts(filled, y)
    test_filled = [median if value is None else float(value) for value in test]
    return [bin_of(x, cuts) for x in filled], [bin_of(x, cuts) for x in test_filled], len(cuts) + 1


def _encode_categorical(
    train: Sequence[Any], test: Sequence[Any], declared: Sequence[Any] | None
) -> tuple[list[int | None], list[int | None], int]:
    """§1: mode in, then positions among the declared states, else the sorted observed; others are unknown."""
    states = sorted({x for x in train if x is not None}) if declared is None else list(declared)
    observed = [value for value in train if value in states]
    if not observed:
        return [None] * len(train), [None] * len(test), len(states)
    fill = mode(observed, states)

    def code(value: Any) -> int | None:
        value = fill if value is None else value
        return states.index(value) if value in states else None

    return [code(value) for value in train], [code(value) for value in test], len(states)
