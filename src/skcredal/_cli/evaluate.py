"""`skcredal evaluate`: compare the classifiers on the user's own table."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rich.table import Table

import skcredal
from skcredal._cli.console import CallError, TableConsole, note
from skcredal._cli.user_tables import LabelledTable, counted
from skcredal._progress import progress_bar
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.evaluation._cross_validation import (
    check_folds,
    most_folds,
    out_of_fold_cases,
    ranking,
)
from skcredal.evaluation._doubts import DoubtSums, evaluate_with_doubts
from skcredal.evaluation._page_data import evaluation_data, write_evaluation
from skcredal.evaluation._registry import DEFAULT, is_credal
from skcredal.evaluation._terminal import format_cell, new_table

__all__ = [
    "check_report",
    "evaluate_classifiers",
    "folds_for",
    "in_plain_words",
    "page_classifier",
    "print_ranking",
    "write_page",
]

# With fewer rows in all folds together, starting processes takes longer than the work.
_WORTH_PROCESSES = 100_000
_FOLDS = 10
_RANKING = {
    "rank_u65": ("#", 0),
    "classifier": ("", None),
    "u65": ("u65", 3),
    "u80": ("u80", 3),
    "rank_u80": ("# by u80", 0),
    "accuracy": ("accuracy", 3),
    "brier_multiclass": ("Brier", 3),
    "log_loss": ("log-loss", 3),
}
_DOUBTS = {
    "classifier": ("", None),
    "n_decided": ("decided", 0),
    "accuracy_decided": ("right", 3),
    "n_close_calls": ("close calls", 0),
    "accuracy_close_calls": ("right", 3),
    "n_undecided": ("undecided", 0),
    "accuracy_undecided": ("right", 3),
    "set_accuracy": ("set", 3),
    "output_size": ("size", 2),
}
# "Safe" and "prior-dependent" are words of theory: whoever reads a table of results may take safe for right.
_PLAIN_WORDS = {"_safe": "_decided", "_dependent": "_undecided"}
_LEGEND = """\
u65    utility: a correct set of two classes counts 0.65; u80: it counts 0.80;
       without sets, the accuracy
Brier  mean of the squared errors of the probabilities of all classes
log-loss  mean of -log(probability of the true class)
"""
_DOUBTS_LEGEND = """\
decided      rows for which one class remains, and how often it was right
close calls  those of them whose class has a probability below {close_call:g}
undecided    rows for which several classes remain, and how often the most
             probable of them was right
set, size    share of these sets with the true class, and mean number of classes
"""


def in_plain_words(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the ranking with names of measures that do not mislead.

    Examples
    --------
    >>> in_plain_words({"accuracy": 0.8, "u65_dependent": 0.6})
    {'accuracy': 0.8, 'u65_undecided': 0.6}
    """
    found = {}
    for name, value in row.items():
        for technical, plain in _PLAIN_WORDS.items():
            name = name.removesuffix(technical) + plain if name.endswith(technical) else name
        found[name] = value
    return found


def folds_for(table: LabelledTable) -> int:
    """Return the default number of folds for a table."""
    most = most_folds(table.target)
    if 2 <= most < _FOLDS:  # with less than 2, evaluate_classifiers says what is wrong
        note(f"Using {most} folds instead of {_FOLDS}, because the most frequent class has only {most} rows.")
        return most
    return _FOLDS


def evaluate_classifiers(
    table: LabelledTable,
    classifiers: Mapping[str, TabularClassifier],
    *,
    runs: int,
    folds: int,
    seed: int,
    jobs: int | None,
    close_call: float,
) -> list[dict[str, Any]]:
    """Cross-validate with a progress bar, and return the ranking, with the doubts of credal classifiers."""
    # Before check_folds, whose message would only say that there are too many folds.
    if len(set(table.target.tolist())) == len(table.target):
        raise ValueError(
            f"Each of {counted(len(table.target), 'row')} has its own class, so nothing can be learned about "
            "a row from the others."
        )
    try:
        check_folds(table.target, folds)
    except ValueError as error:
        raise CallError(f"--{error}") from None
    if jobs is None:
        jobs = -1 if len(table.target) * runs * folds > _WORTH_PROCESSES else 1
    with progress_bar("folds", runs * folds, "comparing classifiers") as advance:
        sums, doubts = evaluate_with_doubts(
            classifiers,
            table.features,
            table.target,
            runs=runs,
            folds=folds,
            seed=seed,
            jobs=jobs,
            close_call=close_call,
            on_fold=lambda: advance(1),
        )
    nothing = dict.fromkeys(DoubtSums().measures())
    return [
        {**row, **(doubts[row["classifier"]].measures() if row["credal"] else nothing)}
        for row in ranking(sums, classifiers)
    ]


def check_report(report: Path) -> None:
    """Refuse a path that a page cannot be written to, before any work is done."""
    if report.is_dir() or not report.absolute().parent.is_dir():
        raise CallError(f"--report must be a file in an existing folder, got {str(report)!r}.")
    if report.suffix.lower() not in (".html", ".htm"):
        raise CallError(f"--report must end in .html, got {str(report)!r}.")


def page_classifier(names: Sequence[str] | None) -> str:
    """Return the classifier whose cases the page shows: the first credal one that was named, or LP-AODE*.

    Examples
    --------
    >>> page_classifier(None), page_classifier(["aode", "ncc", "comp-aode*"]), page_classifier(["aode"])
    ('lp-aode*', 'ncc', 'lp-aode*')
    """
    return next(filter(is_credal, names or ()), DEFAULT)


def write_page(
    report: Path,
    table: LabelledTable,
    rows: Sequence[Mapping[str, Any]],
    classifier: str,
    learner: Any,
    *,
    data: str,
    target: str,
    runs: int,
    folds: int,
    seed: int,
) -> None:
    """Classify each row out of fold with a credal classifier, and write the page."""
    with progress_bar("folds", folds, f"cases of {classifier}, for the page") as advance:
        cases = out_of_fold_cases(
            table.features,
            table.target,
            cast(CredalMixin, learner),
            folds=folds,
            seed=seed,
            on_fold=lambda: advance(1),
        )
    # Only the file name: a page that is passed on should not reveal folders of this machine.
    name = "standard input" if data == "-" else Path(data).name
    n, k = table.features.shape
    facts = {
        "Table": f"{name}: {n} rows, {k} features, {len(cases.classes)} classes in {target}",
        "Protocol": f"{runs} × {folds}-fold stratified cross-validation, everything learned inside the "
        "training folds; the cases are from the first run",
        "Seed": str(seed),
        "Versions": f"skcredal {skcredal.__version__}, Python {platform.python_version()}",
    }
    page = evaluation_data(
        cases,
        rows,
        table.features,
        title=f"{target} in {name}",
        classifier=classifier,
        numbers=table.numbers,
        facts=facts,
    )
    write_evaluation(report, page)


def print_ranking(
    rows: Sequence[Mapping[str, Any]], *, folds: int, runs: int, n: int, close_call: float
) -> None:
    """Print the classifiers by utility, and the doubts of the credal ones."""
    console = TableConsole()
    how = f"{n} rows, {runs} × {folds}-fold cross-validation"
    console.print(f"Classifiers by utility: {how}", highlight=False)
    console.print(_table(rows, _RANKING))
    console.print(_LEGEND, style="dim", highlight=False)
    credal = [row for row in rows if row["credal"]]
    if credal:
        console.print("Where they doubt, and how often they are right, over all runs", highlight=False)
        console.print(_table(credal, _DOUBTS))
        console.print(_DOUBTS_LEGEND.format(close_call=close_call), style="dim", highlight=False)


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, tuple[str, int | None]]) -> Table:
    table = new_table()
    for header, decimals in columns.values():
        table.add_column(header, justify="left" if decimals is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(format_cell(row[name], decimals) for name, (_, decimals) in columns.items()))
    return table
