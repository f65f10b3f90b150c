"""Values that cannot be written down: objects whose repr raises, integers beyond Python's limit of digits."""

import inspect
import math

import numpy as np
import pandas as pd
import pytest

import skcredal
from report_problems import DATASETS, made_up_summary
from skcredal import decisions, metrics
from skcredal._validation import naming, safe_repr
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation._registry import CLASSIFIERS
from skcredal.paper import _compare as compare
from skcredal.paper import _displays as displays
from strange_problems import outcome

HUGE = 10**5000


class Unshowable:
    """An object that fails when it is shown."""

    def __repr__(self):
        raise RuntimeError("no repr")

    __str__ = __repr__


VALUES = {
    "object": Unshowable(),
    "huge": HUGE,
    "negative": -HUGE,
    "list": [Unshowable()],
    "list of huge": [HUGE],
    "tuple": ("a", HUGE),
    "mapping": {"a": Unshowable()},
}
values = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)


def test_the_limit_is_one():
    with pytest.raises(ValueError, match="4300 digits"):
        repr(HUGE)


@values
def test_any_value_is_shown_in_short(value):
    shown = safe_repr(value)
    assert shown
    assert len(shown) <= 500
    kind = type(value).__name__
    other = f"a value of type {kind} that cannot be shown"
    assert shown == ("an int of about 5001 digits" if kind == "int" else other)


def test_the_number_of_digits_is_right():
    for digits in (4301, 5000, 12345):
        assert safe_repr(10 ** (digits - 1)) == f"an int of about {digits} digits"


def test_an_error_that_cannot_be_shown_is_a_refusal_that_names():
    with pytest.raises(ValueError, match=r"^X cannot be read: KeyError$"), naming("X"):
        raise KeyError(Unshowable())


TABLE = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": list("abab")})


@values
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_parameter_of_a_classifier_is_refused_by_its_name(name, value):
    kind = CLASSIFIERS[name]
    for parameter in inspect.signature(kind).parameters:
        clf = kind(**{parameter: value})
        outcome(lambda clf=clf: clf.fit(TABLE, list("ppqq")), parameter)


@values
def test_cells_and_classes_are_taken_or_refused_by_name(value):
    """As states, they are as good as any other that has a hash."""
    cells = np.empty(4, object)
    cells[:] = [value, "a", value, "b"]
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "strange": pd.Series(cells, dtype=object)})
    for clf in (skcredal.AODE(), skcredal.AODE(categories=[["a", "b"]], handle_unknown="error")):
        outcome(lambda clf=clf: clf.fit(frame, list("ppqq")).predict_proba(frame), "strange")
    numbers = skcredal.AODE().fit(frame[["x"]].assign(strange=[1.0, 2.0, 3.0, 4.0]), list("ppqq"))
    outcome(lambda: numbers.predict_proba(frame), "strange")
    outcome(lambda: skcredal.AODE().fit(TABLE, cells), "y")


def ranks(**wishes):
    return displays.RanksDisplay.from_summary(made_up_summary(DATASETS[:3]), **wishes)


@values
def test_measures_and_decisions_refuse_by_name(value):
    sets, proba = [[True, False], [True, True]], [[0.9, 0.1], [0.5, 0.5]]
    for work, names in (
        (lambda: metrics.utility_score(["a", "b"], sets, w=value), "w"),
        (lambda: metrics.u65_score([value, None], sets), "y_true"),
        (lambda: metrics.u65_score(["a", "b"], sets, labels=[value, value]), "labels"),
        (lambda: metrics.u65_score(["a", "b"], sets, sample_weight=[1, value]), "sample_weight"),
        (lambda: metrics.u65_score(["a", "b"], sets, labels=[value, "b"]), "labels|y_true"),
        (lambda: decisions.reject(proba, cost=value), "cost"),
        (lambda: decisions.utility_optimal_sets(proba, utility=value), "utility"),
        (lambda: decisions.utility_optimal_sets(proba, utility=lambda m: value), "utility"),
        (lambda: decisions.reject_cost_score(["a"], [value], [False], cost=0.2), "y_pred|y_true"),
        (lambda: decisions.set_labels(sets, [value, value, value]), "classes|y_set"),
        (lambda: compare.nemenyi_critical_distance(value, 3), "k"),
        (lambda: compare.bayesian_signed_rank([1], [2], value, n_samples=2), "rope"),
        (lambda: compare.wilcoxon_test([value], [1.0]), "a"),
        (lambda: skcredal.set_config(pair_table_limit=[value]), "pair_table_limit"),
        (lambda: load_dataset(value), "name"),
        (lambda: load_dataset("iris", value), "source"),
        (lambda: list_datasets(value), "source"),
        (
            lambda: displays.RanksDisplay.from_summary(made_up_summary(DATASETS[:3]), classifiers=[value]),
            "classifiers",
        ),
        (lambda: ranks(classifiers=[value]), "classifiers"),
        (lambda: ranks(classifiers=[value, "aode"]), "summary|classifiers"),
        (lambda: ranks(alpha=value), "alpha"),
        (lambda: ranks(measure=value), "measure"),
    ):
        found = outcome(work, names)
        # What is only passed through may be anything: a label, an enormous cost of nothing.
        assert found is None or not isinstance(found, float) or not math.isinf(found)


@values
@pytest.mark.parametrize("column", ["accuracy", "classifier", "dataset"])
def test_a_table_of_results_is_refused_by_its_name(value, column):
    summary = made_up_summary(DATASETS[:3])
    cells = np.empty(len(summary), object)
    cells[:] = summary[column]
    cells[0] = value
    cells = pd.Series(cells, summary.index, dtype=object)  # as it is: pandas alone would look into it
    for work in (
        displays.AccuracyScatterDisplay.from_summary,
        lambda table: displays.RanksDisplay.from_summary(table, classifiers=["ncc", "cdt"]),
    ):
        outcome(lambda work=work: work(summary.assign(**{column: cells})), "summary")
