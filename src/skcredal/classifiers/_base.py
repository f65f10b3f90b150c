"""What all classifiers share: reading tables, classes and weights, and scikit-learn's contract."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._arrays import AnyArray, CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._config import get_config
from skcredal._encoding.frames import read_series, read_table
from skcredal._encoding.table_encoding import EncodingRules, learn_encoding
from skcredal._encoding.target import encode_target, read_weights
from skcredal._ensemble.counts import JointCounts, count, pair_table_bytes
from skcredal._ensemble.naive import ValueCounts, count_values
from skcredal._ensemble.parameters import SpodeTables, prediction_chunks
from skcredal._ensemble.weights import log_likelihoods
from skcredal._state import KeepsState
from skcredal._threads import run_in_threads, thread_count
from skcredal._transaction import all_or_nothing
from skcredal._validation import check_choice, check_integer, naming
from skcredal.classifiers._answers import Answers

__all__ = ["TabularClassifier", "TrainingRows"]


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """The training table as codes (k, n), labels (n,) and weights (n,) or ``None``, and what was made of it.

    Several classifiers may learn from the same rows: what more than one of them needs is computed once.
    """

    codes: CodeArray
    labels: LabelArray
    weights: CountArray | None
    _shared: dict[Hashable, Any] = field(default_factory=dict)
    _seconds: dict[Hashable, float] = field(default_factory=dict)
    _reused: list[float] = field(default_factory=list)

    def shared(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return what is kept under the key; the first time, compute it."""
        if key in self._shared:
            self._reused.append(self._seconds[key])
        else:
            start = time.perf_counter()
            self._shared[key] = compute()
            self._seconds[key] = time.perf_counter() - start
        value: Value = self._shared[key]
        return value

    @property
    def n_features(self) -> int:
        """How many features were kept."""
        return len(self.codes)

    def count_values(self, n_states: IntArray, n_classes: int) -> ValueCounts:
        """Count the classes and values."""
        return count_values(self.codes, self.labels, n_states, n_classes, self.weights)

    def count_pairs(self, n_states: IntArray, n_classes: int, *, n_threads: int) -> JointCounts:
        """Count the pairs of values, too."""
        return count(self.codes, self.labels, n_states, n_classes, weights=self.weights, n_threads=n_threads)

    def log_likelihoods(self, tables: SpodeTables, *, floor: float, n_threads: int) -> FloatArray:
        """Return the conditional log-likelihood of every SPODE."""
        return log_likelihoods(
            tables, self.codes, self.labels, weights=self.weights, floor=floor, n_threads=n_threads
        )

    def seconds_saved(self) -> float:
        """Return how long it took others to compute what was reused since the last call of this method."""
        seconds = sum(self._reused)
        self._reused.clear()
        return seconds


class TabularClassifier(KeepsState, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier of tables with numeric and categorical columns and missing values, discretised inside.

    Subclasses take the parameters that are read here in their ``__init__``, learn from codes in
    :meth:`_learn`, and answer for a chunk of codes in :meth:`_posterior`.
    """

    categorical_features: Any
    categories: Any
    missing: str
    handle_unknown: str
    max_categories: int | None
    n_jobs: int | None

    # Why the classifier cannot learn from sums over batches of rows; ``None`` if it can.
    _needs_all_rows: str | None = None

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
        self._check_parameters()
        with all_or_nothing(self):
            self._learn(self._encode_training(X, y, sample_weight))
        return self

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
        proba = self.predict_proba(X)
        y_pred: AnyArray = self.classes_[proba.argmax(axis=1)]
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
        return self._proba_of_codes(self._encode(X))

    def _proba_of_codes(self, codes: CodeArray) -> FloatArray:
        proba = np.empty((codes.shape[1], len(self.classes_)))

        def answer(chunk: CodeArray, rows: slice) -> None:
            proba[rows] = self._posterior(chunk)

        self._for_each_chunk(codes, answer)
        return proba

    def _answers_of_codes(self, codes: CodeArray) -> Answers:
        """Return what each of the methods says of rows, with as little inference as that takes."""
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

    @abstractmethod
    def _learn(self, rows: TrainingRows) -> None:
        """Learn from the training rows; the encoding and the classes are settled."""

    @abstractmethod
    def _posterior(self, chunk: CodeArray) -> FloatArray:
        """Return the probabilities (rows, n_classes) of a chunk of codes (k, rows)."""

    def _answer_chunk(self, chunk: CodeArray) -> Answers:
        """Return all that is said of a chunk, exactly as each method by itself says it."""
        return Answers(self._posterior(chunk))

    def _for_each_chunk(self, codes: CodeArray, work: Callable[[CodeArray, slice], None]) -> None:
        """Do the work chunk by chunk, so that nothing of the size rows × features × classes is held."""

        def work_on(rows: slice) -> None:
            work(np.ascontiguousarray(codes[:, rows]), rows)

        n_threads = thread_count(self.n_jobs)
        n_numbers = len(codes) * len(self.classes_)
        run_in_threads(work_on, prediction_chunks(codes.shape[1], n_numbers, n_threads), n_threads)

    def _encode_training(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Read the training table, learn its encoding and the classes, and return the rows that count."""
        n_threads = thread_count(self.n_jobs)
        table = read_table(X, estimator=self, n_threads=n_threads)
        validate_data(self, table.data, reset=True, skip_check_array=True)
        weights = read_weights(sample_weight, table.n_rows)
        classes, labels = encode_target(y, n_rows=table.n_rows, estimator=self)
        if weights is not None and not weights.all():
            # A row of weight 0 is absent: its values declare no state and its class may vanish with it.
            rows = weights > 0
            table, weights = table.select(rows), weights[rows]
            present, places = np.unique(labels[rows], return_inverse=True)
            classes, labels = classes[present], places.astype(np.int32)
        names = getattr(self, "feature_names_in_", None)
        self._encoding, codes = learn_encoding(
            table, labels, weights, len(classes), self._encoding_rules(), names=names, n_threads=n_threads
        )
        self.classes_ = classes
        return TrainingRows(codes, labels, weights)

    def _encoding_rules(self) -> EncodingRules:
        return EncodingRules(
            self.categorical_features,
            self.categories,
            self.missing,
            self.handle_unknown,
            self.max_categories,
        )

    def _encode(self, X: Any) -> CodeArray:
        """Read a table to predict and return its codes (k, n)."""
        check_is_fitted(self)
        table = read_table(X, estimator=self)
        validate_data(self, table.data, reset=False, skip_check_array=True)
        return self._encoding.encode(table, n_threads=thread_count(self.n_jobs))

    def _count_values(self, rows: TrainingRows) -> ValueCounts:
        """Count the classes and values of the training rows, once for all that learn from them."""
        n_states, n_classes = self._encoding.n_states, len(self.classes_)
        return rows.shared("value counts", lambda: rows.count_values(n_states, n_classes))

    def _count_pairs(self, rows: TrainingRows) -> JointCounts:
        """Count the pairs of values, too; refused if the tables would be too large."""
        self._check_pair_tables(rows)
        n_states, n_classes = self._encoding.n_states, len(self.classes_)
        n_threads = thread_count(self.n_jobs)
        return rows.shared("joint counts", lambda: rows.count_pairs(n_states, n_classes, n_threads=n_threads))

    def _kept_features(self) -> AnyArray:
        """Return the features kept: their names, or their indices where there are no names."""
        kept = np.array(self._encoding.kept, np.int64)
        names = getattr(self, "feature_names_in_", None)
        return kept if names is None else names[kept]

    def _check_pair_tables(self, rows: TrainingRows) -> None:
        """Refuse pair tables beyond the limit before they are allocated."""
        n_states = self._encoding.n_states
        self._refuse_large_tables(n_states, self._kept_features())

    def _refuse_large_tables(self, n_states: IntArray, names: Any) -> None:
        needed = pair_table_bytes(n_states, len(self.classes_))
        limit = get_config()["pair_table_limit"]
        if needed <= limit:
            return
        most = np.argsort(-n_states, kind="stable")[:3]
        worst = ", ".join(f"{names[place]!s} ({n_states[place]} states)" for place in most)
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


def _size(n_bytes: int) -> str:
    for unit, scale in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.2f} {unit}"
    return f"{n_bytes} bytes"
