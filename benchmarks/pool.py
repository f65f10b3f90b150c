"""Part ``pool``: LP-AODE* relative to a random forest's fit and to AODE's probabilities.

On A, B and a table of numbers.
"""

from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.measuring import Step, interleave, records
from benchmarks.problems import PROBLEMS, declared, make_table
from skcredal import AODE, CredalLogPoolAODE

__all__ = ["NUMBERS", "measure"]

NUMBERS = "2,000 × 30 numbers"
TABLES = ("A", "B", NUMBERS)


def measure(rounds, *, tables=TABLES, threads=2, say=print):
    """Return the times of fits, probabilities, sets and bounds; the forest only learns from numbers."""
    steps = []
    for name in tables:
        say(f"logarithmic pools on {name}")
        X, y, new, parameters = _numbers() if name == NUMBERS else _codes(name)
        parameters = {**parameters, "n_jobs": threads}
        pool, aode = CredalLogPoolAODE(**parameters).fit(X, y), AODE(**parameters).fit(X, y)
        steps.append(Step("LP-AODE*", "fit", threads, partial(pool.fit, X, y), problem=name))
        if name == NUMBERS:
            forest = RandomForestClassifier(500, n_jobs=threads, random_state=0)
            steps.append(Step("random forest", "fit", threads, partial(forest.fit, X, y), problem=name))
        steps.append(Step("AODE", "predict_proba", threads, partial(aode.predict_proba, new), problem=name))
        for method in ("predict_proba", "predict_set", "predict_interval"):
            steps.append(Step("LP-AODE*", method, threads, partial(getattr(pool, method), new), problem=name))
    return {"times": records(interleave(steps, rounds))}


def _codes(name):
    table = make_table(PROBLEMS[name])
    return table.X, table.y, table.X_test, declared(table.problem)


def _numbers(n=2000, n_new=10_000, k=30):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n + n_new)
    X = rng.normal(size=(n + n_new, k)) + y[:, None] * rng.uniform(0.0, 0.6, k)
    return X[:n], y[:n], X[n:], {}
