"""The documentation names everything that is public, and its examples are all there. No build."""

import importlib.util
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import skcredal

ROOT = Path(__file__).parents[1]
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
if not (DOCS / "_ext").exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)


def own_module(name):
    """Import one of the documentation's own extensions."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = own_module("api_pages")


def public_modules():
    """Every module without an underscore on the way to it."""
    found = pkgutil.walk_packages(skcredal.__path__, "skcredal.")
    return ["skcredal", *(info.name for info in found if "._" not in info.name)]


def test_a_module_is_public_if_and_only_if_it_has_a_page():
    assert sorted(public_modules()) == sorted(PAGES.MODULES)


@pytest.mark.parametrize("module", public_modules())
def test_every_public_name_is_in_the_api_reference_once(module):
    listed = re.findall(r"^   (\w+)$", PAGES.render(module), flags=re.MULTILINE)
    elsewhere = {"__version__", "metrics", "decisions"} if module == "skcredal" else set(skcredal.__all__)
    assert sorted(listed) == sorted(set(import_module(module).__all__) - elsewhere)


def test_every_section_that_a_comment_refers_to_is_on_the_theory_page():
    sections = set(re.findall(r"^§(\d+) ", (DOCS / "theory.rst").read_text(encoding="utf-8"), re.MULTILINE))
    for file in (ROOT / "src").rglob("*.py"):
        used = set(re.findall(r"§(\d+)", file.read_text(encoding="utf-8")))
        assert used <= sections, file


def cited_numbers():
    """What the scripts of docs/experiment found in the runs, by name."""
    files = sorted((DOCS / "experiment").glob("*numbers.txt"))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return dict(re.findall(r"^\.\. \|(\S+)\| replace:: (.*)$", text, re.MULTILINE))


def test_the_readme_has_the_numbers_of_the_experiment():
    found = cited_numbers()
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for sentence in (
        "On the paper's {datasets} data sets, {runs} runs of {folds}-fold cross-validation",
        "{hold-honest} of the paper's 30 claims hold, {hold-paper} in its own setting",
        "COMP-AODE* is determinate on {determinacy-comp-aode-star} of the rows; u65 {u65-comp-aode-star} "
        "against {u65-bma-aode-star} of BMA-AODE*, {u65-cma} of CMA, {u65-cdt} of CDT and {u65-ncc} of NCC",
        "BMA-AODE* leaves {undecided-bma-aode-star} of {rows} rows undecided: "
        "its single answer is right on {right-undecided-bma-aode-star} of them, "
        "on {right-safe-bma-aode-star} of the others (COMP-AODE*: {undecided-comp-aode-star} rows, "
        "{right-undecided-comp-aode-star} against {right-safe-comp-aode-star})",
    ):
        assert re.sub(r"{(.*?)}", lambda name: found[name[1]], sentence) in readme


def test_every_number_that_a_page_cites_is_there():
    found = cited_numbers()
    for page in (DOCS / "experiment").glob("*.rst"):
        cited = re.findall(r"\|([\w-]+)\|", page.read_text(encoding="utf-8"))
        assert cited or page.stem == "peers"  # which has tables alone
        assert set(cited) <= set(found)
