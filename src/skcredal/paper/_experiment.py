"""The plan of an experiment, the journal of its finished folds, and running it in parallel (§11)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, product
from os import PathLike
from pathlib import Path
from typing import IO, Any, Self

import joblib
import sklearn

import skcredal
from skcredal._threads import worker_options
from skcredal._validation import check_choice, check_integer
from skcredal.classifiers._bayes import NullClassifier
from skcredal.datasets import Dataset, load_dataset
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.paper._studies import run_fold

# A finished fold: its data set, run and fold, and the sums of each classifier and study.
Record = dict[str, Any]


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
        Unfitted classifiers by name, as :func:`skcredal.evaluation.make_classifiers` returns them.
    setting : {"honest", "paper"}
        Whether imputation, cut points and dropped features are learned inside each training fold, or once on
        the whole data set, as in the original experiments.
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.

    Examples
    --------
    >>> from skcredal.evaluation import make_classifiers
    >>> plan = Plan("embedded", ["iris", "wine"], make_classifiers(["aode", "comp-aode*"]), runs=1)
    >>> plan.setting, plan.folds
    ('honest', 5)
    """

    source: str
    datasets: list[str]
    classifiers: dict[str, Any]
    setting: str = "honest"
    runs: int = 10
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("setting", self.setting, ("honest", "paper"))
        check_integer("runs", self.runs, low=1)
        check_integer("folds", self.folds, low=2)
        check_integer("seed", self.seed, low=0)

    def each_fold(self) -> Iterator[tuple[int, int]]:
        """Return the numbers of each run and fold."""
        return product(range(self.runs), range(self.folds))

    def header(self) -> dict[str, Any]:
        """Return what the numbers of a fold depend on, but for the data.

        The number of runs is not part of it: each run has its own seed, so a plan with more runs continues
        where one with fewer ended.
        """
        # repr, because parameters may be of types that JSON does not have.
        parameters = {
            name: repr(sorted(classifier.get_params().items()))
            for name, classifier in self.classifiers.items()
        }
        return {
            "skcredal": skcredal.__version__,
            "scikit-learn": sklearn.__version__,
            "setting": self.setting,
            "folds": self.folds,
            "seed": self.seed,
            "classifiers": parameters,
        }


class Journal:
    """The finished folds of a plan, one line of JSON each, in a folder that one process uses at a time.

    The first line says which plan they belong to. A line that a crash has cut short is removed.

    Parameters
    ----------
    folder : path-like
        The folder; it is made if it does not exist. The file in it is ``journal.jsonl``.
    fresh : bool
        Whether to start over. An earlier journal is renamed, not removed.

    Raises
    ------
    BlockingIOError
        If another process uses the folder.
    """

    def __init__(self, folder: str | PathLike[str], *, fresh: bool = False) -> None:
        self.path = Path(folder) / "journal.jsonl"
        self.fresh = fresh
        self.set_aside: Path | None = None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = (self.path.parent / ".lock").open("a")
        try:
            _lock(self._lock)
        except (BlockingIOError, PermissionError) as error:
            self._lock.close()
            raise BlockingIOError(
                f"{self.path.parent} is in use by another run. Wait until it has ended, or choose another "
                "folder."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def resume(self, header: Mapping[str, Any], checksums: Mapping[str, str]) -> list[Record]:
        """Return the finished folds of a plan; a journal of another version, plan or data is set aside."""
        lines = self._lines()
        found = None if self.fresh else _records(lines, header, checksums)
        if found is not None:
            return found
        if lines:
            names = (self.path.with_name(f"journal-{n}.jsonl") for n in count(1))
            self.set_aside = self.path.rename(next(name for name in names if not name.exists()))
        self.path.write_text(json.dumps(header) + "\n", encoding="utf-8")
        return []

    def add(self, record: Record) -> None:
        """Append a finished fold."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def _lines(self) -> list[bytes]:
        if not self.path.exists():
            return []
        with self.path.open("rb+") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            file.truncate(whole)
        return content[:whole].split(b"\n")[:-1]


def _records(
    lines: list[bytes], header: Mapping[str, Any], checksums: Mapping[str, str]
) -> list[Record] | None:
    """Return the folds in a journal, None if it is damaged, or of another version, plan or data."""
    try:
        first, *records = map(json.loads, lines)
    except ValueError:
        return None
    if first != header:
        return None
    same = all(checksums.get(one["dataset"], one["checksum"]) == one["checksum"] for one in records)
    return records if same else None


def _lock(file: IO[str]) -> None:
    """Take the lock of a file, which the system takes back when the process ends, however it ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@dataclass(slots=True)
class Run:
    """The finished folds of a plan, in its order, and why some data sets have none.

    Data sets with missing folds are left out: means over some of the folds would not be comparable.
    """

    records: list[Record] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """How long all folds took, summed over the processes."""
        return float(sum(record["seconds"] for record in self.records))


def run_plan(
    plan: Plan,
    journal: Journal,
    *,
    jobs: int | None = None,
    on_fold: Callable[[str], None] | None = None,
) -> Run:
    """Run the folds of a plan that are not in the journal yet.

    A fold is in the journal as soon as it is finished, so a run that was interrupted or killed continues from
    there. If a data set fails, the reason is noted and the others continue.

    Parameters
    ----------
    plan : Plan
        What to run.
    journal : Journal
        Where finished folds are kept.
    jobs : int, optional
        Number of processes, as in joblib; inside ``joblib.parallel_config`` its backend is used.
    on_fold : callable, optional
        Called with the name of the data set for each fold that is finished, or was already.

    Returns
    -------
    Run
        ``records``, the finished folds, ``failures``, reasons by data set, and ``seconds``.

    Examples
    --------
    >>> import tempfile
    >>> from skcredal.evaluation import make_classifiers
    >>> from skcredal.paper import Journal, Plan, run_plan, summary_table
    >>> plan = Plan("embedded", ["iris"], make_classifiers(["aode"]), runs=1, folds=3)
    >>> with tempfile.TemporaryDirectory() as folder, Journal(folder) as journal:
    ...     run = run_plan(plan, journal)
    >>> summary_table(run.records)[["dataset", "classifier", "n", "k", "classes"]]
      dataset classifier    n  k  classes
    0    iris       aode  150  4        3
    """
    failures: dict[str, str] = {}
    data: dict[str, Dataset] = {}
    for name in plan.datasets:
        try:
            data[name] = load_dataset(name, plan.source)
        except Exception as error:
            # Whatever is wrong with one data set must not stop a run of hours on the others.
            failures[name] = f"{type(error).__name__}: {error}"
    checksums = {name: table.checksum() for name, table in data.items()}
    found = {_key(record): record for record in journal.resume(plan.header(), checksums)}
    # Unordered, so that a slow fold does not delay the others; a short queue, as each task has its table.
    parallel = joblib.Parallel(
        n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", **worker_options()
    )
    report = on_fold or (lambda _: None)
    wanted = {name: [(name, run, fold) for run, fold in plan.each_fold()] for name in data}
    for key in found.keys() & {key for keys in wanted.values() for key in keys}:
        report(key[0])
    tasks = _tasks(plan, data, set(found), failures)
    for record in parallel(joblib.delayed(_run)(*task) for task in tasks):
        if "failure" in record:
            # The first failure is the cause; those of other folds usually repeat it.
            failures.setdefault(record["dataset"], record["failure"])
        else:
            journal.add(record)
            found[_key(record)] = record
        report(record["dataset"])
    complete = [keys for keys in wanted.values() if all(key in found for key in keys)]
    return Run([found[key] for keys in complete for key in keys], failures)


def _key(record: Record) -> tuple[str, int, int]:
    return record["dataset"], record["run"], record["fold"]


def _tasks(
    plan: Plan,
    data: Mapping[str, Dataset],
    found: set[tuple[str, int, int]],
    failures: dict[str, str],
) -> Iterator[tuple[Record, Fold, dict[str, Any]]]:
    """Yield the folds that are missing: what to call them, the fold, and the classifiers."""
    for name, table in data.items():
        missing = [(run, fold) for run, fold in plan.each_fold() if (name, run, fold) not in found]
        if not missing:
            continue
        # As text, so that classes sort in the same way in every source.
        target = table.target.astype(str).to_numpy().astype(object)
        try:
            # Also in the honest setting: the summary says how many features are kept.
            readers = [NullClassifier(), *(plan.classifiers.values() if plan.setting == "paper" else ())]
            whole = encode_whole(table.features, target, readers)
            # All splits at once: a target that cannot be split fails before any fold is run.
            of_runs = [splits(target, folds=plan.folds, run=run, seed=plan.seed) for run in range(plan.runs)]
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {error}"
            continue
        kept = len(next(iter(whole.values())).states)
        about = {"dataset": name, "checksum": table.checksum(), "n": len(target), "k": kept}
        about["classes"] = len(set(target))
        for run, fold in missing:
            train, test = of_runs[run][fold]
            encoded = whole if plan.setting == "paper" else None
            rows = Fold(table.features, target, train, test, encoded)
            yield {**about, "run": run, "fold": fold}, rows, plan.classifiers


def _run(about: Record, fold: Fold, classifiers: dict[str, Any]) -> Record:
    """Run a fold in a worker; an error is returned as text."""
    start = time.perf_counter()
    try:
        found = run_fold(fold, classifiers)
    except Exception as error:
        return {**about, "failure": f"{type(error).__name__}: {error}"}
    return {**about, **found, "seconds": time.perf_counter() - start}
