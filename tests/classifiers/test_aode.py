"""The determinate classifiers against oracles, through the public interface."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB

import oracles
from problems import as_rows, random_codes
from skcredal import AODE, BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE


def declared_frame(codes, n_states):
    """Return codes (k, n) as a DataFrame of declared categories; the unknown code becomes a foreign value."""
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical(column, categories=range(v + 1 if (column == v).any() else v))
            for j, (column, v) in enumerate(zip(codes, n_states, strict=True))
        }
    )


def varied_problem(rng, *, n=30, k=4, n_classes=3):
    """Return random codes in which every feature and class takes at least two values."""
    while True:
        codes, labels, n_states, n_classes = random_codes(rng, n=n, k=k, n_classes=n_classes)
        if all(len(np.unique(column)) > 1 for column in codes) and len(np.unique(labels)) == n_classes:
            return codes, labels, n_states, n_classes


@pytest.mark.parametrize("average", ["posterior", "joint"])
@pytest.mark.parametrize("ess", [1.0, 4.0])
def test_aode_is_the_mean_of_its_spodes(average, ess):
    rng = np.random.default_rng(30)
    for _ in range(20):
        codes, labels, n_states, n_classes = varied_problem(rng)
        clf = AODE(ess=ess, average=average).fit(declared_frame(codes, n_states), labels)
        test = rng.integers(0, n_states[:, None] + 1, (4, 8))
        counts = oracles.count_tables(as_rows(codes, n_states), labels.tolist(), n_states.tolist(), n_classes)
        proba = clf.predict_proba(declared_frame(test, n_states))
        spode_proba = clf.spode_proba(declared_frame(test, n_states))
        for r, row in enumerate(as_rows(test, n_states)):
            expected = oracles.aode_posterior(counts, row, ess=int(ess), average=average)
            np.testing.assert_allclose(proba[r], expected, rtol=1e-11)
            for j, posterior in enumerate(oracles.spode_posteriors(counts, row, int(ess))):
                expected_spode = (
                    np.full(n_classes, np.nan) if posterior is None else np.array(posterior, float)
                )
                np.testing.assert_allclose(spode_proba[r, j], expected_spode, rtol=1e-11)
        if average == "posterior":
            with np.errstate(invalid="ignore"):
                known = ~np.isnan(spode_proba).all(axis=(1, 2))
            np.testing.assert_allclose(proba[known], np.nanmean(spode_proba[known], axis=1), rtol=1e-12)


@pytest.mark.parametrize("floor", [0.0, 0.4])
def test_weighted_classifiers_are_those_of_the_definitions(floor):
    rng = np.random.default_rng(31)
    for _ in range(12):
        codes, labels, n_states, n_classes = varied_problem(rng)
        X = declared_frame(codes, n_states)
        rows = as_rows(codes, n_states)
        counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes)
        log_lik = oracles.log_likelihoods(counts, rows, labels.tolist(), floor=floor)
        log_lik_null = oracles.null_log_likelihood(counts.n_c)
        bma = BmaAODE(likelihood_floor=floor).fit(X, labels)
        comp = CompAODE(likelihood_floor=floor).fit(X, labels)
        np.testing.assert_allclose(bma.log_likelihood_, log_lik, rtol=1e-11)
        assert bma.null_log_likelihood_ == pytest.approx(log_lik_null, rel=1e-12)
        assert comp.epsilon_ == 0.01
        np.testing.assert_allclose(bma.weights_, oracles.bma_weights(log_lik), rtol=1e-8)
        np.testing.assert_allclose(
            comp.weights_, oracles.comp_weights(log_lik, log_lik_null, 0.01), rtol=1e-9
        )
        test = rng.integers(0, n_states[:, None] + 1, (4, 8))
        prior = oracles.class_prior(counts)
        for clf, weights in (
            (bma, oracles.bma_weights(log_lik)),
            (comp, oracles.comp_weights(log_lik, log_lik_null, 0.01)),
        ):
            proba = clf.predict_proba(declared_frame(test, n_states))
            for r, row in enumerate(as_rows(test, n_states)):
                expected = oracles.mixture(weights, oracles.spode_posteriors(counts, row), prior)
                np.testing.assert_allclose(proba[r], np.array(expected, float), rtol=1e-8)


def test_with_one_feature_every_classifier_is_naive_bayes():
    """One feature: P(c) P(a|c), CategoricalNB with the BDeu pseudo-counts."""
    rng = np.random.default_rng(32)
    codes, labels, n_states, n_classes = varied_problem(rng, k=1, n=50)
    X = codes.T.astype(int)
    alpha = 1.0 / (n_classes * n_states[0])
    prior = (np.bincount(labels) + 1 / n_classes) / (len(labels) + 1)
    naive = CategoricalNB(alpha=alpha, class_prior=prior, min_categories=int(n_states[0])).fit(X, labels)
    for classifier in (AODE, BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE):
        clf = classifier(categorical_features="all", categories=[range(n_states[0])]).fit(X, labels)
        np.testing.assert_allclose(clf.predict_proba(X), naive.predict_proba(X), rtol=1e-12)


def test_with_independent_features_every_spode_is_naive_bayes():
    """In a full product of states the counts of pairs are products of those of values, class by class."""
    grid = np.array(np.meshgrid([0, 1], [0, 1, 2], [0, 1])).reshape(3, -1).T
    X = np.concatenate([grid, grid[grid[:, 0] == 0], grid, grid])
    y = np.repeat([0, 0, 1, 1], [len(grid), len(grid) // 2, len(grid), len(grid)])
    # A vanishing ess: its pseudo-counts are uniform and do not factorise with the counts.
    aode = AODE(ess=1e-6, categorical_features="all").fit(X, y)
    naive = CategoricalNB(alpha=1e-10).fit(X, y)
    np.testing.assert_allclose(aode.predict_proba(grid), naive.predict_proba(grid), rtol=1e-5)


def test_the_first_class_wins_a_tie():
    X = [["a"], ["b"], ["a"], ["b"]]
    for classifier in (AODE, CompAODE):
        clf = classifier().fit(X, ["z", "y", "y", "z"])
        assert clf.predict(X).tolist() == ["y"] * 4


def test_logarithms_are_those_of_the_probabilities():
    rng = np.random.default_rng(33)
    codes, labels, n_states, _ = varied_problem(rng)
    X = declared_frame(codes, n_states)
    clf = CompAODE().fit(X, labels)
    np.testing.assert_array_equal(clf.predict_log_proba(X), np.log(clf.predict_proba(X)))


def test_fitted_attributes_have_the_documented_shapes():
    frame = pd.DataFrame({"x": [1, 2, 3, 10, 11, 12] * 3, "same": 1, "kind": list("aabbab") * 3})
    y = ["no", "no", "no", "yes", "yes", "yes"] * 3
    for classifier in (BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE):
        clf = classifier().fit(frame, y)
        assert clf.classes_.tolist() == ["no", "yes"]
        assert clf.n_features_in_ == 3
        assert clf.feature_names_in_.tolist() == ["x", "same", "kind"]
        assert clf.super_parents_.tolist() == ["x", "kind"]
        assert clf.log_likelihood_.shape == clf.weights_.shape == (2,)
        assert clf.weights_.sum() == pytest.approx(1.0)
        assert clf.spode_proba(frame).shape == (18, 2, 2)
        assert clf.counts_.n == 18
    assert AODE().fit(frame.to_numpy(dtype=object), y).super_parents_.tolist() == [0, 2]
