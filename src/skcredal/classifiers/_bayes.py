"""The null model, naive Bayes, tree-augmented and compression-weighted naive Bayes (§2, §8, §13)."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._arrays import FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._ensemble.naive import (
    NaiveTables,
    TanTables,
    conditional_information,
    naive_tables,
    spanning_tree,
)
from skcredal._ensemble.spodes import SpodeTables, class_prior
from skcredal._ensemble.subsets import AveragedSubsets, SubsetSearch, average_subsets, n_searches
from skcredal._threads import thread_count
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import Part, Rows, row_hashes

__all__ = ["TAN", "CompressionNB", "NaiveBayes", "NullClassifier"]


class BayesClassifier(TabularClassifier):
    """A single Bayesian network classifier with BDeu parameters."""

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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)


class NullClassifier(BayesClassifier):
    """The null model: the class probabilities, regardless of the features.

    Any useful classifier must beat it, and the compression coefficients compare the SPODEs with it. It reads
    and checks the features like the other classifiers.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
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
        self.prior_ = class_prior(self.counts_.n_c, float(self.ess))

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
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

    def _derive(self) -> None:
        self._tables = naive_tables(self.counts_, float(self.ess))


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
    If pairs are equally informative (to 12 decimals), the first one goes into the tree. If a parent's value
    is unknown, its children depend on the class alone. With ``missing="marginalize"``, the mutual information
    of a pair comes from the training rows in which both values are known.

    Examples
    --------
    Each switch alone says nothing about the lamp; together they determine it:

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

    _count = TabularClassifier._count_pairs

    def _derive(self) -> None:
        information = conditional_information(self.counts_)
        edges = spanning_tree(information)
        names = self.features_.tolist()
        self.tree_ = [(names[i], names[j]) for i, j in edges.tolist()]
        # The same in both directions, up to rounding: that of the first feature of the pair.
        self.mutual_information_ = information[edges.min(axis=1), edges.max(axis=1)]
        self._tables = TanTables(SpodeTables(self.counts_, float(self.ess)), edges)


class CompressionNB(BayesClassifier):
    """Averaged selective naive Bayes: each feature is weighted by how much it helps to compress.

    Each subset of the features makes a naive Bayes model. A search looks for subsets that give a short
    description of the training classes. All subsets that it visits are averaged, weighted by their
    compression coefficients. Their geometric mean is a naive Bayes with an exponent for each feature: 1 for
    one that is in all good subsets, 0 for one that is in none.

    The method is Boullé's, as are the compression coefficients that :class:`CompAODE` uses. Numeric features
    are discretised on the training rows.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    random_state : int, default=0
        Seed of the random orders in which the search tries the features.
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
    weights_ : ndarray of shape (k,)
        The weight of each feature, from 0 to 1; all are 0 if no subset gives a shorter description of the
        classes than their frequencies. The answer is then these frequencies.
    n_models_ : int
        How many different subsets were evaluated, including the empty one.

    See Also
    --------
    NaiveBayes : All features with the weight 1.
    CredalModelAveraging : Averages over all subsets, with a set of priors.

    Notes
    -----
    A subset of d of the k features has the prior probability ``1/(k+1) · 1/C(k+d-1, d)``. Its score is the
    logarithm of this plus the conditional log-likelihood of naive Bayes on it; its coefficient is ``1 -
    score/score of the empty set``. There are about log₂(n·k) searches, each with a different random order of
    the features. A search starts from the empty set and alternates between adding features that raise the
    score and dropping features whose removal raises it. Every step passes over all rows, which must therefore
    be in memory: this classifier cannot learn in batches.

    References
    ----------
    M. Boullé, "Compression-based averaging of selective naive Bayes classifiers", Journal of Machine Learning
    Research 8, 2007.

    Examples
    --------
    The colour determines the fruit, the shop does not matter. Two subsets have a positive coefficient,
    {colour} and {colour, shop}; both contain the colour:

    >>> import pandas as pd
    >>> from skcredal import CompressionNB
    >>> fruit = pd.DataFrame({"colour": ["red", "red", "yellow", "yellow"] * 6, "shop": ["A", "B"] * 12})
    >>> clf = CompressionNB().fit(fruit, ["apple", "apple", "banana", "banana"] * 6)
    >>> clf.weights_.round(2)
    array([1.  , 0.49])
    >>> clf.n_models_
    4
    """

    _counts_suffice = False
    _needs_all_rows = "every step of the search for subsets goes over all rows"
    _scores = ("weights_", "n_models_")

    def __init__(
        self,
        *,
        ess: float = 1.0,
        random_state: int = 0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.random_state = random_state
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _score(self, rows: Rows) -> None:
        tables, k = naive_tables(self.counts_, float(self.ess)), len(rows.encoding.kept)
        orders = feature_orders(k, n_searches(self.counts_.n, k), int(self.random_state))
        n_threads = thread_count(self.n_jobs)

        def work(part: Part) -> AveragedSubsets:
            search = SubsetSearch(tables, self.counts_, *part.labelled)
            return average_subsets(search, orders, n_threads=n_threads)

        found = rows.sum(work, "weights")
        self.weights_, self.n_models_ = found.weights, found.n_models

    def _derive(self) -> None:
        naive = naive_tables(self.counts_, float(self.ess))
        # P(a_i|c) to the power of the feature's weight.
        exponents = np.append(np.repeat(self.weights_, self.counts_.n_states), [0.0, 0.0])
        self._tables = NaiveTables(naive.log_c, exponents * naive.log_a)


def feature_orders(k: int, n_orders: int, seed: int) -> list[IntArray]:
    """Return random orders of k features, the same with every version of numpy.

    Examples
    --------
    >>> [order.tolist() for order in feature_orders(3, 2, 0)]
    [[1, 0, 2], [1, 2, 0]]
    """
    hashes = row_hashes(np.arange(n_orders * k), seed).reshape(n_orders, k)
    return list(np.argsort(hashes, axis=1, kind="stable"))
