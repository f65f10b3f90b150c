"""The kernels of the logarithmic pool, against what the SPODEs by themselves say."""

import numpy as np
import pytest
from scipy.special import logsumexp

from problems import random_codes
from skcredal._ensemble.counting import count
from skcredal._ensemble.log_pool import LogPool, WeightSet
from skcredal._ensemble.parameters import spode_tables


def random_pool(rng, *, n_classes=None, most_classes=4, codings=2):
    """Return a pool over several codings, its codes and what each expert says, null model first."""
    n, n_classes = 25, int(rng.integers(2, most_classes + 1)) if n_classes is None else n_classes
    tables, codes = [], []
    labels = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)).astype(np.int32)
    for _ in range(codings):
        part, _, n_states, _ = random_codes(rng, n=n, n_classes=n_classes, unknown=0.2)
        tables.append(spode_tables(count(part, labels, n_states, n_classes), 4.0))
        codes.append(part)
    stacked = np.concatenate(codes)
    weights = np.append(
        rng.normal(0, 0.5), np.where(rng.random(len(stacked)) < 0.3, 0, rng.random(len(stacked)))
    )
    log_c = tables[0].log_c
    pool = LogPool.of(log_c, tuple(tables), weights)
    logs = [np.broadcast_to(log_c, (n, n_classes))[None]]
    for spodes, part in zip(tables, codes, strict=True):
        said = spodes.log_joints(part)
        said = said - logsumexp(said, axis=2, keepdims=True)
        said[part == spodes.layout.n_states[:, None]] = log_c
        logs.append(said)
    return pool, stacked, np.concatenate(logs)


@pytest.mark.parametrize("most_classes", [4, 11])
def test_folded_tables_give_the_scores_of_the_experts(most_classes):
    rng = np.random.default_rng(most_classes)
    for _ in range(40):
        pool, codes, logs = random_pool(rng, most_classes=most_classes)
        scores = np.einsum("j,jrc->rc", pool.weights, logs)
        scores -= logsumexp(scores, axis=1, keepdims=True)
        silent = ~pool.speaks(codes)
        scores[silent] = pool.log_c
        np.testing.assert_allclose(np.log(pool.posterior(codes)), scores, atol=1e-10)


def test_contributions_add_up_to_the_log_odds():
    rng = np.random.default_rng(2)
    for _ in range(40):
        pool, codes, logs = random_pool(rng)
        one, other = rng.integers(0, logs.shape[2], (2, codes.shape[1]))
        frequencies, by_feature = pool.contributions(codes, one, other)
        rows = np.arange(codes.shape[1])
        odds = np.einsum("j,jr->r", pool.weights, logs[:, rows, one] - logs[:, rows, other])
        speaks = pool.speaks(codes)
        np.testing.assert_allclose((frequencies + by_feature.sum(axis=0))[speaks], odds[speaks], atol=1e-10)
        # An unknown value says nothing.
        assert not by_feature[codes == pool.n_states[:, None]].any()


@pytest.mark.parametrize("credibility", [0.0, 0.5, 0.9])
def test_sets_are_those_of_all_pairs(credibility):
    rng = np.random.default_rng(3)
    sizes = []
    for _ in range(60):
        pool, codes, logs = random_pool(rng, most_classes=5)
        m = len(pool.weights)
        scale = WeightSet.of(pool, np.eye(m), 0.5).variances ** 0.5
        free = np.flatnonzero(rng.random(m) < 0.7)
        data = rng.normal(size=(m, 2 * m)) * rng.choice([0.1, 1.0, 3.0])
        inverse = np.linalg.inv((data @ data.T + np.eye(m))[np.ix_(free, free)])
        covariance = np.zeros((m, m))
        covariance[np.ix_(free, free)] = inverse * np.outer(scale[free], scale[free])
        found = WeightSet.of(pool, covariance, credibility)
        sets = found.sets(codes)
        scores = np.einsum("j,jrc->rc", pool.weights, logs)
        n, n_classes = scores.shape
        expected = np.ones_like(sets)
        for r in range(n):
            # The kernel's threshold is at least that of the definition, and hardly larger.
            tie = 1e-10 * (np.abs(scores[r]).max() + np.abs(pool.weights).sum() * np.log(n_classes))
            for c in range(n_classes):
                for d in range(n_classes):
                    delta = logs[:, r, c] - logs[:, r, d]
                    spread = np.sqrt(delta @ covariance @ delta)
                    if pool.weights @ delta - found.z * spread > tie:
                        expected[r, d] = False
        speaks = pool.speaks(codes)
        np.testing.assert_array_equal(sets[speaks], expected[speaks])
        evidence = found.evidence(codes, pool.posterior(codes))
        np.testing.assert_array_equal(found.maximal_sets(evidence), sets)
        np.testing.assert_allclose(
            evidence.scores - evidence.scores[:, :1], scores - scores[:, :1], atol=1e-10
        )
        sizes.extend(sets[speaks].sum(axis=1))
    assert credibility == 0.0 or max(sizes) > 1
