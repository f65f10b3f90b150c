"""The logarithmic pool, against what the SPODEs by themselves say."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logsumexp

import oracles_logpool
from problems import as_rows, as_states, counts_of, random_codes
from skcredal._ensemble.log_pool import LogPool, WeightSet, left_out_logs
from skcredal._ensemble.pool_weights import prior_weights
from skcredal._ensemble.spodes import SpodeTables


def random_pool(rng, *, most_classes=4, codings=2):
    """Return a pool over several codings, states, and what each expert says, null model first."""
    n, n_classes = 25, int(rng.integers(2, most_classes + 1))
    tables, states = [], []
    labels = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)).astype(np.int32)
    for _ in range(codings):
        codes, _, n_states, _ = random_codes(rng, n=n, n_classes=n_classes, unknown=0.2)
        tables.append(SpodeTables(counts_of(codes, labels, n_states, n_classes), 4.0))
        states.append(as_states(codes, n_states))
    m, log_c = sum(map(len, states)), tables[0].log_c
    weights = np.append(rng.normal(0, 0.5), np.where(rng.random(m) < 0.3, 0, rng.random(m)))
    logs = [np.broadcast_to(log_c[:, None], (1, n_classes, n))]
    for spodes, own in zip(tables, states, strict=True):
        said = spodes.log_joints(own)
        said = said - logsumexp(said, axis=1, keepdims=True)
        logs.append(np.where((own == spodes.unknown)[:, None], log_c[:, None], said))
    pool = LogPool(log_c, tuple(tables), weights)
    return pool, np.concatenate(states), np.concatenate(logs).swapaxes(1, 2)


@pytest.mark.parametrize("kind", ["none", "whole", "real"])
def test_what_is_left_out_is_counted_anew(kind):
    """Rows below a weight of 1 are looked up; the null model, and what stands in for it, are not left out."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        n, n_classes = 9, int(rng.integers(1, 4))
        labels = rng.integers(0, n_classes, n).astype(np.int32)
        weights = {
            "none": np.ones(n),
            "whole": rng.integers(1, 4, n).astype(np.float64),
            "real": rng.choice([0.25, 0.5, 1.0, 1.75, 3.0], n),
        }[kind]
        parts = [random_codes(rng, n=n, n_classes=n_classes, unknown=0.3) for _ in range(2)]
        tables = [
            SpodeTables(counts_of(codes, labels, n_states, n_classes, weights), 4.0)
            for codes, _, n_states, _ in parts
        ]
        states = np.concatenate([as_states(codes, n_states) for codes, _, n_states, _ in parts])
        logs, speaks = left_out_logs(tables, tables[0].log_c, states, labels, weights)
        expected = [
            oracles_logpool.left_out_posteriors(
                as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes, Fraction(4), weights
            )
            for codes, _, n_states, _ in parts
        ]
        for r in range(n):
            said = oracles_logpool.expert_logs(np.exp(tables[0].log_c), [coding[r] for coding in expected])
            np.testing.assert_allclose(logs[r], said.T, rtol=1e-10, atol=1e-12)
            assert speaks[r] == any((codes[:, r] < n_states).any() for codes, _, n_states, _ in parts)


@pytest.mark.parametrize("most_classes", [4, 11])
def test_the_pool_has_the_scores_of_the_experts(most_classes):
    rng = np.random.default_rng(most_classes)
    for _ in range(40):
        pool, states, logs = random_pool(rng, most_classes=most_classes)
        scores = np.einsum("j,jrc->rc", pool.weights, logs)
        scores -= logsumexp(scores, axis=1, keepdims=True)
        silent = ~pool.speaks(states)
        scores[silent] = pool.log_c
        np.testing.assert_allclose(np.log(pool.posterior(pool.odds(states), ~silent)), scores, atol=1e-10)


def test_contributions_add_up_to_the_log_odds():
    rng = np.random.default_rng(2)
    for _ in range(40):
        pool, states, logs = random_pool(rng)
        one, other = rng.integers(0, logs.shape[2], (2, states.shape[1]))
        frequencies, by_feature = pool.contributions(states, one, other)
        rows = np.arange(states.shape[1])
        odds = np.einsum("j,jr->r", pool.weights, logs[:, rows, one] - logs[:, rows, other])
        speaks = pool.speaks(states)
        np.testing.assert_allclose((frequencies + by_feature.sum(axis=0))[speaks], odds[speaks], atol=1e-10)
        # An unknown value says nothing.
        assert not by_feature[~pool.known(states)].any()


@pytest.mark.parametrize("credibility", [0.0, 0.5, 0.9])
def test_sets_are_those_of_all_pairs(credibility):
    rng = np.random.default_rng(3)
    sizes = []
    for _ in range(60):
        pool, states, logs = random_pool(rng, most_classes=5)
        m = len(pool.weights)
        _, scale = prior_weights([len(spodes.counts.n_states) for spodes in pool.tables])
        free = np.flatnonzero(rng.random(m) < 0.7)
        data = rng.normal(size=(m, 2 * m)) * rng.choice([0.1, 1.0, 3.0])
        inverse = np.linalg.inv((data @ data.T + np.eye(m))[np.ix_(free, free)])
        covariance = np.zeros((m, m))
        covariance[np.ix_(free, free)] = inverse * np.outer(scale[free], scale[free])
        found = WeightSet.of(pool, covariance, credibility)
        evidence = found.evidence(states)
        sets = found.maximal_sets(evidence)
        scores = np.einsum("j,jrc->rc", pool.weights, logs)
        n, n_classes = scores.shape
        expected = np.ones_like(sets)
        for r in range(n):
            # Our threshold is at least that of the definition, and hardly larger.
            tie = 1e-10 * (np.abs(scores[r]).max() + np.abs(pool.weights).sum() * np.log(n_classes))
            for c in range(n_classes):
                for d in range(n_classes):
                    delta = logs[:, r, c] - logs[:, r, d]
                    spread = np.sqrt(delta @ covariance @ delta)
                    if pool.weights @ delta - found.z * spread > tie:
                        expected[r, d] = False
        speaks = pool.speaks(states)
        np.testing.assert_array_equal(sets[speaks], expected[speaks])
        np.testing.assert_allclose(
            evidence.scores - evidence.scores[:, :1], scores - scores[:, :1], atol=1e-10
        )
        sizes.extend(sets[speaks].sum(axis=1))
    assert credibility == 0.0 or max(sizes) > 1
