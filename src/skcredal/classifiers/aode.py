"""The determinate classifiers: AODE, BMA-AODE and COMP-AODE (§5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal import kernels
from skcredal._arrays import CodeArray, FloatArray
from skcredal._validation import check_choice
from skcredal.classifiers.base import TrainingRows
from skcredal.classifiers.spodes import LikelihoodWeightedEnsemble, SpodeEnsemble, resolve_epsilon
from skcredal.ensemble.weights import bma_weights, compression_weights, uniform_weights

__all__ = ["AODE", "BmaAODE", "CompAODE"]


class AODE(SpodeEnsemble):
    """Averaged one-dependence estimators: the plain mean of all SPODEs.

    Each SPODE takes another feature as super-parent: all other features depend on it and on the class.
    Numeric features are discretised inside, on the training rows only.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters.
    average : {"posterior", "joint"}, default="posterior"
        What is averaged: the posteriors of the SPODEs, as in the paper of Corani and Antonucci, or their
        joint probabilities, as in Webb's original and in Weka.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical: by the type of their column (strings, booleans and declared
        categories), ``"all"``, or besides those also the ones named here, by name, index or mask.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in the order of the columns. ``"auto"``: those that the input
        declares (a pandas categorical, a polars Enum, an Arrow dictionary), else those that occur in
        training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is taken for the training median or mode. ``"marginalize"``: it is left
        out, of the counts in training and of the factors in prediction.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: leave its factors out, or refuse.
    max_categories : int, optional
        The most states a categorical feature may have; its rarest ones are merged into one "other" state.
    n_jobs : int, optional
        Threads; ``None`` is one, -1 is all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` has names that are all strings.
    super_parents_ : ndarray of shape (k,)
        The features kept, each the super-parent of a SPODE, by name or else by index. A feature with a single
        bin or a single observed value is dropped.
    counts_ : JointCounts
        How often each class, value and pair of values was seen.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE: 1/k.

    See Also
    --------
    CompAODE : Weights the SPODEs by how much they compress the classes.
    CredalCompAODE : Returns several classes where the prior over the SPODEs decides.

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
    >>> from skcredal import AODE
    >>> clf = AODE().fit(fruit, kind)
    >>> clf.predict(pd.DataFrame({"colour": ["green", "yellow"], "weight": [None, 119.0]}))
    array(['apple', 'banana'], dtype='<U6')
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        average: str = "posterior",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.average = average
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("average", self.average, ("posterior", "joint"))

    def _learn_weights(self, rows: TrainingRows) -> FloatArray:
        return uniform_weights(rows.n_features)

    def _posterior(self, chunk: CodeArray) -> FloatArray:
        if self.average == "posterior":
            return super()._posterior(chunk)
        tables = self._tables
        out = np.empty((chunk.shape[1], len(self.classes_)))
        kernels.inference.mean_joint(
            chunk, tables.layout.n_states, tables.log_joints(chunk), tables.prior, out
        )
        return out


class BmaAODE(LikelihoodWeightedEnsemble):
    """BMA-AODE: Bayesian model averaging over the SPODEs with a uniform prior.

    The weights are proportional to the conditional likelihoods of the SPODEs; those below a ten-thousandth of
    the largest are set to 0. On larger data a single SPODE takes nearly all the weight: mind
    :class:`CompAODE`.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters.
    likelihood_floor : float, default=0.0
        Bounds each probability inside the likelihoods from below (and nowhere else); the original experiments
        of the paper used 0.01.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical: by the type of their column (strings, booleans and declared
        categories), ``"all"``, or besides those also the ones named here, by name, index or mask.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in the order of the columns. ``"auto"``: those that the input
        declares (a pandas categorical, a polars Enum, an Arrow dictionary), else those that occur in
        training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is taken for the training median or mode. ``"marginalize"``: it is left
        out, of the counts in training and of the factors in prediction.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: leave its factors out, or refuse.
    max_categories : int, optional
        The most states a categorical feature may have; its rarest ones are merged into one "other" state.
    n_jobs : int, optional
        Threads; ``None`` is one, -1 is all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` has names that are all strings.
    super_parents_ : ndarray of shape (k,)
        The features kept, each the super-parent of a SPODE, by name or else by index. A feature with a single
        bin or a single observed value is dropped.
    counts_ : JointCounts
        How often each class, value and pair of values was seen.
    log_likelihood_ : ndarray of shape (k,)
        The conditional log-likelihood of each SPODE.
    null_log_likelihood_ : float
        That of the null model, which knows only the class frequencies.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE.

    See Also
    --------
    CredalBmaAODE : The same with a set of priors instead of the uniform one.

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
    >>> from skcredal import BmaAODE
    >>> clf = BmaAODE().fit(fruit, kind)
    >>> list(clf.super_parents_)
    ['colour', 'weight']
    >>> clf.weights_.round(2)
    array([0.5, 0.5])
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        likelihood_floor: float = 0.0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.likelihood_floor = likelihood_floor
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _learn_weights(self, rows: TrainingRows) -> FloatArray:
        self._learn_likelihoods(rows)
        return bma_weights(self.log_likelihood_)


class CompAODE(LikelihoodWeightedEnsemble):
    """COMP-AODE: the SPODEs weighted by their compression coefficients.

    The coefficient of a SPODE tells how much shorter it makes the description of the classes than the null
    model does. The logarithm spreads the weights more evenly than Bayesian model averaging, and models that
    do not compress get none.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters.
    epsilon : "auto" or float, default="auto"
        Prior probability of the null model.
        ``"auto"`` is ``min(0.01, 1/(2(k+1)))`` with k the features kept; a number must lie in ``(0,
        1/(k+1))``.
    likelihood_floor : float, default=0.0
        Bounds each probability inside the likelihoods from below (and nowhere else); the original experiments
        of the paper used 0.01.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical: by the type of their column (strings, booleans and declared
        categories), ``"all"``, or besides those also the ones named here, by name, index or mask.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in the order of the columns. ``"auto"``: those that the input
        declares (a pandas categorical, a polars Enum, an Arrow dictionary), else those that occur in
        training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is taken for the training median or mode. ``"marginalize"``: it is left
        out, of the counts in training and of the factors in prediction.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: leave its factors out, or refuse.
    max_categories : int, optional
        The most states a categorical feature may have; its rarest ones are merged into one "other" state.
    n_jobs : int, optional
        Threads; ``None`` is one, -1 is all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` has names that are all strings.
    super_parents_ : ndarray of shape (k,)
        The features kept, each the super-parent of a SPODE, by name or else by index. A feature with a single
        bin or a single observed value is dropped.
    counts_ : JointCounts
        How often each class, value and pair of values was seen.
    log_likelihood_ : ndarray of shape (k,)
        The conditional log-likelihood of each SPODE.
    null_log_likelihood_ : float
        That of the null model, which knows only the class frequencies.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE, all 0 if none is better than the null model.
    epsilon_ : float
        The ε in use.

    See Also
    --------
    CredalCompAODE : The same with a set of priors instead of a single one.

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

    def _settle(self, k: int) -> None:
        self.epsilon_ = resolve_epsilon(self.epsilon, k)

    def _learn_weights(self, rows: TrainingRows) -> FloatArray:
        self._learn_likelihoods(rows)
        return compression_weights(self.log_likelihood_, self.null_log_likelihood_, self.epsilon_)
