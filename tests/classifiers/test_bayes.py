"""The null model, naive Bayes and TAN against oracles, scikit-learn and networkx, through the interface."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
import oracles_trees
from codes import codes_of
from paper_data import load_paper_dataset
from problems import as_rows
from skcredal import AODE, TAN, NaiveBayes, NullClassifier
from table_limits import limited_to
from table_problems import as_weights, random_table

CLASSIFIERS = [NullClassifier, NaiveBayes, TAN]
TEN = [
    "anneal",
    "hayes_roth",
    "hepatitis",
    "iris",
    "labor",
    "liver_disorders",
    "lymph",
    "monks1",
    "nursery",
    "zoo",
]


@parametrize_with_checks([NullClassifier(), NaiveBayes(), TAN(), TAN(missing="marginalize", n_jobs=2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


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


@pytest.mark.parametrize("name", TEN)
def test_the_whole_chain_runs_on_the_paper_data(name):
    data = load_paper_dataset(name)
    rows = np.random.default_rng(0).permutation(len(data.target))
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    X, y = data.features.iloc[train], data.target.iloc[train]
    fitted = [classifier().fit(X, y) for classifier in CLASSIFIERS]
    X_test, y_test = data.features.iloc[test], data.target.iloc[test].to_numpy()
    for clf in fitted:
        np.testing.assert_allclose(clf.predict_proba(X_test).sum(axis=1), 1.0)
    accuracies = [(clf.predict(X_test) == y_test).mean() for clf in fitted]
    assert min(accuracies[1:]) > accuracies[0] - 0.1
    tan = fitted[2]
    n_states, k = tan._encoding.n_states, len(tan.features_)
    counts = oracles.count_tables(
        as_rows(codes_of(tan, X), n_states),
        np.searchsorted(tan.classes_, y.to_numpy()).tolist(),
        n_states.tolist(),
        len(tan.classes_),
    )
    information = {pair: oracles_trees.mutual_information(counts, *pair) for pair in oracles_trees.pairs(k)}
    tree = oracles_trees.spanning_tree(information, k)
    assert tan.mutual_information_.sum() == pytest.approx(sum(information[e] for e in tree), rel=1e-9)
    names = tan.features_.tolist()
    parent = [None] * k
    for i, j in tan.tree_:
        parent[names.index(j)] = names.index(i)
    proba = [clf.predict_proba(X_test.iloc[:10]) for clf in fitted[1:]]
    for r, row in enumerate(as_rows(codes_of(tan, X_test.iloc[:10]), n_states)):
        for p, network in zip(proba, ([None] * k, parent), strict=True):
            wanted = [float(q) for q in oracles_trees.network_posterior(counts, network, row)]
            np.testing.assert_allclose(p[r], wanted, rtol=1e-9)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_weight_is_so_many_rows_and_their_order_is_nothing(classifier):
    rng = np.random.default_rng(73)
    for unknown in (0.0, 0.2):
        for _ in range(20):
            problem = random_table(rng, unknown=unknown, weighting="integer")
            clf = classifier(missing=problem.missing).fit(problem.X, problem.y, problem.weights)
            expected = clf.predict_proba(problem.X_new)
            repeated = np.repeat(np.arange(len(problem.y)), problem.weights)
            for order in (repeated, rng.permutation(repeated)):
                other = classifier(missing=problem.missing).fit(problem.X.iloc[order], problem.y[order])
                np.testing.assert_array_equal(other.predict_proba(problem.X_new), expected)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_names_of_the_classes_do_not_matter(classifier):
    rng = np.random.default_rng(74)
    reverse = dict(zip("wxyz", "zyxw", strict=True))
    for _ in range(20):
        problem = random_table(rng)
        clf = classifier().fit(problem.X, problem.y)
        mirrored = classifier().fit(problem.X, [reverse[c] for c in problem.y])
        assert getattr(clf, "tree_", None) == getattr(mirrored, "tree_", None)
        np.testing.assert_allclose(
            clf.predict_proba(problem.X_new), mirrored.predict_proba(problem.X_new)[:, ::-1], rtol=1e-11
        )


def test_one_feature_makes_naive_bayes_tan_and_aode_alike():
    rng = np.random.default_rng(75)
    for _ in range(10):
        problem = random_table(rng, k=1, n=30)
        proba = [
            clf.fit(problem.X, problem.y).predict_proba(problem.X) for clf in (NaiveBayes(), TAN(), AODE())
        ]
        np.testing.assert_allclose(proba[0], proba[1], rtol=1e-12)
        np.testing.assert_allclose(proba[0], proba[2], rtol=1e-12)


def test_numbers_are_cut_and_columns_without_names_have_indices():
    rng = np.random.default_rng(76)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y + rng.normal(size=200), rng.normal(size=200), -2.0 * y + rng.normal(size=200)])
    clf = TAN().fit(X, y)
    assert clf.features_.tolist() == [0, 2]
    assert clf.tree_ == [(0, 2)]
    assert (clf.predict(X) == y).mean() > 0.8
    assert (NaiveBayes().fit(X, y).predict(X) == y).mean() > 0.8


def test_the_null_model_answers_the_class_probabilities_whatever_the_row():
    X = pd.DataFrame({"colour": ["red", "red", "green", "yellow"], "size": [1.0, None, 3.0, 4.0]})
    clf = NullClassifier(ess=2.0).fit(X, ["b", "b", "b", "a"])
    np.testing.assert_allclose(clf.prior_, [2.0 / 6.0, 4.0 / 6.0])
    new = pd.DataFrame({"colour": ["blue", None], "size": [None, 1e9]})
    np.testing.assert_array_equal(clf.predict_proba(new), [clf.prior_] * 2)
    assert clf.predict(new).tolist() == ["b", "b"]


def test_the_first_class_wins_a_tie():
    X = [["a"], ["b"], ["a"], ["b"]]
    for classifier in CLASSIFIERS:
        clf = classifier().fit(X, ["z", "y", "y", "z"])
        assert clf.predict(X).tolist() == ["y"] * 4


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_an_ess_that_is_not_positive_is_refused(classifier):
    with pytest.raises(ValueError, match=r"ess must lie in \[1e-6, 1e6\], got 0"):
        classifier(ess=0.0).fit([["a"], ["b"]], [0, 1])
    with pytest.raises(TypeError, match="ess must be a real number"):
        classifier(ess="1").fit([["a"], ["b"]], [0, 1])


def test_pair_tables_beyond_the_limit_are_refused():
    X = np.random.default_rng(77).integers(0, 5, (50, 6)).astype(str)
    y = np.arange(50) % 2
    with limited_to(1000):
        with pytest.raises(ValueError, match="pair tables"):
            TAN().fit(X, y)
        NaiveBayes().fit(X, y)
