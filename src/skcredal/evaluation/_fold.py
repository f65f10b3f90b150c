"""One test fold: the table is encoded once, and all classifiers learn from the same training rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import validate_data

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.tables import read_table
from skcredal._validation import naming
from skcredal.classifiers._base import TabularClassifier, fit_on
from skcredal.classifiers._rows import MemoryRows, Part, rules_of
from skcredal.evaluation._results import Sums, fold_sums

__all__ = ["Answer", "Fold", "HeldOut", "encode_whole", "splits"]

Value = TypeVar("Value")

# A table encoded as a whole, in each way that some classifier wants it.
Whole = Mapping[str, EncodedTable]


def encode_whole(features: Any, target: AnyArray, classifiers: Iterable[Any]) -> dict[str, EncodedTable]:
    """Learn medians, modes and cuts from the whole data set, test rows included (the setting ``"paper"``)."""
    encoded: dict[str, EncodedTable] = {}
    for classifier in classifiers:
        if isinstance(classifier, TabularClassifier) and (key := _encoding_key(classifier)) not in encoded:
            encoded[key] = MemoryRows.of(clone(classifier), features, target).part.rows
    return encoded


def _encoding_key(classifier: TabularClassifier) -> str:
    """Return a text that is the same for classifiers that read tables in the same way."""
    return str(joblib.hash(rules_of(classifier)))


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


class Answer(NamedTuple):
    """What a fitted classifier says about the test rows; ``sets`` is ``None`` if it has none."""

    learner: Any
    proba: FloatArray
    sets: BoolArray | None


class HeldOut(NamedTuple):
    """What a classifier that saw only some training rows says about the others and the test rows.

    ``labels`` are the true classes of the others, as indices into the ``classes`` that it saw.
    """

    classes: AnyArray
    proba: FloatArray
    labels: IntArray
    test_proba: FloatArray


class Fold:
    """Training and test rows of a table, encoded once, and the classifiers that learned from them.

    The encoding is learned from the training rows, or is that of ``whole`` if given. It is learned once for
    all classifiers that read tables in the same way; counts and likelihoods are computed once and shared by
    all classifiers that need them. Classifiers of other packages read the table itself.
    """

    def __init__(
        self, features: Any, target: AnyArray, train: IntArray, test: IntArray, whole: Whole | None = None
    ) -> None:
        self.features, self.target, self.train, self.test = features, target, train, test
        self._whole = whole
        self._encoded: dict[str, tuple[SharedRows, EncodedTable]] = {}
        self._learners: dict[str, Any] = {}
        self.y_test: AnyArray = target[test]

    def _coded(self, classifier: TabularClassifier) -> tuple[SharedRows, EncodedTable]:
        key = _encoding_key(classifier)
        if key not in self._encoded:
            if self._whole is None:
                reader = clone(classifier)
                rows = MemoryRows.of(reader, self.features.iloc[self.train], self.target[self.train])
                table = read_table(self.features.iloc[self.test], estimator=reader)
                test = EncodedTable.of(rows.encoding, table)
            else:
                rows = _rows_of(self._whole[key], self.target, self.train)
                test = self._whole[key].select(self.test)
            self._encoded[key] = SharedRows(rows), test
        return self._encoded[key]

    def test_rows(self, classifier: Any) -> Any:
        """Return the test rows as a classifier that was fitted to the fold takes them."""
        if isinstance(classifier, TabularClassifier):
            return self._coded(classifier)[1]
        return self.features.iloc[self.test]

    def learn(self, name: str, classifier: Any) -> Any:
        """Return the classifier, fitted to the training rows; fitted only once under the same name."""
        if name not in self._learners:
            self._learners[name] = self.learn_variant(classifier)
        return self._learners[name]

    def learn_variant(self, classifier: Any) -> Any:
        """Return a copy of the classifier, fitted to the training rows."""
        if not isinstance(classifier, TabularClassifier):
            return clone(classifier).fit(self.features.iloc[self.train], self.target[self.train])
        rows, _ = self._coded(classifier)

        def take_names(learner: TabularClassifier) -> SharedRows:
            # The rows are encoded already, but explanations name the columns.
            validate_data(learner, self.features, reset=True, skip_check_array=True)
            return rows

        return fit_on(clone(classifier), take_names)

    def answers(self, classifiers: Mapping[str, Any]) -> Iterator[tuple[str, Answer]]:
        """Fit all classifiers to the training rows, and yield what each says about the test rows."""
        for name, classifier in classifiers.items():
            learner, test = self.learn(name, classifier), self.test_rows(classifier)
            # Not by answers(): bounds, which nothing here asks for, would take most of its time.
            sets = learner.predict_set(test) if hasattr(learner, "predict_set") else None
            yield name, Answer(learner, learner.predict_proba(test), sets)

    def sums(self, classifiers: Mapping[str, Any]) -> dict[str, Sums]:
        """Return the results of all classifiers on the test rows."""
        return {
            name: fold_sums(self.y_test, answer.proba, answer.sets, answer.learner.classes_)
            for name, answer in self.answers(classifiers)
        }

    def hold_out(self, classifier: Any, *, share: float) -> HeldOut:
        """Fit to some of the training rows, and predict the others and the test rows.

        Nothing that is learned, not even a cut point, depends on the rows that are held out: a share of those
        of each class, rounded down so that every class is learned.
        """
        # A fixed seed is enough: the folds themselves are shuffled anew in every run.
        rng = np.random.default_rng(0)
        held = np.zeros(len(self.train), np.bool_)
        classes, labels = np.unique(self.target[self.train], return_inverse=True)
        for c in range(len(classes)):
            of_class = rng.permutation(np.flatnonzero(labels == c))
            held[of_class[: int(share * len(of_class))]] = True
        seen, rest = self.train[~held], self.train[held]
        if self._whole is None or not isinstance(classifier, TabularClassifier):
            learner = clone(classifier).fit(self.features.iloc[seen], self.target[seen])
            rest_rows, test_rows = self.features.iloc[rest], self.features.iloc[self.test]
        else:
            whole = self._whole[_encoding_key(classifier)]
            rows = _rows_of(whole, self.target, seen)
            learner = fit_on(clone(classifier), lambda _: rows)
            rest_rows, test_rows = whole.select(rest), self.test_rows(classifier)
        return HeldOut(
            learner.classes_,
            learner.predict_proba(rest_rows),
            np.searchsorted(learner.classes_, self.target[rest]),
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
