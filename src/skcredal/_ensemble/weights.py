"""The weights of the SPODEs that follow from their likelihoods (§4, §5, §6, §13)."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, softmax

from skcredal._arrays import FloatArray
from skcredal._ensemble.counts import Counts
from skcredal._validation import warn

# Sums of real weights may differ by this much of their size without a missing cell.
ROUNDING = 1e-9
# BMA leaves out models whose likelihood, relative to the best, is below this (§5).
LIKELIHOOD_CUT = 1e-4


def null_log_likelihood(n_c: FloatArray) -> float:
    """Return LL_0 = -n·H(C) with the empirical class frequencies and natural logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> null_log_likelihood(np.array([2, 2])) == float(-4 * np.log(2))
    True
    """
    present = n_c[n_c > 0]  # 0·log 0 = 0
    return float(np.sum(present * np.log(present / present.sum())))


def automatic_epsilon(k: int) -> float:
    """Return the ε that ``"auto"`` means for k features: 0.01, or less from 50 features on (§6)."""
    return min(0.01, 1.0 / (2 * (k + 1)))


def resolve_epsilon(epsilon: Any, k: int) -> float:
    """Return ε for k features: 0 < ε < 1/(k+1), so that the set contains the reference prior (§6).

    A larger number is taken as just below the bound, where hardly any other prior is left: the bound differs
    between folds, and a search over ε should not fail for it.
    """
    if epsilon == "auto":
        return automatic_epsilon(k)
    bound = 1.0 / (k + 1)
    if epsilon < bound:
        return float(epsilon)
    warn(f"epsilon must lie below 1/{k + 1} for {k} features, got {epsilon!r}: it is taken as just below.")
    return float(np.nextafter(bound, 0.0))


def relative_likelihoods(log_lik: FloatArray) -> FloatArray:
    """Return L_j relative to the largest, 0 below the cut.

    Shifting by the maximum keeps the exponentials from overflowing, whatever the spread.

    Examples
    --------
    >>> import numpy as np
    >>> relative_likelihoods(np.log([2.0, 8.0, 1e-9])).round(6).tolist()
    [0.25, 1.0, 0.0]
    """
    likelihood: FloatArray = np.exp(log_lik - log_lik.max(initial=-np.inf))
    likelihood[likelihood < LIKELIHOOD_CUT] = 0.0
    return likelihood


def bma_weights(log_lik: FloatArray) -> FloatArray:
    """Return BMA-AODE's weights: the posterior probabilities of the SPODEs under the uniform prior."""
    likelihood = relative_likelihoods(log_lik)
    return likelihood / likelihood.sum() if len(likelihood) else likelihood


def model_probabilities(log_lik: FloatArray) -> FloatArray:
    """Return the posterior probabilities of models under the uniform prior, however small (§13).

    Examples
    --------
    >>> import numpy as np
    >>> model_probabilities(np.log([2.0, 6.0])).round(9).tolist()
    [0.25, 0.75]
    """
    return np.asarray(softmax(log_lik)) if len(log_lik) else log_lik


def compression_coefficients(
    log_lik: FloatArray, log_lik_null: float, eps: float, log_prior: npt.ArrayLike
) -> FloatArray:
    """Return the raw coefficients π_j = 1 - (LL_j + log P(s_j))/(LL_0 + log ε)."""
    return np.asarray(1.0 - (log_lik + np.asarray(log_prior)) / (log_lik_null + math.log(eps)))


def compression_weights(log_lik: FloatArray, log_lik_null: float, eps: float) -> FloatArray:
    """Return COMP-AODE's weights; all 0 if no SPODE is better than the null model.

    Examples
    --------
    A model that explains everything, and one that is worse than none:

    >>> import numpy as np
    >>> compression_weights(np.array([0.0, -80.0]), -50.0, 0.01).tolist()
    [1.0, 0.0]
    """
    k = len(log_lik)
    if k == 0:
        return log_lik
    pi = compression_coefficients(log_lik, log_lik_null, eps, math.log((1.0 - eps) / k))
    # A model that describes the classes no shorter than the null model gets no weight (§5).
    pi = np.maximum(pi, 0.0)
    total = pi.sum()
    return np.asarray(pi / total) if total > 0.0 else pi


def log_marginals(counts: Counts, n: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return G of §13 for each feature, (…, k), from counts of states, (…, V), and pseudo-counts, (V,)."""
    n_known, total = counts.sum_over_features(n), counts.sum_over_features(alpha)
    of_states = counts.sum_over_features(gammaln(n + alpha) - gammaln(alpha))
    return np.asarray(of_states + gammaln(total) - gammaln(total + n_known))


def spode_log_marginals(counts: Counts, ess: float) -> FloatArray:
    """Return log P(D | s_j) of every SPODE: the BDeu marginal likelihood of all cells and classes (§13).

    Where training cells are unknown, every known cell still counts exactly once, whichever the super-parent;
    otherwise a SPODE that has fewer cells to explain would win by that.

    Examples
    --------
    One feature that tells two classes of a row each: 1/2 · 1/4 for the classes, 1/2 for each value.

    >>> import numpy as np
    >>> from skcredal._ensemble.counts import count
    >>> states, labels = np.array([[0, 1]], np.uint16), np.array([0, 1], np.int32)
    >>> counts = count(states, labels, np.ones(2), np.array([2]), 2)
    >>> float(np.exp(spode_log_marginals(counts, 1.0))[0]) * 32
    1.0
    """
    n_classes, v = len(counts.n_c), counts.n_states_of
    # The classes, which have the one prior; and each feature given the class.
    alpha = np.full(n_classes, ess / n_classes)
    of_classes = gammaln(ess) - gammaln(ess + counts.n) + (gammaln(counts.n_c + alpha) - gammaln(alpha)).sum()
    of_super_parents = log_marginals(counts, counts.n_ca, ess / (n_classes * v))
    log_p = of_classes + of_super_parents.sum(axis=0)
    for j in range(len(counts.n_states)):
        own = counts.states_of(j)
        n = counts.n_cab[:, own]  # (n_classes, v_j, V)
        # The cells of the rows that do not know the super-parent have the class alone.
        n_missing = counts.n_ca - n.sum(axis=1)
        n_missing[n_missing <= ROUNDING * counts.n_ca] = 0.0
        without = log_marginals(counts, n_missing, ess / (n_classes * v)).sum(axis=0)
        with_parent = log_marginals(counts, n, ess / (n_classes * counts.n_states[j] * v))
        of_children = with_parent.sum(axis=(0, 1)) + without
        log_p[j] += of_children.sum() - of_children[j]
    return np.asarray(log_p)
