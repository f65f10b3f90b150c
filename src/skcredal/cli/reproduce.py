"""`skcredal reproduce`: run the comparison with a progress bar, and print what came out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from skcredal.classifiers.base import TabularClassifier
from skcredal.data.datasets import list_datasets, load_dataset
from skcredal.experiment.plan import is_credal, make_classifiers
from skcredal.experiment.run import cross_validate, summarise

__all__ = ["Reproduction", "ReproductionOutcome", "print_reproduction", "run_reproduction"]


_CREDAL_MEASURES = {
    "n_indeterminate": "undec.",
    "determinacy": "determ",
    "single_accuracy": "single",
    "set_accuracy": "set",
    "output_size": "size",
    "u65": "u65",
    "u80": "u80",
    "accuracy_dependent": "dep.",
}
_LEGEND = """\
undec.  how many rows have several classes, in all data sets
determ  share of rows with one class
single  accuracy on these
set     of the rows with several classes, how many hold the true one
size    how many classes these have
u65     utility, where one of two classes counts 0.65; u80, where it counts 0.80
dep.    accuracy of the most probable class on the rows with several classes
"""
_BRIER = "Brier: mean of (1 - probability of the true class)², as in the paper."


@dataclass(frozen=True)
class Reproduction:
    """What to run."""

    source: str
    datasets: list[str]
    classifiers: dict[str, TabularClassifier]
    folds: int
    runs: int
    seed: int

    @classmethod
    def read(
        cls,
        data: str,
        datasets: str | None,
        classifiers: str | None,
        *,
        folds: int,
        runs: int,
        seed: int,
    ) -> Reproduction:
        """Read the options of the command line; names that do not exist are refused before any work."""
        there = list_datasets(data)
        if not there:
            raise ValueError(f"There is no data set in {data}: no file there ends in .arff.")
        names = there if datasets is None else _names("--datasets", datasets)
        for name in names:
            if name not in there:
                raise ValueError(f"There is no data set {name!r} in {data}; there are {', '.join(there)}.")
        chosen = make_classifiers(None if classifiers is None else _names("--classifiers", classifiers))
        return cls(data, names, chosen, folds, runs, seed)


def _names(option: str, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ValueError(f"{option} must name something, or be left out for all, got {text!r}.")
    return names


@dataclass
class ReproductionOutcome:
    """The measures of each data set and classifier, and what went wrong."""

    summaries: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def run_reproduction(plan: Reproduction, *, console: Console) -> ReproductionOutcome:
    """Run the plan; a data set that fails is set aside, and Ctrl-C keeps what is finished."""
    outcome = ReproductionOutcome()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("fits,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    fits = plan.folds * plan.runs * len(plan.classifiers)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=fits * len(plan.datasets))
        for place, name in enumerate(plan.datasets):
            progress.update(task, description=f"{name:<15}", completed=place * fits)
            try:
                found = cross_validate(
                    load_dataset(name, plan.source),
                    plan.classifiers,
                    folds=plan.folds,
                    runs=plan.runs,
                    seed=plan.seed,
                    on_fold=lambda: progress.advance(task),
                )
                outcome.summaries[name] = {
                    classifier: summarise(predictions) for classifier, predictions in found.items()
                }
            except (ValueError, OSError) as error:
                outcome.failures[name] = str(error)
            except KeyboardInterrupt:
                outcome.interrupted = True
                break
    return outcome


def print_reproduction(outcome: ReproductionOutcome, plan: Reproduction, *, console: Console) -> None:
    """Print tables by data set, one of the credal classifiers by their means, and what the paper found."""
    if not outcome.summaries:
        return
    folds = f"{plan.folds}-fold cross-validation" + (f", {plan.runs} runs" if plan.runs > 1 else "")
    if outcome.interrupted:
        folds += f" (interrupted: {len(outcome.summaries)} of {len(plan.datasets)} data sets)"
    determinate = [name for name in plan.classifiers if not is_credal(name)]
    credal = [name for name in plan.classifiers if is_credal(name)]
    if determinate:
        console.print(_by_dataset(outcome, plan, determinate, "accuracy", f"Accuracy, {folds}"))
        console.print(_by_dataset(outcome, plan, determinate, "brier", f"Brier loss, {folds}"))
        console.print(_BRIER, style="dim", highlight=False)
    if credal:
        console.print(_by_dataset(outcome, plan, credal, "determinacy", f"Determinacy, {folds}"))
        console.print(_by_dataset(outcome, plan, credal, "u65", f"Utility u65, {folds}"))
        console.print(_by_dataset(outcome, plan, credal, "u80", f"Utility u80, {folds}"))
        console.print(_by_classifier(outcome, credal, f"Credal classifiers, means over data sets, {folds}"))
        console.print(_LEGEND, style="dim", highlight=False)
    for line in _comparisons(outcome):
        console.print(line, markup=False, highlight=False)


def _new_table(title: str, **options: Any) -> Table:
    return Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        **options,
    )


def _by_dataset(
    outcome: ReproductionOutcome, plan: Reproduction, classifiers: list[str], measure: str, title: str
) -> Table:
    table = _new_table(title, show_footer=True)
    table.add_column("data set", footer="mean", no_wrap=True)
    table.add_column("rows", justify="right")
    for name in classifiers:
        mean = _mean(summary[name][measure] for summary in outcome.summaries.values())
        header = name.replace("-", "-\n")  # narrow columns: seven of them fit 80 characters
        table.add_column(header, justify="right", footer=_number(mean, measure))
    for dataset, summary in outcome.summaries.items():
        n_rows = next(iter(summary.values()))["n"] / plan.runs
        cells = [_number(summary[name][measure], measure) for name in classifiers]
        table.add_row(dataset, f"{n_rows:.0f}", *cells)
    return table


def _by_classifier(outcome: ReproductionOutcome, classifiers: list[str], title: str) -> Table:
    table = _new_table(title)
    table.add_column("", no_wrap=True)
    for header in _CREDAL_MEASURES.values():
        table.add_column(header, justify="right")
    for name in classifiers:
        of_sets = [summary[name] for summary in outcome.summaries.values()]
        cells = [
            sum(of_set[measure] for of_set in of_sets)
            if measure == "n_indeterminate"
            else _mean(of_set[measure] for of_set in of_sets)
            for measure in _CREDAL_MEASURES
        ]
        table.add_row(name, *map(_number, cells, _CREDAL_MEASURES))
    return table


def _number(value: float, measure: str) -> str:
    if math.isnan(value):
        return "-"
    decimals = {"output_size": 2, "n_indeterminate": 0}.get(measure, 3)
    return f"{value:.{decimals}f}"


def _mean(values: Iterable[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return statistics.fmean(there) if there else math.nan


def _comparisons(outcome: ReproductionOutcome) -> list[str]:
    """Return the headline figures beside the paper's, where the classifiers were run."""
    sets = outcome.summaries.values()
    lines = []

    def compare(what: str, paper: str, value: Callable[[dict[str, dict[str, float]]], float]) -> None:
        try:
            ours = _mean(value(summary) for summary in sets)
        except KeyError:
            return
        lines.append(f"{what:<24}  {ours:.3f} here; {paper} in the paper, on its own 39 data sets")

    compare("Brier, BMA-AODE / AODE", "1.03", lambda s: s["bma-aode"]["brier"] / s["aode"]["brier"])
    compare("Brier, COMP-AODE / AODE", "0.97", lambda s: s["comp-aode"]["brier"] / s["aode"]["brier"])
    compare("determinacy, BMA-AODE*", "0.94", lambda s: s["bma-aode*"]["determinacy"])
    compare("determinacy, COMP-AODE*", "0.99", lambda s: s["comp-aode*"]["determinacy"])
    return lines
