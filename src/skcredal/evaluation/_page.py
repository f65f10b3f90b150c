"""The page about an evaluation, as one HTML file: the data are computed here, page.html.j2 shows them."""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from skcredal._arrays import IntArray
from skcredal._encoding.columns import is_missing
from skcredal._ensemble.explain import rounded
from skcredal._extras import require
from skcredal._files import replacing
from skcredal._ties import most_probable_first
from skcredal._validation import check_instance, check_real, safe_repr
from skcredal.evaluation._cases import Cases, least_certain
from skcredal.evaluation._classifiers import display_name
from skcredal.evaluation._comparison import correlated_t_test, in_words
from skcredal.evaluation._cross_validation import Evaluation, ranking
from skcredal.evaluation._names import ALL_CLASSES, CLOSE_CALL
from skcredal.evaluation._words import as_factor, strongest
from skcredal.metrics._curves import reliability_sums, retained_correct

if TYPE_CHECKING:
    import pandas

__all__ = ["page_data", "write_evaluation"]

# How many cases are listed, the least certain: of the classifier that the page opens with, and of others.
_CASES, _CASES_OF_OTHERS = 300, 100
# How many features, voting models and changes are listed for a case.
_FEATURES, _VOICES, _CHANGES = 12, 12, 8
# Classes outside of the set whose upper probability rounds to 0.000 are counted, not listed.
_NEGLIGIBLE = 0.0005
_LONGEST_VALUE = 60
# Up to which share cases are set aside in the figure: beyond, it would be about a few cases.
_ASIDE = np.linspace(0.0, 0.5, 51)


def write_evaluation(
    path: str | os.PathLike[str],
    evaluation: Evaluation,
    *,
    title: str,
    numbers: IntArray | None = None,
    ids: pandas.DataFrame | None = None,
    close_call: float = CLOSE_CALL,
    columns: Sequence[Sequence[str]] = (),
    messages: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
) -> Path:
    """Write a self-contained HTML page about an evaluation; the file is replaced completely or not at all.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    evaluation : Evaluation
        As :func:`evaluate_table` returns it, with ``explain=True`` for reasons, bounds and robustness.
    title : str
        What is evaluated.
    numbers : ndarray of shape (n_rows,), optional
        The number of each row in the user's file; by default from 1.
    ids : pandas.DataFrame, optional
        Columns that identify the rows, and that nothing was learned from.
    close_call : float
        A single class with a probability below this is a close call.
    columns : sequence of (name, contents, use, missing)
        What was read: texts for each column of the file.
    messages : sequence of str
        What the reader was told meanwhile.
    facts : mapping, optional
        How it was run: texts by label.

    Returns
    -------
    Path
        The file.
    """
    jinja2 = require("jinja2", extra="cli", purpose="A page about an evaluation")
    folder = Path(__file__).parent
    script = (folder / "page.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["enumerate"] = enumerate
    environment.filters |= {"percent": _percent, "decimals": _decimals, "listed": _listed}
    page = environment.get_template("page.html.j2").render(
        page_data(evaluation, numbers=numbers, ids=ids, close_call=close_call),
        title=title,
        columns=columns,
        messages=messages,
        facts=facts or {},
        style=(folder / "page.css").read_text(encoding="utf-8"),
        script=script,
        # By the policy, the browser makes sure that nothing is fetched and that no other script runs.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    with replacing(path) as unfinished:
        # The same bytes on every system; lone surrogates cannot be encoded.
        unfinished.write_bytes(page.encode("utf-8", errors="replace"))
    return Path(path)


def _percent(part: float | None, decimals: int = 1) -> str:
    return "–" if part is None or math.isnan(part) else f"{100.0 * part:.{decimals}f}\u00a0%"


def _decimals(value: float | None, decimals: int = 3) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.{decimals}f}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def page_data(
    evaluation: Evaluation,
    *,
    numbers: IntArray | None = None,
    ids: pandas.DataFrame | None = None,
    close_call: float = CLOSE_CALL,
) -> dict[str, Any]:
    """Compute everything that the page shows of an evaluation."""
    check_instance("evaluation", evaluation, Evaluation)
    check_real("close_call", close_call, low=0.0, high=1.0)
    true = next(iter(evaluation.cases.values())).true
    n = len(true)
    row_numbers = np.arange(1, n + 1) if numbers is None else np.asarray(numbers)
    if len(row_numbers) != n or (ids is not None and len(ids) != n):
        raise ValueError(
            f"numbers and ids must have {n} rows, got {safe_repr(numbers)} and {safe_repr(ids)}."
        )
    labels = [str(label) for label in evaluation.classes]
    most = int(np.bincount(true).argmax())
    rows = ranking(evaluation)
    views = [
        _view(evaluation, row, labels, row_numbers, ids, close_call)
        for row in rows
        if row["classifier"] != ALL_CLASSES
    ]
    return {
        "n": n,
        "classes": labels,
        "most_frequent": labels[most],
        "share": float((true == most).mean()),
        "close_call": close_call,
        "opening": evaluation.opening,
        "ranking": [row | {"name": display_name(row["classifier"])} for row in rows],
        "views": views,
        "id_names": [] if ids is None else [str(name) for name in ids.columns],
    }


def _view(
    evaluation: Evaluation,
    row: Mapping[str, Any],
    labels: Sequence[str],
    numbers: IntArray,
    ids: pandas.DataFrame | None,
    close_call: float,
) -> dict[str, Any]:
    """Return what the page shows of one classifier."""
    key, cases = row["classifier"], evaluation.cases[row["classifier"]]
    undecided, correct, probability = cases.undecided, cases.correct, cases.probability
    close, contains = cases.close_calls(close_call), cases.sets[np.arange(len(cases.true)), cases.true]
    # A classifier without robustness has NaN.
    scores = {"probability": probability, "robustness": cases.robustness}
    curves = {by: score for by, score in scores.items() if not np.isnan(score).any()}
    n_listed = _CASES if key == evaluation.opening else _CASES_OF_OTHERS
    kinds = np.select([undecided, close], ["undecided", "close"], "decided")
    return {
        "key": key,
        "name": display_name(key),
        "credal": row["credal"],
        "accuracy": float(correct.mean()),
        "beats_null": _beats_null(evaluation, key),
        "decided": _count(~undecided, correct),
        "close": _count(close, correct),
        "undecided": _count(undecided, correct) | {"contains": _mean(contains[undecided])},
        "confusion": _confusion(cases, contains),
        "reliability": _reliability(cases),
        "aside": _set_aside(curves, cases),
        "has_robustness": "robustness" in curves,
        "cases": [
            _case(cases, r, labels) | {"number": int(numbers[r]), "kind": str(kinds[r]), "ids": _ids(ids, r)}
            for r in least_certain(cases, n_listed).tolist()
        ],
    }


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else math.nan


def _count(rows: Any, correct: Any) -> dict[str, Any]:
    return {"n": int(rows.sum()), "right": _mean(correct[rows])}


def _ids(ids: pandas.DataFrame | None, r: int) -> list[str]:
    return [] if ids is None else ["" if is_missing(cell) else str(cell) for cell in ids.iloc[r].tolist()]


def _beats_null(evaluation: Evaluation, key: str) -> bool | None:
    """Tell whether a classifier is at least probably more accurate than the null model; None if unknown."""
    if "null" not in evaluation.sums or key == "null":
        return None
    accuracy, null = (
        np.array([part["correct"] / part["n"] for part in evaluation.sums[name]]) for name in (key, "null")
    )
    return in_words(correlated_t_test(accuracy - null, folds=evaluation.folds)) != "no clear difference"


def _confusion(cases: Cases, contains: Any) -> list[list[int]]:
    """Return, for each true class, how many rows were decided as each class, and how many were undecided.

    Undecided rows stand in two last counts: with the true class in their set, and without it.
    """
    n_classes = cases.sets.shape[1]
    column = np.where(cases.undecided, np.where(contains, n_classes, n_classes + 1), cases.predicted)
    counts = np.zeros((n_classes, n_classes + 2), np.int64)
    np.add.at(counts, (cases.true, column), 1)
    rows: list[list[int]] = counts.tolist()
    return rows


@dataclass(frozen=True)
class Axis:
    """From a low to a high value, drawn from one pixel to another."""

    low: float
    high: float
    start: float
    end: float

    @property
    def ticks(self) -> list[float]:
        """Where it is labelled."""
        step = 0.1 if self.high - self.low < 0.55 else 0.2
        return [self.high - i * step for i in range(int((self.high - self.low) / step + 1e-9) + 1)]

    def at(self, value: float) -> float:
        """Return the pixel of a value."""
        inside = min(max(value, self.low), self.high)
        return round(self.start + (self.end - self.start) * (inside - self.low) / (self.high - self.low), 1)


def _axes(x_low: float, x_high: float, y_low: float) -> dict[str, Axis]:
    return {"x": Axis(x_low, x_high, 92, 536), "y": Axis(y_low, 1.0, 270, 14)}


def _reliability(cases: Cases) -> dict[str, Any]:
    """Return mean probability, accuracy with its 95 % interval, and number of cases, for each tenth."""
    sums = reliability_sums(cases.probability, cases.correct)
    points = []
    for n, probability, right in sums[sums[:, 0] > 0].tolist():
        # Wilson's interval stays within 0 and 1 for few cases, too.
        low, high = stats.binomtest(int(right), int(n)).proportion_ci(method="wilson")
        radius = round(3 + 6 * math.sqrt(n / sums[:, 0].max()), 1)
        points.append((probability / n, right / n, int(n), float(low), float(high), radius))
    low = min(0.5, math.floor(10 * min(min(point[:2]) for point in points)) / 10)
    return {"points": points, **_axes(low, 1.0, low)}


def _set_aside(curves: Mapping[str, Any], cases: Cases) -> dict[str, Any]:
    """Return the accuracy on the cases that are kept when those of the lowest score are set aside."""
    kept = len(cases.true) * (1.0 - _ASIDE)
    lines = {by: retained_correct(score, cases.correct, kept) / kept for by, score in curves.items()}
    overall = float(cases.correct.mean())
    # At least 20 % high: a flat curve is not magnified into noise.
    low = max(0.0, math.floor(10 * (min(overall, 0.85) - 0.05)) / 10)
    return {
        "all": overall,
        "tenth": {by: float(np.interp(0.1, _ASIDE, line)) for by, line in lines.items()},
        "lines": {by: list(zip(_ASIDE.tolist(), line.tolist(), strict=True)) for by, line in lines.items()},
        **_axes(0.0, 0.5, low),
    }


def _case(cases: Cases, r: int, labels: Sequence[str]) -> dict[str, Any]:
    """Return the answer to a case, the probabilities of the classes, the largest first, and its reasons."""
    proba, inside, details = cases.proba[r].tolist(), cases.sets[r].tolist(), cases.details.get(r, {})
    lower, upper = details["interval"].T.tolist() if "interval" in details else ([0.0] * len(proba), proba)
    order = [c for c in most_probable_first(cases.proba[r]).tolist() if inside[c] or upper[c] >= _NEGLIGIBLE]
    true, predicted = int(cases.true[r]), int(cases.predicted[r])
    return {
        "true": labels[true],
        "answer": labels[predicted],
        "right": true == predicted,
        "probability": proba[predicted],
        "robustness": float(cases.robustness[r]),
        "set": [label for label, is_inside in zip(labels, inside, strict=True) if is_inside],
        "contains": inside[true],
        "has_bounds": "interval" in details,
        "bounds": [(labels[c], inside[c], proba[c], lower[c], upper[c]) for c in order],
        "unlikely": len(proba) - len(order),
        "is_tried": "changes" in details,
        "changes": [
            (change.feature, change.condition, [labels[c] for c in change.remaining])
            for change in details.get("changes", ())[:_CHANGES]
        ],
        "reason": _reason(details) if "reason" in details else None,
    }


def _reason(details: Mapping[str, Any]) -> dict[str, Any]:
    reason, values, left_out = (details[name] for name in ("reason", "values", "left_out"))
    parts = _contributions(reason, values) if "contributions" in reason else _votes(reason, values, left_out)
    return {"sentence": reason["sentence"], "rival": reason["rival"], "left_out": left_out, **parts}


def _contributions(reason: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """Return the odds with their bounds, and what the frequencies and each feature multiply them by."""
    logs = list(reason["contributions"])
    listed, together = strongest(logs, _FEATURES)
    parts = [("how frequent the classes are", "", reason["frequencies"])]
    parts += [(reason["features"][i], _short(values[reason["features"][i]]), logs[i]) for i in listed]
    if len(logs) > len(listed):
        parts.append((f"{len(logs) - len(listed)} more together", "", together))
    longest = max(abs(log) for _, _, log in parts) or 1.0
    return {
        "odds": [rounded(reason[name]) for name in ("odds", "lower_odds", "upper_odds")],
        "product": as_factor(reason["frequencies"] + sum(logs)),
        "factors": [(name, value, as_factor(log), log / longest) for name, value, log in parts],
    }


def _votes(reason: Mapping[str, Any], values: Mapping[str, str], left_out: Sequence[str]) -> dict[str, Any]:
    """Return what the models vote for, and the prior that favours the rival most."""
    # Sorted by `explain`, from the strongest voter for the answer to the strongest for its rival.
    heard = [j for j, name in enumerate(reason["super_parents"]) if name not in left_out]
    half = _VOICES // 2
    listed = heard if len(heard) <= _VOICES else [*heard[:half], *heard[-half:]]
    names = reason["super_parents"]
    voices = [(names[j], _short(values[names[j]]), reason["votes"][j], reason["prior"][j]) for j in listed]
    return {"voices": voices, "silent": len(heard) - len(listed)}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
