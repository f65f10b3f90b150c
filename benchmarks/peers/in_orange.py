"""Run by the Python of ``.orange-venv``: Orange's MDL cuts of the columns in a file, into another.

    python in_orange.py IN OUT

Orange compares rounded entropies, so that of cuts of exactly equal entropy it may take either; ``LowestCut``
is the same code with such ties left to the lowest cut. Both are written.
"""

import json
import sys
from pathlib import Path

import numpy as np
import Orange
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
from Orange.preprocess.discretize import EntropyMDL

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "expected"))
from make_orange_cuts import LowestCut


def cuts(method, values, labels):
    column = ContinuousVariable("x", number_of_decimals=17)
    target = DiscreteVariable("y", values=[str(c) for c in range(max(labels) + 1)])
    rows = np.array(values, dtype=float)[:, None], np.array(labels, dtype=float)
    return list(method(Table.from_numpy(Domain([column], target), *rows), column).compute_value.points)


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    columns = json.loads(source.read_text(encoding="utf-8"))
    found = [[cuts(method(), *column) for method in (EntropyMDL, LowestCut)] for column in columns]
    content = {"version": f"Orange {Orange.__version__}", "cuts": found}
    target.write_text(json.dumps(content), encoding="utf-8")
