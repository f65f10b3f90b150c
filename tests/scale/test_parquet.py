"""Rows streamed out of Parquet, and predictions streamed into it."""

import os

import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messy_tables import as_arrow, messy_table, seeds
from same_models import assert_same_model, fitted
from skcredal import AODE, CompAODE, CredalCompAODE, CredalLogPoolAODE, NaiveCredal
from skcredal.scale import fit_batches, predict_batches, scan_parquet


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1000)
    return pa.table(
        {
            "number": y + rng.normal(size=1000),
            "kind": pa.array(np.array(list("abc"))[np.where(rng.random(1000) < 0.5, y, 0)]),
            "shade": pa.array(np.array(list("xyz"))[rng.integers(0, 3, 1000)]).dictionary_encode(),
            "weight": rng.integers(0, 3, 1000),
            "class": np.array(["low", "middle", "high"])[y],
        }
    )


def write(table, folder, *, n_files=3, row_group_size=100):
    step = -(-len(table) // n_files)
    for number in range(n_files):
        part = table.slice(number * step, step)
        pq.write_table(part, folder / f"part{number}.parquet", row_group_size=row_group_size)


@given(seed=seeds, rows=st.integers(1, 40), group=st.integers(1, 40), files=st.integers(1, 4))
@settings(max_examples=25)
def test_the_model_is_that_of_the_table(tmp_path_factory, seed, rows, group, files):
    X, y, _ = messy_table(np.random.default_rng(seed))
    X = as_arrow(X)
    if X.num_columns == 0:
        return
    folder = tmp_path_factory.mktemp("parquet")
    write(X.append_column("class", pa.array(y)), folder, n_files=files, row_group_size=group)
    scan = scan_parquet(folder, target="class", batch_rows=rows)
    assert scan.n_rows == len(y)
    assert all(0 < len(batch) <= rows for batch, _ in scan)
    expected = fitted(lambda: CompAODE().fit(pq.read_table(folder).select(X.column_names), y.astype(object)))
    assert_same_model(fitted(lambda: fit_batches(CompAODE(), scan)), expected)


def test_weights_and_chosen_columns(table, tmp_path):
    write(table, tmp_path)
    scan = scan_parquet(tmp_path, target="class", weight="weight", columns=["shade", "number"], batch_rows=64)
    y = table["class"].to_numpy(zero_copy_only=False)
    expected = AODE().fit(table.select(["shade", "number"]), y, table["weight"].to_numpy())
    assert_same_model(fit_batches(AODE(), scan), expected)
    assert [len(batch) for batch in scan_parquet(tmp_path / "part0.parquet", batch_rows=250)] == [250, 84]


@pytest.mark.parametrize(
    "path_below",
    [
        lambda folder: folder,
        lambda folder: str(folder) + "/",
        lambda folder: f"{folder}/part*.parquet",
        lambda folder: f"{folder}/part[0-2].parquet",
        lambda folder: f"{folder.parent}/*/part?.parquet",
        lambda folder: f"{folder.parent}/**/part?.parquet",
        lambda folder: folder.as_uri(),
        lambda folder: f"{folder.as_uri()}/part*.parquet",
        lambda folder: [folder / f"part{number}.parquet" for number in range(3)],
    ],
)
def test_every_way_to_name_files(table, tmp_path, path_below):
    folder = tmp_path / "below"
    folder.mkdir()
    write(table, folder)
    (folder / "_metadata.parquet").write_text("not data")
    (folder / "notes.txt").write_text("not data")
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "checkpoint.parquet").write_text("not data")
    scan = scan_parquet(path_below(folder))
    assert scan.n_rows == 1000
    assert pa.concat_tables(scan)["number"] == table["number"]


def test_another_file_system(table, tmp_path):
    write(table, tmp_path)
    local = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())
    assert scan_parquet("part*.parquet", filesystem=local).n_rows == 1000
    assert scan_parquet("part1.parquet", filesystem=local).n_rows == 334
    memory, _ = pyarrow.fs.FileSystem.from_uri("mock:///")
    memory.create_dir("bucket")
    with memory.open_output_stream("bucket/data.parquet") as stream:
        pq.write_table(table, stream)
    scan = scan_parquet("bucket", target="class", filesystem=memory)
    fit_batches(AODE(), scan)


def test_a_relative_path(table, tmp_path, monkeypatch):
    write(table, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert scan_parquet("part*.parquet").n_rows == scan_parquet(".").n_rows == 1000


def test_files_without_rows_and_columns_without_values(table, tmp_path):
    write(table, tmp_path)
    pq.write_table(table.slice(0, 0), tmp_path / "part9.parquet")
    nothing = table.slice(0, 5).set_column(1, "kind", pa.nulls(5))
    pq.write_table(nothing, tmp_path / "part5.parquet")
    assert len(list(scan_parquet(tmp_path / "part9.parquet"))) == 0
    model = fit_batches(AODE(), scan_parquet(tmp_path, target="class", batch_rows=50))
    whole = pa.concat_tables([table, nothing.set_column(1, "kind", nothing["kind"].cast("string"))])
    y = whole["class"].to_numpy(zero_copy_only=False)
    assert_same_model(model, AODE().fit(whole.drop_columns("class"), y))
    with pytest.raises(ValueError, match="at least one row"):
        fit_batches(AODE(), scan_parquet(tmp_path / "part9.parquet", target="class"))


def test_a_schema_that_differs_is_refused_with_file_and_column(table, tmp_path):
    write(table, tmp_path)
    pq.write_table(table.drop_columns("kind"), tmp_path / "part7.parquet")
    with pytest.raises(ValueError, match=r"part7\.parquet has no column 'kind'"):
        scan_parquet(tmp_path, target="class")
    scan_parquet(tmp_path, target="class", columns=["number"])
    pq.write_table(table.set_column(0, "number", table["kind"]), tmp_path / "part7.parquet")
    with pytest.raises(ValueError, match=r"part7\.parquet has type string in column 'number'.*double"):
        scan_parquet(tmp_path, target="class")


def test_a_file_that_lacks_a_column_is_refused_even_if_it_is_the_first(table, tmp_path):
    write(table, tmp_path)
    pq.write_table(table.drop_columns("kind"), tmp_path / "part.parquet")
    with pytest.raises(ValueError, match=r"part\.parquet has no column 'kind'"):
        scan_parquet(tmp_path, target="class")


def test_of_two_files_that_differ_both_are_named(table, tmp_path):
    write(table, tmp_path)
    pq.write_table(table.append_column("more", table["kind"]), tmp_path / "part7.parquet")
    with pytest.raises(ValueError, match=r"part0\.parquet has no column 'more', unlike .*part7\.parquet"):
        scan_parquet(tmp_path, target="class")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "class", "weight": "w"}, "weight must be a column of the files, .* got 'w'"),
        (
            {"target": "class", "columns": ["number", "kin"]},
            "columns must name columns of the files, .* got 'kin'",
        ),
        ({"columns": [["number"]]}, r"columns must name columns of the files, .* got \['number'\]"),
    ],
)
def test_a_column_that_no_file_has_is_refused_with_the_parameter(table, tmp_path, arguments, message):
    write(table, tmp_path)
    with pytest.raises(ValueError, match=message):
        scan_parquet(tmp_path, **arguments)


def test_learning_from_a_scan_without_a_target_says_what_is_lacking(table, tmp_path):
    write(table, tmp_path)
    with pytest.raises(TypeError, match=r"got Table\. Pass target to scan_parquet"):
        fit_batches(AODE(), scan_parquet(tmp_path))


def test_a_file_that_is_none_is_refused(table, tmp_path):
    write(table, tmp_path)
    (tmp_path / "part8.parquet").write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(ValueError, match=r"part8\.parquet cannot be read as Parquet"):
        scan_parquet(tmp_path, target="class")


def damage(path, column):
    """Overwrite the data of a column, and leave the footer whole."""
    metadata = pq.read_metadata(path)
    chunk = metadata.row_group(metadata.num_row_groups - 1).column(column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)


def test_a_broken_file_is_named_with_its_column_and_leaves_nothing_behind(table, tmp_path):
    write(table, tmp_path)
    damage(tmp_path / "part1.parquet", 1)
    clf = CompAODE()
    with pytest.raises(ValueError, match=r"part1\.parquet cannot be read, in column 'kind'"):
        fit_batches(clf, scan_parquet(tmp_path, target="class"))
    assert vars(clf) == vars(CompAODE())


def test_a_file_that_breaks_between_passes_leaves_nothing_behind(table, tmp_path):
    write(table, tmp_path)
    clf = CompAODE()

    def break_after_counts(progress):
        if progress.stage == "counts" and progress.n_rows == progress.total:
            damage(tmp_path / "part2.parquet", 0)

    with pytest.raises(ValueError, match=r"part2\.parquet has changed since it was scanned"):
        fit_batches(clf, scan_parquet(tmp_path, target="class"), progress=break_after_counts)
    assert vars(clf) == vars(CompAODE())


def with_other_kinds(part):
    """Return a table of the same classes and numbers, with the values of a column turned round."""
    return part.set_column(1, "kind", part["kind"].take(np.arange(len(part))[::-1]))


def after(stage, change):
    """Return a listener to the progress that makes a change once, after the last batch of a pass."""

    def listen(progress):
        if progress.stage == stage and progress.n_rows == progress.total and change.todo:
            change.todo.pop()()

    return listen


class Change:
    """Something to do once."""

    def __init__(self, what):
        self.todo = [what]


@pytest.mark.parametrize("stage", ["encoding", "counts"])
def test_a_file_that_is_replaced_between_passes_is_named(table, tmp_path, stage):
    write(table, tmp_path)
    path = tmp_path / "part1.parquet"
    change = Change(lambda: pq.write_table(with_other_kinds(pq.read_table(path)), path))
    clf = CompAODE()
    with pytest.raises(ValueError, match=r"part1\.parquet has changed since it was scanned"):
        fit_batches(clf, scan_parquet(tmp_path, target="class"), progress=after(stage, change))
    assert not change.todo
    assert vars(clf) == vars(CompAODE())


def test_an_object_that_is_replaced_between_passes_is_named(table):
    memory = fsspec.filesystem("memory")

    def put(rows):
        with memory.open("/changing/rows.parquet", "wb") as file:
            pq.write_table(rows, file)

    put(table)
    change = Change(lambda: put(with_other_kinds(table)))
    scan = scan_parquet("memory://changing/rows.parquet", target="class")
    with pytest.raises(ValueError, match=r"rows\.parquet has changed since it was scanned"):
        fit_batches(CompAODE(), scan, progress=after("encoding", change))


def test_a_file_that_is_replaced_while_it_is_read_is_named(table, tmp_path):
    write(table, tmp_path, n_files=1)
    path = tmp_path / "part0.parquet"
    scan = iter(scan_parquet(path, batch_rows=300))
    next(scan)
    other = tmp_path / "other"
    pq.write_table(table.slice(0, 10), other)
    other.replace(path)  # what is open stays readable
    with pytest.raises(ValueError, match=r"part0\.parquet has changed since it was scanned"):
        list(scan)


def test_a_file_that_hides_its_change_is_betrayed_by_its_counts(table, tmp_path):
    write(table, tmp_path)
    path = tmp_path / "part1.parquet"

    def swap_values():
        before, rows = path.stat(), pq.read_table(path)
        kinds = ["bca"["abc".index(kind)] for kind in rows["kind"].to_pylist()]
        pq.write_table(rows.set_column(1, "kind", pa.array(kinds)), path, row_group_size=100)
        assert path.stat().st_size == before.st_size
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(ValueError, match=r"same rows.*Column 'kind' are others in the pass for the counts"):
        fit_batches(
            CompAODE(),
            scan_parquet(tmp_path, target="class"),
            progress=after("encoding", Change(swap_values)),
        )


def test_an_error_in_the_rows_names_their_file(table, tmp_path):
    write(table, tmp_path)
    numbers = table["number"].to_numpy().copy()[:5]
    numbers[2] = np.inf
    bad = table.slice(0, 5).set_column(0, "number", pa.array(numbers))
    pq.write_table(bad, tmp_path / "part6.parquet")
    with pytest.raises(ValueError, match=r"Column 'number' contains infinity") as caught:
        fit_batches(AODE(), scan_parquet(tmp_path, target="class"))
    assert "part6.parquet" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": "nowhere"}, FileNotFoundError, "nowhere"),
        ({"path": "nowhere/*.parquet"}, FileNotFoundError, "nowhere"),
        ({"path": []}, ValueError, "path"),
        ({"target": "colour"}, ValueError, "target must be a column of the files, .* got 'colour'"),
        ({"columns": ["number", "number"]}, ValueError, "'number' twice"),
        ({"columns": "number"}, TypeError, "columns must be a list of names, not a string"),
        ({"columns": ["class"], "target": "class"}, ValueError, "'class' twice"),
        ({"columns": []}, ValueError, "at least one feature"),
        ({"weight": "weight"}, ValueError, "weight needs a target"),
        ({"batch_rows": 0}, ValueError, "batch_rows must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(table, tmp_path, arguments, error, message):
    write(table, tmp_path)
    with pytest.raises(error, match=message):
        scan_parquet(**{"path": tmp_path, **arguments})


@pytest.mark.parametrize("learner", [AODE, CredalCompAODE, CredalLogPoolAODE, NaiveCredal])
def test_predictions_go_round(table, tmp_path, learner):
    X, y = table.drop_columns(["class", "weight"]), table["class"]
    clf = learner().fit(X, y)
    (tmp_path / "rows").mkdir()
    write(table, tmp_path / "rows")
    scan = scan_parquet(tmp_path / "rows", target="class", columns=X.column_names, batch_rows=77)
    assert predict_batches(clf, scan, tmp_path / "answers.parquet") == 1000
    assert sorted(file.name for file in tmp_path.iterdir()) == ["answers.parquet", "rows"]
    for read in (pd.read_parquet, pl.read_parquet):
        answers = read(tmp_path / "answers.parquet")
        assert list(answers["predicted"]) == list(clf.predict(X))
        assert list(answers["target"]) == y.to_pylist()
        proba = np.stack([answers[f"probability_{label}"] for label in clf.classes_], axis=1)
        np.testing.assert_array_equal(proba, clf.predict_proba(X))
        assert ("set" in answers.columns) == hasattr(clf, "predict_set")
        if hasattr(clf, "predict_set"):
            sets, interval = clf.predict_set(X), clf.predict_interval(X)
            assert [list(labels) for labels in answers["set"]] == [list(clf.classes_[one]) for one in sets]
            np.testing.assert_array_equal(answers["set_size"], sets.sum(axis=1))
            for c, label in enumerate(clf.classes_):
                np.testing.assert_array_equal(answers[f"lower_{label}"], interval[:, c, 0])
                np.testing.assert_array_equal(answers[f"upper_{label}"], interval[:, c, 1])
        assert ("robustness" in answers.columns) == hasattr(clf, "robustness")
        if hasattr(clf, "robustness"):
            np.testing.assert_array_equal(answers["robustness"], clf.robustness(X))


def test_predictions_of_tables_without_classes_from_a_generator(tmp_path):
    clf = AODE().fit([["a", 1], ["b", 2]], [False, True])
    rows = np.array([["a", 1], ["b", 2], ["c", 3]], object)
    path = tmp_path / "answers.parquet"
    assert predict_batches(clf, (rows[r : r + 1] for r in range(3)), path) == 3
    answers = pq.read_table(path)
    assert answers.column_names == ["predicted", "probability_False", "probability_True"]
    assert answers["predicted"].to_pylist() == clf.predict(rows).tolist()


def test_predictions_appear_only_when_complete(tmp_path):
    clf = AODE().fit([["a"], ["b"]], [0, 1])
    path = tmp_path / "answers.parquet"
    path.write_text("from before")

    def batches():
        yield [["a"]]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        predict_batches(clf, batches, path)
    for wrong, message in [
        ([], "at least one row"),
        ([[["a"]], ([["a"]], [0])], "got a target after no target"),
        ([([["a"]], [0]), [["a"]]], "got no target after a target"),
        ([([["a"]], ["0"]), ([["a"]], [0])], "y of the same type, got int64 after string"),
        ([([["a"]], [0, 1])], "y must have one class for each of the 1 rows of X, got 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            predict_batches(clf, wrong, path)
    with pytest.raises(ValueError, match="2 features") as caught:
        predict_batches(clf, [[["a"]], [["a", "b"]]], path)
    assert caught.value.__notes__ == ["This happened in batch 2 in the pass for the predictions."]
    with pytest.raises(TypeError, match="batches must be iterable"):
        predict_batches(clf, 3, path)
    with pytest.raises(TypeError, match="got the path"):
        predict_batches(clf, path, path)
    assert path.read_text() == "from before"
    assert list(tmp_path.iterdir()) == [path]


def test_classes_that_are_missing_or_of_many_kinds_are_written_as_they_are(tmp_path):
    clf = AODE().fit([["a"], ["b"]], ["x", "y"])
    path, row = tmp_path / "answers.parquet", [["a"]]
    batches = [
        (row, ["x"]),
        (row, [None]),
        (row * 2, pd.Series(["y", None])),
        (row, pl.Series(["other"])),
        (row, pd.Categorical(["x"])),
        (row, pa.chunked_array([pa.array(["y"]).dictionary_encode()])),
        (row, pa.array(["x"], pa.large_string())),
    ]
    assert predict_batches(clf, batches, path) == 8
    assert pq.read_table(path)["target"].to_pylist() == ["x", None, "y", None, "other", "x", "y", "x"]
