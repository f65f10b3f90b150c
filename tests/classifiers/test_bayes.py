"""The null model, naive Bayes and TAN against oracles, scikit-learn and networkx, through the interface."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB

import oracles
import oracles_trees
from skcredal import TAN, NaiveBayes, NullClassifier
from table_problems import as_weights, random_table

CLASSIFIERS = [NullClassifier, NaiveBayes, TAN]


@pytest.mark.parametrize("unknown", [0.0, 0.25])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_answers_are_products_of_fractions(unknown, weighting):
    """Random tables: no feature, one feature, one class, constant columns, foreign states, copies."""
    rng = np.random.default_rng(70)
    for _ in range(40):
        problem = random_table(rng, unknown=unknown, weighting=weighting)
        counts, k = problem.counts(), len(problem.kept)
        ess = int(rng.integers(1, 4))
        fitted = [
            classifier(ess=ess, missing=problem.missing).fit(problem.X, problem.y, **as_weights(problem))
            for classifier in CLASSIFIERS
        ]
        none = [None] * k
        parent = none.copy()
        for i, j in fitted[2].tree_:
            assert parent[problem.kept.index(j)] is None
            parent[problem.kept.index(j)] = problem.kept.index(i)
        assert len(fitted[2].tree_) == len(fitted[2].mutual_information_) == max(k - 1, 0)
        proba = [clf.predict_proba(problem.X_new) for clf in fitted]
        for r, row in enumerate(problem.rows_new):
            expected = [
                oracles.class_prior(counts, ess),
                oracles_trees.network_posterior(counts, none, row, ess),
                oracles_trees.network_posterior(counts, parent, row, ess),
            ]
            for p, wanted in zip(proba, expected, strict=True):
                np.testing.assert_allclose(p[r], [float(q) for q in wanted], rtol=1e-11)
        for clf in fitted:
            assert clf.classes_.tolist() == problem.classes.tolist()
            assert clf.features_.tolist() == problem.kept
            assert clf.counts_.n == float(sum(counts.n_c))


@pytest.mark.parametrize("weighting", ["none", "real"])
def test_naive_bayes_is_that_of_scikit_learn(weighting):
    """With as many states in each feature, the BDeu pseudo-counts are the same for all."""
    rng = np.random.default_rng(71)
    for _ in range(20):
        n, k, v, n_classes = 50, 4, 3, int(rng.integers(2, 5))
        y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
        X = np.where(rng.random((n, k)) < 0.4, y[:, None] % v, rng.integers(0, v, (n, k)))
        weights = rng.random(n) + 0.1 if weighting == "real" else None
        ess = float(rng.uniform(0.2, 5.0))
        n_c = np.bincount(y, weights)
        reference = CategoricalNB(
            alpha=ess / (n_classes * v),
            class_prior=(n_c + ess / n_classes) / (n_c.sum() + ess),
            min_categories=v,
        ).fit(X, y, weights)
        clf = NaiveBayes(ess=ess, categorical_features="all", categories=[range(v)] * k).fit(X, y, weights)
        np.testing.assert_allclose(clf.predict_proba(X), reference.predict_proba(X), rtol=1e-11)


@pytest.mark.parametrize("unknown", [0.0, 0.25])
def test_the_tree_is_that_of_networkx(unknown):
    rng = np.random.default_rng(72)
    n_distinct = 0
    for _ in range(40):
        problem = random_table(rng, k=6, n=60, unknown=unknown, weighting="real")
        k, counts = len(problem.kept), problem.counts()
        information = {
            pair: oracles_trees.mutual_information(counts, *pair) for pair in oracles_trees.pairs(k)
        }
        clf = TAN(missing=problem.missing).fit(problem.X, problem.y, **as_weights(problem))
        edges = [(problem.kept.index(i), problem.kept.index(j)) for i, j in clf.tree_]
        found = {(min(edge), max(edge)) for edge in edges}
        tree = oracles_trees.spanning_tree(information, k)
        weight = sum(information[edge] for edge in tree)
        assert sum(information[edge] for edge in found) == pytest.approx(weight, abs=1e-10)
        np.testing.assert_allclose(
            clf.mutual_information_, [information[min(e), max(e)] for e in edges], atol=1e-12
        )
        if (np.diff(sorted(information.values())) > 1e-9).all():
            n_distinct += 1
            assert found == tree
            parent = oracles_trees.parents_from(tree, k)
            assert {(parent[j], j) for j in range(1, k)} == set(edges)
    assert n_distinct > 10


def test_the_null_model_answers_the_class_probabilities_whatever_the_row():
    X = pd.DataFrame({"colour": ["red", "red", "green", "yellow"], "size": [1.0, None, 3.0, 4.0]})
    clf = NullClassifier(ess=2.0).fit(X, ["b", "b", "b", "a"])
    np.testing.assert_allclose(clf.prior_, [2.0 / 6.0, 4.0 / 6.0])
    new = pd.DataFrame({"colour": ["blue", None], "size": [None, 1e9]})
    np.testing.assert_array_equal(clf.predict_proba(new), [clf.prior_] * 2)
    assert clf.predict(new).tolist() == ["b", "b"]
