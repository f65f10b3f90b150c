"""Naive Bayes averaged over subsets of the features by their compression coefficients (§13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._ensemble.counts import ValueCounts
from skcredal._ensemble.networks import NaiveTables
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


@dataclass(frozen=True, slots=True, eq=False)
class SubsetSearch:
    """Hill-climbing from the empty set to a subset of the features that describes the classes shortest.

    A subset is an integer, whose bit j tells whether the feature j is in it. Its score is log p(M) + log
    P(D|M), the negative length of the description.

    Parameters
    ----------
    tables : NaiveTables
        Naive Bayes with all features.
    codes, labels, row_weights : ndarray
        The training rows; no weights, an empty array, means that every row counts once.
    null_score : float
        The score of the empty set.
    log_priors : ndarray of shape (k + 1,)
        log p(M) by the number of features.
    """

    tables: NaiveTables
    codes: CodeArray
    labels: LabelArray
    row_weights: FloatArray
    null_score: float
    log_priors: FloatArray

    @classmethod
    def of_rows(
        cls,
        tables: NaiveTables,
        counts: ValueCounts,
        codes: CodeArray,
        labels: LabelArray,
        weights: CountArray | None,
    ) -> SubsetSearch:
        """Prepare the search for the rows that the tables were learned from."""
        row_weights = np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64)
        log_priors = log_subset_priors(len(codes))
        null_score = float(log_priors[0]) + null_log_likelihood(counts.n_c)
        return cls(tables, codes, labels, row_weights, null_score, log_priors)

    def from_empty(self, order: IntArray) -> dict[int, float]:
        """Return the scores of all subsets on the way, the features being tried in this order in every pass.

        Passes that add what raises the score, and passes that drop what does, take turns.
        """
        model = _Model.without_features(self)
        scores = {0: self.null_score}
        for _ in range(MOST_ALTERNATIONS):
            before = model.subset
            for adds in (True, False):
                for j in order.tolist():
                    if model.has(j) == adds:
                        continue
                    changed = model.subset ^ (1 << j)
                    if changed not in scores:
                        scores[changed] = model.score_with_change(j)
                    now = scores[model.subset]
                    if scores[changed] - now > LEAST_GAIN * (1.0 + abs(now)):
                        model.change(j)
            # Two passes that change nothing would do the same again.
            if model.subset == before:
                break
        return scores


@dataclass(slots=True, eq=False)
class _Model:
    """Naive Bayes on a subset: what it says of all rows, as ``kernels.selective`` keeps it."""

    search: SubsetSearch
    subset: int
    log_joint: FloatArray
    highest: FloatArray
    relative: FloatArray

    @classmethod
    def without_features(cls, search: SubsetSearch) -> _Model:
        log_c = search.tables.log_c
        log_joint = np.tile(log_c, (len(search.labels), 1))
        highest = np.full(len(log_joint), log_c.max())
        return cls(search, 0, log_joint, highest, np.exp(log_joint - log_c.max()))

    def has(self, j: int) -> bool:
        return bool(self.subset >> j & 1)

    def log_factor(self, j: int) -> FloatArray:
        """Return what adding the feature adds to the log joints, or dropping it, if it is there."""
        layout = self.search.tables.layout
        begin, end = layout.value_offsets[j : j + 2]
        log_a = self.search.tables.log_a[begin:end].reshape(-1, layout.n_classes)
        return -log_a if self.has(j) else log_a

    def score_with_change(self, j: int) -> float:
        """Return the score of the subset with the feature, or without it, if it is there."""
        search = self.search
        log_lik = kernels.selective.try_change(
            search.codes[j],
            search.labels,
            search.row_weights,
            self.log_factor(j),
            self.log_joint,
            self.highest,
            self.relative,
        )
        return float(search.log_priors[(self.subset ^ (1 << j)).bit_count()]) + log_lik

    def change(self, j: int) -> None:
        """Add the feature, or drop it, if it is there."""
        kernels.selective.change_model(
            self.search.codes[j], self.log_factor(j), self.log_joint, self.highest, self.relative
        )
        self.subset ^= 1 << j


@dataclass(frozen=True, slots=True, eq=False)
class AveragedSubsets:
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
    k = len(search.codes)
    weights, total = np.zeros(k), 0.0
    for subset, score in scores.items():
        # The empty subset has the coefficient 0. Any other is better if its score is, which is negative.
        if subset and score > search.null_score:
            coefficient = 1.0 - score / search.null_score
            members = np.frombuffer(subset.to_bytes(-(-k // 8), "little"), np.uint8)
            weights += coefficient * np.unpackbits(members, count=k, bitorder="little")
            total += coefficient
    return AveragedSubsets(weights / total if total > 0.0 else weights, len(scores))
