"""Measures of sets against plain Python, by hand, by their laws and as scikit-learn scorers."""

import pickle
from fractions import Fraction
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcredal import NaiveCredal
from skcredal.metrics import (
    credal_report,
    credal_summary,
    determinacy_score,
    discounted_accuracy_score,
    indeterminate_output_size,
    make_set_scorer,
    set_accuracy_score,
    single_accuracy_score,
    true_class_brier_loss,
    u65_score,
    u80_score,
    utility_score,
)
from skcredal.metrics._curves import RELIABILITY_BINS, reliability_sums, retained_correct

# A mean over no rows must be NaN by decision, not by a division that numpy complains about.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = float("nan")
SET_MEASURES = {"determinacy": determinacy_score, "output_size": indeterminate_output_size}
TRUTH_MEASURES = {
    "single_accuracy": single_accuracy_score,
    "set_accuracy": set_accuracy_score,
    "discounted_accuracy": discounted_accuracy_score,
    "u65": u65_score,
    "u80": u80_score,
}


# --- Plain Python ---------------------------------------------------------------------------------


def oracle_mean(pairs):
    total = sum(Fraction(weight) for _, weight in pairs)
    return float(sum(Fraction(value) * Fraction(weight) for value, weight in pairs) / total) if total else NAN


def oracle(y_true, y_set, labels, weights, y_pred, y_proba):
    """Every measure from its definition, in exact fractions."""
    rows = []
    for r, true in enumerate(y_true):
        members = [label for label, inside in zip(labels, y_set[r], strict=True) if inside]
        x = Fraction(1, len(members)) if true in members else Fraction(0)
        p = y_proba[r][labels.index(true)] if true in labels else 0
        rows.append(
            (len(members), x, y_pred[r] == true and true in labels, (1 - Fraction(p)) ** 2, weights[r])
        )
    one = [row for row in rows if row[0] == 1]
    many = [row for row in rows if row[0] > 1]

    def utility(a, b):
        return oracle_mean([(Fraction(a) * x + Fraction(b) * x * x, w) for _, x, _, _, w in rows])

    return {
        "n": float(sum(weights)),
        "determinacy": oracle_mean([(int(size == 1), w) for size, _, _, _, w in rows]),
        "single_accuracy": oracle_mean([(int(x > 0), w) for _, x, _, _, w in one]),
        "set_accuracy": oracle_mean([(int(x > 0), w) for _, x, _, _, w in many]),
        "output_size": oracle_mean([(size, w) for size, _, _, _, w in many]),
        "discounted_accuracy": utility("1", "0"),
        "u65": utility("1.6", "-0.6"),
        "u80": utility("2.2", "-1.2"),
        "accuracy": oracle_mean([(int(correct), w) for _, _, correct, _, w in rows]),
        "accuracy_decided": oracle_mean([(int(correct), w) for _, _, correct, _, w in one]),
        "accuracy_undecided": oracle_mean([(int(correct), w) for _, _, correct, _, w in many]),
        "brier": oracle_mean([(loss, w) for _, _, _, loss, w in rows]),
    }


@st.composite
def cases(draw, max_rows=12):
    """Sets (empty ones too), true classes (unseen ones too), a counterpart and whole weights (0 too)."""
    n_classes = draw(st.integers(1, 4))
    n_rows = draw(st.integers(0, max_rows))
    labels = draw(st.permutations("abcd"))[:n_classes]

    def column(values):
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    cells = st.lists(st.booleans(), min_size=n_classes, max_size=n_classes)
    parts = st.lists(st.integers(0, 5), min_size=n_classes, max_size=n_classes).filter(any)
    return {
        "y_true": column(st.sampled_from([*labels, "z"])),
        "y_set": np.array(column(cells), dtype=bool).reshape(n_rows, n_classes),
        "labels": labels,
        "weights": column(st.integers(0, 3)),
        "y_pred": column(st.sampled_from(labels)),
        "y_proba": np.array([[p / sum(row) for p in row] for row in column(parts)]).reshape(
            n_rows, n_classes
        ),
    }


def summary_of(case, **changes):
    case = case | changes
    return credal_summary(
        case["y_true"],
        case["y_set"],
        y_pred=case["y_pred"],
        y_proba=case["y_proba"],
        labels=case["labels"],
        sample_weight=case["weights"],
    )


def same(left, right):
    return left == pytest.approx(right, nan_ok=True, abs=1e-12)


@given(cases())
def test_every_measure_is_what_plain_python_says(case):
    summary, weights, labels = summary_of(case), case["weights"], case["labels"]
    assert same(summary, oracle(**case))
    for name, measure in SET_MEASURES.items():
        assert same(measure(case["y_set"], sample_weight=weights), summary[name])
    for name, measure in TRUTH_MEASURES.items():
        score = measure(case["y_true"], case["y_set"], labels=labels, sample_weight=weights)
        assert same(score, summary[name])
    loss = true_class_brier_loss(case["y_true"], case["y_proba"], labels=labels, sample_weight=weights)
    assert same(loss, summary["brier"])
    # Utilities are linear in what a set of two is worth.
    found = utility_score(case["y_true"], case["y_set"], w=0.7, labels=labels, sample_weight=weights)
    assert same(found, (2 * summary["u65"] + summary["u80"]) / 3)


# --- Laws and examples ----------------------------------------------------------------------------


def test_probabilities_alone_imply_the_most_probable_class_and_y_pred_overrules_it():
    y_true, y_set, y_proba = ["a", "b"], [[1, 0], [1, 1]], [[0.5, 0.5], [0.75, 0.25]]
    implied = credal_summary(y_true, y_set, y_proba=y_proba)
    assert (implied["accuracy_decided"], implied["accuracy_undecided"]) == (1.0, 0.0)
    assert implied["brier"] == (0.25 + 0.5625) / 2
    given_too = credal_summary(y_true, y_set, y_proba=y_proba, y_pred=["b", "b"])
    assert (given_too["accuracy_decided"], given_too["accuracy_undecided"]) == (0.0, 1.0)
    assert given_too["brier"] == implied["brier"]


@pytest.mark.parametrize("container", [list, partial(pd.Series, dtype="category"), pl.Series])
@pytest.mark.parametrize("classes", [["a", "b"], [0, 1], [True, False]])
def test_true_classes_come_in_any_container_and_type(container, classes):
    y_true, y_set = container([classes[0], classes[1], classes[1]]), [[1, 0], [1, 1], [1, 0]]
    assert u80_score(y_true, y_set, labels=classes) == pytest.approx(0.6)


SETS = [[1, 0], [1, 1]]
AB = ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: determinacy_score([1, 0]), r"y_set .* got \(2,\)"),
        (lambda: determinacy_score([[0.4, 0.6]]), r"y_set must be boolean .* got the value 0\.4"),
        (lambda: determinacy_score(SETS, sample_weight=[1, -1]), r"sample_weight .* got -1\.0"),
        (lambda: u65_score(["a"], SETS, labels=AB), r"y_true .* 2 rows, got 1"),
        (lambda: u65_score(["a", NAN], SETS, labels=AB), "y_true must not have missing values"),
        (lambda: u65_score(["a", "a"], SETS), r"labels must be the 2 classes.* got \['a'\]"),
        (lambda: u65_score(["0", "1"], SETS, labels=[0, 1]), r"y_true must have the type .* '0' and 0"),
        (lambda: utility_score(AB, SETS, w=0.4), r"w must lie in \[0\.5, 1\], got 0\.4"),
        (lambda: true_class_brier_loss(AB, [[1, 1], [1, 0]]), r"y_proba must sum to 1 .* 2\.0 in row 0"),
        (lambda: credal_report(AB, SETS, target_names=["A"]), r"target_names .* 2 labels, got \['A'\]"),
    ],
)
def test_refusals_name_the_parameter_the_rule_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(cases(), st.integers(0, 5))
def test_the_report_shows_the_summary_of_each_class(case, digits):
    report = credal_report(
        case["y_true"],
        case["y_set"],
        labels=case["labels"],
        y_pred=case["y_pred"],
        sample_weight=case["weights"],
        digits=digits,
    )
    lines = report.split("\n")
    sets, counterpart = [position for position, line in enumerate(lines) if "support" in line]
    shown = {line.split()[0]: line.split()[1:] for line in lines[sets:counterpart] if line}
    of_sets = ["determinacy", "single_accuracy", "set_accuracy", "output_size", "u65", "u80"]
    for label in [*case["labels"], "all"]:
        weights = [w * (label in ("all", c)) for w, c in zip(case["weights"], case["y_true"], strict=True)]
        summary = summary_of(case, weights=weights)
        cells = [f"{summary[name]:.{digits}f}" for name in of_sets]
        assert shown[label] == [str(sum(weights)), *("-" if cell == "nan" else cell for cell in cells)]


# --- Scorers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = np.repeat([0.0, 1.0, 2.0], 20)[:, np.newaxis] + rng.normal(scale=0.6, size=(60, 1))
    return X, y, rng.integers(0, 4, size=60).astype(float)


U65, U70 = make_set_scorer(u65_score), make_set_scorer(utility_score, w=0.7)


def test_a_scorer_is_the_measure_of_the_predicted_sets(data):
    X, y, weight = data
    clf = NaiveCredal(s=20.0).fit(X, y)
    y_set = clf.predict_set(X)
    assert U65(clf, X, y) == u65_score(y, y_set)
    assert U70(clf, X, y) == utility_score(y, y_set, w=0.7)
    size = make_set_scorer(indeterminate_output_size, greater_is_better=False)
    assert size(clf, X, y) == -indeterminate_output_size(y_set)
    assert U65(clf, X, y, weight) == u65_score(y, y_set, sample_weight=weight)
    # The labels are the classes of the estimator, although some rows have a single one.
    only_b = y == "b"
    assert U65(clf, X[only_b], y[only_b]) == u65_score(y[only_b], y_set[only_b], labels=clf.classes_)
    assert pickle.loads(pickle.dumps(U70))(clf, X, y) == U70(clf, X, y)


def test_what_cannot_be_scored_is_refused_by_name(data):
    X, y, _ = data
    logistic = LogisticRegression()
    for estimator in (logistic.fit(X, y), make_pipeline(StandardScaler(), logistic).fit(X, y)):
        with pytest.raises(TypeError, match=r"estimator .*predict_set.* got LogisticRegression"):
            U65(estimator, X, y)
    for metric, options in ((utility_score, {}), (u65_score, {"w": 0.7})):
        with pytest.raises(TypeError, match="'w'"):
            make_set_scorer(metric, **options)
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        make_set_scorer(u65_score).set_score_request(sample_weight=True)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_rows_of_equal_score_are_kept_alike(rows):
    score, correct = np.array([float(s) for s, _ in rows]), np.array([right for _, right in rows])
    n = len(rows)
    found = retained_correct(score, correct, np.arange(n + 1.0))
    # Every order that the scores admit, each as likely as the other.
    orders = [order for order in permutations(range(n)) if all(np.diff([score[r] for r in order]) <= 0.0)]
    for kept in range(n + 1):
        expected = np.mean([sum(correct[r] for r in order[:kept]) for order in orders])
        assert found[kept] == pytest.approx(expected)
    assert retained_correct(score, correct, np.array([0.5]))[0] == pytest.approx(found[1] / 2)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), max_size=30), st.integers(0, 30))
def test_sums_of_reliability_pool(rows, cut):
    probability = np.array([p for p, _ in rows])
    correct = np.array([right for _, right in rows], dtype=bool)
    whole = reliability_sums(probability, correct)
    parts = [reliability_sums(probability[part], correct[part]) for part in (slice(cut), slice(cut, None))]
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-12)
    low = 0.0
    for high, found in zip(RELIABILITY_BINS, whole, strict=True):
        inside = [row for row in rows if (low < row[0] or low == 0.0) and row[0] <= high]
        expected = [len(inside), sum(p for p, _ in inside), sum(right for _, right in inside)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        low = high
