import numpy as np
import pandas as pd
import pytest
import skcredal.classifiers._spodes as spodes_module
from threadpoolctl import threadpool_info, threadpool_limits

import skcredal.classifiers._rows as rows_module
from skcredal import AODE, CredalCompAODE, LogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.evaluation._fold import Fold, encode_whole, run_fold, splits
from skcredal.evaluation._registry import make_classifiers
from skcredal.evaluation._sums import fold_sums

pytest.importorskip("pandas", reason="data sets are tables of pandas")


def without_seconds(sums):
    return {
        name: getattr(sums, name)
        for name in sums.__dataclass_fields__
        if name not in ("fit_seconds", "predict_seconds")
    }


@pytest.fixture
def wine():
    data = load_dataset("wine")
    return data.features, data.target.astype(str).to_numpy().astype(object)


def test_a_fold_is_what_every_classifier_would_do_alone(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[2]
    classifiers = make_classifiers()
    found = run_fold(classifiers, Fold(features, target, train, test))
    assert list(found) == list(classifiers)
    for name, classifier in classifiers.items():
        clf = classifier.fit(features.iloc[train], target[train])
        y_set = clf.predict_set(features.iloc[test]) if hasattr(clf, "predict_set") else None
        expected = fold_sums(target[test], clf.predict_proba(features.iloc[test]), y_set, clf.classes_)
        assert without_seconds(found[name]) == without_seconds(expected), name
        assert found[name].fit_seconds > 0.0


def test_statistics_are_computed_once_for_the_whole_family(wine, monkeypatch):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    calls = {"count": 0, "log_likelihoods": 0, "spode_tables": 0}

    def counted(name, function):
        def call(*arguments, **options):
            calls[name] += 1
            return function(*arguments, **options)

        return call

    for module, name in (
        (rows_module, "count"),
        (rows_module, "log_likelihoods"),
        (spodes_module, "spode_tables"),
    ):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    run_fold(make_classifiers(), Fold(features, target, train, test))
    # The two pools share theirs, one of each of their three codings.
    assert calls == {"count": 1 + 3, "log_likelihoods": 1, "spode_tables": 1}


def test_the_papers_setting_learns_cuts_from_all_rows(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[1]
    encoded = encode_whole(features, target, [AODE()])
    (whole,) = encoded.values()
    aode = AODE().fit(features, target)
    assert len(whole.codes) == len(aode.super_parents_)
    found = run_fold({"aode": AODE()}, Fold(features, target, train, test, encoded))["aode"]
    honest = run_fold({"aode": AODE()}, Fold(features, target, train, test))["aode"]
    # The same cuts as of a model of all rows, the counts of the training rows alone.
    coded = whole.codes.T.astype(int)
    states = [range(v) for v in whole.encoding.n_states]
    expected = AODE(categorical_features="all", categories=states).fit(coded[train], target[train])
    kept_all = len(expected.super_parents_) == len(whole.codes)
    assert kept_all
    proba = expected.predict_proba(coded[test])
    assert without_seconds(found) == without_seconds(fold_sums(target[test], proba, None, expected.classes_))
    assert found.brier != honest.brier


def test_in_the_papers_setting_a_feature_stays_even_if_constant_in_a_fold():
    rng = np.random.default_rng(0)
    import pandas as pd

    target = np.array(["a", "b"] * 20, dtype=object)
    features = pd.DataFrame({"mostly": ["x"] * 38 + ["y", "y"], "other": rng.choice(["p", "q"], 40)})
    whole = encode_whole(features, target, [AODE()])
    found = run_fold({"aode": AODE()}, Fold(features, target, np.arange(30), np.arange(30, 40), whole))[
        "aode"
    ]
    assert [len(table.codes) for table in whole.values()] == [2]
    assert found.n == 10


def test_a_class_that_training_lacks_is_missed(wine):
    features, target = wine
    target = target.copy()
    target[:3] = "rare"
    fold = Fold(features, target, np.arange(3, 150), np.append(np.arange(3), [150, 151]))
    found = run_fold({"comp-aode*": CredalCompAODE()}, fold)["comp-aode*"]
    assert found.n == 5
    assert found.correct <= 2
    assert found.brier >= 3.0


def test_classifiers_that_read_tables_differently_share_a_fold(wine):
    features, target = wine
    train, test = splits(target, folds=4, run=0, seed=0)[0]
    classifiers = {"aode": AODE(), "marginal": AODE(missing="marginalize"), "pool": LogPoolAODE()}
    holes = features.mask(np.random.default_rng(0).random(features.shape) < 0.2)
    for whole in (None, encode_whole(holes, target, classifiers.values())):
        fold = Fold(holes, target, train, test, whole)
        found = run_fold(classifiers, fold)
        assert len({sums.brier for sums in found.values()}) == 3
        for name, classifier in classifiers.items():
            if whole is not None:
                continue
            alone = classifier.fit(holes.iloc[train], target[train])
            proba = alone.predict_proba(holes.iloc[test])
            expected = fold_sums(target[test], proba, None, alone.classes_)
            assert without_seconds(found[name]) == without_seconds(expected)


def test_baselines_keep_blas_to_one_thread(monkeypatch):
    """With more, they wait for each other on busy cores, and last digits depend on the machine."""
    seen = []

    class Baseline:
        def fit(self, X, y):
            seen.append(blas_threads())
            return self

        def predict_proba(self, X):
            seen.append(blas_threads())
            return np.full((len(X), 2), 0.5)

    def blas_threads():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    monkeypatch.setattr("skcredal.evaluation._fold.make_baseline", lambda name, features: Baseline())
    fold = Fold(pd.DataFrame({"x": range(6)}), np.array(["a", "b"] * 3), np.arange(4), np.arange(4, 6))
    with threadpool_limits(2, user_api="blas"):
        assert fold.baseline_proba("any").shape == (2, 2)
        assert blas_threads() == {2}
    assert seen == [{1}, {1}]
