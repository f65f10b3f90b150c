"""Batches of rows from Parquet files, on a disk or in an object store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from skcredal._extras import require
from skcredal._validation import check_integer, safe_repr
from skcredal.scale._storage import file_version, find_files

__all__ = ["ParquetScan", "scan_parquet"]

# Footers that are read at a time: an object store is slow to respond, but handles many requests at once.
FOOTERS_AT_A_TIME = 16
# Compressed bytes of a column that are held at a time, instead of a whole row group, which may be a gigabyte.
# Smaller buffers save little, since a decoded batch is larger, and mean more requests to a store.
READ_BUFFER = 1 << 20
# What pyarrow raises for a file that is damaged, gone, or not Parquet; its ArrowInvalid is a ValueError.
UNREADABLE = (OSError, ValueError, NotImplementedError)


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

    The schemas of all files are compared at once, from their footers; rows are read lazily, at most a batch
    at a time.

    Parameters
    ----------
    path : str, path or list of them
        A file; a folder, of which all files ending in ``.parquet`` are read, including subfolders, unless the
        name of the file or of a subfolder begins with a dot or an underscore; a pattern with ``*``, ``**``,
        ``?`` or ``[]``; or the address of any of them in an object store (``s3://bucket/folder``, ``gs://``,
        ``file://``, and whatever fsspec supports if it is installed).
    target : str, optional
        The column with the classes. Without it, batches are tables to predict.
    columns : sequence of str, optional
        The features, in this order; by default all columns but ``target`` and ``weight``.
    weight : str, optional
        The column with the weights of the rows.
    batch_rows : int, default=131072
        The largest number of rows in a batch.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        Where the path is, unless the path is an address or local.
    partitioning : {"hive", None}, default="hive"
        Whether folders with names like ``year=2024`` become columns, after those of the files: 32-bit
        integers if all values are integers, otherwise text. For a folder, these are its subfolders; for files
        and patterns, all folders in their paths. A column that is also in a file is read from the files.

    Returns
    -------
    batches : ParquetScan
        It can be iterated any number of times and yields ``(X, y)`` or ``(X, y, sample_weight)``, or ``X``
        without a target, with ``X`` an Arrow table. ``n_rows`` is the number of rows.

    Raises
    ------
    ValueError
        If a column is missing in a file or has another type than in the first file; during iteration, if a
        file cannot be read, or has changed since it was scanned.

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
    paths = list(path) if isinstance(path, (list, tuple)) else [path]
    if not paths:
        raise ValueError("path must name a file, a folder or a pattern, got an empty list.")
    files = _open_files([find_files(one, filesystem) for one in paths], hive=partitioning == "hive")
    wanted = _wanted_columns(files, target, columns, weight)
    for file in files:
        _check_schema(file, files, wanted)
    features = [name for name in wanted if name not in (target, weight)]
    return ParquetScan(files, features, target, weight, int(batch_rows), sum(file.n_rows for file in files))


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

    files: list[ParquetFile]
    features: list[str]
    target: str | None
    weight: str | None
    batch_rows: int
    n_rows: int
    where: str | None = None

    def __iter__(self) -> Iterator[Any]:
        apart = [name for name in (self.target, self.weight) if name is not None]
        for file in self.files:
            self.where = file.path
            for table in file.tables([*self.features, *apart], self.batch_rows):
                X = table.select(self.features)
                yield (X, *(table.column(name) for name in apart)) if apart else X
        self.where = None


@dataclass(frozen=True, slots=True, eq=False)
class ParquetFile:
    """A file: its schema including the columns named by its folders, and the values of these.

    ``version`` is what it was when it was scanned: a file that has changed since is not read.
    """

    filesystem: Any
    path: str
    version: tuple[Any, ...]
    schema: Any
    n_rows: int
    from_folders: dict[str, Any]

    def tables(self, columns: list[str], batch_rows: int) -> Iterator[Any]:
        """Yield tables of at most ``batch_rows`` rows."""
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        own = [name for name in columns if name not in self.from_folders]
        parts: list[Any] = []
        n_rows = 0
        self._refuse_changes()
        try:
            # The scanner of pyarrow.dataset would decode a whole row group at a time, however large.
            with _open(self.filesystem, self.path) as opened:
                for part in opened.iter_batches(batch_rows, columns=own):
                    # With text, a part ends with its row group, which may be small: such parts are joined.
                    if n_rows + part.num_rows > batch_rows:
                        yield self._complete(arrow.Table.from_batches(parts), columns)
                        parts, n_rows = [], 0
                    parts.append(part)
                    n_rows += part.num_rows
            if n_rows > 0:
                yield self._complete(arrow.Table.from_batches(parts), columns)
        except UNREADABLE as error:
            # pyarrow does not say which column is damaged: read them one by one to find out.
            column = next((f", in column {name!r}" for name in own if not self._is_readable(name)), "")
            raise ValueError(f"{self.path} cannot be read{column}: {error}") from error
        # Once more: it may have changed while it was read.
        self._refuse_changes()

    def _refuse_changes(self) -> None:
        if file_version(self.filesystem, self.path) != self.version:
            raise ValueError(
                f"{self.path} has changed since it was scanned, but every pass must read the same rows. Scan "
                "it again when it is complete."
            )

    def _complete(self, table: Any, columns: list[str]) -> Any:
        """Return the table with the columns named by the folders."""
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        for name in columns:
            if name in self.from_folders:
                table = table.append_column(name, arrow.repeat(self.from_folders[name], table.num_rows))
        return table

    def _is_readable(self, column: str) -> bool:
        try:
            with _open(self.filesystem, self.path) as opened:
                return all(part is not None for part in opened.iter_batches(columns=[column]))
        except UNREADABLE:
            return False


def _open(filesystem: Any, path: str) -> Any:
    parquet = require("pyarrow.parquet", extra="scale", purpose="scan_parquet")
    # pre_buffer would fetch all columns of a row group at once.
    return parquet.ParquetFile(path, filesystem=filesystem, buffer_size=READ_BUFFER, pre_buffer=False)


def _open_files(found: list[tuple[Any, str, list[str]]], *, hive: bool) -> list[ParquetFile]:
    """Read the footers of all files, and the values in the names of their folders."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    located = [(filesystem, path) for filesystem, _, paths in found for path in paths]
    with ThreadPoolExecutor(min(FOOTERS_AT_A_TIME, len(located))) as pool:
        footers = list(pool.map(_read_footer, *zip(*located, strict=True)))
    told: list[dict[str, Any]] = [{} for _ in located]
    if hive:
        # Files that were listed one by one are read together: the type of a column follows from all values.
        groups = groupby(found, itemgetter(0, 1))
        told = [
            values
            for (filesystem, folder), group in groups
            for values in _folder_values(filesystem, folder, [path for *_, paths in group for path in paths])
        ]
    held = {name for _, schema, _ in footers for name in schema.names}
    files = []
    for (filesystem, path), (version, schema, n_rows), values in zip(located, footers, told, strict=True):
        # A column that some file holds is read from the files, where it has its exact type.
        own = {name: value for name, value in values.items() if name not in held}
        for name, value in own.items():
            schema = schema.append(arrow.field(name, value.type))
        files.append(ParquetFile(filesystem, path, version, schema, n_rows, own))
    return files


def _read_footer(filesystem: Any, path: str) -> tuple[tuple[Any, ...], Any, int]:
    """Return the version, the schema and the number of rows of a file."""
    try:
        version = file_version(filesystem, path)  # first: a change after it is noticed
        with _open(filesystem, path) as opened:
            return version, opened.schema_arrow, opened.metadata.num_rows
    except UNREADABLE as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error


def _folder_values(filesystem: Any, folder: str, paths: list[str]) -> list[dict[str, Any]]:
    """Return for each file the values of the columns named by its folders, such as ``year=2024``."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    dataset = require("pyarrow.dataset", extra="scale", purpose="scan_parquet")
    factory = dataset.FileSystemDatasetFactory(
        filesystem,
        paths,
        dataset.ParquetFileFormat(),
        dataset.FileSystemFactoryOptions(
            partition_base_dir=folder, partitioning=dataset.HivePartitioning.discover()
        ),
    )
    try:
        # The last schema is that of the folders alone; merged with those of the files, types could clash.
        schema = factory.inspect_schemas()[-1]
        fragments = list(factory.finish(schema).get_fragments())
    except arrow.ArrowInvalid as error:
        raise ValueError(
            f"The folder names of {paths[0]} cannot be read as columns ({error}); use partitioning=None to "
            "read the files without them."
        ) from error
    values = [dataset.get_partition_keys(fragment.partition_expression) for fragment in fragments]
    return [
        {field.name: arrow.scalar(one[field.name], field.type) for field in schema if field.name in one}
        for one in values
    ]


def _wanted_columns(
    files: list[ParquetFile], target: str | None, columns: Sequence[str] | None, weight: str | None
) -> list[str]:
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, not a string, got {safe_repr(columns)}.")
    if weight is not None and target is None:
        raise ValueError(f"weight needs a target, got weight={safe_repr(weight)} without one.")
    apart = [name for name in (target, weight) if name is not None]
    # The columns of all files, so that a file that lacks one is found even if it is the first.
    names = list(dict.fromkeys(name for file in files for name in file.schema.names))
    for parameter, some in (("target", [target]), ("weight", [weight]), ("columns", columns or [])):
        for name in some:
            if name is not None and name not in names:
                rule = "name columns of the files" if parameter == "columns" else "be a column of the files"
                raise ValueError(f"{parameter} must {rule}, {safe_repr(names)}, got {safe_repr(name)}.")
    wanted = [*([name for name in names if name not in apart] if columns is None else columns), *apart]
    if twice := [name for name in wanted if wanted.count(name) > 1]:
        raise ValueError(f"columns, target and weight must name different columns, got {twice[0]!r} twice.")
    if len(wanted) == len(apart):
        raise ValueError(f"columns must name at least one feature, and {files[0].path} has no other column.")
    return wanted


def _check_schema(file: ParquetFile, files: list[ParquetFile], wanted: list[str]) -> None:
    """Raise an error if a file lacks a column of the others, or has another type for it than the first."""
    names, first = file.schema.names, files[0]
    for name in wanted:
        if name not in names:
            other = next(other.path for other in files if name in other.schema.names)
            raise ValueError(f"{file.path} has no column {name!r}, unlike {other}; it has {names}.")
        found, expected = file.schema.field(name).type, first.schema.field(name).type
        # A column without any value has the type null, which fits any other.
        if len({_kind(found), _kind(expected)} - {"null"}) > 1:
            raise ValueError(
                f"{file.path} has type {found} in column {name!r}, but {first.path} has {expected}."
            )


def _kind(arrow_type: Any) -> str:
    """Return a type as text, ignoring differences that do not affect the values."""
    types = require("pyarrow.types", extra="scale", purpose="scan_parquet")
    if types.is_dictionary(arrow_type):
        return f"dictionary of {_kind(arrow_type.value_type)}"
    return "string" if types.is_large_string(arrow_type) else str(arrow_type)
