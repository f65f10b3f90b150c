"""LP-AODE and LP-AODE*: the logarithmic pool of the SPODEs of several codings (§12). Not from the paper."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skcredal._arrays import FloatArray
from skcredal._encoding.encoding import Chunk
from skcredal._ensemble.counts import CodingCounts, class_counts, count
from skcredal._ensemble.explain import describe_odds
from skcredal._ensemble.log_pool import LogPool, PoolEvidence, WeightSet, left_out_logs, with_lines
from skcredal._ensemble.pool_weights import ENOUGH, pool_weights
from skcredal._ensemble.spodes import SpodeTables, class_prior
from skcredal._threads import thread_count
from skcredal._validation import safe_repr, warn
from skcredal.classifiers._aode import spode_answers
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import Part, Rows, RowSample

__all__ = ["CredalLogPoolAODE", "Expert", "LogPoolAODE"]


class Expert(NamedTuple):
    """A SPODE of a pool: the coding that it is learned from, and the name or index of its super-parent."""

    coding: str
    super_parent: Any


class LogPoolAODE(TabularClassifier):
    """LP-AODE: a logarithmic pool of the SPODEs of several codings.

    AODE averages the probabilities of its SPODEs. This classifier takes a weighted sum of their logarithms.
    With its weights the pool as a whole, not each SPODE by itself, best predicts the class of each training
    row from all other rows. Numeric features are read in several codings at once: cut by MDL, and into bins
    of equal frequency.

    It is ours, not the paper's. Its definition and the proofs are in the documentation's theory, §12.

    Parameters
    ----------
    ess : float, default=4.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    bins : sequence of int, default=(5, 10)
        Numbers of bins of equal frequency. Each is another coding of the numeric features, beside the MDL
        cuts. With ``()``, or if no numeric feature varies, there is one coding.
    max_rows : int, default=2000
        The most training rows that the weights are learned from. The counts are always those of all rows.
    random_state : int, default=0
        Which rows those are, if there are more.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those that its dtype declares, or else observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether a value that is not among the states is left out, or an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    counts_ : CodingCounts
        How often each class, value and pair of values was seen, in every coding.
    experts_ : list of Expert
        The SPODEs, as named tuples of ``coding`` and ``super_parent`` (its name, or else index). A feature
        with a single bin or observed value in a coding is dropped from that coding.
    weights_ : ndarray of shape (n_experts,)
        The weight of each SPODE. Their sum is free: the larger it is, the sharper are the probabilities.
    null_weight_ : float
        The weight of the null model, which knows only the class frequencies. It may be negative.
    covariance_ : ndarray of shape (1 + n_experts, 1 + n_experts)
        How uncertain the weights are, the null model first; 0 for a weight at its bound.

    Warns
    -----
    ConvergenceWarning
        If it is not proven that the weights are close enough to the best ones for the log-odds of all
        training rows to be off by at most 1e-6.

    See Also
    --------
    CredalLogPoolAODE : The same with a set of weights instead of the best ones alone.
    MaplmgAODE : The linear mixture that best predicts each row from all others.

    Notes
    -----
    The pool is ``P(c|a) ∝ exp Σ_j w_j log p_j(c|a)``. Its weights minimise the log-loss of the training rows,
    each left out of the counts, plus a penalty that draws them towards equal weights; cuts, states and the
    features kept come from all rows. The weights of the SPODEs are at least 0, that of the null model at
    least -1. In a row whose value of the super-parent is unknown, a SPODE says no more than the class
    frequencies.

    References
    ----------
    C. Genest and J. V. Zidek, "Combining probability distributions: a critique and an annotated
    bibliography", Statistical Science 1, 1986, on logarithmic pools.

    Examples
    --------
    >>> import pandas as pd
    >>> fruit = pd.DataFrame(
    ...     {
    ...         "colour": ["red", "red", "green", "green", "yellow", "yellow"],
    ...         "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0],
    ...     }
    ... )
    >>> kind = ["apple", "apple", "apple", "apple", "banana", "banana"]
    >>> from skcredal import LogPoolAODE
    >>> clf = LogPoolAODE().fit(fruit, kind)
    >>> clf.predict_proba(pd.DataFrame({"colour": ["yellow"], "weight": [121.0]})).round(2)
    array([[0.02, 0.98]])
    >>> clf.experts_[2]
    Expert(coding='5 bins', super_parent='colour')
    >>> clf.weights_.round(2)
    array([0.42, 0.42, 0.3 , 0.3 , 0.21, 0.21])
    """

    counts_: CodingCounts
    _pool: LogPool

    _scores = ("weights_", "null_weight_", "covariance_")

    def __init__(
        self,
        *,
        ess: float = 4.0,
        bins: Sequence[int] = (5, 10),
        max_rows: int = 2000,
        random_state: int = 0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.bins = bins
        self.max_rows = max_rows
        self.random_state = random_state
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        numbers = self.bins
        if isinstance(numbers, (str, bytes)) or not isinstance(numbers, (Sequence, np.ndarray)):
            raise TypeError(f"bins must be a list of whole numbers, got {safe_repr(numbers)}.")
        for number in numbers:
            if not isinstance(number, (Integral, np.integer)) or isinstance(number, bool) or number < 2:
                raise ValueError(f"bins must hold whole numbers of at least 2, got {safe_repr(number)}.")
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"bins must hold different numbers, got {safe_repr(numbers)}.")

    def _count(self, rows: Rows) -> None:
        self._refuse_large_tables(rows.encoding)
        encoding, n_classes, n_threads = rows.encoding, len(rows.classes), thread_count(self.n_jobs)

        def work(part: Part) -> CodingCounts:
            states, labels, weights = part.labelled
            codings = [
                count(
                    states[lines], labels, weights, encoding.n_states[lines], n_classes, n_threads=n_threads
                )
                for lines in encoding.rows
            ]
            return CodingCounts(class_counts(labels, weights, n_classes), tuple(codings))

        self.counts_ = rows.sum(work, "counts", "codings")

    def _make_tables(self) -> tuple[SpodeTables, ...]:
        return tuple(SpodeTables(counts, float(self.ess)) for counts in self.counts_.codings)

    def _log_c(self) -> FloatArray:
        return np.log(class_prior(self.counts_.n_c, float(self.ess)))

    def _score(self, rows: Rows) -> None:
        self._tables = self._make_tables()
        most, seed = int(self.max_rows), int(self.random_state)
        used = rows.sum(lambda part: RowSample.of(part, most, seed), "rows", (most, seed))
        states, labels, weights = used.labelled
        logs, speaks = left_out_logs(self._tables, self._log_c(), states, labels, weights)
        sizes = [len(tables.counts.n_states) for tables in self._tables]
        # A row without any known super-parent has the class frequencies, whatever the weights.
        found = pool_weights(logs[speaks], labels[speaks], weights[speaks], sizes)
        if found.error > ENOUGH:
            warn(
                f"The weights did not converge: log-odds of training rows may be off by {found.error:.1e}.",
                ConvergenceWarning,
            )
        self.null_weight_, self.weights_ = float(found.weights[0]), found.weights[1:]
        self.covariance_ = found.covariance

    def _derive(self) -> None:
        names = getattr(self, "feature_names_in_", None)
        encoding = self._encoding
        self.experts_ = [
            Expert(coding, j if names is None else names[j])
            for coding, lines in zip(encoding.coding_names, encoding.rows, strict=True)
            for j in encoding.kept[lines]
        ]
        self._tables = getattr(self, "_tables", None) or self._make_tables()
        self._pool = LogPool(self._log_c(), self._tables, np.append(self.null_weight_, self.weights_))

    def spode_proba(self, X: Any) -> FloatArray:
        """Return what each expert says: the probabilities of its SPODE.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        proba : ndarray of shape (n_rows, n_experts, n_classes)
            The probabilities, experts as in ``experts_``, columns as in ``classes_``; NaN where the value of
            the super-parent is unknown.
        """

        def answer(model: LogPoolAODE, chunk: Chunk) -> FloatArray:
            found = [
                spode_answers(spodes, chunk.states[lines]) for spodes, lines in with_lines(model._tables)
            ]
            none = np.empty((chunk.states.shape[1], 0, len(model.classes_)))
            return np.concatenate([none, *found], axis=1)

        return self._over_rows(X, answer)

    def _posterior(self, chunk: Chunk) -> FloatArray:
        pool, states = self._pool, chunk.states
        return pool.posterior(pool.odds(states), pool.speaks(states))


class CredalLogPoolAODE(CredalMixin, LogPoolAODE):
    """LP-AODE*: the logarithmic pool of the SPODEs of several codings, with a set of weights.

    The fewer training rows there are, the less certain are the weights of the pool. This classifier takes all
    weights in an ellipsoid around the best ones, and :meth:`predict_set` returns the classes that no other
    class beats under all of them; that is decided exactly, by a closed form. :meth:`predict` and
    :meth:`predict_proba` answer with the best weights, like :class:`LogPoolAODE`.

    It is ours, not the paper's. Its definition and the proofs are in the documentation's theory, §12.

    Parameters
    ----------
    ess : float, default=4.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    bins : sequence of int, default=(5, 10)
        Numbers of bins of equal frequency. Each is another coding of the numeric features, beside the MDL
        cuts. With ``()``, or if no numeric feature varies, there is one coding.
    max_rows : int, default=2000
        The most training rows that the weights are learned from. The counts are always those of all rows.
    random_state : int, default=0
        Which rows those are, if there are more.
    credibility : float, default=0.95
        The credibility of the interval that the set of weights gives to each log-odds of two classes, at
        least 0 and less than 1. The larger it is, the larger are the sets of classes.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under all weights of the set
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets).
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those that its dtype declares, or else observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether a value that is not among the states is left out, or an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    counts_ : CodingCounts
        How often each class, value and pair of values was seen, in every coding.
    experts_ : list of Expert
        The SPODEs, as named tuples of ``coding`` and ``super_parent`` (its name, or else index). A feature
        with a single bin or observed value in a coding is dropped from that coding.
    weights_ : ndarray of shape (n_experts,)
        The weight of each SPODE. Their sum is free: the larger it is, the sharper are the probabilities.
    null_weight_ : float
        The weight of the null model, which knows only the class frequencies. It may be negative.
    covariance_ : ndarray of shape (1 + n_experts, 1 + n_experts)
        How uncertain the weights are, the null model's first; zeros for weights at their bounds.

    Warns
    -----
    ConvergenceWarning
        If it is not proven that the weights are close enough to the best ones for the log-odds of all
        training rows to be off by at most 1e-6.

    See Also
    --------
    LogPoolAODE : The same with the best weights alone.
    CredalCompAODE : The paper's own, with a set of priors over the SPODEs.

    Notes
    -----
    A class dominates another if its log-odds are positive under all weights of the set. Their minimum is
    ``ŵᵀδ - z·√(δᵀ C δ)``, where ŵ are the best weights, C is their covariance, and δ are the log-odds that
    the single experts give: z standard deviations below the log-odds of the best weights. Read with normally
    distributed weights, a class is left out if some other is ahead of it with a probability above
    ``(1 + credibility)/2``. The bounds of :meth:`predict_interval` are exact for two classes; for more they
    contain the exact ones.

    Examples
    --------
    >>> import pandas as pd
    >>> fruit = pd.DataFrame(
    ...     {
    ...         "colour": ["red", "red", "green", "green", "yellow", "yellow"],
    ...         "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0],
    ...     }
    ... )
    >>> kind = ["apple", "apple", "apple", "apple", "banana", "banana"]
    >>> from skcredal import CredalLogPoolAODE, set_labels
    >>> clf = CredalLogPoolAODE().fit(fruit, kind)
    >>> new = pd.DataFrame({"colour": ["red", "red"], "weight": [150.0, 100.0]})
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new), clf.classes_)]
    [['apple'], ['apple', 'banana']]
    >>> clf.robustness(new).round(2)
    array([0.98, 0.12])
    >>> print(clf.explain(new)["sentence"][1])
    apple rather than banana by odds of 1.1 to 1; colour speaks most for apple (×8.1), weight most against
    (×0.058); as uncertain as the weights are, the odds lie between 0.5 and 2.2 to 1, so both remain.
    """

    _priors: WeightSet

    def __init__(
        self,
        *,
        ess: float = 4.0,
        bins: Sequence[int] = (5, 10),
        max_rows: int = 2000,
        random_state: int = 0,
        credibility: float = 0.95,
        criterion: str = "maximality",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.bins = bins
        self.max_rows = max_rows
        self.random_state = random_state
        self.credibility = credibility
        self.criterion = criterion
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _derive(self) -> None:
        super()._derive()
        self._priors = WeightSet.of(self._pool, self.covariance_, float(self.credibility))

    def robustness(self, X: Any) -> FloatArray:
        """Return up to which credibility the answer of :meth:`predict` dominates every other class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        robustness : ndarray of shape (n_rows,)
            Between 0, where another class is as probable, and 1. With maximality, the rows whose robustness
            exceeds ``credibility`` are those with a single class.
        """
        return self._robustness(X)

    def explain(self, X: Any) -> Any:
        """Return what speaks for and against the answer to each row, and why it was decided or left open.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            Of the library of ``X`` (of pandas for an array), a row for each of its rows, with the columns
            ``predicted`` and ``probability`` (the answer under the best weights), ``rival`` and
            ``rival_probability`` (the class that some weights of the set bring closest to it, or past it),
            ``set``, ``set_size`` and ``robustness`` as in :func:`answers`, ``odds`` of the answer over the
            rival under the best weights, ``lower_odds`` and ``upper_odds`` (their bounds over the set of
            weights), ``frequencies`` (what the class frequencies contribute to the logarithm of the odds),
            ``features`` (from the one that speaks most for the answer to the one that speaks most for the
            rival), ``contributions`` (what each of them contributes; with the frequencies, they add up to the
            logarithm of the odds) and ``sentence`` (the same in words).
        """
        return self._explain(X)

    def _explain_chunk(self, chunk: Chunk) -> dict[str, list[Any]]:
        evidence = self._evidence(chunk)
        contest = self._priors.contest(evidence)
        frequencies, by_expert = self._pool.contributions(chunk.states, evidence.best, contest.rival)
        # Features are the same in all codings: what each contributes is summed over them.
        columns, index = np.unique(self._encoding.kept, return_inverse=True)
        by_feature = np.zeros((len(columns), len(evidence.best)))
        np.add.at(by_feature, index, by_expert)
        sets = self._sets(evidence)
        names = getattr(self, "feature_names_in_", None)
        shown = [f"feature {j}" if names is None else str(names[j]) for j in columns]
        order = np.argsort(-by_feature, axis=0, kind="stable").T
        # A single class is its own rival in the contest.
        rival = contest.rival if len(self.classes_) > 1 else np.full(len(evidence.best), -1)
        found = {
            **self._explained_answers(evidence, sets, rival),
            "odds": _odds(contest.log_odds),
            "lower_odds": _odds(contest.lower),
            "upper_odds": _odds(contest.upper),
            "frequencies": frequencies.tolist(),
            "features": [[shown[i] for i in line] for line in order],
            "contributions": np.take_along_axis(by_feature.T, order, axis=1).tolist(),
        }
        found["sentence"] = [
            describe_odds({name: column[r] for name, column in found.items()}, speaks=bool(speaks))
            for r, speaks in enumerate(evidence.speaks)
        ]
        return found

    def _evidence(self, chunk: Chunk) -> PoolEvidence:
        return self._priors.evidence(chunk.states)


def _odds(log_odds: Any) -> list[float]:
    with np.errstate(over="ignore"):
        odds: list[float] = np.exp(log_odds).tolist()
    return odds
