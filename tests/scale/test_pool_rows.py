"""LP-AODE* from batches, files and partitions is the model of ``fit``: the same rows, in the same order."""

import numpy as np
import pandas as pd
import pytest

from same_models import assert_same_model
from skcredal import CredalLogPoolAODE
from skcredal.scale import fit_batches, fit_dask


def table(n=700):
    """Return columns of all kinds with missing cells, classes, and weights, some of which are 0."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(y, 1.0), 2)),
            "noise": rng.normal(size=n).round(3),  # without cuts
            "whole": rng.poisson(2 + y),
            "text": np.where(rng.random(n) < 0.6, "u", np.array(list("vwx"))[y]),
            "flag": rng.random(n) < 0.2 + 0.2 * y,
            "size": pd.Categorical(rng.choice(["s", "m", None], n), ["s", "m", "xl"]),
        }
    )
    frame.loc[::13, "text"] = None
    return frame, np.array(["a", "b", "c"], object)[y], rng.integers(0, 3, n)


def cut(size, *arrays):
    """Return batches of so many rows."""
    n = len(arrays[0])
    return [tuple(array[start : start + size] for array in arrays) for start in range(0, n, size)]


def assert_same_answers(found, expected, X):
    assert_same_model(found, expected)
    assert found.regions_.tolist() == expected.regions_.tolist()
    np.testing.assert_allclose(found.predict_interval(X), expected.predict_interval(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.predict_set(X), expected.predict_set(X))


# With fewer rows than there are, so that the choice of rows matters; some weigh nothing and are not numbered.
@pytest.mark.parametrize("max_rows", [100, 2000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("treatment", ["impute", "marginalize"])
def test_batches_of_any_size_give_the_same_pool(treatment, weighted, max_rows):
    X, y, weights = table()
    clf = CredalLogPoolAODE(max_rows=max_rows, random_state=5, missing=treatment, max_categories=3)
    expected = clf.fit(X, y, sample_weight=weights if weighted else None)
    for size in (1000, 97):
        given_rows = (X, y, weights) if weighted else (X, y)
        clf = CredalLogPoolAODE(max_rows=max_rows, random_state=5, missing=treatment, max_categories=3)
        assert_same_answers(fit_batches(clf, cut(size, *given_rows)), expected, X)


@pytest.mark.parametrize("n_parts", [1, 4, 20])
def test_partitions_give_the_same_pool(n_parts):
    frames = pytest.importorskip("dask.dataframe")
    X, y, weights = table()
    expected = CredalLogPoolAODE(max_rows=100).fit(X, y, sample_weight=weights)
    data = frames.from_pandas(X.assign(kind=y, weight=weights), npartitions=n_parts, sort=False)
    # Partitions without rows, and without rows that count, have no numbers.
    data = data[(data["weight"] > 0) | (data["whole"] > 3)] if n_parts == 4 else data
    if n_parts == 4:
        kept = (weights > 0) | (X["whole"] > 3).to_numpy()
        expected = CredalLogPoolAODE(max_rows=100).fit(X[kept], y[kept], sample_weight=weights[kept])
    found = fit_dask(CredalLogPoolAODE(max_rows=100), data, target="kind", sample_weight="weight")
    assert_same_answers(found, expected, X)
