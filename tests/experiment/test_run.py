import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold

from skcredal import AODE, CredalCompAODE
from skcredal.data.datasets import Dataset, load_dataset
from skcredal.experiment.plan import CLASSIFIERS, make_classifiers
from skcredal.experiment.run import cross_validate, summarise


def test_every_row_is_tested_once_in_each_run():
    data = load_dataset("iris")
    found = cross_validate(data, make_classifiers(), folds=3, runs=2, seed=1)
    assert list(found) == list(CLASSIFIERS)
    for predictions in found.values():
        assert len(predictions.y_true) == 300
        assert np.unique(predictions.y_true, return_counts=True)[1].tolist() == [100, 100, 100]
        np.testing.assert_allclose(predictions.y_proba.sum(axis=1), 1.0)
        assert predictions.fit_seconds > 0.0


def test_each_fold_is_learned_from_its_training_rows_alone():
    data = load_dataset("wine")
    found = cross_validate(data, {"comp-aode*": CredalCompAODE()}, folds=4, seed=3)["comp-aode*"]
    target = data.target.to_numpy().astype(object)
    proba, sets = [], []
    splits = RepeatedStratifiedKFold(n_splits=4, n_repeats=1, random_state=3).split(target, target)
    for train, test in splits:
        clf = CredalCompAODE().fit(data.features.iloc[train], target[train])
        proba.append(clf.predict_proba(data.features.iloc[test]))
        sets.append(clf.predict_set(data.features.iloc[test]))
    np.testing.assert_array_equal(found.y_proba, np.concatenate(proba))
    np.testing.assert_array_equal(found.y_set, np.concatenate(sets))


def test_the_same_seed_gives_the_same_rows_to_every_classifier():
    data = load_dataset("monks2")
    first = cross_validate(data, make_classifiers(["aode", "bma-aode*"]), seed=5)
    again = cross_validate(data, make_classifiers(["bma-aode*"]), seed=5)
    np.testing.assert_array_equal(first["aode"].y_true, first["bma-aode*"].y_true)
    np.testing.assert_array_equal(first["bma-aode*"].y_proba, again["bma-aode*"].y_proba)
    other = cross_validate(data, make_classifiers(["aode"]), seed=6)
    assert (other["aode"].y_proba != first["aode"].y_proba).any()


def test_a_class_that_a_training_fold_lacks_has_probability_0():
    data = load_dataset("iris")
    target = data.target.copy()
    target = target.cat.add_categories(["rare"])
    target.iloc[0] = "rare"
    odd = Dataset("odd", data.features, target, "")
    found = cross_validate(odd, make_classifiers(["aode", "comp-aode*"]), folds=3)
    summary = summarise(found["comp-aode*"])
    row = int(np.flatnonzero(found["aode"].y_true == "rare")[0])
    column = found["aode"].classes.tolist().index("rare")
    assert found["aode"].y_proba[row, column] == 0.0
    assert not found["comp-aode*"].y_set[row, column]
    assert 0.0 < summary["accuracy"] < 1.0


def test_progress_is_reported_after_every_fit():
    steps = []
    cross_validate(load_dataset("iris"), make_classifiers(), folds=2, on_fold=lambda: steps.append(1))
    assert len(steps) == 2 * len(CLASSIFIERS)


def test_measures_of_sets_are_for_credal_classifiers_only():
    found = cross_validate(load_dataset("iris"), make_classifiers(["aode", "bma-aode*"]))
    determinate, credal = summarise(found["aode"]), summarise(found["bma-aode*"])
    assert np.isnan(determinate["u65"])
    assert np.isnan(determinate["determinacy"])
    assert determinate["brier"] == pytest.approx(
        np.mean(
            (
                1
                - found["aode"].y_proba[
                    np.arange(150), np.searchsorted(found["aode"].classes, found["aode"].y_true)
                ]
            )
            ** 2
        )
    )
    assert credal["single_accuracy"] == pytest.approx(credal["accuracy_safe"])
    assert credal["u65"] <= credal["u80"]


def test_classifiers_answer_to_the_names_of_the_paper():
    assert list(make_classifiers(["COMP-AODE-star", "aode"])) == ["comp-aode*", "aode"]
    assert type(make_classifiers(["aode"])["aode"]) is AODE
    with pytest.raises(ValueError, match=r"no classifier 'c45'; there are aode, bma-aode"):
        make_classifiers(["c45"])


@pytest.mark.parametrize("parameters", [{"folds": 1}, {"runs": 0}])
def test_bad_plans_are_refused(parameters):
    with pytest.raises(ValueError, match=rf"{next(iter(parameters))} must be at least"):
        cross_validate(load_dataset("iris"), make_classifiers(), **parameters)
