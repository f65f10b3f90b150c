"""Measure what smoothing does to the probabilities of a random forest, on the paper's data sets.

    python docs/experiment/measure_forest.py FOLDER

FOLDER contains the ARFF files. One run of five folds, 500 trees.
"""

import sys

import numpy as np
import pandas as pd
from keep_runs import keep

from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation import make_classifiers
from skcredal.evaluation._fold import Fold, splits
from skcredal.metrics._outcomes import class_indices

N_TREES = 500
# As in the log-loss of all other tables.
LOWEST = 1e-15


def of_true_class(source: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the smoothed and the raw probability of the true class in every test row."""
    data = load_dataset(name, source)
    target = data.target.astype(str).to_numpy().astype(object)
    found = []
    for train, test in splits(target, folds=5, run=0, seed=0):
        fold = Fold(data.features, target, train, test)
        ((_, answer),) = fold.answers(make_classifiers(["random-forest"], n_trees=N_TREES))
        classes = class_indices(target[test], answer.learner.classes_)
        smoothed = np.where(classes < 0, 0.0, answer.proba[np.arange(len(test)), classes])
        raw = (smoothed * (N_TREES + answer.proba.shape[1]) - 1.0) / N_TREES
        found.append((smoothed, np.where(raw < 0.5 / N_TREES, 0.0, raw)))
    return tuple(map(np.concatenate, zip(*found, strict=True)))


if __name__ == "__main__":
    source, rows = sys.argv[1], []
    for name in list_datasets(source):
        smoothed, raw = of_true_class(source, name)
        losses = {how: -np.log(p.clip(LOWEST)).mean() for how, p in (("smoothed", smoothed), ("raw", raw))}
        rows.append({"dataset": name, **losses, "zero": (raw == 0.0).mean()})
    keep(pd.DataFrame(rows), "forest")
