"""What BMA-AODE* and COMP-AODE* share: sets, bounds, robustness and explanations from a set of priors."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray
from skcredal._encoding.frames import make_frame
from skcredal._ensemble.explain import describe, explain_case
from skcredal._ensemble.parameters import chunks
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, put_back
from skcredal.classifiers._answers import Answers
from skcredal.classifiers._credal import CredalClassifier, interval_dominance
from skcredal.classifiers._spodes import SpodeEnsemble

__all__ = ["CredalSpodeEnsemble"]

_EXPLANATION = (
    "predicted",
    "probability",
    "rival",
    "rival_probability",
    "undecided",
    "robustness",
    "super_parents",
    "votes",
    "prior",
    "sentence",
)


class CredalSpodeEnsemble(CredalClassifier, SpodeEnsemble):
    """A SPODE ensemble with a set of priors over the SPODEs, learned as ``_priors``."""

    _priors: BmaPriors | CompressionPriors

    def robustness(self, X: Any) -> FloatArray:
        """Return how much of the reference prior may be replaced by anything before the answer changes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        robustness : ndarray of shape (n_rows,)
            Between 0, where the answer of :meth:`predict` does not dominate even under the reference prior,
            and 1, where it does under every prior.
        """
        return self._robustness_of_codes(self._encode(X))

    def _robustness_of_codes(self, codes: CodeArray) -> FloatArray:
        robustness = np.empty(codes.shape[1])

        def measure(chunk: CodeArray, rows: slice) -> None:
            posterior, reference = self._posteriors(chunk)
            robustness[rows] = self._robustness_of_posteriors(chunk, posterior, reference)

        self._for_each_chunk(codes, measure)
        return robustness

    def explain(self, X: Any) -> Any:
        """Return why each row was decided, or left undecided.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            Of the library of ``X`` (of pandas for an array), a row for each of its rows, with the columns
            ``predicted`` and ``probability`` (the answer under the reference prior), ``rival`` and
            ``rival_probability`` (the class that some prior of the set brings closest to it, or past it),
            ``undecided`` (whether the set has several classes), ``robustness``, ``super_parents`` (those
            whose value is known, from the one that speaks most for the predicted class to the one that speaks
            most for the rival), ``votes`` (by how much each prefers the predicted class), ``prior`` (the
            prior over them that favours the rival most) and ``sentence``, the same in words.
        """
        codes = self._encode(X)
        n_states = self._tables.layout.n_states
        sets, robustness = self._sets_of_codes(codes), self._robustness_of_codes(codes)
        classes = [str(label) for label in self.classes_]
        names = [str(name) if isinstance(name, str) else f"feature {name}" for name in self.super_parents_]
        columns: dict[str, list[Any]] = {name: [] for name in _EXPLANATION}
        for rows in chunks(codes.shape[1]):
            chunk = np.ascontiguousarray(codes[:, rows])
            posterior, reference = self._posteriors(chunk)
            for place, r in enumerate(range(rows.start, rows.stop)):
                row, answer = posterior[:, place], reference[place]
                case = explain_case(self._priors, row, chunk[:, place] < n_states, answer)
                rival = case.rival
                record = (
                    self.classes_[case.predicted],
                    answer[case.predicted],
                    None if rival is None else self.classes_[rival],
                    np.nan if rival is None else answer[rival],
                    sets[r].sum() > 1,
                    robustness[r],
                    [names[j] for j in case.order],
                    [float(case.votes[j]) for j in case.order],
                    [float(case.prior[j]) for j in case.order],
                    describe(case, sets[r], answer, row, classes, names),
                )
                for column, value in zip(columns.values(), record, strict=True):
                    column.append(value.item() if isinstance(value, np.generic) else value)
        return make_frame(columns, like=X)

    def _posteriors(self, chunk: CodeArray) -> tuple[FloatArray, FloatArray]:
        """Return what every SPODE says of a chunk, and their mean under the reference prior."""
        reference, posterior = self._tables.mean_posterior(chunk, self.weights_, keep=True)
        return posterior, reference

    def _answer_chunk(self, chunk: CodeArray) -> Answers:
        # What the SPODEs say is inferred once; it is most of the work, and all of the methods ask for it.
        reference, doubtful = (
            np.empty((chunk.shape[1], len(self.classes_))),
            np.empty(chunk.shape[1], np.bool_),
        )
        posterior = np.empty((len(chunk), *reference.shape))
        least, most, tie = self._priors.factors()
        self._tables.infer(
            chunk,
            0,
            len(reference),
            weights=self.weights_,
            mean=reference,
            posterior=posterior,
            least=least,
            most=most,
            tie=tie,
            doubtful=doubtful,
        )
        interval = self._intervals_of_posteriors(chunk, posterior, reference)
        if self.criterion == "interval_dominance":
            sets = interval_dominance(interval)
        else:
            sets = np.zeros(reference.shape, np.bool_)
            if doubtful.any():
                rows = np.ascontiguousarray(chunk[:, doubtful])
                said = np.ascontiguousarray(posterior[:, doubtful])
                sets[doubtful] = self._sets_of_posteriors(rows, said, reference[doubtful])
        put_back(sets, reference)
        robustness = self._robustness_of_posteriors(chunk, posterior, reference)
        return Answers(reference, sets, interval, robustness)

    def _maximal_sets(self, chunk: CodeArray) -> tuple[BoolArray, FloatArray]:
        least, most, tie = self._priors.factors()
        reference, doubtful = self._tables.decide(chunk, self.weights_, least, most, tie)
        sets = np.zeros(reference.shape, np.bool_)
        put_back(sets, reference)
        if doubtful.any():
            rows = np.ascontiguousarray(chunk[:, doubtful])
            sets[doubtful] = self._sets_of_posteriors(rows, *self._posteriors(rows))
        return sets, reference

    def _intervals(self, chunk: CodeArray) -> FloatArray:
        return self._intervals_of_posteriors(chunk, *self._posteriors(chunk))

    def _sets_of_posteriors(
        self, chunk: CodeArray, posterior: FloatArray, reference: FloatArray
    ) -> BoolArray:
        """Return the classes that remain, from what every SPODE says of a chunk and their mean."""
        n_states, prior = self._tables.layout.n_states, self._tables.prior
        return self._priors.maximal_sets(chunk, n_states, posterior, reference, prior)

    def _intervals_of_posteriors(
        self, chunk: CodeArray, posterior: FloatArray, reference: FloatArray
    ) -> FloatArray:
        return self._priors.intervals(chunk, self._tables.layout.n_states, posterior, reference)

    def _robustness_of_posteriors(
        self, chunk: CodeArray, posterior: FloatArray, reference: FloatArray
    ) -> FloatArray:
        n_states, prior = self._tables.layout.n_states, self._tables.prior
        return self._priors.robustness(chunk, n_states, posterior, reference, prior)
