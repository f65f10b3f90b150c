"""Cross-validation of classifiers on one table, and what one of them says about every case."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._ties import best_class, most_probable_first
from skcredal._validation import check_instance, check_integer, naming, safe_repr
from skcredal.classifiers._answers import answers
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._log_pool import CredalLogPoolAODE
from skcredal.classifiers._spodes import CredalSpodesMixin
from skcredal.evaluation._fold import Fold, check_classifiers, run_fold, splits
from skcredal.evaluation._registry import DEFAULT, make_classifiers
from skcredal.evaluation._sums import FoldSums, measures, pool

__all__ = ["Cases", "check_folds", "evaluate_table", "most_folds", "out_of_fold_cases", "ranking"]


def most_folds(target: AnyArray) -> int:
    """Return the largest possible number of folds: the number of rows of the most frequent class.

    Examples
    --------
    >>> import numpy as np
    >>> most_folds(np.array(["a", "a", "b"]))
    2
    """
    check_instance("target", target, np.ndarray)
    if target.ndim != 1 or not len(target):
        raise ValueError(f"target must be one-dimensional and not empty, got shape {target.shape}.")
    with naming("target"):
        return int(np.unique(target, return_counts=True)[1].max())


def check_folds(target: AnyArray, folds: int) -> None:
    """Refuse more folds than the most frequent class has rows.

    Examples
    --------
    >>> import numpy as np
    >>> check_folds(np.array(["a", "a", "b"]), 3)
    Traceback (most recent call last):
    ValueError: folds must be at most 2, the number of rows of the most frequent class, got 3.
    """
    check_integer("folds", folds, low=2)
    # StratifiedKFold has the same limit, but its message does not name the option.
    most = most_folds(target)
    if folds > most:
        raise ValueError(
            f"folds must be at most {most}, the number of rows of the most frequent class, got "
            f"{safe_repr(folds)}."
        )


def evaluate_table(
    classifiers: Mapping[str, TabularClassifier],
    features: Any,
    target: AnyArray,
    *,
    runs: int = 1,
    folds: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    on_fold: Callable[[], None] | None = None,
) -> dict[str, FoldSums]:
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
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.
    jobs : int, optional
        Number of processes, as in joblib. The results do not depend on it.
    on_fold : callable, optional
        Called after each fold.

    Returns
    -------
    dict
        The sums of each classifier over all test rows of all runs.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.evaluation import make_classifiers
    >>> data = load_dataset("iris")
    >>> found = evaluate_table(make_classifiers(["aode"]), data.features, data.target.to_numpy(), folds=3)
    >>> found["aode"].n
    150
    """
    check_classifiers(classifiers)
    check_integer("runs", runs, low=1, high=10**6)
    check_integer("seed", seed, low=0)
    check_folds(target, folds)
    _check_features(features, target)
    parts: dict[str, list[FoldSums]] = {name: [] for name in classifiers}
    # In order, so that sums of floats do not depend on which fold finishes first.
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
    tasks = (
        joblib.delayed(_quiet_fold)(dict(classifiers), features, target, train, test)
        for run in range(runs)
        for train, test in splits(target, folds=folds, run=run, seed=seed)
    )
    for sums in parallel(tasks):
        for name, part in sums.items():
            parts[name].append(part)
        if on_fold is not None:
            on_fold()
    return {name: pool(of_classifier) for name, of_classifier in parts.items()}


def _check_features(features: Any, target: AnyArray) -> None:
    """Refuse features that are not a DataFrame, or not as long as the target."""
    if not hasattr(features, "iloc") or not hasattr(features, "columns"):
        raise TypeError(f"features must be a pandas DataFrame, got a {type(features).__name__}.")
    if len(features) != len(target):
        raise ValueError(f"features must have {len(target)} rows, like target, got {len(features)}.")


def _quiet_fold(classifiers: Mapping[str, TabularClassifier], *rows: Any) -> dict[str, FoldSums]:
    with warnings.catch_warnings():
        # The caller warns about the table once; here every fold of every process would repeat it.
        warnings.simplefilter("ignore")
        return run_fold(classifiers, Fold(*rows))


def ranking(
    sums: Mapping[str, FoldSums], classifiers: Mapping[str, TabularClassifier]
) -> list[dict[str, Any]]:
    """Return the measures of each classifier with its ranks by u65 and u80, best u65 first.

    The utility of a determinate classifier is its accuracy: it always answers with one class. Equal
    utilities share the better rank.

    Examples
    --------
    >>> from skcredal.evaluation import make_classifiers
    >>> made = make_classifiers(["aode", "null"])
    >>> sums = {"null": FoldSums(4, 1, 2.0, 4.0, 6.0), "aode": FoldSums(4, 3, 1.0, 2.0, 3.0)}
    >>> rows = ranking(sums, made)
    >>> [(row["classifier"], row["u65"], row["rank_u80"]) for row in rows]
    [('aode', 0.75, 1), ('null', 0.25, 2)]
    """
    check_classifiers(classifiers)
    check_instance("sums", sums, Mapping)
    rows = []
    for name, total in sums.items():
        check_instance("sums", total, FoldSums)
        if name not in classifiers:
            raise ValueError(f"classifiers must contain every classifier in sums, lacks {safe_repr(name)}.")
        credal = isinstance(classifiers[name], CredalMixin)
        found: dict[str, Any] = measures(total, credal=credal)
        # A single class is worth 1 or 0, so that the utility is the accuracy.
        if not credal:
            found["u65"] = found["u80"] = found["accuracy"]
        rows.append(
            {
                "classifier": name,
                "credal": credal,
                "n": total.n,
                **found,
                "n_safe": total.determinate if credal else None,
                "n_dependent": total.indeterminate if credal else None,
            }
        )
    for measure in ("u65", "u80"):
        for row in rows:
            # Equal utilities may differ in the last digits, because their sums were added in another order.
            row[f"rank_{measure}"] = 1 + sum(other[measure] > row[measure] + 1e-12 for other in rows)
    return sorted(rows, key=lambda row: (row["rank_u65"], row["rank_u80"]))


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """What a credal classifier said about each row while it was in the test fold.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        All classes of the table, sorted.
    true, predicted : ndarray of int of shape (n_rows,)
        Indices into ``classes``.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities under the reference prior or the best weights; 0 for a class that is absent from the
        training fold.
    sets : ndarray of bool of shape (n_rows, n_classes)
        The sets.
    interval : ndarray of shape (n_rows, n_classes, 2)
        Lower and upper probabilities.
    robustness : ndarray of shape (n_rows,)
        How much of the prior may be replaced before the answer changes, or, of weights, up to which
        credibility it does not; NaN if the classifier cannot tell.
    reasons : dict
        For each row with several classes, what ``explain`` returns: of LP-AODE* the rival, the odds with
        their bounds, the contributions of the frequencies and of every feature, and the sentence; of
        COMP-AODE* and BMA-AODE* the rival, super-parents, votes, prior and sentence; of another classifier,
        only the sentence.
    over : {"prior", "weights"}
        What the sets, bounds and robustness range over.
    """

    classes: AnyArray
    true: IntArray
    predicted: IntArray
    proba: FloatArray
    sets: BoolArray
    interval: FloatArray
    robustness: FloatArray
    reasons: dict[int, dict[str, Any]]
    over: str = "prior"

    @property
    def dependent(self) -> BoolArray:
        """Which rows have several classes in their set."""
        several: BoolArray = self.sets.sum(axis=1) > 1
        return several

    @property
    def correct(self) -> BoolArray:
        """For which rows the most probable class is the true one."""
        right: BoolArray = self.predicted == self.true
        return right


def out_of_fold_cases(
    features: Any,
    target: AnyArray,
    classifier: CredalMixin | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    on_fold: Callable[[], None] | None = None,
) -> Cases:
    """Return what a credal classifier says about each row after learning from the other folds.

    Parameters
    ----------
    features, target, folds, seed, on_fold
        As in :func:`evaluate_table`; the folds are those of its first run.
    classifier : credal classifier, optional
        Default: LP-AODE*. Only ``CredalLogPoolAODE``, ``CredalCompAODE`` and ``CredalBmaAODE`` have
        robustness and full reasons.

    Returns
    -------
    Cases
        The answers in the order of the rows, and the reasons of the undecided ones: of LP-AODE*, what each
        feature contributes to the odds; of COMP-AODE* and BMA-AODE*, what each super-parent votes for, and
        the prior that flips the answer.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> data = load_dataset("iris")
    >>> cases = out_of_fold_cases(data.features, data.target.to_numpy(), folds=3)
    >>> cases.proba.shape, bool((cases.dependent.sum() == len(cases.reasons)))
    ((150, 3), True)
    """
    check_integer("seed", seed, low=0)
    check_folds(target, folds)
    _check_features(features, target)
    if classifier is not None:
        check_instance("classifier", classifier, CredalMixin)
    classes, true = np.unique(target, return_inverse=True)
    n, n_classes = len(true), len(classes)
    proba, sets = np.zeros((n, n_classes)), np.zeros((n, n_classes), np.bool_)
    interval, robustness = np.zeros((n, n_classes, 2)), np.full(n, np.nan)
    reasons: dict[int, dict[str, Any]] = {}
    (default,) = make_classifiers([DEFAULT]).values()
    given = default if classifier is None else classifier
    for train, test in splits(target, folds=folds, run=0, seed=seed):
        learner = clone(given)
        with warnings.catch_warnings():
            # As in _quiet_fold: the same warnings would come from every fold.
            warnings.simplefilter("ignore")
            learner.fit(features.iloc[train], target[train])
            rows = features.iloc[test]
            # A training fold may lack a class; its columns keep their zeros.
            columns = np.searchsorted(classes, learner.classes_)
            cells = np.ix_(test, columns)
            found = answers(learner, rows)
            proba[cells], sets[cells], interval[cells] = found.proba, found.sets, found.interval
            if found.robustness is not None:
                robustness[test] = found.robustness
            undecided = test[sets[test].sum(axis=1) > 1]
            if not isinstance(learner, (CredalSpodesMixin, CredalLogPoolAODE)):
                reasons.update((r, _undecided(classes, sets[r], proba[r])) for r in undecided.tolist())
            elif len(undecided):
                explained = learner.explain(features.iloc[undecided]).to_dict("records")
                reasons.update(zip(undecided.tolist(), explained, strict=True))
        if on_fold is not None:
            on_fold()
    over = "weights" if isinstance(given, CredalLogPoolAODE) else "prior"
    return Cases(classes, true, best_class(proba), proba, sets, interval, robustness, reasons, over)


def _undecided(classes: AnyArray, mask: BoolArray, proba: FloatArray) -> dict[str, Any]:
    """Return the little that a classifier without explanations can say about a case."""
    order = [c for c in most_probable_first(proba) if mask[c]]
    names = [f"{classes[c]} ({proba[c]:.0%})" for c in order]
    sentence = f"Undecided between {', '.join(names[:-1])} and {names[-1]}."
    return {"rival": None, "super_parents": [], "votes": [], "prior": [], "sentence": sentence}
