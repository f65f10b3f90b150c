"""Columns of every type, what is learned of them, and their codes: against the definitions of §1."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from problems import as_rows, variable_width
from skcredal import AODE, CredalCompAODE, NaiveBayes
from skcredal._encoding.factors import is_missing
from skcredal._encoding.features import CategoricalFeature, NumericFeature, state_counts, weighted_median
from skcredal._encoding.frames import read_table
from skcredal._encoding.learning import EncodingRules, learn_encoding
from skcredal.scale import fit_batches


def column(X):
    return read_table(X, estimator=None).columns[0]


def frame(values, dtype=None):
    return pd.DataFrame({"f": pd.Series(values, dtype=dtype)})


def learn(X, y, *, weights=None, names=None, n_threads=1, **rules):
    labels = np.asarray(y, np.int32)
    table = read_table(X, estimator=None)
    return learn_encoding(
        table,
        labels,
        weights,
        int(labels.max()) + 1,
        EncodingRules(**rules),
        names=names,
        n_threads=n_threads,
    )


def learn_categorical(values, *, declared=None, weights=None, max_categories=None, impute=True):
    factor = column([[value] for value in values] if declared is None else frame(values, object)).factor()
    return CategoricalFeature.from_counts(
        state_counts(factor, weights),
        declared=declared,
        max_categories=max_categories,
        impute=impute,
        refuse_unknown=False,
    )


def codes_of(feature, values):
    return feature.read(column(np.array([[value] for value in values], object))).tolist()


# --- Columns --------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("kind", NUMERIC)
def test_numbers_are_numeric(kind):
    assert column(NUMERIC[kind]).is_numeric


@pytest.mark.parametrize("kind", CATEGORICAL)
def test_text_booleans_and_categories_are_categorical(kind):
    assert not column(CATEGORICAL[kind]).is_numeric


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
    np.testing.assert_array_equal(column(X).numbers(), [1.5, np.nan, np.nan])


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
    factor = column(X).factor()
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


@pytest.mark.parametrize("by_kernel", [True, False])
@pytest.mark.parametrize("kind", TEXT)
@given(values=st.lists(st.none() | st.text("aBß\U0001f600\uff5e ", max_size=4), min_size=1, max_size=9))
def test_text_of_every_library_has_the_states_that_occur_in_order(kind, by_kernel, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skcredal._encoding.states.ROWS_WORTH_A_KERNEL", 1 if by_kernel else 10**9)
        factor = column(TEXT[kind](values)).factor()
    states = sorted({value for value in values if value is not None})
    assert factor.states == states
    assert all(type(state) is str for state in factor.states)
    assert factor.codes.tolist() == [-1 if value is None else states.index(value) for value in values]
    assert not factor.declared


@pytest.mark.parametrize("n_states", [3, 127, 128, 300])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", TEXT)
def test_long_columns_of_text_are_learned_and_read_like_objects(kind, missing, n_states):
    """Bytes, and more states than these have room for; states that are new, and such that lack."""
    rng = np.random.default_rng(8)
    words = np.array([f"word {'x' * (a % 11)}{a}" for a in range(n_states + 5)], object)
    train = words[np.concatenate([np.arange(n_states), rng.integers(0, n_states, 1_500)])]
    new = words[rng.integers(2, n_states + 5, 1_200)]
    if missing:
        train[rng.random(len(train)) < 0.1], new[rng.random(len(new)) < 0.1] = None, None
    labels = rng.integers(0, 2, len(train))
    for rules in ({}, {"missing": "marginalize"}, {"max_categories": 3}):
        expected, expected_codes = learn(TEXT["object"](train), labels, **rules)
        encoding, codes = learn(TEXT[kind](train.tolist()), labels, n_threads=2, **rules)
        np.testing.assert_array_equal(codes, expected_codes, strict=True)
        feature, other = encoding.features[0], expected.features[0]
        assert (feature.states, feature.lookup, feature.fill) == (other.states, other.lookup, other.fill)
        found = encoding.encode(read_table(TEXT[kind](new.tolist()), estimator=None))
        objects = expected.encode(read_table(TEXT["object"](new), estimator=None))
        np.testing.assert_array_equal(found, objects, strict=True)


def test_text_of_polars_needs_no_arrow(monkeypatch):
    values = ["b", None, "a", "b"]
    monkeypatch.setattr("skcredal._encoding.states.find_spec", lambda name: None)
    for dtype in (pl.String, pl.Categorical):
        factor = column(pl.DataFrame({"f": pl.Series(values, dtype=dtype)})).factor()
        assert (factor.states, factor.codes.tolist()) == (["a", "b"], [1, -1, 0, 1])


def test_a_number_behind_much_text_stays_a_number():
    """narwhals takes a column of objects for text after a look at its first 100 rows."""
    values = [*["b", "a"] * 100, 1, "1", True, None]
    factor = column(frame(values, object)).factor()
    assert factor.states == [1, "1", "a", "b"]
    assert factor.codes.tolist() == [3, 2] * 100 + [0, 1, 0, -1]


def test_a_polars_categorical_declares_nothing():
    """Its pool may hold strings of other columns of the process."""
    pool = pl.DataFrame({"g": pl.Series(["z", "y"], dtype=pl.Categorical)})
    table = pl.DataFrame({"f": pl.Series(["b", None, "a"], dtype=pl.Categorical)})
    factor = column(table).factor()
    assert factor.states == ["a", "b"]
    assert factor.codes.tolist() == [1, -1, 0]
    assert not factor.declared
    assert pool.height == 2


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
    factor = column(X).factor()
    assert factor.states == states
    assert factor.codes.tolist() == codes
    assert factor.declared


def test_a_slice_of_a_table_declares_what_the_table_does():
    whole = pa.table({"f": DICTIONARY([0, 1, 2, 2], ["b", "z", "a"])})
    factor = column(whole.slice(2)).factor()
    assert (factor.states, factor.codes.tolist()) == (["b", "z", "a"], [2, 2])
    enum = pl.DataFrame({"f": pl.Series(["b", "a"], dtype=pl.Enum(["b", "z", "a"]))})
    factor = column(enum[1:]).factor()
    assert (factor.states, factor.codes.tolist()) == (["b", "z", "a"], [2])


@pytest.mark.parametrize(
    "value", [None, np.nan, float("nan"), np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")], ids=repr
)
def test_every_form_of_nothing_is_missing(value):
    assert is_missing(value)
    factor = column(np.array([["a"], [value], ["b"]], object)).factor()
    assert (factor.states, factor.codes.tolist()) == (["a", "b"], [0, -1, 1])
    assert np.isnan(column(np.array([[1.0], [value]], object)).numbers()[1])


@pytest.mark.parametrize("value", ["", "nan", "None", "NA", 0, 0.0, False, np.inf, ()], ids=repr)
def test_what_only_looks_like_nothing_is_a_value(value):
    assert not is_missing(value)


@pytest.mark.parametrize("value", [dt.date(2020, 1, 1), dt.timedelta(1), np.datetime64("2020"), dt.time(1)])
def test_a_date_among_objects_is_refused(value):
    with pytest.raises(TypeError, match=r"Feature 0: dtype .* is not supported.* Turn dates and times"):
        _ = column(np.array([[None], [value]], object)).is_numeric


# --- Features -------------------------------------------------------------------------------------


def test_the_median_is_that_of_the_definition():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(1, 12))
        values = rng.integers(-4, 5, n) / 3
        weights = rng.integers(1, 4, n)
        assert weighted_median(values) == oracles.weighted_median(values.tolist())
        expected = oracles.weighted_median(values.tolist(), weights.tolist())
        assert weighted_median(values, weights) == expected


@pytest.mark.parametrize("extreme", [1.7e308, 5e-324])
def test_the_median_of_extreme_numbers_is_finite(extreme):
    values = [extreme, extreme]
    assert weighted_median(np.array(values)) == oracles.weighted_median(values) == extreme


@pytest.mark.parametrize("scale", [0.1, 0.3, 1 / 7, 2.5, 1e-9])
def test_scaling_all_weights_leaves_the_median(scale):
    rng = np.random.default_rng(2)
    for n in range(1, 40):
        values = rng.permutation(n).astype(float)
        weights = rng.integers(1, 4, n)
        assert weighted_median(values, np.full(n, scale)) == oracles.weighted_median(values.tolist())
        expected = oracles.weighted_median(values.tolist(), weights.tolist())
        assert weighted_median(values, weights * scale) == expected


def test_the_mode_is_that_of_the_definition():
    rng = np.random.default_rng(3)
    order = ["c", "a", "d", "b"]
    for _ in range(200):
        n = int(rng.integers(1, 9))
        values = [str(v) for v in rng.choice(["a", "b", "c"], n)]
        weights = rng.integers(1, 4, n)
        feature = learn_categorical([*values, None], declared=order, weights=np.array([*weights, 9]))
        assert order[feature.fill] == oracles.mode(values, order, weights.tolist())
        plain = learn_categorical([*values, None])
        assert plain.states[plain.fill] == oracles.mode(values, sorted(set(values)))


@pytest.mark.parametrize("impute", [True, False])
def test_bins_are_those_of_the_definition(impute):
    rng = np.random.default_rng(4)
    for _ in range(60):
        n = int(rng.integers(2, 40))
        labels = rng.integers(0, 3, n)
        numbers = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n) + 3 * labels)
        known = [(float(x), int(c)) for x, c in zip(numbers, labels, strict=True) if x == x]
        if not known:
            continue
        median = oracles.weighted_median([x for x, _ in known])
        train = [(median if x != x else float(x), int(c)) for x, c in zip(numbers, labels, strict=True)]
        cuts = oracles.mdl_cuts(*zip(*(train if impute else known), strict=True))
        (feature,) = NumericFeature.learn(numbers, labels.astype(np.int32), None, 3, impute=impute)
        assert feature.cuts.tolist() == cuts
        probes = np.array([*numbers, *cuts, *np.nextafter(cuts, np.inf), -1e300, 1e300])
        for x, code in zip(probes.tolist(), feature.encode(probes).tolist(), strict=True):
            missing = len(cuts) + 1 if not impute else oracles.bin_of(median, cuts)
            assert code == (missing if x != x else oracles.bin_of(x, cuts))


@pytest.mark.parametrize(
    ("values", "declared", "most", "states", "groups"),
    [
        # Of equally frequent states the first stay.
        (list("ddccbbaa"), None, 3, ["a", "b", "(other)"], {"c": 2, "d": 2}),
        # The most frequent stay, in their order.
        (list("dddbbbac"), None, 3, ["b", "d", "(other)"], {"a": 2, "c": 2}),
        # Declared states that do not occur go first.
        (list("aabbc"), list("zyabcx"), 4, ["a", "b", "c", "(other)"], {"z": 3, "y": 3, "x": 3}),
        # Nothing is merged as long as there is room.
        (list("abc"), None, 3, ["a", "b", "c"], {"c": 2}),
        (list("abbc"), None, 2, ["b", "(other)"], {"a": 1, "c": 1}),
    ],
)
def test_the_rarest_states_are_merged_into_one(values, declared, most, states, groups):
    feature = learn_categorical(values, declared=declared, max_categories=most)
    assert feature.states == states
    assert feature.n_states == len(states)
    assert codes_of(feature, list(groups)) == list(groups.values())
    assert codes_of(feature, ["unheard of"]) == [len(states)]


def test_weights_decide_which_states_are_rare():
    feature = learn_categorical(list("aabcd"), weights=np.array([1, 1, 5, 3, 1]), max_categories=3)
    assert feature.states == ["b", "c", "(other)"]


# --- The table ------------------------------------------------------------------------------------


def random_table(rng):
    n, n_classes = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    y = rng.integers(0, n_classes, n)
    y[0] = n_classes - 1

    def cells(values, share=0.15):
        return [None if rng.random() < share else value for value in values]

    def both(train, test):
        return cells(train), cells(test)

    declared = ["q", "p", "never", "r"]
    columns = [
        both((rng.integers(0, 5, n) / 2 + 2 * y).tolist(), (rng.integers(-2, 14, 9) / 4).tolist()),
        both(rng.normal(size=n).tolist(), rng.normal(size=9).tolist()),
        both(rng.choice(list("cab"), n).tolist(), rng.choice(list("abcd"), 9).tolist()),
        both(rng.choice(list("pqr"), n).tolist(), rng.choice(declared, 9).tolist()),
        both(["constant"] * n, ["constant", "other", "constant"] * 3),
        ([None] * n, [None] * 9),
    ]
    return columns, declared, y.tolist(), n_classes


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_codes_of_a_table_are_those_of_the_definition(library):
    def table(columns, declared):
        cells = {f"f{j}": column for j, column in enumerate(columns)}
        if library == "pandas":
            return pd.DataFrame(cells, dtype=object).astype({"f3": pd.CategoricalDtype(declared)})
        if library == "polars":
            types = [pl.Float64, pl.Float64, pl.String, pl.Enum(declared), pl.String, pl.Null]
            return pl.DataFrame(cells, schema=dict(zip(cells, types, strict=True)))
        places = pa.array([None if x is None else declared.index(x) for x in cells["f3"]], pa.int8())
        return pa.table(cells | {"f3": DICTIONARY(places, declared)})

    rng = np.random.default_rng(5)
    kinds = ["numeric", "numeric", "text", "text", "text", "text"]
    for _ in range(60):
        columns, declared, y, n_classes = random_table(rng)
        train, test = ([column[part] for column in columns] for part in (0, 1))
        encoding, codes = learn(table(train, declared), y)
        expected = oracles.encode_table(
            list(zip(*train, strict=True)),
            list(zip(*test, strict=True)),
            kinds,
            [None, None, None, declared, None, None],
            y,
            n_classes,
        )
        assert encoding.kept == expected.kept
        assert encoding.n_states.tolist() == expected.n_states
        assert as_rows(codes, encoding.n_states) == expected.train_codes
        found = encoding.encode(read_table(table(test, declared), estimator=None))
        assert as_rows(found, encoding.n_states) == expected.test_codes


@pytest.mark.parametrize("threads", [2, 7])
def test_codes_do_not_depend_on_threads(threads):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(200, 12)) + rng.integers(0, 2, 200)[:, None], rng.integers(0, 2, 200)
    encoding, codes = learn(X, y)
    threaded, threaded_codes = learn(X, y, n_threads=threads)
    np.testing.assert_array_equal(codes, threaded_codes)
    table = read_table(X, estimator=None)
    np.testing.assert_array_equal(
        encoding.encode(table), threaded.encode(table, n_threads=threads), strict=True
    )


@pytest.mark.parametrize(
    ("n_states", "dtype"),
    [(2, np.uint8), (255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)],
)
def test_codes_take_the_smallest_integers_that_hold_unknown_too(n_states, dtype):
    values = np.arange(n_states)[:, None]
    encoding, codes = learn(values, np.zeros(n_states), categorical_features="all")
    assert codes.dtype == dtype
    np.testing.assert_array_equal(codes[0], np.arange(n_states))
    unknown = encoding.encode(read_table(np.array([[-1], [n_states]]), estimator=None))
    assert unknown.tolist() == [[n_states, n_states]]


CHOICES = [
    ("from_dtype", [False, False, True]),
    ("all", [True, True, True]),
    ([], [False, False, True]),
    ([0], [True, False, True]),
    ([-2], [False, True, True]),
    (np.array([1]), [False, True, True]),
    (("p",), [True, False, True]),
    (pd.Index(["q", "p"]), [True, True, True]),
    (np.array(["q"]), [False, True, True]),
    ([True, False, False], [True, False, True]),
    (np.array([False, True, False]), [False, True, True]),
    (pd.Series([False, True, False]), [False, True, True]),
    ([0, "q"], [True, True, True]),
]


@pytest.mark.parametrize(("wish", "categorical"), CHOICES, ids=[repr(wish) for wish, _ in CHOICES])
def test_categorical_features_are_chosen_by_type_name_index_or_mask(wish, categorical):
    X = pd.DataFrame({"p": [1, 1, 2, 2], "q": [1.0, 2.0, 3.0, 4.0], "s": list("abab")})
    encoding, _ = learn(X, [0, 0, 1, 1], names=list(X.columns), categorical_features=wish)
    assert [isinstance(feature, CategoricalFeature) for feature in encoding.features] == categorical


def test_categories_are_given_in_the_order_of_the_categorical_columns():
    X = pd.DataFrame({"s": list("abab"), "x": [1.0, 2.0, 3.0, 4.0], "code": [3, 1, 3, 2]})
    clf = AODE(categories=[["z", "b", "a"], np.array([1, 2, 3])], categorical_features=["code"])
    counts = clf.fit(X, [0, 1, 0, 1]).counts_
    assert clf.super_parents_.tolist() == ["s", "code"]
    assert counts.values(0).tolist() == [[0, 0], [0, 2], [2, 0]]
    assert counts.values(1).tolist() == [[0, 1], [0, 1], [2, 0]]


def test_max_categories_merges_rare_states_and_leaves_unknown_ones_unknown():
    X = pd.DataFrame({"s": list("aaabbbccd"), "t": pd.Categorical(list("ppqqpqpqp"), list("zpqy"))})
    y = [0, 0, 1, 1, 1, 0, 0, 0, 1]
    clf = AODE(max_categories=3).fit(X, y)
    assert clf.counts_.layout.n_states.tolist() == [3, 3]
    assert clf.counts_.values(0).sum(axis=1).tolist() == [3, 3, 3]
    assert clf.counts_.values(1).sum(axis=1).tolist() == [5, 4, 0]
    same = pd.DataFrame({"s": ["c", "d"], "t": ["p", "p"]})
    assert np.ptp(clf.spode_proba(same), axis=0).max() == 0.0
    assert np.isnan(clf.spode_proba(pd.DataFrame({"s": ["e"], "t": ["p"]}))[0, 0]).all()


def test_an_infinity_among_text_is_refused_in_a_dropped_column_too():
    encoding, _ = learn(np.array([["k"]] * 4, object), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="Feature 0 contains infinity"):
        encoding.encode(read_table(np.array([["k"], [np.inf]], object), estimator=None))


@pytest.mark.parametrize("n_states", [300, 66_000])
def test_a_column_may_have_very_many_states(n_states):
    values = np.arange(2 * n_states) % n_states
    X = pd.DataFrame({"id": values, "flag": values % 2 == 0})
    y = values % 3 == 0
    clf = CredalCompAODE(categorical_features=["id"]).fit(X, y)
    assert clf.counts_.layout.n_states.tolist() == [n_states, 2]
    np.testing.assert_array_equal(clf.predict(X), y)
    assert np.isnan(clf.spode_proba(pd.DataFrame({"id": [-1], "flag": [True]}))[0, 0]).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64])
@pytest.mark.parametrize("categories", ["auto", [[3, 0, 1], [0, 100, 5], [7, 2], [1, 2]]])
def test_a_table_of_integers_is_read_as_its_columns_would_be(dtype, categories):
    """One table of look-ups for all features, against each column by itself."""
    rng = np.random.default_rng(30)
    X = np.column_stack([rng.choice(v, 60) for v in ([0, 1, 3], [0, 5, 100], [2, 7], [2])]).astype(dtype)
    labels = rng.integers(0, 2, 60).astype(np.int32)
    rules = EncodingRules("all", categories)
    encoding, codes = learn_encoding(read_table(X, estimator=None), labels, None, 2, rules)
    assert encoding.kept == [0, 1, 2]
    new = X.copy()
    new[:4, 0], new[0], new[1] = [4, 101, 0, 2], 120, np.iinfo(dtype).min
    for table in (X, new):
        columns = [
            [encoding.features[j].lookup.get(value, encoding.features[j].n_states) for value in column]
            for j, column in zip(encoding.kept, table.T[:3].tolist(), strict=True)
        ]
        assert encoding.byte_codes is not None
        assert encoding.encode(read_table(table, estimator=None)).tolist() == columns
        frame = pd.DataFrame(table)
        assert encoding.encode(read_table(frame, estimator=None)).tolist() == columns
    assert encoding.encode(read_table(X, estimator=None)).tolist() == codes.tolist()


@pytest.mark.parametrize(
    ("X", "rules"),
    [
        (np.array([[0, 1], [1, 300]]), EncodingRules("all")),  # a state beyond a byte
        (np.array([[0, 1], [1, -3]]), EncodingRules("all")),
        (np.array([["a", "b"], ["b", "c"]], object), EncodingRules("all")),
        (np.array([[0, 1], [1, 0]]), EncodingRules("all", handle_unknown="error")),
        (np.array([[0, 1], [1, 0]]), EncodingRules([0])),  # the other is numeric
        (np.arange(512).reshape(256, 2) // 2, EncodingRules("all")),  # no byte is left for unknown
    ],
)
def test_what_needs_more_care_than_bytes_is_read_column_by_column(X, rules):
    labels = (np.arange(len(X)) % 2).astype(np.int32)
    encoding, codes = learn_encoding(read_table(X, estimator=None), labels, None, 2, rules)
    assert encoding.byte_codes is None
    np.testing.assert_array_equal(encoding.encode(read_table(X, estimator=None)), codes)


@given(
    cells=st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3, 200]), min_size=2, max_size=2), min_size=1, max_size=9
    ),
    categories=st.sampled_from(
        ["auto", [[0, 1, 2], [2, 1, 0]], [[0, 1, 2, 3], [0, 1, 200, 300]], [["a"], [0]]]
    ),
    max_categories=st.sampled_from([None, 2]),
    missing=st.sampled_from(["impute", "marginalize"]),
)
@pytest.mark.filterwarnings("ignore:.*was learned as")
def test_bytes_are_learned_as_objects_are(cells, categories, max_categories, missing):
    """Columns of bytes, against the same as objects."""
    X = np.array(cells, np.uint8)
    labels = np.zeros(len(X), np.int32)
    rules = EncodingRules("all", categories, missing, max_categories=max_categories)
    by_bytes, codes = learn_encoding(read_table(X, estimator=None), labels, None, 1, rules)
    objects = read_table(X.astype(object), estimator=None)
    by_objects, expected = learn_encoding(objects, labels, None, 1, rules)
    np.testing.assert_array_equal(codes, expected, strict=True)
    for found, feature in zip(by_bytes.features, by_objects.features, strict=True):
        assert (found.lookup, found.states, found.n_observed, found.fill) == (
            feature.lookup,
            feature.states,
            feature.n_observed,
            feature.fill,
        )


def test_a_large_table_of_bytes_does_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr("skcredal._encoding.frames.CELLS_WORTH_A_THREAD", 10)
    monkeypatch.setattr("skcredal._encoding.learning.BYTES_WORTH_A_THREAD", 10)
    X = np.random.default_rng(7).integers(0, 4, (700, 5))
    rules = EncodingRules("all")
    labels = np.zeros(700, np.int32)
    one, two = (
        learn_encoding(
            read_table(X, estimator=None, n_threads=n_threads), labels, None, 1, rules, n_threads=n_threads
        )
        for n_threads in (1, 2)
    )
    np.testing.assert_array_equal(one[1], two[1], strict=True)
    np.testing.assert_array_equal(one[1], X.T)
    assert [feature.fill for feature in one[0].features] == [feature.fill for feature in two[0].features]


@pytest.mark.parametrize("rules", [{}, {"categorical_features": "all"}])
@pytest.mark.parametrize(
    ("dtypes", "in_bytes"),
    [
        (["int64"] * 3, True),
        (["int8", "uint16", ">i4"], True),
        # Not these: pandas' own integers may be missing, and the others are not integers or too large.
        (["int64", "Int64", "int64"], False),
        (["int64", "bool", "int64"], False),
        (["int64", "float64", "int64"], False),
        (["int64", "int64", "large"], False),
    ],
)
def test_a_large_frame_of_small_integers_is_read_as_its_columns_are(dtypes, in_bytes, rules, monkeypatch):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 1200)
    X = pd.DataFrame({name: (rng.integers(0, 4, 1200) + y) % 4 for name in ("a", "b", "c")})
    for name, dtype in zip(X, dtypes, strict=True):
        X[name] = X[name] + 1000 if dtype == "large" else X[name].astype(dtype)
    table = read_table(X, estimator=None)
    assert (table.cells is not None) is in_bytes
    assert [column.label for column in table.columns] == ["Column 'a'", "Column 'b'", "Column 'c'"]
    whole = AODE(**rules).fit(X, y)
    monkeypatch.setattr("skcredal._encoding.frames.ROWS_WORTH_A_LOOK", 10_000)
    assert read_table(X, estimator=None).cells is None
    by_columns = AODE(**rules).fit(X, y)
    assert whole.encoding_ == by_columns.encoding_
    np.testing.assert_array_equal(whole.counts_.n_cab, by_columns.counts_.n_cab)
    np.testing.assert_array_equal(whole.predict_proba(X), by_columns.predict_proba(X))


def test_a_record_batch_of_arrow_keeps_its_names():
    batch = pa.RecordBatch.from_pydict({"colour": ["red", "green", None], "size": [1.0, 2.0, 3.0]})
    table = read_table(batch, estimator=None)
    assert [column.label for column in table.columns] == ["Column 'colour'", "Column 'size'"]
    assert table.columns[0].factor().states == ["green", "red"]


def test_rows_of_weight_zero_are_left_out_of_bytes_too():
    """A batch of small integers is translated as a whole: by the rows that are left."""
    X, y, weights = np.array([[0, 1], [1, 0], [0, 0], [1, 1]]), [0, 1, 0, 1], [0, 1, 2, 1]
    expected = NaiveBayes(categorical_features="all").fit(X, y, weights)
    streamed = fit_batches(NaiveBayes(categorical_features="all"), [(X, y, weights)])
    np.testing.assert_array_equal(streamed.counts_.n_ca, expected.counts_.n_ca)
