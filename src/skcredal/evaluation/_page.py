"""The page about an evaluation, as one HTML file: the data are computed here, page.html.j2 shows them."""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.metrics import roc_curve

from skcredal._arrays import IntArray
from skcredal._colours import COLOURS, ON_DARK
from skcredal._encoding.columns import is_missing
from skcredal._ensemble.explain import as_factor, rounded, strongest
from skcredal._extras import require
from skcredal._files import replacing
from skcredal._ties import most_probable_first
from skcredal._validation import check_real, safe_repr
from skcredal.evaluation._cases import Cases, least_certain
from skcredal.evaluation._classifiers import display_name
from skcredal.evaluation._comparison import against_null
from skcredal.evaluation._cross_validation import Evaluation, ranking
from skcredal.evaluation._names import ALL_CLASSES, CLOSE_CALL
from skcredal.metrics._curves import SET_ASIDE, reliability_sums, retained_correct

if TYPE_CHECKING:
    import pandas

__all__ = ["in_notebook", "page_data", "write_evaluation"]

# How many cases are listed, the least certain: of the classifier that the page opens with, and of others.
_CASES, _CASES_OF_OTHERS = 300, 100
# How many features, voting models and changes are listed for a case.
_FEATURES, _VOICES, _CHANGES = 12, 12, 8
# How many points of a curve are drawn.
_POINTS = 200
# Classes outside of the set whose upper probability rounds to 0.000 are counted, not listed.
_NEGLIGIBLE = 0.0005
_LONGEST_VALUE = 60
# Notebooks are kept with what they show.
_MOST_BYTES = 2_000_000


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
        Columns that identify the rows; nothing was learned from them.
    close_call : float
        A single class with a probability below this, or below one half, is a close call.
    columns : sequence of (name, contents, use, missing)
        What was read: texts for each column of the file.
    messages : sequence of str
        Messages that were shown while the table was read.
    facts : mapping, optional
        How it was run: texts by label.

    Returns
    -------
    Path
        The file.
    """
    about = {"title": title, "columns": columns, "messages": messages, "facts": facts}
    page = _page(page_data(evaluation, numbers=numbers, ids=ids, close_call=close_call) | about)
    with replacing(path) as unfinished:
        unfinished.write_bytes(page)
    return Path(path)


def in_notebook(evaluation: Evaluation) -> str:
    """Return the page in a frame, whose script reaches nothing outside; or only how large the page is."""
    data = page_data(evaluation)
    page = _page(data | {"title": f"{data['n']} cases", "in_frame": True})
    if len(page) > _MOST_BYTES:
        size = f"{len(page) / 1e6:.1f} MB"
        return f"<p>The page has {size}: <code>write_evaluation</code> writes it to a file instead.</p>"
    style = "width: 100%; height: 45rem; border: 0; resize: vertical"
    return f'<iframe srcdoc="{escape(page.decode())}" sandbox="allow-scripts" style="{style}"></iframe>'


def _page(data: Mapping[str, Any]) -> bytes:
    """Return the page that shows the data: the same bytes on every system."""
    jinja2 = require("jinja2", extra="cli", purpose="A page about an evaluation")
    folder = Path(__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["enumerate"] = enumerate
    environment.filters |= {"percent": _percent, "decimals": _decimals, "listed": _listed}
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    page: str = environment.get_template("page.html.j2").render(
        data,
        colours=COLOURS,
        on_dark=ON_DARK,
        style=style,
        script=script,
        # By the policy, the browser makes sure that nothing is fetched and that no other script runs.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    # Lone surrogates cannot be encoded.
    return page.encode("utf-8", errors="replace")


def _percent(part: float | None, decimals: int = 1) -> str:
    # 79.35 is a little less in binary; a reader expects it to be rounded up.
    return "–" if part is None or math.isnan(part) else f"{100.0 * part + 1e-9:.{decimals}f}\u00a0%"


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
    rows = [row | {"name": display_name(row["classifier"])} for row in ranking(evaluation)]
    close_call = max(0.5, check_real("close_call", close_call, low=0.0, high=1.0))
    true = next(iter(evaluation.cases.values())).true
    n = len(true)
    row_numbers = np.arange(1, n + 1) if numbers is None else np.asarray(numbers)
    if len(row_numbers) != n or (ids is not None and len(ids) != n):
        raise ValueError(
            f"numbers and ids must have {n} rows, got {safe_repr(numbers)} and {safe_repr(ids)}."
        )

    def mark(r: int) -> dict[str, Any]:
        cells = () if ids is None else ids.iloc[r].items()
        named = [(str(name), "" if is_missing(cell) else str(cell)) for name, cell in cells]
        return {"number": int(row_numbers[r]), "ids": named}

    return {
        "n": n,
        "classes": [str(label) for label in evaluation.classes],
        "counts": np.bincount(true).tolist(),
        "folds": evaluation.folds,
        "close_call": close_call,
        "opening": evaluation.opening,
        "ranking": rows,
        "views": [
            row | _view(evaluation, row["classifier"], mark, close_call)
            for row in rows
            if row["classifier"] != ALL_CLASSES
        ],
    }


def _view(
    evaluation: Evaluation, key: str, mark: Callable[[int], dict[str, Any]], close_call: float
) -> dict[str, Any]:
    """Return what the page shows of one classifier, about the cases of the first run."""
    cases, labels = evaluation.cases[key], [str(label) for label in evaluation.classes]
    null = evaluation.sums.get("null") if key != "null" else None
    # A classifier without robustness has NaN.
    scores = {"probability": cases.probability, "robustness": cases.robustness}
    curves = {by: score for by, score in scores.items() if not np.isnan(score).any()}
    n_listed = _CASES if key == evaluation.opening else _CASES_OF_OTHERS
    close = cases.close_calls(close_call)
    kinds = np.select([cases.undecided, close], ["undecided", "close"], "decided")
    return {
        "key": key,
        "accuracy": float(cases.correct.mean()),
        "against_null": null and against_null(evaluation.sums[key], null, folds=evaluation.folds),
        "decided": _count(cases, ~cases.undecided),
        "close": _count(cases, close),
        "undecided": _count(cases, cases.undecided),
        "by_class": _by_class(cases),
        "confusion": _confusion(cases),
        "importance": _importance(cases),
        "reliability": _reliability(cases),
        "roc": _roc(cases) if len(labels) == 2 else None,
        "aside": _set_aside(curves, cases),
        "cases": [
            _case(cases, r, labels) | mark(r) | {"kind": str(kinds[r])}
            for r in least_certain(cases, n_listed).tolist()
        ],
    }


def _count(cases: Cases, rows: Any) -> dict[str, Any]:
    """Return how many cases these are, and what happened in them on average."""
    values = {"right": cases.correct, "contains": cases.contains, "together": cases.set_probability}
    n = int(rows.sum())
    return {"n": n} | {name: float(some[rows].mean()) if n else math.nan for name, some in values.items()}


def _by_class(cases: Cases) -> dict[str, list[int]]:
    """Return counts for each class: of its cases, how they were answered, and how often it was named."""
    one_hot = np.eye(cases.sets.shape[1], dtype=np.bool_)
    own, named, decided = one_hot[cases.true], one_hot[cases.predicted], ~cases.undecided[:, None]
    masks = {"cases": own, "named": named, "right": own & named, "decided": own & named & decided}
    masks |= {"contains": own & cases.sets, "undecided": own & ~decided}
    return {name: mask.sum(axis=0).tolist() for name, mask in masks.items()}


def _importance(cases: Cases) -> list[tuple[str, str, float]]:
    """Return the features, those first that move the odds most: by which factor on average, and a share."""
    logs = {name: total / len(cases.true) for name, total in cases.importance.items()}
    largest = max(logs.values(), default=0.0) or 1.0
    by_size = sorted(logs.items(), key=lambda one: -one[1])
    return [(name, as_factor(log), log / largest) for name, log in by_size]


def _confusion(cases: Cases) -> list[list[int]]:
    """Return, for each true class, how many rows were decided as each class, and how many were undecided.

    Undecided rows stand in two last counts: with the true class in their set, and without it.
    """
    n_classes = cases.sets.shape[1]
    aside = np.where(cases.contains, n_classes, n_classes + 1)
    column = np.where(cases.undecided, aside, cases.predicted)
    counts = np.zeros((n_classes, n_classes + 2), np.int64)
    np.add.at(counts, (cases.true, column), 1)
    rows: list[list[int]] = counts.tolist()
    return rows


def _low(*shares: float, most: float) -> float:
    """Return where an axis of shares begins: at a tenth, so that the lowest of them is in sight."""
    return math.floor(10.0 * min(most, *shares) + 1e-9) / 10.0


def _reliability(cases: Cases) -> dict[str, Any]:
    """Return mean probability, accuracy with its 95 % interval, and number of cases, for each tenth."""
    sums = reliability_sums(cases.probability, cases.correct)
    points = []
    for n, probability, right in sums[sums[:, 0] > 0].tolist():
        # Wilson's interval stays within 0 and 1 for few cases, too.
        low, high = stats.binomtest(int(right), int(n)).proportion_ci(method="wilson")
        radius = round(3 + 6 * math.sqrt(n / sums[:, 0].max()), 1)
        points.append((probability / n, right / n, int(n), float(low), float(high), radius))
    x_low = _low(points[0][0], most=0.5)
    return {"points": points, "x": (x_low, 1.0), "low": _low(*(point[3] for point in points), most=x_low)}


def _roc(cases: Cases) -> dict[str, Any]:
    """Return points of the curve of sensitivity against false alarms for the second of two classes."""
    false, true, _ = roc_curve(cases.true, cases.proba[:, 1])
    some = np.unique(np.linspace(0, len(true) - 1, _POINTS).astype(int))
    points = list(zip(false[some].tolist(), true[some].tolist(), strict=True))
    return {"points": points, "x": (0.0, 1.0), "low": 0.0}


def _set_aside(curves: Mapping[str, Any], cases: Cases) -> dict[str, Any]:
    """Return the accuracy on the cases that are kept when those of the lowest score are set aside."""
    kept = len(cases.true) * (1.0 - SET_ASIDE)
    lines = {by: retained_correct(score, cases.correct, kept) / kept for by, score in curves.items()}
    return {
        "all": float(cases.correct.mean()),
        "tenth": {by: float(np.interp(0.1, SET_ASIDE, line)) for by, line in lines.items()},
        "lines": {
            by: list(zip(SET_ASIDE.tolist(), line.tolist(), strict=True)) for by, line in lines.items()
        },
        "x": (0.0, 0.5),
        # At least 20 % high: a flat curve is not magnified into noise.
        "low": _low(*(float(line.min()) for line in lines.values()), most=0.8),
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
        "set_probability": float(cases.set_probability[r]),
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
    parts = strongest(reason, values, _FEATURES)
    longest = max(abs(log) for _, _, log in parts) or 1.0
    return {
        "odds": [rounded(reason[name]) for name in ("odds", "lower_odds", "upper_odds")],
        "product": as_factor(sum(log for _, _, log in parts)),
        "factors": [(name, _short(value), as_factor(log), log / longest) for name, value, log in parts],
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
