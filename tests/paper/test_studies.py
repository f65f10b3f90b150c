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
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.metrics import determinacy_score, set_accuracy_score, u65_score, u80_score
from skcredal.metrics._curves import RELIABILITY_BINS, reliability_sums, retained_correct
from skcredal.paper._run import Plan, run_plan
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import (
    CONFORMAL_LEVELS,
    EPSILONS,
    SET_ASIDE,
    STUDIES,
    conformal_sets,
    reject_or_answer,
    studies_of,
)
from skcredal.paper._summary import study_table

pytest.importorskip("pandas", reason="data sets are tables of pandas")

NAMES = ["aode", "comp-aode", "maplmg", "bma-aode*", "comp-aode*"]


@pytest.fixture(scope="module")
def wine():
    data = load_dataset("wine")
    target = data.target.astype(str).to_numpy().astype(object)
    # Few rows to learn from, so that some cases hang on the prior.
    test, train = splits(target, folds=4, run=0, seed=1)[0]
    return data.features, target, train, test


@pytest.fixture(scope="module")
def fold(wine):
    return Fold(*wine)


def measured(study, name, sums):
    about = STUDIES[study]
    return [about.measures(point_sums, point) for point, point_sums in zip(about.points, sums, strict=True)]


@pytest.mark.parametrize("classifier", [CredalBmaAODE, CredalCompAODE])
def test_each_epsilon_is_a_classifier_of_its_own(wine, fold, classifier):
    features, target, train, test = wine
    name = {CredalBmaAODE: "bma-aode*", CredalCompAODE: "comp-aode*"}[classifier]
    classifiers = make_classifiers(NAMES)
    found = measured("epsilon", name, STUDIES["epsilon"].run(fold, classifiers)[name])
    largest = 0.999 / (len(fold.test_rows(AODE()).states) + 1)
    for epsilon, measures in zip(EPSILONS, found, strict=True):
        clf = classifier(epsilon=min(epsilon, largest)).fit(features.iloc[train], target[train])
        y_set = clf.predict_set(features.iloc[test])
        options = {"labels": clf.classes_}
        assert measures["determinacy"] == determinacy_score(y_set)
        expected = set_accuracy_score(target[test], y_set, **options)
        assert measures["set_accuracy"] == pytest.approx(expected, nan_ok=True)
        assert measures["u65"] == pytest.approx(u65_score(target[test], y_set, **options))
    determinacies = [measures["determinacy"] for measures in found]
    assert determinacies == sorted(determinacies)
    assert determinacies[0] < 1.0
    assert determinacies[-1] > 0.98
    assert classifiers[name].epsilon == "auto"


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


def test_the_least_robust_are_set_aside(wine, fold):
    features, target, train, test = wine
    series = STUDIES["set-aside"].run(fold, make_classifiers(NAMES))
    clf = CredalCompAODE().fit(features.iloc[train], target[train])
    X = features.iloc[test]
    correct = clf.predict(X) == target[test]
    n = len(test)
    for by, score in (("robustness", clf.robustness(X)), ("probability", clf.predict_proba(X).max(axis=1))):
        np.testing.assert_allclose(series[by][:, 0], n * (1.0 - np.array(SET_ASIDE)))
        np.testing.assert_allclose(series[by][:, 1], retained_correct(score, correct, series[by][:, 0]))
        assert series[by][0, 1] == correct.sum()
    # Where the robustness decides, the probability does not; where it ties, it does.
    order = np.lexsort([-clf.predict_proba(X).max(axis=1), -clf.robustness(X)])
    half = correct[order[: n // 2]].sum()
    found = np.interp(n // 2, *series["robustness, then probability"][::-1].T)
    assert found == pytest.approx(half, abs=1.0)


def test_rivals_are_judged_by_the_utility_they_are_made_for(wine, fold):
    features, target, train, test = wine
    series = STUDIES["rivals"].run(fold, make_classifiers(NAMES))
    X, y = features.iloc[test], target[test]
    score = {"u65": u65_score, "u80": u80_score}
    credal = CredalCompAODE().fit(features.iloc[train], target[train])
    aode = AODE().fit(features.iloc[train], target[train])
    comp = CompAODE().fit(features.iloc[train], target[train])
    for index, utility in enumerate(STUDIES["rivals"].points):
        expected = {
            "comp-aode*": credal.predict_set(X),
            "utility-optimal, aode": utility_optimal_sets(aode.predict_proba(X), utility=utility),
            "utility-optimal, comp-aode": utility_optimal_sets(comp.predict_proba(X), utility=utility),
            "reject option, comp-aode": reject_or_answer(comp.predict_proba(X), utility),
        }
        for name, y_set in expected.items():
            found = STUDIES["rivals"].measures(series[name][index], utility)
            assert found["utility"] == pytest.approx(score[utility](y, y_set, labels=credal.classes_)), name
    assert "utility-optimal, maplmg" in series
    assert [name for name in series if name.startswith("conformal")] == [
        f"conformal {level * 100:g} %, comp-aode" for level in CONFORMAL_LEVELS
    ]


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


def test_reliability_and_optimal_sets_are_those_of_each_classifier(wine, fold):
    features, target, train, test = wine
    classifiers = make_classifiers(["aode", "comp-aode*", "lp-aode"])
    series = STUDIES["reliability"].run(fold, classifiers)
    assert list(series) == ["aode", "lp-aode"]
    model = LogPoolAODE().fit(features.iloc[train], target[train])
    proba = model.predict_proba(features.iloc[test])
    correct = model.predict(features.iloc[test]) == target[test]
    np.testing.assert_allclose(series["lp-aode"], reliability_sums(proba.max(axis=1), correct))
    optimal = STUDIES["rivals"].run(fold, classifiers)["utility-optimal, lp-aode"][1]
    y_set = utility_optimal_sets(proba, utility="u80")
    found = STUDIES["rivals"].measures(optimal, "u80")["utility"]
    assert found == pytest.approx(u80_score(target[test], y_set, labels=model.classes_))


def test_baselines_have_utility_optimal_sets(wine, fold):
    features, target, train, test = wine
    series = STUDIES["baselines"].run(fold, {})
    assert list(series) == [f"utility-optimal, {name}" for name in BASELINES]
    model = BASELINES["logistic-regression"]().fit(features.iloc[train], target[train])
    y_set = utility_optimal_sets(model.predict_proba(features.iloc[test]), utility="u65")
    found = STUDIES["baselines"].measures(series["utility-optimal, logistic-regression"][0], "u65")
    assert found["utility"] == pytest.approx(u65_score(target[test], y_set, labels=model.classes_))


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


def test_conformal_sets_are_mapies_and_keep_their_promise():
    pytest.importorskip("mapie")
    data = load_dataset("waveform")
    target = data.target.astype(str).to_numpy().astype(object)
    train, test = splits(target, folds=3, run=0, seed=0)[0]
    fold = Fold(data.features, target, train, test)
    held_out = fold.hold_out(CompAODE(), share=0.3)
    found = conformal_sets(held_out.proba, held_out.labels, held_out.test_proba)
    assert len(held_out.labels) / len(train) == pytest.approx(0.3, abs=0.01)
    for level, y_set in zip(CONFORMAL_LEVELS, found, strict=True):
        covered = y_set[np.arange(len(test)), np.searchsorted(held_out.classes, target[test])].mean()
        assert covered == pytest.approx(level, abs=0.04) or (level == 0.8 and covered > 0.8)
    # Least ambiguous sets by their definition: scores up to the quantile of those of the rows held out.
    n = len(held_out.labels)
    scores = np.sort(1.0 - held_out.proba[np.arange(n), held_out.labels])
    quantile = scores[int(np.ceil((n + 1) * 0.9)) - 1]
    np.testing.assert_array_equal(found[1], 1.0 - held_out.test_proba <= quantile + 1e-8)


def test_too_few_rows_held_out_leave_all_classes():
    proba = np.array([[0.9, 0.1]] * 4 + [[0.2, 0.8]] * 4)
    found = conformal_sets(proba, np.array([0] * 4 + [1] * 4), np.array([[0.7, 0.3]]))
    assert [y_set.tolist() for y_set in found[1:]] == [[[True, True]]] * 2
    assert found[0].any()


def test_nothing_is_learned_from_rows_that_are_held_out(wine):
    features, target, train, test = wine
    before = Fold(features, target, train, test).hold_out(CompAODE(), share=0.3)
    # Strange values in the rows that were held out leave the classifier as it was.
    rng, held = np.random.default_rng(0), []
    for label in sorted(set(target[train])):
        of_class = rng.permutation(np.flatnonzero(target[train] == label))
        held.extend(train[of_class[: int(0.3 * len(of_class))]])
    changed = features.copy()
    changed.iloc[held, :] = 1e6
    after = Fold(changed, target, train, test).hold_out(CompAODE(), share=0.3)
    np.testing.assert_array_equal(before.test_proba, after.test_proba)
    assert not np.array_equal(before.proba, after.proba)


def test_the_papers_setting_holds_out_rows_of_the_codes(wine):
    features, target, train, test = wine
    fold = Fold(features, target, train, test, encode_whole(features, target, [CompAODE()]))
    held_out = fold.hold_out(CompAODE(), share=0.3)
    assert held_out.test_proba.shape == (len(test), 3)
    np.testing.assert_allclose(held_out.proba.sum(axis=1), 1.0)


def test_studies_follow_the_classifiers_of_the_plan():
    assert studies_of(["tan", "cdt"]) == []
    assert studies_of(["lp-aode"]) == ["reliability"]
    assert studies_of(["random-forest"]) == ["baselines"]
    assert studies_of(["comp-aode*"]) == ["epsilon", "set-aside", "rivals"]


def test_tables_of_studies_pool_over_runs_and_resume(tmp_path):
    plan = Plan("embedded", ["iris"], make_classifiers(["comp-aode", "comp-aode*"]), runs=2, folds=3)
    with ResultStore(tmp_path / "s.sqlite") as store:
        outcome = run_plan(plan, store)
        assert outcome.study_seconds > 0.0
        tables = {name: study_table(name, plan, store, outcome.facts) for name in STUDIES}
        # What is there is not computed again; what is missing is.
        with store._transaction() as cursor:
            cursor.execute("DELETE FROM studies WHERE run = 1 AND fold = 2")
        assert study_table("rivals", plan, store, outcome.facts).empty
        run_plan(plan, store)
        for name, table in tables.items():
            assert study_table(name, plan, store, outcome.facts).equals(table)
    assert tables["epsilon"].columns[:3].tolist() == ["dataset", "series", "epsilon"]
    assert len(tables["epsilon"]) == len(EPSILONS)
    assert set(tables["set-aside"]["series"]) == {
        "probability",
        "robustness",
        "robustness, then probability",
    }
    at_start = tables["set-aside"].query("set_aside == 0")["accuracy"]
    assert at_start.nunique() == 1


def test_a_rare_class_is_always_learned(wine):
    features, target, train, test = wine
    target = target.copy()
    target[train[0]] = "rare"
    held_out = Fold(features, target, train, test).hold_out(CompAODE(), share=0.3)
    assert "rare" in held_out.classes
