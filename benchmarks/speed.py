"""Part ``speed``: fit, count and predict on the tables A to D, ours and others in turns; and peak memory."""

from functools import partial

import numpy as np

from benchmarks import contenders
from benchmarks.measuring import interleave, records
from benchmarks.memory import CLASSIFIERS
from benchmarks.problems import declared, make_table
from benchmarks.weka import laplace_joint_proba
from benchmarks.yardstick import Yardstick
from skcredal import AODE

__all__ = ["check", "measure", "measure_memory"]

# Weka's definition is computed in numpy, slowly: a sample of the test rows is enough to compare.
COMPARED_ROWS = 500


def measure(problems, rounds, *, weka=None, yardstick=True, say=print):
    """Return the times of all contenders on the problems, and how far their answers agree."""
    times, agreement = [], {}
    for problem in problems:
        say(f"speed on {problem.name} ({problem.description})")
        table = make_table(problem)
        sources = [contenders.ours, contenders.of_sklearn]
        if yardstick:
            sources.insert(1, contenders.of_yardstick)
        if weka is not None:
            weka.load(table)
            sources.append(partial(contenders.of_weka, weka=weka))
        steps = [step for source in sources for step in source(table)]
        for step in steps:
            step.problem = problem.name
        times += records(interleave(steps, rounds))
        agreement[problem.name] = check(table, weka=weka, yardstick=yardstick)
        if weka is not None:
            weka.forget(problem.name)
    return {"times": times, "agreement": agreement}


def check(table, *, weka=None, yardstick=True):
    """Return how far others answer what we do: largest or mean differences of probabilities.

    Raises
    ------
    AssertionError
        If the yardstick or Weka computes something else than it should: then no ratio would mean anything.
    """
    problem = table.problem
    clf = AODE(**declared(problem), n_jobs=2).fit(table.X, table.y)
    found = {}
    if yardstick:
        plain = Yardstick(problem.states, problem.n_classes, n_threads=2)
        plain.count(table.X, table.y)
        plain.fill_tables()
        pairs = [(i, j) for i in range(problem.k) for j in range(i + 1, problem.k)]
        assert all(np.array_equal(plain.pair(i, j), clf.counts_.pair(i, j)) for i, j in pairs)
        difference = np.abs(plain.predict_proba(table.X_test) - clf.predict_proba(table.X_test)).max()
        assert difference < 1e-9, difference
        found["plain C, largest"] = difference
    if weka is not None:
        answers = weka.predict_proba(table)
        sample = slice(0, COMPARED_ROWS)
        defined = laplace_joint_proba(clf.counts_, table.X_test[sample])
        difference = np.abs(answers[sample] - defined).max()
        assert difference < 1e-9, difference
        found["Weka's definition on our counts, largest"] = difference
        joint = AODE(average="joint", **declared(problem), n_jobs=2).fit(table.X, table.y)
        found["Weka, our joint average, mean"] = np.abs(answers - joint.predict_proba(table.X_test)).mean()
        found["Weka, our posterior average, mean"] = np.abs(answers - clf.predict_proba(table.X_test)).mean()
    return {name: float(value) for name, value in found.items()}


def measure_memory(problems, meter, *, say=print):
    """Return the peak bytes of our classifiers on the problems."""
    found = []
    for problem in problems:
        say(f"memory on {problem.name}")
        found += [
            {
                "problem": problem.name,
                "contender": name,
                "threads": threads,
                **meter.peaks(problem, name, threads),
            }
            for name in CLASSIFIERS
            for threads in contenders.THREADS
        ]
    return found
