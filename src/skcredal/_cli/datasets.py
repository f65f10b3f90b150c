"""`skcredal datasets`: list the data sets, or write one of them as a table."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

import typer

from skcredal._cli.console import CallError, note
from skcredal._cli.options import Source

__all__ = ["datasets"]


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Write this data set as a table.")
    ] = None,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="OUT", help=".csv, .tsv or .parquet; - for standard output."),
    ] = "-",
    data: Source = "embedded",
) -> None:
    """List the data sets, or write one of them as a table.

    The list has their rows, features and classes.

    Example: skcredal datasets iris -o iris.csv
    """
    # Imported here, and below: help must not wait for pandas and scikit-learn.
    from skcredal._cli.models import check_output, write_table
    from skcredal.datasets import load_dataset

    if name is None:
        if out != "-":
            raise CallError("-o needs the NAME of a data set to write.")
        _list_sizes(data)
        return
    format_ = check_output(out)
    try:
        found = load_dataset(name, data)
    except (OSError, ValueError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None
    table = {str(column): found.features[column] for column in found.features}
    columns = {**table, _free_name(found.target.name or "class", table): found.target}
    # With all digits: a data set should read back as it was.
    write_table(columns, out, format_, float_format=None)


def _free_name(name: Any, taken: Collection[str]) -> str:
    """Return the name, followed by underscores if a feature already has it."""
    free = str(name)
    while free in taken:
        free += "_"
    return free


def _list_sizes(data: str) -> None:
    from skcredal.datasets import list_datasets

    try:
        names = list_datasets(data)
    except (OSError, ValueError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None
    if not names:
        raise CallError(f"There is no data set in {data}: none of its files ends in .arff.")
    width = max(map(len, ["name", *names]))
    typer.echo(f"{'name':<{width}}  {'rows':>6}  {'features':>8}  {'classes':>7}")
    failures = 0
    for name in names:
        try:
            sizes = _sizes(name, data)
        except ValueError as error:
            # One broken file must not hide the others.
            note(str(error), label="Error")
            failures += 1
            continue
        typer.echo(f"{name:<{width}}  {sizes[0]:>6}  {sizes[1]:>8}  {sizes[2]:>7}")
    if failures:
        raise typer.Exit(1)


def _sizes(name: str, source: str) -> tuple[int, int, int]:
    from skcredal.datasets import load_dataset
    from skcredal.datasets._openml import OPENML

    if source == "openml":
        # From the table of ids: listing the names must not download anything.
        entry = OPENML[name]
        return entry.n_rows, entry.n_features, entry.n_classes
    found = load_dataset(name, source)
    return (*found.features.shape, found.target.nunique())
