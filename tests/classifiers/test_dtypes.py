"""Arrays of every numeric dtype and layout give the answers of the same numbers as float64 or int64."""

import numpy as np
import pandas as pd
import pytest

import skcredal

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"]
FOREIGN = [f">{dtype}" for dtype in DTYPES if dtype not in ("i1", "u1", "g")]


def zero_stride(values):
    """Return a view in which one row in memory stands for all rows."""
    return np.broadcast_to(values[0], values.shape)


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "every other cell": lambda values: np.repeat(np.repeat(values, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda values: values[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
}


@pytest.fixture(scope="module")
def numbers():
    """Return small integers that every dtype holds exactly and that tell something of the class, and it."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 90)
    follows = np.where(rng.random((90, 3)) < 0.6, y[:, None], rng.integers(0, 3, (90, 3)))
    return follows * 20 + rng.integers(0, 2, (90, 3)), y


PUBLIC = [getattr(skcredal, name) for name in skcredal.__all__]
CLASSIFIERS = [made for made in PUBLIC if hasattr(made, "predict_proba")]


def answers(classifier, X, y, rows, weight=None, **parameters):
    """Return what a classifier that learned from X says of some rows."""
    model = classifier(**parameters).fit(X, y, sample_weight=weight)
    said = [model.predict(rows).astype(np.int64)]
    for method in ("predict_proba", "predict_set"):
        if hasattr(model, method):
            said.append(np.asarray(getattr(model, method)(rows)))
    return said


def assert_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def weights_of(y):
    return (y + 1) * (np.arange(len(y)) % 2 + 1)


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_dtype_gives_the_answers_of_its_numbers(numbers, classifier, categorical):
    X, y = numbers
    weight = weights_of(y)
    expected = answers(classifier, X, y, X[:20], weight, categorical_features=categorical)
    for dtype in (*DTYPES, *FOREIGN):
        table, target, weights = X.astype(dtype), y.astype(dtype), weight.astype(dtype)
        found = answers(classifier, table, target, table[:20], weights, categorical_features=categorical)
        assert_equal(found, expected)


@pytest.mark.parametrize("dtype", ["u1", "i8", "u8", ">i4", "f4"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_layout_gives_the_answers_of_its_numbers(numbers, classifier, dtype):
    X, y = numbers
    weight = weights_of(y)
    parameters = {"categorical_features": "all"}
    expected = answers(classifier, X, y, X[:20], weight, **parameters)
    for layout in LAYOUTS.values():
        table = layout(X.astype(dtype))
        target, weights = layout(np.stack([y, weight], axis=1).astype(dtype)).T
        assert_equal(answers(classifier, table, target, table[:20], weights, **parameters), expected)
    rows = X[:20].astype(dtype)
    expected = answers(classifier, X, y, np.repeat(X[:1], 20, axis=0), weight, **parameters)
    assert_equal(answers(classifier, X, y, zero_stride(rows), weight, **parameters), expected)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_booleans_are_categories(numbers, classifier):
    X, y = numbers
    X, y = X > 20, y > 0
    expected = answers(
        classifier, X.astype(np.int64), y.astype(np.int64), X[:9].astype(float), categorical_features="all"
    )
    assert_equal(answers(classifier, X, y, X[:9]), expected)


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
def test_unsigned_integers_beyond_the_signed_ones_are_numbers_like_others(categorical):
    X = np.array([[0, 1], [2**63, 1], [2**64 - 1, 0], [3, 0]] * 10, np.uint64)
    y = X[:, 0] > 5
    model = skcredal.CompAODE(categorical_features=categorical).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    # A model of small integers takes large ones for unknown, or for numbers above all others.
    small = skcredal.CompAODE(categorical_features=categorical).fit(X % 7, y)
    as_objects = small.predict_proba(X.astype(object))
    np.testing.assert_array_equal(small.predict_proba(X), as_objects)


@pytest.mark.parametrize("dtype", ["uint64", ">i8", ">f8", ">u2"])
def test_columns_of_a_frame_may_have_any_dtype(numbers, dtype):
    X, y = numbers
    frame, parameters = pd.DataFrame(X, columns=list("abc")), {"categorical_features": "all"}
    expected = answers(skcredal.CompAODE, frame, y, frame, **parameters)
    other = frame.astype(dtype)
    assert_equal(answers(skcredal.CompAODE, other, pd.Series(y, dtype=dtype), other, **parameters), expected)
