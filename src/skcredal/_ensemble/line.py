"""One expert that keeps the order of numbers: a line, by logistic regression (§14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal._arrays import FloatArray, LabelArray

__all__ = ["Line"]


@dataclass(frozen=True, eq=False)
class Line:
    """The log-odds of the classes as a linear function of some columns.

    Parameters
    ----------
    intercepts : ndarray of shape (n_classes,)
        α_c.
    slopes : ndarray of shape (n_classes, d)
        β_c, one for each column.
    """

    intercepts: FloatArray
    slopes: FloatArray

    @classmethod
    def fit(cls, columns: FloatArray, labels: LabelArray, weights: FloatArray, n_classes: int) -> Line:
        """Fit the line to columns (d, n_rows), with scikit-learn.

        The caller keeps BLAS to one thread, and the warning to itself that it is found only to rounding.
        """
        from sklearn.linear_model import LogisticRegression  # only LP-AODE needs it, and it takes a moment

        d = len(columns)
        # A row for each class, with all columns 0: every class has one, also in a fold that lost it. Without
        # any column, one of zeros stands in.
        x = np.zeros((columns.shape[1] + n_classes, max(d, 1)))
        x[: columns.shape[1], :d] = columns.T
        y = np.concatenate([labels, np.arange(n_classes)])
        shares = np.concatenate([weights, np.full(n_classes, 1.0 / n_classes)])
        fitted = LogisticRegression(C=0.3, tol=1e-8, max_iter=1000).fit(x, y, shares)
        intercepts, slopes = np.zeros(n_classes), np.zeros((n_classes, d))
        # Of two classes, scikit-learn has one vector: the first class has 0.
        intercepts[-len(fitted.intercept_) :] = fitted.intercept_
        slopes[-len(fitted.intercept_) :] = fitted.coef_[:, :d]
        return cls(intercepts, slopes)

    def odds(self, columns: FloatArray) -> FloatArray:
        """Return the log-odds of the other classes over the first, (n_classes - 1, rows)."""
        scores = self.intercepts[:, None] + self.slopes @ columns
        return np.asarray(scores[1:] - scores[0])
