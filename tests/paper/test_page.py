"""A page shows what the dict holds, asks for nothing, and takes no text for markup."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pandas as pd
import pytest

from report_problems import (
    CLAIMS,
    CLAIMS_ELSEWHERE,
    DATASETS,
    FACTS,
    made_up_claim,
    made_up_studies,
    made_up_summary,
)
from skcredal.paper._page import render_page, write_report
from skcredal.paper._report import report_data

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("few_samples")

VOID = {"meta", "link", "br", "input", "img"}
HOSTILE = "<script>alert(1)</script>"


class Page(HTMLParser):
    """The elements of a page, its text, and whether every element is closed in its turn."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.open, self.text, self.visible = [], [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if not {"script", "style"} & set(self.open):
            self.visible.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def data(few_samples):
    return report_data(made_up_summary(), CLAIMS, FACTS, studies=made_up_studies())


@pytest.fixture(scope="module")
def source(data):
    return render_page(data)


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def test_json_can_hold_the_data_and_the_page_is_the_same_after_it(data, source):
    assert render_page(json.loads(json.dumps(data, allow_nan=False))) == source


def test_the_data_has_every_part(data):
    assert [claim["verdict"] for claim in data["claims"]] == ["holds", "does not hold", "not judged"]
    assert [len(figure["panels"]) for figure in data["figures"]] == [2, 3, 2, 2, 4, 2, 1, 2, 3]
    assert len(data["table"]["rows"]) == 96
    assert len(data["table"]["columns"]) == 23
    assert {"label": "Time", "value": "3 min 14 s"} in data["run"]
    assert data["n_datasets"] == 8


def test_the_same_data_makes_the_same_page(data, source):
    assert render_page(data) == source


def test_the_parts_stand_in_order_and_nothing_is_asked_for(page, source):
    parts = [attributes["id"] for attributes in page.all("section")]
    assert parts == ["claims", "figures", "results", "run"]
    assert page.all("html") == [{"lang": "en"}]
    assert all("src" not in attributes for _, attributes in page.elements)
    links = [attributes.get("href", attributes.get("xlink:href", "")) for _, attributes in page.elements]
    leaving = [link for link in links if link and not link.startswith(("#", "data:,"))]
    # Only where the reader follows it: the paper itself.
    assert leaving == ["https://doi.org/10.48550/arXiv.1203.5716"]
    assert "url(http" not in source
    assert "@import" not in source


def test_every_reference_leads_to_one_element(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("href", "xlink:href", "aria-labelledby"):
            target = attributes.get(name, "").removeprefix("#")
            assert not target or target in ids or target == "data:," or target.startswith("https://doi.org/")
        for target in re.findall(r"url\(#([^)]*)\)", " ".join(str(value) for value in attributes.values())):
            assert target in ids


def test_claims_come_with_their_verdicts_in_words(page):
    text = " ".join(page.visible)
    for said in (
        "AODE is more accurate",
        "Section 5",
        "✓ holds",
        "✗ does not hold",
        "– not judged",
        "< 0.001",
    ):
        assert said in text
    assert "0.210" in text
    assert "Not run: cma." in text
    assert "3 claims of the paper, judged on 8 data sets:" in text


def test_every_figure_has_its_caption_and_its_text(data, page, source):
    panels = [panel for figure in data["figures"] for panel in figure["panels"]]
    assert len(page.all("svg")) == len(page.all("figcaption")) == len(panels) == 21
    for panel, svg in zip(panels, page.all("svg"), strict=True):
        assert (
            svg["aria-label"] == panel["caption"].replace(" %", "\u00a0%")
            or svg["aria-label"] == panel["caption"]
        )
    # Text that can be read aloud and searched, in colours that follow the page.
    assert "Accuracy of COMP-AODE" in "".join(page.visible)
    assert "var(--figure-first, #0072b2)" in source
    # The pointer names the data set of a point.
    assert re.search(r"<title>iris: 0\.\d{3}, 0\.\d{3}</title>", source)


def test_the_table_has_every_value(data, page):
    rows = [attributes for tag, attributes in page.elements if tag == "tr"]
    assert len(rows) == 1 + len(CLAIMS) + 1 + 96
    cells = [attributes["data-value"] for attributes in page.all("td") if "data-value" in attributes]
    values = [value for row in data["table"]["rows"] for value in row if isinstance(value, float)]
    assert list(map(float, cells)) == values


def test_text_is_never_markup():
    summary = made_up_summary([HOSTILE, "a\"b'c", "x & y", "]]>", *DATASETS[:2]])
    summary.loc[summary["classifier"] == "null", "classifier"] = HOSTILE
    claims = [
        made_up_claim(1, holds=True, **dict.fromkeys(("text", "where", "paper", "ours", "note"), HOSTILE))
    ]
    facts = {"source": HOSTILE, HOSTILE: HOSTILE, "versions": {HOSTILE: HOSTILE}, "setting": HOSTILE}
    source = render_page(report_data(summary, claims, facts))
    page = Page(source)
    assert len(page.all("script")) == 1
    assert HOSTILE not in source
    # Claim, facts, table rows of the data set and of the classifier, ticks and titles of figures.
    assert "".join(page.visible).count(HOSTILE) > 5 + 5 + 12 + 6
    assert "x & y" in "".join(page.visible)


def test_the_policy_names_the_script_that_is_there(page, source):
    import base64
    import hashlib

    script = re.search(r"<script>(.*?)</script>", source, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policies = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
    assert len(policies) == 1
    assert f"script-src 'sha256-{digest}'" in policies[0]
    assert policies[0].startswith("default-src 'none'")


@pytest.mark.parametrize("summary", [pd.DataFrame(), made_up_summary().head(0)])
def test_parts_without_content_are_left_out(summary):
    assert Page(render_page(report_data(summary, [], {}))).all("section") == []
    only_claims = Page(render_page(report_data(summary, CLAIMS, {})))
    assert [section["id"] for section in only_claims.all("section")] == ["claims"]
    assert "3 claims of the paper, judged on no data sets:" in " ".join(only_claims.visible)


def test_a_summary_of_few_classifiers_has_few_figures():
    summary = made_up_summary(classifiers=("aode", "comp-aode"))
    data = report_data(summary, [], {"source": None, "versions": {}, "note": ""})
    assert [figure["title"] for figure in data["figures"]] == [
        "Accuracy",
        "Brier loss relative to AODE",
        "Bayesian signed-rank tests",
    ]
    assert "determinacy" not in [column["name"] for column in data["table"]["columns"]]
    assert data["run"] == []


def test_a_summary_that_is_broken_is_refused():
    with pytest.raises(ValueError, match="lacks brier"):
        report_data(made_up_summary().drop(columns="brier"), [], {})
    with pytest.raises(ValueError, match="keep_default_na=False"):
        report_data(made_up_summary().replace({"classifier": {"null": None}}), [], {})


def test_studies_follow_the_papers_figures(data):
    titles = [figure["title"] for figure in data["figures"]]
    assert titles[4:] == [
        "Average ranks and critical differences",
        "How much ε matters",
        "Setting aside the least trusted answers",
        "COMP-AODE* and other ways to make sets, on the same folds",
        "Bayesian signed-rank tests",
    ]


def test_ranks_are_shown_once(data):
    ranks = next(figure for figure in data["figures"] if "ranks" in figure["title"])
    kinds = [panel["display"] for panel in ranks["panels"]]
    assert kinds == ["RanksDisplay"] * 2 + ["CriticalDifferenceDisplay"] * 2
    others = [panel["display"] for one in data["figures"] if one is not ranks for panel in one["panels"]]
    assert not {"RanksDisplay", "CriticalDifferenceDisplay"} & set(others)
    assert "a bar joins those that do not differ significantly" in ranks["text"]


def test_a_page_opens_for_somebody_who_has_not_read_the_paper(data, page, source):
    opening = source[: source.index('<section id="claims"')]
    for said in ("AODE is a classifier for tables", "prior-dependent", "0.65 under u65", "safe"):
        assert said in opening
    assert "12 classifiers were compared on 8 data sets: 10 runs of 5-fold cross-validation." in opening
    assert "G. Corani and A. Antonucci" in opening
    assert ">Credal Classification based on AODE and compression coefficients</a>" in opening


def test_setting_aside_says_what_it_means_and_what_was_found(data, page):
    text = " ".join(page.visible)
    assert "somebody else decides the rows whose answers are trusted least" in text
    assert "set aside, robustness alone finds" in text


def test_verdicts_on_other_data_sets_are_told_in_full_and_link_to_their_reasons():
    data = report_data(made_up_summary(), CLAIMS_ELSEWHERE, FACTS)
    page = Page(render_page(data))
    text = " ".join(page.visible)
    for said in (
        "– same direction, not significant on these 8 data sets",
        "✗ contradicted",
        "– not comparable",
        "What does not hold on the paper's own data sets, and why",
        "Differences of ranks at 90\u00a0% (30).",
    ):
        assert said in text
    # Claim 8 has a reason, but was not judged.
    links = [attributes["href"] for attributes in page.all("a") if attributes["href"].startswith("#why")]
    assert links == ["#why-12", "#why-30"]
    assert [item["id"] for item in page.all("li") if "id" in item] == ["why-12", "why-30"]
    counted = re.findall(r"<strong>(\d+)</strong> \S ([^<]*)</li>", render_page(data))
    assert counted == [
        ("1", "hold"),
        ("1", "same direction, not significant"),
        ("0", "not seen here"),
        ("1", "contradicted"),
        ("1", "not comparable"),
    ]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_page_does_not_depend_on_the_order_of_sets(data, source, tmp_path, seed):
    """Strings hash differently in every process; nothing on the page may follow their order."""
    (tmp_path / "data.json").write_text(json.dumps(data), encoding="utf-8")
    program = (
        "import json, sys; from skcredal.paper._page import render_page; "
        "sys.stdout.buffer.write(render_page(json.load(open(sys.argv[1], encoding='utf-8'))).encode())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    call = [sys.executable, "-c", program, str(tmp_path / "data.json")]
    done = subprocess.run(call, env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == source


def test_the_style_of_the_session_does_not_reach_the_page(data, source):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30.0, "axes.facecolor": "black", "text.usetex": True}):
        assert render_page(data) == source
        assert matplotlib.rcParams["font.size"] == 30.0


def test_the_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("before")
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("no space")))
        with pytest.raises(OSError, match="no space"):
            write_report(target, made_up_summary(DATASETS[:2]), CLAIMS, FACTS)
    assert target.read_text() == "before"
    assert write_report(str(target), made_up_summary(DATASETS[:2]), CLAIMS, FACTS) == target
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
