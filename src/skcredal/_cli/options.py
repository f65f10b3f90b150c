"""The arguments and options that commands share, with their help texts."""

from __future__ import annotations

from typing import Annotated

import typer

from skcredal._cli.console import CallError

__all__ = [
    "AsClasses",
    "Categorical",
    "CloseCall",
    "Credibility",
    "Criterion",
    "Data",
    "Decimal",
    "Delimiter",
    "Drop",
    "Encoding",
    "Epsilon",
    "Ess",
    "Folds",
    "Format",
    "Id",
    "Jobs",
    "Missing",
    "Model",
    "Numeric",
    "Runs",
    "Seed",
    "Sheet",
    "Source",
    "Target",
    "Thousands",
    "TreatMissing",
    "Unknown",
    "UsualMissing",
    "check_jobs",
    "split_names",
]

Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="The table: CSV, TSV, Excel, Parquet or ARFF; - for standard input."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model written by skcredal fit.")]
Target = Annotated[str, typer.Option(metavar="COL", help="The column with the class.")]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="A column to leave out. Can be repeated.")
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="A column whose values are categories, also if numbers. Repeatable."),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="A column that must be numbers: other values are refused. Repeatable."),
]
Id = Annotated[
    list[str] | None,
    typer.Option("--id", metavar="COL", help="A column that names the rows; never learned from. Repeatable."),
]
CloseCall = Annotated[
    float,
    typer.Option(
        "--close-call",
        min=0.0,
        max=1.0,
        metavar="P",
        help="An answer of one class is a close call if its probability is below this.",
    ),
]
AsClasses = Annotated[
    bool,
    typer.Option("--as-classes", help="Treat every value of the target as a class, however many there are."),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="csv, tsv, xlsx, parquet or arff. Default: judged by the file name."),
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Text encoding of a CSV. Default: detected.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHAR", help="Delimiter of a CSV: a character, or the word tab. Default: detected."),
]
Decimal = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Decimal sign of a CSV, . or a comma. Default: detected.")
]
Thousands = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", help="What groups the digits of numbers: . , ' or a blank. Default: detected."
    ),
]
Sheet = Annotated[
    str | None, typer.Option(metavar="NAME", help="Sheet of an Excel file: its name. Default: the first.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A text that marks a missing value in a CSV, in addition to the usual ones: an empty cell, ?, "
        "NA, N/A, NaN, null (and None, - and . among numbers). Can be repeated.",
    ),
]
UsualMissing = Annotated[
    bool | None,
    typer.Option(
        "--usual-missing/--no-usual-missing",
        help="Whether the usual texts mark missing values. Default: yes.",
        show_default=False,
    ),
]
Epsilon = Annotated[
    float | None,
    typer.Option(metavar="X", help="ε of bma-aode*, comp-aode* and cma. Default: chosen from the table."),
]
Credibility = Annotated[
    float | None, typer.Option(metavar="P", help="Credibility of lp-aode*. Default: 0.9.")
]
Ess = Annotated[
    float | None,
    typer.Option(metavar="X", help="Equivalent sample size of the prior. Default: 4 for lp-aode*, else 1."),
]
Criterion = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which classes remain: maximality, interval_dominance or, for bma-aode*, e_admissibility. "
        "Default: maximality.",
    ),
]
TreatMissing = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="Missing values: impute (by median or mode) or marginalize (leave out). Default: impute.",
    ),
]
Unknown = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="Categories not seen in training: ignore or error. Default: ignore."),
]
Runs = Annotated[int, typer.Option(metavar="N", min=1, help="Repetitions, each with new random folds.")]
Folds = Annotated[
    int | None,
    typer.Option(metavar="N", min=2, help="Number of folds. Default: 10, or fewer for a tiny table."),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Random seed of the folds.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of processes; -1 for one per core. Default: chosen from the size of the table.",
    ),
]
Source = Annotated[
    str,
    typer.Option(
        metavar="SOURCE",
        help='"embedded", "openml", or a folder of ARFF files whose last attribute is the class.',
    ),
]


def check_jobs(jobs: int | None) -> None:
    """Refuse 0 processes; joblib would do so in its own words."""
    if jobs == 0:
        raise CallError("--jobs must be a number of processes, or -1 for one per core, got 0.")


def split_names(option: str, text: str | None) -> list[str] | None:
    """Return the names in a comma-separated list without duplicates; None if the option is not given.

    Examples
    --------
    >>> split_names("--classifiers", "aode, ncc,aode")
    ['aode', 'ncc']
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise CallError(f"{option} must name at least one, or be left out for all, got {text!r}.")
    return list(dict.fromkeys(names))
