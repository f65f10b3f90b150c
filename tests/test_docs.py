"""The documentation names everything that is public, and cites the numbers of the runs. No build."""

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
        elsewhere = {"__version__", "metrics", "decisions"} if module == "skcredal" else set(skcredal.__all__)
        assert sorted(listed) == sorted(set(import_module(module).__all__) - elsewhere)


def test_every_section_that_a_comment_refers_to_is_on_the_theory_page():
    sections = set(re.findall(r"^§(\d+) ", (DOCS / "theory.rst").read_text(encoding="utf-8"), re.MULTILINE))
    for file in (ROOT / "src").rglob("*.py"):
        assert set(re.findall(r"§(\d+)", file.read_text(encoding="utf-8"))) <= sections, file


def test_the_numbers_that_readme_and_pages_cite_are_those_of_the_runs():
    files = sorted((DOCS / "experiment").glob("*numbers.txt"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    found = dict(re.findall(r"^\.\. \|(\S+)\| replace:: (.*)$", text, re.MULTILINE))
    for page in (DOCS / "experiment").glob("*.rst"):
        assert set(re.findall(r"\|([\w-]+)\|", page.read_text(encoding="utf-8"))) <= set(found)
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for sentence in (
        "On the paper's {datasets} data sets, {runs} runs of {folds}-fold cross-validation",
        "{hold-honest} of the paper's 30 claims hold, {hold-paper} in its own setting",
        "COMP-AODE* is determinate on {determinacy-comp-aode-star} of the rows; u65 {u65-comp-aode-star} "
        "against {u65-bma-aode-star} of BMA-AODE*, {u65-cma} of CMA, {u65-cdt} of CDT and {u65-ncc} of NCC",
        "BMA-AODE* leaves {undecided-bma-aode-star} of {rows} rows undecided: "
        "its single answer is right on {right-undecided-bma-aode-star} of them, "
        "on {right-safe-bma-aode-star} of the others",
    ):
        assert re.sub(r"{(.*?)}", lambda name: found[name[1]], sentence) in readme
