"""The base classes of the AODE family: counts, the tables of the SPODEs, and sets of priors over them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from skcredal._arrays import FloatArray, StateArray
from skcredal._encoding.encoding import Chunk
from skcredal._ensemble.counts import Counts, count
from skcredal._ensemble.explain import votes_and_sentences
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, Evidence
from skcredal._ensemble.spodes import SpodeTables, log_likelihoods
from skcredal._ensemble.weights import automatic_epsilon, null_log_likelihood
from skcredal._threads import thread_count
from skcredal._validation import check_real, check_strength, safe_repr, to_float, warn
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import Part, Rows

__all__ = [
    "CredalSpodesMixin",
    "LikelihoodWeightedEnsemble",
    "SpodeEnsemble",
    "count_pairs_of",
    "resolve_epsilon",
    "spode_answers",
]


def resolve_epsilon(epsilon: Any, k: int, *, tells: bool = False) -> float:
    """Return ε for k features: 0 < ε < 1/(k+1), so that the set holds the reference prior (§6).

    A larger number is taken as just below the bound, where hardly any other prior is left: the bound differs
    between folds, and a search over ε should not fail for it.
    """
    if isinstance(epsilon, str) and epsilon == "auto":
        return automatic_epsilon(k)
    # In Python True is a number, but it is hardly meant as ε.
    if not isinstance(epsilon, Real) or isinstance(epsilon, bool):
        raise TypeError(f"epsilon must be 'auto' or a number in (0, 1/{k + 1}), got {safe_repr(epsilon)}.")
    eps = to_float(epsilon)
    if not 0.0 < eps < np.inf:
        raise ValueError(f"epsilon must be positive and finite, got {eps!r}.")
    bound = 1.0 / (k + 1)
    if eps < bound:
        return eps
    if tells:
        warn(
            f"epsilon must lie below 1/{k + 1} for {k} feature{'' if k == 1 else 's'}: {eps!r} is taken as "
            "just below it."
        )
    return float(np.nextafter(bound, 0.0))


class SpodeEnsemble(TabularClassifier):
    """A weighted average of SPODEs, each with another feature as super-parent."""

    ess: float

    counts_: Counts
    weights_: FloatArray
    _tables: SpodeTables

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_strength("ess", self.ess)

    def _count(self, rows: Rows) -> None:
        self._refuse_large_tables(rows.encoding)
        self.counts_ = count_pairs_of(rows, thread_count(self.n_jobs))

    def _score(self, rows: Rows) -> None:
        """Make the tables, for subclasses that learn weights with them."""
        self._tables = SpodeTables(self.counts_, float(self.ess))

    def _derive(self) -> None:
        """Derive the tables, unless they are there already; subclasses add the weights."""
        self.super_parents_ = self._kept_features()
        self._tables = getattr(self, "_tables", None) or SpodeTables(self.counts_, float(self.ess))

    def spode_proba(self, X: Any) -> FloatArray:
        """Return the probabilities that each SPODE gives.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        proba : ndarray of shape (n_rows, k, n_classes)
            The probabilities, SPODEs as in ``super_parents_``, columns as in ``classes_``; NaN where the
            super-parent's value is unknown, so that its SPODE takes no part in the row.
        """
        model = self._snapshot()
        found = model._for_each_chunk(X, lambda chunk: spode_answers(model._tables, chunk.states))
        return np.concatenate(found)

    def _posterior(self, chunk: Chunk) -> FloatArray:
        posterior = self._tables.posteriors(chunk.states)
        return self._tables.mean_posterior(chunk.states, self.weights_, posterior)


def count_pairs_of(rows: Rows, n_threads: int) -> Counts:
    """Return how often each class, state and pair of states occurs in rows."""
    n_states, n_classes = rows.encoding.n_states, len(rows.classes)

    def work(part: Part) -> Counts:
        return count(part.states, part.labels, part.weights, n_states, n_classes, n_threads=n_threads)

    return rows.sum(work, "counts", "pairs")


def spode_answers(tables: SpodeTables, states: StateArray) -> FloatArray:
    """Return what each SPODE says, (rows, k, n_classes); NaN where the super-parent is unknown."""
    proba = tables.posteriors(states)
    return np.where((states == tables.unknown)[:, None], np.nan, proba).transpose(2, 0, 1)


class LikelihoodWeightedEnsemble(SpodeEnsemble):
    """A SPODE ensemble whose weights come from the conditional likelihoods of the SPODEs (§4)."""

    likelihood_floor: float

    log_likelihood_: FloatArray
    null_log_likelihood_: float

    _scores = ("log_likelihood_",)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("likelihood_floor", self.likelihood_floor, low=0.0, high=1.0, high_open=True)

    def _score(self, rows: Rows) -> None:
        super()._score(rows)
        tables, floor, n_threads = self._tables, float(self.likelihood_floor), thread_count(self.n_jobs)

        def work(part: Part) -> FloatArray:
            return log_likelihoods(
                tables, part.states, part.labels, part.weights, floor=floor, n_threads=n_threads
            )

        self.log_likelihood_ = rows.sum(work, "likelihoods", (tables.ess, floor))

    def _derive(self) -> None:
        super()._derive()
        self.null_log_likelihood_ = null_log_likelihood(self.counts_.n_c)


class CredalSpodesMixin(CredalMixin, SpodeEnsemble):
    """Sets, bounds, robustness and explanations of a SPODE ensemble with a set of priors over the SPODEs."""

    _priors: BmaPriors | CompressionPriors

    def robustness(self, X: Any) -> FloatArray:
        """Return how much of the reference prior may be replaced arbitrarily before the answer changes.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        robustness : ndarray of shape (n_rows,)
            Between 0, if the class of :meth:`predict` does not dominate even under the reference prior, and
            1, if it does under every prior.
        """
        return self._robustness(X)

    def explain(self, X: Any) -> Any:
        """Explain why each row is decided, or left undecided.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            A row for each row of ``X``, in a DataFrame of its library (pandas for an array), with the columns
            ``predicted`` and ``probability`` (the answer under the reference prior), ``rival`` and
            ``rival_probability`` (the class that some prior of the set brings closest to it, or past it),
            ``set``, ``set_size`` and ``robustness`` as in :func:`answers`, ``super_parents`` (those whose
            value is known, from the strongest support for the predicted class to the strongest for the
            rival), ``votes`` (by how much each prefers the predicted class), ``prior`` (the prior over them
            that favours the rival most) and ``sentence``, the same in words.
        """
        return self._explain(X)

    def _explain_chunk(self, chunk: Chunk) -> dict[str, list[Any]]:
        evidence = self._evidence(chunk)
        sets = self._sets(evidence)
        names = [str(name) if isinstance(name, str) else f"feature {name}" for name in self.super_parents_]
        labels = [str(label) for label in self.classes_.tolist()]
        found = votes_and_sentences(self._priors, evidence, sets, labels, names)
        return {
            **self._explained_answers(evidence, sets, np.array(found["rival"])),
            **{name: found[name] for name in ("super_parents", "votes", "prior", "sentence")},
        }

    def _evidence(self, chunk: Chunk) -> Evidence:
        tables, states = self._tables, chunk.states
        posterior = tables.posteriors(states)
        reference = tables.mean_posterior(states, self.weights_, posterior)
        return Evidence(posterior, states != tables.unknown, reference, tables.prior)
