"""One test fold: the table is encoded once, and all classifiers learn from the same training rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import validate_data

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.tables import read_table
from skcredal._threads import one_blas_thread
from skcredal._validation import check_instance, check_texts, naming, safe_repr
from skcredal.classifiers._base import TabularClassifier, fit_on
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import MemoryRows, Part, rules_of
from skcredal.evaluation._baselines import make_baseline
from skcredal.evaluation._sums import FoldSums, fold_sums

__all__ = [
    "Fold",
    "FoldAnswer",
    "HeldOut",
    "Whole",
    "baseline_answers",
    "check_classifiers",
    "encode_whole",
    "fold_answers",
    "run_baselines",
    "run_fold",
    "splits",
]


Value = TypeVar("Value")

# A table encoded as a whole, in each way that some classifier wants it.
Whole = Mapping[str, EncodedTable]


def encode_whole(
    features: Any, target: AnyArray, classifiers: Iterable[TabularClassifier]
) -> dict[str, EncodedTable]:
    """Learn medians, modes and cuts from the whole data set, test rows included (the setting ``"paper"``)."""
    encoded: dict[str, EncodedTable] = {}
    for classifier in classifiers:
        key = _encoding_key(classifier)
        if key not in encoded:
            rows = MemoryRows.of(clone(classifier), features, target)
            encoded[key] = rows.part.rows
    return encoded


def _encoding_key(classifier: TabularClassifier) -> str:
    """Return a text that is the same for classifiers that read tables in the same way."""
    return str(joblib.hash(rules_of(classifier)))


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What a classifier that saw only some training rows says about the others and the test rows.

    ``labels`` are the true classes of the others, as indices into the ``classes`` that it saw.
    """

    classes: AnyArray
    proba: FloatArray
    labels: IntArray
    test_proba: FloatArray


class SharedRows:
    """Training rows whose sums are kept for the next classifier that asks for the same."""

    def __init__(self, rows: MemoryRows) -> None:
        self.encoding, self.classes = rows.encoding, rows.classes
        self.learns_encoding, self.sample = rows.learns_encoding, rows.sample
        self._rows = rows
        self._made: dict[Hashable, Any] = {}

    def sum(self, work: Callable[[Part], Value], stage: str, key: Hashable = None) -> Value:
        if key is None:
            return self._rows.sum(work, stage)
        return self.once(lambda: self._rows.sum(work, stage), (stage, key))

    def once(self, make: Callable[[], Value], key: Hashable) -> Value:
        if key not in self._made:
            self._made[key] = make()
        value: Value = self._made[key]
        return value


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """The rows of a fold in one encoding, and how long it took to encode the training and the test rows.

    The seconds are charged to every classifier, since each would have to encode the table if it ran alone.
    """

    train: SharedRows
    test: EncodedTable
    train_seconds: float
    test_seconds: float


class Fold:
    """Training and test rows of a table, encoded once, and the classifiers that learned from them.

    The encoding is learned from the training rows, or is that of ``whole`` if given. It is learned once for
    all classifiers that read tables in the same way; counts and likelihoods are computed once and shared by
    all classifiers that need them.
    """

    def __init__(
        self,
        features: Any,
        target: AnyArray,
        train: IntArray,
        test: IntArray,
        whole: Whole | None = None,
    ) -> None:
        self._features, self._target, self._train, self._test = features, target, train, test
        self._whole = whole
        self._encoded: dict[str, _Coded] = {}
        self._learners: dict[str, TabularClassifier] = {}
        self._baselines: dict[str, Pipeline] = {}
        self.y_test: AnyArray = target[test]

    def _coded(self, classifier: TabularClassifier) -> _Coded:
        key = _encoding_key(classifier)
        if key not in self._encoded:
            start = time.perf_counter()
            if self._whole is None:
                reader = clone(classifier)
                rows = MemoryRows.of(reader, self._features.iloc[self._train], self._target[self._train])
                learned = time.perf_counter()
                table = read_table(self._features.iloc[self._test], estimator=reader)
                test = EncodedTable.of(rows.encoding, table)
            else:
                rows = _rows_of(self._whole[key], self._target, self._train)
                learned = time.perf_counter()
                test = self._whole[key].select(self._test)
            self._encoded[key] = _Coded(
                SharedRows(rows), test, learned - start, time.perf_counter() - learned
            )
        return self._encoded[key]

    def test_rows(self, classifier: TabularClassifier) -> EncodedTable:
        """Return the test rows as a classifier that was fitted to the fold takes them."""
        return self._coded(classifier).test

    def encoding_seconds(self, classifier: TabularClassifier) -> tuple[float, float]:
        """Return how long it took to encode the training rows and the test rows."""
        coded = self._coded(classifier)
        return coded.train_seconds, coded.test_seconds

    def learn(self, name: str, classifier: TabularClassifier) -> TabularClassifier:
        """Return the classifier, fitted to the training rows; fitted only once under the same name."""
        if name not in self._learners:
            self._learners[name] = self.learn_variant(classifier)
        return self._learners[name]

    def learn_variant(self, classifier: TabularClassifier) -> TabularClassifier:
        """Return a copy of the classifier, fitted to the training rows."""
        rows = self._coded(classifier).train

        def take_names(learner: TabularClassifier) -> SharedRows:
            # The rows are encoded already, but explanations name the columns.
            validate_data(learner, self._features, reset=True, skip_check_array=True)
            return rows

        learner: TabularClassifier = fit_on(clone(classifier), take_names)
        return learner

    def learn_baseline(self, name: str) -> Pipeline:
        """Return a baseline, fitted to the training rows; fitted only once."""
        if name not in self._baselines:
            train = self._features.iloc[self._train]
            with one_blas_thread():
                self._baselines[name] = make_baseline(name, train).fit(train, self._target[self._train])
        return self._baselines[name]

    def baseline_proba(self, name: str) -> FloatArray:
        """Return what a baseline says about the test rows."""
        learner = self.learn_baseline(name)
        with one_blas_thread():
            proba: FloatArray = learner.predict_proba(self._features.iloc[self._test])
        return proba

    def hold_out(self, classifier: TabularClassifier, *, share: float) -> HeldOut:
        """Fit to some of the training rows, and predict the others and the test rows.

        Nothing that is learned, not even a cut point, depends on the rows that are held out: a share of those
        of each class, rounded down so that every class is learned.
        """
        # A fixed seed is enough: the folds themselves are shuffled anew in every run.
        rng = np.random.default_rng(0)
        held = np.zeros(len(self._train), np.bool_)
        classes, labels = np.unique(self._target[self._train], return_inverse=True)
        for c in range(len(classes)):
            of_class = rng.permutation(np.flatnonzero(labels == c))
            held[of_class[: int(share * len(of_class))]] = True
        seen, rest = self._train[~held], self._train[held]
        if self._whole is None:
            learner = clone(classifier).fit(self._features.iloc[seen], self._target[seen])
            rest_rows, test_rows = self._features.iloc[rest], self._features.iloc[self._test]
        else:
            whole = self._whole[_encoding_key(classifier)]
            rows = _rows_of(whole, self._target, seen)
            learner = fit_on(clone(classifier), lambda _: rows)
            rest_rows, test_rows = whole.select(rest), self.test_rows(classifier)
        return HeldOut(
            learner.classes_,
            learner.predict_proba(rest_rows),
            np.searchsorted(learner.classes_, self._target[rest]),
            learner.predict_proba(test_rows),
        )


def _rows_of(whole: EncodedTable, target: AnyArray, train: IntArray) -> MemoryRows:
    """Return the training rows of a table that was encoded as a whole."""
    classes, labels = np.unique(target[train], return_inverse=True)
    part = Part(whole.select(train), labels.astype(np.int32), np.ones(len(train)), np.arange(len(train)))
    # Medians, modes and cuts are those of the whole data set, whichever rows are learned from.
    return MemoryRows(whole.encoding, classes, part, learns_encoding=False)


def splits(target: AnyArray, *, folds: int, run: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return the training and test rows of each fold of a run, stratified by class."""
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


@dataclass(frozen=True, slots=True, eq=False)
class FoldAnswer:
    """What a classifier says about the test rows of a fold, and how long that took.

    What it shares with an earlier classifier of the fold takes no time, but for the encoding.

    ``sets`` is ``None`` for a classifier without sets.
    """

    learner: Any
    proba: FloatArray
    sets: BoolArray | None
    fit_seconds: float
    predict_seconds: float

    def sums(self, y_test: AnyArray) -> FoldSums:
        """Return the sums over the test rows."""
        return fold_sums(
            y_test,
            self.proba,
            self.sets,
            self.learner.classes_,
            fit_seconds=self.fit_seconds,
            predict_seconds=self.predict_seconds,
        )


def fold_answers(
    classifiers: Mapping[str, TabularClassifier], fold: Fold
) -> Iterator[tuple[str, FoldAnswer]]:
    """Fit all classifiers to the training rows, and yield what each says about the test rows."""
    for name, classifier in classifiers.items():
        encoded, test_encoded = fold.encoding_seconds(classifier)
        test = fold.test_rows(classifier)
        start = time.perf_counter()
        learner = fold.learn(name, classifier)
        learned = time.perf_counter()
        # One after the other: bounds, which nothing here asks for, would take most of the time of answers().
        y_proba = learner.predict_proba(test)
        y_set = learner.predict_set(test) if isinstance(learner, CredalMixin) else None
        predicted = time.perf_counter()
        yield (
            name,
            FoldAnswer(
                learner,
                y_proba,
                y_set,
                fit_seconds=encoded + learned - start,
                predict_seconds=test_encoded + predicted - learned,
            ),
        )


def baseline_answers(names: Iterable[str], fold: Fold) -> Iterator[tuple[str, FoldAnswer]]:
    """Fit classifiers of scikit-learn to the same training rows, and yield what each says.

    They read the table itself, and never see the codes, in whichever setting these were made.
    """
    for name in names:
        start = time.perf_counter()
        learner = fold.learn_baseline(name)
        learned = time.perf_counter()
        proba = fold.baseline_proba(name)
        yield name, FoldAnswer(learner, proba, None, learned - start, time.perf_counter() - learned)


def run_fold(classifiers: Mapping[str, TabularClassifier], fold: Fold) -> dict[str, FoldSums]:
    """Return the results of all classifiers on the test rows.

    The seconds of each include the encoding, and its counts unless an earlier one had them counted.
    """
    return {name: answer.sums(fold.y_test) for name, answer in fold_answers(classifiers, fold)}


def run_baselines(names: Iterable[str], fold: Fold) -> dict[str, FoldSums]:
    """Return the results of classifiers of scikit-learn on the same test rows."""
    return {name: answer.sums(fold.y_test) for name, answer in baseline_answers(names, fold)}
