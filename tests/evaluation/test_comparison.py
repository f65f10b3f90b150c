"""Differences between classifiers: baycomp as the judge of the test, and plain words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_problems import made_up
from skcredal.evaluation._comparison import WORTHS, compare, correlated_t_test, in_words
from skcredal.evaluation._cross_validation import ranking


def columns(**by_name):
    return {name: np.repeat(np.array(part)[:, None], len(WORTHS), axis=1) for name, part in by_name.items()}


@pytest.mark.parametrize(("runs", "folds"), [(1, 10), (1, 2), (3, 5), (10, 10)])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_baycomp(runs, folds, seed):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.6, 0.9, runs * folds)
    b = a - rng.normal(0.02, 0.02, runs * folds)
    first, equal, second = baycomp.two_on_single(a, b, rope=0.01, runs=runs)
    below, within, above = correlated_t_test(a - b, folds=folds)
    np.testing.assert_allclose([above, within, below], [first, equal, second], atol=1e-10)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.integers(2, 10))
def test_probabilities_add_up_and_do_not_depend_on_who_comes_first(differences, folds):
    found = correlated_t_test(np.array(differences), folds=folds)
    assert sum(found) == pytest.approx(1.0)
    mirrored = correlated_t_test(-np.array(differences), folds=folds)
    assert found == pytest.approx(mirrored[::-1])


@pytest.mark.parametrize(
    ("difference", "expected"), [(0.02, (0, 0, 1)), (0.005, (0, 1, 0)), (-0.3, (1, 0, 0))]
)
def test_equal_differences_leave_no_doubt(difference, expected):
    assert correlated_t_test(np.full(10, difference), folds=10) == expected
    # Rounding alone makes them differ.
    noisy = (0.7 + np.linspace(0, 0.1, 10) + difference) - (0.7 + np.linspace(0, 0.1, 10))
    assert correlated_t_test(noisy, folds=10) == expected


def test_words_for_a_probability():
    words = [in_words(p) for p in (0.1, 0.7499, 0.75, 0.9499, 0.95, 1.0)]
    assert words == ["about equal"] * 2 + ["probably better"] * 2 + ["better"] * 2


def test_the_best_is_compared_with_each_other():
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(3)
    base = rng.uniform(0.6, 0.9, 10)
    gaps = {"near": 0.004, "middling": 0.026, "far": 0.2}
    others = {name: base - gap + rng.normal(0, 0.02, 10) for name, gap in gaps.items()}
    found = compare(columns(best=base, **others), sizes=[20] * 10, folds=10)
    for name, part in others.items():
        better, _, _ = baycomp.two_on_single(base, part, rope=0.01, runs=1)
        assert found.verdicts[name] == [in_words(better)] * len(WORTHS)
    words = [verdict[0] for verdict in found.verdicts.values()]
    assert words == ["best", "about equal", "probably better", "better"]


def test_every_row_counts_the_same_whatever_the_size_of_its_fold():
    # By the mean of the folds the second would be the best.
    found = compare(columns(a=[0.9, 0.1], b=[0.6, 0.5]), sizes=[9, 1], folds=2)
    assert found.utilities["a"][0] == pytest.approx(0.82)
    assert found.verdicts["a"][0] == "best"
    assert found.verdicts["b"][0] != "best"


def test_those_that_are_equally_good_are_all_the_best():
    found = compare(columns(a=[0.5, 0.7], b=[0.7, 0.5], c=[0.1, 0.2]), sizes=[5, 5], folds=2)
    assert [verdict[0] for verdict in found.verdicts.values()][:2] == ["best", "best"]
    assert found.verdicts["c"][0] != "best"


def test_the_ranking_and_the_page_agree_on_who_is_the_best():
    for seed in range(5):
        evaluation = made_up(63, 20, seed=seed)
        first, *others = ranking(evaluation)
        assert first["best_is"] == "best"
        assert all(row["u65"] < first["u65"] for row in others if row["best_is"] != "best")
        for row in [first, *others]:
            assert row["u65"] == pytest.approx(evaluation.compare().utilities[row["classifier"]][3])
            assert row["u80"] == pytest.approx(evaluation.compare().utilities[row["classifier"]][6])
