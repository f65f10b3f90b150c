"""The measures of §9, one function each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skcredal._arrays import AnyArray, FloatArray, IntArray, MaybeArray
from skcredal._validation import check_real
from skcredal.metrics import _checks as checks
from skcredal.metrics._outcomes import MEASURES, row_outcomes, utility_of_accuracy, weighted_mean


def determinacy_score(y_set: ArrayLike, *, sample_weight: MaybeArray = None) -> float:
    """Share of rows answered with exactly one class.

    Parameters
    ----------
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN without rows.

    Examples
    --------
    One of the two rows has a single class:

    >>> from skcredal.metrics import determinacy_score
    >>> determinacy_score([[1, 0, 0], [1, 1, 0]])
    0.5
    """
    sizes = checks.as_mask("y_set", y_set).sum(axis=1)
    return weighted_mean(sizes == 1, checks.as_weights(sample_weight, len(sizes)))


def indeterminate_output_size(y_set: ArrayLike, *, sample_weight: MaybeArray = None) -> float:
    """Mean number of classes in the sets that have more than one.

    Parameters
    ----------
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        At least 2; NaN if no set has several classes.

    Examples
    --------
    The sets of two and of three classes count, that of one does not: (2 + 3) / 2.

    >>> from skcredal.metrics import indeterminate_output_size
    >>> indeterminate_output_size([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    2.5
    """
    sizes = checks.as_mask("y_set", y_set).sum(axis=1)
    return weighted_mean(sizes, checks.as_weights(sample_weight, len(sizes)) * (sizes > 1))


def single_accuracy_score(
    y_true: ArrayLike, y_set: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Accuracy on the rows answered with exactly one class.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN if no row has exactly one class.

    Examples
    --------
    Of the first two rows, which have one class, the first is right:

    >>> from skcredal.metrics import single_accuracy_score
    >>> single_accuracy_score(["a", "a", "b"], [[1, 0], [0, 1], [1, 1]])
    0.5
    """
    return _measure("single_accuracy", y_true, y_set, labels, sample_weight)


def set_accuracy_score(
    y_true: ArrayLike, y_set: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Share of the sets of several classes that contain the true one.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN if no row has several classes.

    Examples
    --------
    Of the first two rows, which have two classes, the first contains the true class:

    >>> from skcredal.metrics import set_accuracy_score
    >>> set_accuracy_score(["a", "c", "b"], [[1, 1, 0], [1, 1, 0], [1, 0, 0]])
    0.5
    """
    return _measure("set_accuracy", y_true, y_set, labels, sample_weight)


def discounted_accuracy_score(
    y_true: ArrayLike, y_set: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Mean over the rows: 1/m if the set of m classes contains the true one, and 0 if not.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN without rows.

    See Also
    --------
    utility_score : Values a set of two classes more than a coin toss.

    Examples
    --------
    A correct single class, a correct set of two, a miss: (1 + 1/2 + 0) / 3.

    >>> from skcredal.metrics import discounted_accuracy_score
    >>> discounted_accuracy_score(["a", "b", "b"], [[1, 0], [1, 1], [1, 0]])
    0.5
    """
    return _measure("discounted_accuracy", y_true, y_set, labels, sample_weight)


def utility_score(
    y_true: ArrayLike,
    y_set: ArrayLike,
    *,
    w: float,
    labels: MaybeArray = None,
    sample_weight: MaybeArray = None,
) -> float:
    """Mean utility of the sets, where a correct set of two classes is worth `w`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    w : float in [0.5, 1]
        What a correct set of two classes is worth, compared with 1 for a correct single class. With 0.5
        the utility is the discounted accuracy; larger values reward caution.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN without rows. If every set has one class, the accuracy.

    Notes
    -----
    A row is worth ``(4w − 1) x + (2 − 4w) x²``, the parabola through 0, ``w`` and 1 at ``x`` = 0, 1/2 and 1,
    where ``x`` is the discounted accuracy of the row: 1/m if its set of m classes contains the true one,
    and 0 otherwise.

    Examples
    --------
    A correct single class and a correct set of two: (1 + 0.75) / 2.

    >>> from skcredal.metrics import utility_score
    >>> utility_score(["a", "b"], [[1, 0], [1, 1]], w=0.75)
    0.875
    """
    # Below 1/2 a set of two would be worth less than guessing; above 1, more than the right answer.
    worth = check_real("w", w, low=0.5, high=1.0)
    rows, weight, _, _ = outcomes(y_true, y_set, labels, sample_weight)
    return weighted_mean(utility_of_accuracy(rows["discounted"], worth), weight)


def u65_score(
    y_true: ArrayLike, y_set: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Mean utility of the sets, where a correct set of two classes is worth 0.65.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        The mean of ``1.6 x − 0.6 x²``, see `utility_score`; NaN without rows.

    Examples
    --------
    A correct single class, a correct set of two, a miss: (1 + 0.65 + 0) / 3.

    >>> from skcredal.metrics import u65_score
    >>> round(u65_score(["a", "b", "b"], [[1, 0], [1, 1], [1, 0]]), 12)
    0.55
    """
    return _measure("u65", y_true, y_set, labels, sample_weight)


def u80_score(
    y_true: ArrayLike, y_set: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Mean utility of the sets, where a correct set of two classes is worth 0.8.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_set : array-like of bool, shape (n_rows, n_classes)
        The predicted sets. 0 and 1 are accepted.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        The mean of ``2.2 x − 1.2 x²``, see `utility_score`; NaN without rows.

    Examples
    --------
    A correct single class, a correct set of two, a miss: (1 + 0.8 + 0) / 3.

    >>> from skcredal.metrics import u80_score
    >>> round(u80_score(["a", "b", "b"], [[1, 0], [1, 1], [1, 0]]), 12)
    0.6
    """
    return _measure("u80", y_true, y_set, labels, sample_weight)


def true_class_brier_loss(
    y_true: ArrayLike, y_proba: ArrayLike, *, labels: MaybeArray = None, sample_weight: MaybeArray = None
) -> float:
    """Mean of ``(1 − P(true class))²``, the paper's Brier loss; smaller is better.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_proba : array-like of shape (n_rows, n_classes) or (n_rows,)
        The probabilities of the classes; a one-dimensional array has those of the second of two classes.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns; by default those of `y_true`, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1; NaN without rows. A class that is not in `labels` has probability 0.

    Notes
    -----
    It considers the true class only, unlike the Brier score, which sums the squared errors of all classes;
    for two classes that sum is twice this loss. As a scorer:
    ``make_scorer(true_class_brier_loss, response_method="predict_proba", greater_is_better=False)``.

    Examples
    --------
    The true classes have the probabilities 1 and 1/2: (0 + 1/4) / 2.

    >>> from skcredal.metrics import true_class_brier_loss
    >>> true_class_brier_loss(["a", "b"], [[1, 0], [0.5, 0.5]])
    0.125
    """
    p = checks.as_unit_numbers("y_proba", y_proba)
    proba = checks.as_distributions("y_proba", np.column_stack([1.0 - p, p]) if p.ndim == 1 else p)
    # The loss does not depend on sets: those of all classes will do.
    rows, weight, _, _ = outcomes(y_true, proba >= 0, labels, sample_weight, y_proba=proba)
    return weighted_mean(rows["brier"], weight)


def outcomes(
    y_true: ArrayLike,
    y_set: ArrayLike,
    labels: MaybeArray,
    sample_weight: MaybeArray,
    y_pred: MaybeArray = None,
    y_proba: MaybeArray = None,
) -> tuple[dict[str, AnyArray], FloatArray, IntArray, list[Any]]:
    """Check what the user passed; return outcomes and weights of rows, their true classes and all classes."""
    sets = checks.as_mask("y_set", y_set)
    values = checks.as_labels("y_true", y_true, len(sets))
    classes = checks.as_classes(labels, values, sets.shape[1])
    true, best, proba = checks.label_indices("y_true", values, classes), None, None
    if y_proba is not None:
        proba = checks.as_distributions("y_proba", y_proba, sets.shape)
    # y_pred takes precedence: the caller may have broken ties of y_proba in another way.
    if y_pred is not None:
        best = checks.label_indices("y_pred", checks.as_labels("y_pred", y_pred, len(sets)), classes)
    weight = checks.as_weights(sample_weight, len(sets))
    return row_outcomes(true, proba, sets, best), weight, true, classes


def _measure(
    name: str, y_true: ArrayLike, y_set: ArrayLike, labels: MaybeArray, sample_weight: MaybeArray
) -> float:
    rows, weight, _, _ = outcomes(y_true, y_set, labels, sample_weight)
    part, whole = MEASURES[name]
    return weighted_mean(rows[part], weight * rows[whole])
