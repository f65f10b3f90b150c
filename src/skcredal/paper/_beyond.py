"""Beyond the paper: LP-AODE, LP-AODE*, three systems of the field and, where they were run, baselines.

None of this enters the claims, nor the ranks by which the paper compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._validation import check_instance
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._registry import display_name
from skcredal.paper._compare import bayesian_signed_rank, format_p_value, wilcoxon_test
from skcredal.paper._displays import ReliabilityDisplay
from skcredal.paper._summary import PAPER_CLASSIFIERS, Results

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["beyond_as_markdown", "beyond_data"]

# Whom LP-AODE is compared with, by probabilities and by utility-optimal sets, and LP-AODE*, by its sets.
_DETERMINATE = ("aode", "comp-aode", "maplmg", *BASELINES)
_CREDAL = ("comp-aode*", "bma-aode*", "ncc", "cma", "cdt")
_LOSSES = ("brier_multiclass", "log_loss")

# Measure, header, decimals. A utility is that of the utility-optimal sets, or else that of the maximal ones.
_MEANS: tuple[tuple[str, str, int], ...] = (
    ("accuracy", "accuracy", 3),
    ("brier", "Brier", 3),
    ("relative_brier", "Brier / AODE", 3),
    ("brier_multiclass", "Brier, all", 3),
    ("log_loss", "log-loss", 3),
    ("optimal_u65", "u65, optimal", 3),
    ("optimal_u80", "u80, optimal", 3),
    ("u65", "u65, maximal", 3),
    ("u80", "u80, maximal", 3),
    ("determinacy", "determ.", 3),
    ("set_accuracy", "set acc.", 3),
    ("output_size", "size", 2),
)
_HEADERS = {measure: header for measure, header, _ in _MEANS}
# Header, decimals (None for text).
_TEST_COLUMNS: tuple[tuple[str, int | None], ...] = (
    ("classifier", None),
    ("against", None),
    ("measure", None),
    ("data sets", 0),
    ("better", 0),
    ("worse", 0),
    ("difference", 4),
    ("p", None),
    ("P(better)", 2),
    ("P(equal)", 2),
    ("P(worse)", 2),
)
# Enough for two decimals: there are forty tests, and each would take a second with the usual number.
_SAMPLES = 10_000
_NOTES = (
    "LP-AODE and LP-AODE* are not part of the paper, nor are BMA-SPODE (Bayesian model averaging over the "
    "SPODEs by their marginal likelihoods) and COMP-NB (naive Bayes weighted by compression), from which its "
    "methods come, and NCC2: none of its claims is about them, and they take no part in its ranks.",
    "Brier is the paper's, the mean of (1 − probability of the true class)². It is not proper for more "
    "than two classes: a classifier lowers it by moving probability from improbable classes to probable "
    "ones. “Brier, all” sums the squared errors over all classes, which is proper. “Brier / AODE” is the "
    "mean ratio of the paper's loss to that of AODE.",
    "The log-loss takes probabilities below 1e-15 as 1e-15.",
    "Optimal sets have the largest expected utility under a classifier's own probabilities, for the "
    "utility by which they are judged; maximal sets are those of a credal classifier.",
    "Tests over data sets: p of the two-sided Wilcoxon signed-rank test, and the probabilities of the "
    "Bayesian signed-rank test that the classifier is better by more than 0.01, equal up to that, or "
    "worse; better means higher, but lower for a loss. No p-value is corrected for the number of tests.",
)
_NOTE_ON_BASELINES = (
    "Random forest (500 trees), gradient boosting and logistic regression are those of scikit-learn, "
    "otherwise with its defaults, on the same folds and not tuned; they read the numbers without cuts. "
    "The probabilities of the forest are smoothed, (T·p + 1)/(T + l) with T trees and l classes: by itself "
    "it gives zeros, and a single row could decide its log-loss."
)


def beyond_data(summary: DataFrame, studies: Mapping[str, DataFrame]) -> dict[str, Any] | None:
    """Return what the section "Beyond the paper" shows, as a dict for JSON; None if it would be empty.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier, with the columns of ``summary.csv``.
    studies : mapping
        The tables of the studies by name; ``rivals`` and ``baselines`` have the utility-optimal sets,
        ``reliability`` the diagram.

    Returns
    -------
    dict or None
        ``means`` and ``tests``, tables with columns and rows; ``figures``, displays with titles; ``notes``,
        how to read them. None without classifiers beyond those of the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> summary = pd.DataFrame({
    ...     "dataset": ["iris"] * 2, "classifier": ["aode", "lp-aode"], "log_loss": [0.2, 0.1]
    ... })
    >>> found = beyond_data(summary, {})
    >>> found["means"]["rows"]
    [['AODE', 0.2], ['LP-AODE', 0.1]]
    >>> found["tests"]["rows"][0][:7]
    ['LP-AODE', 'AODE', 'log-loss', 1, 1, 0, -0.1]
    """
    check_instance("studies", studies, Mapping)
    results = Results(summary, [measure for measure, _, _ in _MEANS])
    names = results.classifiers
    if set(names) <= set(PAPER_CLASSIFIERS):
        return None
    values = _read(results, studies)
    displays = [
        ReliabilityDisplay.from_table(studies["reliability"], alike=alike)
        for alike in (False, True)
        if _has(studies, "reliability")
    ]
    return {
        "means": _mean_table(values, names),
        "tests": _test_table(values),
        "figures": [("Reliability of the most probable class", displays)] if displays else [],
        "notes": [*_NOTES, *([_NOTE_ON_BASELINES] if set(names) & set(BASELINES) else [])],
    }


def _has(studies: Mapping[str, DataFrame], name: str) -> bool:
    return name in studies and not studies[name].empty


def _read(results: Results, studies: Mapping[str, DataFrame]) -> DataFrame:
    """Return a row for each data set and a column for each classifier and measure that some data set has."""
    table = results.table.copy()
    if ("aode", "brier") in table:
        reference = table["aode", "brier"]
        for name in results.classifiers:
            # A loss of 0 has no ratio to it.
            table[name, "relative_brier"] = table[name, "brier"] / reference.where(reference > 0.0)
    for study in ("rivals", "baselines"):
        if _has(studies, study):
            for (series, utility), rows in studies[study].groupby(["series", "judged_by"], sort=False):
                how, _, name = str(series).partition(", ")
                if how == "utility-optimal":
                    table[name, f"optimal_{utility}"] = rows.set_index("dataset")["utility"]
    return table.where(np.isfinite(table)).dropna(axis="columns", how="all")


def _mean_table(values: DataFrame, names: Sequence[str]) -> dict[str, Any]:
    columns = [column for column in _MEANS if any((name, column[0]) in values for name in names)]
    return {
        "columns": [
            {"name": "classifier", "label": "means over data sets", "decimals": None},
            *({"name": name, "label": header, "decimals": decimals} for name, header, decimals in columns),
        ],
        "rows": [
            [
                display_name(name),
                *(
                    float(values[name, measure].dropna().mean()) if (name, measure) in values else None
                    for measure, _, _ in columns
                ),
            ]
            for name in names
        ],
    }


def _test_table(values: DataFrame) -> dict[str, Any]:
    of_probabilities = ("accuracy", *_LOSSES, "optimal_u65", "optimal_u80")
    wanted = [
        *(("lp-aode", name, measure) for measure in of_probabilities for name in _DETERMINATE),
        *(("lp-aode*", name, measure) for measure in ("u65", "u80") for name in _CREDAL),
    ]
    rows = []
    for first, second, measure in wanted:
        pair = [(first, measure), (second, measure)]
        if all(value in values for value in pair) and len(both := values[pair].dropna()):
            rows.append(_test_row(first, second, measure, both))
    columns = [{"label": label, "decimals": decimals} for label, decimals in _TEST_COLUMNS]
    return {"columns": columns, "rows": rows}


def _test_row(first: str, second: str, measure: str, both: DataFrame) -> list[str | float]:
    # The tests ask who is higher; of a loss, less is better.
    sign = -1.0 if measure in _LOSSES else 1.0
    a, b = sign * both.to_numpy(np.float64).T
    test = wilcoxon_test(a, b)
    bayesian = bayesian_signed_rank(a, b, n_samples=_SAMPLES)
    return [
        display_name(first),
        display_name(second),
        _HEADERS[measure],
        test.n_pairs,
        test.n_higher,
        test.n_lower,
        sign * test.mean_difference,
        format_p_value(test.p_value),
        bayesian.left,
        bayesian.rope,
        bayesian.right,
    ]


def beyond_as_markdown(beyond: Mapping[str, Any] | None) -> str:
    """Return the section as Markdown, without its figures; nothing if there is none."""
    if beyond is None:
        return ""
    lines = ["", "## Beyond the paper", ""]
    for name in ("means", "tests"):
        columns, rows = beyond[name]["columns"], beyond[name]["rows"]
        if rows:
            lines.append(f"| {' | '.join(column['label'] for column in columns)} |")
            lines.append(f"| {' | '.join(':-' if c['decimals'] is None else '-:' for c in columns)} |")
            lines += [f"| {' | '.join(map(_shown, row, columns))} |" for row in rows]
            lines.append("")
    return "\n".join([*lines, *(f"- {note}" for note in beyond["notes"]), ""])


def _shown(value: str | float | None, column: Mapping[str, Any]) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{column['decimals']}f}"
