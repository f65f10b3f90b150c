"""The evaluation page in Chromium: choose, move, filter, sort, open a case; nothing is asked of the world."""

import dataclasses
import math

import pytest

from evaluation_problems import CLASSES, FEATURES, HOSTILE, made_up, made_up_ids
from skcredal.evaluation._page_data import evaluation_data, write_evaluation

MANY = 10_000
LP, BMA, NCC, FOREST = "LP-AODE*", "BMA-AODE*", "NCC", "random forest"


def write(folder, evaluation, **options):
    n = len(next(iter(evaluation.cases.values())).true)
    data = evaluation_data(
        evaluation,
        title=HOSTILE,
        ids=made_up_ids(n),
        columns=[[HOSTILE, "numbers from 1 to 9", "3 bins: up to 2, to 5, above", "none"]],
        messages=[f"3 of {n} rows have no {HOSTILE} and are left out."],
        facts={HOSTILE: HOSTILE},
        **options,
    )
    return write_evaluation(folder / "page.html", data).as_uri(), data


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("evaluation"), made_up(200, 120))


@pytest.fixture
def page(open_page, small, width):
    return open_page(small[0], width)


@pytest.fixture
def desktop(open_page, small):
    return open_page(small[0])


def about(data, name):
    return next(one for one in data["classifiers"] if one["name"] == name)


def column(page, index):
    return page.locator(f".cases tr.case td:nth-child({index})").all_inner_texts()


def header(page, name):
    return page.locator(".cases th", has=page.get_by_role("button", name=name, exact=True))


def said(page):
    return page.locator(".sorted").inner_text()


def choose(page, name):
    page.get_by_label("Classifier", exact=True).select_option(label=name)


def move(page, selector, value):
    page.locator(selector).evaluate(
        "(one, value) => { one.value = value; one.dispatchEvent(new Event('input')); }", str(value)
    )


def percent(part, whole=1):
    # Half up, as JavaScript does.
    return f"{math.floor(1000 * part / whole + 0.5) / 10:.1f}\u00a0%"


def lines(page, selector):
    """The cells of each line of a table's body."""
    return [row.locator("th, td").all_inner_texts() for row in page.locator(f"{selector} tbody > tr").all()]


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_it_opens_with_the_default_and_fits_the_width(page, small):
    one = about(small[1], LP)
    assert page.title() == HOSTILE
    assert fits(page)
    assert page.locator("#lead").inner_text().startswith(f"{LP} names the right class first in ")
    assert percent(one["accuracy"]) in page.locator("#lead").inner_text()
    assert page.locator("#choice option").all_inner_texts() == [
        one["name"] for one in small[1]["classifiers"] if "view" in one
    ]
    headings = page.locator("h2").all_inner_texts()
    assert headings[0] == "What it answers"
    assert {"The cases", "Data notes", "How it was run"} <= set(headings)
    assert "rows have no <script>alert(1)</script> and are left out" in page.locator("#notes").inner_text()
    assert lines(page, ".notes") == [[HOSTILE, "numbers from 1 to 9", "3 bins: up to 2, to 5, above", "none"]]


def cards(page):
    return {
        kind: page.locator(f".cards .{kind}").inner_text().split("\n", 1)
        for kind in ("decided", "close", "undecided")
        if page.locator(f".cards .{kind}").count()
    }


def test_the_two_kinds_of_doubt_stand_side_by_side_and_say_how_often_they_were_right(page, small):
    seen = about(small[1], LP)["view"]
    found = cards(page)
    n, right = (sum(row[at] for row in seen["decided"]) for at in (0, 1))
    assert found["decided"][0].startswith(f"{n} decided")
    assert f"It was right in {percent(right, n)} of these cases." in found["decided"][1]
    several = seen["undecided"]
    assert found["undecided"][0].startswith("120 undecided")
    assert f"among them in {percent(several['held'], 120)}" in found["undecided"][1]
    assert f"the most probable is right in {percent(several['correct'], 120)}" in found["undecided"][1]
    words = page.locator("body").inner_text().lower()
    assert " safe" not in words
    assert "dependent" not in words


def test_the_threshold_moves_counts_and_list(desktop, small):
    page, seen = desktop, about(small[1], LP)["view"]
    page.get_by_role("combobox", name="show").select_option("close call")
    counts = []
    for threshold in (75, 60, 90, 0, 100, 55):
        move(page, "#threshold", threshold)
        close = [case for case in seen["cases"] if len(case[4]) == 1 and case[3] < threshold / 100]
        right = sum(case[1] == case[2] for case in close)
        found = cards(page)["close"]
        assert page.locator("#threshold-shown").inner_text() == f"{threshold}\u00a0%"
        assert found[0].startswith(f"{len(close)} close calls")
        assert f"below {threshold}\u00a0%" in found[1]
        assert not close or f"It was right in {percent(right, len(close))} of these cases." in found[1]
        assert said(page).startswith(f"{len(close)} of 200 cases")
        assert sorted(map(int, column(page, 1))) == sorted(case[0] for case in close)[:50] or len(close) > 50
        counts.append(len(close))
    assert len(set(counts)) >= 5
    # What is decided does not depend on it.
    assert cards(page)["decided"][0].startswith("80 decided")


def test_the_threshold_begins_where_the_call_put_it(open_page, tmp_path):
    page = open_page(write(tmp_path, made_up(60, 20), close_call=0.3)[0])
    assert page.locator("#threshold").input_value() == "30"
    assert page.locator("#threshold-shown").inner_text() == "30\u00a0%"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_decided_is_never_green(open_page, small, scheme):
    page = open_page(small[0], color_scheme=scheme)
    for selector in (".cards .decided", ".cards .decided strong", ".cards .close", "tr.case td"):
        for which in ("color", "backgroundColor", "borderLeftColor"):
            colour = page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{which}")
            red, green, blue = (int(part) for part in colour.strip("rgba()").split(",")[:3])
            assert green <= max(red, blue), (selector, which, colour)


def test_every_classifier_can_be_chosen(page, small):
    for one in small[1]["classifiers"]:
        if "view" not in one:
            continue
        choose(page, one["name"])
        assert page.locator("#lead strong").inner_text() == one["name"]
        found = cards(page)
        assert found["decided"][0].startswith(f"{sum(n for n, _ in one['view']['decided'])} decided")
        assert ("undecided" in found) == one["credal"]
        assert ("has no sets" in page.locator("#lead").inner_text()) == (not one["credal"])
        assert page.locator("#classifiers tr[aria-current] th").inner_text().startswith(one["name"])
        none = not one["view"]["undecided"]["n"]
        assert page.locator(".none-undecided").is_visible() == none
        assert page.get_by_role("combobox", name="show").input_value() == ("" if none else "undecided")
        assert fits(page)
    # The names in the table choose as well.
    page.locator("#classifiers").get_by_role("button", name=NCC, exact=True).click()
    assert page.locator("#lead strong").inner_text() == NCC
    assert page.get_by_label("Classifier", exact=True).locator("option:checked").inner_text() == NCC


def test_if_nothing_is_undecided_the_least_robust_and_least_probable_cases_are_shown(open_page, tmp_path):
    address, data = write(tmp_path, made_up(80, 0))
    page = open_page(address)
    words = "No case is undecided. Here are the least robust and the least probable answers."
    assert page.locator(".none-undecided").inner_text() == words
    cases = about(data, LP)["view"]["cases"]
    assert column(page, 1)[:10] == [str(case[0]) for case in cases[:10]]
    rows = {int(row) for row in column(page, 1)[:2]}
    assert min(cases, key=lambda case: case[3])[0] in rows
    assert min(cases, key=lambda case: case[5])[0] in rows
    choose(page, FOREST)
    words = "A classifier without sets leaves no case undecided. Here are the least probable answers."
    assert page.locator(".none-undecided").inner_text() == words
    by_probability = sorted(about(data, FOREST)["view"]["cases"], key=lambda case: case[3])
    assert column(page, 3)[:3] == [percent(case[3]) for case in by_probability[:3]]


def test_the_worth_of_a_pair_ranks_the_table_anew(desktop, small):
    page, data = desktop, small[1]
    orders = set()
    for by, verdicts in (("utility", "best_is"), ("optimal", "best_optimal_is")):
        button = {"utility": "utility", "optimal": "optimal sets"}[by]
        page.locator("#classifiers").get_by_role("button", name=button, exact=True).click()
        for at, worth in enumerate(data["worths"]):
            move(page, "#worth", at)
            assert page.locator("#worth-shown").inner_text() == f"{worth:.2f} (u{round(100 * worth)})"
            ranked = sorted(data["classifiers"], key=lambda one: -one[by][at] if by in one else 1)
            found = lines(page, "#classifiers")
            assert [line[0].split("\n")[0] for line in found] == [one["name"] for one in ranked]
            for line, one in zip(found, ranked, strict=True):
                assert line[1] == f"{one['utility'][at]:.3f}"
                assert line[2] == (f"{one['optimal'][at]:.3f}" if "optimal" in one else "–")
                assert line[3] == (one[verdicts][at] if verdicts in one else "–")
            orders.add(tuple(line[0] for line in found))
    assert len(orders) > 2
    assert page.locator("#classifiers th[aria-sort=descending]").inner_text().startswith("optimal sets")


def test_a_page_of_noise_says_so_by_itself(open_page, tmp_path):
    noise = made_up(100, 30)
    noise = dataclasses.replace(noise, sums=noise.sums | {"lp-aode*": noise.sums["null"]})
    address, data = write(tmp_path, noise)
    page = open_page(address)
    most = CLASSES[data["most_frequent"]["class"]]
    warning = page.locator(".null-model")
    assert warning.inner_text().startswith(f"No better than always saying “{most}”, which is right in ")
    assert percent(data["most_frequent"]["share"]) in warning.inner_text()
    line = page.locator("#classifiers tr[aria-current] th").inner_text()
    assert line.split("\n") == [LP, f"no better than always saying “{most}”"]
    choose(page, BMA)
    assert about(data, BMA)["beats_null"]
    assert not warning.is_visible()


@pytest.mark.parametrize("name", [LP, FOREST])
def test_each_class_has_its_recall_precision_and_undecided(desktop, small, name):
    page = desktop
    choose(page, name)
    one, k = about(small[1], name), len(CLASSES)
    cases = one["view"]["cases"]  # all of them
    assert len(cases) == 200
    by_class, confusion = lines(page, ".by-class"), lines(page, ".confusion")
    for c in range(k):
        mine = [case for case in cases if case[1] == c]
        decided = [case for case in mine if len(case[4]) == 1]
        told = [case for case in cases if case[4] == [c]]
        right = sum(case[4] == [c] for case in mine)
        shares = [percent(right, len(mine)), percent(right, len(told))]
        if one["credal"]:
            shares.append(percent(len(mine) - len(decided), len(mine)))
        assert by_class[c] == [CLASSES[c], str(len(mine)), *shares]
        counts = [sum(case[4] == [d] for case in mine) for d in range(k)]
        if one["credal"]:
            several = [case for case in mine if len(case[4]) > 1]
            counts += [sum(c in case[4] for case in several), sum(c not in case[4] for case in several)]
        assert confusion[c] == [CLASSES[c], *(str(n) if n else "·" for n in counts)]
    heads = page.locator(".confusion thead th").all_inner_texts()
    assert ("undecided, true class in the set" in heads) == one["credal"]


def test_the_reliability_diagram_shows_every_group(desktop, small):
    groups = about(small[1], LP)["view"]["reliability"]
    svg = desktop.locator(".figure.reliability svg")
    titles = svg.locator("circle title").all_text_contents()
    assert titles == [
        f"{n} case{'' if n == 1 else 's'}: {percent(p)} said, {percent(accuracy)} right"
        for p, accuracy, n in groups
    ]
    assert svg.locator("text.axis").all_text_contents() == [
        "probability of the most probable class",
        "share that was right",
    ]
    # Points stand where their numbers are, by the labels of the axis.
    (low, y_low), (high, y_high) = [(int(text) / 100, at) for text, at in ticks(svg).items()][:2]
    for circle, (_, accuracy, _) in zip(svg.locator("circle").all(), groups, strict=True):
        expected = y_low + (accuracy - low) / (high - low) * (y_high - y_low)
        assert float(circle.get_attribute("cy")) == pytest.approx(expected, abs=0.1)


def ticks(svg):
    """The labels of the vertical axis, with their positions."""
    found = svg.locator("text:not(.axis)[text-anchor=end]").all()
    # A label stands a little below its line.
    return {text.text_content().removesuffix("\u00a0%"): float(text.get_attribute("y")) - 4 for text in found}


def test_the_curves_have_axis_titles_and_a_scale_that_is_not_blown_up(desktop, small):
    page, seen = desktop, about(small[1], LP)["view"]["aside"]
    svg = page.locator(".figure.aside svg")
    assert svg.locator("text.axis").all_text_contents() == [
        "share of cases set aside",
        "accuracy on the others",
    ]
    assert page.locator(".figure.aside .legend li").all_inner_texts() == [
        "the least probable first",
        "the least robust first",
    ]
    assert svg.locator("path.line").count() == 2
    shown = sorted(int(text) for text in ticks(svg))
    assert shown[-1] >= 90
    assert shown[-1] - shown[0] >= 20
    caption = page.locator(".figure.aside figcaption").inner_text()
    for name in ("probability", "robustness"):
        after = [accuracy for share, accuracy in seen[name] if share <= 0.1 + 1e-9][-1]
        assert f"{percent(after)} by {name}" in caption
    assert f"Accuracy is {percent(seen['probability'][0][1])} on all 200 cases" in caption
    choose(page, NCC)
    assert page.locator(".figure.aside path.line").count() == 1
    assert "does not tell how robust" in page.locator(".figure.aside").inner_text()


def test_it_sorts_by_click_and_by_key(desktop, small):
    page = desktop
    cases = [case for case in about(small[1], LP)["view"]["cases"] if len(case[4]) > 1]
    assert said(page) == "120 of 200 cases, the least certain first."
    header(page, "robustness").get_by_role("button").click()
    assert header(page, "robustness").get_attribute("aria-sort") == "ascending"
    assert column(page, 4) == [f"{value:.3f}" for value in sorted(case[5] for case in cases)[:50]]
    header(page, "robustness").get_by_role("button").click()
    assert header(page, "robustness").get_attribute("aria-sort") == "descending"
    header(page, "row").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert column(page, 1) == [str(r) for r in range(1, 51)]
    page.keyboard.press("Space")
    assert column(page, 1)[0] == "120"
    assert said(page) == "120 of 200 cases, sorted by row, descending."


def test_it_filters_by_class(desktop, small):
    page, cases = desktop, about(small[1], LP)["view"]["cases"]
    page.get_by_role("combobox", name="show").select_option("")
    page.get_by_role("combobox", name="true class").select_option(label=HOSTILE)
    mine = [case for case in cases if CLASSES[case[1]] == HOSTILE]
    assert said(page).startswith(f"{len(mine)} of 200 cases")
    assert set(column(page, 5)) == {HOSTILE}
    page.get_by_role("combobox", name="class in the set").select_option(label="plain")
    both = [case for case in mine if 3 in case[4]]
    assert len(column(page, 1)) == len(both)
    page.get_by_role("combobox", name="answer").select_option("wrong")
    wrong = [case for case in both if case[2] != case[1]]
    assert sorted(column(page, 1)) == sorted(str(case[0]) for case in wrong)
    page.get_by_role("combobox", name="show").select_option("undecided")
    assert len(column(page, 1)) == sum(len(case[4]) > 1 for case in wrong)


def test_set_and_probability_are_seen_without_scrolling(page):
    right = page.viewport_size["width"]
    for index in (1, 2, 3):
        box = page.locator(f".cases tr.case td:nth-child({index})").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= right
    assert header(page, "what remains").count() == header(page, "probability").count() == 1


def open_case(page, data, name, at=2):
    choose(page, name)
    line = page.locator("tr.case").nth(at)
    number = int(line.locator("td").first.inner_text())
    line.locator("td").nth(1).click()
    seen = about(data, name)["view"]
    return next(one for one in seen["cases"] if one[0] == number), seen["details"][str(number)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_case_of_a_pool_shows_what_would_change_it_and_a_bar_for_each_feature(
    open_page, small, width, scheme
):
    address, data = small
    page = open_page(address, width, color_scheme=scheme)
    (row, true, predicted, *_), case = open_case(page, data, LP)
    why = page.locator("tr.why")
    text = why.inner_text()
    answer, rival = CLASSES[predicted], CLASSES[case["rival"]]
    assert f"{HOSTILE} </script>{row - 1}, ward A" in text
    assert f"The true class, {CLASSES[true]}, is " in text
    assert page.get_by_text(case["sentence"]).is_visible()
    assert f"between {case['odds'][1]} and {case['odds'][2]} to 1" in text
    assert "up to this credibility the most probable class beats every other" in text
    # Words for specialists are not on the page.
    for word in ("super-parent", "prior", "vote", "tree", "region"):
        assert word not in page.locator("body").inner_text()
    table = why.locator("table.factors")
    expected = [
        ["how frequent the classes are", "", *case["frequencies"]],
        *([data["names"][at], value, *rest] for at, value, *rest in case["factors"]),
    ]
    longest = max(abs(log) for *_, log, _ in expected)
    assert table.locator("tbody tr").count() == len(expected)
    for index, (name, value, log, factor) in enumerate(expected):
        line = table.locator("tbody tr").nth(index)
        assert line.locator("th").inner_text() == name
        assert line.locator("td").all_inner_texts()[:2] == [value, factor]
        track = line.locator(".track")
        outer, bar = track.bounding_box(), track.locator("i").bounding_box()
        # On the side of the class that it speaks for, as long as it speaks loudly, and not cut off.
        middle = outer["x"] + outer["width"] / 2
        assert bar["width"] / outer["width"] == pytest.approx(0.5 * abs(log) / longest, abs=0.05)
        end = bar["x"] + bar["width"] if log < 0 else bar["x"]
        assert end == pytest.approx(middle, abs=4)
        assert outer["x"] + outer["width"] <= page.viewport_size["width"]
    assert case["product"] in table.locator("tfoot tr").inner_text()
    assert f"What speaks for {answer}, and what for {rival}" in text
    assert fits(page)


def test_what_would_change_the_answer_is_a_list(desktop, small):
    data = small[1]
    page = desktop
    page.get_by_role("combobox", name="show").select_option("undecided")
    header(page, "row").get_by_role("button").click()
    number = int(column(page, 1)[0])
    page.locator("tr.case button").first.click()
    case = about(data, LP)["view"]["details"][str(number)]
    expected = []
    for at, condition, remain in case["changes"]:
        would = (
            f"{CLASSES[remain[0]]} alone" if len(remain) == 1 else " and ".join(CLASSES[c] for c in remain)
        )
        between = "" if len(remain) == 1 else "undecided between "
        expected.append(f"With {data['names'][at]} {condition} the answer would be {between}{would}.")
    assert page.locator(".changes li").all_inner_texts() == expected
    # Others are not tried.
    choose(page, BMA)
    page.locator("tr.case button").first.click()
    assert "What would change the answer" not in page.locator("tr.why").inner_text()


def test_a_case_of_models_has_their_votes_and_its_prior_behind_a_click(page, small):
    (_, _, predicted, *_), case = open_case(page, small[1], BMA)
    why = page.locator("tr.why")
    table = lines(page, "tr.why table.votes")
    for line, (parent, value, vote, _) in zip(table, case["voices"], strict=True):
        speaks = CLASSES[predicted if vote > 0 else case["rival"]]
        assert line[:4] == [small[1]["names"][parent], value, speaks, f"{abs(vote):.3f}"]
    assert "Left out for lack of weight: the model around sex." in why.inner_text()
    for word in ("super-parent", "prior"):
        assert word not in page.locator("body").inner_text()
    why.get_by_text("For specialists").click()
    assert lines(page, "tr.why details table") == [
        [FEATURES[at], f"{prior:.3f}"] for at, (*_, prior) in enumerate(case["voices"])
    ]
    assert "super-parent" in why.inner_text()
    assert fits(page)


@pytest.mark.parametrize("name", [NCC, FOREST])
def test_a_classifier_without_reasons_shows_set_bounds_and_probability(page, small, name):
    (_, _, _, _, remain, _), case = open_case(page, small[1], name)
    why = page.locator("tr.why")
    table = why.locator("table").first
    assert why.locator("table").count() == 1
    for c, *numbers in case["bounds"]:
        row = table.locator("tbody tr", has=page.get_by_text(CLASSES[c], exact=True))
        assert row.locator("td.number").all_inner_texts() == [f"{value:.3f}" for value in numbers]
        if name == NCC:
            assert ("remains" in row.inner_text()) == (c in remain)
    assert len(case["bounds"][0]) == (4 if name == NCC else 2)
    assert header(page, "robustness").count() == 0
    assert fits(page)


def test_bars_are_where_the_bounds_are(page, small):
    _, case = open_case(page, small[1], LP, at=0)
    _, _, lower, upper = case["bounds"][0]
    track = page.locator("tr.why .track").first
    outer, inner = track.bounding_box(), track.locator("i").bounding_box()
    assert (inner["x"] - outer["x"]) / outer["width"] == pytest.approx(lower, abs=0.01)
    assert inner["width"] / outer["width"] == pytest.approx(upper - lower, abs=0.02)


def test_the_keyboard_reaches_everything(desktop):
    page = desktop
    button = page.locator("tr.case button").nth(1)
    assert button.get_attribute("aria-expanded") == "false"
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(f"#{button.get_attribute('aria-controls')}").is_visible()
    # Another case closes the first.
    page.locator("tr.case button").nth(3).focus()
    page.keyboard.press("Space")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.locator("tr.why").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("tr.why").count() == 0
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 4
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#threshold-shown").inner_text() == "76\u00a0%"
    assert "below 76" in cards(page)["close"][1]
    page.locator("#worth").focus()
    page.keyboard.press("End")
    assert page.locator("#worth-shown").inner_text() == "1.00 (u100)"
    page.get_by_label("Classifier", exact=True).focus()
    before = page.locator("#lead strong").inner_text()
    page.keyboard.press("ArrowDown")
    assert page.locator("#lead strong").inner_text() != before


def test_markup_in_names_and_values_stays_text(desktop):
    page = desktop
    for name in (LP, BMA, NCC, FOREST):
        choose(page, name)
        page.locator("tr.case button").first.click()
    assert page.locator("script").count() == 2
    assert page.locator("b").count() == page.locator(".track b, .changes b").count()
    options = page.get_by_role("combobox", name="true class").locator("option").all_inner_texts()
    assert sorted(options) == sorted(["all", *CLASSES])
    assert column(page, 6)[0].startswith("</script>")
    assert page.locator("#run dd").inner_text() == HOSTILE


def test_ten_thousand_rows_stay_few_elements(open_page, tmp_path):
    address, data = write(tmp_path, made_up(MANY, MANY))
    assert (tmp_path / "page.html").stat().st_size < 3_000_000
    page = open_page(address)
    assert said(page).startswith(
        "1000 of 1000 cases, the least certain first; only the 1000 least certain of"
    )
    assert cards(page)["undecided"][0].startswith("10000 undecided")
    assert page.locator("tr.case").count() == 50
    assert page.evaluate("document.getElementsByTagName('*').length") < 2000
    assert page.get_by_role("button", name="Previous").is_disabled()
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    cases = about(data, LP)["view"]["cases"]
    assert column(page, 1)[0] == str(cases[150][0])
    assert page.locator(".pages").inner_text().split("\n")[1] == "Page 4 of 20"
    page.get_by_role("combobox", name="true class").select_option(label="plain")
    assert said(page).startswith(f"{sum(case[1] == 3 for case in cases)} of 1000")
    assert page.locator(".pages").inner_text().split("\n")[1].startswith("Page 1 of ")
    page.locator("tr.case button").last.click()
    assert page.locator("tr.why").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_reader(open_page, small, lightness, scheme):
    page = open_page(small[0], color_scheme=scheme)
    page.locator("tr.case button").first.click()
    surfaces, words = ("body", "tr.why td", ".cards .decided"), ("body", "tr.why td")
    papers = [lightness(page, selector, "backgroundColor") for selector in surfaces]
    inks = [lightness(page, selector, "color") for selector in words]
    if scheme == "light":
        assert min(papers) > 600
        assert max(inks) < 200
    else:
        assert max(papers) < 200
        assert min(inks) > 600
