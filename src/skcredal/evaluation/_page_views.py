"""What the evaluation page shows of one classifier: counts, figures, and its cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._ensemble.explain import rounded
from skcredal._ties import most_probable_first
from skcredal.evaluation._cases import CaseDetails, Cases, least_certain
from skcredal.evaluation._values import as_factor, strongest

__all__ = ["number", "set_aside_curve", "view"]

# How many cases are listed, the least certain ones; and of how many of them the probabilities of all classes.
_CASES, _DETAILED = 1000, 300
# How many models are listed for a case: the strongest voters for the answer and for its rival.
_VOICES = 12
# How many features are listed for a case: those that contribute most to the odds, either way.
_FEATURES = 12
# How many changes of a single feature are listed.
_CHANGES = 8
# Classes outside of the set whose upper probability rounds to 0.000 are counted, not listed.
_NEGLIGIBLE = 0.0005
# More points than the curve has pixels would only make the page larger.
_POINTS = 200
_RELIABILITY_BINS = 10
_LONGEST_VALUE = 60


def view(cases: Cases, numbers: IntArray, names: dict[str, int]) -> dict[str, Any]:
    """Return what the page shows of a classifier.

    ``numbers`` are those of the rows in the user's file. Names of features stand in ``names`` by their index,
    which gets new ones.
    """
    undecided, correct, probability = cases.undecided, cases.correct, cases.probability
    held = cases.sets[np.arange(len(cases.true)), cases.true]
    listed = least_certain(probability, undecided, cases.robustness, _CASES)
    has_robustness = not np.isnan(cases.robustness).all()
    return {
        "over": cases.over,
        "undecided": {
            "n": int(undecided.sum()),
            "correct": int((correct & undecided).sum()),
            "held": int((held & undecided).sum()),
        },
        "decided": _by_percent(probability[~undecided], correct[~undecided]),
        "confusion": _confusion(cases, held),
        "reliability": _reliability(probability, correct),
        "aside": {
            "probability": set_aside_curve(probability, correct),
            "robustness": set_aside_curve(cases.robustness, correct) if has_robustness else None,
        },
        "cases": [_case(cases, int(r), int(numbers[r])) for r in listed],
        "details": {
            str(numbers[r]): _bounds(cases, int(r)) | _details(cases, int(r), names)
            for index, r in enumerate(listed.tolist())
            if index < _DETAILED or r in cases.details
        },
    }


def _by_percent(probability: FloatArray, correct: BoolArray) -> list[list[int]]:
    """Return how many rows have a probability of at least 0, 1, … 100 %, but less than a percent more.

    Beside each count stands how many of them are right. Any threshold of a close call is a sum of these.
    """
    # Rounding may put 0.29 below 29 %; the tolerance puts it where a reader expects it.
    percent = np.clip((probability * 100 + 1e-7).astype(np.int64), 0, 100)
    counts = np.bincount(percent, minlength=101)
    right = np.bincount(percent, weights=correct, minlength=101).astype(np.int64)
    found: list[list[int]] = np.stack([counts, right], axis=1).tolist()
    return found


def _confusion(cases: Cases, held: BoolArray) -> list[list[int]]:
    """Return, for each true class, how many rows were decided as each class, and how many were undecided.

    Undecided rows stand in two last columns: with the true class in their set, and without it.
    """
    n_classes = len(cases.classes)
    column = np.where(cases.undecided, np.where(held, n_classes, n_classes + 1), cases.predicted)
    counts = np.zeros((n_classes, n_classes + 2), np.int64)
    np.add.at(counts, (cases.true, column), 1)
    return counts.tolist()


def _reliability(probability: FloatArray, correct: BoolArray) -> list[list[float]]:
    """Return mean probability, accuracy and number of the rows in each tenth of the probabilities."""
    tenth = np.minimum((probability * _RELIABILITY_BINS).astype(np.int64), _RELIABILITY_BINS - 1)
    found = []
    for index in range(_RELIABILITY_BINS):
        inside = tenth == index
        if inside.any():
            means = (float(probability[inside].mean()), float(correct[inside].mean()))
            found.append([*(round(mean, 4) for mean in means), int(inside.sum())])
    return found


def set_aside_curve(score: FloatArray, correct: BoolArray) -> list[list[float]]:
    """Return points of the accuracy on the rows that are kept when those of the lowest score are set aside.

    Each is the share of rows set aside, from 0 upwards, and the accuracy on the others. Rows of equal score
    are set aside together, and those of the highest never.

    Examples
    --------
    >>> import numpy as np
    >>> set_aside_curve(np.array([1.0, 0.2, 1.0, 0.5]), np.array([True, False, True, True]))
    [[0.0, 0.75], [0.25, 1.0], [0.5, 1.0]]
    """
    order = np.argsort(score, kind="stable")
    n = len(order)
    # Rows of equal score leave together: a curve within them would depend on their order.
    _, starts = np.unique(score[order], return_index=True)
    # right[i]: how many of the rows from i on, in order of their score, are right.
    right = np.cumsum(correct[order][::-1])[::-1]
    if len(starts) > _POINTS:
        # The first and the last point stay.
        starts = starts[np.unique(np.linspace(0, len(starts) - 1, _POINTS).round().astype(np.int64))]
    points: list[list[float]] = np.stack([starts / n, right[starts] / (n - starts)], axis=1).round(6).tolist()
    return points


def _case(cases: Cases, r: int, row: int) -> list[Any]:
    """Return the row of a case, its true and most probable class, probability, set and robustness.

    Without names, and with classes by index: they would be repeated thousands of times.
    """
    classes = (int(cases.true[r]), int(cases.predicted[r]))
    remaining = np.flatnonzero(cases.sets[r]).tolist()
    # Rounded down: 0.74996 is a close call below 0.75, in the list as in the counts.
    probability = math.floor(float(cases.proba[r, classes[1]]) * 1e4 + 1e-5) / 1e4
    return [row, *classes, probability, remaining, number(cases.robustness[r])]


def _bounds(cases: Cases, r: int) -> dict[str, Any]:
    """Return the probabilities of the classes with their bounds, as far as they are known, largest first."""
    proba, details = cases.proba[r], cases.details.get(r)
    interval = None if details is None else details.interval
    upper = proba if interval is None else interval[:, 1]
    is_listed = cases.sets[r] | (upper >= _NEGLIGIBLE)
    order = [int(c) for c in most_probable_first(proba) if is_listed[c]]
    bounds = [
        [c, number(proba[c])] if interval is None else [c, number(proba[c]), *map(number, interval[c])]
        for c in order
    ]
    return {"bounds": bounds, "unlikely": len(proba) - len(order)}


def _details(cases: Cases, r: int, names: dict[str, int]) -> dict[str, Any]:
    """Return why, and what would change the answer, as far as it is known."""
    details, found = cases.details.get(r), dict[str, Any]()
    if details is None:
        return found
    if details.changes is not None:
        found["changes"] = [
            [names.setdefault(change.feature, len(names)), change.condition, list(change.remaining)]
            for change in details.changes[:_CHANGES]
        ]
    reason = details.reason
    if reason:
        found["sentence"] = reason["sentence"]
        found["rival"] = None if reason["rival"] is None else cases.classes.tolist().index(reason["rival"])
        found["left_out"] = details.left_out
        found |= (_contributions if "contributions" in reason else _votes)(reason, details, names)
    return found


def _votes(reason: Mapping[str, Any], details: CaseDetails, names: dict[str, int]) -> dict[str, Any]:
    """Return what the models vote for, and the prior that favours the rival most."""
    # Sorted by `explain`, from the strongest voter for the answer to the strongest for its rival.
    heard = [j for j, name in enumerate(reason["super_parents"]) if name not in details.left_out]
    half = _VOICES // 2
    listed = heard if len(heard) <= _VOICES else [*heard[:half], *heard[-half:]]
    voices = [
        [
            names.setdefault(reason["super_parents"][j], len(names)),
            _short(details.values[reason["super_parents"][j]]),
            number(reason["votes"][j]),
            number(reason["prior"][j]),
        ]
        for j in listed
    ]
    return {"voices": voices, "silent": len(heard) - len(listed)}


def _contributions(reason: Mapping[str, Any], details: CaseDetails, names: dict[str, int]) -> dict[str, Any]:
    """Return the odds with their bounds, and what the frequencies and each feature multiply them by."""
    logs = list(reason["contributions"])
    listed, together = strongest(logs, _FEATURES)
    factors = [
        [
            names.setdefault(reason["features"][i], len(names)),
            _short(details.values[reason["features"][i]]),
            *_factor(logs[i]),
        ]
        for i in listed
    ]
    return {
        "odds": [rounded(reason[name]) for name in ("odds", "lower_odds", "upper_odds")],
        "product": as_factor(reason["frequencies"] + sum(logs)),
        "frequencies": _factor(reason["frequencies"]),
        "factors": factors,
        "others": [len(logs) - len(listed), *_factor(together)],
    }


def _factor(log: float) -> list[Any]:
    """Return a contribution to the logarithm of odds, for its bar, and what it multiplies them by."""
    return [number(log), as_factor(log)]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def number(value: Any, digits: int = 4) -> float | None:
    """Return a rounded number, None for NaN, which JSON cannot write."""
    # Four digits are more than a reader sees, and keep a page of thousands of cases small.
    found = float(value)
    return None if math.isnan(found) else round(found, digits)
