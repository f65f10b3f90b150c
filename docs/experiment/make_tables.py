"""Write the tables of this page from two finished runs of ``skcredal reproduce``.

    python docs/experiment/make_tables.py results/honest results/paper

The folders are those given to ``--out``, the first of the honest setting, the second of the paper's.
"""

import csv
import json
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
VERDICT = {True: "holds", False: "does not hold", None: "not to be told"}
MEASURES = {
    "accuracy": "accuracy",
    "brier": "Brier",
    "determinacy": "determinacy",
    "single_accuracy": "single-acc.",
    "set_accuracy": "set-acc.",
    "output_size": "output size",
    "u65": "u65",
    "u80": "u80",
    "accuracy_dependent": "acc. on prior-dependent",
}


def write(name: str, header: list[str], rows: list[list[str]]) -> None:
    """Write one table."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def claims_table(honest: Path, paper: Path) -> None:
    """Put the claims of both settings side by side."""
    found = [json.loads((folder / "claims.json").read_text(encoding="utf-8")) for folder in (honest, paper)]
    rows = [
        [
            str(a["number"]),
            a["text"],
            a["paper"],
            a["ours"],
            VERDICT[a["holds"]],
            b["ours"],
            VERDICT[b["holds"]],
        ]
        for a, b in zip(*found, strict=True)
    ]
    header = ["#", "claim", "paper", "honest setting", "honest", "paper's setting", "paper's"]
    write("claims.csv", header, rows)


def means_table(folder: Path, name: str) -> None:
    """Average each measure over the data sets that have it."""
    # The classifier "null" is a name, not a missing value.
    summary = pd.read_csv(folder / "summary.csv", keep_default_na=False, na_values=[""])
    means = summary.groupby("classifier", sort=False)[list(MEASURES)].mean()
    rows = [
        [str(classifier), *("–" if pd.isna(value) else f"{value:.3f}" for value in values)]
        for classifier, values in zip(means.index, means.to_numpy(), strict=True)
    ]
    write(name, ["classifier", *MEASURES.values()], rows)


if __name__ == "__main__":
    honest, paper = map(Path, sys.argv[1:])
    claims_table(honest, paper)
    means_table(honest, "means-honest.csv")
    means_table(paper, "means-paper.csv")
