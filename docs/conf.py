"""Configuration of the documentation; `make docs` builds it with warnings as errors."""

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import matplotlib as mpl  # noqa: E402

mpl.use("agg")

from api_pages import write_pages  # noqa: E402
from style import STYLE  # noqa: E402

import skcredal  # noqa: E402

# Before Sphinx looks for documents: autosummary writes a page for each name that it finds in them.
write_pages(HERE / "api")

project = "skcredal"
author = "The skcredal developers"
copyright = author  # noqa: A001
version = release = skcredal.__version__

extensions = [
    "command_line",
    "gallery",
    "mathml",
    "measured_in_pages",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates"]
add_module_names = False
# Beside the page of a class, the names of its methods alone: with the class before them they are cut off.
toc_object_entries_show_parents = "hide"
highlight_language = "python"
html_math_renderer = "mathml"

# By name: in a build that is not the first one, Sphinx would look at the pages of the last one only.
autosummary_generate = sorted(str(page) for page in (HERE / "api").glob("mod-*.rst"))
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("svg", 110)]
plot_rcparams = STYLE
plot_apply_rcparams = True

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    # How long an example took on the machine that built the page says nothing to its reader.
    "min_reported_time": 1e9,
    "reset_modules": ("style.apply",),
    "within_subsection_order": "gallery.ByInterest",
    # Pictures are the ends of the examples; what a call happens to return is not.
    "capture_repr": (),
}

html_theme = "pydata_sphinx_theme"
html_title = "skcredal"
html_static_path = ["_static"]
html_css_files = ["skcredal.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "skcredal"},
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "header_links_before_dropdown": 7,
}
html_sidebars = {
    page: []
    for page in (
        *("index", "start", "theory", "contribute"),
        *("experiment/index", "experiment/results"),
    )
}


def _skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn's and other base classes bring along: it is documented there."""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", None)
    return True if module is not None and not module.startswith("skcredal") else None


def _keep_as_written(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep the underscore of a fitted attribute in a shape from being a link, and an initial from a list."""
    lines[:] = [re.sub(r"(?<=shape \()(\w+)_(?=,)", r"\1\\_", line) for line in lines]
    lines[:] = [re.sub(r"^(\s*)([A-Z]\. [A-Z])", r"\1\\\2", line) for line in lines]


def setup(app: Any) -> None:
    """Connect the above."""
    app.connect("autodoc-skip-member", _skip_foreign)
    # After numpydoc, which reads the docstring as it is.
    app.connect("autodoc-process-docstring", _keep_as_written, priority=900)
