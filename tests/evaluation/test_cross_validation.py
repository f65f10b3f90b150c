"""Cross-validation: answers, cases and reasons are those of models that the user could fit."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skcredal import AODE, CredalBmaAODE, CredalCompAODE, CredalLogPoolAODE, CredalTree, NaiveCredal
from skcredal.datasets import load_dataset
from skcredal.evaluation import evaluate_table, make_classifiers, ranking
from skcredal.evaluation._changes import single_changes
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.evaluation._page import page_data
from skcredal.evaluation._results import fold_sums, pool
from skcredal.metrics import u65_score, u80_score


@pytest.fixture(scope="module")
def table():
    data = load_dataset("balance_scale")
    rows = np.random.default_rng(1).permutation(len(data.target))[:120]
    return data.features.iloc[rows].reset_index(drop=True), data.target.to_numpy().astype(str)[rows]


def cases_of(classifier, features, target, **options):
    found = evaluate_table({"one": classifier}, features, target, explain=True, **options)
    return found.cases["one"]


def test_utilities_are_those_of_the_predictions(table):
    features, target = table
    classifiers = make_classifiers(["aode", "bma-aode*"])
    found = evaluate_table(classifiers, features, target, folds=3, seed=5)
    rows = {row["classifier"]: row for row in ranking(found)}
    classes = np.unique(target)
    sets, always = found.cases["bma-aode*"].sets, np.ones((len(target), len(classes)), bool)
    for name, given in {"bma-aode*": sets, "all classes": always}.items():
        assert rows[name]["u65"] == pytest.approx(u65_score(target, given, labels=classes))
        assert rows[name]["u80"] == pytest.approx(u80_score(target, given, labels=classes))
    assert rows["bma-aode*"]["n_undecided"] == (sets.sum(axis=1) > 1).sum()
    assert rows["aode"]["u65"] == rows["aode"]["u80"] == found.cases["aode"].correct.mean()
    assert rows["all classes"]["determinacy"] == 0.0
    assert np.isnan(rows["all classes"]["accuracy"])


def test_several_runs_have_a_part_for_each_fold_whatever_the_jobs(table):
    features, target = table
    made = make_classifiers(["bma-aode*", "ncc", "null"])
    one = evaluate_table(made, features, target, folds=3)
    several = evaluate_table(made, features, target, runs=3, folds=3)
    with joblib.parallel_config("threading"):
        parallel = evaluate_table(made, features, target, runs=3, folds=3, jobs=3)
    assert parallel.sums == several.sums
    for name in made:
        assert len(several.sums[name]) == 9
        for other in (several, parallel):
            assert_array_equal(other.cases[name].proba, one.cases[name].proba)
            assert_array_equal(other.cases[name].sets, one.cases[name].sets)


def test_a_fold_is_what_every_classifier_would_do_alone(table):
    """Also where some of them read the table in another way."""
    features, target = table
    features = features.mask(np.random.default_rng(0).random(features.shape) < 0.1)
    train, test = splits(target, folds=4, run=0, seed=0)[2]
    classifiers = {**make_classifiers("all"), "marginal": AODE(missing="marginalize")}
    found = Fold(features, target, train, test).sums(classifiers)
    assert list(found) == list(classifiers)
    for name, classifier in classifiers.items():
        clf = classifier.fit(features.iloc[train], target[train])
        y_set = clf.predict_set(features.iloc[test]) if hasattr(clf, "predict_set") else None
        expected = fold_sums(target[test], clf.predict_proba(features.iloc[test]), y_set, clf.classes_)
        assert found[name] == expected, name
    two = {"aode": AODE(), "marginal": classifiers["marginal"]}
    paper = Fold(features, target, train, test, encode_whole(features, target, two.values())).sums(two)
    assert paper["aode"] != paper["marginal"]


@pytest.mark.parametrize(
    "classifier", [CredalLogPoolAODE(), CredalBmaAODE(), CredalCompAODE(), NaiveCredal(), CredalTree()]
)
def test_cases_are_what_the_model_of_the_other_folds_says(table, classifier):
    features, target = table
    cases = cases_of(classifier, features, target, folds=3, seed=2)
    explains = hasattr(classifier, "explain")
    for train, test in splits(target, folds=3, run=0, seed=2):
        clf, rows = classifier.fit(features.iloc[train], target[train]), features.iloc[test]
        assert_array_equal(np.unique(target)[cases.predicted[test]], clf.predict(rows))
        assert_array_equal(cases.proba[test], clf.predict_proba(rows))
        assert_array_equal(cases.sets[test], clf.predict_set(rows))
        assert_array_equal(cases.robustness[test], clf.robustness(rows) if explains else np.nan)
        sentences = clf.explain(rows)["sentence"].tolist() if explains else [None] * len(rows)
        bounds, changes = clf.predict_interval(rows), single_changes(clf, rows, features.iloc[train])
        for at, r in enumerate(test.tolist()):
            details = cases.details[r]
            np.testing.assert_allclose(details["interval"], bounds[at], atol=1e-12)
            assert details.get("reason", {}).get("sentence") == sentences[at]
            for name, shown in details.get("values", {}).items():
                assert shown.startswith(str(features[name][r]))
            assert ("values" in details) == explains
            assert details.get("changes", changes[at]) == changes[at]


def test_a_large_table_has_reasons_for_its_least_certain_cases_of_the_opening_classifier():
    data = load_dataset("balance_scale")
    features, target = data.features, data.target.to_numpy()
    made = {"bma-aode*": CredalBmaAODE(), "lp-aode*": CredalLogPoolAODE(n_regions=2), "aode": AODE()}
    found = evaluate_table(made, features, target, folds=5, explain=True)
    cases = found.cases["lp-aode*"]
    assert found.opening == "lp-aode*"
    assert not found.cases["bma-aode*"].details
    kept, others = list(cases.details), list(set(range(625)) - set(cases.details))
    changed = [r for r in kept if "changes" in cases.details[r]]
    assert (len(kept), len(changed)) == (300, 50)
    # Each fold gives as many; so most of the undecided ones are there.
    assert cases.undecided[kept].sum() > 10 * cases.undecided[others].sum()
    assert cases.undecided[changed].mean() > cases.undecided[kept].mean()
    quiet = evaluate_table(made, features, target, folds=5)
    assert all(not one.details for one in quiet.cases.values())


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


def test_what_cannot_be_evaluated_is_refused_by_name(table):
    features, target = table
    for folds in (1, 100):
        with pytest.raises(ValueError, match=f"folds.*{folds}"):
            evaluate_table(make_classifiers(["null"]), features, target, folds=folds)
    with pytest.raises(ValueError, match=r"features.*120"):
        evaluate_table(make_classifiers(["null"]), features[:2], target)
