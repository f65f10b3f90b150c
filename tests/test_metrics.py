"""Measures of sets against plain Python, by hand, by their laws and as scikit-learn scorers."""

import math
import pickle
import warnings
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import clone, config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skcredal import metrics
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
from skcredal.metrics._outcomes import class_indices, measures, row_outcomes, row_sums

# A mean over no rows must be NaN by decision, not by a division that numpy complains about.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = float("nan")
SET_MEASURES = {
    "determinacy": determinacy_score,
    "output_size": indeterminate_output_size,
}
TRUTH_MEASURES = {
    "single_accuracy": single_accuracy_score,
    "set_accuracy": set_accuracy_score,
    "discounted_accuracy": discounted_accuracy_score,
    "u65": u65_score,
    "u80": u80_score,
    "utility": partial(utility_score, w=0.7),
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
def test_the_summary_is_what_plain_python_says(case):
    assert same(summary_of(case), oracle(**case))


@given(cases())
def test_each_function_agrees_with_the_summary(case):
    summary = summary_of(case)
    for name, measure in SET_MEASURES.items():
        assert same(measure(case["y_set"], sample_weight=case["weights"]), summary[name])
    for name, measure in TRUTH_MEASURES.items():
        if name in summary:
            score = measure(
                case["y_true"], case["y_set"], labels=case["labels"], sample_weight=case["weights"]
            )
            assert same(score, summary[name])
    loss = true_class_brier_loss(
        case["y_true"], case["y_proba"], labels=case["labels"], sample_weight=case["weights"]
    )
    assert same(loss, summary["brier"])


@given(cases())
def test_losses_of_rows_are_what_plain_python_says(case):
    true = class_indices(case["y_true"], case["labels"])
    rows = row_outcomes(true, case["y_proba"], case["y_set"])
    for r, c in enumerate(true):
        p = case["y_proba"][r]
        assert rows["log_loss"][r] == pytest.approx(-math.log(max(p[c] if c >= 0 else 0.0, 1e-15)))
        errors = [(p[d] - (d == c)) ** 2 for d in range(len(p))] + [1.0] * int(c < 0)
        assert rows["brier_multiclass"][r] == pytest.approx(sum(errors), abs=1e-12)
        size = case["y_set"][r].sum()
        assert rows["u65_undecided"][r] == (rows["u65"][r] if size > 1 else 0)
        assert rows["set_size"][r] == (size if size > 1 else 0)


@given(cases(), st.integers(0, 12))
def test_sums_of_outcomes_add(case, cut):
    """The measures of pooled sums are those of all rows, to the last bit where the sums are whole numbers."""
    true = class_indices(case["y_true"], case["labels"])
    parts = [slice(None, cut), slice(cut, None)]
    rows = [row_outcomes(true[part], case["y_proba"][part], case["y_set"][part]) for part in parts]
    first, second = map(row_sums, rows)
    whole = measures(row_sums(row_outcomes(true, case["y_proba"], case["y_set"])))
    assert same(measures({name: first[name] + second[name] for name in first}), whole)
    summary = credal_summary(case["y_true"], case["y_set"], y_proba=case["y_proba"], labels=case["labels"])
    assert same(
        {name: whole[name] for name in summary if name in whole},
        {k: summary[k] for k in whole if k in summary},
    )


# --- Laws -----------------------------------------------------------------------------------------


@given(cases())
def test_a_whole_weight_repeats_the_row(case):
    times = np.array(case["weights"], dtype=int)
    repeated = {
        name: np.repeat(np.array(case[name]), times, axis=0)
        for name in ("y_true", "y_set", "y_pred", "y_proba")
    }
    assert same(summary_of(case), summary_of(case, **repeated, weights=None))


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_columns_does_not_matter(case, random):
    order = random.sample(range(len(case["labels"])), len(case["labels"]))
    permuted = {
        "labels": [case["labels"][c] for c in order],
        "y_set": case["y_set"][:, order],
        "y_proba": case["y_proba"][:, order],
    }
    assert same(summary_of(case), summary_of(case, **permuted))


@given(cases())
def test_the_names_of_the_classes_do_not_matter(case):
    number = {name: 10 * position for position, name in enumerate("zdcba")}
    renamed = {name: [number[value] for value in case[name]] for name in ("y_true", "y_pred", "labels")}
    assert same(summary_of(case), summary_of(case, **renamed))


@given(cases(), st.floats(0.5, 1), st.floats(0.5, 1))
def test_more_reward_for_caution_never_lowers_the_utility(case, v, w):
    arguments = (case["y_true"], case["y_set"])
    keywords = {"labels": case["labels"]}
    holds = [
        true in [label for label, inside in zip(case["labels"], row, strict=True) if inside]
        for true, row in zip(*arguments, strict=True)
    ]
    if holds:
        steps = [
            discounted_accuracy_score(*arguments, **keywords),
            u65_score(*arguments, **keywords),
            u80_score(*arguments, **keywords),
            np.mean(holds),
        ]
        assert all(low <= high + 1e-12 for low, high in pairwise(steps))
        low, high = (utility_score(*arguments, w=value, **keywords) for value in sorted([v, w]))
        assert low <= high + 1e-12
        assert low >= 0
        assert high <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_with_sets_of_one_class_every_utility_is_the_accuracy(pairs):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    y_set = np.eye(4, dtype=bool)[y_pred]
    for measure in (single_accuracy_score, discounted_accuracy_score, u65_score, u80_score):
        assert measure(y_true, y_set, labels=range(4)) == pytest.approx(accuracy_score(y_true, y_pred))
    assert determinacy_score(y_set) == 1.0


@given(st.lists(st.floats(1e-3, 1e3), min_size=1))
def test_a_perfect_score_is_exactly_one_whatever_the_weights(weights):
    y_true = ["a"] * len(weights)
    for measure in TRUTH_MEASURES.values():
        if measure is not set_accuracy_score:
            assert measure(y_true, [[1]] * len(weights), sample_weight=weights) == 1.0


# --- By hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [0.5, 0.65, 0.7, 0.8, 1.0])
def test_a_right_set_of_two_is_worth_w(w):
    assert utility_score(["a"], [[1, 1]], w=w, labels=["a", "b"]) == pytest.approx(w)
    assert utility_score(["a"], [[1, 0]], w=w, labels=["a", "b"]) == 1.0
    assert utility_score(["a"], [[0, 1]], w=w, labels=["a", "b"]) == 0.0


def test_u65_and_u80_of_three_classes():
    assert u65_score(["a"], [[1, 1, 1]], labels=list("abc")) == pytest.approx(1.6 / 3 - 0.6 / 9)
    assert u80_score(["a"], [[1, 1, 1]], labels=list("abc")) == pytest.approx(2.2 / 3 - 1.2 / 9)


def test_an_empty_set_is_a_miss_and_neither_determinate_nor_indeterminate():
    y_true, y_set = ["a", "a", "b"], [[0, 0], [1, 0], [1, 1]]
    assert determinacy_score(y_set) == pytest.approx(1 / 3)
    assert indeterminate_output_size(y_set) == 2.0
    assert single_accuracy_score(y_true, y_set) == 1.0
    assert set_accuracy_score(y_true, y_set) == 1.0
    assert discounted_accuracy_score(y_true, y_set) == pytest.approx((0 + 1 + 0.5) / 3)


def test_a_class_that_is_not_a_label_is_missed_with_probability_zero():
    assert u65_score(["z", "a"], [[1, 1], [1, 0]], labels=["a", "b"]) == 0.5
    assert true_class_brier_loss(["z", "a"], [[0.5, 0.5], [1, 0]], labels=["a", "b"]) == 0.5
    assert u65_score(["z", "z"], [[1, 1], [1, 0]], labels=["a", "b"]) == 0.0
    summary = credal_summary(["z"], [[1, 0]], labels=["a", "b"], y_pred=["z"])
    assert summary["accuracy"] == 0.0


def test_without_rows_every_measure_is_nan():
    empty = np.zeros((0, 3))
    assert all(math.isnan(measure(empty)) for measure in SET_MEASURES.values())
    assert all(math.isnan(measure([], empty)) for measure in TRUTH_MEASURES.values())
    assert math.isnan(true_class_brier_loss([], empty))
    summary = credal_summary([], empty, y_proba=empty)
    assert summary.pop("n") == 0
    assert all(math.isnan(value) for value in summary.values())


def test_without_weight_every_measure_is_nan():
    summary = credal_summary(["a", "b"], [[1, 0], [1, 1]], y_pred=["a", "b"], sample_weight=[0, 0])
    assert summary.pop("n") == 0
    assert all(math.isnan(value) for value in summary.values())


def test_measures_of_some_rows_are_nan_without_them():
    assert math.isnan(single_accuracy_score(["a", "b"], [[1, 1], [1, 1]]))
    assert math.isnan(set_accuracy_score(["a", "b"], [[1, 0], [1, 0]]))
    assert math.isnan(indeterminate_output_size([[1, 0], [0, 0]]))


def test_the_summary_always_has_the_same_keys():
    of_sets = ["determinacy", "single_accuracy", "set_accuracy", "output_size", "discounted_accuracy"]
    of_counterpart = ["accuracy", "accuracy_decided", "accuracy_undecided", "brier"]
    keys = ["n", *of_sets, "u65", "u80", *of_counterpart]
    y_true, y_set = ["a", "b"], [[1, 0], [1, 1]]
    alone = credal_summary(y_true, y_set)
    assert list(alone) == keys
    assert [key for key in keys if math.isnan(alone[key])] == of_counterpart
    assert list(credal_summary(y_true, y_set, y_pred=["a", "a"])) == keys
    assert all(type(value) is float for value in alone.values())


def test_probabilities_alone_imply_the_most_probable_class_and_y_pred_overrules_it():
    y_true, y_set, y_proba = ["a", "b"], [[1, 0], [1, 1]], [[0.5, 0.5], [0.75, 0.25]]
    implied = credal_summary(y_true, y_set, y_proba=y_proba)
    assert (implied["accuracy_decided"], implied["accuracy_undecided"]) == (1.0, 0.0)
    assert implied["brier"] == (0.25 + 0.5625) / 2
    given_too = credal_summary(y_true, y_set, y_proba=y_proba, y_pred=["b", "b"])
    assert (given_too["accuracy_decided"], given_too["accuracy_undecided"]) == (0.0, 1.0)
    assert given_too["brier"] == implied["brier"]


def test_one_dimension_of_probabilities_is_the_second_of_two_classes():
    y_true, p = ["a", "b", "b"], np.array([0.25, 0.5, 1.0])
    assert true_class_brier_loss(y_true, p) == true_class_brier_loss(y_true, np.column_stack([1 - p, p]))


# --- Input of every kind --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        partial(np.array, dtype=object),
        pd.Series,
        pd.Index,
        partial(pd.Series, index=[7, 7, 3]),
        partial(pd.Series, dtype="category"),
        pl.Series,
    ],
)
@pytest.mark.parametrize("classes", [["a", "b"], [0, 1], [True, False], [0.5, 1.5]])
def test_true_classes_come_in_any_container_and_type(container, classes):
    first, second = classes
    y_true = container([first, second, second])
    y_set = [[1, 0], [1, 1], [1, 0]]
    assert u80_score(y_true, y_set, labels=classes) == pytest.approx(0.6)
    assert u80_score(y_true, y_set, labels=np.array(classes)) == pytest.approx(0.6)


@pytest.mark.parametrize(
    "y_true", [pd.Series([1, 2, 2], dtype="Int64"), pl.Series(["1", "2", "2"], dtype=pl.Enum(["1", "2"]))]
)
def test_nullable_integers_and_enums(y_true):
    assert u80_score(y_true, [[1, 0], [1, 1], [1, 0]]) == pytest.approx(0.6)


@pytest.mark.parametrize("container", [list, np.array, np.uint8, partial(pd.DataFrame, dtype=bool)])
def test_sets_are_booleans_or_zeros_and_ones(container):
    assert determinacy_score(container([[1, 0], [1, 1]])) == 0.5


def test_a_whole_number_and_its_float_are_one_class():
    assert single_accuracy_score(np.array([0.0, 1.0]), [[1, 0], [0, 1]], labels=[0, 1]) == 1.0


# --- Refusals -------------------------------------------------------------------------------------

SETS = [[1, 0], [1, 1]]
AB = ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: determinacy_score([1, 0]), r"y_set .* got \(2,\)"),
        (lambda: determinacy_score([[0.4, 0.6]]), r"y_set must be boolean .* got the value 0\.4"),
        (lambda: determinacy_score(SETS, sample_weight=[1, -1]), r"sample_weight .* got -1\.0"),
        (lambda: determinacy_score(SETS, sample_weight=[1, NAN]), "sample_weight contains NaN"),
        (lambda: u65_score(["a"], SETS, labels=AB), r"y_true .* 2 rows, got 1"),
        (lambda: u65_score(["a", None], SETS, labels=AB), "y_true must not have missing values"),
        (lambda: u65_score(["a", NAN], SETS, labels=AB), "y_true must not have missing values"),
        (lambda: u65_score(["a", "a"], SETS), r"labels must be the 2 classes.* got \['a'\]"),
        (lambda: u65_score(AB, SETS, labels=["a", "a"]), r"labels must be .* got \['a', 'a'\]"),
        (lambda: u65_score(["0", "1"], SETS, labels=[0, 1]), r"y_true must have the type .* '0' and 0"),
        (lambda: credal_summary(AB, SETS, y_pred=[0, 1]), r"y_pred must have the type .* 0 and 'a'"),
        (lambda: utility_score(AB, SETS, w=0.4), r"w must lie in \[0\.5, 1\], got 0\.4"),
        (lambda: true_class_brier_loss(AB, [[1.5, -0.5], [1, 0]]), r"y_proba must lie in .* 1\.5"),
        (lambda: true_class_brier_loss(AB, [[1, 1], [1, 0]]), r"y_proba must sum to 1 .* 2\.0 in row 0"),
        (lambda: credal_report(AB, SETS, target_names=["A"]), r"target_names .* 2 labels, got \['A'\]"),
    ],
)
def test_refusals_name_the_parameter_the_rule_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- The report -----------------------------------------------------------------------------------


EXPECTED_REPORT = """\
                               support  determinacy  single-acc  set-acc  output size   u65   u80

                        apple        1         1.00        1.00        -            -  1.00  1.00
a rather long name of a class        3         0.33        0.00     1.00         2.00  0.22  0.27
                      (other)        1         0.00           -     0.00         2.00  0.00  0.00

                          all        5         0.40        0.50     0.50         2.00  0.33  0.36

                               support  accuracy  Brier

                      decided        2      0.50   0.50
                    undecided        2      0.50   0.50

                          all        5      0.40   0.45
"""


def test_the_report_to_the_letter():
    report = credal_report(
        ["b", "a", "b", "z", "b"],
        [[1, 0], [1, 0], [1, 1], [1, 1], [0, 0]],
        labels=["a", "b"],
        target_names=["apple", "a rather long name of a class"],
        y_proba=[[1, 0], [1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5]],
    )
    assert report == EXPECTED_REPORT


def test_the_report_without_a_counterpart_is_one_table_as_wide_as_its_names():
    lines = credal_report([1, 2], [[1, 0], [1, 1]]).splitlines()
    assert lines[0].startswith("     support")
    assert [line[:3] for line in lines] == ["   ", "", "  1", "  2", "", "all"]


@given(cases(), st.integers(0, 5))
def test_the_columns_of_the_report_line_up(case, digits):
    report = credal_report(
        case["y_true"],
        case["y_set"],
        labels=case["labels"],
        y_pred=case["y_pred"],
        sample_weight=case["weights"],
        digits=digits,
    )
    assert "nan" not in report
    lines = report.split("\n")
    sets, counterpart = [position for position, line in enumerate(lines) if "support" in line]
    for table in (lines[sets:counterpart], lines[counterpart:]):
        assert len({len(line) for line in table if line}) == 1


def test_fractional_weights_show_in_the_support():
    report = credal_report([0, 1], [[1, 0], [1, 1]], sample_weight=[0.5, 2], digits=3)
    assert [line.split()[1] for line in report.splitlines() if line.strip()][1:] == [
        "0.500",
        "2.000",
        "2.500",
    ]


# --- Scorers --------------------------------------------------------------------------------------


class NearMean(ClassifierMixin, BaseEstimator):
    """Answers with every class whose mean lies within ``slack`` of the nearest one."""

    def __init__(self, slack=0.0):
        self.slack = slack

    def fit(self, X, y, sample_weight=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean() for label in self.classes_])
        return self

    def _distance(self, X):
        return np.abs(np.asarray(X, dtype=float)[:, :1] - self.means_)

    def predict(self, X):
        return self.classes_[self._distance(X).argmin(axis=1)]

    def predict_set(self, X):
        distance = self._distance(X)
        return distance <= distance.min(axis=1, keepdims=True) + self.slack


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = np.repeat([0.0, 1.0, 2.0], 20)[:, np.newaxis] + rng.normal(scale=0.4, size=(60, 1))
    return X, y, rng.integers(0, 4, size=60).astype(float)


ALL_SCORERS = {
    "determinacy": make_set_scorer(determinacy_score),
    "single": make_set_scorer(single_accuracy_score),
    "set": make_set_scorer(set_accuracy_score),
    "size": make_set_scorer(indeterminate_output_size, greater_is_better=False),
    "discounted": make_set_scorer(discounted_accuracy_score),
    "u65": make_set_scorer(u65_score),
    "u80": make_set_scorer(u80_score),
    "u70": make_set_scorer(utility_score, w=0.7),
}


def test_a_scorer_is_the_measure_of_the_predicted_sets(data):
    X, y, weight = data
    clf = NearMean(slack=0.5).fit(X, y)
    y_set = clf.predict_set(X)
    assert ALL_SCORERS["u65"](clf, X, y) == u65_score(y, y_set)
    assert ALL_SCORERS["u70"](clf, X, y) == utility_score(y, y_set, w=0.7)
    assert ALL_SCORERS["size"](clf, X, y) == -indeterminate_output_size(y_set)
    assert ALL_SCORERS["u65"](clf, X, y, weight) == u65_score(y, y_set, sample_weight=weight)


def test_the_labels_are_the_classes_of_the_estimator_unless_given(data):
    X, y, _ = data
    clf = NearMean().fit(X, y)
    assert ALL_SCORERS["u65"](clf, X[y == "b"], y[y == "b"]) > 0.5
    swapped = make_set_scorer(u65_score, labels=["b", "a", "c"])
    assert swapped(clf, X[y == "b"], y[y == "b"]) < 0.5


def test_cross_validate_with_one_scorer_and_with_many(data):
    X, y, _ = data
    one = cross_val_score(NearMean(slack=0.5), X, y, scoring=ALL_SCORERS["u65"], error_score="raise")
    many = cross_validate(NearMean(slack=0.5), X, y, scoring=ALL_SCORERS, error_score="raise")
    assert np.array_equal(many["test_u65"], one)
    assert (many["test_size"] <= -2).all()
    assert all(np.isfinite(many[f"test_{name}"]).all() for name in ALL_SCORERS)


def test_grid_search_chooses_by_a_scorer(data):
    X, y, _ = data
    grid = {"slack": [0.0, 0.3, 5.0]}
    most_determinate = GridSearchCV(NearMean(), grid, scoring=ALL_SCORERS["determinacy"]).fit(X, y)
    assert most_determinate.best_params_ == {"slack": 0.0}
    largest = make_set_scorer(determinacy_score, greater_is_better=False)
    assert GridSearchCV(NearMean(), grid, scoring=largest).fit(X, y).best_params_ == {"slack": 5.0}
    two = {name: ALL_SCORERS[name] for name in ("u65", "u80")}
    many = GridSearchCV(NearMean(), grid, scoring=two, refit="u80").fit(X, y)
    alone = GridSearchCV(NearMean(), grid, scoring=two["u80"]).fit(X, y)
    assert many.best_params_ == alone.best_params_
    assert clone(many).fit(X, y).score(X, y) == many.score(X, y)


def test_grid_search_hands_on_weights_without_routing(data):
    X, y, weight = data
    for scoring, refit in [(ALL_SCORERS["u65"], True), (ALL_SCORERS, "u65")]:
        GridSearchCV(NearMean(), {"slack": [0.3]}, scoring=scoring, refit=refit).fit(
            X, y, sample_weight=weight
        )


def test_pipelines_and_searches_are_followed_to_predict_set(data):
    X, y, _ = data
    scorer = ALL_SCORERS["u65"]
    scaled = make_pipeline(StandardScaler(), NearMean(slack=0.3)).fit(X, y)
    expected = u65_score(y, scaled[-1].predict_set(scaled[0].transform(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scorer(scaled, X, y) == expected
        assert scorer(make_pipeline(FunctionTransformer(), scaled).fit(X, y), X, y) == expected
        steps = [("scale", StandardScaler()), ("nothing", "passthrough"), ("clf", NearMean(slack=0.3))]
        assert scorer(Pipeline(steps).fit(X, y), X, y) == expected
    alone = make_pipeline(NearMean(slack=0.3)).fit(X, y)
    assert scorer(alone, X, y) == scorer(NearMean(slack=0.3).fit(X, y), X, y)
    search = GridSearchCV(scaled, {"nearmean__slack": [0.3]}, scoring=scorer).fit(X, y)
    assert scorer(search, X, y) == scorer(search.best_estimator_, X, y) == expected
    inside = make_pipeline(StandardScaler(), GridSearchCV(NearMean(), {"slack": [0.3]}, scoring=scorer))
    assert scorer(inside.fit(X, y), X, y) == expected
    assert np.isfinite(cross_val_score(scaled, X, y, scoring=scorer, error_score="raise")).all()


def test_an_estimator_without_predict_set_is_refused_by_name(data):
    X, y, _ = data
    logistic = LogisticRegression()
    for estimator in (logistic.fit(X, y), make_pipeline(StandardScaler(), logistic).fit(X, y)):
        with pytest.raises(TypeError, match=r"estimator must have predict_set.* got LogisticRegression"):
            ALL_SCORERS["u65"](estimator, X, y)
    with pytest.raises(TypeError, match=r"be fitted, got GridSearchCV"):
        ALL_SCORERS["u65"](GridSearchCV(NearMean(), {"slack": [0.3]}), X, y)


def test_wrong_or_missing_arguments_of_the_metric_fail_at_once():
    with pytest.raises(TypeError, match="'w'"):
        make_set_scorer(utility_score)
    with pytest.raises(TypeError, match="'w'"):
        make_set_scorer(u65_score, w=0.7)


def test_any_callable_can_be_the_metric(data):
    X, y, weight = data
    clf = NearMean(slack=0.5).fit(X, y)
    largest = make_set_scorer(lambda truth, sets: sets.sum(axis=1).max())
    assert largest(clf, X, y) == clf.predict_set(X).sum(axis=1).max()
    scorer = make_set_scorer(partial(utility_score, w=0.7))
    assert scorer(clf, X, y, sample_weight=weight) == ALL_SCORERS["u70"](clf, X, y, sample_weight=weight)


def test_scorers_are_pickled_and_show_how_they_were_made(data):
    X, y, _ = data
    clf = NearMean(slack=0.5).fit(X, y)
    for scorer in ALL_SCORERS.values():
        copy = pickle.loads(pickle.dumps(scorer))
        assert repr(copy) == repr(scorer)
        assert copy(clf, X, y) == scorer(clf, X, y)
    assert repr(ALL_SCORERS["u70"]) == "make_set_scorer(utility_score, w=0.7)"
    size = "make_set_scorer(indeterminate_output_size, greater_is_better=False)"
    assert repr(ALL_SCORERS["size"]) == size


def weighted_by_hand(clf, X, y, weight, metric, n_splits=5):
    rows = np.arange(len(y))
    scores = []
    for split in range(n_splits):
        test = rows % n_splits == split
        y_set = clone(clf).fit(X[~test], y[~test]).predict_set(X[test])
        scores.append(metric(y[test], y_set, sample_weight=weight[test]))
    return scores


def splits(n_rows, n_splits=5):
    rows = np.arange(n_rows)
    return [(rows[rows % n_splits != split], rows[rows % n_splits == split]) for split in range(n_splits)]


@pytest.mark.parametrize("name", ["sample_weight", "importance"])
def test_weights_are_routed_to_the_scorer(data, name):
    X, y, weight = data
    by_hand = weighted_by_hand(NearMean(slack=0.5), X, y, weight, u65_score)
    with config_context(enable_metadata_routing=True):
        clf = NearMean(slack=0.5).set_fit_request(sample_weight=False)
        request = True if name == "sample_weight" else name
        scorer = make_set_scorer(u65_score).set_score_request(sample_weight=request)
        keywords = {"cv": splits(len(y)), "params": {name: weight}, "error_score": "raise"}
        for scoring, key in [(scorer, "score"), ({"u65": scorer}, "u65")]:
            scores = cross_validate(clf, X, y, scoring=scoring, **keywords)
            assert scores[f"test_{key}"] == pytest.approx(by_hand)
        search = GridSearchCV(clf, {"slack": [0.5]}, scoring=scorer, cv=splits(len(y)))
        search.fit(X, y, **{name: weight})
        assert search.best_score_ == pytest.approx(np.mean(by_hand))


def test_weights_can_be_ignored_and_are_refused_unless_requested(data):
    X, y, weight = data
    with config_context(enable_metadata_routing=True):
        clf = NearMean(slack=0.5).set_fit_request(sample_weight=True)
        keywords = {"cv": splits(len(y)), "params": {"sample_weight": weight}, "error_score": "raise"}
        ignoring = make_set_scorer(u65_score).set_score_request(sample_weight=False)
        scores = cross_validate(clf, X, y, scoring=ignoring, **keywords)["test_score"]
        assert scores == pytest.approx(weighted_by_hand(clf, X, y, np.ones(len(y)), u65_score))
        with pytest.raises(ValueError, match="not explicitly set as requested or not requested"):
            cross_validate(clf, X, y, scoring=make_set_scorer(u65_score), **keywords)
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        make_set_scorer(u65_score).set_score_request(sample_weight=True)


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c"]])
def test_the_brier_loss_works_in_scikit_learns_own_scorer(data, classes):
    X, y, _ = data
    X, y = X[np.isin(y, classes)], y[np.isin(y, classes)]
    clf = LogisticRegression().fit(X, y)
    scorer = make_scorer(true_class_brier_loss, response_method="predict_proba", greater_is_better=False)
    assert scorer(clf, X, y) == pytest.approx(-true_class_brier_loss(y, clf.predict_proba(X)))


def test_every_public_name_is_listed_and_documented_with_an_example():
    assert all(">>>" in getattr(metrics, name).__doc__ for name in metrics.__all__)
