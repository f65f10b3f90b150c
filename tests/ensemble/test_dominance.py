import itertools

import numpy as np
import pytest

import oracles
from answers import bma, compression, sets_of
from problems import KINDS, random_ensemble


def is_close_call(margins):
    return any(
        abs(margin) < 1e-7
        for row, c in zip(margins, itertools.count())
        for d, margin in enumerate(row)
        if c != d
    )


@pytest.mark.parametrize("kind", KINDS)
def test_bma_sets_are_those_of_linear_programs(kind):
    rng = np.random.default_rng(10)
    # Ten classes have 90 pairs, and a linear program each.
    n_problems, close_calls = 15 if kind == "ten classes" else 40, 0
    for _ in range(n_problems):
        problem = random_ensemble(rng, kind)
        priors, evidence = bma(problem)
        sets, reference = priors.maximal_sets(evidence), evidence.reference
        arguments = (problem.oracle_posteriors, problem.log_lik.tolist(), problem.eps, problem.prior.tolist())
        margins = oracles.bma_margins(*arguments)
        if is_close_call(margins):
            close_calls += 1
            continue
        assert sets[0].tolist() == oracles.bma_set(*arguments, reference[0].tolist(), margins=margins)
    assert close_calls <= n_problems / 5


@pytest.mark.parametrize("kind", KINDS)
def test_compression_sets_are_those_of_a_general_optimiser(kind):
    rng = np.random.default_rng(11)
    n_problems, close_calls = 15, 0
    for _ in range(n_problems):
        problem = random_ensemble(rng, kind)
        if kind == "ten classes":
            problem.posterior = problem.posterior[:, :4] / problem.posterior[:, :4].sum(axis=1, keepdims=True)
            problem.prior = problem.prior[:4] / problem.prior[:4].sum()
        priors, evidence = compression(problem)
        sets, reference = priors.maximal_sets(evidence), evidence.reference
        arguments = (
            problem.oracle_posteriors,
            problem.log_lik.tolist(),
            problem.log_lik_null,
            problem.eps,
            problem.prior.tolist(),
        )
        margins = oracles.comp_margins(*arguments, starts=4)
        if is_close_call(margins):
            close_calls += 1
            continue
        assert sets[0].tolist() == oracles.comp_set(*arguments, reference[0].tolist(), margins=margins)
    assert close_calls <= max(1, n_problems / 5)


@pytest.mark.parametrize("method", [bma, compression])
@pytest.mark.parametrize("kind", KINDS)
def test_classes_that_are_equal_stay_together(kind, method):
    rng = np.random.default_rng(15)
    for _ in range(40):
        problem = random_ensemble(rng, kind)
        # Two copies of every class, the second up to rounding, in all SPODEs and in the prior.
        wobble = 1.0 + rng.uniform(-4e-16, 4e-16, problem.posterior.shape)
        problem.posterior = np.concatenate([problem.posterior, problem.posterior * wobble], axis=1) / 2.0
        problem.prior = np.tile(problem.prior, 2) / 2.0
        sets, _ = sets_of(*method(problem))
        half = len(problem.prior) // 2
        np.testing.assert_array_equal(sets[0, :half], sets[0, half:])
