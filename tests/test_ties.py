"""Of equally probable classes the first wins, wherever a most probable class is taken (§5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcredal import (
    AODE,
    BmaAODE,
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalModelAveraging,
    NaiveBayes,
    NaiveCredal,
    answers,
)
from skcredal._ties import best_class, most_probable, most_probable_first
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._results import fold_sums

# Some units in the last place: equal up to rounding, but argmax would tell them apart.
ROUNDING = 8e-16


def first_of_the_most_probable(row):
    return next(c for c, p in enumerate(row) if p >= max(row) * (1 - 1e-12))


# Probabilities with many ties: a few values, each off by some rounding.
NEAR_TIES = st.lists(
    st.tuples(st.sampled_from([0.1, 0.25, 0.25 * (1 + 3e-12), 0.4]), st.integers(-2, 2)),
    min_size=1,
    max_size=6,
).map(lambda parts: [p * (1 + ROUNDING * steps) for p, steps in parts])


@given(NEAR_TIES)
def test_the_first_of_equal_classes_comes_first(row):
    proba = np.array([row, row])
    assert best_class(proba).tolist() == [first_of_the_most_probable(row)] * 2
    assert most_probable_first(proba)[:, 0].tolist() == [first_of_the_most_probable(row)] * 2
    assert most_probable(proba)[0].tolist() == [p >= max(row) * (1 - 1e-12) for p in row]


def test_a_difference_beyond_rounding_decides():
    assert best_class(np.array([0.4, 0.4 * (1 + 2e-12)])) == 1
    assert best_class(np.array([0.4, 0.4 * (1 + 5e-13)])) == 0
    assert best_class(np.array([1e-300, 0.0, 1e-300 * (1 + 1e-15)])) == 0  # relative, not absolute
    assert best_class(np.empty((0, 3))).shape == (0,)


def mirrored_rows(seed, *, n=40, k=7, n_states=3):
    """Return rows that stay the same if both are turned round, the features and the classes.

    A row that reads the same in both directions is then exactly as probable in one class as in the other; but
    the sums over the features run in opposite directions, so that their last bits differ.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, n_states, (n, k)), rng.integers(0, 2, n)
    half = rng.integers(0, n_states, (30, k // 2))
    middle = rng.integers(0, n_states, (30, 1))
    palindromes = np.hstack([half, middle, half[:, ::-1]])
    return np.vstack([X, X[:, ::-1]]), np.concatenate([y, 1 - y]), palindromes


# Neither TAN nor CDT is symmetric: of equal edges or splits they take the first. The weights of MAPLMG and
# LP-AODE come from iterations that end before the last digit.
SYMMETRIC = [
    *(AODE(), AODE(average="joint"), BmaAODE(), CompAODE(), NaiveBayes(), NaiveCredal()),
    *(CredalModelAveraging(), CredalBmaAODE(), CredalBmaAODE(criterion="e_admissibility"), CredalCompAODE()),
]


@pytest.mark.parametrize("clf", SYMMETRIC, ids=str)
def test_every_answer_takes_the_first_of_tied_classes(clf):
    told_apart = 0
    for seed in range(6):
        X, y, tied = mirrored_rows(seed)
        clf.set_params(categorical_features="all").fit(X, y)
        proba = clf.predict_proba(tied)
        np.testing.assert_allclose(proba, 0.5, rtol=1e-12)
        told_apart += np.count_nonzero(proba.argmax(axis=1))
        assert not clf.predict(tied).any()
        found = answers(clf, tied)
        assert not found.predicted.any()
        if found.sets is not None:
            assert found.sets[:, 0].all()
            assert clf.predict_set(tied)[:, 0].all()
            # Neither class is ahead of the other under the reference prior.
            assert not (found.robustness if found.robustness is not None else np.zeros(1)).any()
        if hasattr(clf, "explain"):
            explained = clf.explain(tied)
            assert not explained["predicted"].any()
            assert (explained["rival"] == 1).all()
        # The measures, too, take the first class for the answer.
        assert fold_sums(np.zeros(len(tied), int), proba, None, clf.classes_)["correct"] == len(tied)
        assert utility_optimal_sets(proba, utility=lambda m: m == 1).tolist() == [[True, False]] * len(tied)
    assert told_apart > 0, "no last bit was different, so that the test shows nothing"
