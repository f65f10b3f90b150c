"""SPODE ensembles that learn from rows that pass by once: those whose weights follow from the counts."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from skcredal._arrays import AnyArray, LabelArray
from skcredal._encoding.features import NumericFeature
from skcredal._encoding.target import encode_target
from skcredal._threads import thread_count
from skcredal._validation import safe_repr
from skcredal.classifiers._rows import encoding_rules, read_rows
from skcredal.classifiers._spodes import SpodeEnsemble
from skcredal.classifiers._stream import CountStream

__all__ = ["StreamingEnsemble"]

# What partial_fit keeps of the batches before.
_OF_BATCHES = ("_stream", "classes_", "n_features_in_", "feature_names_in_")


def _counts_suffice(classifier: StreamingEnsemble) -> bool:
    """Tell whether nothing is learned in a second pass over the rows, which a stream does not have."""
    return not classifier._scores


class StreamingEnsemble(SpodeEnsemble):
    """A SPODE ensemble with ``partial_fit``, which is there only where the counts suffice."""

    _stream: CountStream | None = None

    @available_if(_counts_suffice)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows, without the earlier ones.

        With categorical features the model is that of :meth:`fit` on all batches so far: new states may
        appear at any time, and the mode, the rarest states and the features to drop are decided again after
        each batch. A numeric feature keeps the cuts and the median of the first batch, which should be large
        enough for them; :func:`skcredal.scale.fit_batches` learns cuts from all rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The features of some rows.
        y : array-like of shape (n_rows,)
            Their classes; a batch need not have all of them.
        classes : array-like of shape (n_classes,), optional
            All classes that may occur; required in the first call. After :meth:`fit`, whose rows are
            forgotten with a warning, the default is the same classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        self : object
            The classifier, fitted to all batches so far. If a batch is refused, it stays as it was.

        Examples
        --------
        >>> from skcredal import AODE
        >>> clf = AODE().partial_fit([["red"], ["red"]], ["apple", "apple"], classes=["apple", "banana"])
        >>> clf.partial_fit([["yellow"]], ["banana"]).predict([["yellow"], ["red"]])
        array(['banana', 'apple'], dtype='<U6')
        """
        # As in fit_rows, a copy learns; unlike there, it starts from the counts so far.
        learner = self._unfitted()
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
        # The first batch decides which features are categorical, and where the others are cut.
        if stream is None:
            features = getattr(self, "feature_names_in_", None)
            stream = CountStream.start(table, labels, weights, len(self.classes_), rules, features)
        stream, codes = stream.read(table, n_threads=n_threads)
        if rules.handle_unknown == "error":
            stream.refuse_unknown(codes)
        # The slots of all columns, also of those that a model would drop: a later batch may make them useful.
        names = [column.label for column in table.columns]
        cut = [isinstance(feature, NumericFeature) for feature in stream.features]
        self._refuse_large_tables([stream.n_slots], names, cut)
        self._learn_stream(stream.add(codes, labels, weights, n_threads=n_threads))

    def _learn_stream(self, stream: CountStream) -> None:
        """Learn from all that was counted so far; also done when a model is loaded."""
        self._stream, self._encoding = stream, stream.encoding(encoding_rules(self))
        # Again: states that were declared have room in the tables even if no batch has them.
        self._refuse_large_tables([self._encoding.n_states], self._kept_features(), self._kept_numeric())
        self.counts_ = stream.counts_in(self._encoding)
        self._derive()

    def _declared_classes(self, classes: Any, present: AnyArray) -> LabelArray:
        """Set the classes in the first call; return the index among them of each class of the batch."""
        if self._stream is None:
            if hasattr(self, "classes_"):
                warnings.warn(
                    "partial_fit does not continue from fit, but starts anew: what fit learned is forgotten.",
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
                "classes must be the same as in the first call to partial_fit, "
                f"{safe_repr(self.classes_.tolist())}, got {safe_repr(classes)}."
            )
        # A class that is not known has the index of the next one, or of none: compare before trusting it.
        index = np.searchsorted(self.classes_, present)
        known = self.classes_[np.minimum(index, len(self.classes_) - 1)]
        for label, found in zip(present.tolist(), known.tolist(), strict=True):
            if label != found:
                raise ValueError(
                    f"y must hold only the classes {safe_repr(self.classes_.tolist())}, got "
                    f"{safe_repr(label)}."
                )
        return index.astype(np.int32)
