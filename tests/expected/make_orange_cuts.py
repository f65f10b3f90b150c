"""Write orange_mdl_cuts.json: Fayyad–Irani cuts as Orange3 finds them.

Run by ``make orange-cuts`` in an environment of its own, since Orange3 does not admit the numpy and the
pandas this project is tested with. Every feature is discretised with ``EntropyMDL`` and the training values
are then sent through the discretised domain, so that the stored partition is what Orange does with the
values and not a reading of its cut points.

The entropies of two candidate cuts can be equal exactly. Orange compares rounded sums, so it may prefer
either; ``LowestCut`` is the same code with exact ties levelled, which leaves them to the lowest cut. Where
the two partitions differ the entry holds both.
"""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import Orange
import sklearn
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
from Orange.preprocess.discretize import EntropyMDL
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

TARGET = Path(__file__).with_name("orange_mdl_cuts.json")
DIFFERS = "cuts of equal entropy: Orange's rounded sums prefer one that is not the lowest"


class LowestCut(EntropyMDL):
    """EntropyMDL in which cuts of exactly equal entropy have equal entropy in floating point too."""

    ties = 0

    @classmethod
    def _entropy_cuts_sorted(cls, CS):
        E, ES1, ES2 = super()._entropy_cuts_sorted(CS)
        if len(E) > 1:
            near = np.flatnonzero(E.min() + 1e-9 >= E)
            exact = [cls._exact(CS, i + 1) for i in near]
            least = near[[e == min(exact) for e in exact]]
            if np.argmin(E) not in least:
                raise ArithmeticError("rounding hides the cut of least entropy")
            cls.ties += len(least) > 1
            E[least] = E.min()
        return E, ES1, ES2

    @staticmethod
    def _exact(CS, cut):
        """2 to the power of N times the class entropy of the cut: a rational number, compared exactly."""
        value = Fraction(1)
        for side in (CS[:cut], CS[cut:]):
            counts = [int(c) for c in side.sum(axis=0)]
            value *= Fraction(sum(counts) ** sum(counts), math.prod(c**c for c in counts))
        return value


def discretise(method, values, labels):
    """Orange's cut points, and the largest training value of each of its bins but the last."""
    column = ContinuousVariable("x")
    target = DiscreteVariable("y", values=[str(c) for c in range(max(labels) + 1)])
    table = Table.from_numpy(
        Domain([column], target), np.array(values, dtype=float)[:, None], np.array(labels, dtype=float)
    )
    discrete = method(table, column)
    points = discrete.compute_value.points
    distinct = np.unique(table.X)
    if not np.isin(points, (distinct[1:] + distinct[:-1]) / 2).all():
        raise ValueError("a cut is rounded to the digits of its label and may no longer part the values")
    bins = table.transform(Domain([discrete], target)).X[:, 0]
    edges = sorted(table.X[bins == b, 0].max() for b in np.unique(bins))[:-1]
    return [float(p) for p in points], [float(e) for e in edges]


def entry(values, labels):
    LowestCut.ties = 0
    cuts, lower_edges = discretise(EntropyMDL(), values, labels)
    lowest_cuts, lowest_edges = discretise(LowestCut(), values, labels)
    found = {"cuts": cuts, "lower_edges": lower_edges, "ties": LowestCut.ties}
    if lower_edges != lowest_edges:
        found |= {"differs": DIFFERS, "lowest": {"cuts": lowest_cuts, "lower_edges": lowest_edges}}
    return found


def scikit_learn_features():
    """Every feature of iris, wine and breast_cancer, and twenty pixels of digits that are not constant."""
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast_cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        for feature in range(X.shape[1]):
            yield name, feature, X[:, feature], y
    X, y = load_digits(return_X_y=True)
    for feature in np.flatnonzero(np.ptp(X, axis=0) > 0)[::3][:20]:
        yield "digits", int(feature), X[:, feature], y


def main():
    datasets = [
        {"dataset": name, "feature": feature, **entry(values, [int(c) for c in labels])}
        for name, feature, values, labels in scikit_learn_features()
    ]
    # The random problems stay those that were drawn once: multiples of 1/8, with noise, steps and ties.
    stored = json.loads(TARGET.read_text(encoding="utf-8"))["random"]
    problems = [
        {**{key: one[key] for key in ("name", "values", "labels")}, **entry(one["values"], one["labels"])}
        for one in stored
    ]
    content = {
        "versions": {"orange3": Orange.__version__, "scikit-learn": sklearn.__version__},
        "datasets": datasets,
        "random": problems,
    }
    lines = []
    for key, value in content.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(v, separators=(",", ":")) for v in value)
            lines.append(f"{json.dumps(key)}:[\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}:{json.dumps(value)}")
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
