"""The credal classifiers against oracles and properties, through the public interface."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from problems import random_codes
from skcredal import BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE

CREDAL = [CredalBmaAODE, CredalCompAODE]


def undecided_problem(seed, *, n=25, k=4, n_classes=3):
    """Return a table (n, k) and classes with little evidence, so that the prior often decides."""
    rng = np.random.default_rng(seed)
    codes, labels, n_states, _ = random_codes(rng, n=n, k=k, n_classes=n_classes)
    labels[:n_classes] = np.arange(n_classes)
    test = rng.integers(0, n_states[:, None], (k, 30))
    return codes.T.astype(int), labels, test.T.astype(int)


def fitted(classifier, X, y, **parameters):
    return classifier(categorical_features="all", **parameters).fit(X, y)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_sets_are_those_of_the_solvers_from_the_raw_table(missing):
    """From a mixed table with missing values: imputation, cuts, counts, likelihoods, and both sets."""
    rng = np.random.default_rng(40)
    compared = 0
    for _ in range(4):
        n = 40
        y = rng.integers(0, 3, n)
        frame = pd.DataFrame(
            {
                "number": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n).round(1)),
                "kind": [rng.choice(["a", "b", "c"]) if rng.random() < 0.5 else "abc"[c] for c in y],
                "flag": rng.random(n) < 0.2 + 0.2 * y,
            }
        )
        frame.loc[rng.random(n) < 0.1, "kind"] = None
        train, test = frame.iloc[:30], frame.iloc[30:]
        raw = [
            [None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy(dtype=object).tolist()
        ]
        kinds = ["numeric", "categorical", "categorical"]
        if missing == "marginalize":
            # The oracles end at imputation; without missing cells the two ways are the same.
            train, test = train.dropna(), test.dropna()
            raw = [row for row in raw if None not in row]
        n_train = len(train)
        labels = y[train.index]
        classes, labels = np.unique(labels, return_inverse=True)
        expected = oracles.end_to_end_sets(
            raw[:n_train], labels.tolist(), raw[n_train:], kinds, [None, None, None], len(classes)
        )
        for classifier, key in ((CredalBmaAODE, "bma"), (CredalCompAODE, "comp")):
            clf = classifier(missing=missing).fit(train, labels)
            np.testing.assert_allclose(clf.log_likelihood_, expected["log_lik"], rtol=1e-10)
            np.testing.assert_allclose(clf.predict_proba(test), expected[f"{key}_proba"], rtol=1e-8)
            np.testing.assert_array_equal(clf.predict_set(test), expected[key])
            compared += len(test)
    assert compared > 40


@pytest.mark.parametrize("classifier", CREDAL)
def test_the_determinate_class_is_dominated_only_where_feasibility_differs(classifier):
    dominated, indeterminate = 0, 0
    for seed in range(60):
        X, y, test = undecided_problem(seed)
        clf = fitted(classifier, X, y)
        evidence, sets = clf._evidence(clf._encode(test)), clf.predict_set(test)
        best = evidence.reference.argmax(axis=1)
        speaks = clf._priors.members(evidence).any(axis=1)
        is_dominated = np.zeros(len(test), bool)
        for c in range(len(clf.classes_)):
            for d in range(len(clf.classes_)):
                rows = np.flatnonzero((best == d) & (c != d) & speaks)
                least = clf._priors.least(evidence, rows, c, d)
                is_dominated[rows] |= least.difference > 1e-12 * least.scale
        if classifier is CredalBmaAODE or np.array_equal(clf._priors.feasible, clf.weights_ > 0):
            assert not is_dominated.any()
            alone = sets.sum(axis=1) == 1
            assert (sets.argmax(axis=1)[alone] == best[alone]).all()
        dominated += int(is_dominated.sum())
        indeterminate += int((sets.sum(axis=1) > 1).sum())
        assert sets[np.arange(len(sets)), best].all()
        np.testing.assert_array_equal(clf.classes_[best], clf.predict(test))
    assert indeterminate > 100  # the problems are hard enough to mean something
    assert dominated <= 60


@pytest.mark.parametrize(("credal", "determinate"), [(CredalBmaAODE, BmaAODE), (CredalCompAODE, CompAODE)])
def test_the_reference_answer_is_that_of_the_determinate_classifier(credal, determinate):
    X, y, test = undecided_problem(1)
    np.testing.assert_array_equal(
        fitted(credal, X, y).predict_proba(test), fitted(determinate, X, y).predict_proba(test)
    )


@given(st.integers(0, 2**32 - 1), st.sampled_from(CREDAL))
@settings(max_examples=60)
def test_rows_columns_and_classes_can_be_permuted(seed, classifier):
    X, y, test = undecided_problem(seed)
    rng = np.random.default_rng(seed)
    clf = fitted(classifier, X, y)
    sets, proba = clf.predict_set(test), clf.predict_proba(test)

    rows = rng.permutation(len(X))
    shuffled = fitted(classifier, X[rows], y[rows])
    np.testing.assert_array_equal(shuffled.counts_.n_cab, clf.counts_.n_cab)
    np.testing.assert_allclose(shuffled.predict_proba(test), proba, rtol=1e-9)
    np.testing.assert_array_equal(shuffled.predict_set(test), sets)

    test_rows = rng.permutation(len(test))
    np.testing.assert_array_equal(clf.predict_set(test[test_rows]), sets[test_rows])
    np.testing.assert_allclose(clf.predict_proba(test[test_rows]), proba[test_rows], rtol=1e-14)

    columns = rng.permutation(X.shape[1])
    turned = fitted(classifier, X[:, columns], y)
    np.testing.assert_allclose(turned.predict_proba(test[:, columns]), proba, rtol=1e-9)
    np.testing.assert_array_equal(turned.predict_set(test[:, columns]), sets)

    names = rng.permutation(len(clf.classes_))
    renamed = fitted(classifier, X, names[y])
    np.testing.assert_allclose(renamed.predict_proba(test)[:, names], proba, rtol=1e-9)
    found, best = renamed.predict_set(test)[:, names], proba.argmax(axis=1)
    # Where classes tie for the most probable, the order of the names says which one is put back.
    ordered = np.sort(proba, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 1e-9
    np.testing.assert_array_equal(found[clear], sets[clear])
    assert found[np.arange(len(found)), best][clear].all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_a_smaller_epsilon_never_shrinks_a_bma_set(seed):
    X, y, test = undecided_problem(seed)
    k = len(fitted(CredalBmaAODE, X, y).super_parents_)
    wide, narrow = (
        fitted(CredalBmaAODE, X, y, epsilon=share / (k + 1)).predict_set(test) for share in (0.01, 0.9)
    )
    assert (wide >= narrow).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from(CREDAL), st.integers(2, 4))
@settings(max_examples=40)
def test_sets_do_not_depend_on_threads(seed, classifier, n_jobs):
    X, y, test = undecided_problem(seed, n=1500)
    test = np.tile(test, (40, 1))
    alone, together = fitted(classifier, X, y), fitted(classifier, X, y, n_jobs=n_jobs)
    np.testing.assert_array_equal(alone.log_likelihood_, together.log_likelihood_)
    np.testing.assert_array_equal(alone.predict_set(test), together.predict_set(test))
    np.testing.assert_array_equal(alone.predict_proba(test), together.predict_proba(test))


@pytest.mark.parametrize("classifier", CREDAL)
def test_a_row_is_classified_alike_alone_and_among_others(classifier):
    X, y, test = undecided_problem(3)
    clf = fitted(classifier, X, y)
    many = np.tile(test, (60, 1))
    np.testing.assert_array_equal(clf.predict_set(many), np.tile(clf.predict_set(test), (60, 1)))
    for row, expected in zip(test, clf.predict_set(test), strict=True):
        np.testing.assert_array_equal(clf.predict_set(row[None])[0], expected)


@pytest.mark.parametrize("classifier", CREDAL)
def test_without_informative_features_the_set_is_the_most_frequent_class(classifier):
    X = np.ones((6, 2))
    clf = classifier().fit(X, list("aabbbc"))
    assert clf.predict_set(X[:1]).tolist() == [[False, True, False]]
    assert clf.predict_proba(X[:1])[0].tolist() == pytest.approx(
        [(2 + 1 / 3) / 7, (3 + 1 / 3) / 7, (1 + 1 / 3) / 7]
    )
    tied = classifier().fit(X, list("aabbcc"))
    assert tied.predict_set(X[:1]).tolist() == [[True, True, True]]
    assert tied.predict(X[:1]).tolist() == ["a"]


@pytest.mark.parametrize("classifier", CREDAL)
def test_a_row_of_unknown_values_is_answered_by_the_null_model(classifier):
    X, y, _ = undecided_problem(5, n=60)
    clf = fitted(classifier, X, y)
    unknown = np.full((1, X.shape[1]), 77)
    prior = (clf.counts_.n_c + 1 / 3) / (clf.counts_.n + 1)
    np.testing.assert_allclose(clf.predict_proba(unknown)[0], prior)
    np.testing.assert_array_equal(clf.predict_set(unknown)[0], prior >= prior.max() * (1 - 1e-12))
    assert np.isnan(clf.spode_proba(unknown)).all()


@pytest.mark.parametrize("classifier", CREDAL)
@pytest.mark.parametrize("n", [25, 400])
def test_rows_decided_at_once_get_the_sets_of_the_closer_look(classifier, n):
    """Some rows are decided by a bound, the rest by the exact test: the sets are those of the latter."""
    singles = 0
    for seed in range(10):
        X, y, test = undecided_problem(seed, n=n)
        test[::7, 0] = 99  # unknown
        test[3] = 99
        clf = fitted(classifier, X, y)
        # That of the base has no bound to begin with.
        exact = super(type(clf._priors), clf._priors).maximal_sets(clf._evidence(clf._encode(test)))
        np.testing.assert_array_equal(clf.predict_set(test), exact)
        singles += (exact.sum(axis=1) == 1).sum()
    assert 0 < singles < 10 * len(test)
