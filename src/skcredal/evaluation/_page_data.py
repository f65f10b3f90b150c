"""The page about an evaluation, as one HTML file: compute the data, render, write."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._encoding.factors import is_missing
from skcredal._ensemble.explain import as_factor, rounded, strongest
from skcredal._ties import most_probable_first
from skcredal._validation import check_instance, naming, real_numbers, safe_repr
from skcredal.evaluation._cross_validation import Cases
from skcredal.evaluation._html import write_page
from skcredal.evaluation._page import render_evaluation
from skcredal.evaluation._registry import DEFAULT, display_name

if TYPE_CHECKING:
    import pandas

__all__ = ["accuracy_robustness_curve", "evaluation_data", "render_evaluation", "write_evaluation"]

# How many super-parents are listed for a case: the strongest voters for the answer and for its rival.
_VOICES = 12
# How many features are listed for a case: those that contribute most to the odds, either way.
_FEATURES = 12
# Classes outside of the set whose upper probability rounds to 0.000 are counted, not listed.
_NEGLIGIBLE = 0.0005
# More points than the curve has pixels would only make the page larger.
_POINTS = 400
_LONGEST_VALUE = 60
_MEASURES = (
    "u65",
    "u80",
    "accuracy",
    "brier",
    "determinacy",
    "single_accuracy",
    "set_accuracy",
    "output_size",
)


def accuracy_robustness_curve(robustness: FloatArray, correct: BoolArray) -> dict[str, list[float]]:
    """Return the accuracy on the rows that are kept when the least robust ones are set aside.

    Rows of equal robustness are set aside together, and the most robust ones never. If the robustness is
    unknown (NaN for all rows), the curve is empty.

    Parameters
    ----------
    robustness : ndarray of shape (n_rows,)
        How robust each answer is.
    correct : ndarray of bool of shape (n_rows,)
        Whether it is right.

    Returns
    -------
    dict
        Lists of equal length: ``set_aside``, the share of rows, from 0 upwards; ``accuracy`` on the others;
        and ``threshold``, the smallest robustness among them.

    Examples
    --------
    >>> import numpy as np
    >>> accuracy_robustness_curve(np.array([1.0, 0.2, 1.0, 0.5]), np.array([True, False, True, True]))
    {'set_aside': [0.0, 0.25, 0.5], 'accuracy': [0.75, 1.0, 1.0], 'threshold': [0.2, 0.5, 1.0]}
    """
    robustness = real_numbers("robustness", robustness)
    with naming("correct"):
        correct = np.asarray(correct)
    if robustness.ndim != 1 or correct.shape != robustness.shape or correct.dtype != bool:
        raise ValueError(
            "robustness and correct must hold a number and a boolean for each row, got shapes "
            f"{robustness.shape} and {correct.shape}, dtype {correct.dtype}."
        )
    unknown = np.isnan(robustness)
    if unknown.any() and not unknown.all():
        raise ValueError(
            f"robustness must be known for all rows or for none, got NaN in {unknown.sum()} rows."
        )
    if unknown.all():
        return {"set_aside": [], "accuracy": [], "threshold": []}
    order = np.argsort(robustness, kind="stable")
    n = len(order)
    # Rows of equal robustness leave together: a curve within them would depend on their order.
    thresholds, starts = np.unique(robustness[order], return_index=True)
    # right[i]: how many of the rows from i on, in order of robustness, are right.
    right = np.cumsum(correct[order][::-1])[::-1]
    if len(starts) > _POINTS:
        # The first and the last point stay.
        chosen = np.unique(np.linspace(0, len(starts) - 1, _POINTS).round().astype(np.int64))
        thresholds, starts = thresholds[chosen], starts[chosen]
    return {
        "set_aside": (starts / n).tolist(),
        "accuracy": (right[starts] / (n - starts)).tolist(),
        "threshold": thresholds.tolist(),
    }


def evaluation_data(
    cases: Cases,
    ranking: Sequence[Mapping[str, Any]],
    features: pandas.DataFrame,
    *,
    title: str,
    classifier: str = DEFAULT,
    numbers: IntArray | None = None,
    facts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Compute everything that an evaluation page shows.

    Parameters
    ----------
    cases : Cases
        What a credal classifier said about each row out of fold.
    ranking : sequence of mappings
        The measures of each classifier, as returned by :func:`skcredal.evaluation._cross_validation.ranking`.
    features : pandas.DataFrame
        The table of the cases; the page shows the values of super-parents and features.
    title : str
        What is evaluated.
    classifier : str
        Whose cases they are.
    numbers : ndarray of shape (n_rows,), optional
        The number of each row in the user's file; by default from 1.
    facts : mapping, optional
        How it was run: texts by label.

    Returns
    -------
    dict
        Made of strings, numbers, None, lists and dicts, so that it can be written as JSON.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> cases = Cases(np.array(["no", "yes"]), np.array([0, 1]), np.array([0, 0]),
    ...               np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[True, False], [True, True]]),
    ...               np.array([[[0.8, 1.0], [0.0, 0.2]], [[0.4, 0.7], [0.3, 0.6]]]), np.array([1.0, 0.3]),
    ...               {1: {"rival": "yes", "super_parents": ["age"], "votes": [0.2], "prior": [1.0],
    ...                    "sentence": "Undecided."}})
    >>> data = evaluation_data(cases, [], pd.DataFrame({"age": [7, 8]}), title="Two rows")
    >>> data["safe"], data["dependent"]
    ({'n': 1, 'correct': 1}, {'n': 1, 'correct': 0, 'held': 1})
    >>> data["cases"][0]["row"], data["cases"][0]["voices"]
    (2, [[0, '8', 0.2, 1.0]])
    """
    check_instance("cases", cases, Cases)
    check_instance("title", title, str)
    check_instance("classifier", classifier, str)
    if not hasattr(features, "columns") or len(features) != len(cases.true):
        raise TypeError(f"features must be a pandas DataFrame with {len(cases.true)} rows, one per case.")
    dependent, correct = cases.dependent, cases.correct
    row_numbers = np.arange(1, len(dependent) + 1) if numbers is None else numbers
    with naming("numbers"):
        row_numbers = np.asarray(row_numbers)
        if row_numbers.shape != dependent.shape or row_numbers.dtype.kind not in "iu":
            raise ValueError(f"numbers must be {len(dependent)} integers, got {safe_repr(numbers)}.")
    with naming("ranking"):
        classifiers = [_measured(row) for row in ranking]
    with naming("facts"):
        fact_rows = [
            {"label": str(label), "value": str(value)}
            for label, value in ({} if facts is None else facts).items()
        ]
    # Whether the set contains the true class.
    held = cases.sets[np.arange(len(cases.true)), cases.true]
    rows = np.flatnonzero(dependent)
    names: dict[str, int] = {}
    # As lists: reading a DataFrame cell by cell is slow.
    values = {str(name): column.tolist() for name, column in features.items()} if len(rows) else {}
    return {
        "title": title,
        "classifier": display_name(classifier),
        "classes": [str(label) for label in cases.classes],
        "n": len(dependent),
        "safe": {"n": int((~dependent).sum()), "correct": int((correct & ~dependent).sum())},
        "dependent": {
            "n": int(dependent.sum()),
            "correct": int((correct & dependent).sum()),
            "held": int((held & dependent).sum()),
        },
        "classifiers": classifiers,
        "curve": accuracy_robustness_curve(cases.robustness, correct),
        "over": cases.over,
        "cases": [_case(cases, int(r), int(row_numbers[r]), values, names) for r in rows],
        "names": list(names),
        "facts": fact_rows,
    }


def _measured(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measures that the page shows for a classifier."""
    return {
        "name": str(row["classifier"]),
        "credal": bool(row["credal"]),
        "rank_u65": int(row["rank_u65"]),
        "rank_u80": int(row["rank_u80"]),
        **{name: _number(row[name], digits=6) for name in _MEASURES},
    }


def write_evaluation(path: str | os.PathLike[str], data: Mapping[str, Any]) -> Path:
    """Write the page to a file, which is replaced completely or not at all.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    data : mapping
        As returned by :func:`evaluation_data`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> data = {"title": "None", "classifier": "NCC", "classes": [], "n": 0, "safe": {"n": 0, "correct": 0},
    ...         "dependent": {"n": 0, "correct": 0, "held": 0}, "classifiers": [], "cases": [], "names": [],
    ...         "over": "prior", "curve": {"set_aside": [], "accuracy": [], "threshold": []}, "facts": []}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_evaluation(f"{folder}/page.html", data).name)
    page.html
    """
    return write_page(path, render_evaluation(data))


def _case(
    cases: Cases, r: int, number: int, values: Mapping[str, Sequence[Any]], names: dict[str, int]
) -> dict[str, Any]:
    """Return one undecided case; classes, super-parents and features by index, to keep the page small."""
    reason = cases.reasons[r]
    labels = [str(label) for label in cases.classes]
    lower, upper = cases.interval[r].T
    is_listed = cases.sets[r] | (upper >= _NEGLIGIBLE)
    order = [int(c) for c in most_probable_first(cases.proba[r]) if is_listed[c]]
    return {
        "row": number,
        "true": int(cases.true[r]),
        "predicted": int(cases.predicted[r]),
        "set": [int(c) for c in np.flatnonzero(cases.sets[r])],
        "robustness": _number(cases.robustness[r]),
        "sentence": reason["sentence"],
        "rival": None if reason["rival"] is None else labels.index(str(reason["rival"])),
        "bounds": [[c, _number(lower[c]), _number(cases.proba[r, c]), _number(upper[c])] for c in order],
        "unlikely": len(labels) - len(order),
        **(_contributions if "contributions" in reason else _votes)(reason, r, values, names),
    }


def _votes(
    reason: Mapping[str, Any], r: int, values: Mapping[str, Sequence[Any]], names: dict[str, int]
) -> dict[str, Any]:
    """Return what the super-parents vote for, and the prior that favours the rival most."""
    parents, n = list(reason["super_parents"]), len(reason["super_parents"])
    # Sorted by `explain`, from the strongest voter for the answer to the strongest for its rival.
    half = _VOICES // 2
    listed = list(range(n)) if n <= _VOICES else [*range(half), *range(n - half, n)]
    voices = [
        [
            names.setdefault(parents[j], len(names)),
            _value(values, parents[j], r),
            _number(reason["votes"][j]),
            _number(reason["prior"][j]),
        ]
        for j in listed
    ]
    return {"voices": voices, "silent": n - len(listed)}


def _contributions(
    reason: Mapping[str, Any], r: int, values: Mapping[str, Sequence[Any]], names: dict[str, int]
) -> dict[str, Any]:
    """Return the odds with their bounds, and what the frequencies and each feature multiply them by."""
    logs = list(reason["contributions"])
    listed, together = strongest(logs, _FEATURES)
    factors = [
        [
            names.setdefault(reason["features"][i], len(names)),
            _value(values, reason["features"][i], r),
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
    return [_number(log), as_factor(log)]


def _value(values: Mapping[str, Sequence[Any]], name: str, r: int) -> str | None:
    value = values[name][r] if name in values else None
    if is_missing(value):
        return None
    # repr of a float may have 17 digits, most of them rounding.
    text = f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _number(value: Any, digits: int = 4) -> float | None:
    """Return a rounded number, None for NaN, which JSON cannot write."""
    # Four digits are more than a reader sees, and keep a page of thousands of cases small.
    number = float(value)
    return None if math.isnan(number) else round(number, digits)
