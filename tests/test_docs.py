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


def load(name, folder=DOCS / "_ext"):
    """A module of the documentation."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = load("api_pages")


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


def test_the_numbers_of_the_readme_are_those_of_the_runs():
    pytest.importorskip("baycomp")
    m = load("measured")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    readme = " ".join(text.split()).replace("\\*", "*")
    forest, conformal = "random-forest", m.conformal().loc["conformal 90 %, random-forest"]
    many, few = (m.percent(1.0 - m.curve("determinacy").loc[n, "lp-aode*"]) for n in (30, 2000))
    accuracies = [m.percent(m.mean("accuracy", name), 1) for name in (forest, "lp-aode*")]
    fits = [m.seconds("2,000 × 30 numbers", name, "fit") for name in ("random forest", "LP-AODE*")]
    faster = [m.ratio(f"AODE's {step}: times faster than Weka's") for step in ("fit", "prediction")]
    utilities = [m.mean("u65", name) for name in ("lp-aode*", "comp-aode*", "bma-aode*")]
    for part in (
        f"over {m.run('datasets')} data sets, {m.run('runs')} runs of {m.run('folds')}-fold cross-validation",
        f"{many} of cases undecided with 30 rows to learn from, {few} with 2,000",
        f"| accuracy (forest on all rows) | {accuracies[0]} | {accuracies[1]} |",
        f"| {m.mean('log_loss', forest):.3f} | {m.mean('log_loss', 'lp-aode*'):.3f} |",
        *(f"| {conformal['utility', u]:.3f} | {m.mean(u, 'lp-aode*'):.3f} |" for u in ("u65", "u80")),
        f"| {fits[0]:.1f} s | {fits[1]:.1f} s |",
        "u65 of {:.3f}, COMP-AODE* {:.3f}, BMA-AODE* {:.3f}".format(*utilities),
        f"log-loss on {m.ahead('log_loss', 'lp-aode', forest)} of {m.run('datasets')} data sets, "
        f"and the better accuracy on {m.ahead('accuracy', 'lp-aode', forest)}",
        f"(p = {m.compare('accuracy', 'lp-aode', forest).p_value:.2f}, Wilcoxon)",
        *(
            f"{m.mean(f'optimal {u}', 'lp-aode'):.3f} instead of {m.mean(u, 'lp-aode*'):.3f}"
            for u in ("u65", "u80")
        ),
        f"{m.holding('honest')} of the paper's 30 claims hold; {m.holding('paper')} if",
        "fits {:.1f} times and predicts {:.1f} times".format(*faster),
        f"in {1000.0 * m.seconds('A', 'LP-AODE*', 'predict_proba'):.0f} ms",
    ):
        assert part in readme, part


def test_the_overview_of_the_results_is_that_of_the_files():
    pytest.importorskip("baycomp")
    overview = load("keep_runs", DOCS / "experiment").overview()
    assert overview == (DOCS / "experiment" / "data" / "README.md").read_text(encoding="utf-8")
