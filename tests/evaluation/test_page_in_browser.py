"""The page in Chromium: no complaints, a choice, filters, an order, and markup that stays text."""

import numpy as np
import pytest

from evaluation_problems import CLASSES, HOSTILE, made_up, made_up_ids
from skcredal import Answers
from skcredal.evaluation import ranking, write_evaluation


@pytest.fixture(scope="module")
def evaluation():
    return made_up(n_undecided=40)


@pytest.fixture(scope="module")
def address(evaluation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    options = {"ids": made_up_ids(200), "columns": [(HOSTILE, "numbers", "3 bins", "none")]}
    return write_evaluation(folder / "page.html", evaluation, title=HOSTILE, **options).as_uri()


def test_what_notebooks_show_is_inert(open_page, evaluation, tmp_path):
    """The page works in its frame, links and all, and reaches nothing outside of it; names stay text."""
    table = Answers(np.array([HOSTILE, "</td>"]), np.array([[0.5, 0.5]]))
    head = "<!DOCTYPE html><meta charset='utf-8'><link rel='icon' href='data:,'>"
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"{head}{table._repr_html_()}{evaluation._repr_html_()}", encoding="utf-8")
    page = open_page(notebook.as_uri())
    assert page.locator("td").all_inner_texts()[2:4] == [HOSTILE, "</td>"]
    assert page.evaluate("document.scripts.length") == 0
    (frame,) = page.frames[1:]
    assert "</script><b>x" in frame.locator("#classes").inner_text()
    frame.locator("#choice").select_option("ncc")
    assert frame.locator("tr[aria-current=true]").get_attribute("data-line") == "ncc"
    frame.locator("nav a", has_text="The cases").click()
    assert frame.evaluate("scrollY") > 0
    assert frame.url == "about:srcdoc#cases"
    assert (
        frame.evaluate("() => { try { return parent.document.title } catch { return 'refused' } }")
        == "refused"
    )


def visible_cases(page):
    return [one for one in page.query_selector_all(".case") if one.is_visible()]


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_it_opens_with_the_default_in_any_width_and_colour(open_page, address, lightness, width, scheme):
    page = open_page(address, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("#choice").input_value() == "lp-aode*"
    visible_cases(page)[0].query_selector("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "What would change the answer" in visible_cases(page)[0].inner_text()
    assert "</script><b>x" in page.locator("#classes").inner_text()
    paper, ink = lightness(page, "body", "backgroundColor"), lightness(page, "body", "color")
    assert (paper > ink) == (scheme == "light")


def test_every_classifier_can_be_chosen(open_page, address, evaluation):
    page = open_page(address)
    for name, cases in evaluation.cases.items():
        page.locator(f'button[data-choose="{name}"]').click()
        assert page.locator("#choice").input_value() == name
        tiles = page.locator(".tiles:visible strong").all_inner_texts()
        assert tiles[0] == str((~cases.undecided).sum())
        assert page.locator("tr[aria-current=true]").get_attribute("data-line") == name


def test_cases_are_filtered_and_sorted(open_page, address, evaluation):
    page, cases = open_page(address), evaluation.cases["lp-aode*"]
    assert len(visible_cases(page)) == cases.undecided.sum() == 40
    page.locator("select[name=kind]:visible").select_option("")
    page.locator("select[name=true]:visible").select_option("3")
    assert len(visible_cases(page)) == (cases.true == 3).sum()
    page.locator("select[name=right]:visible").select_option("no")
    assert len(visible_cases(page)) == ((cases.true == 3) & ~cases.correct).sum()
    head = page.locator(".heads:visible button", has_text="probability")
    for press, sign in ((head.click, 1), (lambda: head.press("Enter"), -1)):
        press()
        spans = [one.query_selector_all("summary span")[2] for one in visible_cases(page)]
        found = [sign * float(span.get_attribute("data-value")) for span in spans]
        assert found == sorted(found)


def test_the_ranking_is_sorted_by_any_measure(open_page, tmp_path):
    evaluation = made_up(60, 20, classes=CLASSES[:2])
    page = open_page(write_evaluation(tmp_path / "page.html", evaluation, title="t").as_uri())
    rows = [row for row in ranking(evaluation) if row["classifier"] != "all classes"]
    for head, name, sign in (("log-loss", "log_loss", 1), ("AUC", "auc", -1)):
        page.locator(".sortable thead button", has_text=head).click()
        lines = [line.get_attribute("data-line") for line in page.query_selector_all("[data-line]")]
        expected = [row["classifier"] for row in sorted(rows, key=lambda row: sign * row[name])]
        # What has no such measure comes last.
        assert lines == [*expected, "all classes"]


def test_without_script_everything_of_the_default_is_there(open_page, address):
    page = open_page(address, java_script_enabled=False)
    assert page.locator("#choice").is_hidden()
    assert len(visible_cases(page)) == 200
    visible_cases(page)[0].query_selector("summary").click()
    assert "What would change the answer" in visible_cases(page)[0].inner_text()
