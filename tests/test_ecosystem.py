"""Our estimators among others: scikit-learn's tools, tables of every library, and other people's workers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

from skcredal import CredalCompAODE, MDLDiscretizer, answers
from skcredal.metrics import make_set_scorer, predict_set, u65_score

SCORER = make_set_scorer(u65_score)


def table(n=150, n_classes=3):
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


def columns():
    return ColumnTransformer(
        [("cut", MDLDiscretizer(), ["number"])], remainder="passthrough", verbose_feature_names_out=False
    )


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_go_through_a_pipeline_as_frames(library):
    X, y = table()
    frame = X if library is pd else pl.from_pandas(X)
    target = pd.Series(y) if library is pd else pl.Series(y)
    cut = columns().set_output(transform=library.__name__)
    model = make_pipeline(cut, CredalCompAODE(categorical_features="all")).fit(frame, target)
    between = model[:-1].transform(frame)
    assert isinstance(between, library.DataFrame)
    assert list(between.columns) == ["number", "kind", "noise"]
    bins = MDLDiscretizer().fit_transform(X[["number"]], y)[:, 0]
    np.testing.assert_array_equal(np.asarray(between["number"]), bins)
    alone = CredalCompAODE().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(frame), alone.predict_proba(X))
    np.testing.assert_array_equal(predict_set(model, frame), alone.predict_set(X))
    assert isinstance(model[-1].explain(between), library.DataFrame)


def test_samplers_of_imbalanced_learn_and_searches_are_followed():
    X, y = table()
    kept = np.flatnonzero((y != "low") | (np.arange(len(y)) % 5 == 0))  # one class is rare
    X, y = X.iloc[kept], y[kept]
    steps = (
        columns(),
        "passthrough",
        RandomOverSampler(random_state=0),
        CredalCompAODE(categorical_features="all"),
    )
    search = GridSearchCV(
        make_imblearn_pipeline(*steps), {"credalcompaode__epsilon": [0.01, 0.1]}, scoring=SCORER, cv=3
    ).fit(X, y)
    for model in (search, search.best_estimator_):
        # By hand: the transformers alone, and the classifier that has learned from the sampled rows.
        rows, final = search.best_estimator_[0].transform(X), search.best_estimator_[-1]
        assert final.counts_.n != len(y)
        np.testing.assert_array_equal(predict_set(model, X), final.predict_set(rows))
        np.testing.assert_array_equal(answers(model, X).robustness, final.robustness(rows))
        assert SCORER(model, X, y) == u65_score(y, final.predict_set(rows), labels=final.classes_)


@sklearn.config_context(enable_metadata_routing=True)
def test_weights_are_routed_through_cross_validation():
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
