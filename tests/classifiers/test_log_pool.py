"""LP-AODE and LP-AODE* against their definition (§12, §14), and what must hold of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

import oracles_logpool as oracle
from pool_problems import MAKERS, as_frame, fit_to, pool_and_oracle
from skcredal import CredalLogPoolAODE, LogPoolAODE, answers
from skcredal._ensemble import pool_weights
from table_limits import limited_to

pytestmark = pytest.mark.default_regions


@pytest.mark.parametrize("name", MAKERS)
def test_everything_is_as_defined(name):
    problem, expected = pool_and_oracle(name)
    clf = fit_to(problem)
    assert clf.classes_.tolist() == expected.classes
    assert clf.regions_.tolist() == expected.leaves
    if len(expected.classes) > 1:  # with one, there is nothing to weigh
        assert clf.experts_ == [(kind, None if j is None else f"x{j}") for kind, j in expected.experts]
        np.testing.assert_allclose(np.append(clf.null_weight_, clf.weights_), expected.weights, atol=1e-6)
        np.testing.assert_allclose(clf.covariance_, expected.covariance, atol=1e-6)
    X = as_frame(problem, problem.rows)
    said, plain = answers(clf, X), fit_to(problem, LogPoolAODE)
    np.testing.assert_allclose(said.proba, [expected.proba(row) for row in problem.rows], atol=1e-6)
    np.testing.assert_array_equal(plain.predict_proba(X), said.proba)
    bounds = np.array([expected.interval(row, 0.95) for row in problem.rows]).swapaxes(1, 2)
    np.testing.assert_allclose(said.interval, bounds, atol=1e-6)
    robustness = np.array([expected.robustness(row) for row in problem.rows])
    np.testing.assert_allclose(said.robustness, robustness, atol=1e-6)
    clear = np.abs(robustness - 0.95) > 1e-6  # at the edge of the set, the last digits decide
    sets = np.array([expected.set(row, 0.95) for row in problem.rows])
    np.testing.assert_array_equal(said.sets[clear], sets[clear])
    if len(expected.classes) > 1:
        assert_explained(clf, problem, expected)


def assert_explained(clf, problem, expected):
    # With the oracle's weights, so that only rounding differs.
    clf.null_weight_, clf.weights_ = float(expected.weights[0]), expected.weights[1:]
    clf._derive()
    X = as_frame(problem, problem.rows)
    explained, classes = clf.explain(X), clf.classes_.tolist()
    columns = [f"x{j}" for j in expected.model.columns()]
    # No column that trees or line use is reported as left out.
    assert [one.name for one in clf.encoding_ if one.kept] == columns
    for row, case in zip(problem.rows, explained.to_dict("records"), strict=True):
        assert sorted(case["features"]) == sorted(columns)
        c, d = classes.index(case["predicted"]), classes.index(case["rival"])
        frequencies, by_column = expected.contributions(row, c, d)
        assert case["frequencies"] == pytest.approx(frequencies, abs=1e-9)
        by_name = dict(zip(case["features"], case["contributions"], strict=True))
        found = [by_name.get(f"x{j}", 0.0) for j in range(len(by_column))]
        np.testing.assert_allclose(found, by_column, atol=1e-9)
        # They add up to the log-odds.
        total, log_odds = case["frequencies"] + sum(found), np.log(case["odds"])
        assert total == pytest.approx(log_odds, rel=1e-10, abs=1e-10)
        assert log_odds == pytest.approx(expected.log_odds(row, c, d), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("odds", [0.01, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 16.0, 20.0, 24.0, 60.0])
def test_the_averaged_curvature_of_a_row_is_its_closed_form(odds, sign):
    delta, omega = sign * odds, 1e-3  # so light a row hardly moves the weights
    expert = -np.logaddexp(0.0, [-delta, delta])
    logs = np.stack([np.log([0.5, 0.5]), expert], axis=1)
    found = pool_weights.pool_weights(logs[None], np.zeros(1, np.intp), np.array([omega]), [1])
    margin, (centre, strength) = found.weights[1] * delta, oracle.prior_weights(1)
    curvature = (1.0 / found.covariance[1, 1] - strength[1]) / (omega * delta**2)
    size = abs(margin)
    within = 1e-6 if size <= 2 else 1e-3 if size <= 5 else 0.02 if size <= 20 else 1.0
    assert curvature == pytest.approx(oracle.curvature_of_a_margin(margin), rel=within)
    problem = oracle.Problem([logs.T], [0], [omega], [True], centre, strength)
    nodes = (oracle.averaged_hessian(problem, found.weights)[1, 1] - strength[1]) / (omega * delta**2)
    assert curvature == pytest.approx(nodes, rel=1e-9)


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


def pool(**options):
    """Return LP-AODE* with two trees, which is fast, and enough for what is not about regions."""
    return CredalLogPoolAODE(**{"n_regions": 2, **options})


seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=6, deadline=None)


@given(seeds, st.sampled_from(["impute", "marginalize"]))
@few
def test_what_the_methods_say_fits_together(seed, treatment):
    X, y, new = messy(seed)
    new.loc[len(new)] = [np.nan, np.nan, None, None]
    clf = pool(missing=treatment, credibility=0.8).fit(X, y)
    said = answers(clf, new)
    # Decided exactly where the robustness exceeds the credibility, unless it meets it.
    clear = np.abs(said.robustness - 0.8) > 1e-9
    np.testing.assert_array_equal(said.set_size[clear] == 1, said.robustness[clear] > 0.8)
    assert (said.interval[:, :, 0] <= said.proba + 1e-12).all()
    assert (said.interval[:, :, 1] >= said.proba - 1e-12).all()
    explained = clf.explain(new)
    ratio = explained["probability"] / explained["rival_probability"]
    np.testing.assert_allclose(explained["odds"], ratio, rtol=1e-9)
    assert (explained["lower_odds"] <= explained["odds"] + 1e-12).all()
    assert explained["set"].map(len).tolist() == said.set_size.tolist()


@given(seeds)
@few
def test_bounds_contain_the_posteriors_of_weights_from_the_set(seed):
    X, y, new = messy(seed)
    # SPODEs alone, whose answers there is a method for.
    clf = CredalLogPoolAODE(n_regions=0, line=False).fit(X, y)
    assert {kind for kind, _ in clf.experts_} == {"spode"}
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


@given(seeds, st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_weights_are_the_best(seed, regions, line):
    """The optimality conditions of J, from logarithms that are as definite as they get."""
    rng = np.random.default_rng(seed)
    n, n_classes, sizes = int(rng.integers(5, 80)), int(rng.integers(2, 5)), [4] + [1] * (regions + line)
    logs = np.log(rng.dirichlet(np.full(n_classes, 0.5), (n, 1 + sum(sizes))) + 1e-12).transpose(0, 2, 1)
    labels = np.where(rng.random(n) < 0.7, logs[:, :, 1].argmax(axis=1), rng.integers(0, n_classes, n))
    omega = rng.choice([0.5, 1.0, 2.0], n)
    found = pool_weights.pool_weights(logs, labels, omega, sizes)
    problem = oracle.Problem(
        list(logs.transpose(0, 2, 1)),
        labels.tolist(),
        omega.tolist(),
        [True] * n,
        *oracle.prior_weights(4, regions, line),
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
        LogPoolAODE(n_regions=2).fit(X, y)


def test_the_choice_of_rows():
    X, y, _ = messy(4, n=200)
    assert LogPoolAODE().max_rows == CredalLogPoolAODE().max_rows == 5000
    every = LogPoolAODE(max_rows=200, n_regions=2).fit(X, y)
    np.testing.assert_array_equal(every.weights_, LogPoolAODE(n_regions=2).fit(X, y).weights_)
    some = [LogPoolAODE(max_rows=50, random_state=seed, n_regions=2).fit(X, y) for seed in (0, 0, 1, -1)]
    assert some[0].weights_.tolist() == some[1].weights_.tolist()
    assert len({tuple(one.weights_) for one in some}) == 3
    # The counts are those of all rows.
    assert some[0].counts_.n == 200


def test_the_limit_of_pair_tables_counts_those_of_regions():
    X, y, _ = messy(6)
    clf = LogPoolAODE(n_regions=0, line=False).fit(X, y)
    size = 8 * 3 * clf.counts_.n_ca.shape[1] ** 2
    with limited_to(4 * size):
        LogPoolAODE(n_regions=0).fit(X, y)
        with pytest.raises(ValueError, match=r"pair tables of 3 features and 3 classes would take"):
            LogPoolAODE().fit(X, y)


def test_explanations_read_well():
    X, y, new = messy(7, n_classes=2)
    sentences = pool().fit(X, np.array(["well", "ill"])[y]).explain(new)["sentence"]
    for words in ("neither class can be ruled out", "no other class can be the most probable"):
        assert sentences.str.contains(words).any()
    assert not sentences.str.contains("tree|region").any()
