"""What our sets of priors answer to an ensemble problem: sets, bounds and robustness."""

import itertools
import math

import numpy as np

import oracles
from skcredal._ensemble.ncc import NaiveEvidence
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, Evidence
from skcredal._ensemble.weights import bma_weights, compression_weights
from skcredal._ties import best_class


def evidence_of(problem, weights):
    weights = np.where(problem.known, weights, 0.0)
    reference = weights @ problem.posterior / weights.sum() if weights.any() else problem.prior
    return Evidence(problem.posterior[:, :, None], problem.known[:, None], reference[None], problem.prior)


def bma(problem):
    priors = BmaPriors.from_likelihoods(problem.log_lik, problem.eps)
    return priors, evidence_of(problem, bma_weights(problem.log_lik))


def compression(problem):
    priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
    weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
    return priors, evidence_of(problem, weights)


def sets_of(priors, evidence):
    """Return the maximal sets, and the classes that nothing dominates: these may lack the best one.

    The class that is tried first always stays. So each class is tried first, and stays for good only if it
    also does so after another.
    """
    n, n_classes = evidence.reference.shape
    first, rows = np.eye(n_classes).repeat(n, axis=0), np.tile(np.arange(n), n_classes)
    if isinstance(evidence, NaiveEvidence):
        each_first = NaiveEvidence(evidence.states[:, rows], first)
    else:
        known = evidence.known[:, rows]
        each_first = Evidence(evidence.posterior[:, :, rows], known, first, evidence.prior)
    undominated = priors.maximal_sets(each_first).reshape(n_classes, n, n_classes).all(axis=0)
    sets = priors.maximal_sets(evidence)
    kept = undominated.copy()
    kept[np.arange(n), best_class(evidence.reference)] = True
    np.testing.assert_array_equal(sets, kept)
    return sets, undominated


def answers_to(problem, method):
    """Return the reference, the bounds and the robustness of the only row."""
    priors, evidence = method(problem)
    return evidence.reference[0], priors.intervals(evidence)[0], priors.robustness(evidence)[0]


def bma_members(problem):
    return (bma_weights(problem.log_lik) > 0) & problem.known


def bma_extreme_points(problem):
    survivors = np.flatnonzero(bma_members(problem))
    for chosen in survivors:
        point = np.zeros(len(problem.log_lik))
        point[survivors] = problem.eps
        point[chosen] = 1.0 - (len(survivors) - 1) * problem.eps
        yield point


def compression_members(problem):
    """Return which SPODEs are feasible and known, and whether the same have a weight under the reference."""
    k = len(problem.log_lik)
    feasible = oracles.comp_feasible(problem.log_lik.tolist(), problem.log_lik_null, problem.eps, k)
    members = np.array(feasible) & problem.known
    weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
    return members, np.array_equal((weights > 0) & problem.known, members)


def least_sum(problem, members):
    """Return the minimum of the sum of the members' coefficients over the priors, by a general optimiser."""
    return oracles.comp_min_difference(
        [1.0] * len(members),
        problem.log_lik.tolist(),
        problem.log_lik_null,
        problem.eps,
        available=members.tolist(),
        starts=2,
    )


def candidate_priors(d, lower, mass, *, spare):
    """Yield priors of which one has the least Σ_j d_j log y_j (§7, Proposition 2).

    Any of those against share what is free in proportion to |d_j|, or one takes it all, or, if somebody else
    can, none does.
    """
    size = len(d)
    if spare:
        yield [lower] * size
    else:
        for j in range(size):
            yield [mass - (size - 1) * lower if i == j else lower for i in range(size)]
    against = [j for j in range(size) if d[j] < 0]
    for m in range(1, len(against) + 1):
        for sharing in itertools.combinations(against, m):
            total = math.fsum(d[j] for j in sharing)
            free = mass - (size - m) * lower
            y = [d[j] / total * free if j in sharing else lower for j in range(size)]
            if min(y) >= lower:
                yield y
