"""The loops that are compiled. Everything else is numpy over rows.

All states of all features are numbered 0 … V-1, and V is *unknown*; ``states`` are (k, rows), so that those
of one feature are contiguous, and unsigned, so that numba does not test for negative indices. Tables are
planes, one for each class: ``table[c, s, t]``.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray, StateArray

__all__ = [
    "count_pairs",
    "find_leaves",
    "find_pieces",
    "least_priors",
    "lower_bounds",
    "split_gains",
    "sum_pairs",
    "upper_entropy",
]

Function = TypeVar("Function", bound=Callable[..., Any])
LabelledStates: TypeAlias = tuple[StateArray, LabelArray, FloatArray]

# Rows that are counted before the next feature: their states stay in the cache.
BLOCK_ROWS = 4096
# A bound on a probability is exact up to this; about six steps are needed.
EXACT, MOST_STEPS = 1e-14, 100


def _compiled(function: Function) -> Function:
    """Compile at the first call, run without the GIL, and keep the machine code on disk."""
    try:
        return cast(Function, njit(nogil=True, cache=True)(function))
    except RuntimeError:  # a read-only installation without a home: numba finds no folder for its cache
        return cast(Function, njit(nogil=True)(function))


@_compiled
def sum_pairs(parents: StateArray, children: StateArray, table: FloatArray, out: FloatArray) -> None:
    """Fill in out[j, c, r] = Σ_i table[c, parents[j, r], children[i, r]]: how super-parent j rates row r.

    For SPODEs, parents and children are the same states; for regions, parents are the leaves of trees.
    """
    n_children, n = children.shape
    width = np.uint64(table.shape[2])
    line = np.empty(n, np.uint64)
    for j in range(len(parents)):
        for r in range(n):
            line[r] = np.uint64(parents[j, r]) * width
        for c in range(len(table)):
            cells, total = table[c].reshape(-1), out[j, c]
            total[:] = 0.0
            # Rows innermost, so that the sums are independent; four features at a time, so that each sum is
            # read and written a quarter as often.
            i = 0
            while i + 3 < n_children:
                s0, s1, s2, s3 = children[i], children[i + 1], children[i + 2], children[i + 3]
                for r in range(n):
                    at = line[r]
                    total[r] += (cells[at + np.uint64(s0[r])] + cells[at + np.uint64(s1[r])]) + (
                        cells[at + np.uint64(s2[r])] + cells[at + np.uint64(s3[r])]
                    )
                i += 4
            while i < n_children:
                s0 = children[i]
                for r in range(n):
                    total[r] += cells[line[r] + np.uint64(s0[r])]
                i += 1


@_compiled
def count_pairs(
    parents: StateArray,
    children: StateArray,
    first: IntArray,
    labels: LabelArray,
    weights: FloatArray,
    share: int,
    n_shares: int,
    n_cab: FloatArray,
) -> None:
    """Add the weights of rows to n_cab[c, s, t], s of each parent and t of its children from ``first`` on.

    A thread takes every ``n_shares``-th parent, and so writes other lines than the next. ``n_cab`` has a
    last line and a last column for the unknown state, which the caller cuts off.
    """
    n_children, n = children.shape
    width = np.uint64(n_cab.shape[2])
    plane = np.uint64(n_cab.shape[1]) * width
    cells = n_cab.reshape(-1)
    line = np.empty(BLOCK_ROWS, np.uint64)
    for start in range(0, n, BLOCK_ROWS):
        stop = min(n, start + BLOCK_ROWS)
        w = weights[start:stop]
        for j in range(share, len(parents), n_shares):
            for r in range(start, stop):
                line[r - start] = np.uint64(labels[r]) * plane + np.uint64(parents[j, r]) * width
            i = first[j]
            while i + 3 < n_children:
                s0, s1 = children[i, start:stop], children[i + 1, start:stop]
                s2, s3 = children[i + 2, start:stop], children[i + 3, start:stop]
                for r in range(stop - start):
                    at, weight = line[r], w[r]
                    # Four features, hence four cells, whose additions do not wait for each other.
                    cells[at + np.uint64(s0[r])] += weight
                    cells[at + np.uint64(s1[r])] += weight
                    cells[at + np.uint64(s2[r])] += weight
                    cells[at + np.uint64(s3[r])] += weight
                i += 4
            while i < n_children:
                s0 = children[i, start:stop]
                for r in range(stop - start):
                    cells[line[r] + np.uint64(s0[r])] += w[r]
                i += 1


@_compiled
def find_leaves(
    x: npt.NDArray[np.float32],
    roots: IntArray,
    feature: IntArray,
    threshold: FloatArray,
    children: IntArray,
    out: IntArray,
) -> None:
    """Fill in out[t, r], the leaf of tree t that row r of x, (columns, rows), reaches.

    The two children of a node follow each other, and a leaf is its own. Compiled, since numpy takes ten times
    as long, more than everything else in a prediction. Rows are innermost: a step of one does not wait for
    that of another, as it would on the way of a single row to its leaf.
    """
    for t in range(len(roots)):
        node = out[t]
        node[:] = roots[t]
        moved = True
        while moved:
            moved = False
            for r in range(len(node)):
                at = np.uint64(node[r])
                goes_right = np.uint64(x[np.uint64(feature[at]), r] > threshold[at])
                below = children[np.uint64(2) * at + goes_right]
                moved |= below != node[r]
                node[r] = below


@_compiled
def find_pieces(values: FloatArray, x: FloatArray, out: IntArray) -> None:
    """Fill in 2i where x[r] lies just below the i-th of the ascending values, and 2i + 1 where it is that.

    Compiled, since numpy's search takes a third of LP-AODE's prediction: the processor guesses the way of
    each row, and is wrong half of the time. Rows are innermost, as in :func:`find_leaves`. For NaN it is 0.
    """
    left = len(values)
    out[:] = 0
    while left > 1:
        half = left // 2
        for r in range(len(x)):
            out[r] += half * (values[np.uint64(out[r] + half - 1)] < x[r])
        left -= half
    for r in range(len(x)):
        value = values[np.uint64(out[r])]
        out[r] = 2 * out[r] + (value <= x[r]) + (value < x[r])


@_compiled
def _fill_least_prior(
    d: FloatArray, lower: float, mass: float, size: int, spare: bool, log_y: FloatArray
) -> None:
    """Fill in the prior at which Σ_j d_j log y_j is least (§7, Proposition 2).

    Each y_j ≥ ``lower``. Those of the ``size`` SPODEs that have a say sum to ``mass``, or to less where
    another model can take what is left, ``spare``. SPODEs without a say have d_j = 0.
    """
    log_y[:] = np.log(lower)
    n_sharing, total, smallest = 0, 0.0, 0
    for j in range(len(d)):
        if d[j] < 0.0:
            n_sharing += 1
            total -= d[j]
        if d[j] < d[smallest]:
            smallest = j
    if n_sharing == 0:
        # Concave: the minimum is at a vertex. With something to spare it is where all have the lower bound.
        if not spare and size > 0:
            log_y[smallest] = np.log(mass - (size - 1) * lower)
        return
    # Those against share by water-filling, y_j = max(lower, |d_j|/level). One that would get less than
    # the lower bound drops out; that raises the level, so none comes back.
    level = total / (mass - (size - n_sharing) * lower)
    settled = False
    while not settled:
        n_left, total = 0, 0.0
        for j in range(len(d)):
            if -d[j] > lower * level:
                n_left += 1
                total -= d[j]
        settled = n_left == n_sharing or n_left == 0
        if not settled:
            n_sharing, level = n_left, total / (mass - (size - n_left) * lower)
    # Logarithms before the quotient: d_j may be as small as doubles get.
    log_level = np.log(level)
    for j in range(len(d)):
        if d[j] < 0.0:
            log_y[j] = max(log_y[j], np.log(-d[j]) - log_level)


@_compiled
def least_priors(
    d: FloatArray, lower: FloatArray, mass: FloatArray, size: IntArray, spare: BoolArray, log_y: FloatArray
) -> None:
    """Fill in log y of the prior that is least favourable, for every row of d, (rows, k).

    Compiled, since bisection for robustness asks for some forty of them for each row and rival.
    """
    for r in range(len(d)):
        _fill_least_prior(d[r], lower[r], mass[r], size[r], spare[r], log_y[r])


@_compiled
def lower_bounds(
    p: FloatArray,
    members: BoolArray,
    base: FloatArray,
    kappa: float,
    lower: float,
    mass: FloatArray,
    spare: BoolArray,
    t: FloatArray,
) -> None:
    """Lower t to the minimum of Σ_j p_j π_j / Σ_j π_j over the priors, by Dinkelbach's iteration (§7).

    ``p`` and ``members`` are (rows, k), and π_j = base_j + κ log y_j. Compiled, since row by row it is two to
    three times as fast as numpy over the rows that still move.
    """
    n, k = p.shape
    d, log_y = np.empty(k), np.empty(k)
    for r in range(n):
        size = 0
        for j in range(k):
            size += members[r, j]
        for _ in range(MOST_STEPS):
            for j in range(k):
                d[j] = p[r, j] - t[r] if members[r, j] else 0.0
            _fill_least_prior(d, lower, mass[r], size, spare[r], log_y)
            score, total = 0.0, 0.0
            for j in range(k):
                if members[r, j]:
                    pi = base[j] + kappa * log_y[j]
                    score += p[r, j] * pi
                    total += pi
            before, t[r] = t[r], score / total
            if abs(t[r] - before) <= EXACT:
                break


@_compiled
def upper_entropy(n_c: FloatArray, s: float) -> float:
    """Return the largest entropy of (n_c + s·t_c)/(n + s) over all t ≥ 0 with Σ t_c = 1, in nats (§8).

    The smallest counts are raised equally until s is spent: to the level that those below it share. It
    starts at the mean of all and falls as counts above it drop out, which never come back.

    Examples
    --------
    >>> import numpy as np
    >>> round(upper_entropy(np.array([1.0, 0.0]), 1.0), 4), round(upper_entropy(np.array([3.0, 0.0]), 1.0), 4)
    (0.6931, 0.5623)
    """
    n_raised, n_below, level, entropy = 0, len(n_c), np.inf, 0.0
    while n_raised != n_below:
        n_raised, n_below, shared = n_below, 0, s
        for n in n_c:
            shared += n if n <= level else 0.0
        # Rounding of equal counts must not put the level below them all.
        level = min(level, max(shared / n_raised, n_c.min()))
        for n in n_c:
            n_below += n <= level
    for n in n_c:
        p = max(n, level) / (n_c.sum() + s)
        if p > 0.0:  # with an s near the smallest double the level can be 0
            entropy -= p * np.log(p)
    return entropy


@_compiled
def split_gains(
    rows: LabelledStates, features: IntArray, starts: IntArray, n_classes: int, s: float
) -> FloatArray:
    """Return the imprecise information gain of some features in the rows of a node.

    It is the upper entropy of the node less those of its children, weighted by their share of rows. Rows in
    which the feature is unknown are left out, and the gain is scaled by the share of the others. Compiled,
    since most nodes are small: calling numpy for each takes five times as long.
    """
    (states, labels, weights), n, gains = rows, rows[2].sum(), np.empty(len(features))
    for at, j in enumerate(features):
        # The last line is that of the node. A gain compares entropies of the same rows.
        n_ac = np.zeros((starts[j + 1] - starts[j] + 1, n_classes))
        for r in range(len(labels)):
            if states[j, r] < starts[j + 1]:
                n_ac[states[j, r] - starts[j], labels[r]] += weights[r]
                n_ac[-1, labels[r]] += weights[r]
        gains[at] = n_ac[-1].sum() / n * upper_entropy(n_ac[-1], s)
        for of_state in n_ac[:-1]:
            gains[at] -= of_state.sum() / n * upper_entropy(of_state, s)
    return gains
