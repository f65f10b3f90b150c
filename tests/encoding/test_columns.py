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

from problems import variable_width
from skcredal._encoding.columns import is_missing
from skcredal._encoding.tables import read_table


def column(X):
    return read_table(X, estimator=None).columns[0]


def frame(values, dtype=None):
    return pd.DataFrame({"f": pd.Series(values, dtype=dtype)})


NUMERIC = {
    "floats": np.array([[1.5], [2.0]]),
    "small floats": np.array([[1.5], [2.0]], np.float16),
    "integers": np.array([[1], [2]], np.int8),
    "unsigned": np.array([[1], [2]], np.uint64),
    "objects that are numbers": np.array([[1], [2.5], [None], [np.float32(2)]], object),
    "fractions and decimals": np.array([[Fraction(1, 2)], [Decimal("2.5")]], object),
    "rows of numbers": [[1], [2.5]],
    "rows of numbers and text": [[1, "a"], [2.5, "b"]],
    "pandas Int64": frame([1, None], "Int64"),
    "pandas Float64": frame([1.5, None], "Float64"),
    "pandas arrow int": frame([1, None], "int64[pyarrow]"),
    "pandas arrow decimal": frame([Decimal("1.5"), None], pd.ArrowDtype(pa.decimal128(5, 2))),
    "pandas objects": frame([1, 2.5, None], object),
    "polars int": pl.DataFrame({"f": [1, None]}),
    "polars decimal": pl.DataFrame({"f": [Decimal("1.5"), None]}),
    "arrow int": pa.table({"f": [1, None]}),
    "arrow decimal": pa.table({"f": [Decimal("1.5"), None]}),
}

CATEGORICAL = {
    "text": np.array([["a"], ["b"]]),
    "variable-width text": variable_width([["a"], ["b"]]),
    "bytes": np.array([[b"a"], [b"b"]]),
    "booleans": np.array([[True], [False]]),
    "objects with text": np.array([[1], ["a"]], object),
    "objects with a boolean": np.array([[1], [True], [None]], object),
    "rows of text": [["a"], ["b"]],
    "pandas str": frame(["a", None]),
    "pandas string": frame(["a", None], "string"),
    "pandas object": frame(["a", None], object),
    "pandas arrow string": frame(["a", None], "string[pyarrow]"),
    "pandas boolean": frame([True, None], "boolean"),
    "pandas category of integers": frame([1, 2], "category"),
    "pandas ordered category": frame(["a", "b"], pd.CategoricalDtype(["b", "a"], ordered=True)),
    "polars string": pl.DataFrame({"f": ["a", None]}),
    "polars boolean": pl.DataFrame({"f": [True, None]}),
    "polars Enum": pl.DataFrame({"f": pl.Series(["a"], dtype=pl.Enum(["a"]))}),
    "polars Categorical": pl.DataFrame({"f": pl.Series(["a"], dtype=pl.Categorical)}),
    "arrow string": pa.table({"f": ["a", None]}),
    "arrow large string": pa.table({"f": pa.array(["a", None], pa.large_string())}),
    "arrow boolean": pa.table({"f": [True, None]}),
    "arrow dictionary of integers": pa.table({"f": pa.array([1, 2]).dictionary_encode()}),
}


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.5], [None], [np.nan]], object),
        [[1.5], [None], [np.nan]],
        frame([1.5, None, np.nan]),
        frame([1.5, None, np.nan], object),
        frame([1.5, pd.NA, None], "Float64"),
        frame([1.5, None, np.nan], "float64[pyarrow]"),
        frame([Decimal("1.5"), None, None], pd.ArrowDtype(pa.decimal128(5, 2))),
        pl.DataFrame({"f": [1.5, None, np.nan]}),
        pl.DataFrame({"f": [Decimal("1.5"), None, None]}),
        pa.table({"f": [1.5, None, np.nan]}),
        pa.table({"f": [Decimal("1.5"), None, None]}),
        pa.table({"f": pa.chunked_array([[1.5, None], [np.nan]])}),
    ],
)
def test_numbers_are_read_with_nan_where_they_are_missing(X):
    np.testing.assert_array_equal(column(X).numbers, [1.5, np.nan, np.nan])


@pytest.mark.parametrize(
    ("X", "states", "codes"),
    [
        (np.array([["b"], ["a"], ["b"]]), ["a", "b"], [1, 0, 1]),
        (variable_width([["b"], ["a"], [None]], na_object=None), ["a", "b"], [1, 0, -1]),
        (np.array([[7], [-3], [7]]), [-3, 7], [1, 0, 1]),
        (np.array([[7], [2**40], [7]]), [7, 2**40], [0, 1, 0]),
        (np.array([[-(2**63)], [2**63 - 1]]), [-(2**63), 2**63 - 1], [0, 1]),
        (np.array([[2**63 + 6], [2**63 + 5]], np.uint64), [2**63 + 5, 2**63 + 6], [1, 0]),
        (np.array([[0.5], [np.nan], [-0.5]]), [-0.5, 0.5], [1, -1, 0]),
        (np.array([[True], [False]]), [False, True], [1, 0]),
        (np.array([["b"], [None], ["a"], [np.nan]], object), ["a", "b"], [1, -1, 0, -1]),
        (np.array([[2], ["a"], [1], ["2"]], object), [1, 2, "2", "a"], [1, 3, 0, 2]),
        (frame(["b", pd.NA, "a"], "string"), ["a", "b"], [1, -1, 0]),
        (frame(["b", None, "a"], "string[pyarrow]"), ["a", "b"], [1, -1, 0]),
        (frame([True, pd.NA, False], "boolean"), [False, True], [1, -1, 0]),
        (frame([9, pd.NA, 8], "Int64"), [8, 9], [1, -1, 0]),
        (frame([9, None, 8], "int64[pyarrow]"), [8, 9], [1, -1, 0]),
        (pl.DataFrame({"f": ["b", None, "a"]}), ["a", "b"], [1, -1, 0]),
        (pl.DataFrame({"f": [True, None, False]}), [False, True], [1, -1, 0]),
        (pl.DataFrame({"f": [0.5, None, np.nan]}), [0.5], [0, -1, -1]),
        (pl.DataFrame({"f": [None, None]}), [], [-1, -1]),
        (pa.table({"f": ["b", None, "a"]}), ["a", "b"], [1, -1, 0]),
        (pa.table({"f": [True, None, False]}), [False, True], [1, -1, 0]),
        (pa.table({"f": pa.nulls(2)}), [], [-1, -1]),
    ],
)
def test_states_that_occur_are_in_order(X, states, codes):
    factor = column(X).factor
    assert factor.states == states
    assert factor.codes.tolist() == codes
    assert not factor.declared


TEXT = {
    "object": lambda values: frame(values, object),
    "str": lambda values: frame(values, "str"),
    "string": lambda values: frame(values, "string"),
    "string in Python": lambda values: frame(values, "string[python]"),
    "pandas arrow": lambda values: frame(values, pd.ArrowDtype(pa.string())),
    "polars": lambda values: pl.DataFrame({"f": pl.Series(values, dtype=pl.String)}),
    "polars in chunks": lambda values: pl.concat(
        [pl.DataFrame({"f": pl.Series(part, dtype=pl.String)}) for part in (values[:2], values[2:])],
        rechunk=False,
    ),
    "polars, a part": lambda values: pl.DataFrame({"f": pl.Series(["x" * 13, *values], dtype=pl.String)})[1:],
    "polars Categorical": lambda values: pl.DataFrame({"f": pl.Series(values, dtype=pl.Categorical)}),
    "arrow": lambda values: pa.table({"f": pa.array(values, pa.string())}),
    "arrow, a part": lambda values: pa.table({"f": pa.array(["x", None, "y", *values], pa.string())}).slice(
        3
    ),
    "arrow in chunks": lambda values: pa.table(
        {"f": pa.chunked_array([values[:2], values[2:3], values[3:]], pa.large_string())}
    ),
}
if hasattr(pa, "string_view"):
    TEXT["arrow views"] = lambda values: pa.table({"f": pa.array(values, pa.string_view())})


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
CHUNKS = pa.chunked_array([DICTIONARY([0, 1], ["b", "a"]), DICTIONARY([1, 0], ["z", "a"])])
CHUNKS_WITH_NULL = pa.chunked_array([DICTIONARY([0, None], ["b", "a"]), DICTIONARY([1, 0], ["z", None])])


@pytest.mark.parametrize(
    ("X", "states", "codes"),
    [
        (frame(["b", None, "a"], pd.CategoricalDtype(["b", "z", "a"])), ["b", "z", "a"], [0, -1, 2]),
        (
            frame(["b", None, "a"], pd.CategoricalDtype(["b", "z", "a"], ordered=True)),
            ["b", "z", "a"],
            [0, -1, 2],
        ),
        (frame([3, None, 1], pd.CategoricalDtype([3, 2, 1])), [3, 2, 1], [0, -1, 2]),
        (frame([True, None], pd.CategoricalDtype([True, False])), [True, False], [0, -1]),
        (
            frame(["b", None, "a"], pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
            ["b", "a"],
            [0, -1, 1],
        ),
        (
            pl.DataFrame({"f": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "z", "a"]))}),
            ["b", "z", "a"],
            [0, -1, 2],
        ),
        (
            pa.table({"f": DICTIONARY(pa.array([0, None, 2], pa.uint8()), ["b", "z", "a"])}),
            ["b", "z", "a"],
            [0, -1, 2],
        ),
        (pa.table({"f": DICTIONARY([0, None, 2], [30, 20, 10])}), [30, 20, 10], [0, -1, 2]),
        (pa.table({"f": DICTIONARY([0, 1, 2], ["b", None, "a"])}), ["b", "a"], [0, -1, 1]),
        (pa.table({"f": DICTIONARY([2, 1, 0], pa.array([0.5, np.nan, 1.5]))}), [0.5, 1.5], [1, -1, 0]),
        (pa.table({"f": CHUNKS}), ["b", "a", "z"], [0, 1, 1, 2]),
        (pa.table({"f": CHUNKS_WITH_NULL}), ["b", "a", "z"], [0, -1, -1, 2]),
    ],
)
def test_declared_states_are_kept_in_their_order_even_if_unobserved(X, states, codes):
    factor = column(X).factor
    assert factor.states == states
    assert factor.codes.tolist() == codes
    assert factor.declared


@pytest.mark.parametrize(("kinds", "numeric"), [(NUMERIC, True), (CATEGORICAL, False)])
def test_numbers_are_numeric_and_text_booleans_and_categories_are_not(kinds, numeric):
    assert {name: column(X).is_numeric for name, X in kinds.items()} == dict.fromkeys(kinds, numeric)


@pytest.mark.parametrize(
    "value", [None, np.nan, float("nan"), np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")], ids=repr
)
def test_every_form_of_nothing_is_missing(value):
    assert is_missing(value)
    factor = column(np.array([["a"], [value], ["b"]], object)).factor
    assert (factor.states, factor.codes.tolist()) == (["a", "b"], [0, -1, 1])
    assert np.isnan(column(np.array([[1.0], [value]], object)).numbers[1])


@pytest.mark.parametrize("value", ["", "nan", "None", "NA", 0, 0.0, False, np.inf, ()], ids=repr)
def test_what_only_looks_like_nothing_is_a_value(value):
    assert not is_missing(value)


def test_objects_are_numbers_cell_by_cell():
    cells = [1, 2.5, Decimal("7"), Fraction(1, 2), np.float32(3), None, 10**20]
    numbers = column(np.array([[cell] for cell in cells], object)).numbers
    np.testing.assert_array_equal(numbers, [1.0, 2.5, 7.0, 0.5, 3.0, np.nan, 1e20])
    with pytest.raises(ValueError, match="Feature 0 is numeric, but row 2 holds 'old'"):
        _ = column(np.array([[1], [2], ["old"]], object)).numbers
