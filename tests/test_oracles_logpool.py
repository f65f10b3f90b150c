"""The oracle of LP-AODE and LP-AODE* itself (SPEC §12, §14): by hand, and one computation against another."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

import oracles
import oracles_logpool as lp
import pool_problems
from pool_oracles import NAMES, learned, oracle_of

CREDIBILITIES = (0.0, 0.3, 0.9, 0.99)


@pytest.fixture(scope="module")
def cases():
    """Every table with its oracle, by name."""
    return {name: learned(name) for name in NAMES}


@pytest.fixture(scope="module")
def spoken(cases):
    """Every pool with what its experts say of some rows that know something."""
    return [
        (oracle.pool, oracle.expert_logs(row))
        for problem, oracle in cases.values()
        for row in problem.rows[::3]
        if oracle.knows(row)
    ]


def whole(*weights):
    return [Fraction(weight) for weight in weights]


# --- one feature ---


def test_medians_and_cuts_of_whole_weights():
    rng = np.random.default_rng(0)
    n_cuts = 0
    for _ in range(40):
        n = int(rng.integers(2, 30))
        labels = rng.integers(3, size=n).tolist()
        values = (rng.normal(size=n) + 2 * np.array(labels)).round(1).tolist()
        weights = whole(*rng.integers(1, 4, n).tolist())
        assert lp.median(values, weights) == oracles.weighted_median(values, weights)
        expected = oracles.mdl_cuts(values, labels, weights)
        assert lp.cuts(values, labels, weights) == expected
        # Hardly heavier, and so by the other computation.
        real = [weight * (1 + Fraction(1, 10**13)) for weight in weights]
        assert lp.cuts(values, labels, real) == expected
        assert lp.median(values, real) == lp.median(values, weights)
        n_cuts += len(expected)
    assert n_cuts > 10


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


# --- super-parents ---


def test_spodes_and_regions_are_super_parents_like_any_other(cases):
    """§2, §3: the exact fractions of `oracles`, where the regions of a tree are one more column."""
    n_compared = 0
    for problem, oracle in cases.values():
        model, n_classes = oracle.model, len(oracle.classes)
        if n_classes == 1:
            continue
        weights = [1] * len(problem.y) if problem.weights is None else problem.weights
        rows = [list(row) for row in zip(*problem.columns, strict=True)]
        used = [r for r, weight in enumerate(weights) if weight > 0]
        y, omega = [oracle.classes.index(problem.y[r]) for r in used], [weights[r] for r in used]
        # Numbers of states are unlike codes only in folds.
        codes = [list(model.codes(rows[r]).values()) for r in used]
        n_states = [model.features[j].n_states for j in model.kept]
        ess = Fraction(problem.options.get("ess", 4.0))
        counts = oracles.count_tables(codes, y, n_states, n_classes, omega)
        assert model.prior == oracles.class_prior(counts, ess)
        for row in problem.rows[::4]:
            own = list(model.codes(row).values())
            for j, posterior in zip(model.kept, oracles.spode_posteriors(counts, own, ess), strict=True):
                found = model.spode_logs(j, row)
                assert (found is None) == (posterior is None)
                if posterior is not None:
                    np.testing.assert_allclose(found, [lp._log(p) for p in posterior], rtol=1e-9, atol=1e-12)
            if not model.trees:
                continue
            said = []
            for tree in model.trees:
                leaves = tree.leaves_below(0)
                assert len(leaves) == tree.n_leaves
                places = [leaves.index(tree.region(model.tree_row(rows[r]))) for r in used]
                with_regions = [[*code, z] for code, z in zip(codes, places, strict=True)]
                table = oracles.count_tables(with_regions, y, [*n_states, len(leaves)], n_classes, omega)
                place = leaves.index(tree.region(model.tree_row(row)))
                said.append([lp._log(p) for p in oracles.spode_posteriors(table, [*own, place], ess)[-1]])
            np.testing.assert_allclose(model.region_logs(row), np.mean(said, axis=0), rtol=1e-9, atol=1e-12)
            n_compared += 1
    assert n_compared > 50


# --- trees ---


def test_columns_of_trees():
    scale = lp.Scale(0, -1.0, 3.0)
    assert [scale(x) for x in (-9.0, -1.0, 0.0, 3.0, 1e300)] == [0.0, 0.0, 0.25, 1.0, 1.0]
    wide = lp.Scale(0, -1.5e308, 1.5e308)
    assert [wide(x) for x in (-1.7e308, -1.5e308, 0.0, 1.7e308)] == [0.0, 0.0, 0.5, 1.0]
    assert lp.Scale(0, None, None)(3) == 3.0


def test_seeds_of_trees():
    assert lp.tree_seeds(0, 2) == lp.tree_seeds(2**32, 3)[:2] == [209652396, 398764591]
    assert lp.tree_seeds(-1, 1) == lp.tree_seeds(2**32 - 1, 1)
    assert lp.tree_seeds(5, 0) == []


def test_leaves_hold_a_weight_of_five(cases):
    for problem, oracle in cases.values():
        weights = [1] * len(problem.y) if problem.weights is None else problem.weights
        rows = [[column[r] for column in problem.columns] for r in oracle.rows]
        for tree in oracle.model.trees:
            held = dict.fromkeys(tree.leaves_below(0), 0.0)
            for r, row in zip(oracle.rows, rows, strict=True):
                held[tree.region(oracle.model.tree_row(row))] += weights[r]
            assert tree.fitted is None or min(held.values()) >= 5 - 1e-6
            assert len(held) <= 32
            # Paths lead from the root to their leaf.
            for leaf in held:
                path = tree.path(leaf)
                assert path[0] == 0
                assert all(leaf in tree.leaves_below(node) for node in path)


def test_the_most_leaves_grow_with_the_rows():
    rng = np.random.default_rng(0)
    x, y = rng.random((3000, 3)), rng.integers(2, size=3000).tolist()
    sizes = {n: lp.Tree(x[:n], [0, 1, 2], y[:n], whole(*[1] * n), 0).n_leaves for n in (400, 1000, 3000)}
    assert sizes == {400: 32, 1000: 62, 3000: 187}
    assert lp.Tree(x, [0, 1, 2], y, whole(*[2] * 3000), 0).n_leaves == 256
    assert lp.Tree(x[:9], [0, 1, 2], y[:9], whole(*[1] * 9), 0).fitted is None


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


def test_the_line_is_the_minimum(cases):
    """½‖β‖² − C·Σ ω log p is flat there, and the intercepts meet the frequencies."""
    for problem, oracle in cases.values():
        line, n_classes = oracle.model.line, len(oracle.classes)
        if line is None:
            continue
        weights = [1.0] * len(problem.y) if problem.weights is None else problem.weights
        rows = [[column[r] for column in problem.columns] for r in oracle.rows]
        x = np.array([line.row(oracle.model.line_values(row)) for row in rows])
        x = np.vstack([x, np.zeros((n_classes, x.shape[1]))])
        omega = np.array([weights[r] for r in oracle.rows] + [1 / n_classes] * n_classes)
        y = [oracle.classes.index(problem.y[r]) for r in oracle.rows] + list(range(n_classes))
        scores = line.alpha + x @ line.beta.T
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        beyond = omega[:, None] * (p - np.eye(n_classes)[y])
        first = 1 if n_classes == 2 else 0  # of two classes the first has 0, and nothing to be minimised
        tolerance = 1e-5 * omega.sum()
        np.testing.assert_allclose(beyond.sum(axis=0), 0, atol=tolerance)
        slope = 0.3 * beyond.T @ x + line.beta
        np.testing.assert_allclose(slope[first:], 0, atol=tolerance)


def test_a_line_without_columns_has_intercepts():
    line = lp.Line({3: [None, 1.0, 1.0]}, {3}, [0, 1, 1], whole(1, 1, 1), 2)
    np.testing.assert_allclose(np.exp(line.logs({3: 5.0})), [1.5 / 4, 2.5 / 4], rtol=1e-6)
    assert line.beta.shape == (2, 0)


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


def test_rows_used():
    assert lp.used_rows([1, 0, 2, 0.5], max_rows=3) == [0, 2, 3]
    chosen = lp.used_rows([1] * 20, max_rows=7, random_state=3)
    ranks = [lp.row_rank(3, r) for r in range(20)]
    assert chosen == sorted(chosen)
    assert max(ranks[r] for r in chosen) < min(ranks[r] for r in set(range(20)) - set(chosen))
    assert chosen != lp.used_rows([1] * 20, max_rows=7, random_state=4)
    # Numbers are given to rows of positive weight alone, and a smaller choice is part of a larger one.
    spread = lp.used_rows([0, 1] * 20, max_rows=7, random_state=3)
    assert spread == [2 * r + 1 for r in chosen]
    assert set(lp.used_rows([1] * 20, max_rows=4, random_state=3)) < set(chosen)


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


def test_folds_are_even(cases):
    for problem, oracle in cases.values():
        sizes = [oracle.folds.count(fold) for fold in set(oracle.folds)]
        assert not sizes or max(sizes) - min(sizes) <= 1
        for c in oracle.classes if sizes else []:
            own = [fold for r, fold in zip(oracle.rows, oracle.folds, strict=True) if problem.y[r] == c]
            counts = [own.count(fold) for fold in set(oracle.folds)]
            assert max(counts) - min(counts) <= 1


# --- experts ---


def test_blocks_of_experts(cases):
    def kinds(name):
        return [kind for kind, _ in cases[name][1].experts]

    assert set(kinds("imputed")) == {"spode", "regions", "line"}
    assert kinds("nothing kept") == ["regions", "line"]
    assert kinds("line alone") == ["line"]
    assert set(kinds("without line")) == {"spode", "regions"}
    assert set(kinds("without regions")) == {"spode", "line"}
    assert set(kinds("SPODEs alone")) == {"spode"}
    assert kinds("no columns") == kinds("one class") == []
    assert cases["light"][1].leaves == [1, 1, 1]


def test_folds_learn_everything_anew(cases):
    """What the folds say of the rows is what an oracle fitted to the other rows alone says."""
    n_lost = 0
    for name in ("imputed", "marginalized", "rare states", "lost columns", "kept in folds", "one odd row"):
        problem, oracle = cases[name]
        for fold in (0, 3):
            others = [r for r, own in zip(oracle.rows, oracle.folds, strict=True) if own != fold]
            other = oracle_of(
                problem._replace(
                    columns=[[column[r] for r in others] for column in problem.columns],
                    y=[problem.y[r] for r in others],
                )
            )
            null = np.log(oracle.p0)
            for place, (r, own) in enumerate(zip(oracle.rows, oracle.folds, strict=True)):
                if own != fold:
                    continue
                row = [column[r] for column in problem.columns]
                found = oracle.pool.problem.logs[place]
                said = dict(zip(other.experts, other.expert_logs(row)[1:], strict=True))
                np.testing.assert_allclose(found[0], null)
                for expert, logs in zip(oracle.experts, found[1:], strict=True):
                    if expert == ("regions", None) and name == "rare states":
                        continue  # to the trees of the other oracle, states have other numbers
                    expected = said.get(expert)
                    unknown = expert[0] == "spode" and other.model.codes(row).get(expert[1]) is None
                    if expected is None or unknown:
                        n_lost += 1
                        expected = null
                    np.testing.assert_allclose(logs, expected, rtol=1e-7, atol=1e-9)
    assert n_lost > 0


def test_tables_lose_classes_columns_and_states_in_folds(cases):
    """The tables are what their names say."""

    def folds_of(name):
        problem, oracle = cases[name]
        rows = [[column[r] for column in problem.columns] for r in oracle.rows]
        for fold in set(oracle.folds):
            others = [place for place, own in enumerate(oracle.folds) if own != fold]
            labels = [oracle.classes.index(problem.y[oracle.rows[place]]) for place in others]
            yield (
                oracle.model,
                lp.Model(
                    [rows[place] for place in others],
                    labels,
                    whole(*[1] * len(others)),
                    range(len(others)),
                    oracle.model.settings,
                ),
                labels,
            )

    assert any(2 not in labels for _, _, labels in folds_of("single-row class"))
    assert any(len(fold.kept) < len(model.kept) for model, fold, _ in folds_of("lost columns"))
    assert any(fold.scales == [] for _, fold, _ in folds_of("one odd row"))
    rare = [fold.features[0].n_states for _, fold, _ in folds_of("rare states")]
    assert set(rare) == {3, 4}
    declared = [fold.features[0].n_states for _, fold, _ in folds_of("rare states, declared")]
    assert set(declared) == {4}
    seen = [set(model.kept) ^ set(fold.kept) for model, fold, _ in folds_of("kept in folds")]
    assert any(seen)
    problem, oracle = cases["sampled"]
    assert len(oracle.rows) == 30 < len(problem.y)
    outside = {problem.y[r] for r in range(len(problem.y))} - {problem.y[r] for r in oracle.rows}
    assert outside or problem.columns[1][0] not in {problem.columns[1][r] for r in oracle.rows}


def test_rows_of_weight_zero_are_absent():
    for name in ("whole weights", "sampled, with weights", "absent class"):
        problem = pool_problems.pool_problem(name)
        present = [r for r, weight in enumerate(problem.weights) if weight > 0]
        assert len(present) < len(problem.y)
        less = problem._replace(
            columns=[[column[r] for r in present] for column in problem.columns],
            y=[problem.y[r] for r in present],
            weights=[problem.weights[r] for r in present],
        )
        one, other = oracle_of(problem), oracle_of(less)
        np.testing.assert_array_equal(one.weights, other.weights)
        assert one.classes == other.classes
        assert [one.proba(row) for row in problem.rows] == [other.proba(row) for row in problem.rows]


def test_rows_that_know_nothing(cases):
    problem, oracle = cases["mostly missing"]
    silent = [not oracle.knows([column[r] for column in problem.columns]) for r in oracle.rows]
    assert any(silent)
    assert [not speaks for speaks in oracle.pool.problem.speaks] == silent
    nothing = [None] * len(problem.columns)
    assert oracle.proba(nothing) == oracle.p0.tolist()
    assert oracle.interval(nothing, 0.9) == (oracle.p0.tolist(), oracle.p0.tolist())
    # A number that the coding drops is known to trees and line.
    dropped = next(j for j in oracle.model.columns() if j not in oracle.model.kept)
    assert oracle.knows([1.0 if j == dropped else None for j in range(len(nothing))])
    # Imputed cells are known, and unknown categories are not.
    problem, oracle = cases["categories"]
    assert oracle.knows([None] * 4)
    assert not oracle.knows([pool_problems.UNKNOWN] * 4)


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


@pytest.mark.parametrize("name", ["imputed", "many classes", "real weights", "mostly missing"])
def test_derivatives_by_finite_differences(cases, name):
    problem = cases[name][1].pool.problem
    size, h = len(problem.centre), 1e-5
    w = problem.centre + np.random.default_rng(0).uniform(0, 0.5, size)
    steps = h * np.eye(size)
    slope = [(lp.objective(problem, w + e) - lp.objective(problem, w - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(lp.gradient(problem, w), slope, atol=1e-5)
    curvature = [(lp.gradient(problem, w + e) - lp.gradient(problem, w - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(lp.hessian(problem, w), curvature, atol=1e-5)


def test_minimum_meets_its_conditions(cases):
    rng = np.random.default_rng(0)
    at_bound = set()
    for _, oracle in cases.values():
        problem, w = oracle.pool.problem, oracle.weights
        assert len(w) == 1 + len(oracle.experts)
        low = lp.lower_bounds(len(w))
        assert lp.kkt_residual(problem, w) < 1e-9
        assert (w >= low).all()
        for j in set(range(len(w))) - set(oracle.free):
            assert w[j] == low[j]
            assert lp.gradient(problem, w)[j] > 0
            at_bound.add(oracle.experts[j - 1][0] if j else "null")
        # Any other point costs more, and its own gradient says how far it is at most (§12, "Converged").
        for scale in (1e-3, 0.1, 1.0):
            other = np.maximum(w + scale * rng.normal(size=len(w)), low)
            distance = math.sqrt(float(problem.strength @ (other - w) ** 2))
            assert lp.objective(problem, other) > lp.objective(problem, w)
            assert distance <= lp.error_bound(problem, other) * (1 + 1e-9)
    assert {"spode", "regions", "line"} <= at_bound


def test_covariance_is_the_inverse(cases):
    for _, oracle in cases.values():
        size = len(oracle.weights)
        hessian = lp.averaged_hessian(oracle.pool.problem, oracle.weights)
        inside = np.ix_(oracle.free, oracle.free)
        product = oracle.covariance[inside] @ hessian[inside]
        np.testing.assert_allclose(product, np.eye(len(oracle.free)), atol=1e-9)
        assert oracle.covariance.shape == (size, size)
        assert set(np.flatnonzero(oracle.covariance.diagonal()).tolist()) == set(oracle.free)


def test_null_weight_stops_at_minus_one():
    logs = np.log([[0.9, 0.1], [0.5, 0.5]])
    problem = lp.Problem([logs], [1], [100.0], [True], *lp.prior_weights(1))
    w = lp.best_weights(problem)
    np.testing.assert_allclose(w, [-1, 1], rtol=1e-12)
    assert lp.free_coordinates(problem, w) == [1]
    assert lp.free_coordinates(problem, np.array([-1 + 0.9e-6, 0.9e-6])) == []
    assert lp.free_coordinates(problem, np.array([-1 + 1.1e-6, 1.1e-6])) == [0, 1]


@pytest.mark.parametrize("name", ["two rows", "five rows", "hardly sampled"])
def test_fewer_than_six_rows_leave_the_prior_weights(cases, name):
    _, oracle = cases[name]
    centre, strength = oracle.pool.problem.centre, oracle.pool.problem.strength
    np.testing.assert_allclose(oracle.weights, centre, atol=1e-12)
    np.testing.assert_allclose(oracle.covariance, np.diag(1 / strength), atol=1e-12)
    assert oracle.free == list(range(len(centre)))
    assert oracle.folds == []


# --- minima over the credal set ---


def test_z_by_hand():
    assert lp.z_value(0.0) == 0
    assert lp.z_value(0.9) == pytest.approx(1.6448536, abs=1e-7)
    assert lp.z_value(0.3) == pytest.approx(NormalDist().inv_cdf(0.65))


@pytest.mark.parametrize("xi", [0.0, -0.5, 1.0, -2.0, 3.0, 5.0, -10.0, 20.0])
def test_curvature_of_a_margin_is_the_integral(xi):
    def integrand(u):
        p = 1 / (1 + math.exp(-u * xi))
        return 2 * u * p * (1 - p)

    assert lp.curvature_of_a_margin(xi) == pytest.approx(quad(integrand, 0, 1, epsabs=1e-13)[0], rel=1e-9)


def test_averaged_curvature_rises_as_the_loss_does_beyond_its_slope(cases):
    """§12: ½ŵᵀ(H − Λ)ŵ = ℓ(0) − ℓ(ŵ) + ŵᵀ∇ℓ(ŵ), but for the error of the eight nodes."""
    for _, oracle in cases.values():
        problem, w = oracle.pool.problem, oracle.weights
        flat = problem._replace(strength=np.zeros(len(w)))
        rise = 0.5 * w @ (lp.averaged_hessian(problem, w) - np.diag(problem.strength)) @ w
        expected = lp.objective(flat, 0 * w) - lp.objective(flat, w) + w @ lp.gradient(flat, w)
        assert rise == pytest.approx(expected, rel=0.01, abs=1e-9)


def test_closed_form_equals_slsqp(spoken):
    for pool, logs in spoken[::3]:
        for c, d in itertools.islice(itertools.permutations(range(logs.shape[1]), 2), 6):
            exact = lp.least_log_odds(pool, logs, c, d, 0.9)
            found = lp.least_log_odds_numerically(pool, logs, c, d, 0.9)
            assert found == pytest.approx(exact, abs=1e-7 * (1 + abs(exact)))


def test_cheap_bound_on_the_deviation(spoken):
    for pool, logs in spoken:
        for c, d in itertools.combinations(range(logs.shape[1]), 2):
            delta = (logs[:, c] - logs[:, d])[pool.free]
            bound = float((delta**2 / pool.problem.strength[pool.free]).sum())
            assert lp.deviation(pool, logs, c, d) ** 2 <= bound * (1 + 1e-12)


def test_dominance_is_a_probability_under_the_laplace_approximation(spoken):
    """§12, "Another reading": c' beats c'' with probability above (1 + γ)/2."""
    for pool, logs in spoken:
        for c, d in itertools.permutations(range(logs.shape[1]), 2):
            s = lp.deviation(pool, logs, c, d)
            wins = NormalDist(lp.log_odds(pool.weights, logs, c, d), s).cdf(0) < 0.05 if s > 0 else None
            assert wins in (None, lp.dominates(pool, logs, c, d, 0.9))


# --- sets, bounds, robustness ---


def test_sets_by_both_minima(spoken):
    for pool, logs in spoken[::4]:
        if logs.shape[1] <= 4:
            found = lp.pool_set(pool, logs, 0.9, lp.least_log_odds_numerically)
            assert lp.pool_set(pool, logs, 0.9) == found


def test_sets_hold_the_most_probable_class_and_grow(spoken):
    sizes = set()
    for pool, logs in spoken:
        nested = [lp.pool_set(pool, logs, credibility) for credibility in CREDIBILITIES]
        for smaller, larger in itertools.pairwise(nested):
            assert all(b >= a for a, b in zip(smaller, larger, strict=True))
        assert all(mask[lp.most_probable(pool, logs)] for mask in nested)
        sizes |= {sum(mask) for mask in nested}
    assert {1, 2, 3} < sizes


def test_bounds_of_two_classes_by_slsqp(spoken):
    two = [(pool, logs) for pool, logs in spoken if logs.shape[1] == 2]
    assert two
    for pool, logs in two[::3]:
        np.testing.assert_allclose(
            lp.bounds(pool, logs, 0.9), lp.bounds_numerically(pool, logs, 0.9), rtol=1e-6, atol=1e-12
        )


def test_bounds_hold_every_posterior(spoken):
    wider = False
    for pool, logs in spoken[::5]:
        lower, upper = (np.array(bound) for bound in lp.bounds(pool, logs, 0.9))
        least, greatest = (np.array(bound) for bound in lp.bounds_numerically(pool, logs, 0.9))
        p = lp.pool_posterior(pool.weights, logs)
        assert (lower <= least + 1e-9).all()
        assert (least <= p + 1e-12).all()
        assert (p <= greatest + 1e-12).all()
        assert (greatest <= upper + 1e-9).all()
        wider |= bool((greatest < upper - 1e-4).any())
    assert wider  # with three classes and more


def test_robustness_by_bisection(spoken):
    for pool, logs in spoken[::2]:
        exact = lp.robustness(pool, logs)
        assert lp.robustness_by_bisection(pool, logs) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_row_fits_together(cases, name):
    problem, oracle = cases[name]
    n_classes = len(oracle.classes)
    for row in problem.rows:
        p = oracle.proba(row)
        assert math.fsum(p) == pytest.approx(1, abs=1e-12)
        lower, upper = oracle.interval(row, 0.9)
        assert all(a <= b + 1e-12 and b <= c + 1e-12 for a, b, c in zip(lower, p, upper, strict=True))
        for credibility in CREDIBILITIES:
            alone = sum(oracle.set(row, credibility)) == 1
            assert alone == (oracle.robustness(row) > credibility)
        best = max(range(n_classes), key=lambda c: p[c])
        assert oracle.set(row, 0.9)[best]
        for d in {0, n_classes - 1, (best + 1) % n_classes}:
            frequencies, features = oracle.contributions(row, best, d)
            assert len(features) == len(problem.columns)
            odds = oracle.log_odds(row, best, d)
            assert frequencies + math.fsum(features) == pytest.approx(odds, abs=1e-9)
            assert odds == pytest.approx(math.log(p[best] / p[d]), abs=1e-9)
            # What is not known contributes at most as an imputed value in the trees.
            if not oracle.model.trees:
                values = [f.value(x) for f, x in zip(oracle.model.features, row, strict=True)]
                assert not any(v for v, x in zip(features, values, strict=True) if x is None)


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


def test_no_free_coordinate_leaves_no_doubt():
    logs = np.log([[0.6, 0.4], [0.3, 0.7]])
    problem = lp.Problem([], [], [], [], np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    pool = lp.pool_at(problem, np.array([-1.0, 0.0]))
    assert pool.free == []
    assert lp.robustness(pool, logs) == lp.robustness_by_bisection(pool, logs) == 1
    assert lp.pool_set(pool, logs, 0.999) == [False, True]
    tied = np.log([[0.5, 0.5], [0.3, 0.7]])
    assert lp.robustness(pool, tied) == lp.robustness_by_bisection(pool, tied) == 0
    assert lp.pool_set(pool, tied, 0.0) == [True, True]


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


# --- degenerate tables ---


def test_without_columns_or_with_one_class(cases):
    problem, oracle = cases["no columns"]
    assert oracle.p0.tolist() == pytest.approx([14 / 24, 10 / 24])
    for row in problem.rows:
        assert oracle.proba(row) == oracle.p0.tolist()
        assert (oracle.set(row, 0.95), oracle.robustness(row)) == ([True, False], 1.0)
        assert oracle.contributions(row, 0, 1)[0] == pytest.approx(math.log(14 / 10))
    problem, oracle = cases["one class"]
    for row in problem.rows:
        assert (oracle.proba(row), oracle.set(row, 0.95), oracle.robustness(row)) == ([1.0], [True], 1.0)
        assert oracle.interval(row, 0.95) == ([1.0], [1.0])
    tied = lp.LogPoolOracle.fit([["a", "a"]], [0, 1], kinds=["categorical"], declared=[None])
    assert (tied.set(["a"], 0.0), tied.robustness(["a"])) == ([True, True], 0.0)


def test_other_tables_fit_together_too():
    for problem in pool_problems.pool_problems(seed=1):
        if problem.name in ("sampled", "kept in folds", "merged states", "real weights", "extreme numbers"):
            oracle = oracle_of(problem)
            for row in problem.rows:
                frequencies, features = oracle.contributions(row, 0, 1)
                total = frequencies + math.fsum(features)
                assert total == pytest.approx(oracle.log_odds(row, 0, 1), abs=1e-9)
