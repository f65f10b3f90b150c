"""`skcredal reproduce`: run the comparison with a progress bar, write the tables, print the results."""

from __future__ import annotations

import platform
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console, JustifyMethod
from rich.table import Table

import skcredal
from skcredal._files import replacing
from skcredal._progress import progress_bar
from skcredal.datasets import list_datasets
from skcredal.evaluation._registry import is_credal, make_classifiers
from skcredal.evaluation._terminal import format_cell, new_table
from skcredal.paper._beyond import beyond_as_markdown, beyond_data
from skcredal.paper._claims import check_claims
from skcredal.paper._page import write_report
from skcredal.paper._run import Outcome, Plan, Progress, run_plan
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import studies_of
from skcredal.paper._summary import (
    PAPER_CLASSIFIERS,
    datasets_word,
    fold_table,
    study_table,
    summary_table,
)
from skcredal.paper._verdicts import (
    AUTHORS,
    TITLE,
    URL,
    VERDICTS,
    Claim,
    claims_as_json,
    claims_as_markdown,
    reasons_of,
    reasons_title,
    tally,
    what_it_is,
)

__all__ = ["make_plan", "print_beyond", "print_claims", "print_summary", "reproduce_plan", "write_answers"]

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
undec.  number of rows with several classes, in all data sets
determ  share of rows with a single class
single  accuracy on these rows
set     share of the rows with several classes whose set has the true class
size    mean number of classes in these sets
u65     utility: a correct set of two classes counts 0.65; u80: it counts 0.80
dep.    accuracy of the most probable class on the rows with several classes
"""
_BEYOND_HEADERS = {
    "classifier": "",
    "accuracy": "acc.",
    "brier": "Brier",
    "brier_multiclass": "Brier\nall",
    "log_loss": "log-\nloss",
    "optimal_u65": "u65\nopt.",
    "optimal_u80": "u80\nopt.",
    "u65": "u65\nmax.",
    "u80": "u80\nmax.",
}
_BRIER = "Brier: mean of (1 - probability of the true class)², as in the paper."


def make_plan(
    data: str,
    datasets: list[str] | None,
    classifiers: list[str] | None,
    *,
    setting: str,
    runs: int,
    folds: int,
    seed: int,
    baselines: bool = False,
) -> Plan:
    """Return the plan for the options of the command line; unknown names are refused before any work."""
    there = list_datasets(data)
    if not there:
        raise ValueError(f"There is no data set in {data}: none of its files ends in .arff.")
    names = there if datasets is None else datasets
    for name in names:
        if name not in there:
            raise ValueError(f"There is no data set {name!r} in {data}. Choose from {', '.join(there)}.")
    chosen = make_classifiers(classifiers)
    return Plan(data, names, chosen, setting, runs, folds, seed, baselines)


def reproduce_plan(plan: Plan, store: ResultStore, *, jobs: int) -> Outcome:
    """Run the plan with a progress bar; after Ctrl-C, finished folds are kept."""
    with progress_bar("fits", plan.n_fits, "cross-validation") as advance:

        def show(at: Progress) -> None:
            advance(at.fits, f"{at.dataset}, run {at.run + 1}, fold {at.fold + 1}")

        return run_plan(plan, store, jobs=jobs, on_progress=show)


class Answers(NamedTuple):
    """What was found: the summary, the claims, and what is beyond the paper, as `beyond_data` returns it."""

    summary: Any
    claims: list[Claim]
    beyond: dict[str, Any] | None


def write_answers(plan: Plan, store: ResultStore, outcome: Outcome, folder: Path) -> Answers:
    """Write the tables, the claims and the report into the folder, and return what was found.

    All of them are written before the first takes the place of an older one, and none if nothing was found.
    """
    summary = summary_table(plan, store, outcome.facts)
    claims = check_claims(summary)
    studies = {name: study_table(name, plan, store, outcome.facts) for name in studies_of(plan.names)}
    beyond = beyond_data(summary, studies)
    if summary.empty:
        return Answers(summary, claims, beyond)
    tables = {"results": fold_table(plan, store, outcome.facts), "summary": summary, **studies}
    texts = {f"{name}.csv": table.to_csv(index=False) for name, table in tables.items()}
    texts["claims.json"] = claims_as_json(claims)
    texts["claims.md"] = (
        f"{_preface(plan, summary)}{claims_as_markdown(claims)}\n{beyond_as_markdown(beyond)}"
    )
    with ExitStack() as written:
        for name, text in texts.items():
            file = written.enter_context(replacing(folder / name))
            file.write_text(text, encoding="utf-8", newline="\n")
        report = written.enter_context(replacing(folder / "report.html"))
        write_report(report, summary, claims, _facts(plan, outcome), studies=studies, beyond=beyond)
    return Answers(summary, claims, beyond)


def _preface(plan: Plan, summary: Any) -> str:
    """Return what claims.md opens with: what the words mean, what was run, and where to read the paper."""
    about = what_it_is(summary["classifier"].nunique(), summary["dataset"].nunique(), _protocol(plan))
    return f"# The paper's claims\n\n{about}\n\nThe paper: {AUTHORS}, [*{TITLE}*]({URL}).\n\n"


def _protocol(plan: Plan) -> str:
    return (
        f"{plan.runs} runs of stratified {plan.folds}-fold cross-validation, all classifiers on the same "
        "folds, measures pooled over all test rows"
    )


def _facts(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    """Return how the experiment was run, for the report."""
    # The packages that can change a number.
    packages = ("numpy", "scipy", "scikit-learn", "numba", "pandas")
    return {
        "protocol": _protocol(plan),
        "setting": plan.setting,
        # Only the name of the folder: a page that is passed on should not reveal paths of this machine.
        "source": plan.source if plan.source in ("embedded", "openml") else Path(plan.source).name,
        "seed": plan.seed,
        "seconds": round(outcome.seconds, 1),
        "versions": {
            "skcredal": skcredal.__version__,
            "Python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "failures": outcome.failures,
    }


def print_summary(summary: Any, plan: Plan, outcome: Outcome, *, console: Console) -> None:
    """Print a table per measure, the means of the credal classifiers, and where the time went."""
    if summary.empty:
        return
    folds = f"{plan.runs} × {plan.folds}-fold cross-validation"
    if plan.setting == "paper":
        folds += ", discretised once"
    # The others have a table of their own, or these would not fit in 80 characters.
    of_paper = [name for name in plan.classifiers if name in PAPER_CLASSIFIERS]
    determinate = [name for name in of_paper if not is_credal(name)]
    credal = [name for name in of_paper if is_credal(name)]
    for title, measure, classifiers in (
        ("Accuracy", "accuracy", determinate),
        ("Brier loss", "brier", determinate),
        ("Determinacy", "determinacy", credal),
        ("Utility u65", "u65", credal),
        ("Utility u80", "u80", credal),
    ):
        if classifiers:
            console.print(_by_dataset(summary, classifiers, measure, f"{title}, {folds}"))
        # The definition differs from the usual one, which sums over classes.
        if measure == "brier" and classifiers:
            console.print(_BRIER, style="dim", highlight=False)
    if credal:
        console.print(_by_classifier(summary, credal, f"Credal classifiers, means over data sets, {folds}"))
        console.print(_LEGEND, style="dim", highlight=False)
    _print_times(summary, plan, outcome, console)


def _by_dataset(summary: Any, classifiers: list[str], measure: str, title: str) -> Table:
    table = new_table(title=title, show_footer=True)
    table.add_column("data set", footer="mean", no_wrap=True)
    table.add_column("rows", justify="right")
    values = summary.pivot(index="dataset", columns="classifier", values=measure).reindex(columns=classifiers)
    for name in classifiers:
        header = name.replace("-", "-\n")  # so that seven columns fit in 80 characters
        table.add_column(header, justify="right", footer=_number(values[name].mean(), measure))
    rows = summary.drop_duplicates("dataset").set_index("dataset")["n"]
    for dataset, n in rows.items():
        table.add_row(str(dataset), f"{n}", *(_number(value, measure) for value in values.loc[dataset]))
    return table


def _by_classifier(summary: Any, classifiers: list[str], title: str) -> Table:
    table = new_table(title=title)
    table.add_column("", no_wrap=True)
    for header in _CREDAL_MEASURES.values():
        table.add_column(header, justify="right")
    for name in classifiers:
        of_sets = summary[summary["classifier"] == name]
        cells = [
            of_sets[measure].sum() if measure == "n_indeterminate" else of_sets[measure].mean()
            for measure in _CREDAL_MEASURES
        ]
        table.add_row(name, *map(_number, cells, _CREDAL_MEASURES))
    return table


def _number(value: float, measure: str) -> str:
    return format_cell(value, {"output_size": 2, "n_indeterminate": 0}.get(measure, 3))


def _print_times(summary: Any, plan: Plan, outcome: Outcome, console: Console) -> None:
    fits = plan.runs * plan.folds
    seconds = (summary["fit_seconds"] + summary["predict_seconds"]) * fits
    by_classifier = seconds.groupby(summary["classifier"]).sum().sort_values(ascending=False)
    by_dataset = seconds.groupby(summary["dataset"]).sum().sort_values(ascending=False)

    def largest(parts: Any) -> str:
        return ", ".join(f"{name} {part:.1f} s" for name, part in parts.head(3).items())

    console.print(
        f"This call took {outcome.seconds:.1f} s. All folds, with each classifier timed separately, took "
        f"{seconds.sum():.1f} s: {largest(by_classifier)}; {largest(by_dataset)}. The additional studies "
        f"took {outcome.study_seconds:.1f} s in this call.",
        style="dim",
        highlight=False,
    )


def print_beyond(beyond: dict[str, Any] | None, *, console: Console) -> None:
    """Print the means of the classifiers that the paper does not have, next to those of its own."""
    if beyond is None:
        return
    table = new_table(title="Beyond the paper, means over data sets")
    columns = beyond["means"]["columns"]
    shown = [i for i, column in enumerate(columns) if column["name"] in _BEYOND_HEADERS]
    for i in shown:
        justify: JustifyMethod = "left" if columns[i]["decimals"] is None else "right"
        table.add_column(_BEYOND_HEADERS[columns[i]["name"]], justify=justify, no_wrap=True)
    for row in beyond["means"]["rows"]:
        table.add_row(*(format_cell(row[i], columns[i]["decimals"]) for i in shown))
    console.print(table)
    console.print(
        "opt.: utility-optimal sets of the probabilities; max.: maximal sets of a credal classifier. None of "
        "these is a claim of the paper; definitions and tests are in claims.md and in the report.",
        style="dim",
        highlight=False,
    )


def print_claims(claims: list[Claim], n_datasets: int, *, console: Console) -> None:
    """Print the verdict on each claim, and why some do not hold; the numbers are in claims.md."""
    table = new_table(title=f"The paper's claims, judged on {datasets_word(n_datasets)}")
    for header in ("", "claim", "in the paper", "here"):
        table.add_column(header, overflow="fold")
    for claim in claims:
        table.add_row(str(claim.number), claim.text, claim.paper, claim.verdict)
    console.print(table)
    counted = tally(claim.verdict for claim in claims)
    console.print("; ".join(f"{n} {VERDICTS[kind]}" for kind, n in counted.items()) + ".", highlight=False)
    reasons = reasons_of(claims)
    if reasons:
        console.print(f"\n{reasons_title(claims)}:", highlight=False)
    for reason in reasons:
        console.print(f"- {reason.what} ({reason.numbers}): {reason.why}", highlight=False, markup=False)
    # The address in a line of its own, where it is not broken.
    console.print(f"\nThe paper: {AUTHORS}, {TITLE},\n{URL}", highlight=False)
