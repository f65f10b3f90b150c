import itertools
import math

import numpy as np
import pytest

import oracles
from answers import bma_extreme_points, bma_set_of, compression_set_of, reference_of
from problems import KINDS, random_ensemble
from skcredal import _kernels as kernels
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, put_back
from skcredal._ensemble.weights import bma_weights, compression_coefficients, compression_weights
from skcredal._kernels._arguments import Decision
from skcredal._ties import most_probable


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
        sets, reference = bma_set_of(problem)
        put_back(sets, reference)
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
        sets, reference = compression_set_of(problem)
        put_back(sets, reference)
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


@pytest.mark.parametrize("kind", KINDS)
def test_bma_sets_are_those_of_all_extreme_points(kind):
    """A class is dominated iff another is more probable at every vertex: a different computation."""
    rng = np.random.default_rng(12)
    for _ in range(400):
        problem = random_ensemble(rng, kind)
        sets, _ = bma_set_of(problem)
        likelihood = np.exp(problem.log_lik - problem.log_lik.max())
        scores = np.array([(point * likelihood) @ problem.posterior for point in bma_extreme_points(problem)])
        if len(scores) == 0:
            assert sets[0].tolist() == most_probable(problem.prior).tolist()
            continue
        n_classes = len(problem.prior)
        dominated = [
            any((scores[:, c] > scores[:, d] * (1 + 1e-10)).all() for c in range(n_classes) if c != d)
            for d in range(n_classes)
        ]
        assert sets[0].tolist() == [not is_dominated for is_dominated in dominated]


def compression_scores(problem, log_y, members):
    """Return the scores of all classes at a prior, straight from the definition of the coefficients."""
    b = problem.log_lik_null + math.log(problem.eps)
    pi = 1.0 - (problem.log_lik[members] + log_y) / b
    return pi @ problem.posterior[members]


@pytest.mark.parametrize("kind", KINDS)
def test_no_prior_of_the_set_contradicts_compression_dominance(kind):
    """Whichever prior is drawn from the set, a class it favours is in the returned set."""
    rng = np.random.default_rng(13)
    for _ in range(200):
        problem = random_ensemble(rng, kind)
        k, eps = len(problem.log_lik), problem.eps
        sets, _ = compression_set_of(problem)
        priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, eps)
        members = priors.feasible & problem.known
        if not members.any():
            continue
        for _ in range(10):
            concentration = float(rng.choice([0.05, 0.5, 5.0]))
            y = eps + (1.0 - eps - k * eps) * rng.dirichlet(np.full(k, concentration))
            scores = compression_scores(problem, np.log(y[members]), members)
            if (
                compression_coefficients(problem.log_lik, problem.log_lik_null, eps, np.log(y))[members].sum()
                > 0
            ):
                assert sets[0, scores.argmax()]


@pytest.mark.parametrize("spare", [False, True])
def test_minimum_over_compression_priors_is_that_of_a_general_optimiser(spare):
    rng = np.random.default_rng(14)
    for _ in range(150):
        k = int(rng.integers(1, 7))
        k_total = k + (int(rng.integers(1, 4)) if spare else 0)
        eps = float(rng.choice([0.01, 1e-5, 0.5 / (k_total + 1), 0.99 / (k_total + 1)]))
        log_lik_null = -(10.0 ** rng.uniform(0, 4))
        log_lik = np.concatenate(
            [log_lik_null * rng.uniform(0, 0.9, k), np.full(k_total - k, 3.0 * log_lik_null)]
        )
        log_lik[k:] -= 50.0
        difference = np.concatenate(
            [rng.normal(size=k) * 10.0 ** rng.uniform(-3, 0, k), np.zeros(k_total - k)]
        )
        difference[:k] += rng.choice([-2.0, 0.0, 0.0, 2.0])
        b = log_lik_null + math.log(eps)
        base, kappa = 1.0 - log_lik / b, -1.0 / b
        log_y = np.empty(k)
        mass = 1.0 - eps - (k_total - k) * eps
        found = kernels.compression.minimise_compression(
            difference[:k].copy(), base[:k].copy(), kappa, eps, mass, spare, log_y
        )
        expected = oracles.comp_min_difference(
            difference.tolist(),
            log_lik.tolist(),
            log_lik_null,
            eps,
            starts=6,
            available=[j < k for j in range(k_total)],
        )
        scale = np.abs(difference[:k]) @ (np.abs(base[:k]) + kappa * abs(math.log(eps)))
        assert found == pytest.approx(expected, abs=1e-8 * scale)
        # The minimising prior belongs to the set, and has the value that was returned.
        assert (log_y >= math.log(eps) - 1e-9).all()
        total = np.exp(log_y).sum()
        assert total <= mass * (1 + 1e-9)
        assert spare or total == pytest.approx(mass)
        assert found == pytest.approx(difference[:k] @ (base[:k] + kappa * log_y), abs=1e-12 * scale)


@pytest.mark.parametrize("set_of", [bma_set_of, compression_set_of])
@pytest.mark.parametrize("kind", KINDS)
def test_classes_that_are_equal_stay_together(kind, set_of):
    rng = np.random.default_rng(15)
    for _ in range(40):
        problem = random_ensemble(rng, kind)
        # Two copies of every class, the second up to rounding, in all SPODEs and in the prior.
        wobble = 1.0 + rng.uniform(-4e-16, 4e-16, problem.posterior.shape)
        problem.posterior = np.concatenate([problem.posterior, problem.posterior * wobble], axis=1) / 2.0
        problem.prior = np.tile(problem.prior, 2) / 2.0
        sets, _ = set_of(problem)
        half = len(problem.prior) // 2
        np.testing.assert_array_equal(sets[0, :half], sets[0, half:])


@pytest.mark.parametrize("kind", KINDS)
def test_put_backs_happen_only_where_feasibility_differs(kind):
    rng = np.random.default_rng(16)
    for _ in range(400):
        problem = random_ensemble(rng, kind)
        sets, reference = bma_set_of(problem)
        assert sets.any()
        assert put_back(sets, reference) == 0
        if sets.sum() == 1:
            assert sets.argmax() == reference.argmax()
        sets, reference = compression_set_of(problem)
        assert sets.any()
        priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
        weights = compression_weights(problem.log_lik, problem.log_lik_null, problem.eps)
        if np.array_equal(priors.feasible & problem.known, (weights > 0) & problem.known):
            assert put_back(sets, reference) == 0
            if sets.sum() == 1:
                assert sets.argmax() == reference.argmax()


def test_put_back_restores_the_most_probable_class():
    sets = np.array([[False, True], [True, False]])
    assert put_back(sets, np.array([[0.9, 0.1], [0.8, 0.2]])) == 1
    assert sets.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_smaller_epsilon_never_shrinks_a_bma_set(kind):
    rng = np.random.default_rng(17)
    for _ in range(100):
        problem = random_ensemble(rng, kind)
        sets, _ = bma_set_of(problem)
        problem.eps /= float(rng.uniform(1.0, 100.0))
        wider, _ = bma_set_of(problem)
        assert (wider >= sets).all()


def test_a_prior_that_says_nothing_leaves_all_classes():
    """With hardly any evidence the coefficients may sum to less than 0 for some prior."""
    rng = np.random.default_rng(18)
    silent = 0
    for _ in range(300):
        problem = random_ensemble(rng, "hardly any evidence")
        priors = CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps)
        used = priors.feasible & problem.known
        if not used.any():
            continue
        least = oracles.comp_min_difference(
            [1.0] * len(used),
            problem.log_lik.tolist(),
            problem.log_lik_null,
            problem.eps,
            available=used.tolist(),
            starts=2,
        )
        sets, _ = compression_set_of(problem)
        if least < -1e-9:
            silent += 1
            assert sets.all()
    assert silent > 0


def decided_at_once(problem, priors, weights):
    """Return whether a row is doubtful for the test that comes before the sets, from the posteriors given."""
    least, most, tie = priors.factors()
    best, doubtful = np.empty(1, np.int64), np.empty(1, np.bool_)
    decision = Decision(reference_of(problem, weights), least, most, tie, best, doubtful)
    said = np.ascontiguousarray(problem.posterior[None, :, :, None])
    kernels.inference.find_doubtful(problem.codes, 0, 1, problem.n_states, said, decision)
    return not doubtful[0]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_decided_at_once_are_those_of_a_single_class(kind):
    """The test before the sets never decides what the sets leave open, and mostly decides what they do."""
    rng = np.random.default_rng(14)
    decided, single = 0, 0
    for _ in range(300):
        problem = random_ensemble(rng, kind)
        answers = (
            (*bma_set_of(problem), BmaPriors.from_likelihoods(problem.log_lik, problem.eps)),
            (
                *compression_set_of(problem),
                CompressionPriors.from_likelihoods(problem.log_lik, problem.log_lik_null, problem.eps),
            ),
        )
        weights = (
            bma_weights(problem.log_lik),
            compression_weights(problem.log_lik, problem.log_lik_null, problem.eps),
        )
        for (sets, reference, priors), w in zip(answers, weights, strict=True):
            alone = sets[0].sum() == 1 and sets[0, reference[0].argmax()]
            single += alone
            if decided_at_once(problem, priors, w):
                decided += 1
                assert alone
                assert priors.members(problem.known).any()
    assert decided <= single
    if kind == "agreement":
        assert decided > single / 2
