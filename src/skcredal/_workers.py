"""Worker processes that do not outlive the process that started them."""

import os
import threading
import time
from typing import Any

__all__ = ["worker_options"]

_SECONDS_BETWEEN_LOOKS = 0.5


def worker_options() -> dict[str, Any]:
    """Return options of ``joblib.Parallel`` that let its worker processes end with this one, even if killed.

    By themselves they would wait minutes for further work.
    """
    return {"initializer": _end_with, "initargs": (os.getpid(),)}


def _end_with(parent: int) -> None:
    """Run at the start of a worker process."""
    if os.name == "posix":  # elsewhere, a process is not told that its parent has ended
        threading.Thread(target=_watch, args=(parent,), name="watch parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
