"""Credal classification with AODE ensembles: classifiers that know when their answer hangs on the prior."""

from __future__ import annotations

from importlib import import_module

# Not from typing, whose import would be half of the time before the command line listens to Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skcredal import decisions, metrics
    from skcredal._config import config_context, get_config, set_config
    from skcredal._encoding.discretizer import MDLDiscretizer
    from skcredal.classifiers import (
        AODE,
        TAN,
        Answers,
        BmaAODE,
        CompAODE,
        CompressionNB,
        CredalBmaAODE,
        CredalCompAODE,
        CredalLogPoolAODE,
        CredalModelAveraging,
        CredalTree,
        LogPoolAODE,
        MaplmgAODE,
        NaiveBayes,
        NaiveCredal,
        NullClassifier,
        answers,
    )
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
    "config_context",
    "decisions",
    "get_config",
    "load",
    "metrics",
    "save",
    "set_config",
    "set_labels",
]

# Where the names above are found, the modules that are quickest to import first.
_MODULES = ("_config", "_encoding.discretizer", "classifiers", "decisions", "persistence")


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: scikit-learn takes seconds that help need not wait for."""
    if name not in __all__:
        raise AttributeError(f"module 'skcredal' has no attribute {name!r}")
    found = import_module(f"skcredal.{name}") if name in ("decisions", "metrics") else _find(name)
    globals()[name] = found
    return found


def _find(name: str) -> Any:
    modules = (import_module(f"skcredal.{module}") for module in _MODULES)
    return getattr(next(module for module in modules if name in module.__all__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
