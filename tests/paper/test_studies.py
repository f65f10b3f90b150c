"""The studies beside the experiment: each against the public methods on the same rows."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcredal import AODE, CompAODE, CredalBmaAODE, CredalCompAODE, LogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._classifiers import BASELINES, make_classifiers
from skcredal.evaluation._fold import Fold, splits
from skcredal.metrics import determinacy_score, set_accuracy_score, u65_score, u80_score
from skcredal.metrics._curves import RELIABILITY_BINS, reliability_sums, retained_correct
from skcredal.paper import study_tables
from skcredal.paper._studies import (
    CONFORMAL_LEVELS,
    EPSILONS,
    SET_ASIDE,
    UTILITIES,
    conformal_sets,
    reject_or_answer,
    run_fold,
)

NAMES = ["aode", "comp-aode", "maplmg", "lp-aode", "bma-aode*", "comp-aode*", "lp-aode*"]
SMALL_FOREST = {"random-forest": BASELINES["random-forest"](n_trees=20)}


@pytest.fixture(scope="module")
def wine():
    data = load_dataset("wine")
    target = data.target.astype(str).to_numpy().astype(object)
    # Few rows to learn from, so that some cases hang on the prior.
    test, train = splits(target, folds=4, run=0, seed=1)[0]
    return data.features, target, train, test


@pytest.fixture(scope="module")
def tables(wine):
    """Return the tables of all studies on one fold, without and with a baseline."""
    classifiers = make_classifiers(NAMES) | SMALL_FOREST
    return study_tables([{"dataset": "wine", **run_fold(Fold(*wine), classifiers)}])


def at(table, series, **point):
    """Return the row of a series at a point."""
    ((name, value),) = point.items()
    (row,) = table[(table["series"] == series) & (table[name] == value)].to_dict("records")
    return row


@pytest.mark.parametrize("classifier", [CredalBmaAODE, CredalCompAODE])
def test_each_epsilon_is_a_classifier_of_its_own(wine, tables, classifier):
    features, target, train, test = wine
    name = {CredalBmaAODE: "bma-aode*", CredalCompAODE: "comp-aode*"}[classifier]
    found = [at(tables["epsilon"], name, epsilon=epsilon) for epsilon in EPSILONS]
    n_kept = len(Fold(*wine).test_rows(AODE()).states)
    for epsilon, measures in zip(EPSILONS, found, strict=True):
        clf = classifier(epsilon=min(epsilon, 0.999 / (n_kept + 1))).fit(features.iloc[train], target[train])
        y_set = clf.predict_set(features.iloc[test])
        options = {"labels": clf.classes_}
        assert measures["determinacy"] == determinacy_score(y_set)
        expected = set_accuracy_score(target[test], y_set, **options)
        assert measures["set_accuracy"] == pytest.approx(expected, nan_ok=True)
        assert measures["u65"] == pytest.approx(u65_score(target[test], y_set, **options))
    determinacies = [measures["determinacy"] for measures in found]
    assert determinacies == sorted(determinacies)
    assert determinacies[0] < 1.0


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_rows_of_equal_score_are_kept_alike(rows):
    score, correct = np.array([float(s) for s, _ in rows]), np.array([right for _, right in rows])
    n = len(rows)
    found = retained_correct(score, correct, np.arange(n + 1.0))
    # Every order that the scores admit, each as likely as the other.
    orders = [order for order in permutations(range(n)) if all(np.diff([score[r] for r in order]) <= 0.0)]
    for kept in range(n + 1):
        expected = np.mean([sum(correct[r] for r in order[:kept]) for order in orders])
        assert found[kept] == pytest.approx(expected)
    assert retained_correct(score, correct, np.array([0.5]))[0] == pytest.approx(found[1] / 2)


def test_the_least_robust_are_set_aside(wine, tables):
    features, target, train, test = wine
    clf = CredalCompAODE().fit(features.iloc[train], target[train])
    X = features.iloc[test]
    correct = clf.predict(X) == target[test]
    kept = len(test) * (1.0 - np.array(SET_ASIDE))
    for by, score in (("robustness", clf.robustness(X)), ("probability", clf.predict_proba(X).max(axis=1))):
        expected = retained_correct(score, correct, kept) / kept
        found = [at(tables["set-aside"], by, set_aside=share)["accuracy"] for share in SET_ASIDE]
        np.testing.assert_allclose(found, expected)
        assert found[0] == correct.mean()
    # Where the robustness decides, the probability does not; where it ties, it does.
    order = np.lexsort([-clf.predict_proba(X).max(axis=1), -clf.robustness(X)])
    half = at(tables["set-aside"], "robustness, then probability", set_aside=0.5)["accuracy"]
    assert half == pytest.approx(correct[order[: len(test) // 2]].mean(), abs=2.0 / len(test))


def test_rivals_are_judged_by_the_utility_they_are_made_for(wine, tables):
    features, target, train, test = wine
    X, y = features.iloc[test], target[test]
    score = {"u65": u65_score, "u80": u80_score}
    learned = {
        name: clf.fit(features.iloc[train], target[train])
        for name, clf in (make_classifiers(NAMES) | SMALL_FOREST).items()
    }
    proba = {name: clf.predict_proba(X) for name, clf in learned.items()}
    for utility in UTILITIES:
        expected = {
            "comp-aode*": learned["comp-aode*"].predict_set(X),
            "lp-aode*": learned["lp-aode*"].predict_set(X),
            "utility-optimal, aode": utility_optimal_sets(proba["aode"], utility=utility),
            "utility-optimal, lp-aode": utility_optimal_sets(proba["lp-aode"], utility=utility),
            "utility-optimal, random-forest": utility_optimal_sets(proba["random-forest"], utility=utility),
            "reject option, comp-aode": reject_or_answer(proba["comp-aode"], utility),
        }
        for name, y_set in expected.items():
            found = at(tables["rivals"][tables["rivals"]["judged_by"] == utility], name, judged_by=utility)
            labels = learned["aode"].classes_
            assert found["utility"] == pytest.approx(score[utility](y, y_set, labels=labels)), name


def test_the_forest_has_conformal_sets_of_rows_that_it_has_not_seen(wine, tables):
    _, target, _, test = wine
    held = Fold(*wine).hold_out(SMALL_FOREST["random-forest"], share=0.3)
    for name in ("comp-aode", "random-forest"):
        for level in CONFORMAL_LEVELS:
            assert at(tables["rivals"], f"conformal {100 * level:g} %, {name}", judged_by="u65")
    y_set = conformal_sets(held.proba, held.labels, held.test_proba, 0.9)
    expected = u65_score(target[test], y_set, labels=held.classes)
    rivals = tables["rivals"][tables["rivals"]["judged_by"] == "u65"]
    found = at(rivals, "conformal 90 %, random-forest", judged_by="u65")
    assert found["utility"] == pytest.approx(expected)
    assert "conformal 90 %, gradient-boosting" not in set(rivals["series"])


def test_without_baselines_there_is_no_forest(wine):
    found = run_fold(Fold(*wine), make_classifiers(["comp-aode", "comp-aode*"]))
    assert not any("forest" in row["series"] for row in found["studies"]["rivals"])


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), max_size=30), st.integers(0, 30))
def test_sums_of_reliability_pool(rows, cut):
    probability = np.array([p for p, _ in rows])
    correct = np.array([right for _, right in rows], dtype=bool)
    whole = reliability_sums(probability, correct)
    parts = [reliability_sums(probability[part], correct[part]) for part in (slice(cut), slice(cut, None))]
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-12)
    low = 0.0
    for high, found in zip(RELIABILITY_BINS, whole, strict=True):
        inside = [row for row in rows if (low < row[0] or low == 0.0) and row[0] <= high]
        expected = [len(inside), sum(p for p, _ in inside), sum(right for _, right in inside)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        low = high


def test_reliability_is_that_of_each_classifier(wine, tables):
    features, target, train, test = wine
    assert tables["reliability"]["series"].unique().tolist() == ["aode", "comp-aode", "maplmg", "lp-aode"]
    model = LogPoolAODE().fit(features.iloc[train], target[train])
    proba = model.predict_proba(features.iloc[test])
    correct = model.predict(features.iloc[test]) == target[test]
    for end, (n, probability, right) in zip(
        RELIABILITY_BINS, reliability_sums(proba.max(axis=1), correct).tolist(), strict=True
    ):
        found = at(tables["reliability"], "lp-aode", at_most=end)
        assert found["rows"] == n
        if n:
            assert (found["probability"], found["accuracy"]) == pytest.approx((probability / n, right / n))


def test_all_classes_are_named_where_that_is_worth_more():
    """By brute force over the two answers that the reject option has."""
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 5):
        proba = rng.dirichlet(np.ones(n_classes), 200)
        x = 1.0 / n_classes
        for utility, g in (("u65", 1.6 * x - 0.6 * x**2), ("u80", 2.2 * x - 1.2 * x**2)):
            sizes = reject_or_answer(proba, utility).sum(axis=1)
            np.testing.assert_array_equal(sizes == n_classes, proba.max(axis=1) < g)
            assert set(sizes) <= {1, n_classes}


class Precomputed:
    """A fitted classifier with precomputed answers: the only feature of a row is the index of its answer."""

    def __init__(self, proba):
        self.proba, self.classes_, self.n_features_in_ = proba, np.arange(proba.shape[1]), 1

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return self.proba[np.asarray(X)[:, 0].astype(int)]

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


@pytest.mark.parametrize("n", [25, 59, 400])
def test_conformal_sets_are_mapies(n):
    classification = pytest.importorskip("mapie.classification")
    rng = np.random.default_rng(n)
    proba = rng.dirichlet([2.0, 1.0, 0.5], n + 200)
    labels = np.array([rng.choice(3, p=row) for row in proba])
    rows = np.arange(n + 200)[:, None]
    mapie = classification.SplitConformalClassifier(
        Precomputed(proba), confidence_level=list(CONFORMAL_LEVELS), conformity_score="lac", prefit=True
    )
    mapie.conformalize(rows[:n], labels[:n])
    _, expected = mapie.predict_set(rows[n:])
    for index, level in enumerate(CONFORMAL_LEVELS):
        found = conformal_sets(proba[:n], labels[:n], proba[n:], level)
        # MAPIE leaves sets empty, ours get the most probable class.
        some = expected[:, :, index].any(axis=1)
        np.testing.assert_array_equal(found[some], expected[some][:, :, index].astype(bool))
        assert (found[~some].sum(axis=1) == 1).all()
        assert found[~some][np.arange((~some).sum()), proba[n:][~some].argmax(axis=1)].all()


def test_conformal_sets_keep_their_promise():
    data = load_dataset("waveform")
    target = data.target.astype(str).to_numpy().astype(object)
    train, test = splits(target, folds=3, run=0, seed=0)[0]
    held = Fold(data.features, target, train, test).hold_out(CompAODE(), share=0.3)
    assert len(held.labels) / len(train) == pytest.approx(0.3, abs=0.01)
    for level in CONFORMAL_LEVELS:
        y_set = conformal_sets(held.proba, held.labels, held.test_proba, level)
        covered = y_set[np.arange(len(test)), np.searchsorted(held.classes, target[test])].mean()
        assert covered == pytest.approx(level, abs=0.04) or (level == 0.8 and covered > 0.8)


def test_too_few_rows_held_back_leave_all_classes():
    proba, labels = np.array([[0.9, 0.1]] * 4 + [[0.2, 0.8]] * 4), np.array([0] * 4 + [1] * 4)
    test = np.array([[0.7, 0.3]])
    assert conformal_sets(proba, labels, test, 0.9).tolist() == [[True, True]]
    assert conformal_sets(proba, labels, test, 0.8).sum() == 1


def test_tables_of_studies_pool_over_folds(wine):
    classifiers = make_classifiers(["comp-aode*"])
    once = {"dataset": "wine", **run_fold(Fold(*wine), classifiers)}
    one, two = study_tables([once]), study_tables([once, once])
    assert list(one) == ["epsilon", "set-aside", "rivals"]
    for name, table in one.items():
        np.testing.assert_allclose(
            two[name].select_dtypes(float), table.select_dtypes(float), rtol=1e-12, equal_nan=True
        )
    assert one["epsilon"].columns[:3].tolist() == ["dataset", "series", "epsilon"]


def test_nothing_is_learned_from_rows_that_are_held_back(wine):
    features, target, train, test = wine
    before = Fold(features, target, train, test).hold_out(CompAODE(), share=0.3)
    rng, held = np.random.default_rng(0), []
    for label in sorted(set(target[train])):
        of_class = rng.permutation(np.flatnonzero(target[train] == label))
        held.extend(train[of_class[: int(0.3 * len(of_class))]])
    # Strange values in these rows leave the classifier as it was.
    changed = features.copy()
    changed.iloc[held, :] = 1e6
    after = Fold(changed, target, train, test).hold_out(CompAODE(), share=0.3)
    np.testing.assert_array_equal(before.test_proba, after.test_proba)
    assert not np.array_equal(before.proba, after.proba)


def test_a_rare_class_is_always_learned(wine):
    features, target, train, test = wine
    target = target.copy()
    target[train[0]] = "rare"
    assert "rare" in Fold(features, target, train, test).hold_out(CompAODE(), share=0.3).classes
