"""Credal decision trees: the gain of every split of a node, the split of its rows, the way of a row (§8).

A node of a growing tree is a range of ``rows``, the places of its training rows.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray, LabelArray
from skcredal.kernels._jit import kernel

__all__ = ["choose_split", "find_nodes", "information_gains", "sort_rows", "upper_entropy"]

# A gain must exceed this, and gains this close to the largest are equal to it.
TIE = 1e-12


@kernel
def upper_entropy(n_c: FloatArray, s: float) -> float:
    """Return the largest entropy of (n_c + s·t_c)/(n + s) over all t ≥ 0 with Σ t_c = 1, in nats.

    The smallest counts are raised equally until s is spent: to the level that those below it share. It begins
    at the mean of all and falls as counts above it leave.
    """
    total, smallest = s, n_c[0]
    for c in range(len(n_c)):
        total += n_c[c]
        smallest = min(smallest, n_c[c])
    level, settled = np.inf, False
    while not settled:
        n_raised, mass = 0, s
        for c in range(len(n_c)):
            if n_c[c] <= level:
                n_raised += 1
                mass += n_c[c]
        # Rounding of equal counts must not put the level below them all.
        lower = max(mass / n_raised, smallest)
        settled = lower >= level
        level = min(level, lower)
    entropy = 0.0
    for c in range(len(n_c)):
        p = max(n_c[c], level) / total
        if p > 0.0:  # an s near the smallest double leaves nothing to share
            entropy -= p * np.log(p)
    return entropy


@kernel
def information_gains(
    codes: CodeArray,
    labels: LabelArray,
    weights: FloatArray,
    n_states: IntArray,
    rows: IntArray,
    available: BoolArray,
    s: float,
    n_ca: FloatArray,
    n_c: FloatArray,
    gains: FloatArray,
) -> None:
    """Fill in the imprecise information gain of every available feature, and the classes of the node.

    The gain is the upper entropy of the node less those of its children, weighted by their share of rows.
    Rows in which the feature is unknown stay out, and the gain counts for the share of the others. A feature
    that is not available gets ``-inf``; ``n_ca`` (most states + 1, classes) is scratch.
    """
    n_classes = len(n_c)
    n = 0.0
    for c in range(n_classes):
        n_c[c] = 0.0
    for r in rows:
        n_c[labels[r]] += weights[r]
        n += weights[r]
    for j in range(len(n_states)):
        gains[j] = -np.inf
        if not available[j]:
            continue
        v = n_states[j]
        for a in range(v + 1):
            for c in range(n_classes):
                n_ca[a, c] = 0.0
        for r in rows:
            if codes[j, r] < v:
                n_ca[codes[j, r], labels[r]] += weights[r]
        # The last line holds what is known of all values together.
        gain, n_known = 0.0, 0.0
        for a in range(v):
            n_a = 0.0
            for c in range(n_classes):
                n_a += n_ca[a, c]
                n_ca[v, c] += n_ca[a, c]
            if n_a > 0.0:
                n_known += n_a
                gain -= n_a / n * upper_entropy(n_ca[a], s)
        gains[j] = gain + n_known / n * upper_entropy(n_ca[v], s)


@kernel
def choose_split(gains: FloatArray) -> int:
    """Return the first feature of the largest gain, ties within 1e-12, or -1 if no gain exceeds that."""
    highest = TIE
    for j in range(len(gains)):
        highest = max(highest, gains[j])
    for j in range(len(gains)):
        if gains[j] > TIE and gains[j] >= highest - TIE:
            return j
    return -1


@kernel
def sort_rows(values: CodeArray, v: int, rows: IntArray, sorted_rows: IntArray, starts: IntArray) -> None:
    """Sort the rows of a node by the value of a feature, in place; equal ones keep their order.

    The rows of value a end up in ``starts[a]`` to ``starts[a + 1]``, unknown ones behind the last value v-1.
    ``sorted_rows`` is scratch.
    """
    for a in range(v + 2):
        starts[a] = 0
    for r in rows:
        starts[np.int64(values[r]) + 1] += 1
    for a in range(v + 1):
        starts[a + 1] += starts[a]
    for r in rows:
        value = values[r]
        sorted_rows[starts[value]] = r
        starts[value] += 1
    # Every start has moved to the next one.
    for a in range(v + 1, 0, -1):
        starts[a] = starts[a - 1]
    starts[0] = 0
    for place in range(len(rows)):
        rows[place] = sorted_rows[place]


@kernel
def find_nodes(
    codes: CodeArray,
    n_states: IntArray,
    feature: IntArray,
    branch_offsets: IntArray,
    branches: IntArray,
    nodes: IntArray,
) -> None:
    """Fill in the node that answers for every row: the last on its way whose value leads no further."""
    for r in range(codes.shape[1]):
        node, on_the_way = 0, True
        while on_the_way:
            nodes[r] = node
            j = feature[node]
            on_the_way = False
            if j >= 0 and codes[j, r] < n_states[j]:
                node = branches[branch_offsets[node] + np.int64(codes[j, r])]
                on_the_way = node >= 0
