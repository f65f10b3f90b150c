"""The commands. Each imports what it needs when it runs: help must not wait for scikit-learn."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skcredal._cli.console import CallError, format_table, say
from skcredal._extras import require
from skcredal.evaluation._names import COMPARED, DEFAULT, counted, listed

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["datasets", "evaluate", "explain", "fit", "predict", "reproduce"]

# Options that are parameters of classifiers.
_PARAMETERS = ("epsilon", "credibility", "ess", "criterion", "missing", "handle_unknown", "max_categories")
# Rows per batch: few enough for a smooth progress bar, enough that the overhead does not show.
_ROWS = 20_000
# With fewer rows in all folds together, starting processes takes longer than the work.
_WORTH_PROCESSES = 100_000


def fit(arguments: Namespace) -> None:
    """Fit a classifier to a table and save it to a file.

    Numbers, text, booleans and missing values need no preparation; rows without a class
    are left out.

    Example: skcredal fit iris.csv --target class -o iris.skcredal

    (skcredal datasets iris -o iris.csv writes this table.)
    """
    from skcredal._cli import tables
    from skcredal.persistence import save

    # Everything that can be wrong with the call is checked before the table is read, which may take long.
    (made,) = _make([arguments.classifier], arguments).values()
    if arguments.out == "-":
        raise CallError("-o must be a file: a model cannot be written to standard output.")
    tables.check_file(arguments.out, [arguments.data])
    table = tables.label_table(arguments)
    made.fit(table.features, table.target)
    save(made, arguments.out, notes=table.notes)
    size = (*table.features.shape, len(made.classes_))
    rows, columns, classes = map(counted, size, ("row", "column", "class"))
    say("Note", f"Fitted {type(made).__name__} to {rows} and {columns}, {classes}; saved to {arguments.out}.")
    say("Note", tables.what_was_read(made))


def predict(arguments: Namespace) -> None:
    """Classify the rows of a table with a model.

    Writes an answer for each row, in the same order: the columns predicted (the most
    probable class) and probability_CLASS. A classifier with sets adds set (the classes
    not ruled out; separated by | in text, a list in Parquet), set_size, and lower_CLASS
    and upper_CLASS, the bounds of each probability; lp-aode*, bma-aode* and comp-aode*
    also add robustness. Standard error shows how many rows are undecided or close calls.
    Columns that the model does not know are ignored. The model remembers how each
    column was read, and reads new tables in the same way.

    Example: skcredal predict iris.skcredal iris.csv -o answers.csv
    """
    from skcredal._cli import tables
    from skcredal._progress import progress_bar
    from skcredal.classifiers._answers import Answers, answers, no_answers

    format_ = tables.check_output(arguments.out, [arguments.model, arguments.data])
    model, notes = tables.read_model(arguments.model)
    rows = tables.read_for_model(model, notes, arguments)
    frame = rows.features
    parts = [no_answers(model)]  # an estimator of scikit-learn refuses to be asked about nothing
    for name in rows.ids:
        if name in parts[0].columns():
            raise CallError(f"--id must not be the name of a column of the answers, got {name!r}.")
    with progress_bar("rows", len(frame), "predicting") as advance:
        for start in range(0, len(frame), _ROWS):
            parts.append(answers(model, frame.iloc[start : start + _ROWS]))
            advance(len(parts[-1].proba))
    found = Answers.joined(parts)
    tables.write_answers(rows.ids, found, arguments.out, format_)
    # Without rows it is not an error: it may be a step of a pipeline that had nothing to do.
    nothing = f"{tables.named(arguments.data)} has no rows, so the output has none either."
    say("Note", nothing if frame.empty else tables.doubts(found, arguments.close_call))
    if remark := tables.strange_values(model, frame):
        say("Note", remark)


def explain(arguments: Namespace) -> None:
    """Explain why a row was decided, or left undecided.

    Prints its set, whether it is undecided or a close call, the bounds of each class,
    and how robust the answer is. For lp-aode*: what each feature multiplies the odds of
    the answer by. For bma-aode* and comp-aode*: what each super-parent votes for, and
    the prior that flips the answer. Other classifiers cannot explain their answers.

    Example: skcredal explain iris.skcredal iris.csv --row 71
    """
    from skcredal._cli import tables
    from skcredal._cli.explanations import explain_row

    model, notes = tables.read_model(arguments.model)
    if not hasattr(model, "explain"):
        kind = type(model).__name__
        raise CallError(f"{kind} cannot explain its answers; lp-aode*, comp-aode* and bma-aode* can.")
    rows = tables.read_for_model(model, notes, arguments)
    n_rows, last = len(rows.features), max(arguments.row)
    if n_rows == 0:
        raise ValueError(f"{tables.named(arguments.data)} has no rows.")
    if last > n_rows:
        raise CallError(f"--row must be at most {n_rows}, the number of rows, got {last}.")
    texts = [explain_row(model, rows, number, arguments.close_call) for number in arguments.row]
    sys.stdout.write("\n\n".join(texts) + "\n")


def evaluate(arguments: Namespace) -> None:
    """Compare classifiers on a table by cross-validation.

    All classifiers learn from the same training folds and nothing else. They are ordered
    by the utility u65. For those with sets, it counts two kinds of doubt: undecided
    rows, in which several classes cannot be ruled out, and close calls, in which the only
    class left is not very probable. With --report, a self-contained page shows all this,
    and the doubtful cases with their reasons.

    Example: skcredal evaluate iris.csv --target class --report iris.html
    """
    import pandas as pd

    from skcredal._cli import tables
    from skcredal._cli.rankings import print_ranking, write_page
    from skcredal.evaluation import evaluate_table, make_classifiers, ranking
    from skcredal.evaluation._classifiers import BASELINES, MOST_ROWS

    usual = COMPARED[:4] if arguments.no_baselines else COMPARED
    made = _make("all" if arguments.classifiers == ["all"] else arguments.classifiers or usual, arguments)
    if arguments.report is not None:
        tables.check_file(arguments.report, [arguments.data], (".html", ".htm"), "--report")
        # The page compares with always giving the most frequent class, and with the usual alternatives.
        made |= {name: one for name, one in make_classifiers().items() if name in usual[3:]}
    format_ = None if arguments.out is None else tables.check_output(arguments.out, [arguments.data])
    table = tables.label_table(arguments)
    folds = _choose_folds(table, arguments.folds)
    n_rows = len(table.target) * (folds - 1) // folds
    if n_rows > MOST_ROWS and set(made) & set(BASELINES):
        some = f"{MOST_ROWS:,} of the {n_rows:,} rows of a training fold"
        table.say("Note", f"{listed([name for name in made if name in BASELINES], 3)} learn from {some}.")
    has_work = len(table.target) * arguments.runs * folds > _WORTH_PROCESSES
    protocol = {"runs": arguments.runs, "folds": folds, "seed": arguments.seed}
    protocol["jobs"] = arguments.jobs or (-1 if has_work else 1)
    report = arguments.report is not None
    evaluation = evaluate_table(made, table.features, table.target, explain=report, progress=True, **protocol)
    measures = pd.DataFrame(ranking(evaluation))
    # Files first: the reader of standard output may close it early, which ends the command.
    if format_ is not None and arguments.out != "-":
        tables.write_table(measures, arguments.out, format_)
    if report:
        write_page(arguments, table, evaluation, made.get(DEFAULT, made["null"]))
        say("Note", f"Wrote {arguments.report}, which opens with the cases of {evaluation.opening}.")
    if arguments.out == "-":
        tables.write_table(measures, "-", "csv")
    else:
        how = f"{len(table.target)} rows, {arguments.runs} × {folds}-fold cross-validation"
        print_ranking(measures, evaluation, how, arguments.close_call)


def _choose_folds(table: Any, folds: int | None) -> int:
    """Return the number of folds, by default fewer for a tiny table; refuse more than it allows."""
    most = max(Counter(table.target.tolist()).values())
    if most == 1:
        raise ValueError("Every row has a different class; there is nothing to learn.")
    if folds is None and most < 10:
        table.say("Note", f"Using {most} folds, because the most frequent class has only {most} rows.")
    if folds is not None and folds > most:
        raise CallError(f"--folds must be at most {most}, the rows of the most frequent class, got {folds}.")
    return folds or min(10, most)


def _make(names: Any, arguments: Namespace) -> dict[str, Any]:
    """Return classifiers by name, with the parameters of the call; one that none of them has is refused."""
    from skcredal.evaluation import make_classifiers

    given = {name: getattr(arguments, name) for name in _PARAMETERS}
    try:
        made = make_classifiers(names, **{name: value for name, value in given.items() if value is not None})
        for one in made.values():
            if hasattr(one, "_check_parameters"):  # those of scikit-learn have none of them
                one._check_parameters()
    except (ValueError, TypeError) as error:
        raise CallError(str(error)) from error
    return made


def datasets(arguments: Namespace) -> None:
    """List the data sets, or write one of them as a table.

    The list has their rows, features and classes.

    Example: skcredal datasets iris -o iris.csv
    """
    from skcredal._cli import tables
    from skcredal.datasets import load_dataset

    if arguments.name is None and arguments.out != "-":
        raise CallError("-o needs the NAME of a data set to write.")
    format_ = tables.check_output(arguments.out)
    try:
        if arguments.name is None:
            _list_datasets(arguments.data)
            return
        found = load_dataset(arguments.name, arguments.data)
    except (OSError, ValueError) as error:
        raise CallError(f"--data {arguments.data}: {error}") from error
    table = found.features.assign(**{str(found.target.name): found.target})
    # With all digits: a data set should read back as it was.
    tables.write_table(table, arguments.out, format_, float_format=None)


def _list_datasets(source: str) -> None:
    from skcredal.datasets import list_datasets, load_dataset
    from skcredal.datasets._openml import OPENML

    names, code = list_datasets(source), 0
    if not names:
        raise ValueError("none of the files in this folder ends in .arff.")
    rows = []
    for name in names:
        try:
            if source == "openml":
                # From the table of ids: listing the names must not download anything.
                sizes = (OPENML[name].n_rows, OPENML[name].n_features, OPENML[name].n_classes)
            else:
                found = load_dataset(name, source)
                sizes = (*found.features.shape, found.target.nunique())
            rows.append([name, *map(str, sizes)])
        except ValueError as error:
            # One broken file must not hide the others.
            code = 1
            say("Error", str(error))
    print(format_table(["name", "rows", "features", "classes"], rows, n_texts=1))
    sys.exit(code)


def reproduce(arguments: Namespace) -> None:
    """Run the paper's experiment, and check its claims.

    All classifiers of the paper are compared by cross-validation on the same folds.
    Finished folds are kept in the folder: after an interruption, the same call continues
    from there.

    Example: skcredal reproduce --datasets iris,wine --runs 1
    """
    # The report comes at the end, which would be too late to find a package missing.
    for module in ("matplotlib", "baycomp", "jinja2"):
        require(module, extra="paper", purpose="skcredal reproduce")
    from skcredal.paper import _command

    options = {name: value for name, value in vars(arguments).items() if name not in ("command", "debug")}
    try:
        code = _command.reproduce(options.pop("data"), **options | {"out": Path(arguments.out)})
    except (ValueError, FileNotFoundError, BlockingIOError) as error:
        raise CallError(str(error)) from error
    sys.exit(code)
