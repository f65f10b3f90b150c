"""Naive Bayes on a subset of the features, one feature added or dropped at a time (§13).

The model on the subset is kept as the log joints of all rows, and once more as ``relative``: the joints of a
row relative to the largest of them. With those, another feature costs a product and a sum for each class and
a single logarithm for each row. Dropping a feature is adding the negative of its logarithms.
"""

import numpy as np

from skcredal._arrays import CodeArray, FloatArray, LabelArray
from skcredal._kernels._jit import kernel

__all__ = ["change_model", "try_change"]

# Numbers below 1e-308 have lost digits, but a sum above this does not feel it.
SMALL = 1e-280


@kernel
def _log_sum(log_joint: FloatArray, log_factor: FloatArray) -> float:
    """Return the logarithm of the sum of the products, in logarithms throughout."""
    highest = -np.inf
    for c in range(len(log_joint)):
        highest = max(highest, log_joint[c] + log_factor[c])
    total = 0.0
    for c in range(len(log_joint)):
        total += np.exp(log_joint[c] + log_factor[c] - highest)
    return float(highest + np.log(total))


@kernel
def try_change(
    codes: CodeArray,
    labels: LabelArray,
    row_weights: FloatArray,
    log_factor: FloatArray,
    log_joint: FloatArray,
    highest: FloatArray,
    relative: FloatArray,
) -> float:
    """Return Σ_r w_r log P(c_r | a_r) of the model with one more factor; without weights, each row counts 1.

    ``codes``, (n,), are the values of the feature, ``log_factor``, (values, classes), its logarithms;
    ``log_joint`` and ``relative``, (n, classes), and ``highest``, (n,), are the model so far.
    """
    n_values, n_classes = log_factor.shape
    factor, shift = np.empty((n_values, n_classes)), np.empty(n_values)
    for a in range(n_values):
        shift[a] = -np.inf
        for c in range(n_classes):
            shift[a] = max(shift[a], log_factor[a, c])
        for c in range(n_classes):
            factor[a, c] = np.exp(log_factor[a, c] - shift[a])
    log_lik = 0.0
    for r in range(len(codes)):
        a = codes[r]
        total = 0.0
        for c in range(n_classes):
            total += relative[r, c] * factor[a, c]
        if total > SMALL:
            log_total = highest[r] + shift[a] + np.log(total)
        else:
            log_total = _log_sum(log_joint[r], log_factor[a])
        own = log_joint[r, labels[r]] + log_factor[a, labels[r]] - log_total
        log_lik += row_weights[r] * own if len(row_weights) > 0 else own
    return log_lik


@kernel
def change_model(
    codes: CodeArray,
    log_factor: FloatArray,
    log_joint: FloatArray,
    highest: FloatArray,
    relative: FloatArray,
) -> None:
    """Take one more factor into the model, in place."""
    n, n_classes = log_joint.shape
    for r in range(n):
        highest[r] = -np.inf
        for c in range(n_classes):
            log_joint[r, c] += log_factor[codes[r], c]
            highest[r] = max(highest[r], log_joint[r, c])
        for c in range(n_classes):
            relative[r, c] = np.exp(log_joint[r, c] - highest[r])
