"""`skcredal evaluate`: compare the classifiers on the user's own table."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import skcredal
from skcredal._cli.console import CallError, note
from skcredal._cli.user_tables import LabelledTable
from skcredal.classifiers._base import TabularClassifier
from skcredal.evaluation._cross_validation import Evaluation, most_folds
from skcredal.evaluation._names import ALL_CLASSES, counted
from skcredal.evaluation._page import write_evaluation
from skcredal.evaluation._terminal import TableConsole, format_cell, new_table
from skcredal.evaluation._words import column_notes

__all__ = [
    "choose_folds",
    "choose_jobs",
    "print_doubt",
    "print_ranking",
    "write_page",
]

# With fewer rows in all folds together, starting processes takes longer than the work.
_WORTH_PROCESSES = 100_000
_FOLDS = 10
_RANKING = {
    "classifier": ("", None),
    "u65": ("u65", 3),
    "against_best": ("against the best", None),
    "u80": ("u80", 3),
    "accuracy": ("accuracy", 3),
    "brier_multiclass": ("Brier", 3),
    "log_loss": ("log-loss", 3),
}
_SETS = {
    "classifier": ("", None),
    "n_decided": ("decided", 0),
    "single_accuracy": ("right", 3),
    "n_close": ("close calls", 0),
    "close_accuracy": ("right", 3),
    "n_undecided": ("undecided", 0),
    "set_accuracy": ("in the set", 3),
    "output_size": ("size", 2),
}
_LEGEND = """\
u65    utility: a correct set of two classes counts 0.65; u80: it counts 0.80;
       without sets, the accuracy
against the best  how this one compares with the best by u65 over the folds:
       worse by more than 0.01 (95 % sure), probably worse (75 %), or no clear
       difference
Brier  mean of the squared errors of the probabilities of all classes
log-loss  mean of -log(probability of the true class)
"""
_SETS_LEGEND = """\
decided      rows in which one class remains, and how often it was right
close calls  decided rows whose class has a probability below {threshold}, and how
             often it was right; of the first run
undecided    rows in which several classes remain, how often the true one is
             among them, and how many remain on average
"""


def choose_folds(table: LabelledTable, folds: int | None) -> int:
    """Return the number of folds, by default fewer for a tiny table; refuse more than it allows."""
    # Else the message would only say that there are too many folds.
    if len(set(table.target.tolist())) == len(table.target):
        raise ValueError(
            f"Each of {counted(len(table.target), 'row')} has its own class, so nothing can be learned about "
            "a row from the others."
        )
    most = most_folds(table.target)
    if folds is None:
        folds = min(_FOLDS, most)
        if folds < _FOLDS:
            why = f"the most frequent class has only {folds} rows"
            note(f"Using {folds} folds instead of {_FOLDS}, because {why}.")
    if folds > most:
        rule = f"at most {most}, the number of rows of the most frequent class"
        raise CallError(f"--folds must be {rule}, got {folds}.")
    return folds


def choose_jobs(table: LabelledTable, n_folds: int) -> int:
    """Return the number of processes: one, or one per core for so many folds of a large table."""
    return -1 if len(table.target) * n_folds > _WORTH_PROCESSES else 1


def write_page(
    report: Path,
    table: LabelledTable,
    evaluation: Evaluation,
    reader: TabularClassifier,
    messages: Sequence[str],
    *,
    data: str,
    close_call: float,
    runs: int,
    seed: int,
) -> None:
    """Write the page; ``reader`` is the classifier whose way of reading the table it describes."""
    # Only the file name: a page that is passed on should not reveal folders of this machine.
    name = "standard input" if data == "-" else Path(data).name
    n, k = table.features.shape
    facts = {
        "Table": f"{name}: {n} rows, {k} features, {len(evaluation.classes)} classes in {table.name}",
        "Protocol": f"{runs} × {evaluation.folds}-fold stratified cross-validation, everything learned "
        "inside the training folds; the cases are from the first run",
        "Seed": str(seed),
        "Versions": f"skcredal {skcredal.__version__}, Python {platform.python_version()}",
    }
    write_evaluation(
        report,
        evaluation,
        title=f"{table.name} in {name}",
        numbers=table.numbers,
        ids=table.ids,
        close_call=close_call,
        columns=[*column_notes(reader, table.features, table.target), *_aside(table)],
        messages=messages,
        facts=facts,
    )


def _aside(table: LabelledTable) -> list[tuple[str, str, str, str]]:
    """Return what became of the columns that are not features."""
    uses = [
        (table.name, f"the target: {counted(len(np.unique(table.target)), 'class')}"),
        *((str(name), "an id: carried along, never learned from") for name in table.ids.columns),
        *((name, "left out, as you asked") for name in table.dropped),
    ]
    return [(name, "", use, "") for name, use in uses]


def print_ranking(rows: Sequence[Mapping[str, Any]], *, folds: int, runs: int, n: int) -> None:
    """Print the classifiers by utility."""
    console = TableConsole()
    how = f"{n} rows, {runs} × {folds}-fold cross-validation"
    console.print(f"Classifiers by utility: {how}", highlight=False)
    console.print(_table(rows, _RANKING))
    console.print(_LEGEND, style="dim", highlight=False)


def print_doubt(rows: Sequence[Mapping[str, Any]], evaluation: Evaluation, close_call: float) -> None:
    """Print the two kinds of doubt side by side: rows left undecided, and close calls."""
    shown = []
    for row in rows:
        if row["classifier"] == ALL_CLASSES or not row["credal"]:
            continue
        cases = evaluation.cases[row["classifier"]]
        close = cases.close_calls(close_call)
        accuracy = float(cases.correct[close].mean()) if close.any() else float("nan")
        shown.append({**row, "n_close": int(close.sum()), "close_accuracy": accuracy})
    if not shown:
        return
    console = TableConsole()
    console.print("Two kinds of doubt: undecided rows, and close calls", highlight=False)
    console.print(_table(shown, _SETS))
    console.print(_SETS_LEGEND.format(threshold=f"{100 * close_call:.4g} %"), style="dim", highlight=False)


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, tuple[str, int | None]]) -> Table:
    table = new_table()
    for header, decimals in columns.values():
        table.add_column(header, justify="left" if decimals is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(format_cell(row[name], decimals) for name, (_, decimals) in columns.items()))
    return table
