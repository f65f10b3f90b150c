"""Statistical comparison of classifiers over data sets; the arrays have one value per data set (§11)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from skcredal._arrays import FloatArray
from skcredal._extras import require

# Accuracy and utility of the same rows are summed in different orders: smaller differences are rounding.
_DECIMALS = 12
ROUNDING = 10.0**-_DECIMALS
# Enough for two decimals: a report has some fifty tests, and each would take a second with the usual number.
_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class WilcoxonResult:
    """Outcome of a two-sided Wilcoxon signed-rank test of ``a`` against ``b``.

    The direction says which one the rank sums favour: 1 for ``a``, -1 for ``b``, 0 for neither. The mean of
    ``a - b`` includes zero differences. The p-value is 1 if all differences are zero, NaN without a pair.
    """

    n_pairs: int
    n_higher: int
    n_lower: int
    p_value: float
    mean_difference: float
    direction: int

    def favours(self, direction: int, level: float) -> bool:
        """Tell whether the difference is significant at the level, and in this direction."""
        return self.direction == direction and self.p_value < level


def wilcoxon_test(a: ArrayLike, b: ArrayLike) -> WilcoxonResult:
    """Compare two classifiers over data sets by the Wilcoxon signed-rank test, two-sided.

    Pairs with NaN and zero differences are dropped, after rounding the differences to 12 decimals. Without
    ties the p-value is exact for up to 50 differences, with ties for up to 13; otherwise it is that of the
    normal approximation, with the variance corrected for ties.
    """
    # Rounded first, or a difference of 1e-17 would get a rank and a sign.
    difference = np.round(np.subtract(a, b), _DECIMALS)
    difference = difference[~np.isnan(difference)]
    if len(difference) == 0:
        return WilcoxonResult(0, 0, 0, nan, nan, 0)
    used = difference[difference != 0.0]
    ranks = stats.rankdata(np.abs(used))
    return WilcoxonResult(
        n_pairs=len(difference),
        n_higher=int((used > 0.0).sum()),
        n_lower=int((used < 0.0).sum()),
        p_value=float(stats.wilcoxon(used).pvalue) if len(used) else 1.0,
        mean_difference=float(difference.mean()),
        direction=int(np.sign((np.sign(used) * ranks).sum())),
    )


@dataclass(frozen=True, slots=True)
class FriedmanResult:
    """Outcome of a Friedman test; rank 1 is best.

    The statistic is Iman and Davenport's F, infinite if all data sets rank the classifiers in the same order.
    The p-value is NaN for fewer than two data sets.
    """

    n: int
    average_ranks: FloatArray
    statistic: float
    p_value: float


def friedman_test(matrix: ArrayLike) -> FriedmanResult:
    """Test whether classifiers have the same average rank: Friedman's test with Iman and Davenport's F.

    The matrix has a row per data set and a column per classifier, higher is better. Equal values (to 12
    decimals) share the average of their ranks. Like Demšar (2006), whom the paper follows, it does not
    correct for ties.

    Notes
    -----
    ``χ² = 12n / (k(k+1)) · (Σ R_j² − k(k+1)²/4)`` and ``F = (n−1) χ² / (n(k−1) − χ²)`` with ``k−1`` and
    ``(k−1)(n−1)`` degrees of freedom.
    """
    values = np.round(np.asarray(matrix, dtype=np.float64), _DECIMALS)
    n, k = values.shape
    # Negated, because rank 1 is for the highest value.
    ranks = stats.rankdata(-values, axis=1)
    # Rank sums are multiples of 1/2 and so exact: perfect agreement is found without a tolerance on them.
    squares = float(np.square(ranks.sum(axis=0)).sum())
    chi_square = 12.0 / (n * k * (k + 1)) * squares - 3.0 * n * (k + 1)
    rest = n * (k - 1) - chi_square
    if n == 1:
        statistic = p_value = nan
    elif rest <= 1e-9:  # all data sets agree; F divides by a zero that rounding may have moved
        statistic, p_value = inf, 0.0
    else:
        statistic = (n - 1) * chi_square / rest
        p_value = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    return FriedmanResult(n, ranks.mean(axis=0), statistic, p_value)


def nemenyi_distance(k: int, n: int, level: float = 0.05) -> float:
    """Return how far apart two of k average ranks over n data sets must be to differ significantly.

    This is ``q √(k(k+1) / (6n))``, where ``q`` is the quantile of the studentized range over √2.
    """
    return float(stats.studentized_range.ppf(1.0 - level, k, inf)) / sqrt(2.0) * sqrt(k * (k + 1) / (6.0 * n))


def nemenyi_p_value(distance: float, k: int, n: int) -> float:
    """Return the p-value of Nemenyi's test for two of k average ranks over n data sets."""
    return float(stats.studentized_range.sf(distance * sqrt(2.0) / sqrt(k * (k + 1) / (6.0 * n)), k, inf))


def bayesian_signed_rank(a: ArrayLike, b: ArrayLike, rope: float = 0.01) -> tuple[float, float, float]:
    """Compare two classifiers over data sets by the Bayesian signed-rank test (Benavoli et al. 2014).

    Returns the probabilities that ``a`` is higher by more than the rope, that the two are practically equal,
    and that ``b`` is higher by more than the rope. The samples from the posterior have the same seed for all
    pairs, so the result for one pair does not depend on the others.
    """
    baycomp = require("baycomp", extra="paper", purpose="The Bayesian signed-rank test")
    first, second = np.asarray(a), np.asarray(b)
    higher, equal, lower = baycomp.SignedRankTest.probs(
        first, second, rope, nsamples=_SAMPLES, random_state=0
    )
    return float(higher), float(equal), float(lower)


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
