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
            "Classifiers with sets": [
                "CredalLogPoolAODE",
                "CredalCompAODE",
                "CredalBmaAODE",
                "NaiveCredal",
                "CredalModelAveraging",
                "CredalTree",
            ],
            "Classifiers without sets": [
                "LogPoolAODE",
                "AODE",
                "BmaAODE",
                "CompAODE",
                "MaplmgAODE",
                "CompressionNB",
                "NaiveBayes",
                "TAN",
                "NullClassifier",
            ],
            "Answers and sets": ["answers", "Answers", "set_labels"],
            "Models on disk": ["save", "load"],
            "Settings and cuts": ["set_config", "get_config", "MDLDiscretizer"],
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
            "Reports and scorers": ["credal_report", "credal_summary", "make_set_scorer", "predict_set"],
            "A measure of probabilities": ["true_class_brier_loss"],
        },
    ),
    "skcredal.decisions": ("Decisions", {}),
    "skcredal.plots": ("Pictures", {}),
    "skcredal.datasets": ("Data sets", {}),
    "skcredal.scale": ("Rows that do not fit in memory", {}),
    "skcredal.persistence": ("Notes in model files", {}),
    "skcredal.evaluation": ("Evaluation of your own table", {}),
    "skcredal.paper": ("The paper's experiment", {}),
    "skcredal.classifiers": ("For authors of classifiers", {}),
}
# A string, and modules with their own page.
_NOT_DOCUMENTED_HERE = {"__version__", "metrics", "decisions", "plots"}
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
    lines = [*_section(title, "="), f".. currentmodule:: {module}", "", f"The module ``{module}``.", ""]
    for group, names in entries(module).items():
        lines += [*(_section(group, "-") if group else []), *_summaries(names, "   :toctree: .")]
    return "\n".join(lines)


def _section(title: str, line: str) -> list[str]:
    return [title, line * len(title), ""]


def _summaries(names: list[str], *options: str) -> list[str]:
    """Return the table of names, with one line about each."""
    return [".. autosummary::", "   :nosignatures:", *options, "", *(f"   {name}" for name in names), ""]


def write_pages(folder: Path) -> None:
    """Write a page for each module that has public names, and the contents; unchanged files stay."""
    folder.mkdir(exist_ok=True)
    pages = {module: render(module) for module in MODULES if any(entries(module).values())}
    contents = ["API reference", "=" * 13, "", _PREFACE, "", ".. toctree::", "   :hidden:", ""]
    contents += [f"   {MODULES[module][0]} <mod-{module}>" for module in pages]
    for module in pages:
        contents += ["", *_section(MODULES[module][0], "-"), f"``{module}``", ""]
        contents += [f".. currentmodule:: {module}", ""]
        for group, names in entries(module).items():
            contents += [*([f"**{group}**", ""] if group else []), *_summaries(names)]
    pages_by_name = {f"mod-{module}.rst": text for module, text in pages.items()}
    pages_by_name["index.rst"] = "\n".join([*contents, ""])
    for left_over in {file.name for file in folder.glob("mod-*.rst")} - set(pages_by_name):
        (folder / left_over).unlink()
    for name, text in pages_by_name.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


_PREFACE = """\
Every public name, with one line about each. Start with :class:`~skcredal.CredalLogPoolAODE` (LP-AODE*). All
classifiers are scikit-learn estimators and work in its pipelines, searches and cross-validation."""
