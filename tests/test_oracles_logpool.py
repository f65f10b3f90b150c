"""The oracle of LP-AODE and LP-AODE* itself (SPEC §12, §14): by hand, and one computation against another."""

import math
from fractions import Fraction

import numpy as np
import pytest

import oracles_logpool as lp


def whole(*weights):
    return [Fraction(weight) for weight in weights]


# --- one feature ---


def test_real_weights_by_hand():
    assert lp.median([1.0, 2.0, 4.0], [Fraction(0.1), Fraction(0.2), Fraction(0.1 + 0.2)]) == 3.0
    assert lp.median([1.0, 5.0], whole(0.75, 0.5)) == 1.0
    values, labels = [1.0] * 4 + [2.0] * 4, [0, 0, 0, 1, 1, 1, 1, 0]
    assert lp.cuts(values, labels, whole(*[0.5] * 8)) == []
    assert lp.cuts(values, labels, whole(*[12.5] * 8)) == [1.5]
    assert lp.cuts([1.0, 2.0], [0, 1], whole(0.5, 0.5)) == []  # log2(N−1) is not defined


def learn(cells, y=None, *, weights=None, declared=None, missing="impute", most=None, of=None):
    """Learn a category from some cells; the states are numbered as in `of`, by default the same cells."""
    weights = whole(*([1] * len(cells) if weights is None else weights))
    everything = cells if of is None else of
    states = lp.States.of(everything, whole(*[1] * len(everything)), declared, most)
    return lp.Feature.learn(cells, y or [0] * len(cells), weights, states, missing)


def test_states_of_a_table():
    feature = learn(["b", None, "a", "b"])
    assert [feature.code(x) for x in ("a", "b", None, "z")] == [0, 1, 1, None]
    assert (feature.n_states, feature.is_kept, feature.fill) == (2, True, 1)
    assert feature.imputed("z") == 1
    feature = learn(["b", None, "a", "b"], declared=["z", "b", "a"], missing="marginalize")
    assert [feature.code(x) for x in ("a", "b", None, "z")] == [2, 1, None, 0]
    assert [feature.imputed(x) for x in (None, "y")] == [1, 1]  # also with marginalize
    assert feature.n_states == 3
    assert not learn(["a", "a"], declared=["a", "b"]).is_kept
    nothing = learn([None, None], declared=["a", "b"])
    assert (nothing.is_kept, nothing.fill, nothing.code(None)) == (False, None, None)


def test_states_of_a_fold_keep_their_numbers():
    table = list("aabbccdd")
    feature = learn(list("aadd"), of=table)
    assert [feature.code(x) for x in "abcd"] == [0, None, None, 3]
    assert feature.n_states == 2
    assert feature.imputed("c") == 0
    feature = learn(list("aadd"), of=table, declared=list("dcbae"))
    assert [feature.code(x) for x in "abcde"] == [3, 2, 1, 0, 4]
    assert feature.n_states == 5


def test_states_merge_as_among_all_rows():
    table = list("aaabbbccd")
    feature = learn(table, most=3)
    assert [feature.code(x) for x in "abcde"] == [0, 1, 2, 2, None]
    assert feature.n_states == 3
    # c and d are one state: a fold that saw c knows both. b was not seen.
    fold = learn(list("aac"), of=table, most=3)
    assert [fold.code(x) for x in "abcd"] == [0, None, 2, 2]
    assert fold.n_states == 2
    # The mode is that of the states before they merge.
    assert learn(list("aaabbbccdd"), most=2).fill == 0
    assert learn(list("aabbccdd"), weights=[1, 1, 1, 1, 1, 1, 1, 2], most=3).fill == 2


# --- trees ---


def test_seeds_of_trees():
    assert lp.tree_seeds(0, 2) == lp.tree_seeds(2**32, 3)[:2] == [209652396, 398764591]
    assert lp.tree_seeds(-1, 1) == lp.tree_seeds(2**32 - 1, 1)
    assert lp.tree_seeds(5, 0) == []


# --- the line ---


def test_columns_of_the_line():
    column = lp.RankColumn.of(4, [3.0, 1.0, None, 1.0], whole(2, 1, 5, 1))
    assert [column.rank(x) for x in (0.0, 1.0, 2.0, 3.0, 9.0)] == [0, 0.25, 0.5, 0.75, 1]
    assert (column.mean, column.deviation, column(None)) == (0.5, 0.25, 0.0)
    assert [column(x) for x in (1.0, 2.0, 9.0)] == [-1, 0, 2]
    assert lp.RankColumn.of(4, [3.0, None], whole(1, 1)) is None
    values = {2: [0, 1, None, 3], 5: [0, 0, 0, None]}
    line = lp.Line(values, set(), [0, 1, 0, 1], whole(1, 2, 1, 1), 2)
    assert [(c.feature, c.state, c.mean) for c in line.columns] == [
        (2, 0, Fraction(1, 4)),
        (2, 1, Fraction(1, 2)),
        (2, 3, Fraction(1, 4)),
    ]
    assert line.row({2: None, 5: None}) == [0, 0, 0]
    assert line.row({2: 2, 5: 0}) == [-0.25, -0.5, -0.25]  # declared, but not seen


# --- rows and folds ---


def test_splitmix64_has_the_published_outputs():
    assert lp.splitmix64(0) == 0xE220A8397B1DCDAF
    golden, state = 0x9E3779B97F4A7C15, 1234567
    assert lp.splitmix64(state) == 6457827717110365317
    assert lp.splitmix64((state + golden) % 2**64) == 3203168211198807973
    assert lp.row_rank(0, 5) == lp.splitmix64(0xE220A8397B1DCDAF ^ 5)
    assert lp.row_rank(-1, 5) == lp.row_rank(2**64 - 1, 5)
    assert [lp.row_rank(0, number) for number in range(3)] == [
        12035550249420947055,
        627405149472732430,
        15549969042648332857,
    ]


def test_folds_by_hand():
    # Ranks with seed 0 put row 1 before row 0 before row 2. Class 0 holds rows 1 and 2, and so on.
    labels = [1, 0, 0, 1, 1, 0]
    order = sorted(range(6), key=lambda i: (labels[i], lp.row_rank(0, i)))
    assert order[0] == 1
    folds = lp.deal(labels, range(6), 0)
    assert [folds[i] for i in order] == [0, 1, 0, 1, 0, 1]
    assert lp.deal(labels[:5], range(5), 0) == []
    assert max(lp.deal([0] * 29, range(29), 0)) == 8
    assert max(lp.deal([0] * 100, range(100), 0)) == 9
    # The numbers are those among all rows, not among the sample.
    assert lp.deal(labels, [7, 9, 11, 12, 30, 31], 0) != lp.deal(labels, range(6), 0)


# --- the objective and its minimum ---


def test_prior_weights_by_hand():
    centre, strength = lp.prior_weights(2, True, True)
    np.testing.assert_allclose(centre, [0, 1 / 6, 1 / 6, 1 / 3, 1 / 3])
    np.testing.assert_allclose(strength, [1, 4, 4, 1, 1])
    np.testing.assert_allclose(lp.prior_weights(4)[0], [0, 1 / 4, 1 / 4, 1 / 4, 1 / 4])
    np.testing.assert_allclose(lp.prior_weights(0, False, True), [[0, 1], [1, 1 / 9]])
    np.testing.assert_allclose(lp.prior_weights(0), [[0], [1]])
    np.testing.assert_array_equal(lp.lower_bounds(3), [-1, 0, 0])


def test_objective_by_hand():
    # One expert that says 4 : 1 beside a null model of 1 : 1, weight 2: P = 1/(1 + 4^−w_1).
    logs = np.log([[0.5, 0.5], [0.8, 0.2]])
    problem = lp.Problem([logs, logs], [0, 1], [2.0, 3.0], [True, False], *lp.prior_weights(1))
    w = np.array([0.5, 1.5])
    penalty = 0.5 * (0.25 + 0.25 / 9)
    assert lp.objective(problem, w) == pytest.approx(2 * math.log(1 + 4**-1.5) + 3 * math.log(2) + penalty)
    # Along w_1: −2 log 4 · (1 − P) + (w_1 − 1)/9; the row that does not speak adds nothing.
    slope = -2 * math.log(4) / 9 + 0.5 / 9
    np.testing.assert_allclose(lp.gradient(problem, w), [0.5, slope])
    curvature = 2 * math.log(4) ** 2 * 8 / 81 + 1 / 9
    np.testing.assert_allclose(lp.hessian(problem, w), [[1, 0], [0, curvature]], atol=1e-15)


# --- sets, bounds, robustness ---


def test_set_and_robustness_by_hand():
    # One free coordinate with H = 4, log-odds 1 = w_1 δ: s = δ/√4 = 1/2, so that robustness is erf(2/√2).
    logs = np.array([[0.0, 0.0], [0.0, -1.0]])
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([0.0, 1.0]))
    assert lp.deviation(pool, logs, 0, 1) == pytest.approx(0.5)
    assert lp.robustness(pool, logs) == pytest.approx(0.954499736, abs=1e-8)
    assert lp.pool_set(pool, logs, 0.954) == [True, False]
    assert lp.pool_set(pool, logs, 0.955) == [True, True]
    lower, upper = lp.bounds(pool, logs, 0.9)
    assert lower[0] == pytest.approx(1 / (1 + math.exp(-1 + 1.6448536 / 2)), abs=1e-7)
    assert upper[0] == pytest.approx(1 - lower[1])


@pytest.mark.parametrize(("odds", "in_set"), [(3e-10, [True, True, False]), (5e-10, [True, False, False])])
def test_log_odds_must_exceed_the_rounding_of_the_largest(odds, in_set):
    """§14: τ is 1e-10 of the largest log-odds, here 4, whatever the scores are."""
    logs = np.array([[0.0, 0.0, 0.0], [-50.0, -50.0 - odds / 2, -52.0]])
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([0.0, 2.0]))
    assert lp.threshold(pool, logs) == pytest.approx(4e-10)
    assert lp.pool_set(pool, logs, 0.0) == in_set
    assert (lp.robustness(pool, logs) > 0) == (sum(in_set) == 1)


# --- explanation ---


def test_contributions_by_hand():
    """Two columns that equal the class, ess 1, 12 rows: one leaf's worth of counts, by the formulas."""
    column = ["a", "b"] * 3
    oracle = lp.LogPoolOracle.fit(
        [column, column],
        [0, 1] * 3,
        kinds=["categorical"] * 2,
        declared=[None, None],
        ess=1.0,
        n_regions=2,
        line=False,
    )
    assert oracle.leaves == [1, 1]  # a weight of 6
    w = dict(zip(["null", "first", "second", "regions"], oracle.weights, strict=True))
    # P(a|c) = (3 + 1/4)/(3 + 1/2) or (0 + 1/4)/(3 + 1/2); given the other column (3 + 1/8)/(3 + 1/4) or
    # (0 + 1/8)/(0 + 1/4); given the one region (3 + 1/4)/(3 + 1/2) or (0 + 1/4)/(3 + 1/2) again.
    alone, given = math.log(3.25 / 0.25), math.log((3.125 / 3.25) / 0.5)
    frequencies, features = oracle.contributions(["a", "a"], 0, 1)
    assert frequencies == pytest.approx(0, abs=1e-12)
    assert features[0] == pytest.approx(w["first"] * alone + w["second"] * given + w["regions"] * alone)
    assert features[1] == pytest.approx(w["second"] * alone + w["first"] * given + w["regions"] * alone)


def test_a_region_is_explained_along_its_path():
    """One column of two values, twenty rows: the tree asks about it, and Δ log P(z|c) is that column's."""
    rows = [0.0] * 10 + [1.0] * 10
    y = [0] * 7 + [1] * 3 + [0] * 3 + [1] * 7
    oracle = lp.LogPoolOracle.fit([rows], y, kinds=["numeric"], declared=[None], n_regions=1, line=False)
    assert (oracle.model.kept, oracle.leaves) == ([], [2])
    frequencies, features = oracle.contributions([0.0], 0, 1)
    # P(z|c) = (7 + 4/(2·2))/(10 + 4/2) against (3 + 1)/(10 + 2).
    assert frequencies == pytest.approx(0, abs=1e-12)
    assert features[0] == pytest.approx(oracle.weights[1] * math.log(8 / 4))
