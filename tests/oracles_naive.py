"""Slow, plain oracles of NCC and CMA from the definitions of SPEC §8; nothing of ours is imported.

Rows hold codes `0..v_j-1`, or None where the cell is unknown; classes are `0..l-1`. NCC's minimum comes from
a grid, its bounds from extreme points and samples of the imprecise Dirichlet model itself; CMA's scores from
all 2^k models one by one, with marginal likelihoods by the chain rule instead of gamma functions.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from oracles import Counts, Row, class_prior, maximal_set

Array = npt.NDArray[np.float64]

TIE = 1e-10  # the least log-ratio must exceed this (§7)
_FINE = np.geomspace(1e-12, 1e-3, 801)
GRID = np.unique(np.concatenate([np.linspace(0.0, 1.0, 4001), _FINE, 1.0 - _FINE]))


# --- §8: NCC --------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """§8: n(a_i, c) by class of one known cell of a row, and the number of states of its feature."""

    counts: list[float]
    n_states: int


def known_cells(counts: Counts, row: Row) -> list[Cell]:
    """§8: NCC counts only the row's known features."""
    return [
        Cell([float(n) for n in counts.n_ca[i][a]], counts.n_states[i])
        for i, a in enumerate(row)
        if a is not None
    ]


def naive_posterior(counts: Counts, row: Row, ess: int | Fraction = 1) -> list[Fraction]:
    """§2: naive Bayes with BDeu parameters, exact; an unknown cell has no factor."""
    s, scores = Fraction(ess), class_prior(counts, ess)
    for j, a in enumerate(row):
        if a is None:
            continue
        for c in range(counts.n_classes):
            known = sum(counts.n_ca[j][b][c] for b in range(counts.n_states[j]))
            cells = counts.n_classes * counts.n_states[j]
            scores[c] *= (counts.n_ca[j][a][c] + s / cells) / (known + s / counts.n_classes)
    return [score / sum(scores) for score in scores]


def ncc_log_ratio(
    n_c: Sequence[float], cells: Sequence[Cell], first: int, second: int, s: float, lam: float, xi: Array
) -> Array:
    """§8: log h(ξ) of the classes `first` over `second`; −inf where a count of `first` is 0, and λ too."""
    n_classes, k = len(n_c), len(cells)
    with np.errstate(divide="ignore"):
        log_h = (k - 1) * (
            np.log(n_c[second] + s * ((1 - lam) * xi + lam / n_classes))
            - np.log(n_c[first] + s * ((1 - lam) * (1 - xi) + lam / n_classes))
        )
        for cell in cells:
            share = lam / (n_classes * cell.n_states)
            top = cell.counts[first] + s * share
            if top == 0:
                return np.full_like(xi, -np.inf)
            log_h = log_h + math.log(top) - np.log(cell.counts[second] + s * ((1 - lam) * xi + share))
    result: Array = log_h
    return result


def ncc_min_log_ratio(
    n_c: Sequence[float], cells: Sequence[Cell], first: int, second: int, s: float = 1.0, lam: float = 0.0
) -> float:
    """§8: the minimum of log h over a dense grid, finer towards both ends, and ever finer grids around it."""
    grid, least = GRID, math.inf
    for _ in range(8):
        values = ncc_log_ratio(n_c, cells, first, second, s, lam, grid)
        place = int(values.argmin())
        least = min(least, float(values[place]))
        grid = np.linspace(grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)], 101)
    return least


def ncc_margins(
    n_c: Sequence[float], cells: Sequence[Cell], s: float = 1.0, lam: float = 0.0
) -> list[list[float]]:
    """§8: the least log-ratio of every ordered pair of classes, 0 on the diagonal."""
    return _pairs(len(n_c), lambda c, d: ncc_min_log_ratio(n_c, cells, c, d, s, lam))


def ncc_posterior(n_c: Sequence[float], cells: Sequence[Cell], t_c: Array, t_ca: Array, s: float) -> Array:
    """§8: naive Bayes under one prior: s·t_c rows of each class, s·t_ca[i][c] of the value of cell i."""
    mass = np.array(n_c, float) + s * t_c
    log_scores = np.log(mass)
    for cell, t in zip(cells, t_ca, strict=True):
        log_scores = log_scores + np.log((np.array(cell.counts) + s * t) / mass)
    p = np.exp(log_scores - log_scores.max())
    return np.asarray(p / p.sum())


def ncc_prior_samples(
    rng: np.random.Generator, cells: Sequence[Cell], n_classes: int, lam: float
) -> Iterator[tuple[Array, Array]]:
    """§8: priors (t_c, t_ca) of the contaminated set, inside and near its extreme points, without end."""
    v = np.array([cell.n_states for cell in cells], float)[:, None]
    while True:
        t_c = rng.dirichlet(np.full(n_classes, float(rng.choice([0.1, 0.3, 1.0])))) + 1e-9
        t_c /= t_c.sum()
        shares = rng.random((len(cells), n_classes))
        if rng.random() < 0.7:
            shares = np.where(rng.random(shares.shape) < 0.5, 1e-12, 1.0)
        mixed = (1 - lam) * t_c + lam / n_classes
        yield mixed, np.asarray((1 - lam) * t_c * shares + lam / (n_classes * v))


def ncc_extreme_bounds(
    n_c: Sequence[float], cells: Sequence[Cell], s: float, lam: float, *, steps: int = 4001
) -> Array:
    """§8, two classes: bounds from all extreme points of the values' priors on a grid of class priors.

    Given the class prior each factor is monotone in the prior of its own cell, so that the extremes lie where
    the cell's share of t_c is 0 or all of it; all 4^k such choices are tried.
    """
    grid = np.unique(np.concatenate([np.linspace(0.0, 1.0, steps), np.geomspace(1e-9, 1e-3, 500)]))
    grid = np.unique(np.concatenate([grid, 1.0 - grid]))
    t = np.stack([grid, 1.0 - grid])
    mass = [n_c[c] + s * ((1 - lam) * t[c] + lam / 2) for c in (0, 1)]
    low, high = np.inf, -np.inf
    for corner in itertools.product((0.0, 1.0), repeat=2 * len(cells)):
        scores = [mass[0], mass[1]]
        for i, cell in enumerate(cells):
            for c in (0, 1):
                share = (1 - lam) * t[c] * corner[2 * i + c] + lam / (2 * cell.n_states)
                scores[c] = scores[c] * (cell.counts[c] + s * share) / mass[c]
        total = scores[0] + scores[1]
        p = scores[0][total > 0] / total[total > 0]
        low, high = min(low, float(p.min(initial=np.inf))), max(high, float(p.max(initial=-np.inf)))
    return np.array([[low, high], [1 - high, 1 - low]])


# --- §8: CMA --------------------------------------------------------------------------------------


class Models(NamedTuple):
    """§8: all 2^k models: which features each has, (2^k, k), and log P(D, c, a | model), (2^k, l)."""

    features: npt.NDArray[np.bool_]
    log_scores: Array


def log_evidence(column: Sequence[int | None], y: Sequence[int] | None, n_states: int, alpha: float) -> float:
    """§8: the log marginal likelihood of a column, given the class or (y is None) alone.

    By the chain rule: each known cell is predicted from those before it, with pseudo-counts alpha.
    """
    seen: dict[tuple[int, int], int] = {}
    terms = []
    for r, a in enumerate(column):
        if a is None:
            continue
        c = 0 if y is None else y[r]
        total = sum(seen.get((c, b), 0) for b in range(n_states))
        terms.append(math.log((seen.get((c, a), 0) + alpha) / (total + n_states * alpha)))
        seen[c, a] = seen.get((c, a), 0) + 1
    return math.fsum(terms)


def cma_models(
    codes: Sequence[Row],
    y: Sequence[int],
    row: Row,
    n_states: Sequence[int],
    n_classes: int,
    ess: float = 1.0,
) -> Models:
    """§8: every naive Bayes model with a subset of the features: its evidence times its score of the row."""
    k, n = len(n_states), len(y)
    log_prior = np.array([math.log((y.count(c) + ess / n_classes) / (n + ess)) for c in range(n_classes)])
    inside, outside = np.zeros((k, n_classes)), np.zeros((k, n_classes))
    for j, v in enumerate(n_states):
        column = [codes_of_row[j] for codes_of_row in codes]
        inside[j] += log_evidence(column, y, v, ess / (n_classes * v))
        outside[j] += log_evidence(column, None, v, ess / v)
        a = row[j]
        if a is None:
            continue
        known = [c for cell, c in zip(column, y, strict=True) if cell is not None]
        for c in range(n_classes):
            n_ca = sum(1 for cell, label in zip(column, y, strict=True) if cell == a and label == c)
            inside[j, c] += math.log((n_ca + ess / (n_classes * v)) / (known.count(c) + ess / n_classes))
        outside[j] += math.log((column.count(a) + ess / v) / (len(known) + ess))
    features = np.array(list(itertools.product((False, True), repeat=k)), bool).reshape(2**k, k)
    log_scores = np.where(features[:, :, None], inside, outside).sum(axis=1) + log_prior
    return Models(features, log_scores)


def cma_log_scores(models: Models, inclusion: Sequence[float]) -> Array:
    """§8: log Σ_models P(model) P(D, c, a | model) under the given inclusion probabilities."""
    p = np.array(inclusion, float)
    log_prior = np.where(models.features, np.log(p), np.log1p(-p)).sum(axis=1)
    scores = models.log_scores + log_prior[:, None]
    highest = scores.max()
    return np.asarray(highest + np.log(np.exp(scores - highest).sum(axis=0)))


def cma_posterior(models: Models, inclusion: Sequence[float]) -> Array:
    """§8: P(c | a, D) averaged over the models; inclusion probabilities 1/2 give the determinate BMA."""
    log_scores = cma_log_scores(models, inclusion)
    p = np.exp(log_scores - log_scores.max())
    return np.asarray(p / p.sum())


def cma_inclusion(models: Models) -> list[float]:
    """§8: P(feature j in the model | D) under inclusion probability 1/2; the row must be all unknown."""
    # Without a value of the row each model scores its evidence times P(c), which sums to 1 over the classes.
    log_total = models.log_scores[:, 0]
    weights = np.exp(log_total - log_total.max())
    return [float(weights[has].sum() / weights.sum()) for has in models.features.T]


def cma_corner_scores(models: Models, eps: float) -> Array:
    """§8: the log scores at all 2^k corners of the inclusion probabilities {ε, 1−ε}, (2^k, l)."""
    k = models.features.shape[1]
    return np.array([cma_log_scores(models, p) for p in itertools.product((eps, 1 - eps), repeat=k)])


def cma_margins(models: Models, eps: float) -> list[list[float]]:
    """§8: the least log-ratio of every ordered pair of classes over all corners, 0 on the diagonal."""
    corners = cma_corner_scores(models, eps)
    return _pairs(corners.shape[1], lambda c, d: float((corners[:, c] - corners[:, d]).min()))


def cma_corner_bounds(models: Models, eps: float) -> Array:
    """§8: least and greatest posterior over all corners, where they lie: P(c) is a ratio of multilinears."""
    corners = cma_corner_scores(models, eps)
    p = np.exp(corners - corners.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return np.stack([p.min(axis=0), p.max(axis=0)], axis=1)


# --- sets -----------------------------------------------------------------------------------------


def set_of_margins(margins: Sequence[Sequence[float]]) -> list[bool]:
    """§7: the classes that no other dominates, before anything is put back."""
    return maximal_set(len(margins), lambda c, d: margins[c][d] > TIE)


def is_close_call(margins: Sequence[Sequence[float]]) -> bool:
    """Tell whether rounding could decide: a least log-ratio at the tolerance itself."""
    return any(abs(m - TIE) < 1e-13 for row in margins for m in row)


def _pairs(n_classes: int, entry: Callable[[int, int], float]) -> list[list[float]]:
    return [[entry(c, d) if c != d else 0.0 for d in range(n_classes)] for c in range(n_classes)]
