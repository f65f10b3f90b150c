"""The studies beside the experiment: each against the public methods on the same rows."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from skcredal import AODE, CompAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._classifiers import BASELINES, make_classifiers
from skcredal.evaluation._fold import Fold, splits
from skcredal.metrics import determinacy_score, u65_score, u80_score
from skcredal.metrics._curves import retained_correct
from skcredal.paper import study_tables
from skcredal.paper._studies import CONFORMAL_LEVELS, EPSILONS, conformal_sets, reject_or_answer, run_fold

NAMES = ["aode", "comp-aode", "maplmg", "lp-aode", "bma-aode*", "comp-aode*", "lp-aode*"]


def classifiers():
    return make_classifiers(NAMES) | {"random-forest": BASELINES["random-forest"](n_trees=20)}


@pytest.fixture(scope="module")
def wine():
    data = load_dataset("wine")
    target = data.target.astype(str).to_numpy().astype(object)
    # Few rows to learn from, so that some cases depend on the prior.
    test, train = splits(target, folds=4, run=0, seed=1)[0]
    return data.features, target, train, test


@pytest.fixture(scope="module")
def tables(wine):
    return study_tables([{"dataset": "wine", **run_fold(Fold(*wine), classifiers())}] * 2)


@pytest.fixture(scope="module")
def learned(wine):
    features, target, train, _ = wine
    return {name: clf.fit(features.iloc[train], target[train]) for name, clf in classifiers().items()}


def at(table, series, **point):
    ((name, value),) = point.items()
    (row,) = table[(table["series"] == series) & (table[name] == value)].to_dict("records")
    return row


@pytest.mark.parametrize("name", ["bma-aode*", "comp-aode*"])
def test_each_epsilon_is_a_classifier_of_its_own(wine, tables, name):
    features, target, train, test = wine
    found = [at(tables["epsilon"], name, epsilon=epsilon) for epsilon in EPSILONS]
    n_kept = len(Fold(*wine).test_rows(AODE()).states)
    for epsilon, measures in zip(EPSILONS, found, strict=True):
        clf = classifiers()[name].set_params(epsilon=min(epsilon, 0.999 / (n_kept + 1)))
        y_set = clf.fit(features.iloc[train], target[train]).predict_set(features.iloc[test])
        assert measures["determinacy"] == determinacy_score(y_set)
        assert measures["u65"] == pytest.approx(u65_score(target[test], y_set, labels=clf.classes_))
    determinacies = [measures["determinacy"] for measures in found]
    assert determinacies == sorted(determinacies)
    assert determinacies[0] < 1.0


def test_the_least_robust_are_set_aside(wine, tables, learned):
    features, target, _, test = wine
    clf, X = learned["comp-aode*"], features.iloc[test]
    robustness, probability = clf.robustness(X), clf.predict_proba(X).max(axis=1)
    correct = clf.predict(X) == target[test]
    for by, score in (("robustness", robustness), ("probability", probability)):
        found = tables["set-aside"][tables["set-aside"]["series"] == by]
        kept = len(test) * (1.0 - found["set_aside"].to_numpy())
        np.testing.assert_allclose(found["accuracy"], retained_correct(score, correct, kept) / kept)
    # Where the robustness decides, the probability does not; where it ties, it does.
    order = np.lexsort([-probability, -robustness])
    half = at(tables["set-aside"], "robustness, then probability", set_aside=0.5)["accuracy"]
    assert half == pytest.approx(correct[order[: len(test) // 2]].mean(), abs=2.0 / len(test))


@pytest.mark.parametrize(("utility", "score"), [("u65", u65_score), ("u80", u80_score)])
def test_rivals_are_judged_by_the_utility_they_are_made_for(wine, tables, learned, utility, score):
    features, target, _, test = wine
    X, labels = features.iloc[test], learned["aode"].classes_
    proba = {name: clf.predict_proba(X) for name, clf in learned.items()}
    held = Fold(*wine).hold_out(classifiers()["random-forest"], share=0.3)
    expected = {name: learned[name].predict_set(X) for name in ("comp-aode*", "lp-aode*")}
    for name in ("aode", "lp-aode", "random-forest"):
        expected[f"utility-optimal, {name}"] = utility_optimal_sets(proba[name], utility=utility)
    expected["reject option, comp-aode"] = reject_or_answer(proba["comp-aode"], utility)
    expected["conformal 90 %, random-forest"] = conformal_sets(held.proba, held.labels, held.test_proba, 0.9)
    for name, y_set in expected.items():
        found = at(tables["rivals"], name, judged_by=utility)["utility"]
        assert found == pytest.approx(score(target[test], y_set, labels=labels)), name


@pytest.mark.parametrize("n", [25, 59, 400])
def test_conformal_sets_are_mapies(n):
    classification = pytest.importorskip("mapie.classification")
    rng = np.random.default_rng(n)
    y = rng.integers(3, size=n + 300)
    X = rng.normal(size=(n + 300, 2)) + 2.5 * y[:, None]
    learner = GaussianNB().fit(X[n:], y[n:])
    mapie = classification.SplitConformalClassifier(
        learner, confidence_level=list(CONFORMAL_LEVELS), conformity_score="lac", prefit=True
    )
    _, expected = mapie.conformalize(X[:n], y[:n]).predict_set(X[n:])
    proba, test_proba = learner.predict_proba(X[:n]), learner.predict_proba(X[n:])
    # MAPIE leaves sets empty, ours get the most probable class.
    assert not expected.any(axis=1).all()
    expected[np.arange(300), test_proba.argmax(axis=1)] |= ~expected.any(axis=1)
    for index, level in enumerate(CONFORMAL_LEVELS):
        found = conformal_sets(proba, y[:n], test_proba, level)
        np.testing.assert_array_equal(found, expected[:, :, index])


def test_nothing_is_learned_from_rows_that_are_held_back(wine):
    features, target, train, test = wine
    before = Fold(features, target, train, test).hold_out(CompAODE(), share=0.3)
    rng, held = np.random.default_rng(0), []
    for label in sorted(set(target[train])):
        of_class = rng.permutation(np.flatnonzero(target[train] == label))
        held.extend(train[of_class[: int(0.3 * len(of_class))]])
    assert len(before.labels) == len(held)
    # Strange values in these rows leave the classifier as it was.
    changed = features.copy()
    changed.iloc[held, :] = 1e6
    after = Fold(changed, target, train, test).hold_out(CompAODE(), share=0.3)
    np.testing.assert_array_equal(before.test_proba, after.test_proba)
    assert not np.array_equal(before.proba, after.proba)
