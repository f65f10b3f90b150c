"""AODE: the plain mean of all SPODEs (§5), learned at once or batch by batch."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, CodeArray, FloatArray, LabelArray
from skcredal._encoding.target import encode_target
from skcredal._ensemble.weights import uniform_weights
from skcredal._threads import thread_count
from skcredal._validation import check_choice, safe_repr
from skcredal.classifiers._rows import encoding_rules, read_rows
from skcredal.classifiers._spodes import SpodeEnsemble
from skcredal.classifiers._stream import CountStream

__all__ = ["AODE"]


_OF_BATCHES = ("_stream", "classes_", "n_features_in_", "feature_names_in_")


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

    _stream: CountStream | None = None

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows, without those before.

        With categorical features the model is that of :meth:`fit` on all batches so far: states may be
        declared or come as they come, and the mode, the rarest states and the features to drop are settled
        anew by every batch. A numeric feature keeps the cuts and the median of the first batch, which should
        be large enough for them; :func:`skcredal.scale.fit_batches` learns cuts from all rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features of some rows.
        y : array-like of shape (n_rows,)
            Their classes; not all need occur.
        classes : array-like of shape (n_classes,), optional
            All classes there may be; needed in the first call. After :meth:`fit`, whose rows are forgotten
            with a warning, they are by default the same.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        self : object
            The classifier, fitted to all batches so far. If anything is wrong with a batch, it stays as it
            was before.

        Examples
        --------
        >>> from skcredal import AODE
        >>> clf = AODE().partial_fit([["red"], ["red"]], ["apple", "apple"], classes=["apple", "banana"])
        >>> clf.partial_fit([["yellow"]], ["banana"]).predict([["yellow"], ["red"]])
        array(['banana', 'apple'], dtype='<U6')
        """
        learner = self._unfitted()
        # What was counted so far, and the features that it was counted of.
        learner.__dict__ |= {name: vars(self)[name] for name in _OF_BATCHES if name in vars(self)}
        learner._check_parameters()
        learner._learn_batch(X, y, classes, sample_weight)
        self.__dict__ = learner.__dict__  # as a whole or not at all, as in fit_rows
        return self

    def _learn_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        stream, rules, n_threads = self._stream, encoding_rules(self), thread_count(self.n_jobs)
        given = read_rows(self, X, y, sample_weight, reset=stream is None)
        table, weights = given.table, given.weights
        labels = self._declared_classes(classes, given.classes)[given.labels]
        if stream is None:
            features = getattr(self, "feature_names_in_", None)
            stream = CountStream.start(table, labels, weights, len(self.classes_), rules, features)
        stream, codes = stream.read(table, n_threads=n_threads)
        if rules.handle_unknown == "error":
            stream.refuse_unknown(codes)
        self._refuse_large_tables([stream.n_slots], [column.label for column in table.columns])
        self._learn_stream(stream.add(codes, labels, weights, n_threads=n_threads))

    def _learn_stream(self, stream: CountStream) -> None:
        """Learn from all that was counted so far; also done when a model is loaded."""
        self._stream, self._encoding = stream, stream.encoding(encoding_rules(self))
        # Again: states that were declared have room in the tables even if no batch has them.
        self._refuse_large_tables([self._encoding.n_states], self._kept_features())
        self.counts_ = stream.counts_in(self._encoding)
        self._derive()

    def _declared_classes(self, classes: Any, present: AnyArray) -> LabelArray:
        """Settle the classes in the first call, and return the index of each class of a batch among them."""
        if self._stream is None:
            if hasattr(self, "classes_"):
                warnings.warn(
                    "partial_fit does not go on from fit, but starts anew: what fit learned is forgotten.",
                    stacklevel=4,
                )
            elif classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            if classes is not None:
                self.classes_ = encode_target(classes, estimator=self)[0]
        elif classes is not None and not np.array_equal(
            encode_target(classes, estimator=self)[0], self.classes_
        ):
            raise ValueError(
                f"classes={safe_repr(classes)} is not the same as on the first call to partial_fit, which "
                f"was {self.classes_!r}."
            )
        index = np.searchsorted(self.classes_, present)
        known = self.classes_[np.minimum(index, len(self.classes_) - 1)]
        for label, found in zip(present.tolist(), known.tolist(), strict=True):
            if label != found:
                raise ValueError(
                    f"y holds the class {safe_repr(label)}, which is not in classes: {self.classes_!r}."
                )
        return index.astype(np.int32)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("average", self.average, ("posterior", "joint"))

    def _derive(self) -> None:
        super()._derive()
        self.weights_ = uniform_weights(len(self.super_parents_))

    def _posterior(self, chunk: CodeArray) -> FloatArray:
        if self.average == "posterior":
            return super()._posterior(chunk)
        tables = self._tables
        out = np.empty((chunk.shape[1], len(self.classes_)))
        kernels.inference.mean_joint(
            chunk, tables.layout.n_states, tables.log_joints(chunk), tables.prior, out
        )
        return out
