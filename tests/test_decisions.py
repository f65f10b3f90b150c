"""Labels of sets, rejection and utility-optimal sets, against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcredal import AODE, CredalBmaAODE, CredalCompAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import reject, reject_cost_score, set_labels, utility_optimal_sets
from skcredal.metrics import u65_score, u80_score


def test_each_row_gives_its_labels_in_the_order_of_the_classes():
    sets = set_labels(np.array([[True, False, True], [False, True, False]]), np.array(["c", "a", "b"]))
    assert [labels.tolist() for labels in sets] == [["c", "b"], ["a"]]


def test_the_arrays_keep_the_type_of_the_classes():
    (labels,) = set_labels([[1, 0]], np.array([3, 7], dtype=np.int16))
    assert labels.dtype == np.int16


def test_an_empty_set_gives_an_empty_array_and_no_rows_no_arrays():
    assert set_labels([[0, 0]], ["a", "b"])[0].shape == (0,)
    assert set_labels(np.zeros((0, 2)), ["a", "b"]) == []


def test_sets_and_classes_must_fit():
    with pytest.raises(ValueError, match=r"y_set must have shape \(None, 3\), got \(1, 2\)"):
        set_labels([[1, 0]], ["a", "b", "c"])


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


def test_no_rows_no_rejections():
    assert reject(np.zeros((0, 3)), cost=0.1).shape == (0,)
    assert reject(np.zeros((0, 3, 2)), np.zeros((0, 3)), cost=0.1).dtype == np.bool_


@pytest.mark.parametrize("classifier", [CredalBmaAODE, CredalCompAODE])
def test_bounds_alone_decide_like_bounds_with_sets(classifier):
    """A lower probability above 1/2 belongs to the reference class, and makes it the only one in its set."""
    data = load_dataset("waveform")
    train, test = np.split(np.random.default_rng(0).permutation(len(data.target)), [100])
    X = data.features.iloc[test]
    clf = classifier(epsilon=0.002).fit(data.features.iloc[train], data.target.iloc[train])
    interval, y_set, proba = clf.predict_interval(X), clf.predict_set(X), clf.predict_proba(X)
    reference = interval[np.arange(len(X)), proba.argmax(axis=1), 0]
    for cost in (0.05, 0.2, 0.45):
        rejected = reject(interval, cost=cost)
        assert 0 < rejected.sum() < len(X)
        np.testing.assert_array_equal(rejected, reject(interval, y_set, cost=cost))
        np.testing.assert_array_equal(rejected, (y_set.sum(axis=1) > 1) | (reference < 1 - cost))
        # What the bounds accept, the probabilities accept.
        assert not (reject(proba, cost=cost) & ~rejected).any()


def test_the_rule_rejects_where_rejecting_is_cheaper():
    """Under the probabilities themselves, no other choice of rows has a smaller expected cost."""
    rng = np.random.default_rng(80)
    proba = rng.dirichlet(np.ones(3), 5)
    for cost in (0.1, 0.3, 0.45):
        expected = {
            choice: sum(cost if r else 1 - p.max() for r, p in zip(choice, proba, strict=True))
            for choice in itertools.product([False, True], repeat=5)
        }
        assert expected[tuple(reject(proba, cost=cost).tolist())] == pytest.approx(min(expected.values()))


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


def test_costs_of_labels_of_any_kind():
    frame = pd.DataFrame({"truth": [1, 2, 2], "answer": pd.array([1, 1, None], dtype="Int64")})
    assert reject_cost_score(frame["truth"], frame["answer"], [0, 0, 1], cost=0.25) == pytest.approx(1.25 / 3)
    assert reject_cost_score(["a", "b"], ["a", None], [False, True], cost=0.25) == 0.125
    assert reject_cost_score(pd.Categorical(["a", "b"]), np.array(["a", "a"]), [0, 0], cost=0.25) == 0.5
    assert reject_cost_score([1.0, 2.0], [1, 2], [0, 0], cost=0.25) == 0.0
    assert np.isnan(reject_cost_score([], [], [], cost=0.25))
    assert np.isnan(reject_cost_score([1], [1], [0], cost=0.25, sample_weight=[0.0]))


@pytest.mark.parametrize("cost", [0.0, 0.5, -0.1, 1.0, float("nan")])
def test_cost_lies_between_nothing_and_a_guess(cost):
    with pytest.raises(ValueError, match=r"cost must lie in \(0, 0.5\), got"):
        reject([[0.5, 0.5]], cost=cost)
    with pytest.raises(ValueError, match=r"cost must lie in \(0, 0.5\), got"):
        reject_cost_score([0], [0], [0], cost=cost)


@pytest.mark.parametrize(
    ("given_", "y_set", "message"),
    [
        (np.ones((2, 3, 3)) / 3, None, r"proba_or_interval must have shape .* got \(2, 3, 3\)"),
        ([[0.2, 0.9]], None, r"proba_or_interval must sum to 1 in each row, got 1.1 in row 0"),
        ([[[0.6, 0.4], [0.4, 0.6]]], None, r"proba_or_interval must have lower bounds first"),
        ([[0.2, 0.8]], [[1, 0, 0]], r"y_set must have shape \(1, 2\), got \(1, 3\)"),
    ],
)
def test_rejection_refuses_what_is_neither_probabilities_nor_bounds(given_, y_set, message):
    with pytest.raises(ValueError, match=message):
        reject(given_, y_set, cost=0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0], [0, 0]), r"y_pred .* 2 rows, got 1"),
        (([0, 1], [0, 1], [0, 2]), r"rejected must be boolean .* got the value 2"),
        (([0, None], [0, 1], [0, 0]), r"y_true must not have missing values"),
        (([0, 1], ["0", "1"], [0, 0]), r"y_pred must have the type .* got '0' and 0"),
    ],
)
def test_costs_refuse_what_cannot_be_compared(arguments, message):
    with pytest.raises(ValueError, match=message):
        reject_cost_score(*arguments, cost=0.2)


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
    """Return the F-measure of m predicted labels, the true one among them."""
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


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6).filter(any))
def test_more_reward_for_caution_never_makes_smaller_sets(counts):
    proba = [np.array(counts) / sum(counts)]
    sets = [utility_optimal_sets(proba, utility=u) for u in ("u65", "u80")]
    assert not (sets[0] & ~sets[1]).any()
    wider = [utility_optimal_sets(proba, utility=("fbeta", beta)) for beta in (0, 1, 3)]
    assert wider[0].sum() == 1
    assert not (wider[0] & ~wider[1]).any()
    assert not (wider[1] & ~wider[2]).any()


def test_they_earn_what_they_expect():
    """Where the probabilities are right, the sets earn more than single classes, and as much as expected."""
    rng = np.random.default_rng(83)
    proba = rng.dirichlet(np.ones(3), 40_000)
    y = (rng.random(len(proba))[:, None] > proba.cumsum(axis=1)).sum(axis=1)
    single = np.eye(3, dtype=bool)[proba.argmax(axis=1)]
    for utility, score in (("u65", u65_score), ("u80", u80_score)):
        y_set = utility_optimal_sets(proba, utility=utility)
        g = np.array([float(UTILITIES[utility][1](m)) for m in (1, 2, 3)])[y_set.sum(axis=1) - 1]
        expected = np.mean(g * (proba * y_set).sum(axis=1))
        assert score(y, y_set, labels=range(3)) == pytest.approx(expected, abs=0.01)
        assert score(y, y_set, labels=range(3)) > score(y, single, labels=range(3))


def test_rounding_does_not_decide_between_sets():
    """0.65 for the first class, or 0.65 · 1 for both: a tie, whatever the last bit says; the smaller wins."""
    for p in (0.65, np.nextafter(0.65, 0.0), np.nextafter(0.65, 1.0)):
        assert utility_optimal_sets([[p, 1 - p]], utility="u65").tolist() == [[True, False]]
    assert utility_optimal_sets([[0.2] * 5], utility=("fbeta", 0)).tolist() == [[True] + [False] * 4]


def test_any_classifier_will_do():
    data = load_dataset("iris")
    proba = AODE().fit(data.features, data.target).predict_proba(data.features)
    sets = utility_optimal_sets(proba, utility="u80")
    assert sets[np.arange(len(sets)), proba.argmax(axis=1)].all()
    assert utility_optimal_sets(np.zeros((0, 3)), utility="u80").shape == (0, 3)


@pytest.mark.parametrize(
    ("proba", "utility", "message"),
    [
        ([[0.2, 0.7]], "u65", r"proba must sum to 1 in each row, got 0.89\d* in row 0"),
        ([[0.2, 0.8]], "u70", r"utility must be 'u65', 'u80', .* got 'u70'"),
        ([[0.2, 0.8]], ("fbeta", -1), r"beta in utility=\('fbeta', beta\) must lie in \[0, inf\), got -1"),
        ([[0.2, 0.8]], lambda m: 1 - m, r"utility must return finite numbers ≥ 0, got \[0.0, -1.0\]"),
        ([[0.2, 0.8]], lambda m: np.nan, r"utility must return finite numbers ≥ 0, got \[nan, nan\]"),
    ],
)
def test_utility_refusals_name_the_parameter_the_rule_and_the_value(proba, utility, message):
    with pytest.raises(ValueError, match=message):
        utility_optimal_sets(proba, utility=utility)
