"""Files that are replaced as a whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a place beside a file; what is written there takes the file's place, if nothing fails.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/notes.txt") as beside:
    ...         _ = beside.write_text("eggs, milk")
    ...     [file.name for file in Path(folder).iterdir()]
    ['notes.txt']
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield beside
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
