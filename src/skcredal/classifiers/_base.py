"""What all classifiers share: reading tables, classes and weights, and scikit-learn's contract."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._arrays import AnyArray, CodeArray, FloatArray, IntArray
from skcredal._config import get_config
from skcredal._encoding.frames import read_series, read_table
from skcredal._encoding.table_encoding import (
    EncodedTable,
    Feature,
    TableEncoding,
)
from skcredal._encoding.target import read_weights
from skcredal._ensemble.counts import JointCounts, ValueCounts, pair_table_bytes
from skcredal._ensemble.parameters import prediction_chunks
from skcredal._state import KeepsState
from skcredal._threads import run_in_threads, thread_count
from skcredal._validation import check_choice, check_integer, naming
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._rows import TrainingRows, training_rows

__all__ = ["LEARNED", "TabularClassifier", "fit_rows", "learned_features"]

Value = TypeVar("Value")
Classifier = TypeVar("Classifier", bound="TabularClassifier")

# What is learned and has no trailing underscore.
LEARNED = {"_encoding", "_tables", "_pool", "_priors", "_stream"}


class TabularClassifier(KeepsState, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier of tables with numeric and categorical columns and missing values, discretised inside.

    Subclasses take the parameters that are read here in their ``__init__``, learn in three steps and answer
    for a chunk of codes in :meth:`_posterior`. The steps are :meth:`_count`, what adds up over rows;
    :meth:`_score`, where a second pass over the rows is needed; and :meth:`_derive`, everything else, without
    rows. A model file holds what the first two have learned.
    """

    categorical_features: Any
    categories: Any
    missing: str
    handle_unknown: str
    max_categories: int | None
    n_jobs: int | None

    # Why the classifier cannot learn from sums over batches of rows; ``None`` if it can.
    _needs_all_rows: str | None = None
    # What :meth:`_score` learns, by name.
    _scores: tuple[str, ...] = ()

    _encoding: TableEncoding
    counts_: ValueCounts | JointCounts
    classes_: AnyArray
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features: a numpy array, or a table of pandas, polars or pyarrow, with numeric, boolean,
            string and categorical columns and missing values.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; a whole number equals repeating the row, 0 leaving it out.

        Returns
        -------
        self : object
            The fitted classifier. If anything is wrong, it stays as it was before.
        """
        return fit_rows(self, lambda learner: training_rows(learner, X, y, sample_weight))

    def _unfitted(self) -> Self:
        """Return a copy that has learned nothing, to learn aside (see :func:`fit_rows`)."""
        # What scikit-learn keeps besides parameters (requests for metadata) goes along.
        copy = object.__new__(type(self))
        copy.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if not name.endswith("_") and name not in LEARNED
        }
        return copy

    def _snapshot(self) -> Self:
        """Return this classifier as it is now, whatever is fitted meanwhile in another thread."""
        check_is_fitted(self)
        snapshot = object.__new__(type(self))
        # The same dictionary, not a copy: a fit gives the classifier another one.
        snapshot.__dict__ = self.__dict__
        return snapshot

    def predict(self, X: Any) -> AnyArray:
        """Return the most probable class of every row; of equally probable ones the first in ``classes_``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            The classes.
        """
        model = self._snapshot()
        y_pred: AnyArray = model.classes_[model.predict_proba(X).argmax(axis=1)]
        return y_pred

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        proba : ndarray of shape (n_rows, n_classes)
            The probabilities, columns as in ``classes_``.
        """
        model = self._snapshot()
        return model._proba_of_codes(model._encode(X))

    def _proba_of_codes(self, codes: CodeArray) -> FloatArray:
        proba = np.empty((codes.shape[1], len(self.classes_)))

        def answer(chunk: CodeArray, rows: slice) -> None:
            proba[rows] = self._posterior(chunk)

        self._for_each_chunk(codes, answer)
        return proba

    def _answers(self, X: Any) -> Answers:
        """Return what all of the methods say of a table, from one encoding and one inference."""
        model = self._snapshot()
        return model._answers_of_codes(model._encode(X))

    def _answers_of_codes(self, codes: CodeArray) -> Answers:
        parts: dict[int, Answers] = {}

        def answer(chunk: CodeArray, rows: slice) -> None:
            parts[rows.start] = self._answer_chunk(chunk)

        self._for_each_chunk(codes, answer)
        return Answers.joined([parts[start] for start in sorted(parts)])

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, n_classes)
            The natural logarithms, columns as in ``classes_``; ``-inf`` for a probability too small for a
            double.
        """
        with np.errstate(divide="ignore"):
            log_proba: FloatArray = np.log(self.predict_proba(X))
        return log_proba

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of :meth:`predict`.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.
        y : array-like of shape (n_rows,)
            Their true classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        score : float
            The share of rows, by weight, that are classified as `y` says.
        """
        y_pred = self.predict(X)
        weights = read_weights(sample_weight, len(y_pred))
        with naming("y"):
            return float(accuracy_score(read_series(y), y_pred, sample_weight=weights))

    def _check_parameters(self) -> None:
        """Refuse bad parameters before any work."""
        check_choice("missing", self.missing, ("impute", "marginalize"))
        check_choice("handle_unknown", self.handle_unknown, ("ignore", "error"))
        if self.max_categories is not None:
            check_integer("max_categories", self.max_categories, low=2)
        thread_count(self.n_jobs)

    def _learn(self, rows: TrainingRows) -> None:
        """Learn from rows, in memory or not, whose encoding and classes are settled."""
        self._encoding, self.classes_ = rows.encoding, rows.classes
        self._count(rows)
        self._score(rows)
        self._derive()

    def _count(self, rows: TrainingRows) -> None:
        """Learn what adds up over rows: by default, how often each class and value was seen."""
        self.counts_ = rows.count_values()

    def _score(self, rows: TrainingRows) -> None:
        """Learn what needs a second pass over the rows, as ``_scores`` names it."""

    @abstractmethod
    def _derive(self) -> None:
        """Learn everything else from that, without rows; also done when a model is loaded."""

    @abstractmethod
    def _posterior(self, chunk: CodeArray) -> FloatArray:
        """Return the probabilities (rows, n_classes) of a chunk of codes (k, rows)."""

    def _answer_chunk(self, chunk: CodeArray) -> Answers:
        """Return all that is said of a chunk, exactly as each method by itself says it."""
        return Answers(self.classes_, self._posterior(chunk))

    def _for_each_chunk(self, codes: CodeArray, work: Callable[[CodeArray, slice], None]) -> None:
        """Do the work chunk by chunk, so that nothing of the size rows × features × classes is held."""

        def work_on(rows: slice) -> None:
            work(np.ascontiguousarray(codes[:, rows]), rows)

        n_threads = thread_count(self.n_jobs)
        n_numbers = len(codes) * len(self.classes_)
        run_in_threads(work_on, prediction_chunks(codes.shape[1], n_numbers, n_threads), n_threads)

    def _encode(self, X: Any) -> CodeArray:
        """Return the codes (k, n) of a table to predict."""
        if isinstance(X, EncodedTable):
            if X.encoding is not self._encoding:
                raise ValueError("X must have been encoded as the training rows were, got another encoding.")
            return X.codes
        table = read_table(X, estimator=self)
        validate_data(self, table.data, reset=False, skip_check_array=True)
        return self._encoding.encode(table, n_threads=thread_count(self.n_jobs))

    def _kept_features(self) -> AnyArray:
        """Return the features kept: their names, or their indices where there are no names."""
        kept = np.array(self._encoding.kept, np.int64)
        names = getattr(self, "feature_names_in_", None)
        return kept if names is None else names[kept]

    def _refuse_large_tables(self, codings: Sequence[IntArray], names: Any, *, n_logarithms: int = 2) -> None:
        """Refuse pair tables beyond the limit before they are allocated, given the states in each coding."""
        needed = sum(pair_table_bytes(of_coding, len(self.classes_), n_logarithms) for of_coding in codings)
        limit = get_config()["pair_table_limit"]
        if needed <= limit:
            return
        n_states = np.concatenate(codings)
        most = np.argsort(-n_states, kind="stable")[:3]
        worst = ", ".join(f"{names[j]!s} ({n_states[j]} states)" for j in most)
        raise ValueError(
            f"The pair tables of {len(n_states)} features and {len(self.classes_)} classes would take "
            f"{_size(needed)}, beyond the limit of {_size(limit)}. The features with most states are "
            f"{worst}. Set max_categories to merge their rarest states, drop them, or raise the limit with "
            "skcredal.set_config(pair_table_limit=...)."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def fit_rows(classifier: Classifier, make_rows: Callable[[Classifier], TrainingRows]) -> Classifier:
    """Fit a classifier, aside: it changes as a whole at the end, or not at all.

    Parameters
    ----------
    classifier : TabularClassifier
        What is to be fitted, in place.
    make_rows : callable
        Returns the training rows, given a copy of the classifier that has learned nothing, which it lets know
        the names and the number of the features.
    """
    learner = classifier._unfitted()
    learner._check_parameters()
    learner._learn(make_rows(learner))
    # One assignment: whatever failed or was interrupted before leaves the classifier as it was, and a
    # prediction in another thread answers from the old model or from the new one, never from a mixture.
    classifier.__dict__ = learner.__dict__
    return classifier


def learned_features(classifier: TabularClassifier) -> list[Feature]:
    """Return how each column of the training table becomes codes."""
    return classifier._encoding.features


def _size(n_bytes: int) -> str:
    for unit, scale in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.2f} {unit}"
    return f"{n_bytes} bytes"
