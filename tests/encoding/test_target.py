"""The classes and the weights of the training rows, alone and through every classifier."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.fixes import parse_version

from pressure_problems import answers, assert_same
from skcredal import AODE, CredalCompAODE, MDLDiscretizer
from skcredal._encoding.target import check_weights, encode_target, read_weights

X = pd.DataFrame({"x": [1.0, 2.0, 10.0, 11.0], "s": list("abab")})


# --- Classes --------------------------------------------------------------------------------------

TARGETS = {
    "list": ["b", "a", "b", "a"],
    "array of objects": np.array(["b", "a", "b", "a"], object),
    "pandas": pd.Series(["b", "a", "b", "a"]),
    "pandas with an index": pd.Series(["b", "a", "b", "a"], index=[7, 7, 3, 1]),
    "pandas arrow": pd.Series(["b", "a", "b", "a"], dtype="string[pyarrow]"),
    "pandas category": pd.Series(["b", "a", "b", "a"], dtype=pd.CategoricalDtype(["z", "b", "a"])),
    "polars": pl.Series(["b", "a", "b", "a"]),
    "polars Enum": pl.Series(["b", "a", "b", "a"], dtype=pl.Enum(["z", "b", "a"])),
    "arrow chunks": pa.chunked_array([["b"], ["a", "b", "a"]]),
    "arrow dictionary": pa.chunked_array([pa.array(["b", "a", "b", "a"]).dictionary_encode()]),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_classes_are_those_present_in_order(kind):
    classes, labels = encode_target(TARGETS[kind], estimator=None)
    assert classes.tolist() == ["a", "b"]
    assert labels.tolist() == [1, 0, 1, 0]
    clf = CredalCompAODE().fit(X, TARGETS[kind])
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.predict(X).tolist() == ["b", "a", "b", "a"]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([3, -1, 3, 3], [-1, 3]),
        ([1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 2.0]),
        (np.array([True, False, True, True], object), [False, True]),
        (pd.Series([3, -1, 3, 3], dtype="Int64"), [-1, 3]),
        (pd.Series([True, False, True, True], dtype="boolean"), [False, True]),
        (["", "a", "", "a"], ["", "a"]),
    ],
)
def test_classes_may_be_numbers_booleans_or_text(y, classes):
    clf = AODE().fit(X, y)
    assert clf.classes_.tolist() == classes
    assert set(clf.predict(X).tolist()) <= set(classes)


@pytest.mark.parametrize(
    "y",
    [
        [0.0, 1.0, np.nan, 1.0],
        ["a", None, "b", "a"],
        np.array(["a", pd.NA, "b", "a"], object),
        pd.Series([True, False, pd.NA, True], dtype="boolean"),
        pd.Series(["a", "b", None, "a"], dtype="category"),
        pl.Series([0, 1, None, 1]),
        pa.chunked_array([["a", "b"], [None, "a"]]),
    ],
)
@pytest.mark.parametrize("estimator", [CredalCompAODE(), MDLDiscretizer()])
def test_a_missing_class_is_refused(y, estimator):
    with pytest.raises(ValueError, match=r"y contains (a missing value|NaN)"):
        estimator.fit(X[["x"]], y)


@pytest.mark.parametrize("estimator", [CredalCompAODE(), MDLDiscretizer()])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([0.5, 1.5, 2.25, 3.0], "Unknown label type: continuous"),
        ([[0, 1], [1, 0], [0, 0], [1, 1]], r"y should be a 1d array, got an array of shape \(4, 2\)"),
        ([0, 1, 0], "y must have one class for each of the 4 rows of X, got 3"),
        ([0.0, np.inf, 0.0, 1.0], "y contains infinity"),
    ],
)
def test_what_is_no_class_is_refused(estimator, y, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X[["x"]], y)


@pytest.mark.parametrize("kind", [lambda y: y, np.array, pd.Series, lambda y: np.array(y, object)])
def test_many_classes_are_suspicious_only_in_few_rows(kind):
    y = [f"class {r % 30}" for r in range(70)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(encode_target(kind(y), estimator=None)[0]) == 30
        encode_target(kind(y[:60]), estimator=None)
    if parse_version(sklearn.__version__) >= parse_version("1.8"):  # older ones do not warn
        with pytest.warns(UserWarning, match="could represent a regression problem"):
            encode_target(kind(y[:58]), estimator=None)


def test_a_column_of_classes_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        clf = AODE().fit(X, np.array([["b"], ["a"], ["b"], ["a"]]))
    assert clf.classes_.tolist() == ["a", "b"]


# --- Weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        [2, 0, 1],
        np.array([2, 0, 1], np.uint8),
        pd.Series([2, 0, 1], index=[5, 5, 5]),
        pd.Series([2, 0, 1], dtype="Int64"),
        pa.chunked_array([[2], [0, 1]]),
    ],
)
def test_weights_of_every_kind_are_numbers(given):
    weights = read_weights(given, 3)
    assert weights.tolist() == [2, 0, 1]
    assert weights.dtype == np.float64


def test_weights_may_be_one_number_or_none():
    assert read_weights(None, 2) is None
    assert read_weights(3, 2).tolist() == [3, 3]


def test_only_a_batch_may_have_weights_that_are_all_zero():
    assert check_weights([0, 0], 2).tolist() == [0, 0]
    with pytest.raises(ValueError, match="sample_weight must contain a number > 0, got only zeros"):
        read_weights([0, 0], 2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -0.5, 1], r"sample_weight must contain 0 or numbers from .*, got -0\.5 in row 2"),
        ([1, np.nan, 1, 1], "sample_weight must contain 0 or numbers from .*, got nan in row 1"),
        ([np.inf, 1, 1, 1], "sample_weight must contain 0 or numbers from .*, got inf in row 0"),
        (pl.Series([1, 1, None, 1]), "sample_weight must contain 0 or numbers from .*, got nan in row 2"),
        ([0, 0, 0, 0], "sample_weight must contain a number > 0, got only zeros"),
        ([[1], [1], [1], [1]], r"sample_weight must be 1D, .* got an array of shape \(4, 1\)"),
        ([1, 1, 1], "sample_weight .*4.*3|sample_weight .*3.*4"),
        (["heavy"] * 4, "sample_weight must .*heavy"),
    ],
)
@pytest.mark.parametrize("estimator", [AODE(), CredalCompAODE(), MDLDiscretizer()])
def test_a_bad_weight_is_refused_with_the_rule_and_the_value(estimator, weights, message):
    with pytest.raises((TypeError, ValueError), match=message):
        estimator.fit(X[["x"]], [0, 1, 0, 1], sample_weight=weights)


@pytest.mark.parametrize("make", [pd.DataFrame, lambda X: np.array(pd.DataFrame(X, dtype=object)), pa.table])
@pytest.mark.parametrize("classifier", [AODE, CredalCompAODE])
def test_a_row_of_weight_zero_is_absent(classifier, make):
    """A class, a state, a number and even an infinity vanish with their rows."""
    columns = {
        "number": [1.0, 2.0, 10.0, 11.0, 1.5, 10.5, 500.0, np.inf],
        "text": ["a", "b", "b", "b", "a", "a", "vanishes", "b"],
    }
    y, weights = np.array(["u", "u", "v", "v", "u", "v", "gone", "v"]), [1, 2, 1, 1, 3, 1, 0, 0]
    weighted = classifier().fit(make(columns), y, sample_weight=weights)
    present = {name: values[:6] for name, values in columns.items()}
    without = classifier().fit(make(present), y[:6], sample_weight=weights[:6])
    assert weighted.classes_.tolist() == ["u", "v"]
    assert weighted.counts_.n_states.tolist() == [2, 2]
    probes = make({"number": [1.0, 500.0, 5.0, 5.0], "text": ["a", "b", "vanishes", None]})
    methods = ("predict", "predict_proba", "predict_set", "spode_proba")
    assert_same(answers(weighted, probes, methods), answers(without, probes, methods))


def test_a_declared_state_stays_though_its_rows_weigh_nothing():
    X = pd.DataFrame({"s": pd.Categorical(["a", "b", "c", "a"])})
    clf = AODE().fit(X, [0, 1, 0, 0], sample_weight=[1, 1, 0, 1])
    assert clf.counts_.n_states.tolist() == [3]
    assert clf.counts_.values(0).tolist() == [[2, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64, np.uint64, ">i4"])
@pytest.mark.parametrize("values", [[0, 1], [3, 7, 100], [5], [1, 2, 3, 0], [-2, 1]])
def test_small_integers_are_classes_as_sorting_finds_them(dtype, values):
    y = np.random.default_rng(0).choice(values, 50).astype(dtype)
    for target in (y, y[::2]):
        classes, labels = encode_target(target, estimator=None)
        expected, places = np.unique(target, return_inverse=True)
        assert classes.dtype == target.dtype
        assert labels.dtype == np.int32
        np.testing.assert_array_equal(classes, expected)
        np.testing.assert_array_equal(labels, places)
