"""Where files are: on a disk or in an object store, found by a path, a folder, a pattern or an address."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skcredal._extras import require
from skcredal._validation import check_path

__all__ = ["File", "appearing_when_complete", "find_files", "locate"]


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A file that was found.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        Where it is.
    path : str
        Its path there.
    folders : tuple of str
        The names of the folders on the way to it, from the folder that was asked for; all of them if the file
        itself was.
    """

    filesystem: Any
    path: str
    folders: tuple[str, ...] = ()


def locate(path: Any, filesystem: Any = None) -> tuple[Any, str]:
    """Return the file system (of pyarrow) that a path or an address speaks of, and the path in it.

    Examples
    --------
    >>> filesystem, path = locate("file:///data/rows.parquet")
    >>> filesystem.type_name, path
    ('local', '/data/rows.parquet')
    """
    arrow = require("pyarrow", extra="scale", purpose="Reading and writing Parquet")
    fs = require("pyarrow.fs", extra="scale", purpose="Reading and writing Parquet")
    check_path("path", path)
    text = str(os.fspath(path))
    if filesystem is not None:
        return _arrow_filesystem(filesystem), text
    if "://" not in text:
        return fs.LocalFileSystem(), str(Path(text).absolute())
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(text)
    except arrow.ArrowInvalid:
        # fsspec, which comes with Dask, knows more kinds of stores.
        if find_spec("fsspec") is None:
            raise
        core = import_module("fsspec.core")
        other, text = core.url_to_fs(text)
        return _arrow_filesystem(other), text
    return found


def _arrow_filesystem(filesystem: Any) -> Any:
    """Return pyarrow's view of a file system of pyarrow or fsspec."""
    fs = require("pyarrow.fs", extra="scale", purpose="Reading and writing Parquet")
    if isinstance(filesystem, fs.FileSystem):
        return filesystem
    if hasattr(filesystem, "protocol") and hasattr(filesystem, "open"):
        return fs.PyFileSystem(fs.FSSpecHandler(filesystem))
    raise TypeError(
        f"filesystem must be one of pyarrow.fs or of fsspec, got {type(filesystem).__module__}."
        f"{type(filesystem).__name__}."
    )


def find_files(path: Any, filesystem: Any = None) -> list[File]:
    """Return the files that a path, folder, pattern or address stands for, sorted by name."""
    fs = require("pyarrow.fs", extra="scale", purpose="scan_parquet")
    check_path("path", path)
    text = str(path)
    pieces = text.split("/")
    first = next((place for place, piece in enumerate(pieces) if any(c in piece for c in "*?[")), None)
    is_pattern = first is not None and not (filesystem is None and Path(text).exists())
    base = "/".join(pieces[:first]) if is_pattern else text
    if filesystem is None and "://" not in text:
        base = base or ("/" if text.startswith("/") else ".")
    filesystem, base = locate(base, filesystem)
    info = filesystem.get_file_info(base)
    start = ""
    if is_pattern:
        pattern = "/".join([base.rstrip("/"), *pieces[first:]]).lstrip("/")
        below = _files_below(filesystem, base)
        found = [one.path for one in below if _matches(one.path.lstrip("/"), pattern)]
    elif info.type == fs.FileType.Directory:
        start = base.strip("/")
        found = [
            one.path
            for one in _files_below(filesystem, base)
            if one.path.endswith(".parquet")
            # What other programs keep for themselves: _metadata, _temporary, _delta_log.
            and not any(name.startswith((".", "_")) for name in (*_folders(one.path, start), one.base_name))
        ]
    else:
        found = [base] if info.type == fs.FileType.File else []
    if not found:
        raise FileNotFoundError(f"There is no Parquet file at {text}.")
    return [File(filesystem, name, _folders(name, start)) for name in sorted(found)]


def _folders(path: str, start: str) -> tuple[str, ...]:
    return tuple(path.lstrip("/").removeprefix(start).lstrip("/").split("/")[:-1])


def _files_below(filesystem: Any, folder: str) -> list[Any]:
    fs = require("pyarrow.fs", extra="scale", purpose="scan_parquet")
    selector = fs.FileSelector(folder, recursive=True, allow_not_found=True)
    return [one for one in filesystem.get_file_info(selector) if one.type == fs.FileType.File]


def _matches(path: str, pattern: str) -> bool:
    """Tell whether a path fits a pattern, whose ``*`` does not reach into folders, but ``**`` does."""
    pieces, wanted = path.split("/"), pattern.split("/")
    if "**" in wanted:
        before = wanted.index("**")
        rest = "/".join(wanted[before + 1 :])
        return _matches("/".join(pieces[:before]), "/".join(wanted[:before])) and any(
            _matches("/".join(pieces[place:]), rest) for place in range(before, len(pieces))
        )
    return len(pieces) == len(wanted) and all(map(fnmatchcase, pieces, wanted))


@contextmanager
def appearing_when_complete(path: Any, filesystem: Any = None) -> Iterator[Any]:
    """Yield what a file is to be written to; the file appears under its name if all goes well.

    Until then, and for good if anything is wrong, what was there before stays.
    """
    fs = require("pyarrow.fs", extra="scale", purpose="predict_batches")
    filesystem, name = locate(path, filesystem)
    if filesystem.get_file_info(name).type == fs.FileType.Directory:
        raise IsADirectoryError(f"path must be a file, got the folder {path!s}.")
    in_place = _in_place_of if isinstance(filesystem, fs.LocalFileSystem) else _moved_to
    with in_place(filesystem, name, path) as sink:
        yield sink


@contextmanager
def _in_place_of(_: Any, name: str, given: Any) -> Iterator[Any]:
    """Yield the path of a file beside the one wanted, which then takes its place in one step."""
    path = Path(os.path.realpath(name))  # a link stays a link: what it points to is replaced
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must be a file in a folder that exists, got {given!s}.")
    descriptor, unfinished_name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(descriptor)
    unfinished = Path(unfinished_name)
    try:
        yield str(unfinished)
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)  # as any other file; a temporary one is the owner's alone
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _moved_to(filesystem: Any, name: str, given: Any) -> Iterator[Any]:
    """Yield a stream into a file or object beside the one wanted, which then gets its name.

    An object appears in its store as soon as its stream is closed, and a stream that is dropped closes
    itself: so half of one would stand under the name that was asked for, were it written to directly.
    """
    folder, slash, last = name.rpartition("/")
    unfinished = f"{folder}{slash}.{last}.{uuid.uuid4().hex}.part"
    stream = filesystem.open_output_stream(unfinished)
    try:
        yield stream
        stream.close()
    except BaseException:
        with suppress(Exception):
            stream.close()
        with suppress(Exception):
            filesystem.delete_file(unfinished)
        raise
    try:
        filesystem.move(unfinished, name)
    except Exception as error:
        # All is written: that a store cannot rename (some copy no more than 5 GB) should not cost the work.
        error.add_note(f"The file is complete, but could not be moved to {given!s}: it is {unfinished}.")
        raise
