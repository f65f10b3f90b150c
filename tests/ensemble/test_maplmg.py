"""MAPLMG below the estimators: rows left out of the counts, and the weights, against counting and scipy."""

from fractions import Fraction

import numpy as np
import pytest

import oracles_maplmg
from problems import as_rows, as_states, counts_of, random_codes
from skcredal._ensemble.maplmg import log_own_left_out, maplmg_weights
from skcredal._ensemble.spodes import SpodeTables


def left_out(codes, labels, n_states, n_classes, *, ess=1.0, weights=None, n_threads=1):
    """Return log P_{-r}(c_r | a_r, s_j), (rows, k)."""
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
    tables = SpodeTables(counts_of(codes, labels, n_states, n_classes, weights), ess)
    return log_own_left_out(tables, as_states(codes, n_states), labels, weights, n_threads=n_threads)


def random_weights(rng, kind, n):
    if kind == "whole":
        return rng.integers(1, 4, n).astype(np.float64)
    return np.ones(n) if kind == "none" else rng.choice([0.25, 0.5, 1.0, 1.7, 3.1], n)


@pytest.mark.parametrize("ess", [1.0, 0.25])
@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["none", "whole", "real"])
def test_leaving_a_row_out_is_counting_without_it(kind, unknown, ess):
    rng = np.random.default_rng(50)
    for _ in range(40):
        codes, labels, n_states, n_classes = random_codes(rng, n=int(rng.integers(1, 13)), unknown=unknown)
        weights = random_weights(rng, kind, len(labels))
        found = left_out(codes, labels, n_states, n_classes, ess=ess, weights=weights)
        expected = oracles_maplmg.left_out_posteriors(
            as_rows(codes, n_states),
            labels.tolist(),
            n_states.tolist(),
            n_classes,
            Fraction(ess),
            weights.tolist(),
        )
        np.testing.assert_allclose(np.exp(found), np.array(expected, float), rtol=1e-11)


def test_the_weights_are_those_of_a_general_solver():
    rng = np.random.default_rng(51)
    for _ in range(300):
        codes, labels, n_states, n_classes = random_codes(
            rng, n=int(rng.integers(2, 60)), k=int(rng.integers(1, 7)), unknown=float(rng.choice([0.0, 0.2]))
        )
        weights = random_weights(rng, str(rng.choice(["none", "whole", "real"])), len(labels))
        plain = weights.tolist()
        out = left_out(codes, labels, n_states, n_classes, weights=weights)
        posteriors = np.exp(out).tolist()
        found = maplmg_weights(out, weights, tol=1e-14, max_iter=100_000)
        assert found.converged
        assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert found.objective == pytest.approx(
            oracles_maplmg.objective(found.weights, posteriors, plain), rel=1e-12, abs=1e-12
        )
        best = oracles_maplmg.best_weights(posteriors, plain)
        assert found.objective >= oracles_maplmg.objective(best, posteriors, plain) - 1e-9
        np.testing.assert_allclose(found.weights, best, atol=1e-4)
        gap = oracles_maplmg.optimality_gap(found.weights, posteriors, plain)
        assert found.gap == pytest.approx(gap, abs=1e-9)


def em_step(weights, p):
    """Return the weights after a step of EM, whose fixed point is the maximum."""
    share = weights * p / (p @ weights)[:, None]
    return (1.0 + share.sum(axis=0)) / (len(p) + len(weights))


def test_em_stays_at_the_maximum_even_where_the_models_nearly_agree():
    """There EM creeps: it would take many thousands of steps to come here."""
    rng = np.random.default_rng(58)
    for scale in (1e-6, 1e-3, 0.1):
        log_p = np.log(rng.random((500, 1))) + scale * rng.normal(size=(500, 6))
        found = maplmg_weights(log_p, np.ones(500))
        assert found.converged
        assert found.gap <= 1e-10 * abs(found.objective)
        assert found.n_iter < 20
        np.testing.assert_allclose(em_step(found.weights, np.exp(log_p)), found.weights, rtol=1e-8)
