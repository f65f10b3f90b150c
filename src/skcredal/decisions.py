"""From masks of classes to the labels they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["set_labels"]


def set_labels(y_set: ArrayLike, classes: ArrayLike) -> list[NDArray[Any]]:
    """Return the labels in each set.

    Parameters
    ----------
    y_set : array-like of bool, shape (n_rows, n_classes)
        The sets, as ``predict_set`` returns them. 0 and 1 will do.
    classes : array-like of shape (n_classes,)
        The labels of the columns, ``clf.classes_``.

    Returns
    -------
    list of ndarray
        One array for each row, with the labels of its set in the order of `classes`. A list, because the sets
        differ in size.

    Examples
    --------
    >>> from skcredal.decisions import set_labels
    >>> for labels in set_labels([[1, 0, 0], [0, 1, 1]], ["low", "middle", "high"]):
    ...     print(*labels)
    low
    middle high
    """
    mask = np.asarray(y_set)
    names = np.asarray(classes)
    if names.ndim != 1:
        raise ValueError(f"classes must be one-dimensional, got shape {names.shape}.")
    if mask.ndim != 2 or mask.shape[1] != len(names):
        raise ValueError(f"y_set must have shape (n_rows, {len(names)}), as classes says, got {mask.shape}.")
    if mask.size and mask.dtype.kind not in "biu":
        raise ValueError(f"y_set must be boolean (0 and 1 will do), got values of type {mask.dtype}.")
    wrong = mask[(mask != 0) & (mask != 1)]
    if wrong.size:
        raise ValueError(f"y_set must be boolean (0 and 1 will do), got the value {wrong[0]}.")
    return [names[row] for row in mask.astype(np.bool_)]
