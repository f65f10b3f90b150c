"""The tables, figures and page of a small experiment with made-up numbers."""

import re
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

from skcredal.evaluation._classifiers import BASELINES, CLASSIFIERS
from skcredal.metrics._outcomes import MEASURES
from skcredal.paper import Plan, Run, check_claims
from skcredal.paper import _figures as figures
from skcredal.paper._report import Answers, render_report
from skcredal.paper._tables import PAPER_CLASSIFIERS, Results, comparison_table, mean_table, rank_table

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("few_samples")

HOSTILE = "<script>alert(1)</script> & $x_1$"
DATASETS = ("anneal", "ecoli", "iris", "zoo", HOSTILE)
PLAN = Plan("/home/me/secret/data", list(DATASETS), {}, runs=2, folds=3)


def made_up_summary(classifiers=(*CLASSIFIERS, *BASELINES)):
    index = pd.MultiIndex.from_product([DATASETS, classifiers], names=["dataset", "classifier"])
    numbers = np.random.default_rng(0).uniform(0.6, 0.9, (len(index), len(MEASURES)))
    table = pd.DataFrame(numbers, index, list(MEASURES)).reset_index()
    table = table.assign(n=100, k=4, classes=3, output_size=2.2)
    table["n_undecided"] = 40.0 * table["dataset"].map(DATASETS.index)
    credal = table["classifier"].str.endswith("*") | table["classifier"].isin(("ncc", "ncc2", "cma", "cdt"))
    of_probabilities = ("accuracy", "brier", "brier_multiclass", "log_loss")
    table.loc[~credal, [name for name in MEASURES if name not in of_probabilities]] = np.nan
    table.loc[table["n_undecided"] == 0.0, ["set_accuracy", "output_size", "accuracy_undecided"]] = np.nan
    return table


def made_up_study(point, values, series, *measures):
    index = pd.MultiIndex.from_product([DATASETS, series, values], names=["dataset", "series", point])
    numbers = np.random.default_rng(1).uniform(0.5, 1.0, (len(index), len(measures)))
    return pd.DataFrame(numbers, index, measures).reset_index()


def made_up_studies():
    optimal = [f"utility-optimal, {name}" for name in ("aode", "maplmg", "lp-aode", "random-forest")]
    rivals = ["comp-aode*", "lp-aode*", *optimal, "conformal 90 %, random-forest"]
    credal, by = ("bma-aode*", "comp-aode*"), ("robustness", "probability")
    reliability = made_up_study("at_most", (0.9, 1.0), ("aode", "lp-aode"), "probability", "accuracy")
    return {
        "epsilon": made_up_study("epsilon", (0.001, 0.01), credal, "determinacy", "set_accuracy"),
        "set-aside": made_up_study("set_aside", (0.0, 0.1, 0.5), by, "accuracy"),
        "rivals": made_up_study("judged_by", ("u65", "u80"), rivals, "utility", "determinacy"),
        "reliability": reliability.assign(rows=[10.0, 30.0, 60.0, 100.0] * 5),
    }


def answers_of(summary, studies):
    tables = {"summary": summary, **studies, "means": mean_table(summary, studies)}
    return Answers({**tables, "tests": comparison_table(summary, studies)}, check_claims(summary))


@pytest.fixture(scope="module")
def answers(few_samples):
    return answers_of(made_up_summary(), made_up_studies())


@pytest.fixture(scope="module")
def page(answers):
    return render_report(answers, PLAN, Run([{"seconds": 90.0}], {"letter": "ValueError: <b>no</b>"}))


def text_of(html):
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def text_between(page, start, end):
    return text_of(page.partition(start)[2].partition(end)[0])


def values(table, classifier, measure):
    return table[table["classifier"] == classifier].set_index("dataset")[measure].sort_index()


def test_means_are_those_of_the_tables(answers):
    summary, rivals = answers.tables["summary"], answers.tables["rivals"]
    means = answers.tables["means"].set_index("classifier")
    assert means.loc["lp-aode", "log_loss"] == pytest.approx(values(summary, "lp-aode", "log_loss").mean())
    ratios = values(summary, "lp-aode", "brier") / values(summary, "aode", "brier")
    assert means.loc["lp-aode", "relative_brier"] == pytest.approx(ratios.mean())
    forest = rivals.query("series == 'utility-optimal, random-forest' and judged_by == 'u80'")
    assert means.loc["random-forest", "optimal_u80"] == pytest.approx(forest["utility"].mean())
    assert np.isnan(means.loc["random-forest", "u65"])
    # A classifier without sets is ranked by its accuracy.
    ranks = rank_table(Results(summary), ("comp-aode*", "aode"), "u65").set_index("classifier")["rank"]
    first = values(summary, "comp-aode*", "u65") > values(summary, "aode", "accuracy")
    assert ranks["comp-aode*"] == pytest.approx(2.0 - first.mean())


def test_the_page_shows_everything_and_nothing_from_outside(page, answers):
    text = text_of(page)
    assert escape(HOSTILE) in page
    assert "<script" not in page
    assert "<b>no</b>" in text
    assert "secret" not in page
    ids = {f"#{name}" for name in re.findall(r' id="([^"]*)"', page)}
    for address in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert address in ids or address.startswith(("data:", "https://doi.org/"))
    assert page.count("<figure>") == page.count("<img") == 22
    # Captions have the numbers of the tables.
    means = answers.tables["rivals"].groupby(["series", "judged_by"])["utility"].mean()
    assert f"{means['lp-aode*', 'u65'] - means['comp-aode*', 'u65']:+.3f}" in text
    half = answers.tables["set-aside"].query("series == 'probability' and set_aside == 0.5")["accuracy"]
    assert f"{half.mean():.3f} by probability" in text
    # Claims that are not judged stand apart.
    judged, apart = (
        text_between(page, f'<section id="{name}">', "</section>") for name in ("claims", "apart")
    )
    for claim in answers.claims:
        here, there = (judged, apart) if claim.holds is not None else (apart, judged)
        assert claim.text in here
        assert claim.text not in there


def test_it_opens_with_what_was_run_and_what_was_found(page, answers):
    text = text_between(page, "<header>", "</header>")
    for run in ("5 (folder data)", "20: AODE,", "2 × 3-fold", "honest", "1.5 minutes", "Not run: letter"):
        assert run in text
    # One running time, and no other.
    assert len(re.findall(r"[0-9.]+ (?:seconds|minutes|hours)", text_of(page))) == 1
    means = answers.tables["means"].set_index("classifier")
    of_paper = means[means.index.isin(PAPER_CLASSIFIERS)]
    for best in (means["accuracy"], -means["log_loss"], of_paper["accuracy"], -of_paper["log_loss"]):
        assert f"{figures.spelled(best.idxmax())} with {abs(best.max()):.3f}" in text
    n_judged = sum(claim.holds is not None for claim in answers.claims)
    assert f"{n_judged} of the paper's 30 claims" in text


def test_what_was_not_run_is_left_out():
    page = render_report(answers_of(made_up_summary(("aode", "bma-aode")), {}), PLAN, Run())
    # Accuracy, Brier loss, and two ranks of all.
    assert page.count("<figure>") == 4
