"""The documentation names everything that is public, and its examples are all there. No build."""

import ast
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

# Parts of the package that are not for users: named here so that a new module is a decision.
INTERNAL = re.compile(
    r"skcredal\.(_|kernels|cli|ensemble(?!\.counts$)|classifiers\.(?!base$|credal$)|data\.(?!datasets$|files$)"
    r"|report\.|scale\.|experiment\.(claim_rules|rank_rules|fold)|[\w.]+\._)"
)


def api_pages():
    spec = importlib.util.spec_from_file_location("api_pages", DOCS / "_ext" / "api_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = api_pages()


def public_modules():
    """Every module with public names of its own, found by walking the package."""
    found = pkgutil.walk_packages(skcredal.__path__, "skcredal.")
    names = ["skcredal", *(info.name for info in found if not INTERNAL.match(info.name))]
    return [name for name in names if getattr(import_module(name), "__all__", [])]


@pytest.mark.parametrize("module", public_modules())
def test_every_public_name_is_in_the_api_reference(module):
    assert module in PAGES.MODULES
    listed = re.findall(r"^   (\w+)$", PAGES.render(module), flags=re.MULTILINE)
    modules = {"metrics", "decisions"} if module == "skcredal" else set()
    public = set(import_module(module).__all__) - {"__version__"} - modules
    assert sorted(listed) == sorted(public)


def test_modules_that_the_package_exports_have_pages_of_their_own():
    assert {"skcredal.metrics", "skcredal.decisions"} <= set(PAGES.MODULES)


def test_a_group_cannot_name_what_is_not_public(monkeypatch):
    monkeypatch.setitem(PAGES.MODULES, "skcredal.decisions", ("Decisions", {"Group": ["no_such_name"]}))
    with pytest.raises(ValueError, match=r"skcredal\.decisions has no public no_such_name"):
        PAGES.render("skcredal.decisions")


def test_pages_are_written_once_and_only_for_modules_with_names(tmp_path):
    PAGES.write_pages(tmp_path / "api")
    files = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "api").iterdir()}
    with_names = {module for module in PAGES.MODULES if import_module(module).__all__}
    assert set(files) == {"index.rst", *(f"mod-{module}.rst" for module in with_names)}
    PAGES.write_pages(tmp_path / "api")
    assert {file.name: file.stat().st_mtime_ns for file in (tmp_path / "api").iterdir()} == files


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_an_example_has_a_title_and_ends_in_a_picture(example):
    tree = ast.parse(example.read_text(encoding="utf-8"))
    title, line = ast.get_docstring(tree).splitlines()[:2]
    assert line == "=" * len(title)
    assert ast.unparse(tree.body[-1]) == "plt.show()"


def test_the_gallery_has_the_promised_examples():
    assert len(list(EXAMPLES.glob("*.py"))) >= 8


def test_every_section_that_a_comment_refers_to_is_on_the_theory_page():
    sections = set(re.findall(r"^§(\d+) ", (DOCS / "theory.rst").read_text(encoding="utf-8"), re.MULTILINE))
    for file in (ROOT / "src").rglob("*.py"):
        used = set(re.findall(r"§(\d+)", file.read_text(encoding="utf-8")))
        assert used <= sections, file
