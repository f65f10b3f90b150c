"""Credal classification with AODE ensembles: classifiers that know when their answer hangs on the prior."""

from skcredal import metrics
from skcredal._config import config_context, get_config, set_config
from skcredal.classifiers.aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers.credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.data.discretise import MDLDiscretizer
from skcredal.decisions import set_labels

__version__ = "0.1.0.dev0"

__all__ = [
    "AODE",
    "BmaAODE",
    "CompAODE",
    "CredalBmaAODE",
    "CredalCompAODE",
    "MDLDiscretizer",
    "__version__",
    "config_context",
    "get_config",
    "metrics",
    "set_config",
    "set_labels",
]
