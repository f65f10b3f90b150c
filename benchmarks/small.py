"""Part ``small``: calls where the fixed costs are all there is, and how long a new process takes to begin."""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.validation import validate_data

from benchmarks.measuring import Step, interleave, records
from benchmarks.problems import FRAME, PROBLEMS, declared, make_table
from skcredal import AODE, CredalCompAODE

__all__ = ["measure", "measure_start"]


def measure(rounds, *, say=print):
    """Return the times of one row's prediction, of scikit-learn's validation of it, and of fits on iris."""
    say("small calls")
    X, y = load_iris(return_X_y=True)
    table = make_table(PROBLEMS["D"])
    binned = make_pipeline(
        KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf"), CategoricalNB()
    )
    on_iris = CredalCompAODE().fit(X, y)
    on_codes = CredalCompAODE(**declared(table.problem)).fit(table.X, table.y)
    wide = make_table(PROBLEMS["A"])
    frame = _as_categories(wide.X[:5_000], wide.problem)
    on_frame = CredalCompAODE().fit(frame, wide.y[:5_000])
    rows = {
        "iris": (on_iris, X[:1]),
        "D": (on_codes, table.X_test[:1]),
        FRAME: (on_frame, frame[:1]),
    }
    steps = []
    for name, (clf, row) in rows.items():
        steps += [
            _step(name, "COMP-AODE*", "predict_set", partial(clf.predict_set, row)),
            _step(name, "COMP-AODE*", "predict_proba", partial(clf.predict_proba, row)),
            _step(name, "validate_data", "one row", partial(_validate, clf, row)),
        ]
    fits = {"AODE": AODE(), "COMP-AODE*": CredalCompAODE(), "KBinsDiscretizer, CategoricalNB": binned}
    steps += [_step("iris", name, "fit", partial(clf.fit, X, y)) for name, clf in fits.items()]
    return records(interleave(steps, rounds, turn=0.2))


def _as_categories(X, problem):
    columns = {
        f"feature {j}": pd.Categorical.from_codes(X[:, j], [f"state {a}" for a in range(v)])
        for j, v in enumerate(problem.states)
    }
    return pd.DataFrame(columns)


def _step(problem, contender, action, run):
    return Step(contender, action, 1, run, problem=problem)


def _validate(clf, row):
    validate_data(clf, row, reset=False, dtype=None, ensure_all_finite="allow-nan")


# What cannot be avoided, and a whole process that learns and answers, its imports included.
IMPORTS = "import numba, sklearn.base, scipy.optimize"
FIRST_USE = """
import numpy as np
from skcredal import {classifier}
rng = np.random.default_rng(0)
y = rng.integers(0, 3, 150)
X = rng.normal(size=(150, 4)) + y[:, None]
{classifier}().fit(X, y).predict_set(X)
"""


def measure_start(*, say=print):
    """Return the seconds of whole processes: imports alone, and with a first fit and prediction."""
    say("start of a new process")
    _seconds(IMPORTS)
    found = {
        "import numba, sklearn.base and scipy.optimize": min(_seconds(IMPORTS) for _ in range(5)),
        "import skcredal": min(_seconds("import skcredal") for _ in range(5)),
    }
    for classifier, name in (("CredalCompAODE", "COMP-AODE*"), ("CredalLogPoolAODE", "LP-AODE*")):
        code, empty, warm = FIRST_USE.format(classifier=classifier), [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                empty.append(_seconds(code, NUMBA_CACHE_DIR=cache))
                warm += [_seconds(code, NUMBA_CACHE_DIR=cache) for _ in range(2)]
        found[f"{name}'s first fit and predict_set, empty cache"] = min(empty)
        found[f"{name}'s first fit and predict_set, warm cache"] = min(warm)
    return found


def _seconds(code, **environment):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start
