"""What the report says, as a dict that can be written as JSON: claims, figures, results, how it was run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from skcredal._validation import check_instance, naming
from skcredal.evaluation._registry import display_name
from skcredal.paper._displays import (
    AccuracyScatterDisplay,
    BayesianDisplay,
    CriticalDifferenceDisplay,
    EpsilonDisplay,
    RanksDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    RivalsDisplay,
    SafeDependentDisplay,
    SetAsideDisplay,
)
from skcredal.paper._displays.base import Display, NothingToShowError
from skcredal.paper._studies import UTILITIES
from skcredal.paper._summary import PAPER_CLASSIFIERS, NotRunError, check_summary, check_table
from skcredal.paper._verdicts import (
    AUTHORS,
    DOI,
    TITLE,
    URL,
    Claim,
    claim_rows,
    reasons_of,
    reasons_title,
    tally,
    what_it_is,
)

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["report_data"]

_TITLE = "Credal classification with AODE: the paper's claims, checked"

# Column of the summary, header, decimals (None for text), meaning.
_COLUMNS: tuple[tuple[str, str, int | None, str], ...] = (
    ("dataset", "data set", None, ""),
    ("classifier", "classifier", None, ""),
    ("n", "rows", 0, "rows of the data set"),
    ("k", "features", 0, "features that are kept"),
    ("classes", "classes", 0, "classes of the data set"),
    ("accuracy", "accuracy", 3, "share of rows whose most probable class is the true one"),
    ("brier", "Brier", 3, "mean of (1 − probability of the true class)², as in the paper"),
    ("brier_multiclass", "Brier, all", 3, "mean sum over all classes of the squared errors of probabilities"),
    ("log_loss", "log-loss", 3, "mean of −log of the probability of the true class, taken as 1e-15 or more"),
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
_RANKS = "Average ranks and critical differences"
_SET_ASIDE = "Setting aside the least trusted answers"
# What has to be known to read a figure, by its title.
_FIGURE_TEXTS = {
    _RANKS: "On each data set the classifiers are ranked by utility, 1 for the best; the utility of a "
    "determinate classifier is its accuracy. The figures show the average ranks: first of the credal "
    "classifiers that the paper compares, with bars that do not overlap where two of them differ "
    "significantly; then of all, where a bar joins those that do not differ significantly (Nemenyi's test).",
    _SET_ASIDE: "Setting aside means that somebody else decides the rows whose answers are trusted least, "
    "and the classifier only the others: the more of its errors are among the rows set aside, the more "
    "accurate the others are. Trust can be the robustness of an answer (how much of the prior may change "
    "before the answer does), its probability, or both: robustness and, among equally robust answers, "
    "probability.",
}
_Makers = list[Callable[..., Display]]
_DETERMINATE_PAIRS = [
    ("comp-aode", "aode"),
    ("bma-aode", "aode"),
    ("comp-aode", "bma-aode"),
    ("maplmg", "comp-aode"),
    ("comp-aode", "tan"),
    ("comp-aode", "naive-bayes"),
]
_CREDAL_PAIRS = [
    ("comp-aode*", "comp-aode"),
    ("comp-aode*", "bma-aode*"),
    ("comp-aode*", "cdt"),
    ("comp-aode*", "cma"),
    ("comp-aode*", "ncc"),
]


def report_data(
    summary: DataFrame,
    claims: Iterable[Claim],
    facts: Mapping[str, Any],
    *,
    studies: Mapping[str, DataFrame] | None = None,
    beyond: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Compute everything that the page shows, from the arguments of ``write_report``.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris"], "classifier": ["aode"], "accuracy": [0.94], "u65": [float("nan")]
    ... })
    >>> data = report_data(summary, [], {"seed": 0})
    >>> data["table"]["rows"], data["run"]
    ([['iris', 'AODE', 0.94]], [{'label': 'Seed', 'value': '0'}])
    """
    check_instance("facts", facts, Mapping)
    if studies is not None:
        check_instance("studies", studies, Mapping)
    with naming("claims"):
        claims = list(claims)
        judged = claim_rows(claims)
    with naming("facts"):
        run = _fact_rows(facts)
    summary = _check(summary)
    of_paper = summary
    if not summary.empty:
        # Whoever else was run must not change the ranks and tests of the paper's classifiers.
        of_paper = summary[summary["classifier"].isin(PAPER_CLASSIFIERS)]
    n_datasets, n_classifiers = (
        0 if summary.empty else int(summary[name].nunique()) for name in ("dataset", "classifier")
    )
    return {
        "title": _TITLE,
        "about": what_it_is(n_classifiers, n_datasets, str(facts.get("protocol") or "")),
        "paper": {"authors": AUTHORS, "title": TITLE, "doi": DOI, "url": URL},
        "n_datasets": n_datasets,
        "claims": judged,
        "tally": tally(claim.verdict for claim in claims),
        "reasons": {
            "title": reasons_title(claims),
            "items": [
                {"claims": list(reason.claims), "what": reason.what, "why": reason.why}
                for reason in reasons_of(claims)
            ],
        },
        "figures": _figure_data(_figures(of_paper, studies or {})),
        "beyond": None if beyond is None else {**beyond, "figures": _figure_data(beyond["figures"])},
        "table": _result_table(summary),
        "run": run,
    }


def _figure_data(figures: Iterable[tuple[str, Iterable[Display]]]) -> list[dict[str, Any]]:
    return [
        {
            "title": title,
            "text": _FIGURE_TEXTS.get(title, ""),
            "panels": [
                {"display": type(display).__name__, "numbers": display.numbers(), "caption": display.caption}
                for display in displays
            ],
        }
        for title, displays in figures
    ]


def _check(summary: DataFrame) -> DataFrame:
    numbers = [name for name, _, decimals, _ in _COLUMNS if decimals is not None]
    summary = check_table("summary", summary, ("dataset", "classifier"), numbers)
    if summary.empty:
        return summary
    summary = check_summary(summary, numbers)
    if summary["classifier"].isna().any():
        raise ValueError(
            "summary must name the classifier in every row. pandas reads the name 'null' as missing: "
            "read summary.csv with keep_default_na=False, na_values=['']."
        )
    return summary


def _result_table(summary: DataFrame) -> dict[str, Any]:
    """Return the columns that are not empty, with one row per data set and classifier."""
    columns: list[dict[str, Any]] = []
    cells: list[list[str | float | None]] = []
    for name, label, decimals, meaning in _COLUMNS:
        # A run without credal classifiers has no sets: columns of dashes would only widen the table.
        if name not in summary.columns or summary[name].isna().all():
            continue
        columns.append({"name": name, "label": label, "decimals": decimals, "meaning": meaning})
        if name == "classifier":
            cells.append([display_name(value) for value in summary[name]])
        elif name == "dataset":
            cells.append([str(value) for value in summary[name]])
        else:
            cells.append([_finite(value) for value in summary[name]])
    return {"columns": columns, "rows": [list(row) for row in zip(*cells, strict=True)]}


def _fact_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return how it was run: labels with a text or with pairs of texts.

    Examples
    --------
    >>> _fact_rows({"seed": 0, "seconds": 75.2, "versions": {"numpy": "2.0"}, "source": None})
    [{'label': 'Seed', 'value': '0'}, {'label': 'Time', 'value': '1 min 15 s'},
     {'label': 'Versions', 'value': [['numpy', '2.0']]}]
    """
    rows = []
    for name, value in facts.items():
        if value is None or value == "" or (isinstance(value, Mapping) and not value):
            continue
        content: str | list[list[str]]
        if isinstance(value, Mapping):
            content = [[str(key), str(item)] for key, item in value.items()]
        elif name == "seconds":
            content = _show_seconds(float(value))
        elif name == "setting":
            content = _SETTINGS.get(str(value), str(value))
        else:
            content = str(value)
        rows.append({"label": _FACT_LABELS.get(name, str(name)), "value": content})
    return rows


def _show_seconds(seconds: float) -> str:
    """Return a duration in its two largest units.

    Examples
    --------
    >>> _show_seconds(3.21), _show_seconds(185.0), _show_seconds(7260.0)
    ('3.2 s', '3 min 5 s', '2 h 1 min')
    """
    # Rounded first, or 59.97 would become 60.0 s.
    if round(seconds, 1) < 60.0:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, hours = whole // 60, whole // 3600
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min {whole % 60} s"


def _finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def _each(make: Callable[..., Display], **options: tuple[str, ...]) -> _Makers:
    """Return a maker for each value of an option."""
    return [partial(make, **{name: value}) for name, values in options.items() for value in values]


def _figures(summary: DataFrame, studies: Mapping[str, DataFrame]) -> list[tuple[str, list[Display]]]:
    """Return the paper's figures by title, those of the studies, and tests over data sets.

    Figures without data are left out.
    """
    known = None if summary.empty else summary
    ranks = _each(RanksDisplay.from_summary, measure=UTILITIES)
    # With three classifiers or fewer it would repeat the panels before it, or have nothing to join.
    if known is not None and known["classifier"].nunique() > 3:
        ranks += _each(CriticalDifferenceDisplay.from_summary, measure=UTILITIES)
    of_pairs = partial(BayesianDisplay.from_summary, pairs=_CREDAL_PAIRS)
    weighted, starred = ("bma-aode", "comp-aode"), ("bma-aode*", "comp-aode*")
    wanted: list[tuple[str, DataFrame | None, _Makers]] = [
        ("Accuracy", known, _each(AccuracyScatterDisplay.from_summary, classifier=weighted)),
        (
            "Brier loss relative to AODE",
            known,
            _each(RelativeBrierDisplay.from_summary, classifier=(*weighted, "maplmg")),
        ),
        (
            "Accuracy on safe and on prior-dependent instances",
            known,
            _each(SafeDependentDisplay.from_summary, classifier=starred),
        ),
        (
            "Utility relative to the determinate counterpart",
            known,
            _each(RelativeUtilityDisplay.from_summary, classifier=starred),
        ),
        (_RANKS, known, ranks),
        (
            "How much ε matters",
            studies.get("epsilon"),
            _each(EpsilonDisplay.from_table, measure=("determinacy", "set_accuracy")),
        ),
        (_SET_ASIDE, studies.get("set-aside"), [SetAsideDisplay.from_table]),
        (
            "COMP-AODE* and other ways to make sets, on the same folds",
            studies.get("rivals"),
            _each(RivalsDisplay.from_table, utility=UTILITIES),
        ),
        (
            "Bayesian signed-rank tests",
            known,
            [
                partial(BayesianDisplay.from_summary, measure="accuracy", pairs=_DETERMINATE_PAIRS),
                *_each(of_pairs, measure=UTILITIES),
            ],
        ),
    ]
    figures = []
    for title, table, makers in wanted:
        displays = []
        for make in makers if table is not None else ():
            # Only a lack of data is skipped; other errors are errors.
            with suppress(NotRunError, NothingToShowError):
                displays.append(make(table))
        if displays:
            figures.append((title, displays))
    return figures
