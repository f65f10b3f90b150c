"""Classifiers on a user's own table: reading the file, cross-validation, the page of doubtful cases.

It may import everything but ``paper`` and the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skcredal.evaluation._classifiers import CLASSIFIERS, make_classifiers
    from skcredal.evaluation._cross_val_predict import cross_val_predict_set
    from skcredal.evaluation._cross_validation import Evaluation, evaluate_table, ranking
    from skcredal.evaluation._page import write_evaluation
    from skcredal.evaluation._reading import read_table_file

__all__ = [
    "CLASSIFIERS",
    "Evaluation",
    "cross_val_predict_set",
    "evaluate_table",
    "make_classifiers",
    "ranking",
    "read_table_file",
    "write_evaluation",
]

_MODULES = ("_reading", "_classifiers", "_cross_validation", "_cross_val_predict", "_page")


def __getattr__(name: str) -> object:
    # Imported when they are first used: the command line needs only the readers to predict.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = (import_module(f"{__name__}.{module}") for module in _MODULES)
    value = getattr(next(module for module in modules if name in module.__all__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
