"""Measures of determinate and set-valued predictions, as functions, as a report and as scorers.

A set-valued prediction is a boolean mask ``y_set`` of shape ``(n_rows, n_classes)``: ``y_set[r, c]`` says
whether class ``c`` belongs to the answer for row ``r``. The columns are in the order of ``labels``: pass
``clf.classes_`` unless every class occurs in ``y_true``. A row with one class is decided, a row with several
is undecided; a row with none is neither, and always counts as a miss. So does a row whose true class is not
in ``labels``. A measure without rows to average over is NaN.

The package works on arrays alone and imports only helpers.
"""

from skcredal.metrics._measures import (
    determinacy_score,
    discounted_accuracy_score,
    indeterminate_output_size,
    set_accuracy_score,
    single_accuracy_score,
    true_class_brier_loss,
    u65_score,
    u80_score,
    utility_score,
)
from skcredal.metrics._report import credal_report, credal_summary
from skcredal.metrics._scorer import make_set_scorer, predict_set

__all__ = [
    "credal_report",
    "credal_summary",
    "determinacy_score",
    "discounted_accuracy_score",
    "indeterminate_output_size",
    "make_set_scorer",
    "predict_set",
    "set_accuracy_score",
    "single_accuracy_score",
    "true_class_brier_loss",
    "u65_score",
    "u80_score",
    "utility_score",
]
