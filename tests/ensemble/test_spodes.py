from fractions import Fraction

import numpy as np
import pytest

import oracles
from problems import as_rows, random_codes
from skcredal import _kernels as kernels
from skcredal._ensemble import parameters as parameters_module
from skcredal._ensemble.counting import count
from skcredal._ensemble.parameters import spode_tables
from skcredal._ensemble.weights import log_likelihoods
from skcredal._kernels import packing
from skcredal._kernels._jit import kernel
from skcredal._kernels._vectors import LANES, exponentiate
from skcredal._ties import best_class


def random_tables(rng, *, ess, unknown_in_training, unknown_in_test):
    codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown_in_training)
    counts = count(codes, labels, n_states, n_classes)
    expected = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states, n_classes)
    test = rng.integers(0, n_states[:, None] + 1, (len(codes), 6))
    known = rng.random(test.shape) >= unknown_in_test
    test = np.where(known, test % n_states[:, None], n_states[:, None]).astype(np.uint8)
    return spode_tables(counts, ess), expected, test, codes, labels


@pytest.mark.parametrize("unknown_in_test", [0.0, 0.4])
@pytest.mark.parametrize("unknown_in_training", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1.0, 0.25])
def test_posteriors_are_those_of_multiplied_fractions(ess, unknown_in_training, unknown_in_test):
    rng = np.random.default_rng(4)
    for _ in range(60):
        tables, counts, test, _, _ = random_tables(
            rng, ess=ess, unknown_in_training=unknown_in_training, unknown_in_test=unknown_in_test
        )
        found = tables.posteriors(test, left_out=np.nan)
        joints = np.exp(tables.log_joints(test))
        for r, row in enumerate(as_rows(test, counts.n_states)):
            posteriors = oracles.spode_posteriors(counts, row, Fraction(ess))
            exact_joints = oracles.spode_joint(counts, row, Fraction(ess))
            for j, posterior in enumerate(posteriors):
                if posterior is None:
                    assert np.isnan(found[j, r]).all()
                else:
                    np.testing.assert_allclose(found[j, r], np.array(posterior, float), rtol=1e-12)
                    np.testing.assert_allclose(joints[j, r], np.array(exact_joints[j], float), rtol=1e-12)


@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_likelihoods_are_those_of_the_definition(unknown, weighted, floor):
    rng = np.random.default_rng(5)
    for _ in range(40):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown, n=15)
        weights = rng.integers(1, 4, len(labels)) if weighted else None
        tables = spode_tables(count(codes, labels, n_states, n_classes, weights=weights), 1.0)
        rows = as_rows(codes, n_states)
        plain = None if weights is None else weights.tolist()
        counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes, plain)
        expected = oracles.log_likelihoods(counts, rows, labels.tolist(), floor=floor, weights=plain)
        found = log_likelihoods(tables, codes, labels, weights=weights, floor=floor)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_joint_average_is_that_of_multiplied_fractions():
    rng = np.random.default_rng(6)
    for _ in range(60):
        tables, counts, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.4)
        out = tables.mean_joint(test, np.zeros(len(test)))
        for r, row in enumerate(as_rows(test, counts.n_states)):
            expected = oracles.aode_posterior(counts, row, average="joint")
            np.testing.assert_allclose(out[r], expected, rtol=1e-12)


def test_weighted_mean_renormalises_over_the_spodes_of_a_row():
    rng = np.random.default_rng(7)
    for _ in range(60):
        tables, counts, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.5)
        weights = rng.random(len(test)) * (rng.random(len(test)) < 0.7)
        out, nothing = tables.mean_posterior(test, weights)
        assert nothing.size == 0
        prior = oracles.class_prior(counts)
        for r, row in enumerate(as_rows(test, counts.n_states)):
            expected = oracles.mixture(weights.tolist(), oracles.spode_posteriors(counts, row), prior)
            np.testing.assert_allclose(out[r], np.array(expected, float), rtol=1e-12)


def test_without_features_there_is_nothing_to_say():
    tables = spode_tables(
        count(np.empty((0, 3), np.uint8), np.zeros(3, np.int32), np.empty(0, np.int64), 1), 1.0
    )
    assert tables.posteriors(np.empty((0, 5), np.uint8)).shape == (0, 5, 1)


def test_the_order_in_which_a_block_takes_its_rows_changes_no_answer():
    """Rows go in the order of their super-parents' values where lines are long; here, everywhere."""
    rng = np.random.default_rng(9)
    tables, _, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.2, unknown_in_test=0.3)
    n = test.shape[1]
    order = np.empty(n + 1, np.int64)
    for i, v in enumerate(tables.layout.n_states):
        kernels.inference._order_rows(test[i], n, v, order)
        np.testing.assert_array_equal(order[:n], np.argsort(test[i], kind="stable"))
    # 40 features of 3 values: a super-parent's lines have 3 · 39 · 4 · 20 = 9,360 numbers.
    codes = rng.integers(0, 3, (40, 300)).astype(np.uint8)
    labels = rng.integers(0, 20, 300).astype(np.int32)
    long = spode_tables(count(codes, labels, np.full(40, 3), 20), 1.0)
    assert np.diff(long.layout.line_offsets).min() > kernels.inference.MOST_CACHED
    assert kernels.inference.FEATURES_A_VALUE * (3 + 1) <= 40
    rows = rng.integers(0, 4, (40, 5)).astype(np.uint8)
    together = long.posteriors(rows)
    alone = np.concatenate([long.posteriors(rows[:, r : r + 1]) for r in range(5)], axis=1)
    np.testing.assert_array_equal(together, alone)
    joints = np.exp(long.log_joints(rows))
    np.testing.assert_allclose(together, joints / joints.sum(axis=2, keepdims=True) * (rows < 3)[:, :, None])


def test_probabilities_too_small_for_a_double_do_no_harm():
    """Half the features contradict the other half: log joints differ by more than 745, the range of exp."""
    k, n = 300, 400
    labels = np.repeat([0, 1], n // 2).astype(np.int32)
    codes = np.tile(labels.astype(np.uint8), (k, 1))
    tables = spode_tables(count(codes, labels, np.full(k, 2), 2), 1.0)
    torn = np.repeat([[0], [1]], k // 2, axis=0).astype(np.uint8)
    posterior = tables.posteriors(torn)
    assert (posterior == 0.0).any()
    np.testing.assert_allclose(posterior.sum(axis=2), 1.0, rtol=1e-12)
    surprise = log_likelihoods(tables, torn, np.zeros(1, np.int32))
    assert np.isfinite(surprise).all()
    assert surprise.min() < -745


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 8, 9, 17])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_any_number_of_classes_and_features_is_summed(n_classes, k):
    """Classes are summed up to eight at a time, features two at a time."""
    rng = np.random.default_rng(8)
    codes, labels, n_states, n_classes = random_codes(rng, n=40, k=k, n_classes=n_classes, unknown=0.1)
    tables = spode_tables(count(codes, labels, n_states, n_classes), 1.0)
    rows = as_rows(codes, n_states)
    counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes)
    found = tables.posteriors(codes[:, :3], left_out=np.nan)
    joints = np.exp(tables.log_joints(codes[:, :3]))
    for r, row in enumerate(rows[:3]):
        for j, posterior in enumerate(oracles.spode_posteriors(counts, row)):
            if posterior is not None:
                np.testing.assert_allclose(found[j, r], np.array(posterior, float), rtol=1e-12)
                exact = np.array(oracles.spode_joint(counts, row)[j], float)
                np.testing.assert_allclose(joints[j, r], exact, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [65, *(pytest.param(n, marks=needs_jit) for n in (64, 255, 256, 257, 1000))])
def test_rows_beyond_one_block_are_summed_and_averaged(n, weighted):
    rng = np.random.default_rng(9)
    codes, labels, n_states, n_classes = random_codes(rng, n=n, k=4, n_classes=3, unknown=0.1)
    tables = spode_tables(count(codes, labels, n_states, n_classes), 1.0)
    alone = np.concatenate(
        [tables.posteriors(np.ascontiguousarray(codes[:, [r]]), left_out=np.nan) for r in range(n)], axis=1
    )
    together = tables.posteriors(codes, left_out=np.nan)
    np.testing.assert_array_equal(together, alone)
    known = codes < n_states[:, None]
    log_p = np.where(known, np.log(alone[:, np.arange(n), labels]), tables.log_c[labels])
    weights = rng.random(n) if weighted else None
    found = log_likelihoods(tables, codes, labels, weights=weights, n_threads=2)
    expected = (log_p * (1.0 if weights is None else weights)).sum(axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    mean, _ = tables.mean_posterior(codes, np.full(4, 0.25))
    some = known.any(axis=0)
    np.testing.assert_allclose(mean[some], np.nanmean(alone[:, some], axis=0), rtol=1e-12)
    np.testing.assert_allclose(mean[~some], np.tile(tables.prior, ((~some).sum(), 1)), rtol=1e-12)


@pytest.mark.skipif(not packing.CAN_PERMUTE, reason="only AVX-512 looks up packed tables")
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 7])
@pytest.mark.parametrize(
    ("k", "unknown"), [(2, 0.0), (3, 0.2), (6, 0.2), pytest.param(40, 0.1, marks=needs_jit)]
)
def test_packed_tables_give_the_same_answers_to_the_last_bit(monkeypatch, n_classes, k, unknown):
    """Of 40 features, the tables of some are looked up before those of the others."""
    rng = np.random.default_rng([n_classes, k])
    n = 30 if k < 40 else 700
    n_states = rng.integers(1, 6 if n_classes < 4 else 4, k)
    n_states[0] = 12 if n_classes == 2 else 5
    codes = rng.integers(0, n_states[:, None], (k, n))
    codes = np.where(rng.random(codes.shape) < unknown, n_states[:, None], codes).astype(np.uint8)
    labels = (np.arange(n) % n_classes).astype(np.int32)
    tables = spode_tables(count(codes, labels, n_states, n_classes), 1.0)
    assert tables.packed_size > 0
    weights = rng.random(k) * (rng.random(k) < 0.7)
    factors = (0.5 * weights, 2.0 * weights, 1e-12)

    def answers():
        known = (codes < n_states[:, None])[:, :, None]
        joints = np.where(known, tables.log_joints(codes), 0.0)
        likelihoods = log_likelihoods(tables, codes, labels)
        return [
            *tables.mean_posterior(codes, weights, keep=True),
            *tables.decide(codes, weights, *factors),
            joints,
            likelihoods,
        ]

    monkeypatch.setattr(parameters_module, "LEAST_PACKED", 10**9)
    expected = answers()
    monkeypatch.setattr(parameters_module, "LEAST_PACKED", 1)
    monkeypatch.setattr(parameters_module, "MOST_PACKED", 256)
    asked = []
    look_up = packing.look_up_joints
    monkeypatch.setattr(packing, "look_up_joints", lambda *args: asked.append(args) or look_up(*args))
    for found, wanted in zip(answers(), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert len(asked) == 1 + 3 * -(-n // 256)


@pytest.mark.skipif(not packing.CAN_PERMUTE, reason="only AVX-512 looks up packed tables")
@pytest.mark.parametrize(
    ("n_states", "n_classes"), [([3, 60, 5], 2), ([9, 9, 9], 3), ([3, 3], 1), ([3], 2), ([], 2)]
)
def test_tables_are_not_packed_where_that_does_not_pay(n_states, n_classes):
    n = 8
    codes = np.zeros((len(n_states), n), np.uint8)
    labels = (np.arange(n) % n_classes).astype(np.int32)
    assert spode_tables(count(codes, labels, np.array(n_states, np.int64), n_classes), 1.0).packed_size == 0


@kernel
def exponentiate_rows(block, n, highest, total):
    exponentiate(block, n, highest, total)


def test_the_exponential_is_exact_to_the_last_digits_and_ends_in_zero():
    x = np.concatenate(
        [-np.logspace(-17, np.log10(707.9), 250), [0.0, -708.0, -708.1, -745.0, -1e5, -np.inf]]
    )
    n = len(x)
    # The second class is the highest; there is room for a whole vector after the last row.
    block, highest, total = np.full((2, n + LANES), -3.0), np.empty(n + LANES), np.empty(n + LANES)
    block[0, :n] += x
    x = block[0, :n] + 3.0
    exponentiate_rows(block, n, highest, total)
    expected = np.where(x >= -708.0, np.exp(x), 0.0)
    np.testing.assert_allclose(block[0, :n], expected, rtol=4e-16, atol=0.0)
    np.testing.assert_array_equal(block[1, :n], 1.0)
    np.testing.assert_array_equal(total[:n], block[0, :n] + 1.0)
    np.testing.assert_array_equal(highest[:n], -3.0)


def test_the_logarithm_is_exact_to_the_last_digits():
    x = np.concatenate([np.logspace(-300, 300, 301), np.linspace(0.5, 2.0, 301), [1.0, 2.0, 3.0, 1e15 + 1.0]])
    found = x.copy()
    kernels.parameters._take_logs(found, len(x))
    np.testing.assert_allclose(found, np.log(x), rtol=5e-16, atol=0.0)
    tiny = np.array([1e-320, 1.0, 2.5])
    kernels.parameters._take_logs(tiny, 3)
    np.testing.assert_allclose(tiny, np.log([1e-320, 1.0, 2.5]), rtol=5e-16, atol=0.0)


def test_lines_longer_than_a_batch_are_filled():
    """Logarithms are taken in batches of lines of a pair; here each line is one."""
    codes = np.array([[0, 1, 2, 2], [0, 699, 3, 350]], np.uint16)
    labels, n_states = np.array([0, 1, 0, 1], np.int32), np.array([3, 700])
    tables = spode_tables(count(codes, labels, n_states, 2), 1.0)
    rows = as_rows(codes, n_states)
    counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), 2)
    found = tables.posteriors(codes)
    for r, row in enumerate(rows):
        expected = np.array(oracles.spode_posteriors(counts, row), float)
        np.testing.assert_allclose(found[:, r], expected, rtol=1e-12)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("k", [7, 8, 9, 19])
def test_corrections_of_many_features_are_those_of_the_definition(k, unknown, monkeypatch):
    """More than one tile of features, each the task of a thread."""
    monkeypatch.setattr(parameters_module, "CELLS_WORTH_A_THREAD", 1)
    rng = np.random.default_rng(k)
    codes, labels, n_states, n_classes = random_codes(rng, n=60, k=k, n_classes=3, unknown=unknown)
    counts = count(codes, labels, n_states, n_classes)
    tables = spode_tables(counts, 2.0, n_threads=2)
    row = rng.integers(0, n_states)
    found = tables.log_joints(row[:, None].astype(np.uint8))[:, 0]
    for j in range(k):
        n_j = counts.values(j)[row[j]] + 2.0 / (n_classes * n_states[j])
        known = counts.values(j).sum(axis=0) + 2.0 / n_classes
        expected = tables.log_c + np.log(n_j / known)
        for i in set(range(k)) - {j}:
            pairs = counts.pair(i, j)[:, row[j]] + 2.0 / (n_classes * n_states[i] * n_states[j])
            expected = expected + np.log(pairs[row[i]] / pairs.sum(axis=0))
        np.testing.assert_allclose(found[j], expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1.0 + 8e-16, 1.0 - 8e-16, 1.0 + 5e-13, 1.0 + 2e-12, 1.0 - 2e-12])
def test_of_equally_probable_classes_the_first_is_the_best(scale):
    for row in ([0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]):
        proba = np.array([row[0], row[1] * scale, row[2]])
        expected = next(c for c in range(3) if proba[c] >= max(proba) * (1 - 1e-12))
        assert kernels.inference._best_class(proba) == best_class(proba) == expected
        # The scores of a pool are logarithms, up to a constant.
        assert kernels.log_pool._best_class(np.log(proba) - 3.0) == expected


def test_rows_are_doubtful_where_factors_could_bring_a_rival_ahead():
    rng = np.random.default_rng(10)
    decided = 0
    for _ in range(60):
        tables, counts, test, _, _ = random_tables(rng, ess=1.0, unknown_in_training=0.0, unknown_in_test=0.2)
        k, n = test.shape
        used = rng.random(k) < 0.8
        weights = rng.random(k) * (rng.random(k) < 0.7)
        least, most = rng.uniform(-0.2, 0.5, k) * used, rng.uniform(0.5, 1.0, k) * used
        tie = 0.05
        mean, best_classes, doubtful = tables.decide(test, weights, least, most, tie)
        expected, _ = tables.mean_posterior(test, weights)
        np.testing.assert_array_equal(mean, expected)
        posterior = tables.posteriors(test)
        for r in range(n):
            best = int(best_class(mean[r]))
            assert best == best_classes[r]
            rivals = [d for d in range(counts.n_classes) if d != best]
            ahead = []
            for d in rivals:
                differences = (posterior[:, r, best] - posterior[:, r, d]).tolist()
                pairs = zip(differences, least.tolist(), most.tolist(), strict=True)
                ahead.append(sum(min(x * low, x * high) for x, low, high in pairs) > tie)
            known = all(test[j, r] < counts.n_states[j] for j in range(k) if used[j])
            assert doubtful[r] == (not known or not all(ahead))
            decided += not doubtful[r]
    assert decided > 0
