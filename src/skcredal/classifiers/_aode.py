"""AODE: the unweighted mean of all SPODEs (§5), learned at once or batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._encoding.encoding import Chunk
from skcredal._ensemble.weights import uniform_weights
from skcredal._validation import check_choice
from skcredal.classifiers._spodes import SpodeEnsemble

__all__ = ["AODE"]


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
    weights_ : ndarray of shape (k,)
        The weight of each SPODE: 1/k.

    See Also
    --------
    CompAODE : Weights the SPODEs by how much they compress the classes.
    CredalCompAODE : Returns several classes where the prior over the SPODEs decides.

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
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    _counts_suffice = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("average", self.average, ("posterior", "joint"))

    def _derive(self) -> None:
        super()._derive()
        self.weights_ = uniform_weights(len(self.super_parents_))

    def _posterior(self, chunk: Chunk) -> FloatArray:
        if self.average == "posterior":
            return super()._posterior(chunk)
        return self._tables.mean_joint(chunk.states, np.zeros(len(chunk.states)))
