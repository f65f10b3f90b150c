"""Loads every kernel that is measured, or compiles it the first time: no step is to pay for that."""

from benchmarks.problems import Problem, declared, make_table
from skcredal import (
    AODE,
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalTree,
    MaplmgAODE,
)

__all__ = ["load_kernels"]

CLASSIFIERS = (AODE, CompAODE, CredalBmaAODE, CredalCompAODE, CredalTree, MaplmgAODE)
METHODS = ("predict_proba", "predict_set", "predict_interval", "robustness")


def load_kernels():
    """Fit and predict with everything, on a small table of the types that are measured."""
    table = make_table(Problem("warm-up", 200, (3,) * 4, 3, n_test=50))
    for classifier in CLASSIFIERS:
        clf = classifier(**declared(table.problem)).fit(table.X, table.y)
        for method in METHODS:
            if hasattr(clf, method):
                getattr(clf, method)(table.X_test)
