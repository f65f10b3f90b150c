"""Our estimators among others: scikit-learn's tools, tables of every library, and other people's workers."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import skcredal
from skcredal import (
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    MDLDiscretizer,
    NaiveBayes,
    answers,
)
from skcredal.metrics import make_set_scorer, predict_set, u65_score
from skcredal.persistence import ESTIMATORS

SCORER = make_set_scorer(u65_score)


def table(n=150, n_classes=3):
    """Return a table whose first two columns tell the class and whose third is noise."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, n_classes, n)
    X = pd.DataFrame(
        {
            "number": 1.5 * y + rng.normal(size=n),
            "kind": np.where(rng.random(n) < 0.6, np.array(["a", "b", "c"])[y], "b"),
            "noise": rng.choice(["x", "y"], n),
        }
    )
    X.loc[::10, "number"] = np.nan
    return X, np.array(["low", "middle", "high"])[y]


# Tables in and out.


def columns():
    return ColumnTransformer(
        [("cut", MDLDiscretizer(), ["number"])], remainder="passthrough", verbose_feature_names_out=False
    )


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_go_through_a_pipeline_as_frames(library):
    X, y = table()
    frame = X if library is pd else pl.from_pandas(X)
    target = pd.Series(y) if library is pd else pl.Series(y)
    name = library.__name__
    cut = columns().set_output(transform=name).fit(frame, target)
    between = cut.transform(frame)
    assert isinstance(between, library.DataFrame)
    assert list(between.columns) == ["number", "kind", "noise"]
    np.testing.assert_array_equal(
        np.asarray(between["number"]), MDLDiscretizer().fit_transform(X[["number"]], y)[:, 0]
    )
    model = make_pipeline(columns().set_output(transform=name), CredalCompAODE(categorical_features="all"))
    model.fit(frame, target)
    alone = CredalCompAODE().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(frame), alone.predict_proba(X))
    np.testing.assert_array_equal(predict_set(model, frame), alone.predict_set(X))
    explanation = model[-1].explain(model[:-1].transform(frame))
    assert isinstance(explanation, library.DataFrame)
    assert len(explanation) == len(frame)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_the_discretizer_returns_the_frames_that_are_asked_for(name):
    X, y = table()
    mdl = MDLDiscretizer().set_output(transform=name).fit(X[["number"]], y)
    found = mdl.transform(X[["number"]])
    assert type(found).__module__.startswith(name)
    assert list(found.columns) == ["number"]
    with sklearn.config_context(transform_output=name):
        assert type(MDLDiscretizer().fit_transform(X[["number"]], y)) is type(found)


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_a_model_learned_from_one_library_reads_the_other(kind):
    X, y = table()
    learned = kind(X.to_dict("list"))
    read = (pl.DataFrame if kind is pd.DataFrame else pd.DataFrame)(X.to_dict("list"))
    clf = CredalBmaAODE().fit(learned, y)
    np.testing.assert_array_equal(clf.predict_interval(read), clf.predict_interval(learned))


# scikit-learn's tools.


def test_epsilon_is_searched_for_inside_a_pipeline():
    X, y = table()
    model = make_pipeline(columns(), CredalCompAODE(categorical_features="all"))
    epsilons = [0.001, 0.01, 0.2]
    search = GridSearchCV(model, {"credalcompaode__epsilon": epsilons}, scoring=SCORER, cv=3).fit(X, y)
    assert search.best_params_["credalcompaode__epsilon"] in epsilons
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_score_ == scores.max()
    np.testing.assert_array_equal(predict_set(search, X), predict_set(search.best_estimator_, X))


@pytest.mark.parametrize(
    "sampler", [RandomOverSampler(random_state=0), RandomUnderSampler(random_state=0)], ids=str
)
@pytest.mark.parametrize("searched", [False, True])
def test_samplers_of_imbalanced_learn_take_part_in_training_only(sampler, searched):
    X, y = table()
    kept = np.flatnonzero((y != "low") | (np.arange(len(y)) % 5 == 0))  # one class is rare
    X, y = X.iloc[kept], y[kept]
    steps = (columns(), "passthrough", sampler, CredalCompAODE(categorical_features="all"))
    model = make_imblearn_pipeline(*steps)
    if searched:
        model = GridSearchCV(model, {"credalcompaode__epsilon": [0.01, 0.1]}, scoring=SCORER, cv=3)
    model.fit(X, y)
    fitted = model.best_estimator_ if searched else model
    # By hand: the transformers alone, and the classifier that has learned from the sampled rows.
    rows, final = fitted[0].transform(X), fitted[-1]
    assert final.counts_.n != len(y)
    np.testing.assert_array_equal(predict_set(model, X), final.predict_set(rows))
    found = answers(model, X)
    np.testing.assert_array_equal(found.proba, model.predict_proba(X))
    np.testing.assert_array_equal(found.predicted, model.predict(X))
    np.testing.assert_array_equal(found.sets, final.predict_set(rows))
    assert SCORER(model, X, y) == u65_score(y, final.predict_set(rows), labels=final.classes_)
    if searched:
        assert np.isfinite(model.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("ensemble", [True, False])
def test_probabilities_are_calibrated(ensemble):
    X, y = table(300, n_classes=2)
    calibrated = CalibratedClassifierCV(CompAODE(), cv=3, ensemble=ensemble).fit(X[:200], y[:200])
    proba = calibrated.predict_proba(X[200:])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert calibrated.classes_.tolist() == ["low", "middle"]
    assert calibrated.score(X[200:], y[200:]) > 0.7


@pytest.mark.parametrize("scoring", [SCORER, "accuracy"], ids=["u65", "accuracy"])
@pytest.mark.parametrize("kind", [CredalCompAODE, CredalLogPoolAODE])
def test_permutation_finds_the_features_that_count(kind, scoring):
    X, y = table()
    clf = kind().fit(X, y)
    found = permutation_importance(clf, X, y, scoring=scoring, n_repeats=3, random_state=0)
    number, kind, noise = found.importances_mean
    assert number > 0.05
    assert kind > 0.05
    assert abs(noise) < 0.05


@pytest.mark.parametrize("kind", [CredalCompAODE, CredalLogPoolAODE])
def test_cross_validation_returns_what_it_was_asked_for(kind):
    X, y = table()
    measures = {"u65": SCORER, "accuracy": "accuracy", "log_loss": "neg_log_loss"}
    found = cross_validate(kind(), X, y, scoring=measures, cv=3, return_estimator=True, return_indices=True)
    for clf, rows, score in zip(found["estimator"], found["indices"]["test"], found["test_u65"], strict=True):
        sets = clf.predict_set(X.iloc[rows])
        assert score == u65_score(y[rows], sets, labels=clf.classes_)
    proba = cross_val_predict(kind(), X, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


# Weights that are routed.


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_are_routed_through_a_pipeline(routing):
    X, y = table()
    weights = np.arange(len(y)) % 4
    cut = MDLDiscretizer().set_fit_request(sample_weight=True)
    clf = CompAODE(categorical_features="all").set_fit_request(sample_weight=True)
    model = make_pipeline(cut, clf).fit(X[["number"]], y, sample_weight=weights)
    bins = MDLDiscretizer().fit(X[["number"]], y, sample_weight=weights).transform(X[["number"]])
    alone = CompAODE(categorical_features="all").fit(bins, y, sample_weight=weights)
    np.testing.assert_array_equal(model.predict_proba(X[["number"]]), alone.predict_proba(bins))
    unweighted = make_pipeline(MDLDiscretizer(), CompAODE(categorical_features="all")).fit(X[["number"]], y)
    assert not np.array_equal(model.predict_proba(X[["number"]]), unweighted.predict_proba(X[["number"]]))


@pytest.mark.parametrize(
    "kind",
    [kind for kind in ESTIMATORS.values() if kind is not MDLDiscretizer],
    ids=lambda kind: kind.__name__,
)
def test_every_classifier_asks_for_weights(routing, kind):
    clf = kind().set_fit_request(sample_weight="w").set_score_request(sample_weight=False)
    X, y = table(60)
    weights = np.arange(len(y)) % 3 + 1
    model = make_pipeline(clf).fit(X, y, w=weights)
    np.testing.assert_array_equal(
        model.predict_proba(X), kind().fit(X, y, sample_weight=weights).predict_proba(X)
    )
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        make_pipeline(kind()).fit(X, y, sample_weight=weights)


def test_weights_are_routed_through_cross_validation(routing):
    X, y = table()
    weights = np.arange(len(y)) % 4
    clf = CredalCompAODE().set_fit_request(sample_weight=True)
    scorer = make_set_scorer(u65_score).set_score_request(sample_weight=True)
    found = cross_validate(
        clf, X, y, scoring=scorer, cv=3, params={"sample_weight": weights}, return_indices=True
    )
    for train, test, score in zip(*found["indices"].values(), found["test_score"], strict=True):
        alone = CredalCompAODE().fit(X.iloc[train], y[train], sample_weight=weights[train])
        expected = u65_score(
            y[test], alone.predict_set(X.iloc[test]), labels=alone.classes_, sample_weight=weights[test]
        )
        assert score == expected


# Other people's workers.


def scores_on(backend, n_jobs, **options):
    X, y = table()
    with joblib.parallel_config(backend=backend, n_jobs=n_jobs, **options):
        return cross_validate(CredalCompAODE(n_jobs=2), X, y, scoring=SCORER, cv=4, error_score="raise")[
            "test_score"
        ]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_backends_agree_with_none(backend):
    np.testing.assert_array_equal(scores_on(backend, 2), scores_on("sequential", 1))


def test_dask_workers_agree_with_none():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None, memory_limit=0
    )
    with cluster, distributed.Client(cluster):
        found = scores_on("dask", 2)
    np.testing.assert_array_equal(found, scores_on("sequential", 1))


# In a notebook.


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=lambda kind: kind.__name__)
def test_notebooks_show_parameters_and_whether_it_is_fitted(kind):
    X, y = table(60)
    before = estimator_html_repr(kind())
    assert "Not fitted" in before
    fitted = kind().fit(X[["number"]], y)._repr_html_()
    assert "Not fitted" not in fitted
    assert "Fitted" in fitted
    for html in (before, fitted):
        assert kind.__name__ in html
        # There is no page to link to, and no link that leads to another project's.
        assert "href" not in html


def test_notebooks_show_no_markup_of_the_data():
    X, y = table(60)
    clf = NaiveBayes(categories=[["a", "b", "c"], ["x", "y", "<img src=x>"]])
    clf.fit(X.rename(columns={"noise": "<b>noise</b>"}), np.char.replace(y, "low", "<script>low</script>"))
    html = clf._repr_html_()
    assert "<script>low" not in html
    assert "<img src=x>" not in html
    assert "<b>noise" not in html


def test_a_composite_shows_our_estimators_inside():
    X, y = table()
    html = make_pipeline(columns(), skcredal.CredalCompAODE(epsilon=0.05)).fit(X, y)._repr_html_()
    for text in ("MDLDiscretizer", "CredalCompAODE", "0.05"):
        assert text in html
