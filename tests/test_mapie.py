"""MAPIE wraps our estimators as they are: conformal sets around them hold what they promise."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skcredal import CompAODE, CredalCompAODE
from skcredal.datasets import load_dataset
from skcredal.decisions import set_labels
from skcredal.metrics import credal_summary

mapie = pytest.importorskip("mapie.classification")

# MAPIE tries a fitted estimator on a row of zeros without names, in which text features see a new value.
# (An estimator with text features and handle_unknown="error" refuses that row, and MAPIE then refuses it.)
pytestmark = [
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:Feature .* was learned as text"),
]

LEVEL = 0.9


def split(X, y, n_train=600, n_measure=1200):
    """Return the rows to learn from, those for MAPIE to measure itself on, and those to judge it by."""
    parts = np.split(np.random.default_rng(0).permutation(len(y)), [n_train, n_train + n_measure])
    take = (lambda rows: X.iloc[rows]) if isinstance(X, pd.DataFrame) else (lambda rows: X[rows])
    return [(take(rows), y[rows]) for rows in parts]


def coverage(y, y_set, classes):
    return np.mean([label in labels for label, labels in zip(y, set_labels(y_set, classes), strict=True)])


def mixed_table(rng, n=4000):
    """Return strings, numbers and missing cells that say something about three classes, with names."""
    c = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "length": c + rng.normal(size=n),
            "width": rng.normal(size=n) - 0.5 * c,
            "colour": np.where(rng.random(n) < 0.5, np.array(["red", "green", "blue"])[c], "red"),
            "shape": pd.Categorical(rng.choice(["round", "long"], n)),
        }
    )
    X.loc[rng.random(n) < 0.1, "length"] = np.nan
    X.loc[rng.random(n) < 0.1, "colour"] = None
    return X, np.array(["low", "middle", "high"])[c]


@pytest.mark.parametrize("classifier", [CompAODE, CredalCompAODE])
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_a_fitted_classifier_is_wrapped(classifier, kind):
    if kind == "array":
        data = load_dataset("waveform")
        X, y = data.features.to_numpy(), data.target.astype(str).to_numpy()
    else:
        X, y = mixed_table(np.random.default_rng(70))
    (X_train, y_train), (X_measure, y_measure), (X_test, y_test) = split(X, y)
    clf = classifier().fit(X_train, y_train)
    conformal = mapie.SplitConformalClassifier(
        estimator=clf, confidence_level=LEVEL, conformity_score="lac", prefit=True
    ).conformalize(X_measure, y_measure)
    y_pred, y_set = conformal.predict_set(X_test)
    assert y_set.shape == (len(y_test), 3, 1)
    np.testing.assert_array_equal(y_pred, clf.predict(X_test))
    # Four standard deviations of the share among as many rows as were measured and tested.
    deviation = np.sqrt(LEVEL * (1 - LEVEL) * (1 / len(y_measure) + 1 / len(y_test)))
    assert coverage(y_test, y_set[:, :, 0], clf.classes_) == pytest.approx(LEVEL, abs=4 * deviation)
    # MAPIE's columns are ours, so that our measures read its sets.
    assert 0.0 < credal_summary(y_test, y_set[:, :, 0], labels=clf.classes_)["u65"] < 1.0


def test_mapie_fits_the_classifier_itself():
    X, y = mixed_table(np.random.default_rng(71))
    (X_train, y_train), (X_measure, y_measure), (X_test, y_test) = split(X, y)
    conformal = mapie.SplitConformalClassifier(estimator=CompAODE(), confidence_level=LEVEL, prefit=False)
    y_pred, y_set = conformal.fit(X_train, y_train).conformalize(X_measure, y_measure).predict_set(X_test)
    clf = CompAODE().fit(X_train, y_train)
    np.testing.assert_array_equal(y_pred, clf.predict(X_test))
    assert coverage(y_test, y_set[:, :, 0], clf.classes_) == pytest.approx(LEVEL, abs=0.04)


def test_the_example_runs(capsys):
    example = Path(__file__).parents[1] / "examples" / "conformal_sets.py"
    if not example.exists():
        pytest.skip("the examples are not part of this copy")
    runpy.run_path(str(example), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8
    assert all(
        line.startswith(name) for line, name in zip(lines[2:], ["COMP-AODE*", "opt", "opt"], strict=False)
    )
