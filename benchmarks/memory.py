"""Peak memory of a fit and of predictions, beyond the process and the data.

Each measurement has a process of its own, forked from a server that has imported and compiled everything and
holds no data. Linux keeps the highest resident size of a process and can be told to start anew
(``/proc/self/clear_refs``). Elsewhere ``ru_maxrss`` has to do, although a child inherits its parent's value.
"""

import ctypes
import gc
import multiprocessing
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.problems import Problem, declared, make_table
from skcredal import AODE, CompAODE, CredalCompAODE

__all__ = ["MemoryMeter", "peaks"]

CLASSIFIERS = {"AODE": AODE, "COMP-AODE": CompAODE, "COMP-AODE*": CredalCompAODE}
_HIGHEST, _RESET = "VmHWM:", Path("/proc/self/clear_refs")


class MemoryMeter:
    """Measures in fresh processes; a context manager."""

    def __init__(self):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["benchmarks.memory_server"])
        self._pool = ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown()

    def peaks(self, problem, name, threads):
        """Return the bytes that :func:`peaks` finds in a process of its own."""
        return self._pool.submit(peaks, problem, name, threads).result()


def peaks(problem: Problem, name: str, threads: int):
    """Return the peak bytes of the fit and of the prediction of all test rows, each beyond what stood before.

    The prediction is ``predict_set`` where there is one.
    """
    table = make_table(problem)
    clf = CLASSIFIERS[name](**declared(problem), n_jobs=threads)
    fit = _growth(lambda: clf.fit(table.X, table.y))
    method = getattr(clf, "predict_set", clf.predict_proba)
    return {"fit": fit, "predict": _growth(lambda: method(table.X_test)), "data": table.X.nbytes}


def _growth(work):
    before = _start_anew()
    work()
    return max(_highest() - before, 0)


def _start_anew():
    """Give freed memory back, forget the highest resident size so far, and return the present one."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        _RESET.write_text("5")
    return _highest()


def _highest():
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(_HIGHEST)) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
