"""The base class of all classifiers: scikit-learn's contract, and learning and answering in steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._arrays import AnyArray, FloatArray
from skcredal._config import check_pair_tables
from skcredal._encoding.encoding import EncodedTable, Encoding, FeatureEncoding
from skcredal._encoding.features import Feature
from skcredal._encoding.tables import read_table
from skcredal._encoding.target import encode_target
from skcredal._ensemble.counts import Counts, count, count_values, pair_table_bytes
from skcredal._ensemble.spodes import WORTH_A_THREAD, chunks
from skcredal._threads import run_in_threads, thread_count
from skcredal._ties import best_class
from skcredal._validation import check_choice, check_instance, check_integer, check_real, safe_repr, warn
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._rows import MemoryRows, Rows, learn_encoding, read_rows

Value = TypeVar("Value")
Classifier = TypeVar("Classifier", bound="TabularClassifier")

# Learned attributes without a trailing underscore.
LEARNED = {"_encoding", "_tables", "_spodes", "_trees", "_line", "_experts", "_priors", "_from_batches"}


def _check_epsilon(name: str, value: Any) -> None:
    if not isinstance(value, str) or value != "auto":
        check_real(name, value, low=0.0, low_open=True)


# What each parameter must be, whichever classifier has it.
RULES: dict[str, Callable[[str, Any], Any]] = {
    "missing": partial(check_choice, choices=("impute", "marginalize")),
    "handle_unknown": partial(check_choice, choices=("ignore", "error")),
    "average": partial(check_choice, choices=("posterior", "joint")),
    "likelihood": partial(check_choice, choices=("conditional", "marginal")),
    # The strength of a prior, in rows: beyond these bounds, sums with counts lose it.
    "ess": partial(check_real, low=1e-6, high=1e6),
    "s": partial(check_real, low=1e-6, high=1e6),
    "epsilon": _check_epsilon,
    "likelihood_floor": partial(check_real, low=0.0, high=1.0, high_open=True),
    "contamination": partial(check_real, low=0.0, high=1.0),
    "credibility": partial(check_real, low=0.0, high=1.0, high_open=True),
    "tol": partial(check_real, low=0.0),
    "max_iter": partial(check_integer, low=1),
    "max_rows": partial(check_integer, low=1),
    "n_regions": partial(check_integer, low=0),
    "line": partial(check_instance, kind=(bool, np.bool_)),
    "random_state": check_integer,
}


class TabularClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier for tables with numeric and categorical columns and missing values.

    The ``__init__`` of a subclass takes the parameters of :meth:`_keep_shared` by keyword, and stores them.
    It learns in three steps: :meth:`_count`, what adds up over rows; :meth:`_score`, what needs a second pass
    over the rows; and :meth:`_derive`, everything else, without rows. A model file contains the results of
    the first two. It answers for a chunk of rows in :meth:`_posterior`.
    """

    # Whether the counts are all that is learned from rows, so that ``partial_fit`` can add to them.
    _counts_suffice = False
    # Why the classifier cannot learn from sums over batches of rows; ``None`` if it can.
    _needs_all_rows: str | None = None
    # The names of what :meth:`_count` and :meth:`_score` learn besides ``counts_``.
    _scores: tuple[str, ...] = ()

    _encoding: Encoding
    _tables: Any
    counts_: Counts
    classes_: AnyArray
    n_features_in_: int
    feature_names_in_: AnyArray

    def _keep_shared(
        self,
        categorical_features: Any,
        categories: Any,
        missing: str,
        handle_unknown: str,
        max_categories: int | None,
        n_jobs: int | None,
    ) -> None:
        """Keep the parameters that all classifiers share; for ``__init__``, which otherwise only stores."""
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features: a numpy array, or a pandas, polars or pyarrow table, with numeric, boolean, string
            and categorical columns and missing values.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; a whole number is the same as repeating the row, 0 the same as omitting it.

        Returns
        -------
        self : object
            The fitted classifier. If fitting fails, it stays as it was.
        """
        return fit_on(self, lambda learner: MemoryRows.of(learner, X, y, sample_weight))

    @available_if(lambda self: self._counts_suffice)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows, without the earlier ones.

        The first batch decides how columns are read: which are categorical, their states, the cuts and
        medians of numbers, and which features are kept. It should be large enough for that. A state that
        first occurs later counts as unknown, and you get a warning; declare it with ``categories`` or a
        categorical dtype. To learn all of this from all rows, use :func:`skcredal.scale.fit_batches`.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features of some rows.
        y : array-like of shape (n_rows,)
            Their classes; not every class has to occur in a batch.
        classes : array-like of shape (n_classes,), optional
            All classes that may occur; required in the first call. After :meth:`fit` the default is the same
            classes; its rows are forgotten, with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        self : object
            The classifier, fitted to all batches so far. If a batch is refused, it stays as it was.

        Examples
        --------
        >>> from skcredal import AODE
        >>> X, y = [["red"], ["yellow"]], ["apple", "apple"]
        >>> clf = AODE().partial_fit(X, y, classes=["apple", "banana"])
        >>> clf.partial_fit([["yellow"], ["yellow"]], ["banana", "banana"]).predict([["yellow"], ["red"]])
        array(['banana', 'apple'], dtype='<U6')
        """
        # As in fit_on a copy learns, but it goes on from the counts so far.
        learner, goes_on = self._unfitted(), getattr(self, "_from_batches", False)
        learner._check_parameters()
        if goes_on:
            known = ("_encoding", "classes_", "n_features_in_", "feature_names_in_")
            learner.__dict__ |= {name: vars(self)[name] for name in known if name in vars(self)}
        elif hasattr(self, "classes_"):
            warn("partial_fit does not continue from fit: it starts over, and what fit learned is forgotten.")
            classes = self.classes_ if classes is None else classes
        given = read_rows(learner, X, y, sample_weight, reset=not goes_on)
        told: Any = None if classes is None else encode_target(classes, estimator=self)[0]
        if _check_partial_fit_first_call(learner, told):
            learner.classes_ = told  # with the type that fit would give them
        rule = f"y must contain only the classes {safe_repr(learner.classes_.tolist())}"
        labelled = given.among(learner.classes_, rule)
        if not goes_on:
            learner._encoding = learn_encoding(learner, given)
        elif new := learner._encoding.columns_with_new_states(given.table):
            warn(
                f"{', '.join(new)}: some values did not occur in the first batch of partial_fit and are "
                "unknown. Declare all states with categories= or a categorical dtype."
            )
        learner._from_batches = True
        learner._count(MemoryRows.encoded(learner._encoding, labelled))
        if goes_on:
            for name in {"counts_", *learner._scores} & vars(learner).keys():
                setattr(learner, name, getattr(self, name) + getattr(learner, name))
        learner._derive()
        self.__dict__ = learner.__dict__  # as a whole or not at all, as in fit_on
        return self

    def _unfitted(self) -> Self:
        """Return an unfitted copy, which learns in place of the classifier (see :func:`fit_on`)."""
        # Unlike sklearn.base.clone, this keeps the metadata requests and does not copy the parameters.
        copy = object.__new__(type(self))
        copy.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if not name.endswith("_") and name not in LEARNED
        }
        return copy

    def _snapshot(self) -> Self:
        """Return this classifier as it is now, even if another thread fits it meanwhile."""
        check_is_fitted(self)
        snapshot = object.__new__(type(self))
        # The same dictionary, not a copy: a fit gives the classifier another one.
        snapshot.__dict__ = self.__dict__
        return snapshot

    def predict(self, X: Any) -> AnyArray:
        """Return the most probable class of every row; on a tie, the first in ``classes_``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            The classes.
        """
        # One snapshot for both: the probabilities and the classes must come from the same model.
        model = self._snapshot()
        return np.asarray(model.classes_[best_class(model.predict_proba(X))])

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
        return self._over_rows(X, lambda model, chunk: model._posterior(chunk))

    def _answers(self, X: Any) -> Answers:
        """Return the results of all methods for a table, which is encoded and inferred only once."""
        model = self._snapshot()
        return Answers.joined(model._for_each_chunk(X, model._answer_chunk))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of every class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, n_classes)
            The natural logarithms, columns as in ``classes_``; ``-inf`` where a probability underflows to 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _check_parameters(self) -> None:
        """Raise an error for an invalid parameter, before any work is done."""
        for name, check in RULES.items():
            if hasattr(self, name):
                check(name, getattr(self, name))
        if self.max_categories is not None:
            check_integer("max_categories", self.max_categories, low=2)
        thread_count(self.n_jobs)  # for its check alone

    def _learn(self, rows: Rows) -> None:
        """Learn from rows, in memory or not, whose encoding and classes are known."""
        # The order is fixed: tables are made of the counts, scores with the tables, and the rest of both.
        self._encoding, self.classes_ = rows.encoding, rows.classes
        self._count(rows)
        self._score(rows)
        self._derive()

    def _count(self, rows: Rows) -> None:
        """Learn what adds up over rows: by default, how often each class and value was seen."""
        n_states, n_classes = rows.encoding.n_states, len(rows.classes)
        self.counts_ = rows.sum(
            lambda part: count_values(*part.labelled, n_states, n_classes), "counts", "values"
        )

    def _count_pairs(self, rows: Rows) -> None:
        """Count pairs of values, too; the ``_count`` of those that need them."""
        self._refuse_large_tables(rows.encoding)
        sizes, n_threads = (rows.encoding.n_states, len(rows.classes)), thread_count(self.n_jobs)
        self.counts_ = rows.sum(
            lambda part: count(*part.labelled, *sizes, n_threads=n_threads), "counts", "pairs"
        )

    def _score(self, rows: Rows) -> None:
        """Learn what needs a second pass over the rows, as ``_scores`` names it."""

    @abstractmethod
    def _derive(self) -> None:
        """Derive everything else, without rows; this also happens when a model is loaded."""

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        """Return the probabilities (rows, n_classes) of a chunk of rows, whose ``states`` are (k, rows)."""
        return np.asarray(self._tables.posteriors(chunk.states))

    def _answer_chunk(self, chunk: EncodedTable) -> Answers:
        """Return the results of all methods for a chunk, exactly as each of them would by itself."""
        return Answers(self.classes_, self._posterior(chunk))

    def _for_each_chunk(self, X: Any, work: Callable[[EncodedTable], Value]) -> list[Value]:
        """Encode a table and do the work chunk by chunk, so that memory does not grow with the rows."""
        table = self._encode(X)
        # What inference holds per row: a number for each SPODE and class.
        n_numbers = len(table.states) * len(self.classes_)
        # A table without rows is one chunk: what is returned for it has the right shape.
        slices = chunks(table.states.shape[1], n_numbers) or [slice(0, 0)]
        # Inference looks up as many numbers for each feature of a row.
        n_threads = thread_count(self.n_jobs) if table.states.size * n_numbers >= WORTH_A_THREAD else 1
        if n_threads > 1:  # tables that are made when first needed are made once, not by every thread
            work(table.select(slice(0, 0)))
        return run_in_threads(lambda rows: work(table.select(rows)), slices, n_threads)

    def _over_rows(self, X: Any, work: Callable[[Self, EncodedTable], AnyArray]) -> AnyArray:
        """Return what one model makes of all rows, even if another thread fits it meanwhile."""
        model = self._snapshot()
        return np.concatenate(model._for_each_chunk(X, lambda chunk: work(model, chunk)))

    def _encode(self, X: Any) -> EncodedTable:
        """Return a table to predict as states."""
        if isinstance(X, EncodedTable):
            # Identity, not equality: states of another encoding would be valid numbers with another meaning.
            if X.encoding is not self._encoding:
                raise ValueError("X must be encoded as the training rows were, got another encoding.")
            return X
        table = read_table(X, estimator=self)
        # scikit-learn compares the names and number of features with those of fit.
        validate_data(self, table.data, reset=False, skip_check_array=True)
        return EncodedTable.of(self._encoding, table, n_threads=thread_count(self.n_jobs))

    @property
    def encoding_(self) -> tuple[FeatureEncoding, ...]:
        """How each column of the training table is read: a record with its name, kind, states or cuts."""
        check_is_fitted(self)
        return self._encoding.describe(getattr(self, "feature_names_in_", None), self._used_columns())

    def _used_columns(self) -> set[int]:
        """Return the columns that take part although the coding drops them."""
        return set()

    def _sample_size(self) -> tuple[int, int] | None:
        """Return how many of the rows themselves are learned from, and the seed that chooses them."""
        return None

    @property
    def features_(self) -> AnyArray:
        """The names of the features kept, or their indices if they have no names."""
        check_is_fitted(self)
        kept = np.array(self._encoding.kept, np.int64)
        names = getattr(self, "feature_names_in_", None)
        return kept if names is None else names[kept]

    def _refuse_large_tables(self, encoding: Encoding, n_leaves: int = 0) -> None:
        """Raise an error if the pair tables would exceed the limit, before one is allocated."""
        check_pair_tables(
            pair_table_bytes(encoding.n_values, len(self.classes_), n_leaves),
            dict(zip(self.features_.tolist(), encoding.n_states.tolist(), strict=True)),
            len(self.classes_),
        )

    def __sklearn_tags__(self) -> Any:
        # Missing values and strings are read as they are, and scikit-learn's checks should try them.
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def fit_on(classifier: Classifier, make_rows: Callable[[Classifier], Rows]) -> Classifier:
    """Fit a classifier in place: it changes as a whole at the end, or not at all.

    ``make_rows`` is given an unfitted copy of the classifier, sets its feature names and their number, and
    returns the training rows.
    """
    learner = classifier._unfitted()
    learner._check_parameters()
    learner._learn(make_rows(learner))
    # One assignment: a failure or an interrupt before it leaves the classifier as it was, and a prediction in
    # another thread answers from the old model or from the new one, never from a mixture.
    classifier.__dict__ = learner.__dict__
    return classifier


def learned_features(classifier: TabularClassifier) -> list[Feature]:
    """Return how each column of the training table becomes states."""
    return classifier._encoding.features
