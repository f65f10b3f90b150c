"""What our sets of priors answer to an ensemble problem: sets, bounds and robustness."""

import numpy as np

from skcredal._ensemble.priors import BmaPriors, CompressionPriors, make_evidence
from skcredal._ensemble.weights import bma_weights, compression_weights


def reference_of(problem, weights):
    weights = np.where(problem.known, weights, 0.0)
    if weights.sum() == 0.0:
        return problem.prior[None]
    return (weights @ problem.posterior / weights.sum())[None]


def evidence_of(problem, weights):
    posterior = np.ascontiguousarray(problem.posterior[:, None])
    reference = reference_of(problem, weights)
    return make_evidence(problem.codes, problem.n_states, posterior, reference, problem.prior)


def bma(problem):
    priors = BmaPriors.from_likelihoods(problem.log_lik, problem.eps)
    return priors, evidence_of(problem, bma_weights(problem.log_lik))


def compression(problem):
    priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
    weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
    return priors, evidence_of(problem, weights)


def bma_set_of(problem):
    priors, evidence = bma(problem)
    return priors.maximal_sets(evidence), evidence.reference


def compression_set_of(problem):
    priors, evidence = compression(problem)
    return priors.maximal_sets(evidence), evidence.reference


def bma_answers(problem):
    priors, evidence = bma(problem)
    return evidence.reference[0], priors.intervals(evidence)[0], priors.robustness(evidence)[0]


def compression_answers(problem):
    priors, evidence = compression(problem)
    return evidence.reference[0], priors.intervals(evidence)[0], priors.robustness(evidence)[0]


def bma_extreme_points(problem):
    survivors = [j for j, w in enumerate(bma_weights(problem.log_lik)) if w > 0 and problem.known[j]]
    for chosen in survivors:
        point = np.zeros(len(problem.log_lik))
        point[survivors] = problem.eps
        point[chosen] = 1.0 - (len(survivors) - 1) * problem.eps
        yield point
