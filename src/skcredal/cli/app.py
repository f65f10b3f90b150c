"""The commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import skcredal
from skcredal._extras import require
from skcredal.cli import commands
from skcredal.cli.console import CallError, OneLineGroup, TableConsole, note
from skcredal.cli.datasets import datasets
from skcredal.cli.reproduce import print_claims, print_summary, read_plan, reproduce_plan, write_answers
from skcredal.experiment.plan import CLASSIFIERS
from skcredal.experiment.store import ResultStore

__all__ = ["app"]

app = typer.Typer(
    cls=OneLineGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
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
        bool, typer.Option("--debug", help="Show where an error comes from; may stand anywhere in the call.")
    ] = False,
) -> None:
    """Credal classification with AODE ensembles.

    To begin with: skcredal datasets iris -o iris.csv
    """


for command in (commands.fit, commands.predict, commands.explain, commands.evaluate, datasets):
    app.command()(command)


@app.command()
def reproduce(
    data: Annotated[
        str,
        typer.Option(
            help='"embedded", "openml", or a folder of ARFF files whose last attribute is the class.'
        ),
    ] = "embedded",
    setting: Annotated[
        str,
        typer.Option(
            help='"honest": discretise inside each training fold. "paper": once, on the whole data set.'
        ),
    ] = "honest",
    runs: Annotated[int, typer.Option(min=1, help="How often the rows are shuffled and split anew.")] = 10,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
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
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the splits.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for as many as there are cores.")] = -1,
    out: Annotated[Path, typer.Option(help="Folder for the tables and for what is finished.")] = Path(
        "results"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what an earlier call has finished.")] = False,
) -> None:
    """Compare the classifiers of the paper by cross-validation, and check its claims.

    What is finished is kept in the folder: a call that was interrupted, even killed, goes on from there.

    Example: skcredal reproduce --datasets iris,wine --runs 1
    """
    errors = Console(stderr=True)
    if jobs == 0:
        raise CallError("--jobs must be a number of processes, or -1 for as many as there are cores, got 0.")
    # Its report is drawn at the end, which is too late to find that it cannot be.
    require("matplotlib", extra="cli", purpose="The report")
    store_path = out / "results.sqlite"
    try:
        plan = read_plan(data, datasets, classifiers, setting=setting, runs=runs, folds=folds, seed=seed)
        if fresh:
            store_path.unlink(missing_ok=True)
        store = ResultStore(store_path)
    except (ValueError, OSError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None
    console = TableConsole()
    with store:
        outcome = reproduce_plan(plan, store, jobs=jobs, console=errors)
        summary, claims = write_answers(plan, store, outcome, out)
    print_summary(summary, plan, outcome, console=console)
    if not summary.empty:
        print_claims(claims, console=console)
        console.print(
            f"The report is {out / 'report.html'}; beside it are claims.md (each claim with our numbers), "
            "claims.json, summary.csv and results.csv.",
            highlight=False,
        )
    for name, reason in outcome.failures.items():
        note(f"{name}: {reason}", label="Error")
    if outcome.interrupted:
        finished = f"{summary['dataset'].nunique()} of {len(plan.datasets)} data sets"
        errors.print(
            f"Interrupted after {finished}; the same call goes on from here.", style="red", highlight=False
        )
        raise typer.Exit(130)
    if outcome.failures:
        raise typer.Exit(1)
