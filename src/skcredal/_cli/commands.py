"""The commands for a user's own table: fit, predict, explain and evaluate.

Each imports what it needs when it runs: help must not wait for scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from skcredal._cli.console import CallError, announce_compilation, note, recorded_notes, shown_warnings
from skcredal._cli.options import (
    AsClasses,
    Categorical,
    CloseCall,
    Credibility,
    Criterion,
    Data,
    Decimal,
    Delimiter,
    Drop,
    Encoding,
    Epsilon,
    Ess,
    Folds,
    Format,
    Id,
    Jobs,
    Missing,
    Model,
    Numeric,
    Runs,
    Seed,
    Sheet,
    Target,
    Thousands,
    TreatMissing,
    Unknown,
    UsualMissing,
    check_jobs,
    split_names,
)
from skcredal._names import CLOSE_CALL, DEFAULT, NAMES

__all__ = ["evaluate", "explain", "fit", "predict"]

# Rows per batch: few enough for a smooth progress bar, enough that the overhead does not show.
_ROWS = 20_000


def fit(
    data: Data,
    target: Target,
    out: Annotated[str, typer.Option("--out", "-o", metavar="MODEL", help="The model file to write.")],
    classifier: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"One of {', '.join(NAMES)} (write -star for *, which shells expand)."
        ),
    ] = DEFAULT,
    drop: Drop = None,
    id: Id = None,  # noqa: A002
    categorical: Categorical = None,
    numeric: Numeric = None,
    as_classes: AsClasses = False,
    epsilon: Epsilon = None,
    credibility: Credibility = None,
    ess: Ess = None,
    criterion: Criterion = None,
    treat_missing: TreatMissing = None,
    unknown: Unknown = None,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
    sheet: Sheet = None,
) -> None:
    """Fit a classifier to a table and save it to a file.

    Numbers, text, booleans and missing values need no preparation; rows without
    a class are left out.

    Example: skcredal fit iris.csv --target class -o iris.skcredal

    (skcredal datasets iris -o iris.csv writes this table.)
    """
    from skcredal._cli.models import check_file, what_was_read
    from skcredal._cli.parameters import given_parameters, make_all
    from skcredal._cli.user_tables import Reading, counted, label_table
    from skcredal.persistence import save

    # Everything that can be wrong with the call is checked before the table is read, which may take long.
    parameters = given_parameters(
        epsilon=epsilon,
        credibility=credibility,
        ess=ess,
        criterion=criterion,
        treat_missing=treat_missing,
        unknown=unknown,
    )
    (made,) = make_all([classifier], parameters).values()
    if out == "-":
        raise CallError("-o must be a file: a model cannot be written to standard output.")
    check_file(out, inputs=[data])
    reading = Reading(
        format, encoding, delimiter, decimal, thousands, missing, usual_missing, sheet, categorical, numeric
    )
    table = label_table(data, reading, target=target, drop=drop or [], ids=id or [], as_classes=as_classes)
    announce_compilation(made)
    with shown_warnings():
        made.fit(table.features, table.target)
    notes = {"target": table.name, "reading": reading.to_notes(), "ids": list(table.ids.columns)}
    save(made, out, notes=notes)
    rows, columns = table.features.shape
    note(
        f"Fitted {type(made).__name__} to {counted(rows, 'row')} and {counted(columns, 'column')}, "
        f"{counted(len(made.classes_), 'class')}; saved to {out}."
    )
    note(what_was_read(made))


def predict(
    model: Model,
    data: Data,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="OUT", help=".csv, .tsv or .parquet; - for standard output."),
    ] = "-",
    id: Id = None,  # noqa: A002
    close_call: CloseCall = CLOSE_CALL,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
    sheet: Sheet = None,
) -> None:
    r"""Classify the rows of a table with a model.

    Writes one row per row, in the same order, with the columns predicted (the most
    probable class) and probability_CLASS; for a classifier with sets also set (the
    classes that remain whatever the prior, or the weights; separated by | in text
    and a list in Parquet), set_size, and lower_CLASS and upper_CLASS, the bounds of
    each probability; and robustness (for lp-aode*, bma-aode* and comp-aode*).
    Columns that the model does not know are ignored. A table without rows gives a
    table without rows. How many rows are undecided or close calls is said on
    standard error. The model remembers the --missing, --decimal and
    --no-usual-missing it was fitted with.

    Example: skcredal predict iris.skcredal iris.csv -o answers.csv
    """
    from skcredal._cli.models import (
        Doubts,
        check_output,
        read_for_model,
        read_model,
        strange_values,
        table_writer,
    )
    from skcredal._cli.user_tables import Reading, display_name
    from skcredal._progress import progress_bar
    from skcredal.classifiers._answers import answers, no_answers
    from skcredal.scale._predictions import arrow_columns

    format_ = check_output(out, inputs=[model, data])
    kept = read_model(model)
    reading = Reading(format, encoding, delimiter, decimal, thousands, missing, usual_missing, sheet)
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
    announce_compilation(kept.classifier)
    ids, doubts = rows.id_columns(format_), Doubts.of(nothing, close_call)
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
            doubts += Doubts.of(found, close_call)
            advance(len(part))
    for remark in (doubts.in_words(close_call), strange_values(kept.classifier, frame)):
        if remark is not None:
            note(remark)


def explain(
    model: Model,
    data: Data,
    row: Annotated[
        list[int],
        typer.Option(
            min=1, metavar="N", help="Number of the row, from 1, not counting the header. Can be repeated."
        ),
    ],
    id: Id = None,  # noqa: A002
    close_call: CloseCall = CLOSE_CALL,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
    sheet: Sheet = None,
) -> None:
    """Explain why a row was decided, or left undecided.

    Prints its set, whether it is undecided or a close call, the bounds of each
    class, and how robust the answer is; for lp-aode* what each feature multiplies
    the odds of the answer by, for bma-aode* and comp-aode* what each super-parent
    votes for, and the prior that flips the answer. Other classifiers have no
    explanations.

    Example: skcredal explain iris.skcredal iris.csv --row 71
    """
    from skcredal._cli.explanations import explain_row
    from skcredal._cli.models import known_class, read_for_model, read_model
    from skcredal._cli.user_tables import Reading

    kept = read_model(model)
    classifier = kept.classifier
    if not hasattr(classifier, "explain"):
        raise CallError(
            f"{type(classifier).__name__} cannot explain its answers; lp-aode*, comp-aode* and bma-aode* can."
        )
    reading = Reading(format, encoding, delimiter, decimal, thousands, missing, usual_missing, sheet)
    rows = read_for_model(kept, data, reading, ids=id or ())
    frame, true = rows.features, rows.true
    for number in row:
        if number > len(frame):
            raise CallError(f"--row must be at most {len(frame)}, the number of rows, got {number}.")
    announce_compilation(classifier)
    with shown_warnings():
        texts = [
            explain_row(
                classifier,
                frame.iloc[[number - 1]],
                rows.title(number),
                known_class(kept, true, number - 1),
                close_call=close_call,
            )
            for number in row
        ]
    sys.stdout.write("\n\n".join(texts) + "\n")


def evaluate(
    data: Data,
    target: Target,
    classifiers: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help=f"Names separated by commas. Default: all, which are {', '.join(NAMES)} (write -star "
            "for *, which shells expand).",
        ),
    ] = None,
    drop: Drop = None,
    id: Id = None,  # noqa: A002
    categorical: Categorical = None,
    numeric: Numeric = None,
    runs: Runs = 1,
    folds: Folds = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="Also write the measures to this file: .csv, .tsv or .parquet."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Also write an HTML page: the classifiers side by side, also with scikit-learn's, and each "
            f"doubtful case with its reasons. It opens with {DEFAULT}, or else the first with sets.",
        ),
    ] = None,
    close_call: CloseCall = CLOSE_CALL,
    as_classes: AsClasses = False,
    epsilon: Epsilon = None,
    credibility: Credibility = None,
    ess: Ess = None,
    criterion: Criterion = None,
    treat_missing: TreatMissing = None,
    unknown: Unknown = None,
    format: Format = None,  # noqa: A002
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    missing: Missing = None,
    usual_missing: UsualMissing = None,
    sheet: Sheet = None,
) -> None:
    """Compare classifiers on a table by cross-validation.

    Everything is learned inside the training folds, and all classifiers see the
    same folds, and so do a random forest and a logistic regression (if all are
    compared, or with --report). They are ordered by the utility u65. For those with
    sets two kinds of doubt are counted: undecided rows, in which several classes
    remain, and close calls, whose one class is not very probable. With --report, a
    self-contained page shows all this, and the doubtful cases with their reasons.

    Example: skcredal evaluate iris.csv --target class --report iris.html
    """
    from skcredal._cli import evaluate as steps
    from skcredal._cli.models import check_output, write_table
    from skcredal._cli.parameters import given_parameters, make_all
    from skcredal._cli.user_tables import Reading, label_table
    from skcredal.evaluation import make_classifiers, ranking

    names = split_names("--classifiers", classifiers)
    parameters = given_parameters(
        epsilon=epsilon,
        credibility=credibility,
        ess=ess,
        criterion=criterion,
        treat_missing=treat_missing,
        unknown=unknown,
    )
    made = make_all(names, parameters)
    if report is not None:
        # The page compares with always giving the most frequent class.
        made = made | make_classifiers(["null"])
    format_ = None if out is None else check_output(out, inputs=[data])
    if report is not None:
        steps.check_report(report)
    check_jobs(jobs)
    reading = Reading(
        format, encoding, delimiter, decimal, thousands, missing, usual_missing, sheet, categorical, numeric
    )
    with recorded_notes() as messages:
        table = label_table(
            data, reading, target=target, drop=drop or [], ids=id or [], as_classes=as_classes
        )
        folds = steps.folds_for(table) if folds is None else folds
    announce_compilation(*made.values())
    evaluation = steps.evaluate_classifiers(
        table,
        made,
        baselines=steps.COMPARED_WITH if names is None or report is not None else (),
        explain=report is not None,
        runs=runs,
        folds=folds,
        seed=seed,
        jobs=jobs,
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
