"""Which class is the most probable where rounding must not decide: of equal ones, the first (§5)."""

from __future__ import annotations

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray

# Probabilities closer than this, relative to the largest, are equal: sums over a thousand SPODEs may be off
# by some 1e-13, and which way is another matter on every machine.
TIE = 1e-12


def most_probable(proba: FloatArray) -> BoolArray:
    """Return the mask of the most probable classes, ties included, of probabilities (..., n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> most_probable(np.array([0.4, 0.2, 0.4]))
    array([ True, False,  True])
    """
    mask: BoolArray = proba >= proba.max(axis=-1, keepdims=True) * (1.0 - TIE)
    return mask


def best_class(proba: FloatArray) -> IntArray:
    """Return the index of the most probable class, of equal ones the first, of (..., n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> best_class(np.array([[0.1 + 0.2, 0.3, 0.4], [0.3, 0.1 + 0.2, 0.0]]))
    array([2, 0])
    """
    best: IntArray = most_probable(proba).argmax(axis=-1)
    return best


def most_probable_first(proba: FloatArray) -> IntArray:
    """Return the classes of every row, (rows, n_classes), by probability; equal ones keep their order.

    Examples
    --------
    >>> import numpy as np
    >>> most_probable_first(np.array([[0.3, 0.4, 0.1 + 0.2]]))
    array([[1, 0, 2]])
    """
    # By how many classes are more probable: equal ones have the same number.
    rank: IntArray = (proba[..., None, :] * (1.0 - TIE) > proba[..., :, None]).sum(axis=-1)
    return np.argsort(rank, axis=-1, kind="stable")
