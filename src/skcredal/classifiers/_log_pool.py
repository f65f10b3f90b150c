"""LP-AODE: the logarithmic pool of the SPODEs of several codings (§12). Not from the paper."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skcredal._arrays import CodeArray, FloatArray
from skcredal._encoding.table_encoding import Codings
from skcredal._ensemble.counts import CodingCounts
from skcredal._ensemble.log_pool import LogPool
from skcredal._ensemble.networks import class_prior
from skcredal._ensemble.parameters import SpodeTables, spode_tables
from skcredal._ensemble.pool_weights import ENOUGH, expert_logs, pool_weights
from skcredal._threads import thread_count
from skcredal._validation import check_integer, check_strength, safe_repr
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import TrainingRows

__all__ = ["Expert", "LogPoolAODE"]


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
        Which features are categorical: ``"from_dtype"``, those with strings, booleans or declared categories;
        ``"all"``; or a list of names or indices, or a mask, of features to add to those of ``"from_dtype"``.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in column order. ``"auto"``: those that the dtype declares
        (pandas categorical, polars Enum, Arrow dictionary), otherwise those that occur in training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is replaced by the training median or mode. ``"marginalize"``: it is
        left out of the counts in training and of the factors in prediction.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: leave out its factors, or raise an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one "other" state.
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

    _encoding: Codings
    counts_: CodingCounts  # type: ignore[assignment]
    weights_: FloatArray
    null_weight_: float
    _tables: tuple[SpodeTables, ...]
    _pool: LogPool

    _scores: tuple[str, ...] = ("weights_", "null_weight_")

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
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_strength("ess", self.ess)
        check_integer("max_rows", self.max_rows, low=1)
        if not isinstance(self.random_state, Integral) or isinstance(self.random_state, bool):
            raise TypeError(f"random_state must be a whole number, got {safe_repr(self.random_state)}.")
        numbers = self.bins
        if isinstance(numbers, (str, bytes)) or not isinstance(numbers, (Sequence, np.ndarray)):
            raise TypeError(f"bins must be a list of whole numbers, got {safe_repr(numbers)}.")
        for number in numbers:
            if not isinstance(number, (Integral, np.integer)) or isinstance(number, bool) or number < 2:
                raise ValueError(f"bins must hold whole numbers of at least 2, got {safe_repr(number)}.")
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"bins must hold different numbers, got {safe_repr(numbers)}.")

    def _count(self, rows: TrainingRows) -> None:
        # By arithmetic, before the first table is allocated; folded, a pair has a third table of logarithms.
        codings = [rows.encoding.n_states[some] for some in self._encoding.rows]
        self._refuse_large_tables(codings, self._kept_features(), self._kept_numeric(), n_logarithms=3)
        self.counts_ = rows.count_codings(n_threads=thread_count(self.n_jobs))

    def _make_tables(self) -> tuple[SpodeTables, ...]:
        n_threads = thread_count(self.n_jobs)
        return tuple(
            spode_tables(counts, float(self.ess), n_threads=n_threads) for counts in self.counts_.codings
        )

    def _log_c(self) -> FloatArray:
        return np.log(class_prior(self.counts_.n_c, float(self.ess)))

    def _score(self, rows: TrainingRows) -> None:
        self._tables = self._make_tables()
        used = rows.sample(int(self.max_rows), int(self.random_state))
        logs, speaks = expert_logs(
            self.counts_, self._tables, self._log_c(), used.codes, used.labels, used.weights
        )
        weights = np.ones(len(used.labels)) if used.weights is None else used.weights.astype(np.float64)
        # A row without any known super-parent has the class frequencies, whatever the weights.
        found = pool_weights(
            logs[speaks], used.labels[speaks], weights[speaks], [len(t.layout.n_states) for t in self._tables]
        )
        if found.error > ENOUGH:
            warnings.warn(
                f"The weights did not converge: log-odds of training rows may be off by {found.error:.1e}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.null_weight_, self.weights_ = float(found.weights[0]), found.weights[1:]
        self._keep_covariance(found.covariance)

    def _keep_covariance(self, covariance: FloatArray) -> None:
        """Keep how sure the weights are, where that is asked for."""

    def _derive(self) -> None:
        names = getattr(self, "feature_names_in_", None)
        self.experts_ = [
            Expert(coding, j if names is None else names[j])
            for coding, encoding in self._encoding.codings.items()
            for j in encoding.kept
        ]
        if not hasattr(self, "_tables"):  # the model was loaded
            self._tables = self._make_tables()
        self._pool = LogPool.of(self._log_c(), self._tables, np.append(self.null_weight_, self.weights_))

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
        model = self._snapshot()
        codes = model._encode(X)
        proba = np.empty((codes.shape[1], len(codes), len(model.classes_)))

        def posteriors(chunk: CodeArray, rows: slice) -> None:
            for spodes, some in model._pool.parts():
                proba[rows, some] = spodes.posteriors(chunk[some], left_out=np.nan).swapaxes(0, 1)

        model._for_each_chunk(codes, posteriors)
        return proba

    def _posterior(self, chunk: CodeArray) -> FloatArray:
        return self._pool.posterior(chunk)
