"""`skcredal reproduce`: the paper's experiment. The only place that imports it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from skcredal._cli.console import CallError, TableConsole, note
from skcredal._extras import require
from skcredal.evaluation import CLASSIFIERS

__all__ = ["reproduce"]


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
    # Rivals and the report come at the end, which is too late to find that they cannot be had.
    for module in ("matplotlib", "baycomp", "mapie", "scikit_posthocs"):
        require(module, extra="paper", purpose="skcredal reproduce")
    from skcredal.paper import ResultStore, _command

    store_path = out / "results.sqlite"
    try:
        plan = _command.read_plan(
            data, datasets, classifiers, setting=setting, runs=runs, folds=folds, seed=seed
        )
        if fresh:
            store_path.unlink(missing_ok=True)
        store = ResultStore(store_path)
    except (ValueError, OSError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None
    console = TableConsole()
    with store:
        outcome = _command.reproduce_plan(plan, store, jobs=jobs)
        summary, claims = _command.write_answers(plan, store, outcome, out)
    _command.print_summary(summary, plan, outcome, console=console)
    if not summary.empty:
        _command.print_claims(claims, console=console)
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
