"""Part ``other``: MDL cuts against sorting, MAPLMG, credal trees, and what credal prediction costs.

The last goes by problems where the prior decides more and less often: where nothing is undecided, a set is
hardly more work than the probabilities.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from benchmarks.measuring import Step, interleave, records
from benchmarks.problems import PROBLEMS, Problem, declared, make_table
from skcredal import CredalBmaAODE, CredalCompAODE, CredalTree, MaplmgAODE, MDLDiscretizer

__all__ = ["measure", "measure_credal"]

NUMBERS = (1_000_000, 20)
METHODS = ("predict_proba", "predict_set", "predict_interval", "robustness")


def measure(rounds, *, say=print):
    """Return the times of MDL discretisation, sorting, MAPLMG's fit and a tree's fit."""
    return _measure_cuts(rounds, say) + _measure_fits(rounds, say)


def _measure_cuts(rounds, say):
    n, k = NUMBERS
    say(f"MDL cuts of {n:,} × {k} numbers")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    # Half of the features tell the classes apart, more and less, so that there are cuts to find.
    shifts = np.where(np.arange(k) % 2 == 0, np.linspace(0.1, 1.0, k), 0.0)
    X = rng.normal(size=(n, k)) + y[:, None] * shifts
    steps = []
    for threads in (1, 2):
        mdl = MDLDiscretizer(n_jobs=threads)
        steps += [
            Step("MDLDiscretizer", "fit", threads, lambda mdl=mdl: mdl.fit(X, y)),
            Step("np.argsort", "each column", threads, lambda threads=threads: _sort(X, threads)),
        ]
    for step in steps:
        step.problem = f"{n:,} × {k} numbers"
    return records(interleave(steps, rounds))


def _sort(X, threads):
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda j: np.argsort(X[:, j]), range(X.shape[1])):
            pass


def _measure_fits(rounds, say):
    steps = []
    for name in ("A", "D"):
        say(f"fits of MAPLMG and of the credal tree on {name}")
        table = make_table(PROBLEMS[name])
        for contender, classifier in (("MAPLMG-AODE", MaplmgAODE), ("CredalTree", CredalTree)):
            clf = classifier(**declared(table.problem), n_jobs=2)
            run = partial(clf.fit, table.X, table.y)
            steps.append(Step(contender, "fit", 2, run, problem=name))
    return records(interleave(steps, rounds))


def measure_credal(rounds, *, say=print):
    """Return the share of undecided rows and the times of predictions; fewer rows leave more undecided."""
    say("credal prediction where the prior decides more and less often")
    found = []
    for n in (100, 1_000, 10_000):
        table = make_table(Problem("credal", n, (5,) * 30, 3))
        for name, classifier in (("BMA-AODE*", CredalBmaAODE), ("COMP-AODE*", CredalCompAODE)):
            clf = classifier(**declared(table.problem)).fit(table.X, table.y)
            undecided = float((clf.predict_set(table.X_test).sum(axis=1) > 1).mean())
            steps = [
                Step(
                    name,
                    method,
                    1,
                    partial(getattr(clf, method), table.X_test),
                )
                for method in METHODS
            ]
            interleave(steps, rounds)
            seconds = {step.action: step.best for step in steps}
            found.append({"contender": name, "rows": n, "undecided": undecided, "seconds": seconds})
    return found
