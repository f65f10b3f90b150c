"""LP-AODE and LP-AODE* against their definition (§12), and what must hold of them."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

import oracles_logpool as oracle
from skcredal import AODE, CredalLogPoolAODE, LogPoolAODE, answers
from skcredal._ensemble import log_pool, pool_weights
from table_limits import limited_to

STATES = ["a", "b", "c"]


@dataclass
class Problem:
    """A mixed table as lists, None for missing, and as DataFrames."""

    train: list
    test: list
    kinds: list
    declared: list
    y: list
    n_classes: int
    weights: list | None

    def frame(self, rows):
        def column(j):
            cells = [row[j] for row in rows]
            if self.kinds[j] == "numeric":
                return pd.Series(cells, dtype=float)
            # Declared for training; a new row may hold another state.
            if self.declared[j] and "z" not in cells:
                return pd.Categorical(cells, categories=self.declared[j])
            return pd.Series(cells, dtype=object)

        return pd.DataFrame({f"x{j}": column(j) for j in range(len(self.kinds))})

    def fit(self, classifier):
        weights = None if self.weights is None else np.array(self.weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a dozen rows of text look like identifiers
            return classifier.fit(self.frame(self.train), np.array(self.y), sample_weight=weights)


def random_problem(rng, *, missing, weighting="none", n_classes=None):
    n, k = int(rng.integers(6, 22)), int(rng.integers(1, 4))
    n_classes = int(rng.integers(2, 4)) if n_classes is None else n_classes
    y = [*range(n_classes), *rng.integers(0, n_classes, n - n_classes).tolist()]
    # The oracle's cuts are those of repeated rows, and real weights have none.
    share = 0.0 if weighting == "real" else 0.6
    kinds = ["numeric" if rng.random() < share else "text" for _ in range(k)]
    declared = [STATES if kind == "text" and rng.random() < 0.5 else None for kind in kinds]

    def cell(kind, c):
        if rng.random() < missing:
            return None
        if kind == "numeric":
            # Few distinct values: ties, and bins that come out unequal.
            return float(np.round(rng.normal(c, 1.0), int(rng.integers(0, 2))))
        return STATES[int(rng.integers(0, 3))] if rng.random() < 0.6 else STATES[c % 3]

    train = [[cell(kind, c) for kind in kinds] for c in y]
    test = [[cell(kind, int(rng.integers(0, n_classes))) for kind in kinds] for _ in range(8)]
    # An unseen state, and a row of which nothing is known.
    test.append([9.0 if kind == "numeric" else "z" for kind in kinds])
    test.append([None] * k)
    weights = None
    if weighting == "whole":
        weights = rng.integers(1, 4, n).tolist()
    elif weighting == "real":
        weights = rng.choice([0.25, 0.5, 1.0, 1.75, 3.0], n).tolist()
    return Problem(train, test, kinds, declared, y, n_classes, weights)


def oracle_pool(problem, missing, **options):
    codings = oracle.codings_of_table(
        problem.train, problem.test, problem.kinds, problem.declared, problem.y, problem.weights, missing
    )
    pool = oracle.fit_pool(
        [coding.train for coding in codings],
        [coding.n_states for coding in codings],
        problem.y,
        problem.n_classes,
        weights=problem.weights,
        **options,
    )
    return codings, pool


@pytest.mark.parametrize("weighting", ["none", "whole", "real"])
@pytest.mark.parametrize("treatment", ["impute", "marginalize"])
def test_everything_is_as_defined(treatment, weighting):
    rng = np.random.default_rng([12, len(treatment), len(weighting)])
    n_sets = 0
    for _ in range(12):
        problem = random_problem(rng, missing=0.15, weighting=weighting)
        options = {"max_rows": int(rng.choice([5, 2000])), "random_state": int(rng.integers(0, 9))}
        codings, pool = oracle_pool(problem, treatment, **options)
        clf = problem.fit(CredalLogPoolAODE(missing=treatment, **options))
        assert [super_parent for _, super_parent in clf.experts_] == [
            f"x{j}" for coding in codings for j in coding.features
        ]
        found = np.append(clf.null_weight_, clf.weights_)
        np.testing.assert_allclose(found, pool.weights, atol=1e-8)
        covariance = np.zeros((len(found), len(found)))
        covariance[np.ix_(pool.free, pool.free)] = np.linalg.inv(pool.hessian)
        np.testing.assert_allclose(clf.covariance_, covariance, atol=1e-8)
        X = problem.frame(problem.test)
        said = answers(clf, X)
        explained = clf.explain(X)
        for r in range(len(problem.test)):
            rows = [coding.test[r] for coding in codings]
            expected = oracle.answer(pool, rows)
            np.testing.assert_allclose(said.proba[r], expected.posterior, atol=1e-8)
            np.testing.assert_allclose(said.interval[r, :, 0], expected.lower, atol=1e-7)
            np.testing.assert_allclose(said.interval[r, :, 1], expected.upper, atol=1e-7)
            assert said.robustness[r] == pytest.approx(expected.robustness, abs=1e-6)
            # At the edge of the set, the last digits decide.
            if abs(expected.robustness - 0.95) > 1e-6:
                assert said.sets[r].tolist() == expected.in_set
            n_sets += sum(expected.in_set) > 1
            case = explained.iloc[r]
            c, d = (clf.classes_.tolist().index(case[name]) for name in ("predicted", "rival"))
            parts = oracle.contributions(pool, rows, [coding.features for coding in codings], c, d)
            assert case["frequencies"] == pytest.approx(parts.frequencies, abs=1e-7)
            by_name = dict(zip(case["features"], case["contributions"], strict=True))
            assert by_name == pytest.approx({f"x{j}": v for j, v in parts.features.items()}, abs=1e-7)
    assert n_sets > 0  # or the sets were not tested


def test_sets_and_bounds_are_those_of_a_general_solver():
    rng = np.random.default_rng(121)
    n_compared = 0
    for _ in range(4):
        problem = random_problem(rng, missing=0.1, n_classes=2)
        codings, pool = oracle_pool(problem, "impute")
        clf = problem.fit(CredalLogPoolAODE())
        said = answers(clf, problem.frame(problem.test))
        for r in range(4):
            rows = [coding.test[r] for coding in codings]
            if not oracle.knows_super_parent(rows):
                continue
            logs = oracle.row_logs(pool, rows)
            lower, upper = oracle.bounds_numerically(pool, logs, 0.95)
            np.testing.assert_allclose(said.interval[r], np.transpose([lower, upper]), atol=1e-5)
            n_compared += 1
    assert n_compared > 0


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("odds", [0.01, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 16.0, 20.0, 24.0, 60.0])
def test_the_averaged_curvature_of_a_row_is_its_closed_form(odds, sign):
    delta, omega = sign * odds, 1e-3  # so light a row hardly moves the weights
    expert = -np.logaddexp(0.0, [-delta, delta])
    logs = np.stack([np.log([0.5, 0.5]), expert], axis=1)
    found = pool_weights.pool_weights(logs[None], np.zeros(1, np.intp), np.array([omega]), [1])
    margin, (centre, strength) = found.weights[1] * delta, oracle.prior_weights([1])
    curvature = (1.0 / found.covariance[1, 1] - strength[1]) / (omega * delta**2)
    size = abs(margin)
    within = 1e-6 if size <= 2 else 1e-3 if size <= 5 else 0.02 if size <= 20 else 1.0
    assert curvature == pytest.approx(oracle.curvature_of_a_margin(margin), rel=within)
    problem = oracle.Problem([logs.T], [0], [omega], [True], centre, strength)
    nodes = (oracle.averaged_hessian(problem, found.weights)[1, 1] - strength[1]) / (omega * delta**2)
    assert curvature == pytest.approx(nodes, rel=1e-9)


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("n_copies", [1, 3, 5, 20])
@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_copies_of_the_class_are_decided(n, n_copies, noise):
    y = np.arange(n) % 2
    columns = [y] * n_copies + [np.random.default_rng(n).integers(0, 3, n)] * noise
    X = np.stack(columns, axis=1).astype(str)
    clf = CredalLogPoolAODE().fit(X, y)
    np.testing.assert_array_equal(clf.predict_set(X), y[:, None] == clf.classes_)
    # Bounds, robustness and reasons say the same.
    said, explained = answers(clf, X[:4]), clf.explain(X[:4])
    assert (said.interval[np.arange(4), y[:4], 0] > 0.5).all()
    assert (said.robustness > 0.95).all()
    assert (explained["lower_odds"] > 1.0).all()
    assert (explained["set_size"] == 1).all()


def kinds_of_things(n, n_columns, seed):
    """Return a table like mushroom: twelve hidden kinds, each column a function of the kind, nearly."""
    rng = np.random.default_rng(seed)
    kind, columns = rng.integers(0, 12, n), []
    for _ in range(n_columns):
        n_values = int(rng.integers(3, 7))
        column = rng.integers(0, n_values, 12)[kind]
        columns.append(np.where(rng.random(n) < 0.02, rng.integers(0, n_values, n), column))
    return np.stack(columns, axis=1).astype(str), kind % 2


@pytest.mark.parametrize("random_state", range(5))
@pytest.mark.parametrize("n_columns", [8, 12, 20])
@pytest.mark.parametrize("n", [500, 2000, 5000])
def test_a_table_whose_classes_are_certain_is_decided(n, n_columns, random_state):
    X, y = kinds_of_things(n, n_columns, seed=random_state)
    clf = CredalLogPoolAODE(random_state=random_state).fit(X, y)
    assert clf.score(X, y) > 0.998
    assert (clf.predict_set(X).sum(axis=1) == 1).mean() >= 0.99


def messy(seed, *, n=60, n_classes=3):
    """Return a table of numbers and text with missing cells, classes, and new rows."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n + 20 - n_classes))
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(len(y)) < 0.1, np.nan, rng.normal(y, 1.5)),
            "whole": rng.poisson(1 + y).astype(float),
            "text": np.where(rng.random(len(y)) < 0.5, "u", np.array(list("vwxyz"))[y]),
            "noise": rng.choice(["p", "q", None], len(y)),
        }
    )
    return X[:n], y[:n], X[n:].reset_index(drop=True)


seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None)


@given(seeds, st.sampled_from(["maximality", "interval_dominance"]))
@few
def test_sets_shrink_as_the_credibility_falls(seed, criterion):
    X, y, new = messy(seed)
    larger = None
    for credibility in (0.99, 0.9, 0.5, 0.0):
        clf = CredalLogPoolAODE(credibility=credibility, criterion=criterion).fit(X, y)
        sets = clf.predict_set(new)
        predicted = np.searchsorted(clf.classes_, clf.predict(new))
        assert sets[np.arange(len(sets)), predicted].all()
        if larger is not None:
            assert not (sets & ~larger).any()
        larger = sets


@given(seeds, st.sampled_from(["impute", "marginalize"]))
@few
def test_what_the_methods_say_fits_together(seed, treatment):
    X, y, new = messy(seed)
    new.loc[len(new)] = [np.nan, np.nan, None, None]
    clf = CredalLogPoolAODE(missing=treatment, credibility=0.8).fit(X, y)
    said = answers(clf, new)
    # Decided exactly where the robustness exceeds the credibility, unless it meets it.
    clear = np.abs(said.robustness - 0.8) > 1e-9
    np.testing.assert_array_equal(said.set_size[clear] == 1, said.robustness[clear] > 0.8)
    np.testing.assert_array_equal(said.sets, clf.predict_set(new))
    np.testing.assert_array_equal(said.proba, clf.predict_proba(new))
    np.testing.assert_array_equal(said.proba, LogPoolAODE(missing=treatment).fit(X, y).predict_proba(new))
    np.testing.assert_array_equal(said.interval, clf.predict_interval(new))
    np.testing.assert_array_equal(said.robustness, clf.robustness(new))
    # The contributions add up to the odds, and these to the probabilities.
    explained = clf.explain(new)
    together = explained["frequencies"] + explained["contributions"].map(sum)
    np.testing.assert_allclose(together, np.log(explained["odds"]), atol=1e-9)
    ratio = explained["probability"] / explained["rival_probability"]
    np.testing.assert_allclose(explained["odds"], ratio, rtol=1e-9)
    assert (explained["lower_odds"] <= explained["odds"] + 1e-12).all()
    assert explained["set"].map(len).tolist() == said.set_size.tolist()
    if treatment == "marginalize":
        assert "nothing is known" in explained["sentence"].iloc[-1]


@given(seeds)
@few
def test_bounds_hold_the_posteriors_of_weights_from_the_set(seed):
    X, y, new = messy(seed)
    clf = CredalLogPoolAODE().fit(X, y)
    interval, sets = clf.predict_interval(new), clf.predict_set(new)
    best = np.append(clf.null_weight_, clf.weights_)
    free = np.flatnonzero(clf.covariance_.diagonal())
    root = np.linalg.cholesky(clf.covariance_[np.ix_(free, free)])
    counts = clf.counts_.n_c + clf.ess / len(clf.classes_)
    log_c = np.log(counts / counts.sum())
    spodes = np.log(clf.spode_proba(new))
    logs = np.concatenate([np.broadcast_to(log_c, (len(new), 1, len(log_c))), spodes], axis=1)
    logs = np.where(np.isnan(logs), log_c, logs)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        direction = rng.normal(size=len(free))
        weights = best.copy()
        weights[free] += 1.959963984540054 * root @ direction / np.linalg.norm(direction)
        posterior = softmax(np.einsum("j,rjc->rc", weights, logs), axis=1)
        assert (interval[:, :, 0] <= posterior + 1e-9).all()
        assert (interval[:, :, 1] >= posterior - 1e-9).all()
        # The best class under any weights of the set is never left out.
        assert sets[np.arange(len(new)), posterior.argmax(axis=1)].all()


@given(seeds, st.sampled_from(["impute", "marginalize"]))
@few
def test_order_and_constants_do_not_matter(seed, treatment):
    X, y, new = messy(seed)
    clf = CredalLogPoolAODE(missing=treatment).fit(X, y)
    expected = answers(clf, new)
    rng = np.random.default_rng(seed)

    def compare(found, classes=slice(None)):
        np.testing.assert_allclose(found.proba, expected.proba[:, classes], atol=1e-8)
        np.testing.assert_allclose(found.interval, expected.interval[:, classes], atol=1e-7)
        np.testing.assert_allclose(found.robustness, expected.robustness, atol=1e-7)

    with_constant = X.assign(constant="same", one=1.0)
    learned = CredalLogPoolAODE(missing=treatment).fit(with_constant, y)
    compare(answers(learned, new.assign(constant="same", one=1.0)))
    rows, columns = rng.permutation(len(X)), rng.permutation(X.columns)
    learned = CredalLogPoolAODE(missing=treatment).fit(X[columns].iloc[rows], y[rows])
    compare(answers(learned, new[columns]))
    names = rng.permutation(3)
    learned = CredalLogPoolAODE(missing=treatment).fit(X, names[y])
    compare(answers(learned, new), np.argsort(names))


@given(seeds)
@few
def test_a_whole_weight_is_a_repetition(seed):
    X, y, new = messy(seed, n=40)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    weights[:3] = 1
    weighted = CredalLogPoolAODE().fit(X, y, sample_weight=weights)
    again = np.repeat(np.arange(len(y)), weights)
    repeated = CredalLogPoolAODE().fit(X.iloc[again], y[again])
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-8)
    np.testing.assert_allclose(weighted.predict_interval(new), repeated.predict_interval(new), atol=1e-7)


def test_threads_change_no_bit():
    X, y, new = messy(5, n=3000)
    new = pd.concat([new] * 60, ignore_index=True)
    one, two = (CredalLogPoolAODE(n_jobs=n_jobs, max_rows=500).fit(X, y) for n_jobs in (1, 2))
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.covariance_.tobytes() == two.covariance_.tobytes()
    np.testing.assert_array_equal(one.predict_interval(new), two.predict_interval(new))
    np.testing.assert_array_equal(one.predict_proba(new), two.predict_proba(new))
    np.testing.assert_array_equal(one.predict_set(new), two.predict_set(new))


@given(seeds, st.booleans())
@few
def test_weights_are_the_best(seed, twice):
    """The optimality conditions of J, from logarithms that are as definite as they get."""
    rng = np.random.default_rng(seed)
    n, n_classes, sizes = int(rng.integers(5, 80)), int(rng.integers(2, 5)), [3, 2] if twice else [4]
    logs = np.log(rng.dirichlet(np.full(n_classes, 0.5), (n, 1 + sum(sizes))) + 1e-12).transpose(0, 2, 1)
    labels = np.where(rng.random(n) < 0.7, logs[:, :, 1].argmax(axis=1), rng.integers(0, n_classes, n))
    omega = rng.choice([0.5, 1.0, 2.0], n)
    found = pool_weights.pool_weights(logs, labels, omega, sizes)
    problem = oracle.Problem(
        list(logs.transpose(0, 2, 1)),
        labels.tolist(),
        omega.tolist(),
        [True] * n,
        *oracle.prior_weights(sizes),
    )
    assert oracle.kkt_residual(problem, found.weights) < 1e-6
    assert found.error <= pool_weights.ENOUGH
    free = np.flatnonzero(found.covariance.diagonal())
    hessian = oracle.averaged_hessian(problem, found.weights)[np.ix_(free, free)]
    np.testing.assert_allclose(found.covariance[np.ix_(free, free)] @ hessian, np.eye(len(free)), atol=1e-7)


def test_weights_that_are_not_proven_are_warned_of(monkeypatch):
    monkeypatch.setattr(pool_weights, "MOST_STEPS", 1)
    X, y, _ = messy(3)
    with pytest.warns(UserWarning, match="did not converge: log-odds of training rows may be off by"):
        LogPoolAODE().fit(X, y)


def test_hundreds_of_experts_and_many_classes():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(26), rng.integers(0, 26, 374))
    X = rng.normal(size=(400, 200)) + (y[:, None] * rng.normal(size=200)) / 10
    # Few bins, for the sake of the memory that the tests take.
    clf = CredalLogPoolAODE(bins=(2, 3, 4)).fit(X, y)
    assert len(clf.experts_) > 600
    sets = clf.predict_set(X[:20])
    np.testing.assert_array_equal(sets, answers(clf, X[:20]).sets)


def test_codings():
    X, y, _ = messy(1)
    names = [coding for coding, _ in LogPoolAODE().fit(X, y).experts_]
    assert list(dict.fromkeys(names)) == ["MDL", "5 bins", "10 bins"]
    assert {coding for coding, _ in LogPoolAODE(bins=()).fit(X, y).experts_} == {"MDL"}
    # Without a number that varies there is one coding, whatever is asked for.
    assert {coding for coding, _ in LogPoolAODE().fit(X[["text", "noise"]].assign(one=1.0), y).experts_} == {
        "MDL"
    }
    clf = LogPoolAODE(bins=[3]).fit(X[["number"]].to_numpy(), y)
    assert clf.experts_[-1] == ("3 bins", 0)


def test_experts_are_the_spodes_of_their_coding():
    X, y, new = messy(2)
    clf = LogPoolAODE(ess=1.0, missing="marginalize").fit(X, y)
    aode = AODE(missing="marginalize").fit(X, y)
    new.loc[len(new)] = [np.nan, 1.0, "never seen", None]
    found, expected = clf.spode_proba(new), aode.spode_proba(new)
    mdl = [i for i, (coding, _) in enumerate(clf.experts_) if coding == "MDL"]
    np.testing.assert_array_equal(found[:, mdl], expected)
    for i, (_, name) in enumerate(clf.experts_):
        assert np.isnan(found[-1, i]).all() == (name != "whole")


def test_the_choice_of_rows():
    X, y, _ = messy(4, n=200)
    every = LogPoolAODE(max_rows=200).fit(X, y)
    np.testing.assert_array_equal(every.weights_, LogPoolAODE().fit(X, y).weights_)
    some = [LogPoolAODE(max_rows=50, random_state=seed).fit(X, y) for seed in (0, 0, 1, -1)]
    assert some[0].weights_.tolist() == some[1].weights_.tolist() != some[2].weights_.tolist()
    # The counts are those of all rows.
    assert some[0].counts_.n == 200


def test_nothing_to_learn_from():
    clf = CredalLogPoolAODE().fit([["a"], ["a"], ["a"]], [0, 0, 1])
    assert clf.experts_ == []
    assert clf.null_weight_ == 0.0
    said = answers(clf, [["a"], ["b"]])
    np.testing.assert_allclose(said.proba, [[4 / 7, 3 / 7]] * 2)
    np.testing.assert_array_equal(said.interval, np.stack([said.proba] * 2, axis=2))
    assert said.robustness.tolist() == [1.0, 1.0]
    tied = CredalLogPoolAODE().fit([["a"], ["a"]], [0, 1])
    assert tied.predict_set([["a"]]).tolist() == [[True, True]]
    assert tied.robustness([["a"]]).tolist() == [0.0]
    alone = CredalLogPoolAODE().fit([["a"], ["b"], ["b"]], [7, 7, 7])
    assert alone.predict_set([["a"]]).tolist() == [[True]]
    assert alone.robustness([["a"]]).tolist() == [1.0]
    assert alone.explain([["a"]])["sentence"].tolist() == ["7 (100%): the only class there is."]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ess": 0.0}, "ess must"),
        ({"bins": 5}, r"bins must be a list of whole numbers, got 5\."),
        ({"bins": "5"}, "bins must be a list of whole numbers"),
        ({"bins": [1]}, r"bins must hold whole numbers of at least 2, got 1\."),
        ({"bins": [2.5]}, "bins must hold whole numbers of at least 2, got 2.5"),
        ({"bins": [5, 5]}, "bins must hold different numbers"),
        ({"max_rows": 0}, "max_rows must"),
        ({"random_state": None}, "random_state must be a whole number, got None"),
        ({"credibility": 1.0}, "credibility must"),
        ({"credibility": -0.1}, "credibility must"),
        ({"criterion": "e_admissibility"}, "e_admissibility"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        CredalLogPoolAODE(**parameters).fit([["a"], ["b"]], [0, 1])


def test_the_limit_of_pair_tables_holds_for_all_codings_together():
    X, y, _ = messy(6)
    with limited_to(20_000):
        AODE().fit(X, y)
        with pytest.raises(ValueError, match="pair tables of 4 features and 3 classes would take"):
            LogPoolAODE().fit(X, y)


def test_explanations_read_well():
    X, y, new = messy(7, n_classes=2)
    clf = CredalLogPoolAODE().fit(X, np.array(["well", "ill"])[y])
    sentences = clf.explain(new)["sentence"].tolist()
    assert any("rather than" in one and "so both remain." in one for one in sentences)
    assert any("alone remains." in one for one in sentences)
    assert all(" to 1; " in one and "speaks most" in one for one in sentences)


def test_predictions_go_by_chunks(monkeypatch):
    """Nothing of the size rows × experts × classes is ever held."""
    X, y, new = messy(9)
    clf = CredalLogPoolAODE().fit(X, y)
    sizes = []
    original = log_pool.LogPool.odds
    monkeypatch.setattr(
        log_pool.LogPool,
        "odds",
        lambda self, states: sizes.append(states.shape[1]) or original(self, states),
    )
    many = pd.concat([new] * 1000, ignore_index=True)
    for method in (clf.predict_set, clf.predict_interval, clf.robustness):
        sizes.clear()
        method(many)
        assert sum(sizes) == len(many)
        assert max(sizes) <= len(many) / 4
