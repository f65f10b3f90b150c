"""What was measured, computed from the files in ``docs/experiment/data`` when the pages are built.

The pages call these functions by the directive and the role of ``measured_in_pages.py``, their pictures by
``docs/figures/studies.py``; the tests compare the README with them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from skcredal.evaluation._classifiers import BASELINES, display_name
from skcredal.paper import _figures
from skcredal.paper._claims import Claim, check_claims
from skcredal.paper._compare import WilcoxonResult, format_p_value, wilcoxon_test
from skcredal.paper._report import COLUMNS, _shown
from skcredal.paper._tables import PAPER_CLASSIFIERS, Results, comparison_table, mean_table, rank_table

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs" / "experiment" / "data"
LOSSES = ("brier", "brier_multiclass", "log_loss")
OF_SETS = ("determinacy", "single_accuracy", "set_accuracy", "output_size", "u65", "u80")
# Half of the data sets have fewer rows, about.
SMALL = 500
NCC2 = "conservative (NCC2)"
# As many rows judge the two models of measure_bins.py.
N_TEST_OF_BINS = 100_000
PAIRS = [("comp-aode*", other) for other in ("bma-aode*", "ncc", "cma", "cdt", "comp-aode", "aode")]
FIELD = ("aode", "bma-aode", "bma-spode", "comp-aode", "comp-nb", "naive-bayes")


# What was kept of the runs.


@cache
def read(name: str) -> pd.DataFrame:
    """Return a file of results; "null" is a classifier, not a missing value."""
    return pd.read_csv(DATA / f"{name}.csv", keep_default_na=False, na_values=[""])


def as_written(name: str) -> pd.DataFrame:
    """Return a file whose cells are shown as they are."""
    return pd.read_csv(DATA / f"{name}.csv", dtype=str, keep_default_na=False)


@cache
def summary(name: str = "beyond") -> pd.DataFrame:
    """Return the measures of every classifier on every data set, by the run of this name."""
    return read(f"{name}-summary")


def of_paper(name: str) -> pd.DataFrame:
    """Return the same of the paper's classifiers."""
    table = summary(name)
    return table[table["classifier"].isin(PAPER_CLASSIFIERS)]


@cache
def wide(measure: str) -> pd.DataFrame:
    """Return a measure with a row for each data set and a column for each classifier.

    "optimal u65" is that of the sets that maximise u65 by a classifier's probabilities.
    """
    how, _, utility = measure.partition(" ")
    if how != "optimal":
        return summary().pivot(index="dataset", columns="classifier", values=measure)
    rivals = read("beyond-rivals")
    chosen = rivals[rivals["series"].str.startswith("utility-optimal") & (rivals["judged_by"] == utility)]
    found = chosen.pivot(index="dataset", columns="series", values="utility")
    return found.rename(columns=lambda series: series.removeprefix("utility-optimal, "))


@cache
def claims(setting: str) -> list[Claim]:
    """Return the verdicts on the paper's claims."""
    return check_claims(of_paper(setting))


@cache
def compared() -> pd.DataFrame:
    """Return the tests of LP-AODE and LP-AODE* against the others."""
    return comparison_table(summary(), {"rivals": read("beyond-rivals")})


@cache
def bench(name: str = "bench") -> Any:
    """Return what `make bench` measured, or another file of its results."""
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


# Numbers in sentences.


def percent(share: float, decimals: int = 0) -> str:
    """Return a share in percent."""
    return f"{100.0 * share:.{decimals}f} %"


def run(column: str, name: str = "beyond") -> Any:
    """Return what is known of a run: runs, folds, minutes, and so on."""
    return read("runs").set_index("name").loc[name, column]


def datasets() -> pd.DataFrame:
    """Return the sizes of the data sets."""
    return summary().drop_duplicates("dataset").set_index("dataset")[["n", "k", "classes"]]


def mean(measure: str, classifier: str) -> float:
    """Return a mean over data sets."""
    return float(wide(measure)[classifier].mean())


def difference(measure: str, first: str, second: str) -> float:
    """Return by how much the first is higher, in the mean over data sets."""
    return mean(measure, first) - mean(measure, second)


def compare(measure: str, first: str, second: str) -> WilcoxonResult:
    """Compare two classifiers over the data sets; higher is better, or lower for a loss."""
    sign = -1.0 if measure in LOSSES else 1.0
    return wilcoxon_test(sign * wide(measure)[first], sign * wide(measure)[second])


def ahead(measure: str, first: str, second: str) -> int:
    """Return on how many data sets the first is better."""
    return compare(measure, first, second).n_higher


def p_value(measure: str, first: str, second: str) -> str:
    """Return the p-value of a comparison, with its relation."""
    return format_p_value(compare(measure, first, second).p_value, relation=True)


def largest_p(classifiers: tuple[str, ...], opponents: tuple[str, ...], measures: tuple[str, ...]) -> str:
    """Return the largest p-value of LP-AODE or LP-AODE* against others."""
    table = compared()
    chosen = table["classifier"].isin(classifiers) & table["against"].isin(opponents)
    return format_p_value(table[chosen & table["measure"].isin(measures)]["p"].max(), relation=True)


def largest_p_of_sets() -> str:
    """Return the largest p-value under u65 and u80 against the paper's classifiers."""
    measures = ("u65", "u80", "optimal_u65", "optimal_u80")
    return largest_p(("lp-aode", "lp-aode*"), PAPER_CLASSIFIERS, measures)


def behind(measure: str, first: str, second: str) -> str:
    """Return the data sets on which the first has the lower value, the largest difference first."""
    gaps = (wide(measure)[first] - wide(measure)[second]).sort_values()
    return ", ".join(f"{name} ({gap:+.3f})" for name, gap in gaps.items() if gap < -5e-4)


def gap(measure: str, first: str, second: str, dataset: str) -> float:
    """Return by how much the first is higher on a data set."""
    return float(wide(measure).loc[dataset, first] - wide(measure).loc[dataset, second])


def holding(setting: str) -> int:
    """Return how many of the paper's claims hold."""
    return sum(claim.holds is True for claim in claims(setting))


def pooled(classifier: str) -> dict[str, float]:
    """Return how many rows of all runs are undecided, and the accuracy on these and on the others."""
    rows = summary("honest")[summary("honest")["classifier"] == classifier]
    n, undecided_rows = rows["n"] * run("runs", "honest"), rows["n_undecided"]
    right = (rows["accuracy"] * n).sum()
    right_undecided = (rows["accuracy_undecided"] * undecided_rows).sum()
    return {
        "rows": n.sum(),
        "undecided": undecided_rows.sum(),
        "right": right_undecided / undecided_rows.sum(),
        "right_decided": (right - right_undecided) / (n.sum() - undecided_rows.sum()),
    }


@cache
def conformal() -> pd.DataFrame:
    """Return the means of sets by the way they are made: utilities, coverage, size."""
    table = read("beyond-rivals")
    several = 1.0 - table["determinacy"]
    # Without a set of several classes, there is nothing to average.
    of_one, of_several = table["single_accuracy"].fillna(0.0), table["set_accuracy"].fillna(0.0)
    table = table.assign(
        covered=table["determinacy"] * of_one + several * of_several,
        size=table["determinacy"] + several * table["output_size"].fillna(0.0),
    )
    columns = ["utility", "determinacy", "covered", "size"]
    return table.groupby(["series", "judged_by"])[columns].mean().unstack("judged_by")


@cache
def curve(measure: str) -> pd.DataFrame:
    """Return the mean over the larger data sets by the rows learned from, a column for each classifier."""
    table = read("learning-curves")
    return table.groupby(["rows", "classifier"])[measure].mean().unstack()


@cache
def treated(measure: str) -> pd.DataFrame:
    """Return a measure of NCC by treatment, for each data set with missing cells."""
    table = read("missing")
    return table[table["removed"] == "none"].pivot(index="dataset", columns="treatment", values=measure)


def withdrawn(dataset: str) -> float:
    """Return the accuracy of NCC on the rows on which NCC2 withdraws a single class."""
    single, determinacy = treated("single_accuracy").loc[dataset], treated("determinacy").loc[dataset]
    right = single * determinacy
    return float((right["impute"] - right[NCC2]) / (determinacy["impute"] - determinacy[NCC2]))


def bins() -> dict[str, Any]:
    """Return by how many standard errors the accuracy of batches differs from that of all rows at once.

    That is but for two clusters far apart: of these, the points of accuracy that are lost.
    """
    table = read("bins").set_index("values")
    apart = table.index.str.startswith("two normals")
    error = (table["accuracy"] * (1.0 - table["accuracy"]) / N_TEST_OF_BINS) ** 0.5
    change = table["its change, most"].astype(float)
    within = (change / error)[~apart].abs().max()
    return {"within": math.ceil(10.0 * within) / 10.0, "lost": -100.0 * change[apart]}


def streamed() -> pd.DataFrame:
    """Return what learning from Parquet cost, by the number of rows."""
    return pd.DataFrame(bench("streaming"))


def ratio(target: str) -> float:
    """Return a ratio that `make bench` judges, the mean over its tables."""
    return float(next(one["value"] for one in bench()["targets"] if one["target"].startswith(target)))


def seconds(problem: str, contender: str, action: str) -> float:
    """Return the time of a fit or a prediction of LP-AODE* or its rival."""
    wanted = {"problem": problem, "contender": contender, "action": action}
    return float(next(one["seconds"] for one in bench()["pool"]["times"] if wanted.items() <= one.items()))


# Tables.


def shown(value: float, form: str = ".3f") -> str:
    """Return a number, or a dash where there is none."""
    return "–" if pd.isna(value) else format(value, form)


def rounded(table: pd.DataFrame, index: str) -> pd.DataFrame:
    """Return a table of numbers as texts with three decimals and the usual headers, the index first."""
    found = table.map(shown).rename(columns=lambda name: COLUMNS[name][0])
    return found.set_axis(map(_figures.spelled, found.index), axis="index").rename_axis(index).reset_index()


def texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table as the report shows it."""
    found = _shown(table)
    return pd.DataFrame(found["rows"], columns=[header for header, _ in found["headers"]])


def means(setting: str) -> pd.DataFrame:
    """Average the measures of the paper's classifiers over the data sets that have them."""
    measures = ["accuracy", "brier", *OF_SETS, "accuracy_undecided"]
    return rounded(of_paper(setting).groupby("classifier", sort=False)[measures].mean(), "classifier")


def credal_means() -> pd.DataFrame:
    """Average the measures of sets of all credal classifiers over the data sets."""
    credal = ["lp-aode*", "comp-aode*", "bma-aode*", "ncc", "ncc2", "cma", "cdt"]
    table = summary().groupby("classifier")[[*OF_SETS[1:], "accuracy_undecided"]].mean().loc[credal]
    found = rounded(table, "classifier")
    shares = 1.0 - wide("determinacy")[credal]
    found.insert(1, "undecided", [percent(share, 1) for share in shares.mean()])
    found.insert(2, "median", [percent(share, 1) for share in shares.median()])
    return found


def all_means(*classifiers: str) -> pd.DataFrame:
    """Average the measures of all of our classifiers, or of those named."""
    found = mean_table(summary(), {"rivals": read("beyond-rivals")})
    if not classifiers:
        return texts(found[~found["classifier"].isin(BASELINES)])
    return texts(found.set_index("classifier").loc[list(classifiers)].reset_index())


def tests(*, baselines: bool) -> pd.DataFrame:
    """Return the tests against scikit-learn's baselines, or those against the paper's classifiers."""
    return texts(compared()[compared()["against"].isin(BASELINES) == baselines])


def by_size() -> pd.DataFrame:
    """Return the mean differences of LP-AODE and each baseline on small and on large data sets."""
    n, rows = datasets()["n"], []
    measures = ("accuracy", "brier_multiclass", "log_loss", "optimal u65", "optimal u80")
    for baseline in BASELINES:
        for label, chosen in ((f"below {SMALL} rows", n < SMALL), (f"{SMALL} rows or more", n >= SMALL)):
            gaps = [wide(name)["lp-aode"] - wide(name)[baseline] for name in measures]
            cells = [f"{values[chosen].mean():+.3f}" for values in gaps]
            rows.append([display_name(baseline), label, str(chosen.sum()), *cells])
    header = ["LP-AODE minus", "data sets", "number", "accuracy", "Brier, all", "log-loss", "u65", "u80"]
    return pd.DataFrame(rows, columns=header)


def sets_of(*series: str) -> pd.DataFrame:
    """Return utilities, single classes, coverage and size of sets; for a utility its own, if they differ."""
    table, rows = conformal(), []
    for name in series:
        row = [_figures.spelled(name), *(shown(table.loc[name, ("utility", u)]) for u in ("u65", "u80"))]
        for column, form in (("determinacy", ".0%"), ("covered", ".0%"), ("size", ".2f")):
            cells = dict.fromkeys(shown(table.loc[name, (column, u)], form) for u in ("u65", "u80"))
            row.append(", ".join(cells).replace("%", " %"))
        rows.append(row)
    header = ["sets", "u65", "u80", "single classes", "contain the true class", "classes in a set"]
    return pd.DataFrame(rows, columns=header)


def claim_table() -> pd.DataFrame:
    """Put the claims of both settings side by side."""
    pairs = zip(claims("honest"), claims("paper"), strict=True)
    rows = [[a.number, a.text, a.paper, a.ours, a.verdict, b.ours, b.verdict] for a, b in pairs]
    header = ["#", "claim", "paper", "honest setting", "honest", "paper's setting", "paper's"]
    return pd.DataFrame(rows, columns=header)


def reasons() -> str:
    """Return why some claims do not hold, as the report and the command line say it."""
    failed = {
        claim.number: claim for setting in ("honest", "paper") for claim in claims(setting) if claim.why
    }
    lines = (f"- **{failed[number].text} ({number}).** {failed[number].why}" for number in sorted(failed))
    return "\n".join(lines).replace("*)", r"\*)").replace("AODE*", r"AODE\*")


def epsilon_table() -> pd.DataFrame:
    """Average over the data sets for each classifier and ε."""
    found = read("beyond-epsilon").groupby(["series", "epsilon"])[list(OF_SETS)].mean()
    epsilons = [f"{epsilon:g}" for epsilon in found.index.get_level_values("epsilon")]
    table = rounded(found.droplevel("epsilon"), "classifier")
    table.insert(1, "ε", epsilons)
    return table


def set_aside_table() -> pd.DataFrame:
    """Average the accuracy of the others over the data sets, for each tenth set aside."""
    found = read("beyond-set-aside").groupby(["set_aside", "series"])["accuracy"].mean().unstack().iloc[::2]
    table = found.map(shown).rename(columns=lambda by: f"by {by}")
    return table.set_axis([percent(share) for share in found.index]).rename_axis("set aside").reset_index()


def curve_table() -> pd.DataFrame:
    """Return the learning curves, a row for each classifier and number of rows."""
    measures = [*OF_SETS[:4], "accuracy", "brier_multiclass", "log_loss", "u65", "u80"]
    classifiers = ("lp-aode*", "comp-aode*", "bma-aode*", "random-forest")
    found = read("learning-curves").groupby(["classifier", "rows"])[measures].mean().loc[list(classifiers)]
    sizes = found.index.get_level_values("rows")
    table = rounded(found.droplevel("rows"), "classifier")
    table.insert(1, "rows", sizes)
    return table


def field_means() -> pd.DataFrame:
    """Return the means of BMA-SPODE, COMP-NB and their neighbours."""
    measures = ["accuracy", "brier", "brier_multiclass", "log_loss"]
    table = summary().groupby("classifier")[measures].mean().loc[list(FIELD)]
    return rounded(table, "classifier")


def field_tests() -> pd.DataFrame:
    """Compare BMA-SPODE and COMP-NB with their neighbours."""
    pairs = [("bma-spode", name) for name in ("aode", "bma-aode")]
    pairs += [("comp-nb", name) for name in ("naive-bayes", "aode", "comp-aode")]
    rows = []
    for first, second in pairs:
        for measure in ("accuracy", *LOSSES):
            test = compare(measure, first, second)
            counts = [test.n_higher, test.n_lower, f"{difference(measure, first, second):+.4f}"]
            names = [display_name(first), display_name(second), COLUMNS[measure][0]]
            rows.append([*names, *counts, format_p_value(test.p_value)])
    columns = ["classifier", "against", "measure", "better", "worse", "difference", "p"]
    return pd.DataFrame(rows, columns=columns)


def missing_datasets() -> pd.DataFrame:
    """Compare NCC and NCC2 on the data sets with missing cells."""
    table = read("missing")
    shares = table[(table["removed"] == "none") & (table["treatment"] == "impute")].set_index("dataset")
    found = pd.DataFrame(
        {
            "missing cells": shares["missing"].map(lambda share: percent(share, 1)),
            "sets that differ": shares["differ"].map(lambda share: percent(share, 1)),
        }
    )
    for measure in ("determinacy", "single_accuracy", "u65"):
        both = treated(measure)[["impute", NCC2]].map(shown)
        found[COLUMNS[measure][0]] = both["impute"] + " / " + both[NCC2]
    return found.rename_axis("data set").reset_index()


def missing_removed() -> pd.DataFrame:
    """Compare three treatments of cells that were removed."""
    table = read("missing")
    removed = table[table["removed"] != "none"]
    found = removed.groupby(["removed", "treatment"], sort=False)[[*OF_SETS, "differ"]].mean()
    cells = found[list(OF_SETS)].map(shown).rename(columns=lambda name: COLUMNS[name][0])
    cells["differs from NCC2"] = [
        "–" if treatment == NCC2 else percent(share, 1) for (_, treatment), share in found["differ"].items()
    ]
    return cells.rename_axis(["cells removed", "treatment"]).reset_index()


# Pictures.


def pictures() -> dict[str, tuple[Callable[..., str], tuple[Any, ...]]]:
    """Return what draws each picture, and from what."""
    results = Results(of_paper("beyond"))
    rivals = read("beyond-rivals")
    # Those of one probability distribution, COMP-AODE's or one next to it.
    of_comp = rivals[~rivals["series"].str.contains("lp-aode|" + "|".join(BASELINES))]
    found = {"set-aside": (_figures.set_aside, (read("beyond-set-aside"),))}
    for measure in ("determinacy", "u65", "u80"):
        found[f"epsilon-{measure}"] = (_figures.epsilon, (read("beyond-epsilon"), measure))
    for utility in ("u65", "u80"):
        ranks = rank_table(results, results.classifiers, utility)
        found[f"rivals-{utility}"] = (_figures.rivals, (of_comp, utility))
        found[f"ranks-{utility}"] = (_figures.ranks, (ranks, utility))
        pairs = _figures.bayesian_table(results, PAIRS, utility)
        found[f"bayesian-{utility}"] = (_figures.bayesian, (pairs, utility))
    for alike, what in ((False, "rows"), (True, "data sets")):
        table = _figures.reliability_table(read("beyond-reliability"), alike=alike)
        found[f"reliability-{what}"] = (_figures.reliability, (table, f"all {what} alike"))
    return found


@cache
def caption(name: str) -> str:
    """Return what a picture shows, in words."""
    draw, arguments = pictures()[name]
    return _figures.draw_svg(draw, *arguments, size=(4, 4))[1]
