"""The whole chain on the paper's data sets, from the ARFF file to the sets."""

import numpy as np
import pytest

import oracles
from paper_data import PAPER_FEATURES, load_paper_dataset
from skcredal import AODE, CredalBmaAODE, CredalCompAODE
from skcredal.decisions import reject, reject_cost_score, utility_optimal_sets
from skcredal.metrics import u65_score, u80_score

DECISION_SAMPLE = [
    "anneal",
    "credit_a",
    "ecoli",
    "glass",
    "haberman",
    "heart_h",
    "hepatitis",
    "labor",
    "lymph",
    "tae",
    "wine",
    "zoo",
]


@pytest.mark.parametrize(("name", "k"), PAPER_FEATURES.items())
def test_as_many_features_are_kept_as_in_the_paper(name, k):
    data = load_paper_dataset(name)
    assert len(AODE().fit(data.features, data.target).super_parents_) == k


@pytest.mark.parametrize("name", PAPER_FEATURES)
@pytest.mark.parametrize("classifier", [CredalBmaAODE, CredalCompAODE])
def test_the_whole_chain_runs(name, classifier):
    """Train on two thirds, predict the rest: sets hold the determinate class."""
    data = load_paper_dataset(name)
    rows = np.random.default_rng(0).permutation(len(data.target))
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    clf = classifier().fit(data.features.iloc[train], data.target.iloc[train])
    X_test = data.features.iloc[test]
    proba, sets = clf.predict_proba(X_test), clf.predict_set(X_test)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert sets[np.arange(len(test)), proba.argmax(axis=1)].all()
    most_frequent = data.target.iloc[train].mode()[0]
    accuracy = (clf.predict(X_test) == data.target.iloc[test].to_numpy()).mean()
    assert accuracy >= (data.target.iloc[test] == most_frequent).mean() - 0.2


@pytest.mark.parametrize("name", DECISION_SAMPLE)
@pytest.mark.parametrize("classifier", [CredalBmaAODE, CredalCompAODE])
def test_every_decision_can_be_taken(name, classifier):
    data = load_paper_dataset(name)
    rows = np.random.default_rng(2).permutation(len(data.target))
    train, test = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    clf = classifier().fit(data.features.iloc[train], data.target.iloc[train])
    X_test = data.features.iloc[test]
    proba, interval, sets = clf.predict_proba(X_test), clf.predict_interval(X_test), clf.predict_set(X_test)
    assert (interval[..., 0] <= proba + 1e-15).all()
    assert (proba <= interval[..., 1] + 1e-15).all()
    wider = classifier(criterion="interval_dominance").fit(data.features.iloc[train], data.target.iloc[train])
    assert (sets <= wider.predict_set(X_test)).all()
    explanation = clf.explain(X_test)
    np.testing.assert_array_equal(explanation["set_size"], sets.sum(axis=1))
    np.testing.assert_array_equal(explanation["robustness"], clf.robustness(X_test))
    # Undecided cases are less robust than any decided one of the same model and known super-parents.
    robustness, undecided = explanation["robustness"].to_numpy(), explanation["set_size"].to_numpy() > 1
    if undecided.any() and not undecided.all() and classifier is CredalCompAODE:
        assert robustness[undecided].max() <= robustness[~undecided].min() + 1e-9


@pytest.mark.parametrize("name", DECISION_SAMPLE)
def test_rejection_and_utility_optimal_sets(name):
    data = load_paper_dataset(name)
    rows = np.random.default_rng(3).permutation(len(data.target))
    train, test = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    X_train, y_train = data.features.iloc[train], data.target.astype(str).iloc[train]
    X_test, y_test = data.features.iloc[test], data.target.astype(str).iloc[test]
    for clf in (CredalBmaAODE().fit(X_train, y_train), CredalCompAODE().fit(X_train, y_train)):
        proba, interval, sets = (
            clf.predict_proba(X_test),
            clf.predict_interval(X_test),
            clf.predict_set(X_test),
        )
        for cost in (0.1, 0.4):
            plain, credal = reject(proba, cost=cost), reject(interval, sets, cost=cost)
            assert (plain <= credal).all()  # the credal one rejects no less
            np.testing.assert_array_equal(credal, reject(interval, cost=cost))
            score = reject_cost_score(y_test, clf.predict(X_test), credal, cost=cost)
            wrong = (clf.predict(X_test) != y_test.to_numpy()) & ~credal
            assert score == pytest.approx(wrong.mean() + cost * credal.mean())
        for utility, measure in (("u65", u65_score), ("u80", u80_score)):
            chosen = utility_optimal_sets(proba, utility=utility)
            assert chosen[np.arange(len(test)), proba.argmax(axis=1)].all()
            assert 0.0 <= measure(y_test, chosen, labels=clf.classes_) <= 1.0
    cautious, bold = utility_optimal_sets(proba, utility="u80"), utility_optimal_sets(proba, utility="u65")
    assert (cautious.sum(axis=1) >= bold.sum(axis=1)).all()


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
