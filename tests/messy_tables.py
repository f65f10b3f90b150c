"""Tables as they come: numbers, text, booleans, categories and mixtures, with missing cells of all kinds."""

import decimal

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

CATEGORIES = ["zebra", "ant", "never seen", "bee"]


def _numbers(rng, y):
    values = np.round(rng.normal(size=len(y)) + y, int(rng.integers(0, 4)))
    values[rng.random(len(y)) < 0.2] = np.nan
    return values


def _text(rng, y):
    values = np.where(rng.random(len(y)) < 0.6, y % 3, rng.integers(0, 3, len(y)))
    text = np.array(["cc", "a", "bbb"], object)[values]
    text[rng.random(len(y)) < 0.2] = None
    return text


def _categories(rng, y):
    codes = np.where(rng.random(len(y)) < 0.5, y % 2, rng.integers(0, 2, len(y)))
    return pd.Categorical.from_codes(np.where(rng.random(len(y)) < 0.1, -1, codes * 3), CATEGORIES)


def _mixed(rng, y):
    pool = np.empty(6, object)
    pool[:] = ["text", 3, 2.5, None, np.nan, True]
    return pool[rng.integers(0, len(pool), len(y))]


def _number_objects(rng, y):
    pool = np.empty(5, object)
    pool[:] = [1, 2.5, decimal.Decimal("7"), None, np.nan]
    return pool[np.where(rng.random(len(y)) < 0.5, y % 3, rng.integers(0, 5, len(y)))]


COLUMNS = {
    "numbers": _numbers,
    "whole": lambda rng, y: rng.integers(0, 9, len(y)) + 2 * y,
    "text": _text,
    "flag": lambda rng, y: rng.random(len(y)) < 0.2 + 0.2 * y,
    "category": _categories,
    "mixed": _mixed,
    "number objects": _number_objects,
    "constant": lambda rng, y: np.ones(len(y)),
    "nothing": lambda rng, y: np.full(len(y), None, object),
}

seeds = st.integers(0, 2**32 - 1)


def messy_table(rng, *, weighting="none"):
    """Return a pandas table, classes and weights (``None``, whole, or eighths, whose sums are exact)."""
    n = int(rng.integers(2, 60))
    y = rng.integers(0, rng.integers(1, 5), n)
    chosen = rng.permutation(list(COLUMNS))[: rng.integers(1, len(COLUMNS) + 1)]
    X = pd.DataFrame({name: COLUMNS[name](rng, y) for name in chosen})
    weights = {"none": None, "whole": rng.integers(0, 4, n), "eighths": rng.integers(0, 24, n) / 8.0}[
        weighting
    ]
    if weights is not None and not weights.any():
        weights[0] = 1
    return X, np.array(["no", "yes", "perhaps", "x"])[y], weights


def split(rng, X, y, weights):
    """Return the rows as batches at random places, some of them empty, and some of a single row."""
    places = np.sort(rng.integers(0, len(y) + 1, rng.integers(0, 6)))
    batches = []
    for rows in np.split(np.arange(len(y)), places):
        batch = (X.iloc[rows], y[rows])
        batches.append(batch if weights is None else (*batch, weights[rows]))
    return batches


def as_polars(X):
    return pl.from_pandas(X.drop(columns=["mixed", "number objects", "nothing"], errors="ignore"))


def as_arrow(X):
    frame = X.drop(columns=["mixed", "number objects", "nothing"], errors="ignore")
    return pa.Table.from_pandas(frame, preserve_index=False)
