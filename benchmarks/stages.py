"""Part ``stages``: where the time of a fit goes, and what each stage takes for a unit of its own work.

The units make it comparable with what the machine gives: a load from the cache, an addition, a logarithm.
"""

import numpy as np

from benchmarks.measuring import Step, interleave
from benchmarks.problems import declared, make_table
from skcredal import CompAODE
from skcredal._encoding.frames import read_table
from skcredal._encoding.learning import EncodingRules, learn_encoding
from skcredal._encoding.target import encode_target
from skcredal._ensemble.counting import count
from skcredal._ensemble.parameters import spode_tables
from skcredal._ensemble.weights import log_likelihoods

__all__ = ["measure"]


def measure(problems, rounds, *, threads=2, say=print):
    """Return the times of the stages of COMP-AODE's fit on each problem; AODE's lacks the last."""
    found = []
    for problem in problems:
        say(f"stages of a fit on {problem.name}")
        table = make_table(problem)
        steps = interleave(_stages(table, threads), rounds)
        units = _units(problem)
        for step in steps:
            n_units, unit = units[step.action]
            found.append(
                {
                    "problem": problem.name,
                    "stage": step.action,
                    "threads": threads,
                    "seconds": step.best,
                    "unit": unit,
                    "nanoseconds_a_unit": step.best / n_units * 1e9,
                }
            )
    return found


def _stages(table, threads):
    """Return the stages, each on what the ones before it found."""
    clf = CompAODE(**declared(table.problem))
    rules = EncodingRules(clf.categorical_features, clf.categories)
    given = read_table(table.X, estimator=clf)
    classes, labels = encode_target(table.y, estimator=clf)
    encoding, codes = learn_encoding(given, labels, None, len(classes), rules)
    counts = count(codes, labels, encoding.n_states, len(classes))
    tables = spode_tables(counts, 1.0)

    stages = {
        "read": lambda: read_table(table.X, estimator=clf, n_threads=threads),
        "classes": lambda: encode_target(table.y, estimator=clf),
        "encode": lambda: learn_encoding(given, labels, None, len(classes), rules, n_threads=threads),
        "count": lambda: count(codes, labels, encoding.n_states, len(classes), n_threads=threads),
        "tables": lambda: spode_tables(counts, 1.0, n_threads=threads),
        "likelihoods": lambda: log_likelihoods(tables, codes, labels, n_threads=threads),
    }
    return [Step("fit", name, threads, run, problem=table.problem.name) for name, run in stages.items()]


def _units(problem):
    states = np.array(problem.states)
    cells = ((states.sum() ** 2 - (states**2).sum()) // 2) * problem.n_classes
    n, k = problem.n, problem.k
    return {
        "read": (n * k, "cell"),
        "classes": (n, "row"),
        "encode": (n * k, "cell"),
        "count": (n * k * (k - 1) // 2, "row and pair"),
        "tables": (2 * cells, "correction"),
        "likelihoods": (n * k * k, "row, super-parent and feature"),
    }
