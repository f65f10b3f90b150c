"""The evaluation page's data, and its HTML with names that try to be markup."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_problems import CLASSES, HOSTILE, PARENTS, made_up_cases, made_up_ranking
from skcredal.evaluation._cross_validation import Cases
from skcredal.evaluation._page_data import accuracy_robustness_curve, evaluation_data, render_evaluation


@pytest.fixture(scope="module")
def data():
    cases, table = made_up_cases()
    return evaluation_data(cases, made_up_ranking(), table, title=HOSTILE, facts={"Table": HOSTILE})


def test_counts_are_those_of_the_cases(data):
    cases, _ = made_up_cases()
    right = [bool(p == t) for p, t in zip(cases.predicted, cases.true, strict=True)]
    held = [bool(mask[t]) for mask, t in zip(cases.sets, cases.true, strict=True)]
    assert data["dependent"] == {"n": 120, "correct": sum(right[:120]), "held": sum(held[:120])}
    assert data["safe"] == {"n": 80, "correct": sum(right[120:])}
    assert [case["row"] for case in data["cases"]] == list(range(1, 121))


def test_a_case_tells_its_set_its_bounds_and_its_voices(data):
    cases, table = made_up_cases()
    one = data["cases"][3]
    assert one["set"] == np.flatnonzero(cases.sets[3]).tolist()
    for c, lower, probability, upper in one["bounds"]:
        assert [lower, upper] == [pytest.approx(value, abs=1e-4) for value in cases.interval[3, c]]
        assert probability == pytest.approx(cases.proba[3, c], abs=1e-4)
    assert [data["names"][voice[0]] for voice in one["voices"]] == PARENTS
    assert [voice[1] for voice in one["voices"]] == ["</script>", f"{table['age'][3]:.6g}", "x"]
    assert data["cases"][2]["voices"][2][1] is None
    assert CLASSES[one["rival"]] == cases.reasons[3]["rival"]


def test_rows_keep_the_numbers_of_the_file():
    cases, table = made_up_cases(10, 4)
    found = evaluation_data(cases, [], table, title="", numbers=np.arange(10) * 2 + 5)
    assert [case["row"] for case in found["cases"]] == [5, 7, 9, 11]


def test_of_many_super_parents_the_strongest_voices_are_kept():
    cases, table = made_up_cases(4, 1)
    names, votes = [f"x{j}" for j in range(30)], np.linspace(1, -1, 30).tolist()
    cases.reasons[0].update(super_parents=names, votes=votes, prior=[1 / 30] * 30)
    (case,) = evaluation_data(cases, [], table, title="")["cases"]
    assert [voice[2] for voice in case["voices"]] == [round(vote, 4) for vote in votes[:6] + votes[-6:]]
    assert case["silent"] == 18


@pytest.fixture(scope="module")
def of_weights():
    cases, table = made_up_cases(over="weights")
    return evaluation_data(cases, made_up_ranking(), table, title=HOSTILE)


def factor(text):
    return float(text.removeprefix("×").replace(",", ""))


def test_a_case_of_a_pool_tells_what_each_feature_multiplies_the_odds_by(of_weights):
    cases, table = made_up_cases(over="weights")
    for r, one in enumerate(of_weights["cases"]):
        reason = cases.reasons[r]
        assert one["sentence"] == reason["sentence"]
        assert "voices" not in one
        assert [of_weights["names"][at] for at, *_ in one["factors"]] == PARENTS
        values = [None if r % 2 == 0 and name == "__proto__" else table[name][r] for name in PARENTS]
        assert [value for _, value, *_ in one["factors"]] == [
            f"{value:.6g}" if isinstance(value, float) else value for value in values
        ]
        logs = [reason["frequencies"], *reason["contributions"]]
        found = [one["frequencies"], *([log, text] for *_, log, text in one["factors"])]
        np.testing.assert_allclose([log for log, _ in found], logs, atol=1e-4)
        np.testing.assert_allclose([factor(text) for _, text in found], np.exp(logs), rtol=0.06)
        odds = [reason[name] for name in ("odds", "lower_odds", "upper_odds")]
        np.testing.assert_allclose([factor(text) for text in one["odds"]], odds, rtol=0.06)
        assert factor(one["product"]) == pytest.approx(reason["odds"], rel=0.06)
        assert one["others"][0] == 0


def test_of_many_features_the_strongest_are_kept_and_the_others_add_up():
    cases, table = made_up_cases(4, 1, over="weights")
    names, logs = [f"x{j}" for j in range(30)], np.linspace(0.5, -2, 30).tolist()
    cases.reasons[0].update(features=names, contributions=logs, odds=np.inf, upper_odds=np.inf)
    data = evaluation_data(cases, [], table, title="")
    (case,) = data["cases"]
    # Those that speak for the rival are stronger.
    assert [log for _, _, log, _ in case["factors"]] == [round(log, 4) for log in logs[-12:]]
    assert case["others"][:2] == [18, pytest.approx(sum(logs[:-12]), abs=1e-4)]
    assert case["odds"][0] == case["odds"][2] == "over a million"
    assert "over a million" in render_evaluation(data)


def test_the_page_of_a_pool_speaks_of_weights_and_not_of_priors(of_weights):
    page = render_evaluation(of_weights)
    markup = page[: page.index("<script")]
    assert "Safe and undecided cases" in markup
    assert "The undecided cases" in markup
    assert "One class remains under all credible weights of the models." in markup
    assert "Robustness is the credibility up to which the most probable class beats every other" in markup
    body = markup[markup.index("<body>") :]
    assert "prior" not in body
    assert "super-parent" not in body
    cases, table = made_up_cases(6, 0, over="weights")
    assert "one class remains everywhere" in render_evaluation(evaluation_data(cases, [], table, title="t"))


def test_the_curve_is_put_into_words_where_half_of_the_cases_are_left():
    cases, table = made_up_cases(40, 20, over="weights")
    cases.robustness[:] = np.arange(40) / 40
    page = render_evaluation(evaluation_data(cases, [], table, title="t"))
    kept = cases.correct[20:].mean()
    assert f"{kept * 100:.1f}\u00a0% on the others if the least robust 50.0\u00a0% are set aside" in page


def test_classes_that_cannot_be_are_only_counted():
    proba = np.array([[0.6, 0.4, 0.0, 0.0]])
    interval = np.stack([proba, proba], axis=2)
    sets = np.array([[True, True, False, False]])
    reason = {"rival": CLASSES[1], "super_parents": [], "votes": [], "prior": [], "sentence": ""}
    _, table = made_up_cases(2, 0)
    cases = Cases(CLASSES, np.array([0]), np.array([0]), proba, sets, interval, np.array([0.2]), {0: reason})
    (case,) = evaluation_data(cases, [], table[:1], title="")["cases"]
    assert [bound[0] for bound in case["bounds"]] == [0, 1]
    assert case["unlikely"] == 2


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), min_size=1, max_size=30))
def test_the_curve_is_the_accuracy_of_what_is_kept(rows):
    robustness, correct = map(np.array, zip(*rows, strict=True))
    curve = accuracy_robustness_curve(robustness.astype(float), correct.astype(bool))
    assert curve["set_aside"][0] == 0
    assert curve["threshold"] == sorted({r for r, _ in rows})
    for share, accuracy, threshold in zip(*curve.values(), strict=True):
        kept = [right for r, right in rows if r >= threshold]
        assert accuracy == pytest.approx(sum(kept) / len(kept))
        assert share == pytest.approx(1 - len(kept) / len(rows))


def test_a_long_curve_keeps_its_ends():
    rng = np.random.default_rng(0)
    robustness = rng.uniform(size=5000)
    curve = accuracy_robustness_curve(robustness, rng.uniform(size=5000) < 0.7)
    assert len(curve["accuracy"]) <= 400
    assert curve["threshold"][0] == robustness.min()
    assert curve["threshold"][-1] == robustness.max()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, text):
        if self.inside:
            self.scripts[-1] += text


def parsed(page):
    parser = Tags()
    parser.feed(page)
    return parser


def test_names_and_values_stay_text(data):
    found = parsed(render_evaluation(data))
    assert found.tags.count("script") == 2
    assert "b" in found.tags  # the accuracy of the cards, and nothing of the names
    assert found.tags.count("b") == 2
    embedded = json.loads(found.scripts[0])
    assert embedded["classes"] == CLASSES.tolist()
    assert embedded["cases"] == data["cases"]


@given(st.text(max_size=30))
def test_any_text_comes_back_from_the_page(text):
    cases, table = made_up_cases(4, 1)
    cases.reasons[0]["sentence"] = text
    page = render_evaluation(evaluation_data(cases, [], table, title=text))
    clean = text.encode("utf-8", errors="replace").decode()
    assert json.loads(parsed(page).scripts[0])["cases"][0]["sentence"] == clean
    assert "</script" not in re.sub(r"</script>\n", "", page)


def test_the_page_survives_a_way_through_json(data):
    assert render_evaluation(json.loads(json.dumps(data))) == render_evaluation(data)


def test_the_page_says_what_robustness_means(data):
    assert "A safe case can have a robustness below 1" in render_evaluation(data)


def test_nothing_is_fetched_and_one_script_is_allowed(data):
    page = render_evaluation(data)
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)


def test_a_table_without_dependent_cases_says_so():
    cases, table = made_up_cases(6, 0)
    page = render_evaluation(evaluation_data(cases, made_up_ranking(), table, title="t"))
    assert "no answer depends on the prior" in page
    assert "equally robust" in page
    assert "<table" in page


def test_the_page_says_whose_cases_it_shows():
    cases, table = made_up_cases(6, 2)
    page = render_evaluation(evaluation_data(cases, made_up_ranking(), table, title="t"))
    assert "The cases of <strong>LP-AODE*</strong>" in page
    cases, table = made_up_cases(6, 2, robust=False)
    data = evaluation_data(cases, made_up_ranking(), table, title="t", classifier="ncc")
    assert data["curve"] == {"set_aside": [], "accuracy": [], "threshold": []}
    assert [case["robustness"] for case in data["cases"]] == [None, None]
    page = render_evaluation(data)
    assert "The cases of <strong>NCC</strong>" in page
    assert "LP-AODE*" not in page
    assert 'id="curve"' not in page
