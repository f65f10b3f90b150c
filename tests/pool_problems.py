"""Small tables of every kind that LP-AODE treats in a way of its own (SPEC §14), as lists of cells.

None is a missing cell, "?" a category that no column declares or holds. `options` are arguments of
`LogPoolOracle.fit`, which the classifiers share; there are few regions, so that the oracle stays fast.
"""

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from oracles_logpool import LogPoolOracle
from skcredal import CredalLogPoolAODE

UNKNOWN = "?"


class PoolProblem(NamedTuple):
    """A table by columns, its classes and weights, and new rows to classify."""

    columns: list[list[Any]]
    kinds: list[str]
    declared: list[list[str] | None]
    y: list[Any]
    weights: list[float] | None
    options: dict[str, Any]
    rows: list[list[Any]]


def pool_problem(name, seed=0):
    return MAKERS[name](np.random.default_rng([seed, list(MAKERS).index(name)]))


def pool_and_oracle(name):
    problem = pool_problem(name)
    table, options = problem[:1] + problem[3:5], problem.options
    return problem, LogPoolOracle.fit(*table, kinds=problem.kinds, declared=problem.declared, **options)


def as_frame(problem, rows=None):
    columns = {}
    for j, kind in enumerate(problem.kinds):
        cells = problem.columns[j] if rows is None else [row[j] for row in rows]
        if kind == "numeric":
            columns[f"x{j}"] = np.array(cells, float)
        elif rows is None and problem.declared[j] is not None:
            columns[f"x{j}"] = pd.Categorical(cells, problem.declared[j])
        else:
            columns[f"x{j}"] = pd.Series(cells, dtype=object)
    return pd.DataFrame(columns)


def fit_to(problem, kind=CredalLogPoolAODE):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a dozen rows of text look like identifiers
        clf = kind(**problem.options)
        return clf.fit(as_frame(problem), np.array(problem.y), sample_weight=problem.weights)


# --- columns --------------------------------------------------------------------------------------


def labels(rng, n, n_classes):
    y = [*range(n_classes), *rng.integers(n_classes, size=n - n_classes).tolist()]
    return rng.permutation(y).tolist()


def numbers(rng, y, *, shift=1.5, missing=0.0, digits=1):
    """Return numbers, some of them equal, that rise with the class."""
    cells = rng.normal(shift * np.array(y), 1.0).round(digits).tolist()
    return with_missing(rng, cells, missing)


def categories(rng, y, states="abc", *, told=0.5, missing=0.0):
    """Return states, a share of which tells the class."""
    cells = [
        states[c % len(states)] if rng.random() < told else states[int(rng.integers(len(states)))] for c in y
    ]
    return with_missing(rng, cells, missing)


def with_missing(rng, cells, share):
    return [None if rng.random() < share else cell for cell in cells]


def problem(rng, columns, y, *, declared=None, weights=None, **options):
    """Return a problem with new rows: mixtures of the table's, an unknown state, a far number, nothing."""
    kinds = [
        "numeric" if all(x is None or isinstance(x, float) for x in column) else "categorical"
        for column in columns
    ]
    rows = []
    for missing in (0.0, 0.0, 0.0, 0.3, 0.3, 0.8):
        drawn = [column[int(rng.integers(len(column)))] for column in columns]
        rows.append(with_missing(rng, drawn, missing))
    far = [9e9 if kind == "numeric" else UNKNOWN for kind in kinds]
    low = [-9e9 if kind == "numeric" else column[0] for kind, column in zip(kinds, columns, strict=True)]
    rows += [far, low, [None if kind == "numeric" else UNKNOWN for kind in kinds], [None] * len(columns)]
    # States that are declared and occur in no row.
    declared = [None] * len(columns) if declared is None else declared
    unseen = [
        next((s for s in states or [] if s not in column), column[0])
        for states, column in zip(declared, columns, strict=True)
    ]
    rows.append(unseen)
    return PoolProblem(columns, kinds, declared, y, weights, {"n_regions": 3, **options}, rows)


def mixed(rng, y, missing=0.0):
    """Return two numbers and two categories that tell something, and one of each that does not."""
    return [
        numbers(rng, y, missing=missing),
        categories(rng, y, missing=missing),
        numbers(rng, y, shift=0.0, missing=missing),
        numbers(rng, y, shift=0.8, missing=missing),
        categories(rng, y, "uvwx", told=0.0, missing=missing),
        categories(rng, y, "yz", missing=missing),
    ]


def of_mixed(n, n_classes, missing_cells=0.0, weigh=None, y=None, **options):
    """Return a maker of a mixed table, with classes of its own or the given ones."""

    def make(rng):
        classes = labels(rng, n, n_classes) if y is None else y
        weights = None if weigh is None else weigh(rng)
        return problem(rng, mixed(rng, classes, missing_cells), classes, weights=weights, **options)

    return make


def of(n, n_classes, *columns, names=None, **options):
    """Return a maker of a table of columns that are drawn by the classes."""

    def make(rng):
        y = labels(rng, n, n_classes)
        drawn = [column(rng, y) for column in columns]
        return problem(rng, drawn, y if names is None else [names + str(c) for c in y], **options)

    return make


def shifted(*shifts, **options):
    return [partial(numbers, shift=shift, **options) for shift in shifts]


def told_by(*states):
    return [partial(categories, states=one) for one in states]


def class_itself(rng, y):
    return ["ab"[c] for c in y]


# --- tables that are not made so ------------------------------------------------------------------


def three_together(rng):
    """The class depends on three columns at once, which regions see and SPODEs do not."""
    codes = rng.integers(2, size=(4, 80))
    y = (codes[:3].sum(axis=0) % 2).tolist()
    return problem(rng, [["ny"[a] for a in column] for column in codes.tolist()], y)


def absent_class(rng):
    """A class and a state whose rows all have weight 0."""
    y = labels(rng, 40, 2)
    columns = mixed(rng, y)
    columns[1][3] = "never"
    y[3] = 2
    return problem(rng, columns, y, weights=[1.0] * 3 + [0.0] + [1.0] * 36)


def rare_states(rng):
    """States of one row, which the fold without it does not know."""
    y = labels(rng, 40, 2)
    columns = [categories(rng, y, "ab"), categories(rng, y, "cd"), numbers(rng, y)]
    columns[0][:3] = ["once", "twice", "twice"]
    columns[1][-1] = "once"
    return problem(rng, columns, y)


def constants(rng):
    y = labels(rng, 40, 2)
    columns = [[1.5] * 40, numbers(rng, y), ["same"] * 40, categories(rng, y), [None] * 40]
    columns[0] = with_missing(rng, columns[0], 0.2)
    return problem(rng, columns, y)


def no_columns(rng):
    return problem(rng, [["same"] * 20, [2.0] * 20, [None] * 20], [0] * 12 + [1] * 8)


def lost_columns(rng):
    """Columns with one odd row: the fold without it drops them."""
    y = labels(rng, 30, 2)
    columns = [["a"] * 30, [None] * 30, numbers(rng, y), [0.0] * 30]
    columns[0][4], columns[3][7] = "b", 1.0
    columns[1][10:12] = ["c", "d"]
    return problem(rng, columns, y, missing="marginalize")


def two_odd_rows(rng):
    y = labels(rng, 24, 2)
    column = ["a"] * 24
    column[5] = column[6] = "b"
    y[5:7] = [0, 1]
    return problem(rng, [column, [1.0] * 24, column[:]], y)


def one_odd_row(rng):
    """The fold without the row has no column at all: all its experts say p_0."""
    y = labels(rng, 24, 2)
    columns = [["a"] * 24, ["c"] * 24, [1.0] * 24]
    columns[0][5], columns[1][5] = "b", "d"
    return problem(rng, columns, y)


def extreme_numbers(rng):
    y = labels(rng, 40, 2)
    wide = [(1.7e308 if c else -1.7e308) * float(rng.random()) for c in y]
    tiny = [5e-324 * float(rng.integers(1 + 2 * c, 5)) for c in y]
    close = [1.0 + 2.2e-16 * float(rng.integers(3 * c, 6)) for c in y]
    return problem(rng, [wide, tiny, close], y)


def single_row_class(rng):
    """A class of one row, which the row's own fold does not know."""
    y = labels(rng, 30, 2)
    y[11] = 2
    return problem(rng, mixed(rng, y), y)


def sampled(rng):
    """More rows than max_rows; a class and a state may lie outside the sample."""
    y = labels(rng, 80, 3)
    y[y.index(2)] = 3
    columns = mixed(rng, y, 0.1)
    columns[1][0] = "once"
    return problem(rng, columns, y, max_rows=30, random_state=5)


def spodes_alone(rng):
    y = labels(rng, 40, 2)
    columns = [*mixed(rng, y, 0.1), numbers(rng, y, shift=0.0)]
    return problem(rng, columns, y, n_regions=0, line=False, ess=1.0, missing="marginalize")


SIX = [0, 1, 0, 1, 1, 0]
LEFT_OUT = {"missing": "marginalize"}
NOISE = shifted(0.0, 0.0, 0.0, digits=3)
# The place in this list is part of the seed.
MAKERS = {
    "numbers": of(60, 2, *shifted(2.0, 1.0, 0.5, 0.0)),
    "categories": of(60, 3, *told_by("abc", "de", "fghij", "kl"), names="class "),
    "imputed": of_mixed(70, 3, 0.15),
    "marginalized": of_mixed(70, 3, 0.15, **LEFT_OUT),
    "mostly missing": of_mixed(40, 2, 0.7, **LEFT_OUT),
    "three together": three_together,
    "many classes": of(80, 7, numbers, *told_by("abcdefg"), *shifted(0.5)),
    # A column that equals the class, twice: certain answers, experts that say the same.
    "copies": of(40, 2, class_itself, class_itself, *shifted(0.0)),
    "whole weights": of_mixed(50, 2, 0.1, lambda rng: rng.integers(0, 4, size=50).astype(float).tolist()),
    # Eighths, so that sums are exact.
    "real weights": of_mixed(60, 3, 0.1, lambda rng: (rng.integers(0, 24, size=60) / 8).tolist(), **LEFT_OUT),
    "real weights, imputed": of_mixed(50, 2, 0.1, lambda rng: rng.uniform(0.2, 3.0, size=50).tolist()),
    # Less than 10 in all: the trees are single leaves, while there are rows enough for folds.
    "light": of_mixed(40, 2, weigh=lambda rng: [0.125] * 40),
    # A little more than 10 in all, and less than that in every fold.
    "nearly light": of_mixed(40, 2, weigh=lambda rng: [17 / 64] * 40),
    "absent class": absent_class,
    "declared states": of(
        *(50, 2, *told_by("abc", "de"), numbers), declared=[["c", "unseen", "a", "b"], ["e", "d"], None]
    ),
    "merged states": of(
        *(60, 3, *told_by("aaabbbcdef", "ggghhijk"), numbers, *told_by("xy")),
        declared=[None, ["k", "j", "unseen", "i", "h", "g"], None, None],
        max_categories=3,
    ),
    "rare states": rare_states,
    "rare states, declared": lambda rng: rare_states(rng)._replace(
        declared=[["twice", "b", "a", "once"], None, None]
    ),
    "constants": constants,
    # MDL cuts nothing, so that there are no SPODEs; regions and line have their columns.
    "nothing kept": of(30, 2, *NOISE),
    "no columns": no_columns,
    "lost columns": lost_columns,
    "two odd rows": two_odd_rows,
    "one odd row": one_odd_row,
    # Weak numbers, which some folds cut and others do not.
    "kept in folds": of(45, 2, *shifted(0.85, 0.9, 0.95, 1.0, 1.05), categories),
    "extreme numbers": extreme_numbers,
    "one class": lambda rng: problem(rng, mixed(rng, labels(rng, 20, 2)), ["only"] * 20),
    "two rows": lambda rng: problem(rng, [[1.0, 2.0], ["a", "b"], ["c", "c"]], [0, 1]),
    "five rows": of_mixed(5, 2, 0.1, y=[0, 0, 1, 1, 1]),
    "six rows": of_mixed(6, 2, 0.1, y=SIX),
    # Two folds of trees that are fitted, although there are few rows.
    "six rows, heavy": of_mixed(6, 2, y=SIX, weigh=lambda rng: [6.0, 5.0, 7.0, 3.0, 9.0, 8.0]),
    "single-row class": single_row_class,
    "every class once": of_mixed(9, 9, y=list(range(9)), weigh=lambda rng: [2.0] * 9),
    "sampled": sampled,
    "sampled, with weights": of_mixed(
        *(70, 2, 0.1, lambda rng: (rng.integers(0, 12, size=70) / 4).tolist()),
        **LEFT_OUT,
        max_rows=24,
        random_state=-3,
    ),
    "hardly sampled": of_mixed(40, 2, max_rows=5),
    "without line": of_mixed(40, 3, line=False, random_state=2**33 + 1),
    "without regions": of_mixed(40, 3, n_regions=0),
    "SPODEs alone": spodes_alone,
    "line alone": of(30, 2, *NOISE, n_regions=0, missing="marginalize"),
    "small ess": of_mixed(40, 2, 0.1, ess=0.25, random_state=9),
}
