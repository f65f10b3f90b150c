"""Files that are replaced as a whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty file to write to, which replaces the one at the path if nothing fails.

    If anything fails on the way, the old file at the path is intact. If the disk is full, the error names the
    path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/notes.txt") as unfinished:
    ...         _ = unfinished.write_text("eggs, milk")
    ...     [file.name for file in Path(folder).iterdir()]
    ['notes.txt']
    >>> with replacing("nowhere/notes.txt"):
    ...     pass
    Traceback (most recent call last):
    FileNotFoundError: path must be a file in a folder that exists, got 'nowhere/notes.txt'.
    """
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"path must be a file, got the folder {os.fspath(path)!r}.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"path must be a file in a folder that exists, got {os.fspath(path)!r}.")
    # In the same folder, as a file is renamed in one step only within a file system.
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        # Now, so that a folder that must not be written to is found before the work.
        unfinished.touch(exist_ok=False)
        yield unfinished
        # The content goes to the disk before the name: else a power failure could leave an empty file.
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)  # noqa: PTH105 - Path.replace is the same, and this the name people look for
    except OSError as error:
        # The system names no file, or the unfinished one; other errors may come from what is read meanwhile.
        is_full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        if is_full and error.filename in (None, str(unfinished)):
            error.filename = os.fspath(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)
