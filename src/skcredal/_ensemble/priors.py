"""Sets of priors over the SPODEs, and which classes no other beats under every prior of the set (§6, §7)."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linprog

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._ensemble.weights import compression_coefficients, relative_likelihoods
from skcredal._kernels._arguments import Bma, Compression, Evidence

__all__ = ["BmaPriors", "CompressionPriors", "Evidence", "make_evidence", "most_probable", "put_back"]


# Probabilities closer than this, relative to the largest, are a tie.
TIE = 1e-12
# What the solver of linear programs cannot tell from 0.
SOLVER_TIE = 1e-9


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


def make_evidence(
    codes: CodeArray, n_states: IntArray, posterior: FloatArray, reference: FloatArray, prior: FloatArray
) -> Evidence:
    """Return what a set of priors judges, from what every SPODE says of rows, their mean and P(c)."""
    return Evidence(codes, n_states, posterior, reference, _best(reference), most_probable(prior))


def put_back(sets: BoolArray, reference: FloatArray) -> int:
    """Put the most probable class of the reference prior back where it is missing; return how often.

    Where the reference prior belongs to the set of priors, it is never missing. It may not belong where a
    SPODE is feasible for some prior of COMP-AODE*'s set but not for the reference prior, and where NCC's
    naive Bayes has another prior over its parameters than the set holds.
    """
    rows = np.arange(len(sets))
    best = _best(reference)
    missing = ~sets[rows, best]
    sets[rows, best] = True
    return int(missing.sum())


def _best(reference: FloatArray) -> IntArray:
    """Return the most probable class of every row, of equal ones the first."""
    best = np.empty(len(reference), np.int64)
    kernels.inference.best_classes(reference, best)
    return best


def _can_be_best(scores: FloatArray, c: int, eps: float) -> bool:
    """Tell whether some prior ≥ ε over the members gives class c the largest score, up to rounding.

    ``scores`` is (members, n_classes). A linear program: the largest t with ``Σ_j P_j (s_jc - s_jd) ≥ t`` for
    all d is not negative.
    """
    advantage = scores[:, [c]] - np.delete(scores, c, axis=1)
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
    # A solver that fails has excluded nothing.
    return not solution.success or bool(np.asarray(solution.fun) <= SOLVER_TIE)


class BmaPriors(Bma):
    """BMA-AODE*'s set, asked for sets, bounds, robustness and the prior that favours a rival most."""

    __slots__ = ()

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, eps: float) -> BmaPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        return cls(relative_likelihoods(log_lik), eps)

    def members(self, known: BoolArray) -> BoolArray:
        """Return the SPODEs that count for a row, given whose super-parent it knows."""
        return (self.likelihood > 0.0) & known

    def factors(self) -> tuple[FloatArray, FloatArray, float]:
        """Return between what the priors leave the factor of each SPODE, and what counts as a tie.

        That is for a row that knows all super-parents; the factors of SPODEs that never count are 0. Two
        probabilities sum to 1 at most, so that the tie is at least that of :meth:`maximal_sets`.
        """
        free = 1.0 - np.count_nonzero(self.likelihood) * self.eps
        most = (self.eps + free) * self.likelihood
        return self.eps * self.likelihood, most, TIE * float(most.sum()) if most.any() else np.inf

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.bma.bma_sets(evidence, self, out)
        return out

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.bma.bma_intervals(evidence, self, out)
        return out

    def e_admissible_sets(self, evidence: Evidence, maximal: BoolArray) -> BoolArray:
        """Return the classes of maximal sets that a single prior makes the most probable, (rows, n_classes).

        With up to two maximal classes the two criteria agree; beyond, each class asks for a linear program.
        """
        out = maximal.copy()
        for r in np.flatnonzero(maximal.sum(axis=1) > 2):
            members = self.members(evidence.codes[:, r] < evidence.n_states)
            if members.any():
                scores = self.likelihood[members, None] * evidence.posterior[members, r]
                for c in np.flatnonzero(maximal[r]):
                    out[r, c] = _can_be_best(scores, int(c), self.eps)
        return out

    def worst_prior(
        self, posterior: FloatArray, known: BoolArray, c: int, d: int
    ) -> tuple[float, FloatArray]:
        """Return the least advantage of class c over d in a row, relative to their scores, and where it lies.

        ``posterior`` is (k, n_classes), ``known`` tells whose super-parent the row knows. The prior is 0 for
        the SPODEs that are left out.
        """
        members = np.flatnonzero(self.members(known))
        w = self.likelihood[members] * (posterior[members, c] - posterior[members, d])
        prior = np.zeros(len(known))
        prior[members] = self.eps
        prior[members[w.argmin()]] = 1.0 - (len(members) - 1) * self.eps
        scores = self.likelihood * (posterior[:, c] + posterior[:, d])
        return float(prior[members] @ w / (prior @ scores)), prior

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(evidence.reference))
        kernels.bma.bma_robustness(evidence, self, out)
        return out


class CompressionPriors(Compression):
    """COMP-AODE*'s set, asked for sets, bounds, robustness and the prior that favours a rival most."""

    __slots__ = ()

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, log_lik_null: float, eps: float) -> CompressionPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        highest_prior = math.log1p(-len(log_lik) * eps)
        upper = compression_coefficients(log_lik, log_lik_null, eps, highest_prior)
        base = compression_coefficients(log_lik, log_lik_null, eps, 0.0)
        return cls(upper > 0.0, base, -1.0 / (log_lik_null + math.log(eps)), eps)

    def members(self, known: BoolArray) -> BoolArray:
        """Return the SPODEs that count for a row, given whose super-parent it knows."""
        return self.feasible & known

    def factors(self) -> tuple[FloatArray, FloatArray, float]:
        """Return between what the priors leave the factor of each SPODE, and what counts as a tie.

        That is for a row that knows all super-parents; the factors of SPODEs that never count are 0. Two
        probabilities sum to 1 at most, so that the tie is at least that of :meth:`maximal_sets`. Where no
        SPODE counts, or the least factors sum to nothing positive, everything is a tie: some prior may say
        nothing at all.
        """
        log_eps, log_most = math.log(self.eps), math.log1p(-len(self.base) * self.eps)
        least = np.where(self.feasible, self.base + self.kappa * log_eps, 0.0)
        most = np.where(self.feasible, self.base + self.kappa * log_most, 0.0)
        scale = np.abs(self.base) - self.kappa * log_eps
        tie = TIE * float(scale[self.feasible].sum())
        return least, most, tie if least.sum() > tie else np.inf

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.compression.compression_sets(evidence, self, out)
        return out

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.compression.compression_intervals(evidence, self, out)
        return out

    def worst_prior(
        self, posterior: FloatArray, known: BoolArray, c: int, d: int
    ) -> tuple[float, FloatArray]:
        """Return the least advantage of class c over d in a row, relative to their scores, and where it lies.

        ``posterior`` is (k, n_classes), ``known`` tells whose super-parent the row knows. A SPODE that is
        left out has ε, or the mass that no other needs.
        """
        k = len(known)
        members = np.flatnonzero(self.members(known))
        spare = len(members) < k
        difference, base = posterior[members, c] - posterior[members, d], self.base[members]
        log_y = np.empty(len(members))
        minimum = kernels.compression.minimise_compression(
            difference, base, self.kappa, self.eps, 1.0 - (1 + k - len(members)) * self.eps, spare, log_y
        )
        prior = np.full(k, self.eps)
        prior[members] = np.exp(log_y)
        if spare:
            prior[np.setdiff1d(np.arange(k), members)[0]] += 1.0 - self.eps - prior.sum()
        scale = (np.abs(base) + self.kappa * np.abs(log_y)) @ (posterior[members, c] + posterior[members, d])
        return float(minimum / scale), prior

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,)."""
        out = np.empty(len(evidence.reference))
        kernels.compression.compression_robustness(evidence, self, out)
        return out
