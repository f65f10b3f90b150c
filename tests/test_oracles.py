"""The oracles themselves, against numbers worked out by hand."""

from fractions import Fraction

import pytest

import oracles
import oracles_logpool as lp

# Two rows, (0, 0) of class 0 and (1, 1) of class 1: small enough to do every parameter by hand.
CODES = [[0, 0], [1, 1]]
Y = [0, 1]


@pytest.fixture
def counts():
    return oracles.count_tables(CODES, Y, [2, 2], 2)


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
