"""Bounds on the posterior and robustness, against vertices, general optimisers and random priors."""

import math

import numpy as np
import pytest

import oracles
from answers import (
    answers_to,
    bma,
    bma_extreme_points,
    bma_members,
    candidate_priors,
    compression,
    compression_members,
    least_sum,
    sets_of,
)
from problems import KINDS, random_ensemble
from skcredal._ensemble.priors import CompressionPriors, Evidence
from skcredal._ties import most_probable

# A warning of numpy would reach the user; one of the oracles' solver, which older SciPy gives, would not.
pytestmark = pytest.mark.filterwarnings("error", "ignore:Values in x were outside bounds:RuntimeWarning")


def of_members(problem, members, y):
    """Return the coefficients of the members, by definition, for their prior."""
    return 1.0 - (problem.log_lik[members] + np.log(y)) / (problem.log_lik_null + math.log(problem.eps))


@pytest.mark.parametrize("kind", KINDS)
def test_bma_sets_and_bounds_are_those_of_all_extreme_points(kind):
    """A class is dominated iff another is more probable at every vertex."""
    rng = np.random.default_rng(50)
    for _ in range(400):
        problem = random_ensemble(rng, kind)
        reference, interval, _ = answers_to(problem, bma)
        sets, _ = sets_of(*bma(problem))
        likelihood = np.exp(problem.log_lik - problem.log_lik.max())
        scores = np.array([(point * likelihood) @ problem.posterior for point in bma_extreme_points(problem)])
        if len(scores) == 0:
            np.testing.assert_allclose(interval, np.stack([problem.prior, problem.prior], axis=1))
            assert sets[0].tolist() == most_probable(problem.prior).tolist()
            continue
        dominated = (scores[:, :, None] > scores[:, None] * (1 + 1e-10)).all(axis=0).any(axis=0)
        assert sets[0].tolist() == (~dominated).tolist()
        posteriors = scores / scores.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(interval[:, 0], posteriors.min(axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(interval[:, 1], posteriors.max(axis=0), rtol=1e-9, atol=1e-12)
        assert (interval[:, 0] <= reference).all()
        assert (reference <= interval[:, 1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_compression_bounds_are_exact_to_the_last_digits(kind):
    rng = np.random.default_rng(57)
    checked = 0
    for _ in range(5):
        problem = random_ensemble(rng, kind)
        reference, interval, _ = answers_to(problem, compression)
        members, same_models = compression_members(problem)
        assert (interval[:, 0] <= reference).all()
        assert (reference <= interval[:, 1]).all()
        if not members.any():
            np.testing.assert_allclose(interval, np.stack([problem.prior, problem.prior], axis=1))
            continue
        least = least_sum(problem, members)
        if least <= 0.0:
            assert interval.tolist() == [[0.0, 1.0]] * len(reference)
        # Where the ratio is all but undefined, or the bounds are widened to contain the reference.
        if least < 1e-6 or not same_models:
            continue
        checked += 1
        for c in range(min(len(reference), 3)):
            p = problem.posterior[:, c]
            lower, upper = (
                oracles.comp_lower_probability(
                    of_class.tolist(), problem.log_lik.tolist(), problem.log_lik_null, problem.eps, members
                )
                for of_class in (p, 1.0 - p)
            )
            assert interval[c, 0] == pytest.approx(max(lower, 0.0), rel=1e-12, abs=1e-13)
            assert interval[c, 1] == pytest.approx(min(1.0 - upper, 1.0), rel=1e-12, abs=1e-13)
    assert checked > 0 or kind not in ("ordinary", "all feasible", "agreement")


def test_a_row_has_the_same_compression_bounds_whatever_rows_are_with_it():
    """The rows of a block go through the iteration together, but each stops when it is ready."""
    rng = np.random.default_rng(58)
    k, n, eps = 6, 150, 0.02
    for n_classes in (1, 2, 4):
        # Some rows agree and some do not, so that they take more and fewer steps; some know little.
        spread = rng.choice([0.0, 1e-6, 0.1, 3.0], (1, 1, n))
        scores = rng.normal(size=(1, n_classes, n)) + spread * rng.normal(size=(k, n_classes, n))
        posterior = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        known = rng.random((k, n)) >= 0.2
        known[:, :3] = False
        log_lik = np.array([-10.0, -12.0, -15.0, -30.0, -90.0, -11.0])
        priors = CompressionPriors.from_likelihoods(log_lik, -40.0, eps)
        assert not priors.feasible.all()
        prior = np.full(n_classes, 1.0 / n_classes)
        evidence = Evidence(posterior, known, posterior.mean(axis=0).T, prior)

        def bounds(rows, priors=priors, evidence=evidence):
            return priors.intervals(evidence.of(np.arange(n)[rows]))

        together = bounds(slice(None))
        alone = np.concatenate([bounds(slice(r, r + 1)) for r in range(n)])
        np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("kind", KINDS)
def test_no_prior_of_the_set_contradicts_compression_sets_or_bounds(kind):
    rng = np.random.default_rng(52)
    for _ in range(200):
        problem = random_ensemble(rng, kind)
        k, eps = len(problem.log_lik), problem.eps
        _, interval, _ = answers_to(problem, compression)
        sets, _ = sets_of(*compression(problem))
        members, _ = compression_members(problem)
        if not members.any():
            continue
        for concentration in (0.05, 0.05, 0.3, 0.5, 1.0, 5.0, 10.0):
            y = eps + (1.0 - eps - k * eps) * rng.dirichlet(np.full(k, concentration))
            pi = of_members(problem, members, y[members])
            if pi.sum() > 0:
                # Coefficients may be negative for some priors and lead out of [0, 1]; bounds are clipped.
                scores = pi @ problem.posterior[members]
                assert sets[0, scores.argmax()]
                p = np.clip(scores / pi.sum(), 0.0, 1.0)
                assert (interval[:, 0] <= p + 1e-9).all()
                assert (p <= interval[:, 1] + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_determinate_exactly_if_it_is_robust_enough(kind):
    """§7: the fitted set replaces r = 1 - k'ε (BMA) or 1 - kε/(1-ε) (COMP) of the reference prior."""
    rng = np.random.default_rng(53)
    for _ in range(150):
        problem = random_ensemble(rng, kind)
        priors, evidence = bma(problem)
        sets, (robustness,) = priors.maximal_sets(evidence), priors.robustness(evidence)
        assert 0.0 <= robustness <= 1.0
        replaced = 1.0 - bma_members(problem).sum() * problem.eps
        if abs(robustness - replaced) > 1e-9:
            assert (sets.sum() == 1) == (robustness > replaced)

        priors, evidence = compression(problem)
        sets, (robustness,) = priors.maximal_sets(evidence), priors.robustness(evidence)
        assert 0.0 <= robustness <= 1.0
        k = len(problem.log_lik)
        replaced = 1.0 - k * problem.eps / (1.0 - problem.eps)
        members, same_models = compression_members(problem)
        if members.any() and same_models and abs(robustness - replaced) > 1e-9:
            assert (sets.sum() == 1) == (robustness > replaced)


def test_compression_robustness_is_where_the_minimum_crosses_zero():
    """Just below the reported r the class dominates every rival, just above it does not."""
    rng = np.random.default_rng(54)
    checked = 0
    for _ in range(60):
        problem = random_ensemble(rng, str(rng.choice(["ordinary", "some infeasible", "all feasible"])))
        reference, _, robustness = answers_to(problem, compression)
        (members, same_models), k = compression_members(problem), len(problem.log_lik)
        if not members.any() or not 1e-3 < robustness < 1 - 1e-9 or not same_models:
            continue
        checked += 1
        best = int(reference.argmax())
        for factor, holds in ((1 + 1e-6, True), (1 - 1e-6, False)):
            kept = min(1.0, (1.0 - robustness) * factor)
            lower = kept * (1.0 - problem.eps) / k
            margins = []

            def least(d, problem=problem, members=members, lower=lower, k=k):
                mass = 1.0 - problem.eps - (k - members.sum()) * lower
                priors = candidate_priors(d[members].tolist(), lower, mass, spare=not members.all())
                return min(d[members] @ of_members(problem, members, np.array(y)) for y in priors)

            for d in range(len(reference)):
                if d != best:
                    margins.append(least(problem.posterior[:, best] - problem.posterior[:, d]))
            silent = least(np.ones(k)) <= 0.0
            assert (min(margins) > 0.0 and not silent) == holds
    assert checked > 10
