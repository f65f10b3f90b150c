"""Run the folds of a plan in parallel, and store the results; folds in the store are not run again (§11)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import joblib

from skcredal._arrays import AnyArray, IntArray
from skcredal._encoding.table_encoding import EncodedTable
from skcredal._validation import check_instance
from skcredal.classifiers._base import TabularClassifier
from skcredal.datasets import load_dataset
from skcredal.evaluation._fold import Fold, encode_whole, run_fold, splits
from skcredal.evaluation._sums import FoldSums
from skcredal.paper._plan import Plan
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import STUDIES, Series, studies_of

__all__ = ["DatasetFacts", "Outcome", "Progress", "run_plan"]


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """Size of a data set (rows, features that are kept, classes) and its checksum."""

    n: int
    k: int
    classes: int
    checksum: str


@dataclass(slots=True)
class Outcome:
    """The outcome of a plan: the data sets that were run, why others were not, and how long it took.

    The seconds of the studies are summed over all processes.
    """

    facts: dict[str, DatasetFacts] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0
    study_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """A finished fold and its number of fits, whether new or found in the store."""

    dataset: str
    run: int
    fold: int
    fits: int


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    dataset: str
    run: int
    fold: int
    classifiers: dict[str, TabularClassifier]
    missing: list[str]
    missing_studies: list[str]
    features: Any
    target: AnyArray
    train: IntArray
    test: IntArray
    whole: EncodedTable | None


@dataclass(frozen=True, slots=True, eq=False)
class _Done:
    """The result of a task: the sums of each classifier and study, or why it failed."""

    progress: Progress
    sums: dict[str, FoldSums]
    studies: dict[str, Series]
    study_seconds: float
    failure: str | None


def run_plan(
    plan: Plan,
    store: ResultStore,
    *,
    jobs: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Run the part of a plan that is not in the store yet.

    Each fold is stored as soon as it is finished. If a data set fails, the reason is noted and the others go
    on. An interrupt (Ctrl-C) ends the run, and the next one continues from there.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : ResultStore
        Where the results are stored.
    jobs : int, optional
        Number of processes, as in joblib; inside ``joblib.parallel_config`` its backend is used.
    on_progress : callable, optional
        Called after each step.
    """
    check_instance("plan", plan, Plan)
    check_instance("store", store, ResultStore)
    outcome = Outcome()
    report = on_progress or (lambda _: None)
    start = time.perf_counter()
    # Unordered, so that a slow fold does not delay storing the others; a short queue, because each task
    # carries its table.
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs")
    tasks = (joblib.delayed(_run_task)(task) for task in _tasks(plan, store, outcome, report))
    try:
        for done in parallel(tasks):
            at = done.progress
            if done.failure is not None:
                # The first failure is the cause; those of other folds usually repeat it.
                outcome.failures.setdefault(at.dataset, done.failure)
            else:
                checksum = outcome.facts[at.dataset].checksum
                keyed = {
                    (plan.digest(at.dataset, checksum, name), name): sums for name, sums in done.sums.items()
                }
                studies = {
                    plan.study_digest(at.dataset, checksum, name, STUDIES[name].points): series
                    for name, series in done.studies.items()
                }
                store.write(keyed, studies, run=at.run, fold=at.fold)
                outcome.study_seconds += done.study_seconds
            report(at)
    # Finished folds are in the store, and the caller reports on those.
    except KeyboardInterrupt:
        outcome.interrupted = True
    outcome.seconds = time.perf_counter() - start
    return outcome


def _tasks(
    plan: Plan, store: ResultStore, outcome: Outcome, report: Callable[[Progress], None]
) -> Iterator[_Task]:
    """Load the data sets one after the other, and yield the folds whose results are missing."""
    for name in plan.datasets:
        try:
            data = load_dataset(name, plan.source)
            # As text, so that classes sort the same way whatever types a source uses.
            target = data.target.astype(str).to_numpy().astype(object)
            # Also in the honest setting: the summary reports how many features are kept.
            whole = encode_whole(data.features, target)
            facts = DatasetFacts(len(target), len(whole.codes), len(set(target)), data.checksum())
            # All splits at once: a target that cannot be split fails before any fold is run.
            of_runs = [splits(target, folds=plan.folds, run=run, seed=plan.seed) for run in range(plan.runs)]
        except Exception as error:
            # Whatever is wrong with one data set must not stop a run of hours on the others.
            outcome.failures[name] = f"{type(error).__name__}: {error}"
            continue
        outcome.facts[name] = facts
        there = {
            classifier: store.read(plan.digest(name, facts.checksum, classifier), classifier)
            for classifier in plan.classifiers
        }
        studied = {
            study: store.read_study(plan.study_digest(name, facts.checksum, study, STUDIES[study].points))
            for study in studies_of(plan.classifiers)
        }
        for run, of_folds in enumerate(of_runs):
            for fold, (train, test) in enumerate(of_folds):
                missing = [classifier for classifier in there if (run, fold) not in there[classifier]]
                missing_studies = [study for study in studied if (run, fold) not in studied[study]]
                # Folds in the store count as progress, or the bar would never reach its end.
                if len(missing) < len(plan.classifiers):
                    report(Progress(name, run, fold, len(plan.classifiers) - len(missing)))
                if missing or missing_studies:
                    yield _Task(
                        name,
                        run,
                        fold,
                        plan.classifiers,
                        missing,
                        missing_studies,
                        data.features,
                        target,
                        train,
                        test,
                        whole if plan.setting == "paper" else None,
                    )


def _run_task(task: _Task) -> _Done:
    """Run a fold in a worker; an error is returned as text."""
    at = Progress(task.dataset, task.run, task.fold, len(task.missing))
    try:
        fold = Fold(task.features, task.target, task.train, task.test, task.whole)
        sums = run_fold({name: task.classifiers[name] for name in task.missing}, fold)
        start = time.perf_counter()
        studies = {name: STUDIES[name].run(fold, task.classifiers) for name in task.missing_studies}
    except Exception as error:
        return _Done(at, {}, {}, 0.0, f"{type(error).__name__}: {error}")
    return _Done(at, sums, studies, time.perf_counter() - start, None)
