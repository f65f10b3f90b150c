"""Two curves of probabilities against what happened: reliability, and accuracy when rows are set aside."""

from __future__ import annotations

import numpy as np

from skcredal._arrays import BoolArray, FloatArray

# The upper end of each bin of probabilities; a bin contains it, as 1 is the most frequent of them.
RELIABILITY_BINS = tuple(step / 10 for step in range(1, 11))
# Up to which share rows are set aside in a picture: beyond, it would be about a few rows.
SET_ASIDE: FloatArray = np.linspace(0.0, 0.5, 51)


def reliability_sums(probability: FloatArray, correct: BoolArray) -> FloatArray:
    """Return for each bin the number of rows, the sum of their probabilities and how many are right.

    Examples
    --------
    >>> import numpy as np
    >>> sums = reliability_sums(np.array([0.65, 0.7, 0.95]), np.array([True, False, True]))
    >>> sums[6].round(2).tolist(), sums[9].tolist()
    ([2.0, 1.35, 1.0], [1.0, 0.95, 1.0])
    """
    index = np.searchsorted(RELIABILITY_BINS, probability).clip(max=len(RELIABILITY_BINS) - 1)
    return np.column_stack(
        [
            np.bincount(index, weights, minlength=len(RELIABILITY_BINS))
            for weights in (np.ones(len(index)), probability, correct)
        ]
    )


def retained_correct(score: FloatArray, correct: BoolArray, kept: FloatArray) -> FloatArray:
    """Return how many of the kept rows are right, if the rows with the highest score are kept.

    Rows of equal score are equally likely to be kept, and fractions of rows are interpolated, so the result
    is an expectation.

    Examples
    --------
    The best row is wrong; of the two equal ones that follow, one is right:

    >>> import numpy as np
    >>> score, correct = np.array([0.5, 0.9, 0.5]), np.array([True, False, False])
    >>> retained_correct(score, correct, np.array([1.0, 2.0, 3.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    _, group, size = np.unique(-score, return_inverse=True, return_counts=True)
    right = np.bincount(group, correct, len(size))
    expected: FloatArray = np.interp(kept, np.append(0.0, size.cumsum()), np.append(0.0, right.cumsum()))
    return expected
