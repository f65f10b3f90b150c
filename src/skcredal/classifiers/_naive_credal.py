"""The naive credal classifier and credal model averaging: sets of priors over naive Bayes (§8, §13)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from skcredal._arrays import FloatArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._ensemble.naive import averaged_tables, log_bayes_factors, naive_tables
from skcredal._ensemble.ncc import DirichletPriors, InclusionPriors, NaiveEvidence
from skcredal._validation import check_real
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import Part, Rows

__all__ = ["CredalModelAveraging", "NaiveCredal"]


class NaiveCredal(CredalMixin, TabularClassifier):
    """NCC: naive Bayes with a set of priors over its parameters, the imprecise Dirichlet model.

    The set contains every prior that spreads the pseudo-count ``s`` over the classes and over the values
    within them. :meth:`predict_set` returns the classes that no other dominates under all of them; for a pair
    of classes this is a convex problem in one variable, solved exactly. :meth:`predict` and
    :meth:`predict_proba` are those of naive Bayes with the BDeu prior.

    A value that was never seen with a class keeps that class from dominating any other, regardless of the
    other features; a little ``contamination`` fixes this.

    With ``conservative_features`` it is NCC2, which assumes nothing about why cells of these features are
    missing. A missing cell may have any value, in training rows and in rows to classify, and a class
    dominates another only if it does so for all of these values.

    Parameters
    ----------
    s : float, default=1.0
        The pseudo-count: how many rows the prior counts for.
    contamination : float, default=0.0
        Share of ``s`` that is spread evenly over the classes and values instead of arbitrarily: 0 is NCC, 1
        leaves a single prior, that of naive Bayes with ``ess=s``.
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior of naive Bayes. With ``ess=s``, and no training cell left out
        by ``missing="marginalize"``, this prior belongs to the set.
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
    conservative_features : "all" or array-like, optional
        The features whose values are not missing at random: ``"all"``, or a list of names or indices, or a
        mask. Their missing values are neither imputed nor left out, but may be any of their states.
        ``missing`` applies to the others.
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
    features_ : ndarray of shape (k,)
        The names (or indices) of the features kept; those with a single bin or observed value are dropped.
    counts_ : Counts
        How often each class and value was seen.
    missing_counts_ : ndarray of shape (k, n_classes)
        For each feature kept and each class, the number of training rows with a missing value; 0 for features
        that are not conservative.

    See Also
    --------
    CredalModelAveraging : A set of priors over which features matter, instead of over the parameters.
    CredalCompAODE : Does not assume that features are independent, and decides more rows.

    Notes
    -----
    The bounds of :meth:`predict_interval` are exact for two classes. For more they contain the exact ones:
    each ratio of two classes is taken at its own extreme, and no single prior need attain all of them at
    once. If the BDeu prior does not belong to the set, they are widened to contain its answer.

    :meth:`predict` and :meth:`predict_proba` leave out the missing values of conservative features. Cut
    points come from the known values. A conservative feature with a single observed value is kept if some
    training cells are missing and other values are declared: the missing cells may have those.

    Examples
    --------
    With a single feature, class c' dominates c'' if n(a, c')/(n(a, c'') + s) exceeds 1. Three apples and no
    banana are red: 3/(0 + 1). Two bananas and one apple are yellow: 2/(1 + 1) does not exceed 1.

    >>> import pandas as pd
    >>> fruit = pd.DataFrame({"colour": ["red", "red", "red", "yellow", "yellow", "yellow"]})
    >>> kind = ["apple", "apple", "apple", "apple", "banana", "banana"]
    >>> from skcredal import NaiveCredal, set_labels
    >>> clf = NaiveCredal().fit(fruit, kind)
    >>> new = pd.DataFrame({"colour": ["red", "yellow"]})
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new), clf.classes_)]
    [['apple'], ['apple', 'banana']]

    The odds of apple against banana for a red fruit lie between 3 and infinity:

    >>> clf.predict_interval(new[:1]).round(9).tolist()
    [[[0.75, 1.0], [0.0, 0.25]]]

    Two more bananas have no recorded colour. If it is missing at random, they say nothing about colours. But
    both may have been red, and then 3/(2 + 1) does not exceed 1:

    >>> more = pd.concat([fruit, pd.DataFrame({"colour": [None, None]})])
    >>> kinds = [*kind, "banana", "banana"]
    >>> clf = NaiveCredal(missing="marginalize").fit(more, kinds)
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new[:1]), clf.classes_)]
    [['apple']]
    >>> clf = NaiveCredal(conservative_features=["colour"]).fit(more, kinds)
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new[:1]), clf.classes_)]
    [['apple', 'banana']]
    """

    _counts_suffice = True
    _scores = ("missing_counts_",)

    def __init__(
        self,
        *,
        s: float = 1.0,
        contamination: float = 0.0,
        ess: float = 1.0,
        criterion: str = "maximality",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        conservative_features: Any = None,
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.s = s
        self.contamination = contamination
        self.ess = ess
        self.criterion = criterion
        self.conservative_features = conservative_features
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _count(self, rows: Rows) -> None:
        super()._count(rows)
        any_value, n_classes = int(rows.encoding.n_states.sum()) + 1, len(rows.classes)
        self.missing_counts_ = np.zeros((len(rows.encoding.kept), n_classes))
        if not rows.encoding.conservative.any():
            return

        def work(part: Part) -> FloatArray:
            is_open = part.states == any_value
            return np.stack([np.bincount(part.labels, part.weights * own, n_classes) for own in is_open])

        self.missing_counts_ = rows.sum(work, "counts", "missing cells")

    def _derive(self) -> None:
        self._tables = naive_tables(self.counts_, float(self.ess))
        conservative = self._encoding.conservative
        left_out = ~conservative & conservative.any() & (self.missing == "marginalize")
        self._priors = DirichletPriors.from_counts(
            self.counts_, float(self.s), float(self.contamination), self.missing_counts_, left_out
        )

    def _evidence(self, chunk: EncodedTable) -> NaiveEvidence:
        return NaiveEvidence(chunk.states, self._posterior(chunk))


class CredalModelAveraging(CredalMixin, TabularClassifier):
    """CMA: Bayesian model averaging over naive Bayes with any subset of the features, with a set of priors.

    A prior gives every feature a probability of being in the model, independently of the others; the set
    contains all priors with these probabilities between ε and 1 - ε. :meth:`predict_set` returns the classes
    that no other dominates under all of them, exactly, and without enumerating the 2^k models;
    :meth:`predict` and :meth:`predict_proba` use the probability 1/2 for every feature.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    epsilon : float, default=0.01
        The smallest prior probability that a feature is in the model, and that it is not; in ``(0, 1/2)``.
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
    features_ : ndarray of shape (k,)
        The names (or indices) of the features kept; those with a single bin or observed value are dropped.
    counts_ : Counts
        How often each class and value was seen.
    inclusion_ : ndarray of shape (k,)
        The posterior probability that each feature is in the model, for the prior probability 1/2.

    See Also
    --------
    NaiveCredal : A set of priors over the parameters, instead of over which features matter.
    CredalBmaAODE : The same idea with SPODEs as models.

    Notes
    -----
    The bounds of :meth:`predict_interval` are exact for two classes. For more they contain the exact ones:
    each ratio of two classes is taken at its own extreme, and no single prior need attain all of them at
    once.

    Examples
    --------
    One feature separates two red apples from two yellow bananas. The Bayes factor in favour of the model with
    it is 200/27. So this model has the probability 200/227, and a red fruit is an apple with the probability
    ``(200·9/10 + 27·1/2)/227``.

    >>> import pandas as pd
    >>> fruit = pd.DataFrame({"colour": ["red", "red", "yellow", "yellow"]})
    >>> from skcredal import CredalModelAveraging, set_labels
    >>> clf = CredalModelAveraging().fit(fruit, ["apple", "apple", "banana", "banana"])
    >>> (clf.inclusion_ * 227).round(6).tolist()
    [200.0]
    >>> (clf.predict_proba(fruit[:1]) * 227).round(6).tolist()
    [[193.5, 33.5]]

    With one more red apple, a yellow fruit is a banana only under priors that expect the colour to matter:

    >>> fruit = pd.DataFrame({"colour": ["red", "red", "red", "yellow", "yellow"]})
    >>> clf.fit(fruit, ["apple", "apple", "apple", "banana", "banana"]).predict(fruit[-1:]).tolist()
    ['banana']
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(fruit[-1:]), clf.classes_)]
    [['apple', 'banana']]
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        epsilon: float = 0.01,
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
        self.criterion = criterion
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    _counts_suffice = True

    def _check_parameters(self) -> None:
        check_real("epsilon", self.epsilon, low=0.0, high=0.5, low_open=True, high_open=True)
        super()._check_parameters()

    def _derive(self) -> None:
        ess, eps = float(self.ess), float(self.epsilon)
        naive, log_e = naive_tables(self.counts_, ess), log_bayes_factors(self.counts_, ess)
        self.inclusion_ = expit(log_e)
        # The reference prior: even odds that a feature is in the model.
        self._tables = averaged_tables(naive, self.counts_, ess, log_e, 0.0)
        self._priors = InclusionPriors.from_counts(naive, self.counts_, ess, log_e, eps)

    def _evidence(self, chunk: EncodedTable) -> NaiveEvidence:
        return NaiveEvidence(chunk.states, self._posterior(chunk))
