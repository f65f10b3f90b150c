"""`skcredal reproduce`: run the experiment with a progress bar, write what it found, print the results."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from skcredal._progress import progress_bar
from skcredal.datasets import list_datasets
from skcredal.evaluation._classifiers import BASELINES, CLASSIFIERS, display_name, make_classifiers
from skcredal.paper._experiment import Journal, Plan, run_plan
from skcredal.paper._report import COLUMNS, PAPER, Answers, make_answers, opening, write_answers

# The measures that are printed: as many as fit in 80 characters.
_PRINTED = ("accuracy", "brier", "log_loss", "determinacy", "set_accuracy", "u65", "u80")


def reproduce(
    data: str = "embedded",
    *,
    datasets: Sequence[str] | None = None,
    classifiers: Sequence[str] | None = None,
    setting: str = "honest",
    runs: int = 10,
    folds: int = 5,
    seed: int = 0,
    jobs: int = -1,
    out: Path = Path("results"),
    baselines: bool = False,
    fresh: bool = False,
) -> int:
    """Run the experiment, print what it found, and return 0, or 1 if a data set could not be run.

    Unknown names are refused before any work, and so is a folder that another run is using.
    """
    there = list_datasets(data)
    if not there:
        raise ValueError(f"There is no data set in {data}: none of its files ends in .arff.")
    names = list(there if datasets is None else datasets)
    for name in names:
        if name not in there:
            raise ValueError(f"There is no data set {name!r} in {data}. Choose from {', '.join(there)}.")
    chosen = make_classifiers(CLASSIFIERS if classifiers is None else classifiers)
    if baselines:
        chosen |= {name: make() for name, make in BASELINES.items()}
        chosen["random-forest"].set_params(n_trees=500)
    plan = Plan(data, names, chosen, setting, runs, folds, seed)
    with Journal(out, fresh=fresh) as journal:
        with progress_bar("folds", len(names) * runs * folds, "cross-validation") as advance:
            run = run_plan(plan, journal, jobs=jobs, on_fold=lambda name: advance(1, name))
        if journal.set_aside is not None:
            print(f"Note: earlier folds of another plan were moved to {journal.set_aside}.", file=sys.stderr)
        if run.records:
            answers = make_answers(run)
            write_answers(answers, plan, run, out)
            _print(answers, opening(answers, plan, run))
            print(f"\nThe report is {out / 'report.html'}; next to it are claims.json and tables.")
    for name, reason in run.failures.items():
        print(f"Error: {name}: {reason}", file=sys.stderr)
    return 1 if run.failures else 0


def _print(answers: Answers, start: Mapping[str, Mapping[str, str]]) -> None:
    """Print what was run and found, the means of every classifier, and the claims that can be judged."""
    for title, entries in start.items():
        print(f"{title}\n")
        for name, text in entries.items():
            print(fill(f"{name:<13} {text}", 80, subsequent_indent=" " * 14, break_on_hyphens=False))
        print()
    print("Means over data sets\n")
    means = answers.tables["means"].set_index("classifier").rename(index=display_name)
    shown = means[[name for name in _PRINTED if name in means]].rename_axis(None)
    shown = shown.rename(columns={name: COLUMNS[name][0] for name in _PRINTED})
    print(shown.to_string(na_rep="-", float_format="{:.3f}".format))
    print("\nThe paper's claims that can be judged here\n")
    for claim in (claim for claim in answers.claims if claim.holds is not None):
        text = f"{claim.text}. In the paper: {claim.paper}. Here: {claim.ours}. {claim.why}"
        print(fill(f"{claim.number:>2}  {claim.verdict:<18}  {text}", 80, subsequent_indent=" " * 24))
    print(f"\nThe paper: {PAPER['authors']},\n{PAPER['title']},\nhttps://doi.org/{PAPER['doi']}")
