"""Keep what the pages need of three runs of `reproduce` in ``docs/experiment/data``.

    OF_PAPER=aode,bma-aode,comp-aode,maplmg,naive-bayes,tan,null,bma-aode-star,comp-aode-star,ncc,cma,cdt
    skcredal reproduce --data FOLDER --out results/honest --classifiers $OF_PAPER
    skcredal reproduce --data FOLDER --out results/paper --classifiers $OF_PAPER --setting paper
    skcredal reproduce --data FOLDER --out results/beyond --baselines --runs 5
    python docs/experiment/keep_runs.py results

FOLDER contains the 39 ARFF files.
"""

import json
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
DATA = HERE / "data"
sys.path.insert(0, str(HERE.parent / "_ext"))

import measured  # noqa: E402

KEPT = {
    "honest": ("summary",),
    "paper": ("summary",),
    "beyond": ("summary", "epsilon", "set-aside", "rivals", "reliability"),
}


def keep(table: pd.DataFrame, name: str) -> None:
    """Write a table with six digits, more than any page shows."""
    table.to_csv(DATA / f"{name}.csv", index=False, float_format="%.6g", lineterminator="\n")


def read(folder: Path, name: str) -> pd.DataFrame:
    """Read a table; "null" is a classifier, not a missing value."""
    return pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])


def about(folder: Path) -> dict[str, object]:
    """Return what was run; the journal may contain further runs of the same plan."""
    header, *folds = map(json.loads, (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines())
    runs = set(read(folder, "results")["run"])
    return {
        "name": folder.name,
        "setting": header["setting"],
        "datasets": len({fold["dataset"] for fold in folds}),
        "runs": len(runs),
        "folds": header["folds"],
        "seed": header["seed"],
        "skcredal": header["skcredal"],
        "scikit-learn": header["scikit-learn"],
        "minutes": sum(fold["seconds"] for fold in folds if fold["run"] in runs) / 60.0,
    }


def markdown(table: pd.DataFrame) -> str:
    """Return a table for Markdown."""
    rows = [list(table), ["---"] * table.shape[1], *table.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows).replace("*", r"\*")


def overview() -> str:
    """Return the page that shows the means of these files to readers of the repository."""
    runs = read(DATA, "runs")
    conformal = [f"conformal {level} %, random-forest" for level in (80, 90, 95)]
    return (
        (HERE / "overview.md")
        .read_text(encoding="utf-8")
        .format(
            runs=markdown(runs.assign(minutes=runs["minutes"].round().astype(int))),
            honest=measured.holding("honest"),
            paper=measured.holding("paper"),
            means=markdown(measured.all_means(*measured.summary()["classifier"].unique())),
            sets=markdown(measured.sets_of("lp-aode*", *conformal, "comp-aode*")),
            tests=markdown(measured.tests(baselines=True)),
        )
    )


if __name__ == "__main__":
    folders = {name: Path(sys.argv[1]) / name for name in KEPT}
    for name, folder in folders.items():
        for table in KEPT[name]:
            keep(read(folder, table), f"{name}-{table}")
    keep(pd.DataFrame(map(about, folders.values())), "runs")
    (DATA / "README.md").write_text(overview(), encoding="utf-8")
