"""AODE, BMA-AODE, COMP-AODE and MAPLMG: weighted means of SPODEs (§3 to §6, §13)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skcredal._arrays import FloatArray, StateArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._ensemble.maplmg import Mixture, log_own_left_out, maplmg_weights
from skcredal._ensemble.spodes import SpodeTables, log_likelihoods
from skcredal._ensemble.weights import (
    bma_weights,
    compression_weights,
    model_probabilities,
    null_log_likelihood,
    resolve_epsilon,
    spode_log_marginals,
)
from skcredal._threads import thread_count
from skcredal._validation import warn
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import Part, Rows

__all__ = ["AODE", "BmaAODE", "CompAODE", "MaplmgAODE", "SpodeEnsemble", "spode_answers"]


class SpodeEnsemble(TabularClassifier):
    """A weighted average of SPODEs, each with a different feature as super-parent."""

    ess: float

    weights_: FloatArray

    _count = TabularClassifier._count_pairs

    @cached_property
    def _spodes(self) -> SpodeTables:
        """The tables of the SPODEs: weights are learned with them before the rest is derived."""
        return SpodeTables(self.counts_, float(self.ess))

    def _derive(self) -> None:
        self.super_parents_ = self.features_
        _ = self._spodes  # now, so that a prediction does not change the classifier

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
            super-parent's value is unknown: its SPODE is then left out.
        """
        return self._over_rows(X, lambda model, chunk: spode_answers(model._spodes, chunk.states))

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        posterior = self._spodes.posteriors(chunk.states)
        return self._spodes.mean_posterior(chunk.states, self.weights_, posterior)


def spode_answers(tables: SpodeTables, states: StateArray) -> FloatArray:
    """Return what each SPODE says, (rows, k, n_classes); NaN where the super-parent is unknown."""
    proba = tables.posteriors(states)
    return np.where((states == tables.unknown)[:, None], np.nan, proba).transpose(2, 0, 1)


class AODE(SpodeEnsemble):
    """Averaged one-dependence estimators: the unweighted mean of all SPODEs.

    Each SPODE has a different feature as super-parent: all other features depend on it and on the class.
    Numeric features are discretised on the training rows.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    average : {"posterior", "joint"}, default="posterior"
        What is averaged: the posteriors of the SPODEs, as in Corani and Antonucci's paper, or their joint
        probabilities, as in Webb's original and in Weka.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    super_parents_ : ndarray of shape (k,)
        The names (or indices) of the features kept, each the super-parent of one SPODE; those with a
        single bin or observed value are dropped.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE: 1/k.

    See Also
    --------
    CompAODE : Weights the SPODEs by how much they compress the classes.
    CredalCompAODE : Returns several classes where the answer depends on the prior over the SPODEs.

    Examples
    --------
    >>> import pandas as pd
    >>> colour = ["red", "red", "green", "green", "yellow", "yellow"]
    >>> fruit = pd.DataFrame({"colour": colour, "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0]})
    >>> kind = ["apple"] * 4 + ["banana"] * 2
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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    _counts_suffice = True

    def _derive(self) -> None:
        super()._derive()
        k = len(self.super_parents_)
        self.weights_ = np.full(k, 1.0 / max(k, 1))

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        if self.average == "posterior":
            return super()._posterior(chunk)
        return self._spodes.mean_joint(chunk.states, np.zeros(len(chunk.states)))


class MaplmgAODE(SpodeEnsemble):
    """MAPLMG-AODE: the SPODEs weighted by the maximum a posteriori linear mixture.

    With these weights the mixture as a whole, not each SPODE by itself, best predicts the class of each
    training row from all other rows; a Dirichlet prior keeps every weight above 0.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    max_iter : int, default=10000
        Largest number of steps of Newton's method; a dozen or so usually suffice.
    tol : float, default=1e-10
        Tolerance, relative to the objective: the method stops when the objective is provably this close to
        its maximum, or as close as rounding allows.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    super_parents_ : ndarray of shape (k,)
        The names (or indices) of the features kept, each the super-parent of one SPODE; those with a
        single bin or observed value are dropped.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE.
    objective_ : float
        What the weights maximise (see Notes); NaN if no feature is kept.
    n_iter_ : int
        Number of steps of Newton's method; 0 if no feature is kept.

    Warns
    -----
    ConvergenceWarning
        If the objective is not provably within ``tol`` of its maximum after ``max_iter`` steps.

    See Also
    --------
    BmaAODE : Weights each SPODE by its own likelihood.
    CompAODE : Weights the SPODEs by how much they compress the classes.

    Notes
    -----
    The weights maximise ``Σ_i log Σ_j w_j P_{-i}(c_i|a_i,s_j) + Σ_j log w_j`` on the simplex, where
    ``P_{-i}`` is learned from all rows but the i-th; cuts, states and the features kept come from all rows.
    The objective is concave: Newton's method climbs it from uniform weights, and its tangent bounds how far
    away the maximum can be.

    A row with a whole weight w counts as w copies, of which one is left out at a time. A row with a weight
    below 1 is left out completely; in general, ``min(1, w)`` is subtracted from the counts.

    References
    ----------
    J. Cerquides and R. López de Màntaras, "Robust Bayesian linear classifier ensembles", ECML 2005.

    Examples
    --------
    The class says whether the first two features agree; the third is noise. With either of the first two as
    super-parent, the other one decides; with the third, neither of them helps:

    >>> from skcredal import MaplmgAODE
    >>> X = [[a, b, c] for a in "xy" for b in "xy" for c in "xy"] * 2
    >>> y = ["agree" if a == b else "differ" for a, b, c in X]
    >>> clf = MaplmgAODE().fit(X, y)
    >>> clf.weights_.round(2)
    array([0.46, 0.46, 0.07])
    >>> clf.predict_proba([["x", "y", "x"]]).round(2)
    array([[0.06, 0.94]])
    """

    _needs_all_rows = "each step of Newton's method needs the leave-one-out probabilities of all rows"
    _scores = ("weights_", "n_iter_", "objective_")

    def __init__(
        self,
        *,
        ess: float = 1.0,
        max_iter: int = 10_000,
        tol: float = 1e-10,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.max_iter = max_iter
        self.tol = tol
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _score(self, rows: Rows) -> None:
        n_threads = thread_count(self.n_jobs)

        def work(part: Part) -> Mixture:
            # An array of rows × SPODEs, over which every step of Newton's method passes.
            log_own = log_own_left_out(self._spodes, *part.labelled, n_threads=n_threads)
            return maplmg_weights(log_own, part.weights, max_iter=int(self.max_iter), tol=float(self.tol))

        mixture = rows.sum(work, "weights")
        if not mixture.converged:
            warn(
                f"The weights did not converge in max_iter={self.max_iter} iterations: the objective may be "
                f"{mixture.gap / abs(mixture.objective):.1e} (relative) below its maximum, more than "
                f"tol={self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        self.weights_, self.n_iter_, self.objective_ = mixture.weights, mixture.n_iter, mixture.objective


class LikelihoodWeightedEnsemble(SpodeEnsemble):
    """A SPODE ensemble whose weights come from the conditional likelihoods of the SPODEs (§4)."""

    likelihood_floor: float

    log_likelihood_: FloatArray

    _scores = ("log_likelihood_",)

    def _score(self, rows: Rows) -> None:
        tables, floor, n_threads = self._spodes, float(self.likelihood_floor), thread_count(self.n_jobs)
        self.log_likelihood_ = rows.sum(
            lambda part: log_likelihoods(tables, *part.labelled, floor=floor, n_threads=n_threads),
            "likelihoods",
            (tables.ess, floor),
        )

    def _derive(self) -> None:
        super()._derive()
        self.null_log_likelihood_ = null_log_likelihood(self.counts_.n_c)


class BmaAODE(LikelihoodWeightedEnsemble):
    """BMA-AODE: Bayesian model averaging over the SPODEs with a uniform prior.

    The weights are proportional to the likelihoods of the SPODEs. On larger data a single SPODE gets nearly
    all the weight; :class:`CompAODE` does not have this problem.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    likelihood : {"conditional", "marginal"}, default="conditional"
        How a SPODE is weighted. ``"conditional"``, as in the paper: by the probability that it gives the
        classes of the rows, given their features. The ensemble averages posteriors, and weights below a
        ten-thousandth of the largest are set to 0. ``"marginal"``: by the probability that it gives whole
        rows, averaged over its parameters. The ensemble averages joint probabilities, with all weights. AODE
        was first compared with this form of Bayesian model averaging. It needs only the counts, so it also
        has :meth:`partial_fit`.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the conditional likelihoods, and nowhere else; the paper's own
        experiments used 0.01.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    super_parents_ : ndarray of shape (k,)
        The names (or indices) of the features kept, each the super-parent of one SPODE; those with a
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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    @property
    def _counts_suffice(self) -> bool:  # type: ignore[override]
        return self.likelihood == "marginal"

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

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        if self.likelihood == "conditional":
            return super()._posterior(chunk)
        # Not by the weights: in a row without the best super-parents those that are left may all be 0 by
        # underflow. And it is joints that are averaged: each model is one of whole rows.
        log_lik = self.log_likelihood_
        return self._spodes.mean_joint(chunk.states, log_lik - log_lik.max(initial=-np.inf))


class CompAODE(LikelihoodWeightedEnsemble):
    """COMP-AODE: the SPODEs weighted by their compression coefficients.

    A SPODE's coefficient measures how much it shortens the description of the classes, compared with the null
    model. Because the weights are logarithmic, they are more even than those of Bayesian model averaging;
    SPODEs that do not compress get weight 0.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        Prior probability of the null model. ``"auto"`` is ``min(0.01, 1/(2(k+1)))`` for k features kept; a
        number of ``1/(k+1)`` or more is reduced to just below it.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    super_parents_ : ndarray of shape (k,)
        The names (or indices) of the features kept, each the super-parent of one SPODE; those with a
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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _derive(self) -> None:
        super()._derive()
        self.epsilon_ = resolve_epsilon(self.epsilon, len(self.super_parents_))
        self.weights_ = compression_weights(self.log_likelihood_, self.null_log_likelihood_, self.epsilon_)
