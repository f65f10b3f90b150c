"""All answers of a classifier for some rows, from one encoding and one inference, under fixed names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._encoding.tables import frame_library, make_frame
from skcredal._html import bar, table
from skcredal._pipelines import innermost
from skcredal._ties import best_class

__all__ = ["Answers", "answers", "no_answers"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """All answers of a classifier for some rows: the result of :func:`answers`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the columns below.
    proba : ndarray of shape (n_rows, n_classes)
        The probability of every class.
    sets : ndarray of bool of shape (n_rows, n_classes), optional
        Which classes are in the set of each row; only for credal classifiers.
    interval : ndarray of shape (n_rows, n_classes, 2), optional
        The lower and upper probabilities; only for credal classifiers.
    robustness : ndarray of shape (n_rows,), optional
        How much of the prior may be replaced before the answer changes, if the classifier computes it.
    """

    classes: AnyArray
    proba: FloatArray
    sets: BoolArray | None = None
    interval: FloatArray | None = None
    robustness: FloatArray | None = None
    # The library of DataFrames that the rows came from; ``None`` for an array.
    library: Any = field(default=None, repr=False)

    @property
    def predicted_index(self) -> IntArray:
        """The index of the most probable class of every row; on a tie, the first."""
        return best_class(self.proba)

    @property
    def predicted(self) -> AnyArray:
        """The most probable class of every row."""
        return np.asarray(self.classes[self.predicted_index])

    @property
    def set_size(self) -> IntArray | None:
        """The number of classes in each set."""
        return None if self.sets is None else self.sets.sum(axis=1)

    def columns(self) -> dict[str, Any]:
        """Return the answers as columns of a table.

        ``predicted`` and ``probability_<class>``; for a credal classifier also ``set`` (a list of classes),
        ``set_size``, ``lower_<class>`` and ``upper_<class>``; and ``robustness`` if there is one.
        """
        labels = self.classes.tolist()
        columns: dict[str, Any] = {"predicted": self.predicted}
        columns |= {f"probability_{label}": self.proba[:, c] for c, label in enumerate(labels)}
        if self.sets is not None:
            columns["set"] = [[labels[c] for c in np.flatnonzero(mask)] for mask in self.sets]
            columns["set_size"] = self.set_size
        if self.interval is not None:
            for bound, name in enumerate(("lower", "upper")):
                columns |= {f"{name}_{label}": self.interval[:, c, bound] for c, label in enumerate(labels)}
        if self.robustness is not None:
            columns["robustness"] = self.robustness
        return columns

    def to_frame(self) -> Any:
        """Return :meth:`columns` as a DataFrame of the library that the rows came from (default: pandas)."""
        return make_frame(self.columns(), self.library)

    def _repr_html_(self) -> str:
        """Return the answers as a table for a notebook, with a bar from bound to bound for each class."""
        labels = [escape(str(label)) for label in self.classes.tolist()]
        inside = np.eye(len(labels))[self.predicted_index] if self.sets is None else self.sets
        bounds = np.dstack([self.proba] * 2) if self.interval is None else self.interval
        rows = [["", "answer", *labels]]
        for r, own in enumerate(inside[:50]):
            named = " or ".join(labels[c] for c in np.flatnonzero(own).tolist())
            rows.append([str(r), named, *map(bar, self.proba[r], *bounds[r].T, own)])
        n_more = len(self.proba) - 50
        return table(rows, f"{n_more} more rows: <code>to_frame()</code> has all." if n_more > 0 else "")

    @classmethod
    def joined(cls, parts: list[Answers]) -> Answers:
        """Join the answers for consecutive parts of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> one, two = (Answers(np.array([0, 1]), np.array([[p, 1 - p]])) for p in (0.25, 0.5))
        >>> Answers.joined([one, two]).proba
        array([[0.25, 0.75],
               [0.5 , 0.5 ]])
        """
        by_row = ("proba", "sets", "interval", "robustness")
        some = {name: [getattr(part, name) for part in parts] for name in by_row}
        joined = {name: np.concatenate(each) for name, each in some.items() if each[0] is not None}
        return replace(parts[0], **joined)


def answers(estimator: Any, X: Any) -> Answers:
    """Return all answers of a fitted classifier, even inside a pipeline or a search.

    The table is encoded only once, and inference runs only once.

    Parameters
    ----------
    estimator : classifier
        A classifier of this package or any other with ``predict_proba``; a pipeline that ends in one, or a
        fitted search over one.
    X : array-like or DataFrame of shape (n_rows, n_features)
        The rows to classify.

    Returns
    -------
    answers : Answers
        The arrays ``predicted`` and ``proba`` and, for a credal classifier, ``sets``, ``set_size``,
        ``interval`` and ``robustness``; anything that the classifier does not compute is ``None``.
        ``to_frame()`` turns them into a table.

    Examples
    --------
    >>> from skcredal import NaiveCredal, answers
    >>> clf = NaiveCredal().fit([["a"], ["a"], ["a"], ["b"]], [0, 0, 0, 1])
    >>> found = answers(clf, [["a"], ["b"]])
    >>> found.sets
    array([[ True, False],
           [ True,  True]])
    >>> list(found.to_frame())[:5]
    ['predicted', 'probability_0', 'probability_1', 'set', 'set_size']
    """
    classifier, rows = innermost(estimator, X)
    # Our own classifiers have a method that infers once; of others, each method is called.
    if hasattr(classifier, "_answers"):
        found: Answers = classifier._answers(rows)
    else:
        methods = ("predict_set", "predict_interval", "robustness")
        others = (getattr(classifier, name)(rows) if hasattr(classifier, name) else None for name in methods)
        found = Answers(np.asarray(classifier.classes_), classifier.predict_proba(rows), *others)
    # The library of what the caller passed, not of what a pipeline made of it.
    return replace(found, library=frame_library(X))


def no_answers(estimator: Any) -> Answers:
    """Return the answers of a fitted classifier for a table without rows, which tells their shapes.

    Examples
    --------
    >>> from skcredal import NaiveCredal
    >>> found = no_answers(NaiveCredal().fit([["a"], ["b"]], [0, 1]))
    >>> found.interval.shape, found.robustness is None
    ((0, 2, 2), True)
    """
    classifier, _ = innermost(estimator)
    n_classes = len(classifier.classes_)
    return Answers(
        np.asarray(classifier.classes_),
        np.empty((0, n_classes)),
        np.empty((0, n_classes), np.bool_) if hasattr(classifier, "predict_set") else None,
        np.empty((0, n_classes, 2)) if hasattr(classifier, "predict_interval") else None,
        np.empty(0) if hasattr(classifier, "robustness") else None,
    )
