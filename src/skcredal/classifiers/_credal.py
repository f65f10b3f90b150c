"""The mixin of all credal classifiers: sets of classes and bounds on their probabilities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.tables import frame_library, make_frame
from skcredal._ensemble.dominance import interval_dominance
from skcredal._ties import best_class
from skcredal._validation import check_choice
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._base import TabularClassifier


class CredalMixin(TabularClassifier):
    """Sets and bounds of a classifier with a set of priors.

    It comes before a :class:`TabularClassifier` among the bases of a class, whose :meth:`_derive` sets
    ``_priors`` and whose :meth:`_evidence` returns what these judge. ``_priors`` has the methods
    ``maximal_sets(evidence)``, (rows, n_classes), ``intervals(evidence)``, (rows, n_classes, 2), and
    optionally ``robustness(evidence)``, (rows,); the evidence has ``reference``, the probabilities (rows,
    n_classes) under the reference prior.
    """

    criterion: str

    _priors: Any
    _criteria: tuple[str, ...] = ("maximality", "interval_dominance")

    def predict_set(self, X: Any) -> BoolArray:
        """Return the classes that the set of priors cannot rule out, by the ``criterion``.

        By default these are the classes that no other class dominates, that is, beats under every prior
        (maximality). If the set has one class, the answer does not depend on the prior; it is the class of
        :meth:`predict`. If it has several, the answer depends on the prior, or the classes are tied under
        every prior; the class of :meth:`predict` is one of them. ``CredalLogPoolAODE`` has a set of weights
        instead of a set of priors.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        y_set : ndarray of bool of shape (n_rows, n_classes)
            Which classes belong to the set of each row, columns as in ``classes_``; never empty.
        """
        return self._over_rows(X, lambda model, chunk: model._sets(model._evidence(chunk)))

    def predict_interval(self, X: Any) -> FloatArray:
        """Return the lower and upper probability of every class over the set of priors.

        The bounds are exact, except for ``NaiveCredal``, ``CredalModelAveraging`` and ``CredalLogPoolAODE``
        with three or more classes, where they contain the exact ones.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        interval : ndarray of shape (n_rows, n_classes, 2)
            The bounds, columns as in ``classes_``; they enclose the probability of :meth:`predict_proba`.
        """
        return self._over_rows(X, lambda model, chunk: model._priors.intervals(model._evidence(chunk)))

    def _explain(self, X: Any) -> Any:
        """Return what ``_explain_chunk`` finds for all rows, which every classifier that has it documents."""
        model = self._snapshot()
        found = model._for_each_chunk(X, model._explain_chunk)
        columns = {name: [one for chunk in found for one in chunk[name]] for name in found[0]}
        return make_frame(columns, frame_library(X))

    def _explained_answers(self, evidence: Any, sets: BoolArray, rival: IntArray) -> dict[str, list[Any]]:
        """Return the columns that every explanation begins with; a rival of -1 is none."""
        # Python's own numbers and strings: not every library of DataFrames takes numpy's.
        labels, rows = self.classes_.tolist(), np.arange(len(sets))
        return {
            "predicted": [labels[c] for c in evidence.best],
            "probability": evidence.reference[rows, evidence.best].tolist(),
            "rival": [None if c < 0 else labels[c] for c in rival],
            "rival_probability": np.where(rival < 0, np.nan, evidence.reference[rows, rival]).tolist(),
            "set": [[labels[c] for c in np.flatnonzero(mask)] for mask in sets],
            "set_size": sets.sum(axis=1).tolist(),
            "robustness": self._priors.robustness(evidence).tolist(),
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("criterion", self.criterion, self._criteria)

    @abstractmethod
    def _evidence(self, chunk: EncodedTable) -> Any:
        """Return what the set of priors judges, for a chunk of rows."""

    def _answer_chunk(self, chunk: EncodedTable) -> Answers:
        # Inference is most of the work, and sets, bounds and robustness need the same: it runs once.
        evidence = self._evidence(chunk)
        interval = self._priors.intervals(evidence)
        robustness = self._priors.robustness(evidence) if hasattr(self._priors, "robustness") else None
        return Answers(
            self.classes_, evidence.reference, self._sets(evidence, interval), interval, robustness
        )

    def _sets(self, evidence: Any, interval: FloatArray | None = None) -> BoolArray:
        """Return the sets by the criterion; bounds that are already known are not computed again."""
        if self.criterion == "interval_dominance":
            sets = interval_dominance(self._priors.intervals(evidence) if interval is None else interval)
        else:
            sets = self._priors.maximal_sets(evidence)
        # The class of predict is in the set, even if the reference prior is not one of the priors.
        sets[np.arange(len(sets)), best_class(evidence.reference)] = True
        return sets
