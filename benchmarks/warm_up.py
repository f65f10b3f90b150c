"""Loads every kernel that is measured, or compiles it the first time: no step is to pay for that."""

import numpy as np

from benchmarks.problems import Problem, declared, make_table
from skcredal import (
    AODE,
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalTree,
    MaplmgAODE,
    MDLDiscretizer,
)

__all__ = ["load_kernels"]

CLASSIFIERS = (AODE, CompAODE, CredalBmaAODE, CredalCompAODE, CredalTree, MaplmgAODE)
METHODS = ("predict_proba", "predict_set", "predict_interval", "robustness")


def load_kernels():
    """Fit and predict with everything, on tables of the types that are measured, with few rows and with more.

    What is counted by increments, where rows are few, is counted by bitmaps, where they are not.
    """
    for n in (200, 2_000):
        table = make_table(Problem("warm-up", n, (3,) * 4, 3, n_test=50))
        numbers = np.random.default_rng(0).normal(size=(n, 2)) + table.y[:, None]
        for classifier in CLASSIFIERS:
            clf = classifier(**declared(table.problem)).fit(table.X, table.y)
            for method in METHODS:
                if hasattr(clf, method):
                    getattr(clf, method)(table.X_test)
        MDLDiscretizer().fit(numbers, table.y)
