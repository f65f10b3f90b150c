"""BMA-AODE and BMA-AODE*: Bayesian model averaging over the SPODEs (§5, §6, §13)."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray
from skcredal._encoding.encoding import Chunk
from skcredal._ensemble.priors import BmaPriors, Evidence
from skcredal._ensemble.weights import bma_weights, model_probabilities, spode_log_marginals
from skcredal._validation import check_choice
from skcredal.classifiers._rows import Rows
from skcredal.classifiers._spodes import CredalSpodesMixin, LikelihoodWeightedEnsemble, resolve_epsilon

__all__ = ["BmaAODE", "CredalBmaAODE"]


class BmaAODE(LikelihoodWeightedEnsemble):
    """BMA-AODE: Bayesian model averaging over the SPODEs with a uniform prior.

    The weights are proportional to the likelihoods of the SPODEs. On larger data a single SPODE gets nearly
    all the weight; :class:`CompAODE` does not have this problem.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    likelihood : {"conditional", "marginal"}, default="conditional"
        ``"conditional"``, the paper's: how probable a SPODE finds the classes of the rows, given their
        features; it averages the posteriors, and weights below a ten-thousandth of the largest are set to 0.
        ``"marginal"``: how probable it finds whole rows, averaged over its parameters; it averages the joint
        probabilities, with all weights. This is the Bayesian model averaging over SPODEs that AODE was first
        compared with. It needs the counts alone, so that it has :meth:`partial_fit`, too.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the conditional likelihoods, and nowhere else; the paper's own
        experiments used 0.01.
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
        The log-likelihood of each SPODE, conditional or marginal.
    null_log_likelihood_ : float
        The conditional log-likelihood of the null model, which knows only the class frequencies.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE.

    See Also
    --------
    CredalBmaAODE : The same with a set of priors instead of the uniform one.

    References
    ----------
    J. Cerquides and R. López de Mántaras, "Robust Bayesian linear classifier ensembles", ECML 2005, and Y.
    Yang et al., "To select or to weigh: a comparative study of linear combination schemes for
    superparent-one-dependence estimators", IEEE TKDE 19, 2007, on the marginal likelihood.

    Examples
    --------
    >>> import pandas as pd
    >>> colour = ["red", "red", "green", "green", "yellow", "yellow"]
    >>> fruit = pd.DataFrame({"colour": colour, "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0]})
    >>> kind = ["apple"] * 4 + ["banana"] * 2
    >>> from skcredal import BmaAODE
    >>> clf = BmaAODE().fit(fruit, kind)
    >>> list(clf.super_parents_)
    ['colour', 'weight']
    >>> clf.weights_.round(2)
    array([0.5, 0.5])
    >>> BmaAODE(likelihood="marginal").fit(fruit, kind).weights_.round(2)
    array([0.5, 0.5])
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        likelihood: str = "conditional",
        likelihood_floor: float = 0.0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.likelihood = likelihood
        self.likelihood_floor = likelihood_floor
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    @property
    def _counts_suffice(self) -> bool:  # type: ignore[override]
        return self.likelihood == "marginal"

    @property
    def _scores(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self._counts_suffice else super()._scores

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("likelihood", self.likelihood, ("conditional", "marginal"))

    def _score(self, rows: Rows) -> None:
        if self.likelihood == "conditional":
            super()._score(rows)

    def _derive(self) -> None:
        super()._derive()
        if self.likelihood == "conditional":
            self.weights_ = bma_weights(self.log_likelihood_)
            return
        self.log_likelihood_ = spode_log_marginals(self.counts_, float(self.ess))
        self.weights_ = model_probabilities(self.log_likelihood_)

    def _posterior(self, chunk: Chunk) -> FloatArray:
        if self.likelihood == "conditional":
            return super()._posterior(chunk)
        # Not by the weights: in a row without the best super-parents those that are left may all be 0 by
        # underflow. And it is joints that are averaged: each model is one of whole rows.
        log_lik = self.log_likelihood_
        return self._tables.mean_joint(chunk.states, log_lik - log_lik.max(initial=-np.inf))


class CredalBmaAODE(CredalSpodesMixin, LikelihoodWeightedEnsemble):
    """BMA-AODE*: Bayesian model averaging over the SPODEs with a set of priors.

    The set holds every prior that gives each SPODE at least ε. :meth:`predict_set` returns the classes that
    no other beats under all of them, by an exact closed form; :meth:`predict` and :meth:`predict_proba` use
    the uniform prior, like :class:`BmaAODE`.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        Least prior probability of a SPODE. ``"auto"`` is ``min(0.01, 1/(2(k+1)))`` for k features kept; a
        number of ``1/(k+1)`` or more is taken as just below that.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
    criterion : {"maximality", "interval_dominance", "e_admissibility"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under every prior
        (``"maximality"``), those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets), or those that are the most probable under some prior
        (``"e_admissibility"``, smaller sets).
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
        The weight of each SPODE under the uniform prior.
    epsilon_ : float
        The value of ε that was used.

    See Also
    --------
    CredalCompAODE : More often determinate, and usually the better choice.

    Notes
    -----
    The set of priors is over the SPODEs that survive the likelihood cut of :class:`BmaAODE`, and in each row
    over those whose super-parent is known. The difference of two scores is linear in the prior, so that its
    minimum lies at an extreme point of the set; no solver is needed. Classes that are equal up to rounding
    stay together. If no SPODE is left (no feature was kept, or all values are unknown), the class frequencies
    are the answer.

    References
    ----------
    G. Corani, A. Antonucci, "Credal Classification based on AODE and compression coefficients".

    Examples
    --------
    >>> import pandas as pd
    >>> colour = ["red", "red", "green", "green", "yellow", "yellow"]
    >>> fruit = pd.DataFrame({"colour": colour, "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0]})
    >>> kind = ["apple"] * 4 + ["banana"] * 2
    >>> from skcredal import CredalBmaAODE, set_labels
    >>> clf = CredalBmaAODE().fit(fruit, kind)
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

    _priors: BmaPriors
    _criteria = ("maximality", "interval_dominance", "e_admissibility")

    def _count(self, rows: Rows) -> None:
        # An error should come before the work of counting.
        resolve_epsilon(self.epsilon, len(rows.encoding.kept), tells=True)
        super()._count(rows)

    def _derive(self) -> None:
        super()._derive()
        self.weights_ = bma_weights(self.log_likelihood_)
        self.epsilon_ = resolve_epsilon(self.epsilon, len(self.super_parents_))
        self._priors = BmaPriors.from_likelihoods(self.log_likelihood_, self.epsilon_)

    def _sets(self, evidence: Evidence, interval: FloatArray | None = None) -> BoolArray:
        # An E-admissible class is also maximal: only the maximal ones need a linear program.
        sets = super()._sets(evidence, interval)
        if self.criterion == "e_admissibility":
            return self._priors.e_admissible_sets(evidence, sets)
        return sets
