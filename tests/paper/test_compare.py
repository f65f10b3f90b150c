from itertools import product

import numpy as np
import pytest
from scipy import stats

from skcredal.paper._compare import (
    bayesian_signed_rank,
    friedman_test,
    nemenyi_distance,
    nemenyi_p_value,
    wilcoxon_test,
)

# Demšar (2006), table 6: AUC of C4.5 without and with tuned m and cf. Of two values printed 0.975 for
# voting, the first was larger, as its rank there tells.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
# Darwin's maize, crossed minus self-fertilised, in eighths of an inch: the example of scipy's manual.
DARWIN = np.array([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])


def enumerated_p_value(differences):
    """From the definition: of all signs, how many bring the rank sum as far from its mean."""
    differences = [d for d in differences if d != 0]
    sizes = [abs(d) for d in differences]
    ranks = [sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes]
    middle = sum(ranks) / 2
    observed = abs(sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0) - middle)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    return sum(abs(total - middle) >= observed for total in sums) / len(sums)


def test_wilcoxon_of_darwins_maize():
    found = wilcoxon_test(DARWIN, np.zeros(15))
    assert (found.n_pairs, found.n_higher, found.n_lower, found.direction) == (15, 13, 2, 1)
    assert found.p_value == pytest.approx(0.041259765625)
    assert found.mean_difference == pytest.approx(DARWIN.mean())
    opposite = wilcoxon_test(np.zeros(15), DARWIN)
    assert (opposite.p_value, opposite.direction) == (found.p_value, -1)


@pytest.mark.parametrize(
    "differences",
    [[1, 2, 3, -4], [1, 1, 2, 2, -3, 0], [1, -1], [5], [2, 2, 2, 2, 2, 2, 2, -2], [-1, -2, -3, 0, 0]],
)
def test_wilcoxon_is_exact_on_few_differences(differences):
    found = wilcoxon_test(differences, np.zeros(len(differences)))
    assert found.p_value == pytest.approx(enumerated_p_value(differences))


def test_wilcoxon_with_many_ties_is_approximated_with_their_variance():
    differences = np.array([1, 1, -1, 2, 2, 2, -2, 3, 3, 3, 4, 4, 5, -5, 6, 6, 7.0])
    found = wilcoxon_test(differences, np.zeros(17))
    ranks = stats.rankdata(np.abs(differences))
    z = (ranks[differences > 0].sum() - ranks.sum() / 2) / np.sqrt((ranks**2).sum() / 4)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_wilcoxon_drops_zeros_that_rounding_hides_and_pairs_without_a_value():
    a = [0.1 + 0.2, 0.5, 0.7, np.nan, 0.9]
    b = [0.3, 0.4, 0.5, 0.5, np.nan]
    found = wilcoxon_test(a, b)
    assert (found.n_pairs, found.n_higher, found.n_lower) == (3, 2, 0)
    assert found.mean_difference == pytest.approx(0.1)


def test_wilcoxon_without_differences_or_pairs():
    same = wilcoxon_test([0.5, 0.6], [0.5, 0.6])
    assert (same.p_value, same.n_higher, same.n_lower, same.n_pairs, same.direction) == (1.0, 0, 0, 2, 0)
    none = wilcoxon_test([np.nan], [0.5])
    assert none.n_pairs == 0
    assert np.isnan(none.p_value)
    assert np.isnan(wilcoxon_test([], []).p_value)


def test_friedman_of_demsar():
    found = friedman_test(DEMSAR)
    np.testing.assert_allclose(found.average_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert round(found.statistic, 2) == 3.69
    assert 0.01 < found.p_value < 0.05
    assert (found.n, round(nemenyi_distance(4, 14, 0.10), 2)) == (14, 1.12)


def test_friedman_without_ties_has_the_chi_square_of_scipy():
    untied = np.random.default_rng(0).random((20, 5))
    chi_square = stats.friedmanchisquare(*untied.T).statistic
    assert friedman_test(untied).statistic == pytest.approx(19 * chi_square / (20 * 4 - chi_square))


def test_friedman_at_its_extremes():
    agreed = friedman_test(np.tile([0.3, 0.2, 0.1], (7, 1)))
    assert agreed.average_ranks.tolist() == [1.0, 2.0, 3.0]
    assert (agreed.statistic, agreed.p_value) == (np.inf, 0.0)
    tied = friedman_test(np.full((7, 3), 0.5))
    assert (tied.statistic, tied.p_value, tied.average_ranks.tolist()) == (0.0, 1.0, [2.0, 2.0, 2.0])
    single = friedman_test([[0.1, 0.2]])
    assert (single.n, single.average_ranks.tolist()) == (1, [2.0, 1.0])
    assert np.isnan(single.p_value)


def test_friedman_ties_values_that_differ_by_rounding():
    assert friedman_test([[0.1 + 0.2, 0.3], [0.5, 0.4]]).average_ranks.tolist() == [1.25, 1.75]


@pytest.mark.parametrize(
    ("k", "alpha", "q"),
    [
        (2, 0.05, 1.960),
        (3, 0.05, 2.343),
        (4, 0.05, 2.569),
        (10, 0.05, 3.164),
        (3, 0.10, 2.052),
        (10, 0.10, 2.920),
    ],
)
def test_critical_distance_has_the_quantiles_of_demsars_table(k, alpha, q):
    assert nemenyi_distance(k, 6, alpha) == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=5e-4)


def test_half_the_critical_distance_is_the_bar_of_the_papers_figure():
    assert nemenyi_distance(3, 39) / 2 == pytest.approx(0.2653, abs=5e-4)


def test_nemenyi_p_value_is_the_level_at_the_critical_distance():
    distance = nemenyi_distance(3, 39, 0.10)
    assert nemenyi_p_value(distance, 3, 39) == pytest.approx(0.10)


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize(("shift", "winner"), [(0.05, 0), (0.001, 1), (0.0, 1), (-0.05, 2)])
def test_bayesian_signed_rank_finds_the_better_or_neither(shift, winner):
    b = np.linspace(0.5, 0.9, 20)
    found = bayesian_signed_rank(b + shift, b)
    assert found[winner] > 0.95
    assert sum(found) == pytest.approx(1.0)
    assert bayesian_signed_rank(b + shift, b) == found
