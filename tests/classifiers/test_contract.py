"""The whole of scikit-learn's contract, for every estimator."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skcredal import (
    AODE,
    BmaAODE,
    CompAODE,
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    LogPoolAODE,
    MDLDiscretizer,
    evaluation,
)
from skcredal.classifiers import CredalMixin
from skcredal.metrics import make_set_scorer, u65_score

ESTIMATORS = [
    AODE(),
    AODE(average="joint"),
    BmaAODE(),
    CompAODE(),
    CredalBmaAODE(),
    CredalCompAODE(),
    CredalCompAODE(missing="marginalize", n_jobs=2),
    LogPoolAODE(n_regions=2),
    CredalLogPoolAODE(n_regions=2),
    CredalLogPoolAODE(n_regions=2, missing="marginalize", n_jobs=2),
    MDLDiscretizer(),
]


def expected_to_fail(estimator):
    """Return the checks that an estimator cannot pass, with the reason."""
    if not isinstance(estimator, LogPoolAODE):
        return {}
    reason = "two copies of a row may fall into different folds, a row of weight 2 does not"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


CLASSIFIERS = [estimator for estimator in ESTIMATORS if not isinstance(estimator, MDLDiscretizer)]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    frame = pd.DataFrame(
        {
            "number": y + rng.normal(size=200),
            "kind": np.where(rng.random(200) < 0.5, np.array(list("abc"))[y], "b"),
        }
    )
    frame.loc[::9, "number"] = np.nan
    return frame, np.array(["low", "middle", "high"])[y]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_a_copy_by_pickle_answers_alike(estimator, table):
    X, y = table
    fitted = clone(estimator).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(X), fitted.predict_proba(X))
    if hasattr(fitted, "predict_set"):
        np.testing.assert_array_equal(copy.predict_set(X), fitted.predict_set(X))


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_nothing_is_predicted_before_fit(estimator, table):
    X, _ = table
    unfitted = clone(estimator)
    for method in ("predict", "predict_proba", "predict_log_proba", "spode_proba", "predict_set"):
        if hasattr(unfitted, method):
            with pytest.raises(NotFittedError, match=type(estimator).__name__):
                getattr(unfitted, method)(X)


def test_only_credal_classifiers_return_sets():
    for make in (MDLDiscretizer, *evaluation.CLASSIFIERS.values()):
        assert hasattr(make(), "predict_set") == isinstance(make(), CredalMixin), make


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_every_parameter_is_keyword_only(estimator):
    with pytest.raises(TypeError, match="positional"):
        type(estimator)(1.0)


def test_sets_are_scored_in_model_selection(table):
    X, y = table
    search = GridSearchCV(
        CredalCompAODE(),
        {"epsilon": [0.001, 0.2], "ess": [0.5, 2.0]},
        scoring=make_set_scorer(u65_score),
        cv=3,
    ).fit(X, y)
    assert set(search.best_params_) == {"epsilon", "ess"}
    scores = cross_validate(
        CredalBmaAODE(), X, y, scoring={"u65": make_set_scorer(u65_score), "accuracy": "accuracy"}, cv=4
    )
    assert np.isfinite(scores["test_u65"]).all()
    assert len(scores["test_accuracy"]) == 4


def test_a_classifier_ends_a_pipeline(table):
    X, y = table
    cut = ColumnTransformer([("cut", MDLDiscretizer(), ["number"])], remainder="passthrough")
    pipeline = make_pipeline(cut, CredalCompAODE(categorical_features="all")).fit(X, y)
    alone = CredalCompAODE().fit(X, y)
    np.testing.assert_allclose(pipeline.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize("classifier", [CredalCompAODE, CredalLogPoolAODE])
@pytest.mark.parametrize("method", ["predict_proba", "predict_set"])
def test_prediction_holds_no_array_of_rows_by_features_by_classes(classifier, method):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (20_000, 25)).astype(np.uint8)
    y = rng.integers(0, 6, 500)
    clf = classifier(categorical_features="all").fit(X[:500], y)
    predict = getattr(clf, method)
    predict(X[:600])
    tracemalloc.start()
    try:
        predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.size * 6 * 8 / 2
