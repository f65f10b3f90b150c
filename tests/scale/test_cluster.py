"""Learning from Dask collections, on threads and on a cluster of processes."""

import tracemalloc

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st

import dask_parts
from messy_tables import messy_table, seeds
from same_models import assert_same_model, fitted
from skcredal import (
    AODE,
    BmaAODE,
    CompAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    MaplmgAODE,
    NaiveCredal,
    set_labels,
)
from skcredal.scale import fit_dask, predict_dask

N_PARTS = 6


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def whole():
    return pd.concat([dask_parts.load(number) for number in range(N_PARTS)], ignore_index=True)


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@given(
    seed=seeds,
    learner=st.sampled_from([AODE, CompAODE, CredalLogPoolAODE, NaiveCredal]),
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    missing=st.sampled_from(["impute", "marginalize"]),
    n_parts=st.integers(1, 12),
)
@settings(max_examples=15)
def test_the_model_is_that_of_the_table(seed, learner, weighting, missing, n_parts):
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    X = X.drop(columns=["mixed", "number objects", "nothing"], errors="ignore")
    if X.shape[1] == 0:
        return
    frame = X.assign(**{"class": y} if weights is None else {"class": y, "weight": weights})
    ddf = dd.from_pandas(frame, npartitions=n_parts, sort=False)
    ddf = ddf.map_partitions(lambda part: part.iloc[: len(part)], meta=ddf._meta)
    weight = None if weights is None else "weight"
    clf = learner(missing=missing)
    model = fitted(lambda: fit_dask(clf, ddf, target="class", sample_weight=weight))
    same = ddf.compute()
    expected = fitted(
        lambda: learner(missing=missing).fit(
            same[X.columns], same["class"], None if weights is None else same["weight"]
        )
    )
    assert_same_model(model, expected)


@pytest.mark.parametrize("chunks", [(100, 2), (33, 4), (250, 1)])
def test_arrays(chunks):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 250)
    X = np.round(rng.normal(size=(250, 4)) + y[:, None], 1)
    weights = rng.integers(1, 4, 250)
    arrays = da.from_array(X, chunks=chunks), da.from_array(y, chunks=77)
    assert_same_model(fit_dask(CompAODE(), arrays[0], target=arrays[1]), CompAODE().fit(X, y))
    model = fit_dask(AODE(), arrays[0], target=arrays[1], sample_weight=da.from_array(weights, chunks=50))
    assert_same_model(model, AODE().fit(X, y, weights))
    answers = predict_dask(model, arrays[0]).compute()
    assert answers["predicted"].tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(answers["probability_1"], model.predict_proba(X)[:, 1])
    credal = NaiveCredal().fit(X, y)
    sets = predict_dask(credal, arrays[0]).compute()["set"]
    assert [list(one) for one in sets] == [list(one) for one in set_labels(credal.predict_set(X), [0, 1])]


def test_a_cluster_of_processes(client, whole):
    ddf = dd.from_map(dask_parts.load, range(N_PARTS))
    model = fit_dask(CredalCompAODE(), ddf, target="class", sample_weight="weight", client=client)
    X = whole.drop(columns=["class", "weight"])
    expected = CredalCompAODE().fit(X, whole["class"], whole["weight"])
    assert_same_model(model, expected)
    features = ddf.drop(columns=["class", "weight"])
    answers = client.compute(predict_dask(model, features)).result()
    assert answers["predicted"].tolist() == model.predict(X).tolist()
    assert [list(labels) for labels in answers["set"]] == [
        list(model.classes_[one]) for one in model.predict_set(X)
    ]
    np.testing.assert_array_equal(answers["upper_low"], model.predict_interval(X)[:, 1, 1])
    np.testing.assert_array_equal(answers["robustness"], model.robustness(X))
    assert predict_dask(model, features)._meta.dtypes.equals(answers.dtypes)


@pytest.mark.parametrize(
    ("stage", "deadly"), [("encoding", 3), ("counts", N_PARTS + 3), ("likelihoods", 2 * N_PARTS + 3)]
)
def test_a_worker_that_is_killed_changes_nothing(client, whole, tmp_path, stage, deadly):
    log = tmp_path / "loads"
    ddf = dd.from_map(dask_parts.load_or_die, range(N_PARTS), log=str(log), deadly=deadly, meta=whole[:0])
    model = fit_dask(BmaAODE(), ddf, target="class", sample_weight="weight", client=client)
    assert log.stat().st_size > 3 * N_PARTS  # someone died, and his partitions were loaded again
    X = whole.drop(columns=["class", "weight"])
    assert_same_model(model, BmaAODE().fit(X, whole["class"], whole["weight"]))


def test_the_memory_of_the_driver_stays_flat(client):
    def peak(n_parts):
        ddf = dd.from_map(dask_parts.load_large, range(n_parts))
        tracemalloc.start()
        try:
            fit_dask(CompAODE(), ddf, target="y", client=client)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    few, many = peak(2), peak(12)
    assert many < few + 1_500_000  # half a partition, for ten more


def test_bad_collections_are_refused(client, whole):
    ddf = dd.from_pandas(whole, npartitions=3)
    array = da.zeros((10, 2), chunks=5)
    clf = AODE()
    for arguments, error, message in [
        ((whole, "class"), TypeError, "data must be a dask.dataframe"),
        ((ddf, "colour"), ValueError, "target must be one of the columns"),
        ((ddf, None), ValueError, "target must be one of the columns"),
        ((array, "class"), TypeError, "target must be a dask.array.* got str"),
        ((array, da.zeros((10, 1))), TypeError, "target must be a dask.array.* got 2 dimensions"),
        ((array[array[:, 0] == 0], da.zeros(9, chunks=3)), ValueError, "got 3 blocks for 2; compute_chunk"),
        ((array, da.zeros(9, chunks=3)), ValueError, "one entry for each of 10 rows, got 9"),
        ((da.zeros(5), da.zeros(5)), ValueError, "two dimensions"),
        ((ddf[ddf["number"] > 1e9], "class"), ValueError, "at least one row"),
    ]:
        with pytest.raises(error, match=message):
            fit_dask(clf, arguments[0], target=arguments[1])
    with pytest.raises(ValueError, match="target and sample_weight must be different columns, got 'class'"):
        fit_dask(clf, ddf, target="class", sample_weight="class")
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got int"):
        fit_dask(clf, ddf, target="class", client=3)
    with pytest.raises(TypeError, match=r"data must be a dask\.dataframe.* got pandas"):
        predict_dask(AODE().fit(whole[["text"]], whole["class"]), whole)
    fitted_to_one = AODE().fit(whole[["text"]], whole["class"])
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- [^t]"):  # at once, not when it is computed
        predict_dask(fitted_to_one, ddf)
    with pytest.raises(ValueError, match="X has 2 features, but AODE is expecting 1"):
        predict_dask(AODE().fit([[0], [1]], [0, 1]), array)
    with pytest.raises(ValueError, match="two dimensions"):
        predict_dask(AODE().fit([[0], [1]], [0, 1]), da.zeros(5))
    with pytest.raises(TypeError, match="MaplmgAODE cannot learn"):
        fit_dask(MaplmgAODE(), ddf, target="class")
    wrong = ddf.assign(number=ddf["number"].replace(ddf["number"].max().compute(), np.inf))
    with pytest.raises(ValueError, match="Column 'number' contains infinity") as caught:
        fit_dask(clf, wrong, target="class", client=client)
    place = int(whole["number"].argmax()) // (len(whole) // 3)
    assert caught.value.__notes__ == [f"This happened in partition {place + 1}."]
    assert vars(clf) == vars(AODE())


def test_arrays_with_blocks_of_unknown_sizes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 250)
    X = np.round(rng.normal(size=(250, 3)) + y[:, None], 1)
    rows = da.from_array(rng.random(250) < 0.6, chunks=60)
    arrays = [da.from_array(array, chunks=60)[rows] for array in (X, y, np.arange(250) % 3)]
    assert np.isnan(arrays[0].shape[0])
    model = fit_dask(CompAODE(), arrays[0], target=arrays[1], sample_weight=arrays[2])
    known = [array.compute() for array in arrays]
    assert_same_model(model, CompAODE().fit(*known))
    answers = predict_dask(model, arrays[0]).compute()
    np.testing.assert_array_equal(answers["predicted"], model.predict(known[0]))


def test_categories_that_dask_does_not_know(whole):
    """Each partition has its own; the states of the model are those of all."""
    frame = whole[["text", "number", "class"]]
    ddf = dd.from_pandas(frame, npartitions=4)
    ddf = ddf.assign(text=ddf["text"].astype("category"))
    assert not ddf["text"].cat.known
    model = fit_dask(CompAODE(), ddf, target="class")
    assert sorted(model._encoding.features[0].states) == ["a", "bbb", "cc"]
    answers = predict_dask(model, ddf[["text", "number"]]).compute()
    np.testing.assert_array_equal(answers["predicted"], model.predict(frame[["text", "number"]]))


def test_columns_named_by_numbers():
    frame = pd.DataFrame({0: list("abab"), 1: list("xyyx")})
    model = fit_dask(AODE(), dd.from_pandas(frame, npartitions=2), target=1)
    assert model.predict([["a"]]).tolist() == AODE().fit(frame[[0]], frame[1]).predict([["a"]]).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.iloc[:-1], "same rows.*got 400 in partition 2 at first and now 399"),
        (lambda part: part.iloc[:0], "same rows.*got 400 in partition 2 at first and now 0"),
        (lambda part: part.assign(text="a"), "same rows.*Column 'text' are others in the pass for the"),
        (lambda part: part.assign(number=3.0), "same rows.*Column 'number' are others in the pass for the"),
    ],
)
@pytest.mark.parametrize("n_pass", [2, 3])
def test_a_partition_that_changes_between_passes_is_refused(change, message, n_pass):
    loads = []

    def load(number):
        loads.append(number)
        part = dask_parts.load(number)
        return change(part) if number == 1 and loads.count(1) == n_pass else part

    meta = dask_parts.load(0).iloc[:0]
    data = dd.from_delayed([dask.delayed(load)(number) for number in range(3)], meta=meta, verify_meta=False)
    clf = CompAODE()
    with pytest.raises(ValueError, match=message):
        fit_dask(clf, data, target="class")
    assert vars(clf) == vars(CompAODE())
