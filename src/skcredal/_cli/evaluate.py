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
    evaluate_table,
    most_folds,
    out_of_fold_cases,
    ranking,
)
from skcredal.evaluation._page_data import evaluation_data, write_evaluation
from skcredal.evaluation._registry import DEFAULT, is_credal
from skcredal.evaluation._terminal import format_cell, new_table

__all__ = [
    "check_report",
    "evaluate_classifiers",
    "folds_for",
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
_SPLIT = {
    "classifier": ("", None),
    "n_safe": ("safe", 0),
    "accuracy_safe": ("accuracy", 3),
    "n_dependent": ("dependent", 0),
    "accuracy_dependent": ("accuracy", 3),
    "set_accuracy": ("set", 3),
    "output_size": ("size", 2),
    "u65_dependent": ("u65", 3),
    "u80_dependent": ("u80", 3),
}
_LEGEND = """\
u65    utility: a correct set of two classes counts 0.65; u80: it counts 0.80;
       without sets, the accuracy
Brier  mean of the squared errors of the probabilities of all classes
log-loss  mean of -log(probability of the true class)
"""
_SPLIT_LEGEND = """\
safe       rows with one class whatever the prior (of lp-aode*: the weights),
           and the accuracy on them
dependent  undecided rows, and the accuracy of the most probable class on them
set, size  share of their sets with the true class, and mean number of classes
u65, u80   mean utilities on these rows
"""


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
) -> list[dict[str, Any]]:
    """Cross-validate with a progress bar, and return the ranking."""
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
    with progress_bar("folds", runs * folds) as advance:
        sums = evaluate_table(
            classifiers,
            table.features,
            table.target,
            runs=runs,
            folds=folds,
            seed=seed,
            jobs=jobs,
            on_fold=lambda: advance(1),
        )
    return ranking(sums, classifiers)


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
    with progress_bar("folds", folds) as advance:
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


def print_ranking(rows: Sequence[Mapping[str, Any]], *, folds: int, runs: int, n: int) -> None:
    """Print the classifiers by utility, and the safe and dependent rows of the credal ones."""
    console = TableConsole()
    how = f"{n} rows, {runs} × {folds}-fold cross-validation"
    console.print(f"Classifiers by utility: {how}", highlight=False)
    console.print(_table(rows, _RANKING))
    console.print(_LEGEND, style="dim", highlight=False)
    credal = [row for row in rows if row["credal"]]
    if credal:
        console.print("Safe and dependent rows, over all runs", highlight=False)
        console.print(_table(credal, _SPLIT))
        console.print(_SPLIT_LEGEND, style="dim", highlight=False)


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, tuple[str, int | None]]) -> Table:
    table = new_table()
    for header, decimals in columns.values():
        table.add_column(header, justify="left" if decimals is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(format_cell(row[name], decimals) for name, (_, decimals) in columns.items()))
    return table
