"""The application: all commands in one group."""

from __future__ import annotations

from typing import Annotated

import typer

import skcredal
from skcredal._cli.commands import datasets, evaluate, explain, fit, predict
from skcredal._cli.console import OneLineGroup, PlainCommand
from skcredal._cli.options import unfolded
from skcredal._cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(
    cls=OneLineGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Boxes leave a third of 80 columns for the help itself.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"skcredal {skcredal.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error. Can be given anywhere in the call."),
    ] = False,
) -> None:
    """Credal classification with AODE ensembles.

    To get started: skcredal datasets iris -o iris.csv
    """


for command in (fit, predict, explain, evaluate, datasets, reproduce):
    app.command(cls=PlainCommand)(unfolded(command))
