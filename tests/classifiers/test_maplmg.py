"""MaplmgAODE against counting anew and scipy's solver, through the public interface."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
import oracles_maplmg
from paper_data import load_paper_dataset
from problems import as_rows, random_codes
from skcredal import AODE, MaplmgAODE
from skcredal._ensemble.counts import count
from skcredal._ensemble.maplmg import log_own_left_out
from skcredal._ensemble.spodes import SpodeTables
from skcredal.metrics import true_class_brier_loss


@parametrize_with_checks([MaplmgAODE(), MaplmgAODE(missing="marginalize", n_jobs=2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def frame_of(codes, n_states):
    """Return codes (k, n) as a DataFrame of declared categories; the unknown code becomes a missing value."""
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical.from_codes(np.where(column == v, -1, column.astype(int)), range(v))
            for j, (column, v) in enumerate(zip(codes, n_states, strict=True))
        }
    )


def varied_problem(rng, *, n=30, k=4, n_classes=3, unknown=0.0):
    """Return random codes in which every feature and class takes at least two known values."""
    while True:
        codes, labels, n_states, n_classes = random_codes(rng, n=n, k=k, n_classes=n_classes, unknown=unknown)
        varied = all(len(set(column) - {v}) > 1 for column, v in zip(codes.tolist(), n_states, strict=True))
        if varied and len(np.unique(labels)) == n_classes:
            return codes, labels, n_states, n_classes


@pytest.mark.parametrize("unknown", [0.0, 0.2])
@pytest.mark.parametrize("ess", [1.0, 4.0])
def test_weights_and_answers_are_those_of_the_definition(ess, unknown):
    rng = np.random.default_rng(60)
    for _ in range(8):
        codes, labels, n_states, n_classes = varied_problem(rng, unknown=unknown)
        rows, y = as_rows(codes, n_states), labels.tolist()
        clf = MaplmgAODE(ess=ess, missing="marginalize", tol=1e-14).fit(frame_of(codes, n_states), labels)
        posteriors = oracles_maplmg.left_out_posteriors(rows, y, n_states.tolist(), n_classes, int(ess))
        best = oracles_maplmg.best_weights(posteriors)
        np.testing.assert_allclose(clf.weights_, best, atol=1e-5)
        assert clf.objective_ >= oracles_maplmg.objective(best, posteriors) - 1e-9
        assert clf.objective_ == pytest.approx(oracles_maplmg.objective(clf.weights_, posteriors), rel=1e-11)
        counts = oracles.count_tables(rows, y, n_states.tolist(), n_classes)
        prior = oracles.class_prior(counts, int(ess))
        test = rng.integers(0, n_states[:, None] + 1, (len(codes), 8))
        proba = clf.predict_proba(frame_of(test, n_states))
        for r, row in enumerate(as_rows(test, n_states)):
            spodes = oracles.spode_posteriors(counts, row, int(ess))
            np.testing.assert_allclose(proba[r], oracles.mixture(clf.weights_, spodes, prior), rtol=1e-11)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_a_whole_weight_repeats_the_row(missing):
    rng = np.random.default_rng(61)
    n = 60
    y = rng.integers(0, 3, n)
    X = pd.DataFrame({"x": y + rng.normal(size=n), "z": rng.normal(size=n) - y, "kind": list("abc" * 20)})
    X.loc[::7, "x"] = np.nan
    weights = rng.integers(0, 4, n)
    copies = np.repeat(np.arange(n), weights)
    once = MaplmgAODE(missing=missing).fit(X, y, sample_weight=weights)
    repeated = MaplmgAODE(missing=missing).fit(X.iloc[copies], y[copies])
    np.testing.assert_allclose(once.weights_, repeated.weights_, rtol=1e-9)
    assert once.objective_ == pytest.approx(repeated.objective_, rel=1e-11)
    np.testing.assert_allclose(once.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(62)
    X, y = rng.normal(size=(3000, 6)), rng.integers(0, 3, 3000)
    X += y[:, None] * rng.random(6)
    one, three = (MaplmgAODE(n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    np.testing.assert_array_equal(one.weights_, three.weights_)
    assert (one.objective_, one.n_iter_) == (three.objective_, three.n_iter_)
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))


def test_the_objective_climbs_and_a_warning_names_max_iter():
    codes, labels, n_states, _ = varied_problem(np.random.default_rng(63), n=60)
    X = frame_of(codes, n_states)
    objectives = []
    for max_iter in (1, 2, 3):
        with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} ") as caught:
            clf = MaplmgAODE(max_iter=max_iter, tol=1e-13).fit(X, labels)
        assert caught[0].filename == __file__
        assert clf.n_iter_ == max_iter
        objectives.append(clf.objective_)
    assert (np.diff(objectives) > 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = MaplmgAODE(tol=1e-13).fit(X, labels)
    assert 3 < clf.n_iter_ < 50
    assert clf.objective_ > objectives[-1]


def test_every_weight_is_positive_and_they_sum_to_one():
    """The worst super-parent still has the weight that the prior over the weights gives it."""
    rng = np.random.default_rng(64)
    codes, labels, n_states, _ = varied_problem(rng, n=200, k=5)
    clf = MaplmgAODE().fit(frame_of(codes, n_states), labels)
    assert clf.weights_.sum() == pytest.approx(1.0, abs=1e-12)
    assert clf.weights_.min() >= 1 / (200 + 5)


@pytest.mark.parametrize("names", [["x"], ["x", "z"]])
def test_with_one_or_two_features_the_spodes_agree(names):
    """With two features either super-parent gives the same joint, so that the weights stay uniform."""
    rng = np.random.default_rng(65)
    X = pd.DataFrame({name: rng.choice(list("abc"), 50) for name in names})
    y = rng.integers(0, 2, 50)
    clf = MaplmgAODE().fit(X, y)
    np.testing.assert_allclose(clf.weights_, 1 / len(names))
    np.testing.assert_allclose(clf.predict_proba(X), AODE().fit(X, y).predict_proba(X), rtol=1e-12)


def test_without_features_the_prior_answers():
    clf = MaplmgAODE().fit(np.ones((4, 2)), ["a", "b", "b", "b"])
    assert clf.weights_.shape == (0,)
    assert clf.n_iter_ == 0
    assert np.isnan(clf.objective_)
    np.testing.assert_allclose(clf.predict_proba(np.ones((1, 2))), [[1.5 / 5, 3.5 / 5]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole number of at least 1, got 1.5"),
        ({"tol": -1e-3}, r"tol must lie in \[0, inf\), got -0.001"),
        ({"ess": 0.0}, r"ess must lie in \[1e-6, 1e6\], got 0.0"),
    ],
)
def test_refusals_name_the_parameter_the_rule_and_the_value(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MaplmgAODE(**parameters).fit([[0], [1]], [0, 1])


SETS = [
    "anneal",
    "credit_a",
    "diabetes",
    "glass",
    "heart_c",
    "heart_h",
    "labor",
    "monks2",
    "segment",
    "yeast",
]


@pytest.mark.parametrize("name", SETS)
def test_weights_are_the_best_on_the_papers_data(name):
    """Some rows left out by counting anew; how far the maximum can be, by the gradient."""
    data = load_paper_dataset(name)
    y = data.target.astype(str).to_numpy()
    clf = MaplmgAODE().fit(data.features, y)
    labels = np.searchsorted(clf.classes_, y).astype(np.int32)
    states, n_states, ones = clf._encode(data.features).states, clf._encoding.n_states, np.ones(len(y))
    log_own = log_own_left_out(clf._spodes, states, labels, ones)
    for r in (0, len(y) // 2):
        others = np.delete(np.arange(len(y)), r)
        some = np.ascontiguousarray(states[:, others])
        counts = count(some, labels[others], ones[others], n_states, len(clf.classes_))
        posterior = SpodeTables(counts, 1.0).posteriors(states[:, [r]])
        np.testing.assert_allclose(np.exp(log_own[r]), posterior[:, labels[r], 0], rtol=1e-10)
    # Relative to the best of each row: the maximum lies at the same weights.
    relative = np.exp(log_own - log_own.max(axis=1, keepdims=True))
    gap = oracles_maplmg.optimality_gap(clf.weights_, relative)
    assert gap <= 2e-10 * abs(clf.objective_)


def test_the_brier_loss_beside_that_of_aode(record_property):
    """A mixture fitted as a whole should be no worse than the plain mean; trials found it 6 % below AODE."""
    ratios = {}
    for name in SETS:
        data = load_paper_dataset(name)
        y = data.target.astype(str).to_numpy()
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(data.features, y))
        maplmg, aode = (
            true_class_brier_loss(
                y, cross_val_predict(classifier, data.features, y, cv=folds, method="predict_proba")
            )
            for classifier in (MaplmgAODE(), AODE())
        )
        ratios[name] = maplmg / aode
    record_property("brier_relative_to_aode", ratios)
    assert np.mean(list(ratios.values())) < 1.0
