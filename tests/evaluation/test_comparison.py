"""Differences between classifiers: baycomp as the judge of the test, and plain words."""

import numpy as np
import pytest

from skcredal.evaluation._comparison import against_best, correlated_t_test, in_words


@pytest.mark.parametrize(("runs", "folds"), [(1, 10), (1, 2), (3, 5), (10, 10)])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_baycomp(runs, folds, seed):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.6, 0.9, runs * folds)
    b = a - rng.normal(0.02, 0.02, runs * folds)
    expected, _, _ = baycomp.two_on_single(a, b, rope=0.01, runs=runs)
    assert correlated_t_test(a - b, folds=folds) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("difference", "expected"), [(0.02, 1.0), (0.005, 0.0), (-0.3, 0.0)])
def test_equal_differences_leave_no_doubt(difference, expected):
    assert correlated_t_test(np.full(10, difference), folds=10) == expected
    # Rounding alone makes them differ.
    noisy = (0.7 + np.linspace(0, 0.1, 10) + difference) - (0.7 + np.linspace(0, 0.1, 10))
    assert correlated_t_test(noisy, folds=10) == expected


def test_words_are_about_the_row_itself():
    words = [in_words(p) for p in (0.1, 0.7499, 0.75, 0.9499, 0.95, 1.0)]
    assert words == ["no clear difference"] * 2 + ["probably worse"] * 2 + ["worse"] * 2
    rng = np.random.default_rng(3)
    base, spread = rng.uniform(0.6, 0.9, 10), rng.permutation(np.linspace(-0.03, 0.03, 10))
    gaps = {"best": 0.0, "near": 0.008, "middling": 0.026, "far": 0.2}
    utilities = {name: base - gap + (gap > 0) * spread for name, gap in gaps.items()}
    found = against_best(utilities, np.full(10, 20), folds=10)
    assert list(found.values()) == ["best", "no clear difference", "probably worse", "worse"]


def test_every_row_counts_the_same_and_equals_are_all_the_best():
    # By the mean of the folds the second would be the best.
    found = against_best({"a": np.array([0.9, 0.1]), "b": np.array([0.6, 0.5])}, np.array([9, 1]), folds=2)
    assert found["a"] == "best" != found["b"]
    equal = {"a": np.array([0.5, 0.7]), "b": np.array([0.7, 0.5]), "c": np.array([0.1, 0.2])}
    found = against_best(equal, np.array([5, 5]), folds=2)
    assert [found["a"], found["b"]] == ["best", "best"]
    assert found["c"] != "best"
