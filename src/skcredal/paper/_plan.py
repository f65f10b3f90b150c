"""The plan of an experiment: which classifiers on which folds of which data sets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import skcredal
from skcredal._validation import check_choice, check_instance, check_integer, check_texts
from skcredal.classifiers._base import TabularClassifier
from skcredal.evaluation._fold import check_classifiers

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """A comparison of classifiers by repeated stratified cross-validation.

    Parameters
    ----------
    source : str
        Where the data sets come from, as in :func:`skcredal.datasets.load_dataset`.
    datasets : list of str
        Their names.
    classifiers : dict
        Unfitted classifiers by name.
    setting : {"honest", "paper"}
        Whether imputation, cut points and dropped features are learned inside each training fold, or once on
        the whole data set, as in the original experiments.
    runs, folds, seed : int
        Number of shuffles, number of folds of each, and the random seed.

    Examples
    --------
    >>> from skcredal.evaluation import make_classifiers
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
        """Number of classifiers to fit."""
        return len(self.datasets) * len(self.classifiers) * self.runs * self.folds

    def digest(self, dataset: str, checksum: str, classifier: str) -> str:
        """Return a digest of everything that the results of a classifier on a data set depend on.

        The number of runs is not part of it: each run has its own seed, so a plan with more runs can reuse
        the results of one with fewer.
        """
        return self._digest(dataset, checksum, classifier=classifier, parameters=self._parameters(classifier))

    def study_digest(self, dataset: str, checksum: str, study: str, points: Sequence[object]) -> str:
        """Return a digest of everything that the results of a study on a data set depend on."""
        parameters = {name: self._parameters(name) for name in self.classifiers}
        return self._digest(dataset, checksum, study=study, points=repr(points), parameters=parameters)

    def _parameters(self, classifier: str) -> str:
        # repr, because parameters may be of types that JSON does not have.
        return repr(sorted(self.classifiers[classifier].get_params().items()))

    def _digest(self, dataset: str, checksum: str, **more: object) -> str:
        parts = {
            # A new version may compute other numbers.
            "version": skcredal.__version__,
            "dataset": dataset,
            "checksum": checksum,
            "setting": self.setting,
            "folds": self.folds,
            "seed": self.seed,
            **more,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
