"""Decisions from probabilities, bounds and masks of classes: labels, rejection, utility-optimal sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skcredal._arrays import AnyArray, BoolArray, FloatArray, MaybeArray
from skcredal._ties import most_probable_first
from skcredal._validation import check_real, safe_repr
from skcredal.metrics import _checks as checks
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, class_indices, utility_of_accuracy, weighted_mean

__all__ = ["reject", "reject_cost_score", "set_labels", "utility_optimal_sets"]

# Expected utilities that differ by less than this share are equal: the difference may be rounding.
_UTILITY_TIE = 1e-12


def set_labels(y_set: ArrayLike, classes: ArrayLike) -> list[AnyArray]:
    """Return the labels in each set.

    Parameters
    ----------
    y_set : array-like of bool, shape (n_rows, n_classes)
        The sets, as ``predict_set`` returns them. 0 and 1 are accepted.
    classes : array-like of shape (n_classes,)
        The labels of the columns, ``clf.classes_``.

    Returns
    -------
    list of ndarray
        One array per row, with the labels of its set in the order of `classes`.

    Examples
    --------
    >>> from skcredal.decisions import set_labels
    >>> for labels in set_labels([[1, 0, 0], [0, 1, 1]], ["low", "middle", "high"]):
    ...     print(*labels)
    low
    middle high
    """
    names = np.asarray(classes)
    return [names[row] for row in checks.as_mask("y_set", y_set, (None, len(names)))]


def reject(proba_or_interval: ArrayLike, y_set: MaybeArray = None, *, cost: float) -> BoolArray:
    """Decide which rows to reject, if an error costs 1 and a rejected row `cost`.

    A row is answered if its class has a probability of at least ``1 − cost``; for a credal classifier, if its
    set has a single class whose lower probability is at least ``1 − cost``.

    Parameters
    ----------
    proba_or_interval : array-like of shape (n_rows, n_classes) or (n_rows, n_classes, 2)
        The probabilities of the classes, as ``predict_proba`` returns them, or their lower and upper
        probabilities, as ``predict_interval`` returns them.
    y_set : array-like of bool, shape (n_rows, n_classes), optional
        The sets, as ``predict_set`` returns them. 0 and 1 are accepted.
    cost : float in (0, 1/2)
        What it costs to reject a row.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
        Whether each row is rejected.

    See Also
    --------
    reject_cost_score : What the answers and the rejected rows cost on average.

    Notes
    -----
    Without `y_set`, the class with the largest (lower) probability is judged. With bounds this leads to the
    same decision: ``1 − cost`` is above 1/2, so a class whose lower probability reaches it is the most
    probable one under every prior, and the only one in its set.

    Examples
    --------
    The probabilities 0.95 and 0.7 against 1 − 0.2:

    >>> from skcredal.decisions import reject
    >>> reject([[0.95, 0.05], [0.3, 0.7]], cost=0.2)
    array([False,  True])

    A lower probability of 0.7 is not enough, regardless of the upper one:

    >>> reject([[[0.85, 0.97], [0.03, 0.15]], [[0.7, 0.9], [0.1, 0.3]]], cost=0.2)
    array([False,  True])
    """
    threshold = 1.0 - _check_cost(cost)
    lower = _lower_probabilities(proba_or_interval)
    # The comparison is not strict: at exactly 1 − cost, answering costs the same as rejecting.
    if y_set is None:
        return np.asarray(lower.max(axis=1) < threshold)
    mask = checks.as_mask("y_set", y_set, lower.shape)
    # argmax means nothing for sets of several classes, but those rows are rejected anyway.
    sure = (lower >= threshold)[np.arange(len(mask)), mask.argmax(axis=1)]
    return np.asarray((mask.sum(axis=1) != 1) | ~sure)


def reject_cost_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    *,
    cost: float,
    sample_weight: MaybeArray = None,
) -> float:
    """Return the mean cost of the rows: 0 if the answer is correct, 1 if it is wrong, `cost` if rejected.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_pred : array-like of shape (n_rows,)
        The answers; those of rejected rows are ignored.
    rejected : array-like of bool, shape (n_rows,)
        Which rows are rejected, as returned by `reject`. 0 and 1 are accepted.
    cost : float in (0, 1/2)
        What it costs to reject a row.
    sample_weight : array-like of shape (n_rows,), optional
        How often each row counts.

    Returns
    -------
    float
        Between 0 and 1, smaller is better; NaN without rows.

    Examples
    --------
    A correct answer, a wrong one, and two rejected rows: (0 + 1 + 0.25 + 0.25) / 4.

    >>> from skcredal.decisions import reject_cost_score
    >>> reject_cost_score(["a", "b", "b", "a"], ["a", "a", "a", "a"], [0, 0, 1, 1], cost=0.25)
    0.375
    """
    cost = _check_cost(cost)
    answered = ~checks.as_mask("rejected", rejected, (None,))
    # Only the answers that count are compared: rejected rows may have anything, also missing values.
    true = checks.as_labels("y_true", y_true, len(answered), answered)
    answers = checks.as_labels("y_pred", y_pred, len(answered), answered)
    classes = list(dict.fromkeys(true))
    costs = np.full(len(answered), cost)
    costs[answered] = class_indices(true, classes) != checks.label_indices("y_pred", answers, classes)
    return weighted_mean(costs, checks.as_weights(sample_weight, len(answered)))


def utility_optimal_sets(
    proba: ArrayLike, *, utility: str | tuple[str, float] | Callable[[int], float]
) -> BoolArray:
    """Return the sets of largest expected utility under the probabilities of any classifier.

    A set of m classes is worth g(m) if it contains the true one, and nothing otherwise. The best set of m
    classes consists of the m most probable ones, so the function maximises g(m) times their probability over
    m.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
        The probabilities of the classes, as ``predict_proba`` returns them.
    utility : {"u65", "u80"}, ("fbeta", beta) or callable
        What a correct set of m classes is worth, g(m). ``"u65"`` and ``"u80"``: the utilities of
        `skcredal.metrics.u65_score` and `u80_score`, where a correct set of two is worth 0.65 or 0.8.
        ``("fbeta", beta)``: the F-measure of the set against the true class, ``(1 + β²)/(β² + m)``; a larger
        β gives larger sets. A callable is called with each m from 1 to n_classes and returns a number ≥ 0.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_classes)
        The sets, never empty. Of equally good sets (to within 1e-12 of their utility) the smallest is chosen,
        and of equally probable classes the first.

    Examples
    --------
    Under u65, a set of two is worth 0.65 · 0.9 = 0.585, less than 0.6; under u80, 0.8 · 0.9 = 0.72:

    >>> from skcredal.decisions import utility_optimal_sets
    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility="u65")
    array([[False,  True, False]])
    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility="u80")
    array([[ True,  True, False]])

    With ``g(m) = (m < 3)`` the best set consists of the two most probable classes:

    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility=lambda m: m < 3)
    array([[ True,  True, False]])
    """
    p = checks.as_distributions("proba", proba)
    order = most_probable_first(p)
    covered = np.take_along_axis(p, order, axis=1).cumsum(axis=1)
    expected = covered * _utilities(utility, p.shape[1])
    best = expected.max(axis=1, keepdims=True)
    # argmax finds the first, hence the smallest, of the sets that are equally good.
    size = (expected >= best * (1.0 - _UTILITY_TIE)).argmax(axis=1) + 1
    y_set = np.empty(p.shape, np.bool_)
    np.put_along_axis(y_set, order, np.arange(p.shape[1]) < size[:, None], axis=1)
    return y_set


def _utilities(utility: Any, n_classes: int) -> FloatArray:
    """Return g(m) of m = 1, …, n_classes."""
    m = np.arange(1, n_classes + 1)
    if isinstance(utility, str) and utility in UTILITY_WEIGHTS:
        return utility_of_accuracy(1.0 / m, UTILITY_WEIGHTS[utility])
    if isinstance(utility, tuple | list) and len(utility) == 2 and utility[0] == "fbeta":
        squared = check_real("beta in utility=('fbeta', beta)", utility[1], low=0.0) ** 2
        return np.asarray((1.0 + squared) / (squared + m))
    if not callable(utility):
        rule = "utility must be 'u65', 'u80', ('fbeta', beta) or a function of the set size"
        raise ValueError(f"{rule}, got {safe_repr(utility)}.")
    worths = np.array([utility(int(size)) for size in m], dtype=np.float64)
    # With a negative worth, a set of the least probable classes would be the best.
    if not ((worths >= 0) & (worths < np.inf)).all():
        raise ValueError(f"utility must return finite numbers ≥ 0, got {worths.tolist()}.")
    return worths


def _check_cost(cost: Any) -> float:
    """Check the cost: from 1/2 on, guessing between two classes would not be worse than rejecting."""
    return check_real("cost", cost, low=0.0, high=0.5, low_open=True, high_open=True)


def _lower_probabilities(proba_or_interval: ArrayLike) -> FloatArray:
    """Check probabilities or bounds; return the probabilities or the lower bounds."""
    name = "proba_or_interval"
    given = checks.as_unit_numbers(name, proba_or_interval)
    if given.ndim == 2:
        return checks.as_distributions(name, given)
    if given.ndim != 3 or given.shape[2] != 2:
        rule = f"{name} must have shape (n_rows, n_classes) or, for bounds, (n_rows, n_classes, 2)"
        raise ValueError(f"{rule}, got {given.shape}.")
    lower: FloatArray = given[..., 0]
    # With a tolerance for bounds that were rounded.
    if (lower > given[..., 1] + checks.SUM_TOLERANCE).any():
        raise ValueError(f"{name} must have lower bounds first, got one that is above the upper bound.")
    return lower
