"""LP-AODE* from batches, files and partitions is the model of ``fit``: the same rows are chosen."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skcredal import CredalLogPoolAODE
from skcredal._encoding.tables import read_table
from skcredal.classifiers._rows import Part, RowSample, row_hashes
from skcredal.scale import fit_batches, fit_dask, scan_parquet


def table(n=700):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(y, 1.0), 2)),
            "whole": rng.poisson(2 + y).astype(float),
            "text": np.where(rng.random(n) < 0.6, "u", np.array(list("vwx"))[y]),
        }
    )
    return frame, np.array(["a", "b", "c"])[y], rng.integers(0, 3, n)


def assert_same_pool(found, expected):
    assert found.experts_ == expected.experts_
    for name in ("null_weight_", "weights_", "covariance_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for one, two in zip(found.counts_.codings, expected.counts_.codings, strict=True):
        for name in ("n_c", "n_ca", "n_cab"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


# With fewer rows than there are, so that the choice of rows matters; some weigh nothing and are not numbered.
@pytest.mark.parametrize("max_rows", [100, 2000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("treatment", ["impute", "marginalize"])
def test_batches_of_any_size_give_the_same_pool(treatment, weighted, max_rows):
    X, y, weights = table()
    clf = CredalLogPoolAODE(max_rows=max_rows, random_state=5, missing=treatment)
    expected = clf.fit(X, y, sample_weight=weights if weighted else None)
    for size in (1000, 97, 250):
        batches = [
            (X[start : start + size], y[start : start + size])
            + ((weights[start : start + size],) if weighted else ())
            for start in range(0, len(y), size)
        ]
        found = fit_batches(CredalLogPoolAODE(max_rows=max_rows, random_state=5, missing=treatment), batches)
        assert_same_pool(found, expected)


def test_files_give_the_same_pool(tmp_path):
    pytest.importorskip("pyarrow")
    X, y, _ = table()
    expected = CredalLogPoolAODE(max_rows=100).fit(X, y)
    for part in range(3):
        rows = slice(part * 250, (part + 1) * 250)
        X[rows].assign(kind=y[rows]).to_parquet(tmp_path / f"{part}.parquet")
    found = fit_batches(CredalLogPoolAODE(max_rows=100), scan_parquet(tmp_path, target="kind", batch_rows=60))
    assert_same_pool(found, expected)


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
    assert_same_pool(found, expected)


def sample_of(first, n, most, seed):
    numbers = np.arange(first, first + n)
    states = np.stack([numbers % 7, 7 + numbers % 5]).astype(np.uint16)
    table = read_table(states.T, estimator=None)
    part = Part(table, states, (numbers % 2).astype(np.int32), np.ones(n), numbers)
    return RowSample.of(part, most, seed)


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
    whole = sample_of(0, sum(sizes), most, seed)
    random.shuffle(samples)
    total = samples[0]
    for sample in samples[1:]:
        total = total + sample
    for ours, theirs in zip(total.labelled, whole.labelled, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    numbers = np.concatenate([part.numbers for part in total.parts]).tolist()
    ranked = sorted(range(sum(sizes)), key=lambda r: (int(row_hashes(np.array([r]), seed)[0]), r))
    assert numbers == sorted(ranked[:most])
