"""Columns in the names of folders, as pyarrow.dataset reads them."""

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from same_models import assert_same_model
from skcredal import AODE, CompAODE
from skcredal.scale import fit_batches, predict_batches, scan_parquet


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    return pa.table(
        {
            "number": np.round(y + rng.normal(size=600), 1),
            "year": pa.array(2020 + rng.integers(0, 3, 600), pa.int32()),
            "kind": np.array(["a b", "ü", "01", "x/y"])[np.where(rng.random(600) < 0.5, y, 3)],
            "class": np.array(["low", "middle", "high"])[y],
        }
    )


@pytest.fixture
def folder(table, tmp_path):
    path = tmp_path / "unrelated=1" / "rows"
    schema = pa.schema([table.schema.field("year"), table.schema.field("kind")])
    ds.write_dataset(table, path, format="parquet", partitioning=ds.partitioning(schema, flavor="hive"))
    return path


@pytest.mark.parametrize(
    ("target", "columns"),
    [
        ("class", None),
        ("class", ["year", "number"]),
        ("class", ["kind", "year"]),
        ("class", ["number"]),
        ("kind", None),
        ("kind", ["year"]),
        ("year", ["kind", "number"]),
    ],
)
def test_folders_are_columns(folder, target, columns):
    rows = ds.dataset(folder, partitioning="hive").to_table()
    assert rows.column_names == ["number", "class", "year", "kind"]
    features = columns or [name for name in rows.column_names if name != target]
    scan = scan_parquet(folder, target=target, columns=columns, batch_rows=40)
    assert scan.features == features
    batches = list(scan)
    assert pa.concat_tables([X for X, _ in batches]) == rows.select(features).combine_chunks()
    assert scan.n_rows == 600 > 40 >= max(len(X) for X, _ in batches)
    y = rows[target].to_numpy(zero_copy_only=False)
    assert_same_model(fit_batches(CompAODE(), scan), CompAODE().fit(rows.select(features), y))


def test_predictions_of_rows_in_folders(folder, tmp_path):
    clf = fit_batches(AODE(), scan_parquet(folder, target="class"))
    rows = ds.dataset(folder, partitioning="hive").to_table()
    predict_batches(clf, scan_parquet(folder, target="class"), tmp_path / "answers.parquet")
    answers = pq.read_table(tmp_path / "answers.parquet")
    assert answers["predicted"].to_pylist() == clf.predict(rows.drop_columns("class")).tolist()


def test_folders_that_are_no_columns(folder):
    assert scan_parquet(folder, partitioning=None).features == ["number", "class"]
    with pytest.raises(ValueError, match="partitioning must be 'hive' or None, got 'directory'"):
        scan_parquet(folder, partitioning="directory")


def test_files_and_patterns_have_the_columns_of_their_whole_path(folder):
    files = sorted(folder.rglob("*.parquet"))
    expected = ds.dataset([str(file) for file in files], partitioning="hive").schema.names
    assert "unrelated" in expected
    for path in (files, f"{folder}/**/*.parquet", f"{folder}/year=*/kind=*/*.parquet"):
        assert scan_parquet(path).features == expected
    columns = ["year", "number"]
    one = pa.concat_tables(scan_parquet(files[0], columns=columns))
    assert one == ds.dataset(files[0], partitioning="hive").to_table(columns)


TEXTS = st.one_of(
    st.integers(-(2**33), 2**33).map(str),
    st.sampled_from(
        ["__HIVE_DEFAULT_PARTITION__", "01", "-7", "+5", "1.5", "0x1F", "a=b", "a%20b", "%C3%BC"]
    ),
)


@given(texts=st.lists(TEXTS, min_size=1, max_size=4, unique=True))
@settings(max_examples=40)
def test_values_and_types_are_those_of_pyarrow(texts):
    memory, _ = pyarrow.fs.FileSystem.from_uri("mock:///")
    for text in texts:
        memory.create_dir(f"rows/part={text}")
        with memory.open_output_stream(f"rows/part={text}/rows.parquet") as stream:
            pq.write_table(pa.table({"number": [1.0]}), stream)
    if texts == ["__HIVE_DEFAULT_PARTITION__"]:  # pyarrow cannot tell its type
        with pytest.raises(ValueError, match=r"cannot be read as columns .*'part'.*partitioning=None"):
            scan_parquet("rows", filesystem=memory)
        assert scan_parquet("rows", filesystem=memory, partitioning=None).features == ["number"]
        return
    scanned = pa.concat_tables(scan_parquet("rows", filesystem=memory))
    rows = ds.dataset("rows", filesystem=memory, partitioning="hive").to_table()
    assert scanned == rows.combine_chunks()


def write(folder, path, **columns):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)


def test_a_file_outside_the_folders_is_refused(tmp_path):
    for outside in ("a.parquet", "z.parquet", "z=1/b.parquet"):
        folder = tmp_path / outside.replace("/", "_")
        write(folder, "part=1/b.parquet", number=[1.0])
        write(folder, outside, number=[2.0])
        with pytest.raises(ValueError, match=rf"{outside} has no column 'part'"):
            scan_parquet(folder, columns=["number", "part"])
        with pytest.raises(ValueError, match=r"has no column '(part|z)'"):
            scan_parquet(folder)
        assert scan_parquet(folder, columns=["number"]).n_rows == 2


def test_a_column_that_a_file_holds_itself_is_read_from_the_files(tmp_path):
    write(tmp_path, "part=1/a.parquet", number=[1.0], part=["one"])
    write(tmp_path, "part=2/b.parquet", number=[1.0], part=["two"])
    assert pa.concat_tables(scan_parquet(tmp_path))["part"].to_pylist() == ["one", "two"]
    write(tmp_path, "part=2/b.parquet", number=[1.0])
    with pytest.raises(ValueError, match=r"part=2/b\.parquet has no column 'part'"):
        scan_parquet(tmp_path)


def test_a_name_that_cannot_be_read_is_refused(tmp_path):
    write(tmp_path, "part=%E4/a.parquet", number=[1.0])
    with pytest.raises(
        ValueError, match=r"folder names of .*part=%E4/a\.parquet cannot be read as columns .*%E4"
    ):
        scan_parquet(tmp_path)
    assert scan_parquet(tmp_path, partitioning=None).n_rows == 1


def test_an_error_in_the_rows_names_their_file_and_column(tmp_path):
    write(tmp_path, "part=1/a.parquet", number=[1.0, 2.0])
    write(tmp_path, "part=2/b.parquet", number=[np.inf, 2.0])
    with pytest.raises(ValueError, match="Column 'number' contains infinity") as caught:
        fit_batches(AODE(), scan_parquet(tmp_path, target="part"))
    assert "part=2/b.parquet" in caught.value.__notes__[0]
