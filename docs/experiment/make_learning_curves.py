"""Measure how sets and probabilities change with the number of rows, on the larger of the paper's data sets.

    python docs/experiment/make_learning_curves.py FOLDER

FOLDER contains the ARFF files. Each data set with at least 3,000 rows is shuffled five times; the classifiers
learn from the first rows, and the last 1,000 judge them. The sums over the shuffles are pooled, and the
measures averaged over the data sets that have them.
"""

import csv
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np

from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation import make_classifiers
from skcredal.evaluation._classifiers import display_name
from skcredal.evaluation._fold import Fold
from skcredal.evaluation._results import Sums, pool
from skcredal.metrics._outcomes import measures

HERE = Path(__file__).parent
SIZES = (30, 60, 120, 250, 500, 1000, 2000)
N_TEST, REPEATS = 1000, 5
CLASSIFIERS = ("lp-aode*", "comp-aode*", "bma-aode*", "random-forest")
MEASURES = {
    "determinacy": "determinacy",
    "single_accuracy": "single-acc.",
    "set_accuracy": "set-acc.",
    "output_size": "output size",
    "accuracy": "accuracy",
    "brier_multiclass": "Brier, all",
    "log_loss": "log-loss",
    "u65": "u65",
    "u80": "u80",
}


def curves(source: str, name: str) -> dict[tuple[str, int], Sums]:
    """Return the sums of every classifier and size on a data set."""
    data = load_dataset(name, source)
    target = data.target.astype(str).to_numpy().astype(object)
    parts = defaultdict(list)
    for repeat in range(REPEATS):
        order = np.random.default_rng(repeat).permutation(len(target))
        for size in SIZES:
            fold = Fold(data.features, target, order[:size], order[-N_TEST:])
            found = fold.sums(make_classifiers(CLASSIFIERS, n_trees=500))
            for classifier, sums in found.items():
                parts[classifier, size].append(sums)
    return {key: pool(sums) for key, sums in parts.items()}


def mean(values: list[float]) -> str:
    """Return the mean of the values that are there."""
    there = [value for value in values if not np.isnan(value)]
    return f"{fmean(there):.3f}" if there else "–"


if __name__ == "__main__":
    # A few rows often lack a class or a value, which every shuffle would warn about.
    warnings.simplefilter("ignore")
    source = sys.argv[1]
    names = [name for name in list_datasets(source) if len(load_dataset(name, source).target) >= 3000]
    found = [curves(source, name) for name in names]
    rows = []
    for classifier in CLASSIFIERS:
        for size in SIZES:
            of_datasets = [measures(of_dataset[classifier, size]) for of_dataset in found]
            means = [mean([of_dataset[measure] for of_dataset in of_datasets]) for measure in MEASURES]
            rows.append([display_name(classifier), str(size), *means])
    with (HERE / "learning-curves.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["classifier", "n", *MEASURES.values()])
        writer.writerows(rows)
