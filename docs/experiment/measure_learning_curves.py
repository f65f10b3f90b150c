"""Measure how sets and probabilities change with the number of rows, on the larger of the paper's data sets.

    python docs/experiment/measure_learning_curves.py FOLDER

FOLDER contains the ARFF files. Each data set with at least 3,000 rows is shuffled five times; the classifiers
learn from the first rows, and the last 1,000 judge them. The sums over the shuffles are pooled.
"""

import sys
import warnings
from collections import defaultdict

import numpy as np
import pandas as pd
from keep_runs import keep

from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation import make_classifiers
from skcredal.evaluation._fold import Fold
from skcredal.evaluation._results import Sums, pool
from skcredal.metrics._outcomes import measures

SIZES = (30, 60, 120, 250, 500, 1000, 2000)
N_TEST, REPEATS = 1000, 5
CLASSIFIERS = ("lp-aode*", "comp-aode*", "bma-aode*", "random-forest")


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


if __name__ == "__main__":
    # A few rows often lack a class or a value, which every shuffle would warn about.
    warnings.simplefilter("ignore")
    source, rows = sys.argv[1], []
    for name in list_datasets(source):
        if len(load_dataset(name, source).target) >= 3000:
            for (classifier, size), sums in curves(source, name).items():
                rows.append({"dataset": name, "classifier": classifier, "rows": size, **measures(sums)})
            print(name, flush=True)
    keep(pd.DataFrame(rows), "learning-curves")
