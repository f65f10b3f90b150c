"""Sets of priors over the SPODEs, and which classes no other beats under every prior of the set (§6, §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._ensemble.weights import compression_coefficients, relative_likelihoods
from skcredal._kernels._arguments import Bma, Compression, Evidence
from skcredal._ties import TIE, best_class, most_probable

__all__ = ["BmaPriors", "CompressionPriors", "Evidence", "make_evidence", "put_back"]


# Optima of linear programs closer to 0 than this may be rounding.
SOLVER_TIE = 1e-9


def make_evidence(
    codes: CodeArray, n_states: IntArray, posterior: FloatArray, reference: FloatArray, prior: FloatArray
) -> Evidence:
    """Return what a set of priors judges, from the posteriors of every SPODE, their mean and P(c)."""
    # Without a SPODE the null model answers, and its set keeps the classes that are equally frequent.
    return Evidence(codes, n_states, posterior, reference, best_class(reference), most_probable(prior))


def put_back(sets: BoolArray, reference: FloatArray) -> int:
    """Add the most probable class under the reference prior to sets that lack it; return how many did.

    None does if the reference prior belongs to the set of priors. It may not: in COMP-AODE*, if a SPODE is
    feasible under some prior of the set but not under the reference prior; in NCC, if the prior of naive
    Bayes is not one of the set.
    """
    rows = np.arange(len(sets))
    best = best_class(reference)
    missing = ~sets[rows, best]
    sets[rows, best] = True
    return int(missing.sum())


def _can_be_best(scores: FloatArray, c: int, eps: float) -> bool:
    """Tell whether class c has the largest score, up to rounding, under some prior ≥ ε over the members.

    ``scores`` is (members, n_classes). It is a linear program: the largest t with ``Σ_j P_j (s_jc - s_jd) ≥
    t`` for all d must not be negative.
    """
    advantage = scores[:, [c]] - np.delete(scores, c, axis=1)
    # The solver's tolerances are absolute, and scores may be tiny: take them relative to the largest.
    scale = np.abs(scores).max()
    n_members, n_rivals = advantage.shape
    solution = linprog(
        np.append(np.zeros(n_members), -1.0),
        A_ub=np.column_stack([-advantage.T / scale, np.ones(n_rivals)]),
        b_ub=np.zeros(n_rivals),
        A_eq=[np.append(np.ones(n_members), 0.0)],
        b_eq=[1.0],
        bounds=[(eps, 1.0)] * n_members + [(None, None)],
    )
    # If the solver fails, nothing is proven, and the class stays.
    return not solution.success or bool(np.asarray(solution.fun) <= SOLVER_TIE)


@dataclass(frozen=True, slots=True, eq=False)
class BmaPriors:
    """BMA-AODE*'s set of priors, with the sets, bounds and robustness that follow from it.

    The fields are those of :class:`Bma`, which the kernels take.
    """

    likelihood: FloatArray
    eps: float

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, eps: float) -> BmaPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        return cls(relative_likelihoods(log_lik), eps)

    def members(self, known: BoolArray) -> BoolArray:
        """Return the SPODEs that count in a row, given which super-parents are known in it."""
        return (self.likelihood > 0.0) & known

    def _for_kernels(self) -> Bma:
        return Bma(self.likelihood, self.eps)

    def factors(self) -> tuple[FloatArray, FloatArray, float]:
        """Return the least and the largest factor of each SPODE over the priors, and what counts as a tie.

        This is for rows in which all super-parents are known; the factors of SPODEs that never count are 0.
        """
        # Two probabilities sum to at most 1, so that this tie is never below that of maximal_sets: what it
        # decides, maximal_sets would decide alike. Without any SPODE everything is a tie.
        free = 1.0 - np.count_nonzero(self.likelihood) * self.eps
        most = (self.eps + free) * self.likelihood
        return self.eps * self.likelihood, most, TIE * float(most.sum()) if most.any() else np.inf

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.bma.bma_sets(evidence, self._for_kernels(), out)
        return out

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.bma.bma_intervals(evidence, self._for_kernels(), out)
        return out

    def e_admissible_sets(self, evidence: Evidence, maximal: BoolArray) -> BoolArray:
        """Return the classes of maximal sets that are the best under some prior, (rows, n_classes)."""
        out = maximal.copy()
        # With one or two maximal classes the two criteria agree; otherwise each class is a linear program.
        for r in np.flatnonzero(maximal.sum(axis=1) > 2):
            members = self.members(evidence.codes[:, r] < evidence.n_states)
            if members.any():
                scores = self.likelihood[members, None] * evidence.posterior[members, r]
                for c in np.flatnonzero(maximal[r]):
                    out[r, c] = _can_be_best(scores, int(c), self.eps)
        return out

    def contest(self, evidence: Evidence) -> tuple[IntArray, FloatArray]:
        """Return the rival of the best class in each row, and the prior that favours it most, (k, rows).

        The rival is the class that some prior brings closest to the best one, or past it; -1 with one class.
        """
        rival, worst = np.empty(len(evidence.best), np.int64), np.empty(evidence.codes.shape)
        kernels.bma.bma_contest(evidence, self._for_kernels(), rival, worst)
        return rival, worst

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(evidence.reference))
        kernels.bma.bma_robustness(evidence, self._for_kernels(), out)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class CompressionPriors:
    """COMP-AODE*'s set of priors, with the sets, bounds and robustness that follow from it.

    The fields are those of :class:`Compression`, which the kernels take.
    """

    feasible: BoolArray
    base: FloatArray
    kappa: float
    eps: float

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, log_lik_null: float, eps: float) -> CompressionPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        # The most that one SPODE can have, if the null model and all others have ε.
        highest_prior = math.log1p(-len(log_lik) * eps)
        upper = compression_coefficients(log_lik, log_lik_null, eps, highest_prior)
        base = compression_coefficients(log_lik, log_lik_null, eps, 0.0)
        return cls(upper > 0.0, base, -1.0 / (log_lik_null + math.log(eps)), eps)

    def members(self, known: BoolArray) -> BoolArray:
        """Return the SPODEs that count in a row, given which super-parents are known in it."""
        return self.feasible & known

    def _for_kernels(self) -> Compression:
        return Compression(self.feasible, self.base, self.kappa, self.eps)

    def factors(self) -> tuple[FloatArray, FloatArray, float]:
        """Return the least and the largest factor of each SPODE over the priors, and what counts as a tie.

        This is for rows in which all super-parents are known; the factors of SPODEs that never count are 0.
        """
        log_eps, log_most = math.log(self.eps), math.log1p(-len(self.base) * self.eps)
        least = np.where(self.feasible, self.base + self.kappa * log_eps, 0.0)
        most = np.where(self.feasible, self.base + self.kappa * log_most, 0.0)
        # As for BMA. If the least factors do not sum to more than rounding, some prior may give the SPODEs no
        # weight at all: then everything is a tie, and left to maximal_sets.
        scale = np.abs(self.base) - self.kappa * log_eps
        tie = TIE * float(scale[self.feasible].sum())
        return least, most, tie if least.sum() > tie else np.inf

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.compression.compression_sets(evidence, self._for_kernels(), out)
        return out

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.compression_bounds.compression_intervals(evidence, self._for_kernels(), out)
        return out

    def contest(self, evidence: Evidence) -> tuple[IntArray, FloatArray]:
        """Return the rival of the best class in each row, and the prior that favours it most, (k, rows).

        The rival is the class that some prior brings closest to the best one, or past it; -1 with one class.
        """
        rival, worst = np.empty(len(evidence.best), np.int64), np.empty(evidence.codes.shape)
        kernels.compression.compression_contest(evidence, self._for_kernels(), rival, worst)
        return rival, worst

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(evidence.reference))
        kernels.compression.compression_robustness(evidence, self._for_kernels(), out)
        return out
