"""NCC2 against all completions of small tables, one by one."""

import numpy as np
import pytest

import oracles_naive
import oracles_ncc2
from answers import sets_of
from oracles_ncc2 import ANY
from problems import as_states
from skcredal._ensemble.counts import count_values
from skcredal._ensemble.naive import naive_tables
from skcredal._ensemble.ncc import DirichletPriors, NaiveEvidence


def small_table(rng, *, n_classes=None, k=None, most_open=4, unknown=0.1, conservative=None):
    """Return rows, classes, rows to classify and numbers of states, with only a few open training cells."""
    n_classes = int(rng.integers(2, 4)) if n_classes is None else n_classes
    k = int(rng.integers(1, 4)) if k is None else k
    n_states = rng.integers(2, 4, k).tolist()
    n = int(rng.integers(n_classes, 13))
    y = [*range(n_classes), *rng.integers(0, n_classes, n - n_classes).tolist()]

    def cell(j, c, share_open):
        if rng.random() < unknown:
            return None
        is_open = rng.random() < share_open and (conservative is None or conservative[j])
        # Most values follow the class, so that the rows say something.
        value = c % n_states[j] if rng.random() < 0.7 else int(rng.integers(n_states[j]))
        return ANY if is_open else value

    train = [[cell(j, c, 0.15) for j in range(k)] for c in y]
    places = [(r, j) for r, row in enumerate(train) for j, one in enumerate(row) if one == ANY]
    for r, j in rng.permutation(places)[most_open:] if places else []:
        train[r][j] = None
    test = [[cell(j, c, 0.25) for j in range(k)] for c in range(2)]
    return train, y, test, n_states, n_classes


def states_of(rows, n_states):
    beyond = {None: 0, ANY: 1}
    table = [
        [v + beyond[cell] if cell in beyond else cell for cell, v in zip(row, n_states, strict=True)]
        for row in rows
    ]
    return as_states(np.array(table).T, n_states)


def answers_of(train, y, test, n_states, n_classes, *, s=1.0, lam=0.0, left_out=None):
    labels, v = np.array(y, np.int32), np.array(n_states)
    counts = count_values(states_of(train, n_states), labels, np.ones(len(y)), v, n_classes)
    n_missing = np.array(
        [
            [sum(row[j] == ANY and e == c for row, e in zip(train, y, strict=True)) for c in range(n_classes)]
            for j in range(len(n_states))
        ]
    )
    left_out = np.zeros(len(n_states), bool) if left_out is None else np.array(left_out)
    priors = DirichletPriors.from_counts(counts, s, lam, n_missing, left_out)
    states = states_of(test, n_states)
    evidence = NaiveEvidence(states, naive_tables(counts, s).posteriors(states))
    return evidence.reference, sets_of(priors, evidence)[1], priors.intervals(evidence)


def assert_as_all_completions(problem, **parameters):
    """Compare sets and bounds with the oracle's, and return how many classes the sets have left out."""
    train, y, test, n_states, n_classes = problem
    reference, sets, intervals = answers_of(*problem, **parameters)
    for r, row in enumerate(test):
        margins = oracles_ncc2.margins(train, y, row, n_states, n_classes, **parameters)
        if oracles_naive.is_close_call(margins):
            continue
        assert sets[r].tolist() == oracles_naive.set_of_margins(margins), (problem, parameters)
        expected = oracles_ncc2.bounds(margins)
        # The reference prior may lie outside where values are unknown in training.
        expected = np.stack(
            [np.minimum(expected[:, 0], reference[r]), np.maximum(expected[:, 1], reference[r])], axis=1
        )
        np.testing.assert_allclose(intervals[r], expected, atol=1e-9)
    return int((~sets).sum())


@pytest.mark.parametrize(("s", "lam"), [(1.0, 0.0), (2.0, 0.0), (1.0, 0.2), (0.5, 0.9)])
def test_sets_and_bounds_are_those_of_all_completions(s, lam):
    rng = np.random.default_rng(60)
    left_out = sum(assert_as_all_completions(small_table(rng), s=s, lam=lam) for _ in range(60))
    assert left_out > 0


@pytest.mark.parametrize(("s", "lam"), [(1.0, 0.0), (1.0, 0.3)])
def test_beside_features_that_some_rows_leave_out(s, lam):
    """Unknown cells of such a feature are not counted for it at all, not even in the class."""
    rng = np.random.default_rng(61)
    for _ in range(60):
        k = int(rng.integers(1, 4))
        conservative = rng.random(k) < 0.5
        problem = small_table(rng, k=k, unknown=0.2, conservative=conservative)
        assert_as_all_completions(problem, s=s, lam=lam, left_out=(~conservative).tolist())


def test_several_values_take_over_as_the_worst_one_after_another():
    """One open cell of a feature with many values: log h has many pieces, and the least of them counts."""
    rng = np.random.default_rng(62)
    changes = 0
    for _ in range(120):
        v, s = int(rng.integers(2, 6)), float(rng.choice([1.0, 8.0, 30.0]))
        counts = rng.integers(1, 12, (2, v))
        y = [c for c in (0, 1) for n in counts[c] for _ in range(n)]
        train = [[a, int(rng.integers(2))] for c in (0, 1) for a in range(v) for _ in range(counts[c, a])]
        assert_as_all_completions((train, y, [[ANY, 0], [ANY, ANY]], [v, 2], 2), s=s)
        factors = counts[0] / (counts[1] + np.linspace(0.0, s, 50)[:, None])
        changes += len(np.unique(factors.argmin(axis=1))) - 1
    assert changes > 0
