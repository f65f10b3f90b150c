"""The credal tree against oracles and properties, through the public interface."""

import inspect
import pickle
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles_trees
from codes import codes_of
from paper_data import load_paper_dataset
from problems import as_rows
from skcredal import CredalTree
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal.classifiers._tree import state_texts
from table_problems import as_weights, random_table

TEN = [
    "breast_w",
    "cmc",
    "glass",
    "hayes_roth",
    "hepatitis",
    "iris",
    "labor",
    "liver_disorders",
    "nursery",
    "zoo",
]


@parametrize_with_checks(
    [CredalTree(), CredalTree(criterion="interval_dominance", missing="marginalize", n_jobs=2)]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def assert_same_tree(clf, expected):
    """Compare the fitted tree with the oracle's, node by node; states are called by their codes."""
    tree, names = clf.tree_, clf.features_.tolist()
    todo, n_nodes = [(0, expected)], 0
    while todo:
        index, wanted = todo.pop()
        node = tree.node(index)
        n_nodes += 1
        assert node.feature == (None if wanted.feature is None else names[wanted.feature])
        assert node.counts.tolist() == [float(count) for count in wanted.counts]
        states = [] if wanted.feature is None else tree.states[wanted.feature]
        assert list(node.children) == [states[a] for a in wanted.children]
        todo += zip(node.children.values(), wanted.children.values(), strict=True)
    assert n_nodes == tree.n_nodes


@pytest.mark.parametrize("unknown", [0.0, 0.25])
@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
def test_tree_sets_and_bounds_are_those_of_the_definitions(unknown, weighting):
    """Random tables: no feature, one feature, one class, constant columns, foreign states, copies."""
    rng = np.random.default_rng(80)
    for _ in range(40):
        problem = random_table(rng, unknown=unknown, weighting=weighting)
        s = float(rng.choice([0.5, 1.0, 2.0]))
        clf = CredalTree(s=s, missing=problem.missing).fit(problem.X, problem.y, **as_weights(problem))
        expected = oracles_trees.grow(
            problem.rows, problem.labels, len(problem.kept), problem.n_classes, s, problem.weights
        )
        assert_same_tree(clf, expected)
        assert clf.features_.tolist() == problem.kept
        assert clf.counts_.n == float(sum(expected.counts))
        proba, interval = clf.predict_proba(problem.X_new), clf.predict_interval(problem.X_new)
        sets, nodes = clf.predict_set(problem.X_new), clf.apply(problem.X_new)
        for r, row in enumerate(problem.rows_new):
            n_c = oracles_trees.answering_node(expected, row).counts
            assert clf.tree_.counts[nodes[r]].tolist() == [float(n) for n in n_c]
            total = float(sum(n_c)) + s
            np.testing.assert_allclose(proba[r], [(float(n) + s / len(n_c)) / total for n in n_c], rtol=1e-13)
            np.testing.assert_allclose(interval[r], oracles_trees.idm_bounds(n_c, s), rtol=1e-13)
            assert sets[r].tolist() == oracles_trees.idm_set(n_c, s)


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32 - 1), s=st.sampled_from([0.1, 1.0, 2.5]))
def test_sets_hold_the_reference_and_bounds_hold_its_probability(seed, s):
    rng = np.random.default_rng(seed)
    problem = random_table(rng, weighting="real", unknown=float(rng.choice([0.0, 0.2])))
    clf = CredalTree(s=s, missing=problem.missing).fit(problem.X, problem.y, problem.weights)
    reference = clf._evidence(clf._encode(problem.X_new)).reference
    sets, proba = clf.predict_set(problem.X_new), clf.predict_proba(problem.X_new)
    interval = clf.predict_interval(problem.X_new)
    np.testing.assert_array_equal(reference, proba)
    assert sets[np.arange(len(sets)), proba.argmax(axis=1)].all()
    assert (interval[..., 0] <= proba).all()
    assert (proba <= interval[..., 1]).all()
    assert (interval >= 0.0).all()
    assert (interval <= 1.0).all()
    wide = CredalTree(s=s, missing=problem.missing, criterion="interval_dominance")
    np.testing.assert_array_equal(
        wide.fit(problem.X, problem.y, problem.weights).predict_set(problem.X_new), sets
    )


def test_a_weight_is_so_many_rows_and_their_order_is_nothing():
    rng = np.random.default_rng(81)
    for unknown in (0.0, 0.2):
        for _ in range(25):
            problem = random_table(rng, unknown=unknown, weighting="integer")
            clf = CredalTree(missing=problem.missing).fit(problem.X, problem.y, problem.weights)
            repeated = np.repeat(np.arange(len(problem.y)), problem.weights)
            for order in (repeated, rng.permutation(repeated)):
                other = CredalTree(missing=problem.missing).fit(problem.X.iloc[order], problem.y[order])
                for name in ("feature", "depths", "counts", "parent", "value"):
                    np.testing.assert_array_equal(getattr(other.tree_, name), getattr(clf.tree_, name))


def test_the_names_of_the_classes_do_not_matter():
    rng = np.random.default_rng(82)
    reverse = dict(zip("wxyz", "zyxw", strict=True))
    for _ in range(40):
        problem = random_table(rng, weighting="real")
        clf = CredalTree().fit(problem.X, problem.y, problem.weights)
        mirrored = CredalTree().fit(problem.X, [reverse[c] for c in problem.y], problem.weights)
        np.testing.assert_array_equal(clf.tree_.feature, mirrored.tree_.feature)
        np.testing.assert_array_equal(
            clf.predict_set(problem.X_new), mirrored.predict_set(problem.X_new)[:, ::-1]
        )


def test_of_two_equal_columns_the_first_splits():
    column = ["a"] * 5 + ["b"] * 5
    X = pd.DataFrame({"noise": ["u", "v"] * 5, "first": column, "second": column})
    clf = CredalTree().fit(X, [0] * 5 + [1] * 5)
    assert clf.tree_.node(0).feature == "first"
    assert (
        CredalTree().fit(X[["second", "noise", "first"]], [0] * 5 + [1] * 5).tree_.node(0).feature == "second"
    )


def test_a_value_without_a_branch_is_answered_by_the_node():
    """State c is declared but does not occur; d is unknown: the root answers both."""
    X = pd.DataFrame({"kind": pd.Categorical(["a"] * 6 + ["b"] * 4, categories=["a", "b", "c"])})
    y = ["no"] * 6 + ["yes"] * 4
    clf = CredalTree().fit(X, y)
    assert clf.tree_.node(0).children == {"a": 1, "b": 2}
    new = pd.DataFrame({"kind": ["a", "b", "c", "d"]})
    assert clf.apply(new).tolist() == [1, 2, 0, 0]
    np.testing.assert_allclose(clf.predict_proba(new)[2:], [[6.5 / 11, 4.5 / 11]] * 2)
    assert clf.predict_set(new).tolist() == [[True, False], [False, True], [True, False], [True, False]]
    assert CredalTree(s=2.0).fit(X, y).predict_set(new)[3].tolist() == [True, True]
    with pytest.raises(ValueError, match="known states"):
        CredalTree(handle_unknown="error").fit(X, y).predict(new)


def test_missing_values_stay_out_of_the_branches_where_they_are_marginalised():
    X = pd.DataFrame({"kind": ["a"] * 5 + ["b"] * 5 + [None] * 3})
    y = [0] * 5 + [1] * 5 + [1] * 3
    clf = CredalTree(missing="marginalize").fit(X, y)
    assert clf.tree_.counts.tolist() == [[5, 8], [5, 0], [0, 5]]
    assert clf.apply(pd.DataFrame({"kind": [None, "a"]})).tolist() == [0, 1]
    imputed = CredalTree().fit(X, y)
    assert imputed.tree_.counts.tolist() == [[5, 8], [5, 3], [0, 5]]


def test_the_text_shows_bins_states_classes_and_counts():
    rng = np.random.default_rng(83)
    size = np.concatenate([np.linspace(0.0, 1.0, 20), np.linspace(2.0, 3.0, 20)])
    colour = np.array(["red", "green"] * 20)
    y = np.where(size < 1.5, "small", np.where(colour == "red", "apple", "pear"))
    X = pd.DataFrame({"colour": colour, "noise": rng.random(40), "size": size})
    clf = CredalTree().fit(X, y)
    assert clf.export_text(show_counts=True).splitlines() == [
        "|--- size in (-inf, 1.5]",
        "|   |--- class: small (0, 0, 20)",
        "|--- size in (1.5, inf)",
        "|   |--- colour = green",
        "|   |   |--- class: pear (0, 10, 0)",
        "|   |--- colour = red",
        "|   |   |--- class: apple (10, 0, 0)",
    ]
    assert clf.export_text(max_depth=1).splitlines() == [
        "|--- size in (-inf, 1.5]",
        "|   |--- class: small",
        "|--- size in (1.5, inf)",
        "|   |--- truncated branch of depth 1",
    ]
    assert clf.export_text(max_depth=0) == "|--- truncated branch of depth 2"
    unnamed = CredalTree().fit(X.to_numpy(dtype=object), y)
    assert unnamed.export_text(max_depth=1).startswith("|--- 2 in (-inf, 1.5]")
    assert CredalTree().fit(X[["noise"]], ["x", "y"] * 20).export_text() == "|--- classes: x, y"
    real = CredalTree().fit(X, y, np.full(40, 0.75))
    assert "class: small (0, 0, 15)" in real.export_text(show_counts=True)
    for bad in (-1, 1.5):
        with pytest.raises((TypeError, ValueError), match="max_depth"):
            clf.export_text(max_depth=bad)
    with pytest.raises(NotFittedError):
        CredalTree().export_text()
    with pytest.raises(NotFittedError):
        CredalTree().apply(X)


def test_states_of_the_same_text_are_told_apart():
    close = NumericFeature(np.array([1.0, 1.0 + 1e-9]), np.nan)
    assert state_texts(close) == ["(-inf, 1.0]", "(1.0, 1.000000001]", "(1.000000001, inf)"]
    assert state_texts(CategoricalFeature([1, "1"], np.arange(2), [1, "1"], 2, 0)) == ["0: 1", "1: 1"]
    assert state_texts(CategoricalFeature(["a", "b"], np.arange(2), ["a", "b"], 2, 0)) == ["a", "b"]


def test_nothing_recurses():
    """A chain deeper than the frames that are left: each feature splits one group of rows off the rest."""
    k, size = 240, 12
    group = np.repeat(np.arange(k), size)
    X = (group[:, None] == np.arange(k)).astype(np.uint8)
    y = np.where(np.arange(k) % 2, "odd", "even")[group]
    warm = CredalTree(categorical_features="all").fit(X, y)
    warm.predict_set(X), warm.export_text()
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack()) + 60)
        clf = CredalTree(categorical_features="all").fit(X, y)
        sets, text = clf.predict_set(X), clf.export_text()
        copy = pickle.loads(pickle.dumps(clf.tree_))
    finally:
        sys.setrecursionlimit(limit)
    assert clf.tree_.depth > 100
    assert copy.depth == clf.tree_.depth
    assert text.count("\n") + 1 == 2 * clf.tree_.n_nodes - 1 - (clf.tree_.n_nodes - clf.tree_.n_leaves)
    assert (clf.classes_[sets.argmax(axis=1)] == y).mean() > 0.9


@pytest.mark.parametrize("name", TEN)
def test_trees_of_the_paper_data_are_those_grown_by_recursion(name):
    data = load_paper_dataset(name)
    rows = np.random.default_rng(0).permutation(len(data.target))
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    X, y, X_test = data.features.iloc[train], data.target.iloc[train], data.features.iloc[test]
    clf = CredalTree().fit(X, y)
    n_states = clf._encoding.n_states
    expected = oracles_trees.grow(
        as_rows(codes_of(clf, X), n_states),
        np.searchsorted(clf.classes_, y.to_numpy()).tolist(),
        len(n_states),
        len(clf.classes_),
    )
    assert_same_tree(clf, expected)
    proba, interval, sets = (
        clf.predict_proba(X_test),
        clf.predict_interval(X_test),
        clf.predict_set(X_test),
    )
    for r, row in enumerate(as_rows(codes_of(clf, X_test), n_states)):
        n_c = oracles_trees.answering_node(expected, row).counts
        assert sets[r].tolist() == oracles_trees.idm_set(n_c, 1)
        np.testing.assert_allclose(interval[r], oracles_trees.idm_bounds(n_c, 1), rtol=1e-13)
    assert sets[np.arange(len(test)), proba.argmax(axis=1)].all()
    most_frequent = y.mode()[0]
    accuracy = (clf.predict(X_test) == data.target.iloc[test].to_numpy()).mean()
    assert accuracy >= (data.target.iloc[test] == most_frequent).mean() - 0.1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"s": 0.0}, r"s must lie in \[1e-6, 1e6\]"),
        ({"s": np.inf}, r"s must lie in \[1e-6, 1e6\]"),
        ({"criterion": "all"}, "criterion must be"),
        ({"criterion": "e_admissibility"}, "criterion must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        CredalTree(**parameters).fit([["a"], ["b"]], [0, 1])


def nested_states(n_groups):
    """Return two features of many states, of which the second splits each state of the first in two.

    Every state of the first has six rows of one class and two of the other. The second tells them apart, but
    its own states have as many rows of either class, so that it tells nothing by itself.
    """
    first, cell = np.repeat(np.arange(n_groups), 8), np.tile(np.arange(8), n_groups)
    in_minority = (cell >= 6).astype(int)
    y = in_minority ^ first % 2
    # Four groups share two states: in two of the groups the classes have changed places.
    second = first // 4 * 2 + (y ^ first // 2 % 2)
    return np.stack([first, second], axis=1), y


def test_memory_grows_with_the_nodes_and_not_with_the_square_of_the_states():
    for n_groups in (8, 4000):  # the first compiles
        X, y = nested_states(n_groups)
        tracemalloc.start()
        with warnings.catch_warnings(action="ignore"):
            clf = CredalTree(categorical_features="all").fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert clf.tree_.n_nodes == 1 + 3 * n_groups
        np.testing.assert_array_equal(clf.predict(X), y)
    # A branch for each of 4,000 nodes and 2,000 states would take 64 MB.
    assert peak < 20e6
