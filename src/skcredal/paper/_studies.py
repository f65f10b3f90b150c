"""Studies beyond the paper, on the same folds: other ε, setting rows aside, rivals, reliability.

For each fold, a study returns sums that can be pooled exactly, for several series (a classifier, a rival) at
several points (an ε, a share set aside, a utility).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._extras import require
from skcredal._ties import best_class
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._credal_aode import CredalSpodesMixin
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._fold import Fold
from skcredal.evaluation._sums import baseline, fold_sums, measures, pool, share
from skcredal.metrics._curves import RELIABILITY_BINS, reliability_sums, retained_correct
from skcredal.metrics._outcomes import UTILITY_WEIGHTS, utility_of_accuracy

__all__ = [
    "CONFORMAL_LEVELS",
    "EPSILONS",
    "SET_ASIDE",
    "STUDIES",
    "UTILITIES",
    "Series",
    "conformal_sets",
    "reject_or_answer",
    "studies_of",
]

EPSILONS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1)
# ε must stay below 1/(k+1), or the set of priors would not contain the reference prior.
_LARGEST_EPSILON = 0.999
# Up to 95 %: beyond, too few rows are left to have an accuracy.
SET_ASIDE = tuple(step / 20 for step in range(20))
UTILITIES = ("u65", "u80")
CONFORMAL_LEVELS = (0.8, 0.9, 0.95)
# The classifiers whose probabilities the rivals turn into sets.
_OF_PROBABILITIES = ("aode", "comp-aode", "maplmg", "lp-aode")

Series = dict[str, FloatArray]
Classifiers = Mapping[str, TabularClassifier]

_OF_SETS = ("determinacy", "single_accuracy", "set_accuracy", "output_size")
_SET_SUMS = ("n", "determinate", "single_correct", "indeterminate", "set_correct", "set_size", "u65", "u80")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A study on the folds of an experiment; it runs if the plan has one of the classifiers it needs.

    ``run`` returns the sums of each series for a fold, an array (points, columns); ``measures`` turns the
    pooled sums of a point into measures by name. Its results depend on the classifiers that it needs, and on
    others that it may use.
    """

    point_name: str
    points: tuple[float | str, ...]
    needs: tuple[str, ...]
    run: Callable[[Fold, Classifiers], Series]
    measures: Callable[[FloatArray, float | str], dict[str, float]]
    may_use: tuple[str, ...] = ()


def _set_sums(y_test: AnyArray, y_proba: FloatArray, y_set: BoolArray, classes: AnyArray) -> list[float]:
    sums = fold_sums(y_test, y_proba, y_set, classes)
    return [getattr(sums, name) for name in _SET_SUMS]


def _set_measures(sums: FloatArray, _: float | str) -> dict[str, float]:
    named = dict(zip(_SET_SUMS, sums.tolist(), strict=True))
    found = measures(replace(pool([]), **named), credal=True)
    return {name: found[name] for name in (*_OF_SETS, *UTILITIES)}


def _vary_epsilon(fold: Fold, classifiers: Classifiers) -> Series:
    """Return the sums over the sets of each credal AODE for every ε, capped just below 1/(k+1)."""
    found = {}
    for name in STUDIES["epsilon"].needs:
        if name not in classifiers:
            continue
        largest = _LARGEST_EPSILON / (len(fold.test_rows(classifiers[name]).states) + 1)
        of_epsilon: dict[float, list[float]] = {}
        for epsilon in EPSILONS:
            value = min(epsilon, largest)
            # Several ε are cut to the same value where features are many.
            if value not in of_epsilon:
                variant = clone(classifiers[name]).set_params(epsilon=value)
                of_epsilon[value] = _sums_of_sets(fold, fold.learn_variant(variant))
        found[name] = np.array([of_epsilon[min(epsilon, largest)] for epsilon in EPSILONS])
    return found


def _sums_of_sets(fold: Fold, learner: TabularClassifier) -> list[float]:
    assert isinstance(learner, CredalMixin)
    test = fold.test_rows(learner)
    y_proba, y_set = learner.predict_proba(test), learner.predict_set(test)
    return _set_sums(fold.y_test, y_proba, y_set, learner.classes_)


def _set_aside(fold: Fold, classifiers: Classifiers) -> Series:
    """Return how many rows are kept, and right, when the least robust or least probable are set aside."""
    # Already fitted for the main comparison, if that was run now: the fold keeps its classifiers.
    learner = fold.learn("comp-aode*", classifiers["comp-aode*"])
    assert isinstance(learner, CredalSpodesMixin)
    test = fold.test_rows(learner)
    y_proba = learner.predict_proba(test)
    correct = learner.classes_[best_class(y_proba)] == fold.y_test
    kept = len(correct) * (1.0 - np.array(SET_ASIDE))
    robustness, probability = learner.robustness(test), y_proba.max(axis=1)
    # Many rows have robustness 1, because no prior would change their answer: probability breaks the ties.
    pairs = np.column_stack([robustness, probability])
    _, order = np.unique(pairs, axis=0, return_inverse=True)
    scores = {
        "robustness": robustness,
        "robustness, then probability": order.ravel().astype(np.float64),
        "probability": probability,
    }
    return {
        by: np.column_stack([kept, retained_correct(score, correct, kept)]) for by, score in scores.items()
    }


def _retained_measures(sums: FloatArray, _: float | str) -> dict[str, float]:
    kept, correct = sums.tolist()
    return {"accuracy": share(correct, kept)}


def _compare_rivals(fold: Fold, classifiers: Classifiers) -> Series:
    """Return the sums over the sets of COMP-AODE* and its rivals, each optimised for the point's utility."""
    learners = {
        name: fold.learn(name, classifiers[name])
        for name in ("comp-aode*", *_OF_PROBABILITIES)
        if name in classifiers
    }
    found = {"comp-aode*": np.array([_sums_of_sets(fold, learners["comp-aode*"])] * len(UTILITIES))}
    for name in _OF_PROBABILITIES:
        if name in learners:
            found[f"utility-optimal, {name}"] = _sums_of_rule(fold, learners[name], utility_optimal_sets)
    if "comp-aode" in learners:
        found["reject option, comp-aode"] = _sums_of_rule(fold, learners["comp-aode"], reject_or_answer)
        found.update(_conformal_series(fold, classifiers["comp-aode"]))
    return found


def _sums_of_rule(fold: Fold, learner: TabularClassifier, rule: Callable[..., BoolArray]) -> FloatArray:
    """Return the sums over the sets that a rule makes from probabilities, for each utility."""
    return _sums_of_proba(fold, learner.predict_proba(fold.test_rows(learner)), learner.classes_, rule)


def _sums_of_proba(
    fold: Fold, y_proba: FloatArray, classes: AnyArray, rule: Callable[..., BoolArray]
) -> FloatArray:
    return np.array(
        [_set_sums(fold.y_test, y_proba, rule(y_proba, utility=utility), classes) for utility in UTILITIES]
    )


def _conformal_series(fold: Fold, classifier: TabularClassifier) -> Series:
    """Return the sums over MAPIE's sets, which are made for a confidence level, not for a utility."""
    # Three tenths, a usual share: more would cost accuracy, fewer make the levels coarse.
    held_out = fold.hold_out(classifier, share=0.3)
    of_levels = conformal_sets(held_out.proba, held_out.labels, held_out.test_proba)
    found = {}
    for level, y_set in zip(CONFORMAL_LEVELS, of_levels, strict=True):
        sums = _set_sums(fold.y_test, held_out.test_proba, y_set, held_out.classes)
        found[f"conformal {level * 100:g} %, comp-aode"] = np.array([sums] * len(UTILITIES))
    return found


def _use_baselines(fold: Fold, _: Classifiers) -> Series:
    """Return the sums over the utility-optimal sets of the baselines, for each utility."""
    return {
        f"utility-optimal, {name}": _sums_of_proba(
            fold, learner.predict_proba(fold.test_rows(learner)), learner.classes_, utility_optimal_sets
        )
        for name in BASELINES
        for learner in [fold.learn(name, baseline(name))]
    }


def _reliability(fold: Fold, classifiers: Classifiers) -> Series:
    """Return how probable the most probable class was, and how often it was right."""
    found = {}
    for name in _OF_PROBABILITIES:
        if name in classifiers:
            learner = fold.learn(name, classifiers[name])
            y_proba = learner.predict_proba(fold.test_rows(learner))
            correct = learner.classes_[best_class(y_proba)] == fold.y_test
            found[name] = reliability_sums(y_proba.max(axis=1), correct)
    return found


def _reliability_measures(sums: FloatArray, _: float | str) -> dict[str, float]:
    n, probability, correct = sums.tolist()
    return {"rows": n, "probability": share(probability, n), "accuracy": share(correct, n)}


def reject_or_answer(proba: FloatArray, utility: str) -> BoolArray:
    """Return the most probable class, or all classes if that has the larger expected utility.

    This is the reject option: a rejected row is worth as much as the set of all classes.

    Examples
    --------
    Under u65, the set of both classes is worth 0.65:

    >>> import numpy as np
    >>> reject_or_answer(np.array([[0.7, 0.3], [0.6, 0.4]]), "u65").tolist()
    [[True, False], [True, True]]
    """
    n_rows, n_classes = proba.shape
    worth_of_all = utility_of_accuracy(np.array(1.0 / n_classes), UTILITY_WEIGHTS[utility])
    y_set: BoolArray = np.repeat((proba.max(axis=1) < worth_of_all)[:, None], n_classes, axis=1)
    y_set[np.arange(n_rows), best_class(proba)] = True
    return y_set


class _Precomputed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with precomputed answers: the only feature of a row is the index of its answer."""

    def __init__(self, proba: FloatArray) -> None:
        self.proba = proba
        self.classes_ = np.arange(proba.shape[1])
        self.n_features_in_ = 1

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> _Precomputed:  # MAPIE checks that the method exists
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        return self.proba[np.asarray(X)[:, 0].astype(np.int64)]

    def predict(self, X: Any) -> IntArray:
        return best_class(self.predict_proba(X))


def conformal_sets(proba: FloatArray, labels: IntArray, test_proba: FloatArray) -> list[BoolArray]:
    """Return MAPIE's split conformal sets of the test rows, for each confidence level.

    The score is LAC (least ambiguous sets). If a set is empty, the most probable class is added. If too few
    rows were held out for a level, the set of all classes is the only one that guarantees it.

    ``proba`` and ``labels`` (class indices) are those of rows that were held out of fitting.
    """
    mapie = require("mapie.classification", extra="paper", purpose="A comparison with conformal sets")
    n_held_out = len(proba)
    # The quantile at level 1 − α needs more than 1/α held-out rows.
    possible = [level for level in CONFORMAL_LEVELS if n_held_out * (1.0 - level) > 1.0]
    sets = {level: np.ones(test_proba.shape, np.bool_) for level in CONFORMAL_LEVELS}
    if possible and len(test_proba):
        precomputed = _Precomputed(np.vstack([proba, test_proba]))
        rows = np.arange(n_held_out + len(test_proba))[:, None]
        conformal = mapie.SplitConformalClassifier(
            precomputed, confidence_level=possible, conformity_score="lac", prefit=True
        )
        with warnings.catch_warnings():
            # A rare class may have no row among those held out, which does not matter for LAC.
            warnings.filterwarnings("ignore", message=".*conformalization dataset has less labels")
            conformal.conformalize(rows[:n_held_out], labels)
        _, found = conformal.predict_set(rows[n_held_out:])
        for i, level in enumerate(possible):
            sets[level] = found[:, :, i].astype(np.bool_)
    # An empty set would always be wrong, so that the comparison would be unfair.
    for y_set in sets.values():
        y_set[np.arange(len(test_proba)), best_class(test_proba)] |= ~y_set.any(axis=1)
    return list(sets.values())


def _rival_measures(sums: FloatArray, utility: float | str) -> dict[str, float]:
    found = _set_measures(sums, utility)
    return {"utility": found[str(utility)], **{name: found[name] for name in _OF_SETS}}


STUDIES: dict[str, Study] = {
    "epsilon": Study("epsilon", EPSILONS, ("bma-aode*", "comp-aode*"), _vary_epsilon, _set_measures),
    "set-aside": Study("set_aside", SET_ASIDE, ("comp-aode*",), _set_aside, _retained_measures),
    "rivals": Study(
        "judged_by",
        UTILITIES,
        ("comp-aode*",),
        _compare_rivals,
        _rival_measures,
        may_use=_OF_PROBABILITIES,
    ),
    "reliability": Study("at_most", RELIABILITY_BINS, _OF_PROBABILITIES, _reliability, _reliability_measures),
    "baselines": Study("judged_by", UTILITIES, tuple(BASELINES), _use_baselines, _rival_measures),
}


def studies_of(classifiers: Iterable[str]) -> list[str]:
    """Return the studies that apply to the classifiers.

    Examples
    --------
    >>> studies_of(["bma-aode*", "cdt"])
    ['epsilon']
    """
    there = set(classifiers)
    return [name for name, study in STUDIES.items() if there.intersection(study.needs)]
