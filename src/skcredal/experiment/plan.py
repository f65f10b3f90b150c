"""What an experiment runs: which classifiers, under the paper's names, on which folds of which data sets."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

import skcredal
from skcredal._arrays import AnyArray, IntArray
from skcredal._validation import check_choice, check_instance, check_integer, check_texts, naming, safe_repr
from skcredal.classifiers.aode import AODE, BmaAODE, CompAODE
from skcredal.classifiers.base import TabularClassifier
from skcredal.classifiers.bayes import TAN, NaiveBayes, NullClassifier
from skcredal.classifiers.cma import CredalModelAveraging
from skcredal.classifiers.credal import CredalClassifier
from skcredal.classifiers.credal_aode import CredalBmaAODE, CredalCompAODE
from skcredal.classifiers.maplmg import MaplmgAODE
from skcredal.classifiers.ncc import NaiveCredal
from skcredal.classifiers.tree import CredalTree
from skcredal.experiment.fold import check_classifiers

__all__ = ["CLASSIFIERS", "Plan", "is_credal", "make_classifiers", "splits"]

CLASSIFIERS: dict[str, type[TabularClassifier]] = {
    "aode": AODE,
    "bma-aode": BmaAODE,
    "comp-aode": CompAODE,
    "maplmg": MaplmgAODE,
    "naive-bayes": NaiveBayes,
    "tan": TAN,
    "null": NullClassifier,
    "bma-aode*": CredalBmaAODE,
    "comp-aode*": CredalCompAODE,
    "ncc": NaiveCredal,
    "cma": CredalModelAveraging,
    "cdt": CredalTree,
}


def is_credal(name: str) -> bool:
    """Tell whether the classifier of a name returns sets.

    Examples
    --------
    >>> is_credal("cdt"), is_credal("tan")
    (True, False)
    """
    return issubclass(CLASSIFIERS[check_choice("name", name, tuple(CLASSIFIERS))], CredalClassifier)


def make_classifiers(names: Iterable[str] | None = None) -> dict[str, TabularClassifier]:
    """Return new classifiers under their names, all of them by default; ``-star`` may stand for the star.

    Examples
    --------
    >>> make_classifiers(["comp-aode-star"])
    {'comp-aode*': CredalCompAODE()}
    """
    chosen = {}
    for name in CLASSIFIERS if names is None else check_texts("names", names):
        starred = name.lower().removesuffix("-star") + "*" if name.lower().endswith("-star") else name.lower()
        if starred not in CLASSIFIERS:
            raise ValueError(f"There is no classifier {safe_repr(name)}; there are {', '.join(CLASSIFIERS)}.")
        chosen[starred] = CLASSIFIERS[starred]()
    return chosen


@dataclass(frozen=True)
class Plan:
    """A comparison by repeated stratified cross-validation.

    Parameters
    ----------
    source : str
        Where the data sets come from, as in :func:`skcredal.data.datasets.load_dataset`.
    datasets : list of str
        Their names.
    classifiers : dict
        Unfitted classifiers by name.
    setting : {"honest", "paper"}
        Whether imputation, cuts and the dropping of features are learned inside each training fold, or once
        on the whole data set, as the original experiments did.
    runs, folds, seed : int
        How often the rows are shuffled, into how many folds, and from which seed.

    Examples
    --------
    >>> Plan("embedded", ["iris"], make_classifiers(["aode"]), runs=2, folds=5).n_fits
    10
    """

    source: str
    datasets: list[str]
    classifiers: dict[str, TabularClassifier]
    setting: str = "honest"
    runs: int = 10
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_instance("source", self.source, str)
        check_texts("datasets", self.datasets)
        check_classifiers(self.classifiers)
        check_choice("setting", self.setting, ("honest", "paper"))
        check_integer("runs", self.runs, low=1, high=10**6)
        check_integer("folds", self.folds, low=2)
        check_integer("seed", self.seed, low=0)

    @property
    def n_fits(self) -> int:
        """How many classifiers are learned in all."""
        return len(self.datasets) * len(self.classifiers) * self.runs * self.folds

    def digest(self, dataset: str, checksum: str, classifier: str) -> str:
        """Return a digest of all that the numbers of a data set and classifier depend on.

        The number of runs is not part of it: each run has a seed of its own, and more runs go on where fewer
        ended.
        """
        return self._digest(dataset, checksum, classifier=classifier, parameters=self._parameters(classifier))

    def study_digest(self, dataset: str, checksum: str, study: str, points: Sequence[object]) -> str:
        """Return a digest of all that the numbers of a data set and study depend on."""
        parameters = {name: self._parameters(name) for name in self.classifiers}
        return self._digest(dataset, checksum, study=study, points=repr(points), parameters=parameters)

    def _parameters(self, classifier: str) -> str:
        return repr(sorted(self.classifiers[classifier].get_params().items()))

    def _digest(self, dataset: str, checksum: str, **more: object) -> str:
        parts = {
            "version": skcredal.__version__,
            "dataset": dataset,
            "checksum": checksum,
            "setting": self.setting,
            "folds": self.folds,
            "seed": self.seed,
            **more,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def splits(target: AnyArray, *, folds: int, run: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return the training and test rows of each fold of a run, stratified by class.

    Examples
    --------
    >>> import numpy as np
    >>> [len(test) for _, test in splits(np.array(["a", "b"] * 5), folds=5, run=0, seed=0)]
    [2, 2, 2, 2, 2]
    """
    check_instance("target", target, np.ndarray)
    check_integer("folds", folds, low=2, high=max(2, target.size))
    check_integer("run", run, low=0)
    check_integer("seed", seed, low=0)
    state = int(np.random.SeedSequence([seed, run]).generate_state(1)[0])
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=state)
    with warnings.catch_warnings():
        # A class with fewer rows than folds is part of the protocol: some training folds lack it.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        with naming("target"):
            return list(splitter.split(np.empty(len(target)), target))
