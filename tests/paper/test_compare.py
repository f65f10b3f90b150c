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

# Darwin's maize, crossed minus self-fertilised, in eighths of an inch: the example of scipy's manual.
DARWIN = np.array([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])


def enumerated_p_value(differences):
    """From the definition: of all signs, how many bring the rank sum as far from its mean."""
    used = np.array([d for d in differences if d != 0])
    ranks = stats.rankdata(np.abs(used))
    sums = np.array(list(product((0, 1), repeat=len(used)))) @ ranks - ranks.sum() / 2
    return np.mean(np.abs(sums) >= abs(ranks[used > 0].sum() - ranks.sum() / 2))


def test_wilcoxon_of_darwins_maize():
    found = wilcoxon_test(DARWIN, np.zeros(15))
    assert (found.n_pairs, found.n_higher, found.n_lower, found.direction) == (15, 13, 2, 1)
    assert found.p_value == pytest.approx(0.041259765625)
    assert wilcoxon_test(np.zeros(15), DARWIN).direction == -1


@pytest.mark.parametrize("differences", [[1, 1, 2, 2, -3, 0], [5], [2, 2, 2, 2, 2, 2, 2, -2]])
def test_wilcoxon_is_exact_on_few_differences(differences):
    found = wilcoxon_test(differences, np.zeros(len(differences)))
    assert found.p_value == pytest.approx(enumerated_p_value(differences))


def test_wilcoxon_drops_zeros_that_rounding_hides_and_pairs_without_a_value():
    found = wilcoxon_test([0.1 + 0.2, 0.5, 0.7, np.nan, 0.9], [0.3, 0.4, 0.5, 0.5, np.nan])
    assert (found.n_pairs, found.n_higher, found.n_lower) == (3, 2, 0)
    assert found.mean_difference == pytest.approx(0.1)
    same = wilcoxon_test([0.5, 0.6], [0.5, 0.6])
    assert (same.p_value, same.n_pairs, same.direction) == (1.0, 2, 0)
    assert np.isnan(wilcoxon_test([np.nan], [0.5]).p_value)


def test_friedman_has_the_chi_square_of_scipy_or_with_ties_that_of_demsar():
    untied = np.random.default_rng(0).random((20, 5))
    chi_square = stats.friedmanchisquare(*untied.T).statistic
    assert friedman_test(untied).statistic == pytest.approx(19 * chi_square / (20 * 4 - chi_square))
    tied = friedman_test([[3, 2, 2], [3, 2, 1], [1, 2, 1], [3, 1, 2]])
    assert tied.average_ranks.tolist() == [1.375, 2.125, 2.5]
    # Demšar (2006): 12n / (k(k+1)) (Σ R² − k(k+1)²/4), not corrected for ties.
    chi_square = 4 * (1.375**2 + 2.125**2 + 2.5**2 - 12)
    assert tied.statistic == pytest.approx(3 * chi_square / (4 * 2 - chi_square))
    assert tied.p_value == pytest.approx(stats.f.sf(tied.statistic, 2, 6))


def test_critical_distance_has_the_quantiles_of_demsars_table():
    for k, alpha, q in ((2, 0.05, 1.960), (3, 0.05, 2.343), (10, 0.05, 3.164), (3, 0.10, 2.052)):
        distance = nemenyi_distance(k, 6, alpha)
        assert distance == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=5e-4)
        assert nemenyi_p_value(distance, k, 6) == pytest.approx(alpha)
    # Half of it is the bar of the paper's figure.
    assert nemenyi_distance(3, 39) / 2 == pytest.approx(0.2653, abs=5e-4)


@pytest.mark.usefixtures("few_samples")
def test_bayesian_signed_rank_finds_the_better_or_neither():
    b = np.linspace(0.5, 0.9, 20)
    for shift, winner in ((0.05, 0), (0.001, 1), (-0.05, 2)):
        found = bayesian_signed_rank(b + shift, b)
        assert found[winner] > 0.95
        assert sum(found) == pytest.approx(1.0)


def test_friedman_at_its_extremes():
    agreed = friedman_test(np.tile([0.3, 0.2, 0.1], (7, 1)))
    assert (agreed.statistic, agreed.p_value, agreed.average_ranks.tolist()) == (np.inf, 0.0, [1, 2, 3])
    tied = friedman_test(np.full((7, 3), 0.5))
    assert (tied.statistic, tied.p_value, tied.average_ranks.tolist()) == (0.0, 1.0, [2, 2, 2])
    assert np.isnan(friedman_test([[0.1, 0.2]]).p_value)
    # Values that differ by rounding are tied.
    assert friedman_test([[0.1 + 0.2, 0.3], [0.5, 0.4]]).average_ranks.tolist() == [1.25, 1.75]
