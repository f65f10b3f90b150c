"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

import skcredal
from skcredal.cli.reproduce import Reproduction, print_reproduction, run_reproduction
from skcredal.experiment.plan import CLASSIFIERS

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Credal classification with AODE ensembles.",
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
) -> None:
    """Credal classification with AODE ensembles."""


@app.command()
def reproduce(
    data: Annotated[
        str, typer.Option(help='"embedded", or a folder of ARFF files whose last attribute is the class.')
    ] = "embedded",
    datasets: Annotated[
        str | None, typer.Option(help="Names of data sets, separated by commas; all by default.")
    ] = None,
    classifiers: Annotated[
        str | None,
        typer.Option(
            help=f"Names of classifiers, separated by commas; all by default: {', '.join(CLASSIFIERS)} "
            "(-star may stand for the star, which shells expand)."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    runs: Annotated[int, typer.Option(min=1, help="How often the rows are shuffled and split anew.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the splits.")] = 0,
) -> None:
    """Compare the classifiers of the paper by cross-validation.

    Example: skcredal reproduce --datasets iris,wine --classifiers aode,comp-aode-star
    """
    errors = Console(stderr=True)
    try:
        plan = Reproduction.read(data, datasets, classifiers, folds=folds, runs=runs, seed=seed)
    except (ValueError, OSError) as error:
        errors.print(f"Error: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    outcome = run_reproduction(plan, console=errors)
    # Narrower tables would be cut to dots; a narrow terminal wraps the lines instead.
    print_reproduction(outcome, plan, console=Console(width=max(80, Console().width)))
    for name, reason in outcome.failures.items():
        errors.print(f"Error: {name}: {reason}", style="red", markup=False, highlight=False)
    if outcome.interrupted:
        finished = f"{len(outcome.summaries)} of {len(plan.datasets)} data sets"
        errors.print(f"Interrupted after {finished}.", style="red", highlight=False)
        raise typer.Exit(130)
    if outcome.failures:
        raise typer.Exit(1)
