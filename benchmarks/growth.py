"""Part ``growth``: how the cost of COMP-AODE* grows with rows, features, states and classes.

One of them varies over a factor of 16 or more while the others stay; the exponent is the slope of the
logarithms over the upper half of the range (see :func:`benchmarks.measuring.exponent`). One thread.
"""

from functools import partial

from benchmarks.measuring import Step, exponent, interleave
from benchmarks.problems import Problem, declared, make_table
from skcredal import CredalCompAODE

__all__ = ["PAPER", "SWEEPS", "measure"]

ACTIONS = ("fit", "predict_proba", "predict_set")
# A point of a sweep is measured for this long at most.
BUDGET_SECONDS = 2.5


def _sweep(sizes, n_test=2_000, **fixed):
    settings = [{**fixed, name: size} for name, values in sizes.items() for size in values]
    return [Problem("growth", one["n"], (one["v"],) * one["k"], one["l"], n_test=n_test) for one in settings]


SIZES = {
    "n": [5_000 * 2**i for i in range(7)],
    "k": [16 * 2**i for i in range(6)],
    "v": [4 * 2**i for i in range(6)],
    "l": [2 * 2**i for i in range(7)],
}
SWEEPS = {
    "n": _sweep({"n": SIZES["n"]}, k=20, v=4, l=3),
    "k": _sweep({"k": SIZES["k"]}, n=2_000, v=4, l=3, n_test=500),
    "v": _sweep({"v": SIZES["v"]}, n=5_000, k=16, l=3),
    "l": _sweep({"l": SIZES["l"]}, n=5_000, k=16, v=8),
    # So few rows that the prior decides often: sets of several classes, whose members all meet each other.
    "l, few rows": _sweep({"l": SIZES["l"]}, n=300, k=16, v=8),
}
# Table 1 of the paper for COMP-AODE*: O(n(l+k)k) to learn, O(l²k³) to classify a row, O(lk²v²) of memory;
# that of COMP-AODE, O(lk²), for the probabilities. Where two terms are added, the exponent of the larger.
PAPER = {
    "fit": {"n": 1, "k": 2, "v": 0, "l": 1},
    "predict_proba": {"n": 0, "k": 2, "v": 0, "l": 1},
    "predict_set": {"n": 0, "k": 3, "v": 0, "l": 2},
    "memory": {"n": 0, "k": 2, "v": 2, "l": 1},
}


def measure(rounds, meter, *, say=print):
    """Return the values and exponents of every sweep."""
    return {name: _measure_sweep(name, problems, rounds, meter, say) for name, problems in SWEEPS.items()}


def _measure_sweep(name, problems, rounds, meter, say):
    symbol = name[0]
    sizes = SIZES[symbol]
    say(f"growth with {name} from {sizes[0]:,} to {sizes[-1]:,}")
    steps, set_sizes = [], []
    for problem in problems:
        table = make_table(problem)
        clf = CredalCompAODE(**declared(problem)).fit(table.X, table.y)
        set_sizes.append(float(clf.predict_set(table.X_test).sum(axis=1).mean()))
        steps += [
            Step("COMP-AODE*", action, 1, _work(clf, table, action), budget=BUDGET_SECONDS)
            for action in ACTIONS
        ]
    interleave(steps, rounds)
    values = {action: [step.best for step in steps if step.action == action] for action in ACTIONS}
    values["memory"] = [meter.peaks(problem, "COMP-AODE*", 1)["fit"] for problem in problems]
    return {
        "sizes": sizes,
        "problems": [problem.description for problem in problems],
        "values": values,
        "mean_set_size": set_sizes,
        "exponents": {what: exponent(sizes, measured) for what, measured in values.items()},
        "paper": {what: PAPER[what][symbol] for what in values},
    }


def _work(clf, table, action):
    return (
        partial(clf.fit, table.X, table.y) if action == "fit" else partial(getattr(clf, action), table.X_test)
    )
