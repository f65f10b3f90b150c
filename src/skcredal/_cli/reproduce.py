"""`skcredal reproduce`: the paper's experiment. No other module imports it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skcredal._cli.console import CallError
from skcredal._cli.interrupts import keep_from_workers
from skcredal._cli.options import Runs, Seed, Source, check_jobs, every_name, option, split_names
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
            help="Also run random forest (and its conformal sets), gradient boosting and logistic "
            "regression: several times as long.",
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
    # The report comes at the end, which would be too late to find a package missing.
    for module in ("matplotlib", "baycomp", "jinja2"):
        require(module, extra="paper", purpose="skcredal reproduce")
    # Imported here: it needs the packages that were just checked.
    from skcredal.paper import _command

    keep_from_workers()
    try:
        code = _command.reproduce(
            data,
            datasets=split_names("--datasets", datasets),
            classifiers=split_names("--classifiers", classifiers),
            setting=setting,
            runs=runs,
            folds=folds,
            seed=seed,
            jobs=jobs,
            out=out,
            baselines=baselines,
            fresh=fresh,
        )
    except (ValueError, FileNotFoundError, BlockingIOError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None
    raise typer.Exit(code)
