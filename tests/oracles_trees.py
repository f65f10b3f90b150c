"""Slow, plain oracles of the null model, naive Bayes, TAN and the credal tree (SPEC §2, §8).

Nothing of ours is imported. Rows hold codes `0..v_j-1`, or None where the cell is unknown, as in `oracles`;
counts are exact fractions, logarithms come from mpmath, spanning trees from networkx.
"""

import functools
import heapq
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath  # type: ignore[import-untyped]
import networkx  # type: ignore[import-untyped]
import numpy as np
from scipy.optimize import LinearConstraint, minimize

from oracles import (
    Counts,
    Number,
    Row,
    _exact_weights,
    _mpf,
    _n_pair,
    _normalised,
    _p_value,
    _p_value_given_parent,
    class_prior,
)

GAIN_TIE = mpmath.mpf("1e-12")  # gains must exceed this, and closer ones are equal (§7, §8)

Edge = tuple[int, int]


# --- naive Bayes and TAN --------------------------------------------------------------------------


def network_posterior(
    counts: Counts, parent: Sequence[int | None], row: Row, ess: int | Fraction = 1
) -> list[Fraction]:
    """§1, §2, §8: P(c) Π_j P(a_j | a_parent(j), c), normalised; without a (known) parent P(a_j | c)."""
    s, joint = Fraction(ess), class_prior(counts, ess)
    for j, b in enumerate(row):
        if b is None:
            continue
        i = parent[j]
        a = None if i is None else row[i]
        for c in range(counts.n_classes):
            if i is None or a is None:
                joint[c] *= _p_value(counts, j, b, c, s)
            else:
                joint[c] *= _p_value_given_parent(counts, j, b, i, a, c, s)
    return _normalised(joint)


def mutual_information(counts: Counts, i: int, j: int) -> float:
    """§8: I(A_i; A_j | C) of the rows in which both are known, from the empirical frequencies."""
    cells = {
        (c, a, b): _n_pair(counts, i, a, j, b, c)
        for c in range(counts.n_classes)
        for a in range(counts.n_states[i])
        for b in range(counts.n_states[j])
    }
    n = sum(cells.values())
    n_c, n_ca, n_cb = (_margin(cells, axes) for axes in ((0,), (0, 1), (0, 2)))
    with mpmath.workdps(40):
        terms = [
            _mpf(m / n) * mpmath.log(_mpf(m * n_c[c,] / (n_ca[c, a] * n_cb[c, b])))
            for (c, a, b), m in cells.items()
            if m
        ]
        return float(sum(terms, mpmath.mpf(0)))


def _margin(cells: dict[tuple[int, int, int], Fraction], axes: tuple[int, ...]) -> dict[Any, Fraction]:
    """§8: the sums of the cells over all other axes."""
    sums: dict[Any, Fraction] = {}
    for key, count in cells.items():
        kept = tuple(key[axis] for axis in axes)
        sums[kept] = sums.get(kept, Fraction(0)) + count
    return sums


def spanning_tree(information: dict[Edge, float], k: int) -> set[Edge]:
    """§8: the edges i < j of networkx's maximum spanning tree."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(k))
    for (i, j), weight in information.items():
        graph.add_edge(i, j, weight=weight)
    tree = networkx.maximum_spanning_tree(graph)
    return {(min(edge), max(edge)) for edge in tree.edges}


def parents_from(edges: set[Edge], k: int) -> list[int | None]:
    """§8: the parent of every feature once the tree is rooted at the first."""
    parent: list[int | None] = [None] * k
    reached = [0]
    for i in reached:
        for edge in sorted(edges):
            if i in edge:
                j = edge[0] + edge[1] - i
                if j not in reached:
                    parent[j] = i
                    reached.append(j)
    return parent


# --- the imprecise Dirichlet model ----------------------------------------------------------------


def vertices(counts: Sequence[Number], s: Number) -> Iterator[list[Fraction]]:
    """§8: the extreme points (n_c + s·t_c)/(N + s) of the IDM, all of s on one class."""
    exact, strength = [Fraction(count) for count in counts], Fraction(s)
    total = sum(exact) + strength
    for d in range(len(exact)):
        yield [(count + strength * (c == d)) / total for c, count in enumerate(exact)]


def idm_set(counts: Sequence[Number], s: Number) -> list[bool]:
    """§8: the classes that no other exceeds at every extreme point."""
    points = list(vertices(counts, s))
    classes = range(len(counts))
    return [not any(all(p[c] > p[d] for p in points) for c in classes) for d in classes]


def idm_bounds(counts: Sequence[Number], s: Number) -> list[tuple[float, float]]:
    """§8: the least and the largest probability of each class over the extreme points."""
    return [(float(min(column)), float(max(column))) for column in zip(*vertices(counts, s), strict=True)]


def upper_entropy_by_optimisation(counts: Sequence[Number], s: Number) -> float:
    """§8: the maximum of the entropy over t on the simplex by scipy's SLSQP."""
    n_c, strength = np.array(counts, float), float(s)
    total = n_c.sum() + strength

    def negative_entropy(t: Any) -> float:
        p = np.maximum((n_c + strength * t) / total, 1e-300)
        return float((p * np.log(p)).sum())

    def gradient(t: Any) -> Any:
        p = np.maximum((n_c + strength * t) / total, 1e-300)
        return (np.log(p) + 1.0) * strength / total

    solution = minimize(
        negative_entropy,
        np.full(len(n_c), 1.0 / len(n_c)),
        jac=gradient,
        bounds=[(0.0, 1.0)] * len(n_c),
        constraints=[LinearConstraint(np.ones((1, len(n_c))), 1.0, 1.0)],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return -negative_entropy(np.maximum(solution.x, 0.0) / np.maximum(solution.x, 0.0).sum())


def upper_entropy_by_drops(counts: Sequence[Number], s: Number, drops: int = 3000) -> float:
    """§8: s falls in small drops, each on the smallest count."""
    heap = [float(count) for count in counts]
    heapq.heapify(heap)
    for _ in range(drops):
        heapq.heapreplace(heap, heap[0] + float(s) / drops)
    p = np.array(heap) / sum(heap)
    return float(-(p * np.log(p)).sum())


def upper_entropy(counts: Sequence[Number], s: Number) -> Any:
    """§8: the exact level from the sorted counts, and the entropy at 30 digits."""
    return _upper_entropy(tuple(sorted(Fraction(count) for count in counts)), Fraction(s))


@functools.lru_cache(maxsize=100_000)
def _upper_entropy(ordered: tuple[Fraction, ...], s: Fraction) -> Any:
    for m in range(1, len(ordered) + 1):
        level = (sum(ordered[:m]) + s) / m
        if m == len(ordered) or level <= ordered[m]:
            break
    total = sum(ordered) + s
    with mpmath.workdps(30):
        shares = [_mpf(max(count, level) / total) for count in ordered]
        return -sum(p * mpmath.log(p) for p in shares)


# --- the credal tree ------------------------------------------------------------------------------


class Node(NamedTuple):
    """§8: a node: its feature (None in a leaf), class counts, and a child for each value that occurs."""

    feature: int | None
    counts: list[Fraction]
    children: dict[int, "Node"]


def information_gain(
    rows: Sequence[Row], y: Sequence[int], weights: Sequence[Fraction], j: int, n_classes: int, s: Number
) -> Any:
    """§8: the imprecise information gain of a split, of the rows that know the value, times their share."""
    known = [r for r, row in enumerate(rows) if row[j] is not None]
    parts = [[r for r in known if rows[r][j] == a] for a in sorted({rows[r][j] or 0 for r in known})]

    def counts(part: Sequence[int]) -> list[Fraction]:
        return [sum((weights[r] for r in part if y[r] == c), Fraction(0)) for c in range(n_classes)]

    with mpmath.workdps(30):
        n_known = sum(counts(known), Fraction(0))
        gain = upper_entropy(counts(known), s) if known else mpmath.mpf(0)
        for part in parts:
            gain -= _mpf(sum(counts(part), Fraction(0)) / n_known) * upper_entropy(counts(part), s)
        return gain * _mpf(n_known / sum(weights, Fraction(0)))


def grow(
    rows: Sequence[Row],
    y: Sequence[int],
    k: int,
    n_classes: int,
    s: Number = 1,
    weights: Sequence[Number] | None = None,
    used: frozenset[int] = frozenset(),
) -> Node:
    """§8: the tree by recursion: split on the first feature of the largest gain, if there is a gain."""
    exact = _exact_weights(weights, len(y))
    counts = [
        sum((w for w, d in zip(exact, y, strict=True) if d == c), Fraction(0)) for c in range(n_classes)
    ]
    gains = {j: information_gain(rows, y, exact, j, n_classes, s) for j in range(k) if j not in used}
    gains = {j: gain for j, gain in gains.items() if gain > GAIN_TIE}
    if not gains:
        return Node(None, counts, {})
    best = min(j for j, gain in gains.items() if gain >= max(gains.values()) - GAIN_TIE)
    children = {}
    for a in sorted({row[best] for row in rows if row[best] is not None}):  # type: ignore[type-var]
        part = [r for r, row in enumerate(rows) if row[best] == a]
        children[int(a or 0)] = grow(
            [rows[r] for r in part],
            [y[r] for r in part],
            k,
            n_classes,
            s,
            [exact[r] for r in part],
            used | {best},
        )
    return Node(best, counts, children)


def answering_node(node: Node, row: Row) -> Node:
    """§8: the node at which a row stops: a leaf, or one without a branch for its value."""
    while node.feature is not None:
        child = node.children.get(-1 if row[node.feature] is None else int(row[node.feature] or 0))
        if child is None:
            break
        node = child
    return node


def pairs(k: int) -> list[Edge]:
    """§2: the pairs i < j in their order."""
    return list(itertools.combinations(range(k), 2))
