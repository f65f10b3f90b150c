"""The documentation names everything that is public, and cites the numbers of the runs. No build."""

import csv
import importlib.util
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import skcredal

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
if not (DOCS / "_ext").exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)

spec = importlib.util.spec_from_file_location("api_pages", DOCS / "_ext" / "api_pages.py")
PAGES = importlib.util.module_from_spec(spec)
spec.loader.exec_module(PAGES)


def public_modules():
    """Every module without an underscore on the way to it."""
    found = pkgutil.walk_packages(skcredal.__path__, "skcredal.")
    return ["skcredal", *(info.name for info in found if "._" not in info.name)]


def test_every_public_module_and_name_is_in_the_api_reference_once():
    assert sorted(public_modules()) == sorted(PAGES.MODULES)
    for module in public_modules():
        listed = re.findall(r"^   (\w+)$", PAGES.render(module), flags=re.MULTILINE)
        own = {"__version__", "metrics", "decisions", "plots"}
        elsewhere = own if module == "skcredal" else set(skcredal.__all__)
        assert sorted(listed) == sorted(set(import_module(module).__all__) - elsewhere)


def test_every_section_that_a_comment_refers_to_is_on_the_theory_page():
    sections = set(re.findall(r"^§(\d+) ", (DOCS / "theory.rst").read_text(encoding="utf-8"), re.MULTILINE))
    for file in (ROOT / "src").rglob("*.py"):
        assert set(re.findall(r"§(\d+)", file.read_text(encoding="utf-8"))) <= sections, file


def rows_of(name):
    with (DOCS / "experiment" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_numbers_that_readme_and_pages_cite_are_those_of_the_runs():
    files = sorted((DOCS / "experiment").glob("*numbers.txt"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    found = dict(re.findall(r"^\.\. \|(\S+)\| replace:: (.*)$", text, re.MULTILINE))
    for page in (DOCS / "experiment").glob("*.rst"):
        assert set(re.findall(r"\|([\w-]+)\|", page.read_text(encoding="utf-8"))) <= set(found)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    readme = " ".join(text.split()).replace("\\*", "*")
    means = {row["classifier"]: row for row in rows_of("beyond-means.csv") + rows_of("baselines-means.csv")}
    forest, pool = means["random forest"], means["LP-AODE*"]
    for sentence in (
        "{datasets} data sets, {runs} runs of {folds}-fold cross-validation",
        "{hold-honest} of the paper's 30 claims hold, {hold-paper} in its own setting",
    ):
        assert re.sub(r"{(.*?)}", lambda name: found[name[1]], sentence) in readme
    for part in (
        f"| accuracy | {100 * float(forest['accuracy']):.1f} % | {100 * float(pool['accuracy']):.1f} % |",
        f"| {forest['log-loss']} | {pool['log-loss']} |",
        f"u65 of {pool['u65, maximal']}, COMP-AODE* {means['COMP-AODE*']['u65, maximal']}",
    ):
        assert part in readme
