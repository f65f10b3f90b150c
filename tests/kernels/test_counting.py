import numpy as np
import pytest

import oracles
from problems import as_rows, needs_jit, random_codes, repetitions
from skcredal import _kernels as kernels
from skcredal._ensemble import counting as counts_module
from skcredal._ensemble.counting import count

pytestmark = pytest.mark.kernel


def assert_counts_equal(counts, expected):
    k = len(counts.layout.n_states)
    np.testing.assert_array_equal(counts.n_c, np.array(expected.n_c, float))
    for j in range(k):
        np.testing.assert_array_equal(counts.values(j), np.array(expected.n_ca[j], float))
        for i in range(j):
            np.testing.assert_array_equal(counts.pair(i, j), np.array(expected.n_cab[i, j], float))
            np.testing.assert_array_equal(counts.pair(j, i), counts.pair(i, j).swapaxes(0, 1))


@pytest.fixture(params=["bits", "increments", "both"])
def way(request, monkeypatch):
    """Count small problems as large ones would be: all pairs by bitmaps, by increments, or some by each."""
    monkeypatch.setattr(counts_module, "FEW_ROWS", 0)
    monkeypatch.setattr(counts_module, "ROWS_A_CELL", 0)
    monkeypatch.setattr(counts_module, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(counts_module, "SLAB_ROWS", 64)
    most = {"bits": 1_000_000, "increments": 0, "both": 12}
    monkeypatch.setattr(counts_module, "MOST_CELLS", most[request.param])


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_counts_are_those_of_the_definition(unknown, weighting, way):
    rng = np.random.default_rng(1)
    for _ in range(repetitions(200)):
        codes, labels, n_states, n_classes = random_codes(rng, unknown=unknown)
        weights = None
        if weighting == "integer":
            weights = rng.integers(1, 5, len(labels))
        if weighting == "real":
            weights = rng.integers(1, 9, len(labels)) / 4.0  # quarters, so that sums are exact
        counts = count(codes, labels, n_states, n_classes, weights=weights, n_threads=2)
        expected = oracles.count_tables(
            as_rows(codes, n_states), labels.tolist(), n_states, n_classes, weights
        )
        assert_counts_equal(counts, expected)
        assert counts.complete == bool((codes < n_states[:, None]).all())
        assert counts.n_cab.dtype == (np.float64 if weighting == "real" else np.int64)


@pytest.mark.parametrize("known", [(True, True), (True, False), (False, True), (False, False)])
def test_a_pair_is_counted_whichever_of_its_features_is_known_in_every_row(known, way):
    rng = np.random.default_rng(4)
    for _ in range(repetitions(100)):
        codes, labels, n_states, n_classes = random_codes(rng, k=2, most_states=6)
        for j in range(2):
            if not known[j]:
                codes[j, rng.integers(0, len(labels))] = n_states[j]
        counts = count(codes, labels, n_states, n_classes)
        expected = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states, n_classes, None)
        assert_counts_equal(counts, expected)


@needs_jit
@pytest.mark.parametrize("slab", [64, 1 << 20])
@pytest.mark.parametrize("n", [64, 65, 9000, 64 * 512, 70_001])
def test_rows_beyond_one_block_are_counted(n, slab, way, monkeypatch):
    monkeypatch.setattr(counts_module, "SLAB_ROWS", slab)
    rng = np.random.default_rng(2)
    codes, labels, n_states, n_classes = random_codes(rng, n=n, k=3)
    codes[1, n // 2] = n_states[1]
    counts = count(codes, labels, n_states, n_classes)
    assert counts.n_c.sum() == n
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = np.zeros((*(n_states[[i, j]] + 1), n_classes), np.int64)
        np.add.at(expected, (codes[i], codes[j], labels), 1)
        np.testing.assert_array_equal(counts.pair(i, j), expected[:-1, :-1])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_any_width_of_codes_counts_alike(dtype, way):
    rng = np.random.default_rng(3)
    codes, labels, n_states, n_classes = random_codes(rng, n=30, k=4)
    narrow, wide = (count(c, labels, n_states, n_classes) for c in (codes, codes.astype(dtype)))
    np.testing.assert_array_equal(narrow.n_cab, wide.n_cab)


def test_codes_may_lie_in_any_order(way):
    rng = np.random.default_rng(5)
    codes, labels, n_states, n_classes = random_codes(rng, n=200, k=4)
    expected = count(codes, labels, n_states, n_classes)
    for other in (np.asfortranarray(codes), np.repeat(codes, 2, axis=1)[:, ::2]):
        counts = count(other, labels, n_states, n_classes)
        np.testing.assert_array_equal(counts.n_cab, expected.n_cab)
        np.testing.assert_array_equal(counts.n_c, np.bincount(labels, minlength=n_classes))


def test_a_product_of_codes_does_not_wrap_around():
    """Codes of a byte are multiplied by strides that do not fit into a byte."""
    codes = np.array([[200, 199], [250, 3]], np.uint8)
    labels = np.array([1, 0], np.int32)
    counts = count(codes, labels, np.array([255, 255]), 2)
    assert counts.pair(0, 1)[200, 250, 1] == 1
    assert counts.pair(0, 1)[199, 3, 0] == 1
    assert counts.n_cab.sum() == 2


def test_more_classes_or_states_than_a_byte_holds_are_counted():
    labels = np.arange(300, dtype=np.int32)
    codes = np.vstack([labels % 2, labels]).astype(np.uint16)
    counts = count(codes, labels, np.array([2, 300]), 300)
    assert counts.pair(0, 1).sum() == 300
    assert counts.pair(0, 1)[1, 299, 299] == 1
    assert counts.values(1)[299, 299] == 1


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_every_value_has_a_bit_for_each_of_its_rows(n):
    rng = np.random.default_rng(n)
    codes = rng.choice([0, 1, 2, 254, 255], n).astype(np.uint8)
    bits = np.full((3, -(-n // 64)), 2**64 - 1, np.uint64)
    kernels.counting.pack_bits(codes, 3, bits)
    for a in range(3):
        rows = [r for r in range(n) if int(bits[a, r // 64]) >> (r % 64) & 1]
        assert rows == np.flatnonzero(codes == a).tolist()
        assert sum(int(word).bit_count() for word in bits[a]) == len(rows)  # and none beyond the last row


@pytest.mark.parametrize("most", [1, 2, 15, 16, 17, 256])
def test_bytes_are_counted(most):
    rng = np.random.default_rng(most)
    for _ in range(repetitions(50)):
        values = rng.integers(0, most, rng.integers(0, 300)).astype(np.uint8)
        counts = np.zeros(256, np.int64)
        kernels.counting.count_bytes(values, counts)
        assert counts.tolist() == [values.tolist().count(value) for value in range(256)]


@needs_jit
@pytest.mark.parametrize("most", [5, 200])
def test_bytes_beyond_one_block_are_counted(most):
    values = np.random.default_rng(0).integers(0, most, 100_001).astype(np.uint8)
    counts = np.ones(256, np.int64)
    kernels.counting.count_bytes(values, counts)
    np.testing.assert_array_equal(counts, 1 + np.bincount(values, minlength=256))
