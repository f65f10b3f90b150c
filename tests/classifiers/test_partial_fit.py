"""Learning batch by batch, without the rows from before."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from messy_tables import messy_table, seeds, split
from same_models import assert_same_model, fitted
from skcredal import AODE, BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE
from skcredal.scale import fit_batches
from table_limits import limited_to


def in_batches(clf, batches, classes):
    for X, y, *weights in batches:
        if len(X):
            clf.partial_fit(X, y, classes if not hasattr(clf, "classes_") else None, *weights)
    return clf


@given(
    seed=seeds,
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    missing=st.sampled_from(["impute", "marginalize"]),
    max_categories=st.sampled_from([None, 2]),
    declared=st.booleans(),
)
@settings(max_examples=100)
def test_the_model_is_that_of_all_batches(seed, weighting, missing, max_categories, declared):
    """Numbers are categories here, since their cuts come from the first batch."""
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    X = X.drop(columns=["nothing"], errors="ignore")
    if weights is not None:
        weights = weights + 1  # a batch of zeros is refused
    if X.shape[1] == 0:
        return
    categories = "auto"
    if declared:
        encoding = fitted(lambda: AODE(categorical_features="all").fit(X, y))._encoding
        categories = [[*feature.states[1:], "foreign", *feature.states[:1]] for feature in encoding.features]
    clf = AODE(
        categorical_features="all", missing=missing, max_categories=max_categories, categories=categories
    )
    expected = fitted(lambda: clone(clf).fit(X, y, weights))
    batches = split(rng, X, y, weights)
    rng.shuffle(batches)
    model = fitted(lambda: in_batches(clone(clf), batches, np.unique(y)))
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-12)


def test_numbers_keep_the_cuts_of_the_first_batch():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame({"x": y + rng.normal(size=300), "z": rng.integers(0, 3, 300).astype(str)})
    X.loc[::7, "x"] = np.nan
    for missing in ("impute", "marginalize"):
        clf = AODE(missing=missing).partial_fit(X[:200], y[:200], [0, 1])
        assert_same_model(clf, AODE(missing=missing).fit(X[:200], y[:200]))
        cuts = clf._encoding.features[0].cuts
        assert len(cuts) > 0
        clf.partial_fit(X[200:], y[200:])
        np.testing.assert_array_equal(clf._encoding.features[0].cuts, cuts)
        assert clf.counts_.n == 300
        codes = clf._encode(X)
        for c in (0, 1):
            for a in range(len(cuts) + 1):
                assert clf.counts_.values(0)[a, c] == np.sum((codes[0] == a) & (y == c))


def test_later_batches_may_lack_classes_and_bring_new_states():
    clf = AODE().partial_fit([["a", "p"]], ["x"], classes=["z", "x", "y"])
    assert clf.classes_.tolist() == ["x", "y", "z"]
    assert len(clf.super_parents_) == 0  # nothing is known to vary yet
    clf.partial_fit([["b", "q"], ["a", "q"]], ["z", "z"])
    clf.partial_fit([["c", "p"]], ["y"], classes=["x", "y", "z"])
    assert clf.super_parents_.tolist() == [0, 1]
    assert clf.counts_.values(0).tolist() == [[1, 0, 1], [0, 0, 1], [0, 1, 0]]
    assert clf.predict([["b", "q"]]) == ["z"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([["a"]], [0]), "classes must be passed on the first call"),
        (([["a"]], [2], [0, 1]), r"y must hold only the classes \[0, 1\], got 2"),
        (([["a"]], [0], [0, 1], [0.0]), "only zeros"),
        (([[np.inf]], [0], [0, 1]), "infinity"),
    ],
)
def test_a_bad_first_batch_leaves_nothing_behind(arguments, message):
    clf = AODE()
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(*arguments)
    assert vars(clf) == vars(AODE())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([["a"]], [0], [0, 1, 2]), "must be the same as in the first call"),
        (([["a", "b"]], [0]), "2 features"),
        (([["foreign"]], [0]), r"Feature 0 must hold only known states.*'foreign'"),
        (([["a"]], [None]), "missing value"),
    ],
)
def test_a_bad_batch_leaves_the_model_as_it_was(arguments, message):
    clf = AODE(categories=[["a", "b"]], handle_unknown="error").partial_fit([["a"], ["b"]], [0, 1], [0, 1])
    before = vars(clf).copy()
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(*arguments)
    assert vars(clf) == before


def test_a_column_of_text_does_not_turn_into_numbers():
    text, numbers = pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": [1.5, 2.5]})
    clf = AODE().partial_fit(text, [0, 1], classes=[0, 1])
    before = vars(clf).copy()
    with pytest.raises(ValueError, match=r"Column 'a' must hold the same kind of values .* after text"):
        clf.partial_fit(numbers, [0, 1])
    assert vars(clf) == before
    clf.partial_fit(pd.DataFrame({"a": [np.nan, np.nan]}), [0, 0])  # how pandas reads an empty column
    assert clf.counts_.n_c.tolist() == [3, 1]
    wished = AODE(categorical_features="all").partial_fit(text, [0, 1], classes=[0, 1])
    assert wished.partial_fit(numbers, [0, 1]).counts_.layout.n_states.tolist() == [4]


def test_fit_forgets_the_batches_and_batches_forget_fit():
    clf = AODE().partial_fit([["a"], ["b"]], [0, 1], classes=[0, 1])
    clf.fit([["c"], ["d"]], [2, 3])
    assert clf.classes_.tolist() == [2, 3]
    with pytest.warns(UserWarning, match="what fit learned is forgotten"):
        clf.partial_fit([["e"]], [2])
    assert clf.counts_.n_c.tolist() == [1, 0]
    fit_batches(clf, [([["g"], ["h"]], [6, 7])])
    with pytest.warns(UserWarning, match="what fit learned is forgotten"):
        clf.partial_fit([["e"], ["f"], ["f"]], [4, 5, 5], classes=[4, 5])
    assert clf.counts_.n_c.tolist() == [1, 2]


def test_tables_that_grow_too_large_are_refused():
    clf = AODE().partial_fit([["a", "b"]], [0], classes=[0, 1])
    before = vars(clf).copy()
    many = [[f"s{r}", f"t{r}"] for r in range(40)]
    with limited_to(10_000), pytest.raises(ValueError, match=r"Feature 0 \(42 states\)"):
        clf.partial_fit(many, [0] * 40)
    assert vars(clf) == before


def test_weights_that_need_the_likelihoods_of_all_rows_are_not_learned_so():
    for learner in (BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE):
        assert not hasattr(learner(), "partial_fit")
