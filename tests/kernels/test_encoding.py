import numpy as np
import pytest

import oracles
from problems import needs_jit, repetitions
from skcredal import _kernels as kernels
from skcredal._encoding import cuts

pytestmark = pytest.mark.kernel


def cuts_of(values, labels, weights=None):
    values, labels = np.asarray(values, float), np.asarray(labels, np.int32)
    weights = None if weights is None else np.asarray(weights, float)
    return cuts.cuts_of_rows(values, labels, weights, int(labels.max()) + 1).tolist()


@pytest.mark.parametrize("kind", ["noise", "steps", "duplicates", "mirrored", "relabelled"])
def test_cuts_are_those_of_brute_force(kind):
    rng = np.random.default_rng(8)
    for _ in range(repetitions(150)):
        n, n_classes = int(rng.integers(2, 45)), int(rng.integers(2, 5))
        labels = rng.integers(0, n_classes, n)
        values = rng.normal(size=n).round(2)
        if kind == "steps":
            values = (labels * 2 + rng.normal(size=n)).round(1)
        if kind == "duplicates":
            values = rng.integers(0, 6, n) + (rng.random(n) < 0.8) * labels
        if kind == "mirrored":
            values, labels = np.concatenate([values, -values]), np.concatenate([labels, labels])
        if kind == "relabelled":
            # The same counts under permuted names: exact ties that rounding must not decide.
            values = np.concatenate([values, -values])
            labels = np.concatenate([labels, rng.permutation(n_classes)[labels]])
        assert cuts_of(values, labels) == oracles.mdl_cuts(values.tolist(), labels.tolist())


@pytest.mark.parametrize("weighting", ["none", "whole", "real"])
@pytest.mark.parametrize("kind", ["noise", "steps", "duplicates"])
def test_cuts_do_not_depend_on_the_blocks(kind, weighting, monkeypatch):
    """What is passed over block by block, or halved, is looked at value by value by the oracle."""
    rng = np.random.default_rng(10)
    n_cuts = 0
    for _ in range(repetitions(12, 2)):
        n, n_classes = int(rng.integers(150, 300)), int(rng.integers(2, 5))
        labels = rng.integers(0, n_classes, n)
        values = rng.normal(size=n)
        if kind == "steps":
            values += labels * 2
        if kind == "duplicates":
            values = rng.integers(0, 30, n) // 2 + np.where(rng.random(n) < 0.5, 7.0, 3.0 * labels)
        weights = {"none": None, "whole": rng.integers(1, 4, n), "real": 1.0 - rng.random(n)}[weighting]
        if weighting == "real":
            expected = cuts_of(values, labels, weights)  # of a single block
        else:
            repeated = None if weights is None else weights.tolist()
            expected = oracles.mdl_cuts(values.tolist(), labels.tolist(), repeated)
        for block in (1, 20, 60):
            monkeypatch.setattr(cuts, "BLOCK_VALUES", block)
            monkeypatch.setattr(cuts, "FEW_VALUES", block)
            assert cuts_of(values, labels, weights) == expected
        n_cuts += len(expected)
    assert kind == "noise" or n_cuts > 0


@needs_jit
@pytest.mark.parametrize("n_classes", [2, 30])
def test_cuts_of_many_rows_do_not_depend_on_the_blocks(n_classes, monkeypatch):
    rng = np.random.default_rng(11)
    labels = rng.integers(0, n_classes, 30_000)
    for values in (
        rng.normal(size=30_000) + labels / n_classes,
        np.exp(3.0 * rng.normal(size=30_000)).round(2) * (1 + labels % 2),
    ):
        found = []
        for block in (256, 4_000, 100_000):
            monkeypatch.setattr(cuts, "BLOCK_VALUES", block)
            found.append(cuts_of(values, labels))
        assert found[0] == found[1] == found[2]
        assert len(found[0]) > 0


def test_a_whole_weight_equals_repeating_the_row():
    rng = np.random.default_rng(9)
    for _ in range(repetitions(100)):
        n = int(rng.integers(2, 25))
        values, labels = rng.integers(0, 8, n) / 2, rng.integers(0, 3, n)
        weights = rng.integers(1, 4, n)
        expected = oracles.mdl_cuts(values.tolist(), labels.tolist(), weights.tolist())
        assert cuts_of(values, labels, weights) == expected


def test_real_weights_leave_no_trace_of_an_absent_class():
    """0.1 + 0.2 + 0.3 less its parts is not 0 in floating point; the class is absent all the same."""
    values, labels = np.arange(12.0), np.repeat([0, 1], 6)
    weights = np.tile([0.1, 0.2, 0.3], 4) * 10
    assert cuts_of(values, labels, weights) == [5.5]
    assert cuts_of(values, 1 - labels, weights) == [5.5]


@needs_jit
def test_many_classes_do_not_overflow():
    """3^m - 2 is beyond a double from m = 647 on."""
    labels = np.repeat(np.arange(700), 2)
    assert cuts_of(np.zeros(1400), labels) == []
    values = np.arange(1400.0)
    assert len(cuts_of(values, labels)) < 1400


@pytest.mark.parametrize(
    ("low", "high"),
    [(1.0, np.nextafter(1.0, 2.0)), (np.nextafter(1.0, 0.0), 1.0), (1.7e308, 1.75e308), (0.0, 5e-324)],
)
def test_a_cut_lies_below_the_upper_value(low, high):
    found = cuts_of([low] * 5 + [high] * 5, [0] * 5 + [1] * 5)
    assert found == oracles.mdl_cuts([low] * 5 + [high] * 5, [0] * 5 + [1] * 5)
    assert low <= found[0] < high


def test_nothing_is_cut_where_there_is_nothing_to_tell():
    assert cuts_of([1.0], [0]) == []
    assert cuts_of([1.0, 2.0, 3.0], [0, 0, 0]) == []
    assert cuts_of([2.0, 2.0, 2.0], [0, 1, 0]) == []
    # A total weight of at most 1 has no description length: log2(N - 1) is not defined.
    assert cuts_of([1.0, 2.0], [0, 1], [0.5, 0.5]) == []


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
def test_columns_of_small_integers_become_bytes(dtype):
    rng = np.random.default_rng(0)
    for _ in range(repetitions(50)):
        table = rng.integers(0, 128, (rng.integers(1, 600), rng.integers(1, 5))).astype(dtype)
        columns = np.empty(table.shape[::-1], np.uint8)
        middle = int(rng.integers(0, len(table) + 1))
        assert kernels.encoding.bytes_of_columns(table, 0, middle, columns)
        assert kernels.encoding.bytes_of_columns(table, middle, len(table), columns)
        assert columns.tolist() == table.T.tolist()


@pytest.mark.parametrize("number", [-1, 256, 2**40, -(2**40), 256 + 7])
def test_a_number_that_is_no_byte_is_noticed_wherever_it_stands(number):
    for r, j in ((0, 0), (299, 2), (255, 1), (256, 1)):
        table = np.full((300, 3), 7)
        table[r, j] = number
        assert not kernels.encoding.bytes_of_columns(table, 0, 300, np.empty((3, 300), np.uint8))


def test_bytes_are_translated():
    rng = np.random.default_rng(1)
    for n in range(20):
        values = rng.integers(0, 256, n).astype(np.uint8)
        lookup = rng.permutation(256).astype(np.uint8)
        out = np.empty(n, np.uint8)
        kernels.encoding.translate(values, lookup, out)
        assert out.tolist() == [lookup.tolist()[value] for value in values.tolist()]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_a_table_is_translated_column_by_column(dtype):
    rng = np.random.default_rng(2)
    numbers = np.array([0, 1, 255, -1, 256, 2**40]) if dtype == np.int64 else np.array([0, 1, 255])
    table = rng.choice(numbers, (300, 4)).astype(dtype)
    lookup = rng.integers(0, 9, (2, 257)).astype(np.uint8)
    codes = np.empty((2, 300), np.uint8)
    kernels.encoding.translate_table(table, np.array([3, 1]), lookup, codes)
    for place, j in enumerate((3, 1)):
        expected = [lookup[place, x if 0 <= x <= 255 else 256] for x in table[:, j].tolist()]
        assert codes[place].tolist() == expected
