"""Write the tables and numbers of the page "Beyond the paper" from a run of `reproduce`.

    python docs/experiment/make_beyond.py results/honest

The folder is the one given to ``--out``, of the honest setting with ``--baselines``.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from make_tables import HERE, UTILITIES, read, rounded, shown, write

from skcredal.evaluation._classifiers import BASELINES, display_name
from skcredal.paper import beyond_data

# Half of the data sets have fewer rows, about.
SMALL = 500
WITH_BASELINES = ("aode", "maplmg", "lp-aode", "lp-aode*", *BASELINES)


def table(name: str, content: dict, rows: list[list]) -> None:
    """Write some rows of a table of the section."""
    columns = content["columns"]
    header = [column["label"] for column in columns]
    header[0] = "classifier"
    texts = [
        [
            value if isinstance(value, str) else shown(np.nan if value is None else value, f".{decimals}f")
            for value, decimals in zip(row, (column["decimals"] for column in columns), strict=True)
        ]
        for row in rows
    ]
    write(name, header, texts)


def by_dataset(summary: pd.DataFrame, studies: dict[str, pd.DataFrame]) -> dict[tuple[str, str], pd.Series]:
    """Return measures of classifiers and of their utility-optimal sets ("optimal u65"), over data sets."""
    found = {
        (str(name), measure): rows.set_index("dataset")[measure]
        for name, rows in summary.groupby("classifier")
        for measure in ("accuracy", "brier_multiclass", "log_loss", "u65", "u80")
    }
    for study in ("rivals", "baselines"):
        for (series, utility), rows in studies[study].groupby(["series", "judged_by"]):
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


def largest_p(tests: list[list]) -> str:
    """Return the largest p-value of the tests of utilities."""
    p_values = [row[7] for row in tests if row[2].startswith("u")]
    return max(p_values, key=lambda text: float(text.removeprefix("< ")))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    summary = read(folder, "summary")
    studies = {name: read(folder, name) for name in ("rivals", "reliability", "baselines")}
    beyond = beyond_data(summary, studies)
    baselines = {display_name(name) for name in BASELINES}
    means = {row[0]: row for row in beyond["means"]["rows"]}
    table("beyond-means.csv", beyond["means"], [means[name] for name in means if name not in baselines])
    table("baselines-means.csv", beyond["means"], [means[display_name(name)] for name in WITH_BASELINES])
    against_paper = [row for row in beyond["tests"]["rows"] if row[1] not in baselines]
    table("beyond-tests.csv", beyond["tests"], against_paper)
    against_baselines = [row for row in beyond["tests"]["rows"] if row[1] in baselines]
    table("baselines-tests.csv", beyond["tests"], against_baselines)
    header = ["LP-AODE minus", "data sets", "number", "accuracy", "Brier, all", "log-loss", "u65", "u80"]
    write("baselines-sizes.csv", header, by_size(summary, studies))
    drawn = {f"reliability-{'alike' if d.alike else 'rows'}": d for d in beyond["figures"][0][1]}
    as_json = {name: [type(display).__name__, rounded(display.numbers())] for name, display in drawn.items()}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in as_json.items()]
    (HERE / "beyond.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    numbers = {f"caption-{name}": display.caption for name, display in drawn.items()}
    numbers["largest-p"] = largest_p(against_paper)
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
