"""CredalModelAveraging against oracles and properties, through the public interface."""

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
from skcredal.classifiers._naive_credal import CredalModelAveraging

PAPER_SAMPLE = [
    "diabetes",
    "ecoli",
    "haberman",
    "hayes_roth",
    "iris",
    "labor",
    "liver_disorders",
    "tae",
    "white_clover",
    "zoo",
]


@parametrize_with_checks(
    [
        CredalModelAveraging(),
        CredalModelAveraging(epsilon=0.2, criterion="interval_dominance"),
        CredalModelAveraging(missing="marginalize", n_jobs=2),
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
    return CredalModelAveraging(categorical_features="all", **parameters).fit(X, y, sample_weight)


def assert_answers_of_all_models(clf, X_test, train_codes, y, test_codes, n_states, eps=0.01):
    """Compare inclusion, probabilities, sets and bounds with the enumeration of all models."""
    k, n_classes = len(n_states), len(clf.classes_)
    nothing = oracles_naive.cma_models(train_codes, y, [None] * k, n_states, n_classes)
    np.testing.assert_allclose(clf.inclusion_, oracles_naive.cma_inclusion(nothing), rtol=1e-8)
    proba, sets, bounds = clf.predict_proba(X_test), clf.predict_set(X_test), clf.predict_interval(X_test)
    for r, row in enumerate(test_codes):
        models = oracles_naive.cma_models(train_codes, y, row, n_states, n_classes)
        np.testing.assert_allclose(proba[r], oracles_naive.cma_posterior(models, [0.5] * k), rtol=1e-8)
        margins = oracles_naive.cma_margins(models, eps)
        assert sets[r].tolist() == oracles_naive.set_of_margins(margins)
        exact = oracles_naive.cma_corner_bounds(models, eps)
        assert (bounds[r, :, 0] <= exact[:, 0] + 1e-10).all()
        assert (bounds[r, :, 1] >= exact[:, 1] - 1e-10).all()
        if n_classes == 2:
            np.testing.assert_allclose(bounds[r], exact, rtol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_are_those_of_all_models_from_the_raw_table(n_classes):
    rng = np.random.default_rng(60)
    for _ in range(4):
        n = 40
        y = rng.integers(0, n_classes, n)
        frame = pd.DataFrame(
            {
                "number": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n).round(1)),
                "kind": [rng.choice(["a", "b", "c"]) if rng.random() < 0.5 else "abc"[c] for c in y],
                "flag": rng.random(n) < 0.2 + 0.2 * y,
            }
        )
        frame.loc[rng.random(n) < 0.1, "kind"] = None
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
        clf = CredalModelAveraging().fit(frame[:30], y[:30])
        assert clf.features_.tolist() == frame.columns[encoded.kept].tolist()
        assert_answers_of_all_models(
            clf, frame[30:], encoded.train_codes, labels.tolist(), encoded.test_codes, encoded.n_states
        )


def test_missing_cells_are_left_out_of_evidence_and_factors():
    rng = np.random.default_rng(61)
    for seed in range(5):
        X, y, test = undecided_problem(seed, n=40)
        holes, test_holes = rng.random(X.shape) < 0.2, rng.random(test.shape) < 0.3
        X, test = np.where(holes, np.nan, X), np.where(test_holes, np.nan, test)[:8]
        states = [np.unique(column[~np.isnan(column)]).tolist() for column in X.T]
        train, rows = (
            [[v.index(a) if a in v else None for a, v in zip(row, states, strict=True)] for row in table]
            for table in (X.tolist(), test.tolist())
        )
        clf = fitted(X, y, missing="marginalize")
        assert_answers_of_all_models(clf, test, train, y.tolist(), rows, [len(v) for v in states])


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


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.001, 0.01, 0.3]))
@settings(max_examples=60)
def test_interval_dominance_holds_the_maximal_set_and_bounds_hold_the_reference(seed, epsilon):
    X, y, test = undecided_problem(seed)
    maximal, interval = (
        fitted(X, y, epsilon=epsilon, criterion=criterion)
        for criterion in ("maximality", "interval_dominance")
    )
    assert (interval.predict_set(test) >= maximal.predict_set(test)).all()
    bounds, proba = maximal.predict_interval(test), maximal.predict_proba(test)
    assert bounds.shape == (*proba.shape, 2)
    assert (bounds[..., 0] <= proba).all()
    assert (proba <= bounds[..., 1]).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_a_smaller_epsilon_never_shrinks_a_set(seed):
    X, y, test = undecided_problem(seed)
    wide, narrow = (fitted(X, y, epsilon=epsilon).predict_set(test) for epsilon in (0.001, 0.4))
    assert (wide >= narrow).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_rows_columns_and_classes_can_be_permuted(seed):
    X, y, test = undecided_problem(seed)
    rng = np.random.default_rng(seed)
    clf = fitted(X, y)
    sets, bounds = clf.predict_set(test), clf.predict_interval(test)

    rows = rng.permutation(len(X))
    shuffled = fitted(X[rows], y[rows])
    np.testing.assert_array_equal(shuffled.inclusion_, clf.inclusion_)
    np.testing.assert_array_equal(shuffled.predict_set(test), sets)
    test_rows = rng.permutation(len(test))
    np.testing.assert_array_equal(clf.predict_set(test[test_rows]), sets[test_rows])

    columns = rng.permutation(X.shape[1])
    turned = fitted(X[:, columns], y)
    np.testing.assert_array_equal(turned.inclusion_, clf.inclusion_[columns])
    np.testing.assert_array_equal(turned.predict_set(test[:, columns]), sets)
    np.testing.assert_allclose(turned.predict_interval(test[:, columns]), bounds, atol=1e-12)

    names = rng.permutation(len(clf.classes_))
    renamed = fitted(X, names[y])
    np.testing.assert_allclose(renamed.inclusion_, clf.inclusion_, rtol=1e-9)
    np.testing.assert_array_equal(renamed.predict_set(test)[:, names], sets)
    np.testing.assert_allclose(renamed.predict_interval(test)[:, names], bounds, atol=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_whole_weights_are_repetitions(seed):
    X, y, test = undecided_problem(seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    weights[:3] = 1
    weighted, repeated = fitted(X, y, weights), fitted(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.inclusion_, repeated.inclusion_)
    np.testing.assert_array_equal(weighted.predict_set(test), repeated.predict_set(test))
    np.testing.assert_array_equal(weighted.predict_interval(test), repeated.predict_interval(test))


def test_answers_do_not_depend_on_threads():
    X, y, test = undecided_problem(7, n=200)
    test = np.tile(test, (60, 1))
    alone, together = fitted(X, y), fitted(X, y, n_jobs=3)
    np.testing.assert_array_equal(alone.predict_set(test), together.predict_set(test))
    np.testing.assert_array_equal(alone.predict_interval(test), together.predict_interval(test))


def test_without_informative_features_the_prior_decides():
    X = np.ones((9, 2))
    clf = CredalModelAveraging().fit(X, list("aabbbcccc"))
    prior = np.array([2 + 1 / 3, 3 + 1 / 3, 4 + 1 / 3]) / 10
    assert clf.inclusion_.shape == (0,)
    np.testing.assert_allclose(clf.predict_interval(X[:1])[0], np.stack([prior, prior], axis=1))
    assert clf.predict_set(X[:1]).tolist() == [[False, False, True]]
    tied = CredalModelAveraging().fit(X, list("aaabbbccc"))
    assert tied.predict_set(X[:1]).tolist() == [[True, True, True]]
    assert tied.predict(X[:1]).tolist() == ["a"]


def test_a_row_of_unknown_values_is_answered_by_the_prior():
    X, y, _ = undecided_problem(5, n=60)
    clf = fitted(X, y)
    n_c = clf.counts_.n_c
    prior = (n_c + 1 / 3) / (n_c.sum() + 1)
    unknown = np.full((1, X.shape[1]), 77)
    np.testing.assert_allclose(clf.predict_proba(unknown)[0], prior)
    np.testing.assert_allclose(clf.predict_interval(unknown)[0], np.stack([prior, prior], axis=1))
    np.testing.assert_array_equal(clf.predict_set(unknown)[0], n_c == n_c.max())


def test_a_feature_that_matters_is_in_and_noise_is_out():
    rng = np.random.default_rng(62)
    y = rng.integers(0, 2, 500)
    X = np.stack([np.where(rng.random(500) < 0.8, y, 1 - y), rng.integers(0, 2, 500)], axis=1)
    clf = fitted(X, y)
    assert clf.inclusion_[0] > 0.999
    assert clf.inclusion_[1] < 0.2
    assert clf.features_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"epsilon": 0.0}, ValueError, r"epsilon must lie in \(0, 0.5\), got 0.0"),
        ({"epsilon": 0.5}, ValueError, r"epsilon must lie in \(0, 0.5\), got 0.5"),
        ({"epsilon": "auto"}, TypeError, "epsilon must be a real number"),
        ({"ess": 0}, ValueError, r"ess must lie in \[1e-6, 1e6\], got 0"),
        ({"criterion": "e_admissibility"}, ValueError, "criterion must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        CredalModelAveraging(**parameters).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("name", PAPER_SAMPLE)
def test_paper_data(name):
    """Train on two thirds, predict the rest: and up to 8 features the answers of all models."""
    data = load_paper_dataset(name)
    rows = np.random.default_rng(0).permutation(len(data.target))
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    clf = CredalModelAveraging().fit(data.features.iloc[train], data.target.iloc[train])
    X_test = data.features.iloc[test]
    codes = codes_of(clf, X_test)
    proba, bounds = clf.predict_proba(X_test), clf.predict_interval(X_test)
    assert (bounds[..., 0] <= proba).all()
    assert (proba <= bounds[..., 1]).all()
    n_states = clf._encoding.n_states.tolist()
    if len(n_states) <= 8:
        train_codes = codes_of(clf, data.features.iloc[train]).T.tolist()
        labels = np.searchsorted(clf.classes_, data.target.iloc[train].to_numpy().astype(str)).tolist()
        assert_answers_of_all_models(
            clf, X_test.iloc[:6], train_codes, labels, codes.T.tolist()[:6], n_states
        )
