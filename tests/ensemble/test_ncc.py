import itertools
import math

import numpy as np
import pytest

import oracles_naive
from answers import sets_of
from naive_problems import KINDS, random_table
from problems import value_counts
from skcredal._ensemble.naive import naive_tables
from skcredal._ensemble.ncc import DirichletPriors, NaiveEvidence
from skcredal._ties import best_class

SETTINGS = [(1.0, 0.0), (2.5, 0.0), (1.0, 0.1), (0.5, 0.6), (1.0, 1.0)]


def random_settings(rng):
    return SETTINGS[int(rng.integers(len(SETTINGS)))]


def priors_of(counts, s, contamination):
    k, n_classes = len(counts.n_states), len(counts.n_c)
    return DirichletPriors.from_counts(counts, s, contamination, np.zeros((k, n_classes)), np.zeros(k, bool))


def answers_of(table, s, contamination, ess=1.0):
    priors = priors_of(table.counts, s, contamination)
    reference = naive_tables(table.counts, ess).posteriors(table.test_states)
    evidence = NaiveEvidence(table.test_states, reference)
    return reference, sets_of(priors, evidence)[1], priors.intervals(evidence)


def oracle_cells(table):
    counts = table.oracle_counts
    return [float(n) for n in counts.n_c], [oracles_naive.known_cells(counts, row) for row in table.test_rows]


def least_log_ratio(n_c, cells, c, d, s=1.0, contamination=0.0):
    """Return our minimum for one pair of classes of the oracle's numbers."""
    n_states = np.array([cell.n_states for cell in cells], np.int64)
    states = np.cumsum(n_states) - n_states  # the row has the first state of each feature
    n_ca = np.zeros((len(n_c), n_states.sum()))
    for cell, state in zip(cells, states, strict=True):
        n_ca[:, state] = cell.counts
    priors = priors_of(value_counts(n_states, n_c, n_ca), s, contamination)
    return priors.least_log_ratio(states.astype(np.uint16)[:, None], c, d)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_is_that_of_a_grid(kind):
    rng = np.random.default_rng(20)
    for _ in range(40):
        table = random_table(rng, kind, n_test=2)
        s, contamination = random_settings(rng)
        n_c, rows = oracle_cells(table)
        for cells in rows:
            for c, d in itertools.permutations(range(min(3, table.n_classes)), 2):
                found = least_log_ratio(n_c, cells, c, d, s, contamination)
                expected = oracles_naive.ncc_min_log_ratio(n_c, cells, c, d, s, contamination)
                if math.isinf(expected):
                    assert found == expected
                else:
                    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_minima_in_the_interior_are_found_to_the_last_digits():
    """Random masses, also extreme ones; at the minimum the slope of log h changes its sign."""
    rng = np.random.default_rng(21)
    interior = 0
    for _ in range(500):
        k = int(rng.integers(2, 30))
        scale = 10.0 ** rng.uniform(-6, 4)
        n_c = (scale * 10.0 ** rng.uniform(-2, 1, 2)).tolist()
        shares = rng.random((k, 2)) * (rng.random((k, 2)) > 0.1) ** float(rng.integers(2))
        cells = [oracles_naive.Cell([n_c[0] * max(p, 1e-3), n_c[1] * q], 2) for p, q in shares]
        s = float(10.0 ** rng.uniform(-2, 2))
        found = least_log_ratio(n_c, cells, 0, 1, s)
        expected = oracles_naive.ncc_min_log_ratio(n_c, cells, 0, 1, s)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
        ends = oracles_naive.ncc_log_ratio(n_c, cells, 0, 1, s, 0.0, np.array([0.0, 1.0]))
        interior += found < ends.min() - 1e-9
    assert interior > 50


@pytest.mark.parametrize("kind", KINDS)
def test_sets_are_those_of_a_grid(kind):
    rng = np.random.default_rng(22)
    close_calls = 0
    n_problems = 10 if kind == "ten classes" else 40
    for _ in range(n_problems):
        table = random_table(rng, kind, n_test=1 if kind == "ten classes" else 3)
        s, contamination = random_settings(rng)
        reference, sets, _ = answers_of(table, s, contamination)
        n_c, rows = oracle_cells(table)
        for r, cells in enumerate(rows):
            margins = oracles_naive.ncc_margins(n_c, cells, s, contamination)
            if oracles_naive.is_close_call(margins):
                close_calls += 1
                continue
            assert sets[r].tolist() == oracles_naive.set_of_margins(margins)
            expected = oracles_naive.naive_posterior(table.oracle_counts, table.test_rows[r])
            np.testing.assert_allclose(reference[r], np.array(expected, float), rtol=1e-10)
    assert close_calls == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_prior_of_the_set_contradicts_sets_or_bounds(kind):
    """Straight from the imprecise Dirichlet model, without the ratio h: every prior drawn from the set."""
    rng = np.random.default_rng(23)
    for _ in range(60):
        table = random_table(rng, kind)
        s, contamination = random_settings(rng)
        _, sets, intervals = answers_of(table, s, contamination)
        n_c, rows = oracle_cells(table)
        for r, cells in enumerate(rows):
            priors = oracles_naive.ncc_prior_samples(rng, cells, table.n_classes, contamination)
            for t_c, t_ca in itertools.islice(priors, 40):
                p = oracles_naive.ncc_posterior(n_c, cells, t_c, t_ca, s)
                assert sets[r, p.argmax()]
                assert (intervals[r, :, 0] <= p + 1e-9).all()
                assert (p <= intervals[r, :, 1] + 1e-9).all()


@pytest.mark.parametrize("kind", ["two classes", "mirrored classes"])
def test_two_classes_have_exact_bounds(kind):
    rng = np.random.default_rng(24)
    for _ in range(60):
        table = random_table(rng, kind, k=int(rng.integers(0, 4)), n_test=2)
        s, contamination = random_settings(rng)
        _, _, intervals = answers_of(table, s, contamination, ess=s)
        n_c, rows = oracle_cells(table)
        for r, cells in enumerate(rows):
            expected = oracles_naive.ncc_extreme_bounds(n_c, cells, s, contamination)
            np.testing.assert_allclose(intervals[r], expected, atol=1e-5)
            assert intervals[r, 0, 0] <= expected[0, 0] + 1e-12
            assert intervals[r, 0, 1] >= expected[0, 1] - 1e-12


def test_a_reference_outside_the_set_widens_the_bounds():
    rng = np.random.default_rng(26)
    widened = dominated = 0
    for _ in range(300):
        table = random_table(rng, "zero counts")
        reference, sets, intervals = answers_of(table, 0.05, 0.5, ess=20.0)
        widened += int((reference == intervals[:, :, 0]).sum())
        assert sets.any(axis=1).all()
        dominated += int((~sets[np.arange(len(sets)), best_class(reference)]).sum())
        assert (intervals[:, :, 0] <= reference).all()
        assert (reference <= intervals[:, :, 1]).all()
    assert widened > 0
    assert dominated > 0
