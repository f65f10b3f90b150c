"""The line: its terms as they are defined, and what scikit-learn makes of them (§14)."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skcredal._ensemble.line import Line


def rank(x, values, weights):
    """§14: u(x) = (weight below x + ½ weight of x)/weight."""
    return (weights[values < x].sum() + 0.5 * weights[values == x].sum()) / weights.sum()


def terms_by_hand(numbers, train, is_number, weights):
    """Return the terms of rows, cell by cell, and the columns that they are about; NaN gives 0."""
    terms, columns = [], []
    for j, own in enumerate(train):
        known = ~np.isnan(own)
        values, w = own[known], weights[known]
        if len(set(values)) < 2:
            continue
        if is_number[j]:
            ranks = np.array([rank(x, values, w) for x in values])
            mean = (w * ranks).sum() / w.sum()
            deviation = np.sqrt((w * (ranks - mean) ** 2).sum() / w.sum())
            terms.append(
                [0.0 if np.isnan(x) else (rank(x, values, w) - mean) / deviation for x in numbers[j]]
            )
            columns.append(j)
            continue
        for state in sorted(set(values)):
            mean = w[values == state].sum() / w.sum()
            terms.append([0.0 if np.isnan(x) else float(x == state) - mean for x in numbers[j]])
            columns.append(j)
    return np.array(terms).reshape(-1, numbers.shape[1]), columns


def table(rng, n, n_classes):
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)).astype(np.int32)
    numbers = np.array(
        [
            rng.normal(y, 1.0).round(1),
            rng.integers(0, 3, n),
            rng.normal(size=n) * 1e300,
            np.full(n, 4.0),  # without spread
            np.full(n, np.nan),
            rng.integers(0, 4, n),
        ]
    )
    numbers[:3] = np.where(rng.random((3, n)) < 0.2, np.nan, numbers[:3])
    return numbers, np.array([True, False, True, True, False, False]), y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighting", ["none", "real"])
def test_terms_and_coefficients_are_as_defined(weighting, n_classes):
    rng = np.random.default_rng([n_classes, len(weighting)])
    numbers, is_number, y = table(rng, 50, n_classes)
    weights = np.ones(50) if weighting == "none" else rng.uniform(0.1, 3.0, 50)
    every = np.arange(len(numbers))
    line = Line.fit(numbers, every, is_number, y, weights, n_classes)
    terms, columns = terms_by_hand(numbers, numbers, is_number, weights)
    assert line.column.tolist() == columns == [0, 1, 1, 1, 2, 5, 5, 5, 5]
    np.testing.assert_allclose(line.terms(numbers), terms, atol=1e-12)
    # Beyond the training values, between them, unknown states, and missing cells.
    new = np.array([rng.choice(own, 40) for own in numbers])
    new[:, :10], new[:, 10:15], new[:, 15:20] = np.nan, -1e308, 1e308
    new[[0, 2], 20:] += rng.normal(size=(2, 20))
    new[1, 20:25] = 9.0
    terms_of_new, _ = terms_by_hand(new, numbers, is_number, weights)
    np.testing.assert_allclose(line.terms(new), terms_of_new, atol=1e-12)
    # One more row of weight 1/l for each class, all terms 0.
    fitted = LogisticRegression(C=0.3, tol=1e-8, max_iter=1000).fit(
        np.vstack([terms.T, np.zeros((n_classes, len(terms)))]),
        np.append(y, np.arange(n_classes)),
        np.append(weights, np.full(n_classes, 1 / n_classes)),
    )
    log_p = fitted.predict_log_proba(terms_of_new.T)
    np.testing.assert_allclose(line.odds(new), (log_p[:, 1:] - log_p[:, :1]).T, atol=1e-9)


def test_a_class_without_rows_has_a_line():
    rng = np.random.default_rng(0)
    numbers, is_number, y = table(rng, 30, 2)
    line = Line.fit(numbers, np.arange(6), is_number, 2 * y, np.ones(30), 3)
    assert line.intercepts.shape == (3,)
    assert np.isfinite(line.odds(numbers)).all()
    # It has a third of a row.
    assert line.intercepts[1] < line.intercepts[[0, 2]].min() - 1.0
