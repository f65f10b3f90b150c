"""Labels of sets, rejection and utility-optimal sets, against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from skcredal.decisions import reject, reject_cost_score, set_labels, utility_optimal_sets


def test_each_row_gives_its_labels_in_the_order_of_the_classes():
    sets = set_labels(np.array([[True, False, True], [False, True, False]]), np.array(["c", "a", "b"]))
    assert [labels.tolist() for labels in sets] == [["c", "b"], ["a"]]


# --- rejection ------------------------------------------------------------------------------------


def test_a_probability_of_just_one_minus_cost_is_an_answer():
    proba = [[0.75, 0.25], [0.25, 0.75], [0.7, 0.3], [0.5, 0.5]]
    assert reject(proba, cost=0.25).tolist() == [False, False, True, True]
    assert reject(proba, cost=0.49).tolist() == [False, False, False, True]


def test_a_set_is_rejected_unless_its_only_class_is_sure():
    interval = [[[0.8, 0.9], [0.1, 0.2]]] * 4
    y_set = [[1, 0], [0, 1], [1, 1], [0, 0]]
    assert reject(interval, y_set, cost=0.2).tolist() == [False, True, True, True]
    proba = [[0.9, 0.1]] * 4
    assert reject(proba, np.array(y_set, bool), cost=0.2).tolist() == [False, True, True, True]


def test_mean_cost_is_that_of_the_rows():
    rng = np.random.default_rng(81)
    y_true, y_pred = rng.choice(list("abc"), (2, 50))
    rejected, weight = rng.random(50) < 0.3, rng.integers(0, 4, 50)
    costs = [0.2 if r else float(t != p) for t, p, r in zip(y_true, y_pred, rejected, strict=True)]
    assert reject_cost_score(y_true, y_pred, rejected, cost=0.2) == pytest.approx(np.mean(costs))
    copies = np.repeat(np.arange(50), weight)
    assert reject_cost_score(y_true, y_pred, rejected, cost=0.2, sample_weight=weight) == pytest.approx(
        np.mean(np.array(costs)[copies])
    )


@pytest.mark.parametrize("cost", [0.0, 0.5, float("nan")])
def test_cost_lies_between_nothing_and_a_guess(cost):
    with pytest.raises(ValueError, match=r"cost must lie in \(0, 0.5\), got"):
        reject([[0.5, 0.5]], cost=cost)


# --- utility-optimal sets -------------------------------------------------------------------------

# Exact utilities of a right set of m classes, from the definitions of the measures.
UTILITIES = {
    "u65": ("u65", lambda m: Fraction(8, 5) / m - Fraction(3, 5) / m**2),
    "u80": ("u80", lambda m: Fraction(11, 5) / m - Fraction(6, 5) / m**2),
    "F1": (("fbeta", 1), lambda m: f_beta(Fraction(1), m)),
    "F2": (("fbeta", 2.0), lambda m: f_beta(Fraction(2), m)),
    "F1/2": (["fbeta", 0.5], lambda m: f_beta(Fraction(1, 2), m)),
    "precision": (("fbeta", 0), lambda m: Fraction(1, m)),
    "steps": (
        lambda m: [1.0, 0.5, 0.75, 0.0][min(m, 4) - 1],
        lambda m: Fraction([4, 2, 3, 0][min(m, 4) - 1], 4),
    ),
}


def f_beta(beta, m):
    precision, recall = Fraction(1, m), Fraction(1)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def best_set(p, g):
    """Try all sets of classes: the best, of equally good ones the smallest, of these the first."""
    exact = [Fraction(x) for x in p]
    subsets = [s for m in range(1, len(p) + 1) for s in itertools.combinations(range(len(p)), m)]
    return max(subsets, key=lambda s: (g(len(s)) * sum(exact[c] for c in s), -len(s), [-c for c in s]))


@pytest.mark.parametrize("name", UTILITIES)
@pytest.mark.parametrize("kind", ["continuous", "ties"])
def test_no_set_of_classes_is_better(name, kind):
    utility, g = UTILITIES[name]
    rng = np.random.default_rng(82)
    for n_classes in range(1, 9):
        if kind == "continuous":
            proba = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0])), 12)
        else:  # sixteenths are exact in binary, and often equal
            proba = rng.multinomial(16, np.ones(n_classes) / n_classes, 12) / 16
        found = utility_optimal_sets(proba, utility=utility)
        assert found.dtype == np.bool_
        assert [tuple(np.flatnonzero(row)) for row in found] == [best_set(p, g) for p in proba.tolist()]


def test_rounding_does_not_decide_between_sets():
    """0.65 for the first class, or 0.65 · 1 for both: a tie, whatever the last bit says; the smaller wins."""
    for p in (0.65, np.nextafter(0.65, 0.0), np.nextafter(0.65, 1.0)):
        assert utility_optimal_sets([[p, 1 - p]], utility="u65").tolist() == [[True, False]]
    assert utility_optimal_sets([[0.2] * 5], utility=("fbeta", 0)).tolist() == [[True] + [False] * 4]


@pytest.mark.parametrize(
    ("proba", "utility", "message"),
    [
        ([[0.2, 0.7]], "u65", r"proba must sum to 1 in each row, got 0.89\d* in row 0"),
        ([[0.2, 0.8]], "u70", r"utility must be 'u65', 'u80', .* got 'u70'"),
        ([[0.2, 0.8]], ("fbeta", -1), r"beta in utility=\('fbeta', beta\) must lie in \[0, inf\), got -1"),
        ([[0.2, 0.8]], lambda m: 1 - m, r"utility must return finite numbers ≥ 0, got \[0.0, -1.0\]"),
    ],
)
def test_utility_refusals_name_the_parameter_the_rule_and_the_value(proba, utility, message):
    with pytest.raises(ValueError, match=message):
        utility_optimal_sets(proba, utility=utility)
