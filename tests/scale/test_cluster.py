"""Learning from Dask collections, on threads and on a cluster of processes."""

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
from skcredal import AODE, BmaAODE, CompAODE, CredalCompAODE, CredalLogPoolAODE, MaplmgAODE, NaiveCredal
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
    n_parts=st.integers(1, 12),
)
@settings(max_examples=15)
def test_the_model_is_that_of_the_table(seed, learner, weighting, n_parts):
    X, y, weights = messy_table(np.random.default_rng(seed), weighting=weighting)
    X = X.drop(columns=["mixed", "number objects", "nothing"], errors="ignore")
    if X.shape[1] == 0:
        return
    frame = X.assign(**{"class": y} if weights is None else {"class": y, "weight": weights})
    ddf = dd.from_pandas(frame, npartitions=n_parts, sort=False)
    weight = None if weights is None else "weight"
    model = fitted(lambda: fit_dask(learner(), ddf, target="class", sample_weight=weight))
    same = ddf.compute()
    weights = None if weights is None else same["weight"]
    assert_same_model(model, fitted(lambda: learner().fit(same[X.columns], same["class"], weights)))


@pytest.mark.parametrize("unknown_sizes", [False, True])
def test_arrays(unknown_sizes):
    rng = np.random.default_rng(0)
    y, weights = rng.integers(0, 2, 250), rng.integers(0, 4, 250)
    X = np.round(rng.normal(size=(250, 4)) + y[:, None], 1)
    given = da.from_array(X, chunks=(33, 2)), da.from_array(y, chunks=77), da.from_array(weights, chunks=50)
    if unknown_sizes:
        rows = da.from_array(rng.random(250) < 0.6, chunks=60)
        given = [da.from_array(array, chunks=60)[rows] for array in (X, y, weights)]
        X, y, weights = (array.compute() for array in given)
    model = fit_dask(CompAODE(), given[0], target=given[1], sample_weight=given[2])
    assert_same_model(model, CompAODE().fit(X, y, weights))
    answers = predict_dask(model, given[0]).compute()
    assert answers["predicted"].tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(answers["probability_1"], model.predict_proba(X)[:, 1], rtol=1e-12)


def test_a_cluster_of_processes(client, whole):
    ddf = dd.from_map(dask_parts.load, range(N_PARTS))
    model = fit_dask(CredalCompAODE(), ddf, target="class", sample_weight="weight", client=client)
    X = whole.drop(columns=["class", "weight"])
    assert_same_model(model, CredalCompAODE().fit(X, whole["class"], whole["weight"]))
    features = ddf.drop(columns=["class", "weight"])
    answers = client.compute(predict_dask(model, features)).result()
    assert answers["predicted"].tolist() == model.predict(X).tolist()
    sets = [list(model.classes_[one]) for one in model.predict_set(X)]
    assert [list(labels) for labels in answers["set"]] == sets
    np.testing.assert_allclose(answers["upper_low"], model.predict_interval(X)[:, 1, 1], rtol=1e-12)
    assert predict_dask(model, features)._meta.dtypes.equals(answers.dtypes)


@pytest.mark.parametrize("deadly", [3, N_PARTS + 3, 2 * N_PARTS + 3])  # one in each pass
def test_a_worker_that_is_killed_changes_nothing(client, whole, tmp_path, deadly):
    log = tmp_path / "loads"
    ddf = dd.from_map(dask_parts.load_or_die, range(N_PARTS), log=str(log), deadly=deadly, meta=whole[:0])
    model = fit_dask(BmaAODE(), ddf, target="class", sample_weight="weight", client=client)
    assert log.stat().st_size > 3 * N_PARTS  # a worker died, and its partitions were loaded again
    X = whole.drop(columns=["class", "weight"])
    assert_same_model(model, BmaAODE().fit(X, whole["class"], whole["weight"]))


def test_fit_names_what_takes_a_frame_of_dask(whole):
    ddf = dd.from_pandas(whole, npartitions=2)
    with pytest.raises(TypeError, match="fit_dask"):
        AODE().fit(ddf, np.arange(len(whole)) % 2)


def test_categories_that_dask_does_not_know(whole):
    """Each partition has its own; the states of the model are those of all."""
    frame = whole[["text", "number", "class"]]
    ddf = dd.from_pandas(frame, npartitions=4)
    ddf = ddf.assign(text=ddf["text"].astype("category"))
    model = fit_dask(CompAODE(), ddf, target="class")
    assert sorted(model.encoding_[0].states) == ["a", "bbb", "cc"]
    answers = predict_dask(model, ddf[["text", "number"]]).compute()
    np.testing.assert_array_equal(answers["predicted"], model.predict(frame[["text", "number"]]))


def test_bad_collections_are_refused(client, whole):
    ddf, array, clf = dd.from_pandas(whole, npartitions=3), da.zeros((10, 2), chunks=5), AODE()
    for data, target, error, message in [
        (whole, "class", TypeError, "data must be a dask.dataframe"),
        (ddf, "colour", ValueError, "target must be one of the columns"),
        (ddf, None, ValueError, "target must be one of the columns"),
        (array, "class", TypeError, "target must be a dask.array.* got 'class'"),
        (
            array[array[:, 0] == 0],
            da.zeros(9, chunks=3),
            ValueError,
            "target cannot be read: Chunks must be",
        ),
        (array, da.zeros(9, chunks=3), ValueError, "target cannot be read"),
        (da.zeros(5), da.zeros(5), ValueError, "two dimensions"),
        (ddf[ddf["number"] > 1e9], "class", ValueError, "at least one row"),
    ]:
        with pytest.raises(error, match=message):
            fit_dask(clf, data, target=target)
    with pytest.raises(ValueError, match=r"sample_weight must be one of the columns .* got 'w'"):
        fit_dask(clf, ddf, target="class", sample_weight="w")
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got int"):
        fit_dask(clf, ddf, target="class", client=3)
    with pytest.raises(TypeError, match="MaplmgAODE cannot learn"):
        fit_dask(MaplmgAODE(), ddf, target="class")
    with pytest.raises(ValueError, match="unseen at fit time"):  # at once, not when it is computed
        predict_dask(AODE().fit(whole[["text"]], whole["class"]), ddf)
    with pytest.raises(ValueError, match="X has 2 features, but AODE is expecting 1"):
        predict_dask(AODE().fit([[0], [1]], [0, 1]), array)
    wrong = ddf.assign(number=ddf["number"].replace(ddf["number"].max().compute(), np.inf))
    with pytest.raises(ValueError, match="Column 'number' contains infinity") as caught:
        fit_dask(clf, wrong, target="class", client=client)
    number = int(whole["number"].argmax()) // (len(whole) // 3) + 1
    assert caught.value.__notes__ == [f"This happened in partition {number}."]
    assert vars(clf) == vars(AODE())


def test_a_partition_that_changes_between_passes_is_refused():
    loads = []

    def load(number):
        loads.append(number)
        return dask_parts.load(number).iloc[: -1 if loads.count(1) == 2 and number == 1 else None]

    meta = dask_parts.load(0).iloc[:0]
    data = dd.from_delayed([dask.delayed(load)(number) for number in range(3)], meta=meta, verify_meta=False)
    with pytest.raises(ValueError, match="same rows in every pass"):
        fit_dask(CompAODE(), data, target="class")
