"""What is computed on each fold: the sums of every classifier, and studies beyond the paper.

A study returns rows of sums that add over folds: of a series (a classifier, a rival) at a point (an ε, a
share set aside, a utility, a bin of probabilities). What the fold lacks a classifier for is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray
from skcredal._ties import best_class
from skcredal.decisions import utility_optimal_sets
from skcredal.evaluation._classifiers import BASELINES
from skcredal.evaluation._fold import Answer, Fold
from skcredal.metrics._curves import RELIABILITY_BINS, reliability_sums, retained_correct
from skcredal.metrics._outcomes import (
    UTILITY_WEIGHTS,
    class_indices,
    row_outcomes,
    row_sums,
    utility_of_accuracy,
)

EPSILONS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1)
# ε must stay below 1/(k+1), or the set of priors would not contain the reference prior.
_LARGEST_EPSILON = 0.999
# Up to 95 %: beyond, too few rows are left to have an accuracy.
SET_ASIDE = tuple(step / 20 for step in range(20))
UTILITIES = tuple(UTILITY_WEIGHTS)
CONFORMAL_LEVELS = (0.8, 0.9, 0.95)
# A usual share: more would cost accuracy, fewer make the levels coarse.
_CALIBRATION = 0.3
# The classifiers whose probabilities are studied, and those whose sets are compared with.
_OF_PROBABILITIES = ("aode", "comp-aode", "maplmg", "lp-aode")
_OF_SETS = ("comp-aode*", "lp-aode*")

Classifiers = Mapping[str, Any]
Answers = Mapping[str, Answer]
Row = dict[str, Any]


def run_fold(fold: Fold, classifiers: Classifiers) -> Row:
    """Return the sums of every classifier and every study on the test rows of a fold."""
    answers = dict(fold.answers(classifiers))
    studies = {
        "epsilon": _vary_epsilon(fold, classifiers),
        "set-aside": _set_aside(fold, answers),
        "rivals": _compare_rivals(fold, classifiers, answers),
        "reliability": _reliability(fold, answers),
    }
    return {
        "classifiers": {
            name: _sums(fold, answer.learner.classes_, answer.sets, answer.proba)
            for name, answer in answers.items()
        },
        "studies": {name: list(found) for name, found in studies.items()},
    }


def _sums(
    fold: Fold, classes: AnyArray, sets: BoolArray | None, proba: FloatArray | None = None
) -> dict[str, float]:
    return row_sums(row_outcomes(class_indices(fold.y_test, classes), proba, sets))


def _vary_epsilon(fold: Fold, classifiers: Classifiers) -> Iterator[Row]:
    """Yield the sums over the sets of each credal AODE for every ε, capped just below 1/(k+1)."""
    for name in ("bma-aode*", "comp-aode*"):
        if name not in classifiers:
            continue
        test = fold.test_rows(classifiers[name])
        largest = _LARGEST_EPSILON / (len(test.states) + 1)
        of_epsilon: dict[float, dict[str, float]] = {}
        for epsilon in EPSILONS:
            value = min(epsilon, largest)
            # Several ε are cut to the same value where features are many.
            if value not in of_epsilon:
                learner = fold.learn_variant(clone(classifiers[name]).set_params(epsilon=value))
                of_epsilon[value] = _sums(fold, learner.classes_, learner.predict_set(test))
            yield {"series": name, "epsilon": epsilon, **of_epsilon[value]}


def _set_aside(fold: Fold, answers: Answers) -> Iterator[Row]:
    """Yield how many rows are kept, and right, when the least robust or least probable are set aside."""
    if "comp-aode*" not in answers:
        return
    answer = answers["comp-aode*"]
    correct = answer.learner.classes_[best_class(answer.proba)] == fold.y_test
    robustness = answer.learner.robustness(fold.test_rows(answer.learner))
    probability = answer.proba.max(axis=1)
    # Many rows have robustness 1, because no prior would change their answer: probability breaks the ties.
    _, order = np.unique(np.column_stack([robustness, probability]), axis=0, return_inverse=True)
    scores = {
        "robustness": robustness,
        "robustness, then probability": order.ravel().astype(np.float64),
        "probability": probability,
    }
    kept = len(correct) * (1.0 - np.array(SET_ASIDE))
    for by, score in scores.items():
        right = retained_correct(score, correct, kept)
        for share, n, n_right in zip(SET_ASIDE, kept.tolist(), right.tolist(), strict=True):
            yield {"series": by, "set_aside": share, "n": n, "correct": n_right}


def _reliability(fold: Fold, answers: Answers) -> Iterator[Row]:
    """Yield how probable the most probable class was, and how often it was right."""
    for name in _OF_PROBABILITIES:
        if name in answers:
            answer = answers[name]
            correct = answer.learner.classes_[best_class(answer.proba)] == fold.y_test
            sums = reliability_sums(answer.proba.max(axis=1), correct)
            for end, (n, probability, right) in zip(RELIABILITY_BINS, sums.tolist(), strict=True):
                yield {"series": name, "at_most": end, "n": n, "probability": probability, "correct": right}


def _compare_rivals(fold: Fold, classifiers: Classifiers, answers: Answers) -> Iterator[Row]:
    """Yield the sums over sets of credal classifiers and of their rivals, as judged by each utility."""

    def judged(series: str, classes: AnyArray, sets_for: Mapping[str, BoolArray | None]) -> Iterator[Row]:
        for utility, sets in sets_for.items():
            sums = _sums(fold, classes, sets)
            yield {"series": series, "judged_by": utility, **sums, "utility": sums[utility]}

    for name in _OF_SETS:
        if name in answers:
            maximal = dict.fromkeys(UTILITIES, answers[name].sets)
            yield from judged(name, answers[name].learner.classes_, maximal)
    for how, rule, names in (
        ("utility-optimal", utility_optimal_sets, (*_OF_PROBABILITIES, *BASELINES)),
        ("reject option", reject_or_answer, ("comp-aode",)),
    ):
        for name in names:
            if name in answers:
                sets = {utility: rule(answers[name].proba, utility=utility) for utility in UTILITIES}
                yield from judged(f"{how}, {name}", answers[name].learner.classes_, sets)
    for name in ("comp-aode", "random-forest"):
        if name in answers:
            held = fold.hold_out(classifiers[name], share=_CALIBRATION)
            for level in CONFORMAL_LEVELS:
                of_level = conformal_sets(held.proba, held.labels, held.test_proba, level)
                series = f"conformal {level * 100:g} %, {name}"
                yield from judged(series, held.classes, dict.fromkeys(UTILITIES, of_level))


def conformal_sets(proba: FloatArray, labels: IntArray, test_proba: FloatArray, level: float) -> BoolArray:
    """Return split-conformal sets of the test rows: they contain the true class with the level's probability.

    The score of a class is one minus its probability (LAC, least ambiguous sets). A set contains the classes
    whose score is at most the ⌈(n+1)·level⌉-th smallest of the true classes' scores, where ``proba`` and
    ``labels`` (class indices) are those of n rows that were held back. If these are too few, only the set of
    all classes keeps the promise. An empty set gets the most probable class: it would always be wrong.

    Examples
    --------
    Of the four scores 0.1, 0.2, 0.3 and 0.4, the fourth is the limit:

    >>> import numpy as np
    >>> proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> test = np.array([[0.7, 0.3], [0.55, 0.45]])
    >>> conformal_sets(proba, np.zeros(4, int), test, 0.8).tolist()
    [[True, False], [True, False]]
    """
    n = len(labels)
    # Rounded first: 0.95 · 20 may be a little more than 19.
    rank = math.ceil(round((n + 1) * level, 9))
    if rank > n:
        return np.ones(test_proba.shape, np.bool_)
    scores = np.sort(1.0 - proba[np.arange(n), labels])
    # A tolerance, so that classes that are equal up to rounding are treated alike.
    sets: BoolArray = 1.0 - test_proba <= scores[rank - 1] + 1e-8
    sets[np.arange(len(sets)), best_class(test_proba)] |= ~sets.any(axis=1)
    return sets


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
