"""Part ``stages``: where the time of a fit goes, and what each stage takes for a unit of its own work.

The units make it comparable with what the machine gives: a load from the cache, an addition, a logarithm.
"""

import numpy as np

from benchmarks.measuring import Step, interleave
from benchmarks.problems import declared, make_table
from skcredal import CompAODE
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.statistics import Statistics
from skcredal._encoding.tables import read_table
from skcredal._encoding.target import encode_target
from skcredal._ensemble.counts import count
from skcredal._ensemble.spodes import SpodeTables, log_likelihoods
from skcredal.classifiers._rows import rules_of

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
    rules = rules_of(clf)
    classes, labels = encode_target(table.y, estimator=clf)

    def learn():
        # Read anew: a table keeps what it was asked for.
        given = read_table(table.X, estimator=clf)
        rows = (given, classes, labels, None)
        return given, Statistics.of_rows(*rows, rules, None, n_threads=threads).learn(rules, None)

    def encode():
        given, encoding = learn()
        return encoding, EncodedTable.of(encoding, given, n_threads=threads, is_part=True).states

    encoding, states = encode()
    labelled, sizes = (states, labels, np.ones(len(labels))), (encoding.n_states, len(classes))
    counts = count(*labelled, *sizes)
    tables = SpodeTables(counts, 1.0)
    _ = tables.log_odds

    stages = {
        "classes": lambda: encode_target(table.y, estimator=clf),
        "learn": learn,
        "learn and encode": encode,
        "count": lambda: count(*labelled, *sizes, n_threads=threads),
        "tables": lambda: SpodeTables(counts, 1.0).log_odds,
        "likelihoods": lambda: log_likelihoods(tables, *labelled, n_threads=threads),
    }
    return [Step("fit", name, threads, run, problem=table.problem.name) for name, run in stages.items()]


def _units(problem):
    states = np.array(problem.states)
    cells = states.sum() ** 2 * problem.n_classes
    n, k = problem.n, problem.k
    return {
        "learn": (n * k, "cell"),
        "classes": (n, "row"),
        "learn and encode": (n * k, "cell"),
        "count": (n * k * (k + 1) // 2, "row and pair"),
        "tables": (cells, "logarithm"),
        "likelihoods": (n * k * k, "row, super-parent and feature"),
    }
