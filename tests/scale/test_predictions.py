"""Predictions of batches, written to Parquet on a disk or in a store."""

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

import skcredal
from pressure_problems import messy_table
from skcredal import AODE, CredalCompAODE, CredalLogPoolAODE, NaiveCredal
from skcredal.scale import predict_batches, scan_parquet


@pytest.mark.parametrize("learner", [AODE, CredalCompAODE, CredalLogPoolAODE, NaiveCredal])
def test_what_is_written_is_what_the_methods_answer(tmp_path, learner):
    frame, y = messy_table(700)
    X, clf = pa.Table.from_pandas(frame, preserve_index=False), learner().fit(frame, y)
    pq.write_table(X.append_column("class", pa.array(y)), tmp_path / "rows.parquet")
    scan = scan_parquet(tmp_path / "rows.parquet", target="class", batch_rows=77)
    assert predict_batches(clf, scan, tmp_path / "answers.parquet") == 700
    assert sorted(file.name for file in tmp_path.iterdir()) == ["answers.parquet", "rows.parquet"]
    found = pd.read_parquet(tmp_path / "answers.parquet")
    assert found.pop("target").tolist() == y.tolist()
    expected = skcredal.answers(clf, frame).to_frame()
    pd.testing.assert_frame_equal(found.map(plain), expected.map(plain), check_dtype=False, check_like=True)


def plain(cell):
    return "|".join(cell) if isinstance(cell, (list, np.ndarray)) else cell


def test_a_file_appears_only_when_it_is_complete(tmp_path):
    clf = AODE().fit([["a"], ["b"]], [0, 1])
    path = tmp_path / "answers.parquet"
    path.write_text("from before")

    def batches():
        yield [["a"]]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        predict_batches(clf, batches, path)
    with pytest.raises(ValueError, match="at least one row"):
        predict_batches(clf, [], path)
    with pytest.raises(ValueError, match="2 features") as caught:
        predict_batches(clf, [[["a"]], [["a", "b"]]], path)
    assert "batch 2" in caught.value.__notes__[0]
    assert path.read_text() == "from before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_store(error):
    filesystem, path = fsspec.filesystem("memory"), "/bucket/answers.parquet"
    filesystem.store.clear()
    clf, rows = AODE().fit([["a"], ["b"]], [0, 1]), [[["a"], ["b"]], [["c"]]]

    def broken():
        yield rows[0]
        raise error

    for before in ([], [path]):
        with pytest.raises(error):
            predict_batches(clf, broken, path, filesystem=filesystem)
        assert filesystem.find("/bucket") == before
        assert predict_batches(clf, rows, f"memory:/{path}") == 3
    answers = pq.read_table(path, filesystem=filesystem)
    assert answers["predicted"].to_pylist() == clf.predict(rows[0] + rows[1]).tolist()
    assert scan_parquet("memory://bucket").n_rows == 3


@pytest.mark.parametrize(
    ("path", "filesystem", "error", "message"),
    [
        ("{}", None, IsADirectoryError, "path must be a file, got the folder"),
        ("{}/nowhere/answers.parquet", None, FileNotFoundError, "nowhere/answers"),
        ("{}/answers.parquet", 3, TypeError, "filesystem must be from pyarrow.fs or fsspec, got"),
    ],
)
def test_destinations_that_are_none_are_refused_before_any_work(tmp_path, path, filesystem, error, message):
    def batches():
        raise AssertionError
        yield

    clf = AODE().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(error, match=message):
        predict_batches(clf, batches, path.format(tmp_path), filesystem=filesystem)
    assert list(tmp_path.iterdir()) == []
