"""Learning batch by batch, without the rows from before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import skcredal
from messy_tables import messy_table, seeds, split
from same_models import assert_same_model, fitted
from skcredal import AODE, TAN, BmaAODE, CredalModelAveraging, NaiveBayes, NaiveCredal, NullClassifier

LEARNERS = [
    NullClassifier(),
    NaiveBayes(),
    TAN(),
    AODE(),
    AODE(average="joint"),
    NaiveCredal(),
    NaiveCredal(conservative_features="all"),
    CredalModelAveraging(),
    BmaAODE(likelihood="marginal"),
]


@given(
    seed=seeds,
    learner=st.sampled_from(LEARNERS),
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    missing=st.sampled_from(["impute", "marginalize"]),
    max_categories=st.sampled_from([None, 2]),
)
@settings(max_examples=100)
def test_with_the_encoding_of_all_rows_the_model_is_that_of_fit(
    seed, learner, weighting, missing, max_categories
):
    """The first batch has every row, and so decides what all rows would."""
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    weights = np.ones(len(y)) if weights is None else weights + 1.0
    # Numbers as categories: their cuts depend on how much weight there is.
    clf = clone(learner).set_params(missing=missing, max_categories=max_categories)
    clf.set_params(categorical_features="all")
    expected = fitted(lambda: clone(clf).fit(X, y, 2 * weights))
    model = fitted(lambda: clone(clf).partial_fit(X, y, np.unique(y), weights))
    for part, labels, *more in split(rng, X, y, weights):
        if len(part):
            fitted(lambda part=part, labels=labels, more=more: model.partial_fit(part, labels, None, *more))
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)


def test_later_batches_may_lack_classes_and_new_states_are_unknown():
    clf = AODE().partial_fit([["a", "p"], ["b", "q"]], ["x", "y"], classes=["z", "x", "y"])
    assert clf.classes_.tolist() == ["x", "y", "z"]
    clf.partial_fit([["b", "q"], ["a", "q"]], ["z", "z"])
    with pytest.warns(UserWarning, match=r"Feature 0: .* categories="):
        clf.partial_fit([["c", "p"]], ["y"], classes=["x", "y", "z"])
    assert clf.counts_.n_c.tolist() == [1, 2, 2]
    assert clf.counts_.values(0).tolist() == [[1, 0, 1], [0, 1, 1]]
    clf.partial_fit([["b", "q"]], ["x"], sample_weight=[0])  # a batch without weight is accepted
    assert clf.counts_.n_c.tolist() == [1, 2, 2]
    clf.fit([["c", "p"], ["d", "p"]], [2, 3])
    with pytest.warns(UserWarning, match="fit learned is forgotten"):
        clf.partial_fit([["e", "p"]], [2])
    assert clf.counts_.n_c.tolist() == [1, 0]
    declared = AODE(categories=[["a", "b", "c"], ["p", "q"]])
    declared.partial_fit([["a", "p"], ["b", "q"]], [0, 1], [0, 1]).partial_fit([["c", "p"]], [1])
    assert declared.counts_.values(0).tolist() == [[1, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("begun", "arguments", "message"),
    [
        (False, ([["a"]], [0]), "classes must be passed on the first call"),
        (False, ([["a"]], [2], [0, 1]), r"y must contain only the classes \[0, 1\], got class 2"),
        (False, ([["a"]], [0], [0, 1], [0.0]), "only zeros"),
        (True, ([["a"]], [0], [0, 1, 2]), "not the same as on last call"),
        (True, ([["a", "b"]], [0]), "2 features"),
        (True, ([["foreign"]], [0]), r"Feature 0 must contain only known states.*'foreign'"),
    ],
)
@pytest.mark.filterwarnings("ignore:Feature 0. some values did not occur")
def test_a_bad_batch_leaves_the_model_as_it_was(begun, arguments, message):
    clf = AODE(categories=[["a", "b"]], handle_unknown="error")
    before = vars(clf.partial_fit([["a"], ["b"]], [0, 1], [0, 1]) if begun else clf).copy()
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(*arguments)
    assert vars(clf) == before


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_saved_model_goes_on(learner, tmp_path):
    X, y = [["a", "p"], ["b", "q"], ["b", "p"]], [0, 1, 1]
    kept = clone(learner).partial_fit(X, y, [0, 1])
    skcredal.save(kept, tmp_path / "model")
    loaded = skcredal.load(tmp_path / "model")
    for clf in (kept, loaded):
        clf.partial_fit(X[:2], y[:2])
    assert_same_model(loaded, kept)
    np.testing.assert_array_equal(loaded.predict_proba(X), kept.predict_proba(X))


def test_only_what_counts_suffice_for_is_learned_so():
    have = {
        name
        for name in skcredal.__all__
        if hasattr(made := getattr(skcredal, name), "fit") and hasattr(made(), "partial_fit")
    }
    named = "NullClassifier NaiveBayes TAN AODE NaiveCredal CredalModelAveraging"
    assert have == set(named.split())
    assert hasattr(BmaAODE(likelihood="marginal"), "partial_fit")
