"""Tables of every kind through the classifiers: what is taken, how, and what is refused."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import pressure_problems
from pressure_problems import assert_same
from skcredal import AODE, CompAODE, CredalBmaAODE, CredalCompAODE, CredalLogPoolAODE


def messy_columns(rng, n):
    y = rng.integers(0, 3, n)
    follows = np.where(rng.random((3, n)) < 0.6, y, rng.integers(0, 3, (3, n)))
    columns = {
        "age": (follows[0] * 10 + rng.integers(0, 9, n) / 2).tolist(),
        "visits": (follows[1] * 3 + rng.integers(0, 3, n)).tolist(),
        "colour": np.array(["red", "green", "blue"])[follows[2]].tolist(),
        "smoker": (rng.random(n) < 0.2 + 0.3 * y).tolist(),
        "noise": rng.choice(["p", "q"], n, p=[0.7, 0.3]).tolist(),
    }
    holes = {
        name: [None if hole else value for hole, value in zip(rng.random(n) < 0.15, values, strict=True)]
        for name, values in columns.items()
    }
    return holes, np.array(["hi", "lo", "mid"])[y]


def as_rows(columns):
    return [list(row) for row in zip(*columns.values(), strict=True)]


METHODS = ("predict", "predict_proba", "predict_set", "spode_proba")  # explanations are tables
TEXT = ("colour", "noise")
CONTAINERS = {
    "rows": as_rows,
    "objects": lambda columns: np.array(as_rows(columns), object),
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas category": lambda columns: pd.DataFrame(columns).astype(dict.fromkeys(TEXT, "category")),
    "polars": pl.DataFrame,
    "polars Categorical": lambda columns: pl.DataFrame(columns).cast(dict.fromkeys(TEXT, pl.Categorical)),
    "polars Enum": lambda columns: pl.DataFrame(columns).cast(
        {"colour": pl.Enum(["blue", "green", "red"]), "noise": pl.Enum(["p", "q"])}
    ),
    "arrow": pa.table,
}


def answers(clf, X):
    return pressure_problems.answers(clf, X, METHODS)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("classifier", [AODE, CredalCompAODE, CredalLogPoolAODE])
def test_the_same_data_in_any_container_gives_the_same_answers(classifier, container, missing):
    rng = np.random.default_rng(1)
    (train, y), (test, _) = messy_columns(rng, 80), messy_columns(rng, 30)
    make = CONTAINERS[container]
    expected = classifier(missing=missing).fit(CONTAINERS["objects"](train), y)
    clf = classifier(missing=missing).fit(make(train), y)
    assert_same(answers(clf, make(test)), answers(expected, CONTAINERS["objects"](test)))
    assert clf.predict(make({name: values[:1] for name, values in train.items()})).shape == (1,)
    if container not in ("rows", "objects"):  # a model of one library takes the tables of another
        named = classifier(missing=missing).fit(pd.DataFrame(train), y)
        assert named.feature_names_in_.tolist() == list(train)
        assert_same(answers(named, make(test)), answers(named, pd.DataFrame(test)))


FRAME = pd.DataFrame({"x": [1.0, 2.0, 2.5, 10.0, 11.0], "s": list("abbbc"), "drop": [7.0] * 5})
LABELS = ["u", "u", "u", "v", "v"]


@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas])
@pytest.mark.parametrize("column", ["s", "constant"])
def test_handle_unknown_refuses_by_column_and_value(make, column):
    X = FRAME.assign(constant="k")
    clf = CredalCompAODE(handle_unknown="error").fit(make(X), LABELS)
    clf.predict(make(X.assign(s=None)))
    with pytest.raises(ValueError, match=f"Column '{column}' must contain only known states .*, got 'new'"):
        clf.predict(make(X.assign(**{column: [*FRAME["s"][:4], "new"] if column == "s" else "new"})))


@pytest.mark.parametrize("impute", ["impute", "marginalize"])
def test_a_training_value_outside_the_categories_is_unknown_or_refused(impute):
    X = FRAME[["s"]]
    clf = AODE(categories=[["c", "a", "never"]], missing=impute).fit(X, LABELS)
    assert clf.counts_.values(0).tolist() == [[0, 1], [1, 0], [0, 0]]
    assert clf.counts_.n_c.tolist() == [3, 2]
    assert np.isnan(clf.spode_proba(X)[1:4]).all()
    assert not np.isnan(clf.spode_proba(pd.DataFrame({"s": ["never"]}))).any()
    with pytest.raises(ValueError, match=r"Column 's' must contain only known states .*, got 'b'"):
        AODE(categories=[["c", "a"]], handle_unknown="error").fit(X, LABELS)


X8 = np.arange(8.0)
DATES = pd.date_range("2020-01-01", periods=8)
REFUSED = {
    "sparse array": (sparse.coo_array(np.eye(8)), "Sparse data was passed for X, but dense data"),
    "datetimes": (pd.DataFrame({"d": DATES}), "Column 'd': dtype Timestamp"),
    "infinity": (np.where(X8 == 3, np.inf, X8)[:, None], "Feature 0 contains infinity"),
    "complex": (np.array([[1j]] * 8), "Complex data not supported"),
    "lists": (pd.DataFrame({"x": [[1]] * 8}), "Column 'x' contains a list"),
    "lazy frame": (pl.LazyFrame({"x": X8}), "X is a lazy table .*collect"),
    "equal names": (pd.DataFrame(np.ones((8, 2)), columns=["a", "a"]), "must have different names.*'a'"),
    "masked": (np.ma.masked_array(np.ones((8, 1)), mask=np.eye(8)[:, :1]), "masked array"),
    "ragged": ([[1, 2], [3]] * 4, "X cannot be read: .* inhomogeneous shape"),
    "too large": ([[10**400], [1]] * 4, r"Feature 0 is numeric, but row 0 contains 10{30}"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_of_features_is_refused_by_column(kind):
    X, message = REFUSED[kind]
    with pytest.raises((TypeError, ValueError), match=re.compile(message, re.DOTALL)):
        CredalCompAODE().fit(X, [0, 1] * 4)


@pytest.mark.parametrize("column", ["x", "s", "drop", "constant"])
@pytest.mark.parametrize("cell", [np.inf, pd.Timestamp("2020-01-01").as_unit("ns")])
def test_infinities_and_dates_are_refused_in_prediction_as_in_training(column, cell):
    X = FRAME.assign(constant="k")
    clf = AODE().fit(X, LABELS)
    with pytest.raises((TypeError, ValueError), match=f"Column '{column}'"):
        clf.predict(X.assign(**{column: cell}))


@pytest.mark.parametrize("classifier", [CompAODE, CredalBmaAODE, CredalCompAODE])
def test_an_epsilon_beyond_its_bound_is_taken_as_just_below_it(classifier):
    X = np.array([list("ab") * 15, list("ba") * 15] * 2)
    with pytest.warns(UserWarning, match=r"epsilon must lie below 1/31 .* 0\.05"):
        found = classifier(epsilon=0.05).fit(X, [0, 1, 0, 1])
    assert found.epsilon_ == np.nextafter(1 / 31, 0)
    assert classifier(epsilon=0.03).fit(X, [0, 1, 0, 1]).epsilon_ == 0.03


@pytest.mark.parametrize(("learned", "given"), [(["1", "2", "x"], [1, 2, 1]), ([1, 2, 3], ["1", "2", "1"])])
def test_a_column_whose_kind_changes_altogether_is_named_and_a_new_category_is_not(learned, given):
    X = pd.DataFrame({"code": learned * 20, "v": range(60)})
    clf = AODE(categorical_features=["code"]).fit(X, ["a", "b", "b"] * 20)
    with pytest.warns(UserWarning, match=r"Column 'code' .*(text|numbers)") as caught:
        proba = clf.predict_proba(pd.DataFrame({"code": given, "v": [1, 1, 1]}))
    assert caught[0].filename == __file__
    assert np.isfinite(proba).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for code in (["new", learned[0]], [learned[0], 7]):
            clf.predict(pd.DataFrame({"code": code, "v": [1, 1]}))
