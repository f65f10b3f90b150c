"""CredalBmaAODE and CredalCompAODE against solvers: sets, criteria, robustness and explanations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

import oracles
from problems import mixed_table
from skcredal import CredalBmaAODE, CredalCompAODE
from skcredal._ensemble.priors import BmaPriors, Evidence

CREDAL = [CredalBmaAODE, CredalCompAODE]


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
def test_sets_are_those_of_the_solvers_from_the_raw_table(missing):
    rng = np.random.default_rng(40)
    compared = 0
    for _ in range(4):
        frame, y, raw = mixed_table(rng)
        train, test = frame.iloc[:30], frame.iloc[30:]
        if missing == "marginalize":
            # The oracles end at imputation; without missing cells the two ways are the same.
            train, test = train.dropna(), test.dropna()
            raw = [row for row in raw if None not in row]
        n_train = len(train)
        classes, labels = np.unique(y[train.index], return_inverse=True)
        kinds = ["numeric", "categorical", "categorical"]
        parts = raw[:n_train], labels.tolist(), raw[n_train:]
        expected = oracles.end_to_end_sets(*parts, kinds, [None, None, None], len(classes))
        for classifier, key in ((CredalBmaAODE, "bma"), (CredalCompAODE, "comp")):
            clf = classifier(missing=missing).fit(train, labels)
            np.testing.assert_allclose(clf.log_likelihood_, expected["log_lik"], rtol=1e-10)
            np.testing.assert_allclose(clf.predict_proba(test), expected[f"{key}_proba"], rtol=1e-8)
            np.testing.assert_array_equal(clf.predict_set(test), expected[key])
            compared += len(test)
    assert compared > 40


def best_somewhere(scores, eps, c):
    """Return max over priors P ≥ ε of min over d of Σ_j P_j (s_jc - s_jd), by a program of its own."""
    k, n_classes = scores.shape
    others = [d for d in range(n_classes) if d != c]
    solution = linprog(
        [0.0] * k + [-1.0],
        A_ub=[[*(scores[:, d] - scores[:, c]), 1.0] for d in others],
        b_ub=[0.0] * len(others),
        A_eq=[[1.0] * k + [0.0]],
        b_eq=[1.0],
        bounds=[(eps, None)] * k + [(None, None)],
        method="highs-ds",
    )
    assert solution.success
    point = solution.x[:k]
    # The certificate: at this prior the class is as good as the program says.
    assert min(point @ (scores[:, c] - scores[:, d]) for d in others) == pytest.approx(
        solution.x[k], abs=1e-9
    )
    return solution.x[k]


def test_e_admissible_classes_are_best_under_some_prior():
    rng = np.random.default_rng(60)
    smaller = 0
    for _ in range(150):
        k, n_classes, eps = int(rng.integers(2, 6)), int(rng.integers(3, 6)), 0.01
        posterior = rng.dirichlet(np.full(n_classes, 0.7), k)
        priors = BmaPriors(np.ones(k, bool), rng.uniform(0.3, 1.0, k), eps)
        reference = (priors.likelihood @ posterior)[None] / priors.likelihood.sum()
        prior = np.full(n_classes, 1 / n_classes)
        evidence = Evidence(posterior[:, :, None], np.ones((k, 1), bool), reference, prior)
        maximal = priors.maximal_sets(evidence)
        found = priors.e_admissible_sets(evidence, maximal)[0]
        scores = priors.likelihood[:, None] * posterior
        for c in range(n_classes):
            advantage = best_somewhere(scores, eps, c)
            if abs(advantage) > 1e-7:
                assert found[c] == (advantage > 0)
        for weights in itertools.chain(np.eye(k), rng.dirichlet(np.ones(k), 50)):
            point = eps + (1 - k * eps) * weights
            assert found[(point @ scores).argmax()]
        smaller += found.sum() < maximal.sum()
    assert smaller > 0  # the criteria do differ on some of these


def patients():
    frame = pd.DataFrame(
        {
            "age": [51, 25, 56, 31, 36, 35, 67, 58, 61, 77, 54, None],
            "smoker": ["no", "no", "no", "no", "no", None, "yes", "yes", "yes", "no", "yes", "yes"],
            "pain": ["none", "mild", "none", "mild", "none", "none"] + ["strong", "strong", "mild"] * 2,
        }
    )
    frame.loc[9:, "pain"] = ["strong", "mild", "mild"]
    new = pd.DataFrame(
        {"age": [30, 68, 60], "smoker": ["no", "no", "??"], "pain": ["none", "mild", "strong"]}
    )
    return frame, ["well"] * 6 + ["ill"] * 6, new


@pytest.mark.parametrize("classifier", CREDAL)
def test_explanations_name_what_decides(classifier):
    X, y, new = patients()
    clf = classifier().fit(X, y)
    explanation = clf.explain(new)
    assert explanation["predicted"].tolist() == clf.predict(new).tolist()
    assert explanation["set"].tolist() == [clf.classes_[mask].tolist() for mask in clf.predict_set(new)]
    np.testing.assert_array_equal(explanation["set_size"], clf.predict_set(new).sum(axis=1))
    np.testing.assert_array_equal(explanation["robustness"], clf.robustness(new))
    second = explanation.iloc[1]
    assert second["set_size"] == 2
    # Age speaks for ill, smoking habits for well, and the prior that favours well trusts the latter.
    assert second["super_parents"] == ["age", "pain", "smoker"]
    assert second["votes"] == sorted(second["votes"], reverse=True)
    assert second["votes"][0] > 0 > second["votes"][-1]
    assert np.argmax(second["prior"]) == 2
    for word in ("ill", "well", "age", "smoker"):
        assert word in second["sentence"]
    # The third patient's smoking habits are a value never seen.
    assert explanation["super_parents"][2] == ["age", "pain"]
    unnamed = classifier().fit(X.to_numpy(object), y).explain(new.to_numpy(object))
    assert sorted(unnamed["super_parents"][0]) == ["feature 0", "feature 1", "feature 2"]


@pytest.mark.parametrize("classifier", CREDAL)
def test_what_nothing_is_known_of_and_ties_are_explained_too(classifier):
    (said,) = classifier().fit([["a"]] * 3, ["x", "x", "y"]).explain([["a"]]).to_dict("records")
    assert (said["predicted"], said["rival"], said["super_parents"]) == ("x", "y", [])
    tied = classifier().fit([["a"], ["b"], ["a"], ["b"]], ["x", "y", "y", "x"])
    assert tied.explain([["a"]])["set_size"][0] == 2
    assert tied.robustness([["a"]])[0] == 0.0
