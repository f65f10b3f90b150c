"""The estimators, one family a file. They may import ``_encoding``, ``_ensemble`` and ``_kernels``."""

from skcredal.classifiers._answers import Answers, answers
from skcredal.classifiers._aode import AODE
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers._bma_aode import BmaAODE, CredalBmaAODE
from skcredal.classifiers._comp_aode import CompAODE, CredalCompAODE
from skcredal.classifiers._compression_nb import CompressionNB
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._log_pool import CredalLogPoolAODE, LogPoolAODE
from skcredal.classifiers._maplmg import MaplmgAODE
from skcredal.classifiers._naive_credal import CredalModelAveraging, NaiveCredal
from skcredal.classifiers._rows import Part, Rows
from skcredal.classifiers._tree import CredalTree

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
    "CredalMixin",
    "CredalModelAveraging",
    "CredalTree",
    "LogPoolAODE",
    "MaplmgAODE",
    "NaiveBayes",
    "NaiveCredal",
    "NullClassifier",
    "Part",
    "Rows",
    "TabularClassifier",
    "answers",
]
