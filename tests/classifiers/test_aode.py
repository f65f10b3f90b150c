"""The determinate classifiers against the definitions of their weights and answers."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import CategoricalNB

import oracles
import oracles_averages
import oracles_logpool
import oracles_maplmg
from problems import as_rows, frame_of, varied_problem
from skcredal import (
    AODE,
    BmaAODE,
    CompAODE,
    CompressionNB,
    CredalBmaAODE,
    CredalCompAODE,
    MaplmgAODE,
    NullClassifier,
)


def declared_frame(codes, n_states):
    """Return codes (k, n) as a DataFrame of declared categories; the unknown code becomes a foreign value."""
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical(column, categories=range(v + 1 if (column == v).any() else v))
            for j, (column, v) in enumerate(zip(codes, n_states, strict=True))
        }
    )


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


# --- The marginal likelihood ----------------------------------------------------------------------


def marginal(**parameters):
    return BmaAODE(likelihood="marginal", **parameters)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1, 4])
def test_marginal_likelihoods_and_answers_are_those_of_the_definition(ess, unknown):
    rng = np.random.default_rng(90)
    for _ in range(8):
        codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
        rows, y = as_rows(codes, n_states), labels.tolist()
        clf = marginal(ess=float(ess), missing="marginalize").fit(frame_of(codes, n_states), labels)
        likelihoods = oracles_averages.marginal_likelihoods(rows, y, n_states.tolist(), n_classes, ess)
        logs = [math.log(p.numerator) - math.log(p.denominator) for p in likelihoods]
        np.testing.assert_allclose(clf.log_likelihood_, logs, rtol=1e-11)
        shares = np.array([float(p / sum(likelihoods)) for p in likelihoods])
        np.testing.assert_allclose(clf.weights_, shares, rtol=1e-9)
        counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
        test = rng.integers(0, n_states[:, None] + 1, (len(codes), 8))
        proba = clf.predict_proba(frame_of(test, n_states))
        for r, row in enumerate(as_rows(test, n_states)):
            expected = oracles_averages.averaged_joints(counts, row, likelihoods, ess)
            np.testing.assert_allclose(proba[r], np.array(expected, float), rtol=1e-8)


def test_a_row_without_the_best_super_parent_has_an_answer():
    """With many rows the weights of all but one SPODE are 0 as doubles; their ratios are not forgotten."""
    rng = np.random.default_rng(91)
    n = 20_000
    hub = rng.integers(0, 2, n)
    y, *others = (np.where(rng.random(n) < p, hub, 1 - hub) for p in (0.8, 0.95, 0.85, 0.75))
    clf = marginal(categorical_features="all").fit(np.stack([hub, *others], axis=1), y)
    assert clf.log_likelihood_.argsort()[::-1].tolist() == [0, 1, 2, 3]
    assert clf.weights_.tolist() == [1.0, 0.0, 0.0, 0.0]
    # Without the best super-parent the next one decides, by far the most probable of the others.
    rows = np.array([[9, 0, 1, 0], [9, 1, 0, 1]])
    np.testing.assert_allclose(clf.predict_proba(rows), clf.spode_proba(rows)[:, 1], rtol=1e-9)


# --- MAPLMG -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("ess", [1.0, 4.0])
def test_maplmg_has_the_best_weights(ess, unknown):
    rng = np.random.default_rng(60)
    for _ in range(8):
        codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
        rows, y = as_rows(codes, n_states), labels.tolist()
        clf = MaplmgAODE(ess=ess, missing="marginalize", tol=1e-14).fit(frame_of(codes, n_states), labels)
        posteriors = oracles_maplmg.left_out_posteriors(rows, y, n_states.tolist(), n_classes, int(ess))
        best = oracles_maplmg.best_weights(posteriors)
        np.testing.assert_allclose(clf.weights_, best, atol=1e-5)
        assert clf.objective_ >= oracles_maplmg.objective(best, posteriors) - 1e-9
        assert clf.objective_ == pytest.approx(oracles_maplmg.objective(clf.weights_, posteriors), rel=1e-11)
        counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
        prior = oracles.class_prior(counts, int(ess))
        test = rng.integers(0, n_states[:, None] + 1, (len(codes), 8))
        proba = clf.predict_proba(frame_of(test, n_states))
        for r, row in enumerate(as_rows(test, n_states)):
            spodes = oracles.spode_posteriors(counts, row, int(ess))
            np.testing.assert_allclose(proba[r], oracles.mixture(clf.weights_, spodes, prior), rtol=1e-11)


def test_the_objective_climbs_and_a_warning_names_max_iter():
    codes, labels, n_states, _ = varied_problem(np.random.default_rng(63), n=60)
    X = frame_of(codes, n_states)
    objectives = []
    for max_iter in (1, 2, 3):
        with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} ") as caught:
            clf = MaplmgAODE(max_iter=max_iter, tol=1e-13).fit(X, labels)
        assert caught[0].filename == __file__
        assert clf.n_iter_ == max_iter
        objectives.append(clf.objective_)
    assert (np.diff(objectives) > 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = MaplmgAODE(tol=1e-13).fit(X, labels)
    assert 3 < clf.n_iter_ < 50
    assert clf.objective_ > objectives[-1]


# --- Compression-based naive Bayes --------------------------------------------------------------------


def orders_of(k, n_orders, random_state):
    """Return the orders of the features: by the ranks of consecutive numbers, k for each search."""
    ranks = [oracles_logpool.row_rank(random_state, number) for number in range(n_orders * k)]
    return [sorted(range(k), key=lambda j, t=t: ranks[t * k + j]) for t in range(n_orders)]


@given(
    seed=st.integers(0, 10**6),
    ess=st.sampled_from([1, 4]),
    unknown=st.sampled_from([0.0, 0.2]),
    random_state=st.sampled_from([0, 7]),
)
@settings(max_examples=25)
def test_compression_nb_is_the_geometric_mean_of_the_models_it_met(seed, ess, unknown, random_state):
    """The answers are the normalised geometric mean of the posteriors of all models, which is a theorem."""
    rng = np.random.default_rng(seed)
    codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
    rows, y, k = as_rows(codes, n_states), labels.tolist(), len(codes)
    clf = CompressionNB(ess=float(ess), missing="marginalize", random_state=random_state)
    clf.fit(frame_of(codes, n_states), labels)
    scores = oracles_averages.subset_scores(rows, y, n_states.tolist(), n_classes, ess)
    # ⌈log₂(30 · 4)⌉ + 1 searches.
    met = oracles_averages.evaluated_subsets(scores, orders_of(k, 8, random_state))
    assert clf.n_models_ == len(met)
    np.testing.assert_allclose(clf.weights_, oracles_averages.feature_weights(scores, met, k), atol=1e-9)
    counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
    test = rng.integers(0, n_states[:, None] + 1, (k, 6))
    proba = clf.predict_proba(frame_of(test, n_states))
    pi = oracles_averages.coefficients(scores, met)
    for r, row in enumerate(as_rows(test, n_states)):
        np.testing.assert_allclose(proba[r], oracles_averages.geometric_mean(counts, row, pi, ess), rtol=1e-8)


def test_noise_weighs_less_and_what_says_nothing_is_answered_by_the_frequencies():
    rng = np.random.default_rng(96)
    y = rng.integers(0, 2, 2000)
    told = np.where(rng.random((2, 2000)) < 0.8, y, 1 - y)
    X = np.stack([*told, *rng.integers(0, 2, (4, 2000))], axis=1)
    clf = CompressionNB(categorical_features="all").fit(X, y)
    assert clf.weights_[:2].min() > 0.7
    assert clf.weights_[2:].max() < 0.5
    noise = CompressionNB(categorical_features="all").fit(X[:, 2:], y)
    assert noise.weights_.tolist() == [0.0] * 4
    null = NullClassifier(categorical_features="all").fit(X[:, 2:], y)
    np.testing.assert_allclose(noise.predict_proba(X[:3, 2:]), null.predict_proba(X[:3, 2:]), rtol=1e-12)


def test_more_features_than_bits():
    """Subsets are told apart beyond 64 features."""
    rng = np.random.default_rng(97)
    y = rng.integers(0, 2, 60)
    X = rng.integers(0, 2, (60, 70))
    X[:, -1] = y
    clf = CompressionNB(categorical_features="all").fit(X, y)
    assert clf.weights_.argmax() == 69
    assert clf.n_models_ > 70
