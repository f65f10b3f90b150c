"""The estimators, one family a file. They may import ``_encoding``, ``_ensemble`` and ``_kernels``."""

from skcredal.classifiers._answers import Answers, answers
from skcredal.classifiers._aode import AODE, BmaAODE, CompAODE, MaplmgAODE
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._bayes import TAN, CompressionNB, NaiveBayes, NullClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers._log_pool import CredalLogPoolAODE, LogPoolAODE
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
