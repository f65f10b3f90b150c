"""One test fold: the table is encoded once, and all classifiers learn from the same training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from skcredal._arrays import AnyArray, FloatArray, IntArray
from skcredal._encoding.frames import read_table
from skcredal._encoding.table_encoding import EncodedTable
from skcredal._validation import check_instance, check_integer, check_texts, naming, safe_repr
from skcredal.classifiers._base import TabularClassifier, fit_rows
from skcredal.classifiers._bayes import NullClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import TrainingRows, training_rows
from skcredal.evaluation._sums import FoldSums, fold_sums

__all__ = ["Fold", "HeldOut", "check_classifiers", "encode_whole", "run_fold", "splits"]


def encode_whole(features: Any, target: AnyArray) -> EncodedTable:
    """Learn medians, modes and cuts from the whole data set, test rows included (the setting ``"paper"``)."""
    # The null classifier learns nothing but the encoding.
    rows = training_rows(NullClassifier(), features, target)
    return EncodedTable(rows.encoding, rows.codes)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What a classifier that saw only some training rows says about the others and the test rows.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes among the rows that it saw.
    proba, labels : ndarray of shape (n_rest, n_classes) and (n_rest,)
        Probabilities and true classes (indices into ``classes``) of the training rows that were held out.
    test_proba : ndarray of shape (n_test, n_classes)
        Probabilities of the test rows.
    """

    classes: AnyArray
    proba: FloatArray
    labels: IntArray
    test_proba: FloatArray


class Fold:
    """Training and test rows of a table, encoded once, and the classifiers that learned from them.

    The encoding is learned from the training rows, or is that of ``whole`` if given. Counts, tables and
    likelihoods are computed once and shared by all classifiers that need them.
    """

    def __init__(
        self,
        features: Any,
        target: AnyArray,
        train: IntArray,
        test: IntArray,
        whole: EncodedTable | None = None,
    ) -> None:
        self._features, self._target, self._train, self._test = features, target, train, test
        self._whole = whole
        self._learners: dict[str, TabularClassifier] = {}
        self.y_test: AnyArray = target[test]
        start = time.perf_counter()
        if whole is None:
            reader = NullClassifier()
            self._rows = training_rows(reader, features.iloc[train], target[train])
            encoded = time.perf_counter()
            table = read_table(features.iloc[test], estimator=reader)
            self.test = EncodedTable(self._rows.encoding, self._rows.encoding.encode(table))
        else:
            self._rows = _rows_of(whole, target, train)
            encoded = time.perf_counter()
            self.test = _part(whole, test)
        # Charged to every classifier, since each would have to encode the table if it ran alone.
        self.encode_seconds = encoded - start
        self.encode_test_seconds = time.perf_counter() - encoded

    @property
    def n_features(self) -> int:
        """Number of features that are kept."""
        return len(self._rows.codes)

    def learn(self, name: str, classifier: TabularClassifier) -> TabularClassifier:
        """Return the classifier, fitted to the training rows; fitted only once under the same name."""
        if name not in self._learners:
            self._learners[name] = self.learn_variant(classifier)
        return self._learners[name]

    def learn_variant(self, classifier: TabularClassifier) -> TabularClassifier:
        """Return a copy of the classifier, fitted to the training rows."""
        learner: TabularClassifier = fit_rows(clone(classifier), lambda _: self._rows)
        return learner

    def seconds_saved(self) -> float:
        """Return how long the results took to compute that were reused since the last call of this method."""
        return self._rows.seconds_saved()

    def hold_out(self, classifier: TabularClassifier, *, share: float) -> HeldOut:
        """Fit to some of the training rows, and predict the others and the test rows.

        Parameters
        ----------
        classifier : TabularClassifier
            What to fit; nothing in it, not even a cut point, depends on the rows that are held out.
        share : float
            Which share of the rows of each class to hold out, rounded down so that every class is learned.
        """
        # A fixed seed is enough: the folds themselves are shuffled anew in every run.
        rng = np.random.default_rng(0)
        held = np.zeros(len(self._train), np.bool_)
        labels = self._rows.labels
        for c in range(len(self._rows.classes)):
            of_class = rng.permutation(np.flatnonzero(labels == c))
            held[of_class[: int(share * len(of_class))]] = True
        seen, rest = self._train[~held], self._train[held]
        if self._whole is None:
            learner = clone(classifier).fit(self._features.iloc[seen], self._target[seen])
            rest_rows, test_rows = self._features.iloc[rest], self._features.iloc[self._test]
        else:
            rows = _rows_of(self._whole, self._target, seen)
            learner = fit_rows(clone(classifier), lambda _: rows)
            rest_rows, test_rows = _part(self._whole, rest), self.test
        return HeldOut(
            learner.classes_,
            learner.predict_proba(rest_rows),
            np.searchsorted(learner.classes_, self._target[rest]),
            learner.predict_proba(test_rows),
        )


def _part(whole: EncodedTable, rows: IntArray) -> EncodedTable:
    # A selection of columns is not contiguous, and the kernels walk along rows of a feature.
    return EncodedTable(whole.encoding, np.ascontiguousarray(whole.codes[:, rows]))


def _rows_of(whole: EncodedTable, target: AnyArray, train: IntArray) -> TrainingRows:
    """Return the training rows of a table that was encoded as a whole."""
    classes, labels = np.unique(target[train], return_inverse=True)
    return TrainingRows(whole.encoding, classes, _part(whole, train).codes, labels.astype(np.int32), None)


def splits(target: AnyArray, *, folds: int, run: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return the training and test rows of each fold of a run, stratified by class.

    Examples
    --------
    >>> import numpy as np
    >>> [len(test) for _, test in splits(np.array(["a", "b"] * 5), folds=5, run=0, seed=0)]
    [2, 2, 2, 2, 2]
    """
    check_instance("target", target, np.ndarray)
    check_integer("folds", folds, low=2, high=max(2, target.size))
    check_integer("run", run, low=0)
    check_integer("seed", seed, low=0)
    # Mixed: with seed + run, run 1 of seed 0 would have the folds of run 0 of seed 1.
    state = int(np.random.SeedSequence([seed, run]).generate_state(1)[0])
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=state)
    with warnings.catch_warnings():
        # A class with fewer rows than folds is part of the protocol; some folds simply lack it.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        with naming("target"):
            return list(splitter.split(np.empty(len(target)), target))


def check_classifiers(classifiers: Any) -> None:
    """Refuse anything but a mapping from names to classifiers of this package."""
    check_instance("classifiers", classifiers, Mapping)
    check_texts("classifiers", classifiers)
    for name, classifier in classifiers.items():
        if not isinstance(classifier, TabularClassifier):
            raise TypeError(
                f"classifiers must be skcredal classifiers, got {safe_repr(classifier)} for {name!r}."
            )


def run_fold(classifiers: Mapping[str, TabularClassifier], fold: Fold) -> dict[str, FoldSums]:
    """Fit all classifiers to the training rows and return their results on the test rows.

    The seconds of each classifier include the shared steps, as if it had run alone.
    """
    results = {}
    for name, classifier in classifiers.items():
        start = time.perf_counter()
        learner = fold.learn(name, classifier)
        learned = time.perf_counter()
        # One after the other: bounds, which nothing here asks for, would take most of the time of answers().
        y_proba = learner.predict_proba(fold.test)
        y_set = learner.predict_set(fold.test) if isinstance(learner, CredalMixin) else None
        results[name] = fold_sums(
            fold.y_test,
            y_proba,
            y_set,
            learner.classes_,
            fit_seconds=fold.encode_seconds + learned - start + fold.seconds_saved(),
            predict_seconds=fold.encode_test_seconds + time.perf_counter() - learned,
        )
    return results
