"""Batches of rows from Parquet files, on a disk or in an object store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from skcredal._extras import require
from skcredal._validation import check_integer, safe_repr
from skcredal.scale._partitions import hive_columns
from skcredal.scale._storage import File, find_files

__all__ = ["ParquetScan", "scan_parquet"]

# Footers that are read at a time: an object store answers slowly, and many at once.
FOOTERS_AT_A_TIME = 16
# Compressed bytes of a column that are held at a time, instead of a whole row group.
READ_BUFFER = 1 << 20


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

    The schemas of all files are compared at once, by their footers; rows are read when they are asked for,
    and no more than a batch of them at a time.

    Parameters
    ----------
    path : str, path or list of them
        A file, a folder (all its files that end in ``.parquet``, in it and below, but those whose name, or
        that of a folder on the way, begins with a dot or an underscore), a pattern with ``*``,
        ``?`` or ``[]``, or the address of any of them in an object store (``s3://bucket/folder``, ``gs://``,
        ``file://``, and whatever fsspec knows where that is installed).
    target : str, optional
        The column of the classes. Without it, batches are tables to predict.
    columns : sequence of str, optional
        The features, in this order; by default all columns but ``target`` and ``weight``.
    weight : str, optional
        The column of the weights of the rows.
    batch_rows : int, default=131072
        The most rows of a batch.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        Where the path is, if the path does not tell.
    partitioning : {"hive", None}, default="hive"
        Whether names of folders like ``year=2024`` are columns, after those of the files: 32-bit integers if
        all values are such, or else text. Of a folder, those below it count; of files and patterns, all
        folders of their paths. A column that a file holds itself is read from the files.

    Returns
    -------
    batches : ParquetScan
        To be iterated as often as needed: ``(X, y)`` or ``(X, y, sample_weight)``, or ``X`` without a target,
        with ``X`` an Arrow table. ``n_rows`` tells how many rows there are.

    Raises
    ------
    ValueError
        If a column is missing in a file or has another type there than in the first file, with both named;
        or, from the iteration, if a file cannot be read.

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
    require("pyarrow.parquet", extra="scale", purpose="scan_parquet")
    paths = list(path) if isinstance(path, (list, tuple)) else [path]
    if not paths:
        raise ValueError("path must name a file, a folder or a pattern, got an empty list.")
    found = [file for one in paths for file in find_files(one, filesystem)]
    with ThreadPoolExecutor(min(FOOTERS_AT_A_TIME, len(found))) as pool:
        footers = list(pool.map(_read_footer, found))
    files = _with_folders(found, [schema for schema, _ in footers], partitioning)
    wanted = _wanted_columns(files, target, columns, weight)
    for file in files:
        _check_schema(file, files, wanted)
    n_rows = sum(rows for _, rows in footers)
    features = [name for name in wanted if name not in (target, weight)]
    return ParquetScan(files, features, target, weight, int(batch_rows), n_rows)


@dataclass(frozen=True, slots=True, eq=False)
class _ParquetFile:
    """A file, its columns with those of its folders, and what the folders say."""

    file: File
    schema: Any
    from_folders: dict[str, Any]

    @property
    def path(self) -> str:
        return self.file.path

    def own(self, columns: list[str]) -> list[str]:
        """Return which of the columns stand in the file itself."""
        return [name for name in columns if name not in self.from_folders]

    def complete(self, table: Any, columns: list[str]) -> Any:
        """Return the table with those of the columns that the folders tell."""
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        for name in columns:
            if name in self.from_folders:
                value = arrow.scalar(self.from_folders[name], self.schema.field(name).type)
                table = table.append_column(name, arrow.repeat(value, table.num_rows))
        return table


def _with_folders(files: list[File], schemas: list[Any], partitioning: str | None) -> list[_ParquetFile]:
    """Return the files with the columns that the names of their folders tell, but no file holds itself."""
    if partitioning is None:
        return [_ParquetFile(file, schema, {}) for file, schema in zip(files, schemas, strict=True)]
    fields, values = hive_columns(files)
    held = {name for schema in schemas for name in schema.names}
    result = []
    for file, schema, told in zip(files, schemas, values, strict=True):
        own = {name: value for name, value in told.items() if name not in held}
        for name in own:
            schema = schema.append(fields.field(name))
        result.append(_ParquetFile(file, schema, own))
    return result


class ParquetScan:
    """Rows of Parquet files, batch by batch, as often as they are asked for; made by :func:`scan_parquet`.

    Attributes
    ----------
    n_rows : int
        How many rows the files hold.
    where : str or None
        The file that the last batch came from.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from skcredal.scale import scan_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"a": [1, 2, 3]}), f"{folder}/numbers.parquet")
    ...     scan = scan_parquet(folder, batch_rows=2)
    ...     scan.n_rows, [len(X) for X in scan]
    (3, [2, 1])
    """

    def __init__(
        self,
        files: list[_ParquetFile],
        features: list[str],
        target: str | None,
        weight: str | None,
        batch_rows: int,
        n_rows: int,
    ) -> None:
        self.files = files
        self.features = features
        self.target = target
        self.weight = weight
        self.batch_rows = batch_rows
        self.n_rows = n_rows
        self.where: str | None = None

    def __iter__(self) -> Iterator[Any]:
        for file in self.files:
            self.where = file.path
            for table in self._tables(file):
                yield self._batch(table)
        self.where = None

    def _tables(self, file: _ParquetFile) -> Iterator[Any]:
        """Yield tables of at most ``batch_rows`` rows; text ends with a row group, and its parts join."""
        arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
        columns = [*self.features, *(name for name in (self.target, self.weight) if name is not None)]
        try:
            with _open(file.file) as opened:
                parts: list[Any] = []
                n_rows = 0
                for part in opened.iter_batches(self.batch_rows, columns=file.own(columns)):
                    if n_rows + part.num_rows > self.batch_rows:
                        yield file.complete(arrow.Table.from_batches(parts), columns)
                        parts, n_rows = [], 0
                    parts.append(part)
                    n_rows += part.num_rows
                if n_rows > 0:
                    yield file.complete(arrow.Table.from_batches(parts), columns)
        except (OSError, arrow.ArrowException) as error:
            column = _broken_column(file.file, file.own(columns))
            raise ValueError(
                f"{file.path} cannot be read{f', in column {column!r}' if column else ''}: {error}"
            ) from error

    def _batch(self, table: Any) -> Any:
        X = table.select(self.features)
        if self.target is None:
            return X
        y = table.column(self.target)
        return (X, y) if self.weight is None else (X, y, table.column(self.weight))


def _open(file: File) -> Any:
    """Open a file as Parquet."""
    parquet = require("pyarrow.parquet", extra="scale", purpose="scan_parquet")
    return parquet.ParquetFile(
        file.filesystem.open_input_file(file.path), buffer_size=READ_BUFFER, pre_buffer=False
    )


def _read_footer(file: File) -> tuple[Any, int]:
    """Return the schema of a file and how many rows it has."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    try:
        with _open(file) as opened:
            return opened.schema_arrow, opened.metadata.num_rows
    except (OSError, arrow.ArrowException) as error:
        raise ValueError(f"{file.path} cannot be read as Parquet: {error}") from error


def _wanted_columns(
    files: list[_ParquetFile], target: str | None, columns: Sequence[str] | None, weight: str | None
) -> list[str]:
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, got {safe_repr(columns)}.")
    apart = [name for name in (target, weight) if name is not None]
    # Of all files, so that one that lacks a column is refused even if it is the first.
    names = list(dict.fromkeys(name for file in files for name in file.schema.names))
    for parameter, some in (("target", [target]), ("weight", [weight]), ("columns", columns or [])):
        for name in some:
            if name is not None and name not in names:
                of = "some" if parameter == "columns" else "one"
                raise ValueError(
                    f"{parameter} must be {of} of the columns {safe_repr(names)}, got {safe_repr(name)}."
                )
    features = [name for name in names if name not in apart] if columns is None else list(columns)
    if twice := sorted({name for name in (*features, *apart) if (*features, *apart).count(name) > 1}):
        raise ValueError(f"columns, target and weight must name different columns, got {twice[0]!r} twice.")
    if not features:
        raise ValueError(f"columns must name at least one feature, and {files[0].path} has no other column.")
    if weight is not None and target is None:
        raise ValueError(f"weight={safe_repr(weight)} is of use only with a target.")
    return [*features, *apart]


def _check_schema(file: _ParquetFile, files: list[_ParquetFile], wanted: list[str]) -> None:
    """Refuse a file that lacks a column of the others, or has another type for it than the first."""
    first = files[0]
    schema, expected = file.schema, first.schema
    for name in wanted:
        places = schema.get_all_field_indices(name)
        if not places:
            other = next(other.path for other in files if name in other.schema.names)
            raise ValueError(f"{file.path} has no column {name!r}, which {other} has; it has {schema.names}.")
        if len(places) > 1:
            raise ValueError(f"{file.path} has more than one column {name!r}; it has {schema.names}.")
        found, known = _kind(schema.field(name).type), _kind(expected.field(name).type)
        if "null" not in (found, known) and found != known:
            raise ValueError(
                f"{file.path} has the type {schema.field(name).type} in column {name!r}, and {first.path} "
                f"has {expected.field(name).type}."
            )


def _kind(arrow_type: Any) -> str:
    """Return a type as text, without what makes no difference to the values."""
    types = require("pyarrow.types", extra="scale", purpose="scan_parquet")
    if types.is_dictionary(arrow_type):
        return f"dictionary of {_kind(arrow_type.value_type)}"
    return "string" if types.is_large_string(arrow_type) else str(arrow_type)


def _broken_column(file: File, columns: list[str]) -> str | None:
    """Return the first column that cannot be read by itself."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    for name in columns:
        try:
            with _open(file) as opened:
                for _ in opened.iter_batches(columns=[name]):
                    pass
        except (OSError, arrow.ArrowException):
            return name
    return None
