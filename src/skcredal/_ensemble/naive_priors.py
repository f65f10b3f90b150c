"""Sets of priors over naive Bayes: NCC's over its parameters, and CMA's over which features matter (§8).

CMA averages the naive Bayes models of all subsets of the features without enumerating them: in the average,
each feature has the factor ``w_j P(a_j|c) + (1-w_j) P(a_j)`` with w_j the posterior probability that it is in
the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CountArray, FloatArray
from skcredal._ensemble.counts import ValueCounts
from skcredal._ensemble.marginal import log_marginal
from skcredal._ensemble.networks import NaiveEvidence, NaiveTables
from skcredal._kernels._arguments import DirichletMasses
from skcredal._ties import best_class

__all__ = [
    "DirichletPriors",
    "InclusionPriors",
    "averaged_tables",
    "inclusion_probabilities",
    "log_bayes_factors",
]


@dataclass(frozen=True, slots=True, eq=False)
class DirichletPriors:
    """All priors that spread the pseudo-count s over the classes and the values within them.

    A share λ of it, the contamination, is spread evenly under every prior: ``mass_c`` is n(c) + sλ/l, and the
    masses of the values are n(c, a_j) + sλ/(l v_j); s(1-λ) is free.

    Parameters
    ----------
    masses : DirichletMasses
        The masses, and what is free.
    """

    masses: DirichletMasses

    @classmethod
    def from_counts(
        cls,
        counts: ValueCounts,
        s: float,
        contamination: float,
        *,
        n_missing: CountArray | None = None,
        left_out: BoolArray | None = None,
    ) -> DirichletPriors:
        """Build the set around the counts.

        If training cells are unknown, n(c) counts all rows of the class and n(c, a_j) those in which the cell
        is known. Even so no value has more mass than its class, so that the problem stays convex.

        Parameters
        ----------
        counts : ValueCounts
            How often each class and value was seen.
        s, contamination : float
            The pseudo-count, and the share λ of it that is spread evenly.
        n_missing : ndarray of shape (k, n_classes), optional
            How many rows of each class have a missing cell that may have any value (§13).
        left_out : ndarray of shape (k,), optional
            For which features the rows do not count at all in which the cell is unknown.

        Examples
        --------
        >>> import numpy as np
        >>> from skcredal._ensemble.counting import count_values
        >>> codes, labels = np.array([[0, 1, 1]], dtype=np.uint8), np.array([0, 0, 1], np.int32)
        >>> counts = count_values(codes, labels, np.array([2]), 2)
        >>> masses = DirichletPriors.from_counts(counts, 2.0, 0.5).masses
        >>> masses.mass_c.tolist(), masses.lower.tolist(), masses.free
        ([2.5, 1.5], [1.25, 0.25, 1.25, 1.25], 1.0)

        Another row of class 0 whose value may be either:

        >>> priors = DirichletPriors.from_counts(counts, 2.0, 0.5, n_missing=np.array([[1, 0]]))
        >>> priors.masses.upper.tolist()
        [2.25, 0.25, 2.25, 1.25]
        """
        layout = counts.layout
        k, n_states = len(layout.n_states), layout.n_states
        # What is spread evenly is added to the counts here, so that the kernels see only what is free.
        fixed = s * contamination / layout.n_classes
        lower = counts.n_ca + np.repeat(fixed / n_states, n_states * layout.n_classes)
        upper = lower if n_missing is None else lower + np.repeat(n_missing, n_states, axis=0).ravel()
        known = [counts.values(j).sum(axis=0) + fixed for j in range(k)]
        masses = DirichletMasses(
            n_states,
            layout.value_offsets,
            counts.n_c + fixed,
            lower,
            upper,
            np.array(known, np.float64).reshape(k, layout.n_classes),
            np.ones(k, np.bool_) if left_out is None else ~left_out,
            s * (1.0 - contamination),
        )
        return cls(masses)

    def maximal_sets(self, evidence: NaiveEvidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.ncc.ncc_sets(evidence.codes, self.masses, best_class(evidence.reference), out)
        return out

    def intervals(self, evidence: NaiveEvidence) -> FloatArray:
        """Return bounds on the probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.ncc.ncc_intervals(evidence.codes, self.masses, evidence.reference, out)
        return out


def log_bayes_factors(counts: ValueCounts, ess: float) -> FloatArray:
    """Return log E_j: how much better each feature is explained with the class than without it.

    Examples
    --------
    One feature that tells two classes of two rows each: E = (5/12)² / (3/128) = 200/27.

    >>> import numpy as np
    >>> from skcredal._ensemble.counting import count_values
    >>> codes, labels = np.array([[0, 0, 1, 1]], dtype=np.uint8), np.array([0, 0, 1, 1], np.int32)
    >>> counts = count_values(codes, labels, np.array([2]), 2)
    >>> round(float(np.exp(log_bayes_factors(counts, 1.0)[0])) * 27, 9)
    200.0
    """
    log_e = np.empty(len(counts.layout.n_states))
    for j, v in enumerate(counts.layout.n_states):
        # Rows in which the cell is unknown tell nothing about the feature, with the class or without it.
        n_ac = counts.values(j)
        log_e[j] = log_marginal(n_ac, ess / (counts.layout.n_classes * v)) - log_marginal(
            n_ac.sum(axis=1, keepdims=True), ess / v
        )
    return log_e


def inclusion_probabilities(log_e: FloatArray) -> FloatArray:
    """Return the posterior probability that each feature is in the model, for the prior probability 1/2.

    Examples
    --------
    >>> import numpy as np
    >>> inclusion_probabilities(np.log([3.0, 1.0])).round(9).tolist()
    [0.75, 0.5]
    """
    inclusion: FloatArray = expit(log_e)
    return inclusion


def averaged_tables(
    naive: NaiveTables, counts: ValueCounts, ess: float, log_e: FloatArray, log_odds: float
) -> NaiveTables:
    """Return naive Bayes averaged over all subsets of features, each feature with prior odds exp(log_odds).

    A class's score is then ``log P(c) + Σ_j log(w_j P(a_j|c) + (1-w_j) P(a_j))``.
    """
    layout = naive.layout
    log_mixture = np.zeros_like(naive.log_a)
    for j, v in enumerate(layout.n_states):
        begin = layout.value_offsets[j]
        end = begin + v * layout.n_classes
        log_given_class = naive.log_a[begin:end].reshape(v, -1)
        n_a = counts.values(j).sum(axis=1, keepdims=True)
        log_alone = np.log(n_a + ess / v) - np.log(n_a.sum() + ess)
        # log w and log(1 - w) from the odds: exp(log E_j) itself may overflow.
        log_posterior_odds = log_e[j] + log_odds
        log_mixture[begin:end] = np.logaddexp(
            log_expit(log_posterior_odds) + log_given_class, log_expit(-log_posterior_odds) + log_alone
        ).ravel()
    return NaiveTables(layout, naive.log_c, log_mixture)


@dataclass(frozen=True, slots=True, eq=False)
class InclusionPriors:
    """CMA's set: each feature has an inclusion probability between ε and 1 - ε, independently of the others.

    Parameters
    ----------
    low, high : NaiveTables
        The average of the models if all inclusion probabilities are ε, and if all are 1 - ε. The ratio of two
        classes is monotone in each, so that its extremes lie at one or the other for each feature.
    """

    low: NaiveTables
    high: NaiveTables

    @classmethod
    def from_counts(
        cls, naive: NaiveTables, counts: ValueCounts, ess: float, log_e: FloatArray, eps: float
    ) -> InclusionPriors:
        """Build the set for features of the given log E_j."""
        log_odds = math.log(eps) - math.log1p(-eps)
        low = averaged_tables(naive, counts, ess, log_e, log_odds)
        high = averaged_tables(naive, counts, ess, log_e, -log_odds)
        return cls(low, high)

    def maximal_sets(self, evidence: NaiveEvidence) -> BoolArray:
        """Return the undominated classes of a chunk of rows, (rows, n_classes)."""
        out = np.empty(evidence.reference.shape, np.bool_)
        kernels.naive.cma_sets(
            evidence.codes,
            self.low.layout.value_offsets,
            self.low.log_c,
            self.low.log_a,
            self.high.log_a,
            best_class(evidence.reference),
            out,
        )
        return out

    def intervals(self, evidence: NaiveEvidence) -> FloatArray:
        """Return bounds on the probabilities of a chunk of rows, (rows, n_classes, 2)."""
        out = np.empty((*evidence.reference.shape, 2))
        kernels.naive.cma_intervals(
            evidence.codes,
            self.low.layout.value_offsets,
            self.low.log_c,
            self.low.log_a,
            self.high.log_a,
            evidence.reference,
            out,
        )
        return out
