"""Credal decision trees: the gain of every split of a node, the split of its rows, the path of a row (§8).

A node of a growing tree is a range of ``rows``, the indices of its training rows.
"""

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray, LabelArray
from skcredal._kernels._jit import kernel

__all__ = ["choose_split", "find_nodes", "grow", "information_gains", "sort_rows", "upper_entropy"]

# A gain must exceed this, and gains this close to the largest are equal to it.
TIE = 1e-12


@kernel
def upper_entropy(n_c: FloatArray, s: float) -> float:
    """Return the largest entropy of (n_c + s·t_c)/(n + s) over all t ≥ 0 with Σ t_c = 1, in nats.

    The smallest counts are raised equally until s is spent: to the level that those below it share. The level
    starts at the mean of all and falls as counts above it drop out.
    """
    total, smallest = s, n_c[0]
    for c in range(len(n_c)):
        total += n_c[c]
        smallest = min(smallest, n_c[c])
    # The level only falls, so that a count above it never comes back: at most one round for each class.
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
    # In a small node most classes are at the level: one logarithm serves them all. With an s near the
    # smallest double the level can be 0.
    p_level = level / total
    at_level = p_level * np.log(p_level) if p_level > 0.0 else 0.0
    entropy = 0.0
    for c in range(len(n_c)):
        if n_c[c] <= level:
            entropy -= at_level
        else:
            p = n_c[c] / total
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
    Rows in which the feature is unknown are left out, and the gain is scaled by the share of the others. A
    feature that is not available gets ``-inf``; ``n_ca`` (most states + 1, classes) is scratch.
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
        # The last row of ``n_ca`` is the node itself, as far as its rows know the feature: a gain compares
        # entropies of the same rows.
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
    # The largest gain first: compared pair by pair, a chain of near ties could lead away from it.
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
    # Filling in has moved every start to the next one.
    for a in range(v + 1, 0, -1):
        starts[a] = starts[a - 1]
    starts[0] = 0
    for m in range(len(rows)):
        rows[m] = sorted_rows[m]


@kernel
def _is_pure(labels: LabelArray, rows: IntArray) -> bool:
    m = 1
    while m < len(rows) and labels[rows[m]] == labels[rows[0]]:
        m += 1
    return m >= len(rows)


@kernel
def grow(
    codes: CodeArray,
    labels: LabelArray,
    weights: FloatArray,
    n_states: IntArray,
    s: float,
    rows: IntArray,
    sorted_rows: IntArray,
    n_ca: FloatArray,
    starts: IntArray,
    path: IntArray,
    available: BoolArray,
    todo: IntArray,
    progress: IntArray,
    feature: IntArray,
    counts: FloatArray,
    parent: IntArray,
    value: IntArray,
) -> bool:
    """Grow nodes as long as there are some to grow; ``False`` if there is no room for the next one.

    A line of ``todo`` is a node to grow: its depth, its parent, the value of the parent's feature that leads
    to it, and its range of ``rows``. ``path`` holds the features that lead to the node grown last, which are
    not available. ``progress`` holds how many lines, features of the path, and nodes there are, so that a
    call with more room can continue.
    """
    n_todo, n_path, n_nodes = progress[0], progress[1], progress[2]
    gains = np.empty(len(n_states))
    while n_todo > 0 and n_nodes < len(feature):
        n_todo -= 1
        depth, begin = todo[n_todo, 0], todo[n_todo, 3]
        parent[n_nodes], value[n_nodes] = todo[n_todo, 1], todo[n_todo, 2]
        own_rows, n_c = rows[begin : todo[n_todo, 4]], counts[n_nodes]
        # Back from a deeper branch: what only it has used may be used again (once on a path, §8).
        while n_path > depth:
            n_path -= 1
            available[path[n_path]] = True
        j = -1
        if _is_pure(labels, own_rows):
            # The fewer rows a pure node has, the larger its upper entropy: no split gains anything.
            for c in range(len(n_c)):
                n_c[c] = 0.0
            for r in own_rows:
                n_c[labels[r]] += weights[r]
        else:
            information_gains(codes, labels, weights, n_states, own_rows, available, s, n_ca, n_c, gains)
            j = choose_split(gains)
        feature[n_nodes] = j
        if j >= 0:
            path[n_path] = j
            n_path += 1
            available[j] = False
            sort_rows(codes[j], n_states[j], own_rows, sorted_rows, starts)
            # The last state is pushed first, so that the first is grown first. A state without rows has no
            # branch: the node itself will answer for it (§8). Neither has an unknown value.
            for a in range(n_states[j] - 1, -1, -1):
                if starts[a] < starts[a + 1]:
                    todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2] = depth + 1, n_nodes, a
                    todo[n_todo, 3], todo[n_todo, 4] = begin + starts[a], begin + starts[a + 1]
                    n_todo += 1
        n_nodes += 1
    progress[0], progress[1], progress[2] = n_todo, n_path, n_nodes
    return bool(n_todo == 0)


@kernel
def find_nodes(
    codes: CodeArray,
    feature: IntArray,
    branch_offsets: IntArray,
    branch_values: IntArray,
    branches: IntArray,
    nodes: IntArray,
) -> None:
    """Fill in the node that answers for every row: the one where its path ends.

    The branches of a node are sorted by the value that takes them. The code for unknown is none of these.
    """
    for r in range(codes.shape[1]):
        node, goes_on = 0, True
        while goes_on:
            nodes[r] = node
            goes_on = False
            if feature[node] >= 0:
                a = np.int64(codes[feature[node], r])
                first, last = branch_offsets[node], branch_offsets[node + 1]
                end = last
                while first < last:
                    middle = (first + last) // 2
                    if branch_values[middle] < a:
                        first = middle + 1
                    else:
                        last = middle
                if first < end and branch_values[first] == a:
                    node, goes_on = branches[first], True
