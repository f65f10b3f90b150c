"""The commands for a table of one's own: fit, predict, explain and evaluate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from skcredal._cli.console import CallError, note, shown_warnings
from skcredal._cli.evaluate import (
    check_report,
    evaluate_classifiers,
    folds_for,
    page_classifier,
    print_ranking,
    write_page,
)
from skcredal._cli.models import (
    check_output,
    explain_row,
    known_class,
    read_for_model,
    read_model,
    write_table,
)
from skcredal._cli.options import (
    AsClasses,
    Data,
    Decimal,
    Delimiter,
    Drop,
    Encoding,
    Folds,
    Format,
    Jobs,
    Missing,
    Model,
    Runs,
    Seed,
    Target,
    UsualMissing,
)
from skcredal._cli.user_tables import Reading, counted, label_table, shown
from skcredal._extras import require
from skcredal._progress import progress_bar
from skcredal.classifiers._answers import Answers, answers, no_answers
from skcredal.evaluation._registry import CLASSIFIERS, make_classifiers
from skcredal.persistence import save
from skcredal.scale._predictions import arrow_columns

__all__ = ["evaluate", "explain", "fit", "predict"]

# Rows that are predicted at a time, between two steps of the progress bar.
_ROWS = 20_000


def fit(
    data: Data,
    target: Target,
    out: Annotated[str, typer.Option("--out", "-o", metavar="MODEL", help="The file to write.")],
    classifier: Annotated[
        str,
        typer.Option(help=f"One of {', '.join(CLASSIFIERS)} (-star for the star, which shells expand)."),
    ] = "comp-aode*",
    drop: Drop = None,
    as_classes: AsClasses = False,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
) -> None:
    """Learn a classifier from a table and keep it in a file.

    Numbers, text, booleans and missing values are taken as they are; rows without a class are left out.

    Example: skcredal fit iris.csv --target class -o iris.skcredal

    (skcredal datasets iris -o iris.csv writes this table.)
    """
    made = make_classifier(classifier)
    # Learning may take long, and without it nothing could be written.
    require("skops.io", extra="models", purpose="A model file")
    path = Path(out)
    if out == "-":
        raise CallError("-o must be a file: a model is not written to standard output.")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CallError(f"-o must be a file in a folder that exists, got {out!r}.")
    if data != "-" and path.exists() and Path(data).exists() and path.samefile(data):
        raise CallError(f"-o must not be the table itself, got {out!r}.")
    reading = Reading(format, encoding, delimiter, decimal, missing, usual_missing)
    table = label_table(data, reading, target=target, drop=drop or [], as_classes=as_classes)
    with shown_warnings():
        made.fit(table.features, table.target)
    save(made, path, notes={"target": table.name, "reading": reading.to_notes()})
    rows, columns = table.features.shape
    note(
        f"{type(made).__name__} learned from {counted(rows, 'row')} and {counted(columns, 'column')}, "
        f"{counted(len(made.classes_), 'class')}; written to {out}."
    )


def predict(
    model: Model,
    data: Data,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="OUT", help=".csv, .tsv or .parquet; - for standard output."),
    ] = "-",
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
) -> None:
    r"""Classify the rows of a table with a model.

    Writes a row for each row, in their order, with the columns predicted (the most probable class) and
    probability_CLASS; of a classifier with sets also set (the classes that remain whatever the prior,
    separated by | in text and a list in Parquet), set_size, and lower_CLASS and upper_CLASS, the bounds of
    each probability; and robustness (of bma-aode* and comp-aode*). Columns that the model does not know are
    ignored.
    A table without rows is answered by one. The model remembers with which --missing, --decimal and
    --no-usual-missing its table was read.

    Example: skcredal predict iris.skcredal iris.csv -o answers.csv
    """
    format_ = check_output(out, inputs=[model, data])
    kept = read_model(model)
    reading = Reading(format, encoding, delimiter, decimal, missing, usual_missing)
    frame, _ = read_for_model(kept, data, reading, without_rows=True)
    if frame.empty:
        # A step of a pipeline that had nothing to do.
        note(f"{shown(data)} has no rows, and so has the answer.")
    parts: list[Answers] = []
    with progress_bar("rows", len(frame)) as advance, shown_warnings():
        for start in range(0, max(1, len(frame)), _ROWS):
            part = frame.iloc[start : start + _ROWS]
            # An estimator of scikit-learn refuses to be asked about nothing.
            parts.append(answers(kept.classifier, part) if len(part) else no_answers(kept.classifier))
            advance(len(part))
    found = Answers.joined(parts)
    write_table(arrow_columns(found) if format_ == "parquet" else found.columns(), out, format_)


def explain(
    model: Model,
    data: Data,
    row: Annotated[
        list[int],
        typer.Option(min=1, metavar="N", help="Which row, from 1, without the header; several are fine."),
    ],
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
) -> None:
    """Say why a row was decided, or left undecided.

    Its set and the bounds of each class, how robust the answer is, which super-parents speak for what, and
    the prior that flips the answer. For bma-aode* and comp-aode*.

    Example: skcredal explain iris.skcredal iris.csv --row 71
    """
    kept = read_model(model)
    classifier = kept.classifier
    if not hasattr(classifier, "explain"):
        raise CallError(
            f"{type(classifier).__name__} has no set of priors over models, and nothing to explain with; "
            "comp-aode* and bma-aode* have."
        )
    reading = Reading(format, encoding, delimiter, decimal, missing, usual_missing)
    frame, true = read_for_model(kept, data, reading)
    for number in row:
        if number > len(frame):
            raise CallError(f"--row must be at most {len(frame)}, the number of rows, got {number}.")
    with shown_warnings():
        texts = [
            explain_row(classifier, frame.iloc[[number - 1]], number, known_class(kept, true, number - 1))
            for number in row
        ]
    sys.stdout.write("\n\n".join(texts) + "\n")


def evaluate(
    data: Data,
    target: Target,
    classifiers: Annotated[
        str | None,
        typer.Option(
            help=f"Names, separated by commas; all by default: {', '.join(CLASSIFIERS)} (-star may stand for "
            "the star, which shells expand)."
        ),
    ] = None,
    drop: Drop = None,
    runs: Runs = 1,
    folds: Folds = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="Write the measures, too: .csv, .tsv or .parquet."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Write a page: safe and prior-dependent cases, and why, of the first credal one of "
            "--classifiers, by default comp-aode*.",
        ),
    ] = None,
    as_classes: AsClasses = False,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
) -> None:
    """Compare classifiers on a table by cross-validation.

    Everything is learned inside the training folds, and all classifiers see the same ones. They are ranked by
    the utilities u65 and u80, and the credal ones also tell how many rows are safe and how many depend on the
    prior. With --report, a page that needs nothing else shows each prior-dependent case, and why it is one
    (of bma-aode* and comp-aode*, the only ones that can tell).

    Example: skcredal evaluate iris.csv --target class --report iris.html
    """
    names = None if classifiers is None else [name.strip() for name in classifiers.split(",") if name.strip()]
    if names == []:
        raise CallError(f"--classifiers must name something, or be left out for all, got {classifiers!r}.")
    made = make_all(names)
    format_ = None if out is None else check_output(out, inputs=[data])
    if report is not None:
        check_report(report)
    if jobs == 0:
        raise CallError("--jobs must be a number of processes, or -1 for as many as there are cores, got 0.")
    reading = Reading(format, encoding, delimiter, decimal, missing, usual_missing)
    table = label_table(data, reading, target=target, drop=drop or [], as_classes=as_classes)
    folds = folds_for(table) if folds is None else folds
    rows = evaluate_classifiers(table, made, runs=runs, folds=folds, seed=seed, jobs=jobs)
    measures = {name: [row[name] for row in rows] for name in rows[0]}
    # Files come first: whoever reads standard output may have enough of it, which ends the command.
    if out is not None and format_ is not None and out != "-":
        write_table(measures, out, format_)
    if report is not None:
        chosen = page_classifier(None if names is None else list(made))
        write_page(report, table, rows, chosen, data=data, target=target, runs=runs, folds=folds, seed=seed)
        note(f"The page is {report}; its cases are those of {chosen}.")
    if out == "-":
        write_table(measures, out, "csv")
    else:
        print_ranking(rows, folds=folds, runs=runs, n=len(table.target))


def make_all(names: list[str] | None) -> dict[str, Any]:
    """Return classifiers by their names; a name that does not exist is a mistake of the call."""
    try:
        return make_classifiers(names)
    except ValueError as error:
        raise CallError(str(error)) from None


def make_classifier(name: str) -> Any:
    """Return one classifier by its name."""
    (made,) = make_all([name]).values()
    return made
