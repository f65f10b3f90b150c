"""One expert that keeps the order of numbers: a line, by logistic regression (§14)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray
from skcredal._kernels import find_pieces

__all__ = ["Line"]


@dataclass(frozen=True, eq=False)
class Line:
    """The log-odds of the classes as a linear function of ranks of numbers, and of indicators of states.

    The columns of a table are numbers, (n_columns, n_rows): those of a category are the numbers of its
    states, and NaN is a cell that is unknown, or missing and not imputed.
    """

    column: IntArray  # (d,): the column of the table that each term is about
    state: IntArray  # (d,): the number of the state that it indicates; -1 for a rank
    # mean, deviation: (d,): what is taken off, and what the rest is divided by; 1 for an indicator
    mean: FloatArray
    deviation: FloatArray
    # values, weights: for each rank, the different values of the training rows, ascending, and the weights of
    # their rows
    values: list[FloatArray]
    weights: list[FloatArray]
    intercepts: FloatArray  # (n_classes,): α_c
    slopes: FloatArray  # (n_classes, d): β_c

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: vars(self)[one.name] for one in fields(self)}  # a pickle needs no more than a fit

    @classmethod
    def fit(
        cls,
        numbers: FloatArray,
        columns: IntArray,
        is_number: BoolArray,
        labels: LabelArray,
        weights: FloatArray,
        n_classes: int,
    ) -> Line:
        """Fit the line to some columns of rows, with scikit-learn; terms without spread are left out.

        The caller keeps BLAS to one thread, and the warning to itself that it is found only to rounding.
        """
        from sklearn.linear_model import LogisticRegression  # only LP-AODE needs it, and it takes a moment

        terms: list[tuple[float, float, float, float]] = []
        values, value_weights = [], []
        for j in columns.tolist():
            known = ~np.isnan(numbers[j])
            different, index = np.unique(numbers[j, known], return_inverse=True)
            own: FloatArray = np.bincount(index, weights[known], len(different)).astype(np.float64)
            if len(different) > 1 and is_number[j]:
                ranks = _ranks(own)[1::2]
                middle = np.average(ranks, weights=own)
                spread = np.sqrt(np.average((ranks - middle) ** 2, weights=own))
                terms.append((j, -1, middle, spread))
                values.append(different)
                value_weights.append(own)
            elif len(different) > 1:
                terms += [(j, state, n / own.sum(), 1.0) for state, n in zip(different, own, strict=True)]
        column, state, mean, deviation = np.array(terms, np.float64).reshape(-1, 4).T
        flat = np.zeros(n_classes), np.zeros((n_classes, len(column)))
        which = column.astype(np.int64), state.astype(np.int64)
        line = cls(*which, mean, deviation, values, value_weights, *flat)
        # A row for each class, with all terms 0: every class has one, also in a fold that lost it. Without
        # any term, one of zeros stands in.
        x = np.zeros((numbers.shape[1] + n_classes, max(len(column), 1)))
        x[: numbers.shape[1], : len(column)] = line.terms(numbers).T
        y = np.concatenate([labels, np.arange(n_classes)])
        shares = np.concatenate([weights, np.full(n_classes, 1.0 / n_classes)])
        fitted = LogisticRegression(C=0.3, tol=1e-8, max_iter=1000).fit(x, y, shares)
        # Of two classes, scikit-learn has one vector: the first class has 0.
        line.intercepts[-len(fitted.intercept_) :] = fitted.intercept_
        line.slopes[-len(fitted.intercept_) :] = fitted.coef_[:, : len(column)]
        return line

    @cached_property
    def _rank_terms(self) -> list[FloatArray]:
        """The term of each rank: below the first value, at it, between it and the second, and so on."""
        is_rank = self.state < 0
        scales = zip(self.weights, self.mean[is_rank], self.deviation[is_rank], strict=True)
        return [(_ranks(weights) - mean) / deviation for weights, mean, deviation in scales]

    def terms(self, numbers: FloatArray) -> FloatArray:
        """Return the terms of rows, (d, n_rows); 0 where a cell is not known."""
        found, piece = np.empty((len(self.column), numbers.shape[1])), np.empty(numbers.shape[1], np.int64)
        ranks = zip(self.values, self._rank_terms, strict=True)
        for i, (j, state) in enumerate(zip(self.column, self.state, strict=True)):
            own = numbers[j]
            if state < 0:
                values, terms = next(ranks)
                find_pieces(values, own, piece)
                terms.take(piece, out=found[i])
            else:
                found[i] = (own == state) - self.mean[i]
            found[i][np.isnan(own)] = 0.0
        return found

    def odds(self, numbers: FloatArray) -> FloatArray:
        """Return the log-odds of the other classes over the first, (n_classes - 1, rows)."""
        scores = self.intercepts[:, None] + self.slopes @ self.terms(numbers)
        return np.asarray(scores[1:] - scores[0])


def _ranks(weights: FloatArray) -> FloatArray:
    """Return the share of rows below each value, half of those at it included: below, at, between, at, above.

    Examples
    --------
    >>> import numpy as np
    >>> _ranks(np.array([1.0, 3.0]))
    array([0.   , 0.125, 0.25 , 0.625, 1.   ])
    """
    passed = np.append(0.0, np.cumsum(weights)) / weights.sum()
    ranks = np.empty(2 * len(weights) + 1)
    ranks[::2], ranks[1::2] = passed, (passed[:-1] + passed[1:]) / 2.0
    return ranks
