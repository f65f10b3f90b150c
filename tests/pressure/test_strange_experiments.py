"""Strange arguments to the experiment on a table of one's own, to its plan and store, and to the pages."""

import copy
import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broken_tables import broken
from evaluation_problems import made_up
from report_problems import CLAIMS, DATASETS, FACTS, made_up_studies, made_up_summary
from skcredal import CredalCompAODE, CredalLogPoolAODE
from skcredal.evaluation._cross_validation import check_folds, evaluate_table, ranking
from skcredal.evaluation._page_data import evaluation_data, render_evaluation, write_evaluation
from skcredal.evaluation._registry import is_credal, make_classifiers
from skcredal.evaluation._sums import pool
from skcredal.paper import _claims as claims_module
from skcredal.paper import _verdicts as verdicts_module
from skcredal.paper._page import write_report
from skcredal.paper._report import report_data
from skcredal.paper._run import Plan, run_plan
from skcredal.paper._store import ResultStore
from skcredal.paper._summary import summary_table
from strange_problems import cells, outcome, plain_cells, tables, vectors

EXAMPLES = settings(max_examples=40)
pytestmark = pytest.mark.filterwarnings("ignore")

ODD = (
    None,
    3,
    -1,
    0,
    1.5,
    math.nan,
    10**400,
    "a",
    "",
    b"a",
    True,
    [],
    {},
    [1],
    {"a": 1},
    1j,
)
odd = st.sampled_from(ODD)
values = pytest.mark.parametrize("value", ODD, ids=[f"{i}-{type(one).__name__}" for i, one in enumerate(ODD)])


@st.composite
def frames(draw, n):
    """Draw a pandas DataFrame, with a strange column perhaps."""
    columns = {f"x{j}": draw(plain_cells(n)) for j in range(draw(st.integers(0, 3)))}
    if draw(st.integers(0, 3)) == 0:
        columns["odd"] = draw(cells(n))
    return pd.DataFrame(
        {name: pd.Series(values, dtype=object).infer_objects() for name, values in columns.items()}
    )


# --- Evaluation of a table ------------------------------------------------------------------------


@EXAMPLES
@given(data=st.data())
def test_a_table_is_evaluated_or_refused(data):
    n = data.draw(st.sampled_from([0, 1, 4, 8, 8]))
    features = data.draw(st.one_of(frames(n), frames(n), tables(n), odd), "features")
    target = data.draw(
        st.one_of(st.just(np.array(["a", "b"] * (n // 2) + ["a"] * (n % 2))), vectors(n), odd), "target"
    )
    folds, seed, runs = (
        data.draw(st.sampled_from([2, 2, 2, *ODD])),
        data.draw(st.sampled_from([0, 0, *ODD])),
        1,
    )
    names = "features|target|classifiers|classifier|folds|runs|seed|y|X"
    outcome(lambda: check_folds(target, folds), names)
    made = make_classifiers(["naive-bayes", "ncc", "lp-aode*"])
    options = {"folds": folds, "runs": runs, "seed": seed, "jobs": 1, "explain": True}
    found = outcome(lambda: evaluate_table(made, features, target, **options), names)
    if found is not None:
        assert {pool(parts).n for parts in found.sums.values()} == {n}
        for cases in found.cases.values():
            assert cases.sets.any(axis=1).all()
            assert not np.isnan(cases.proba).any()
        assert len(ranking(found)) == 4
        page = render_evaluation(evaluation_data(found, title="t"))
        assert page.endswith("</html>\n")


@values
def test_strange_classifiers_are_refused(value):
    features, target = pd.DataFrame({"x": list("abab") * 2}), np.array(list("pq") * 4)
    names = "classifiers|classifier|names|sums|runs|jobs"
    outcome(lambda: evaluate_table(value, features, target, folds=2), names)
    outcome(lambda: evaluate_table({"aode": value}, features, target, folds=2), names)
    outcome(lambda: evaluate_table(make_classifiers(["null"]), features, target, folds=2, runs=value), names)
    made = make_classifiers(["null"])
    outcome(lambda: evaluate_table(made, features, target, folds=2, baselines=[value]), "baselines")
    outcome(lambda: make_classifiers(value), names)
    outcome(lambda: make_classifiers([value]), names)
    outcome(lambda: is_credal(value), "name")
    assert outcome(lambda: ranking(value), "evaluation") is None


# --- Plan, store and run --------------------------------------------------------------------------


@values
def test_a_strange_plan_is_refused(value):
    whole = {"source": "embedded", "datasets": ["iris"], "classifiers": make_classifiers(["null"])}
    for field in dataclasses.fields(Plan):
        plan = outcome(lambda name=field.name: Plan(**{**whole, name: value}), field.name)
        assert plan is None or isinstance(plan.n_fits, int)


@values
def test_what_is_no_plan_or_store_is_refused(value, tmp_path):
    if not isinstance(value, str):
        assert outcome(lambda: ResultStore(value), "path") is None
    plan = Plan("embedded", ["iris"], make_classifiers(["null"]))
    with ResultStore(tmp_path / "results.sqlite") as store:
        for work, name in (
            (lambda: run_plan(value, store), "plan"),
            (lambda: run_plan(plan, value), "store"),
            (lambda: summary_table(value, store, {}), "plan"),
            (lambda: summary_table(plan, value, {}), "store"),
            (lambda: summary_table(plan, store, value), "facts"),
        ):
            found = outcome(work, name)
            assert found is None or found.empty


# --- Claims and the page of the experiment --------------------------------------------------------


@EXAMPLES
@given(data=st.data())
def test_claims_are_judged_or_the_summary_is_refused(data):
    summary = data.draw(broken(made_up_summary(DATASETS[:4])), "summary")
    found = outcome(lambda: claims_module.check_claims(summary), "summary")
    if found is not None:
        assert [claim.number for claim in found] == list(range(1, 31))
        assert len(json.loads(verdicts_module.claims_as_json(found))) == 30
        assert verdicts_module.claims_as_markdown(found).startswith("|")


@settings(max_examples=10)
@given(data=st.data())
def test_a_report_is_computed_or_refused(data):
    # Few classifiers, for few figures.
    summary = data.draw(broken(made_up_summary(DATASETS[:3], ("aode", "ncc", "cdt"))), "summary")
    studies = data.draw(
        st.sampled_from(
            [None, {"epsilon": made_up_studies(DATASETS[:2])["epsilon"]}, 3, {"epsilon": 3}, {"x": None}]
        )
    )
    claims = data.draw(st.sampled_from([CLAIMS, [], None, 3, [None], ["a"]]))
    facts = data.draw(st.sampled_from([FACTS, {}, None, 3, {"seconds": "a"}, {"versions": 3}, {3: None}]))
    found = outcome(
        lambda: report_data(summary, claims, facts, studies=studies), "summary|claims|facts|studies|table"
    )
    assert found is None or json.loads(json.dumps(found, allow_nan=False))


def evaluation():
    return evaluation_data(made_up(6, 3), title="t", facts={"a": "b"})


@values
def test_a_strange_dict_is_rendered_or_refused(value, tmp_path):
    whole = evaluation()
    outcome(lambda: render_evaluation(value), "data")
    for name in whole:
        changed = {**copy.deepcopy(whole), name: value}
        page = outcome(lambda changed=changed: render_evaluation(changed), "data")
        assert page is None or page.endswith("</html>\n")
        del changed[name]
        outcome(lambda changed=changed: render_evaluation(changed), "data")
    for write in (
        lambda: write_evaluation(value, evaluation()),
        lambda: write_report(value, pd.DataFrame(), [], {}),
    ):
        if not isinstance(value, str):
            assert outcome(write, "path") is None
    assert list(tmp_path.iterdir()) == []


@EXAMPLES
@given(data=st.data())
def test_an_evaluation_is_computed_or_refused(data):
    options = {"evaluation": made_up(6, 3), "title": "t"}
    names = ["evaluation", "title", "numbers", "ids", "close_call", "columns", "messages", "facts"]
    name = data.draw(st.sampled_from(names))
    options[name] = data.draw(st.one_of(odd, tables(6), vectors(6)), name)
    found = outcome(lambda: evaluation_data(**options), name)
    assert found is None or json.loads(json.dumps(found, allow_nan=False))


@pytest.mark.parametrize("classifier", [CredalCompAODE(), CredalLogPoolAODE()])
def test_a_page_of_one_credal_case_without_neighbours(classifier):
    features, target = pd.DataFrame({"x": ["a"] * 4}), np.array(["p", "q"] * 2)
    found = evaluate_table({"one": classifier}, features, target, folds=2, explain=True)
    assert render_evaluation(evaluation_data(found, title="t")).startswith("<!DOCTYPE")
