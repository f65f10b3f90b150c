"""COMP-AODE and COMP-AODE*: the SPODEs weighted by compression coefficients (§5, §7)."""

from __future__ import annotations

from typing import Any

from skcredal._ensemble.priors import CompressionPriors
from skcredal._ensemble.weights import compression_weights
from skcredal.classifiers._rows import Rows
from skcredal.classifiers._spodes import CredalSpodesMixin, LikelihoodWeightedEnsemble, resolve_epsilon

__all__ = ["CompAODE", "CredalCompAODE"]


class CompAODE(LikelihoodWeightedEnsemble):
    """COMP-AODE: the SPODEs weighted by their compression coefficients.

    A SPODE's coefficient tells how much shorter it makes the description of the classes than the null model
    does. Being logarithmic, the weights are more even than those of Bayesian model averaging; SPODEs that do
    not compress get none.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        Prior probability of the null model. ``"auto"`` is ``min(0.01, 1/(2(k+1)))`` for k features kept; a
        number of ``1/(k+1)`` or more is taken as just below that.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
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
    super_parents_ : ndarray of shape (k,)
        The names (or else indices) of the features kept, each the super-parent of one SPODE; those with a
        single bin or observed value are dropped.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    log_likelihood_ : ndarray of shape (k,)
        The conditional log-likelihood of each SPODE.
    null_log_likelihood_ : float
        The log-likelihood of the null model, which knows only the class frequencies.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE; all 0 if none is better than the null model.
    epsilon_ : float
        The value of ε that was used.

    See Also
    --------
    CredalCompAODE : The same with a set of priors instead of a single one.

    Examples
    --------
    >>> import pandas as pd
    >>> colour = ["red", "red", "green", "green", "yellow", "yellow"]
    >>> fruit = pd.DataFrame({"colour": colour, "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0]})
    >>> kind = ["apple"] * 4 + ["banana"] * 2
    >>> from skcredal import CompAODE
    >>> clf = CompAODE().fit(fruit, kind)
    >>> clf.predict_proba(pd.DataFrame({"colour": ["yellow"], "weight": [121.0]})).round(2)
    array([[0.04, 0.96]])
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        epsilon: Any = "auto",
        likelihood_floor: float = 0.0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.epsilon = epsilon
        self.likelihood_floor = likelihood_floor
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _count(self, rows: Rows) -> None:
        # An error should come before the work of counting.
        resolve_epsilon(self.epsilon, len(rows.encoding.kept), tells=True)
        super()._count(rows)

    def _derive(self) -> None:
        super()._derive()
        self.epsilon_ = resolve_epsilon(self.epsilon, len(self.super_parents_))
        self.weights_ = compression_weights(self.log_likelihood_, self.null_log_likelihood_, self.epsilon_)


class CredalCompAODE(CredalSpodesMixin, CompAODE):
    """COMP-AODE*: the SPODEs weighted by compression coefficients with a set of priors.

    The set holds every prior that gives the null model ε and each SPODE at least ε. :meth:`predict_set`
    returns the classes that no other beats under all of them, by an exact closed form; :meth:`predict` and
    :meth:`predict_proba` use the prior that is uniform over the SPODEs, like :class:`CompAODE`.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        Prior probability of the null model, and the least one of a SPODE. ``"auto"`` is
        ``min(0.01, 1/(2(k+1)))`` for k features kept; a number of
        ``1/(k+1)`` or more is taken as just below that.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under every prior
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets).
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
    super_parents_ : ndarray of shape (k,)
        The names (or else indices) of the features kept, each the super-parent of one SPODE; those with a
        single bin or observed value are dropped.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    log_likelihood_ : ndarray of shape (k,)
        The conditional log-likelihood of each SPODE.
    null_log_likelihood_ : float
        The log-likelihood of the null model, which knows only the class frequencies.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE under the reference prior; all 0 if none is better than the null model.
    epsilon_ : float
        The value of ε that was used.

    See Also
    --------
    CredalBmaAODE : The same for Bayesian model averaging.

    Notes
    -----
    A SPODE is *feasible* if its upper compression coefficient is positive: some prior of the set makes it
    better than the null model, which knows only the class frequencies. The set of classes is *maximal*: it
    leaves out a class only if another beats it under every prior. The minimum of the difference of two scores
    is found by water-filling; no solver is needed. Classes that are equal up to rounding stay together, and
    all classes are returned if under some prior the weights of the feasible SPODEs sum to 0. If no SPODE is
    feasible, or all values are unknown, the class frequencies are the answer.

    References
    ----------
    G. Corani, A. Antonucci, "Credal Classification based on AODE and compression coefficients".

    Examples
    --------
    >>> import pandas as pd
    >>> colour = ["red", "red", "green", "green", "yellow", "yellow"]
    >>> fruit = pd.DataFrame({"colour": colour, "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0]})
    >>> kind = ["apple"] * 4 + ["banana"] * 2
    >>> from skcredal import CredalCompAODE, set_labels
    >>> clf = CredalCompAODE().fit(fruit, kind)
    >>> new = pd.DataFrame({"colour": ["red", "red"], "weight": [150.0, 100.0]})
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new), clf.classes_)]
    [['apple'], ['apple', 'banana']]
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        epsilon: Any = "auto",
        likelihood_floor: float = 0.0,
        criterion: str = "maximality",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.epsilon = epsilon
        self.likelihood_floor = likelihood_floor
        self.criterion = criterion
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _derive(self) -> None:
        super()._derive()
        self._priors = CompressionPriors.from_likelihoods(
            self.log_likelihood_, self.null_log_likelihood_, self.epsilon_
        )
