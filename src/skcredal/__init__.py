"""Credal classification with AODE ensembles: classifiers that know when their answer hangs on the prior."""

from skcredal._lazy import lazy_names

# Not from typing, whose import would be half of the time before the command line listens to Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
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

# Not imported until they are used: scikit-learn takes seconds that help need not wait for.
__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    ("_config", "_encoding.discretizer", "classifiers", "decisions", "metrics", "persistence"),
)
