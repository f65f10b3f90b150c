"""Batches of rows from Parquet files, on a disk or in an object store: pyarrow.dataset reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from skcredal._extras import require
from skcredal._validation import check_instance, check_integer, check_texts, naming, safe_repr

__all__ = ["ParquetScan", "locate", "scan_parquet"]


def scan_parquet(
    path: Any,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    batch_rows: int = 131_072,
    filesystem: Any = None,
    partitioning: str | None = "hive",
) -> ParquetScan:
    """Stream rows out of Parquet files.

    Columns and types of all files are compared at once, from their footers; rows are read lazily, a row group
    of one file at a time.

    Parameters
    ----------
    path : str, path or list of them
        A file; a folder, from which all files ending in ``.parquet`` are read, including subfolders, unless
        the name of the file or of a subfolder begins with a dot or an underscore; a local pattern with ``*``,
        ``**``, ``?`` or ``[]``, as in :mod:`glob`; or the address of a file or folder in an object store
        (``s3://bucket/folder``, ``gs://``, and any that fsspec supports if it is installed).
    target : str, optional
        The column with the classes. Without it, batches are tables to predict.
    columns : sequence of str, optional
        The features, in this order; by default all columns but ``target`` and ``weight``.
    weight : str, optional
        The column with the weights of the rows.
    batch_rows : int, default=131072
        The largest number of rows in a batch. A batch also ends where its row group ends.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        The file system of the path, unless the path is local or an address.
    partitioning : {"hive", None}, default="hive"
        Whether folders with names like ``year=2024`` become columns, after those of the files: 32-bit
        integers if all values are integers, otherwise text. For a single folder, these are its subfolders;
        for files, patterns and lists, all folders in their paths.

    Returns
    -------
    batches : ParquetScan
        It can be iterated any number of times and yields ``(X, y)`` or ``(X, y, sample_weight)``, or ``X``
        without a target, with ``X`` an Arrow table. ``n_rows`` is the number of rows.

    Raises
    ------
    ValueError or TypeError
        If a column is missing in a file, or its types in two files do not fit together (such as numbers and
        text); or if a file cannot be read, which may turn up only during iteration.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from skcredal import AODE
    >>> from skcredal.scale import fit_batches, scan_parquet
    >>> fruit = pa.table({"colour": ["red", "yellow", "red"], "kind": ["apple", "banana", "apple"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(fruit, f"{folder}/fruit.parquet")
    ...     clf = fit_batches(AODE(), scan_parquet(folder, target="kind", batch_rows=2))
    >>> clf.predict(pa.table({"colour": ["yellow"]})).tolist()
    ['banana']
    """
    check_integer("batch_rows", batch_rows, low=1)
    if weight is not None and target in (None, weight):
        raise ValueError(f"weight needs a target, and must be another column, got {weight!r} and {target!r}.")
    dataset, n_rows = _open_files(path, filesystem, partitioning)
    # The columns of all files, so that a file that lacks one is found even if it is the first.
    schemas = [dataset.schema, *(file.physical_schema for file in dataset.get_fragments())]
    names = list(dict.fromkeys(name for schema in schemas for name in schema.names))
    apart = [name for name in (target, weight) if name is not None]
    chosen = names if columns is None else check_texts("columns", columns)
    for parameter, some in (("target", apart[:1]), ("weight", apart[1:]), ("columns", chosen)):
        if unknown := [name for name in some if name not in names]:
            raise ValueError(f"{parameter} must be among the columns {names}, got {safe_repr(unknown[0])}.")
    features = [name for name in chosen if name not in apart]
    dataset = _with_columns(dataset, schemas, [*features, *apart])
    return ParquetScan(dataset, features, apart, batch_rows, n_rows)


@dataclass(eq=False, repr=False)
class ParquetScan:
    """Rows of Parquet files, batch by batch, any number of times; made by :func:`scan_parquet`.

    Attributes
    ----------
    n_rows : int
        The number of rows in all files.
    where : str
        The file that the last batch came from.
    """

    dataset: Any
    features: list[str]
    apart: list[str]
    batch_rows: int
    n_rows: int
    where: str = ""

    def __iter__(self) -> Iterator[Any]:
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        for file in self.dataset.get_fragments():
            self.where = file.path
            with naming(file.path):
                # No more than a batch ahead: the default is sixteen.
                parts = file.to_batches(self.dataset.schema, batch_size=self.batch_rows, batch_readahead=1)
                for part in parts:
                    if part.num_rows > 0:
                        X = arrow.Table.from_batches([part.select(self.features)])
                        yield (X, *(part.column(name) for name in self.apart)) if self.apart else X


def _open_files(path: Any, filesystem: Any, partitioning: str | None) -> tuple[Any, int]:
    """Return the dataset of all files, and their number of rows."""
    datasets = require("pyarrow.dataset", extra="scale", purpose="scan_parquet")
    found = [_find_files(one, filesystem) for one in (path if isinstance(path, (list, tuple)) else [path])]
    if not found:
        raise ValueError(f"path must name at least one file, got {path}.")
    with naming(f"{path} with partitioning={partitioning!r}"):
        dataset = datasets.dataset(
            [file for *_, files in found for file in files],
            format="parquet",
            filesystem=found[0][0],
            partitioning=partitioning,
            partition_base_dir=found[0][1] if len(found) == 1 else "",
        )
        return dataset, dataset.count_rows()  # this reads the footers, many at a time


def _with_columns(dataset: Any, schemas: list[Any], wanted: list[str]) -> Any:
    """Return the dataset with columns whose types fit the values of all files."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    datasets = require("pyarrow.dataset", extra="scale", purpose="scan_parquet")
    # pyarrow alone would fill a column that a file lacks.
    for file in dataset.get_fragments():
        own = {*file.physical_schema.names, *datasets.get_partition_keys(file.partition_expression)}
        if lacking := [name for name in wanted if name not in own]:
            raise ValueError(f"{file.path} has no column {lacking[0]!r}, which others have.")
    fields = [arrow.schema([field for field in schema if field.name in wanted]) for schema in schemas]
    with naming("path"):
        return dataset.replace_schema(arrow.unify_schemas(fields, promote_options="permissive"))


def locate(path: Any, filesystem: Any = None) -> tuple[Any, str]:
    """Return the pyarrow file system of a path or an address, and the path in it.

    Examples
    --------
    >>> filesystem, path = locate("file:///data/rows.parquet")
    >>> filesystem.type_name, path
    ('local', '/data/rows.parquet')
    """
    fs = require("pyarrow.fs", extra="scale", purpose="Reading and writing Parquet")
    check_instance("path", path, (str, os.PathLike))
    text = str(os.fspath(path))
    if filesystem is None and "://" not in text:
        return fs.LocalFileSystem(), str(Path(text).absolute())
    if filesystem is None:
        try:
            filesystem, text = fs.FileSystem.from_uri(text)
        except ValueError:  # fsspec, which comes with Dask, supports more kinds of stores
            fsspec = require("fsspec.core", extra="dask", purpose=f"The address {text}")
            filesystem, text = fsspec.url_to_fs(text)
    if isinstance(filesystem, fs.FileSystem):
        return filesystem, text
    if not hasattr(filesystem, "protocol"):
        raise TypeError(f"filesystem must be from pyarrow.fs or fsspec, got {safe_repr(filesystem)}.")
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), text


def _find_files(path: Any, filesystem: Any) -> tuple[Any, str, list[str]]:
    """Return the file system, the folder if the path is one, and the files it stands for, sorted."""
    fs = require("pyarrow.fs", extra="scale", purpose="scan_parquet")
    store, root = locate(path, filesystem)
    found, folder = store.get_file_info(root), ""
    files = [root] if found.is_file else []
    if found.type == fs.FileType.Directory:
        listed = store.get_file_info(fs.FileSelector(root, recursive=True))
        folder, files = root, [one.path for one in listed if _is_data(one.path, root)]
    elif isinstance(store, fs.LocalFileSystem) and not files:
        files = glob(root, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute patterns
    if not files:
        raise FileNotFoundError(f"No Parquet file found at {path!s}.")
    return store, folder, sorted(files)


def _is_data(path: str, folder: str) -> bool:
    """Tell whether a file in a folder has rows: files of other programs are private (_metadata, _delta_log).

    Examples
    --------
    >>> [_is_data(f"_data/{path}", "/_data") for path in ("a.parquet", "_temporary/a.parquet", "notes.txt")]
    [True, False, False]
    """
    below = path.strip("/").removeprefix(folder.strip("/"))  # some file systems begin paths with a slash
    return path.endswith(".parquet") and "/." not in below and "/_" not in below
