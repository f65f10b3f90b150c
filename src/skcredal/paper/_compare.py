"""Statistical comparison of classifiers over data sets; the arrays have one value per data set (§11)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from skcredal._arrays import FloatArray
from skcredal._extras import require

__all__ = [
    "BayesianComparison",
    "FriedmanResult",
    "WilcoxonResult",
    "bayesian_signed_rank",
    "format_p_value",
    "friedman_test",
    "nemenyi_critical_distance",
    "nemenyi_p_values",
    "wilcoxon_test",
]

# Accuracy and utility of the same rows are summed in different orders: smaller differences are rounding.
_DECIMALS = 12
# 2¹³ combinations of signs are quickly enumerated, and later versions of scipy have the same limit.
_MOST_ENUMERATED = 13


@dataclass(frozen=True, slots=True)
class WilcoxonResult:
    """Outcome of a two-sided Wilcoxon signed-rank test of ``a`` against ``b``.

    The direction says whom the rank sums favour: 1 for ``a``, -1 for ``b``, 0 for neither. The mean of
    ``a - b`` includes zero differences. The p-value is 1 if all differences are zero, NaN without a pair.
    """

    n_pairs: int
    n_higher: int
    n_lower: int
    p_value: float
    mean_difference: float
    direction: int


def wilcoxon_test(a: ArrayLike, b: ArrayLike) -> WilcoxonResult:
    """Compare two classifiers over data sets by the Wilcoxon signed-rank test, two-sided.

    Pairs with NaN and zero differences are dropped, after rounding the differences to 12 decimals. The
    p-value is exact without ties, and with ties for up to 13 differences. Otherwise it is that of the normal
    approximation, with the variance corrected for ties and without continuity correction.
    """
    # Rounded first, or a difference of 1e-17 would get a rank and a sign.
    difference = np.round(np.subtract(a, b), _DECIMALS)
    difference = difference[~np.isnan(difference)]
    n_pairs = len(difference)
    used = difference[difference != 0.0]
    if n_pairs == 0:
        return WilcoxonResult(0, 0, 0, nan, nan, 0)
    ranks = stats.rankdata(np.abs(used))
    w_plus, w_minus = float(ranks[used > 0.0].sum()), float(ranks[used < 0.0].sum())
    return WilcoxonResult(
        n_pairs=n_pairs,
        n_higher=int((used > 0.0).sum()),
        n_lower=int((used < 0.0).sum()),
        p_value=_signed_rank_p_value(used, ranks, w_plus) if len(used) else 1.0,
        mean_difference=float(difference.mean()),
        direction=int(np.sign(w_plus - w_minus)),
    )


def _signed_rank_p_value(difference: FloatArray, ranks: FloatArray, w_plus: float) -> float:
    n = len(ranks)
    if len(np.unique(ranks)) == n:
        return float(stats.wilcoxon(difference, method="exact").pvalue)
    if n <= _MOST_ENUMERATED:
        # Newer versions of scipy also enumerate here; older ones approximate.
        signs = np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1
        middle = ranks.sum() / 2.0
        return float((np.abs(signs @ ranks - middle) >= abs(w_plus - middle)).mean())
    # Explicitly, as older versions of scipy would choose the exact distribution, which is wrong with ties.
    return float(stats.wilcoxon(difference, correction=False, method="approx").pvalue)


@dataclass(frozen=True, slots=True)
class FriedmanResult:
    """Outcome of a Friedman test; rank 1 is best.

    The statistic is Iman and Davenport's F, infinite if all data sets rank the classifiers in the same order.
    The p-value is NaN for fewer than two data sets.
    """

    n: int
    average_ranks: tuple[float, ...]
    chi_square: float
    statistic: float
    p_value: float
    has_ties: bool


def friedman_test(matrix: ArrayLike, *, correct_ties: bool = False) -> FriedmanResult:
    """Test whether classifiers have the same average rank: Friedman's test with Iman and Davenport's F.

    The matrix has a row per data set and a column per classifier, higher is better. Equal values (to 12
    decimals) share the average of their ranks. ``correct_ties`` divides the statistic by the share of its
    variance that ties leave, as scipy does; Demšar (2006), whom the paper follows, does not.

    Notes
    -----
    ``χ² = 12n / (k(k+1)) · (Σ R_j² − k(k+1)²/4)`` and ``F = (n−1) χ² / (n(k−1) − χ²)`` with ``k−1`` and
    ``(k−1)(n−1)`` degrees of freedom.
    """
    values = np.round(np.asarray(matrix, dtype=np.float64), _DECIMALS)
    n, k = values.shape
    if n == 0:
        return FriedmanResult(0, (nan,) * k, nan, nan, nan, False)
    # Negated, because rank 1 is for the highest value.
    ranks = stats.rankdata(-values, axis=1)
    means = ranks.mean(axis=0)
    # Rank sums are multiples of 1/2 and so exact: perfect agreement is found without a tolerance on them.
    squares = float(np.square(ranks.sum(axis=0)).sum())
    chi_square = 12.0 / (n * k * (k + 1)) * squares - 3.0 * n * (k + 1)
    # Ties reduce the variance of the ranks: the share that is left is 1 without ties.
    spread = float(np.square(ranks - (k + 1) / 2.0).sum()) / (n * k * (k * k - 1) / 12.0)
    if correct_ties and spread > 0.0:
        chi_square /= spread
    rest = n * (k - 1) - chi_square
    if n == 1:
        statistic = p_value = nan
    elif rest <= 1e-9:  # all data sets agree; F divides by a zero that rounding may have moved
        statistic, p_value = inf, 0.0
    else:
        statistic = (n - 1) * chi_square / rest
        p_value = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    average_ranks = tuple(float(mean) for mean in means)
    return FriedmanResult(n, average_ranks, chi_square, statistic, p_value, spread < 1.0 - 1e-12)


def nemenyi_critical_distance(k: int, n: int, alpha: float = 0.05) -> float:
    """Return how far apart two of k average ranks over n data sets must be to differ significantly.

    This is ``q_α √(k(k+1) / (6n))``, where ``q_α`` is the quantile of the studentized range over √2.
    """
    return float(stats.studentized_range.ppf(1.0 - alpha, k, inf)) / sqrt(2.0) * sqrt(k * (k + 1) / (6.0 * n))


def nemenyi_p_values(average_ranks: ArrayLike, n: int) -> FloatArray:
    """Return the p-value of Nemenyi's test for each pair of average ranks over n data sets."""
    ranks = np.asarray(average_ranks, dtype=np.float64)
    k = len(ranks)
    distances = np.abs(ranks[:, np.newaxis] - ranks)
    p_values = np.ones((k, k))
    above = np.triu_indices(k, 1)
    # Infinite degrees of freedom, as in Nemenyi's tables.
    p_values[above] = stats.studentized_range.sf(
        distances[above] * sqrt(2.0) / sqrt(k * (k + 1) / (6.0 * n)), k, inf
    )
    # Only the upper triangle was filled; the rest is still 1.
    return np.minimum(p_values, p_values.T)


@dataclass(frozen=True, slots=True)
class BayesianComparison:
    """Outcome of a Bayesian signed-rank test of ``a`` against ``b``.

    The probabilities that ``a`` is higher by more than the rope, that the two are practically equal, and that
    ``b`` is higher by more than the rope.
    """

    left: float
    rope: float
    right: float


def bayesian_signed_rank(
    a: ArrayLike, b: ArrayLike, rope: float = 0.01, *, n_samples: int = 50_000
) -> BayesianComparison:
    """Compare two classifiers over data sets by the Bayesian signed-rank test (Benavoli et al. 2014).

    Differences smaller than the rope count as practical equality. The samples from the posterior have the
    same seed for all pairs of classifiers, so that a table does not depend on which of them are in it.
    """
    baycomp = require("baycomp", extra="paper", purpose="The Bayesian signed-rank test")
    probabilities = baycomp.SignedRankTest.probs(
        np.asarray(a), np.asarray(b), rope, nsamples=n_samples, random_state=0
    )
    return BayesianComparison(*map(float, probabilities))


def format_p_value(p_value: float | None, *, relation: bool = False) -> str:
    """Return a p-value to three decimals, with its relation if asked; nothing if there is none.

    Examples
    --------
    >>> format_p_value(0.04321), format_p_value(0.04321, relation=True), format_p_value(1e-9)
    ('0.043', '= 0.043', '< 0.001')
    """
    if p_value is None or not isfinite(p_value):
        return ""
    if p_value < 0.001:
        return "< 0.001"
    return f"{'= ' if relation else ''}{p_value:.3f}"
