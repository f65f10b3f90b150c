"""What `skcredal evaluate` prints and writes."""

from __future__ import annotations

import platform
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import skcredal
from skcredal._cli.tables import LabelledTable
from skcredal.classifiers._base import TabularClassifier
from skcredal.evaluation import Evaluation, write_evaluation
from skcredal.evaluation._names import ALL_CLASSES, counted
from skcredal.evaluation._words import column_notes

__all__ = ["print_ranking", "write_page"]

# The columns that are printed, with their headers.
_RANKING = {"u65": "u65", "against_best": "against the best", "u80": "u80", "accuracy": "accuracy"}
_RANKING |= {"balanced_accuracy": "balanced", "auc": "AUC", "log_loss": "log-loss"}
_SETS = {"n_decided": "decided", "single_accuracy": "right", "n_close": "close calls"}
_SETS |= {"close_accuracy": "right", "n_undecided": "undecided", "set_accuracy": "in the set"}
_SETS |= {"output_size": "size"}
_LEGEND = """
u65, u80     utility: a correct set of two classes counts 0.65 or 0.80; without
             sets, it is the accuracy
against the best  worse by more than 0.01 in u65 over the folds (95 % sure),
             probably worse (75 %), or no clear difference
balanced     balanced accuracy: the mean recall of the classes; this and AUC
             (for two classes) are those of the first run
log-loss     mean of -log(probability of the true class)
"""
_SETS_LEGEND = """
decided      rows in which only one class can be the most probable, and how
             often it was right
close calls  those of the first run with a probability below {:.4g} %
undecided    rows in which several classes cannot be ruled out, how often the
             true one is among them, and how many they are on average"""


def print_ranking(rows: pd.DataFrame, evaluation: Evaluation, how: str, close_call: float) -> None:
    """Print the classifiers by utility, and their two kinds of doubt: undecided rows, and close calls."""
    print(f"Classifiers by utility: {how}\n\n{_table(rows.dropna(axis=1, how='all'), _RANKING)}\n{_LEGEND}")
    credal = rows[rows["credal"] & (rows["classifier"] != ALL_CLASSES)].copy()
    if credal.empty:
        return
    cases = [evaluation.cases[name] for name in credal["classifier"]]
    right = [one.correct[one.close_calls(close_call)] for one in cases]
    credal["n_close"] = [len(some) for some in right]
    credal["close_accuracy"] = [some.mean() if len(some) else np.nan for some in right]
    print("Two kinds of doubt: undecided rows, and close calls\n")
    print(_table(credal.astype({"n_decided": int, "n_undecided": int}), _SETS))
    print(_SETS_LEGEND.format(100 * close_call))


def _table(rows: pd.DataFrame, headers: Mapping[str, str]) -> str:
    shown = rows.set_index("classifier").filter(list(headers)).rename(columns=headers)
    return shown.rename_axis(None).to_string(float_format="{:.3f}".format, na_rep="-")


def write_page(
    arguments: Namespace, table: LabelledTable, evaluation: Evaluation, reader: TabularClassifier
) -> None:
    """Write the page; ``reader`` is the classifier whose way of reading the table it describes."""
    # Only the file name: a page that is passed on should not reveal folders of this machine.
    name = "standard input" if arguments.data == "-" else Path(arguments.data).name
    n, k = table.features.shape
    facts = {
        "Table": f"{name}: {n} rows, {k} features, {len(evaluation.classes)} classes in {table.name}",
        "Protocol": f"{arguments.runs} × {evaluation.folds}-fold stratified cross-validation, everything "
        "learned inside the training folds; the cases are from the first run",
        "Seed": str(arguments.seed),
        "Versions": f"skcredal {skcredal.__version__}, Python {platform.python_version()}",
    }
    aside = [(table.name, "", f"the target: {counted(len(evaluation.classes), 'class')}", "")]
    aside += [(str(one), "", "an id: shown, but not learned from", "") for one in table.ids.columns]
    aside += [(one, "", f"left out: {why}", "") for one, why in table.dropped.items()]
    write_evaluation(
        arguments.report,
        evaluation,
        title=f"{table.name} in {name}",
        numbers=table.numbers,
        ids=table.ids,
        close_call=arguments.close_call,
        columns=[*column_notes(reader, table.features, table.target), *aside],
        messages=table.messages,
        facts=facts,
    )
