"""Rows streamed out of Parquet: files, folders, patterns, stores, and columns in the names of folders."""

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs
import pyarrow.parquet as pq
import pytest

from same_models import assert_same_model
from skcredal import CompAODE
from skcredal.scale import fit_batches, scan_parquet


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


@pytest.mark.parametrize(
    "path_below",
    [
        lambda folder: folder,
        lambda folder: f"{folder.parent}/**/part[0-2].parquet",
        lambda folder: [folder / f"part{number}.parquet" for number in range(3)],
    ],
)
def test_every_way_to_name_files(table, tmp_path, path_below):
    folder = tmp_path / "below"
    folder.mkdir()
    write(table, folder)
    (folder / "_metadata.parquet").write_text("not data")
    (folder / "notes.txt").write_text("not data")
    pq.write_table(table.slice(0, 0), folder / "part0.parquet.empty.parquet")
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "checkpoint.parquet").write_text("not data")
    scan = scan_parquet(path_below(folder))
    assert scan.n_rows == 1000
    assert pa.concat_tables(scan)["number"] == table["number"]
    assert scan.features == table.column_names


def test_files_that_do_not_fit_together_are_refused(table, tmp_path):
    write(table, tmp_path)
    pq.write_table(table.drop_columns("kind"), tmp_path / "part7.parquet")
    with pytest.raises(ValueError, match=r"part7\.parquet has no column 'kind'"):
        scan_parquet(tmp_path, target="class")
    scan_parquet(tmp_path, target="class", columns=["number"])
    pq.write_table(table.set_column(0, "number", table["kind"]), tmp_path / "part7.parquet")
    with pytest.raises(TypeError, match=r"path cannot be read: .*number.*(double|string)"):
        scan_parquet(tmp_path, target="class")
    assert scan_parquet(tmp_path, columns=["kind"]).n_rows == 2000


def test_a_damaged_file_is_named_and_leaves_the_classifier_as_it_was(table, tmp_path):
    write(table, tmp_path)
    path, clf = tmp_path / "part1.parquet", CompAODE()
    chunk = pq.read_metadata(path).row_group(0).column(1)
    data = bytearray(path.read_bytes())
    start = chunk.dictionary_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"part1\.parquet cannot be read"):
        fit_batches(clf, scan_parquet(tmp_path, target="class"))
    assert vars(clf) == vars(CompAODE())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": "nowhere"}, FileNotFoundError, "nowhere"),
        ({"target": "colour"}, ValueError, "target must be among .* got 'colour'"),
        ({"columns": ["number", "kin"]}, ValueError, "columns must be among .* got 'kin'"),
        ({"weight": "class", "target": "class"}, ValueError, "weight needs a target, .* another column"),
        ({"batch_rows": 0}, ValueError, "batch_rows must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(table, tmp_path, arguments, error, message):
    write(table, tmp_path)
    with pytest.raises(error, match=message):
        scan_parquet(**{"path": tmp_path, **arguments})


@pytest.fixture
def folder(table, tmp_path):
    path = tmp_path / "unrelated=1" / "rows"
    kinds = np.array(["a b", "ü", "01", "x/y"])[np.arange(1000) % 4]
    rows = table.select(["number", "weight", "class"]).append_column("kind", pa.array(kinds))
    schema = pa.schema([pa.field("weight", pa.int64()), pa.field("kind", pa.string())])
    ds.write_dataset(rows, path, format="parquet", partitioning=ds.partitioning(schema, flavor="hive"))
    return path


@pytest.mark.parametrize(
    ("target", "columns"), [("class", None), ("kind", None), ("weight", ["kind", "number"])]
)
def test_folders_are_columns(folder, target, columns):
    rows = ds.dataset(folder, partitioning="hive").to_table()
    features = columns or [name for name in rows.column_names if name != target]
    scan = scan_parquet(folder, target=target, columns=columns, batch_rows=40)
    assert scan.features == features
    batches = list(scan)
    assert pa.concat_tables([X for X, _ in batches]).to_pylist() == rows.select(features).to_pylist()
    y = rows[target].to_numpy(zero_copy_only=False)
    assert_same_model(fit_batches(CompAODE(), scan), CompAODE().fit(rows.select(features), y))
