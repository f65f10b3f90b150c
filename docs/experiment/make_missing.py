"""Measure three treatments of missing values by NCC: imputed, left out, and any value possible (NCC2).

    python docs/experiment/make_missing.py FOLDER

FOLDER contains the ARFF files of the paper's data sets. Those with missing cells are taken as they are, in
one run of five folds. From those without, of at most 2,000 rows, cells of three features are removed:

- at random: a tenth of the cells;
- not at random: a cell is removed with probability 0.4 if its value is a common one and its row of the most
  frequent class, else with 0.02, in training and test rows alike;
- in training only: likewise, but the test rows are whole. What was missing in training is known later.

A common value is the most frequent category, or a number above the median. Features are chosen at random.
"""

import csv
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd

from skcredal import NaiveCredal
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation._fold import Fold, splits
from skcredal.evaluation._results import pool
from skcredal.metrics._outcomes import measures

HERE = Path(__file__).parent
TREATMENTS = {
    "impute": NaiveCredal(),
    "marginalize": NaiveCredal(missing="marginalize"),
    "conservative (NCC2)": NaiveCredal(conservative_features="all"),
}
NCC, NCC2 = "impute", "conservative (NCC2)"
SHOWN = {
    "determinacy": "determinacy",
    "single_accuracy": "single-acc.",
    "set_accuracy": "set-acc.",
    "output_size": "output size",
    "u65": "u65",
    "u80": "u80",
}
MOST_ROWS, N_FEATURES, N_FOLDS = 2000, 3, 5
AT_RANDOM, OFTEN, SELDOM = 0.1, 0.4, 0.02
REMOVALS = ("at random", "not at random", "not at random, in training only")


def compare(features: pd.DataFrame, target: np.ndarray, test_features: pd.DataFrame) -> dict[str, dict]:
    """Return the measures of every treatment, and how often its sets differ from those of NCC2."""
    parts, differ = defaultdict(list), defaultdict(list)
    for train, test in splits(target, folds=N_FOLDS, run=0, seed=0):
        # The test rows follow the others: a fold is a choice of rows of one table.
        both = pd.concat([features.iloc[train], test_features.iloc[test]], ignore_index=True)
        labels = np.concatenate([target[train], target[test]])
        fold = Fold(both, labels, np.arange(len(train)), np.arange(len(train), len(both)))
        for name, sums in fold.sums(TREATMENTS).items():
            parts[name].append(sums)
        sets = {
            name: fold.learn(name, clf).predict_set(fold.test_rows(clf)) for name, clf in TREATMENTS.items()
        }
        for name in TREATMENTS:
            differ[name].extend((sets[name] != sets[NCC2]).any(axis=1).tolist())
    found = {name: measures(pool(sums)) for name, sums in parts.items()}
    return {name: of_treatment | {"differ": fmean(differ[name])} for name, of_treatment in found.items()}


def is_common(column: pd.Series) -> pd.Series:
    """Tell which cells have a common value."""
    if pd.api.types.is_numeric_dtype(column):
        return column > column.median()
    return column == column.mode().iloc[0]


def with_holes(features: pd.DataFrame, target: np.ndarray, removal: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table to learn from and the table to judge by, with cells removed."""
    rng = np.random.default_rng(0)
    holed = features.copy()
    classes, counts = np.unique(target, return_counts=True)
    frequent = target == classes[counts.argmax()]
    for j in rng.choice(features.shape[1], min(N_FEATURES, features.shape[1]), replace=False):
        draws = rng.random(len(target))
        if removal == "at random":
            removed = draws < AT_RANDOM
        else:
            removed = draws < np.where(is_common(features.iloc[:, j]) & frequent, OFTEN, SELDOM)
        holed.isetitem(j, features.iloc[:, j].mask(removed))
    return holed, features if removal.endswith("in training only") else holed


def write(name: str, header: list[str], rows: list[list[str]]) -> None:
    """Write a table beside this script."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def shown(value: float) -> str:
    """Return a number with three decimals."""
    return "–" if np.isnan(value) else f"{value:.3f}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    source = sys.argv[1]
    own, removed = [], defaultdict(list)
    for name in list_datasets(source):
        data = load_dataset(name, source)
        target = data.target.astype(str).to_numpy().astype(object)
        missing = data.features.isna().to_numpy().mean()
        if missing > 0:
            found = compare(data.features, target, data.features)
            values = [
                (found[NCC][key], found[NCC2][key]) for key in ("determinacy", "single_accuracy", "u65")
            ]
            pairs = [f"{shown(ncc)} / {shown(ncc2)}" for ncc, ncc2 in values]
            own.append([name, f"{missing:.1%}", f"{found[NCC]['differ']:.1%}", *pairs])
        elif len(target) <= MOST_ROWS:
            for removal in REMOVALS:
                train, test = with_holes(data.features, target, removal)
                removed[removal].append(compare(train, target, test))
    write(
        "missing-datasets.csv",
        ["data set", "missing cells", "sets that differ", "determinacy", "single-acc.", "u65"],
        own,
    )
    rows = []
    for removal, found in removed.items():
        for name in TREATMENTS:
            means = [np.nanmean([of_dataset[name][key] for of_dataset in found]) for key in SHOWN]
            differ = fmean(of_dataset[name]["differ"] for of_dataset in found)
            rows.append([removal, name, *map(shown, means), "–" if name == NCC2 else f"{differ:.1%}"])
    header = ["cells removed", "treatment", *SHOWN.values(), "differs from NCC2"]
    write("missing-removed.csv", header, rows)
