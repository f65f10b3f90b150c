"""Credal classification with AODE ensembles: classifiers that know when their answer depends on the prior."""

# ruff: noqa: F403, F405 - the names of the classifiers are in __all__ below, and there is no need of a third list
from importlib import import_module

# Not from typing, whose import would be half of the time before the command line listens to Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from skcredal import decisions, metrics, plots
    from skcredal._config import get_config, set_config
    from skcredal._encoding.discretizer import MDLDiscretizer
    from skcredal.classifiers._answers import *
    from skcredal.classifiers._aode import *
    from skcredal.classifiers._bayes import *
    from skcredal.classifiers._credal_aode import *
    from skcredal.classifiers._log_pool import *
    from skcredal.classifiers._naive_credal import *
    from skcredal.classifiers._tree import *
    from skcredal.decisions import set_labels
    from skcredal.persistence import load, save

__version__ = "0.1.0.dev0"

__all__ = [
    "AODE",
    "TAN",
    "Answers",
    "BmaAODE",
    "CompAODE",
    "CompressionNB",
    "CredalBmaAODE",
    "CredalCompAODE",
    "CredalLogPoolAODE",
    "CredalModelAveraging",
    "CredalTree",
    "LogPoolAODE",
    "MDLDiscretizer",
    "MaplmgAODE",
    "NaiveBayes",
    "NaiveCredal",
    "NullClassifier",
    "__version__",
    "answers",
    "decisions",
    "get_config",
    "load",
    "metrics",
    "plots",
    "save",
    "set_config",
    "set_labels",
]

# Where the names are, those modules first that are imported soonest.
_FAMILIES = ("answers", "aode", "bayes", "credal_aode", "log_pool", "naive_credal", "tree")
_MODULES = ("_config", "_encoding.discretizer", *(f"classifiers._{family}" for family in _FAMILIES))
_MODULES += ("decisions", "metrics", "persistence", "plots")


def __getattr__(name: str) -> object:
    # Imported when they are first used: scikit-learn takes seconds that help need not wait for.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _MODULES:
        return import_module(f"skcredal.{name}")
    modules = (import_module(f"skcredal.{module}") for module in _MODULES)
    value = getattr(next(module for module in modules if name in module.__all__), name)
    globals()[name] = value  # the next time it is found without this function
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
