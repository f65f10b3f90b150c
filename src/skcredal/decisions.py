"""Decisions from probabilities, bounds and masks of classes: labels, rejection, utility-optimal sets."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skcredal._validation import check_real, naming, real_numbers, refuse_mask, safe_repr, to_float

__all__ = ["reject", "reject_cost_score", "set_labels", "utility_optimal_sets"]

# Probabilities in single precision sum to one up to about 1e-6; unnormalised scores miss it by far more.
_SUM_TOLERANCE = 1e-4
_LARGEST_WEIGHT = 1e100
# Expected utilities closer than this share of the best are equal but for rounding.
_UTILITY_TIE = 1e-12


def set_labels(y_set: ArrayLike, classes: ArrayLike) -> list[NDArray[Any]]:
    """Return the labels in each set.

    Parameters
    ----------
    y_set : array-like of bool, shape (n_rows, n_classes)
        The sets, as ``predict_set`` returns them. 0 and 1 will do.
    classes : array-like of shape (n_classes,)
        The labels of the columns, ``clf.classes_``.

    Returns
    -------
    list of ndarray
        One array for each row, with the labels of its set in the order of `classes`. A list, because the sets
        differ in size.

    Examples
    --------
    >>> from skcredal.decisions import set_labels
    >>> for labels in set_labels([[1, 0, 0], [0, 1, 1]], ["low", "middle", "high"]):
    ...     print(*labels)
    low
    middle high
    """
    mask = _as_array("y_set", y_set)
    names = _as_array("classes", classes)
    if names.ndim != 1:
        raise ValueError(f"classes must be one-dimensional, got shape {names.shape}.")
    if mask.ndim != 2 or mask.shape[1] != len(names):
        raise ValueError(f"y_set must have shape (n_rows, {len(names)}), as classes says, got {mask.shape}.")
    return [names[row] for row in _as_booleans("y_set", mask)]


def reject(proba_or_interval: ArrayLike, y_set: ArrayLike | None = None, *, cost: float) -> NDArray[np.bool_]:
    """Tell which rows not to answer, if an error costs 1 and a rejected row `cost`.

    A determinate classifier answers if its class has a probability of at least ``1 − cost``; a credal one, if
    its set has a single class and the lower probability of that class is at least ``1 − cost``.

    Parameters
    ----------
    proba_or_interval : array-like of shape (n_rows, n_classes) or (n_rows, n_classes, 2)
        The probabilities of the classes, as ``predict_proba`` returns them, or their lower and upper
        probabilities, as ``predict_interval`` returns them.
    y_set : array-like of bool, shape (n_rows, n_classes), optional
        The sets, as ``predict_set`` returns them. 0 and 1 will do.
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
    Where `y_set` has a single class, that one is judged; otherwise the row is rejected. Without `y_set`, the
    class with the largest (lower) probability is judged. With bounds this is no other decision than for the
    class of ``predict``: ``1 − cost`` is above 1/2, so that a class whose lower probability reaches it is the
    most probable one under every prior, and the only one in its set.

    Examples
    --------
    The probabilities 0.95 and 0.7 against 1 − 0.2:

    >>> from skcredal.decisions import reject
    >>> reject([[0.95, 0.05], [0.3, 0.7]], cost=0.2)
    array([False,  True])

    A lower probability of 0.7 will not do, whatever the upper one:

    >>> reject([[[0.85, 0.97], [0.03, 0.15]], [[0.7, 0.9], [0.1, 0.3]]], cost=0.2)
    array([False,  True])
    """
    threshold = 1.0 - _check_cost(cost)
    lower = _lower_probabilities(proba_or_interval)
    if y_set is None:
        return np.asarray(lower.max(axis=1) < threshold)
    mask = _as_array("y_set", y_set)
    if mask.shape != lower.shape:
        raise ValueError(f"y_set must have shape {lower.shape}, as proba_or_interval says, got {mask.shape}.")
    mask = _as_booleans("y_set", mask)
    sure = (lower >= threshold)[np.arange(len(mask)), mask.argmax(axis=1)]
    return np.asarray((mask.sum(axis=1) != 1) | ~sure)


def reject_cost_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    *,
    cost: float,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of the rows: 0 for a right answer, 1 for a wrong one, `cost` for a rejected row.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    y_pred : array-like of shape (n_rows,)
        The answers; those of rejected rows are not looked at.
    rejected : array-like of bool, shape (n_rows,)
        Which rows are rejected, as `reject` returns them. 0 and 1 will do.
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
    A right answer, a wrong one, and two rejected rows: (0 + 1 + 0.25 + 0.25) / 4.

    >>> from skcredal.decisions import reject_cost_score
    >>> reject_cost_score(["a", "b", "b", "a"], ["a", "a", "a", "a"], [0, 0, 1, 1], cost=0.25)
    0.375
    """
    price = _check_cost(cost)
    truth, answers, given_up = (
        _as_labels("y_true", y_true),
        _as_labels("y_pred", y_pred),
        _as_array("rejected", rejected),
    )
    n_rows = len(truth)
    for name, found in (("y_pred", answers.shape), ("rejected", given_up.shape)):
        if found != (n_rows,):
            raise ValueError(f"{name} must have shape ({n_rows},), one for each of y_true, got {found}.")
    given_up = _as_booleans("rejected", given_up)
    costs = np.full(n_rows, price)
    costs[~given_up] = _differ(truth, answers, ~given_up)
    weight = np.ones(n_rows)
    if sample_weight is not None:
        weight = real_numbers("sample_weight", sample_weight)
        if weight.shape != (n_rows,):
            raise ValueError(
                f"sample_weight must have shape ({n_rows},), one for each row, got {weight.shape}."
            )
        # Sums of weights beyond the bound would leave the range of doubles.
        wrong = weight[~((weight >= 0) & (weight <= _LARGEST_WEIGHT))]
        if wrong.size:
            raise ValueError(
                f"sample_weight must be finite and not negative, got {wrong[0]} (most: {_LARGEST_WEIGHT:g})."
            )
    total = weight.sum()
    return float((weight * costs).sum() / total) if total > 0 else float("nan")


def utility_optimal_sets(
    proba: ArrayLike, *, utility: str | tuple[str, float] | Callable[[int], float]
) -> NDArray[np.bool_]:
    """Return the sets of largest expected utility under the probabilities of any classifier.

    A set of m classes is worth g(m) if it holds the true one, and nothing otherwise. Among the sets of m
    classes the m most probable ones are the best, so that the set maximises g(m) times their probability.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
        The probabilities of the classes, as ``predict_proba`` returns them.
    utility : {"u65", "u80"}, ("fbeta", beta) or callable
        What a right set of m classes is worth, g(m). ``"u65"`` and ``"u80"``: the utilities of
        `skcredal.metrics.u65_score` and `u80_score`, where a right set of two is worth 0.65 or 0.8.
        ``("fbeta", beta)``: the F-measure of the set against the true class, ``(1 + β²)/(β² + m)``; a β above
        1 makes larger sets. A callable is given each m from 1 to n_classes and returns a number not below 0.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_classes)
        The sets; never empty. Of equally good sets (up to 1e-12 of their utility) the smallest, of equally
        probable classes the first.

    Examples
    --------
    A set of two is worth 0.65 · 0.9 = 0.585 to u65, less than 0.6; to u80 it is worth 0.8 · 0.9 = 0.72:

    >>> from skcredal.decisions import utility_optimal_sets
    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility="u65")
    array([[False,  True, False]])
    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility="u80")
    array([[ True,  True, False]])

    With ``g(m) = (m < 3)`` the two most probable classes are as good as one can do:

    >>> utility_optimal_sets([[0.3, 0.6, 0.1]], utility=lambda m: m < 3)
    array([[ True,  True, False]])
    """
    p = real_numbers("proba", proba)
    if p.ndim != 2 or p.shape[1] == 0:
        raise ValueError(f"proba must have shape (n_rows, n_classes), got {p.shape}.")
    _check_distributions("proba", p)
    most_probable_first = np.argsort(-p, axis=1, kind="stable")
    covered = np.take_along_axis(p, most_probable_first, axis=1).cumsum(axis=1)
    expected = covered * _utilities(utility, p.shape[1])
    best = expected.max(axis=1, keepdims=True)
    size = (expected >= best * (1.0 - _UTILITY_TIE)).argmax(axis=1) + 1
    y_set = np.empty(p.shape, np.bool_)
    np.put_along_axis(y_set, most_probable_first, np.arange(p.shape[1]) < size[:, None], axis=1)
    return y_set


def _utilities(utility: Any, n_classes: int) -> NDArray[np.float64]:
    """Return g(m) of m = 1, …, n_classes."""
    m = np.arange(1, n_classes + 1)
    if isinstance(utility, str) and utility in ("u65", "u80"):
        w, x = {"u65": 0.65, "u80": 0.8}[utility], 1.0 / m
        return np.asarray(x + (4 * w - 2) * x * (1 - x))
    if isinstance(utility, tuple | list) and len(utility) == 2 and utility[0] == "fbeta":
        squared = check_real("beta in utility=('fbeta', beta)", utility[1], low=0.0) ** 2
        return np.asarray((1.0 + squared) / (squared + m))
    if not callable(utility):
        raise ValueError(
            "utility must be 'u65', 'u80', ('fbeta', beta) or a function of the number of classes in the "
            f"set, got {safe_repr(utility)}."
        )
    with naming("utility"):
        values = [utility(int(size)) for size in m]
    for size, value in enumerate(values, start=1):
        # Worth less than nothing, the least probable classes would be the best.
        if not isinstance(value, Real | np.bool_) or not 0.0 <= to_float(value) < np.inf:
            raise ValueError(
                f"utility must return a finite number ≥ 0, got {safe_repr(value)} for {size} classes."
            )
    return np.array(values, dtype=np.float64)


def _check_cost(cost: Any) -> float:
    """Return the cost: beyond 1/2, rejecting could cost more than a guess between two classes."""
    return check_real("cost", cost, low=0.0, high=0.5, low_open=True, high_open=True)


def _lower_probabilities(proba_or_interval: ArrayLike) -> NDArray[np.float64]:
    """Check probabilities or bounds, and return the probabilities or the lower bounds."""
    name = "proba_or_interval"
    given = real_numbers(name, proba_or_interval)
    if given.ndim == 2 and given.shape[1] > 0:
        _check_distributions(name, given)
        return given
    if given.ndim != 3 or given.shape[1] == 0 or given.shape[2] != 2:
        raise ValueError(
            f"{name} must have shape (n_rows, n_classes), probabilities, or (n_rows, n_classes, 2), their "
            f"lower and upper bounds, got {given.shape}."
        )
    _check_unit(name, given)
    lower, upper = given[..., 0], given[..., 1]
    wrong = (
        (lower > upper + _SUM_TOLERANCE).any(axis=1)
        | (lower.sum(axis=1) > 1 + _SUM_TOLERANCE)
        | (upper.sum(axis=1) < 1 - _SUM_TOLERANCE)
    )
    if wrong.any():
        r = int(wrong.argmax())
        raise ValueError(
            f"{name} must be bounds between which probabilities can lie, got {given[r].tolist()} in row {r}."
        )
    return np.asarray(lower)


def _check_distributions(name: str, p: NDArray[np.float64]) -> None:
    """Refuse rows that are not probabilities."""
    _check_unit(name, p)
    sums = p.sum(axis=1)
    wrong = np.abs(sums - 1) > _SUM_TOLERANCE
    if wrong.any():
        r = int(wrong.argmax())
        raise ValueError(f"{name} must sum to 1 in each row, got a sum of {sums[r]} in row {r}.")


def _check_unit(name: str, p: NDArray[np.float64]) -> None:
    wrong = p[~((p >= 0) & (p <= 1))]
    if wrong.size:
        raise ValueError(f"{name} must lie in [0, 1], got {wrong[0]}.")


def _as_array(name: str, given: Any, *, dtype: type | None = None) -> NDArray[Any]:
    with naming(name):
        refuse_mask(name, given)
        return np.asarray(given, dtype=dtype)


def _as_booleans(name: str, mask: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of booleans, or of zeros and ones, as booleans."""
    if mask.size == 0:  # of whatever type: there is nothing in it to be wrong
        return np.zeros(mask.shape, np.bool_)
    if mask.dtype.kind not in "biu":
        raise ValueError(f"{name} must be boolean (0 and 1 will do), got values of type {mask.dtype}.")
    wrong = mask[(mask != 0) & (mask != 1)]
    if wrong.size:
        raise ValueError(f"{name} must be boolean (0 and 1 will do), got the value {wrong[0]}.")
    return mask.astype(np.bool_)


def _as_labels(name: str, y: ArrayLike) -> NDArray[np.object_]:
    """Return labels as an array of plain values."""
    # As objects, because numpy would turn a list such as ["a", nan] into strings.
    values = _as_array(name, y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {values.shape}.")
    plain = np.empty(len(values), dtype=object)
    plain[:] = values.tolist()
    return plain


def _differ(truth: NDArray[np.object_], answers: NDArray[np.object_], rows: NDArray[np.bool_]) -> list[bool]:
    """Tell for the chosen rows whether the answer is wrong, refusing what cannot be compared."""
    for name, labels in (("y_true", truth), ("y_pred", answers)):
        for r in np.flatnonzero(rows):
            with naming(name):
                same = labels[r] == labels[r]  # None is the same, NaN is not, pandas' NA neither
            if labels[r] is None or not (isinstance(same, bool | np.bool_) and same):
                raise ValueError(
                    f"{name} must not have missing values, got {safe_repr(labels[r])} in row {r}."
                )
    pairs = list(zip(truth[rows], answers[rows], strict=True))
    # "1" where the classes say 1 is a slip that would make every answer wrong.
    if pairs and all(isinstance(t, str) != isinstance(a, str) for t, a in pairs):
        t, a = pairs[0]
        raise ValueError(
            f"y_true and y_pred must be of one type, got {safe_repr(t)} in y_true and "
            f"{safe_repr(a)} in y_pred."
        )
    with naming("y_pred"):
        return [bool(t != a) for t, a in pairs]
