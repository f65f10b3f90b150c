"""The oracle of LP-AODE and LP-AODE* itself (SPEC §12): by hand, and one computation against another."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy.integrate import quad

import oracles
import oracles_logpool as lp
import oracles_maplmg

CREDIBILITIES = (0.0, 0.3, 0.9, 0.99)


# --- equal-frequency cuts ---


@pytest.mark.parametrize(
    ("values", "bins", "cuts"),
    [
        (range(1, 11), 5, [2.5, 4.5, 6.5, 8.5]),
        (range(1, 11), 10, [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]),
        ([3, 1, 2], 2, [2.5]),  # 2·1 < 3, so that the lower bin is the larger
        ([1, 1, 1, 2, 3, 4], 5, [1.5, 2.5, 3.5]),  # 1 serves b = 1 and b = 2
        ([1] * 9 + [2], 5, [1.5]),
        ([1] + [2] * 9, 5, []),  # 2 is the largest value: not symmetric under negation
        ([1, 4], 10, [2.5]),
        ([7, 7, 7], 5, []),
        ([7], 5, []),
        ([], 5, []),
        ([-1e308, 1.5e308], 2, [0.25e308]),
    ],
)
def test_cuts_by_hand(values, bins, cuts):
    assert lp.equal_frequency_cuts([float(x) for x in values], None, bins) == cuts


def test_integer_weights_repeat_values():
    values, weights = [3.0, 1.0, 2.0, 5.0, 4.0], [2, 1, 4, 0, 3]
    for bins in (2, 3, 5, 10):
        repeated = oracles._repeated(values, weights)
        assert lp.equal_frequency_cuts(values, weights, bins) == lp.equal_frequency_cuts(repeated, None, bins)


def test_a_value_of_weight_zero_is_absent():
    assert lp.equal_frequency_cuts([1.0, 2.0, 3.0], [1, 0, 1], 2) == [2.0]
    assert lp.equal_frequency_cuts([1.0, 2.0], [1, 0], 2) == []


def test_real_weights_reach_their_share_up_to_rounding():
    heavier = 0.1 + 0.2  # 0.30000000000000004
    assert lp.equal_frequency_cuts([1.0, 2.0], [0.3, heavier], 2) == [1.5]
    assert lp.equal_frequency_cuts([1.0, 2.0], [0.3, 0.3 + 1e-9], 2) == []
    # Integer weights are compared exactly, however large.
    assert lp.equal_frequency_cuts([1.0, 2.0], [10**16, 10**16 + 1], 2) == []


def test_a_midpoint_that_rounds_up_gives_way_to_the_lower_value():
    eps = math.ulp(1.0)
    assert lp.equal_frequency_cuts([1 + eps, 1 + 2 * eps], None, 2) == [1 + eps]
    assert oracles.bin_of(1 + eps, [1 + eps]) == 0


# --- codings ---


def coded(columns, kinds, y, *, declared=None, **kwargs):
    rows = list(zip(*columns, strict=True))
    return lp.codings_of_table(rows, rows[:2], kinds, declared or [None] * len(kinds), y, **kwargs)


def test_three_codings_if_a_numeric_feature_varies():
    numbers, colours = [float(x) for x in range(10)], list("rg" * 5)
    mdl, five, ten = coded([numbers, colours], ["numeric", "categorical"], [0] * 5 + [1] * 5)
    assert (mdl.n_states, five.n_states, ten.n_states) == ([2, 2], [5, 2], [10, 2])
    assert [row[0] for row in five.train] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert mdl.train[0] == [0, 1]
    assert ten.test == ten.train[:2]


def test_a_coding_without_features_is_dropped():
    five, ten = coded([[1.0, 2.0, 3.0, 4.0]], ["numeric"], [0, 1, 0, 1])  # MDL cuts nothing
    assert (five.n_states, ten.n_states) == ([4], [4])  # identical codings are both kept
    assert coded([["a", "a"]], ["categorical"], [0, 1]) == []


def test_one_coding_if_no_numeric_feature_varies():
    columns = [[5.0, None, 5.0, 9.0], ["a", "b", None, "c"]]
    (only,) = coded(columns, ["numeric", "categorical"], [0, 1, 0, 0], weights=[1, 1, 1, 0])
    assert only.features == [1]
    assert only.n_states == [2]  # c has weight 0
    assert only.train == [[0], [1], [0], [None]]
    (only,) = coded(columns[1:], ["categorical"], [0, 1, 0, 0], declared=[["b", "a", "x", "c"]])
    assert only.n_states == [4]


def test_missing_cells():
    column = [1.0, 2.0, None, 3.0, 9.0]  # median 2.5
    imputed = coded([column], ["numeric"], [0, 1, 0, 1, 0])[0]
    assert [row[0] for row in imputed.train] == [0, 1, 2, 3, 4]
    unknown = coded([column], ["numeric"], [0, 1, 0, 1, 0], missing="marginalize")[0]
    assert [row[0] for row in unknown.train] == [0, 1, None, 2, 3]


# --- which rows ---


def test_splitmix64_has_the_published_outputs():
    assert lp.splitmix64(0) == 0xE220A8397B1DCDAF
    golden, state = 0x9E3779B97F4A7C15, 1234567
    assert lp.splitmix64(state) == 6457827717110365317
    assert lp.splitmix64((state + golden) % 2**64) == 3203168211198807973
    assert lp.row_rank(0, 5) == lp.splitmix64(0xE220A8397B1DCDAF ^ 5)
    assert lp.row_rank(-1, 5) == lp.row_rank(2**64 - 1, 5)


def test_rows_used():
    assert lp.used_rows([1, 0, 2, 0.5], max_rows=3) == [0, 2, 3]
    chosen = lp.used_rows([1] * 20, max_rows=7, random_state=3)
    ranks = [lp.row_rank(3, r) for r in range(20)]
    assert chosen == sorted(chosen)
    assert max(ranks[r] for r in chosen) < min(ranks[r] for r in set(range(20)) - set(chosen))
    assert chosen != lp.used_rows([1] * 20, max_rows=7, random_state=4)
    # Numbers are given to rows of positive weight alone, and a smaller choice is part of a larger one.
    spread = lp.used_rows([0, 1] * 20, max_rows=7, random_state=3)
    assert spread == [2 * r + 1 for r in chosen]
    assert set(lp.used_rows([1] * 20, max_rows=4, random_state=3)) < set(chosen)


# --- experts ---


def test_left_out_by_hand():
    # Without the first row n(c) = 0, 1, so that P(c) = 1/4, 3/4, P(a_0 = 0|c) = 1/2, 1/6 and
    # P(a_1 = 0|a_0 = 0, c) = 1/2. Both joints are 1/16.
    table = lp.left_out_posteriors([[0, 0], [1, 1]], [0, 1], [2, 2], 2, ess=1)
    assert table[0] == [[Fraction(1, 2)] * 2] * 2


def test_left_out_by_the_direct_formula():
    rng = np.random.default_rng(1)
    for _ in range(5):
        codes, n_states, y = random_codes(rng, 12, 3, 3, unknown=0.2)
        weights = rng.choice([0, 0.25, 1, 2, 3.5], size=12).tolist()
        counts = oracles.count_tables(codes, y, n_states, 3, weights)
        table = lp.left_out_posteriors(codes, y, n_states, 3, 4, weights)
        own_class = oracles_maplmg.left_out_posteriors(codes, y, n_states, 3, 4, weights)
        for r, (row, c) in enumerate(zip(codes, y, strict=True)):
            less = lp.counts_without(counts, row, c, weights[r])
            posteriors = oracles.spode_posteriors(less, row, 4)
            prior = oracles.class_prior(counts, 4)
            assert table[r] == [prior if p is None else p for p in posteriors]
            known = [j for j, a in enumerate(row) if a is not None]
            assert [table[r][j][c] for j in known] == [own_class[r][j] for j in known]
            assert all(sum(p) == 1 for p in table[r])


def test_the_direct_formula_clamps_at_zero():
    counts = oracles.count_tables([[0, 0]], [0], [2, 2], 2, [0.5])
    assert lp.counts_without(counts, [0, 0], 0, 2) == oracles.count_tables([], [], [2, 2], 2)


def test_null_and_its_stand_ins_are_not_left_out():
    codes, y = [[0, None], [1, 0], [1, 1], [None, None]], [0, 1, 1, 1]
    problem = lp.pool_problem([codes], [[2, 2]], y, 2)
    frequencies = np.log([3 / 8, 5 / 8])  # (1 + 2)/(4 + 4), (3 + 2)/(4 + 4)
    for logs in problem.logs:
        np.testing.assert_allclose(logs[0], frequencies, rtol=1e-14)
    np.testing.assert_allclose(problem.logs[0][2], frequencies, rtol=1e-14)
    np.testing.assert_allclose(problem.logs[3], [frequencies] * 3, rtol=1e-14)
    assert problem.speaks == [True, True, True, False]


# --- the objective and its minimum ---


def random_codes(rng, n, k, n_classes, *, unknown=0.0):
    """Codes that tell something about the class, some of them unknown."""
    n_states = [int(v) for v in rng.integers(2, 5, size=k)]
    y = [*range(n_classes), *(int(c) for c in rng.integers(n_classes, size=n - n_classes))]
    codes = [
        [
            None if rng.random() < unknown else int(c % v if rng.random() < 0.5 else rng.integers(v))
            for v in n_states
        ]
        for c in y
    ]
    return codes, n_states, y


def random_pool(seed):
    """A fitted pool over two codings of different sizes, and a few rows to classify."""
    rng = np.random.default_rng(seed)
    n_classes, n = int(rng.integers(2, 5)), int(rng.integers(8, 40))
    unknown = [0.0, 0.25][seed % 2]
    first, first_states, y = random_codes(rng, n + 4, 3, n_classes, unknown=unknown)
    second = [[*row[:2]] for row in first] if seed % 3 == 0 else [[row[2]] for row in first]
    second_states = first_states[:2] if seed % 3 == 0 else first_states[2:]
    weights = rng.choice([1, 2, 0.5, 0], size=n).tolist() if seed % 4 == 1 else None
    pool = lp.fit_pool(
        [first[:n], second[:n]], [first_states, second_states], y[:n], n_classes, weights=weights
    )
    return pool, [[first[r], second[r]] for r in range(n, n + 4)]


@pytest.fixture(scope="module")
def pools():
    return [random_pool(seed) for seed in range(12)]


@pytest.fixture(scope="module")
def spoken(pools):
    """Every pool with the logarithms of every row that knows a super-parent."""
    return [
        (pool, lp.row_logs(pool, rows))
        for pool, tests in pools
        for rows in filter(lp.knows_super_parent, tests)
    ]


def test_prior_weights_by_hand():
    centre, strength = lp.prior_weights([2, 1])
    np.testing.assert_allclose(centre, [0, 1 / 4, 1 / 4, 1 / 2])
    np.testing.assert_allclose(strength, [1, 16 / 9, 16 / 9, 4 / 9])
    np.testing.assert_array_equal(lp.lower_bounds(3), [-1, 0, 0])
    with pytest.raises(ValueError, match="without features"):
        lp.prior_weights([2, 0])


def test_objective_by_hand():
    # One expert that says 4 : 1 beside a null model of 1 : 1, weight 2: P = 1/(1 + 4^−w_1).
    logs = np.log([[0.5, 0.5], [0.8, 0.2]])
    problem = lp.Problem([logs, logs], [0, 1], [2.0, 3.0], [True, False], *lp.prior_weights([1]))
    w = np.array([0.5, 1.5])
    penalty = 0.5 * (0.25 + 0.25 / 9)
    assert lp.objective(problem, w) == pytest.approx(2 * math.log(1 + 4**-1.5) + 3 * math.log(2) + penalty)
    # Along w_1: −2 log 4 · (1 − P) + (w_1 − 1)/9; the row that does not speak adds nothing.
    slope = -2 * math.log(4) / 9 + 0.5 / 9
    np.testing.assert_allclose(lp.gradient(problem, w), [0.5, slope])
    curvature = 2 * math.log(4) ** 2 * 8 / 81 + 1 / 9
    np.testing.assert_allclose(lp.hessian(problem, w), [[1, 0], [0, curvature]], atol=1e-15)


def test_derivatives_by_finite_differences(pools):
    rng = np.random.default_rng(0)
    for pool, _ in pools:
        problem, size, h = pool.problem, len(pool.weights), 1e-5
        w = pool.problem.centre + rng.uniform(0, 0.5, size)
        steps = h * np.eye(size)
        slope = [(lp.objective(problem, w + e) - lp.objective(problem, w - e)) / (2 * h) for e in steps]
        np.testing.assert_allclose(lp.gradient(problem, w), slope, atol=1e-6)
        curvature = [(lp.gradient(problem, w + e) - lp.gradient(problem, w - e)) / (2 * h) for e in steps]
        np.testing.assert_allclose(lp.hessian(problem, w), curvature, atol=1e-6)


def test_minimum_meets_its_conditions(pools):
    rng = np.random.default_rng(0)
    for pool, _ in pools:
        problem, w = pool.problem, pool.weights
        assert lp.kkt_residual(problem, w) < 1e-9
        assert (w >= lp.lower_bounds(len(w))).all()
        # Any other point costs more, and its own gradient says how far it is at most (§12, "Converged").
        for scale in (1e-3, 0.1, 1.0):
            other = np.maximum(w + scale * rng.normal(size=len(w)), lp.lower_bounds(len(w)))
            distance = math.sqrt(float(problem.strength @ (other - w) ** 2))
            assert lp.objective(problem, other) > lp.objective(problem, w)
            assert distance <= lp.error_bound(problem, other) * (1 + 1e-9)


def test_bounds_of_weights_hold_and_are_met(pools):
    active = [set(range(len(pool.weights))) - set(pool.free) for pool, _ in pools]
    assert any(active)
    assert not all(active)
    for (pool, _), at_bound in zip(pools, active, strict=True):
        for j in at_bound:
            assert pool.weights[j] == lp.lower_bounds(len(pool.weights))[j]
            assert lp.gradient(pool.problem, pool.weights)[j] > 0


def test_null_weight_stops_at_minus_one():
    logs = np.log([[0.9, 0.1], [0.5, 0.5]])
    problem = lp.Problem([logs], [1], [100.0], [True], *lp.prior_weights([1]))
    w = lp.best_weights(problem)
    np.testing.assert_allclose(w, [-1, 1], rtol=1e-12)
    assert lp.free_coordinates(problem, w) == [1]
    assert lp.free_coordinates(problem, np.array([-1 + 0.9e-6, 0.9e-6])) == []
    assert lp.free_coordinates(problem, np.array([-1 + 1.1e-6, 1.1e-6])) == [0, 1]


def test_without_evidence_the_prior_weights_stand():
    pool = lp.fit_pool([[[None], [None]]], [[2]], [0, 1], 2)
    np.testing.assert_allclose(pool.weights, [0, 1], atol=1e-12)
    assert lp.objective(pool.problem, pool.weights) == pytest.approx(2 * math.log(2))


def test_integer_weights_repeat_rows():
    codes, n_states, y = random_codes(np.random.default_rng(5), 10, 3, 2, unknown=0.1)
    times = [2, 1, 0, 3, 1, 1, 2, 1, 0, 1]
    weighted = lp.fit_pool([codes], [n_states], y, 2, weights=times)
    many, many_y = oracles._repeated(codes, times), oracles._repeated(y, times)
    repeated = lp.fit_pool([many], [n_states], many_y, 2)
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-10)
    assert weighted.counts == repeated.counts


def test_only_the_rows_used_are_summed_but_all_are_counted():
    codes, n_states, y = random_codes(np.random.default_rng(6), 15, 2, 2)
    whole = lp.pool_problem([codes], [n_states], y, 2)
    part = lp.pool_problem([codes], [n_states], y, 2, max_rows=4, random_state=9)
    rows = lp.used_rows([1] * 15, 4, 9)
    assert part.omega == [1.0] * 4
    np.testing.assert_array_equal(part.logs, [whole.logs[r] for r in rows])


# --- the pool ---


def test_pool_is_a_weighted_geometric_mean():
    logs = np.log([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    w = np.array([0.5, 2.0])
    product = np.array([0.5**0.5 * 0.1**2, 0.3**0.5 * 0.6**2, 0.2**0.5 * 0.3**2])
    np.testing.assert_allclose(lp.pool_posterior(w, logs), product / product.sum())
    assert lp.log_odds(w, logs, 1, 0) == pytest.approx(math.log(product[1] / product[0]))


# --- minima over the credal set ---


def test_z_by_hand():
    assert lp.z_value(0.0) == 0
    assert lp.z_value(0.9) == pytest.approx(1.6448536, abs=1e-7)
    assert lp.z_value(0.3) == pytest.approx(NormalDist().inv_cdf(0.65))


@pytest.mark.parametrize("xi", [0.0, -0.5, 1.0, -2.0, 3.0, 5.0, -10.0, 20.0])
def test_curvature_of_a_margin_is_the_integral(xi):
    def integrand(u):
        p = 1 / (1 + math.exp(-u * xi))
        return 2 * u * p * (1 - p)

    assert lp.curvature_of_a_margin(xi) == pytest.approx(quad(integrand, 0, 1, epsabs=1e-13)[0], rel=1e-9)


def test_averaged_curvature_rises_as_the_loss_does_beyond_its_slope(pools):
    """§12: ½ŵᵀ(H − Λ)ŵ = ℓ(0) − ℓ(ŵ) + ŵᵀ∇ℓ(ŵ), but for the error of the eight nodes."""
    for pool, _ in pools:
        problem, w = pool.problem, pool.weights
        flat = problem._replace(strength=np.zeros(len(w)))
        rise = 0.5 * w @ (lp.averaged_hessian(problem, w) - np.diag(problem.strength)) @ w
        expected = lp.objective(flat, 0 * w) - lp.objective(flat, w) + w @ lp.gradient(flat, w)
        assert rise == pytest.approx(expected, rel=0.01)


def test_closed_form_equals_slsqp(spoken):
    for pool, logs in spoken:
        for c, d in itertools.permutations(range(logs.shape[1]), 2):
            for credibility in (0.0, 0.9):
                exact = lp.least_log_odds(pool, logs, c, d, credibility)
                found = lp.least_log_odds_numerically(pool, logs, c, d, credibility)
                assert found == pytest.approx(exact, abs=1e-7 * (1 + abs(exact)))


def test_cheap_bound_on_the_deviation(spoken):
    for pool, logs in spoken:
        for c, d in itertools.combinations(range(logs.shape[1]), 2):
            delta = (logs[:, c] - logs[:, d])[pool.free]
            bound = float((delta**2 / pool.problem.strength[pool.free]).sum())
            assert lp.deviation(pool, logs, c, d) ** 2 <= bound * (1 + 1e-12)


def test_dominance_is_a_probability_under_the_laplace_approximation(spoken):
    """§12, "Another reading": c' beats c'' with probability above (1 + γ)/2."""
    for pool, logs in spoken:
        for c, d in itertools.permutations(range(logs.shape[1]), 2):
            s = lp.deviation(pool, logs, c, d)
            wins = NormalDist(lp.log_odds(pool.weights, logs, c, d), s).cdf(0) < 0.05 if s > 0 else None
            assert wins in (None, lp.dominates(pool, logs, c, d, 0.9))


# --- sets, bounds, robustness ---


def test_sets_by_both_minima(spoken):
    for pool, logs in spoken[::2]:
        assert lp.pool_set(pool, logs, 0.9) == lp.pool_set(pool, logs, 0.9, lp.least_log_odds_numerically)


def test_sets_hold_the_most_probable_class_and_grow(spoken):
    sizes = set()
    for pool, logs in spoken:
        nested = [lp.pool_set(pool, logs, credibility) for credibility in CREDIBILITIES]
        for smaller, larger in itertools.pairwise(nested):
            assert all(b >= a for a, b in zip(smaller, larger, strict=True))
        assert all(mask[lp.most_probable(pool, logs)] for mask in nested)
        sizes |= {sum(mask) for mask in nested}
    assert {1, 2} < sizes


def test_dominance_is_transitive(spoken):
    for pool, logs in spoken:
        for c, d, e in itertools.permutations(range(logs.shape[1]), 3):
            if lp.dominates(pool, logs, c, d, 0.9) and lp.dominates(pool, logs, d, e, 0.9):
                assert lp.dominates(pool, logs, c, e, 0.9)


def test_bounds_of_two_classes_by_slsqp(spoken):
    two = [(pool, logs) for pool, logs in spoken if logs.shape[1] == 2]
    assert two
    for pool, logs in two:
        np.testing.assert_allclose(
            lp.bounds(pool, logs, 0.9), lp.bounds_numerically(pool, logs, 0.9), rtol=1e-6, atol=1e-12
        )


def test_bounds_hold_every_posterior(spoken):
    wider = False
    for pool, logs in spoken[::2]:
        lower, upper = (np.array(bound) for bound in lp.bounds(pool, logs, 0.9))
        least, greatest = (np.array(bound) for bound in lp.bounds_numerically(pool, logs, 0.9))
        p = lp.pool_posterior(pool.weights, logs)
        assert (lower <= least + 1e-9).all()
        assert (least <= p + 1e-12).all()
        assert (p <= greatest + 1e-12).all()
        assert (greatest <= upper + 1e-9).all()
        wider |= bool((greatest < upper - 1e-4).any())
    assert wider  # with three classes and more


def test_robustness_by_bisection(spoken):
    for pool, logs in spoken:
        exact = lp.robustness(pool, logs)
        assert lp.robustness_by_bisection(pool, logs) == pytest.approx(exact, abs=1e-12)
        for credibility in CREDIBILITIES:
            assert (sum(lp.pool_set(pool, logs, credibility)) == 1) == (exact > credibility)


def test_robustness_by_bisection_with_slsqp(spoken):
    for pool, logs in spoken[::6]:
        found = lp.robustness_by_bisection(pool, logs, lp.least_log_odds_numerically, steps=14)
        assert found == pytest.approx(lp.robustness(pool, logs), abs=1e-4)


def test_set_and_robustness_by_hand():
    # One free coordinate with H = 4, log-odds 1 = w_1 δ: s = δ/√4 = 1/2, so that robustness is erf(2/√2).
    logs = np.array([[0.0, 0.0], [0.0, -1.0]])
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([0.0, 1.0]))
    assert lp.deviation(pool, logs, 0, 1) == pytest.approx(0.5)
    assert lp.robustness(pool, logs) == pytest.approx(0.954499736, abs=1e-8)
    assert lp.pool_set(pool, logs, 0.954) == [True, False]
    assert lp.pool_set(pool, logs, 0.955) == [True, True]
    lower, upper = lp.bounds(pool, logs, 0.9)
    assert lower[0] == pytest.approx(1 / (1 + math.exp(-1 + 1.6448536 / 2)), abs=1e-7)
    assert upper[0] == pytest.approx(1 - lower[1])


@pytest.mark.parametrize(("odds", "in_set"), [(3e-10, [True, True]), (5e-10, [True, False])])
def test_log_odds_must_exceed_the_rounding_of_the_scores(odds, in_set):
    logs = np.array([[0.0, 0.0], [-2.0, -2.0 - odds / 2]])  # scores of about −4: τ = 4e-10
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([0.0, 2.0]))
    assert lp.threshold(pool, logs) == pytest.approx(4e-10)
    assert lp.pool_set(pool, logs, 0.0) == in_set
    assert (lp.robustness(pool, logs) > 0) == (sum(in_set) == 1)


def test_no_free_coordinate_leaves_no_doubt():
    logs = np.log([[0.6, 0.4], [0.3, 0.7]])
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([-1.0, 0.0]))
    assert pool.free == []
    assert lp.robustness(pool, logs) == lp.robustness_by_bisection(pool, logs) == 1
    assert lp.pool_set(pool, logs, 0.999) == [False, True]
    tied = np.log([[0.5, 0.5], [0.3, 0.7]])
    assert lp.robustness(pool, tied) == lp.robustness_by_bisection(pool, tied) == 0
    assert lp.pool_set(pool, tied, 0.0) == [True, True]


# --- explanation ---


def test_contributions_add_up_to_the_log_odds(pools):
    for seed, (pool, tests) in enumerate(pools):
        features = [[0, 1, 2], [0, 1] if seed % 3 == 0 else [2]]
        for rows in filter(lp.knows_super_parent, tests):
            logs = lp.row_logs(pool, rows)
            for c, d in itertools.permutations(range(logs.shape[1]), 2):
                parts = lp.contributions(pool, rows, features, c, d)
                total = math.fsum([parts.frequencies, *parts.features.values()])
                assert total == pytest.approx(lp.log_odds(pool.weights, logs, c, d), rel=1e-12, abs=1e-12)


def test_contributions_by_hand():
    # ess 1: P(a_0 = 0|c) = 5/6, 1/6; P(a_1 = 0|a_0 = 0, c) = 9/10, 1/2; the same the other way round.
    counts = oracles.count_tables([[0, 0], [1, 1]], [0, 1], [2, 2], 2)
    problem = lp.Problem([], [], [], [], *lp.prior_weights([2]))
    prior = oracles.class_prior(counts)
    pool = lp.pool_at(problem, np.array([0.1, 0.5, 0.25]), [counts], prior, ess=1)
    parts = lp.contributions(pool, [[0, 0]], [[4, 7]], 0, 1)
    assert parts.frequencies == 0
    assert parts.features[4] == pytest.approx(0.5 * math.log(5) + 0.25 * math.log(1.8))
    assert parts.features[7] == pytest.approx(0.25 * math.log(5) + 0.5 * math.log(1.8))
    parts = lp.contributions(pool, [[0, None]], [[4, 7]], 0, 1)
    assert parts.features == {4: pytest.approx(0.5 * math.log(5)), 7: 0}


# --- the answer to one row ---


def test_frequencies_answer_where_no_super_parent_is_known():
    pool = lp.fit_pool([[[0], [1], [1]]], [[2]], [0, 1, 1], 2)
    found = lp.answer(pool, [[None]])
    assert found.posterior == found.lower == found.upper == pytest.approx([3 / 7, 4 / 7])
    assert (found.in_set, found.robustness) == ([False, True], 1.0)
    parts = lp.contributions(pool, [[None]], [[0]], 0, 1)
    assert parts == (pytest.approx(math.log(3 / 4)), {0: 0.0})
    tied = lp.answer(lp.fit_pool([[[0], [1]]], [[2]], [0, 1], 2), [[None]])
    assert (tied.in_set, tied.robustness) == ([True, True], 0.0)


def test_without_codings_or_with_one_class():
    none = lp.answer(lp.fit_pool([], [], [0, 1, 1], 2), [])
    assert none.posterior == pytest.approx([3 / 7, 4 / 7])
    one = lp.answer(lp.fit_pool([[[0], [1]]], [[2]], [0, 0], 1), [[1]])
    assert one == ([1.0], [True], [1.0], [1.0], 1.0)


def test_answer_from_table_to_robustness():
    rng = np.random.default_rng(2)
    y = [int(c) for c in rng.integers(2, size=30)]
    rows = [[float(c + rng.normal()), "ab"[int(rng.integers(2))]] for c in y]
    new, kinds = [[2.5, "a"], [-1.5, "unseen"]], ["numeric", "categorical"]
    codings = lp.codings_of_table(rows, new, kinds, [None, None], y)
    pool = lp.fit_pool([coding.train for coding in codings], [coding.n_states for coding in codings], y, 2)
    answers = [lp.answer(pool, [coding.test[r] for coding in codings]) for r in range(2)]
    assert [int(np.argmax(found.posterior)) for found in answers] == [1, 0]
    for found in answers:
        assert sum(found.posterior) == pytest.approx(1)
        assert (sum(found.in_set) == 1) == (found.robustness > 0.9)
        assert all(a <= p <= b for a, p, b in zip(found.lower, found.posterior, found.upper, strict=True))
