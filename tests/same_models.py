"""When two fitted classifiers are the same model."""

import warnings

import numpy as np
import pytest

from skcredal import LogPoolAODE
from skcredal._encoding.features import CategoricalFeature


def fitted(learn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn()


def assert_same_model(model, expected, *, exact=True):
    """The same classes, names, encoding and counts; the same likelihoods to 1e-12, or weights of a pool."""
    assert_counts = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    assert model.classes_.dtype == expected.classes_.dtype
    assert model.n_features_in_ == expected.n_features_in_
    assert getattr(model, "feature_names_in_", None) is not None or not hasattr(expected, "feature_names_in_")
    for ours, theirs in zip(model._encoding.features, expected._encoding.features, strict=True):
        assert type(ours) is type(theirs)
        if isinstance(theirs, CategoricalFeature):
            assert ours.states == theirs.states
            assert (ours.values, ours.codes.tolist()) == (theirs.values, theirs.codes.tolist())
            assert (ours.fill, ours.n_observed) == (theirs.fill, theirs.n_observed)
        else:
            np.testing.assert_array_equal(ours.cuts, theirs.cuts)
            np.testing.assert_array_equal(ours.fill, theirs.fill)
    for ours, theirs in zip(_tables(model), _tables(expected), strict=True):
        for name in ("n_c", "n_ca", "n_cab"):
            if getattr(theirs, name) is not None:
                assert_counts(getattr(ours, name), getattr(theirs, name))
    if isinstance(expected, LogPoolAODE):
        assert model.experts_ == expected.experts_
        # Found by iterations over rows in another order, which end within 1e-6 of the best log-odds.
        np.testing.assert_allclose(model.weights_, expected.weights_, atol=1e-4)
        assert model.null_weight_ == pytest.approx(expected.null_weight_, abs=1e-4)
    if hasattr(expected, "log_likelihood_"):
        np.testing.assert_allclose(model.log_likelihood_, expected.log_likelihood_, rtol=1e-12)
        assert model.null_log_likelihood_ == pytest.approx(expected.null_log_likelihood_, rel=1e-12)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-9)


def _tables(model):
    """Return the counts of a model; a pool has some of each coding."""
    return model.counts_.codings if isinstance(model, LogPoolAODE) else [model.counts_]
