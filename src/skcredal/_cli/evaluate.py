"""`skcredal evaluate`: the classifiers side by side on the user's own table."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rich import box
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
from skcredal.evaluation._registry import is_credal, make_classifiers

__all__ = [
    "check_report",
    "evaluate_classifiers",
    "folds_for",
    "page_classifier",
    "print_ranking",
    "write_page",
]

# Below so many rows to learn from, starting processes takes longer than the work.
_WORTH_PROCESSES = 100_000
_FOLDS = 10
_RANKING = {
    "rank_u65": ("#", 0),
    "classifier": ("", None),
    "u65": ("u65", 3),
    "u80": ("u80", 3),
    "rank_u80": ("# by u80", 0),
    "accuracy": ("accuracy", 3),
    "brier": ("Brier", 3),
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
u65    utility, where one of two classes counts 0.65; u80, where it counts 0.80;
       of a classifier that always answers with one class, its accuracy
Brier  mean of (1 - probability of the true class)²
"""
_SPLIT_LEGEND = """\
safe       rows with one class whatever the prior, and the accuracy on them
dependent  rows left undecided, and the most probable class's accuracy on them
set, size  of these, how many sets hold the true class, and how large they are
u65, u80   the utilities on these
"""


def folds_for(table: LabelledTable) -> int:
    """Return how many folds a table is divided into where the call does not say."""
    most = most_folds(table.target)
    if 2 <= most < _FOLDS:  # with fewer, no number will do, and the evaluation says why
        note(f"{most} folds instead of {_FOLDS}, as the most frequent class has no more rows.")
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
    if len(set(table.target.tolist())) == len(table.target):
        raise ValueError(
            f"Each of {counted(len(table.target), 'row')} has a class of its own: a row whose class no other "
            "has cannot be judged by what was learned from the others."
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
    """Refuse a place that a page cannot be written to, before any work."""
    if report.is_dir() or not report.absolute().parent.is_dir():
        raise CallError(f"--report must be a file in a folder that exists, got {str(report)!r}.")
    if report.suffix.lower() not in (".html", ".htm"):
        raise CallError(f"--report must end in .html, got {str(report)!r}.")


def page_classifier(names: Sequence[str] | None) -> str:
    """Return whose cases the page shows: the first credal classifier that the call names, or COMP-AODE*.

    Examples
    --------
    >>> page_classifier(None), page_classifier(["aode", "ncc", "comp-aode*"]), page_classifier(["aode"])
    ('comp-aode*', 'ncc', 'comp-aode*')
    """
    return next(filter(is_credal, names or ()), "comp-aode*")


def write_page(
    report: Path,
    table: LabelledTable,
    rows: Sequence[Mapping[str, Any]],
    classifier: str,
    *,
    data: str,
    target: str,
    runs: int,
    folds: int,
    seed: int,
) -> None:
    """Judge each row by a credal classifier out of fold, and write the page."""
    (learner,) = make_classifiers([classifier]).values()
    with progress_bar("folds", folds) as advance:
        cases = out_of_fold_cases(
            table.features,
            table.target,
            cast(CredalMixin, learner),
            folds=folds,
            seed=seed,
            on_fold=lambda: advance(1),
        )
    # The file's name alone: a page that is passed on tells nothing of the machine.
    name = "standard input" if data == "-" else Path(data).name
    n, k = table.features.shape
    facts = {
        "Table": f"{name}: {n} rows, {k} features, {len(cases.classes)} classes in {target}",
        "Protocol": f"{runs} × {folds}-fold stratified cross-validation, everything learned inside the "
        "training folds; the cases are those of the first run",
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
    """Print the classifiers by utility, and the safe and prior-dependent rows of the credal ones."""
    console = TableConsole()
    how = f"{n} rows, {runs} × {folds}-fold cross-validation"
    console.print(f"Classifiers by utility: {how}", highlight=False)
    console.print(_table(rows, _RANKING))
    console.print(_LEGEND, style="dim", highlight=False)
    credal = [row for row in rows if row["credal"]]
    if credal:
        console.print("Safe and prior-dependent rows, over all runs", highlight=False)
        console.print(_table(credal, _SPLIT))
        console.print(_SPLIT_LEGEND, style="dim", highlight=False)


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, tuple[str, int | None]]) -> Table:
    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for header, decimals in columns.values():
        table.add_column(header, justify="left" if decimals is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row[name], decimals) for name, (_, decimals) in columns.items()))
    return table


def _cell(value: Any, decimals: int | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return str(value) if decimals is None else f"{value:.{decimals}f}"
