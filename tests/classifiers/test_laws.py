"""What holds of every classifier: the order, names and weights of a table, and how sets are nested."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pressure_problems import CLASSIFIERS
from problems import undecided_problem
from skcredal import (
    TAN,
    CompressionNB,
    CredalBmaAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    LogPoolAODE,
    NaiveCredal,
)

seeds = st.integers(0, 2**32 - 1)
# The folds of LP-AODE depend on the order of the rows.
KINDS = [kind for kind in CLASSIFIERS if not issubclass(kind, LogPoolAODE)]
# Of equal edges and splits, TAN and the tree take the first; COMP-NB adds features in an order of its own.
SYMMETRIC = [kind for kind in KINDS if kind not in (TAN, CredalTree, CompressionNB)]
CREDAL = [kind for kind in CLASSIFIERS if hasattr(kind, "predict_set") and kind is not CredalLogPoolAODE]
# Found by iterations that end before the last digit.
ROUNDED = {"rtol": 1e-6, "atol": 1e-9}


def fitted(kind, X, y, weights=None, **parameters):
    return kind(categorical_features="all", **parameters).fit(X, y, sample_weight=weights)


def assert_same(found, expected, test, columns=None, classes=None):
    """Compare answers to rows; the columns of the first may be turned, and its classes renamed."""
    rows = test if columns is None else test[:, columns]
    order = np.arange(len(expected.classes_)) if classes is None else classes
    proba = expected.predict_proba(test)
    np.testing.assert_allclose(found.predict_proba(rows)[:, order], proba, **ROUNDED)
    if hasattr(expected, "predict_set"):
        bounds = found.predict_interval(rows)[:, order]
        np.testing.assert_allclose(bounds, expected.predict_interval(test), atol=1e-9)
        # Where classes tie for the most probable, the order of the names says which one is put back.
        ordered = np.sort(proba, axis=1)
        clear = ordered[:, -1] - ordered[:, -2] > 1e-9
        sets = found.predict_set(rows)[:, order]
        np.testing.assert_array_equal(sets[clear], expected.predict_set(test)[clear])


@given(seeds, st.sampled_from(KINDS))
@settings(max_examples=150)
def test_the_order_of_rows_and_of_columns_and_the_names_of_classes_do_not_matter(seed, kind):
    X, y, test = undecided_problem(seed)
    rng = np.random.default_rng(seed)
    clf = fitted(kind, X, y)
    rows, names = rng.permutation(len(X)), rng.permutation(len(clf.classes_))
    assert_same(fitted(kind, X[rows], y[rows]), clf, test)
    assert_same(fitted(kind, X, names[y]), clf, test, classes=names)
    if kind in SYMMETRIC:
        columns = rng.permutation(X.shape[1])
        assert_same(fitted(kind, X[:, columns], y), clf, test, columns)


@given(seeds, st.sampled_from(KINDS), st.sampled_from(["impute", "marginalize"]))
@settings(max_examples=150)
def test_whole_weights_are_repetitions(seed, kind, missing):
    X, y, test = undecided_problem(seed)
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    weights = rng.integers(0, 4, len(X))
    weights[:3] = 1
    parameters = {"missing": missing}
    if kind is NaiveCredal and seed % 2:
        parameters["conservative_features"] = "all"
    once = fitted(kind, X, y, weights, **parameters)
    repeated = fitted(kind, np.repeat(X, weights, axis=0), np.repeat(y, weights), **parameters)
    assert_same(once, repeated, test)


@given(seeds, st.sampled_from(CREDAL), st.integers(2, 5))
@settings(max_examples=150)
def test_criteria_are_nested_and_bounds_contain_the_probabilities(seed, kind, n_classes):
    X, y, test = undecided_problem(seed, n_classes=n_classes, unseen=True)
    maximal, wider = (
        fitted(kind, X, y, criterion=criterion) for criterion in ("maximality", "interval_dominance")
    )
    sets, bounds, proba = (
        maximal.predict_set(test),
        maximal.predict_interval(test),
        maximal.predict_proba(test),
    )
    best = np.searchsorted(maximal.classes_, maximal.predict(test))
    assert (sets <= wider.predict_set(test)).all()
    assert sets[np.arange(30), best].all()
    alone = sets.sum(axis=1) == 1
    assert (wider.predict_set(test)[alone & (n_classes == 2)].sum(axis=1) == 1).all()
    if kind is CredalBmaAODE:
        admissible = fitted(kind, X, y, criterion="e_admissibility").predict_set(test)
        assert (admissible <= sets).all()
        assert admissible[np.arange(30), best].all()
    assert bounds.shape == (*proba.shape, 2)
    assert ((bounds >= 0.0) & (bounds <= 1.0)).all()
    assert (bounds[..., 0] <= proba + 1e-15).all()
    assert (proba <= bounds[..., 1] + 1e-15).all()
    # Coherent bounds of probabilities: what one class has at least, the others leave at most.
    assert (bounds[..., 0].sum(axis=1) <= 1.0 + 1e-9).all()
    assert (bounds[..., 1].sum(axis=1) >= 1.0 - 1e-9).all()


MORE_CAUTIOUS = [
    (CredalBmaAODE, {"epsilon": 0.002}, {"epsilon": 0.18}),
    (CredalModelAveraging, {"epsilon": 0.001}, {"epsilon": 0.4}),
    (NaiveCredal, {"s": 2.0}, {"s": 0.5}),
    (NaiveCredal, {"contamination": 0.05}, {"contamination": 0.5}),
]


@pytest.mark.parametrize(("kind", "cautious", "bold"), MORE_CAUTIOUS)
@given(seed=seeds)
@settings(max_examples=40)
def test_a_larger_set_of_priors_never_shrinks_a_set(kind, cautious, bold, seed):
    X, y, test = undecided_problem(seed)
    wide, narrow = (fitted(kind, X, y, **parameters) for parameters in (cautious, bold))
    assert (wide.predict_set(test) >= narrow.predict_set(test)).all()
