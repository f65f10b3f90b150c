"""The whole chain on the paper's data sets, from the ARFF file to the sets."""

import numpy as np
import pytest

import oracles
from paper_data import PAPER_FEATURES, load_paper_dataset
from skcredal import AODE, CredalBmaAODE, CredalCompAODE


@pytest.mark.parametrize(("name", "k"), PAPER_FEATURES.items())
def test_as_many_features_are_kept_as_in_the_paper(name, k):
    data = load_paper_dataset(name)
    assert len(AODE().fit(data.features, data.target).super_parents_) == k


@pytest.mark.parametrize("name", ["hayes_roth", "labor"])
def test_one_small_set_from_the_raw_table_to_the_sets(name):
    """Every number by the oracles: numeric cuts and, in labor, missing numeric and nominal cells."""
    data = load_paper_dataset(name)
    rows = np.random.default_rng(1).permutation(len(data.target))
    train, test = np.sort(rows[:40]), np.sort(rows[40:56])
    kinds, declared = [], []
    for column in data.features:
        nominal = data.features[column].dtype == "category"
        kinds.append("categorical" if nominal else "numeric")
        declared.append(data.features[column].cat.categories.to_list() if nominal else None)
    raw = [
        [None if cell is None or cell != cell else cell for cell in row]
        for row in data.features.astype(object).to_numpy().tolist()
    ]
    classes, labels = np.unique(data.target.astype(str).to_numpy()[train], return_inverse=True)
    expected = oracles.end_to_end_sets(
        [raw[r] for r in train], labels.tolist(), [raw[r] for r in test], kinds, declared, len(classes)
    )
    for classifier, key in ((CredalBmaAODE, "bma"), (CredalCompAODE, "comp")):
        clf = classifier().fit(data.features.iloc[train], data.target.astype(str).iloc[train])
        X_test = data.features.iloc[test]
        np.testing.assert_allclose(clf.log_likelihood_, expected["log_lik"], rtol=1e-10)
        assert clf.null_log_likelihood_ == pytest.approx(expected["log_lik_null"], rel=1e-12)
        np.testing.assert_allclose(clf.predict_proba(X_test), expected[f"{key}_proba"], rtol=1e-8)
        np.testing.assert_array_equal(clf.predict_set(X_test), expected[key])
    aode = AODE().fit(data.features.iloc[train], data.target.astype(str).iloc[train])
    np.testing.assert_allclose(
        aode.predict_proba(data.features.iloc[test]), expected["aode_proba"], rtol=1e-10
    )
