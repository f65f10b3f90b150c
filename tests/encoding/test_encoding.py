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

DICTIONARY = pa.DictionaryArray.from_arrays


def learn(X, y, *, weights=None, names=None, n_threads=1, **rules):
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
    categories = "auto" if declared is None else [declared]
    X = pd.DataFrame({"f": pd.Series(values, dtype=object)})
    with warnings.catch_warnings(action="ignore"):
        encoding, _ = learn(X, np.zeros(len(values)), weights=weights, categories=categories, **rules)
    return encoding.features[0]


def local_codes(feature, values):
    cells = feature.read(Column("f", np.array(values, object)))
    return feature.encode(cells, np.arange(feature.n_states + 2)).tolist()


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
        few, many = (
            feature.encode(feature.read(Column("f", np.tile(probes, times))), np.arange(len(cuts) + 3))
            for times in (1, 1 + 1000 // len(probes))
        )
        np.testing.assert_array_equal(many[: len(probes)], few)
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
    ],
)
def test_the_rarest_states_are_merged_into_one(values, declared, most, states, groups):
    feature = learn_categorical(values, declared=declared, max_categories=most)
    assert feature.states == states
    assert feature.n_states == len(states)
    assert local_codes(feature, list(groups)) == list(groups.values())
    assert local_codes(feature, ["unheard of"]) == [len(states)]


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


def test_a_missing_value_that_may_be_any_is_the_state_after_unknown():
    X = pd.DataFrame(
        {"x": [1.0, 1.0, 9.0, np.nan] * 5, "s": ["b", "a", None, "a"] * 5, "t": list("pqpq") * 5}
    )
    encoding, states = learn(X, [0, 0, 1, 1] * 5, names=list(X), conservative_features=["x", "s"])
    assert encoding.conservative.tolist() == [True, True, False]
    assert states[:, :4].tolist() == [[0, 0, 1, 7], [3, 2, 7, 2], [4, 5, 4, 5]]
    # A value that is not among the states is still unknown, and other columns are imputed.
    new = pd.DataFrame({"x": [np.nan], "s": ["new"], "t": [None]})
    assert encode(encoding, new).ravel().tolist() == [7, 6, 4]


CHOICES = [
    ("from_dtype", [False, False, True]),
    ("all", [True, True, True]),
    ([-2], [False, True, True]),
    (pd.Index(["q", "p"]), [True, True, True]),
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


@pytest.mark.parametrize(("classifier", "n_states"), [(CredalCompAODE, 300), (NaiveBayes, 66_000)])
def test_a_column_may_have_very_many_states(classifier, n_states):
    values = np.arange(2 * n_states) % n_states
    X = pd.DataFrame({"id": values, "flag": values % 2 == 0})
    y = values % 3 == 0
    clf = classifier(categorical_features=["id"]).fit(X, y)
    assert [len(one.states) for one in clf.encoding_] == [n_states, 2]
    np.testing.assert_array_equal(clf.predict(X), y)
    assert (clf.predict_proba(pd.DataFrame({"id": [-1], "flag": [True]})).argmax(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("values", "suspicious"),
    [
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


def test_the_record_of_a_column_names_its_cuts():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 90)
    X = pd.DataFrame({"x": rng.normal(size=90) + 3 * y, "noise": rng.normal(size=90), "s": ["k"] * 90})
    x, noise, s = AODE().fit(X, y).encoding_
    assert (x.name, x.kind, x.kept, x.why_not) == ("x", "numeric", True, "")
    assert x.range == (X["x"].min(), X["x"].max())
    assert (noise.kept, noise.cuts) == (False, ())
    assert (s.kept, s.states) == (False, ("k",))
    assert noise.why_not != s.why_not
    # Trees and line take a column without cuts.
    assert [one.kept for one in LogPoolAODE(n_regions=2).fit(X, y).encoding_] == [True, True, False]
