"""LP-AODE and LP-AODE* from their definition (SPEC §12): plain, slow, and independent of the package.

Rows and classes are as in `oracles`. A table has several codings; `rows[f]` is one row in coding `f`.
Experts are numbered as §12 does: 0 is the null model, then the SPODEs of the first coding, of the second, and
so on. What they say of a row is an array `logs[j, c] = log p_j(c|a)`. Rows are left out by counting anew, the
weights come from scipy's general solver and Newton steps, minima over the credal set from the closed forms
and, to be compared with them, from SLSQP.

Points that §12 leaves open are decided here as follows.

- Rows of positive weight are numbered from 0. The rank of row i is
  `splitmix64(splitmix64(random_state) XOR i)`, where `splitmix64(x)` is the first output of the generator
  whose state is x, all modulo 2**64.
- Real weights: `B·W(x) ≥ b·T − 1e-12·T`, as soon as one weight is not an integer.
- The "score" of a class, whose largest size sets τ, is the exponent of the pool, `Σ_j w_j log p_j(c|a)`.
- A training row without any known super-parent adds `−ω log P(c)` to J, its answer being P(c) whatever the
  weights. For the same reason the frequencies alone explain such a row: they contribute `Δ log P(c)`.
- The most probable classes of P(c) are tied within 1e-12, as in §7.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import erf, erfinv, logsumexp, softmax

from oracles import (
    Counts,
    Number,
    Row,
    _cut_between,
    _exact_weights,
    _most_probable,
    _p_value,
    _p_value_given_parent,
    bin_of,
    class_prior,
    count_tables,
    maximal_set,
    mdl_cuts,
    mode,
    spode_posteriors,
    weighted_median,
)

Array = npt.NDArray[np.float64]

BINS = (5, 10)  # equal frequency, beside MDL
ESS = 4
MAX_ROWS = 2000
CLOSE = 1e-12  # of the total weight: what real weights may lack
AT_BOUND = 1e-6  # of the prior weight: what is nearer to the bound lies on it
TAU = 1e-10  # of the largest score: what log-odds must exceed


# --- codings --------------------------------------------------------------------------------------


class Coding(NamedTuple):
    """§12: the columns that one coding keeps, their numbers of states, and the codes of both tables."""

    features: list[int]
    n_states: list[int]
    train: list[list[int | None]]
    test: list[list[int | None]]


def equal_frequency_cuts(values: Sequence[float], weights: Sequence[Number] | None, bins: int) -> list[float]:
    """§12: for b = 1…B−1 the smallest x with B·W(≤x) ≥ b·W; each cut halfway to the next distinct value."""
    exact = _exact_weights(weights, len(values))
    present = [(value, weight) for value, weight in zip(values, exact, strict=True) if weight > 0]
    total = sum((weight for _, weight in present), Fraction(0))
    slack = 0 if all(weight.denominator == 1 for weight in exact) else Fraction(CLOSE) * total
    distinct = sorted({value for value, _ in present})

    def weight_up_to(x: float) -> Fraction:
        return sum((weight for value, weight in present if value <= x), Fraction(0))

    below = {
        next(i for i, x in enumerate(distinct) if bins * weight_up_to(x) >= b * total - slack)
        for b in range(1, bins)
        if distinct
    }
    # The largest value has no next one to lie halfway to.
    return [_cut_between(distinct[i], distinct[i + 1]) for i in sorted(below) if i + 1 < len(distinct)]


def codings_of_table(
    train: Sequence[Sequence[Any]],
    test: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    declared: Sequence[Sequence[Any] | None],
    y: Sequence[int],
    weights: Sequence[int] | None = None,
    missing: Literal["impute", "marginalize"] = "impute",
) -> list[Coding]:
    """§12: MDL and, if a numeric feature varies, equal frequency with 5 and with 10 bins; None is missing."""
    omega = [1] * len(y) if weights is None else list(weights)
    columns = [
        _Column([row[j] for row in train], [row[j] for row in test], kind, declared[j], y, omega, missing)
        for j, kind in enumerate(kinds)
    ]
    varies = any(column.kind == "numeric" and len(set(column.present())) > 1 for column in columns)
    codings = [_coding(columns, bins) for bins in (None, *(BINS if varies else ()))]
    return [coding for coding in codings if coding.features]


class _Column(NamedTuple):
    """One feature: its cells in both tables, and what the training rows know besides."""

    train: list[Any]
    test: list[Any]
    kind: str
    declared: Sequence[Any] | None
    y: Sequence[int]
    weights: list[int]
    missing: str

    def present(self) -> list[Any]:
        """§2: the known training values (imputing adds no second one to a constant); weight 0 is absent."""
        return [x for x, w in zip(self.train, self.weights, strict=True) if x is not None and w > 0]

    def codes(self, bins: int | None) -> tuple[list[int | None], list[int | None], int]:
        """§1, §12: the codes of both tables and the number of states."""
        if not self.present():
            return [None] * len(self.train), [None] * len(self.test), 0
        if self.kind == "numeric":
            return self._numeric_codes(bins)
        return self._categorical_codes()

    def _numeric_codes(self, bins: int | None) -> tuple[list[int | None], list[int | None], int]:
        """§1: the median in, unless missing cells stay unknown; then the bins of the cuts."""
        known = [(x, w) for x, w in zip(self.train, self.weights, strict=True) if x is not None]
        fill = weighted_median(*zip(*known, strict=True)) if self.missing == "impute" else None
        train = [fill if x is None else float(x) for x in self.train]
        cells = [
            (x, c, w) for x, c, w in zip(train, self.y, self.weights, strict=True) if x is not None and w > 0
        ]
        values, labels, weights = (list(part) for part in zip(*cells, strict=True))
        cuts = (
            mdl_cuts(values, labels, weights) if bins is None else equal_frequency_cuts(values, weights, bins)
        )

        def code(x: Any) -> int | None:
            x = fill if x is None else x
            return None if x is None else bin_of(float(x), cuts)

        return [code(x) for x in train], [code(x) for x in self.test], len(cuts) + 1

    def _categorical_codes(self) -> tuple[list[int | None], list[int | None], int]:
        """§1: the mode in, unless missing cells stay unknown; then positions among the states."""
        states = sorted(set(self.present())) if self.declared is None else list(self.declared)
        fill = mode(self.train, states, self.weights) if self.missing == "impute" else None

        def code(x: Any) -> int | None:
            x = fill if x is None else x
            return states.index(x) if x in states else None

        return [code(x) for x in self.train], [code(x) for x in self.test], len(states)


def _coding(columns: Sequence[_Column], bins: int | None) -> Coding:
    """§12: one coding, without the features that have one bin or one observed value."""
    coded = [column.codes(bins) for column in columns]
    kept = []
    for j, ((codes, _, _), column) in enumerate(zip(coded, columns, strict=True)):
        seen = {a for a, w in zip(codes, column.weights, strict=True) if a is not None and w > 0}
        if len(seen) > 1:
            kept.append(j)
    n_train, n_test = (len(columns[0].train), len(columns[0].test)) if columns else (0, 0)
    return Coding(
        kept,
        [coded[j][2] for j in kept],
        [[coded[j][0][r] for j in kept] for r in range(n_train)],
        [[coded[j][1][r] for j in kept] for r in range(n_test)],
    )


# --- experts --------------------------------------------------------------------------------------


def expert_posteriors(counts: Counts, row: Row, ess: int | Fraction = ESS) -> list[list[Fraction]]:
    """§12: p_j(c|a) of the SPODEs of one coding; P(c) where the row does not know the super-parent."""
    prior = class_prior(counts, ess)
    return [prior if p is None else p for p in spode_posteriors(counts, row, ess)]


def left_out_posteriors(
    codes: Sequence[Row],
    y: Sequence[int],
    n_states: Sequence[int],
    n_classes: int,
    ess: int | Fraction = ESS,
    weights: Sequence[Number] | None = None,
) -> list[list[list[Fraction]]]:
    """§12: p_{−r,j}(c|a_r), every count made anew without row r; what stands in for P(c) is not left out."""
    prior = class_prior(count_tables(codes, y, n_states, n_classes, weights), ess)
    table = []
    for r, row in enumerate(codes):
        others = _exact_weights(weights, len(y))
        others[r] = max(Fraction(0), others[r] - min(Fraction(1), others[r]))
        counts = count_tables(codes, y, n_states, n_classes, others)
        table.append([prior if p is None else p for p in spode_posteriors(counts, row, ess)])
    return table


def counts_without(counts: Counts, row: Row, c: int, weight: Number = 1) -> Counts:
    """§12: the counts less min(1, weight) wherever the row was counted, clamped at 0: the direct formula."""
    less = min(Fraction(1), Fraction(weight))
    n_c = list(counts.n_c)
    n_ca = [[list(by_class) for by_class in table] for table in counts.n_ca]
    n_cab = {pair: [[list(cell) for cell in line] for line in t] for pair, t in counts.n_cab.items()}
    touched = [n_c]
    touched += [n_ca[j][a] for j, a in enumerate(row) if a is not None]
    for i, j in n_cab:
        a, b = row[i], row[j]
        if a is not None and b is not None:
            touched.append(n_cab[i, j][a][b])
    for by_class in touched:
        by_class[c] = max(Fraction(0), by_class[c] - less)
    return Counts(list(counts.n_states), counts.n_classes, n_c, n_ca, n_cab)


def expert_logs(
    prior: Sequence[Number], posteriors_per_coding: Sequence[Sequence[Sequence[Number]]]
) -> Array:
    """§12: log p_j(c|a) as an array (1 + m, l), the null model first."""
    experts = [prior, *(p for posteriors in posteriors_per_coding for p in posteriors)]
    return np.array([[math.log(p) for p in expert] for expert in experts])


def knows_super_parent(rows: Sequence[Row]) -> bool:
    """§12: whether any expert of any coding knows its super-parent's value in the row."""
    return any(a is not None for row in rows for a in row)


# --- which rows are used --------------------------------------------------------------------------

_MASK = 2**64 - 1


def splitmix64(state: int) -> int:
    """§12: the first output of the splitmix64 generator with this state, in integers modulo 2**64."""
    z = (state + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def row_rank(random_state: int, number: int) -> int:
    """§12: the hash of (random_state, row number): splitmix64(splitmix64(random_state) XOR number)."""
    return splitmix64(splitmix64(random_state & _MASK) ^ number)


def used_rows(weights: Sequence[Number], max_rows: int = MAX_ROWS, random_state: int = 0) -> list[int]:
    """§12: the rows that J sums over: all of positive weight, or the max_rows of them of least rank."""
    positive = [r for r, weight in enumerate(weights) if weight > 0]
    if len(positive) <= max_rows:
        return positive
    numbers = sorted(range(len(positive)), key=lambda number: (row_rank(random_state, number), number))
    return sorted(positive[number] for number in numbers[:max_rows])


# --- the objective --------------------------------------------------------------------------------


class Problem(NamedTuple):
    """§12: all that J hangs on: of each row used its experts' logarithms, class, weight, whether it speaks.

    A row without any known super-parent does not speak: its answer is P(c).
    """

    logs: list[Array]
    y: list[int]
    omega: list[float]
    speaks: list[bool]
    centre: Array
    strength: Array


def prior_weights(sizes: Sequence[int]) -> tuple[Array, Array]:
    """§12: w⁰ and λ for codings of these numbers of features; the null model has 0 and 1."""
    if not all(sizes):
        raise ValueError("a coding without features is dropped before the pool is made.")
    centre = [0.0, *(1 / (len(sizes) * k) for k in sizes for _ in range(k))]
    strength = [1.0, *(1 / (3 * w) ** 2 for w in centre[1:])]
    return np.array(centre), np.array(strength)


def lower_bounds(n_experts: int) -> Array:
    """§12: w_0 ≥ −1, and w_j ≥ 0 for the SPODEs; n_experts counts the null model."""
    return np.array([-1.0] + [0.0] * (n_experts - 1))


def objective(problem: Problem, w: Array) -> float:
    """§12: J(w) = −Σ_r ω_r log P_{−r}(c_r|a_r; w) + ½ Σ_j λ_j (w_j − w⁰_j)²."""
    total = 0.5 * float(problem.strength @ (w - problem.centre) ** 2)
    for logs, c, omega, speaks in _rows_of(problem):
        scores = w @ logs
        total -= omega * float(scores[c] - logsumexp(scores) if speaks else logs[0, c])
    return total


def gradient(problem: Problem, w: Array) -> Array:
    """§12: ∇J = −Σ_r ω_r (L_r[:, c_r] − E_P L_r) + Λ(w − w⁰)."""
    total: Array = problem.strength * (w - problem.centre)
    for logs, c, omega, speaks in _rows_of(problem):
        if speaks:
            total = total - omega * (logs[:, c] - logs @ pool_posterior(w, logs))
    return total


def hessian(problem: Problem, w: Array) -> Array:
    """§12: Σ_r ω_r Cov_P(L_r) + Λ."""
    total: Array = np.diag(problem.strength)
    for logs, _, omega, speaks in _rows_of(problem):
        if speaks:
            p = pool_posterior(w, logs)
            centred = logs - (logs @ p)[:, None]
            total = total + omega * (centred * p) @ centred.T
    return total


def averaged_hessian(problem: Problem, w: Array) -> Array:
    """§12: Λ + Σ_q 6 β_q v_q⁵ Σ_r ω_r Cov(L_r; v_q³ w) over the eight Gauss–Legendre nodes on (0, 1)."""
    penalty = np.diag(problem.strength)
    total: Array = penalty
    for x, weight in zip(*np.polynomial.legendre.leggauss(8), strict=True):
        v, beta = (x + 1) / 2, weight / 2
        total = total + 6 * beta * v**5 * (hessian(problem, v**3 * w) - penalty)
    return total


def curvature_of_a_margin(xi: float) -> float:
    """§12: the integral 2∫ u f''(uξ) du of a row of two classes, 2(log 2 − f(ξ) + ξ f'(ξ))/ξ²."""
    if xi == 0:
        return 0.25
    loss, slope = math.log1p(math.exp(-xi)), -1 / (1 + math.exp(xi))
    return 2 * (math.log(2) - loss + xi * slope) / xi**2


def _rows_of(problem: Problem) -> Any:
    """Return the rows of J one by one."""
    return zip(problem.logs, problem.y, problem.omega, problem.speaks, strict=True)


# --- the minimum ----------------------------------------------------------------------------------


def projected_gradient(problem: Problem, w: Array) -> Array:
    """§12: g_P, the residuals of the KKT conditions: the gradient, but 0 where it presses against a bound."""
    slope = gradient(problem, w)
    return np.where((w <= lower_bounds(len(w))) & (slope > 0), 0.0, slope)


def kkt_residual(problem: Problem, w: Array) -> float:
    """§12: the largest violation of the KKT conditions, those of the bounds included."""
    outside = np.maximum(lower_bounds(len(w)) - w, 0.0)
    return float(max(np.abs(projected_gradient(problem, w)).max(), outside.max()))


def error_bound(problem: Problem, w: Array) -> float:
    """§12: ‖g_P‖_{Λ⁻¹}, which ‖ŵ − w‖_Λ cannot exceed."""
    return float(np.sqrt((projected_gradient(problem, w) ** 2 / problem.strength).sum()))


def best_weights(problem: Problem) -> Array:
    """§12: ŵ by scipy's L-BFGS-B, then projected Newton steps to a KKT residual below 1e-9."""
    low = lower_bounds(len(problem.centre))

    def cost(w: Array) -> float:
        return objective(problem, w)

    def slope(w: Array) -> Array:
        return gradient(problem, w)

    found = minimize(
        cost,
        problem.centre,
        jac=slope,
        method="L-BFGS-B",
        bounds=[(bound, None) for bound in low],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    w: Array = np.maximum(np.asarray(found.x, float), low)
    for _ in range(100):
        residual = kkt_residual(problem, w)
        w_next = _newton_step(problem, w)
        # At the end only rounding is left: the value no longer tells which is better, the residual does.
        if kkt_residual(problem, w_next) >= residual and residual < 1e-9:
            return w
        w = w_next
    raise RuntimeError(f"the KKT residual is still {kkt_residual(problem, w)}.")


def _newton_step(problem: Problem, w: Array) -> Array:
    """§12: one Newton step of the coordinates that no bound holds, halved until J does not rise."""
    low, slope = lower_bounds(len(w)), gradient(problem, w)
    # Nearly at the bound and pressed against it: such a coordinate must not shorten the others' step.
    held = (w - low <= 1e-9) & (slope > 0)
    start = np.where(held, low, w)
    free = np.flatnonzero(~held)
    step = np.zeros_like(w)
    step[free] = -np.linalg.solve(hessian(problem, w)[np.ix_(free, free)], slope[free])
    here, share = objective(problem, w), 1.0
    while share > 1e-12:
        there: Array = np.maximum(start + share * step, low)
        if objective(problem, there) <= here + 1e-13 * (1 + abs(here)):
            return there
        share /= 2
    return start


# --- a fitted pool --------------------------------------------------------------------------------


class Pool(NamedTuple):
    """§12: a fitted pool: counts of each coding, P(c), J and ŵ, the coordinates F and H there."""

    counts: list[Counts]
    ess: int | Fraction
    prior: list[Fraction]
    problem: Problem
    weights: Array
    free: list[int]
    hessian: Array


def pool_problem(
    codes: Sequence[Sequence[Row]],
    n_states: Sequence[Sequence[int]],
    y: Sequence[int],
    n_classes: int,
    ess: int | Fraction = ESS,
    weights: Sequence[Number] | None = None,
    max_rows: int = MAX_ROWS,
    random_state: int = 0,
) -> Problem:
    """§12: J of a table whose rows in coding f are codes[f]."""
    omega = _exact_weights(weights, len(y))
    rows = used_rows(omega, max_rows, random_state)
    prior = class_prior(count_tables([[]] * len(y), y, [], n_classes, omega), ess)
    left_out = [
        left_out_posteriors(table, y, states, n_classes, ess, omega)
        for table, states in zip(codes, n_states, strict=True)
    ]
    return Problem(
        [expert_logs(prior, [posteriors[r] for posteriors in left_out]) for r in rows],
        [y[r] for r in rows],
        [float(omega[r]) for r in rows],
        [knows_super_parent([table[r] for table in codes]) for r in rows],
        *prior_weights([len(states) for states in n_states]),
    )


def fit_pool(
    codes: Sequence[Sequence[Row]],
    n_states: Sequence[Sequence[int]],
    y: Sequence[int],
    n_classes: int,
    ess: int | Fraction = ESS,
    weights: Sequence[Number] | None = None,
    max_rows: int = MAX_ROWS,
    random_state: int = 0,
) -> Pool:
    """§12: LP-AODE and LP-AODE* fitted to a table whose rows in coding f are codes[f]."""
    problem = pool_problem(codes, n_states, y, n_classes, ess, weights, max_rows, random_state)
    counts = [
        count_tables(table, y, states, n_classes, weights)
        for table, states in zip(codes, n_states, strict=True)
    ]
    prior = class_prior(count_tables([[]] * len(y), y, [], n_classes, weights), ess)
    return pool_at(problem, best_weights(problem), counts, prior, ess)


def pool_at(
    problem: Problem,
    w: Array,
    counts: Sequence[Counts] = (),
    prior: Sequence[Fraction] = (),
    ess: int | Fraction = ESS,
) -> Pool:
    """§12: the pool whose weights are w, found here or elsewhere."""
    free = free_coordinates(problem, w)
    curvature = averaged_hessian(problem, w)[np.ix_(free, free)]
    return Pool(list(counts), ess, list(prior), problem, w, free, curvature)


def free_coordinates(problem: Problem, w: Array) -> list[int]:
    """§12: F, the coordinates farther from their bounds than 1e-6·w⁰_j (null: 1e-6)."""
    near = AT_BOUND * np.where(np.arange(len(w)) == 0, 1.0, problem.centre)
    return [int(j) for j in np.flatnonzero(w - lower_bounds(len(w)) > near)]


def row_logs(pool: Pool, rows: Sequence[Row]) -> Array:
    """§12: what the experts say of a new row, given in every coding."""
    posteriors = [
        expert_posteriors(counts, row, pool.ess) for counts, row in zip(pool.counts, rows, strict=True)
    ]
    return expert_logs(pool.prior, posteriors)


def pool_posterior(w: Array, logs: Array) -> Array:
    """§12: P(c|a; w) ∝ exp Σ_j w_j log p_j(c|a)."""
    return np.asarray(softmax(w @ logs), float)


def log_odds(w: Array, logs: Array, c: int, d: int) -> float:
    """§12: wᵀδ with δ_j = log p_j(c) − log p_j(d)."""
    return float(w @ (logs[:, c] - logs[:, d]))


# --- minima over the credal set -------------------------------------------------------------------

Least = Callable[[Pool, Array, int, int, float], float]


def z_value(credibility: float) -> float:
    """§12: z = √2 erf⁻¹(γ)."""
    return math.sqrt(2) * float(erfinv(credibility))


def deviation(pool: Pool, logs: Array, c: int, d: int) -> float:
    """§12: s = √(δ_Fᵀ C δ_F), C the inverse of H restricted to F."""
    delta = (logs[:, c] - logs[:, d])[pool.free]
    return math.sqrt(max(0.0, float(delta @ np.linalg.solve(pool.hessian, delta)))) if pool.free else 0.0


def least_log_odds(pool: Pool, logs: Array, c: int, d: int, credibility: float) -> float:
    """§12: the least log-odds of c over d in the set, ŵᵀδ − z·s."""
    return log_odds(pool.weights, logs, c, d) - z_value(credibility) * deviation(pool, logs, c, d)


def least_log_odds_numerically(pool: Pool, logs: Array, c: int, d: int, credibility: float) -> float:
    """§12: the least wᵀδ over the ellipsoid by SLSQP."""
    delta = logs[:, c] - logs[:, d]
    return least_over_ellipsoid(pool, credibility, lambda w: float(w @ delta), lambda w: delta)


def least_over_ellipsoid(
    pool: Pool, credibility: float, value: Callable[[Array], float], slope: Callable[[Array], Array]
) -> float:
    """§12: the minimum of a function of w over (w − ŵ)ᵀ H (w − ŵ) ≤ z² in the coordinates F, by SLSQP.

    The unknowns u are in units of z/√H_jj, so that the region is about as large in every direction.
    """
    z, start = z_value(credibility), value(pool.weights)
    if not pool.free or z == 0:
        return start
    unit = z / np.sqrt(np.diag(pool.hessian))
    shape = pool.hessian * np.outer(unit, unit) / z**2
    steepness = float(np.abs(slope(pool.weights)[pool.free] * unit).max())
    if steepness == 0:
        return start

    def point(u: Array) -> Array:
        w = pool.weights.copy()
        w[pool.free] += unit * u
        return w

    def cost(u: Array) -> float:
        return (value(point(u)) - start) / steepness

    def scaled_slope(u: Array) -> Array:
        return np.asarray(slope(point(u))[pool.free] * unit / steepness)

    inside: Any = {"type": "ineq", "fun": lambda u: 1 - u @ shape @ u, "jac": lambda u: -2 * shape @ u}
    found = minimize(
        cost,
        np.zeros(len(unit)),
        jac=scaled_slope,
        method="SLSQP",
        constraints=inside,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    # SLSQP may stop a hair outside.
    size = math.sqrt(float(found.x @ shape @ found.x))
    return value(point(found.x / max(1.0, size)))


# --- sets, bounds, robustness ---------------------------------------------------------------------


def threshold(pool: Pool, logs: Array) -> float:
    """§12: τ = 1e-10·max|score|, the score of a class being Σ_j ŵ_j log p_j(c|a)."""
    return TAU * float(np.abs(pool.weights @ logs).max())


def dominates(
    pool: Pool, logs: Array, c: int, d: int, credibility: float, least: Least = least_log_odds
) -> bool:
    """§12: whether the least log-odds of c over d exceed τ."""
    return least(pool, logs, c, d, credibility) > threshold(pool, logs)


def pool_set(pool: Pool, logs: Array, credibility: float, least: Least = least_log_odds) -> list[bool]:
    """§12: the classes that no class dominates, every pair tried."""
    return maximal_set(logs.shape[1], lambda c, d: dominates(pool, logs, c, d, credibility, least))


def bounds(pool: Pool, logs: Array, credibility: float) -> tuple[list[float], list[float]]:
    """§12: lower and upper P(c) = 1/(1 + Σ_d exp(−(ŵᵀδ_cd ∓ z·s_cd)))."""
    z, classes = z_value(credibility), range(logs.shape[1])

    def bound(c: int, sign: int) -> float:
        others = [d for d in classes if d != c]
        odds = [log_odds(pool.weights, logs, c, d) + sign * z * deviation(pool, logs, c, d) for d in others]
        return 1 / (1 + math.fsum(math.exp(-odd) for odd in odds))

    return [bound(c, -1) for c in classes], [bound(c, +1) for c in classes]


def bounds_numerically(pool: Pool, logs: Array, credibility: float) -> tuple[list[float], list[float]]:
    """§12: the least and the greatest posterior found over the ellipsoid by SLSQP.

    With two classes these are the bounds of §12. With more the formula may be wider.
    """
    classes = range(logs.shape[1])

    def log_loss(w: Array, c: int) -> float:
        scores = w @ logs
        return float(logsumexp(scores) - scores[c])

    def slope(w: Array, c: int) -> Array:
        return np.asarray(logs @ pool_posterior(w, logs) - logs[:, c])

    # Logarithms: the posterior itself is flat near 0 and 1, where SLSQP would stop early.
    def extreme(c: int, sign: int) -> float:
        found = least_over_ellipsoid(
            pool, credibility, lambda w: sign * log_loss(w, c), lambda w: sign * slope(w, c)
        )
        return math.exp(-sign * found)

    return [extreme(c, -1) for c in classes], [extreme(c, +1) for c in classes]


def robustness(pool: Pool, logs: Array) -> float:
    """§12: erf(max(0, min_d (ŵᵀδ_td − τ)/s_td)/√2) of the first most probable class t."""
    top, tau = most_probable(pool, logs), threshold(pool, logs)
    ratios = [math.inf]  # one class
    for d in range(logs.shape[1]):
        if d != top:
            odds, s = log_odds(pool.weights, logs, top, d), deviation(pool, logs, top, d)
            ratios.append((odds - tau) / s if s > 0 else math.inf if odds > tau else 0.0)
    return float(erf(max(0.0, min(ratios)) / math.sqrt(2)))


def robustness_by_bisection(pool: Pool, logs: Array, least: Least = least_log_odds, steps: int = 60) -> float:
    """§12: the supremum of the credibilities at which t dominates all others; 0 if it does at none."""
    top = most_probable(pool, logs)
    others = [d for d in range(logs.shape[1]) if d != top]

    def alone(credibility: float) -> bool:
        return all(dominates(pool, logs, top, d, credibility, least) for d in others)

    below, above = 0.0, 1.0
    if not alone(below):
        return 0.0
    for _ in range(steps):
        middle = (below + above) / 2
        if not below < middle < above:
            break
        below, above = (middle, above) if alone(middle) else (below, middle)
    return above


def most_probable(pool: Pool, logs: Array) -> int:
    """§5, §12: the class of the largest score, ties to the first."""
    return int(np.argmax(pool.weights @ logs))


# --- explanation ----------------------------------------------------------------------------------


class Contributions(NamedTuple):
    """§12: what the class frequencies and each feature (by its number in the table) add to the log-odds."""

    frequencies: float
    features: dict[int, float]


def contributions(
    pool: Pool, rows: Sequence[Row], features: Sequence[Sequence[int]], c: int, d: int
) -> Contributions:
    """§12: the log-odds of c over d by feature; features[f] names the columns of coding f."""
    by_feature = {name: 0.0 for names in features for name in names}
    prior_odds = math.log(pool.prior[c] / pool.prior[d])
    if not knows_super_parent(rows):
        return Contributions(prior_odds, by_feature)
    first = 1  # of the coding's experts
    for counts, row, names in zip(pool.counts, rows, features, strict=True):
        w = pool.weights[first : first + len(row)]
        for i, name in enumerate(names):
            by_feature[name] += _contribution(counts, row, i, w, c, d, Fraction(pool.ess))
        first += len(row)
    return Contributions(float(pool.weights.sum()) * prior_odds, by_feature)


def _contribution(counts: Counts, row: Row, i: int, w: Array, c: int, d: int, ess: Fraction) -> float:
    """§12: w_i Δlog P(a_i|c) + Σ_{j≠i} w_j Δlog P(a_i|a_j,c) over the known super-parents of one coding."""
    value = row[i]
    if value is None:  # its factor is left out of every expert
        return 0.0
    total = 0.0
    for j, a in enumerate(row):
        if j == i:
            ratio = _p_value(counts, i, value, c, ess) / _p_value(counts, i, value, d, ess)
        elif a is not None:
            ratio = _p_value_given_parent(counts, i, value, j, a, c, ess) / _p_value_given_parent(
                counts, i, value, j, a, d, ess
            )
        else:
            continue
        total += float(w[j]) * math.log(ratio)
    return total


# --- the answer to one row ------------------------------------------------------------------------


class Answer(NamedTuple):
    """§12: what LP-AODE (posterior) and LP-AODE* (all else) say of one row."""

    posterior: list[float]
    in_set: list[bool]
    lower: list[float]
    upper: list[float]
    robustness: float


def answer(pool: Pool, rows: Sequence[Row], credibility: float = 0.95) -> Answer:
    """§12: the answer to a row given in every coding; P(c) answers where no super-parent is known."""
    if not knows_super_parent(rows):
        prior = [float(p) for p in pool.prior]
        mask = _most_probable(prior)
        return Answer(prior, mask, prior, prior, 1.0 if sum(mask) == 1 else 0.0)
    logs = row_logs(pool, rows)
    return Answer(
        pool_posterior(pool.weights, logs).tolist(),
        pool_set(pool, logs, credibility),
        *bounds(pool, logs, credibility),
        robustness(pool, logs),
    )
