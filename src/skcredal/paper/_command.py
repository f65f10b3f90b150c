"""`skcredal reproduce`: run the experiment with a progress bar, write what it found, print the results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from skcredal._progress import progress_bar
from skcredal.datasets import list_datasets
from skcredal.evaluation._classifiers import BASELINES, CLASSIFIERS, display_name, make_classifiers
from skcredal.paper._claims import tally
from skcredal.paper._experiment import Journal, Plan, run_plan
from skcredal.paper._report import COLUMNS, PAPER, Answers, make_answers, write_answers
from skcredal.paper._tables import datasets_word

# The measures that are printed: as many as fit in 80 characters.
_PRINTED = ("accuracy", "brier", "log_loss", "determinacy", "u65", "u80", "optimal_u65")


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
            print(f"Note: earlier folds, of another plan, are now in {journal.set_aside}.", file=sys.stderr)
        if run.records:
            answers = make_answers(run)
            write_answers(answers, plan, run, out)
            _print(answers, plan)
            print(f"\nThe report is {out / 'report.html'}; next to it are claims.md and tables.")
    for name, reason in run.failures.items():
        print(f"Error: {name}: {reason}", file=sys.stderr)
    return 1 if run.failures else 0


def _print(answers: Answers, plan: Plan) -> None:
    """Print the means of every classifier, the verdict on each claim, and why it does not hold."""
    n = datasets_word(answers.tables["summary"]["dataset"].nunique())
    print(f"Means over {n}, {plan.runs} × {plan.folds}-fold cross-validation, setting {plan.setting!r}\n")
    means = answers.tables["means"].set_index("classifier").rename(index=display_name)
    shown = means[[name for name in _PRINTED if name in means]]
    headers = {name: COLUMNS[name][0].replace(", optimal", " opt.") for name in _PRINTED}
    shown = shown.rename(columns=headers).rename_axis(None)
    print(shown.to_string(na_rep="-", float_format="{:.3f}".format))
    print("\nopt.: of sets that maximise u65 by the probabilities. The report explains the columns.")
    print(f"\nThe paper's claims, judged on {n}\n")
    for claim in answers.claims:
        text = f"{claim.number:>2}  {claim.verdict:<18}  {claim.text}; in the paper: {claim.paper}"
        print(fill(text, 80, subsequent_indent=" " * 24))
        if claim.why:
            print(fill(claim.why, 80, initial_indent=" " * 24, subsequent_indent=" " * 24))
    counts = ", ".join(f"{count} {words}" for words, count in tally(answers.claims).items())
    print(f"\n{counts}; our numbers are in claims.md.")
    print(f"\nThe paper: {PAPER['authors']},\n{PAPER['title']},\nhttps://doi.org/{PAPER['doi']}")
