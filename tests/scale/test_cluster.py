"""Learning from Dask collections, on threads and on a cluster of processes."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import dask_parts
from same_models import assert_same_model
from skcredal import AODE, BmaAODE, CredalCompAODE, MaplmgAODE
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


def test_a_worker_that_is_killed_changes_nothing(client, whole, tmp_path):
    log, deadly = tmp_path / "loads", N_PARTS + 3  # in the second of three passes
    ddf = dd.from_map(dask_parts.load_or_die, range(N_PARTS), log=str(log), deadly=deadly, meta=whole[:0])
    model = fit_dask(BmaAODE(), ddf, target="class", sample_weight="weight", client=client)
    assert log.stat().st_size > 3 * N_PARTS  # a worker died, and its partitions were loaded again
    X = whole.drop(columns=["class", "weight"])
    assert_same_model(model, BmaAODE().fit(X, whole["class"], whole["weight"]))


def test_bad_collections_are_refused(client, whole):
    ddf, array, clf = dd.from_pandas(whole, npartitions=3), da.zeros((10, 2), chunks=5), AODE()
    for data, target, error, message in [
        (whole, "class", TypeError, "data must be a dask.dataframe"),
        (ddf, "colour", ValueError, "target must be one of the columns"),
        (array, "class", TypeError, "target must be a dask.array.* got 'class'"),
        (array, da.zeros(9, chunks=3), ValueError, "target cannot be read"),
        (ddf[ddf["number"] > 1e9], "class", ValueError, "at least one row"),
    ]:
        with pytest.raises(error, match=message):
            fit_dask(clf, data, target=target)
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got int"):
        fit_dask(clf, ddf, target="class", client=3)
    with pytest.raises(TypeError, match="MaplmgAODE cannot learn"):
        fit_dask(MaplmgAODE(), ddf, target="class")
    with pytest.raises(ValueError, match="unseen at fit time"):  # at once, not when it is computed
        predict_dask(AODE().fit(whole[["text"]], whole["class"]), ddf)
    wrong = ddf.assign(number=ddf["number"].replace(ddf["number"].max().compute(), np.inf))
    with pytest.raises(ValueError, match="Column 'number' contains infinity") as caught:
        fit_dask(clf, wrong, target="class", client=client)
    number = int(whole["number"].argmax()) // (len(whole) // 3) + 1
    assert caught.value.__notes__ == [f"This happened in partition {number}."]
    assert vars(clf) == vars(AODE())
