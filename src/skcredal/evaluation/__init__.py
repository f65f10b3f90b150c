"""Classifiers on a user's own table: reading the file, cross-validation, the page of doubtful cases.

It may import everything but ``paper`` and the command line.
"""

from skcredal.evaluation._cases import Cases
from skcredal.evaluation._cross_validation import Evaluation, evaluate_table, ranking
from skcredal.evaluation._page_data import evaluation_data, write_evaluation
from skcredal.evaluation._registry import CLASSIFIERS, make_classifiers
from skcredal.evaluation._sums import FoldSums
from skcredal.evaluation._table_files import read_table_file

__all__ = [
    "CLASSIFIERS",
    "Cases",
    "Evaluation",
    "FoldSums",
    "evaluate_table",
    "evaluation_data",
    "make_classifiers",
    "ranking",
    "read_table_file",
    "write_evaluation",
]
