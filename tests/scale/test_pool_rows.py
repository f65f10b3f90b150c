"""LP-AODE* from batches, files and partitions is the model of ``fit``: the same rows, in the same order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from same_models import assert_same_model, fitted
from skcredal import CredalLogPoolAODE
from skcredal._encoding.columns import Column
from skcredal._encoding.tables import Table
from skcredal.classifiers._rows import LabelledRows, RowSample, row_hashes
from skcredal.scale import fit_batches, fit_dask, scan_parquet


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


def objects_of_numbers(n, rng):
    """Return objects that are numbers in some batches and mixed with text in others."""
    cells = np.array([1, 2.5, None, "text", 7], object)[rng.integers(0, 5, n)]
    cells[: n // 2] = np.array([1, 2.5, None, 3, 7], object)[rng.integers(0, 5, n // 2)]
    return cells


@pytest.mark.parametrize("max_rows", [40, 5000])
@pytest.mark.parametrize("treatment", ["impute", "marginalize"])
def test_batches_that_do_not_look_alike(treatment, max_rows):
    """Each batch declares other categories, has its own kind of objects, or no text at all."""
    rng = np.random.default_rng(0)
    X, y, _ = table(300)
    X = X.assign(
        mixed=objects_of_numbers(300, rng),
        numbers=np.array([1, 2.5, None, 4], object)[rng.integers(0, 4, 300)],
    )
    X.loc[100:199, "text"] = None
    batches = cut(100, X, y)
    clf = CredalLogPoolAODE(missing=treatment, max_rows=max_rows, categorical_features=["whole"])
    expected = fitted(lambda: clf.fit(X, y))
    found = CredalLogPoolAODE(missing=treatment, max_rows=max_rows, categorical_features=["whole"])
    # pandas reads a column without a cell as numbers.
    batches[1][0]["text"] = np.nan
    assert_same_answers(fitted(lambda: fit_batches(found, batches)), expected, X)


def test_categories_that_differ_among_batches():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 90)
    cells = np.where(rng.random(90) < 0.6, np.array(["a", "c"])[y], "b")
    noise = rng.normal(size=90).round(2)

    def frame(rows, states):
        return pd.DataFrame({"s": pd.Categorical(cells[rows], states), "x": noise[rows]})

    parts = [slice(0, 30), slice(30, 60), slice(60, 90)]
    # Declared states come batch after batch: together, they are those of the whole table.
    declared = [["c", "a", "b"], ["b", "d", "a", "c"], ["a", "b", "c", "e"]]
    batches = [(frame(rows, states), y[rows]) for rows, states in zip(parts, declared, strict=True)]
    whole = frame(slice(0, 90), ["c", "a", "b", "d", "e"])
    expected = CredalLogPoolAODE(max_rows=50).fit(whole, y)
    assert_same_answers(fit_batches(CredalLogPoolAODE(max_rows=50), batches), expected, whole)


@pytest.mark.parametrize("dictionaries", [False, True])
def test_files_give_the_same_pool(tmp_path, dictionaries):
    pytest.importorskip("pyarrow")
    X, y, weights = table()
    if not dictionaries:
        X = X.drop(columns="size")
    expected = CredalLogPoolAODE(max_rows=100).fit(X, y, weights)
    for part, (rows, classes, omega) in enumerate(cut(250, X, y, weights)):
        rows.assign(kind=classes, weight=omega).to_parquet(tmp_path / f"{part}.parquet")
    scan = scan_parquet(tmp_path, target="kind", weight="weight", batch_rows=60)
    assert_same_answers(fit_batches(CredalLogPoolAODE(max_rows=100), scan), expected, X)


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


def test_arrays_of_dask_give_the_same_pool():
    arrays = pytest.importorskip("dask.array")
    rng = np.random.default_rng(2)
    y, weights = rng.integers(0, 2, 250), rng.integers(0, 4, 250)
    X = np.round(rng.normal(size=(250, 4)) + y[:, None], 1)
    chunks = arrays.from_array(X, chunks=(33, 2)), arrays.from_array(y, chunks=77)
    found = fit_dask(
        CredalLogPoolAODE(max_rows=80),
        chunks[0],
        target=chunks[1],
        sample_weight=arrays.from_array(weights, chunks=50),
    )
    assert_same_answers(found, CredalLogPoolAODE(max_rows=80).fit(X, y, weights), X)


def sample_of(first, n, most, seed):
    numbers = np.arange(first, first + n)
    columns = [Column("x", numbers / 2), Column("s", np.array([f"s{i % 5}" for i in numbers], object))]
    rows = LabelledRows(Table(None, columns, n), np.array(["no", "yes"]), numbers % 2, 1.0 + numbers % 3)
    return RowSample.of(rows, first, np.array([False, True]), most, seed)


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=8),
    st.integers(1, 40),
    st.integers(-(2**70), 2**70),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_samples_add_in_any_order(sizes, most, seed, random):
    starts = np.cumsum([0, *sizes]).tolist()
    samples = [sample_of(start, n, most, seed) for start, n in zip(starts, sizes, strict=False)]
    random.shuffle(samples)
    total = samples[0]
    for sample in samples[1:]:
        total = total + sample
    ranked = sorted(range(sum(sizes)), key=lambda r: (int(row_hashes(np.array([r]), seed)[0]), r))
    numbers = np.array(sorted(ranked[:most]))
    assert [array.tolist() for array in total.arrays] == [
        (numbers / 2).tolist(),
        [f"s{i % 5}" for i in numbers],
        [["no", "yes"][i % 2] for i in numbers],
        (1.0 + numbers % 3).tolist(),
        numbers.tolist(),
    ]
