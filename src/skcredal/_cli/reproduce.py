"""`skcredal reproduce`: the paper's experiment. No other module imports it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skcredal._cli.console import note
from skcredal._cli.interrupts import keep_from_workers
from skcredal._cli.options import Runs, Seed, Source, check_jobs, every_name, naming_data, option, split_names
from skcredal._extras import require

__all__ = ["reproduce"]


def reproduce(
    data: Source = "embedded",
    setting: Annotated[
        str,
        option(
            "SETTING", '"honest": discretise inside each training fold. "paper": once, on the whole data set.'
        ),
    ] = "honest",
    runs: Runs = 10,
    folds: Annotated[int, option("N", "Number of folds.", min=2)] = 5,
    datasets: Annotated[
        str | None, option("NAMES", "Names of data sets separated by commas. Default: all.")
    ] = None,
    classifiers: Annotated[
        str | None,
        option(
            "NAMES", every_name("Names of classifiers separated by commas. Default: all of them, which are")
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int, option("N", "Number of processes; -1 for one per core.")] = -1,
    out: Annotated[Path, option("FOLDER", "Folder for the results, finished and unfinished.")] = Path(
        "results"
    ),
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines",
            help="Also run random forest, gradient boosting and logistic regression of scikit-learn: several "
            "times as long.",
        ),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over, ignoring earlier results.")] = False,
) -> None:
    """Run the paper's experiment, and check its claims.

    All classifiers of the paper are compared by cross-validation on the same folds.

    Finished folds are kept in the folder: after an interruption, the same call
    continues from there.

    Example: skcredal reproduce --datasets iris,wine --runs 1
    """
    check_jobs(jobs)
    # The rivals and the report come at the end, which would be too late to find a package missing.
    for module in ("matplotlib", "baycomp", "mapie", "scikit_posthocs"):
        require(module, extra="paper", purpose="skcredal reproduce")
    # Imported here: it needs the packages that were just checked.
    from skcredal.evaluation._terminal import TableConsole
    from skcredal.paper import ResultStore, _command

    with naming_data():
        plan = _command.make_plan(
            data,
            split_names("--datasets", datasets),
            split_names("--classifiers", classifiers),
            setting=setting,
            runs=runs,
            folds=folds,
            seed=seed,
            baselines=baselines,
        )
        store = ResultStore(out / "results.sqlite", fresh=fresh)
    console = TableConsole()
    with store:
        keep_from_workers()
        outcome = _command.reproduce_plan(plan, store, jobs=jobs)
        if outcome.interrupted:
            # The tables of an earlier call stay as they are: they are complete.
            raise KeyboardInterrupt
        summary, claims, beyond = _command.write_answers(plan, store, outcome, out)
    _command.print_summary(summary, plan, outcome, console=console)
    if not summary.empty:
        _command.print_claims(claims, summary["dataset"].nunique(), console=console)
        _command.print_beyond(beyond, console=console)
        console.print(
            f"The report is {out / 'report.html'}; next to it are claims.md (each claim with our numbers), "
            "claims.json, summary.csv and results.csv.",
            highlight=False,
        )
    for name, reason in outcome.failures.items():
        note(f"{name}: {reason}", label="Error")
    if outcome.failures:
        raise typer.Exit(1)
