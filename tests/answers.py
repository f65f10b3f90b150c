"""What our sets of priors answer to an ensemble problem: sets, bounds and robustness."""

import numpy as np

from skcredal._ensemble.priors import BmaPriors, CompressionPriors
from skcredal._ensemble.weights import bma_weights, compression_weights


def reference_of(problem, weights):
    weights = np.where(problem.known, weights, 0.0)
    if weights.sum() == 0.0:
        return problem.prior[None]
    return (weights @ problem.posterior / weights.sum())[None]


def bma_set_of(problem):
    priors = BmaPriors.from_likelihoods(problem.log_lik, problem.eps)
    reference = reference_of(problem, bma_weights(problem.log_lik))
    posterior = np.ascontiguousarray(problem.posterior[:, None])
    sets = priors.maximal_sets(problem.codes, problem.n_states, posterior, reference, problem.prior)
    return sets, reference


def compression_set_of(problem):
    priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
    weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
    reference = reference_of(problem, weights)
    posterior = np.ascontiguousarray(problem.posterior[:, None])
    sets = priors.maximal_sets(problem.codes, problem.n_states, posterior, reference, problem.prior)
    return sets, reference


def bma_answers(problem):
    priors = BmaPriors.from_likelihoods(problem.log_lik, problem.eps)
    reference = reference_of(problem, bma_weights(problem.log_lik))
    posterior = np.ascontiguousarray(problem.posterior[:, None])
    arguments = (problem.codes, problem.n_states, posterior, reference)
    return reference[0], priors.intervals(*arguments)[0], priors.robustness(*arguments, problem.prior)[0]


def compression_answers(problem):
    priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
    weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
    reference = reference_of(problem, weights)
    posterior = np.ascontiguousarray(problem.posterior[:, None])
    arguments = (problem.codes, problem.n_states, posterior, reference)
    return reference[0], priors.intervals(*arguments)[0], priors.robustness(*arguments, problem.prior)[0]


def bma_extreme_points(problem):
    survivors = [j for j, w in enumerate(bma_weights(problem.log_lik)) if w > 0 and problem.known[j]]
    for chosen in survivors:
        point = np.zeros(len(problem.log_lik))
        point[survivors] = problem.eps
        point[chosen] = 1.0 - (len(survivors) - 1) * problem.eps
        yield point
