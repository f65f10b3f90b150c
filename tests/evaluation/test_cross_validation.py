"""Evaluation of one table: the estimators themselves, fold by fold, and the metrics as judges."""

import re

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
from skcredal.evaluation._cross_validation import evaluate_table, out_of_fold_cases, ranking
from skcredal.evaluation._fold import splits
from skcredal.evaluation._page_data import evaluation_data
from skcredal.evaluation._registry import make_classifiers
from skcredal.evaluation._sums import FoldSums
from skcredal.metrics import u65_score, u80_score

pytest.importorskip("pandas", reason="data sets are tables of pandas")


@pytest.fixture(scope="module")
def table():
    data = load_dataset("balance_scale")
    rows = np.random.default_rng(1).permutation(len(data.target))[:120]
    return data.features.iloc[rows].reset_index(drop=True), data.target.to_numpy().astype(str)[rows]


def test_utilities_are_those_of_the_predictions(table):
    features, target = table
    classifiers = make_classifiers(["aode", "bma-aode*"])
    rows = {
        row["classifier"]: row
        for row in ranking(evaluate_table(classifiers, features, target, folds=3, seed=5), classifiers)
    }
    classes = np.unique(target)
    sets, hits = np.zeros((len(target), len(classes)), bool), 0
    for train, test in splits(target, folds=3, run=0, seed=5):
        clf = classifiers["bma-aode*"].fit(features.iloc[train], target[train])
        sets[np.ix_(test, np.searchsorted(classes, clf.classes_))] = clf.predict_set(features.iloc[test])
        aode = classifiers["aode"].fit(features.iloc[train], target[train])
        hits += (aode.predict(features.iloc[test]) == target[test]).sum()
    assert rows["bma-aode*"]["u65"] == pytest.approx(u65_score(target, sets, labels=classes))
    assert rows["bma-aode*"]["u80"] == pytest.approx(u80_score(target, sets, labels=classes))
    assert rows["bma-aode*"]["n_dependent"] == (sets.sum(axis=1) > 1).sum()
    assert rows["aode"]["u65"] == rows["aode"]["u80"] == hits / len(target)


def test_numbers_do_not_depend_on_the_jobs(table):
    features, target = table
    classifiers = make_classifiers(["aode", "ncc"])

    def numbers(jobs):
        sums = evaluate_table(classifiers, features, target, runs=2, folds=3, jobs=jobs)
        return {name: (part.correct, part.brier, part.u65) for name, part in sums.items()}

    alone = numbers(1)
    with joblib.parallel_config("threading"):
        assert numbers(3) == alone


def test_equal_utilities_share_a_rank():
    classifiers = make_classifiers(["aode", "tan", "null"])
    better = FoldSums(4, 3, 1.0, 2.0, 3.0)
    sums = {"null": FoldSums(4, 1, 1.0, 2.0, 3.0), "tan": better, "aode": better}
    rows = ranking(sums, classifiers)
    assert [(row["classifier"], row["rank_u65"], row["rank_u80"]) for row in rows] == [
        ("tan", 1, 1),
        ("aode", 1, 1),
        ("null", 3, 3),
    ]


@pytest.mark.parametrize("classifier", [None, CredalBmaAODE(), CredalCompAODE()])
def test_cases_are_what_the_model_of_the_other_folds_says(table, classifier):
    features, target = table
    cases = out_of_fold_cases(features, target, classifier, folds=3, seed=2)
    assert cases.over == ("weights" if classifier is None else "prior")
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = (CredalLogPoolAODE() if classifier is None else classifier).fit(
            features.iloc[train], target[train]
        )
        assert_array_equal(cases.classes[cases.predicted[test]], clf.predict(features.iloc[test]))
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        assert_array_equal(cases.interval[test], clf.predict_interval(features.iloc[test]))
        assert_array_equal(cases.robustness[test], clf.robustness(features.iloc[test]))
        for r, sentence in zip(test, clf.explain(features.iloc[test])["sentence"], strict=True):
            if cases.dependent[r]:
                assert cases.reasons[r]["sentence"] == sentence
    assert set(cases.reasons) == set(np.flatnonzero(cases.dependent))
    assert_array_equal(cases.classes[cases.true], target)


def test_the_factors_that_the_page_shows_multiply_to_the_odds(table):
    features, target = table
    cases = out_of_fold_cases(features, target, folds=3, seed=2)
    page = evaluation_data(cases, [], features, title="")
    assert len(page["cases"]) >= 10
    for case in page["cases"]:
        logs = [case["frequencies"][0], *(log for _, _, log, _ in case["factors"])]
        one, other = (next(b[2] for b in case["bounds"] if b[0] == case[c]) for c in ("predicted", "rival"))
        assert np.exp(sum(logs)) == pytest.approx(one / other, rel=0.01)
        assert {page["names"][at] for at, *_ in case["factors"]} <= set(features.columns)


@pytest.mark.parametrize("classifier", [NaiveCredal(), CredalModelAveraging(), CredalTree()])
def test_cases_of_a_classifier_without_super_parents(table, classifier):
    features, target = table
    cases = out_of_fold_cases(features, target, classifier, folds=3, seed=2)
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        assert_array_equal(cases.sets[test], clf.predict_set(features.iloc[test]))
        assert_array_equal(cases.interval[test], clf.predict_interval(features.iloc[test]))
    assert np.isnan(cases.robustness).all()
    assert set(cases.reasons) == set(np.flatnonzero(cases.dependent))
    for r, reason in cases.reasons.items():
        names = re.findall(r"(\w+) \(\d+%\)", reason["sentence"])
        assert sorted(names) == cases.classes[cases.sets[r]].tolist()
        assert names[0] == cases.classes[cases.predicted[r]]


def test_a_class_that_a_training_fold_lacks_is_missed_there(table):
    features, target = table
    target = np.where(np.arange(len(target)) == 7, "A", target)
    cases = out_of_fold_cases(features, target, folds=3)
    assert cases.classes[0] == "A"
    assert cases.proba[7, 0] == 0
    assert not cases.sets[7, 0]
    assert not cases.correct[7]


def test_training_folds_with_a_single_class_are_no_error(table):
    features, _ = table
    target = np.array(["a"] * 119 + ["b"])
    found = evaluate_table(make_classifiers(), features, target, folds=2)
    assert {sums.n for sums in found.values()} == {120}
    assert not out_of_fold_cases(features, target, folds=2).correct[-1]


@pytest.mark.parametrize("classifier", [CredalCompAODE(), CredalBmaAODE()])
def test_under_the_prior_that_the_page_shows_the_rival_wins_or_draws_level(classifier):
    data = load_dataset("balance_scale")
    rows = np.random.default_rng(1).permutation(len(data.target))[:60]
    features = data.features.iloc[rows].reset_index(drop=True)
    target = data.target.to_numpy().astype(str)[rows]
    cases = out_of_fold_cases(features, target, classifier, folds=3, seed=2)
    page = evaluation_data(cases, [], features, title="")
    shown = {case["row"] - 1: case for case in page["cases"]}
    assert sum(len(case["voices"]) > 0 for case in shown.values()) >= 2
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf = classifier.fit(features.iloc[train], target[train])
        index = {label: c for c, label in enumerate(clf.classes_)}
        for r in set(test.tolist()) & set(shown):
            case = shown[r]
            voices = [(page["names"][parent], prior) for parent, _, _, prior in case["voices"]]
            explained = dict(zip(("super_parents", "prior"), zip(*voices, strict=True), strict=True))
            scores = scores_under_prior(
                clf,
                clf.spode_proba(features.iloc[[r]])[0],
                explained,
                compression=isinstance(clf, CredalCompAODE),
            )
            rival, predicted = (scores[index[page["classes"][case[name]]]] for name in ("rival", "predicted"))
            # The page shows priors with four digits.
            assert rival >= predicted - 1e-3 * sum(map(abs, scores))
