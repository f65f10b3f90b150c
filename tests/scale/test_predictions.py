"""All that is said of a table at once is what each method says of it, and is written where it should be."""

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

from skcredal import (
    AODE,
    CredalBmaAODE,
    CredalCompAODE,
    NaiveCredal,
)
from skcredal._ensemble.parameters import SpodeTables
from skcredal.scale import fit_batches, predict_batches, scan_parquet


def long_table(n=2500):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame({f"x{j}": rng.integers(0, 4, n) + (rng.random(n) < 0.2) * y for j in range(6)})
    X["text"] = np.array([None, "b", "new"], object)[np.where(np.arange(n) < 20, y % 2, y)]
    X["number"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + y)
    return X, np.array(["low", "middle", "high"])[y]


def test_rows_are_encoded_and_inferred_once(tmp_path, monkeypatch):
    X, y = long_table(600)
    clf = CredalCompAODE().fit(X, y)
    calls = []
    encode, infer = CredalCompAODE._encode, SpodeTables.infer
    monkeypatch.setattr(CredalCompAODE, "_encode", lambda *a: calls.append("encode") or encode(*a))
    monkeypatch.setattr(SpodeTables, "infer", lambda *a, **k: calls.append("infer") or infer(*a, **k))
    predict_batches(clf, [X[:300], X[300:]], tmp_path / "answers.parquet")
    assert calls == ["encode", "infer"] * 2


def clf_and_rows():
    clf = NaiveCredal().fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1])
    return clf, [[["a"], ["b"]], [["c"]]]


def assert_written(filesystem, path):
    clf, batches = clf_and_rows()
    answers = pq.read_table(path, filesystem=filesystem)
    assert answers["predicted"].to_pylist() == clf.predict(batches[0] + batches[1]).tolist()


def test_an_address_of_a_file(tmp_path):
    clf, batches = clf_and_rows()
    path = tmp_path / "with space" / "answers.parquet"
    path.parent.mkdir()
    assert predict_batches(clf, batches, path.as_uri()) == 3
    assert_written(None, path)
    assert [file.name for file in path.parent.iterdir()] == ["answers.parquet"]
    assert scan_parquet(path.as_uri()).n_rows == 3


def stores():
    """Return file systems that are not a disk, with a folder in each and how to list the files of it."""
    mock, _ = pyarrow.fs.FileSystem.from_uri("mock:///")
    mock.create_dir("bucket")
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = ["", "/bucket"]

    def files_of(store):
        selector = pyarrow.fs.FileSelector("bucket", recursive=True)
        return [one.path.lstrip("/") for one in store.get_file_info(selector)]

    return [
        (mock, "bucket/answers.parquet", lambda: files_of(mock)),
        (memory, "/bucket/answers.parquet", lambda: [name.lstrip("/") for name in memory.find("/bucket")]),
    ]


@pytest.mark.parametrize("kind", [0, 1], ids=["mock", "memory"])
def test_other_file_systems(kind):
    filesystem, path, listed = stores()[kind]
    clf, batches = clf_and_rows()
    for _ in range(2):  # the second replaces the first
        assert predict_batches(clf, batches, path, filesystem=filesystem) == 3
        assert listed() == ["bucket/answers.parquet"]
        assert_written(filesystem, path)


def test_an_address_that_only_fsspec_knows():
    memory, path, listed = stores()[1]
    clf, batches = clf_and_rows()
    assert predict_batches(clf, batches, f"memory:/{path}") == 3
    assert listed() == ["bucket/answers.parquet"]
    assert_written(memory, path)
    for address in (f"memory:/{path}", "memory://bucket", "memory://bucket/*.parquet"):
        assert scan_parquet(address).n_rows == 3
    assert scan_parquet("/bucket", filesystem=memory).n_rows == 3


class BrokenError(Exception):
    pass


@pytest.mark.parametrize("error", [BrokenError, KeyboardInterrupt])
@pytest.mark.parametrize("store", ["mock", "memory", "file"])
def test_what_fails_leaves_nothing_half_written(store, error, tmp_path):
    if store == "file":
        filesystem, path = None, (tmp_path / "answers.parquet").as_uri()
        listed = lambda: [f"bucket/{file.name}" for file in tmp_path.iterdir()]  # noqa: E731
    else:
        filesystem, path, listed = stores()[store == "memory"]
    clf, rows = clf_and_rows()

    def batches():
        yield rows[0]
        raise error

    for before in ([], ["bucket/answers.parquet"]):
        with pytest.raises(error):
            predict_batches(clf, batches, path, filesystem=filesystem)
        assert listed() == before
        predict_batches(clf, rows, path, filesystem=filesystem)
    with pytest.raises(error):
        predict_batches(clf, batches, path, filesystem=filesystem)
    assert scan_parquet(path, filesystem=filesystem).n_rows == 3  # as before


def test_a_store_that_cannot_rename_keeps_the_finished_work():
    filesystem, path, listed = stores()[1]
    filesystem.mv, mv = None, filesystem.mv
    try:
        clf, batches = clf_and_rows()
        with pytest.raises(TypeError) as caught:
            predict_batches(clf, batches, path, filesystem=filesystem)
    finally:
        filesystem.mv = mv
    (left,) = listed()
    assert "The file is complete" in caught.value.__notes__[-1]
    assert left in caught.value.__notes__[-1]
    assert_written(filesystem, f"/{left}")


@pytest.mark.parametrize(
    ("path", "filesystem", "error", "message"),
    [
        ("{}", None, IsADirectoryError, "path must be a file, got the folder"),
        ("{}/nowhere/answers.parquet", None, FileNotFoundError, "nowhere/answers"),
        ("nosuch://bucket/answers", None, ValueError, "nosuch"),
        ("{}/answers.parquet", 3, TypeError, "filesystem must be from pyarrow.fs or fsspec, got"),
    ],
)
def test_destinations_that_are_none_are_refused_before_any_work(tmp_path, path, filesystem, error, message):
    clf, rows = clf_and_rows()

    def batches():
        raise AssertionError
        yield rows[0]

    with pytest.raises(error, match=message):
        predict_batches(clf, batches, path.format(tmp_path), filesystem=filesystem)
    assert list(tmp_path.iterdir()) == []


def test_record_batches_of_arrow(tmp_path):
    """They have names, too: a column in another place is refused, not taken for its neighbour."""
    X, y = long_table(700)
    table = pa.Table.from_pandas(X, preserve_index=False)
    clf = fit_batches(CredalBmaAODE(), [(one, y) for one in table.to_batches()])
    assert clf.feature_names_in_.tolist() == table.column_names
    with pytest.raises(ValueError, match="feature names"):
        predict_batches(
            clf, table.select(table.column_names[::-1]).to_batches(), tmp_path / "answers.parquet"
        )
    predict_batches(clf, table.to_batches(max_chunksize=1)[:5], tmp_path / "answers.parquet")
    np.testing.assert_array_equal(
        pq.read_table(tmp_path / "answers.parquet")["robustness"].to_numpy(), clf.robustness(table[:5])
    )


@pytest.mark.parametrize("path", [None, 3, b"answers", ["answers"]])
def test_what_is_no_path_does_not_become_the_name_of_a_file(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    clf = AODE().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(TypeError, match="path must be a string or a path, got"):
        predict_batches(clf, [[["a"]]], path)
    with pytest.raises(TypeError, match="path must be a string or a path, got"):
        scan_parquet([path])
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "answers.parquet")
    clf = AODE().fit([["a"], ["b"]], [0, 1])
    predict_batches(clf, [[["a"]]], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert pq.read_table(tmp_path / "answers.parquet")["predicted"].to_pylist() == [0]
