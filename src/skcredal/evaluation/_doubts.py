"""The two kinds of doubt about an answer, undecided and a close call, and how often answers were right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from typing import Any

import joblib
import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.evaluation._fold import Fold, run_fold, splits
from skcredal.evaluation._registry import CLOSE_CALL
from skcredal.evaluation._sums import FoldSums, pool, share

__all__ = ["DoubtSums", "doubt_of_rows", "evaluate_with_doubts"]


def doubt_of_rows(
    proba: FloatArray, sets: BoolArray | None, *, close_call: float = CLOSE_CALL
) -> np.ndarray[Any, np.dtype[np.str_]]:
    """Return the doubt about each answer: ``"undecided"``, ``"close call"``, or ``""``.

    Undecided means that several classes remain; a close call that one remains, but that its probability is
    below a threshold. Without sets there is always one class.

    Examples
    --------
    >>> import numpy as np
    >>> proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.6, 0.4]])
    >>> sets = np.array([[True, False], [True, False], [True, True]])
    >>> doubt_of_rows(proba, sets).tolist()
    ['', 'close call', 'undecided']
    """
    several = np.zeros(len(proba), np.bool_) if sets is None else sets.sum(axis=1) > 1
    close = proba.max(axis=1, initial=0.0) < close_call
    return np.where(several, "undecided", np.where(close, "close call", ""))


@dataclass(frozen=True, slots=True)
class DoubtSums:
    """Number of decided rows, of the close calls among them and of undecided rows, and of those right.

    An answer is right if the most probable class is the true one.
    """

    decided: int = 0
    decided_correct: int = 0
    close: int = 0
    close_correct: int = 0
    undecided: int = 0
    undecided_correct: int = 0

    @classmethod
    def of(cls, doubt: AnyArray, correct: BoolArray) -> DoubtSums:
        """Count the rows of each kind.

        Examples
        --------
        >>> import numpy as np
        >>> DoubtSums.of(np.array(["", "close call", "undecided"]), np.array([True, False, True]))
        DoubtSums(decided=2, decided_correct=1, close=1, close_correct=0, undecided=1, undecided_correct=1)
        """
        kinds = (doubt != "undecided", doubt == "close call", doubt == "undecided")
        return cls(*(int(n) for kind in kinds for n in (kind.sum(), (kind & correct).sum())))

    def __add__(self, other: DoubtSums) -> DoubtSums:
        return DoubtSums(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def measures(self) -> dict[str, float]:
        """Return the number of rows of each kind and how often they were right; NaN if there are none."""
        return {
            "n_decided": self.decided,
            "accuracy_decided": share(self.decided_correct, self.decided),
            "n_close_calls": self.close,
            "accuracy_close_calls": share(self.close_correct, self.close),
            "n_undecided": self.undecided,
            "accuracy_undecided": share(self.undecided_correct, self.undecided),
        }


def evaluate_with_doubts(
    classifiers: Mapping[str, TabularClassifier],
    features: Any,
    target: AnyArray,
    *,
    runs: int,
    folds: int,
    seed: int,
    jobs: int | None,
    close_call: float = CLOSE_CALL,
    on_fold: Callable[[], None] | None = None,
) -> tuple[dict[str, FoldSums], dict[str, DoubtSums]]:
    """Cross-validate as `evaluate_table` does, and count the doubts of the credal classifiers on the way."""
    sums: dict[str, list[FoldSums]] = {name: [] for name in classifiers}
    doubts: dict[str, DoubtSums] = {}
    # In order, so that sums of floats do not depend on which fold finishes first.
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator")
    tasks = (
        joblib.delayed(_fold_with_doubts)(dict(classifiers), features, target, train, test, close_call)
        for run in range(runs)
        for train, test in splits(target, folds=folds, run=run, seed=seed)
    )
    for of_fold, doubts_of_fold in parallel(tasks):
        for name, part in of_fold.items():
            sums[name].append(part)
        for name, counted in doubts_of_fold.items():
            doubts[name] = doubts.get(name, DoubtSums()) + counted
        if on_fold is not None:
            on_fold()
    return {name: pool(parts) for name, parts in sums.items()}, doubts


def _fold_with_doubts(
    classifiers: Mapping[str, TabularClassifier],
    features: Any,
    target: AnyArray,
    train: AnyArray,
    test: AnyArray,
    close_call: float,
) -> tuple[dict[str, FoldSums], dict[str, DoubtSums]]:
    with warnings.catch_warnings():
        # The caller warns about the table once; here every fold of every process would repeat it.
        warnings.simplefilter("ignore")
        fold = Fold(features, target, train, test)
        sums = run_fold(classifiers, fold)
        doubts = {}
        for name, classifier in classifiers.items():
            learner = fold.learn(name, classifier)  # kept by the fold
            if isinstance(learner, CredalMixin):
                rows = fold.test_rows(classifier)
                proba = learner.predict_proba(rows)
                doubt = doubt_of_rows(proba, learner.predict_set(rows), close_call=close_call)
                correct = learner.classes_[proba.argmax(axis=1)] == fold.y_test
                doubts[name] = DoubtSums.of(doubt, correct)
    return sums, doubts
