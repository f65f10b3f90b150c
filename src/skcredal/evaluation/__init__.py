"""Classifiers on a user's own table: reading the file, cross-validation, the page of doubtful cases.

It may import everything but ``paper`` and the command line.
"""

from typing import TYPE_CHECKING

from skcredal._lazy import lazy_names

if TYPE_CHECKING:
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

# Not imported until they are used: the command line needs only the readers to predict.
__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    ("_table_files", "_registry", "_sums", "_cases", "_cross_validation", "_page_data"),
)
