"""The yardstick, plain C, compiled here and called by ctypes."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

__all__ = ["BUILD", "Yardstick", "compiler"]

SOURCE = Path(__file__).with_name("yardstick.c")
BUILD = Path(__file__).with_name("build")
FLAGS = ("-O3", "-march=native", "-std=c11", "-Wall", "-Wextra", "-shared", "-fPIC")


def compiler():
    """Return the C compiler, or ``None`` where there is none."""
    return shutil.which("gcc")


def _array(dtype):
    return np.ctypeslib.ndpointer(dtype, flags="C_CONTIGUOUS")


class Yardstick:
    """Pair counting and AODE inference; what it learns from, it keeps.

    Parameters
    ----------
    n_states : array-like of shape (k,)
        How many states each feature has.
    n_classes : int
        How many classes there are.
    n_threads : int
        Threads over rows.
    folder : Path
        Where the compiled library goes; ``-march=native`` ties it to the machine.
    """

    def __init__(self, n_states, n_classes, *, n_threads=1, folder=BUILD):
        self._library = _compiled(folder)
        self.n_classes, self.n_threads = n_classes, n_threads
        self._start = np.concatenate([[0], np.cumsum(n_states)]).astype(np.int64)
        self._k, self._width = len(n_states), int(self._start[-1])
        self.counts = np.zeros((n_classes, self._width, self._width), np.int32)

    def count(self, X, y):
        """Count the pairs of states of row-major codes (uint8) and classes (int32)."""
        failed = self._library.count_pairs(
            X, y, *self._sizes(X), self._start, self._width, self.n_threads, self.counts
        )
        if failed:
            raise MemoryError("The yardstick could not count: no memory or no thread.")
        self._n = len(X)

    def fill_tables(self):
        """Make the tables of inference from the counts."""
        self._log_c = np.zeros(self.n_classes)
        self._log_a = np.zeros((self._width, self.n_classes))
        self._ratio = np.zeros((self._width, self._width, self.n_classes))
        tables = self._log_c, self._log_a, self._ratio
        self._library.fill_tables(
            self.counts, self._n, self._k, self.n_classes, self._start, self._width, *tables
        )

    def predict_proba(self, X):
        """Return AODE's probabilities of row-major codes."""
        proba = np.empty((len(X), self.n_classes))
        tables = self._log_c, self._log_a, self._ratio
        failed = self._library.predict_proba(
            X, *self._sizes(X), self._start, self._width, *tables, self.n_threads, proba
        )
        if failed:
            raise MemoryError("The yardstick could not predict: no memory or no thread.")
        return proba

    def pair(self, i, j):
        """Return n(c, a_i, a_j), i < j, as an array (values of i, values of j, classes)."""
        begin, end = self._start[:-1], self._start[1:]
        return np.moveaxis(self.counts[:, begin[i] : end[i], begin[j] : end[j]], 0, 2)

    def values(self, j):
        """Return n(c, a_j) as an array (values, classes)."""
        states = np.arange(self._start[j], self._start[j + 1])
        return self.counts[:, states, states].T

    def _sizes(self, X):
        if X.shape[1] != self._k:
            raise ValueError(f"X must have {self._k} columns, got {X.shape[1]}.")
        return len(X), self._k, self.n_classes


def _compiled(folder):
    gcc = compiler()
    if gcc is None:
        raise FileNotFoundError("gcc is not on the path; the yardstick is C.")
    library = Path(folder) / "yardstick.so"
    if not library.exists() or library.stat().st_mtime < SOURCE.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        fresh = library.with_name(f"{library.name}.new")
        subprocess.run([gcc, *FLAGS, "-o", fresh, SOURCE, "-lm", "-lpthread"], check=True)
        fresh.replace(library)
    functions = ctypes.CDLL(str(library))
    codes, labels, counts, places = map(_array, (np.uint8, np.int32, np.int32, np.int64))
    floats, size, whole = _array(np.float64), ctypes.c_int64, ctypes.c_int
    functions.count_pairs.argtypes = [codes, labels, size, size, size, places, size, whole, counts]
    functions.fill_tables.argtypes = [counts, size, size, size, places, size, floats, floats, floats]
    functions.fill_tables.restype = None
    functions.predict_proba.argtypes = [
        codes,
        *([size] * 3),
        places,
        size,
        *([floats] * 3),
        whole,
        floats,
    ]
    return functions
