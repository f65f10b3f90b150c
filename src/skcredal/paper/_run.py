"""Run a plan, in parallel over folds, into a store; what the store has already is not run again (§11)."""

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
    """What a summary tells of a data set: rows, features kept of the whole of it, classes, checksum."""

    n: int
    k: int
    classes: int
    checksum: str


@dataclass(slots=True)
class Outcome:
    """What came of a plan: the data sets that could be run, why others could not, and how long it took.

    The seconds of studies are those of all processes together.
    """

    facts: dict[str, DatasetFacts] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0
    study_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of the run: the fold that was finished, and its number of fits, new or found in the store."""

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
    """What comes back of a task: the sums of each classifier and study, or why there are none."""

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
    """Run what the store does not have of a plan.

    Each fold is kept as soon as it is finished. A data set that fails is set aside with its reason; an
    interrupt (Ctrl-C) ends the run, and the next one goes on from there.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : ResultStore
        Where results are kept.
    jobs : int, optional
        Processes, as joblib reads it; inside ``joblib.parallel_config`` its backend is used.
    on_progress : callable, optional
        Called with each step.
    """
    check_instance("plan", plan, Plan)
    check_instance("store", store, ResultStore)
    outcome = Outcome()
    report = on_progress or (lambda _: None)
    start = time.perf_counter()
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs")
    tasks = (joblib.delayed(_run_task)(task) for task in _tasks(plan, store, outcome, report))
    try:
        for done in parallel(tasks):
            at = done.progress
            if done.failure is not None:
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
    except KeyboardInterrupt:
        outcome.interrupted = True
    outcome.seconds = time.perf_counter() - start
    return outcome


def _tasks(
    plan: Plan, store: ResultStore, outcome: Outcome, report: Callable[[Progress], None]
) -> Iterator[_Task]:
    """Load one data set after the other, and yield the folds of which results are missing."""
    for name in plan.datasets:
        try:
            data = load_dataset(name, plan.source)
            target = data.target.astype(str).to_numpy().astype(object)
            whole = encode_whole(data.features, target)
            facts = DatasetFacts(len(target), len(whole.codes), len(set(target)), data.checksum())
            of_runs = [splits(target, folds=plan.folds, run=run, seed=plan.seed) for run in range(plan.runs)]
        except Exception as error:
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
    """Run a fold in a worker; what goes wrong comes back as its reason."""
    at = Progress(task.dataset, task.run, task.fold, len(task.missing))
    try:
        fold = Fold(task.features, task.target, task.train, task.test, task.whole)
        sums = run_fold({name: task.classifiers[name] for name in task.missing}, fold)
        start = time.perf_counter()
        studies = {name: STUDIES[name].run(fold, task.classifiers) for name in task.missing_studies}
    except Exception as error:
        return _Done(at, {}, {}, 0.0, f"{type(error).__name__}: {error}")
    return _Done(at, sums, studies, time.perf_counter() - start, None)
