"""The determinate classifiers against the definitions of their weights and answers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from problems import frame_of, varied_problem
from skcredal import BmaAODE, MaplmgAODE, NullClassifier

# --- The marginal likelihood ----------------------------------------------------------------------


def marginal(**parameters):
    return BmaAODE(likelihood="marginal", **parameters)


def test_a_row_without_the_best_super_parent_has_an_answer():
    """With many rows the weights of all but one SPODE are 0 as doubles; their ratios are not forgotten."""
    rng = np.random.default_rng(91)
    n = 20_000
    hub = rng.integers(0, 2, n)
    y, *others = (np.where(rng.random(n) < p, hub, 1 - hub) for p in (0.8, 0.95, 0.85, 0.75))
    clf = marginal(categorical_features="all").fit(np.stack([hub, *others], axis=1), y)
    assert clf.log_likelihood_.argsort()[::-1].tolist() == [0, 1, 2, 3]
    assert clf.weights_.tolist() == [1.0, 0.0, 0.0, 0.0]
    # Without the best super-parent the next one decides, by far the most probable of the others.
    rows = np.array([[9, 0, 1, 0], [9, 1, 0, 1]])
    np.testing.assert_allclose(clf.predict_proba(rows), clf.spode_proba(rows)[:, 1], rtol=1e-9)


# --- MAPLMG -----------------------------------------------------------------------------------------


def test_the_objective_climbs_and_a_warning_names_max_iter():
    codes, labels, n_states, _ = varied_problem(np.random.default_rng(63), n=60)
    X = frame_of(codes, n_states)
    objectives = []
    for max_iter in (1, 2, 3):
        with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter} ") as caught:
            clf = MaplmgAODE(max_iter=max_iter, tol=1e-13).fit(X, labels)
        assert caught[0].filename == __file__
        assert clf.n_iter_ == max_iter
        objectives.append(clf.objective_)
    assert (np.diff(objectives) > 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = MaplmgAODE(tol=1e-13).fit(X, labels)
    assert 3 < clf.n_iter_ < 50
    assert clf.objective_ > objectives[-1]


# --- Naive Bayes, TAN and the null model ----------------------------------------------------------


def test_the_null_model_answers_the_class_probabilities_whatever_the_row():
    X = pd.DataFrame({"colour": ["red", "red", "green", "yellow"], "size": [1.0, None, 3.0, 4.0]})
    clf = NullClassifier(ess=2.0).fit(X, ["b", "b", "b", "a"])
    np.testing.assert_allclose(clf.prior_, [2.0 / 6.0, 4.0 / 6.0])
    new = pd.DataFrame({"colour": ["blue", None], "size": [None, 1e9]})
    np.testing.assert_array_equal(clf.predict_proba(new), [clf.prior_] * 2)
    assert clf.predict(new).tolist() == ["b", "b"]
