"""What is learned about columns, and the states of their rows: against the definitions of §1."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import oracles
from problems import as_rows
from skcredal import AODE, CredalCompAODE, LogPoolAODE, NaiveBayes
from skcredal._encoding.columns import Column
from skcredal._encoding.encoding import EncodedTable, Rules
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.histogram import Histogram
from skcredal._encoding.statistics import Statistics
from skcredal._encoding.tables import read_table
from skcredal.scale import fit_batches

DICTIONARY = pa.DictionaryArray.from_arrays


def learn(X, y, *, weights=None, names=None, n_threads=1, **rules):
    """Return the encoding of a table, and the states of its rows."""
    labels, chosen = np.asarray(y, np.int32), Rules(**rules)
    table, classes = read_table(X, estimator=None), np.arange(int(labels.max()) + 1)
    found = Statistics.of_rows(table, classes, labels, weights, chosen, names, n_threads=n_threads)
    encoding = found.learn(chosen, names, n_threads=n_threads)
    return encoding, EncodedTable.of(encoding, table, n_threads=n_threads, is_part=True).states


def encode(encoding, X, **options):
    return EncodedTable.of(encoding, read_table(X, estimator=None), **options).states


def codes_of(encoding, states):
    """Return states as codes of each feature, the number of its states for unknown."""
    starts, unknown = np.cumsum(encoding.n_states) - encoding.n_states, encoding.n_states.sum()
    own = states.astype(int) - starts[:, None]
    return np.where(states >= unknown, encoding.n_states[:, None] + states - unknown, own)


def learn_categorical(values, *, declared=None, weights=None, **rules):
    """Return the feature of one column of text."""
    categories = "auto" if declared is None else [declared]
    X = pd.DataFrame({"f": pd.Series(values, dtype=object)})
    with warnings.catch_warnings(action="ignore"):
        encoding, _ = learn(X, np.zeros(len(values)), weights=weights, categories=categories, **rules)
    return encoding.features[0]


def local_codes(feature, values):
    cells = feature.read(Column("f", np.array(values, object)))
    return feature.encode(cells, np.arange(feature.n_states + 2)).tolist()


# --- Features -------------------------------------------------------------------------------------


def test_the_mode_is_that_of_the_definition():
    rng = np.random.default_rng(3)
    order = ["c", "a", "d", "b"]
    for _ in range(200):
        n = int(rng.integers(1, 9))
        values = [str(v) for v in rng.choice(["a", "b", "c"], n)]
        weights = rng.integers(1, 4, n)
        feature = learn_categorical([*values, None], declared=order, weights=np.array([*weights, 9.0]))
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
        histogram = Histogram.of_column(numbers, labels.astype(np.int32), None, 3)
        feature = NumericFeature.learn(histogram, "impute" if impute else "marginalize")
        assert feature.cuts.tolist() == cuts
        probes = np.array([*numbers, *cuts, *np.nextafter(cuts, np.inf), -1e300, 1e300])
        # Many rows are compared with the cuts, few are searched for.
        many = np.tile(probes, 1 + 1000 // len(probes))
        found = feature.encode(feature.read(Column("f", many)), np.arange(len(cuts) + 3))
        few = feature.encode(feature.read(Column("f", probes)), np.arange(len(cuts) + 3))
        np.testing.assert_array_equal(found[: len(probes)], few)
        for x, code in zip(probes.tolist(), few.tolist(), strict=True):
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
    assert local_codes(feature, list(groups)) == list(groups.values())
    assert local_codes(feature, ["unheard of"]) == [len(states)]


def test_weights_decide_which_states_are_rare():
    feature = learn_categorical(list("aabcd"), weights=np.array([1.0, 1, 5, 3, 1]), max_categories=3)
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
        encoding, states = learn(table(train, declared), y)
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
        assert as_rows(codes_of(encoding, states), encoding.n_states) == expected.train_codes
        found = encode(encoding, table(test, declared))
        assert as_rows(codes_of(encoding, found), encoding.n_states) == expected.test_codes


def test_states_are_numbered_feature_after_feature():
    X = pd.DataFrame(
        {
            "x": [1.0, 1.0, 9.0, 9.0] * 5,
            "same": ["k"] * 20,
            "s": ["b", "a", None, "c"] * 5,
            "t": pd.Categorical(["p", "q", "p", None] * 5, ["q", "p", "never"]),
        }
    )
    y = [0, 0, 1, 1] * 5
    encoding, states = learn(X, y, missing="marginalize")
    assert encoding.kept == [0, 2, 3]
    assert encoding.n_states.tolist() == [2, 3, 3]
    assert encoding.n_values == 8
    assert states[:, :4].tolist() == [[0, 0, 1, 1], [3, 2, 8, 4], [6, 5, 6, 8]]
    assert states.dtype == np.uint16
    assert states.flags.c_contiguous
    new = pd.DataFrame({"x": [5.0, np.nan], "same": ["other", "k"], "s": ["z", "c"], "t": ["never", "z"]})
    assert encode(encoding, new).tolist() == [[0, 8], [8, 4], [7, 8]]


def test_a_missing_value_that_may_be_any_is_the_state_after_unknown():
    X = pd.DataFrame(
        {"x": [1.0, 1.0, 9.0, np.nan] * 5, "s": ["b", "a", None, "a"] * 5, "t": list("pqpq") * 5}
    )
    encoding, states = learn(X, [0, 0, 1, 1] * 5, names=list(X), conservative_features=["x", "s"])
    assert encoding.conservative.tolist() == [True, True, False]
    assert states[:, :4].tolist() == [[0, 0, 1, 7], [3, 2, 7, 2], [4, 5, 4, 5]]
    # A value that is not among the states is still unknown, and other columns are imputed.
    assert encode(encoding, pd.DataFrame({"x": [np.nan], "s": ["new"], "t": [None]})).tolist() == [
        [7],
        [6],
        [4],
    ]


def test_the_record_of_a_column_names_its_cuts():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 90)
    X = pd.DataFrame({"x": rng.normal(size=90) + 3 * y, "noise": rng.normal(size=90), "s": ["k"] * 90})
    x, noise, s = AODE().fit(X, y).encoding_
    assert (x.name, x.kind, x.kept, x.why_not) == ("x", "numeric", True, "")
    assert x.range == (X["x"].min(), X["x"].max())
    assert (noise.kept, noise.cuts, noise.why_not) == (False, (), "no cut tells the classes apart")
    assert (s.kept, s.states, s.why_not) == (False, ("k",), "it has a single value")
    # Trees and line take a column without cuts.
    own_x, own_noise, own_s = LogPoolAODE(n_regions=2).fit(X, y).encoding_
    assert (own_x, own_s) == (x, s)
    assert own_noise == noise._replace(kept=True, why_not="")


def test_cells_as_numbers():
    """Of a category the number of its state; NaN where it is unknown, or missing and not imputed (§14)."""
    X = pd.DataFrame(
        {
            "x": [1.0, 3.0, np.nan, 9.0, 2.0],
            "s": ["b", "a", "b", None, "b"],
            "t": pd.Categorical(list("pqpqp"), list("qrp")),
            "nothing": [np.nan] * 5,
        }
    )
    for missing in ("impute", "marginalize"):
        encoding, _ = learn(X, [0, 0, 1, 1, 1], missing=missing)
        np.testing.assert_array_equal(encoding.fills, [2.5, 1.0, 2.0, np.nan])
        new = X.assign(s=["a", "z", "b", None, "b"], t=list("prqzz"))
        rows = EncodedTable.of(encoding, read_table(new, estimator=None), is_part=True)
        fills = [2.5, 1.0] if missing == "impute" else [np.nan] * 2
        expected = [
            [1.0, 3.0, fills[0], 9.0, 2.0],
            [0.0, np.nan, 1.0, fills[1], 1.0],
            [2.0, 1.0, 0.0, np.nan, np.nan],
            [np.nan] * 5,
        ]
        np.testing.assert_array_equal(encoding.numbers(rows.cells), expected)


def test_fewer_rows_have_their_own_encoding():
    """States keep their numbers; what is neither declared nor seen is unknown, and merged as before."""
    X = pd.DataFrame(
        {
            "x": [1.0, 1.0, 9.0, 9.0, np.nan, 70.0] * 5,
            "s": list("aabbbc") * 5,
            "t": pd.Categorical(list("pppqqr") * 5, list("rqp")),
            "m": list("uuuuvw") * 5,
            "same": ["k"] * 25 + ["l"] * 5,
        }
    )
    y = np.array([0, 0, 1, 1, 1, 0] * 5, np.int32)
    whole, _ = learn(X, y, max_categories=3)
    rows = EncodedTable.of(whole, read_table(X, estimator=None), is_part=True)
    some = np.flatnonzero((X["s"] != "c") & (X["same"] == "k") & (X["m"] != "v"))
    part = rows.select(some)
    fewer = whole.learned_from(part.cells, y[some], np.ones(len(some)), 2)
    assert (whole.kept, fewer.kept) == ([0, 1, 2, 3, 4], [0, 1, 2])
    assert whole.n_states.tolist() == [3, 3, 3, 3, 2]
    assert fewer.n_states.tolist() == [2, 2, 3]
    alone, _ = learn(X.iloc[some][["x"]], y[some])
    np.testing.assert_array_equal(fewer.features[0].cuts, alone.features[0].cuts)
    assert fewer.features[0].fill == alone.features[0].fill == 1.0
    assert (whole.fills[1], fewer.fills[1]) == (1.0, 0.0)
    found = fewer.numbers(rows.cells)
    np.testing.assert_array_equal(found[1, :6], [0.0, 0.0, 1.0, 1.0, 1.0, np.nan])
    np.testing.assert_array_equal(found[2, :6], [2.0, 2.0, 2.0, 1.0, 1.0, 0.0])
    assert fewer.encode(rows.cells)[:, 5].tolist() == [1, 7, 4]


@pytest.mark.parametrize("threads", [2, 7])
def test_states_do_not_depend_on_threads(threads):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 12_000)
    X = pd.DataFrame(rng.normal(size=(12_000, 3)) + y[:, None]).assign(s=rng.choice(list("abc"), 12_000))
    X.columns = list("uvws")
    encoding, states = learn(X, y)
    threaded, threaded_states = learn(X, y, n_threads=threads)
    np.testing.assert_array_equal(states, threaded_states)
    np.testing.assert_array_equal(encode(encoding, X), encode(threaded, X, n_threads=threads), strict=True)


@pytest.mark.parametrize(("n_states", "dtype"), [(2, np.uint16), (65534, np.uint16), (65535, np.uint32)])
def test_there_is_room_for_unknown_and_any(n_states, dtype):
    encoding, states = learn(np.arange(n_states)[:, None], np.zeros(n_states), categorical_features="all")
    assert states.dtype == dtype
    np.testing.assert_array_equal(states[0], np.arange(n_states))
    assert encode(encoding, np.array([[-1], [n_states]])).tolist() == [[n_states, n_states]]


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
    encoding, states = learn(
        X,
        [0, 1, 0, 1],
        names=list(X.columns),
        categories=[["z", "b", "a"], np.array([1, 2, 3])],
        categorical_features=["code"],
    )
    assert encoding.kept == [0, 2]
    assert [encoding.features[j].states for j in encoding.kept] == [["z", "b", "a"], [1, 2, 3]]
    assert states.tolist() == [[2, 1, 2, 1], [5, 3, 5, 4]]


def test_max_categories_merges_rare_states_and_leaves_unknown_ones_unknown():
    X = pd.DataFrame({"s": list("aaabbbccd"), "t": pd.Categorical(list("ppqqpqpqp"), list("zpqy"))})
    encoding, _ = learn(X, [0, 0, 1, 1, 1, 0, 0, 0, 1], max_categories=3)
    assert [feature.states for feature in encoding.features] == [["a", "b", "(other)"], ["p", "q", "(other)"]]
    new = pd.DataFrame({"s": ["c", "d", "e"], "t": ["z", "y", "p"]})
    assert encode(encoding, new).tolist() == [[2, 2, 6], [5, 5, 3]]


def test_an_infinity_among_text_is_refused_in_a_dropped_column_too():
    encoding, _ = learn(np.array([["k"]] * 4, object), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="Feature 0 contains infinity"):
        encode(encoding, np.array([["k"], [np.inf]], object))


@pytest.mark.parametrize(("classifier", "n_states"), [(CredalCompAODE, 300), (NaiveBayes, 66_000)])
def test_a_column_may_have_very_many_states(classifier, n_states):
    values = np.arange(2 * n_states) % n_states
    X = pd.DataFrame({"id": values, "flag": values % 2 == 0})
    y = values % 3 == 0
    clf = classifier(categorical_features=["id"]).fit(X, y)
    assert [len(one.states) for one in clf.encoding_] == [n_states, 2]
    np.testing.assert_array_equal(clf.predict(X), y)
    assert (clf.predict_proba(pd.DataFrame({"id": [-1], "flag": [True]})).argmax(axis=1) == 0).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, ">i4", np.float32])
@pytest.mark.parametrize("categories", ["auto", [[3, 0, 1], [0, 100, 5], [7, 2], [1, 2]]])
def test_a_table_of_integers_is_read_as_objects_are(dtype, categories):
    rng = np.random.default_rng(30)
    X = np.column_stack([rng.choice(v, 60) for v in ([0, 1, 3], [0, 5, 100], [2, 7], [2])]).astype(dtype)
    y, rules = rng.integers(0, 2, 60), {"categorical_features": "all", "categories": categories}
    encoding, states = learn(X, y, **rules)
    expected, expected_states = learn(X.astype(object), y, **rules)
    assert encoding.kept == [0, 1, 2]
    np.testing.assert_array_equal(states, expected_states)
    new = X.copy()
    new[:4, 0], new[0], new[1] = [4, 101, 0, 2], 120, 99
    for table in (X, new):
        found = encode(expected, table.astype(object))
        np.testing.assert_array_equal(encode(encoding, table), found)
        np.testing.assert_array_equal(encode(encoding, pd.DataFrame(table.astype(np.int64))), found)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, object])
def test_an_integer_after_the_known_ones_is_unknown(dtype):
    X = np.array([[0, 1], [1, 0], [2, 1], [0, 0]], dtype)
    encoding, _ = learn(X, [0, 1, 0, 1], categorical_features="all")
    assert encode(encoding, np.array([[0, 1], [1, 1], [2, 0], [3, 2]], dtype)).tolist() == [
        [0, 1, 2, 5],
        [4, 4, 3, 5],
    ]


def test_encoded_rows_are_selected_with_their_columns():
    X = pd.DataFrame({"x": [1.0, 1.0, 9.0, 9.0] * 5, "s": ["b", "a", "c", "c"] * 5})
    encoding, states = learn(X, [0, 0, 1, 1] * 5)
    rows = EncodedTable.of(encoding, read_table(X, estimator=None))
    np.testing.assert_array_equal(rows.states, states)
    some = rows.select(np.array([3, 0]))
    np.testing.assert_array_equal(some.states, states[:, [3, 0]])
    assert some.cells[0].tolist() == [9.0, 1.0]
    chunk = rows.select(slice(1, 3))
    np.testing.assert_array_equal(chunk.states, states[:, 1:3])
    assert chunk.cells[0].tolist() == [1.0, 9.0]


def test_columns_with_new_states_are_named():
    X = pd.DataFrame({"s": list("abab"), "t": pd.Categorical(list("pqpq"), list("pqr")), "same": ["k"] * 4})
    encoding, _ = learn(X, [0, 1, 1, 0])

    def named(**columns):
        return encoding.columns_with_new_states(read_table(X.assign(**columns), estimator=None))

    assert named() == named(s=None) == named(t="r") == named(same="new") == []
    assert named(s=["a", "c", "a", "a"], t="z") == ["Column 's'", "Column 't'"]
    # Declared, but of no row.
    assert named(t=pd.Categorical(list("pqpq"), list("pqxyz"))) == []


def test_wrong_categories_are_warned_of_once():
    X, y = pd.DataFrame({"s": list("abab"), "t": list("pqqp")}), [0, 1, 0, 1]
    for fit in (lambda clf: clf.fit(X, y), lambda clf: fit_batches(clf, [(X[:2], y[:2]), (X[2:], y[2:])])):
        with pytest.warns(
            UserWarning, match="Column 's' was learned as numbers and now holds only text"
        ) as caught:
            fit(AODE(categories=[[1, 2], ["p", "q"]]))
        assert len(caught) == 1


def test_a_warning_points_at_the_line_of_the_user():
    X = pd.DataFrame({"id": [f"r{r}" for r in range(60)], "kind": list("ab") * 30})
    with pytest.warns(UserWarning, match="look like identifiers") as caught:
        clf = AODE().fit(X, [0, 1, 1] * 20)
    with pytest.warns(UserWarning, match="was learned as text") as later:
        clf.predict(X.assign(kind=1))
    assert [caught[0].filename, later[0].filename] == [__file__] * 2


@pytest.mark.parametrize(
    ("values", "suspicious"),
    [
        ([f"r{r}" for r in range(10)], True),
        ([f"r{r}" for r in range(9)], False),
        ([f"r{r % 95}" for r in range(100)], True),
        ([f"r{r % 94}" for r in range(100)], False),
        ([f"r{r}" if r < 10 else None for r in range(100)], True),  # among the known ones
        ([*range(100)], False),
    ],
)
def test_text_that_differs_in_nearly_all_rows_looks_like_an_identifier(values, suspicious):
    X, y = pd.DataFrame({"key": values, "kind": np.arange(len(values)) % 2}), np.arange(len(values)) % 3
    for weights in (None, np.full(len(X), 0.5)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            AODE().fit(X, y, weights)
            AODE(max_categories=5).fit(X, y, weights)
        assert [("'key'" in str(one.message)) for one in said] == [True] * suspicious


def test_rows_of_weight_zero_are_left_out_of_batches_too():
    X, y, weights = np.array([[0, 1], [1, 0], [0, 0], [1, 1]]), [0, 1, 0, 1], [0, 1, 2, 1]
    expected = NaiveBayes(categorical_features="all").fit(X, y, weights)
    streamed = fit_batches(NaiveBayes(categorical_features="all"), [(X, y, weights)])
    np.testing.assert_array_equal(streamed.counts_.n_ca, expected.counts_.n_ca)
