import numpy as np
import pytest

from problems import repetitions
from skcredal import _kernels as kernels

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
def test_columns_of_small_integers_become_bytes(dtype):
    rng = np.random.default_rng(0)
    for _ in range(repetitions(50)):
        table = rng.integers(0, 128, (rng.integers(1, 600), rng.integers(1, 5))).astype(dtype)
        columns = np.empty(table.shape[::-1], np.uint8)
        middle = int(rng.integers(0, len(table) + 1))
        assert kernels.cells.bytes_of_columns(table, 0, middle, columns)
        assert kernels.cells.bytes_of_columns(table, middle, len(table), columns)
        assert columns.tolist() == table.T.tolist()


@pytest.mark.parametrize("number", [-1, 256, 2**40, -(2**40), 256 + 7])
def test_a_number_that_is_no_byte_is_noticed_wherever_it_stands(number):
    for r, j in ((0, 0), (299, 2), (255, 1), (256, 1)):
        table = np.full((300, 3), 7)
        table[r, j] = number
        assert not kernels.cells.bytes_of_columns(table, 0, 300, np.empty((3, 300), np.uint8))


def test_bytes_are_translated():
    rng = np.random.default_rng(1)
    for n in range(20):
        values = rng.integers(0, 256, n).astype(np.uint8)
        lookup = rng.permutation(256).astype(np.uint8)
        out = np.empty(n, np.uint8)
        kernels.cells.translate(values, lookup, out)
        assert out.tolist() == [lookup.tolist()[value] for value in values.tolist()]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_a_table_is_translated_column_by_column(dtype):
    rng = np.random.default_rng(2)
    numbers = np.array([0, 1, 255, -1, 256, 2**40]) if dtype == np.int64 else np.array([0, 1, 255])
    table = rng.choice(numbers, (300, 4)).astype(dtype)
    lookup = rng.integers(0, 9, (2, 257)).astype(np.uint8)
    codes = np.empty((2, 300), np.uint8)
    kernels.cells.translate_table(table, np.array([3, 1]), lookup, codes)
    for place, j in enumerate((3, 1)):
        expected = [lookup[place, x if 0 <= x <= 255 else 256] for x in table[:, j].tolist()]
        assert codes[place].tolist() == expected
