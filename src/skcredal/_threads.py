"""Threads, ours and those of BLAS, and worker processes. Kernels release the GIL; work is split here."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from skcredal._validation import check_integer

_lock = threading.Lock()
_at_work: list[Any] = []

Task = TypeVar("Task")
Result = TypeVar("Result")


def thread_count(n_jobs: Any) -> int:
    """Return how many threads ``n_jobs`` asks for, read as in scikit-learn (``None`` is one)."""
    requested = None if n_jobs is None else check_integer("n_jobs", n_jobs)
    if requested == 0:
        raise ValueError("n_jobs must be None or a whole number other than 0, got 0.")
    # The joblib backend of a cluster counts all workers of the cluster. Unless that many threads were asked
    # for explicitly, more than this machine has cores would only get in each other's way.
    most = max(requested or 1, os.cpu_count() or 1)
    return max(1, min(int(joblib.effective_n_jobs(requested)), most))


def run_in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], n_threads: int) -> list[Result]:
    """Run ``work`` on every task and return the results in the order of the tasks."""
    if n_threads == 1 or len(tasks) < 2:
        return [work(task) for task in tasks]
    # After an error the tasks that have not begun are dropped.
    with ThreadPoolExecutor(min(n_threads, len(tasks))) as pool:
        return list(pool.map(work, tasks))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread.

    The last digits of its results may depend on the number of threads; and where other work keeps the cores
    busy, threads that wait for each other at every small product take many times as long as one alone.
    """
    # The limit is that of the process: the first sets it, and the last of those at work lifts it.
    with _lock:
        _at_work.append(_blas().limit(limits=1, user_api="blas") if not _at_work else None)
    try:
        yield
    finally:
        with _lock:
            limit = _at_work.pop()  # in the end, that of the first
            if not _at_work:
                limit.restore_original_limits()


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def worker_options() -> dict[str, Any]:
    """Return options of ``joblib.Parallel`` that let its worker processes end with this one, even if killed.

    By themselves they would wait minutes for further work.
    """
    return {"initializer": _end_with, "initargs": (os.getpid(),)}


def _end_with(parent: int) -> None:
    """Run at the start of a worker process."""
    # A terminal sends Ctrl-C to workers, too, and each would show a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.name == "posix":  # elsewhere, a process is not told that its parent has ended
        threading.Thread(target=_watch, args=(parent,), name="watch parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
