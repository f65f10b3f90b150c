"""Plain oracles of the two averages of SPEC §13: SPODEs by marginal likelihood, naive Bayes by compression.

Nothing of ours is imported. Rows and classes are as in `oracles`. A marginal likelihood is the product of the
probabilities that each row has given those before it, as exact fractions, without any gamma function. Subsets
are frozensets of features, and naive Bayes on each of all 2^k is evaluated by itself.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oracles import Counts, Number, Row, class_prior, count_tables, null_log_likelihood, spode_joint
from oracles_naive import naive_posterior

Subset = frozenset[int]
LEAST_GAIN = 1e-9
MOST_ALTERNATIONS = 5


# --- BMA over SPODEs by marginal likelihood -------------------------------------------------------


class _Urn:
    """Draws from one Dirichlet prior for each context: the next state's probability, then one more of it."""

    def __init__(self, n_states: int, pseudo_count: Fraction) -> None:
        self.n_states, self.pseudo_count = n_states, pseudo_count
        self.seen: Counter[Any] = Counter()

    def draw(self, context: Any, state: int) -> Fraction:
        total = sum(n for (where, _), n in self.seen.items() if where == context)
        found = (self.seen[context, state] + self.pseudo_count) / (total + self.n_states * self.pseudo_count)
        self.seen[context, state] += 1
        return found


def marginal_likelihoods(
    codes: Sequence[Row], y: Sequence[int], n_states: Sequence[int], n_classes: int, ess: int | Fraction = 1
) -> list[Fraction]:
    """§13: P(D|s_j) of every SPODE as a product over the rows, each given the rows before it.

    A child's cell is drawn given the class and the super-parent's value, or given the class alone in the rows
    that do not know it: a process of its own.
    """
    s, found = Fraction(ess), []
    for j in range(len(n_states)):
        classes = _Urn(n_classes, s / n_classes)
        parent = _Urn(n_states[j], s / (n_classes * n_states[j]))
        children = [_Urn(v, s / (n_classes * n_states[j] * v)) for v in n_states]
        alone = [_Urn(v, s / (n_classes * v)) for v in n_states]
        product = Fraction(1)
        for row, c in zip(codes, y, strict=True):
            product *= classes.draw(None, c)
            value = row[j]
            if value is not None:
                product *= parent.draw(c, value)
            for i, a in enumerate(row):
                if i != j and a is not None:
                    product *= alone[i].draw(c, a) if value is None else children[i].draw((c, value), a)
        found.append(product)
    return found


def averaged_joints(
    counts: Counts, row: Row, likelihoods: Sequence[Fraction], ess: int | Fraction = 1
) -> list[Fraction]:
    """§13: P(c|a) ∝ Σ_j P(D|s_j) P(c,a|s_j) over the SPODEs whose super-parent the row knows; none: P(c)."""
    joints = [
        (likelihood, joint)
        for likelihood, joint in zip(likelihoods, spode_joint(counts, row, ess), strict=True)
        if joint is not None
    ]
    if not joints:
        return class_prior(counts, ess)
    scores = [sum((weight * p[c] for weight, p in joints), Fraction(0)) for c in range(counts.n_classes)]
    return [score / sum(scores) for score in scores]


# --- Compression-weighted naive Bayes -------------------------------------------------------------


def log_prior(k: int, d: int) -> float:
    """§13: log p(M) of a subset of d of k features."""
    return -math.log(k + 1) - math.log(math.comb(k + d - 1, d))


def subset_scores(
    codes: Sequence[Row],
    y: Sequence[int],
    n_states: Sequence[int],
    n_classes: int,
    ess: int | Fraction = 1,
    weights: Sequence[Number] | None = None,
) -> dict[Subset, float]:
    """§13: log p(M) + log P(D|M) of all 2^k subsets, naive Bayes on each with the counts of all rows."""
    k = len(n_states)
    counts = count_tables(codes, y, n_states, n_classes, weights)
    times = [1] * len(y) if weights is None else weights
    scores = {}
    for d in range(k + 1):
        for chosen in itertools.combinations(range(k), d):
            log_lik = null_log_likelihood(counts.n_c)
            if chosen:
                parts = [[a if i in chosen else None for i, a in enumerate(row)] for row in codes]
                log_lik = math.fsum(
                    float(t) * _log(naive_posterior(counts, part, ess)[c])
                    for t, part, c in zip(times, parts, y, strict=True)
                )
            scores[frozenset(chosen)] = log_prior(k, d) + log_lik
    return scores


def _log(q: Fraction) -> float:
    return math.log(q.numerator) - math.log(q.denominator)


def evaluated_subsets(scores: dict[Subset, float], orders: Sequence[Sequence[int]]) -> set[Subset]:
    """§13: the subsets that the searches meet, one search for each order of the features."""
    evaluated: set[Subset] = {frozenset()}
    for order in orders:
        current: Subset = frozenset()
        for _ in range(MOST_ALTERNATIONS):
            start = current
            for j in order:
                if j not in current:
                    evaluated.add(current | {j})
                    current = _better(scores, current, current | {j})
            for j in order:
                if j in current:
                    evaluated.add(current - {j})
                    current = _better(scores, current, current - {j})
            if current == start:
                break
    return evaluated


def _better(scores: dict[Subset, float], current: Subset, changed: Subset) -> Subset:
    gain = scores[changed] - scores[current]
    return changed if gain > LEAST_GAIN * (1 + abs(scores[current])) else current


def coefficients(scores: dict[Subset, float], subsets: set[Subset]) -> dict[Subset, float]:
    """§13: π(M) of some subsets, those that are positive."""
    null = scores[frozenset()]
    found = {subset: 1.0 - scores[subset] / null for subset in subsets if subset}
    return {subset: pi for subset, pi in found.items() if pi > 0.0}


def feature_weights(scores: dict[Subset, float], subsets: set[Subset], k: int) -> list[float]:
    """§13: W_i, the share of the coefficients that belongs to subsets with the feature; 0 without any."""
    pi = coefficients(scores, subsets)
    total = math.fsum(pi.values())
    if total == 0.0:
        return [0.0] * k
    return [math.fsum(p for subset, p in pi.items() if i in subset) / total for i in range(k)]


def geometric_mean(counts: Counts, row: Row, pi: dict[Subset, float], ess: int | Fraction = 1) -> list[float]:
    """§13: the normalised geometric mean of the models' posteriors, each to the power of π/Σπ; none: P(c)."""
    if not pi:
        return [float(p) for p in class_prior(counts, ess)]
    total, logs = math.fsum(pi.values()), [0.0] * counts.n_classes
    for subset, weight in pi.items():
        part = [a if i in subset else None for i, a in enumerate(row)]
        for c, p in enumerate(naive_posterior(counts, part, ess)):
            logs[c] += weight / total * _log(p)
    highest = max(logs)
    scores = [math.exp(log - highest) for log in logs]
    return [score / math.fsum(scores) for score in scores]
