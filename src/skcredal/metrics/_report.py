"""All measures at once: as a dictionary, and as a text report with one line per class."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np
from numpy.typing import ArrayLike

from skcredal._validation import check_integer, naming
from skcredal.metrics._checks import as_labels, as_mask, as_values
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, Outcomes

__all__ = ["credal_report", "credal_summary"]

_CLASS_COLUMNS = {
    "support": "n",
    "determinacy": "determinacy",
    "single-acc": "single_accuracy",
    "set-acc": "set_accuracy",
    "output size": "output_size",
    "u65": "u65",
    "u80": "u80",
}
_COUNTERPART_COLUMNS = {"support": "n", "accuracy": "accuracy", "Brier": "brier"}


def credal_summary(
    y_true: ArrayLike,
    y_set: ArrayLike,
    *,
    y_pred: ArrayLike | None = None,
    y_proba: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Return every measure of a set-valued prediction and of its determinate counterpart.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    y_pred : array-like of shape (n_rows,), optional
        The classes predicted by the determinate counterpart; by default, the most probable in `y_proba`.
    y_proba : array-like of shape (n_rows, n_classes), optional
        The probabilities given by the determinate counterpart.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    dict of str to float
        Always the same keys: ``n`` (rows, or the sum of their weights), ``determinacy``, ``single_accuracy``,
        ``set_accuracy``, ``output_size``, ``discounted_accuracy``, ``u65``, ``u80``; and of the counterpart
        ``accuracy``, ``accuracy_decided`` (on rows with one class), ``accuracy_undecided`` (with several) and
        ``brier``. NaN where there are no rows to average over or no input.

    Examples
    --------
    Two rows are decided, one of them right; the only set of two classes contains the true one.

    >>> from skcredal.metrics import credal_summary
    >>> summary = credal_summary(["a", "b", "b"], [[1, 0], [1, 0], [1, 1]], y_pred=["a", "a", "b"])
    >>> for name, value in summary.items():
    ...     print(f"{name:<20}{value:.2f}")
    n                   3.00
    determinacy         0.67
    single_accuracy     0.50
    set_accuracy        1.00
    output_size         2.00
    discounted_accuracy 0.50
    u65                 0.55
    u80                 0.60
    accuracy            0.67
    accuracy_decided    0.50
    accuracy_undecided  1.00
    brier               nan
    """
    return _summary(Outcomes.from_predictions(y_true, y_set, labels, sample_weight, y_pred, y_proba))


def credal_report(
    y_true: ArrayLike,
    y_set: ArrayLike,
    *,
    y_pred: ArrayLike | None = None,
    y_proba: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
) -> str:
    """Return a text report of the main measures, with one line per true class and one for all rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    y_pred : array-like of shape (n_rows,), optional
        The classes predicted by the determinate counterpart; by default, the most probable in `y_proba`.
    y_proba : array-like of shape (n_rows, n_classes), optional
        The probabilities given by the determinate counterpart.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    target_names : sequence of str, optional
        Names to print for the labels, in their order.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.
    digits : int, default=2
        Digits after the decimal point.

    Returns
    -------
    str
        A table about the sets. If `y_pred` or `y_proba` is given, a second one about the determinate
        counterpart on the decided rows (one class) and on the undecided rows (several). Rows whose true
        class is not in `labels` are summarised as ``(other)``. What cannot be computed is printed as ``-``.

    See Also
    --------
    credal_summary : The same measures as numbers.

    Examples
    --------
    >>> from skcredal.metrics import credal_report
    >>> y_true = ["cat", "dog", "dog"]
    >>> y_set = [[1, 0], [1, 0], [1, 1]]
    >>> print(credal_report(y_true, y_set, y_pred=["cat", "cat", "dog"]))
               support  determinacy  single-acc  set-acc  output size   u65   u80
    <BLANKLINE>
          cat        1         1.00        1.00        -            -  1.00  1.00
          dog        2         0.50        0.00     1.00         2.00  0.33  0.40
    <BLANKLINE>
          all        3         0.67        0.50     1.00         2.00  0.55  0.60
    <BLANKLINE>
               support  accuracy  Brier
    <BLANKLINE>
      decided        2      0.50      -
    undecided        1      1.00      -
    <BLANKLINE>
          all        3      0.67      -
    """
    # The labels are needed here for the names of the lines; the outcomes check them again.
    mask = as_mask(y_set)
    classes = as_labels(labels, as_values("y_true", y_true, len(mask)), mask.shape[1], "y_set")
    rows = Outcomes.from_predictions(y_true, mask, classes, sample_weight, y_pred, y_proba)
    check_integer("digits", digits, low=0, high=100)
    with naming("target_names"):
        names = list(map(str, classes if target_names is None else target_names))
    if len(names) != len(classes):
        raise ValueError(
            f"target_names must have one name for each of the {len(classes)} labels, got {len(names)}."
        )

    parts = [(name, rows.only(rows.truth == c)) for c, name in enumerate(names)]
    if np.any(rows.truth < 0):
        parts.append(("(other)", rows.only(rows.truth < 0)))
    tables = [(_CLASS_COLUMNS, parts)]
    if y_pred is not None or y_proba is not None:
        parts = [("decided", rows.only(rows.single)), ("undecided", rows.only(rows.several))]
        tables.append((_COUNTERPART_COLUMNS, parts))

    # One width for both tables, so that their columns of names are aligned.
    name_width = max(len(name) for _, parts in tables for name, _ in [*parts, ("all", rows)])
    return "\n".join(_table(columns, parts, rows, digits, name_width) for columns, parts in tables)


def _summary(rows: Outcomes) -> dict[str, float]:
    decided, undecided = rows.only(rows.single), rows.only(rows.several)
    return {
        "n": float(rows.weight.sum()),
        "determinacy": rows.determinacy(),
        "single_accuracy": rows.single_accuracy(),
        "set_accuracy": rows.set_accuracy(),
        "output_size": rows.output_size(),
        "discounted_accuracy": rows.utility(0.5),
        **{name: rows.utility(w) for name, w in UTILITY_WEIGHTS.items()},
        "accuracy": rows.mean(rows.correct),
        "accuracy_decided": decided.mean(decided.correct),
        "accuracy_undecided": undecided.mean(undecided.correct),
        "brier": rows.mean(rows.brier),
    }


def _table(
    columns: dict[str, str], parts: list[tuple[str, Outcomes]], rows: Outcomes, digits: int, name_width: int
) -> str:
    """Format one line per part and, after a blank line, one for all rows."""
    names = ["", *(name for name, _ in parts), "all"]
    summaries = [_summary(part) for part in [*(part for _, part in parts), rows]]
    # Without weights the support is a number of rows, and reads better without decimals.
    whole = all(summary["n"].is_integer() for summary in summaries)
    cells = [[name.rjust(name_width) for name in names]]
    for title, key in columns.items():
        decimals = 0 if key == "n" and whole else digits
        column = [title, *("-" if isnan(s[key]) else f"{s[key]:.{decimals}f}" for s in summaries)]
        width = max(map(len, column))
        cells.append([cell.rjust(width) for cell in column])
    head, *body, total = ["  ".join(line) for line in zip(*cells, strict=True)]
    return "\n".join([head, "", *body, "", total, ""])
