"""The rival that some prior brings closest to the answer, and that prior."""

import numpy as np
import pytest

import oracles
from answers import bma, bma_extreme_points, compression, compression_members
from problems import KINDS, random_ensemble
from skcredal._kernels import least_priors


def classes_but(best, n_classes):
    return [d for d in range(n_classes) if d != best]


@pytest.mark.parametrize("kind", KINDS)
def test_the_rival_of_bma_is_the_closest_at_some_extreme_point(kind):
    rng = np.random.default_rng(50)
    for _ in range(30):
        problem = random_ensemble(rng, kind)
        priors, evidence = bma(problem)
        rival, worst = priors.contest(evidence)
        best, p = int(evidence.best[0]), problem.posterior
        likelihood = np.exp(problem.log_lik - problem.log_lik.max())
        advantages = {}
        for d in classes_but(best, p.shape[1]):
            # The least difference of the scores, in relation to the scores where it lies.
            at = min(
                bma_extreme_points(problem),
                key=lambda prior, d=d: prior @ (likelihood * (p[:, best] - p[:, d])),
                default=None,
            )
            if at is not None:
                weights = at * likelihood
                advantages[d] = weights @ (p[:, best] - p[:, d]) / (weights @ (p[:, best] + p[:, d])), at
        if not advantages:
            assert rival[0] == max(classes_but(best, p.shape[1]), key=lambda d: evidence.reference[0, d])
            assert np.isnan(worst).all()
            continue
        least, at = advantages[int(rival[0])]
        assert least == pytest.approx(min(found for found, _ in advantages.values()), abs=1e-12)
        np.testing.assert_allclose(worst[:, 0], at, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_prior_of_compression_is_one_of_the_set_and_favours_the_rival_most(kind):
    rng = np.random.default_rng(51)
    for _ in range(20):
        problem = random_ensemble(rng, kind)
        priors, evidence = compression(problem)
        (rival,), worst = priors.contest(evidence)
        best, k = int(evidence.best[0]), len(problem.log_lik)
        members = np.flatnonzero(compression_members(problem)[0])
        if not len(members):
            assert rival == max(
                classes_but(best, problem.posterior.shape[1]), key=lambda d: evidence.reference[0, d]
            )
            assert np.isnan(worst).all()
            continue
        prior = worst[:, 0]
        assert (prior >= problem.eps * (1 - 1e-9)).all()
        assert prior.sum() == pytest.approx(1.0 - problem.eps, abs=1e-9)
        base, kappa = priors.base[members], priors.kappa

        def against(d, log_y, members=members, base=base, kappa=kappa, p=problem.posterior, best=best):
            pi = base + kappa * log_y
            scale = np.abs(base) + kappa * np.abs(log_y)
            difference = p[members, best] - p[members, d]
            return difference @ pi, difference @ pi / (scale @ (p[members, best] + p[members, d]))

        difference, advantage = against(rival, np.log(prior[members]))
        least = oracles.comp_min_difference(
            (problem.posterior[:, best] - problem.posterior[:, rival]).tolist(),
            problem.log_lik.tolist(),
            problem.log_lik_null,
            problem.eps,
            available=problem.known.tolist(),
        )
        assert difference <= least + 1e-7 * (1.0 + abs(least))
        for d in classes_but(best, problem.posterior.shape[1]):
            log_y, size = np.empty((1, len(members))), len(members)
            least_priors(
                (problem.posterior[members, best] - problem.posterior[members, d])[None],
                np.array([problem.eps]),
                np.array([1.0 - (1 + k - size) * problem.eps]),
                np.array([size]),
                np.array([size < k]),
                log_y,
            )
            assert advantage <= against(d, log_y[0])[1] + 1e-12
