"""What all credal classifiers share: sets of classes and bounds on their probabilities."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray
from skcredal._ensemble.priors import put_back
from skcredal._validation import check_choice
from skcredal.classifiers._answers import Answers

if TYPE_CHECKING:
    from skcredal.classifiers._base import TabularClassifier

    Base = TabularClassifier
else:
    # A mixin, like scikit-learn's: it goes before a TabularClassifier among the bases.
    Base = object

__all__ = ["CredalMixin", "interval_dominance"]

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


class CredalMixin(Base):
    """Sets and bounds of a classifier with a set of priors: the classes that remain whatever the prior.

    To be named before a :class:`TabularClassifier` among the bases of a class, which derives the set of
    priors as ``_priors`` and returns in :meth:`_evidence` what it is to judge. Of ``_priors`` this asks
    ``maximal_sets(evidence)``, (rows, n_classes), ``intervals(evidence)``, (rows, n_classes, 2), and where it
    can tell ``robustness(evidence)``, (rows,); of the evidence ``reference``, the probabilities (rows,
    n_classes) under the reference prior.
    """

    criterion: str

    _priors: Any
    _criteria: tuple[str, ...] = ("maximality", "interval_dominance")

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
        model = self._snapshot()
        return model._sets_of_codes(model._encode(X))

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
        model = self._snapshot()
        codes = model._encode(X)
        interval = np.empty((codes.shape[1], len(model.classes_), 2))

        def bound(chunk: CodeArray, rows: slice) -> None:
            interval[rows] = model._priors.intervals(model._evidence(chunk))

        model._for_each_chunk(codes, bound)
        return interval

    def _robustness_of_codes(self, codes: CodeArray) -> FloatArray:
        robustness = np.empty(codes.shape[1])

        def measure(chunk: CodeArray, rows: slice) -> None:
            robustness[rows] = self._priors.robustness(self._evidence(chunk))

        self._for_each_chunk(codes, measure)
        return robustness

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.criterion == "e_admissibility" and self.criterion not in self._criteria:
            raise ValueError(
                f"criterion='e_admissibility' is not available for {type(self).__name__}: it asks for one "
                "prior that makes a class the best, which is a linear program only for CredalBmaAODE."
            )
        check_choice("criterion", self.criterion, self._criteria)

    @abstractmethod
    def _evidence(self, chunk: CodeArray) -> Any:
        """Return what the set of priors judges of a chunk of codes (k, rows)."""

    def _answer_chunk(self, chunk: CodeArray) -> Answers:
        # Inference is most of the work, and sets, bounds and robustness all ask for the same.
        evidence = self._evidence(chunk)
        interval = self._priors.intervals(evidence)
        sets = self._sets_of_evidence(evidence, interval)
        put_back(sets, evidence.reference)
        robustness = self._priors.robustness(evidence) if hasattr(self._priors, "robustness") else None
        return Answers(self.classes_, evidence.reference, sets, interval, robustness)

    def _sets(self, chunk: CodeArray) -> tuple[BoolArray, FloatArray]:
        """Return the sets of a chunk as they come out, and the probabilities under the reference prior."""
        evidence = self._evidence(chunk)
        return self._sets_of_evidence(evidence), evidence.reference

    def _sets_of_evidence(self, evidence: Any, interval: FloatArray | None = None) -> BoolArray:
        """Return the sets by the criterion; bounds that are known already need not be computed again."""
        if self.criterion == "interval_dominance":
            return interval_dominance(self._priors.intervals(evidence) if interval is None else interval)
        sets: BoolArray = self._priors.maximal_sets(evidence)
        return sets
