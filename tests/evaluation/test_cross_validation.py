"""Evaluation of one table: the estimators themselves, fold by fold, and the metrics as judges."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from flips import scores_under_prior
from skcredal import (
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    NaiveCredal,
)
from skcredal.datasets import load_dataset
from skcredal.evaluation._classifiers import BASELINES
from skcredal.evaluation._cross_validation import evaluate_table, ranking
from skcredal.evaluation._fold import splits
from skcredal.evaluation._page_data import evaluation_data
from skcredal.evaluation._registry import CLASSIFIERS, make_classifiers
from skcredal.evaluation._sums import pool
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
    classifiers = make_classifiers(["aode", "bma-aode*"])
    found = evaluate_table(
        classifiers, features, target, baselines=["logistic-regression", "random-forest"], folds=3, seed=5
    )
    rows = {row["classifier"]: row for row in ranking(found)}
    classes = np.unique(target)
    sets, hits, forest = np.zeros((len(target), len(classes)), bool), 0, 0
    for train, test in splits(target, folds=3, run=0, seed=5):
        clf = classifiers["bma-aode*"].fit(features.iloc[train], target[train])
        sets[np.ix_(test, np.searchsorted(classes, clf.classes_))] = clf.predict_set(features.iloc[test])
        aode = classifiers["aode"].fit(features.iloc[train], target[train])
        hits += (aode.predict(features.iloc[test]) == target[test]).sum()
        one = BASELINES["random-forest"]().fit(features.iloc[train], target[train])
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
    assert not [name for name in rows["aode"] if "safe" in name or "dependent" in name or "rank" in name]


def test_numbers_do_not_depend_on_the_jobs(table):
    features, target = table
    classifiers = make_classifiers(["aode", "ncc"])

    def numbers(jobs):
        found = evaluate_table(classifiers, features, target, runs=2, folds=3, jobs=jobs)
        parts = {name: [(p.correct, p.brier, p.u65) for p in sums] for name, sums in found.sums.items()}
        return parts, {name: part.tolist() for name, part in found.optimal.items()}

    alone = numbers(1)
    with joblib.parallel_config("threading"):
        assert numbers(3) == alone


def test_several_runs_have_a_part_for_each_fold_and_cases_of_the_first(table):
    features, target = table
    made = make_classifiers(["bma-aode*", "null"])
    one = evaluate_table(made, features, target, folds=3)
    several = evaluate_table(made, features, target, runs=3, folds=3)
    for name in made:
        assert len(several.sums[name]) == len(several.optimal[name]) == 9
        assert_array_equal(several.cases[name].proba, one.cases[name].proba)
        assert_array_equal(several.cases[name].sets, one.cases[name].sets)
    assert several.folds == 3
    assert {row["n"] for row in ranking(several)} == {360}


def test_the_cases_of_every_classifier_are_those_that_its_sums_count(table):
    features, target = table
    found = evaluate_table(make_classifiers(), features, target, baselines=["random-forest"], folds=3)
    assert list(found.cases) == [*CLASSIFIERS, "random-forest"]
    for name, cases in found.cases.items():
        total = pool(found.sums[name])
        assert cases.correct.sum() == total.correct
        if not found.credal[name]:
            assert_array_equal(cases.sets.argmax(axis=1), cases.predicted)
            assert not cases.undecided.any()
            continue
        assert cases.undecided.sum() == total.indeterminate
        held = cases.sets[np.arange(len(target)), cases.true]
        assert (held & cases.undecided).sum() == total.set_correct
        # A single class is the most probable one: what the page counts as right is right.
        assert (cases.correct & ~cases.undecided).sum() == total.single_correct
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
    assert cases.over == ("weights" if isinstance(classifier, CredalLogPoolAODE) else "prior")
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        assert_array_equal(cases.classes[cases.predicted[test]], clf.predict(features.iloc[test]))
        assert_array_equal(cases.proba[test], clf.predict_proba(features.iloc[test]))
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        assert_array_equal(cases.robustness[test], clf.robustness(features.iloc[test]))
        bounds, sentences = clf.predict_interval(features.iloc[test]), clf.explain(features.iloc[test])
        for at, r in enumerate(test.tolist()):
            np.testing.assert_allclose(cases.details[r].interval, bounds[at], atol=1e-12)
            assert cases.details[r].reason["sentence"] == sentences["sentence"].iloc[at]
            shown = cases.details[r].values
            assert all(shown[name].startswith(str(features[name][r])) for name in features)
    assert len(cases.details) == len(target)
    assert_array_equal(cases.classes[cases.true], target)


def test_the_factors_that_the_page_shows_multiply_to_the_odds(table):
    features, target = table
    found = evaluate_table({"lp-aode*": CredalLogPoolAODE()}, features, target, folds=3, seed=2, explain=True)
    page = evaluation_data(found, title="")
    seen = page["classifiers"][page["opening"]]["view"]
    predicted = {str(case[0]): case[2] for case in seen["cases"]}
    assert len(seen["details"]) == 120
    for row, case in seen["details"].items():
        logs = [case["frequencies"][0], *(log for _, _, log, _ in case["factors"])]
        probability = {c: p for c, p, *_ in case["bounds"]}
        odds = probability[predicted[row]] / probability[case["rival"]]
        # The page shows probabilities with four digits.
        assert np.exp(sum(logs)) == pytest.approx(odds, rel=0.01 + 1e-4 / probability[case["rival"]])
        assert {page["names"][at] for at, *_ in case["factors"]} <= set(features.columns)


@pytest.mark.parametrize("classifier", [NaiveCredal(), CredalModelAveraging(), CredalTree()])
def test_cases_of_a_classifier_that_does_not_explain(table, classifier):
    features, target = table
    cases = cases_of(classifier, features, target, folds=3, seed=2)
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        for r, bounds in zip(test.tolist(), clf.predict_interval(features.iloc[test]), strict=True):
            np.testing.assert_allclose(cases.details[r].interval, bounds, atol=1e-12)
            assert cases.details[r].reason == {}
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
            assert cases.details[r].left_out == expected


def test_a_class_that_a_training_fold_lacks_is_missed_there(table):
    features, target = table
    target = np.where(np.arange(len(target)) == 7, "A", target)
    for classifier in (CredalLogPoolAODE(), CredalBmaAODE(), NaiveCredal()):
        cases = cases_of(classifier, features, target, folds=3)
        assert cases.classes[0] == "A"
        assert cases.proba[7, 0] == 0
        assert not cases.sets[7, 0]
        assert not cases.correct[7]
        assert_array_equal(cases.details[7].interval[0], [0, 0])
        for change in cases.details[7].changes or ():
            assert 0 not in change.remaining


def test_training_folds_with_a_single_class_are_no_error(table):
    features, _ = table
    target = np.array(["a"] * 119 + ["b"])
    found = evaluate_table(make_classifiers(), features, target, folds=2, explain=True)
    assert {pool(sums).n for sums in found.sums.values()} == {120}
    assert not found.cases["lp-aode*"].correct[-1]
    assert evaluation_data(found, title="")["n"] == 120


@pytest.mark.parametrize("name", ["comp-aode*", "bma-aode*"])
def test_under_the_prior_that_the_page_shows_the_rival_wins_or_draws_level(name):
    data = load_dataset("balance_scale")
    rows = np.random.default_rng(1).permutation(len(data.target))[:60]
    features = data.features.iloc[rows].reset_index(drop=True)
    target = data.target.to_numpy().astype(str)[rows]
    made = make_classifiers([name])
    found = evaluate_table(made, features, target, folds=3, seed=2, explain=True)
    page = evaluation_data(found, title="")
    seen = page["classifiers"][page["opening"]]["view"]
    undecided = {row - 1: predicted for row, _, predicted, _, remain, _ in seen["cases"] if len(remain) > 1}
    tried = 0
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = made[name].fit(features.iloc[train], target[train])
        index = {label: c for c, label in enumerate(clf.classes_)}
        for r in set(test.tolist()) & set(undecided):
            case = seen["details"][str(r + 1)]
            if case["left_out"]:
                continue
            voices = [(page["names"][parent], prior) for parent, _, _, prior in case["voices"]]
            explained = dict(zip(("super_parents", "prior"), zip(*voices, strict=True), strict=True))
            scores = scores_under_prior(
                clf,
                clf.spode_proba(features.iloc[[r]])[0],
                explained,
                compression=isinstance(clf, CredalCompAODE),
            )
            classes = (case["rival"], undecided[r])
            rival, predicted = (scores[index[page["classes"][c]]] for c in classes)
            # The page shows priors with four digits.
            assert rival >= predicted - 1e-3 * sum(map(abs, scores))
            tried += 1
    assert tried >= 2


def test_on_noise_nothing_is_better_than_the_most_frequent_class():
    import pandas as pd

    rng = np.random.default_rng(0)
    features = pd.DataFrame({f"x{j}": rng.normal(size=200) for j in range(4)})
    target = np.where(rng.random(200) < 0.3, "ill", "well")
    made = make_classifiers(["lp-aode*", "aode", "null"])
    page = evaluation_data(
        evaluate_table(made, features, target, baselines=["logistic-regression"], folds=5), title=""
    )
    assert page["classes"][page["most_frequent"]["class"]] == "well"
    assert page["most_frequent"]["share"] == round((target == "well").mean(), 4)
    for one in page["classifiers"]:
        if one["key"] not in ("null", "all classes"):
            assert one["beats_null"] is False, one["key"]
