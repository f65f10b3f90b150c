"""Arrays of every numeric dtype and layout give the answers of the same numbers as float64 or int64."""

import numpy as np
import pandas as pd
import pytest

from skcredal import CompAODE, CredalLogPoolAODE, NaiveCredal

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"]
FOREIGN = [f">{dtype}" for dtype in DTYPES if dtype not in ("i1", "u1", "g")]


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


def numbers():
    """Return small integers that every dtype holds exactly and that tell something of the class, and it."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 90)
    follows = np.where(rng.random((90, 3)) < 0.6, y[:, None], rng.integers(0, 3, (90, 3)))
    return follows * 20 + rng.integers(0, 2, (90, 3)), y, (y + 1) * (np.arange(90) % 2 + 1)


def answers(kind, X, y, rows, weight=None, **parameters):
    """Return what a classifier that learned from X says of some rows."""
    model = kind(**parameters).fit(X, y, sample_weight=weight)
    said = [model.predict(rows).astype(np.int64), model.predict_proba(rows)]
    return [*said, model.predict_set(rows)] if hasattr(model, "predict_set") else said


def assert_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
@pytest.mark.parametrize("kind", [CompAODE, CredalLogPoolAODE, NaiveCredal])
def test_every_dtype_and_layout_gives_the_answers_of_its_numbers(kind, categorical):
    X, y, weight = numbers()
    expected = answers(kind, X, y, X[:20], weight, categorical_features=categorical)
    for dtype in (*DTYPES, *FOREIGN):
        table, frame = X.astype(dtype), pd.DataFrame(X).astype(dtype) if dtype != "g" else X
        target, weights = y.astype(dtype), weight.astype(dtype)
        for one in (table, frame):
            found = answers(kind, one, target, one[:20], weights, categorical_features=categorical)
            assert_equal(found, expected)
    for layout in LAYOUTS.values():
        table = layout(X.astype("i4"))
        target, weights = layout(np.stack([y, weight], axis=1).astype("i4")).T
        assert_equal(
            answers(kind, table, target, table[:20], weights, categorical_features=categorical), expected
        )
    # One row in memory stands for all rows.
    same, once = np.repeat(X[:1], 20, axis=0), np.broadcast_to(X[0], (20, 3))
    expected = answers(kind, X, y, same, categorical_features=categorical)
    assert_equal(answers(kind, X, y, once, categorical_features=categorical), expected)


@pytest.mark.parametrize("kind", [CompAODE, CredalLogPoolAODE, NaiveCredal])
def test_booleans_are_categories(kind):
    X, y, _ = numbers()
    X, y = X > 20, y > 0
    whole, as_float = X.astype(np.int64), X[:9].astype(float)
    expected = answers(kind, whole, y.astype(np.int64), as_float, categorical_features="all")
    assert_equal(answers(kind, X, y, X[:9]), expected)


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
def test_unsigned_integers_beyond_the_signed_ones_are_numbers_like_others(categorical):
    X = np.array([[0, 1], [2**63, 1], [2**64 - 1, 0], [3, 0]] * 10, np.uint64)
    y = X[:, 0] > 5
    model = CompAODE(categorical_features=categorical).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    # A model of small integers takes large ones for unknown, or for numbers above all others.
    small = CompAODE(categorical_features=categorical).fit(X % 7, y)
    np.testing.assert_array_equal(small.predict_proba(X), small.predict_proba(X.astype(object)))
