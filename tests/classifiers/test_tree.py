"""The credal tree against oracles and properties, through the public interface."""

import inspect
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from skcredal import CredalTree


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
    assert clf.export_text(max_depth=0) == "|--- truncated branch of depth 2"
    assert CredalTree().fit(X[["noise"]], ["x", "y"] * 20).export_text() == "|--- classes: x, y"
    with pytest.raises(ValueError, match="max_depth"):
        clf.export_text(max_depth=-1)


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
