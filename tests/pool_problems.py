"""Small tables of every kind that LP-AODE treats in a way of its own (SPEC §14), as lists of cells.

None is a missing cell, "?" a category that no column declares or holds. `options` are arguments of
`LogPoolOracle.fit`, which the classifiers share; there are few regions, so that the oracle stays fast.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

UNKNOWN = "?"
N_REGIONS = 3


class PoolProblem(NamedTuple):
    """A table by columns, its classes and weights, and new rows to classify."""

    name: str
    columns: list[list[Any]]
    kinds: list[str]
    declared: list[list[str] | None]
    y: list[Any]
    weights: list[float] | None
    options: dict[str, Any]
    rows: list[list[Any]]


def pool_problems(seed: int = 0) -> Iterator[PoolProblem]:
    """Yield one table of every kind; another seed gives other ones."""
    for place, make in enumerate(MAKERS):
        yield make(np.random.default_rng([seed, place]))


def pool_problem(name: str, seed: int = 0) -> PoolProblem:
    """Return the table of one name."""
    return next(problem for problem in pool_problems(seed) if problem.name == name)


# --- columns --------------------------------------------------------------------------------------


def labels(rng: np.random.Generator, n: int, n_classes: int) -> list[int]:
    """Return classes of which each has a row."""
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


def problem(rng, name, columns, y, *, declared=None, weights=None, **options) -> PoolProblem:
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
    return PoolProblem(name, columns, kinds, declared, y, weights, {"n_regions": N_REGIONS, **options}, rows)


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


# --- ordinary tables ------------------------------------------------------------------------------


def all_numbers(rng):
    y = labels(rng, 60, 2)
    return problem(rng, "numbers", [numbers(rng, y, shift=s) for s in (2.0, 1.0, 0.5, 0.0)], y)


def all_categories(rng):
    y = labels(rng, 60, 3)
    columns = [categories(rng, y, states) for states in ("abc", "de", "fghij", "kl")]
    return problem(rng, "categories", columns, [f"class {c}" for c in y])


def imputed(rng):
    y = labels(rng, 70, 3)
    return problem(rng, "imputed", mixed(rng, y, 0.15), y)


def marginalized(rng):
    y = labels(rng, 70, 3)
    return problem(rng, "marginalized", mixed(rng, y, 0.15), y, missing="marginalize")


def mostly_missing(rng):
    y = labels(rng, 40, 2)
    return problem(rng, "mostly missing", mixed(rng, y, 0.7), y, missing="marginalize")


def three_together(rng):
    """The class depends on three columns at once, which regions see and SPODEs do not."""
    codes = rng.integers(2, size=(4, 80))
    y = (codes[:3].sum(axis=0) % 2).tolist()
    columns = [["ny"[a] for a in column] for column in codes.tolist()]
    return problem(rng, "three together", columns, y)


def many_classes(rng):
    y = labels(rng, 80, 7)
    columns = [numbers(rng, y), categories(rng, y, "abcdefg"), numbers(rng, y, shift=0.5)]
    return problem(rng, "many classes", columns, y)


def copies(rng):
    """A column that equals the class, twice: certain answers, experts that say the same."""
    y = labels(rng, 40, 2)
    columns = [["ab"[c] for c in y], ["ab"[c] for c in y], numbers(rng, y, shift=0.0)]
    return problem(rng, "copies", columns, y)


# --- weights --------------------------------------------------------------------------------------


def whole_weights(rng):
    y = labels(rng, 50, 2)
    weights = rng.integers(0, 4, size=50).astype(float).tolist()
    return problem(rng, "whole weights", mixed(rng, y, 0.1), y, weights=weights)


def real_weights(rng):
    y = labels(rng, 60, 3)
    weights = (rng.integers(0, 24, size=60) / 8).tolist()  # eighths, so that sums are exact
    return problem(rng, "real weights", mixed(rng, y, 0.1), y, weights=weights, missing="marginalize")


def real_weights_imputed(rng):
    y = labels(rng, 50, 2)
    weights = rng.uniform(0.2, 3.0, size=50).tolist()
    return problem(rng, "real weights, imputed", mixed(rng, y, 0.1), y, weights=weights)


def light(rng):
    """Less than 10 in all: the trees are single leaves, while there are rows enough for folds."""
    y = labels(rng, 40, 2)
    return problem(rng, "light", mixed(rng, y), y, weights=[0.125] * 40)


def nearly_light(rng):
    """A little more than 10 in all, and less than that in every fold."""
    y = labels(rng, 40, 2)
    return problem(rng, "nearly light", mixed(rng, y), y, weights=[17 / 64] * 40)


def absent_class(rng):
    """A class and a state whose rows all have weight 0."""
    y = labels(rng, 40, 2)
    columns = mixed(rng, y)
    columns[1][3] = "never"
    y[3] = 2
    weights = [1.0] * 40
    weights[3] = 0.0
    return problem(rng, "absent class", columns, y, weights=weights)


# --- states ---------------------------------------------------------------------------------------


def declared_states(rng):
    y = labels(rng, 50, 2)
    columns = [categories(rng, y, "abc"), categories(rng, y, "de"), numbers(rng, y)]
    return problem(rng, "declared states", columns, y, declared=[["c", "unseen", "a", "b"], ["e", "d"], None])


def merged_states(rng):
    y = labels(rng, 60, 3)
    columns = [
        categories(rng, y, "aaabbbcdef"),
        categories(rng, y, "ggghhijk"),
        numbers(rng, y),
        categories(rng, y, "xy"),
    ]
    declared = [None, ["k", "j", "unseen", "i", "h", "g"], None, None]
    return problem(rng, "merged states", columns, y, declared=declared, max_categories=3)


def rare_states(rng):
    """States of one row, which the fold without it does not know."""
    y = labels(rng, 40, 2)
    columns = [categories(rng, y, "ab"), categories(rng, y, "cd"), numbers(rng, y)]
    columns[0][:3] = ["once", "twice", "twice"]
    columns[1][-1] = "once"
    return problem(rng, "rare states", columns, y)


def rare_states_declared(rng):
    made = rare_states(rng)
    declared = [["twice", "b", "a", "once"], None, None]
    return made._replace(name="rare states, declared", declared=declared)


# --- columns that come and go ---------------------------------------------------------------------


def constants(rng):
    y = labels(rng, 40, 2)
    columns = [[1.5] * 40, numbers(rng, y), ["same"] * 40, categories(rng, y), [None] * 40]
    columns[0] = with_missing(rng, columns[0], 0.2)
    return problem(rng, "constants", columns, y)


def nothing_kept(rng):
    """MDL cuts nothing, so that there are no SPODEs; regions and line have their columns."""
    y = labels(rng, 30, 2)
    columns = [numbers(rng, y, shift=0.0, digits=3) for _ in range(3)]
    return problem(rng, "nothing kept", columns, y)


def no_columns(rng):
    y = [0] * 12 + [1] * 8
    return problem(rng, "no columns", [["same"] * 20, [2.0] * 20, [None] * 20], y)


def lost_columns(rng):
    """Columns with one odd row: the fold without it drops them."""
    y = labels(rng, 30, 2)
    columns = [["a"] * 30, [None] * 30, numbers(rng, y), [0.0] * 30]
    columns[0][4], columns[3][7] = "b", 1.0
    columns[1][10:12] = ["c", "d"]
    return problem(rng, "lost columns", columns, y, missing="marginalize")


def two_odd_rows(rng):
    y = labels(rng, 24, 2)
    column = ["a"] * 24
    column[5] = column[6] = "b"
    y[5:7] = [0, 1]
    return problem(rng, "two odd rows", [column, [1.0] * 24, column[:]], y)


def one_odd_row(rng):
    """The fold without the row has no column at all: all its experts say p_0."""
    y = labels(rng, 24, 2)
    columns = [["a"] * 24, ["c"] * 24, [1.0] * 24]
    columns[0][5], columns[1][5] = "b", "d"
    return problem(rng, "one odd row", columns, y)


def kept_in_folds(rng):
    """Weak numbers, which some folds cut and others do not."""
    y = labels(rng, 45, 2)
    columns = [numbers(rng, y, shift=s) for s in (0.85, 0.9, 0.95, 1.0, 1.05)]
    return problem(rng, "kept in folds", [*columns, categories(rng, y)], y)


def extreme_numbers(rng):
    y = labels(rng, 40, 2)
    wide = [(1.7e308 if c else -1.7e308) * float(rng.random()) for c in y]
    tiny = [5e-324 * float(rng.integers(1 + 2 * c, 5)) for c in y]
    close = [1.0 + 2.2e-16 * float(rng.integers(3 * c, 6)) for c in y]
    return problem(rng, "extreme numbers", [wide, tiny, close], y)


# --- few rows and few classes ---------------------------------------------------------------------


def one_class(rng):
    y = labels(rng, 20, 2)
    return problem(rng, "one class", mixed(rng, y), ["only"] * 20)


def two_rows(rng):
    columns = [[1.0, 2.0], ["a", "b"], ["c", "c"]]
    return problem(rng, "two rows", columns, [0, 1])


def five_rows(rng):
    y = [0, 0, 1, 1, 1]
    return problem(rng, "five rows", mixed(rng, y, 0.1), y)


def six_rows(rng):
    y = [0, 1, 0, 1, 1, 0]
    return problem(rng, "six rows", mixed(rng, y, 0.1), y)


def six_rows_heavy(rng):
    """Two folds of trees that are fitted, although there are few rows."""
    y = [0, 1, 0, 1, 1, 0]
    return problem(rng, "six rows, heavy", mixed(rng, y), y, weights=[6.0, 5.0, 7.0, 3.0, 9.0, 8.0])


def single_row_class(rng):
    """A class of one row, which the row's own fold does not know."""
    y = labels(rng, 30, 2)
    y[11] = 2
    return problem(rng, "single-row class", mixed(rng, y), y)


def every_class_once(rng):
    y = list(range(9))
    return problem(rng, "every class once", mixed(rng, y), y, weights=[2.0] * 9)


# --- options --------------------------------------------------------------------------------------


def sampled(rng):
    """More rows than max_rows; a class and a state may lie outside the sample."""
    y = labels(rng, 80, 3)
    y[y.index(2)] = 3
    columns = mixed(rng, y, 0.1)
    columns[1][0] = "once"
    return problem(rng, "sampled", columns, y, max_rows=30, random_state=5)


def sampled_with_weights(rng):
    y = labels(rng, 70, 2)
    weights = (rng.integers(0, 12, size=70) / 4).tolist()
    return problem(
        rng,
        "sampled, with weights",
        mixed(rng, y, 0.1),
        y,
        weights=weights,
        missing="marginalize",
        max_rows=24,
        random_state=-3,
    )


def hardly_sampled(rng):
    y = labels(rng, 40, 2)
    return problem(rng, "hardly sampled", mixed(rng, y), y, max_rows=5)


def without_line(rng):
    y = labels(rng, 40, 3)
    return problem(rng, "without line", mixed(rng, y), y, line=False, random_state=2**33 + 1)


def without_regions(rng):
    y = labels(rng, 40, 3)
    return problem(rng, "without regions", mixed(rng, y), y, n_regions=0)


def spodes_alone(rng):
    y = labels(rng, 40, 2)
    columns = [*mixed(rng, y, 0.1), numbers(rng, y, shift=0.0)]
    return problem(rng, "SPODEs alone", columns, y, n_regions=0, line=False, ess=1.0, missing="marginalize")


def line_alone(rng):
    y = labels(rng, 30, 2)
    columns = [numbers(rng, y, shift=0.0, digits=3) for _ in range(3)]
    return problem(rng, "line alone", columns, y, n_regions=0, missing="marginalize")


def small_ess(rng):
    y = labels(rng, 40, 2)
    return problem(rng, "small ess", mixed(rng, y, 0.1), y, ess=0.25, random_state=9)


MAKERS: list[Callable[[np.random.Generator], PoolProblem]] = [
    all_numbers,
    all_categories,
    imputed,
    marginalized,
    mostly_missing,
    three_together,
    many_classes,
    copies,
    whole_weights,
    real_weights,
    real_weights_imputed,
    light,
    nearly_light,
    absent_class,
    declared_states,
    merged_states,
    rare_states,
    rare_states_declared,
    constants,
    nothing_kept,
    no_columns,
    lost_columns,
    two_odd_rows,
    one_odd_row,
    kept_in_folds,
    extreme_numbers,
    one_class,
    two_rows,
    five_rows,
    six_rows,
    six_rows_heavy,
    single_row_class,
    every_class_once,
    sampled,
    sampled_with_weights,
    hardly_sampled,
    without_line,
    without_regions,
    spodes_alone,
    line_alone,
    small_ess,
]
