"""Write the tables, pictures' numbers and numbers in the text of these pages from two runs of `reproduce`.

    python docs/experiment/make_tables.py results/honest results/paper

The folders are those given to ``--out``, the first of the honest setting, the second of the paper's. A test
says where the README has to follow.
"""

import csv
import json
import sys
from pathlib import Path

import pandas as pd

from skcredal.paper import _figures
from skcredal.paper._tables import PAPER_CLASSIFIERS, Results, rank_table

HERE = Path(__file__).parent
MEASURES = {
    "accuracy": "accuracy",
    "brier": "Brier",
    "determinacy": "determinacy",
    "single_accuracy": "single-acc.",
    "set_accuracy": "set-acc.",
    "output_size": "output size",
    "u65": "u65",
    "u80": "u80",
    "accuracy_undecided": "acc. on undecided",
}
UTILITIES = ("u65", "u80")
PAIRS = [("comp-aode*", other) for other in ("bma-aode*", "ncc", "cma", "cdt", "comp-aode", "aode")]


def read(folder: Path, name: str) -> pd.DataFrame:
    """Read a table; the classifier "null" is a name, not a missing value."""
    return pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])


def of_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out what make_beyond.py tells of."""
    return table[table["classifier"].isin(PAPER_CLASSIFIERS)]


def write(name: str, header: list[str], rows: list[list[str]]) -> None:
    """Write one table."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def shown(value: float, form: str = ".3f") -> str:
    """Return a number, or a dash where there is none."""
    return "–" if pd.isna(value) else format(value, form)


def claims_table(claims: list[list[dict]]) -> None:
    """Put the claims of both settings side by side."""
    rows = [
        [
            str(a["number"]),
            a["text"],
            a["paper"],
            a["ours"],
            a["verdict"],
            b["ours"],
            b["verdict"],
        ]
        for a, b in zip(*claims, strict=True)
    ]
    header = ["#", "claim", "paper", "honest setting", "honest", "paper's setting", "paper's"]
    write("claims.csv", header, rows)


def reasons_text(claims: list[list[dict]]) -> str:
    """Return why some claims do not hold, as the report and the command line say it."""
    failed = {claim["number"]: claim for of_setting in claims for claim in of_setting if claim["why"]}
    return "".join(
        f"- **{failed[number]['text']} ({number}).** {failed[number]['why']}\n".replace("AODE*", r"AODE\*")
        for number in sorted(failed)
    )


def means_table(summary: pd.DataFrame, name: str) -> None:
    """Average each measure over the data sets that have it."""
    means = summary.groupby("classifier", sort=False)[list(MEASURES)].mean()
    rows = [
        [str(classifier), *map(shown, values)]
        for classifier, values in zip(means.index, means.to_numpy(), strict=True)
    ]
    write(name, ["classifier", *MEASURES.values()], rows)


def epsilon_table(table: pd.DataFrame) -> None:
    """Average over the data sets for each classifier and ε."""
    measures = ["determinacy", "single_accuracy", "set_accuracy", "output_size", "u65", "u80"]
    means = table.groupby(["series", "epsilon"], sort=True)[measures].mean()
    rows = [[name, f"{epsilon:g}", *map(shown, row)] for (name, epsilon), row in means.iterrows()]
    write("epsilon.csv", ["classifier", "ε", *(MEASURES[measure] for measure in measures)], rows)


def set_aside_table(table: pd.DataFrame) -> None:
    """Average the accuracy of the rest over the data sets, for each share set aside."""
    names = list(dict.fromkeys(table["series"]))
    means = table.groupby(["set_aside", "series"], sort=True)["accuracy"].mean().unstack("series")
    # The picture has all of them.
    rows = [[f"{share:.0%}", *(shown(row[name]) for name in names)] for share, row in means[::2].iterrows()]
    write("set-aside.csv", ["set aside", *(f"by {name}" for name in names)], rows)


def rivals_table(table: pd.DataFrame) -> None:
    """Average over the data sets for each rival, the best under u65 first."""
    measures = {
        "utility": "",
        "determinacy": "determinacy",
        "set_accuracy": "set-acc.",
        "output_size": "size",
    }
    means = table.groupby(["series", "judged_by"])[list(measures)].mean().unstack("judged_by")
    means = means.sort_values([("utility", "u65"), ("utility", "u80")], ascending=False)
    header = [f"{utility} {name}".strip() for utility in UTILITIES for name in measures.values()]
    rows = [
        [str(name), *(shown(row[measure, utility]) for utility in UTILITIES for measure in measures)]
        for name, row in means.iterrows()
    ]
    write("rivals.csv", ["sets", *header], rows)


def displays(summary: pd.DataFrame, studies: dict[str, pd.DataFrame]) -> dict:
    """Return what the pictures show, by name: the figure, its table and its options."""
    results, epsilon = Results(summary), studies["epsilon"]
    found = {"set-aside": ("set_aside", studies["set-aside"], [])}
    for measure in ("determinacy", *UTILITIES):
        found[f"epsilon-{measure}"] = (
            "epsilon",
            epsilon[["dataset", "series", "epsilon", measure]],
            [measure],
        )
    for utility in UTILITIES:
        judged = studies["rivals"][studies["rivals"]["judged_by"] == utility]
        columns = ["dataset", "series", "judged_by", "utility"]
        found[f"rivals-{utility}"] = ("rivals", judged[columns], [utility])
        ranks = rank_table(results, results.classifiers, utility)
        found[f"ranks-{utility}"] = ("ranks", ranks, [utility])
        found[f"bayesian-{utility}"] = (
            "bayesian",
            _figures.bayesian_table(results, PAIRS, utility),
            [utility],
        )
    return found


def write_displays(drawn: dict, file: str) -> dict[str, str]:
    """Write what the pictures show, and return their captions."""
    captions = {}
    lines = []
    for name, (figure, table, options) in drawn.items():
        _, captions[f"caption-{name}"] = _figures.draw_svg(
            getattr(_figures, figure), table, *options, size=(4, 4)
        )
        lines.append(f" {json.dumps(name)}: {json.dumps([figure, rounded(table.to_dict('list')), options])}")
    (HERE / file).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return captions


def rounded(value):
    """Return the numbers in lists and dicts with as many digits as can be seen."""
    if isinstance(value, float):
        # ε goes down to 1e-8.
        return round(value, 5) if abs(value) > 1e-3 else float(f"{value:.3g}")
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, (list, tuple)) else value


def numbers(folders: list[Path], claims: list[list[dict]], summaries: list[pd.DataFrame]) -> dict[str, str]:
    """Return the numbers that the text and the README cite, all but the claims of the honest setting."""
    found = {}
    for setting, folder, of_setting in zip(("honest", "paper"), folders, claims, strict=True):
        found[f"hold-{setting}"] = str(sum(claim["holds"] is True for claim in of_setting))
        _, *folds = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        seconds = sum(json.loads(fold)["seconds"] for fold in folds)
        found[f"time-{setting}"] = f"{seconds / 60:.0f} min of computing"
    results = of_paper(read(folders[0], "results"))
    found["datasets"] = str(results["dataset"].nunique())
    found["classifiers"] = str(results["classifier"].nunique())
    found["runs"] = str(results["run"].nunique())
    found["folds"] = str(results["fold"].nunique())
    found["rows"] = f"{results[results['classifier'] == 'aode']['n_test'].sum():,.0f}"
    means = summaries[0].groupby("classifier")[["determinacy", *UTILITIES]].mean()
    for name in ("bma-aode*", "comp-aode*", "ncc", "cma", "cdt"):
        key = name.replace("*", "-star")
        found[f"determinacy-{key}"] = f"{means.loc[name, 'determinacy']:.1%}".replace("%", " %")
        for utility in UTILITIES:
            found[f"{utility}-{key}"] = f"{means.loc[name, utility]:.1%}".replace("%", " %")
    for name in ("bma-aode*", "comp-aode*"):
        key = name.replace("*", "-star")
        rows = results[results["classifier"] == name]
        dependent = rows["n_undecided"].sum()
        right = (rows["accuracy"] * rows["n_test"]).sum()
        right_dependent = (rows["accuracy_undecided"] * rows["n_undecided"]).sum()
        found[f"undecided-{key}"] = f"{dependent:,.0f}"
        found[f"right-undecided-{key}"] = f"{right_dependent / dependent:.0%}".replace("%", " %")
        safe = (right - right_dependent) / (rows["n_test"].sum() - dependent)
        found[f"right-safe-{key}"] = f"{safe:.0%}".replace("%", " %")
    return found


if __name__ == "__main__":
    folders = [Path(folder) for folder in sys.argv[1:]]
    claims = [json.loads((folder / "claims.json").read_text(encoding="utf-8")) for folder in folders]
    summaries = [of_paper(read(folder, "summary")) for folder in folders]
    studies = {name: read(folders[0], name) for name in ("epsilon", "set-aside", "rivals")}
    claims_table(claims)
    (HERE / "reasons.txt").write_text(reasons_text(claims), encoding="utf-8")
    for summary, setting in zip(summaries, ("honest", "paper"), strict=True):
        means_table(summary, f"means-{setting}.csv")
    epsilon_table(studies["epsilon"])
    set_aside_table(studies["set-aside"])
    rivals_table(studies["rivals"])
    cited = numbers(folders, claims, summaries)
    captions = write_displays(displays(summaries[0], studies), "displays.json")
    cited |= {name: caption.replace("*", r"\*") for name, caption in captions.items()}
    text = "".join(f".. |{name}| replace:: {value}\n" for name, value in cited.items())
    (HERE / "numbers.txt").write_text(text, encoding="utf-8")
