"""Bounds, criteria, robustness and explanations of the credal AODEs, through the public interface."""

import itertools
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from problems import random_codes
from skcredal import CredalBmaAODE, CredalCompAODE
from skcredal._ensemble.priors import BmaPriors, Evidence
from skcredal.evaluation import CLASSIFIERS

CREDAL = [CredalBmaAODE, CredalCompAODE]


def undecided_problem(seed, *, n=25, k=4, n_classes=3):
    rng = np.random.default_rng(seed)
    codes, labels, n_states, _ = random_codes(rng, n=n, k=k, n_classes=n_classes)
    labels[:n_classes] = np.arange(n_classes)
    # The last state stands for a value never seen.
    test = rng.integers(0, n_states[:, None] + (rng.random((k, 1)) < 0.2), (k, 30))
    return codes.T.astype(int), labels, test.T.astype(int)


def fitted(classifier, X, y, **parameters):
    return classifier(categorical_features="all", **parameters).fit(X, y)


@pytest.mark.parametrize("wrong", ["maximal", "e_admissibility", None])
@pytest.mark.parametrize("kind", [make for make in CLASSIFIERS.values() if hasattr(make(), "predict_set")])
def test_the_criteria_that_a_refusal_names_are_accepted(kind, wrong):
    table = [["a"], ["a"], ["b"]], [0, 0, 1]
    if kind is CredalBmaAODE and wrong == "e_admissibility":
        kind(criterion=wrong).fit(*table)
        return
    with pytest.raises(ValueError, match="criterion") as refusal:
        kind(criterion=wrong).fit(*table)
    named = set(re.findall(r"'([a-z_]+)'", str(refusal.value))) - {wrong}
    assert {"maximality", "interval_dominance"} <= named
    for criterion in named:
        kind(criterion=criterion).fit(*table)


@given(st.integers(0, 2**32 - 1), st.sampled_from(CREDAL))
@settings(max_examples=60)
def test_bounds_hold_the_reference_and_are_reached_by_some_prior(seed, classifier):
    X, y, test = undecided_problem(seed)
    clf = fitted(classifier, X, y)
    interval, proba = clf.predict_interval(test), clf.predict_proba(test)
    assert interval.shape == (30, len(clf.classes_), 2)
    assert (interval[..., 0] >= 0.0).all()
    assert (interval[..., 1] <= 1.0).all()
    assert (interval[..., 0] <= proba + 1e-15).all()
    assert (proba <= interval[..., 1] + 1e-15).all()
    # Coherent bounds of probabilities: what one class has at least, the others leave at most.
    assert (interval[..., 0].sum(axis=1) <= 1.0 + 1e-9).all()
    assert (interval[..., 1].sum(axis=1) >= 1.0 - 1e-9).all()


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
@settings(max_examples=60)
def test_criteria_are_nested(seed, n_classes):
    X, y, test = undecided_problem(seed, n_classes=n_classes)
    sets = {
        criterion: fitted(CredalBmaAODE, X, y, criterion=criterion).predict_set(test)
        for criterion in ("e_admissibility", "maximality", "interval_dominance")
    }
    assert (sets["e_admissibility"] <= sets["maximality"]).all()
    assert (sets["maximality"] <= sets["interval_dominance"]).all()
    best = fitted(CredalBmaAODE, X, y).predict_proba(test).argmax(axis=1)
    assert sets["e_admissibility"][np.arange(len(test)), best].all()
    maximal, wider = (
        fitted(CredalCompAODE, X, y, criterion=criterion).predict_set(test)
        for criterion in ("maximality", "interval_dominance")
    )
    assert (maximal <= wider).all()


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


def test_e_admissibility_is_refused_where_it_is_no_linear_program():
    X, y, _ = undecided_problem(0)
    with pytest.raises(ValueError, match=r"criterion must be 'maximality' or .*, got 'e_admissibility'"):
        fitted(CredalCompAODE, X, y, criterion="e_admissibility")
    with pytest.raises(ValueError, match=r"criterion must be 'maximality' or .*, got 'maximal'"):
        fitted(CredalCompAODE, X, y, criterion="maximal")


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_a_case_is_determinate_exactly_if_it_is_robust_enough(seed):
    X, y, test = undecided_problem(seed)
    for classifier in CREDAL:
        clf = fitted(classifier, X, y)
        robustness, k, eps = clf.robustness(test), len(clf.super_parents_), clf.epsilon_
        assert robustness.shape == (30,)
        assert ((robustness >= 0.0) & (robustness <= 1.0)).all()
        if k == 0:
            continue
        known = ~np.isnan(clf.spode_proba(test)).any(axis=2)
        if classifier is CredalBmaAODE:
            members = known & (clf.weights_ > 0)
            replaced = 1.0 - members.sum(axis=1) * eps
        else:
            if not np.array_equal(clf._priors.feasible, clf.weights_ > 0):
                continue
            members = known & clf._priors.feasible
            replaced = np.full(len(test), 1.0 - k * eps / (1.0 - eps))
        clear = (np.abs(robustness - replaced) > 1e-9) & members.any(axis=1)
        determinate = clf.predict_set(test).sum(axis=1) == 1
        np.testing.assert_array_equal(determinate[clear], (robustness > replaced)[clear])


@pytest.mark.parametrize("classifier", CREDAL)
def test_answers_do_not_depend_on_threads(classifier):
    X, y, test = undecided_problem(7)
    test = np.tile(test, (60, 1))
    alone, together = fitted(classifier, X, y), fitted(classifier, X, y, n_jobs=3)
    np.testing.assert_array_equal(alone.predict_interval(test), together.predict_interval(test))
    np.testing.assert_array_equal(alone.robustness(test), together.robustness(test))


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
    assert list(explanation.columns) == [
        "predicted",
        "probability",
        "rival",
        "rival_probability",
        "set",
        "set_size",
        "robustness",
        "super_parents",
        "votes",
        "prior",
        "sentence",
    ]
    assert explanation["predicted"].tolist() == clf.predict(new).tolist()
    np.testing.assert_array_equal(explanation["set_size"], clf.predict_set(new).sum(axis=1))
    assert explanation["set"].tolist() == [clf.classes_[mask].tolist() for mask in clf.predict_set(new)]
    np.testing.assert_array_equal(explanation["robustness"], clf.robustness(new))
    second = explanation.iloc[1]
    assert second["set_size"] == 2
    # Age speaks for ill, smoking habits for well, and the prior that favours well trusts the latter.
    assert second["super_parents"] == ["age", "pain", "smoker"]
    assert second["votes"] == sorted(second["votes"], reverse=True)
    assert second["votes"][0] > 0 > second["votes"][-1]
    assert np.argmax(second["prior"]) == 2
    assert second["sentence"].startswith("Undecided between ill (5")
    assert "age favours ill (88 %), the one on smoker favours well (83 %)" in second["sentence"]
    # The third patient's smoking habits are a value never seen.
    assert explanation["super_parents"][2] == ["age", "pain"]
    assert explanation["sentence"][0].startswith("well (99 %), whichever model you trust most: 3 of 3")


@pytest.mark.parametrize("classifier", CREDAL)
def test_the_prior_of_an_explanation_belongs_to_the_set_and_favours_the_rival(classifier):
    checked = 0
    for seed in range(30):
        X, y, test = undecided_problem(seed)
        clf = fitted(classifier, X, y)
        k, eps = len(clf.super_parents_), clf.epsilon_
        spode = clf.spode_proba(test)
        explanation = clf.explain(test)
        for r, case in explanation[explanation["set_size"] > 1].iterrows():
            names = [f"feature {name}" for name in clf.super_parents_]
            places = [names.index(name) for name in case["super_parents"]]
            if len(places) < k or np.isnan(case["prior"]).any():
                continue
            prior = np.empty(k)
            prior[places] = case["prior"]
            lik = np.exp(clf.log_likelihood_ - clf.log_likelihood_.max())
            if classifier is CredalBmaAODE:
                members = clf.weights_ > 0
                assert (prior[members] >= eps - 1e-12).all()
                assert prior[members].sum() == pytest.approx(1.0)
                weights = np.where(members, prior * lik, 0.0)
            else:
                members = clf._priors.feasible
                assert (prior >= eps - 1e-12).all()
                assert prior.sum() == pytest.approx(1.0 - eps)
                b = clf.null_log_likelihood_ + np.log(eps)
                weights = np.where(members, 1.0 - (clf.log_likelihood_ + np.log(prior)) / b, 0.0)
                if weights.sum() <= 0:
                    continue
            classes = clf.classes_.tolist()
            predicted, rival = classes.index(case["predicted"]), classes.index(case["rival"])
            scores = weights @ spode[r]
            assert scores[rival] >= scores[predicted] - 1e-9 * np.abs(weights).sum()
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_explanations_are_of_the_kind_of_the_table(library):
    X, y, new = patients()
    make = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[library]
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[library]
    explanation = CredalCompAODE().fit(make(X), y).explain(make(new))
    assert isinstance(explanation, kind)
    expected = CredalCompAODE().fit(X, y).explain(new)["sentence"].tolist()
    assert list(
        map(str, explanation["sentence"].to_pandas() if library != "pandas" else explanation["sentence"])
    ) == (expected)


def test_explanations_of_arrays_come_from_pandas_and_speak_of_indices():
    X, y, test = undecided_problem(2)
    explanation = fitted(CredalCompAODE, X, y).explain(test)
    assert isinstance(explanation, pd.DataFrame)
    assert all(name.startswith("feature ") for names in explanation["super_parents"] for name in names)


@pytest.mark.parametrize("classifier", CREDAL)
def test_degenerate_cases_are_explained_too(classifier):
    one_class = classifier().fit([["a"], ["b"]], ["only", "only"])
    assert one_class.explain([["a"]])["sentence"][0] == "only (100 %): the only class there is."
    assert one_class.explain([["a"]])["rival"][0] is None
    assert one_class.robustness([["a"]]).tolist() == [1.0]
    uninformed = classifier().fit([["a"], ["a"], ["a"]], ["x", "x", "y"])
    sentence = uninformed.explain([["a"]])["sentence"][0]
    assert "nothing is known about this case but how frequent the classes are" in sentence
    tied = classifier().fit([["a"], ["b"], ["a"], ["b"]], ["x", "y", "y", "x"])
    assert tied.explain([["a"]])["set_size"][0] == 2
    assert tied.robustness([["a"]])[0] == 0.0
