"""The evaluation page in Chromium: filter, sort, open a case; nothing is asked of the world outside."""

import pytest

from evaluation_problems import CLASSES, HOSTILE, made_up_cases, made_up_ranking
from skcredal.evaluation._page_data import evaluation_data, write_evaluation

MANY = 10_000


def write(folder, n, n_dependent, **options):
    cases, table = made_up_cases(n, n_dependent, **options)
    data = evaluation_data(cases, made_up_ranking(), table, title=HOSTILE, facts={HOSTILE: HOSTILE})
    return write_evaluation(folder / f"{n}.html", data).as_uri(), data


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("evaluation"), 200, 120)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write(tmp_path_factory.mktemp("evaluation"), MANY, MANY)


@pytest.fixture
def page(open_page, small, width):
    return open_page(small[0], width)


@pytest.fixture
def desktop(open_page, small):
    return open_page(small[0])


def column(page, index):
    return page.locator(f".cases tr.case td:nth-child({index})").all_inner_texts()


def header(page, name):
    return page.locator(".cases th", has=page.get_by_role("button", name=name, exact=True))


def said(page):
    return page.locator(".sorted").inner_text()


def test_it_opens_and_fits_the_width(page, small):
    assert page.title() == HOSTILE
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator(".cards li").count() == 2
    assert "120 prior-dependent" in page.locator(".cards .dependent").inner_text()
    assert page.locator("svg[role=img]").get_attribute("aria-label").startswith("Accuracy is ")
    assert page.locator("table.side tbody tr").count() == 2


def test_the_least_robust_cases_stand_first(desktop, small):
    page = desktop
    expected = sorted(case["robustness"] for case in small[1]["cases"])[:50]
    assert column(page, 5) == [f"{value:.3f}" for value in expected]
    assert header(page, "robustness").get_attribute("aria-sort") == "ascending"
    assert said(page) == "120 of 120 cases, sorted by robustness, ascending."


def test_it_sorts_by_click_and_by_key(desktop, small):
    page = desktop
    header(page, "robustness").get_by_role("button").click()
    assert header(page, "robustness").get_attribute("aria-sort") == "descending"
    highest = sorted((case["robustness"] for case in small[1]["cases"]), reverse=True)
    assert column(page, 5) == [f"{value:.3f}" for value in highest[:50]]
    header(page, "row").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert column(page, 1) == [str(r) for r in range(1, 51)]
    page.keyboard.press("Space")
    assert column(page, 1)[0] == "120"
    assert header(page, "robustness").get_attribute("aria-sort") == "none"


def test_it_filters_by_class(desktop, small):
    page = desktop
    cases = small[1]["cases"]
    page.get_by_role("combobox", name="true class").select_option(label=HOSTILE)
    assert said(page).startswith(f"{sum(case['true'] == 1 for case in cases)} of 120 cases")
    assert set(column(page, 2)) == {HOSTILE}
    page.get_by_role("combobox", name="class in the set").select_option(label="plain")
    both = [case for case in cases if case["true"] == 1 and 2 in case["set"]]
    assert len(column(page, 1)) == len(both)
    page.get_by_role("combobox", name="answer").select_option("wrong")
    wrong = [case for case in both if case["predicted"] != 1]
    assert sorted(column(page, 1)) == sorted(str(case["row"]) for case in wrong)
    robustness = [float(text) for text in column(page, 5)]
    assert robustness == sorted(robustness)


def test_a_click_opens_why(page, small):
    line = page.locator("tr.case").nth(2)
    number = int(line.locator("td").first.inner_text())
    case = next(case for case in small[1]["cases"] if case["row"] == number)
    line.locator("td").nth(1).click()
    why = page.locator("tr.why")
    assert why.count() == 1
    text = why.inner_text()
    assert case["sentence"] in text
    assert f"Robustness {case['robustness']:.3f}" in text
    for c, lower, probability, upper in case["bounds"]:
        row = why.locator("table").first.locator("tbody tr", has=page.get_by_text(CLASSES[c], exact=True))
        assert row.locator("td.number").all_inner_texts() == [
            f"{value:.3f}" for value in (lower, probability, upper)
        ]
        assert ("in set" in row.inner_text()) == (c in case["set"])
    for index, (parent, value, vote, prior) in enumerate(case["voices"]):
        row = why.locator("table").nth(1).locator("tbody tr").nth(index)
        cells = [row.locator("th").inner_text(), *row.locator("td:not(.wide-only)").all_inner_texts()]
        speaks = CLASSES[case["predicted"] if vote > 0 else case["rival"]]
        assert cells == [
            small[1]["names"][parent],
            value or "missing",
            speaks,
            f"{abs(vote):.3f}",
            f"{prior:.3f}",
        ]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    line.locator("td").nth(1).click()
    assert why.count() == 0


@pytest.fixture(scope="module")
def of_weights(tmp_path_factory):
    return write(tmp_path_factory.mktemp("evaluation"), 200, 120, over="weights")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_case_of_a_pool_shows_its_sentence_and_a_bar_for_each_feature(open_page, of_weights, width, scheme):
    address, data = of_weights
    page = open_page(address, width, color_scheme=scheme)
    line = page.locator("tr.case").nth(2)
    number = int(line.locator("td").first.inner_text())
    case = next(case for case in data["cases"] if case["row"] == number)
    line.locator("td").nth(1).click()
    why = page.locator("tr.why")
    assert page.get_by_text(case["sentence"]).is_visible()
    text = why.inner_text()
    answer, rival = CLASSES[case["predicted"]], CLASSES[case["rival"]]
    assert f"What each feature multiplies the odds of {answer} over {rival} by" in text
    assert f"the odds lie between {case['odds'][1]} and {case['odds'][2]} to 1" in text
    robustness = f"Robustness {case['robustness']:.3f}: the credibility up to which the most probable class"
    assert robustness in text
    everything = page.locator("body").inner_text()
    for word in ("super-parent", "prior", "vote"):
        assert word not in everything
    table = why.locator("table.factors")
    lines = [
        ["class frequencies", "", *case["frequencies"]],
        *([data["names"][at], value or "missing", *rest] for at, value, *rest in case["factors"]),
    ]
    longest = max(abs(log) for *_, log, _ in lines)
    assert table.locator("tbody tr").count() == len(lines)
    for index, (name, value, log, factor) in enumerate(lines):
        row = table.locator("tbody tr").nth(index)
        assert row.locator("th").inner_text() == name
        assert row.locator("td").all_inner_texts()[:2] == [value, factor]
        track = row.locator(".track")
        assert track.is_visible()
        outer, bar = track.bounding_box(), track.locator("i").bounding_box()
        # On the side of the class that it speaks for, as long as it speaks loudly, and not cut off.
        middle = outer["x"] + outer["width"] / 2
        assert bar["width"] / outer["width"] == pytest.approx(max(0.5 * abs(log) / longest, 0), abs=0.05)
        end = bar["x"] + bar["width"] if log < 0 else bar["x"]
        assert end == pytest.approx(middle, abs=4)
        assert outer["x"] + outer["width"] <= page.viewport_size["width"]
    product = case["product"]
    assert table.locator("tfoot tr").inner_text().split("\t") == [
        "product",
        "",
        product,
        f"odds of {product[1:]} to 1",
    ]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_bars_are_where_the_bounds_are(page, small):
    page.locator("tr.case button").first.click()
    (number,) = page.locator("tr.case.open td").first.all_inner_texts()
    case = next(case for case in small[1]["cases"] if case["row"] == int(number))
    _, lower, _, upper = case["bounds"][0]
    track = page.locator("tr.why .track").first
    outer, inner = track.bounding_box(), track.locator("i").bounding_box()
    assert (inner["x"] - outer["x"]) / outer["width"] == pytest.approx(lower, abs=0.01)
    assert inner["width"] / outer["width"] == pytest.approx(upper - lower, abs=0.02)


def test_the_keyboard_opens_and_closes_why(desktop):
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


def test_markup_in_names_and_values_stays_text(desktop):
    page = desktop
    page.locator("tr.case button").first.click()
    assert page.locator("script").count() == 2
    assert page.locator("tr.why th", has_text="alert(1)").count() >= 1
    assert page.locator("main b").count() == 2 + page.locator(".why .track b").count()
    options = page.get_by_role("combobox", name="true class").locator("option").all_inner_texts()
    assert sorted(options) == sorted(["all", *CLASSES])


def test_ten_thousand_cases_stay_few_elements(open_page, large):
    page = open_page(large[0])
    assert said(page).startswith("10000 of 10000")
    assert page.locator("tr.case").count() == 50
    assert page.evaluate("document.getElementsByTagName('*').length") < 2000
    assert page.get_by_role("button", name="Previous").is_disabled()
    header(page, "row").get_by_role("button").click()
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    assert column(page, 1)[0] == "151"
    assert page.locator(".pages").inner_text().split("\n")[1] == "Page 4 of 200"
    page.get_by_role("combobox", name="true class").select_option(label="plain")
    assert said(page).startswith(f"{sum(case['true'] == 2 for case in large[1]['cases'])} of 10000")
    assert page.locator(".pages").inner_text().split("\n")[1].startswith("Page 1 of ")
    page.locator("tr.case button").last.click()
    assert page.locator("tr.why").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_reader(open_page, small, lightness, scheme):
    page = open_page(small[0], color_scheme=scheme)
    page.locator("tr.case button").first.click()
    surfaces, words = ("body", "tr.why td", ".cards .safe"), ("body", "tr.why td")
    papers = [lightness(page, selector, "backgroundColor") for selector in surfaces]
    inks = [lightness(page, selector, "color") for selector in words]
    if scheme == "light":
        assert min(papers) > 600
        assert max(inks) < 200
    else:
        assert max(papers) < 200
        assert min(inks) > 600


def test_a_classifier_that_tells_no_robustness_has_a_page_without(open_page, tmp_path, width):
    page = open_page(write(tmp_path, 60, 40, robust=False)[0], width)
    assert "robustness" not in page.locator("main").inner_text().lower()
    assert page.locator(".cases thead th").count() == 4
    assert header(page, "row").get_attribute("aria-sort") == "ascending"
    assert said(page) == "40 of 40 cases, sorted by row, ascending."
    assert column(page, 1) == [str(r) for r in range(1, 41)]
    page.locator("tr.case button").first.click()
    why = page.locator("tr.why")
    assert "Undecided about row 0" in why.inner_text()
    assert why.locator("table").count() == 1
    assert why.locator("td").first.evaluate("cell => cell.colSpan") == 4
