"""Finding files on a disk or in an object store, by a path, a folder, a pattern or an address."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skcredal._extras import require
from skcredal._files import replacing
from skcredal._validation import check_path

__all__ = ["file_version", "find_files", "locate", "replacing_in_store"]


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
    if isinstance(filesystem, fs.FileSystem):
        return filesystem, text
    if hasattr(filesystem, "protocol") and hasattr(filesystem, "open"):
        return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), text
    if filesystem is not None:
        kind = type(filesystem)
        raise TypeError(
            f"filesystem must be from pyarrow.fs or fsspec, got {kind.__module__}.{kind.__name__}."
        )
    if "://" not in text:
        return fs.LocalFileSystem(), str(Path(text).absolute())
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(text)
    except ValueError:
        # fsspec, which comes with Dask, supports more kinds of stores.
        if find_spec("fsspec") is None:
            raise
        store, text = import_module("fsspec.core").url_to_fs(text)
        return locate(text, store)
    return found


def find_files(path: Any, filesystem: Any = None) -> tuple[Any, str, list[str]]:
    """Return the file system, the folder if the path is one, and the files it stands for, sorted."""
    arrow = require("pyarrow", extra="scale", purpose="scan_parquet")
    fs = require("pyarrow.fs", extra="scale", purpose="scan_parquet")
    dataset = require("pyarrow.dataset", extra="scale", purpose="scan_parquet")
    check_path("path", path)
    names = str(os.fspath(path)).split("/")
    folder = ""
    first = next((index for index, name in enumerate(names) if set(name) & set("*?[")), None)
    # A local file may have a bracket in its name.
    if first is not None and (filesystem is not None or not Path(path).exists()):
        root = "".join(f"{name}/" for name in names[:first])
        filesystem, root = locate(root.rstrip("/") or root, filesystem)
        below = filesystem.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
        pattern = [*_names(root), *names[first:]]
        files = [info.path for info in below if info.is_file and _matches(_names(info.path), pattern)]
    else:
        filesystem, root = locate(path, filesystem)
        info = filesystem.get_file_info(root)
        files = [root] if info.is_file else []
        if info.type == fs.FileType.Directory:
            folder = root
            # A dataset skips the private files of other programs: _metadata, _temporary, _delta_log.
            selector = fs.FileSelector(root, recursive=True)
            factory = dataset.FileSystemDatasetFactory(filesystem, selector, dataset.ParquetFileFormat())
            below = factory.finish(arrow.schema([])).files
            files = [name for name in below if name.endswith(".parquet")]
    if not files:
        raise FileNotFoundError(f"No Parquet file found at {path!s}.")
    return filesystem, folder, sorted(files)


def file_version(filesystem: Any, path: str) -> tuple[Any, ...]:
    """Return what tells a file from a later one of the same name: its size, its time, and its ETag if any."""
    info = filesystem.get_file_info(path)
    store = getattr(getattr(filesystem, "handler", None), "fs", None)
    if store is not None:
        # Each store of fsspec knows its own marks. What it listed before, it would repeat.
        store.invalidate_cache(path)
        return info.size, store.ukey(path)
    with filesystem.open_input_stream(path) as stream:  # of a store, this reads nothing but the metadata
        return info.size, info.mtime_ns, stream.metadata().get(b"ETag")


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


@contextmanager
def replacing_in_store(path: Any, filesystem: Any = None) -> Iterator[Any]:
    """Yield a path or stream to write to; it replaces the file at the path or address if nothing fails."""
    fs = require("pyarrow.fs", extra="scale", purpose="predict_batches")
    filesystem, name = locate(path, filesystem)
    if isinstance(filesystem, fs.LocalFileSystem):
        with replacing(name) as file:
            yield str(file)
        return
    if filesystem.get_file_info(name).type == fs.FileType.Directory:
        raise IsADirectoryError(f"path must be a file, got the folder {path!s}.")
    # An object appears in its store as soon as its stream is closed, and a stream that is garbage-collected
    # closes itself: written under its final name, half a file might appear there.
    folder, slash, last = name.rpartition("/")
    unfinished = f"{folder}{slash}.{last}.{uuid.uuid4().hex}.part"
    stream = filesystem.open_output_stream(unfinished)
    try:
        yield stream
        stream.close()
    except BaseException:
        for clean_up in (stream.close, lambda: filesystem.delete_file(unfinished)):
            with suppress(Exception):
                clean_up()
        raise
    try:
        filesystem.move(unfinished, name)
    except Exception as error:
        # Everything is written. A store that cannot rename (some copy no more than 5 GB) should not cost it.
        error.add_note(f"The file is complete as {unfinished}, but could not be renamed to {path!s}.")
        raise
