"""What an experiment found, written for readers: the report as one HTML file, the claims and the tables."""

from __future__ import annotations

import json
import platform
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from skcredal._extras import require
from skcredal._files import replacing
from skcredal.evaluation._classifiers import display_name
from skcredal.evaluation._names import listed
from skcredal.paper import _figures as draw
from skcredal.paper._claims import Claim, check_claims
from skcredal.paper._compare import format_p_value
from skcredal.paper._experiment import Plan, Run
from skcredal.paper._studies import UTILITIES
from skcredal.paper._tables import (
    PAPER_CLASSIFIERS,
    NotRunError,
    Results,
    comparison_table,
    datasets_word,
    fold_table,
    mean_table,
    rank_table,
    study_tables,
    summary_table,
)

PAPER = {
    "authors": "G. Corani and A. Antonucci",
    "title": "Credal Classification based on AODE and compression coefficients",
    "doi": "10.48550/arXiv.1203.5716",
}
# Columns of tables: header and meaning.
COLUMNS = {
    "dataset": ("data set", ""),
    "series": ("sets", ""),
    "judged_by": ("judged by", ""),
    "n": ("rows", "rows of the data set"),
    "k": ("features", "features that are kept"),
    "classes": ("classes", "classes of the data set"),
    "accuracy": ("accuracy", "share of rows whose most probable class is the true one"),
    "brier": ("Brier", "mean of (1 − probability of the true class)², as in the paper"),
    "relative_brier": ("Brier / AODE", "mean ratio of this loss to that of AODE"),
    "brier_multiclass": ("Brier, all", "mean sum over all classes of the squared errors of probabilities"),
    "log_loss": ("log-loss", "mean of −log of the probability of the true class (at least 1e-15)"),
    "optimal_u65": ("u65, optimal", "u65 of the sets that maximise it by the classifier's probabilities"),
    "optimal_u80": ("u80, optimal", "u80 of the sets that maximise it by the classifier's probabilities"),
    "utility": ("utility", "mean of the utility by which the sets are judged"),
    "determinacy": ("determ.", "determinacy: share of rows with a single class, the decided rows"),
    "single_accuracy": ("single acc.", "accuracy on the decided rows"),
    "set_accuracy": ("set acc.", "share of the undecided rows whose set contains the true class"),
    "output_size": ("size", "mean number of classes on the undecided rows"),
    "discounted_accuracy": ("disc. acc.", "1/m for a set of m classes with the true one, else 0"),
    "u65": ("u65", "utility: a correct set of two classes counts 0.65"),
    "u80": ("u80", "utility: a correct set of two classes counts 0.80"),
    "accuracy_undecided": ("acc. und.", "accuracy of the most probable class on the undecided rows"),
    "u65_undecided": ("u65 und.", "u65 on the undecided rows"),
    "u80_undecided": ("u80 und.", "u80 on the undecided rows"),
    "n_undecided": ("undecided", "number of undecided test rows, over all runs and folds"),
    "datasets": ("data sets", ""),
}
_DECIMALS = {"n_undecided": 0, "output_size": 2, "difference": 4}
_CREDAL_PAIRS = [("comp-aode*", other) for other in ("comp-aode", "bma-aode*", "cdt", "cma", "ncc")]


class Answers(NamedTuple):
    """The tables of an experiment by the names of their files, and the claims judged by them."""

    tables: dict[str, pd.DataFrame]
    claims: list[Claim]


def make_answers(run: Run) -> Answers:
    """Return the tables of the finished folds, and the claims."""
    summary, studies = summary_table(run.records), study_tables(run.records)
    tables = {"results": fold_table(run.records), "summary": summary, **studies}
    tables["means"] = mean_table(summary, studies)
    tables["tests"] = comparison_table(summary, studies)
    return Answers(tables, check_claims(summary))


def write_answers(answers: Answers, plan: Plan, run: Run, folder: Path) -> None:
    """Write the tables, the claims and the report, all of them or none."""
    texts = {f"{name}.csv": table.to_csv(index=False) for name, table in answers.tables.items()}
    texts["claims.json"] = json.dumps(list(map(asdict, answers.claims)), indent=2, ensure_ascii=False)
    texts["report.html"] = render_report(answers, plan, run)
    with ExitStack() as written:
        for name, text in texts.items():
            file = written.enter_context(replacing(folder / name))
            file.write_text(text, encoding="utf-8", newline="\n")


def render_report(answers: Answers, plan: Plan, run: Run) -> str:
    """Return the report as one self-contained HTML page."""
    jinja2 = require("jinja2", extra="paper", purpose="A report")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True
    )
    # They can change a number.
    packages = ("skcredal", "numpy", "scipy", "scikit-learn", "numba", "pandas")
    page: str = environment.get_template("report.html.j2").render(
        paper=PAPER,
        opening=opening(answers, plan, run),
        claims=answers.claims,
        p_value=format_p_value,
        figures=_figures(answers.tables),
        tables={name: _shown(table) for name, table in _shown_tables(answers.tables).items()},
        versions=[f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)],
    )
    return page


def opening(answers: Answers, plan: Plan, run: Run) -> dict[str, dict[str, str]]:
    """Return what was run and what was found, in words: the report and the command line open with it."""
    summary, means = answers.tables["summary"], answers.tables["means"].set_index("classifier")
    found = {**_best_means(means), **_credal_means(summary), "Claims": _verdicts(answers.claims)}
    return {"What was run": _what_was_run(summary, plan, run), "What was found": found}


def _what_was_run(summary: pd.DataFrame, plan: Plan, run: Run) -> dict[str, str]:
    sizes = summary.drop_duplicates("dataset").set_index("dataset")["n"]
    classifiers = [display_name(name) for name in summary["classifier"].unique()]
    # Only the name of the folder: a page that is passed on should not reveal paths of this machine.
    source = plan.source if plan.source in ("embedded", "openml") else f"folder {Path(plan.source).name}"
    return {
        "Data sets": f"{len(sizes)} ({source}), of {sizes.min():,} to {sizes.max():,} rows: "
        f"{listed(list(sizes.index), most=11)}",
        "Classifiers": f"{len(classifiers)}: {', '.join(classifiers)}",
        "Protocol": f"{plan.runs} × {plan.folds}-fold stratified cross-validation with seed {plan.seed}, all "
        "classifiers on the same folds, measures pooled over all test rows",
        "Setting": f"{plan.setting}: imputation, cut points and dropped features are learned "
        f"{'inside each training fold' if plan.setting == 'honest' else 'once, on the whole data set'}",
        "Running time": f"{run.seconds / 60.0:.1f} minutes, summed over folds and processes",
        **{f"Not run: {name}": reason for name, reason in run.failures.items()},
    }


def _best_means(means: pd.DataFrame) -> dict[str, str]:
    """Return who has the best means over data sets: of all classifiers, and of the paper's."""
    of_paper = means[means.index.isin(PAPER_CLASSIFIERS)]
    found = {}
    for measure, sign in {"accuracy": 1.0, "log_loss": -1.0, "u65": 1.0}.items():
        known = [sign * some[measure].dropna().round(3) for some in (means, of_paper) if measure in some]
        if texts := dict.fromkeys(_best(values) for values in known if len(values)):
            found[f"Best {COLUMNS[measure][0]}"] = "; of the paper's classifiers: ".join(texts) + "."
    return found


def _best(values: pd.Series[float]) -> str:
    names = [display_name(str(name)) for name in values.index[values == values.max()]]
    return f"{listed(names, most=4)} with {abs(values.max()):.3f}"


def _credal_means(summary: pd.DataFrame) -> dict[str, str]:
    """Return how good answers with sets are, and those on decided and undecided rows, if there are both."""
    found = {}
    for name in ("lp-aode*", "comp-aode*", "bma-aode*"):
        rows = summary[summary["classifier"] == name]
        with_both = rows.dropna(subset=["single_accuracy", "accuracy_undecided"])
        if len(with_both):
            u65, accuracy = rows[["u65", "accuracy"]].mean()
            decided, undecided = with_both[["single_accuracy", "accuracy_undecided"]].mean()
            found[display_name(name)] = (
                f"With sets its u65 is {u65:.3f}, without them its accuracy is {accuracy:.3f}. The accuracy "
                f"is {decided:.3f} on decided and {undecided:.3f} on undecided rows, over "
                f"{datasets_word(len(with_both))} with {with_both['n_undecided'].sum():,.0f} undecided rows."
            )
    return found


def _verdicts(claims: Sequence[Claim]) -> str:
    hold, fail, apart = (sum(claim.holds is verdict for claim in claims) for verdict in (True, False, None))
    text = f"{hold + fail} of the paper's {len(claims)} claims can be judged here, and {hold} of these hold."
    others = f" The other {apart} need the paper's 39 data sets (--data openml) and all its classifiers."
    return text + others if apart else text


def _figures(tables: Mapping[str, pd.DataFrame]) -> dict[str, list[dict[str, str]]]:
    """Return the figures by name: of the paper's classifiers, and of the studies."""
    summary = tables["summary"]
    results = Results(summary[summary["classifier"].isin(PAPER_CLASSIFIERS)])
    weighted, starred = ("bma-aode", "comp-aode"), ("bma-aode*", "comp-aode*")
    square, tall = (4.2, 4.0), (4.2, 0.9 + 0.17 * len(results.table))
    found = {
        "accuracy": _panels(draw.accuracies, square, [(results, name) for name in weighted]),
        "brier": _panels(draw.relative_brier, tall, [(results, name) for name in (*weighted, "maplmg")]),
        "decided": _panels(draw.decided_and_undecided, square, [(results, name) for name in starred]),
        "utility": _panels(draw.relative_utility, tall, [(results, name) for name in starred]),
        "ranks": _panels(
            _draw_ranks, (4.2, 1.8), [(results, ("cdt", "cma", "comp-aode*"), u) for u in UTILITIES]
        ),
        "all_ranks": _panels(_draw_ranks, square, [(results, results.classifiers, u) for u in UTILITIES]),
        "bayesian": _panels(_draw_bayesian, (4.8, 2.8), [(results, _CREDAL_PAIRS, u) for u in UTILITIES]),
    }
    if "epsilon" in tables:
        measures = [(tables["epsilon"], name) for name in ("determinacy", "set_accuracy")]
        found["epsilon"] = _panels(draw.epsilon, square, measures)
    if "set-aside" in tables:
        found["set_aside"] = _panels(draw.set_aside, square, [(tables["set-aside"],)])
    if "rivals" in tables:
        size = (4.8, 1.0 + 0.3 * tables["rivals"]["series"].nunique())
        found["rivals"] = _panels(draw.rivals, size, [(tables["rivals"], u) for u in UTILITIES])
    if "reliability" in tables:
        pooled = [
            (draw.reliability_table(tables["reliability"], alike=alike), f"all {what} alike")
            for alike, what in ((False, "rows"), (True, "data sets"))
        ]
        found["reliability"] = _panels(draw.reliability, square, pooled)
    return found


def _draw_ranks(ax: Any, results: Results, classifiers: Sequence[str], utility: str) -> str:
    return draw.ranks(ax, rank_table(results, classifiers, utility), utility)


def _draw_bayesian(ax: Any, results: Results, pairs: Sequence[tuple[str, str]], measure: str) -> str:
    return draw.bayesian(ax, draw.bayesian_table(results, pairs, measure), measure)


def _panels(
    figure: Callable[..., str], size: tuple[float, float], arguments: Iterable[tuple[Any, ...]]
) -> list[dict[str, str]]:
    """Draw figures of the same kind; those without data are left out."""
    panels = []
    for values in arguments:
        # Only a lack of data is skipped; other errors are errors.
        with suppress(NotRunError):
            svg, caption = draw.draw_svg(figure, *values, size=size)
            source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
            panels.append({"source": source, "caption": caption})
    return panels


def _shown_tables(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables of the report: those that have rows, and the rivals' means over data sets."""
    shown = {name: tables[name] for name in ("means", "tests", "summary") if len(tables[name])}
    if "rivals" in tables:
        means = tables["rivals"].drop(columns="dataset").groupby(["series", "judged_by"]).mean()
        shown["rivals"] = means.sort_values(["judged_by", "utility"], ascending=[True, False]).reset_index()
    return shown


def _shown(table: pd.DataFrame) -> dict[str, Any]:
    """Return a table as texts: headers and rows; columns without a value are left out."""
    columns = [str(name) for name in table if table[name].notna().any()]
    return {
        "headers": [COLUMNS.get(name, (name, "")) for name in columns],
        "rows": list(zip(*([_cell(name, value) for value in table[name]] for name in columns), strict=True)),
    }


def _cell(column: str, value: Any) -> str:
    if column == "p":
        return format_p_value(value)
    if isinstance(value, str):
        return COLUMNS[value][0] if column == "measure" else draw.spelled(value)
    default = 2 if column.startswith("P(") else 3
    decimals = 0 if isinstance(value, int) else _DECIMALS.get(column, default)
    return "–" if pd.isna(value) else f"{value:.{decimals}f}"
