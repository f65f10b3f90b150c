"""Classifiers through their public interface against the definitions, computed by the oracles."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_averages
import oracles_logpool
import oracles_maplmg
import oracles_naive
import oracles_ncc2
import oracles_trees
from problems import as_rows, frame_of, mixed_table, varied_problem
from skcredal import (
    AODE,
    TAN,
    BmaAODE,
    CompAODE,
    CompressionNB,
    CredalModelAveraging,
    CredalTree,
    MaplmgAODE,
    NaiveBayes,
    NaiveCredal,
)


def problems(seed, n, unknown=0.0):
    """Yield random tables, as frames and as rows and counts of the oracles, with rows to classify."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
        rows = as_rows(codes, n_states)
        counts = oracles.count_tables(rows, labels.tolist(), n_states.tolist(), n_classes)
        new = rng.integers(0, n_states[:, None] + 1, (len(codes), 8))
        yield (
            (frame_of(codes, n_states), labels, rows, counts),
            (frame_of(new, n_states), as_rows(new, n_states)),
        )


def assert_proba(clf, new, expected, rtol):
    np.testing.assert_allclose(clf.predict_proba(new[0]), np.array(expected, float), rtol=rtol)


@pytest.mark.parametrize("average", ["posterior", "joint"])
@pytest.mark.parametrize("ess", [1, 4])
def test_aode_is_the_mean_of_its_spodes(average, ess):
    for (X, y, _, counts), new in problems(30, 20):
        clf = AODE(ess=ess, average=average, missing="marginalize").fit(X, y)
        expected = [oracles.aode_posterior(counts, row, ess=ess, average=average) for row in new[1]]
        assert_proba(clf, new, expected, 1e-11)
        for found, row in zip(clf.spode_proba(new[0]), new[1], strict=True):
            for of_spode, expected in zip(found, oracles.spode_posteriors(counts, row, ess), strict=True):
                wanted = [math.nan] * 3 if expected is None else [float(p) for p in expected]
                np.testing.assert_allclose(of_spode, wanted, rtol=1e-11)


@pytest.mark.parametrize("ess", [1, 4])
def test_naive_bayes_and_tan_are_products_over_a_network(ess):
    for (X, y, _, counts), new in problems(70, 8, 0.2):
        information = {
            pair: oracles_trees.mutual_information(counts, *pair) for pair in oracles_trees.pairs(4)
        }
        tree = oracles_trees.parents_from(oracles_trees.spanning_tree(information, 4), 4)
        for kind, network in ((NaiveBayes, [None] * 4), (TAN, tree)):
            expected = [oracles_trees.network_posterior(counts, network, row, ess) for row in new[1]]
            assert_proba(kind(ess=ess, missing="marginalize").fit(X, y), new, expected, 1e-10)


def test_the_credal_tree_answers_by_the_node_of_a_row():
    for (X, y, rows, _), (new, new_rows) in problems(80, 8, 0.2):
        clf, tree = CredalTree(missing="marginalize").fit(X, y), oracles_trees.grow(rows, y.tolist(), 4, 3)
        counts = [oracles_trees.answering_node(tree, row).counts for row in new_rows]
        assert clf.predict_set(new).tolist() == [oracles_trees.idm_set(n, 1) for n in counts]
        bounds = [oracles_trees.idm_bounds(n, 1) for n in counts]
        np.testing.assert_allclose(clf.predict_interval(new), bounds, atol=1e-14)


@pytest.mark.parametrize("floor", [0.0, 0.4])
def test_bma_and_comp_weigh_the_spodes(floor):
    for (X, y, rows, counts), new in problems(31, 12):
        log_lik = oracles.log_likelihoods(counts, rows, y.tolist(), floor=floor)
        log_lik_null = oracles.null_log_likelihood(counts.n_c)
        prior = oracles.class_prior(counts)
        for kind, weights in (
            (BmaAODE, oracles.bma_weights(log_lik)),
            (CompAODE, oracles.comp_weights(log_lik, log_lik_null, 0.01)),
        ):
            clf = kind(likelihood_floor=floor, missing="marginalize").fit(X, y)
            np.testing.assert_allclose(clf.log_likelihood_, log_lik, rtol=1e-11)
            np.testing.assert_allclose(clf.weights_, weights, rtol=1e-8)
            spodes = [oracles.spode_posteriors(counts, row) for row in new[1]]
            assert_proba(clf, new, [oracles.mixture(weights, said, prior) for said in spodes], 1e-8)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("ess", [1, 4])
def test_the_marginal_likelihood_is_a_product_of_predictions(ess, unknown):
    for (X, y, rows, counts), new in problems(90, 8, unknown):
        clf = BmaAODE(likelihood="marginal", ess=float(ess), missing="marginalize").fit(X, y)
        n_states = [len(column.categories) for column in X.dtypes]
        likelihoods = oracles_averages.marginal_likelihoods(rows, y.tolist(), n_states, 3, ess)
        logs = [math.log(p.numerator) - math.log(p.denominator) for p in likelihoods]
        np.testing.assert_allclose(clf.log_likelihood_, logs, rtol=1e-11)
        np.testing.assert_allclose(
            clf.weights_, [float(p / sum(likelihoods)) for p in likelihoods], rtol=1e-9
        )
        expected = [oracles_averages.averaged_joints(counts, row, likelihoods, ess) for row in new[1]]
        assert_proba(clf, new, expected, 1e-8)


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("ess", [1, 4])
def test_maplmg_has_the_best_weights(ess, unknown):
    for (X, y, rows, counts), new in problems(60, 8, unknown):
        n_states = [len(column.categories) for column in X.dtypes]
        clf = MaplmgAODE(ess=float(ess), missing="marginalize", tol=1e-14).fit(X, y)
        posteriors = oracles_maplmg.left_out_posteriors(rows, y.tolist(), n_states, 3, ess)
        best = oracles_maplmg.best_weights(posteriors)
        np.testing.assert_allclose(clf.weights_, best, atol=1e-5)
        assert clf.objective_ >= oracles_maplmg.objective(best, posteriors) - 1e-9
        prior = oracles.class_prior(counts, ess)
        spodes = [oracles.spode_posteriors(counts, row, ess) for row in new[1]]
        assert_proba(clf, new, [oracles.mixture(clf.weights_, said, prior) for said in spodes], 1e-11)


@given(st.integers(0, 10**6), st.sampled_from([1, 4]), st.sampled_from([0.0, 0.2]), st.sampled_from([0, 7]))
@settings(max_examples=25)
def test_comp_nb_is_a_mean_over_the_subsets_that_were_met(seed, ess, unknown, random_state):
    """The answers are the normalised geometric mean of the posteriors of all models, which is a theorem."""
    ((X, y, rows, counts), new), k = next(problems(seed, 1, unknown)), 4
    clf = CompressionNB(ess=float(ess), missing="marginalize", random_state=random_state).fit(X, y)
    n_states = [len(column.categories) for column in X.dtypes]
    scores = oracles_averages.subset_scores(rows, y.tolist(), n_states, 3, ess)
    # ⌈log₂(30 · 4)⌉ + 1 searches, in orders by the ranks of consecutive numbers.
    ranks = [oracles_logpool.row_rank(random_state, number) for number in range(8 * k)]
    orders = [sorted(range(k), key=lambda j, t=t: ranks[t * k + j]) for t in range(8)]
    met = oracles_averages.evaluated_subsets(scores, orders)
    assert clf.n_models_ == len(met)
    np.testing.assert_allclose(clf.weights_, oracles_averages.feature_weights(scores, met, k), atol=1e-9)
    pi = oracles_averages.coefficients(scores, met)
    expected = [oracles_averages.geometric_mean(counts, row, pi, ess) for row in new[1]]
    assert_proba(clf, new, expected, 1e-8)


def encoded_tables(seed, n_classes):
    """Yield mixed tables with missing cells: the rows to learn from and to classify, and both encoded."""
    rng = np.random.default_rng(seed)
    kinds = ["numeric", "categorical", "categorical"]
    for _ in range(4):
        frame, y, raw = mixed_table(rng, n_classes=n_classes)
        classes, labels = np.unique(y[:30], return_inverse=True)
        encoded = oracles.encode_table(raw[:30], raw[30:], kinds, [None] * 3, labels.tolist(), len(classes))
        yield frame[:30], labels, frame[30:], encoded


@pytest.mark.parametrize(("s", "contamination"), [(1.0, 0.0), (2.0, 0.0), (1.0, 0.2)])
def test_ncc_has_the_sets_of_a_grid_of_priors(s, contamination):
    for X, y, new, encoded in encoded_tables(50, 3):
        clf = NaiveCredal(s=s, contamination=contamination).fit(X, y)
        assert clf.features_.tolist() == X.columns[encoded.kept].tolist()
        counts = oracles.count_tables(encoded.train_codes, y.tolist(), encoded.n_states, len(clf.classes_))
        for row, proba, found in zip(
            encoded.test_codes, clf.predict_proba(new), clf.predict_set(new), strict=True
        ):
            posterior = oracles_naive.naive_posterior(counts, row)
            cells, n_c = oracles_naive.known_cells(counts, row), [float(n) for n in counts.n_c]
            margins = oracles_naive.ncc_margins(n_c, cells, s, contamination)
            expected = oracles_naive.set_of_margins(margins)
            expected[posterior.index(max(posterior))] = True
            assert found.tolist() == expected
            np.testing.assert_allclose(proba, [float(p) for p in posterior], rtol=1e-10)


def test_ncc2_has_the_sets_of_all_completions():
    rng = np.random.default_rng(55)
    for _ in range(15):
        codes, labels, n_states, _ = varied_problem(rng, n=9, k=2, n_classes=2, unknown=0.06)
        new = rng.integers(0, n_states[:, None] + 1, (2, 6))
        train, rows = (
            [[oracles_ncc2.ANY if cell is None else cell for cell in row] for row in as_rows(one, n_states)]
            for one in (codes, new)
        )
        if sum(row.count(oracles_ncc2.ANY) for row in train) > 3:
            continue  # too many completions
        clf = NaiveCredal(conservative_features="all").fit(frame_of(codes, n_states), labels)
        answers = zip(rows, clf.predict_set(frame_of(new, n_states)), strict=True)
        for row, found in answers:
            margins = oracles_ncc2.margins(train, labels.tolist(), row, n_states.tolist(), 2)
            if not oracles_naive.is_close_call(margins):
                assert found.tolist() == oracles_naive.set_of_margins(margins)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cma_averages_over_all_models(n_classes):
    for X, y, new, encoded in encoded_tables(60, n_classes):
        clf, k = CredalModelAveraging().fit(X, y), len(encoded.n_states)
        answers = zip(clf.predict_proba(new), clf.predict_set(new), clf.predict_interval(new), strict=True)
        for row, (proba, found, bounds) in zip(encoded.test_codes, answers, strict=True):
            models = oracles_naive.cma_models(
                encoded.train_codes, y.tolist(), row, encoded.n_states, len(clf.classes_)
            )
            np.testing.assert_allclose(proba, oracles_naive.cma_posterior(models, [0.5] * k), rtol=1e-8)
            assert found.tolist() == oracles_naive.set_of_margins(oracles_naive.cma_margins(models, 0.01))
            exact = oracles_naive.cma_corner_bounds(models, 0.01)
            assert (bounds[:, 0] <= exact[:, 0] + 1e-10).all()
            assert (bounds[:, 1] >= exact[:, 1] - 1e-10).all()
            if n_classes == 2:
                np.testing.assert_allclose(bounds, exact, rtol=1e-8)
