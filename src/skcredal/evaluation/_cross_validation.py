"""Cross-validation of classifiers on one table, and what each of them says about every case."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np

from skcredal._arrays import AnyArray, FloatArray
from skcredal._threads import worker_options
from skcredal._validation import check_choice, check_instance, check_integer, naming, safe_repr
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.evaluation._cases import Cases, FoldCases, Wanted, fold_cases, join_cases
from skcredal.evaluation._classifiers import BASELINES
from skcredal.evaluation._comparison import WORTHS, Comparison, compare, mean_utilities, optimal_utilities
from skcredal.evaluation._fold import Fold, splits
from skcredal.evaluation._names import DEFAULT
from skcredal.evaluation._sums import FoldSums, fold_sums, measures, pool
from skcredal.metrics._outcomes import utility_of_accuracy

__all__ = [
    "ALL_CLASSES",
    "Evaluation",
    "check_folds",
    "check_table",
    "evaluate_table",
    "most_folds",
    "ranking",
]

# A baseline that needs no learning: it answers with all classes, always.
ALL_CLASSES = "all classes"


def most_folds(target: AnyArray) -> int:
    """Return the largest possible number of folds: the number of rows of the most frequent class."""
    check_instance("target", target, np.ndarray)
    if target.ndim != 1 or not len(target):
        raise ValueError(f"target must be one-dimensional and not empty, got shape {target.shape}.")
    with naming("target"):
        return int(np.unique(target, return_counts=True)[1].max())


def check_folds(target: AnyArray, folds: int) -> None:
    """Refuse more folds than the most frequent class has rows."""
    check_integer("folds", folds, low=2)
    # StratifiedKFold has the same limit, but its message does not name the option.
    most = most_folds(target)
    if folds > most:
        raise ValueError(
            f"folds must be at most {most}, the number of rows of the most frequent class, got "
            f"{safe_repr(folds)}."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What classifiers said about a table in cross-validation: the result of :func:`evaluate_table`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes of the table, sorted.
    folds : int
        Number of folds of each run.
    credal : dict of bool
        By name, in the order of the call: whether the classifier returns sets.
    sums : dict of lists of FoldSums
        The results of each classifier, one for each test fold of each run.
    optimal : dict of ndarray of shape (n_runs × n_folds, n_worths)
        The mean utilities of the sets that are optimal under its probabilities, where a correct set of two
        classes is worth 0.5, 0.55, … 1.
    cases : dict of Cases
        What it said about each row in the first run.
    """

    classes: AnyArray
    folds: int
    credal: dict[str, bool]
    sums: dict[str, list[FoldSums]]
    optimal: dict[str, FloatArray]
    cases: dict[str, Cases]

    @property
    def opening(self) -> str:
        """The classifier to look at first: LP-AODE* if it is there, else the first one that has sets."""
        credal = [name for name, has_sets in self.credal.items() if has_sets]
        return DEFAULT if DEFAULT in credal else next(iter([*credal, *self.credal]))

    def compare(self) -> Comparison:
        """Compare the utilities of the answers, for each worth of a correct pair."""
        by_fold = {name: mean_utilities(parts, credal=self.credal[name]) for name, parts in self.sums.items()}
        x = np.array(1.0 / len(self.classes))
        always = np.array([utility_of_accuracy(x, worth) for worth in WORTHS])
        by_fold[ALL_CLASSES] = np.repeat(always[None], len(self._sizes), axis=0)
        return compare(by_fold, sizes=self._sizes, folds=self.folds)

    def compare_optimal(self) -> Comparison:
        """Compare the utilities of the sets that are optimal under the probabilities, likewise."""
        return compare(self.optimal, sizes=self._sizes, folds=self.folds)

    @property
    def _sizes(self) -> list[int]:
        return [part.n for part in next(iter(self.sums.values()))]


def evaluate_table(
    classifiers: Mapping[str, TabularClassifier],
    features: Any,
    target: AnyArray,
    *,
    baselines: Iterable[str] = (),
    explain: bool = False,
    runs: int = 1,
    folds: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    on_fold: Callable[[], None] | None = None,
) -> Evaluation:
    """Cross-validate classifiers on a table, all on the same folds.

    Everything is learned from the training folds alone: medians, cuts, states, weights.

    Parameters
    ----------
    classifiers : mapping
        Unfitted classifiers by name.
    features : pandas.DataFrame
        The features.
    target : ndarray of shape (n_rows,)
        The classes.
    baselines : iterable of {"random-forest", "gradient-boosting", "logistic-regression"}
        Classifiers of scikit-learn to compare with.
    explain : bool
        Whether to find out how robust each answer of the first run is, and for the least certain rows also
        bounds, reasons, and what would change the answer.
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.
    jobs : int, optional
        Number of processes, as in joblib. The results do not depend on it.
    on_fold : callable, optional
        Called after each fold.

    Returns
    -------
    Evaluation
        The results of each classifier.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.evaluation import make_classifiers
    >>> data = load_dataset("iris")
    >>> found = evaluate_table(make_classifiers(["aode"]), data.features, data.target.to_numpy(), folds=3)
    >>> [part.n for part in found.sums["aode"]]
    [50, 50, 50]
    """
    check_instance("classifiers", classifiers, Mapping)
    names = [check_choice("baselines", name, tuple(BASELINES)) for name in baselines]
    check_integer("runs", runs, low=1, high=10**6)
    check_integer("seed", seed, low=0)
    check_folds(target, folds)
    check_table("features", features, len(target))
    classes, true = np.unique(target, return_inverse=True)
    credal = {name: isinstance(one, CredalMixin) for name, one in classifiers.items()}
    credal |= dict.fromkeys(names, False)
    sums: dict[str, list[FoldSums]] = {name: [] for name in credal}
    optimal: dict[str, list[FloatArray]] = {name: [] for name in credal}
    cases: dict[str, list[FoldCases]] = {}
    found = Evaluation(classes, folds, credal, sums, {}, {})
    # In order, so that sums of floats do not depend on which fold finishes first.
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator", **worker_options())
    tasks = (
        joblib.delayed(_run_fold)(
            dict(classifiers),
            names,
            Fold(features, target, train, test),
            Wanted(features, test, classes, folds, found.opening if explain else None) if run == 0 else None,
        )
        for run in range(runs)
        for train, test in splits(target, folds=folds, run=run, seed=seed)
    )
    for results in parallel(tasks):
        for name, (of_fold, best, its_cases) in results.items():
            sums[name].append(of_fold)
            optimal[name].append(best)
            if its_cases is not None:
                cases.setdefault(name, []).append(its_cases)
        if on_fold is not None:
            on_fold()
    return replace(
        found,
        optimal={name: np.array(parts) for name, parts in optimal.items()},
        cases={name: join_cases(parts, classes, true) for name, parts in cases.items()},
    )


def check_table(name: str, table: Any, n_rows: int) -> None:
    """Refuse what is not a DataFrame with so many rows."""
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        raise TypeError(f"{name} must be a pandas DataFrame, got a {type(table).__name__}.")
    if len(table) != n_rows:
        raise ValueError(f"{name} must have {n_rows} rows, like the target, got {len(table)}.")


def _run_fold(
    classifiers: Mapping[str, TabularClassifier],
    baselines: Iterable[str],
    fold: Fold,
    wanted: Wanted | None,
) -> dict[str, tuple[FoldSums, FloatArray, FoldCases | None]]:
    """Return the sums and optimal utilities of each classifier, and its cases if they are asked for."""
    results = {}
    with warnings.catch_warnings():
        # The caller warns about the table once; here every fold of every process would repeat it.
        warnings.simplefilter("ignore")
        for name, answer in fold.answers(dict(classifiers) | {name: BASELINES[name]() for name in baselines}):
            labels = answer.learner.classes_
            # A class that the training rows lack has no probability; its index is -1.
            index = np.minimum(np.searchsorted(labels, fold.y_test), len(labels) - 1)
            index = np.where(labels[index] == fold.y_test, index, -1)
            its_cases = None if wanted is None else fold_cases(name, answer, wanted)
            results[name] = (
                fold_sums(fold.y_test, answer.proba, answer.sets, labels),
                optimal_utilities(answer.proba, index),
                its_cases,
            )
    return results


def ranking(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the measures of each classifier, the best u65 first, and whether the best is really better.

    The utility of a classifier without sets is its accuracy: it always answers with one class.
    ``best_is`` tells how the best by u65 compares with the classifier: ``"about equal"``,
    ``"probably better"`` or ``"better"``, by the Bayesian correlated t-test over the folds; for the best
    itself it is ``"best"``. The row ``"all classes"`` is what answering with all classes always would give.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.evaluation import make_classifiers
    >>> data = load_dataset("iris")
    >>> made = make_classifiers(["aode", "null"])
    >>> found = evaluate_table(made, data.features, data.target.to_numpy(), folds=3)
    >>> [(row["classifier"], round(row["u65"], 2), row["best_is"]) for row in ranking(found)]
    [('aode', 0.95, 'best'), ('all classes', 0.47, 'better'), ('null', 0.32, 'better')]
    """
    check_instance("evaluation", evaluation, Evaluation)
    verdicts = evaluation.compare().verdicts
    at_65 = WORTHS.index(0.65)
    rows = [_row(name, credal, pool(evaluation.sums[name])) for name, credal in evaluation.credal.items()]
    rows.append(_all_classes(len(evaluation.classes), rows[0]["n"]))
    for row in rows:
        row["best_is"] = verdicts[row["classifier"]][at_65]
    return sorted(rows, key=lambda row: (-row["u65"], -row["u80"]))


def _row(name: str, credal: bool, total: FoldSums) -> dict[str, Any]:
    found: dict[str, Any] = measures(total, credal=credal)
    # A single class is worth 1 or 0, so that the utility is the accuracy.
    if not credal:
        found["u65"] = found["u80"] = found["accuracy"]
    # "Safe" and "prior-dependent" are the paper's words, for those who have read it.
    del found["accuracy_safe"]  # the single accuracy under another name
    for measure in ("accuracy", "u65", "u80"):
        found[f"{measure}_undecided"] = found.pop(f"{measure}_dependent")
    return {
        "classifier": name,
        "credal": credal,
        "n": total.n,
        **found,
        "n_decided": total.determinate if credal else None,
        "n_undecided": total.indeterminate if credal else None,
    }


def _all_classes(n_classes: int, n: int) -> dict[str, Any]:
    """Return the measures of answering with all classes always; it has no most probable class."""
    # Every row has the same, so that one of them tells the means.
    classes, sets = np.arange(n_classes), np.ones((1, n_classes), np.bool_)
    row = _row(ALL_CLASSES, True, fold_sums(classes[:1], sets / n_classes, sets, classes))
    unsaid = ("accuracy", "brier", "brier_multiclass", "log_loss", "accuracy_undecided")
    return row | {"n": n, "n_undecided": n} | dict.fromkeys(unsaid, math.nan)
