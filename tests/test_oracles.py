"""The oracles themselves, against numbers worked out by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

import oracles
import oracles_logpool as lp

# Two rows, (0, 0) of class 0 and (1, 1) of class 1: small enough to do every parameter by hand.
CODES = [[0, 0], [1, 1]]
Y = [0, 1]


@pytest.fixture
def counts():
    return oracles.count_tables(CODES, Y, [2, 2], 2)


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


def test_end_to_end_by_hand():
    table = [["p", "p"], ["q", "q"]]
    results = oracles.end_to_end_sets(table, Y, [*table, ["z", "z"]], ["categorical"] * 2, [None, None], 2)
    assert results["log_lik"] == pytest.approx([2 * math.log(0.9)] * 2)
    assert results["log_lik_null"] == pytest.approx(-2 * math.log(2))
    for name in ("aode_proba", "bma_proba", "comp_proba"):
        assert np.array(results[name]) == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]))
    assert results["bma"] == results["comp"] == [[True, False], [False, True], [True, True]]


# --- LP-AODE, §12 and §14 ---


def whole(*weights):
    return [Fraction(weight) for weight in weights]


def test_splitmix64_has_the_published_outputs():
    assert lp.splitmix64(0) == 0xE220A8397B1DCDAF
    golden, state = 0x9E3779B97F4A7C15, 1234567
    assert lp.splitmix64(state) == 6457827717110365317
    assert lp.splitmix64((state + golden) % 2**64) == 3203168211198807973
    assert lp.row_rank(0, 5) == lp.splitmix64(0xE220A8397B1DCDAF ^ 5)
    assert lp.row_rank(-1, 5) == lp.row_rank(2**64 - 1, 5)
    assert [lp.row_rank(0, number) for number in range(3)] == [
        12035550249420947055,
        627405149472732430,
        15549969042648332857,
    ]


def test_folds_by_hand():
    # Ranks with seed 0 put row 1 before row 0 before row 2. Class 0 holds rows 1 and 2, and so on.
    labels = [1, 0, 0, 1, 1, 0]
    order = sorted(range(6), key=lambda i: (labels[i], lp.row_rank(0, i)))
    assert order[0] == 1
    folds = lp.deal(labels, range(6), 0)
    assert [folds[i] for i in order] == [0, 1, 0, 1, 0, 1]
    assert lp.deal(labels[:5], range(5), 0) == []
    assert max(lp.deal([0] * 29, range(29), 0)) == 8
    assert max(lp.deal([0] * 100, range(100), 0)) == 9
    # The numbers are those among all rows, not among the sample.
    assert lp.deal(labels, [7, 9, 11, 12, 30, 31], 0) != lp.deal(labels, range(6), 0)


def test_prior_weights_by_hand():
    centre, strength = lp.prior_weights(2, True, True)
    np.testing.assert_allclose(centre, [0, 1 / 6, 1 / 6, 1 / 3, 1 / 3])
    np.testing.assert_allclose(strength, [1, 4, 4, 1, 1])
    np.testing.assert_allclose(lp.prior_weights(4)[0], [0, 1 / 4, 1 / 4, 1 / 4, 1 / 4])
    np.testing.assert_allclose(lp.prior_weights(0, False, True), [[0, 1], [1, 1 / 9]])
    np.testing.assert_allclose(lp.prior_weights(0), [[0], [1]])
    np.testing.assert_array_equal(lp.lower_bounds(3), [-1, 0, 0])


def test_a_region_is_explained_along_its_path():
    """One column of two values, twenty rows: the tree asks about it, and Δ log P(z|c) is that column's."""
    rows = [0.0] * 10 + [1.0] * 10
    y = [0] * 7 + [1] * 3 + [0] * 3 + [1] * 7
    oracle = lp.LogPoolOracle.fit([rows], y, kinds=["numeric"], declared=[None], n_regions=1, line=False)
    assert (oracle.model.kept, oracle.leaves) == ([], [2])
    frequencies, features = oracle.contributions([0.0], 0, 1)
    # P(z|c) = (7 + 4/(2·2))/(10 + 4/2) against (3 + 1)/(10 + 2).
    assert frequencies == pytest.approx(0, abs=1e-12)
    assert features[0] == pytest.approx(oracle.weights[1] * math.log(8 / 4))
