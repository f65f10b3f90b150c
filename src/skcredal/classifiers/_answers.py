"""All that a classifier says of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray

__all__ = ["Answers"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What ``predict_proba``, ``predict_set``, ``predict_interval`` and ``robustness`` return, together.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        The probability of every class.
    sets : ndarray of bool of shape (n_rows, n_classes), optional
        The classes that remain, of a credal classifier.
    interval : ndarray of shape (n_rows, n_classes, 2), optional
        The bounds of their probabilities, likewise.
    robustness : ndarray of shape (n_rows,), optional
        How much of the prior may be replaced, where that can be told.
    """

    proba: FloatArray
    sets: BoolArray | None = None
    interval: FloatArray | None = None
    robustness: FloatArray | None = None

    @classmethod
    def of_no_rows(cls, estimator: Any) -> Answers:
        """Return what a fitted classifier says of a table without rows.

        Examples
        --------
        >>> from skcredal import NaiveCredal
        >>> answers = Answers.of_no_rows(NaiveCredal().fit([["a"], ["b"]], [0, 1]))
        >>> answers.interval.shape, answers.robustness is None
        ((0, 2, 2), True)
        """
        n_classes = len(estimator.classes_)
        return cls(
            np.empty((0, n_classes)),
            np.empty((0, n_classes), np.bool_) if hasattr(estimator, "predict_set") else None,
            np.empty((0, n_classes, 2)) if hasattr(estimator, "predict_interval") else None,
            np.empty(0) if hasattr(estimator, "robustness") else None,
        )

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """Return the answers for all rows from those for some each.

        Examples
        --------
        >>> import numpy as np
        >>> one, two = Answers(np.array([[0.4, 0.6]])), Answers(np.array([[0.9, 0.1]]))
        >>> Answers.joined([one, two]).proba
        array([[0.4, 0.6],
               [0.9, 0.1]])
        """
        if len(parts) == 1:
            return parts[0]

        def join(name: str) -> Any:
            some = [getattr(part, name) for part in parts]
            return None if some[0] is None else np.concatenate(some)

        return cls(*(join(field.name) for field in fields(cls)))
