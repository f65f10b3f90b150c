"""One fold: what all classifiers share is what each would learn alone, and the setting of the paper."""

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalCompAODE, CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.evaluation import make_classifiers
from skcredal.evaluation._fold import Fold, encode_whole, splits
from skcredal.evaluation._results import fold_sums, pool


@pytest.fixture
def wine():
    data = load_dataset("wine")
    return data.features, data.target.astype(str).to_numpy().astype(object)


def test_a_fold_is_what_every_classifier_would_do_alone(wine):
    """Also where some of them read the table in another way."""
    features, target = wine
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
    clf = CredalLogPoolAODE()
    whole = encode_whole(features, target, [clf])
    fold = Fold(features, target, train, test, whole)
    found = fold.learn("lp-aode*", clf)
    assert [name for kind, name in found.experts_ if kind == "spode"] == ["mostly", "other"]
    # A SPODE of a single value still says something out of fold: what naive Bayes with one feature less says.
    assert found.weights_[0] > 0.0
    honest = Fold(features, target, train, test).learn("lp-aode*", clf)
    assert [name for kind, name in honest.experts_ if kind == "spode"] == ["other"]
    assert fold.sums({"lp-aode*": clf})["lp-aode*"]["n"] == 10
    whole = encode_whole(features, target, [AODE()])
    assert Fold(features, target, train, test, whole).sums({"aode": AODE()})["aode"]["n"] == 10


def test_the_papers_setting_learns_cuts_from_all_rows(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[1]
    encoded = encode_whole(features, target, [AODE()])
    (whole,) = encoded.values()
    found = Fold(features, target, train, test, encoded).sums({"aode": AODE()})["aode"]
    honest = Fold(features, target, train, test).sums({"aode": AODE()})["aode"]
    # The same cuts as of a model of all rows, the counts of the training rows alone.
    n_states = whole.encoding.n_states
    coded = whole.states.T.astype(int) - (np.cumsum(n_states) - n_states)
    states = [range(v) for v in n_states]
    expected = AODE(categorical_features="all", categories=states).fit(coded[train], target[train])
    proba = expected.predict_proba(coded[test])
    assert found == fold_sums(target[test], proba, None, expected.classes_)
    assert found["brier"] != honest["brier"]


def test_parts_pool_to_the_whole(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    clf = CredalCompAODE().fit(features.iloc[train], target[train])
    proba, sets = clf.predict_proba(features.iloc[test]), clf.predict_set(features.iloc[test])
    whole = fold_sums(target[test], proba, sets, clf.classes_)
    halves = (slice(None, 20), slice(20, None))
    parts = [fold_sums(target[test][rows], proba[rows], sets[rows], clf.classes_) for rows in halves]
    assert pool(parts) == pytest.approx(whole, rel=1e-12)
