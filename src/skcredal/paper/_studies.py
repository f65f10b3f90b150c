"""What the paper does not show, on the same folds: other ε, setting aside the least robust, and rivals.

A study gives for each fold sums that pool exactly, of several series (a classifier, a rival) at several
points (an ε, a share set aside, a utility).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._spodes import CredalSpodesMixin
from skcredal.evaluation._fold import Fold
from skcredal.evaluation._sums import fold_sums
from skcredal.paper._rivals import CONFORMAL_LEVELS, conformal_sets, optimal_sets, reject_or_answer

__all__ = ["EPSILONS", "SET_ASIDE", "STUDIES", "Series", "Study", "retained_correct", "studies_of"]

EPSILONS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1)
# The set of priors must hold the reference prior: ε stays below 1/(k+1).
_LARGEST_EPSILON = 0.999
SET_ASIDE = tuple(step / 20 for step in range(20))
UTILITIES = ("u65", "u80")
# Of their probabilities the rivals make sets.
_OF_PROBABILITIES = ("aode", "comp-aode", "maplmg")

Series = dict[str, FloatArray]
Classifiers = Mapping[str, TabularClassifier]

_SET_SUMS = ("n", "determinate", "single_correct", "indeterminate", "set_correct", "set_size", "u65", "u80")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A study on the folds of an experiment.

    Parameters
    ----------
    point_name : str
        What the points are.
    points : tuple
        The points at which each series has sums.
    needs : tuple of str
        The classifiers of which a plan must have one.
    run : callable
        Returns the sums (points, columns) of each series from a fold and the plan's classifiers.
    measures : callable
        Returns named measures of the pooled sums of a point.
    """

    point_name: str
    points: tuple[float | str, ...]
    needs: tuple[str, ...]
    run: Callable[[Fold, Classifiers], Series]
    measures: Callable[[FloatArray, float | str], dict[str, float]]


def _set_sums(y_test: AnyArray, y_proba: FloatArray, y_set: BoolArray, classes: AnyArray) -> list[float]:
    sums = fold_sums(y_test, y_proba, y_set, classes)
    return [getattr(sums, name) for name in _SET_SUMS]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _set_measures(sums: FloatArray, _: float | str) -> dict[str, float]:
    n, determinate, single_correct, indeterminate, set_correct, set_size, u65, u80 = sums.tolist()
    return {
        "determinacy": _share(determinate, n),
        "single_accuracy": _share(single_correct, determinate),
        "set_accuracy": _share(set_correct, indeterminate),
        "output_size": _share(set_size, indeterminate),
        "u65": _share(u65, n),
        "u80": _share(u80, n),
    }


def _vary_epsilon(fold: Fold, classifiers: Classifiers) -> Series:
    """Return the sums of the sets of each credal AODE for every ε, or just below 1/(k+1) if that is less."""
    largest = _LARGEST_EPSILON / (fold.n_features + 1)
    found = {}
    for name in STUDIES["epsilon"].needs:
        if name not in classifiers:
            continue
        of_epsilon: dict[float, list[float]] = {}
        for epsilon in EPSILONS:
            value = min(epsilon, largest)
            if value not in of_epsilon:
                variant = clone(classifiers[name]).set_params(epsilon=value)
                of_epsilon[value] = _sums_of_sets(fold, fold.learn_variant(variant))
        found[name] = np.array([of_epsilon[min(epsilon, largest)] for epsilon in EPSILONS])
    return found


def _sums_of_sets(fold: Fold, learner: TabularClassifier) -> list[float]:
    assert isinstance(learner, CredalMixin)
    y_proba, y_set = learner.predict_proba(fold.test), learner.predict_set(fold.test)
    return _set_sums(fold.y_test, y_proba, y_set, learner.classes_)


def retained_correct(score: FloatArray, correct: BoolArray, kept: FloatArray) -> FloatArray:
    """Return how many of the rows of highest score are right, if so many are kept.

    Rows of equal score are as likely to be kept as each other, and numbers between whole rows are
    interpolated: what is returned is an expectation.

    Examples
    --------
    The best row is wrong; of the two that follow, equal, one is right:

    >>> import numpy as np
    >>> score, correct = np.array([0.5, 0.9, 0.5]), np.array([True, False, False])
    >>> retained_correct(score, correct, np.array([1.0, 2.0, 3.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    _, place, size = np.unique(-score, return_inverse=True, return_counts=True)
    right = np.bincount(place, correct, len(size))
    expected: FloatArray = np.interp(kept, np.append(0.0, size.cumsum()), np.append(0.0, right.cumsum()))
    return expected


def _set_aside(fold: Fold, classifiers: Classifiers) -> Series:
    """Return how many rows are kept, and right, as the least robust or the least probable are set aside."""
    learner = fold.learn("comp-aode*", classifiers["comp-aode*"])
    assert isinstance(learner, CredalSpodesMixin)
    y_proba = learner.predict_proba(fold.test)
    correct = learner.classes_[y_proba.argmax(axis=1)] == fold.y_test
    kept = len(correct) * (1.0 - np.array(SET_ASIDE))
    robustness, probability = learner.robustness(fold.test), y_proba.max(axis=1)
    # Many rows have the robustness 1: no prior at all would change their answer.
    pairs = np.column_stack([robustness, probability])
    _, place = np.unique(pairs, axis=0, return_inverse=True)
    scores = {
        "robustness": robustness,
        "robustness, then probability": place.ravel().astype(np.float64),
        "probability": probability,
    }
    return {
        by: np.column_stack([kept, retained_correct(score, correct, kept)]) for by, score in scores.items()
    }


def _retained_measures(sums: FloatArray, _: float | str) -> dict[str, float]:
    kept, correct = sums.tolist()
    return {"accuracy": _share(correct, kept)}


def _compare_rivals(fold: Fold, classifiers: Classifiers) -> Series:
    """Return the sums of the sets of COMP-AODE* and its rivals, each made for the utility of the point."""
    learners = {
        name: fold.learn(name, classifiers[name])
        for name in ("comp-aode*", *_OF_PROBABILITIES)
        if name in classifiers
    }
    found = {"comp-aode*": np.array([_sums_of_sets(fold, learners["comp-aode*"])] * len(UTILITIES))}
    for name in _OF_PROBABILITIES:
        if name in learners:
            found[f"utility-optimal, {name}"] = _sums_of_rule(fold, learners[name], optimal_sets)
    if "comp-aode" in learners:
        found["reject option, comp-aode"] = _sums_of_rule(fold, learners["comp-aode"], reject_or_answer)
        found.update(_conformal_series(fold, classifiers["comp-aode"]))
    return found


def _sums_of_rule(
    fold: Fold, learner: TabularClassifier, rule: Callable[[FloatArray, str], BoolArray]
) -> FloatArray:
    """Return the sums of the sets that a rule makes of probabilities for each utility."""
    y_proba = learner.predict_proba(fold.test)
    return np.array(
        [_set_sums(fold.y_test, y_proba, rule(y_proba, utility), learner.classes_) for utility in UTILITIES]
    )


def _conformal_series(fold: Fold, classifier: TabularClassifier) -> Series:
    """Return the sums of MAPIE's sets; they are made for a level, not for a utility."""
    held_out = fold.hold_out(classifier, share=0.3)
    of_levels = conformal_sets(held_out.proba, held_out.labels, held_out.test_proba)
    found = {}
    for level, y_set in zip(CONFORMAL_LEVELS, of_levels, strict=True):
        sums = _set_sums(fold.y_test, held_out.test_proba, y_set, held_out.classes)
        found[f"conformal {level * 100:g} %, comp-aode"] = np.array([sums] * len(UTILITIES))
    return found


def _rival_measures(sums: FloatArray, utility: float | str) -> dict[str, float]:
    found = _set_measures(sums, utility)
    return {
        "utility": found[str(utility)],
        **{name: found[name] for name in ("determinacy", "single_accuracy", "set_accuracy", "output_size")},
    }


STUDIES: dict[str, Study] = {
    "epsilon": Study("epsilon", EPSILONS, ("bma-aode*", "comp-aode*"), _vary_epsilon, _set_measures),
    "set-aside": Study("set_aside", SET_ASIDE, ("comp-aode*",), _set_aside, _retained_measures),
    "rivals": Study("judged_by", UTILITIES, ("comp-aode*",), _compare_rivals, _rival_measures),
}


def studies_of(classifiers: Iterable[str]) -> list[str]:
    """Return the studies that have something to look at among the classifiers.

    Examples
    --------
    >>> studies_of(["bma-aode*", "cdt"])
    ['epsilon']
    """
    there = set(classifiers)
    return [name for name, study in STUDIES.items() if there.intersection(study.needs)]
