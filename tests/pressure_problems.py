"""A messy table, all classifiers, and all that they answer, for the tests of threads and n_jobs."""

import os

import numpy as np
import pandas as pd

import skcredal

CLASSIFIERS = [
    getattr(skcredal, name) for name in skcredal.__all__ if hasattr(getattr(skcredal, name), "predict")
]
# Three of them, or all in `make soak`.
FEW = [skcredal.CredalCompAODE, skcredal.NaiveCredal, skcredal.CredalLogPoolAODE]
CHOSEN = CLASSIFIERS if os.environ.get("SKCREDAL_SOAK") else FEW
METHODS = (
    *("predict", "predict_proba", "predict_log_proba", "predict_set", "predict_interval"),
    *("robustness", "spode_proba", "explain"),
)


def messy_table(n, seed=0):
    """Return numbers, text and flags with holes that tell something of three classes, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    text = np.where(rng.random(n) < 0.6, y, rng.integers(0, 4, n))
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2) + 2 * y),
            "text": pd.Series([None if rng.random() < 0.1 else f"t{t}" for t in text], dtype=object),
            "flag": rng.random(n) < 0.2 + 0.3 * y,
            "size": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["S", "M", "L", "never"]),
            "noise": rng.integers(0, 50, n),
        }
    )
    return X, np.array(["r", "s", "t"])[y]


def answers(clf, X, methods=METHODS):
    return {method: getattr(clf, method)(X) for method in methods if hasattr(clf, method)}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for method, values in found.items():
        if method == "explain":
            pd.testing.assert_frame_equal(values, expected[method], check_exact=True)
        else:
            np.testing.assert_array_equal(values, expected[method], err_msg=method, strict=True)
