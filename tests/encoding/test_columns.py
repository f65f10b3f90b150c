"""Columns of every type and library: numbers or states, and missing values in any form."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcredal._encoding.columns import is_missing
from skcredal._encoding.tables import read_table


def column(X):
    return read_table(X, estimator=None).columns[0]


def frame(values, dtype=None):
    return pd.DataFrame({"f": pd.Series(values, dtype=dtype)})


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.5], [None], [np.nan]], object),
        np.array([[Fraction(3, 2)], [Decimal("nan")], [np.float32("nan")]], object),
        frame([1.5, None, np.nan]),
        frame([1.5, pd.NA, None], "Float64"),
        frame([Decimal("1.5"), None, None], pd.ArrowDtype(pa.decimal128(5, 2))),
        pl.DataFrame({"f": [1.5, None, np.nan]}),
        pl.DataFrame({"f": [Decimal("1.5"), None, None]}),
        pa.table({"f": pa.chunked_array([[1.5, None], [np.nan]])}),
    ],
)
def test_numbers_are_numeric_and_nan_where_they_are_missing(X):
    assert column(X).is_numeric
    np.testing.assert_array_equal(column(X).numbers, [1.5, np.nan, np.nan])


@pytest.mark.parametrize(
    ("X", "states", "codes"),
    [
        (np.array([["b"], ["a"], ["b"]]), ["a", "b"], [1, 0, 1]),
        (np.array([[b"b"], [b"a"]]), [b"a", b"b"], [1, 0]),
        (np.array([[True], [False]]), [False, True], [1, 0]),
        (np.array([[2], ["a"], [1], ["2"]], object), [1, 2, "2", "a"], [1, 3, 0, 2]),
        # narwhals takes a column of objects for text after a look at its first 100 rows.
        (frame([*["b", "a"] * 60, 1], object), [1, "a", "b"], [2, 1] * 60 + [0]),
        (frame([True, pd.NA, False], "boolean"), [False, True], [1, -1, 0]),
        (pa.table({"f": [True, None, False]}), [False, True], [1, -1, 0]),
    ],
)
def test_other_cells_are_states_in_order(X, states, codes):
    assert not column(X).is_numeric
    factor = column(X).factor
    assert (factor.states, factor.codes.tolist(), factor.declared) == (states, codes, False)


@pytest.mark.parametrize(
    ("X", "states"),
    [
        (np.array([[7], [-3], [7]]), [-3, 7]),
        (np.array([[7], [2**40], [-(2**63)]]), [-(2**63), 7, 2**40]),
        (np.array([[2**63 + 6], [2**63 + 5]], np.uint64), [2**63 + 5, 2**63 + 6]),
        (np.array([[0.5], [np.nan], [-0.5]]), [-0.5, 0.5]),
        (frame([9, pd.NA, 8], "Int64"), [8, 9]),
        (pl.DataFrame({"f": [0.5, None, np.nan]}), [0.5]),
        (pa.table({"f": pa.nulls(2)}), []),
    ],
)
def test_numbers_may_be_states_too(X, states):
    factor = column(X).factor
    assert factor.states == states
    found = [np.nan if code < 0 else states[code] for code in factor.codes]
    np.testing.assert_array_equal(np.array(found, float), column(X).numbers)


TEXT = {
    "object": lambda values: frame(values, object),
    "string": lambda values: frame(values, "string"),
    "pandas arrow": lambda values: frame(values, pd.ArrowDtype(pa.string())),
    "polars": lambda values: pl.DataFrame({"f": pl.Series(values, dtype=pl.String)}),
    "polars, a part": lambda values: pl.DataFrame({"f": pl.Series(["x" * 13, *values], dtype=pl.String)})[1:],
    "polars Categorical": lambda values: pl.DataFrame({"f": pl.Series(values, dtype=pl.Categorical)}),
    "arrow, a part": lambda values: pa.table({"f": pa.array(["x", None, *values], pa.string())}).slice(2),
    "arrow in chunks": lambda values: pa.table(
        {"f": pa.chunked_array([values[:2], values[2:3], values[3:]], pa.large_string())}
    ),
}


@pytest.mark.parametrize("kind", TEXT)
@given(values=st.lists(st.none() | st.text("aBß\U0001f600\uff5e ", max_size=4), min_size=1, max_size=9))
def test_text_of_every_library_has_the_states_that_occur_in_order(kind, values):
    factor = column(TEXT[kind](values)).factor
    states = sorted({value for value in values if value is not None})
    assert factor.states == states
    assert all(type(state) is str for state in factor.states)
    assert factor.codes.tolist() == [-1 if value is None else states.index(value) for value in values]
    assert not factor.declared


DICTIONARY = pa.DictionaryArray.from_arrays
CHUNKS = pa.chunked_array([DICTIONARY([0, None], ["b", "a"]), DICTIONARY([1, 0], ["z", None])])
BZA = ["b", "z", "a"]


@pytest.mark.parametrize(
    ("X", "states", "codes"),
    [
        (frame(["b", None, "a"], pd.CategoricalDtype(BZA, ordered=True)), BZA, [0, -1, 2]),
        (frame([3, None, 1], pd.CategoricalDtype([3, 2, 1])), [3, 2, 1], [0, -1, 2]),
        (frame(["b", None], pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))), ["b"], [0, -1]),
        (pl.DataFrame({"f": pl.Series(["b", None, "a"], dtype=pl.Enum(BZA))})[1:], BZA, [-1, 2]),
        (pa.table({"f": DICTIONARY(pa.array([0, None, 2], pa.uint8()), BZA)}).slice(1), BZA, [-1, 2]),
        (pa.table({"f": DICTIONARY([0, 1, 2], ["b", None, "a"])}), ["b", "a"], [0, -1, 1]),
        (pa.table({"f": DICTIONARY([2, 1, 0], pa.array([0.5, np.nan, 1.5]))}), [0.5, 1.5], [1, -1, 0]),
        (pa.table({"f": CHUNKS}), ["b", "a", "z"], [0, -1, -1, 2]),
    ],
)
def test_declared_states_are_kept_in_their_order_even_if_unobserved(X, states, codes):
    assert not column(X).is_numeric
    factor = column(X).factor
    assert (factor.states, factor.codes.tolist(), factor.declared) == (states, codes, True)


def test_every_form_of_nothing_is_missing_and_what_only_looks_like_it_is_not():
    for value in (None, np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")):
        assert is_missing(value)
        factor = column(np.array([["a"], [value], ["b"]], object)).factor
        assert (factor.states, factor.codes.tolist()) == (["a", "b"], [0, -1, 1])
    assert not any(map(is_missing, ["", "nan", "None", "NA", 0, 0.0, False, np.inf, ()]))


def test_text_among_numbers_is_refused_by_column_row_and_value():
    with pytest.raises(ValueError, match="Feature 0 is numeric, but row 2 contains 'old'"):
        _ = column(np.array([[1], [2], ["old"]], object)).numbers
