"""Measure three treatments of missing values by NCC: imputed, left out, and any value possible (NCC2).

    python docs/experiment/measure_missing.py FOLDER

FOLDER contains the ARFF files of the paper's data sets. Those with missing cells are taken as they are, in
one run of five folds. From those without, of at most 2,000 rows, cells of three features are removed:

- at random: a tenth of the cells;
- not at random: a cell is removed with probability 0.4 if its value is a common one and its row of the most
  frequent class, else with 0.02, in training and test rows alike;
- in training only: likewise, but the test rows are whole. What was missing in training is known later.

A common value is the most frequent category, or a number above the median. Features are chosen at random.
"""

import sys
import warnings
from collections import defaultdict
from statistics import fmean

import numpy as np
import pandas as pd
from keep_runs import keep

from skcredal import NaiveCredal
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation._fold import Fold, splits
from skcredal.evaluation._results import pool
from skcredal.metrics._outcomes import measures

NCC2 = "conservative (NCC2)"
TREATMENTS = {
    "impute": NaiveCredal(),
    "marginalize": NaiveCredal(missing="marginalize"),
    NCC2: NaiveCredal(conservative_features="all"),
}
MOST_ROWS, N_FEATURES, N_FOLDS = 2000, 3, 5
AT_RANDOM, OFTEN, SELDOM = 0.1, 0.4, 0.02
AS_IT_IS = "none"
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    source, rows = sys.argv[1], []
    for name in list_datasets(source):
        data = load_dataset(name, source)
        features, target = data.features, data.target.astype(str).to_numpy().astype(object)
        missing = features.isna().to_numpy().mean()
        if missing > 0:
            compared = {AS_IT_IS: compare(features, target, features)}
        elif len(target) <= MOST_ROWS:
            holed = {removal: with_holes(features, target, removal) for removal in REMOVALS}
            compared = {removal: compare(train, target, test) for removal, (train, test) in holed.items()}
        else:
            continue
        for removal, of_treatment in compared.items():
            for treatment, found in of_treatment.items():
                about = {"dataset": name, "missing": missing, "removed": removal, "treatment": treatment}
                rows.append(about | found)
        print(name, flush=True)
    keep(pd.DataFrame(rows), "missing")
