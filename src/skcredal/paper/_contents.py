"""The claims, results and facts of a page, as lists that can be written as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from skcredal.evaluation._registry import display_name
from skcredal.paper._claims import VERDICTS

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ClaimLike", "claim_rows", "fact_rows", "result_table", "show_seconds"]


class ClaimLike(Protocol):
    """A claim of the paper compared with what was found; `holds` is None if it could not be judged."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def ours(self) -> str: ...
    @property
    def p_value(self) -> float | None: ...
    @property
    def holds(self) -> bool | None: ...
    @property
    def note(self) -> str: ...


# Column of the summary, header, decimals (None for text), meaning.
_COLUMNS: tuple[tuple[str, str, int | None, str], ...] = (
    ("dataset", "data set", None, ""),
    ("classifier", "classifier", None, ""),
    ("n", "rows", 0, "rows of the data set"),
    ("k", "features", 0, "features that are kept"),
    ("classes", "classes", 0, "classes of the data set"),
    ("accuracy", "accuracy", 3, "share of rows whose most probable class is the true one"),
    ("brier", "Brier", 3, "mean of (1 − probability of the true class)², as in the paper"),
    ("determinacy", "determ.", 3, "determinacy: share of rows with a single class, the safe rows"),
    ("single_accuracy", "single acc.", 3, "accuracy on the safe rows"),
    ("set_accuracy", "set acc.", 3, "share of the rows with several classes whose set contains the true one"),
    ("output_size", "size", 2, "mean number of classes in sets of several"),
    (
        "discounted_accuracy",
        "disc. acc.",
        3,
        "discounted accuracy: 1/m for a set of m classes with the true one, else 0",
    ),
    ("u65", "u65", 3, "utility: a correct set of two classes counts 0.65"),
    ("u80", "u80", 3, "utility: a correct set of two classes counts 0.80"),
    ("accuracy_safe", "acc. safe", 3, "accuracy of the most probable class on the safe rows"),
    (
        "accuracy_dependent",
        "acc. dep.",
        3,
        "the same on the prior-dependent rows, those with several classes",
    ),
    ("u65_dependent", "u65 dep.", 3, "u65 on the prior-dependent rows"),
    ("u80_dependent", "u80 dep.", 3, "u80 on the prior-dependent rows"),
    ("n_indeterminate", "dep. rows", 0, "prior-dependent test rows, over all runs and folds"),
    ("fit_seconds", "fit s", 4, "mean seconds to fit a training fold"),
    ("predict_seconds", "predict s", 4, "mean seconds to predict a test fold"),
)

_FACT_LABELS = {
    "protocol": "Protocol",
    "setting": "Setting",
    "source": "Data",
    "seed": "Seed",
    "seconds": "Time",
    "versions": "Versions",
    "failures": "Could not be run",
}
_SETTINGS = {
    "honest": "honest: imputation, cut points and dropped features are learned inside each training fold",
    "paper": "paper: imputation, cut points and dropped features are learned once, on the whole data set",
}


def claim_rows(claims: Iterable[ClaimLike]) -> list[dict[str, Any]]:
    """Return the claims with their verdicts in words."""
    return [
        {
            "number": int(claim.number),
            "text": str(claim.text),
            "where": str(claim.where),
            "paper": str(claim.paper),
            "ours": str(claim.ours),
            "p_value": _finite(claim.p_value),
            # bool(), because a verdict may be a numpy.bool.
            "verdict": VERDICTS[None if claim.holds is None else bool(claim.holds)],
            "note": str(claim.note or ""),
        }
        for claim in claims
    ]


def result_table(summary: DataFrame) -> dict[str, Any]:
    """Return the columns that are not empty, with one row per data set and classifier."""
    # A run without credal classifiers has no sets: columns of dashes would only widen the table.
    columns = [
        {"name": name, "label": header, "decimals": decimals, "meaning": meaning}
        for name, header, decimals, meaning in _COLUMNS
        if name in summary.columns and summary[name].notna().any()
    ]
    series = [
        [_text(name, value) if decimals is None else _finite(value) for value in summary[name]]
        for name, _, decimals, _ in _COLUMNS
        if any(column["name"] == name for column in columns)
    ]
    return {"columns": columns, "rows": [list(row) for row in zip(*series, strict=True)]}


def fact_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return how it was run: labels with a text or with pairs of texts, the known labels first.

    Examples
    --------
    >>> fact_rows({"seed": 0, "versions": {"numpy": "2.0"}, "seconds": 75.2, "source": None})
    [{'label': 'Seed', 'value': '0'}, {'label': 'Time', 'value': '1 min 15 s'},
     {'label': 'Versions', 'value': [['numpy', '2.0']]}]
    """
    ordered = [
        *(name for name in _FACT_LABELS if name in facts),
        *(n for n in facts if n not in _FACT_LABELS),
    ]
    rows = []
    for name in ordered:
        value = facts[name]
        if value is None or value == "" or (isinstance(value, Mapping) and not value):
            continue
        content: str | list[list[str]]
        if isinstance(value, Mapping):
            content = [[str(key), str(item)] for key, item in value.items()]
        elif name == "seconds":
            content = show_seconds(float(value))
        elif name == "setting":
            content = _SETTINGS.get(str(value), str(value))
        else:
            content = str(value)
        rows.append({"label": _FACT_LABELS.get(name, str(name)), "value": content})
    return rows


def show_seconds(seconds: float) -> str:
    """Return a duration in its two largest units.

    Examples
    --------
    >>> show_seconds(3.21), show_seconds(185.0), show_seconds(7260.0)
    ('3.2 s', '3 min 5 s', '2 h 1 min')
    """
    # Rounded first, or 59.97 would become 60.0 s.
    if round(seconds, 1) < 60.0:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, hours = whole // 60, whole // 3600
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min {whole % 60} s"


def _text(column: str, value: Any) -> str:
    return display_name(str(value)) if column == "classifier" else str(value)


def _finite(value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except TypeError:  # pandas.NA
        return None
    return number if math.isfinite(number) else None
