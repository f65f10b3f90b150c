"""The tables, figures and page of a small experiment with made-up numbers."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from skcredal.evaluation._classifiers import BASELINES, CLASSIFIERS
from skcredal.metrics._outcomes import MEASURES
from skcredal.paper import Plan, Run, check_claims
from skcredal.paper import _figures as figures
from skcredal.paper._compare import bayesian_signed_rank, wilcoxon_test
from skcredal.paper._report import Answers, render_report
from skcredal.paper._tables import (
    PAPER_CLASSIFIERS,
    NotRunError,
    Results,
    comparison_table,
    mean_table,
    rank_table,
)

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("few_samples")

HOSTILE = "<script>alert(1)</script> & $x_1$"
DATASETS = ("anneal", "ecoli", "iris", "zoo", HOSTILE)
PLAN = Plan("/home/me/secret/data", list(DATASETS), {}, runs=2, folds=3)


def made_up_summary(classifiers=(*CLASSIFIERS, *BASELINES)):
    """Return plausible numbers; one data set has no undecided row."""
    rng = np.random.default_rng(0)
    rows = []
    for index, dataset in enumerate(DATASETS):
        for name in classifiers:
            row = {"dataset": dataset, "n": 100 + index, "k": 4, "classes": 3, "classifier": name}
            row |= dict(zip(MEASURES, rng.uniform(0.6, 0.9, len(MEASURES)), strict=True))
            row |= {"output_size": 2.2, "n_undecided": 40 * index}
            if not (name.endswith("*") or name in ("ncc", "ncc2", "cma", "cdt")):
                of_sets = [one for one in MEASURES if MEASURES[one][0] not in ("correct", "log_loss")]
                row |= {one: np.nan for one in (*of_sets, "n_undecided") if "brier" not in one}
            elif index == 0:
                row |= dict.fromkeys(("set_accuracy", "output_size", "accuracy_undecided"), np.nan)
            rows.append(row)
    return pd.DataFrame(rows)


def made_up_studies():
    rng = np.random.default_rng(1)

    def rows(point, values, series, *measures):
        return pd.DataFrame(
            {"dataset": dataset, "series": name, point: value}
            | {measure: rng.uniform(0.5, 1.0) for measure in measures}
            for dataset in DATASETS
            for name in series
            for value in values
        )

    optimal = [f"utility-optimal, {name}" for name in ("aode", "maplmg", "lp-aode", "random-forest")]
    rivals = ["comp-aode*", "lp-aode*", *optimal, "conformal 90 %, random-forest"]
    return {
        "epsilon": rows("epsilon", (0.001, 0.01), ("bma-aode*", "comp-aode*"), "determinacy", "set_accuracy"),
        "set-aside": rows("set_aside", (0.0, 0.1, 0.5), ("robustness", "probability"), "accuracy"),
        "rivals": rows("judged_by", ("u65", "u80"), rivals, "utility", "determinacy"),
        "reliability": rows("at_most", (0.9, 1.0), ("aode", "lp-aode"), "probability", "accuracy").assign(
            rows=50.0
        ),
    }


@pytest.fixture(scope="module")
def answers(few_samples):
    summary, studies = made_up_summary(), made_up_studies()
    tables = {"summary": summary, **studies, "means": mean_table(summary, studies)}
    return Answers({**tables, "tests": comparison_table(summary, studies)}, check_claims(summary))


@pytest.fixture(scope="module")
def page(answers):
    return render_report(answers, PLAN, Run([{"seconds": 90.0}], {"letter": "ValueError: <b>no</b>"}))


def values(table, classifier, measure):
    return table[table["classifier"] == classifier].set_index("dataset")[measure].sort_index()


def test_the_paper_has_twelve_classifiers(answers):
    others = {"lp-aode", "lp-aode*", "bma-spode", "comp-nb", "ncc2"}
    assert set(CLASSIFIERS) - set(PAPER_CLASSIFIERS) == others
    of_paper = answers.tables["summary"].query("classifier in @PAPER_CLASSIFIERS")
    assert check_claims(of_paper) == answers.claims


def test_means_are_those_of_the_tables(answers):
    summary, rivals = answers.tables["summary"], answers.tables["rivals"]
    means = answers.tables["means"].set_index("classifier")
    assert means.loc["lp-aode", "log_loss"] == pytest.approx(values(summary, "lp-aode", "log_loss").mean())
    ratios = values(summary, "lp-aode", "brier") / values(summary, "aode", "brier")
    assert means.loc["lp-aode", "relative_brier"] == pytest.approx(ratios.mean())
    forest = rivals.query("series == 'utility-optimal, random-forest' and judged_by == 'u80'")
    assert means.loc["random-forest", "optimal_u80"] == pytest.approx(forest["utility"].mean())
    assert np.isnan(means.loc["random-forest", "u65"])


@pytest.mark.parametrize(
    ("first", "second", "measure", "sign"),
    [
        ("lp-aode", "aode", "accuracy", 1.0),
        ("lp-aode", "random-forest", "log_loss", -1.0),
        ("lp-aode*", "cdt", "u80", 1.0),
    ],
)
def test_tests_are_those_of_the_comparison(answers, first, second, measure, sign):
    a, b = (values(answers.tables["summary"], name, measure).to_numpy() for name in (first, second))
    table = answers.tables["tests"].set_index(["classifier", "against", "measure"])
    found = table.loc[first, second, measure]
    expected = wilcoxon_test(sign * a, sign * b)
    assert found[["datasets", "better", "worse"]].tolist() == [5, expected.n_higher, expected.n_lower]
    # A loss that is lower has a negative difference, and is better.
    assert found["difference"] == pytest.approx((a - b).mean())
    assert found["p"] == expected.p_value
    assert tuple(found[["P(better)", "P(equal)", "P(worse)"]]) == bayesian_signed_rank(sign * a, sign * b)
    assert ("lp-aode", "gradient-boosting", "optimal_u65") not in table.index


def test_ranks_take_the_accuracy_of_a_classifier_without_sets(answers):
    summary = answers.tables["summary"]
    table = rank_table(Results(summary), ("comp-aode*", "aode"), "u65").set_index("classifier")["rank"]
    first = values(summary, "comp-aode*", "u65") > values(summary, "aode", "accuracy")
    assert table["comp-aode*"] == pytest.approx(2.0 - first.mean())
    with pytest.raises(NotRunError):
        rank_table(Results(summary), ("aode", "c45"), "u65")


def test_a_figure_is_the_same_for_the_same_table(answers):
    results = Results(answers.tables["summary"])
    svg, caption = figures.draw_svg(figures.accuracies, results, "bma-aode", size=(4, 4))
    assert (svg, caption) == figures.draw_svg(figures.accuracies, results, "bma-aode", size=(4, 4))
    a, b = (values(answers.tables["summary"], name, "accuracy") for name in ("aode", "bma-aode"))
    assert f"AODE has the higher accuracy on {(a > b).sum()} and BMA-AODE on {(a < b).sum()} of 5" in caption
    assert "<svg" in svg
    with pytest.raises(NotRunError):
        figures.draw_svg(figures.accuracies, results, "c45", size=(4, 4))


def test_captions_have_the_numbers_of_the_table(answers):
    tables, means = (
        answers.tables,
        answers.tables["rivals"].groupby(["series", "judged_by"])["utility"].mean(),
    )
    captions = {
        "rivals": figures.draw_svg(figures.rivals, tables["rivals"], "u65", size=(4, 4))[1],
        "epsilon": figures.draw_svg(figures.epsilon, tables["epsilon"], "determinacy", size=(4, 4))[1],
        "set-aside": figures.draw_svg(figures.set_aside, tables["set-aside"], size=(4, 4))[1],
    }
    assert f"mean u65 of {means['comp-aode*', 'u65']:.3f}" in captions["rivals"]
    difference = means["conformal 90 %, random-forest", "u65"] - means["comp-aode*", "u65"]
    assert f"conformal 90 %, random forest {difference:+.3f}" in captions["rivals"]
    of_comp = tables["epsilon"].query("series == 'comp-aode*' and epsilon == 0.01")["determinacy"].mean()
    assert f"to {of_comp:.3f}" in captions["epsilon"]
    of_half = tables["set-aside"].query("series == 'probability' and set_aside == 0.5")["accuracy"].mean()
    assert f"{of_half:.3f} by probability" in captions["set-aside"]


def test_reliability_weighs_rows_or_data_sets(answers):
    table = answers.tables["reliability"].assign(rows=[10.0, 30.0, 60.0, 100.0] * 5)
    by_rows = figures.reliability_table(table, alike=False).set_index(["series", "at_most"])
    assert by_rows.loc[("aode", 1.0), "weight"] == 5 * 30.0
    by_sets = figures.reliability_table(table, alike=True).set_index(["series", "at_most"])
    assert by_sets.loc[("aode", 1.0), "weight"] == pytest.approx(5 * 0.75)
    expected = table.query("series == 'aode' and at_most == 1.0")["accuracy"].mean()
    assert by_sets.loc[("aode", 1.0), "accuracy"] == pytest.approx(expected)


class Parts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_shows_everything_and_nothing_from_outside(page, answers):
    parts = Parts()
    parts.feed(page)
    tags = [tag for tag, _ in parts.tags]
    text = " ".join("".join(parts.text).split())
    assert tags.count("script") == 0
    assert HOSTILE in text
    assert "<b>no</b>" in text
    assert "secret" not in page
    addresses = [attrs[name] for _, attrs in parts.tags for name in ("src", "href") if name in attrs]
    ids = {f"#{attrs['id']}" for _, attrs in parts.tags if "id" in attrs}
    assert all(address in ids or address.startswith(("data:", "https://doi.org/")) for address in addresses)
    assert tags.count("figure") == tags.count("img") == 22
    for claim in answers.claims:
        assert claim.text in text
        assert claim.verdict in text
    for expected in ("conformal 90 %, random forest", "utility-optimal, LP-AODE", "500 trees", "LP-AODE*"):
        assert expected in text
    # One running time, that of all folds.
    assert re.findall(r"\d+(?:\.\d)? (?:minutes|min|seconds|hours)\b", text) == ["1.5 minutes"]


def part(page, start, end):
    """Return a part of the page as text."""
    parts = Parts()
    parts.feed(page.partition(start)[2].partition(end)[0])
    return " ".join(" ".join(parts.text).split())


def test_it_opens_with_what_was_run_and_what_was_found(page, answers):
    text = part(page, "<header>", "</header>")
    for run in ("5 (folder data)", "20: AODE,", "2 × 3-fold", "honest", "1.5 minutes", "Not run: letter"):
        assert run in text
    means = answers.tables["means"].set_index("classifier")
    of_paper = means[means.index.isin(PAPER_CLASSIFIERS)]
    for best in (means["accuracy"], -means["log_loss"], of_paper["accuracy"], -of_paper["log_loss"]):
        assert f"{figures.spelled(best.idxmax())} with {abs(best.max()):.3f}" in text
    credal = answers.tables["summary"].query("classifier == 'lp-aode*'")
    # The first data set has no undecided row.
    decided, undecided = credal["single_accuracy"][1:].mean(), credal["accuracy_undecided"].mean()
    assert f"its u65 is {credal['u65'].mean():.3f}" in text
    assert f"{decided:.3f} on decided and {undecided:.3f} on undecided rows" in text
    assert "4 data sets with 400 undecided rows" in text
    n_judged = sum(claim.holds is not None for claim in answers.claims)
    assert f"{n_judged} of the paper's 30 claims can be judged here" in text
    assert f"The other {30 - n_judged} need the paper's 39 data sets" in text


def test_claims_that_are_not_judged_stand_apart(page, answers):
    judged, apart = (part(page, f'<section id="{name}">', "</section>") for name in ("claims", "apart"))
    assert "skcredal reproduce --data openml" in apart
    for claim in answers.claims:
        here, there = (judged, apart) if claim.holds is not None else (apart, judged)
        assert claim.text in here
        assert claim.text not in there


def test_what_was_not_run_is_left_out(answers):
    summary = made_up_summary(("aode", "bma-aode"))
    tables = {"summary": summary, "means": mean_table(summary, {}), "tests": comparison_table(summary, {})}
    claims = [replace(claim, holds=True) for claim in check_claims(summary)]
    page = render_report(Answers(tables, claims), PLAN, Run())
    # Accuracy, Brier loss, and two ranks of all.
    assert page.count("<figure>") == 4
    assert "30 of these hold" in page
    assert "the paper's 39 data sets" not in page
    assert "500 trees" not in page
