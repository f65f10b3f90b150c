"""Sets, bounds and robustness of a pool, against the definition, for weights and covariances of any kind."""

import numpy as np
import pytest
from scipy.special import log_softmax

import oracles_logpool as oracle
from skcredal._ensemble.log_pool import WeightSet, pooled
from skcredal._ensemble.pool_weights import prior_weights


def random_pool(rng, n_classes, n=20):
    """Return a pool as the oracle has it, its covariance, and what its experts say of rows, [j, c, r]."""
    k, regions, line = int(rng.integers(1, 5)), rng.random() < 0.7, rng.random() < 0.7
    centre, strength = oracle.prior_weights(k, regions, line)
    m = len(centre)
    sharpness = rng.choice([0.1, 1.0, 30.0])
    logs = log_softmax(sharpness * rng.normal(size=(m, n_classes, n)), axis=1)
    logs[0] = logs[0, :, :1]  # the null model
    logs[:, :, 0] = logs[0, 0, 0]  # a row of which the experts say nothing
    weights = np.append(rng.normal(0, 0.5), np.where(rng.random(m - 1) < 0.3, 0, rng.random(m - 1)))
    free = np.flatnonzero(rng.random(m) < 0.7).tolist()
    data = rng.normal(size=(m, 2 * m)) * rng.choice([0.1, 1.0, 3.0])
    hessian = (data @ data.T + np.eye(m)) * np.sqrt(np.outer(strength, strength))
    problem = oracle.Problem([], [], [], [], centre, strength)
    pool = oracle.Pool(problem, weights, free, hessian[np.ix_(free, free)])
    sizes = [k] + [1] * (regions + line)
    return pool, oracle.covariance(pool), logs, sizes


def test_prior_weights_are_those_of_the_definition():
    for regions, line in ((False, False), (True, False), (False, True), (True, True)):
        centre, strength = oracle.prior_weights(3, regions, line)
        found, scale = prior_weights([3] + [1] * (regions + line))
        np.testing.assert_allclose(found, centre)
        np.testing.assert_allclose(scale, strength**-0.5)


@pytest.mark.parametrize("credibility", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_sets_bounds_and_robustness_are_as_defined(n_classes, credibility):
    rng = np.random.default_rng([3, n_classes])
    sizes_of_sets = []
    for _ in range(15):
        pool, covariance, logs, sizes = random_pool(rng, n_classes)
        log_c, speaks = logs[0, :, 0], np.ones(logs.shape[2], np.bool_)
        odds = logs[:, 1:] - logs[:, :1]
        found = WeightSet.of(pool.weights, log_c, covariance, sizes, credibility)
        evidence = found.evidence(odds, speaks)
        sets, bounds = found.maximal_sets(evidence), found.intervals(evidence)
        robustness = found.robustness(evidence)
        proba = pooled(pool.weights, odds, speaks, log_c)
        for r in range(logs.shape[2]):
            own = logs[:, :, r]
            np.testing.assert_allclose(proba[r], oracle.pool_posterior(pool.weights, own), atol=1e-12)
            np.testing.assert_allclose(bounds[r].T, oracle.bounds(pool, own, credibility), atol=1e-9)
            expected = oracle.robustness(pool, own)
            assert robustness[r] == pytest.approx(expected, abs=1e-7)
            if expected == 0 or abs(expected - credibility) > 1e-9:
                assert sets[r].tolist() == oracle.pool_set(pool, own, credibility)
        sizes_of_sets.extend(sets.sum(axis=1))
    assert n_classes == 1 or max(sizes_of_sets) > 1


def test_rows_of_which_nothing_is_known_have_the_frequencies():
    rng = np.random.default_rng(0)
    pool, covariance, logs, sizes = random_pool(rng, 3)
    log_c, odds = np.log([0.5, 0.3, 0.2]), logs[:, 1:] - logs[:, :1]
    speaks = np.arange(logs.shape[2]) % 2 == 0
    found = WeightSet.of(pool.weights, log_c, covariance, sizes, 0.9)
    evidence = found.evidence(odds, speaks)
    assert (found.maximal_sets(evidence)[~speaks] == [True, False, False]).all()
    assert (found.robustness(evidence)[~speaks] == 1.0).all()
    np.testing.assert_allclose(found.intervals(evidence)[~speaks][:, :, 0], [[0.5, 0.3, 0.2]] * 10)
    np.testing.assert_allclose(pooled(pool.weights, odds, speaks, log_c)[~speaks], [[0.5, 0.3, 0.2]] * 10)


@pytest.mark.parametrize(("odds", "in_set"), [(3e-10, [True, True, False]), (5e-10, [True, False, False])])
def test_log_odds_must_exceed_the_rounding_of_the_largest(odds, in_set):
    """§14: τ is 1e-10 of the largest log-odds, here 4."""
    said = np.array([[0.0, 0.0], [-odds / 2, -2.0]])[:, :, None]
    found = WeightSet.of(np.array([0.0, 2.0]), np.log([1 / 3] * 3), np.zeros((2, 2)), [1], 0.0)
    evidence = found.evidence(said, np.ones(1, np.bool_))
    assert found.maximal_sets(evidence).tolist() == [in_set]
    assert (found.robustness(evidence) > 0).tolist() == [sum(in_set) == 1]
