"""Arrays of every numeric dtype and layout give the answers of the same numbers as int64."""

import numpy as np
import pandas as pd
import pytest

from skcredal import CompAODE, CredalLogPoolAODE

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"]
FOREIGN = [f">{dtype}" for dtype in DTYPES if dtype not in ("i1", "u1", "g")]
LAYOUTS = [
    np.asfortranarray,
    lambda values: np.repeat(np.repeat(values, 2, 0), 2, 1)[::2, ::2],
    lambda values: values[::-1, ::-1].copy()[::-1, ::-1],
    lambda values: np.frombuffer(values.tobytes(), values.dtype).reshape(values.shape),  # read-only
]


@pytest.mark.parametrize("categorical", ["from_dtype", "all"])
@pytest.mark.parametrize("kind", [CompAODE, CredalLogPoolAODE])
def test_every_dtype_and_layout_gives_the_answers_of_its_numbers(kind, categorical):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 90)
    # Small integers, which every dtype holds exactly, and weights.
    follows = np.where(rng.random((90, 3)) < 0.6, y[:, None], rng.integers(0, 3, (90, 3)))
    X = follows * 20 + rng.integers(0, 2, (90, 3))
    more = np.stack([y, (y + 1) * (np.arange(90) % 2 + 1)], axis=1)

    def proba(table, target_and_weights):
        clf = kind(categorical_features=categorical).fit(table, *target_and_weights.T)
        return clf.predict_proba(table[:20])

    expected = proba(X, more)
    for dtype in (*DTYPES, *FOREIGN):
        np.testing.assert_array_equal(proba(X.astype(dtype), more.astype(dtype)), expected)
    for dtype in ("u8", ">i8", ">f4"):
        np.testing.assert_array_equal(proba(pd.DataFrame(X).astype(dtype), more), expected)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(proba(layout(X), layout(more)), expected)
