"""What the page shows, as data and as HTML."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from evaluation_problems import CLASSES, FEATURES, HOSTILE, made_up, made_up_ids
from skcredal.evaluation import evaluate_table, make_classifiers, ranking, write_evaluation
from skcredal.evaluation._cases import Cases, least_certain
from skcredal.evaluation._page import page_data
from skcredal.metrics._curves import reliability_sums


@pytest.fixture(scope="module")
def evaluation():
    return made_up()


@pytest.fixture(scope="module")
def data(evaluation):
    return page_data(evaluation, ids=made_up_ids(200))


@pytest.mark.parametrize("key", ["lp-aode*", "ncc", "random-forest"])
def test_numbers_are_those_of_the_cases(evaluation, data, key):
    cases, (view,) = evaluation.cases[key], [one for one in data["views"] if one["key"] == key]
    undecided, correct = cases.undecided, cases.correct
    close = cases.close_calls(0.75)
    assert (close & undecided).sum() == 0
    contains = cases.sets[np.arange(200), cases.true]
    assert view["decided"] == {"n": (~undecided).sum(), "right": correct[~undecided].mean()}
    assert view["close"] == {"n": close.sum(), "right": correct[close].mean()}
    assert view["undecided"]["n"] == undecided.sum()
    if undecided.any():
        assert view["undecided"]["contains"] == contains[undecided].mean()
    # Class by class, undecided cases stand in two columns of their own.
    counts = np.array(view["confusion"])
    for c in range(4):
        of_class = cases.true == c
        for d in range(4):
            assert counts[c, d] == (of_class & ~undecided & (cases.predicted == d)).sum()
        assert counts[c, 4] == (of_class & undecided & contains).sum()
        assert counts[c].sum() == of_class.sum()
    # The bins are those of the experiment.
    sums = reliability_sums(cases.probability, correct)
    expected = [(p / n, right / n, n) for n, p, right in sums.tolist() if n]
    np.testing.assert_allclose([point[:3] for point in view["reliability"]["points"]], expected)
    # Half of the cases set aside: the most probable half is left.
    kept = np.argsort(-cases.probability)[:100]
    assert view["aside"]["lines"]["probability"][-1] == pytest.approx((0.5, correct[kept].mean()))
    assert ("robustness" in view["aside"]["lines"]) == (key == "lp-aode*")


def test_a_close_call_is_not_told_from_the_threshold_by_rounding(evaluation):
    cases = evaluation.cases["random-forest"]
    threshold = float(cases.probability[3])
    assert not cases.close_calls(threshold)[3]
    assert cases.close_calls(threshold + 1e-6)[3]


def test_a_case_shows_its_set_its_bounds_and_its_reasons(evaluation, data):
    views = {one["key"]: one for one in data["views"]}
    cases = evaluation.cases["lp-aode*"]
    assert len(views["lp-aode*"]["cases"]) == 200
    assert len(views["ncc"]["cases"]) == 100
    for case in views["lp-aode*"]["cases"]:
        r = case["number"] - 1
        assert case["ids"] == [f"</script>{r}", "A"]
        assert case["set"] == [str(label) for label in CLASSES[cases.sets[r]]]
        assert case["kind"] == ("undecided" if cases.undecided[r] else case["kind"])
        proba = [probability for _, _, probability, _, _ in case["bounds"]]
        assert proba == sorted(proba, reverse=True)
        for _, _, probability, lower, upper in case["bounds"]:
            assert lower <= probability <= upper
        reason = cases.details[r]["reason"]
        assert [name for name, *_ in case["reason"]["factors"]] == ["how frequent the classes are", *FEATURES]
        assert max(abs(part) for *_, part in case["reason"]["factors"]) == 1.0
        product = float(case["reason"]["product"].removeprefix("×").replace(",", ""))
        assert product == pytest.approx(reason["odds"], rel=0.06)
        assert [feature for feature, *_ in case["changes"]] == ["age", HOSTILE]
    # The others show probabilities alone.
    assert all(case["reason"] is None and not case["has_bounds"] for case in views["ncc"]["cases"])


def test_a_case_of_models_shows_their_votes():
    (view,) = page_data(made_up(60, 20, names=("bma-aode*",)))["views"]
    for case in view["cases"]:
        # The model without weight is named, not heard.
        assert [name for name, *_ in case["reason"]["voices"]] == FEATURES[:2]
        assert case["reason"]["left_out"] == ["__proto__"]


def test_the_least_certain_cases_come_first_and_undecided_ones_before_all():
    first = np.array([0.9, 0.5, 0.8, 0.6])
    proba, undecided = np.stack([first, 1 - first], axis=1), np.array([True, False, False, True])

    def ordered(undecided, robustness):
        sets = np.stack([np.ones(4, bool), undecided], axis=1)
        return least_certain(Cases(np.zeros(4, int), proba, sets, np.array(robustness), {}), 4).tolist()

    assert ordered(undecided, [np.nan] * 4)[:3] == [3, 0, 1]
    assert ordered(~undecided, [0.1, 0.9, 0.2, 0.3])[:2] == [1, 2]


def test_rows_keep_the_numbers_of_the_file(evaluation):
    found = page_data(evaluation, numbers=np.arange(1000, 1200))
    assert {case["number"] for case in found["views"][0]["cases"]} <= set(range(1000, 1200))
    with pytest.raises(ValueError, match=r"numbers.*200"):
        page_data(evaluation, numbers=np.arange(3))


def test_on_noise_nothing_is_better_than_the_most_frequent_class():
    rng = np.random.default_rng(0)
    features = pd.DataFrame({f"x{j}": rng.normal(size=200) for j in range(4)})
    target = np.where(rng.random(200) < 0.3, "ill", "well")
    made = make_classifiers(["lp-aode*", "aode", "null", "logistic-regression"])
    found = page_data(evaluate_table(made, features, target, folds=5))
    assert (found["most_frequent"], found["share"]) == ("well", (target == "well").mean())
    assert {view["beats_null"] for view in found["views"] if view["key"] != "null"} == {False}


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.values = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.values += [value for _, value in attributes]

    def handle_data(self, text):
        self.texts.append(text)


def page_of(tmp_path, **options):
    evaluation = made_up(60, 30)
    written = write_evaluation(
        tmp_path / "page.html",
        evaluation,
        title=HOSTILE,
        ids=made_up_ids(60),
        columns=[(HOSTILE, "a", "<b>", "p = 5 %")],
        messages=[HOSTILE, "100 % of p = \ud800"],
        facts={HOSTILE: HOSTILE},
        **options,
    )
    return written.read_text(encoding="utf-8"), evaluation


def test_names_and_cells_stay_text(tmp_path):
    page, evaluation = page_of(tmp_path)
    elements = Elements()
    elements.feed(page)
    assert elements.tags.count("script") == 1
    assert elements.tags.count("h1") == 1
    assert not [value for value in elements.values if value and "alert" in value]
    assert page.count("<script>") == 1
    assert page.count("</script>") == 1
    texts = [text.strip() for text in elements.texts]
    assert {HOSTILE, *map(str, CLASSES), "p = 5 %", "100 % of p = ?"} <= set(texts)
    # The ranking is that of the function.
    names = re.findall(r'data-line="([^"]+)"', page)
    assert names == [row["classifier"] for row in ranking(evaluation)]
    assert "against the best" in page


def test_each_class_has_its_recall_and_precision(tmp_path):
    page, evaluation = page_of(tmp_path)
    cases = evaluation.cases["lp-aode*"]
    section = page[page.index('id="classes"') :]
    part = section[section.index('data-view="lp-aode*"') :].split("</table>")[0]
    lines = [re.findall(r'<td class="number">(.*?)</td>', line) for line in part.split("<tr>")[2:]]
    assert len(lines) == 4
    for c, cells in enumerate(lines):
        of_class, said = cases.true == c, (cases.predicted == c) & ~cases.undecided
        shares = [(said & of_class).sum() / of_class.sum(), (said & of_class).sum() / said.sum()]
        shares.append(cases.undecided[of_class].mean())
        assert cells == [str(of_class.sum()), *(f"{100 * share:.1f}\xa0%" for share in shares)]


def test_nothing_is_fetched_and_one_script_is_allowed(tmp_path):
    page, _ = page_of(tmp_path)
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in (
        page.replace("&#39;", "'").replace("&#43;", "+")
    )
    assert not re.search(r'(src|href)="(?!#|data:,)', page)
