"""The evaluation page's data, each number from the cases in plain Python; and names that try to be markup."""

import dataclasses
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_problems import CLASSES, FEATURES, HOSTILE, KINDS, made_up, made_up_ids
from skcredal.evaluation._cases import CaseDetails, least_certain
from skcredal.evaluation._page_data import evaluation_data, render_evaluation
from skcredal.evaluation._page_views import set_aside_curve, view

N, UNDECIDED = 203, 120


@pytest.fixture(scope="module")
def evaluation():
    return made_up(N, UNDECIDED)


@pytest.fixture(scope="module")
def data(evaluation):
    return evaluation_data(
        evaluation,
        title=HOSTILE,
        ids=made_up_ids(N),
        columns=[[HOSTILE, "numbers", "</script><b>", "none"]],
        messages=[f"3 rows have no {HOSTILE} and are left out."],
        facts={"Table": HOSTILE},
    )


def shown(data, key):
    return next(one for one in data["classifiers"] if one["key"] == key)


def plain_rows(evaluation, key):
    """The cases in plain Python: true and most probable class, its probability, and the set."""
    cases = evaluation.cases[key]
    return [
        (int(t), max(range(len(p)), key=p.__getitem__), max(p), {c for c, held in enumerate(s) if held})
        for t, p, s in zip(cases.true, cases.proba.tolist(), cases.sets.tolist(), strict=True)
    ]


every_kind = pytest.mark.parametrize("key", KINDS)


@every_kind
def test_counts_are_those_of_the_cases_for_every_threshold(evaluation, data, key):
    found, rows = shown(data, key)["view"], plain_rows(evaluation, key)
    several = [row for row in rows if len(row[3]) > 1]
    assert found["undecided"] == {
        "n": len(several),
        "correct": sum(t == best for t, best, _, _ in several),
        "held": sum(t in remain for t, _, _, remain in several),
    }
    for percent in range(101):
        close = [t == best for t, best, p, remain in rows if len(remain) == 1 and p < percent / 100]
        counts = found["decided"][:percent]
        assert [sum(n for n, _ in counts), sum(right for _, right in counts)] == [len(close), sum(close)]
        # The list would say the same; here it holds all rows.
        listed = [one for one in found["cases"] if len(one[4]) == 1 and one[3] < percent / 100 - 1e-9]
        assert len(listed) == len(close)
    assert sum(n for n, _ in found["decided"]) == N - len(several)


def test_a_probability_that_rounds_to_the_threshold_is_below_it_everywhere():
    evaluation = made_up(8, 0)
    cases = evaluation.cases["aode"]
    cases.proba[:] = [0.74996, 0.1, 0.1, 0.05004]
    cases.predicted[:] = 0
    found = view(cases, np.arange(8), {})
    assert sum(n for n, _ in found["decided"][:75]) == 8
    assert {case[3] for case in found["cases"]} == {0.7499}
    assert cases.close_calls(0.75).all()
    cases.proba[:] = [1 - 0.1 - 0.15, 0.1, 0.1, 0.05]  # 0.7499999999999999 as computed, 0.75 as meant
    found = view(cases, np.arange(8), {})
    assert sum(n for n, _ in found["decided"][:75]) == 0
    assert {case[3] for case in found["cases"]} == {0.75}
    assert not cases.close_calls(0.75).any()


@every_kind
def test_the_confusion_table_has_undecided_cases_in_columns_of_their_own(evaluation, data, key):
    expected = [[0] * (len(CLASSES) + 2) for _ in CLASSES]
    for t, best, _, remain in plain_rows(evaluation, key):
        column = best if len(remain) == 1 else len(CLASSES) + (t not in remain)
        expected[t][column] += 1
    assert shown(data, key)["view"]["confusion"] == expected


@every_kind
def test_reliability_groups_cases_by_tenths(evaluation, data, key):
    groups = {}
    for t, best, p, _ in plain_rows(evaluation, key):
        groups.setdefault(int(p * 10), []).append((p, t == best))
    expected = [
        [sum(p for p, _ in group) / len(group), sum(right for _, right in group) / len(group), len(group)]
        for _, group in sorted(groups.items())
    ]
    found = shown(data, key)["view"]["reliability"]
    assert [n for *_, n in found] == [n for *_, n in expected]
    np.testing.assert_allclose(found, expected, atol=1e-4)


@every_kind
def test_setting_aside_is_by_probability_and_by_robustness(evaluation, data, key):
    cases, found = evaluation.cases[key], shown(data, key)["view"]["aside"]
    right = [t == best for t, best, _, _ in plain_rows(evaluation, key)]
    scores = {"probability": cases.probability.tolist(), "robustness": cases.robustness.tolist()}
    for name, score in scores.items():
        if score[0] != score[0]:
            assert found[name] is None
            continue
        expected = []
        for threshold in sorted(set(score)):
            kept = [one for s, one in zip(score, right, strict=True) if s >= threshold]
            expected.append([1 - len(kept) / N, sum(kept) / len(kept)])
        if len(expected) > 200:
            # Points are left out, but none is made up.
            assert len(found[name]) <= 200
            assert all(np.abs(np.array(expected) - point).max(axis=1).min() < 1e-3 for point in found[name])
            assert [found[name][0], found[name][-1]] == [
                pytest.approx(expected[0], abs=1e-4),
                pytest.approx(expected[-1], abs=1e-4),
            ]
        else:
            np.testing.assert_allclose(found[name], expected, atol=1e-4)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.booleans()), min_size=1, max_size=30))
def test_the_curve_is_the_accuracy_of_what_is_kept(rows):
    score, correct = map(np.array, zip(*rows, strict=True))
    curve = set_aside_curve(score.astype(float), correct.astype(bool))
    thresholds = sorted({s for s, _ in rows})
    assert len(curve) == len(thresholds)
    for threshold, (share, accuracy) in zip(thresholds, curve, strict=True):
        kept = [right for s, right in rows if s >= threshold]
        assert accuracy == pytest.approx(sum(kept) / len(kept), abs=1e-4)
        assert share == pytest.approx(1 - len(kept) / len(rows), abs=1e-4)


def utility(worth, size):
    """1 for one class, ``worth`` for two, and on the parabola through them and 0 for more; by 1/size."""
    x = 1 / size
    return (4 * worth - 1) * x + (2 - 4 * worth) * x * x


@every_kind
def test_utilities_are_those_of_the_cases_for_every_worth(evaluation, data, key):
    found, rows = shown(data, key), plain_rows(evaluation, key)
    assert data["worths"] == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0]
    for at, worth in enumerate(data["worths"]):
        gained = [utility(worth, len(remain)) if t in remain else 0.0 for t, _, _, remain in rows]
        assert found["utility"][at] == pytest.approx(sum(gained) / N, abs=1e-6)


@every_kind
def test_optimal_sets_promise_most_for_every_worth(evaluation, data, key):
    cases = evaluation.cases[key]
    for at, worth in enumerate(data["worths"]):
        gained = 0.0
        for t, proba in zip(cases.true, cases.proba.tolist(), strict=True):
            order = sorted(range(len(CLASSES)), key=lambda c: -proba[c])
            sizes = range(1, len(CLASSES) + 1)
            size = max(sizes, key=lambda m: utility(worth, m) * sum(proba[c] for c in order[:m]))
            gained += utility(worth, size) * (t in order[:size])
        assert shown(data, key)["optimal"][at] == pytest.approx(gained / N, abs=1e-6)


def test_all_classes_always_and_the_null_model_stand_in_the_same_table(data):
    always = shown(data, "all classes")
    expected = [utility(worth, len(CLASSES)) for worth in data["worths"]]
    np.testing.assert_allclose(always["utility"], expected, atol=1e-6)
    assert always["accuracy"] is None
    assert always["set_accuracy"] == 1.0
    assert "view" not in always
    assert {one["key"] for one in data["classifiers"]} == {*KINDS, "all classes"}
    assert data["classifiers"][data["opening"]]["key"] == "lp-aode*"
    at_65 = [one["utility"][3] for one in data["classifiers"]]
    assert at_65 == sorted(at_65, reverse=True)
    # One of the columns is the best one, and no other is.
    for name, verdicts in (("utility", "best_is"), ("optimal", "best_optimal_is")):
        compared = [one for one in data["classifiers"] if name in one]
        for at in range(len(data["worths"])):
            best = max(one[name][at] for one in compared)
            assert all((one[verdicts][at] == "best") == (one[name][at] == best) for one in compared)


def test_the_page_knows_who_is_no_better_than_the_null_model(data):
    assert shown(data, "null")["beats_null"] is None
    assert shown(data, "lp-aode*")["beats_null"] is True
    noise = made_up(200, 50)
    wrong = dataclasses.replace(noise, sums=noise.sums | {"aode": noise.sums["null"]})
    assert shown(evaluation_data(wrong, title=""), "aode")["beats_null"] is False
    without = made_up(50, 10, names=("aode", "ncc"))
    assert shown(evaluation_data(without, title=""), "aode")["beats_null"] is None


def test_a_case_tells_its_set_its_bounds_and_its_ids(evaluation, data):
    cases, found = evaluation.cases["ncc"], shown(data, "ncc")["view"]
    assert [case[0] for case in found["cases"]][:3] != [1, 2, 3]
    for row, true, predicted, probability, remain, robustness in found["cases"]:
        r = row - 1
        assert (true, predicted) == (cases.true[r], cases.predicted[r])
        assert probability == pytest.approx(cases.probability[r], abs=1e-4)
        assert remain == np.flatnonzero(cases.sets[r]).tolist()
        assert robustness is None
        details = found["details"][str(row)]
        for c, p, lower, upper in details["bounds"]:
            assert [lower, upper] == pytest.approx(cases.details[r].interval[c], abs=1e-4)
            assert p == pytest.approx(cases.proba[r, c], abs=1e-4)
        assert "sentence" not in details
        assert "changes" not in details
    assert data["ids"]["names"] == [HOSTILE, "ward"]
    assert data["ids"]["rows"]["7"] == ["</script>6", "A"]


def test_a_classifier_without_sets_shows_probabilities_alone(evaluation, data):
    cases, found = evaluation.cases["random-forest"], shown(data, "random-forest")["view"]
    assert found["over"] is None
    row, *_ = found["cases"][0]
    assert found["details"][str(row)]["bounds"] == [
        [c, pytest.approx(cases.proba[row - 1, c], abs=1e-4)] for c in np.argsort(-cases.proba[row - 1])
    ]


def test_the_least_certain_cases_come_first_and_undecided_ones_before_all():
    probability = np.array([0.5, 0.9, 0.6, 0.99, 0.7])
    undecided = np.array([False, True, False, False, True])
    nothing = np.full(5, np.nan)
    assert least_certain(probability, undecided, nothing, 5).tolist() == [4, 1, 0, 2, 3]
    # The least robust case is not hidden behind the improbable ones, nor the other way round.
    robustness = np.array([0.9, 0.9, 0.8, 0.1, 0.9])
    assert least_certain(probability, np.zeros(5, bool), robustness, 2).tolist() == [0, 3]
    assert least_certain(probability, undecided, robustness, 2).tolist() == [4, 1]


def test_rows_keep_the_numbers_of_the_file(evaluation):
    found = evaluation_data(evaluation, title="", numbers=np.arange(N) * 2 + 5, ids=made_up_ids(N))
    seen = shown(found, "aode")["view"]
    assert {case[0] for case in seen["cases"]} == set(range(5, 2 * N + 5, 2))
    assert found["ids"]["rows"]["9"][0] == "</script>2"
    assert set(seen["details"]) <= {str(2 * r + 5) for r in range(N)}


def test_ids_may_be_numbers_and_missing(evaluation):
    ids = pd.DataFrame({"nr": [1, 2, None] + [4] * 200, "name": [None, "b"] + ["c"] * 201, 3: range(N)})
    found = evaluation_data(evaluation, title="", ids=ids)["ids"]
    assert found["names"] == ["nr", "name", "3"]
    assert [found["rows"][str(row)] for row in (1, 2, 3)] == [
        ["1.0", "", "0"],
        ["2.0", "b", "1"],
        ["", "c", "2"],
    ]
    with pytest.raises(TypeError, match="ids must be a pandas DataFrame, got a list"):
        evaluation_data(evaluation, title="", ids=[1] * N)


def test_models_without_weight_are_left_out_and_named(evaluation, data):
    reason = evaluation.cases["bma-aode*"].details[3].reason
    one = shown(data, "bma-aode*")["view"]["details"]["4"]
    assert one["left_out"] == ["sex"]
    assert [data["names"][at] for at, *_ in one["voices"]] == FEATURES
    assert [value for _, value, *_ in one["voices"]] == ["</script>", "43, up to 80", "missing"]
    np.testing.assert_allclose([vote for *_, vote, _ in one["voices"]], reason["votes"], atol=1e-4)
    np.testing.assert_allclose([prior for *_, prior in one["voices"]], reason["prior"], atol=1e-4)
    assert CLASSES[one["rival"]] == reason["rival"]
    cases = made_up(4, 2).cases["bma-aode*"]
    details = cases.details[0]
    cases.details[0] = dataclasses.replace(details, left_out=["age"])
    names = {}
    voices = view(cases, np.arange(4), names)["details"]["0"]["voices"]
    assert [list(names)[at] for at, *_ in voices] == [HOSTILE, "__proto__"]


def test_of_many_models_the_strongest_voices_are_kept():
    cases = made_up(4, 1).cases["bma-aode*"]
    names, votes = [f"x{j}" for j in range(30)], np.linspace(1, -1, 30).tolist()
    reason = cases.details[0].reason | {"super_parents": names, "votes": votes, "prior": [1 / 30] * 30}
    cases.details[0] = CaseDetails(cases.details[0].interval, reason, dict.fromkeys(names, "1"))
    found = view(cases, np.arange(4), {})["details"]["0"]
    assert [vote for _, _, vote, _ in found["voices"]] == [round(vote, 4) for vote in votes[:6] + votes[-6:]]
    assert found["silent"] == 18


def factor(text):
    return float(text.removeprefix("×").replace(",", ""))


def test_a_case_of_a_pool_tells_what_each_feature_multiplies_the_odds_by(evaluation, data):
    details = evaluation.cases["lp-aode*"].details
    found = shown(data, "lp-aode*")["view"]
    assert found["over"] == "weights"
    for r, expected in details.items():
        one, reason = found["details"][str(r + 1)], expected.reason
        assert one["sentence"] == reason["sentence"]
        assert "voices" not in one
        assert [data["names"][at] for at, *_ in one["factors"]] == FEATURES
        assert [value for _, value, *_ in one["factors"]] == [expected.values[name] for name in FEATURES]
        logs = [reason["frequencies"], *reason["contributions"]]
        pairs = [one["frequencies"], *([log, text] for *_, log, text in one["factors"])]
        np.testing.assert_allclose([log for log, _ in pairs], logs, atol=1e-4)
        np.testing.assert_allclose([factor(text) for _, text in pairs], np.exp(logs), rtol=0.06)
        odds = [reason[name] for name in ("odds", "lower_odds", "upper_odds")]
        np.testing.assert_allclose([factor(text) for text in one["odds"]], odds, rtol=0.06)
        assert factor(one["product"]) == pytest.approx(reason["odds"], rel=0.06)
        assert one["others"][0] == 0
        assert ("changes" in one) == (r < 50)
        if r < 50:
            assert [[data["names"][at], *rest] for at, *rest in one["changes"]] == [
                [change.feature, change.condition, list(change.remaining)] for change in expected.changes
            ]


def test_of_many_features_the_strongest_are_kept_and_the_others_add_up():
    cases = made_up(4, 1).cases["lp-aode*"]
    names, logs = [f"x{j}" for j in range(30)], np.linspace(0.5, -2, 30).tolist()
    reason = cases.details[0].reason | {"features": names, "contributions": logs, "odds": np.inf}
    cases.details[0] = CaseDetails(cases.details[0].interval, reason, dict.fromkeys(names, "v" * 99))
    found = view(cases, np.arange(4), {})["details"]["0"]
    # Those that speak for the rival are stronger.
    assert [log for _, _, log, _ in found["factors"]] == [round(log, 4) for log in logs[-12:]]
    assert found["factors"][0][1] == "v" * 59 + "…"
    assert found["others"][:2] == [18, pytest.approx(sum(logs[:-12]), abs=1e-4)]
    assert found["odds"][0] == "over a million"


def test_classes_that_cannot_be_are_only_counted():
    cases = made_up(4, 4).cases["ncc"]
    cases.proba[0], cases.sets[0] = [0.6, 0.4, 0.0, 0.0], [True, True, False, False]
    cases.details[0] = CaseDetails(np.stack([cases.proba[0]] * 2, axis=1))
    found = view(cases, np.arange(4), {})["details"]["0"]
    assert [c for c, *_ in found["bounds"]] == [0, 1]
    assert found["unlikely"] == 2


def test_a_large_table_lists_its_least_certain_cases():
    found = evaluation_data(made_up(10_000, 2_000), title="")
    for key in KINDS:
        seen = shown(found, key)["view"]
        assert len(seen["cases"]) == 1000
        assert 300 <= len(seen["details"]) <= 600
        assert sum(map(sum, seen["confusion"])) == 10_000
        for name in ("probability", "robustness"):
            curve = seen["aside"][name]
            assert curve is None or len(curve) <= 200
            assert curve is None or all(a[0] < b[0] for a, b in pairwise(curve))
    assert len(render_evaluation(found)) < 3_000_000


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
    assert "b" not in found.tags
    embedded = json.loads(found.scripts[0])
    assert embedded["classes"] == CLASSES.tolist()
    assert embedded["classifiers"] == data["classifiers"]
    assert embedded["ids"] == data["ids"]


@given(st.text(max_size=30))
def test_any_text_comes_back_from_the_page(text):
    evaluation = made_up(4, 1, names=("lp-aode*",))
    evaluation.cases["lp-aode*"].details[0].reason["sentence"] = text
    page = render_evaluation(evaluation_data(evaluation, title=text, messages=[text], columns=[[text] * 4]))
    clean = text.encode("utf-8", errors="replace").decode()
    embedded = json.loads(parsed(page).scripts[0])
    assert shown(embedded, "lp-aode*")["view"]["details"]["1"]["sentence"] == clean
    assert "</script" not in re.sub(r"</script>\n", "", page)


def test_the_page_survives_a_way_through_json(data):
    assert render_evaluation(json.loads(json.dumps(data))) == render_evaluation(data)


def test_nothing_is_fetched_and_one_script_is_allowed(data):
    page = render_evaluation(data)
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)


def test_words_of_the_paper_are_not_on_the_page(data):
    page = render_evaluation(data).lower()
    words = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    for word in ("prior-dependent", "determinate", " safe"):
        assert word not in words


def test_what_does_not_fit_is_refused(evaluation):
    with pytest.raises(ValueError, match="ids must have 203 rows, like the target, got 3"):
        evaluation_data(evaluation, title="", ids=made_up_ids(3))
    with pytest.raises(ValueError, match="numbers must be 203 integers"):
        evaluation_data(evaluation, title="", numbers=np.arange(3))
    with pytest.raises(ValueError, match="close_call must lie in"):
        evaluation_data(evaluation, title="", close_call=1.5)
