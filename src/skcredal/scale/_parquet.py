"""Batches of rows from Parquet files, on a disk or in an object store: pyarrow.dataset reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from skcredal._extras import require
from skcredal._threads import run_in_threads
from skcredal._validation import check_integer, check_path, check_texts, safe_repr

__all__ = ["ParquetScan", "locate", "scan_parquet"]

# What pyarrow raises for a file that is damaged, gone, or not Parquet; its ArrowInvalid is a ValueError.
UNREADABLE = (OSError, ValueError, TypeError, NotImplementedError)
# Footers that are read at a time: an object store is slow to respond, but handles many requests at once.
FOOTERS_AT_A_TIME = 16


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

    The schemas of all files are compared at once, from their footers; rows are read lazily, a row group of
    one file at a time.

    Parameters
    ----------
    path : str, path or list of them
        A file; a folder, of which all files ending in ``.parquet`` are read, including subfolders, unless the
        name of the file or of a subfolder begins with a dot or an underscore; a pattern with ``*``, ``**``,
        ``?`` or ``[]``; or the address of any of them in an object store (``s3://bucket/folder``, ``gs://``,
        ``file://``, and any that fsspec supports if it is installed).
    target : str, optional
        The column with the classes. Without it, batches are tables to predict.
    columns : sequence of str, optional
        The features, in this order; by default all columns but ``target`` and ``weight``.
    weight : str, optional
        The column with the weights of the rows.
    batch_rows : int, default=131072
        The largest number of rows in a batch, which ends with its row group.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        Where the path is, unless the path is an address or local.
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
    ValueError
        If a column is missing in a file, or its types in two files do not fit together (numbers, and text);
        or if a file cannot be read, which may turn up only during iteration.

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
    if partitioning not in ("hive", None):
        raise ValueError(f"partitioning must be 'hive' or None, got {safe_repr(partitioning)}.")
    if weight is not None and target in (None, weight):
        raise ValueError(f"weight needs a target, which is another column, got {weight!r} and {target!r}.")
    dataset, schemas = _open_files(path, filesystem, partitioning)
    # The columns of all files, so that a file that lacks one is found even if it is the first.
    names = list(dict.fromkeys(name for schema in schemas.values() for name in schema.names))
    apart = [name for name in (target, weight) if name is not None]
    chosen = names if columns is None else check_texts("columns", columns)
    for parameter, some in (("target", apart[:1]), ("weight", apart[1:]), ("columns", chosen)):
        if unknown := [name for name in some if name not in names]:
            raise ValueError(f"{parameter} must be among the columns {names}, got {safe_repr(unknown[0])}.")
    features = [name for name in chosen if name not in apart]
    if not features:
        raise ValueError(f"columns must name a feature besides {apart}, got {columns}.")
    schema = _common_schema(schemas, [*features, *apart])
    return ParquetScan(dataset.replace_schema(schema), features, apart, int(batch_rows))


@dataclass(eq=False, repr=False)
class ParquetScan:
    """Rows of Parquet files, batch by batch, any number of times; made by :func:`scan_parquet`.

    Attributes
    ----------
    n_rows : int
        The number of rows in all files.
    where : str or None
        The file that the last batch came from.
    """

    dataset: Any
    features: list[str]
    apart: list[str]
    batch_rows: int
    where: str | None = None

    @cached_property
    def n_rows(self) -> int:
        """The number of rows, from the footers of the files."""
        return int(self.dataset.count_rows())

    def __iter__(self) -> Iterator[Any]:
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        for file in self.dataset.get_fragments():
            self.where = file.path
            try:
                # No more than a batch ahead: the default is sixteen.
                parts = file.to_batches(self.dataset.schema, batch_size=self.batch_rows, batch_readahead=1)
                for part in parts:
                    if part.num_rows > 0:
                        X = arrow.Table.from_batches([part.select(self.features)])
                        yield (X, *(part.column(name) for name in self.apart)) if self.apart else X
            except UNREADABLE as error:
                raise ValueError(f"{file.path} cannot be read: {error}") from error
        self.where = None


def _open_files(path: Any, filesystem: Any, partitioning: str | None) -> tuple[Any, dict[str, Any]]:
    """Return the dataset, and the schema of each file, with the columns that its folders name."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    datasets = require("pyarrow.dataset", extra="scale", purpose="scan_parquet")
    found = [_find_files(one, filesystem) for one in (path if isinstance(path, (list, tuple)) else [path])]
    if not found or any(store != found[0][0] for store, *_ in found):
        raise ValueError(f"path must name files of one file system, got {safe_repr(path)}.")
    try:
        dataset = datasets.dataset(
            [file for *_, files in found for file in files],
            format="parquet",
            filesystem=found[0][0],
            partitioning=partitioning,
            partition_base_dir=found[0][1] if len(found) == 1 else "",
        )
        files = list(dataset.get_fragments())
        run_in_threads(lambda file: file.ensure_complete_metadata(), files, FOOTERS_AT_A_TIME)
        folders = [datasets.get_partition_keys(file.partition_expression) for file in files]
    except UNREADABLE as error:
        advice = " With partitioning=None the names of folders are not read." if partitioning else ""
        raise ValueError(f"{path} cannot be read as Parquet: {error}.{advice}") from error
    schemas = {}
    for file, own in zip(files, folders, strict=True):
        of_folders = [field for field in dataset.schema if field.name in own]
        in_file = [field for field in file.physical_schema if field.name not in own]
        schemas[file.path] = arrow.schema([*in_file, *of_folders])
    return dataset, schemas


def _common_schema(schemas: dict[str, Any], wanted: list[str]) -> Any:
    """Return types that hold the values of all files; pyarrow alone would fill a column that a file lacks."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    for path, schema in schemas.items():
        if lacking := [name for name in wanted if name not in schema.names]:
            raise ValueError(f"{path} has no column {lacking[0]!r}, which others have.")
    own = [arrow.schema([schema.field(name) for name in wanted]) for schema in schemas.values()]
    try:
        return arrow.unify_schemas(own, promote_options="permissive")
    except arrow.ArrowTypeError as error:
        raise ValueError(f"All files must fit {next(iter(schemas))}: {error}.") from error


def locate(path: Any, filesystem: Any = None) -> tuple[Any, str]:
    """Return the pyarrow file system of a path or an address, and the path in it.

    Examples
    --------
    >>> filesystem, path = locate("file:///data/rows.parquet")
    >>> filesystem.type_name, path
    ('local', '/data/rows.parquet')
    """
    fs = require("pyarrow.fs", extra="scale", purpose="Reading and writing Parquet")
    check_path("path", path)
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


def _find_files(path: Any, filesystem: Any = None) -> tuple[Any, str, list[str]]:
    """Return the file system, the folder if the path is one, and the files it stands for, sorted."""
    fs = require("pyarrow.fs", extra="scale", purpose="scan_parquet")
    store, root = locate(path, filesystem)
    found = store.get_file_info(root)
    if found.is_file:
        return store, "", [root]
    is_folder, names = found.type == fs.FileType.Directory, root.rstrip("/").split("/")
    # A pattern begins at its first wildcard; before it is a folder.
    first = next((i for i, name in enumerate(names) if not is_folder and set(name) & set("*?[")), len(names))
    folder, pattern = "/".join(names[:first]), names[first:] or ["**", "*.parquet"]
    files = []
    for one in store.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True)):
        below = _names(one.path)[len(_names(folder)) :]
        # The private files of other programs are not data: _metadata, _temporary, _delta_log.
        is_private = is_folder and any(name[0] in "._" for name in below)
        if one.is_file and not is_private and _matches(below, pattern):
            files.append(one.path)
    if not files:
        raise FileNotFoundError(f"No Parquet file found at {path!s}.")
    return store, folder if is_folder else "", sorted(files)


def _names(path: str) -> list[str]:
    """Return the names in a path; it begins with a slash in some file systems, but not in all."""
    return [name for name in path.split("/") if name]


def _matches(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether a path matches a pattern: ``**`` matches any number of folders, ``*`` stays in one.

    Examples
    --------
    >>> [_matches(["a", "b", "c"], pattern) for pattern in (["**", "c"], ["*", "c"], ["?", "b", "c"])]
    [True, False, True]
    """
    if not pattern or not names:
        return not pattern and not names
    if pattern[0] == "**":
        return any(_matches(names[index:], pattern[1:]) for index in range(len(names)))
    return fnmatchcase(names[0], pattern[0]) and _matches(names[1:], pattern[1:])
