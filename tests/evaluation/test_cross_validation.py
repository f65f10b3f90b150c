"""Cross-validation: answers, cases and reasons are those of models that the user could fit."""

import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skcredal import (
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    NaiveCredal,
)
from skcredal.datasets import load_dataset
from skcredal.evaluation import evaluate_table, make_classifiers, ranking
from skcredal.evaluation._fold import splits
from skcredal.evaluation._page import page_data
from skcredal.evaluation._results import pool
from skcredal.metrics import u65_score, u80_score

pytest.importorskip("pandas", reason="data sets are tables of pandas")


@pytest.fixture(scope="module")
def table():
    data = load_dataset("balance_scale")
    rows = np.random.default_rng(1).permutation(len(data.target))[:120]
    return data.features.iloc[rows].reset_index(drop=True), data.target.to_numpy().astype(str)[rows]


def cases_of(classifier, features, target, **options):
    """Return the cases of one classifier, with all that is known of them."""
    found = evaluate_table({"one": classifier}, features, target, explain=True, **options)
    return found.cases["one"]


def test_utilities_are_those_of_the_predictions(table):
    features, target = table
    classifiers = make_classifiers(["aode", "bma-aode*", "random-forest"])
    found = evaluate_table(classifiers, features, target, folds=3, seed=5)
    rows = {row["classifier"]: row for row in ranking(found)}
    classes = np.unique(target)
    sets, hits, forest = np.zeros((len(target), len(classes)), bool), 0, 0
    for train, test in splits(target, folds=3, run=0, seed=5):
        clf = classifiers["bma-aode*"].fit(features.iloc[train], target[train])
        sets[np.ix_(test, np.searchsorted(classes, clf.classes_))] = clf.predict_set(features.iloc[test])
        aode = classifiers["aode"].fit(features.iloc[train], target[train])
        hits += (aode.predict(features.iloc[test]) == target[test]).sum()
        one = classifiers["random-forest"].fit(features.iloc[train], target[train])
        proba = one.predict_proba(features.iloc[test])
        forest += (one.classes_[proba.argmax(axis=1)] == target[test]).sum()
        expected = np.zeros((len(test), len(classes)))
        expected[:, np.searchsorted(classes, one.classes_)] = proba
        assert_array_equal(found.cases["random-forest"].proba[test], expected)
    assert rows["bma-aode*"]["u65"] == pytest.approx(u65_score(target, sets, labels=classes))
    assert rows["bma-aode*"]["u80"] == pytest.approx(u80_score(target, sets, labels=classes))
    assert rows["bma-aode*"]["n_undecided"] == (sets.sum(axis=1) > 1).sum()
    assert rows["bma-aode*"]["n_decided"] == (sets.sum(axis=1) == 1).sum()
    assert rows["aode"]["u65"] == rows["aode"]["u80"] == hits / len(target)
    assert rows["random-forest"]["accuracy"] == forest / len(target)
    always = np.ones_like(sets)
    assert rows["all classes"]["u65"] == pytest.approx(u65_score(target, always, labels=classes))
    assert rows["all classes"]["u80"] == pytest.approx(u80_score(target, always, labels=classes))
    assert rows["all classes"]["determinacy"] == 0.0
    assert np.isnan(rows["all classes"]["accuracy"])


def test_numbers_do_not_depend_on_the_jobs(table):
    features, target = table
    classifiers = make_classifiers(["aode", "ncc"])

    def numbers(jobs):
        found = evaluate_table(classifiers, features, target, runs=2, folds=3, jobs=jobs)
        return found.sums, {name: cases.proba.tolist() for name, cases in found.cases.items()}

    alone = numbers(1)
    with joblib.parallel_config("threading"):
        assert numbers(3) == alone


def test_a_bar_shows_every_classifier_of_scikit_learn_as_a_step(table, capsys, monkeypatch):
    features, target = table
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    evaluate_table(
        make_classifiers(["ncc", "aode", "logistic-regression"]), features, target, folds=3, progress=True
    )
    # Our own classifiers share their work, so that a fold has two steps.
    assert "/6 " in capsys.readouterr().err


def test_several_runs_have_a_part_for_each_fold_and_cases_of_the_first(table):
    features, target = table
    made = make_classifiers(["bma-aode*", "null"])
    one = evaluate_table(made, features, target, folds=3)
    several = evaluate_table(made, features, target, runs=3, folds=3)
    for name in made:
        assert len(several.sums[name]) == 9
        assert_array_equal(several.cases[name].proba, one.cases[name].proba)
        assert_array_equal(several.cases[name].sets, one.cases[name].sets)
    assert several.folds == 3
    assert {row["n"] for row in ranking(several)} == {360}


def test_the_cases_of_every_classifier_are_those_that_its_sums_count(table):
    features, target = table
    made = make_classifiers("all")
    found = evaluate_table(made, features, target, folds=3)
    assert list(found.cases) == list(found.sums) == list(made)
    for name, cases in found.cases.items():
        total = pool(found.sums[name])
        assert cases.correct.sum() == total["correct"]
        if not found.credal[name]:
            assert_array_equal(cases.sets.argmax(axis=1), cases.predicted)
            assert not cases.undecided.any()
            continue
        assert cases.undecided.sum() == total["undecided"]
        held = cases.sets[np.arange(len(target)), cases.true]
        assert (held & cases.undecided).sum() == total["set_correct"]
        # A single class is the most probable one: what the page counts as right is right.
        assert (cases.correct & ~cases.undecided).sum() == total["single_correct"]
        assert cases.sets[np.arange(len(target)), cases.predicted].all()


def test_the_page_opens_with_the_default_or_the_first_with_sets(table):
    features, target = table
    for names, expected in (
        (["ncc", "aode", "lp-aode*"], "lp-aode*"),
        (["aode", "cdt", "ncc"], "cdt"),
        (["null", "aode"], "null"),
    ):
        assert evaluate_table(make_classifiers(names), features, target, folds=2).opening == expected


@pytest.mark.parametrize("classifier", [CredalLogPoolAODE(), CredalBmaAODE(), CredalCompAODE()])
def test_cases_are_what_the_model_of_the_other_folds_says(table, classifier):
    features, target = table
    cases = cases_of(classifier, features, target, folds=3, seed=2)
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        assert_array_equal(np.unique(target)[cases.predicted[test]], clf.predict(features.iloc[test]))
        assert_array_equal(cases.proba[test], clf.predict_proba(features.iloc[test]))
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        assert_array_equal(cases.robustness[test], clf.robustness(features.iloc[test]))
        bounds, sentences = clf.predict_interval(features.iloc[test]), clf.explain(features.iloc[test])
        for at, r in enumerate(test.tolist()):
            np.testing.assert_allclose(cases.details[r]["interval"], bounds[at], atol=1e-12)
            assert cases.details[r]["reason"]["sentence"] == sentences["sentence"].iloc[at]
            shown = cases.details[r]["values"]
            assert all(shown[name].startswith(str(features[name][r])) for name in features)
    assert len(cases.details) == len(target)
    assert_array_equal(np.unique(target)[cases.true], target)


@pytest.mark.parametrize("classifier", [NaiveCredal(), CredalModelAveraging(), CredalTree()])
def test_cases_of_a_classifier_that_does_not_explain(table, classifier):
    features, target = table
    cases = cases_of(classifier, features, target, folds=3, seed=2)
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        for r, bounds in zip(test.tolist(), clf.predict_interval(features.iloc[test]), strict=True):
            np.testing.assert_allclose(cases.details[r]["interval"], bounds, atol=1e-12)
            assert "reason" not in cases.details[r]
    assert np.isnan(cases.robustness).all()


def test_a_large_table_has_reasons_for_its_least_certain_cases_alone():
    data = load_dataset("balance_scale")
    cases = cases_of(CredalBmaAODE(), data.features, data.target.to_numpy(), folds=5)
    assert len(cases.details) == 300
    kept, others = set(cases.details), set(range(625)) - set(cases.details)
    # Each fold gives as many; so most of the undecided ones are there.
    undecided = set(np.flatnonzero(cases.undecided).tolist())
    assert len(undecided & kept) > 10 * len(undecided & others)


def test_models_without_weight_are_known():
    data = load_dataset("monks1")
    features, target = data.features, data.target.to_numpy()
    (made,) = make_classifiers(["bma-aode*"]).values()
    cases = cases_of(made, features, target, folds=2)
    for train, test in splits(target, folds=2, run=0, seed=0):
        clf = made.fit(features.iloc[train], target[train])
        named = zip(clf.super_parents_, clf.weights_, strict=True)
        expected = [one for one, weight in named if weight < 1e-6]
        for r in set(test.tolist()) & set(cases.details):
            assert cases.details[r]["left_out"] == expected


def test_a_class_that_a_training_fold_lacks_is_missed_there(table):
    features, target = table
    target = np.where(np.arange(len(target)) == 7, "A", target)
    for classifier in (CredalLogPoolAODE(), CredalBmaAODE(), NaiveCredal()):
        cases = cases_of(classifier, features, target, folds=3)
        assert cases.proba[7, 0] == 0
        assert not cases.sets[7, 0]
        assert not cases.correct[7]
        assert_array_equal(cases.details[7]["interval"][0], [0, 0])
        for change in cases.details[7].get("changes", ()):
            assert 0 not in change.remaining


def test_training_folds_with_a_single_class_are_no_error(table):
    features, _ = table
    target = np.array(["a"] * 119 + ["b"])
    found = evaluate_table(make_classifiers("all"), features, target, folds=2, explain=True)
    assert {pool(sums)["n"] for sums in found.sums.values()} == {120}
    assert not found.cases["lp-aode*"].correct[-1]
    assert page_data(found)["n"] == 120


def test_the_default_compares_lp_aode_with_what_one_would_try(table):
    features, target = table
    rows = ranking(evaluate_table(make_classifiers(), features, target, folds=2))
    assert {row["classifier"] for row in rows} == {
        *("lp-aode*", "comp-aode*", "ncc", "null", "logistic-regression", "random-forest", "all classes")
    }


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"classifiers": {"x": 1}}, "classifiers"),
        ({"folds": 1}, "folds.*1"),
        ({"folds": 100}, "folds.*100"),
        ({"runs": 0}, "runs.*0"),
        ({"features": [1, 2]}, "features.*120"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_by_name(table, changed, named):
    features, target = table
    given = {"classifiers": make_classifiers(["null"]), "features": features, "target": target} | changed
    with pytest.raises((ValueError, TypeError), match=named):
        evaluate_table(**given)
