"""Naive Bayes averaged over subsets of the features by their compression coefficients (§13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skcredal._arrays import FloatArray, IntArray, LabelArray, StateArray
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.naive import NaiveTables
from skcredal._ensemble.spodes import log_sum_exp
from skcredal._ensemble.weights import null_log_likelihood
from skcredal._threads import run_in_threads

__all__ = ["AveragedSubsets", "SubsetSearch", "average_subsets", "log_subset_priors", "n_searches"]

# A pass that adds and one that drops features are one alternation.
MOST_ALTERNATIONS = 5
# A change must raise the score by more than this, relative to its size: less may be rounding.
LEAST_GAIN = 1e-9


def n_searches(n: float, k: int) -> int:
    """Return from how many orders of k features to search, for n rows.

    Examples
    --------
    >>> n_searches(100, 10), n_searches(0.1, 1)
    (11, 1)
    """
    return math.ceil(math.log2(max(n * k, 1.0))) + 1


def log_subset_priors(k: int) -> FloatArray:
    """Return log p(M) of a subset of 0, 1, …, k of k features: -log(k+1) - log C(k+d-1, d).

    Examples
    --------
    All sizes are equally probable, and then all choices, with repetition, of that many features:

    >>> np.exp(log_subset_priors(2)).round(6).tolist()
    [0.333333, 0.166667, 0.111111]
    """
    d = np.arange(1, k + 1)
    # C(k+d-1, d) is C(k+d-2, d-1) times (k+d-1)/d.
    log_choices = np.cumsum(np.log((k + d - 1) / d))
    return -math.log(k + 1) - np.append(0.0, log_choices)


@dataclass(frozen=True, eq=False)
class SubsetSearch:
    """Hill-climbing from the empty set to a subset of the features that describes the classes shortest.

    A subset is an integer, whose bit j tells whether the feature j is in it. Its score is log p(M) + log
    P(D|M), the negative length of the description.
    """

    tables: NaiveTables  # naive Bayes with all features
    counts: Counts  # the counts that it was learned from
    # The training rows.
    states: StateArray
    labels: LabelArray
    weights: FloatArray

    @cached_property
    def log_priors(self) -> FloatArray:
        """The logarithm of p(M) by the number of features."""
        return log_subset_priors(len(self.states))

    @property
    def null_score(self) -> float:
        """The score of the empty set."""
        return float(self.log_priors[0]) + null_log_likelihood(self.counts.n_c)

    def from_empty(self, order: IntArray) -> dict[int, float]:
        """Return the scores of all subsets on the way, the features being tried in this order in every pass.

        Passes that add what raises the score, and passes that drop what does, take turns.
        """
        subset, scores = 0, {0: self.null_score}
        # What naive Bayes on the subset says about all rows: log joints, (n_classes, rows).
        log_joint = np.repeat(self.tables.log_c[:, None], len(self.labels), axis=1)
        for _ in range(MOST_ALTERNATIONS):
            before = subset
            for adds in (True, False):
                for j in order.tolist():
                    if bool(subset >> j & 1) == adds:
                        continue
                    factor = self.tables.log_a.take(self.states[j], axis=1)
                    changed, moved = subset ^ (1 << j), log_joint + factor if adds else log_joint - factor
                    if changed not in scores:
                        scores[changed] = self._score(changed, moved)
                    now = scores[subset]
                    if scores[changed] - now > LEAST_GAIN * (1.0 + abs(now)):
                        subset, log_joint = changed, moved
            # Two passes that change nothing would do the same again.
            if subset == before:
                break
        return scores

    def _score(self, subset: int, log_joint: FloatArray) -> float:
        """Return log p(M) + log P(D|M), given what naive Bayes on the subset says about all rows."""
        own = log_joint[self.labels, np.arange(len(self.labels))]
        log_own = own - log_sum_exp(log_joint, axis=0)
        return float(self.log_priors[subset.bit_count()] + self.weights @ log_own)


class AveragedSubsets(NamedTuple):
    """How much each feature weighs in the average, and over how many different subsets it was taken."""

    weights: FloatArray
    n_models: int


def average_subsets(
    search: SubsetSearch, orders: Sequence[IntArray], *, n_threads: int = 1
) -> AveragedSubsets:
    """Search from the empty set in each of the orders, and average over all subsets that were evaluated.

    A feature weighs W_i = Σ_{M∋i} π(M) / Σ_M π(M), with the compression coefficients π(M) = 1 - score(M) /
    score(∅), 0 where negative; all weights are 0 if no subset is better than the empty one.
    """
    scores: dict[int, float] = {}
    # Joined in the order of the searches, not in that in which threads finish: the last digits of a score
    # depend on the way to its subset, and the first one found counts.
    for found in run_in_threads(search.from_empty, orders, n_threads):
        for subset, score in found.items():
            scores.setdefault(subset, score)
    k = len(search.states)
    weights, total, null_score = np.zeros(k), 0.0, search.null_score
    for subset, score in scores.items():
        # The empty subset has the coefficient 0. Any other is better if its score is, which is negative.
        if subset and score > null_score:
            coefficient = 1.0 - score / null_score
            weights += coefficient * np.array([subset >> j & 1 for j in range(k)])
            total += coefficient
    return AveragedSubsets(weights / total if total > 0.0 else weights, len(scores))
