"""The null model, naive Bayes and tree-augmented naive Bayes (§2, §8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, FloatArray
from skcredal._encoding.encoding import Chunk
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.naive import TanTables, conditional_information, naive_tables, spanning_tree
from skcredal._ensemble.spodes import SpodeTables, class_prior
from skcredal._threads import thread_count
from skcredal._validation import check_strength
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import Rows
from skcredal.classifiers._spodes import count_pairs_of

__all__ = ["TAN", "NaiveBayes", "NullClassifier"]


class BayesClassifier(TabularClassifier):
    """A single Bayesian network classifier with BDeu parameters."""

    features_: AnyArray

    _counts_suffice = True

    def __init__(
        self,
        *,
        ess: float = 1.0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_strength("ess", self.ess)


class NullClassifier(BayesClassifier):
    """The null model: the class probabilities, whatever the features say.

    It is what a classifier must beat, and what the compression coefficients measure the SPODEs against. It
    reads and checks the features like the other classifiers.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical: ``"from_dtype"``, those with strings, booleans or declared categories;
        ``"all"``; or a list of names or indices, or a mask, of features to add to those of ``"from_dtype"``.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in column order. ``"auto"``: those that the dtype declares
        (pandas categorical, polars Enum, Arrow dictionary), otherwise those that occur in training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is replaced by the training median or mode. ``"marginalize"``: it is
        left out of the counts and the cuts.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: ignore it, or raise an error.
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
    features_ : ndarray of shape (k,)
        The names (or else indices) of the features kept; those with a single bin or observed value are not.
    counts_ : Counts
        How often each class and value was seen.
    prior_ : ndarray of shape (n_classes,)
        The class probabilities.

    See Also
    --------
    NaiveBayes : Uses the features.

    Examples
    --------
    Three apples and a banana: P(apple) = (3 + 1/2)/(4 + 1).

    >>> from skcredal import NullClassifier
    >>> X = [["red"], ["red"], ["green"], ["yellow"]]
    >>> clf = NullClassifier().fit(X, ["apple", "apple", "apple", "banana"])
    >>> clf.predict_proba([["yellow"]])
    array([[0.7, 0.3]])
    """

    def _derive(self) -> None:
        self.features_ = self._kept_features()
        self.prior_ = class_prior(self.counts_.n_c, float(self.ess))

    def _posterior(self, chunk: Chunk) -> FloatArray:
        # A view: the one row of probabilities is not copied for every row.
        return np.broadcast_to(self.prior_, (chunk.states.shape[1], len(self.prior_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks must not expect it to learn anything from the features.
        tags.classifier_tags.poor_score = True
        return tags


class NaiveBayes(BayesClassifier):
    """Naive Bayes: the features are independent given the class.

    Numeric features are discretised on the training rows.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
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
    features_ : ndarray of shape (k,)
        The names (or else indices) of the features kept; those with a single bin or observed value are not.
    counts_ : Counts
        How often each class and value was seen.

    See Also
    --------
    TAN : Lets each feature depend on one other besides the class.
    NullClassifier : Uses no feature.

    Examples
    --------
    P(red | apple) = (2 + 1/4)/(3 + 1/2) and P(red | banana) = (0 + 1/4)/(1 + 1/2), times 0.7 and 0.3: 0.45
    against 0.05.

    >>> from skcredal import NaiveBayes
    >>> X = [["red"], ["red"], ["green"], ["green"]]
    >>> clf = NaiveBayes().fit(X, ["apple", "apple", "apple", "banana"])
    >>> clf.predict_proba([["red"], ["green"]]).round(6)
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """

    counts_: Counts

    def _derive(self) -> None:
        self.features_ = self._kept_features()
        self._tables = naive_tables(self.counts_, float(self.ess))

    def _posterior(self, chunk: Chunk) -> FloatArray:
        return self._tables.posteriors(chunk.states)


class TAN(BayesClassifier):
    """Tree-augmented naive Bayes: each feature depends on the class and on one other feature.

    The dependences form the tree with the largest mutual information given the class, rooted at the first
    feature.
    Numeric features are discretised on the training rows.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
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
    features_ : ndarray of shape (k,)
        The names (or else indices) of the features kept; those with a single bin or observed value are not.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    tree_ : list of tuple
        The edges (parent, child) of the tree, by name or else by index; except for the root, a feature is
        listed as a child before it is listed as a parent.
    mutual_information_ : ndarray of shape (k - 1,)
        The empirical mutual information between the features of each edge given the class, in nats.

    See Also
    --------
    NaiveBayes : Without the tree.
    AODE : Averages over all trees in which one feature is the parent of all others.

    Notes
    -----
    Of equally informative pairs (to 12 decimals) the first goes into the tree. Where a parent's value is
    unknown, its children depend on the class alone. With ``missing="marginalize"``, the mutual information of
    a pair comes from the training rows in which both values are known.

    Examples
    --------
    Alone, each switch tells nothing about the lamp; together, they tell everything:

    >>> import pandas as pd
    >>> from skcredal import TAN, NaiveBayes
    >>> switches = pd.DataFrame({"left": list("uudd") * 3, "right": list("udud") * 3})
    >>> lamp = ["off", "on", "on", "off"] * 3
    >>> clf = TAN().fit(switches, lamp)
    >>> clf.tree_
    [('left', 'right')]
    >>> clf.predict(switches.head(4)).tolist()
    ['off', 'on', 'on', 'off']
    >>> NaiveBayes().fit(switches, lamp).predict_proba(switches.head(1))
    array([[0.5, 0.5]])
    """

    counts_: Counts

    def _count(self, rows: Rows) -> None:
        self._refuse_large_tables(rows.encoding)
        self.counts_ = count_pairs_of(rows, thread_count(self.n_jobs))

    def _derive(self) -> None:
        self.features_ = self._kept_features()
        information = conditional_information(self.counts_)
        edges = spanning_tree(information)
        names = self.features_.tolist()
        self.tree_ = [(names[i], names[j]) for i, j in edges.tolist()]
        # The same in both directions, up to rounding: that of the first feature of the pair.
        self.mutual_information_ = information[edges.min(axis=1), edges.max(axis=1)]
        self._tables = TanTables(SpodeTables(self.counts_, float(self.ess)), edges)

    def _posterior(self, chunk: Chunk) -> FloatArray:
        return self._tables.posteriors(chunk.states)
