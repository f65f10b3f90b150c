"""The arguments that commands share, with their help."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "AsClasses",
    "Data",
    "Decimal",
    "Delimiter",
    "Drop",
    "Encoding",
    "Folds",
    "Format",
    "Jobs",
    "Missing",
    "Model",
    "Runs",
    "Seed",
    "Target",
    "UsualMissing",
]

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="The table: CSV, TSV, Parquet or ARFF, also gzipped; - for standard input."
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model that skcredal fit wrote.")]
Target = Annotated[str, typer.Option(metavar="COL", help="The column that holds the class.")]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="A column to leave out; may be given several times.")
]
AsClasses = Annotated[
    bool, typer.Option("--as-classes", help="Take every value of the target for a class, however many.")
]
Format = Annotated[
    str | None, typer.Option(help="csv, tsv, parquet or arff; by default by the end of the name.")
]
Encoding = Annotated[str | None, typer.Option(help="The encoding of a CSV; found by default.")]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates its cells (a character, or tab); found by default.")
]
Decimal = Annotated[str | None, typer.Option(help="Its decimal sign, . or a comma; found by default.")]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="What stands for a missing value in a CSV, besides the usual: nothing, ?, NA, N/A, NaN, null "
        "(and None, - and . among numbers); may be given several times.",
    ),
]
UsualMissing = Annotated[
    bool | None,
    typer.Option(
        "--usual-missing/--no-usual-missing",
        help="Whether the usual ones are missing values; they are by default.",
        show_default=False,
    ),
]
Runs = Annotated[int, typer.Option(min=1, help="How often the rows are shuffled and split anew.")]
Folds = Annotated[
    int | None,
    typer.Option(min=2, help="Folds of the cross-validation; by default 10, fewer for a tiny table."),
]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the splits.")]
Jobs = Annotated[
    int | None, typer.Option(help="Processes; -1 for as many as there are cores. By default by the work.")
]
