"""The oracles themselves, against numbers worked out by hand or by a second, different computation."""

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


def test_joint_by_hand(counts):
    # c = 0: 1/2 · (1 + 1/4)/(1 + 1/2) · (1 + 1/8)/(1 + 1/4) = 1/2 · 5/6 · 9/10; c = 1: 1/2 · 1/6 · 1/2
    assert oracles.class_prior(counts) == [Fraction(1, 2), Fraction(1, 2)]
    assert oracles.spode_joint(counts, [0, 0]) == [[Fraction(3, 8), Fraction(1, 24)]] * 2
    assert oracles.spode_posteriors(counts, [0, 0]) == [[Fraction(9, 10), Fraction(1, 10)]] * 2
    assert oracles.spode_joint(counts, [0, None]) == [[Fraction(5, 12), Fraction(1, 12)], None]
    assert oracles.spode_joint(counts, [None, None]) == [None, None]


def test_joint_where_training_cells_are_unknown():
    # n(c) = 2 but cell 1 is known once: P(a_1 = 0|c) = (1 + 1/2)/(1 + 1),
    # P(a_0 = 0|a_1 = 0, c) = (1 + 1/4)/(1 + 1/2)
    counts = oracles.count_tables([[0, 0], [0, None]], [0, 0], [2, 2], 1)
    joint_0, joint_1 = oracles.spode_joint(counts, [0, 0])
    assert joint_1 == [Fraction(3, 4) * Fraction(5, 6)]
    # P(a_0 = 0|c) = (2 + 1/2)/(2 + 1), P(a_1 = 0|a_0 = 0, c) = (1 + 1/4)/(1 + 1/2): both cells known once
    assert joint_0 == [Fraction(5, 6) * Fraction(5, 6)]


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


# --- minima over sets of priors ---


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


LOG_LIK, NULL, EPS = [-2.0, -3.0], -10 - math.log(0.1), 0.1
PRIOR = [0.5, 0.3, 0.2]


def sets(posteriors, log_lik=LOG_LIK, prior=PRIOR, reference=None, null=NULL):
    bma = oracles.mixture(oracles.bma_weights(log_lik), posteriors, prior)
    comp = oracles.mixture(oracles.comp_weights(log_lik, null, EPS), posteriors, prior)
    return (
        oracles.bma_set(posteriors, log_lik, EPS, prior, reference or bma),
        oracles.comp_set(posteriors, log_lik, null, EPS, prior, reference or comp),
    )


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
