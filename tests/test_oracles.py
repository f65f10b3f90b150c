"""The oracles themselves, against numbers worked out by hand or by a second, different computation."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import oracles

# Two rows, (0, 0) of class 0 and (1, 1) of class 1: small enough to do every parameter by hand.
CODES = [[0, 0], [1, 1]]
Y = [0, 1]


@pytest.fixture
def counts():
    return oracles.count_tables(CODES, Y, [2, 2], 2)


# --- counts, parameters, likelihoods ---


def test_counts_by_hand():
    counts = oracles.count_tables(
        [[0, 1], [1, None], [0, 1]], [0, 1, 1], [2, 3], 2, weights=[2, Fraction(1, 2), 0.25]
    )
    assert counts.n_c == [2, Fraction(3, 4)]
    assert counts.n_ca[0] == [[2, Fraction(1, 4)], [0, Fraction(1, 2)]]
    assert counts.n_ca[1] == [[0, 0], [2, Fraction(1, 4)], [0, 0]]
    assert counts.n_cab[0, 1] == [[[0, 0], [2, Fraction(1, 4)], [0, 0]], [[0, 0]] * 3]


def test_integer_weights_repeat_rows():
    weighted = oracles.count_tables(CODES, Y, [2, 2], 2, weights=[3, 0])
    assert weighted == oracles.count_tables([[0, 0]] * 3, [0] * 3, [2, 2], 2)


def test_joint_by_hand(counts):
    # c = 0: 1/2 · (1 + 1/4)/(1 + 1/2) · (1 + 1/8)/(1 + 1/4) = 1/2 · 5/6 · 9/10; c = 1: 1/2 · 1/6 · 1/2
    assert oracles.class_prior(counts) == [Fraction(1, 2), Fraction(1, 2)]
    assert oracles.spode_joint(counts, [0, 0]) == [[Fraction(3, 8), Fraction(1, 24)]] * 2
    assert oracles.spode_posteriors(counts, [0, 0]) == [[Fraction(9, 10), Fraction(1, 10)]] * 2
    assert oracles.spode_joint(counts, [0, None]) == [[Fraction(5, 12), Fraction(1, 12)], None]
    assert oracles.spode_joint(counts, [None, None]) == [None, None]


def test_joint_with_another_pseudo_count(counts):
    # s = 4: P(0) = 3/6; (1 + 1)/(1 + 2) = 2/3; (1 + 1/2)/(1 + 1) = 3/4
    assert oracles.spode_joint(counts, [0, 0], ess=4)[0][0] == Fraction(1, 2) * Fraction(2, 3) * Fraction(
        3, 4
    )


def test_joint_where_training_cells_are_unknown():
    # n(c) = 2 but cell 1 is known once: P(a_1 = 0|c) = (1 + 1/2)/(1 + 1),
    # P(a_0 = 0|a_1 = 0, c) = (1 + 1/4)/(1 + 1/2)
    counts = oracles.count_tables([[0, 0], [0, None]], [0, 0], [2, 2], 1)
    joint_0, joint_1 = oracles.spode_joint(counts, [0, 0])
    assert joint_1 == [Fraction(3, 4) * Fraction(5, 6)]
    # P(a_0 = 0|c) = (2 + 1/2)/(2 + 1), P(a_1 = 0|a_0 = 0, c) = (1 + 1/4)/(1 + 1/2): both cells known once
    assert joint_0 == [Fraction(5, 6) * Fraction(5, 6)]


def test_joints_sum_to_one():
    rng = np.random.default_rng(0)
    n_states, n_classes = [2, 3, 2], 3
    codes = [[int(rng.integers(v)) for v in n_states] for _ in range(20)]
    counts = oracles.count_tables(
        codes, [int(c) for c in rng.integers(n_classes, size=20)], n_states, n_classes
    )
    rows = itertools.product(*(range(v) for v in n_states))
    joints = zip(*(oracles.spode_joint(counts, row) for row in rows), strict=True)
    totals = [sum(sum(joint) for joint in of_one_spode) for of_one_spode in joints]
    assert totals == [1, 1, 1]


def test_likelihoods_by_hand(counts):
    assert oracles.log_likelihoods(counts, CODES, Y) == pytest.approx([2 * math.log(0.9)] * 2, rel=1e-15)
    assert oracles.log_likelihoods(counts, CODES, Y, weights=[3, 0.5])[0] == pytest.approx(
        3.5 * math.log(0.9)
    )
    assert oracles.log_likelihoods(counts, CODES, [1, 0], floor=0.25) == pytest.approx(
        [2 * math.log(0.25)] * 2
    )
    assert oracles.log_likelihoods(counts, [[0, None]], [0]) == pytest.approx(
        [math.log(5 / 6), math.log(1 / 2)]
    )
    assert oracles.null_log_likelihood([1, 1]) == pytest.approx(-2 * math.log(2), rel=1e-15)
    assert oracles.null_log_likelihood([3, 1, 0]) == pytest.approx(
        3 * math.log(0.75) + math.log(0.25), rel=1e-15
    )
    assert oracles.null_log_likelihood([5]) == 0


# --- determinate classifiers ---


def test_aode_by_hand():
    # Only n(c) and one feature differ: with one SPODE the mean of posteriors is that posterior.
    counts = oracles.count_tables([[0], [1]], Y, [2], 2)
    assert oracles.aode_posterior(counts, [0]) == pytest.approx([5 / 6, 1 / 6])
    assert oracles.aode_posterior(counts, [None]) == [0.5, 0.5]
    assert oracles.aode_posterior(oracles.count_tables([[], []], Y, [], 2), []) == [0.5, 0.5]


def test_aode_averages():
    counts = oracles.count_tables([[0, 0], [0, 1], [1, 1]], [0, 0, 1], [2, 2], 2)
    (a, b), (c, d) = oracles.spode_joint(counts, [0, 1])
    assert oracles.aode_posterior(counts, [0, 1])[0] == pytest.approx(float((a / (a + b) + c / (c + d)) / 2))
    joint = oracles.aode_posterior(counts, [0, 1], average="joint")
    assert joint[0] == pytest.approx(float((a + c) / (a + b + c + d)))


def test_weights_by_hand():
    assert oracles.bma_weights([-1000.0, -1000.0 - math.log(3), -1010.0]) == pytest.approx([0.75, 0.25, 0.0])
    assert oracles.bma_weights([]) == []
    # B = LL_0 + log ε = −10; log((1 − ε)/2) = log 0.45
    eps, null = 0.1, -10 - math.log(0.1)
    pi = [1 + (-2 + math.log(0.45)) / 10, 1 + (-5 + math.log(0.45)) / 10]
    assert oracles.comp_weights([-2.0, -5.0], null, eps) == pytest.approx([p / sum(pi) for p in pi])
    assert oracles.comp_weights([-2.0, -50.0], null, eps) == [1.0, 0.0]
    assert oracles.comp_weights([-50.0, -50.0], null, eps) == [0.0, 0.0]
    assert oracles.comp_weights([], null, eps) == []


def test_mixture_by_hand():
    posteriors = [[0.9, 0.1], None, [0.5, 0.5]]
    assert oracles.mixture([0.2, 0.5, 0.3], posteriors, [0.6, 0.4]) == pytest.approx([0.66, 0.34])
    assert oracles.mixture([0.0, 1.0, 0.0], posteriors, [0.6, 0.4]) == [0.6, 0.4]
    assert oracles.mixture([], [], [Fraction(3, 5), Fraction(2, 5)]) == [0.6, 0.4]


# --- from a table to codes ---


def test_median_and_mode_by_hand():
    assert oracles.weighted_median([3, 1, 2]) == 2
    assert oracles.weighted_median([4, 1, 2, 3]) == 2.5
    assert oracles.weighted_median([1, 2, 9], weights=[3, 1, 0]) == 1
    assert oracles.weighted_median([1, 2], weights=[2, 2]) == 1.5
    assert oracles.weighted_median([1.6e308, 1.6e308]) == 1.6e308
    with pytest.raises(ValueError, match="integers"):
        oracles.weighted_median([1, 2], weights=[0.5, 1])
    assert oracles.mode(["b", "a", "b", "a"], ["b", "a"]) == "b"
    assert oracles.mode(["b", "a", "?"], ["b", "a"], weights=[1, 1.5, 9]) == "a"


def test_mdl_by_hand():
    # Gain 1 > (log2 1 + log2 7 − 2)/2 = 0.40
    assert oracles.mdl_cuts([0, 1], [0, 1]) == [0.5]
    # alternating: best gain 0.311, at 0.5 and at 2.5, < (log2 3 + log2 7 − (2 − 2·0.918))/4 = 1.06
    assert oracles.mdl_cuts([0, 1, 2, 3], [0, 1, 0, 1]) == []
    assert oracles.mdl_cuts([0, 1], [0, 0]) == []
    assert oracles.mdl_cuts([1, 1], [0, 1]) == []
    # 20 zeros, 20 ones, 20 zeros: both borders gain 0.252 > (log2 59 + 2.971)/60 = 0.148; the lower is first;
    # then 20 ones against 20 zeros gain 1 > (log2 39 + 0.807)/40
    labels = [0] * 20 + [1] * 20 + [0] * 20
    assert oracles.mdl_cuts(list(range(60)), labels) == [19.5, 39.5]
    # 10 of each: gain 0.252 < (log2 29 + 2.971)/30 = 0.261
    assert oracles.mdl_cuts(list(range(30)), [0] * 10 + [1] * 10 + [0] * 10) == []
    assert oracles.mdl_cuts([0, 1, 2], [0, 1, 0], weights=[20, 20, 20]) == [0.5, 1.5]
    assert oracles.mdl_cuts([0, 1, 2], [0, 1, 1], weights=[1, 0, 1]) == [1.0]


def test_mdl_threshold_and_ties():
    # gain 0.722 lies between (log2 4 + log2 7 − 2·0.722)/5 = 0.673 and the same with log2 5, 0.737
    assert oracles.mdl_cuts([0, 1, 2, 3, 4], [0, 1, 1, 1, 1]) == [0.5]
    # a palindrome: mirror candidates tie exactly, and only "the lowest" tells the two ends apart
    labels, weights = [1, 1, 0, 1, 0, 1, 0, 1, 1], [7, 3, 11, 6, 1, 6, 11, 3, 7]
    assert oracles.mdl_cuts(list(range(9)), labels, weights) == [1.5, 2.5]


def test_midpoints():
    above = math.nextafter(1.0, 2.0)
    assert oracles.mdl_cuts([1.0, above], [0, 1]) == [1.0]
    assert oracles.mdl_cuts([above, math.nextafter(above, 2.0)], [0, 1]) == [
        above
    ]  # rounds to the upper value
    assert oracles.mdl_cuts([1.0e308, 1.5e308], [0, 1]) == [1.25e308]  # the sum overflows


def test_mdl_against_entropies_in_double_arithmetic():
    rng = np.random.default_rng(3)

    def entropy(labels):
        shares = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(shares * np.log2(shares)).sum()

    def cuts(x, c):
        middles = (np.unique(x)[1:] + np.unique(x)[:-1]) / 2
        if not len(middles):
            return []
        sides = [(c[x <= m], c[x > m]) for m in middles]
        left = [len(a) * entropy(a) + len(b) * entropy(b) for a, b in sides]
        best = int(np.flatnonzero(np.isclose(left, min(left), rtol=1e-11))[0])
        a, b = sides[best]
        m, m_1, m_2 = (len(np.unique(z)) for z in (c, a, b))
        delta = math.log2(3**m - 2) - (m * entropy(c) - m_1 * entropy(a) - m_2 * entropy(b))
        if not entropy(c) - left[best] / len(c) > (math.log2(len(c) - 1) + delta) / len(c):
            return []
        inside = x <= middles[best]
        return [*cuts(x[inside], c[inside]), middles[best], *cuts(x[~inside], c[~inside])]

    found = set()
    for _ in range(30):
        c = rng.integers(3, size=80)
        x = np.round(rng.normal(size=80) + 1.5 * c, 1)
        expected = cuts(x, c)
        found.add(len(expected))
        assert oracles.mdl_cuts(x.tolist(), c.tolist()) == pytest.approx(expected)
    assert len(found) > 1


def test_a_bin_holds_its_upper_cut():
    assert [oracles.bin_of(x, [1.0, 2.0]) for x in (0.5, 1.0, 1.5, 2.0, 2.5)] == [0, 0, 1, 1, 2]
    assert oracles.bin_of(3.0, []) == 0


def test_encode_by_hand():
    train = [
        [0, "b", 5, None, "x"],
        [0, "b", 5, None, "x"],
        [9, "a", None, None, None],
        [None, None, 5, None, "x"],
    ]
    test = [[None, None, 1, 1, "x"], [5, "z", 1, 1, "y"], [4.4, "a", 1, 1, "x"]]
    kinds = ["numeric", "categorical", "numeric", "numeric", "categorical"]
    encoded = oracles.encode_table(train, test, kinds, [None, None, None, None, ["x", "y"]], [0, 0, 1, 0], 2)
    # column 0: median 0, one cut at 4.5 (gain 0.811 > (log2 3 + log2 7 − 2·0.811)/4 = 0.692);
    # column 1: mode "b"; the others are constant once imputed, although the last declares two states
    assert encoded.kept == [0, 1]
    assert encoded.n_states == [2, 2]
    assert encoded.train_codes == [[0, 1], [0, 1], [1, 0], [0, 1]]
    assert encoded.test_codes == [[0, 1], [1, None], [0, 0]]


def test_encode_counts_declared_states():
    encoded = oracles.encode_table(
        [["b"], ["a"], [None]], [["c"], ["d"]], ["categorical"], [["c", "b", "a"]], [0, 1, 1], 2
    )
    assert encoded.n_states == [3]
    assert encoded.train_codes == [[1], [2], [1]]  # a tie of "b" and "a": the first declared
    assert encoded.test_codes == [[0], [None]]


# --- minima over sets of priors ---


def simplex(k, total, lower, steps):
    """Priors on a regular grid: y_j >= lower, Σ y_j = total."""
    rest = total - k * lower
    for parts in itertools.product(range(steps + 1), repeat=k - 1):
        if sum(parts) <= steps:
            shares = [*parts, steps - sum(parts)]
            yield [lower + rest * share / steps for share in shares]


@pytest.mark.parametrize("k", [2, 3])
def test_bma_minima_against_a_grid(k):
    rng = np.random.default_rng(k)
    for _ in range(20):
        p1, p2 = rng.random((2, k))
        log_lik, eps = -50 - 3 * rng.random(k), 0.05
        lik = np.exp(log_lik - log_lik.max())
        grid = np.array(
            list(simplex(k, 1.0, eps, 20))
        )  # the extreme points, where both minima lie, are on it
        differences, ratios = grid @ (lik * (p1 - p2)), (grid @ (lik * p1)) / (grid @ (lik * p2))
        assert oracles.bma_min_difference(p1, p2, log_lik, eps) == pytest.approx(differences.min(), abs=1e-10)
        assert oracles.bma_min_ratio(p1, p2, log_lik, eps) == pytest.approx(ratios.min(), rel=1e-9)


def test_bma_minima_by_hand():
    # L = 1, 1/2 and one below the cut; ε = 0.1: extreme priors (0.9, 0.1) and (0.1, 0.9)
    log_lik = [-7.0, -7.0 - math.log(2), -20.0]
    p1, p2 = [0.6, 0.2, 1.0], [0.4, 0.8, 0.0]
    # differences 0.2·P_1 − 0.3·P_2; ratios (0.54 + 0.01)/(0.36 + 0.04) and (0.06 + 0.09)/(0.04 + 0.36)
    assert oracles.bma_min_difference(p1, p2, log_lik, 0.1) == pytest.approx(0.02 - 0.27)
    assert oracles.bma_min_ratio(p1, p2, log_lik, 0.1) == pytest.approx(0.15 / 0.4)
    assert oracles.bma_min_ratio(p1, [0, 0, 1], log_lik, 0.1) == math.inf
    assert oracles.bma_min_ratio([0, 0, 1], p1, log_lik, 0.1) == 0
    assert oracles.bma_min_difference(p1, p1, log_lik, 0.1) == 0


def comp_closed_form(d, log_lik, log_lik_null, eps, used):
    """§7's closed form, λ by bisection."""
    k, b = len(d), log_lik_null + math.log(eps)
    kept = [j for j in range(k) if used[j]]
    room = 1 - eps - (k - len(kept)) * eps
    y = dict.fromkeys(kept, eps)
    if any(d[j] < 0 for j in kept):
        low, high = 1e-30, 1e30
        for _ in range(500):
            middle = math.sqrt(low * high)
            taken = sum(max(eps, -d[j] / middle) for j in kept)
            low, high = (middle, high) if taken > room else (low, middle)
        y = {j: max(eps, -d[j] / low) for j in kept}
    elif len(kept) == k:
        y[min(kept, key=lambda j: d[j])] = 1 - k * eps
    return sum(d[j] * (1 - (log_lik[j] + math.log(y[j])) / b) for j in kept)


def comp_problems():
    rng = np.random.default_rng(8)
    for trial in range(120):
        k = int(rng.integers(1, 11))
        eps = float(rng.choice([0.01, 0.5 / (k + 1), 0.95 / (k + 1), 1e-6]))
        log_lik_null = -float(rng.uniform(2, 200))
        log_lik = [log_lik_null * float(rng.uniform(0.1, 1.3)) for _ in range(k)]
        d = rng.uniform(-1, 1, size=k) * 10.0 ** rng.uniform(-8 * (trial % 2), 0, size=k)
        d = np.abs(d) if trial % 3 == 0 else d
        yield d.tolist(), log_lik, log_lik_null, eps, (rng.random(k) < 0.8).tolist()


def test_comp_minimum_against_the_closed_form():
    for d, log_lik, log_lik_null, eps, available in comp_problems():
        feasible = oracles.comp_feasible(log_lik, log_lik_null, eps, len(d))
        used = [a and f for a, f in zip(available, feasible, strict=True)]
        expected = comp_closed_form(d, log_lik, log_lik_null, eps, used)
        found = oracles.comp_min_difference(d, log_lik, log_lik_null, eps, available=available)
        b = log_lik_null + math.log(eps)
        scale = sum(
            abs(x) * (abs(1 - ll / b) + abs(math.log(eps) / b)) for x, ll in zip(d, log_lik, strict=True)
        )
        assert abs(found - expected) < 1e-9 * scale


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("infeasible", [False, True])
def test_comp_minimum_against_a_grid(k, infeasible):
    rng = np.random.default_rng(10 * k + infeasible)
    eps, log_lik_null = 0.02, -30.0
    b = log_lik_null + math.log(eps)
    for trial in range(8):
        d = rng.uniform(-1, 1, size=k) if trial % 2 else rng.random(k)
        log_lik = rng.uniform(-20, -5, size=k)
        if infeasible:
            log_lik[-1] = -90.0
        kept = slice(None, k - 1) if infeasible else slice(None)
        grid = np.array(list(simplex(k, 1 - eps, eps, 400)))
        scores = ((1 - (log_lik + np.log(grid)) / b) * d)[:, kept].sum(axis=1)
        found = oracles.comp_min_difference(d, log_lik, log_lik_null, eps)
        assert scores.min() - 2e-4 < found < scores.min() + 1e-12


def test_comp_feasible_by_hand():
    # B = −10, k = 2, ε = 0.1: feasible iff LL_j + log 0.8 > −10
    null = -10 - math.log(0.1)
    edge = -10 - math.log(0.8)
    assert oracles.comp_feasible([edge + 1e-9, edge - 1e-9], null, 0.1, 2) == [True, False]


def test_comp_minimum_by_hand():
    eps, null = 0.1, -10 - math.log(0.1)  # B = −10
    # no negative d, both feasible: the rest of M = 0.9 goes to the smaller d
    expected = 0.5 * (1 + (-2 + math.log(0.1)) / 10) + 0.1 * (1 + (-3 + math.log(0.8)) / 10)
    assert oracles.comp_min_difference([0.5, 0.1], [-2, -3], null, eps) == pytest.approx(expected, abs=1e-14)
    # the second infeasible: it takes the rest, the first stays at ε
    expected = 0.5 * (1 + (-2 + math.log(0.1)) / 10)
    assert oracles.comp_min_difference([0.5, 0.1], [-2, -60], null, eps) == pytest.approx(expected, abs=1e-14)
    masked = oracles.comp_min_difference([0.5, 0.1], [-2, -3], null, eps, available=[True, False])
    assert masked == pytest.approx(expected, abs=1e-14)
    # both negative, 2 : 1, nothing at its bound: y = (0.6, 0.3)
    expected = -0.4 * (1 + (-2 + math.log(0.6)) / 10) - 0.2 * (1 + (-3 + math.log(0.3)) / 10)
    assert oracles.comp_min_difference([-0.4, -0.2], [-2, -3], null, eps) == pytest.approx(
        expected, abs=1e-14
    )


# --- sets ---


def test_maximal_set():
    beats = {(0, 1), (1, 2), (0, 2)}
    assert oracles.maximal_set(3, lambda c, d: (c, d) in beats) == [True, False, False]
    assert oracles.maximal_set(3, lambda c, d: (c, d) == (2, 1)) == [True, False, True]
    assert oracles.maximal_set(1, lambda c, d: True) == [True]


LOG_LIK, NULL, EPS = [-2.0, -3.0], -10 - math.log(0.1), 0.1
PRIOR = [0.5, 0.3, 0.2]


def sets(posteriors, log_lik=LOG_LIK, prior=PRIOR, reference=None, null=NULL):
    bma = oracles.mixture(oracles.bma_weights(log_lik), posteriors, prior)
    comp = oracles.mixture(oracles.comp_weights(log_lik, null, EPS), posteriors, prior)
    return (
        oracles.bma_set(posteriors, log_lik, EPS, prior, reference or bma),
        oracles.comp_set(posteriors, log_lik, null, EPS, prior, reference or comp),
    )


def test_sets_where_all_agree_and_where_classes_tie():
    assert sets([[0.7, 0.2, 0.1], [0.8, 0.1, 0.1]]) == ([True, False, False],) * 2
    assert sets([[0.45, 0.45, 0.1], [0.3, 0.3, 0.4]])[0][:2] == [True, True]
    assert sets([[0.4, 0.4, 0.2], [0.45, 0.45, 0.1]]) == ([True, True, False],) * 2


def test_a_prior_dependent_row():
    # BMA, L = (1, 1/e): at P = (0.1, 0.9) class 1 leads: 0.9·e⁻¹·(0.8 − 0.1) > 0.1·(0.8 − 0.1)
    posteriors = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]
    bma, _ = sets(posteriors)
    assert bma == [True, True, False]
    # COMP, B = −10: with y = (0.1, 0.8), π = (0.570, 0.678) and (0.8 − 0.1)(π_1 − π_2) < 0
    assert 1 + (-2 + math.log(0.1)) / 10 < 1 + (-3 + math.log(0.8)) / 10
    margins = oracles.comp_margins(posteriors, LOG_LIK, NULL, EPS, PRIOR)
    assert margins[0][1] < 0
    assert margins[1][0] < 0
    assert margins[0][2] > 0
    assert sets(posteriors)[1] == [True, True, False]


def test_margins_by_hand():
    # w = (0.2, −0.3·e⁻¹) at P = (0.1, 0.9), over 0.1·(0.6 + 0.4) + 0.9·e⁻¹·(0.3 + 0.6)
    posteriors = [[0.6, 0.4], [0.3, 0.6]]
    margin = oracles.bma_margins(posteriors, LOG_LIK, EPS, [0.5, 0.5])[0][1]
    l_2 = math.exp(-1)
    assert margin == pytest.approx((0.02 - 0.27 * l_2) / (0.1 + 0.81 * l_2))
    # d = (0.2, 0): the whole rest on the second: y = (0.1, 0.8)
    margin = oracles.comp_margins([[0.6, 0.4], [0.5, 0.5]], LOG_LIK, NULL, EPS, [0.5, 0.5])[0][1]
    minimum = 0.2 * (1 + (-2 + math.log(0.1)) / 10)
    scale = (0.8 - math.log(0.1) / 10) + (0.7 - math.log(0.8) / 10)
    assert margin == pytest.approx(minimum / scale)


def test_unknown_super_parents():
    # only the second SPODE speaks
    assert sets([None, [0.1, 0.8, 0.1]]) == ([False, True, False],) * 2
    # nobody speaks: argmax of the prior, ties kept; the reference class is put back
    assert sets([None, None]) == ([True, False, False],) * 2
    assert sets([], log_lik=[]) == ([True, False, False],) * 2
    assert sets([None, None], prior=[0.4, 0.4 - 1e-14, 0.2]) == ([True, True, False],) * 2
    assert sets([None, None], reference=[0.1, 0.2, 0.7]) == ([True, False, True],) * 2
    # the only SPODE above the cut (BMA), the only feasible one (COMP), is unknown
    assert sets([None, [0.1, 0.8, 0.1]], log_lik=[-2.0, -60.0]) == ([True, False, False],) * 2


def test_the_reference_class_is_put_back():
    assert sets([[0.7, 0.2, 0.1], [0.8, 0.1, 0.1]], reference=[0.1, 0.2, 0.7]) == ([True, False, True],) * 2


def test_comp_answers_everything_where_a_prior_says_nothing():
    # B = −10, k = 3: the first SPODE always has π ≥ 1 + (−6.7 + log 0.1)/10 = 0.100, the others π ≤ 0.004 at
    # y = 0.7 and −0.190 at y = 0.1: Σπ = −0.086 at every extreme point, although all prefer class 0 and
    # the first, with d = 0.85 against 0.01, keeps Σ d π positive
    log_lik, posteriors = [-6.7, -9.6, -9.6], [[0.9, 0.05, 0.05], [0.34, 0.33, 0.33], [0.34, 0.33, 0.33]]
    assert all(oracles.comp_feasible(log_lik, NULL, EPS, 3))
    total = oracles.comp_min_difference([1, 1, 1], log_lik, NULL, EPS)
    assert total == pytest.approx(3 + (sum(log_lik) + math.log(0.7) + 2 * math.log(0.1)) / 10)
    assert total < 0
    assert oracles.comp_margins(posteriors, log_lik, NULL, EPS, PRIOR)[0][1] > 0
    assert sets(posteriors, log_lik=log_lik)[1] == [True, True, True]


# --- end to end ---


def test_end_to_end_by_hand():
    table = [["p", "p"], ["q", "q"]]
    results = oracles.end_to_end_sets(table, Y, [*table, ["z", "z"]], ["categorical"] * 2, [None, None], 2)
    assert results["log_lik"] == pytest.approx([2 * math.log(0.9)] * 2)
    assert results["log_lik_null"] == pytest.approx(-2 * math.log(2))
    for name in ("aode_proba", "bma_proba", "comp_proba"):
        assert np.array(results[name]) == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]))
    assert results["bma"] == results["comp"] == [[True, False], [False, True], [True, True]]


def test_end_to_end_without_features():
    results = oracles.end_to_end_sets(
        [[1.0], [2.0], [1.0]], [0, 1, 1], [[3.0]], ["numeric"], [None], 2, eps=0.05
    )
    assert results["log_lik"] == []
    assert results["bma"] == results["comp"] == [[False, True]]
    assert results["aode_proba"] == results["comp_proba"] == [[1.5 / 4, 2.5 / 4]]
