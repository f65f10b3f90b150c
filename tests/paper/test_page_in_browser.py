"""The page in Chromium: it opens without a complaint or a request, and its table sorts."""

import re

import pytest

from report_problems import CLAIMS, DATASETS, FACTS, made_up_studies, made_up_summary
from skcredal.paper._page import write_report

pytest.importorskip("matplotlib")

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def address(tmp_path_factory, few_samples):
    path = tmp_path_factory.mktemp("report") / "report.html"
    names = [HOSTILE, *DATASETS[1:]]
    return write_report(path, made_up_summary(names), CLAIMS, FACTS, studies=made_up_studies(names)).as_uri()


@pytest.fixture
def page(open_page, address, width):
    return open_page(address, width)


def column(page, index):
    return page.locator(f"table.results tbody tr td:nth-child({index})").all_inner_texts()


def header(page, name):
    return page.locator("table.results th", has=page.get_by_role("button", name=re.compile(f"^{name}")))


def test_it_opens_and_everything_fits_the_width(page):
    assert page.title().startswith("Credal classification")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for index in range(len(CLAIMS)):
        assert page.locator("table.claims tbody tr").nth(index).is_visible()


def test_figures_have_a_size_and_their_text_stays_on_the_page(page):
    figures = page.locator("figure svg")
    assert figures.count() == 21
    for index in range(figures.count()):
        box = figures.nth(index).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 100
        # The reader's font is not the one that the figure was laid out with.
        overhang = figures.nth(index).evaluate(
            """svg => Math.max(...[...svg.querySelectorAll("text")].map((text) => {
                const box = text.getBoundingClientRect();
                return Math.max(-box.left, box.right - window.innerWidth);
            }))"""
        )
        assert overhang < 0


def test_the_table_sorts_by_numbers_with_gaps_last(page):
    determinacy = header(page, "determ.")
    assert determinacy.get_attribute("aria-sort") == "none"
    determinacy.get_by_role("button").click()
    assert determinacy.get_attribute("aria-sort") == "ascending"
    index = 1 + page.locator("table.results th").evaluate_all(
        "all => all.findIndex(one => one.getAttribute('aria-sort') === 'ascending')"
    )
    shown = column(page, index)
    values = [float(text) for text in shown if text != "–"]
    assert len(values) == 8 * 5
    assert values == sorted(values)
    assert shown[len(values) :] == ["–"] * 8 * 7
    determinacy.get_by_role("button").click()
    assert determinacy.get_attribute("aria-sort") == "descending"
    shown = column(page, index)
    assert [float(text) for text in shown[: len(values)]] == values[::-1]
    assert shown[len(values) :] == ["–"] * 8 * 7


def test_the_table_sorts_from_the_keyboard(page):
    classifier = header(page, "classifier")
    classifier.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert classifier.get_attribute("aria-sort") == "ascending"
    assert column(page, 2)[:8] == ["AODE"] * 8
    page.keyboard.press("Space")
    assert classifier.get_attribute("aria-sort") == "descending"
    assert column(page, 2)[0] == "TAN"
    assert "Sorted by classifier, descending" in page.get_by_role("status").inner_text()
    # Only one column says that it is sorted.
    header(page, "rows").get_by_role("button").click()
    assert classifier.get_attribute("aria-sort") == "none"


def test_the_table_shows_one_classifier_if_asked(page):
    page.get_by_role("combobox", name="classifier").select_option("COMP-AODE*")
    assert page.locator("table.results tbody tr:visible").count() == 8
    page.get_by_role("combobox", name="data set").select_option(HOSTILE)
    assert page.locator("table.results tbody tr:visible").count() == 1
    assert "1 of 96 rows shown." in page.get_by_role("status").inner_text()


def test_markup_in_a_name_stays_text(page):
    assert column(page, 1)[0] == HOSTILE
    assert page.locator("script").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_reader(open_page, address, lightness, scheme):
    page = open_page(address, color_scheme=scheme)
    paper, ink = lightness(page, "body", "backgroundColor"), lightness(page, "body", "color")
    drawn = lightness(page, "figure svg text", "fill")
    assert (paper > 600 and ink < 200 and drawn < 200) if scheme == "light" else (paper < 120 and ink > 600)
    assert scheme == "light" or drawn > 600


def test_a_wide_table_says_that_it_goes_on_to_the_right(page):
    scroller = page.locator("#results .scroller")
    cue, wide = scroller.locator(".cue"), scroller.locator(".wide")
    faded = "one => getComputedStyle(one, '::after').opacity"
    page.wait_for_timeout(300)
    assert cue.is_visible()
    assert "to the right" in cue.inner_text()
    assert scroller.evaluate(faded) == "1"
    # At the end there is nothing more to announce.
    wide.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
    page.wait_for_timeout(300)
    assert not cue.is_visible()
    assert scroller.evaluate(faded) == "0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_cue_can_be_read(open_page, address, lightness, scheme):
    page = open_page(address, color_scheme=scheme)
    difference = lightness(page, ".cue", "color") - lightness(page, "body", "backgroundColor")
    assert abs(difference) > 300
