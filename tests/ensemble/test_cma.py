import numpy as np
import pytest
from scipy.special import expit

import oracles_naive
from answers import sets_of
from naive_problems import KINDS, random_table
from problems import as_states, value_counts
from skcredal._ensemble.naive import averaged_tables, log_bayes_factors, naive_tables
from skcredal._ensemble.ncc import InclusionPriors, NaiveEvidence


def priors_of(counts, eps, ess=1.0):
    naive, log_e = naive_tables(counts, ess), log_bayes_factors(counts, ess)
    tables = averaged_tables(naive, counts, ess, log_e, 0.0)
    return tables, InclusionPriors.from_counts(naive, counts, ess, log_e, eps)


def answers_of(table, eps, ess=1.0):
    tables, priors = priors_of(table.counts, eps, ess)
    evidence = NaiveEvidence(table.test_states, tables.posteriors(table.test_states))
    return evidence.reference, sets_of(priors, evidence)[1], priors.intervals(evidence)


def models_of(table, row, ess=1.0):
    return oracles_naive.cma_models(
        table.train_rows, table.labels.tolist(), row, table.n_states.tolist(), table.n_classes, ess
    )


def random_eps(rng):
    return float(rng.choice([0.01, 1e-6, 0.2, 0.49]))


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_all_models_at_all_corners(kind):
    rng = np.random.default_rng(30)
    close_calls = 0
    for _ in range(40):
        table = random_table(rng, kind)
        eps, ess = random_eps(rng), float(rng.choice([1.0, 0.3, 4.0]))
        reference, sets, intervals = answers_of(table, eps, ess)
        for r, row in enumerate(table.test_rows):
            models = models_of(table, row, ess)
            expected = oracles_naive.cma_posterior(models, [0.5] * len(row))
            np.testing.assert_allclose(reference[r], expected, rtol=1e-10)
            exact = oracles_naive.cma_corner_bounds(models, eps)
            if table.n_classes <= 2:
                np.testing.assert_allclose(intervals[r], exact, rtol=1e-9)
            assert (intervals[r, :, 0] <= exact[:, 0] * (1 + 1e-10)).all()
            assert (intervals[r, :, 1] >= exact[:, 1] * (1 - 1e-10)).all()
            margins = oracles_naive.cma_margins(models, eps)
            if oracles_naive.is_close_call(margins):
                close_calls += 1
                continue
            assert sets[r].tolist() == oracles_naive.set_of_margins(margins)
    assert close_calls == 0


@pytest.mark.parametrize("kind", KINDS)
def test_inclusion_probabilities_are_shares_of_all_models(kind):
    rng = np.random.default_rng(32)
    for _ in range(30):
        table = random_table(rng, kind)
        models = models_of(table, [None] * len(table.n_states))
        np.testing.assert_allclose(
            expit(log_bayes_factors(table.counts, 1.0)), oracles_naive.cma_inclusion(models), rtol=1e-9
        )


@pytest.mark.parametrize("kind", KINDS)
def test_no_prior_of_the_set_contradicts_sets_or_bounds(kind):
    rng = np.random.default_rng(34)
    for _ in range(30):
        table, eps = random_table(rng, kind), random_eps(rng)
        _, sets, intervals = answers_of(table, eps)
        for r, row in enumerate(table.test_rows):
            models = models_of(table, row)
            for _ in range(20):
                p = oracles_naive.cma_posterior(models, rng.uniform(eps, 1 - eps, len(row)))
                assert sets[r, p.argmax()]
                assert (intervals[r, :, 0] <= p + 1e-12).all()
                assert (p <= intervals[r, :, 1] + 1e-12).all()


def test_evidence_of_a_hundred_thousand_nats_neither_overflows_nor_blurs():
    """A million rows: features as good as certain to be in, or out, of the model, and an exact tie."""
    copy, noise = [[400_000, 100_000], [100_000, 400_000]], [[250_000, 250_000]] * 2
    # The first feature and the last tell the classes.
    counts = value_counts([2, 2, 2], [500_000, 500_000], np.concatenate([copy, noise, copy]).T)
    log_e = log_bayes_factors(counts, 1.0)
    assert log_e[0] > 1e5
    assert log_e[1] < 0
    tables, priors = priors_of(counts, 0.01)
    states = as_states(np.array([[0, 0], [0, 1], [0, 1]]), [2, 2, 2])
    reference = tables.posteriors(states)
    np.testing.assert_allclose(reference, [[16 / 17, 1 / 17], [0.5, 0.5]], rtol=1e-5)
    evidence = NaiveEvidence(states, reference)
    assert priors.maximal_sets(evidence).tolist() == [[True, False], [True, True]]
    intervals = priors.intervals(evidence)
    np.testing.assert_allclose(intervals[..., 0], reference, rtol=1e-5)
    np.testing.assert_allclose(intervals[..., 1], reference, rtol=1e-5)
