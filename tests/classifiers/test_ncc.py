"""NaiveCredal and CredalModelAveraging against grids and all models, through the public interface."""

import numpy as np
import pytest

import oracles
import oracles_naive
from problems import mixed_table
from skcredal import CredalModelAveraging, NaiveCredal


def encoded_table(rng, n_classes=3):
    """Return a table, its classes, and its first 30 rows and the others as the oracles code them."""
    frame, y, raw = mixed_table(rng, n_classes=n_classes)
    classes, labels = np.unique(y[:30], return_inverse=True)
    kinds = ["numeric", "categorical", "categorical"]
    parts = raw[:30], raw[30:]
    encoded = oracles.encode_table(*parts, kinds, [None] * 3, labels.tolist(), len(classes))
    return frame, y, labels.tolist(), len(classes), encoded


# --- NCC ------------------------------------------------------------------------------------------


def expected_sets(counts, rows, s, contamination):
    """Return the grid's sets of coded rows, the most probable class of naive Bayes put back."""
    n_c = [float(n) for n in counts.n_c]
    sets, posteriors = [], []
    for row in rows:
        posterior = oracles_naive.naive_posterior(counts, row)
        cells = oracles_naive.known_cells(counts, row)
        found = oracles_naive.set_of_margins(oracles_naive.ncc_margins(n_c, cells, s, contamination))
        found[posterior.index(max(posterior))] = True
        sets.append(found)
        posteriors.append([float(p) for p in posterior])
    return sets, posteriors


@pytest.mark.parametrize(("s", "contamination"), [(1.0, 0.0), (2.0, 0.0), (1.0, 0.2)])
def test_sets_are_those_of_the_grid_from_the_raw_table(s, contamination):
    rng = np.random.default_rng(50)
    for _ in range(4):
        frame, y, labels, n_classes, encoded = encoded_table(rng)
        counts = oracles.count_tables(encoded.train_codes, labels, encoded.n_states, n_classes)
        sets, posteriors = expected_sets(counts, encoded.test_codes, s, contamination)
        clf = NaiveCredal(s=s, contamination=contamination).fit(frame[:30], y[:30])
        assert clf.features_.tolist() == frame.columns[encoded.kept].tolist()
        np.testing.assert_allclose(clf.predict_proba(frame[30:]), posteriors, rtol=1e-10)
        np.testing.assert_array_equal(clf.predict_set(frame[30:]), sets)


def test_a_little_contamination_overcomes_a_count_of_zero():
    """Three features speak for "yes", but the value z was never seen with it."""
    X = [["p", "p", "p", "u"]] * 40 + [["q", "q", "q", "u"]] * 39 + [["q", "q", "q", "z"]]
    y = ["yes"] * 40 + ["no"] * 40
    row = [["p", "p", "p", "z"]]
    clf = NaiveCredal().fit(X, y)
    assert clf.predict(row).tolist() == ["yes"]
    assert clf.predict_set(row).tolist() == [[True, True]]
    # Nor was p seen with "no": nothing is known at all.
    assert clf.predict_interval(row).tolist() == [[[0.0, 1.0], [0.0, 1.0]]]
    little = NaiveCredal(contamination=0.1).fit(X, y)
    assert little.predict_set(row).tolist() == [[False, True]]
    assert little.predict_interval(row)[0, 1, 0] > 0.99


def test_without_informative_features_the_class_counts_decide():
    """k = 0: c' dominates c'' if n' > n'' + s."""
    X = np.ones((9, 2))
    assert NaiveCredal().fit(X, list("aabbbcccc")).predict_set(X[:1]).tolist() == [[False, True, True]]
    two = NaiveCredal().fit(X, list("aaabbbbbb"))
    assert two.predict_interval(X[:1])[0] == pytest.approx(np.array([[0.3, 0.4], [0.6, 0.7]]))
    narrow = NaiveCredal(s=0.5).fit(X, list("aabbbcccc"))
    assert narrow.predict_set(X[:1]).tolist() == [[False, False, True]]


# --- CMA ------------------------------------------------------------------------------------------


def test_a_feature_that_matters_is_in_and_noise_is_out():
    rng = np.random.default_rng(62)
    y = rng.integers(0, 2, 500)
    X = np.stack([np.where(rng.random(500) < 0.8, y, 1 - y), rng.integers(0, 2, 500)], axis=1)
    clf = CredalModelAveraging(categorical_features="all").fit(X, y)
    assert clf.inclusion_[0] > 0.999
    assert clf.inclusion_[1] < 0.2
    assert clf.features_.tolist() == [0, 1]
