"""Write the tables and numbers of the page "Beyond the paper" from a run of `reproduce`.

    python docs/experiment/make_beyond.py results/honest

The folder is the one given to ``--out``, of the honest setting with ``--baselines``.
"""

import sys
from pathlib import Path

import pandas as pd
from make_tables import HERE, UTILITIES, read, write, write_displays

from skcredal.evaluation._classifiers import BASELINES, display_name
from skcredal.paper import _figures
from skcredal.paper._compare import format_p_value
from skcredal.paper._report import _shown

# Half of the data sets have fewer rows, about.
SMALL = 500
WITH_BASELINES = ("aode", "maplmg", "lp-aode", "lp-aode*", *BASELINES)


def table(name: str, content: pd.DataFrame) -> None:
    """Write a table as the report shows it."""
    found = _shown(content)
    write(name, [header for header, _ in found["headers"]], [list(row) for row in found["rows"]])


def by_dataset(summary: pd.DataFrame, studies: dict[str, pd.DataFrame]) -> dict[tuple[str, str], pd.Series]:
    """Return measures of classifiers and of their utility-optimal sets ("optimal u65"), over data sets."""
    found = {
        (str(name), measure): rows.set_index("dataset")[measure]
        for name, rows in summary.groupby("classifier")
        for measure in ("accuracy", "brier_multiclass", "log_loss", "u65", "u80")
    }
    for (series, utility), rows in studies["rivals"].groupby(["series", "judged_by"]):
        name = series.removeprefix("utility-optimal, ")
        found[name, f"optimal {utility}"] = rows.set_index("dataset")["utility"]
    return found


def by_size(summary: pd.DataFrame, studies: dict[str, pd.DataFrame]) -> list[list[str]]:
    """Return the mean differences of LP-AODE and each baseline on small and on large data sets."""
    values = by_dataset(summary, studies)
    n = summary.drop_duplicates("dataset").set_index("dataset")["n"]
    found = []
    for baseline in BASELINES:
        for label, chosen in ((f"below {SMALL} rows", n < SMALL), (f"{SMALL} rows or more", n >= SMALL)):
            row = [display_name(baseline), label, str(chosen.sum())]
            for measure in ("accuracy", "brier_multiclass", "log_loss", "optimal u65", "optimal u80"):
                difference = values["lp-aode", measure] - values[baseline, measure]
                row.append(f"{difference[n.index[chosen]].mean():+.3f}")
            found.append(row)
    return found


def losses(values: dict[tuple[str, str], pd.Series], first: str, second: str, measure: str) -> str:
    """Return the data sets on which the first has the lower utility, the worst first."""
    difference = (values[first, measure] - values[second, measure]).sort_values()
    return ", ".join(f"{name} ({value:+.3f})" for name, value in difference.items() if value < -5e-4)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    summary = read(folder, "summary")
    studies = {name: read(folder, name) for name in ("rivals", "reliability")}
    means, tests = read(folder, "means"), read(folder, "tests")
    table("beyond-means.csv", means[~means["classifier"].isin(BASELINES)])
    table("baselines-means.csv", means.set_index("classifier").loc[list(WITH_BASELINES)].reset_index())
    against_paper = tests[~tests["against"].isin(BASELINES)]
    table("beyond-tests.csv", against_paper)
    table("baselines-tests.csv", tests[tests["against"].isin(BASELINES)])
    header = ["LP-AODE minus", "data sets", "number", "accuracy", "Brier, all", "log-loss", "u65", "u80"]
    write("baselines-sizes.csv", header, by_size(summary, studies))
    drawn = {}
    for weights, alike in (("rows", False), ("alike", True)):
        pooled = _figures.reliability_table(studies["reliability"], alike=alike)
        what = "all data sets alike" if alike else "all rows alike"
        drawn[f"reliability-{weights}"] = ("reliability", pooled, [what])
    numbers = write_displays(drawn, "beyond.json")
    of_sets = against_paper[against_paper["measure"].str.contains("u65|u80")]
    numbers["largest-p"] = format_p_value(of_sets["p"].max())
    values = by_dataset(summary, studies)
    numbers["below-maplmg"] = losses(values, "lp-aode", "maplmg", "optimal u65")
    numbers["below-cdt"] = losses(values, "lp-aode*", "cdt", "u65")
    for name, measure in (
        *(("lp-aode*", utility) for utility in UTILITIES),
        *((name, f"optimal {utility}") for name in ("lp-aode", "maplmg") for utility in UTILITIES),
    ):
        key = f"{measure}-{name}".replace(" ", "-").replace("*", "-star")
        numbers[key] = f"{values[name, measure].mean():.3f}"
    for name, shares in (
        1.0 - summary.dropna(subset="determinacy").set_index("classifier")["determinacy"]
    ).groupby(level=0):
        key = name.replace("*", "-star")
        numbers[f"undecided-mean-{key}"] = f"{shares.mean():.1%}".replace("%", " %")
        numbers[f"undecided-median-{key}"] = f"{shares.median():.1%}".replace("%", " %")
    numbers["runs-beyond"] = str(read(folder, "results")["run"].nunique())
    text = "".join(f".. |{name}| replace:: {value}\n" for name, value in numbers.items())
    (HERE / "beyond-numbers.txt").write_text(text, encoding="utf-8")
