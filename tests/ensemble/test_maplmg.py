"""MAPLMG below the estimators: rows left out of the counts, and the weights, against counting and scipy."""

from fractions import Fraction

import numpy as np
import pytest

import oracles_maplmg
from problems import as_rows, random_codes
from skcredal import _kernels as kernels
from skcredal._ensemble import maplmg
from skcredal._ensemble.counting import count
from skcredal._ensemble.maplmg import LeftOut, leave_one_out, maplmg_weights
from skcredal._ensemble.parameters import spode_tables


def left_out(codes, labels, n_states, n_classes, *, ess=1.0, weights=None, n_threads=1):
    counts = count(codes, labels, n_states, n_classes, weights=weights)
    return leave_one_out(
        counts, spode_tables(counts, ess), codes, labels, weights=weights, n_threads=n_threads
    )


def random_weights(rng, kind, n):
    if kind == "whole":
        return rng.integers(1, 4, n)
    return None if kind == "none" else rng.choice([0.25, 0.5, 1.0, 1.7, 3.1], n)


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
            None if weights is None else weights.tolist(),
        )
        np.testing.assert_allclose(np.exp(found.log_proba), np.array(expected, float), rtol=1e-11)
        np.testing.assert_allclose(found.relative.max(axis=1), 1.0)


def test_the_weights_are_those_of_a_general_solver():
    rng = np.random.default_rng(51)
    for _ in range(300):
        codes, labels, n_states, n_classes = random_codes(
            rng,
            n=int(rng.integers(2, 60)),
            k=int(rng.integers(1, 7)),
            unknown=float(rng.choice([0.0, 0.2])),
        )
        weights = random_weights(rng, str(rng.choice(["none", "whole", "real"])), len(labels))
        plain = None if weights is None else weights.tolist()
        out = left_out(codes, labels, n_states, n_classes, weights=weights)
        posteriors = np.exp(out.log_proba).tolist()
        found = maplmg_weights(out, weights=weights, tol=1e-14, max_iter=100_000)
        assert found.converged
        assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert found.objective == pytest.approx(
            oracles_maplmg.objective(found.weights, posteriors, plain), rel=1e-12, abs=1e-12
        )
        best = oracles_maplmg.best_weights(posteriors, plain)
        assert found.objective >= oracles_maplmg.objective(best, posteriors, plain) - 1e-9
        np.testing.assert_allclose(found.weights, best, atol=1e-4)


def sharp_mixture(rng, n, k):
    """Return what k models may say of n rows: some models better than others, all of them sharp."""
    log_p = -rng.exponential(size=(n, k)) * rng.exponential(size=k) * 10.0
    best = log_p.max(axis=1)
    return LeftOut(np.exp(log_p - best[:, None]), best)


def test_the_maximum_is_reached_where_the_models_differ():
    """The gap to the maximum is bounded by the gradient, and is what the mixture says."""
    rng = np.random.default_rng(52)
    for _ in range(200):
        out = sharp_mixture(rng, int(rng.integers(1, 40)), int(rng.integers(1, 8)))
        posteriors = np.exp(out.log_proba).tolist()
        found = maplmg_weights(out, tol=1e-14, max_iter=100_000)
        best = oracles_maplmg.best_weights(posteriors)
        assert found.objective >= oracles_maplmg.objective(best, posteriors) - 1e-9
        gap = oracles_maplmg.optimality_gap(found.weights, posteriors)
        assert gap < 1e-9
        assert found.gap == pytest.approx(gap, abs=1e-10)


def em_step(weights, relative):
    """Return the weights after a step of EM, whose fixed point is the maximum."""
    share = weights * relative / (relative @ weights)[:, None]
    return (1.0 + share.sum(axis=0)) / (len(relative) + len(weights))


def test_em_stays_at_the_maximum_even_where_the_models_nearly_agree():
    """There EM creeps: it would take many thousands of steps to come here."""
    rng = np.random.default_rng(58)
    for scale in (1e-6, 1e-3, 0.1):
        log_p = np.log(rng.random((500, 1))) + scale * rng.normal(size=(500, 6))
        best = log_p.max(axis=1)
        out = LeftOut(np.exp(log_p - best[:, None]), best)
        found = maplmg_weights(out)
        assert found.converged
        assert found.gap <= 1e-10 * abs(found.objective)
        assert found.n_iter < 20
        np.testing.assert_allclose(em_step(found.weights, out.relative), found.weights, rtol=1e-8)


def test_tiny_row_weights_and_a_hopeless_model_do_no_harm():
    rng = np.random.default_rng(59)
    for _ in range(50):
        out = sharp_mixture(rng, 60, 4)
        out.relative[:, 3] *= 1e-30
        row_weights = 10.0 ** rng.uniform(-6.0, 3.0, 60)
        found = maplmg_weights(out, weights=row_weights, tol=1e-12)
        assert found.converged
        gap = oracles_maplmg.optimality_gap(found.weights, out.relative.tolist(), row_weights.tolist())
        assert gap <= 1e-9 * row_weights.sum()


def test_every_step_climbs():
    rng = np.random.default_rng(53)
    for _ in range(30):
        out = sharp_mixture(rng, 30, 5)
        steps = [maplmg_weights(out, tol=0.0, max_iter=t).objective for t in range(1, 40)]
        assert (np.diff(steps) >= -1e-12 * abs(steps[-1])).all()
        assert steps[0] >= oracles_maplmg.objective([0.2] * 5, np.exp(out.log_proba).tolist()) - 1e-12


def test_it_stops_by_the_gap_or_by_max_iter():
    out = sharp_mixture(np.random.default_rng(54), 40, 5)
    full = maplmg_weights(out, tol=1e-6)
    before = maplmg_weights(out, tol=1e-6, max_iter=full.n_iter - 1)
    assert full.converged
    assert not before.converged
    assert before.n_iter == full.n_iter - 1
    assert full.gap <= 1e-6 * abs(full.objective) < before.gap
    # With nothing to wait for it stops where rounding does.
    assert maplmg_weights(out, tol=0.0).converged


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_a_whole_weight_repeats_the_row(unknown):
    rng = np.random.default_rng(55)
    for _ in range(40):
        codes, labels, n_states, n_classes = random_codes(rng, n=15, unknown=unknown)
        weights = rng.integers(1, 4, len(labels))
        copies = np.repeat(np.arange(len(labels)), weights)
        short = left_out(codes, labels, n_states, n_classes, weights=weights)
        long = left_out(np.ascontiguousarray(codes[:, copies]), labels[copies], n_states, n_classes)
        np.testing.assert_array_equal(short.relative[copies], long.relative)
        np.testing.assert_array_equal(short.log_best[copies], long.log_best)
        once, repeated = (
            maplmg_weights(out, weights=w, tol=0.0, max_iter=20)
            for out, w in ((short, weights), (long, None))
        )
        np.testing.assert_allclose(once.weights, repeated.weights, rtol=1e-12)
        assert once.objective == pytest.approx(repeated.objective, rel=1e-12)


def test_sums_over_rows_are_those_of_the_definition():
    rng = np.random.default_rng(56)
    out, weights = sharp_mixture(rng, 9, 4), rng.dirichlet(np.ones(4))
    p = np.exp(out.log_proba)
    share = weights * p / (p @ weights)[:, None]
    for row_weights in (np.empty(0), rng.random(9)):
        times = row_weights if len(row_weights) else np.ones(9)
        log_lik = kernels.leave_one_out.log_likelihood(out.relative, out.log_best, row_weights, weights)
        assert log_lik == pytest.approx(times @ np.log(p @ weights), rel=1e-12)
        sums, curvature = np.zeros(4), np.zeros((4, 4))
        kernels.leave_one_out.add_curvature(out.relative, row_weights, weights, sums, curvature)
        np.testing.assert_allclose(sums, times @ share, rtol=1e-12)
        np.testing.assert_allclose(curvature, np.tril((times[:, None] * share).T @ share), rtol=1e-12)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(maplmg, "chunks", lambda n: [slice(r, r + 3) for r in range(0, n, 3)])
    monkeypatch.setattr(maplmg, "BLOCK_ROWS", 4)
    codes, labels, n_states, n_classes = random_codes(np.random.default_rng(57), n=40, k=4, unknown=0.1)
    outs = [left_out(codes, labels, n_states, n_classes, n_threads=t) for t in (1, 3)]
    np.testing.assert_array_equal(outs[0].relative, outs[1].relative)
    np.testing.assert_array_equal(outs[0].log_best, outs[1].log_best)
    one, three = (maplmg_weights(outs[0], n_threads=t) for t in (1, 3))
    np.testing.assert_array_equal(one.weights, three.weights)
    assert (one.objective, one.n_iter) == (three.objective, three.n_iter)


def test_without_features_there_is_nothing_to_weigh():
    out = left_out(np.empty((0, 3), np.uint8), np.array([0, 1, 1], np.int32), np.empty(0, np.int64), 2)
    found = maplmg_weights(out)
    assert found.weights.shape == (0,)
    assert np.isnan(found.objective)
    assert (found.n_iter, found.converged) == (0, True)


def test_probabilities_too_small_for_a_double_do_no_harm():
    """In the last row every pair is new to its class and usual in the other: far below exp(-745)."""
    k = 400
    codes = np.concatenate([np.zeros((k, 200)), 1 - np.eye(k), np.zeros((k, 1))], axis=1).astype(np.uint8)
    labels = np.repeat([0, 1], [200, k + 1]).astype(np.int32)
    out = left_out(codes, labels, np.full(k, 2), 2)
    assert out.log_best[-1] < -745
    found = maplmg_weights(out)
    assert np.isfinite(found.objective)
    np.testing.assert_allclose(found.weights, 1 / k)
