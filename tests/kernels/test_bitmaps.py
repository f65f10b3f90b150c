import numpy as np
import pytest

from problems import needs_jit, repetitions
from skcredal import _kernels as kernels

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_every_value_has_a_bit_for_each_of_its_rows(n):
    rng = np.random.default_rng(n)
    codes = rng.choice([0, 1, 2, 254, 255], n).astype(np.uint8)
    bits = np.full((3, -(-n // 64)), 2**64 - 1, np.uint64)
    kernels.bitmaps.pack_bits(codes, 3, bits)
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
        kernels.bitmaps.count_bytes(values, counts)
        assert counts.tolist() == [values.tolist().count(value) for value in range(256)]


@needs_jit
@pytest.mark.parametrize("most", [5, 200])
def test_bytes_beyond_one_block_are_counted(most):
    values = np.random.default_rng(0).integers(0, most, 100_001).astype(np.uint8)
    counts = np.ones(256, np.int64)
    kernels.bitmaps.count_bytes(values, counts)
    np.testing.assert_array_equal(counts, 1 + np.bincount(values, minlength=256))
