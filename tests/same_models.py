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
    """The same classes, names, encoding and counts; the same likelihoods, or weights of a pool, to 1e-12."""
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
    for name in ("n_c", "n_ca", "n_cab", "n_leaves", "n_cz", "n_cza"):
        assert_counts(getattr(model.counts_, name), getattr(expected.counts_, name))
    if isinstance(expected, LogPoolAODE):
        assert model.experts_ == expected.experts_
        for name in ("null_weight_", "weights_", "covariance_"):
            np.testing.assert_allclose(getattr(model, name), getattr(expected, name), rtol=0, atol=1e-12)
    if hasattr(expected, "log_likelihood_"):
        np.testing.assert_allclose(model.log_likelihood_, expected.log_likelihood_, rtol=1e-12)
        assert model.null_log_likelihood_ == pytest.approx(expected.null_log_likelihood_, rel=1e-12)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-9)
