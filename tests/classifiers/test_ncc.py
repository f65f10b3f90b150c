"""NaiveCredal against oracles and properties, through the public interface."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
import oracles_naive
from codes import codes_of
from paper_data import load_paper_dataset
from problems import random_codes
from skcredal.classifiers._naive_credal import NaiveCredal

PAPER_SAMPLE = [
    "glass",
    "haberman",
    "hayes_roth",
    "hepatitis",
    "iris",
    "labor",
    "liver_disorders",
    "lymph",
    "segment",
    "zoo",
]


@parametrize_with_checks(
    [
        NaiveCredal(),
        NaiveCredal(s=2.0, contamination=0.1, criterion="interval_dominance"),
        NaiveCredal(missing="marginalize", n_jobs=2),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def undecided_problem(seed, *, n=25, k=4, n_classes=3):
    """Return a table (n, k) and classes with little evidence, so that the prior often decides."""
    rng = np.random.default_rng(seed)
    codes, labels, n_states, _ = random_codes(rng, n=n, k=k, n_classes=n_classes)
    labels[:n_classes] = np.arange(n_classes)
    test = rng.integers(0, n_states[:, None], (k, 30))
    return codes.T.astype(int), labels, test.T.astype(int)


def fitted(X, y, sample_weight=None, **parameters):
    return NaiveCredal(categorical_features="all", **parameters).fit(X, y, sample_weight)


def mixed_table(rng, n=40):
    """Return a table of three kinds of columns with missing cells, and its classes."""
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n).round(1)),
            "kind": [rng.choice(["a", "b", "c"]) if rng.random() < 0.5 else "abc"[c] for c in y],
            "flag": rng.random(n) < 0.2 + 0.2 * y,
        }
    )
    frame.loc[rng.random(n) < 0.1, "kind"] = None
    return frame, y


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
        frame, y = mixed_table(rng)
        raw = [
            [None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy(dtype=object).tolist()
        ]
        classes, labels = np.unique(y[:30], return_inverse=True)
        encoded = oracles.encode_table(
            raw[:30],
            raw[30:],
            ["numeric", "categorical", "categorical"],
            [None] * 3,
            labels.tolist(),
            len(classes),
        )
        counts = oracles.count_tables(encoded.train_codes, labels.tolist(), encoded.n_states, len(classes))
        sets, posteriors = expected_sets(counts, encoded.test_codes, s, contamination)
        clf = NaiveCredal(s=s, contamination=contamination).fit(frame[:30], y[:30])
        assert clf.features_.tolist() == frame.columns[encoded.kept].tolist()
        np.testing.assert_allclose(clf.predict_proba(frame[30:]), posteriors, rtol=1e-10)
        np.testing.assert_array_equal(clf.predict_set(frame[30:]), sets)


def test_missing_cells_are_left_out_of_counts_and_factors():
    """n(c) counts all rows of the class, n(a,c) those that know the cell."""
    rng = np.random.default_rng(51)
    for seed in range(5):
        X, y, test = undecided_problem(seed, n=40)
        holes, test_holes = rng.random(X.shape) < 0.2, rng.random(test.shape) < 0.3
        X, test = np.where(holes, np.nan, X), np.where(test_holes, np.nan, test)[:8]
        clf = fitted(X, y, missing="marginalize")
        states = [np.unique(column[~np.isnan(column)]).tolist() for column in X.T]
        train, rows = (
            [[v.index(a) if a in v else None for a, v in zip(row, states, strict=True)] for row in table]
            for table in (X.tolist(), test.tolist())
        )
        counts = oracles.count_tables(train, y.tolist(), [len(v) for v in states], 3)
        assert clf.counts_.n_c.tolist() == [int(n) for n in counts.n_c]
        sets, posteriors = expected_sets(counts, rows, 1.0, 0.0)
        np.testing.assert_allclose(clf.predict_proba(test), posteriors, rtol=1e-10)
        np.testing.assert_array_equal(clf.predict_set(test), sets)


def test_the_determinate_class_is_not_dominated():
    indeterminate = 0
    for seed in range(60):
        X, y, test = undecided_problem(seed)
        clf = fitted(X, y)
        sets, best = clf.predict_set(test), clf.predict_proba(test).argmax(axis=1)
        states = clf._encode(test).states
        for c in range(len(clf.classes_)):
            rows = np.flatnonzero(best != c)
            for d in range(len(clf.classes_)):
                some = rows[best[rows] == d]
                assert (clf._priors.least_log_ratio(states[:, some], c, d) <= 1e-10).all()
        alone = sets.sum(axis=1) == 1
        assert (sets.argmax(axis=1)[alone] == best[alone]).all()
        indeterminate += int((~alone).sum())
        np.testing.assert_array_equal(clf.classes_[best], clf.predict(test))
    assert indeterminate > 100


def test_a_dominated_class_of_another_equivalent_sample_size_stays():
    dominated = 0
    for seed in range(60):
        X, y, test = undecided_problem(seed)
        clf = fitted(X, y, s=0.01, contamination=0.5, ess=50.0)
        states, best = clf._encode(test).states, clf.predict_proba(test).argmax(axis=1)
        for c in range(len(clf.classes_)):
            for d in range(len(clf.classes_)):
                if c != d:
                    rows = np.flatnonzero(best == d)
                    dominated += int((clf._priors.least_log_ratio(states[:, rows], c, d) > 1e-10).sum())
        assert clf.predict_set(test)[np.arange(len(test)), best].all()
    assert dominated > 0


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from([1.0, 3.0]))
@settings(max_examples=60)
def test_interval_dominance_holds_the_maximal_set_and_bounds_hold_the_reference(seed, contamination, ess):
    X, y, test = undecided_problem(seed)
    maximal, interval = (
        fitted(X, y, contamination=contamination, ess=ess, criterion=criterion)
        for criterion in ("maximality", "interval_dominance")
    )
    assert (interval.predict_set(test) >= maximal.predict_set(test)).all()
    bounds, proba = maximal.predict_interval(test), maximal.predict_proba(test)
    assert bounds.shape == (*proba.shape, 2)
    assert (bounds[..., 0] <= proba).all()
    assert (proba <= bounds[..., 1]).all()


def test_with_two_classes_interval_dominance_is_maximality():
    for seed in range(30):
        X, y, test = undecided_problem(seed, n_classes=2)
        sets = [
            fitted(X, y, criterion=criterion).predict_set(test)
            for criterion in ("maximality", "interval_dominance")
        ]
        np.testing.assert_array_equal(*sets)


def test_full_contamination_is_naive_bayes():
    for seed in range(30):
        X, y, test = undecided_problem(seed)
        clf = fitted(X, y, contamination=1.0)
        proba = clf.predict_proba(test)
        np.testing.assert_allclose(clf.predict_interval(test), np.stack([proba, proba], axis=2), rtol=1e-9)
        best = proba >= proba.max(axis=1, keepdims=True) * (1 - 1e-9)
        np.testing.assert_array_equal(clf.predict_set(test), best)


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


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_rows_columns_and_classes_can_be_permuted(seed):
    X, y, test = undecided_problem(seed)
    rng = np.random.default_rng(seed)
    clf = fitted(X, y)
    sets, bounds = clf.predict_set(test), clf.predict_interval(test)

    rows = rng.permutation(len(X))
    shuffled = fitted(X[rows], y[rows])
    np.testing.assert_array_equal(shuffled.counts_.n_ca, clf.counts_.n_ca)
    np.testing.assert_array_equal(shuffled.predict_set(test), sets)
    test_rows = rng.permutation(len(test))
    np.testing.assert_array_equal(clf.predict_set(test[test_rows]), sets[test_rows])

    columns = rng.permutation(X.shape[1])
    turned = fitted(X[:, columns], y)
    np.testing.assert_array_equal(turned.predict_set(test[:, columns]), sets)
    np.testing.assert_allclose(turned.predict_interval(test[:, columns]), bounds, atol=1e-12)

    names = rng.permutation(len(clf.classes_))
    renamed = fitted(X, names[y])
    np.testing.assert_array_equal(renamed.predict_set(test)[:, names], sets)
    np.testing.assert_allclose(renamed.predict_interval(test)[:, names], bounds, atol=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_whole_weights_are_repetitions(seed):
    X, y, test = undecided_problem(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    weights[:3] = 1
    weighted, repeated = fitted(X, y, weights), fitted(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.counts_.n_ca, repeated.counts_.n_ca)
    np.testing.assert_array_equal(weighted.predict_set(test), repeated.predict_set(test))
    np.testing.assert_array_equal(weighted.predict_interval(test), repeated.predict_interval(test))
    real = fitted(X, y, weights * 1.0)
    np.testing.assert_array_equal(real.predict_set(test), weighted.predict_set(test))


def test_answers_do_not_depend_on_threads():
    X, y, test = undecided_problem(7, n=200)
    test = np.tile(test, (60, 1))
    alone, together = fitted(X, y), fitted(X, y, n_jobs=3)
    np.testing.assert_array_equal(alone.predict_set(test), together.predict_set(test))
    np.testing.assert_array_equal(alone.predict_interval(test), together.predict_interval(test))


def test_without_informative_features_the_class_counts_decide():
    """k = 0: c' dominates c'' if n' > n'' + s."""
    X = np.ones((9, 2))
    clf = NaiveCredal().fit(X, list("aabbbcccc"))
    assert clf.features_.tolist() == []
    assert clf.predict_set(X[:1]).tolist() == [[False, True, True]]
    two = NaiveCredal().fit(X, list("aaabbbbbb"))
    assert two.predict_interval(X[:1])[0] == pytest.approx(np.array([[0.3, 0.4], [0.6, 0.7]]))
    narrow = NaiveCredal(s=0.5).fit(X, list("aabbbcccc"))
    assert narrow.predict_set(X[:1]).tolist() == [[False, False, True]]


def test_a_row_of_unknown_values_is_answered_by_the_class_counts():
    X, y, _ = undecided_problem(5, n=60)
    clf = fitted(X, y)
    n_c = clf.counts_.n_c
    unknown = np.full((1, X.shape[1]), 77)
    np.testing.assert_allclose(clf.predict_proba(unknown)[0], (n_c + 1 / 3) / (n_c.sum() + 1))
    np.testing.assert_array_equal(clf.predict_set(unknown)[0], n_c + 1 >= n_c.max())


def test_tiny_and_huge_weights_do_no_harm():
    X, y, test = undecided_problem(9)
    for scale in (1e-12, 1e12):
        clf = fitted(X, y, np.full(len(X), scale))
        bounds = clf.predict_interval(test)
        assert np.isfinite(bounds).all()
        assert clf.predict_set(test).any(axis=1).all()
    assert (bounds[..., 1] - bounds[..., 0])[(bounds[..., 0] > 0).all(axis=1)].max(initial=0.0) < 1e-6


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"s": 0}, ValueError, r"s must lie in \[1e-6, 1e6\], got 0"),
        ({"s": math.inf}, ValueError, r"s must lie in \[1e-6, 1e6\], got inf"),
        ({"s": "1"}, TypeError, "s must be a real number"),
        ({"contamination": -0.1}, ValueError, r"contamination must lie in \[0, 1\], got -0.1"),
        ({"contamination": 1.1}, ValueError, r"contamination must lie in \[0, 1\], got 1.1"),
        ({"ess": -1}, ValueError, r"ess must lie in \[1e-6, 1e6\], got -1"),
        ({"criterion": "e_admissibility"}, ValueError, "criterion must be"),
        ({"criterion": "best"}, ValueError, "criterion must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        NaiveCredal(**parameters).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("name", PAPER_SAMPLE)
def test_paper_data(name):
    """Train on two thirds, predict the rest: the same sets as the grid's on a few rows."""
    data = load_paper_dataset(name)
    rows = np.random.default_rng(0).permutation(len(data.target))
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    clf = NaiveCredal().fit(data.features.iloc[train], data.target.iloc[train])
    X_test = data.features.iloc[test]
    codes = codes_of(clf, X_test)
    sets, proba = clf.predict_set(X_test), clf.predict_proba(X_test)
    bounds = clf.predict_interval(X_test)
    assert (bounds[..., 0] <= proba).all()
    assert (proba <= bounds[..., 1]).all()
    n_c = clf.counts_.n_c.astype(float).tolist()
    for r in range(min(10, len(test))):
        cells = [
            oracles_naive.Cell(clf.counts_.values(i)[codes[i, r]].astype(float).tolist(), int(v))
            for i, v in enumerate(clf.counts_.n_states)
            if codes[i, r] < v
        ]
        assert sets[r].tolist() == oracles_naive.set_of_margins(oracles_naive.ncc_margins(n_c, cells))
