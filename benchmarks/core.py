"""Where the time of the AODE family goes: ratios in one run, since times of a shared machine mean little.

Run it with ``python benchmarks/core.py`` in the environment that ``make test`` sets up.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from skcredal import AODE, CredalBmaAODE, CredalCompAODE

# Name, training rows, features, states, classes; all with 10,000 rows to predict.
PROBLEMS = (
    ("A", 100_000, 30, 5, 3),
    ("C", 2_000, 200, 4, 4),
    ("D", 12_960, 8, 4, 5),
)


def make_codes(n, k, v, n_classes, seed=0):
    """Return integer codes that say something about the class, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = np.where(rng.random((n, k)) < 0.3, y[:, None] % v, rng.integers(0, v, (n, k)))
    return X.astype(np.uint8), y


def best_of(work, repetitions=5):
    """Return the shortest of several times, in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


IMPORT = (
    "import sklearn, time; start = time.perf_counter(); import skcredal; print(time.perf_counter() - start)"
)
FIRST_USE = """
import time
from sklearn.datasets import load_iris
from skcredal import CredalCompAODE
X, y = load_iris(return_X_y=True)
start = time.perf_counter()
CredalCompAODE().fit(X, y).predict_set(X)
print(time.perf_counter() - start)
"""


def seconds_in_new_process(code, **environment):
    """Return the seconds that the code prints."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return float(result.stdout)


def print_start_up():
    """Print how long a new process takes to import the package, and to fit and predict."""
    seconds_in_new_process(IMPORT)
    print(f"import skcredal after sklearn: {min(seconds_in_new_process(IMPORT) for _ in range(3)):.3f} s")
    with tempfile.TemporaryDirectory() as cache:
        for state in ("empty", "warm"):
            seconds = seconds_in_new_process(FIRST_USE, NUMBA_CACHE_DIR=cache)
            print(f"first fit and predict_set, {state} cache: {seconds:.2f} s")


def measure(n, k, v, n_classes):
    """Return AODE's times in milliseconds, and the others relative to them."""
    X, y = make_codes(n, k, v, n_classes)
    test, _ = make_codes(10_000, k, v, n_classes, seed=1)
    settings = {"categorical_features": "all", "categories": [range(v)] * k}
    aode, threaded = AODE(**settings).fit(X, y), AODE(**settings, n_jobs=2).fit(X, y)
    bma, comp = CredalBmaAODE(**settings).fit(X, y), CredalCompAODE(**settings).fit(X, y)
    naive = CategoricalNB(min_categories=v).fit(X, y)
    fit, proba = best_of(lambda: aode.fit(X, y)), best_of(lambda: aode.predict_proba(test))
    return {
        "AODE fit, ms": fit * 1e3,
        "AODE proba, ms": proba * 1e3,
        "COMP fit": best_of(lambda: comp.fit(X, y)) / fit,
        "BMA* set": best_of(lambda: bma.predict_set(test)) / proba,
        "COMP* set": best_of(lambda: comp.predict_set(test)) / proba,
        "NB fit": best_of(lambda: naive.fit(X, y)) / fit,
        "NB proba": best_of(lambda: naive.predict_proba(test)) / proba,
        "fit, 2 threads": best_of(lambda: threaded.fit(X, y)) / fit,
        "proba, 2 threads": best_of(lambda: threaded.predict_proba(test)) / proba,
    }


def main():
    """Print the table."""
    print_start_up()
    print("\nAODE's times, and the others relative to the same step of AODE")
    results = {name: measure(*sizes) for name, *sizes in PROBLEMS}
    print(f"{'':18}" + "".join(f"{name:>10}" for name in results))
    for row in results["A"]:
        print(f"{row:18}" + "".join(f"{result[row]:10.2f}" for result in results.values()))


if __name__ == "__main__":
    main()
