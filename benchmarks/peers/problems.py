"""The tables that are compared, and what we say of them."""

import json
import os
import warnings
from dataclasses import dataclass

import numpy as np

from skcredal import NaiveBayes
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation._classifiers import make_classifiers
from skcredal.evaluation._fold import Fold, encode_whole, splits

__all__ = ["OURS", "Problem", "read_problems"]

OURS = ("naive-bayes", "tan", "aode")
FOLDS = 5


@dataclass(frozen=True)
class Problem:
    """A data set: its numeric columns, and the codes of all features kept, as its training folds see them.

    The cuts and states are those of the whole data set, so that all implementations get the same codes.
    """

    name: str
    numbers: np.ndarray
    cuts: list
    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    n_states: np.ndarray
    folds: list

    @property
    def n_classes(self):
        return len(self.classes)

    def write(self, path):
        """Write codes, labels and the first fold for another Python, with the edges of our TAN."""
        fold, train, test = self.folds[0]
        tan = fold.learn("tan", make_classifiers(["tan"])["tan"])
        kept = list(tan.features_)
        edges = [[kept.index(parent), kept.index(child)] for parent, child in tan.tree_]
        content = {
            "train": self.codes[train].tolist(),
            "train_labels": self.labels[train].tolist(),
            "test": self.codes[test].tolist(),
            "n_states": self.n_states.tolist(),
            "n_classes": self.n_classes,
            "edges": edges,
        }
        path.write_text(json.dumps(content), encoding="utf-8")

    def ours(self, name, fold):
        """Return our classifier of a name, fitted to a fold, and its probabilities of the test rows."""
        learner = fold.learn(name, make_classifiers([name])[name])
        return learner, learner.predict_proba(fold.test_rows(learner))


def local_codes(table):
    """Return the states of a table numbered within each feature, (rows, k)."""
    n_states = table.encoding.n_states
    return table.states.T.astype(np.int64) - (np.cumsum(n_states) - n_states)


def read_problems():
    """Yield the data sets of the folder that SKCREDAL_DATA names, or else those of the package."""
    source = os.environ.get("SKCREDAL_DATA") or "embedded"
    for name in list_datasets(source):
        data = load_dataset(name, source)
        target = data.target.to_numpy()
        classes, labels = np.unique(target, return_inverse=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Cuts of the known cells: the others do not impute before they cut.
            read = NaiveBayes(missing="marginalize").fit(data.features, target).encoding_
            numeric = [one for one in read if one.kind == "numeric" and not np.isnan(one.range[0])]
            (whole,) = encode_whole(data.features, target, [NaiveBayes()]).items()
            pairs = list(splits(target, folds=FOLDS, run=0, seed=0))
            folds = [
                (Fold(data.features, target, train, test, dict([whole])), train, test)
                for train, test in pairs
            ]
        yield Problem(
            name,
            data.features[[feature.name for feature in numeric]].to_numpy(dtype=float),
            [np.array(feature.cuts) for feature in numeric],
            labels,
            classes,
            local_codes(whole[1]),
            whole[1].encoding.n_states,
            folds,
        )
