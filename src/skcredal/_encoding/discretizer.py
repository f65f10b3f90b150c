"""MDLDiscretizer: supervised discretisation as a scikit-learn transformer."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from skcredal._arrays import IntArray
from skcredal._encoding.encoding import Rules
from skcredal._encoding.statistics import Statistics
from skcredal._encoding.tables import Table, read_table
from skcredal._encoding.target import encode_target, read_weights
from skcredal._threads import run_in_threads, thread_count

__all__ = ["MDLDiscretizer"]


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut numeric features into bins that tell the classes apart, by Fayyad and Irani's MDL criterion.

    A feature is cut where the class entropy is least, if the gain of information pays for the description of
    the cut, and again on both sides, until no cut pays. A feature that says nothing about the class keeps a
    single bin. The classifiers of this package do this themselves; the transformer is for other uses.

    Before cutting, a missing value is replaced by the training median of its feature.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; ``None`` means one.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The cuts of each feature, ascending. A bin contains its upper cut.
    n_bins_ : ndarray of shape (n_features,)
        How many bins each feature has: one more than it has cuts.
    medians_ : ndarray of shape (n_features,)
        What replaces a missing value of each feature; NaN where no value was seen.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` has names that are all strings.

    Examples
    --------
    Small values belong to one class, large ones to the other; the second feature says nothing.

    >>> from skcredal import MDLDiscretizer
    >>> X = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [10.0, 1.0], [11.0, 0.0], [12.0, 1.0]]
    >>> mdl = MDLDiscretizer().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> [cuts.tolist() for cuts in mdl.cut_points_]
    [[6.5], []]
    >>> mdl.transform([[6.5, 0.0], [7.0, 0.0]])
    array([[0, 0],
           [1, 0]])
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MDLDiscretizer:
        """Learn the cuts.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            Numeric features, missing values allowed.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; a whole number equals repeating the row.

        Returns
        -------
        self : MDLDiscretizer
            The fitted transformer.
        """
        learner = copy(self)  # all or nothing: a fit that fails leaves what was learned before
        learner._learn(X, y, sample_weight)
        self.__dict__ = learner.__dict__
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._read(X, reset=True)
        weights = read_weights(sample_weight, table.n_rows)
        classes, labels = encode_target(y, n_rows=table.n_rows, estimator=self)
        # A row of weight 0 is as good as absent (§2): its value must not become a candidate for a cut.
        if weights is not None and not weights.all():
            rows = weights > 0
            table, labels, weights = table.select(rows), labels[rows], weights[rows]
        rules, n_threads = Rules(), thread_count(self.n_jobs)
        statistics = Statistics.of_rows(table, classes, labels, weights, rules, None, n_threads=n_threads)
        self._features: list[Any] = statistics.learn(rules, None, n_threads=n_threads).features
        self._derive()

    def _derive(self) -> None:
        """Set what follows from the features, which is all that a model file contains."""
        self.cut_points_ = [feature.cuts for feature in self._features]
        self.n_bins_ = np.array([feature.n_states for feature in self._features])
        self.medians_ = np.array([feature.fill for feature in self._features])

    def transform(self, X: Any) -> IntArray:
        """Return the bin of every value, counted from 0.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features.

        Returns
        -------
        bins : ndarray of shape (n_rows, n_features)
            The bins; a missing value of a feature that had no training value is in bin 0.
        """
        check_is_fitted(self)
        table = self._read(X, reset=False)
        bins = np.empty((len(self._features), table.n_rows), np.int64)

        def fill(j: int) -> None:
            # Unknown, the code after the last bin, would be a bin that no training row has.
            n_bins = self._features[j].n_states
            numbering = np.minimum(np.arange(n_bins + 2), n_bins - 1)
            bins[j] = self._features[j].encode(table.columns[j].numbers, numbering)

        run_in_threads(fill, range(len(bins)), thread_count(self.n_jobs))
        return bins.T

    def _read(self, X: Any, *, reset: bool) -> Table:
        table = read_table(X, estimator=self)
        validate_data(self, table.data, reset=reset, skip_check_array=True)
        for column in table.columns:
            # Only in fit: later it is enough that every value can be read as a number.
            if reset and not column.is_numeric:
                raise ValueError(f"{column.label} is not numeric; MDLDiscretizer takes only numbers.")
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags
