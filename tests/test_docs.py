"""The documentation names everything that is public, and its examples are all there. No build."""

import ast
import csv
import importlib.util
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.utils._testing import assert_docstring_consistency

import skcredal
from skcredal.evaluation import CLASSIFIERS
from skcredal.paper._claims import _CLAIMS
from skcredal.paper._report import PAPER

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


def test_every_example_has_its_place_in_the_gallery():
    """What a reader asks first comes first, not what begins with an a."""
    order = list(own_module("gallery").EXAMPLES)
    assert sorted(order) == sorted(file.stem for file in EXAMPLES.glob("*.py"))
    assert order[0] == "why_undecided"
    key = own_module("gallery").ByInterest("examples")
    assert sorted(["mixed_table.py", "why_undecided.py"], key=key) == ["why_undecided.py", "mixed_table.py"]
    assert '"within_subsection_order": "gallery.ByInterest"' in (DOCS / "conf.py").read_text(encoding="utf-8")


def test_the_picture_has_a_dark_variant_and_fits_a_phone():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    home = (DOCS / "index.rst").read_text(encoding="utf-8")
    assert '<source media="(prefers-color-scheme: dark)" srcset="docs/_static/set_valued-dark.svg">' in readme
    for name, scheme, ink in (
        ("set_valued", "only-light", "#24292f"),
        ("set_valued-dark", "only-dark", "#e6e9ec"),
    ):
        assert f".. image:: _static/{name}.svg\n   :class: {scheme}" in home
        svg = (DOCS / "_static" / f"{name}.svg").read_text(encoding="utf-8")
        assert ink in svg
        # Points: letters of 12 are about as large on a phone of 390 pixels.
        assert float(re.search(r'width="([\d.]+)pt"', svg)[1]) < 400


def test_when_to_use_which_says_how_often_each_is_undecided():
    page = (DOCS / "guide" / "choose.rst").read_text(encoding="utf-8")
    determinacy = {row["classifier"]: row["determ."] for row in rows_of("beyond-means.csv")}
    found = cited_numbers()
    credal = [name for name, make in CLASSIFIERS.items() if hasattr(make(), "predict_set")]
    assert len(credal) == 7
    for name in credal:
        key = f"undecided-mean-{name.replace('*', '-star')}"
        # Not inside of bold text, where it would stay as it is.
        assert f"**Undecided** on |{key}| of the rows" in page
        assert float(found[key].removesuffix(" %")) / 100 == pytest.approx(
            1.0 - float(determinacy[name.upper()]), abs=1e-3
        )
    # A table of three columns does not fit a phone.
    assert ".. list-table::" not in page


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


def rows_of(name):
    with (DOCS / "experiment" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_readme_is_short_and_has_the_numbers_of_the_experiment():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    readme, found = " ".join(text.split()).replace("\\*", "*"), cited_numbers()
    means = {row["classifier"]: row for row in rows_of("beyond-means.csv") + rows_of("baselines-means.csv")}
    forest, pool = means["random forest"], means["LP-AODE*"]
    curve = {row["n"]: 100 * (1 - float(row["determinacy"])) for row in rows_of("learning-curves.csv")[:7]}
    for sentence in (
        "{datasets} data sets, {runs} runs of {folds}-fold cross-validation",
        "{hold-honest} of the paper's 30 claims hold, {hold-paper} in its own setting",
    ):
        assert re.sub(r"{(.*?)}", lambda name: found[name[1]], sentence) in readme
    for part in (
        f"| accuracy | {100 * float(forest['accuracy']):.1f} % | {100 * float(pool['accuracy']):.1f} % |",
        f"| {forest['log-loss']} | {pool['log-loss']} |",
        f"| {pool['u65, maximal']} | | utility u80 | 0.874 | {pool['u80, maximal']} |",
        f"u65 of {pool['u65, maximal']}, COMP-AODE* {means['COMP-AODE*']['u65, maximal']}",
        f"{means['LP-AODE']['u65, optimal']} instead of {pool['u65, maximal']} for u65",
        f"{means['LP-AODE']['u80, optimal']} instead of {pool['u80, maximal']} for u80",
        f"{curve['30']:.0f} % undecided with 30 rows to learn from, {curve['2000']:.0f} % with 2,000",
    ):
        assert part in readme


def test_every_claim_that_does_not_hold_is_explained_and_no_other():
    explained = {number for number, (*_, rule) in enumerate(_CLAIMS, 1) if "\n\n" in rule.__doc__}
    assert explained == {int(row["#"]) for row in rows_of("claims.csv") if "does not hold" in row.values()}


def test_the_page_explains_in_the_words_of_the_report():
    page = (DOCS / "experiment" / "index.rst").read_text(encoding="utf-8")
    section = page[page.index("What does not hold, and why\n") : page.index("The claims\n")]
    assert ".. include:: reasons.txt" in section
    written = (DOCS / "experiment" / "reasons.txt").read_text(encoding="utf-8").replace("\\", "")
    reasons = [inspect.getdoc(rule).partition(".\n\n") for *_, rule in _CLAIMS]
    assert written == "".join(
        f"- **{text} ({number}).** {' '.join(why.split())}\n"
        for number, (text, _, why) in enumerate(reasons, 1)
        if why
    )


@pytest.mark.parametrize("file", ["README.md", "CITATION.cff", "docs/index.rst", "docs/experiment/index.rst"])
def test_the_paper_is_cited_with_title_authors_and_doi(file):
    text = " ".join((ROOT / file).read_text(encoding="utf-8").split())
    for part in (PAPER["title"], "Corani", "Antonucci", PAPER["doi"]):
        assert part in text


def test_every_number_that_a_page_cites_is_there():
    found = cited_numbers()
    for page in (DOCS / "experiment").glob("*.rst"):
        cited = re.findall(r"\|([\w-]+)\|", page.read_text(encoding="utf-8"))
        assert cited
        assert set(cited) <= set(found)


def test_what_the_page_of_results_says_is_in_its_tables():
    """LP-AODE is ahead of all classifiers of the paper, and of a random forest but in accuracy."""
    against_paper = [row for row in rows_of("beyond-tests.csv") if row["measure"].startswith("u")]
    assert len(against_paper) == 2 * (3 + 5)
    for row in against_paper:
        assert float(row["difference"]) > 0.0
        assert float(row["p"].removeprefix("< ")) < 0.01
    forest = {
        row["measure"]: float(row["p"].removeprefix("< "))
        for row in rows_of("baselines-tests.csv")
        if row["against"] == "random forest"
    }
    assert len(forest) == 5
    assert forest.pop("accuracy") > 0.05
    assert max(forest.values()) <= 0.001
    assert {row["classifier"] for row in rows_of("learning-curves.csv")} == {
        *("LP-AODE*", "COMP-AODE*", "BMA-AODE*", "random forest")
    }


def test_what_the_page_says_of_the_two_averages_is_in_their_tables():
    """BMA-SPODE is behind AODE, COMP-NB ahead of naive Bayes and level with COMP-AODE."""
    tests = {(row["classifier"], row["against"], row["measure"]): row for row in rows_of("field-tests.csv")}

    def p_value(*key):
        return float(tests[key]["p"].removeprefix("< "))

    for measure in ("accuracy", "Brier", "Brier, all", "log-loss"):
        behind, ahead = tests["BMA-SPODE", "AODE", measure], tests["COMP-NB", "naive Bayes", measure]
        assert int(behind["better"]) < int(behind["worse"])
        assert int(ahead["better"]) > int(ahead["worse"])
        assert p_value("BMA-SPODE", "AODE", measure) <= 0.001
        assert p_value("COMP-NB", "naive Bayes", measure) < 0.05
        assert p_value("COMP-NB", "COMP-AODE", measure) > 0.05
    # The same runs and folds are in the table of all means.
    means = {}
    for name in ("field-means.csv", "beyond-means.csv"):
        for row in rows_of(name):
            found = [row[measure] for measure in ("accuracy", "Brier", "Brier, all", "log-loss")]
            assert means.setdefault(row["classifier"], found) == found
    assert {"BMA-SPODE", "COMP-NB"} <= set(means)


def test_commands_of_a_page_are_run_in_its_folder_with_their_exit_codes(tmp_path):
    pytest.importorskip("docutils")
    pytest.importorskip("sphinx")
    run_line = own_module("command_line").run_line
    (tmp_path / "new.csv").write_text("a\n1\n2\n")
    assert run_line("cat new.csv | head -n 2", tmp_path) == (0, "a\n1\n")
    code, said = run_line("cat new.csv | skcredal predict none.skcredal -", tmp_path)
    assert code == 2
    assert "none.skcredal" in said


SHARED_PARAMETERS = ["categorical_features", "categories", "ess", "max_categories", "n_jobs"]
SHARED_ATTRIBUTES = ["classes_", "n_features_in_", "feature_names_in_", "super_parents_", "features_"]


def estimators(*, without=()):
    classes = [getattr(skcredal, name) for name in CLASSIFIER_NAMES if name not in without]
    assert len(classes) == len(CLASSIFIER_NAMES) - len(without)
    return classes


# A class may have several names on the command line.
CLASSIFIER_NAMES = sorted({type(make()).__name__ for make in CLASSIFIERS.values()})


@pytest.mark.parametrize("name", SHARED_PARAMETERS)
def test_parameters_that_classifiers_share_are_described_alike(name):
    # NaiveCredal's ess is that of its reference classifier alone, and says how it goes with s; LP-AODE's
    # default is another one.
    others = ["NaiveCredal", "LogPoolAODE", "CredalLogPoolAODE"] if name == "ess" else []
    some = estimators(without=others)
    some = [kind for kind in some if name in inspect.signature(kind).parameters]
    assert len(some) > 1
    pytest.importorskip("numpydoc")
    assert_docstring_consistency(some, include_params=[name])


@pytest.mark.parametrize("name", ["missing", "handle_unknown"])
def test_treatments_of_missing_and_unknown_values_are_described_alike(name):
    # The null model and the tree have no factors to leave out.
    some = estimators(without=["NullClassifier", "CredalTree"])
    pytest.importorskip("numpydoc")
    assert_docstring_consistency(some, include_params=[name])


@pytest.mark.parametrize("name", SHARED_ATTRIBUTES)
def test_attributes_that_classifiers_share_are_described_alike(name):
    some = [kind for kind in estimators() if f"    {name} :" in kind.__doc__]
    assert len(some) > 1
    pytest.importorskip("numpydoc")
    assert_docstring_consistency(some, include_attrs=[name])
