"""Cross-validation of classifiers on one table, and what each of them says about every case."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from skcredal._arrays import AnyArray
from skcredal._progress import progress_bar
from skcredal._threads import worker_options
from skcredal._validation import check_instance, check_integer, naming, safe_repr
from skcredal.classifiers._base import TabularClassifier
from skcredal.evaluation._cases import Cases, case_details, fold_cases, importance, join_cases, least_certain
from skcredal.evaluation._comparison import against_best
from skcredal.evaluation._fold import Fold, splits
from skcredal.evaluation._names import ALL_CLASSES, DEFAULT
from skcredal.evaluation._results import Sums, fold_sums, pool
from skcredal.metrics._outcomes import measures, row_outcomes, row_sums

__all__ = ["Evaluation", "evaluate_table", "ranking"]

# For how many cases of all folds together a classifier is asked why; and what would change its answer.
_EXPLAINED, _CHANGED = 300, 50
# From how many rows at most the importance of the features is computed.
_WEIGHED = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What classifiers said about a table in cross-validation: the result of :func:`evaluate_table`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes of the table, sorted.
    folds : int
        Number of folds of each run.
    sums : dict of lists of dict
        By name of the classifier: sums of what happened in the rows of each fold.
    cases : dict of Cases
        What it said about each row in the first run.
    """

    classes: AnyArray
    folds: int
    sums: dict[str, list[Sums]] = field(repr=False)
    cases: dict[str, Cases] = field(repr=False)

    @property
    def credal(self) -> dict[str, bool]:
        """By name, in the order of the call: whether the classifier returns sets."""
        return {name: "decided" in parts[0] for name, parts in self.sums.items()}

    @property
    def opening(self) -> str:
        """The classifier to look at first: LP-AODE* if it is there, else the first one that has sets."""
        return _opening(self.credal)

    def _repr_html_(self) -> str:
        """Return the page for a notebook."""
        from skcredal.evaluation._page import in_notebook

        return in_notebook(self)


def _opening(credal: Mapping[str, bool]) -> str:
    with_sets = [name for name, has_sets in credal.items() if has_sets]
    return DEFAULT if DEFAULT in with_sets else next(iter([*with_sets, *credal]))


def evaluate_table(
    classifiers: Mapping[str, Any],
    features: Any,
    target: AnyArray,
    *,
    explain: bool = False,
    runs: int = 1,
    folds: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Cross-validate classifiers on a table, all on the same folds.

    Everything is learned from the training folds alone: medians, cuts, states, weights.

    Parameters
    ----------
    classifiers : mapping
        Unfitted classifiers by name, as :func:`make_classifiers` returns them; you can add any classifier of
        scikit-learn that takes the table and has probabilities.
    features : pandas.DataFrame
        The features.
    target : ndarray of shape (n_rows,)
        The classes.
    explain : bool
        Whether to compute how robust each answer of the first run is and, for the least certain rows of
        LP-AODE* (or else of the first classifier with sets), bounds, reasons, and what would change the
        answer; for LP-AODE* also how important the features are.
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.
    jobs : int, optional
        Number of processes, as in joblib. The results do not depend on it.
    progress : bool
        Whether to show a progress bar.

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
    >>> [part["n"] for part in found.sums["aode"]]
    [50.0, 50.0, 50.0]
    """
    check_instance("classifiers", classifiers, Mapping)
    for name, one in classifiers.items():
        if not hasattr(one, "predict_proba"):
            raise TypeError(f"classifiers must have probabilities, got {safe_repr(one)} for {name!r}.")
    check_integer("runs", runs, low=1, high=10**6)
    check_integer("seed", seed, low=0)
    check_integer("folds", folds, low=2)
    with naming("target"):
        classes, counts = np.unique(target, return_counts=True)
    if folds > (most := counts.max()):
        # StratifiedKFold has the same limit, but its message does not name the parameter.
        rule = f"at most {most}, the number of rows of the most frequent class"
        raise ValueError(f"folds must be {rule}, got {safe_repr(folds)}.")
    if not hasattr(features, "iloc") or len(features) != len(target):
        wanted = f"a pandas DataFrame with {len(target)} rows, like the target"
        raise ValueError(f"features must be {wanted}, got {safe_repr(features)}.")
    has_sets = {name: hasattr(one, "predict_set") for name, one in classifiers.items()}
    explained = _opening(has_sets) if explain else None
    sums: dict[str, list[Sums]] = {name: [] for name in classifiers}
    parts: dict[str, list[Cases]] = {name: [] for name in classifiers}
    of_runs = [splits(target, folds=folds, run=run, seed=seed) for run in range(runs)]
    groups = _groups(classifiers)
    tasks = (
        joblib.delayed(_run_fold)(group, Fold(features, target, *rows), folds, None if run else explained)
        for run, of_folds in enumerate(of_runs)
        for rows in of_folds
        for group in groups
    )
    # In order, so that sums of floats do not depend on which fold finishes first.
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator", **worker_options())
    total = runs * folds * len(groups)
    with progress_bar("steps", total, "comparing classifiers", hidden=not progress) as advance:
        for results in parallel(tasks):
            for name, (of_fold, part) in results.items():
                sums[name].append(of_fold)
                parts[name].append(part)
            advance(1)
    rows = np.concatenate([test for _, test in of_runs[0]])
    cases = {name: join_cases(some[:folds], rows) for name, some in parts.items()}
    return Evaluation(classes, folds, sums, cases)


def _groups(classifiers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return our own classifiers together, as they share encodings and counts, and every other by itself."""
    ours = {name: one for name, one in classifiers.items() if isinstance(one, TabularClassifier)}
    others = [{name: one} for name, one in classifiers.items() if name not in ours]
    return [ours, *others] if ours else others


def _run_fold(
    classifiers: Mapping[str, Any], fold: Fold, folds: int, explained: str | None
) -> dict[str, tuple[Sums, Cases]]:
    """Return the sums and cases of each classifier.

    With the name of the ``explained`` classifier, they have robustness, and its own cases have details.
    """
    results = {}
    classes, true = np.unique(fold.target, return_inverse=True)
    with warnings.catch_warnings():
        # The caller warns about the table once; here every fold of every process would repeat it.
        warnings.simplefilter("ignore")
        for name, answer in fold.answers(classifiers):
            learner, test = answer.learner, fold.test
            cases = fold_cases(answer, true[test], classes)
            if explained is not None and hasattr(learner, "robustness"):
                cases.robustness[:] = learner.robustness(fold.test_rows(learner))
            if name == explained and isinstance(learner, TabularClassifier):
                # As many of each fold: which fold a row is in is chance, so that these are the least certain.
                n_explained, n_changed = (-(-most // folds) for most in (_EXPLAINED, _CHANGED))
                chosen = test[least_certain(cases, n_explained)]
                rows, training = fold.features.iloc[chosen], fold.features.iloc[fold.train]
                found = case_details(learner, rows, training, classes, n_changed)
                cases.details.update(zip(chosen.tolist(), found, strict=True))
                some = test[:: -(-len(test) * folds // _WEIGHED)]
                cases.importance.update(importance(learner, fold.features.iloc[some], len(test)))
            results[name] = fold_sums(fold.y_test, answer.proba, answer.sets, learner.classes_), cases
    return results


def ranking(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the measures of each classifier, the best u65 first, and whether others are clearly worse.

    The utility of a classifier without sets is its accuracy: it always answers with one class.
    ``balanced_accuracy`` and, for two classes, ``auc`` are those of the first run. ``against_best`` compares
    the classifier with the best by u65: ``"no clear difference"``, ``"probably worse"`` or ``"worse"``, by
    the Bayesian correlated t-test over the folds; for the best itself it is ``"best"``. The row
    ``"all classes"`` shows what always answering with all classes would give.

    Examples
    --------
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.evaluation import make_classifiers
    >>> data = load_dataset("iris")
    >>> made = make_classifiers(["aode", "null"])
    >>> found = evaluate_table(made, data.features, data.target.to_numpy(), folds=3)
    >>> [(row["classifier"], round(row["u65"], 2), row["against_best"]) for row in ranking(found)]
    [('aode', 0.95, 'best'), ('all classes', 0.47, 'worse'), ('null', 0.32, 'worse')]
    """
    check_instance("evaluation", evaluation, Evaluation)
    n = np.array([part["n"] for part in next(iter(evaluation.sums.values()))])
    # A baseline that needs no learning: what it gives for one row it gives for each.
    everything = np.ones((1, len(evaluation.classes)), np.bool_)
    of_row = row_sums(row_outcomes(np.zeros(1, np.int64), sets=everything))
    always = [{name: size * value for name, value in of_row.items()} for size in n.tolist()]
    sums = {**evaluation.sums, ALL_CLASSES: always}
    # A single class is worth 1 or 0, so that without sets the utility is the accuracy.
    utilities = {
        name: np.array([part.get("u65", part.get("correct", 0.0)) for part in parts]) / n
        for name, parts in sums.items()
    }
    verdicts = against_best(utilities, n, folds=evaluation.folds)
    rows = [
        _row(name, pool(parts), evaluation.cases.get(name)) | {"against_best": verdicts[name]}
        for name, parts in sums.items()
    ]
    return sorted(rows, key=lambda row: (-row["u65"], -row["u80"]))


def _row(name: str, total: Sums, cases: Cases | None) -> dict[str, Any]:
    found: dict[str, Any] = measures(total) | {"auc": np.nan, "balanced_accuracy": np.nan}
    if cases is not None:
        found["balanced_accuracy"] = float(balanced_accuracy_score(cases.true, cases.predicted))
        if cases.proba.shape[1] == 2:
            found["auc"] = float(roc_auc_score(cases.true, cases.proba[:, 1]))
    credal = "decided" in total
    if not credal:
        found["u65"] = found["u80"] = found["accuracy"]
    return {
        "classifier": name,
        "credal": credal,
        "n": int(total["n"]),
        **found,
        "n_decided": int(total["decided"]) if credal else None,
        "n_undecided": int(total["undecided"]) if credal else None,
    }
