"""Part ``pool``: LP-AODE and LP-AODE* relative to COMP-AODE's fit and AODE's probabilities.

On A and B, whose one coding is that of the others, and on a table of numbers, which has three.
"""

from functools import partial

import numpy as np

from benchmarks.measuring import Step, interleave, records
from benchmarks.problems import PROBLEMS, declared, make_table
from skcredal import AODE, CompAODE, CredalLogPoolAODE, LogPoolAODE

__all__ = ["NUMBERS", "measure"]

NUMBERS = "100,000 × 20 numbers"
TABLES = ("A", "B", NUMBERS)


def measure(rounds, *, tables=TABLES, threads=2, say=print):
    """Return the times of fits, probabilities, sets and bounds, and how many codings each table has."""
    steps, codings = [], {}
    for name in tables:
        say(f"logarithmic pools on {name}")
        X, y, new, parameters = _numbers() if name == NUMBERS else _codes(name)
        parameters = {**parameters, "n_jobs": threads}
        pool = CredalLogPoolAODE(**parameters).fit(X, y)
        codings[name] = len({coding for coding, _ in pool.experts_})
        fits = {
            "COMP-AODE": CompAODE(**parameters),
            "LP-AODE": LogPoolAODE(**parameters),
            "LP-AODE*": CredalLogPoolAODE(**parameters),
        }
        for contender, clf in fits.items():
            steps.append(Step(contender, "fit", threads, partial(clf.fit, X, y), problem=name))
        aode = AODE(**parameters).fit(X, y)
        steps.append(Step("AODE", "predict_proba", threads, partial(aode.predict_proba, new), problem=name))
        for method in ("predict_proba", "predict_set", "predict_interval"):
            steps.append(Step("LP-AODE*", method, threads, partial(getattr(pool, method), new), problem=name))
    return {"times": records(interleave(steps, rounds)), "codings": codings}


def _codes(name):
    table = make_table(PROBLEMS[name])
    return table.X, table.y, table.X_test, declared(table.problem)


def _numbers(n=100_000, n_new=10_000, k=20):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n + n_new)
    X = rng.normal(size=(n + n_new, k)) + y[:, None] * rng.uniform(0.0, 0.6, k)
    return X[:n], y[:n], X[n:], {}
