"""The tables of ``pool_problems`` beside what the oracle says of them, each learned once in a process."""

import warnings
from functools import cache

import numpy as np
import pandas as pd

from oracles_logpool import LogPoolOracle
from pool_problems import pool_problem, pool_problems
from skcredal import CredalLogPoolAODE

NAMES = [problem.name for problem in pool_problems()]


def oracle_of(problem, **options):
    """Return the oracle of a table."""
    return LogPoolOracle.fit(
        problem.columns,
        problem.y,
        problem.weights,
        kinds=problem.kinds,
        declared=problem.declared,
        **{**problem.options, **options},
    )


@cache
def learned(name):
    """Return the table of a name, and its oracle."""
    problem = pool_problem(name)
    return problem, oracle_of(problem)


def as_frame(problem, rows=None):
    """Return new rows of a table, or its own, which declare their states."""
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


def fit_to(problem, kind=CredalLogPoolAODE, **options):
    """Return a classifier that learned the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a dozen rows of text look like identifiers
        clf = kind(**{**problem.options, **options})
        return clf.fit(as_frame(problem), np.array(problem.y), sample_weight=problem.weights)
