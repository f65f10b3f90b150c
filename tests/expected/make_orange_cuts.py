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
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import Orange
import sklearn
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
from Orange.preprocess.discretize import EntropyMDL
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

TARGET = Path(__file__).with_name("orange_mdl_cuts.json")
SEED = 1993
DIFFERS = "cuts of equal entropy: Orange's rounded sums prefer one that is not the lowest"

# Classes in order of the value: the same problem read from either end, but for the names of the classes.
SHARED = ("23222251113330444414", "33334444022224444522221111", "202222203222233001111031111131")


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


def random_problems():
    """Small problems whose values are multiples of 1/8; only Random.random, whose stream is guaranteed."""
    draw = random.Random(SEED).random

    def below(n):
        return int(draw() * n)

    def noise(n, classes):
        levels = 1 + below(2 * n)
        return [(below(levels) / 8, below(classes)) for _ in range(n)]

    def steps(n, classes):
        pieces = [below(classes) for _ in range(2 + below(7))]
        wrong = draw() * 0.4
        width = 1 + below(60)
        rows = []
        for _ in range(n):
            level = below(width * len(pieces))
            label = below(classes) if draw() < wrong else pieces[level // width]
            rows.append((level / 8 - width, label))
        return rows

    def shifted(n, classes):
        centre = [below(80) for _ in range(classes)]
        spread = 2 + below(40)
        weight = [draw() for _ in range(classes)]
        rows = []
        for _ in range(n):
            label = max(range(classes), key=lambda c: draw() ** (1 / weight[c]))
            rows.append(((centre[label] + below(spread) + below(spread)) / 8, label))
        return rows

    def few(n, classes):
        levels = [sorted({below(64) for _ in range(2 + below(6))}) for _ in range(classes)]
        rows = []
        for _ in range(n):
            label = below(classes)
            rows.append((float(levels[label][below(len(levels[label]))]), label))
        return rows

    def blocks(n, classes):
        return [(float(i // 2), (i * classes // n + (i % 7 == 6)) % classes) for i in range(n)]

    def mirrored(n, classes):
        half = [(v + 1, c) for v, c in steps(n // 2, classes)]
        return half + [(-v, classes - 1 - c) for v, c in half]

    yield "two rows, two classes", [(0.0, 0), (1.0, 1)]
    yield "two rows, one value", [(0.5, 0), (0.5, 1)]
    yield "two rows, one class", [(0.0, 1), (1.0, 1)]
    yield "constant", [(3.0, i % 3) for i in range(30)]
    yield "one class", [(i / 8, 2) for i in range(30)]
    yield "labels with gaps", [(i / 8, (1, 3, 5)[i // 15]) for i in range(45)]
    for labels in SHARED:
        values = [float(v) for v in range(-len(labels) // 2, len(labels) // 2 + 1) if v]
        yield f"shared least entropy, {len(labels)} rows", list(zip(values, map(int, labels), strict=True))
    sizes = (3, 5, 8, 13, 21, 34, 60, 100, 160, 250, 400)
    for kind in (noise, steps, shifted, few, blocks, mirrored):
        for size in sizes:
            n = size if size == 400 else size + below(1 + size // 4)
            classes = 2 + below(5)
            rows = kind(n, classes)
            yield f"{kind.__name__}, {len(rows)} rows, {classes} classes", rows


def main():
    datasets = [
        {"dataset": name, "feature": feature, **entry(values, [int(c) for c in labels])}
        for name, feature, values, labels in scikit_learn_features()
    ]
    problems = []
    for name, rows in random_problems():
        values, labels = [v for v, _ in rows], [c for _, c in rows]
        problems.append({"name": name, "values": values, "labels": labels, **entry(values, labels)})
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
