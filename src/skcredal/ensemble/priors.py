"""Sets of priors over the SPODEs, and the classes that no prior of the set lets another dominate (§6, §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from skcredal import kernels
from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal.ensemble.weights import compression_coefficients, relative_likelihoods

__all__ = ["BmaPriors", "CompressionPriors", "most_probable", "put_back"]


# Probabilities closer than this, relative to the largest, are a tie.
TIE = 1e-12


def most_probable(prior: FloatArray) -> BoolArray:
    """Return the mask of the most probable classes, ties kept: the set of the null model.

    Examples
    --------
    >>> import numpy as np
    >>> most_probable(np.array([0.4, 0.2, 0.4]))
    array([ True, False,  True])
    """
    mask: BoolArray = prior >= prior.max() * (1.0 - TIE)
    return mask


def put_back(sets: BoolArray, reference: FloatArray) -> int:
    """Put the most probable class of the reference prior back where it is missing; return how often.

    The reference prior belongs to the set of priors, so that this happens only where a SPODE is feasible for
    some prior of COMP-AODE*'s set but not for the reference prior, and so weighs in the one and not in the
    other.
    """
    rows = np.arange(len(sets))
    best = reference.argmax(axis=1)
    missing = ~sets[rows, best]
    sets[rows, best] = True
    return int(missing.sum())


@dataclass(frozen=True, slots=True, eq=False)
class BmaPriors:
    """BMA-AODE*'s set: P(s_j) ≥ ε over the SPODEs that survive the likelihood cut."""

    likelihood: FloatArray
    eps: float

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, eps: float) -> BmaPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        return cls(relative_likelihoods(log_lik), eps)

    def maximal_sets(
        self,
        codes: CodeArray,
        n_states: IntArray,
        posterior: FloatArray,
        reference: FloatArray,
        prior: FloatArray,
    ) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(reference.shape, np.bool_)
        best = reference.argmax(axis=1)
        kernels.bma.bma_sets(
            codes, n_states, posterior, best, most_probable(prior), self.likelihood, self.eps, out
        )
        return out

    def intervals(
        self, codes: CodeArray, n_states: IntArray, posterior: FloatArray, reference: FloatArray
    ) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*reference.shape, 2))
        kernels.bma.bma_intervals(codes, n_states, posterior, reference, self.likelihood, self.eps, out)
        return out

    def robustness(
        self,
        codes: CodeArray,
        n_states: IntArray,
        posterior: FloatArray,
        reference: FloatArray,
        prior: FloatArray,
    ) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(reference))
        best = reference.argmax(axis=1)
        kernels.bma.bma_robustness(
            codes, n_states, posterior, best, most_probable(prior), self.likelihood, out
        )
        return out


@dataclass(frozen=True, slots=True, eq=False)
class CompressionPriors:
    """COMP-AODE*'s set: P(s_0) = ε and P(s_j) ≥ ε; a SPODE counts if its upper coefficient is positive.

    With B = LL_0 + log ε, a coefficient is ``π_j = base_j + κ·log P(s_j)``, ``base_j = 1 - LL_j/B``, ``κ =
    -1/B``.
    """

    feasible: BoolArray
    base: FloatArray
    kappa: float
    eps: float

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, log_lik_null: float, eps: float) -> CompressionPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        highest_prior = math.log1p(-len(log_lik) * eps)
        upper = compression_coefficients(log_lik, log_lik_null, eps, highest_prior)
        base = compression_coefficients(log_lik, log_lik_null, eps, 0.0)
        return cls(upper > 0.0, base, -1.0 / (log_lik_null + math.log(eps)), eps)

    def maximal_sets(
        self,
        codes: CodeArray,
        n_states: IntArray,
        posterior: FloatArray,
        reference: FloatArray,
        prior: FloatArray,
    ) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(reference.shape, np.bool_)
        best, prior_set = reference.argmax(axis=1), most_probable(prior)
        kernels.compression.compression_sets(
            codes, n_states, posterior, best, prior_set, self.feasible, self.base, self.kappa, self.eps, out
        )
        return out

    def intervals(
        self, codes: CodeArray, n_states: IntArray, posterior: FloatArray, reference: FloatArray
    ) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*reference.shape, 2))
        kernels.compression.compression_intervals(
            codes, n_states, posterior, reference, self.feasible, self.base, self.kappa, self.eps, out
        )
        return out

    def robustness(
        self,
        codes: CodeArray,
        n_states: IntArray,
        posterior: FloatArray,
        reference: FloatArray,
        prior: FloatArray,
    ) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(reference))
        best, prior_set = reference.argmax(axis=1), most_probable(prior)
        kernels.compression.compression_robustness(
            codes, n_states, posterior, best, prior_set, self.feasible, self.base, self.kappa, self.eps, out
        )
        return out
