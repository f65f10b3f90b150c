"""The plan of an experiment, and running it in parallel; folds in the store are not run again (§11)."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import joblib
import sklearn

import skcredal
from skcredal._threads import worker_options
from skcredal._validation import check_choice, check_instance, check_integer, check_texts
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._bayes import NullClassifier
from skcredal.datasets import load_dataset
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.evaluation._sums import FoldSums, baseline, run_baselines, run_fold
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import STUDIES, Series, studies_of

__all__ = ["DatasetFacts", "Outcome", "Plan", "Progress", "run_plan"]


@dataclass(frozen=True)
class Plan:
    """A comparison of classifiers by repeated stratified cross-validation.

    Parameters
    ----------
    source : str
        Where the data sets come from, as in :func:`skcredal.datasets.load_dataset`.
    datasets : list of str
        Their names.
    classifiers : dict
        Unfitted classifiers by name.
    setting : {"honest", "paper"}
        Whether imputation, cut points and dropped features are learned inside each training fold, or once on
        the whole data set, as in the original experiments.
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.
    baselines : bool
        Whether classifiers of scikit-learn are run on the same folds, too.

    Examples
    --------
    >>> from skcredal.evaluation import make_classifiers
    >>> Plan("embedded", ["iris"], make_classifiers(["aode"]), runs=2, folds=5).n_fits
    10
    """

    source: str
    datasets: list[str]
    classifiers: dict[str, TabularClassifier]
    setting: str = "honest"
    runs: int = 10
    folds: int = 5
    seed: int = 0
    baselines: bool = False

    def __post_init__(self) -> None:
        check_instance("source", self.source, str)
        check_texts("datasets", self.datasets)
        check_instance("classifiers", self.classifiers, dict)
        check_choice("setting", self.setting, ("honest", "paper"))
        check_integer("runs", self.runs, low=1, high=10**6)
        check_integer("folds", self.folds, low=2)
        check_integer("seed", self.seed, low=0)
        check_instance("baselines", self.baselines, bool)

    @property
    def names(self) -> list[str]:
        """The names of all that is fitted: the classifiers, then the baselines."""
        return [*self.classifiers, *(BASELINES if self.baselines else ())]

    @property
    def n_fits(self) -> int:
        """Number of classifiers to fit."""
        return len(self.datasets) * len(self.names) * self.runs * self.folds

    def digest(self, dataset: str, checksum: str, classifier: str) -> str:
        """Return a digest of everything that the results of a classifier on a data set depend on.

        The number of runs is not part of it: each run has its own seed, so a plan with more runs can reuse
        the results of one with fewer.
        """
        return self._digest(dataset, checksum, classifier=classifier, parameters=self._parameters(classifier))

    def study_digest(self, dataset: str, checksum: str, study: str) -> str:
        """Return a digest of everything that the results of a study on a data set depend on."""
        about = STUDIES[study]
        # Not of all classifiers: adding one must not make the study run again.
        used = (*about.needs, *about.may_use)
        parameters = {name: self._parameters(name) for name in self.names if name in used}
        return self._digest(dataset, checksum, study=study, points=repr(about.points), parameters=parameters)

    def _parameters(self, classifier: str) -> str:
        if classifier in self.classifiers:
            parameters = self.classifiers[classifier].get_params()
        else:
            # Which columns are numeric depends on the data set, whose checksum is in the digest.
            parameters = baseline(classifier).get_params() | {"version": sklearn.__version__}
        # repr, because parameters may be of types that JSON does not have.
        return repr(sorted(parameters.items()))

    def _digest(self, dataset: str, checksum: str, **more: object) -> str:
        parts = {
            # A new version may compute other numbers.
            "version": skcredal.__version__,
            "dataset": dataset,
            "checksum": checksum,
            "setting": self.setting,
            "folds": self.folds,
            "seed": self.seed,
            **more,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


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
    """A fold, and what has to be run on it."""

    progress: Progress
    fold: Fold
    classifiers: dict[str, TabularClassifier]
    missing: list[str]
    missing_studies: list[str]


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
    parallel = joblib.Parallel(
        n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", **worker_options()
    )
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
                    plan.study_digest(at.dataset, checksum, name): series
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
            readers = [NullClassifier(), *(plan.classifiers.values() if plan.setting == "paper" else ())]
            whole = encode_whole(data.features, target, readers)
            kept = next(iter(whole.values())).states
            facts = DatasetFacts(len(target), len(kept), len(set(target)), data.checksum())
            # All splits at once: a target that cannot be split fails before any fold is run.
            of_runs = [splits(target, folds=plan.folds, run=run, seed=plan.seed) for run in range(plan.runs)]
        except Exception as error:
            # Whatever is wrong with one data set must not stop a run of hours on the others.
            outcome.failures[name] = f"{type(error).__name__}: {error}"
            continue
        outcome.facts[name] = facts
        there = {
            classifier: store.read(plan.digest(name, facts.checksum, classifier), classifier)
            for classifier in plan.names
        }
        studied = {
            study: store.read_study(plan.study_digest(name, facts.checksum, study))
            for study in studies_of(plan.names)
        }
        for run, of_folds in enumerate(of_runs):
            for fold, (train, test) in enumerate(of_folds):
                missing = [classifier for classifier in there if (run, fold) not in there[classifier]]
                missing_studies = [study for study in studied if (run, fold) not in studied[study]]
                # Folds in the store count as progress, or the bar would never reach its end.
                if len(missing) < len(there):
                    report(Progress(name, run, fold, len(there) - len(missing)))
                if missing or missing_studies:
                    encoded = whole if plan.setting == "paper" else None
                    yield _Task(
                        Progress(name, run, fold, len(missing)),
                        Fold(data.features, target, train, test, encoded),
                        plan.classifiers,
                        missing,
                        missing_studies,
                    )


def _run_task(task: _Task) -> _Done:
    """Run a fold in a worker; an error is returned as text."""
    fold = task.fold
    try:
        of_package = [name for name in task.missing if name in task.classifiers]
        sums = run_fold({name: task.classifiers[name] for name in of_package}, fold)
        sums |= run_baselines([name for name in task.missing if name not in of_package], fold)
        start = time.perf_counter()
        studies = {name: STUDIES[name].run(fold, task.classifiers) for name in task.missing_studies}
    except Exception as error:
        return _Done(task.progress, {}, {}, 0.0, f"{type(error).__name__}: {error}")
    return _Done(task.progress, sums, studies, time.perf_counter() - start, None)
