"""All measures at once: as a dictionary, and as a text report with one line per class."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan

from numpy.typing import ArrayLike

from skcredal._arrays import AnyArray, FloatArray, MaybeArray
from skcredal.metrics._measures import outcomes
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, measures, quotient, row_sums

_OF_SETS = ("determinacy", "single_accuracy", "set_accuracy", "output_size", "discounted_accuracy")
_OF_COUNTERPART = ("accuracy", "accuracy_decided", "accuracy_undecided", "brier")
# The two tables of the report, and the measures whose columns have another title.
_CLASS_TABLE = ("n", "determinacy", "single_accuracy", "set_accuracy", "output_size", "u65", "u80")
_COUNTERPART_TABLE = ("n", "accuracy", "brier")
_TITLES = {"n": "support", "single_accuracy": "single-acc", "set_accuracy": "set-acc", "brier": "Brier"}


def credal_summary(
    y_true: ArrayLike,
    y_set: ArrayLike,
    *,
    y_pred: MaybeArray = None,
    y_proba: MaybeArray = None,
    labels: MaybeArray = None,
    sample_weight: MaybeArray = None,
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
    rows, weight, _, _ = outcomes(y_true, y_set, labels, sample_weight, y_pred, y_proba)
    return _summary(rows, weight)


def credal_report(
    y_true: ArrayLike,
    y_set: ArrayLike,
    *,
    y_pred: MaybeArray = None,
    y_proba: MaybeArray = None,
    labels: MaybeArray = None,
    target_names: Sequence[str] | None = None,
    sample_weight: MaybeArray = None,
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
    rows, weight, true, classes = outcomes(y_true, y_set, labels, sample_weight, y_pred, y_proba)
    names = [str(name) for name in (classes if target_names is None else target_names)]
    if len(names) != len(classes):
        raise ValueError(f"target_names must have one name for each of {len(classes)} labels, got {names}.")
    parts = [(name, true == c) for c, name in enumerate(names)]
    if (true < 0).any():
        parts.append(("(other)", true < 0))
    tables: list[tuple[Sequence[str], list[tuple[str, AnyArray]]]] = [(_CLASS_TABLE, parts)]
    if y_pred is not None or y_proba is not None:
        tables.append((_COUNTERPART_TABLE, [(name, rows[name]) for name in ("decided", "undecided")]))
    # One width for both tables, so that their columns of names are aligned.
    width = max(len("all"), *(len(name) for _, parts in tables for name, _ in parts))
    texts = []
    for columns, parts in tables:
        # Rows outside of a part have weight 0 in it.
        everything = [*parts, ("all", rows["n"])]
        lines = [(name.rjust(width), _summary(rows, weight * part)) for name, part in everything]
        texts.append(_table(columns, lines, digits))
    return "\n".join(texts)


def _summary(rows: dict[str, AnyArray], weight: FloatArray) -> dict[str, float]:
    sums = row_sums(rows, weight)
    found = measures(sums) | {"accuracy_decided": quotient(sums.get("correct_decided", nan), sums["decided"])}
    return {"n": sums["n"]} | {name: found[name] for name in (*_OF_SETS, *UTILITY_WEIGHTS, *_OF_COUNTERPART)}


def _table(columns: Sequence[str], lines: list[tuple[str, dict[str, float]]], digits: int) -> str:
    """Format titles and one line per part; the last, of all rows, stands after a blank line."""
    names, summaries = zip(*lines, strict=True)
    # Without weights the support is a number of rows, and reads better without decimals.
    whole = all(summary["n"].is_integer() for summary in summaries)
    cells = [[" " * len(names[0]), *names]]
    for key in columns:
        decimals = 0 if key == "n" and whole else digits
        column = [_TITLES.get(key, key.replace("_", " "))]
        column += ["-" if isnan(summary[key]) else f"{summary[key]:.{decimals}f}" for summary in summaries]
        width = max(map(len, column))
        cells.append([cell.rjust(width) for cell in column])
    head, *body, total = ["  ".join(line) for line in zip(*cells, strict=True)]
    return "\n".join([head, "", *body, "", total, ""])
