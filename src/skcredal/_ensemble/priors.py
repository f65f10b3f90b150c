"""Sets of priors over the SPODEs, and which classes no other beats under every prior of the set (§6, §7).

A SPODE has a say in a row if it is a member of the set of priors and the row knows its super-parent. One
without a say has the difference 0 everywhere below, and drops out of every sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linprog

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._ensemble.dominance import undominated
from skcredal._ensemble.weights import compression_coefficients, relative_likelihoods
from skcredal._kernels import least_priors, lower_bounds
from skcredal._ties import TIE, best_class, most_probable

__all__ = ["BmaPriors", "CompressionPriors", "Evidence"]

# A class of each row, or one for all.
Classes: TypeAlias = IntArray | int
# Optima of linear programs closer to 0 than this may be rounding.
SOLVER_TIE = 1e-9
# The least part of the reference prior that is tried; beyond it, robustness is 1.
LEAST_KEPT = 1e-15
# How close bisection comes to the logarithm of the part that must be kept.
CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a set of priors needs to judge rows."""

    posterior: FloatArray  # (k, n_classes, rows): P(c | a, s_j)
    known: BoolArray  # (k, rows): which super-parents the rows know
    reference: FloatArray  # (rows, n_classes): the probabilities under the reference prior
    prior: FloatArray  # (n_classes,): P(c), the answer where no SPODE has a say

    @cached_property
    def best(self) -> IntArray:
        """The most probable class of each row."""
        return best_class(self.reference)

    def of(self, rows: IntArray) -> Evidence:
        """Return the evidence of some rows."""
        return Evidence(self.posterior[:, :, rows], self.known[:, rows], self.reference[rows], self.prior)

    def of_class(self, rows: IntArray, c: Classes) -> FloatArray:
        """Return P(c | a, s_j) of a class, or of one for each row, (k, rows)."""
        return self.posterior[:, c, rows]


class Least(NamedTuple):
    """The least difference of the scores of two classes over the priors, their scale there, and where.

    ``at`` is what the set of priors makes a prior of: a vertex, or the logarithms of probabilities.
    """

    difference: FloatArray
    scale: FloatArray
    at: Any


class _PriorSet:
    """What follows from the least difference of two scores, whichever the set of priors."""

    feasible: BoolArray

    def members(self, evidence: Evidence) -> BoolArray:
        """Return which SPODEs have a say in the rows, (rows, k)."""
        return self.feasible & evidence.known.T

    def least(self, evidence: Evidence, rows: IntArray, c: Classes, d: int) -> Least:
        """Return the least difference of the scores of c and d in some rows."""
        raise NotImplementedError

    def prior_at(self, members: BoolArray, at: Any) -> FloatArray:
        """Return the prior of a minimum, (rows, k)."""
        raise NotImplementedError

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes); the most frequent ones where no SPODE speaks."""

        def dominates(rows: IntArray, c: Classes, d: int) -> BoolArray:
            least = self.least(evidence, rows, c, d)
            return least.difference > TIE * least.scale

        sets = undominated(dominates, evidence.best, evidence.reference.shape[1])
        sets[~self.members(evidence).any(axis=1)] = most_probable(evidence.prior)
        sets[np.arange(len(sets)), evidence.best] = True
        return sets

    def contest(self, evidence: Evidence) -> tuple[IntArray, FloatArray]:
        """Return the rival of the best class in each row, and the prior that favours it most, (k, rows).

        The rival is the class that some prior brings closest to the best one, or past it, relative to the
        scores themselves: rivals of little probability would all be close otherwise. It is -1 with one class.
        Where no SPODE has a say, the prior does not matter: the rival is the next most probable class, and
        the prior is NaN.
        """
        n, n_classes = evidence.reference.shape
        members, every = self.members(evidence), np.arange(n)
        others = evidence.reference.copy()
        others[every, evidence.best] = -np.inf
        rival = others.argmax(axis=1) if n_classes > 1 else np.full(n, -1)
        prior, closest = np.full((n, members.shape[1]), np.nan), np.full(n, np.inf)
        for d in range(n_classes):
            rows = np.flatnonzero((evidence.best != d) & members.any(axis=1))
            if not len(rows):
                continue
            least = self.least(evidence, rows, evidence.best[rows], d)
            found = least.difference / least.scale
            closer = found < closest[rows]
            closest[rows[closer]], rival[rows[closer]] = found[closer], d
            prior[rows[closer]] = self.prior_at(members[rows], least.at)[closer]
        return rival, prior.T


@dataclass(frozen=True, eq=False)
class BmaPriors(_PriorSet):
    """BMA-AODE*'s set: all priors P(s_j) ≥ ε over the SPODEs that survive the likelihood cut.

    Everything is linear or linear-fractional in the prior, so that every extreme lies at one of the extreme
    points, which give one member all the mass that ε leaves free.
    """

    feasible: BoolArray  # (k,): which SPODEs survive the cut
    likelihood: FloatArray  # (k,): L_j relative to the largest, 0 below the cut
    eps: float  # the smallest prior probability of a SPODE

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, eps: float) -> BmaPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        likelihood = relative_likelihoods(log_lik)
        return cls(likelihood > 0.0, likelihood, eps)

    def _scores(
        self, evidence: Evidence, rows: IntArray, c: Classes, d: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return w_j = L_j (P_c - P_d) and L_j (P_c + P_d), (rows, k); 0 for those without a say."""
        likelihood = self.likelihood * self.members(evidence)[rows]
        p_c, p_d = evidence.of_class(rows, c).T, evidence.of_class(rows, d).T
        return likelihood * (p_c - p_d), likelihood * (p_c + p_d)

    def least(self, evidence: Evidence, rows: IntArray, c: Classes, d: int) -> Least:
        """Return ε Σw + (1 - k'ε) min w, which is at the vertex of the SPODE that is most against c."""
        w, scale = self._scores(evidence, rows, c, d)
        members = self.members(evidence)[rows]
        if not w.shape[1]:
            return Least(np.zeros(len(rows)), np.ones(len(rows)), np.zeros(len(rows), np.int64))
        free, worst = 1.0 - members.sum(axis=1) * self.eps, np.where(members, w, np.inf).argmin(axis=1)
        every = np.arange(len(rows))
        difference = self.eps * w.sum(axis=1) + free * w[every, worst]
        return Least(difference, self.eps * scale.sum(axis=1) + free * scale[every, worst], worst)

    def prior_at(self, members: BoolArray, at: IntArray) -> FloatArray:
        prior = np.where(members, self.eps, 0.0)
        prior[np.arange(len(prior)), at] += 1.0 - members.sum(axis=1) * self.eps
        return prior

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities, (rows, n_classes, 2)."""
        members = self.members(evidence).T
        free, likelihood = 1.0 - members.sum(axis=0) * self.eps, self.likelihood[:, None] * members
        score = likelihood[:, None] * evidence.posterior
        of_classes = self.eps * score.sum(axis=0) + free * score
        of_all = self.eps * likelihood.sum(axis=0) + free * likelihood
        with np.errstate(invalid="ignore", divide="ignore"):
            # Where a SPODE has no say, the reference, which is in the set.
            at_vertex = np.where(members[:, None], of_classes / of_all[:, None], evidence.reference.T)
        at_vertex = np.concatenate([evidence.reference.T[None], at_vertex])
        return np.stack([at_vertex.min(axis=0).T, at_vertex.max(axis=0).T], axis=2).clip(0.0, 1.0)

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the uniform prior may be replaced before the answer changes, (rows,).

        With a part ρ replaced, the least difference is (1-ρ)·mean(w) + ρ·min(w), which is 0 at the result.
        """
        robustness, members = np.ones(len(evidence.reference)), self.members(evidence)
        for d in range(evidence.reference.shape[1]):
            rows = np.flatnonzero((evidence.best != d) & members.any(axis=1))
            w, scale = self._scores(evidence, rows, evidence.best[rows], d)
            mean, least = w.sum(axis=1) / members[rows].sum(axis=1), w.min(axis=1, initial=np.inf)
            tied = w.sum(axis=1) <= TIE * scale.sum(axis=1)
            opposed = (least < 0.0) & ~tied
            share = np.where(opposed, mean, 1.0) / np.where(opposed, mean - least, 1.0)
            found = np.where(tied, 0.0, share)
            robustness[rows] = np.minimum(robustness[rows], found)
        # No prior matters where the frequencies answer, and a tie of them has no robustness.
        robustness[~members.any(axis=1)] = most_probable(evidence.prior).sum() == 1
        return robustness

    def e_admissible_sets(self, evidence: Evidence, maximal: BoolArray) -> BoolArray:
        """Return the classes of maximal sets that are the best under some prior, (rows, n_classes)."""
        sets, members = maximal.copy(), self.members(evidence)
        # With one or two maximal classes the two criteria agree; otherwise each class is a linear program.
        for r in np.flatnonzero((maximal.sum(axis=1) > 2) & members.any(axis=1)):
            own = members[r]
            scores = self.likelihood[own, None] * evidence.posterior[own, :, r]
            for c in np.flatnonzero(maximal[r]):
                sets[r, c] = c == evidence.best[r] or _can_be_best(scores, int(c), self.eps)
        return sets


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


@dataclass(frozen=True, eq=False)
class CompressionPriors(_PriorSet):
    """COMP-AODE*'s set: all priors P(s_0) = ε, P(s_j) ≥ ε, with coefficients π_j = base_j + κ log P(s_j)."""

    feasible: BoolArray  # (k,): which SPODEs have a positive coefficient under some prior
    base: FloatArray  # (k,): 1 - LL_j/B, with B = LL_0 + log ε
    kappa: float  # κ = -1/B
    eps: float  # the smallest prior probability of a SPODE, and that of the null model

    @classmethod
    def from_likelihoods(cls, log_lik: FloatArray, log_lik_null: float, eps: float) -> CompressionPriors:
        """Build the set for SPODEs of the given log-likelihoods."""
        # The most that one SPODE can have, if the null model and all others have ε.
        highest_prior = math.log1p(-len(log_lik) * eps)
        upper = compression_coefficients(log_lik, log_lik_null, eps, highest_prior)
        base = compression_coefficients(log_lik, log_lik_null, eps, 0.0)
        return cls(upper > 0.0, base, -1.0 / (log_lik_null + math.log(eps)), eps)

    def _minimum(self, d: FloatArray, total: FloatArray, size: IntArray, lower: FloatArray) -> Least:
        """Return the least Σ_j d_j π_j of rows, (rows, k), over the priors of at least ``lower``.

        It is found by water-filling. ``total`` are the numbers whose differences d are, for the scale.
        """
        k, log_y = len(self.base), np.empty(d.shape)
        # What the members share at most; a model without a say may take some of it.
        least_priors(d, lower, 1.0 - self.eps - (k - size) * lower, size, size < k, log_y)
        difference = (d * (self.base + self.kappa * log_y)).sum(axis=1)
        scale = (total * (np.abs(self.base) + self.kappa * np.abs(log_y))).sum(axis=1)
        return Least(difference, scale, log_y)

    def least(
        self, evidence: Evidence, rows: IntArray, c: Classes, d: int, lower: FloatArray | None = None
    ) -> Least:
        """Return the minimum over the priors of at least ``lower``, by default ε."""
        members = self.members(evidence)[rows]
        p_c = np.where(members, evidence.of_class(rows, c).T, 0.0)
        p_d = np.where(members, evidence.of_class(rows, d).T, 0.0)
        lower = np.full(len(rows), self.eps) if lower is None else lower
        return self._minimum(p_c - p_d, p_c + p_d, members.sum(axis=1), lower)

    def prior_at(self, members: BoolArray, at: FloatArray) -> FloatArray:
        # The first SPODE without a say takes the mass that the others leave.
        prior = np.where(members, np.exp(at), self.eps)
        spare = np.flatnonzero(~members.all(axis=1))
        prior[spare, members[spare].argmin(axis=1)] += 1.0 - self.eps - prior[spare].sum(axis=1)
        return prior

    def _is_void(self, members: BoolArray, lower: FloatArray) -> BoolArray:
        """Tell where Σ_j π_j is not positive for some prior ≥ lower, which then says nothing at all."""
        own, size = members.astype(np.float64), members.sum(axis=1)
        least = self._minimum(own, own, size, lower)
        return np.asarray((size > 0) & (least.difference <= TIE * least.scale))

    def _decided(self, evidence: Evidence) -> BoolArray:
        """Tell where the best class certainly dominates all others: each P(s_j) at its own worst."""
        log_eps, log_most = math.log(self.eps), math.log1p(-len(self.base) * self.eps)
        least = np.where(self.feasible, self.base + self.kappa * log_eps, 0.0)
        most = np.where(self.feasible, self.base + self.kappa * log_most, 0.0)
        tie = TIE * (np.abs(self.base) - self.kappa * log_eps)[self.feasible].sum()
        n, n_classes = evidence.reference.shape
        # If the least coefficients do not sum to more than rounding, some prior may say nothing at all.
        if not least.sum() > tie:
            return np.zeros(n, np.bool_)
        ahead, of_best = np.full(n, np.inf), evidence.of_class(np.arange(n), evidence.best)
        for d in range(n_classes):
            difference = of_best - evidence.posterior[:, d]
            # The least coefficient for those in favour of the best class, the largest for those against it.
            bound = least @ difference + (most - least) @ np.minimum(difference, 0.0)
            ahead = np.where(evidence.best == d, ahead, np.minimum(ahead, bound))
        return np.asarray((ahead > tie) & evidence.known.all(axis=0))

    def maximal_sets(self, evidence: Evidence) -> BoolArray:
        """Return the undominated classes, (rows, n_classes): by a cheap bound, or else exactly."""
        sets = np.zeros(evidence.reference.shape, np.bool_)
        sets[np.arange(len(sets)), evidence.best] = True
        doubtful = np.flatnonzero(~self._decided(evidence))
        if len(doubtful):
            some = evidence.of(doubtful)
            void = self._is_void(self.members(some), np.full(len(doubtful), self.eps))
            sets[doubtful] = super().maximal_sets(some) | void[:, None]
        return sets

    def intervals(self, evidence: Evidence) -> FloatArray:
        """Return the lower and upper probabilities, (rows, n_classes, 2)."""
        n, n_classes = evidence.reference.shape
        members = self.members(evidence)
        # Where no SPODE has a say, and with one class, the reference is the only answer.
        varies = members.any(axis=1) & (n_classes > 1)
        void = self._is_void(members, np.full(n, self.eps)) & varies
        rows = np.flatnonzero(varies & ~void)
        interval = np.repeat(evidence.reference[:, :, None], 2, axis=2)
        interval[void] = [0.0, 1.0]
        own, size = members[rows], members[rows].sum(axis=1)
        mass, spare = 1.0 - self.eps - (len(self.base) - size) * self.eps, size < len(self.base)

        def lowest(p: FloatArray, reference: FloatArray) -> FloatArray:
            t = reference.copy()
            lower_bounds(p, own, self.base, self.kappa, self.eps, mass, spare, t)
            return t

        for c in range(n_classes):
            reference = evidence.reference[rows, c]
            if n_classes == 2 and c == 1:  # what one class is sure to have, the other cannot get
                lower, upper = 1.0 - interval[rows, 0, 1], 1.0 - interval[rows, 0, 0]
            else:
                p = np.ascontiguousarray(evidence.posterior[:, c, rows].T)
                lower, upper = lowest(p, reference), 1.0 - lowest(1.0 - p, 1.0 - reference)
            # The reference may lie outside where a SPODE is feasible for the set only: doubt widens.
            interval[rows, c, 0] = np.clip(np.minimum(lower, reference), 0.0, 1.0)
            interval[rows, c, 1] = np.clip(np.maximum(upper, reference), 0.0, 1.0)
        return interval

    def robustness(self, evidence: Evidence) -> FloatArray:
        """Return how much of the reference prior may be replaced before the answer changes, (rows,).

        By bisection on log(1 - ρ), the part that is kept, rival by rival: the least robust so far is the
        start.
        """
        n, n_classes = evidence.reference.shape
        members, log_least = self.members(evidence), math.log(LEAST_KEPT)
        log_kept, speaks = np.full(n, log_least), members.any(axis=1)

        def holds(rows: IntArray, d: int, log_tried: FloatArray) -> BoolArray:
            lower = np.exp(log_tried) * (1.0 - self.eps) / len(self.base)
            least = self.least(evidence, rows, evidence.best[rows], d, lower)
            return (least.difference > TIE * least.scale) & ~self._is_void(members[rows], lower)

        for d in range(n_classes):
            rows = np.flatnonzero((evidence.best != d) & (log_kept < 0.0) & speaks)
            rows = rows[~holds(rows, d, log_kept[rows])]
            at_all = holds(rows, d, np.zeros(len(rows)))
            log_kept[rows[~at_all]] = 0.0
            rows = rows[at_all]
            safe, lost = np.zeros(len(rows)), log_kept[rows]
            while len(rows) and (safe - lost).max() > CLOSE:
                middle = (safe + lost) / 2.0
                held = holds(rows, d, middle)
                safe, lost = np.where(held, middle, safe), np.where(held, lost, middle)
            log_kept[rows] = safe
        robustness = np.where(log_kept <= log_least, 1.0, -np.expm1(log_kept))
        robustness[~speaks] = most_probable(evidence.prior).sum() == 1
        return robustness
