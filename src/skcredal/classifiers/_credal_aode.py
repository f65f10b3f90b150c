"""BMA-AODE* and COMP-AODE*: sets of priors over the SPODEs (§6, §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skcredal._arrays import BoolArray, FloatArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._ensemble.explain import cast_votes, describe_votes, with_sentences
from skcredal._ensemble.priors import BmaPriors, CompressionPriors, Evidence
from skcredal._ensemble.weights import bma_weights, resolve_epsilon
from skcredal.classifiers._aode import CompAODE, LikelihoodWeightedEnsemble, SpodeEnsemble
from skcredal.classifiers._credal import CredalMixin

if TYPE_CHECKING:
    import pandas

__all__ = ["CredalBmaAODE", "CredalCompAODE", "CredalSpodesMixin"]


class CredalSpodesMixin(CredalMixin, SpodeEnsemble):
    """Sets, bounds, robustness and explanations of a SPODE ensemble with a set of priors over the SPODEs."""

    _priors: BmaPriors | CompressionPriors

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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

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
        return self._over_rows(X, lambda model, chunk: model._priors.robustness(model._evidence(chunk)))

    def explain(self, X: Any) -> pandas.DataFrame:
        """Explain why each row is decided, or left undecided.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            One row for each row of ``X``, as a DataFrame of the same library (pandas for an array), with the
            columns ``predicted`` and ``probability`` (the answer under the reference prior), ``rival`` and
            ``rival_probability`` (the class that some prior of the set brings closest to it, or past it),
            ``set``, ``set_size`` and ``robustness`` as in :func:`answers`, ``super_parents`` (those whose
            value is known, from the strongest support for the predicted class to the strongest for the
            rival), ``votes`` (by how much each prefers the predicted class), ``prior`` (the prior over them
            that favours the rival most) and ``sentence``, the same in words.
        """
        explanation: pandas.DataFrame = self._explain(X)
        return explanation

    def _explain_chunk(self, chunk: EncodedTable) -> dict[str, list[Any]]:
        evidence = self._evidence(chunk)
        sets = self._sets(evidence)
        names = [str(name) if isinstance(name, str) else f"feature {name}" for name in self.super_parents_]
        rival, votes, voices = cast_votes(self._priors, evidence, names)
        found = self._explained_answers(evidence, sets, rival) | votes
        return with_sentences(found, describe_votes, evidence.reference, sets, voices)

    def _evidence(self, chunk: EncodedTable) -> Evidence:
        tables, states = self._spodes, chunk.states
        posterior = tables.posteriors(states)
        reference = tables.mean_posterior(states, self.weights_, posterior)
        return Evidence(posterior, states != tables.unknown, reference, tables.prior)


class CredalBmaAODE(CredalSpodesMixin, LikelihoodWeightedEnsemble):
    """BMA-AODE*: Bayesian model averaging over the SPODEs with a set of priors.

    The set contains every prior that gives each SPODE at least ε. :meth:`predict_set` returns the classes
    that no other beats under all of them, by an exact closed form; :meth:`predict` and :meth:`predict_proba`
    use the uniform prior, like :class:`BmaAODE`.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        The smallest prior probability of a SPODE. ``"auto"`` is ``min(0.01, 1/(2(k+1)))`` for k features
        kept; a number of ``1/(k+1)`` or more is reduced to just below it.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
    criterion : {"maximality", "interval_dominance", "e_admissibility"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under every prior
        (``"maximality"``), those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets), or those that are the most probable under some prior
        (``"e_admissibility"``, smaller sets).
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
        The weight of each SPODE under the uniform prior.
    epsilon_ : float
        The value of ε that was used.

    See Also
    --------
    CredalCompAODE : Decides more rows, and is usually the better choice.

    Notes
    -----
    The set of priors is over the SPODEs that survive the likelihood cut of :class:`BmaAODE`, and in each row
    over those whose super-parent is known. The difference of two scores is linear in the prior, so its
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

    _priors: BmaPriors
    _criteria = ("maximality", "interval_dominance", "e_admissibility")

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


class CredalCompAODE(CredalSpodesMixin, CompAODE):
    """COMP-AODE*: the SPODEs weighted by compression coefficients with a set of priors.

    The set contains every prior that gives the null model ε and each SPODE at least ε. :meth:`predict_set`
    returns the classes that no other beats under all of them, by an exact closed form; :meth:`predict` and
    :meth:`predict_proba` use the prior that is uniform over the SPODEs, like :class:`CompAODE`.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : "auto" or float, default="auto"
        Prior probability of the null model, and the smallest one of a SPODE. ``"auto"`` is
        ``min(0.01, 1/(2(k+1)))`` for k features kept; a number of ``1/(k+1)`` or more is reduced to just
        below it.
    likelihood_floor : float, default=0.0
        Lower bound on each probability inside the likelihoods, and nowhere else; the paper's own experiments
        used 0.01.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under every prior
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets).
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

    def _derive(self) -> None:
        super()._derive()
        self._priors = CompressionPriors.from_likelihoods(
            self.log_likelihood_, self.null_log_likelihood_, self.epsilon_
        )
