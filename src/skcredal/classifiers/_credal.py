"""What all credal classifiers share: sets of classes and bounds on their probabilities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray
from skcredal._ensemble.priors import put_back
from skcredal._validation import check_choice
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._base import TabularClassifier

__all__ = ["CredalClassifier", "interval_dominance"]

# Bounds closer than this do not tell classes apart: doubt widens the set.
BOUND_TIE = 1e-10


def interval_dominance(interval: FloatArray) -> BoolArray:
    """Return the classes whose upper probability reaches the largest lower one.

    Examples
    --------
    >>> import numpy as np
    >>> interval_dominance(np.array([[[0.4, 0.6], [0.3, 0.5], [0.1, 0.3]]]))
    array([[ True,  True, False]])
    """
    lower, upper = interval[..., 0], interval[..., 1]
    kept: BoolArray = upper >= lower.max(axis=-1, keepdims=True) - BOUND_TIE
    return kept


class CredalClassifier(TabularClassifier):
    """A classifier with a set of priors: it returns the classes that remain whatever the prior.

    Subclasses answer for a chunk of codes in :meth:`_maximal_sets` and :meth:`_intervals`.
    """

    criterion: str

    # Why E-admissibility cannot be had; None where it can.
    _no_e_admissibility: str | None = (
        "it asks for one prior that makes a class the best, which is a linear program only for CredalBmaAODE"
    )

    def predict_set(self, X: Any) -> BoolArray:
        """Return the classes that remain whatever the prior of the set, by the ``criterion``.

        By default those that no other dominates, that is, beats under every prior (maximality). Where one
        class remains, the answer does not hang on the prior, and it is the class of :meth:`predict`. Where
        several do, the case is prior-dependent, or its classes are tied whatever the prior; the class of
        :meth:`predict` is one of them.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        y_set : ndarray of bool of shape (n_rows, n_classes)
            Which classes belong to the set of each row, columns as in ``classes_``; never empty.
        """
        return self._sets_of_codes(self._encode(X))

    def _sets_of_codes(self, codes: CodeArray) -> BoolArray:
        sets = np.empty((codes.shape[1], len(self.classes_)), np.bool_)

        def decide(chunk: CodeArray, rows: slice) -> None:
            found, reference = self._sets(chunk)
            put_back(found, reference)
            sets[rows] = found

        self._for_each_chunk(codes, decide)
        return sets

    def predict_interval(self, X: Any) -> FloatArray:
        """Return the lower and the upper probability of every class over the priors of the set.

        The bounds are exact, but for ``NaiveCredal`` and ``CredalModelAveraging`` with three or more classes,
        where they are outer bounds: they contain the exact ones.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        interval : ndarray of shape (n_rows, n_classes, 2)
            The bounds, columns as in ``classes_``; they hold the probability of :meth:`predict_proba`.
        """
        codes = self._encode(X)
        interval = np.empty((codes.shape[1], len(self.classes_), 2))

        def bound(chunk: CodeArray, rows: slice) -> None:
            interval[rows] = self._intervals(chunk)

        self._for_each_chunk(codes, bound)
        return interval

    def _check_parameters(self) -> None:
        super()._check_parameters()
        criteria = ("maximality", "interval_dominance", "e_admissibility")
        check_choice("criterion", self.criterion, criteria)
        if self.criterion == "e_admissibility" and self._no_e_admissibility is not None:
            raise ValueError(
                f"criterion='e_admissibility' is not available for {type(self).__name__}: "
                f"{self._no_e_admissibility}."
            )

    def _answer_chunk(self, chunk: CodeArray) -> Answers:
        interval = self._intervals(chunk)
        if self.criterion == "interval_dominance":
            sets, reference = interval_dominance(interval), self._posterior(chunk)
        else:
            sets, reference = self._sets(chunk)
        put_back(sets, reference)
        return Answers(reference, sets, interval)

    def _sets(self, chunk: CodeArray) -> tuple[BoolArray, FloatArray]:
        """Return the sets of a chunk by the criterion, and the probabilities under the reference prior."""
        if self.criterion == "interval_dominance":
            return interval_dominance(self._intervals(chunk)), self._posterior(chunk)
        return self._maximal_sets(chunk)

    @abstractmethod
    def _maximal_sets(self, chunk: CodeArray) -> tuple[BoolArray, FloatArray]:
        """Return the undominated classes as they come out, and the posterior under the reference prior."""

    @abstractmethod
    def _intervals(self, chunk: CodeArray) -> FloatArray:
        """Return the lower and upper probabilities (rows, n_classes, 2) of a chunk."""
