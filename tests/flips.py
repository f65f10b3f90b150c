"""Scores of the classes under a prior over the super-parents, from the definitions (§5, §6, §7)."""

import math


def scores_under_prior(clf, posterior, case, *, compression):
    """Return the score of each class of one row, given what each SPODE says of it and an explained prior.

    BMA-AODE*: the weight of a SPODE is its prior times its likelihood, where that is at least 10⁻⁴ of the
    largest. COMP-AODE*: it is its compression coefficient, where some prior of the set makes that positive.
    """
    names = [name if isinstance(name, str) else f"feature {name}" for name in clf.super_parents_]
    log_lik = clf.log_likelihood_.tolist()
    k, eps = len(log_lik), clf.epsilon_
    scores = [0.0] * len(clf.classes_)
    for name, prior in zip(case["super_parents"], case["prior"], strict=True):
        j = names.index(name)
        if compression:
            bits = clf.null_log_likelihood_ + math.log(eps)
            feasible = 1 - (log_lik[j] + math.log(1 - k * eps)) / bits > 0
            weight = 1 - (log_lik[j] + math.log(prior)) / bits if feasible else 0.0
        else:
            likelihood = math.exp(log_lik[j] - max(log_lik))
            weight = prior * likelihood if likelihood >= 1e-4 else 0.0
        for c, probability in enumerate(posterior[j]):
            scores[c] += weight * probability
    return scores
