"""LP-AODE and the baselines have a section of their own, and change nothing in the rest of the report."""

import json

import numpy as np
import pytest

from report_problems import CREDAL, DATASETS, DETERMINATE, FACTS, made_up_studies, made_up_summary
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._registry import CLASSIFIERS
from skcredal.paper._beyond import beyond_as_markdown, beyond_data
from skcredal.paper._claims import check_claims
from skcredal.paper._compare import bayesian_signed_rank, format_p_value, wilcoxon_test
from skcredal.paper._page import render_page
from skcredal.paper._report import report_data
from skcredal.paper._summary import PAPER_CLASSIFIERS

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("few_samples")

NEW = ("lp-aode", "lp-aode*", *BASELINES)


@pytest.fixture(scope="module")
def summary():
    return made_up_summary(classifiers=(*DETERMINATE, *CREDAL, *NEW))


@pytest.fixture(scope="module")
def studies():
    """Utility-optimal sets of four classifiers, one of which lacks a data set."""
    found = made_up_studies()
    like = found["rivals"][found["rivals"]["series"] == "utility-optimal, aode"]
    for name, study in (("lp-aode", "rivals"), ("maplmg", "rivals"), ("random-forest", "baselines")):
        rng = np.random.default_rng(len(name))
        rows = like.assign(series=f"utility-optimal, {name}", utility=rng.uniform(0.7, 0.9, len(like)))
        rows = rows[rows["dataset"] != "zoo"] if name == "maplmg" else rows
        found[study] = (
            rows
            if study not in found
            else type(rows)([*found[study].to_dict("records"), *rows.to_dict("records")])
        )
    return found


@pytest.fixture(scope="module")
def beyond(summary, studies, few_samples):
    return beyond_data(summary, studies)


def values(summary, classifier, measure):
    return summary[summary["classifier"] == classifier].set_index("dataset")[measure].loc[list(DATASETS)]


def row_of(beyond, *cells):
    (found,) = [row for row in beyond["tests"]["rows"] if tuple(row[:3]) == cells]
    return found


def test_the_paper_has_twelve_classifiers():
    assert set(PAPER_CLASSIFIERS) == {*DETERMINATE, *CREDAL}
    beyond = {"lp-aode", "lp-aode*", "bma-spode", "comp-nb", "ncc2"}
    assert set(CLASSIFIERS) - set(PAPER_CLASSIFIERS) == beyond


def test_claims_do_not_see_the_new_classifiers(summary):
    of_paper = summary[summary["classifier"].isin(PAPER_CLASSIFIERS)]
    assert check_claims(summary) == check_claims(of_paper)


def test_the_paper_s_figures_do_not_see_the_new_classifiers(summary, beyond):
    of_paper = summary[summary["classifier"].isin(PAPER_CLASSIFIERS)]
    with_new = report_data(summary, [], FACTS, beyond=beyond)
    without = report_data(of_paper, [], FACTS)
    assert with_new["figures"] == without["figures"]
    assert "LP-AODE" not in json.dumps(with_new["figures"])
    assert len(with_new["table"]["rows"]) == 8 * (12 + len(NEW))


def test_there_is_no_section_without_new_classifiers(summary, studies):
    of_paper = summary[summary["classifier"].isin(PAPER_CLASSIFIERS)]
    assert beyond_data(of_paper, studies) is None
    assert beyond_data(summary.iloc[:0], {}) is None
    assert beyond_as_markdown(None) == ""


def test_means_are_those_of_the_tables(beyond, summary, studies):
    columns = [column["label"] for column in beyond["means"]["columns"]]
    rows = {row[0]: dict(zip(columns, row, strict=True)) for row in beyond["means"]["rows"]}
    assert rows["LP-AODE"]["log-loss"] == pytest.approx(values(summary, "lp-aode", "log_loss").mean())
    ratios = values(summary, "lp-aode", "brier") / values(summary, "aode", "brier")
    assert rows["LP-AODE"]["Brier / AODE"] == pytest.approx(ratios.mean())
    assert rows["LP-AODE*"]["u65, maximal"] == pytest.approx(values(summary, "lp-aode*", "u65").mean())
    forest = studies["baselines"]
    expected = forest[forest["judged_by"] == "u80"]["utility"].mean()
    assert rows["random forest"]["u80, optimal"] == pytest.approx(expected)
    assert rows["random forest"]["u65, maximal"] is None
    assert rows["AODE"]["Brier / AODE"] == 1.0


@pytest.mark.parametrize(
    ("first", "second", "measure", "label", "sign"),
    [
        ("lp-aode", "aode", "accuracy", "accuracy", 1.0),
        ("lp-aode", "random-forest", "log_loss", "log-loss", -1.0),
        ("lp-aode*", "cdt", "u80", "u80, maximal", 1.0),
    ],
)
def test_tests_are_those_of_the_comparison(beyond, summary, first, second, measure, label, sign):
    a, b = (values(summary, name, measure).to_numpy() for name in (first, second))
    test = wilcoxon_test(sign * a, sign * b)
    bayesian = bayesian_signed_rank(sign * a, sign * b, n_samples=500)
    names = {"random-forest": "random forest"}
    found = row_of(beyond, first.upper(), names.get(second, second.upper()), label)
    assert found[3:6] == [8, (sign * a > sign * b).sum(), (sign * a < sign * b).sum()]
    # A loss that is lower has a negative difference, and is better.
    assert found[6] == pytest.approx((a - b).mean())
    assert found[7] == format_p_value(test.p_value)
    assert found[8:] == [bayesian.left, bayesian.rope, bayesian.right]


def test_only_data_sets_with_both_are_compared(beyond):
    assert row_of(beyond, "LP-AODE", "AODE", "u65, optimal")[3] == 8
    assert row_of(beyond, "LP-AODE", "MAPLMG", "u65, optimal")[3] == 7


def test_what_no_data_set_has_for_both_is_not_compared(summary):
    """Nor does an infinite value take part, which only a summary of somebody else's can have."""
    kept = summary[summary["classifier"].isin(["lp-aode", "aode", "maplmg"])].copy()
    kept = kept[(kept["classifier"] != "maplmg") | (kept["dataset"] == "zoo")]
    kept.loc[(kept["dataset"] == "zoo") & (kept["classifier"] == "lp-aode"), "accuracy"] = np.inf
    found = beyond_data(kept, {})
    assert row_of(found, "LP-AODE", "AODE", "accuracy")[3] == 7
    assert ["LP-AODE", "MAPLMG", "accuracy"] not in [row[:3] for row in found["tests"]["rows"]]
    assert row_of(found, "LP-AODE", "MAPLMG", "log-loss")[3] == 1
    assert json.dumps(found, allow_nan=False)


def test_the_section_is_on_the_page_and_below_the_claims(beyond, summary):
    data = report_data(summary, [], FACTS, beyond=beyond)
    page = render_page(json.loads(json.dumps(data, allow_nan=False)))
    assert page == render_page(data)
    section = page[page.index('<section id="beyond"') : page.index('<section id="results"')]
    for text in ("LP-AODE*", "random forest", "is not proper for more than two classes", "1e-15", "<svg"):
        assert text in section
    markdown = beyond_as_markdown(beyond)
    assert "## Beyond the paper" in markdown
    assert "| LP-AODE* | CDT | u80, maximal | 8 |" in markdown
    assert "500 trees" in markdown


def test_baselines_are_not_mentioned_where_they_were_not_run(summary):
    found = beyond_data(summary[~summary["classifier"].isin(BASELINES)], {})
    assert "forest" not in json.dumps(found)
    assert found["figures"] == []
