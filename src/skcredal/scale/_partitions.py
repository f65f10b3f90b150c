"""Columns that stand in the names of folders, as Hive writes them: ``year=2024/month=5/rows.parquet``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from skcredal._extras import require
from skcredal.scale._storage import File

__all__ = ["hive_columns"]

# What Hive writes for a missing value.
MISSING = "__HIVE_DEFAULT_PARTITION__"


def hive_columns(files: Sequence[File]) -> tuple[Any, list[dict[str, Any]]]:
    """Return the schema of the columns that the folders of files name, and what each file has in them.

    A column whose values are all whole numbers of 32 bits has this type, any other is text, as
    ``pyarrow.dataset`` has it with ``partitioning="hive"``.

    Examples
    --------
    >>> files = [File(None, "", ("year=2024", "kind=a%20b")), File(None, "", ("year=2025", "kind=c"))]
    >>> schema, values = hive_columns(files)
    >>> [(field.name, str(field.type)) for field in schema]
    [('year', 'int32'), ('kind', 'string')]
    >>> values
    [{'year': 2024, 'kind': 'a b'}, {'year': 2025, 'kind': 'c'}]
    """
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    texts = [_texts(file) for file in files]
    fields, values = [], [dict[str, Any]() for _ in files]
    for name in dict.fromkeys(name for of_file in texts for name in of_file):
        column = arrow.array([of_file.get(name) for of_file in texts], arrow.string())
        if column.null_count < len(column):
            with suppress(arrow.ArrowInvalid):  # it is text, then
                column = column.cast(arrow.int32())
        fields.append(arrow.field(name, column.type))
        for of_file, own, value in zip(texts, values, column.to_pylist(), strict=True):
            if name in of_file:
                own[name] = value
    return arrow.schema(fields), values


def _texts(file: File) -> dict[str, str | None]:
    """Return what the folders of a file say, ``None`` for a missing value."""
    found: dict[str, str | None] = {}
    for folder in file.folders:
        name, equals, text = folder.partition("=")
        if not equals:
            continue
        try:
            name, value = unquote(name, errors="strict"), unquote(text, errors="strict")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{file.path} has no readable value of column {name!r} in the folder {folder!r}: {error}"
            ) from None
        found.setdefault(name, None if value == MISSING else value)
    return found
