import numpy as np
import pandas as pd
import pytest

import skcredal.classifiers._aode as aode_module
import skcredal.classifiers._base as base_module
from skcredal import AODE, CredalCompAODE, CredalLogPoolAODE, LogPoolAODE
from skcredal._encoding.regions import Regions
from skcredal.datasets import load_dataset
from skcredal.evaluation import make_classifiers
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.evaluation._results import fold_sums, pool

pytest.importorskip("pandas", reason="data sets are tables of pandas")


@pytest.fixture
def wine():
    data = load_dataset("wine")
    return data.features, data.target.astype(str).to_numpy().astype(object)


def test_a_fold_is_what_every_classifier_would_do_alone(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[2]
    classifiers = make_classifiers("all")
    found = Fold(features, target, train, test).sums(classifiers)
    assert list(found) == list(classifiers)
    for name, classifier in classifiers.items():
        clf = classifier.fit(features.iloc[train], target[train])
        y_set = clf.predict_set(features.iloc[test]) if hasattr(clf, "predict_set") else None
        expected = fold_sums(target[test], clf.predict_proba(features.iloc[test]), y_set, clf.classes_)
        assert found[name] == expected, name


def test_statistics_are_computed_once_for_the_whole_family(wine, monkeypatch):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    calls = []

    def counted(name, function):
        return lambda *arguments, **options: calls.append(name) or function(*arguments, **options)

    for module, name in ((base_module, "count"), (aode_module, "log_likelihoods")):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    Fold(features, target, train, test).sums(make_classifiers("all"))
    assert sorted(calls) == ["count", "log_likelihoods"]


def test_pools_share_trees_line_and_what_they_say_out_of_fold(wine, monkeypatch):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    grown, grow = [], Regions.grow
    monkeypatch.setattr(Regions, "grow", lambda *args, **options: grown.append(1) or grow(*args, **options))
    classifiers = make_classifiers(["lp-aode", "lp-aode*"])
    fold = Fold(features, target, train, test)
    plain, credal = (fold.learn(name, classifier) for name, classifier in classifiers.items())
    # Once for all rows, and once for each of the ten folds in which the weights are learned.
    assert len(grown) == 11
    np.testing.assert_array_equal(plain.weights_, credal.weights_)
    # Other parameters have their own.
    fold.learn("other", LogPoolAODE(random_state=1))
    assert len(grown) == 22


def test_the_papers_setting_keeps_its_coding_in_the_folds_of_a_pool():
    """Medians, cuts and states are those of the whole data set, wherever rows are left out."""
    rng = np.random.default_rng(0)
    target = np.array(["a", "b", "c"], object)[np.arange(90) % 3]
    # In the training rows the first two columns have a single value, in every fold.
    features = pd.DataFrame(
        {
            "mostly": ["x"] * 80 + ["y"] * 10,
            "number": [1.0] * 80 + [float(1 + ord(c)) for c in target[80:]],
            "other": np.where(rng.random(90) < 0.5, target, "d"),
        }
    )
    train, test = np.arange(80), np.arange(80, 90)
    classifiers = {"lp-aode*": CredalLogPoolAODE()}
    whole = encode_whole(features, target, classifiers.values())
    (encoded,) = whole.values()
    fold = Fold(features, target, train, test, whole)
    found = fold.learn("lp-aode*", classifiers["lp-aode*"])
    kept = [features.columns[j] for j in encoded.encoding.kept]
    assert kept[0] == "mostly"
    spodes = [name for kind, name in found.experts_ if kind == "spode"]
    assert spodes == kept
    # A SPODE of a single value still says something out of fold: what naive Bayes with one feature less says.
    honest = Fold(features, target, train, test).learn("lp-aode*", classifiers["lp-aode*"])
    assert [name for kind, name in honest.experts_ if kind == "spode"] == ["other"]
    assert found.weights_[0] > 0.0
    sums = fold.sums(classifiers)["lp-aode*"]
    assert sums["n"] == 10


def test_the_papers_setting_learns_cuts_from_all_rows(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[1]
    encoded = encode_whole(features, target, [AODE()])
    (whole,) = encoded.values()
    aode = AODE().fit(features, target)
    assert len(whole.states) == len(aode.super_parents_)
    found = Fold(features, target, train, test, encoded).sums({"aode": AODE()})["aode"]
    honest = Fold(features, target, train, test).sums({"aode": AODE()})["aode"]
    # The same cuts as of a model of all rows, the counts of the training rows alone.
    n_states = whole.encoding.n_states
    coded = whole.states.T.astype(int) - (np.cumsum(n_states) - n_states)
    states = [range(v) for v in n_states]
    expected = AODE(categorical_features="all", categories=states).fit(coded[train], target[train])
    kept_all = len(expected.super_parents_) == len(whole.states)
    assert kept_all
    proba = expected.predict_proba(coded[test])
    assert found == fold_sums(target[test], proba, None, expected.classes_)
    assert found["brier"] != honest["brier"]


def test_in_the_papers_setting_a_feature_stays_even_if_constant_in_a_fold():
    rng = np.random.default_rng(0)
    import pandas as pd

    target = np.array(["a", "b"] * 20, dtype=object)
    features = pd.DataFrame({"mostly": ["x"] * 38 + ["y", "y"], "other": rng.choice(["p", "q"], 40)})
    whole = encode_whole(features, target, [AODE()])
    found = Fold(features, target, np.arange(30), np.arange(30, 40), whole).sums({"aode": AODE()})["aode"]
    assert [len(table.states) for table in whole.values()] == [2]
    assert found["n"] == 10


def test_a_class_that_training_lacks_is_missed(wine):
    features, target = wine
    target = target.copy()
    target[:3] = "rare"
    fold = Fold(features, target, np.arange(3, 150), np.append(np.arange(3), [150, 151]))
    found = fold.sums({"comp-aode*": CredalCompAODE()})["comp-aode*"]
    assert found["n"] == 5
    assert found["correct"] <= 2
    assert found["brier"] >= 3.0


def test_classifiers_that_read_tables_differently_share_a_fold(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    classifiers = {"aode": AODE(), "marginal": AODE(missing="marginalize"), "pool": LogPoolAODE()}
    holes = features.mask(np.random.default_rng(0).random(features.shape) < 0.2)
    for whole in (None, encode_whole(holes, target, classifiers.values())):
        fold = Fold(holes, target, train, test, whole)
        found = fold.sums(classifiers)
        assert len({sums["brier"] for sums in found.values()}) == 3
        for name, classifier in classifiers.items():
            if whole is not None:
                continue
            alone = classifier.fit(holes.iloc[train], target[train])
            proba = alone.predict_proba(holes.iloc[test])
            expected = fold_sums(target[test], proba, None, alone.classes_)
            assert found[name] == expected


def test_parts_pool_to_the_whole(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    clf = CredalCompAODE().fit(features.iloc[train], target[train])
    proba, sets = clf.predict_proba(features.iloc[test]), clf.predict_set(features.iloc[test])
    whole = fold_sums(target[test], proba, sets, clf.classes_)
    halves = (slice(None, 20), slice(20, None))
    parts = [fold_sums(target[test][rows], proba[rows], sets[rows], clf.classes_) for rows in halves]
    assert pool(parts) == pytest.approx(whole, rel=1e-12)
    assert pool(parts)["n"] == len(test)
