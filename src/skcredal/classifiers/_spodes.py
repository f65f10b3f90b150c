"""What the AODE family shares: counting, the tables of the SPODEs, and prediction chunk by chunk."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any

import numpy as np

from skcredal._arrays import CodeArray, FloatArray
from skcredal._ensemble.counts import JointCounts
from skcredal._ensemble.parameters import spode_tables
from skcredal._ensemble.weights import automatic_epsilon, null_log_likelihood
from skcredal._threads import thread_count
from skcredal._validation import check_real, safe_repr, to_float
from skcredal.classifiers._base import TabularClassifier, TrainingRows

__all__ = ["LikelihoodWeightedEnsemble", "SpodeEnsemble", "resolve_epsilon"]


def resolve_epsilon(epsilon: Any, k: int) -> float:
    """Return ε for k features: 0 < ε < 1/(k+1), so that the set holds the reference prior (§6)."""
    if isinstance(epsilon, str) and epsilon == "auto":
        return automatic_epsilon(k)
    if not isinstance(epsilon, Real) or isinstance(epsilon, bool):
        raise TypeError(f"epsilon must be 'auto' or a number in (0, 1/{k + 1}), got {safe_repr(epsilon)}.")
    eps = to_float(epsilon)
    if not 0.0 < eps < 1.0 / (k + 1):
        raise ValueError(
            f"epsilon must lie in (0, 1/{k + 1}) for {k} feature{'' if k == 1 else 's'}, got {eps!r}."
        )
    return eps


class SpodeEnsemble(TabularClassifier):
    """A weighted average of SPODEs, each with another feature as super-parent."""

    ess: float

    counts_: JointCounts
    weights_: FloatArray

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("ess", self.ess, low=0.0, low_open=True)

    def _learn(self, rows: TrainingRows) -> None:
        self.super_parents_ = self._kept_features()
        self._settle(rows.n_features)
        n_threads, ess = thread_count(self.n_jobs), float(self.ess)
        self.counts_ = self._count_pairs(rows)
        self._tables = rows.shared(
            ("SPODE tables", ess), lambda: spode_tables(self.counts_, ess, n_threads=n_threads)
        )
        self.weights_ = self._learn_weights(rows)

    def _settle(self, k: int) -> None:
        """Settle what depends on the number of features kept, before the work of counting."""

    @abstractmethod
    def _learn_weights(self, rows: TrainingRows) -> FloatArray:
        """Return the weights of the SPODEs."""

    def spode_proba(self, X: Any) -> FloatArray:
        """Return what each super-parent says: the probabilities of its SPODE.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        proba : ndarray of shape (n_rows, k, n_classes)
            The probabilities, super-parents as in ``super_parents_``, columns as in ``classes_``; NaN where
            the value of the super-parent is unknown, which leaves its SPODE out of the row.
        """
        codes = self._encode(X)
        proba = np.empty((codes.shape[1], len(codes), len(self.classes_)))

        def posteriors(chunk: CodeArray, rows: slice) -> None:
            proba[rows] = self._tables.posteriors(chunk, left_out=np.nan).swapaxes(0, 1)

        self._for_each_chunk(codes, posteriors)
        return proba

    def _posterior(self, chunk: CodeArray) -> FloatArray:
        return self._tables.mean_posterior(chunk, self.weights_)[0]


class LikelihoodWeightedEnsemble(SpodeEnsemble):
    """A SPODE ensemble whose weights come from the conditional likelihoods of the SPODEs (§4)."""

    likelihood_floor: float

    log_likelihood_: FloatArray
    null_log_likelihood_: float

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("likelihood_floor", self.likelihood_floor, low=0.0, high=1.0, high_open=True)

    def _learn_likelihoods(self, rows: TrainingRows) -> None:
        floor = float(self.likelihood_floor)
        self.log_likelihood_ = rows.shared(
            ("log-likelihoods", float(self.ess), floor),
            lambda: rows.log_likelihoods(self._tables, floor=floor, n_threads=thread_count(self.n_jobs)),
        )
        self.null_log_likelihood_ = null_log_likelihood(self.counts_.n_c)
