"""The pages of the API reference, made from the ``__all__`` of the public modules."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

__all__ = ["MODULES", "entries", "render", "write_pages"]

# Module, what stands in the contents, and how its names are grouped; what is in no group comes at the end.
MODULES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "skcredal": (
        "Classifiers and settings",
        {
            "Credal classifiers": [
                "CredalLogPoolAODE",
                "CredalCompAODE",
                "CredalBmaAODE",
                "NaiveCredal",
                "CredalModelAveraging",
                "CredalTree",
            ],
            "Determinate classifiers": [
                "AODE",
                "BmaAODE",
                "CompAODE",
                "MaplmgAODE",
                "LogPoolAODE",
                "CompressionNB",
                "NaiveBayes",
                "TAN",
                "NullClassifier",
            ],
            "Discretisation": ["MDLDiscretizer"],
        },
    ),
    "skcredal.metrics": (
        "Measures",
        {
            "Measures of sets": [
                "u65_score",
                "u80_score",
                "utility_score",
                "discounted_accuracy_score",
                "determinacy_score",
                "single_accuracy_score",
                "set_accuracy_score",
                "indeterminate_output_size",
            ],
        },
    ),
    "skcredal.decisions": ("Decisions", {}),
    "skcredal.datasets": ("Data sets", {}),
    "skcredal.scale": ("Rows that do not fit in memory", {}),
    "skcredal.persistence": ("Models on disk", {}),
    "skcredal.evaluation": ("Evaluation of one's own table", {}),
    "skcredal.paper": ("The paper's experiment", {}),
    "skcredal.classifiers": ("For authors of classifiers", {}),
}
_NOT_DOCUMENTED_HERE = {"__version__", "metrics", "decisions"}  # a string, and modules with their own page
_REST = "Other names"


def entries(module: str) -> dict[str, list[str]]:
    """Return the names of a module by group; a group may name only what the module has."""
    elsewhere = _NOT_DOCUMENTED_HERE if module == "skcredal" else import_module("skcredal").__all__
    public = [name for name in import_module(module).__all__ if name not in elsewhere]
    groups = {title: list(names) for title, names in MODULES[module][1].items()}
    grouped = [name for names in groups.values() for name in names]
    if strangers := sorted(set(grouped) - set(public)):
        raise ValueError(f"{module} has no public {', '.join(strangers)}.")
    if rest := [name for name in public if name not in grouped]:
        groups[_REST if groups else ""] = rest
    return groups


def render(module: str) -> str:
    """Return the page of a module as reStructuredText."""
    title = MODULES[module][0]
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", "", f"The module ``{module}``.", ""]
    for group, names in entries(module).items():
        if group:
            lines += [group, "-" * len(group), ""]
        lines += [".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in names), ""]
    return "\n".join(lines)


def write_pages(folder: Path) -> None:
    """Write a page for each module that has public names, and the contents; unchanged files stay."""
    folder.mkdir(exist_ok=True)
    pages = {module: render(module) for module in MODULES if any(entries(module).values())}
    contents = ["API reference", "=" * 13, "", _PREFACE, "", ".. toctree::", "   :maxdepth: 1", ""]
    contents += [f"   {MODULES[module][0]} <mod-{module}>" for module in pages]
    pages_by_name = {f"mod-{module}.rst": text for module, text in pages.items()}
    pages_by_name["index.rst"] = "\n".join([*contents, ""])
    for left_over in {file.name for file in folder.glob("mod-*.rst")} - set(pages_by_name):
        (folder / left_over).unlink()
    for name, text in pages_by_name.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


_PREFACE = """\
Every public name. What most users need is :class:`skcredal.CredalLogPoolAODE`, :mod:`skcredal.metrics` and
:mod:`skcredal.decisions`; everything works with scikit-learn's estimators, searches and pipelines."""
