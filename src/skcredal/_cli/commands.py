"""The commands for tables: fit, predict, explain, evaluate and datasets.

Each imports what it needs when it runs: help must not wait for scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from skcredal._cli.console import CallError, note, recorded_notes, shown_warnings
from skcredal._cli.options import (
    CloseCall,
    Columns,
    Data,
    Id,
    Model,
    Parameters,
    Reading,
    Runs,
    Seed,
    Source,
    TableOut,
    Target,
    check_jobs,
    every_name,
    naming_data,
    option,
    split_names,
)
from skcredal.evaluation._names import CLOSE_CALL, COMPARED, DEFAULT, counted

__all__ = ["datasets", "evaluate", "explain", "fit", "predict"]

# Rows per batch: few enough for a smooth progress bar, enough that the overhead does not show.
_ROWS = 20_000


def fit(
    data: Data,
    *,
    target: Target,
    out: Annotated[str, option("MODEL", "The model file to write.", "--out", "-o")],
    classifier: Annotated[str, option("NAME", every_name("One of"))] = DEFAULT,
    columns: Columns,
    parameters: Parameters,
    reading: Reading,
) -> None:
    """Fit a classifier to a table and save it to a file.

    Numbers, text, booleans and missing values need no preparation; rows without
    a class are left out.

    Example: skcredal fit iris.csv --target class -o iris.skcredal

    (skcredal datasets iris -o iris.csv writes this table.)
    """
    from skcredal._cli.models import check_file, what_was_read
    from skcredal._cli.user_tables import label_table
    from skcredal.persistence import save

    # Everything that can be wrong with the call is checked before the table is read, which may take long.
    (made,) = parameters.make([classifier]).values()
    if out == "-":
        raise CallError("-o must be a file: a model cannot be written to standard output.")
    check_file(out, inputs=[data])
    table = label_table(data, reading, target, columns)
    with shown_warnings():
        made.fit(table.features, table.target)
    notes = {"target": table.name, "reading": reading.to_notes(), "ids": list(table.ids.columns)}
    save(made, out, notes=notes)
    n_rows, n_columns = table.features.shape
    note(
        f"Fitted {type(made).__name__} to {counted(n_rows, 'row')} and {counted(n_columns, 'column')}, "
        f"{counted(len(made.classes_), 'class')}; saved to {out}."
    )
    note(what_was_read(made))


def predict(
    model: Model,
    data: Data,
    *,
    out: TableOut = "-",
    id: Id = None,  # noqa: A002
    close_call: CloseCall = CLOSE_CALL,
    reading: Reading,
) -> None:
    """Classify the rows of a table with a model.

    Writes an answer for each row, in the same order: the columns predicted (the most
    probable class) and probability_CLASS. A classifier with sets adds set (the
    classes that remain; separated by | in text, a list in Parquet), set_size, and
    lower_CLASS and upper_CLASS, the bounds of each probability; lp-aode*, bma-aode*
    and comp-aode* also add robustness. Standard error tells how many rows are
    undecided or close calls. Columns that the model does not know are ignored. The
    model remembers the --missing, --decimal, --thousands and --no-usual-missing it
    was fitted with.

    Example: skcredal predict iris.skcredal iris.csv -o answers.csv
    """
    from skcredal._cli.models import (
        check_output,
        count_doubts,
        doubts_in_words,
        read_for_model,
        read_model,
        strange_values,
        table_writer,
    )
    from skcredal._cli.user_tables import display_name
    from skcredal._progress import progress_bar
    from skcredal.classifiers._answers import answers, no_answers
    from skcredal.scale._predictions import arrow_columns

    format_ = check_output(out, inputs=[model, data])
    kept = read_model(model)
    rows = read_for_model(kept, data, reading, ids=id or (), without_rows=True)
    frame = rows.features
    if frame.empty:
        # Not an error: it may be a step of a pipeline that had nothing to do.
        note(f"{display_name(data)} has no rows, so the output has none either.")
    # An estimator of scikit-learn refuses to be asked about nothing.
    nothing = no_answers(kept.classifier)
    for name in rows.ids:
        if name in nothing.columns():
            raise CallError(f"--id must not be the name of a column of the answers, got {name!r}.")
    ids, n_undecided, n_close = rows.id_columns(format_), 0, 0
    # Part by part: all answers together would take several times the memory of the table.
    with (
        progress_bar("rows", len(frame), "predicting") as advance,
        shown_warnings(),
        table_writer(out, format_) as write,
    ):
        for start in range(0, max(1, len(frame)), _ROWS):
            some = slice(start, start + _ROWS)
            part = frame.iloc[some]
            found = answers(kept.classifier, part) if len(part) else nothing
            columns = arrow_columns(found) if format_ == "parquet" else found.columns()
            write({name: column[some] for name, column in ids.items()} | columns)
            undecided, close = count_doubts(found, close_call)
            n_undecided, n_close = n_undecided + undecided, n_close + close
            advance(len(part))
    if not frame.empty:
        note(doubts_in_words(len(frame), None if nothing.sets is None else n_undecided, n_close, close_call))
    remark = strange_values(kept.classifier, frame)
    if remark is not None:
        note(remark)


def explain(
    model: Model,
    data: Data,
    *,
    row: Annotated[
        list[int], option("N", "Number of the row, from 1, not counting the header. Can be repeated.", min=1)
    ],
    id: Id = None,  # noqa: A002
    close_call: CloseCall = CLOSE_CALL,
    reading: Reading,
) -> None:
    """Explain why a row was decided, or left undecided.

    Prints its set, whether it is undecided or a close call, the bounds of each
    class, and how robust the answer is. For lp-aode*: what each feature multiplies
    the odds of the answer by. For bma-aode* and comp-aode*: what each super-parent
    votes for, and the prior that flips the answer. Other classifiers cannot explain
    their answers.

    Example: skcredal explain iris.skcredal iris.csv --row 71
    """
    from skcredal._cli.explanations import explain_row
    from skcredal._cli.models import read_for_model, read_model

    kept = read_model(model)
    classifier = kept.classifier
    if not hasattr(classifier, "explain"):
        raise CallError(
            f"{type(classifier).__name__} cannot explain its answers; lp-aode*, comp-aode* and bma-aode* can."
        )
    rows = read_for_model(kept, data, reading, ids=id or ())
    if max(row) > len(rows.features):
        raise CallError(f"--row must be at most {len(rows.features)}, the number of rows, got {max(row)}.")
    with shown_warnings():
        texts = [
            explain_row(
                classifier,
                rows.features.iloc[[number - 1]],
                rows.title(number),
                rows.known_class(number),
                close_call=close_call,
            )
            for number in row
        ]
    sys.stdout.write("\n\n".join(texts) + "\n")


def evaluate(
    data: Data,
    *,
    target: Target,
    classifiers: Annotated[
        str | None,
        option(
            "NAMES",
            every_name(f"Names separated by commas, or all. Default: {','.join(COMPARED)}. Others are"),
        ),
    ] = None,
    columns: Columns,
    runs: Runs = 1,
    folds: Annotated[
        int | None, option("N", "Number of folds. Default: 10, or fewer for a tiny table.", min=2)
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int | None,
        option("N", "Number of processes; -1 for one per core. Default: depends on the size of the table."),
    ] = None,
    out: Annotated[
        str | None,
        option("OUT", "Also write the measures to this file: .csv, .tsv or .parquet.", "--out", "-o"),
    ] = None,
    report: Annotated[
        Path | None,
        option(
            "FILE.html",
            "Also write an HTML page: all classifiers side by side, scikit-learn's among them, and "
            f"each doubtful case with its reasons. It opens with {DEFAULT}, or else the first with sets.",
        ),
    ] = None,
    close_call: CloseCall = CLOSE_CALL,
    parameters: Parameters,
    reading: Reading,
) -> None:
    """Compare classifiers on a table by cross-validation.

    All classifiers learn from the same training folds and nothing else; a random
    forest, a logistic regression and the null model are among them by default.
    They are ordered by the utility u65. For those with sets, two
    kinds of doubt are counted: undecided rows, in which several classes remain, and
    close calls, in which one remains that is not very probable. With --report, a
    self-contained page shows all this, and the doubtful cases with their reasons.

    Example: skcredal evaluate iris.csv --target class --report iris.html
    """
    from skcredal._cli import evaluate as steps
    from skcredal._cli.interrupts import keep_from_workers
    from skcredal._cli.models import check_file, check_output, write_table
    from skcredal._cli.user_tables import label_table
    from skcredal._progress import progress_bar
    from skcredal.evaluation import evaluate_table, make_classifiers, ranking

    names = "all" if classifiers == "all" else split_names("--classifiers", classifiers)
    made = parameters.make(names)
    if report is not None:
        check_file(str(report), inputs=[data], option="--report")
        if report.suffix.lower() not in (".html", ".htm"):
            raise CallError(f"--report must end in .html, got {str(report)!r}.")
        # The page compares with always giving the most frequent class.
        made |= make_classifiers(["null"])
    format_ = None if out is None else check_output(out, inputs=[data])
    check_jobs(jobs)
    with recorded_notes() as messages:
        table = label_table(data, reading, target, columns)
        folds = steps.choose_folds(table, folds)
    keep_from_workers()
    with progress_bar("folds", runs * folds, "comparing classifiers") as advance:
        evaluation = evaluate_table(
            made,
            table.features,
            table.target,
            explain=report is not None,
            runs=runs,
            folds=folds,
            seed=seed,
            jobs=steps.choose_jobs(table, runs * folds) if jobs is None else jobs,
            on_fold=lambda: advance(1),
        )
    rows = ranking(evaluation)
    measures = {name: [row[name] for row in rows] for name in rows[0]}
    # Files first: the reader of standard output may close it early, which ends the command.
    if out is not None and format_ is not None and out != "-":
        write_table(measures, out, format_)
    if report is not None:
        reader = made[evaluation.opening]
        steps.write_page(
            *(report, table, evaluation, reader, messages),
            data=data,
            close_call=close_call,
            runs=runs,
            seed=seed,
        )
        note(f"Wrote {report}, which opens with the cases of {evaluation.opening}.")
    if out == "-":
        write_table(measures, out, "csv")
    else:
        steps.print_ranking(rows, folds=folds, runs=runs, n=len(table.target))
        steps.print_doubt(rows, evaluation, close_call)


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Write this data set as a table.")
    ] = None,
    out: TableOut = "-",
    data: Source = "embedded",
) -> None:
    """List the data sets, or write one of them as a table.

    The list has their rows, features and classes.

    Example: skcredal datasets iris -o iris.csv
    """
    from skcredal._cli.models import check_output, write_table
    from skcredal.datasets import load_dataset

    if name is None:
        if out != "-":
            raise CallError("-o needs the NAME of a data set to write.")
        _list_sizes(data)
        return
    format_ = check_output(out)
    with naming_data():
        found = load_dataset(name, data)
    table = {str(column): found.features[column] for column in found.features}
    columns = {**table, str(found.target.name): found.target}
    # With all digits: a data set should read back as it was.
    write_table(columns, out, format_, float_format=None)


def _list_sizes(data: str) -> None:
    from skcredal.datasets import list_datasets, load_dataset
    from skcredal.datasets._openml import OPENML

    with naming_data():
        names = list_datasets(data)
    if not names:
        raise CallError(f"There is no data set in {data}: none of its files ends in .arff.")
    width = max(map(len, ["name", *names]))
    typer.echo(f"{'name':<{width}}  {'rows':>6}  {'features':>8}  {'classes':>7}")
    failures = 0
    for name in names:
        try:
            if data == "openml":
                # From the table of ids: listing the names must not download anything.
                entry = OPENML[name]
                sizes = (entry.n_rows, entry.n_features, entry.n_classes)
            else:
                found = load_dataset(name, data)
                sizes = (*found.features.shape, found.target.nunique())
        except ValueError as error:
            # One broken file must not hide the others.
            note(str(error), label="Error")
            failures += 1
            continue
        typer.echo(f"{name:<{width}}  {sizes[0]:>6}  {sizes[1]:>8}  {sizes[2]:>7}")
    if failures:
        raise typer.Exit(1)
