"""The estimators, one family a file. They may import ``_encoding``, ``_ensemble`` and ``_kernels``."""

from skcredal.classifiers._aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers._base import TabularClassifier, TrainingRows
from skcredal.classifiers._bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers._cma import CredalModelAveraging
from skcredal.classifiers._credal import CredalClassifier
from skcredal.classifiers._credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers._maplmg import MaplmgAODE
from skcredal.classifiers._ncc import NaiveCredal
from skcredal.classifiers._tree import CredalTree

__all__ = [
    "AODE",
    "TAN",
    "BmaAODE",
    "CompAODE",
    "CredalBmaAODE",
    "CredalClassifier",
    "CredalCompAODE",
    "CredalModelAveraging",
    "CredalTree",
    "MaplmgAODE",
    "NaiveBayes",
    "NaiveCredal",
    "NullClassifier",
    "TabularClassifier",
    "TrainingRows",
]
