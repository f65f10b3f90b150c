"""From counts to the logarithmic tables of inference (§2 and §3).

A SPODE is naive Bayes plus, for every other feature, a correction: with BDeu's masses
``D_c = n(c) + s/l``, ``D_j = n(c,a_j) + s/(l v_j)``, ``N_ij = n(c,a_i,a_j) + s/(l v_i v_j)``,

    log P(c, a | s_j) = log P(c) + Σ_i log P(a_i|c) + Σ_{i≠j} log [ P(a_i|a_j,c) / P(a_i|c) ]

and the correction is ``log (N_ij D_c / (D_i D_j))``, symmetric in i and j: one entry serves two SPODEs. The
sum starts from the same naive Bayes score for all of them, and the corrections are small numbers, which keeps
rounding small. An unknown value has a slot of its own, the last, filled with zeros: its factors drop out.

Where training cells are unknown, ``P(a_i|a_j,c)`` is divided by the rows in which both cells are known (§1),
and the symmetry is lost.

The SPODEs' corrections lie in lines, one for each value of each feature as super-parent: those for every
value of every other feature side by side, class by class. Inference then reads, for each SPODE of a row, from
a single line. The line of feature i begins with feature i + 1 and goes round to i - 1.
"""

import numpy as np

from skcredal._arrays import CountArray, FloatArray, IntArray
from skcredal._kernels._instructions import log
from skcredal._kernels._jit import kernel, step

__all__ = ["FEATURE_TILE", "fill_pairs", "fill_spodes"]

# Numbers whose logarithms are taken at once, unless a single value has more cells: 8 KiB, which stay in the
# cache between the loops over them.
BATCH = 1024
# Features combined with as many others at a time.
FEATURE_TILE = 8
# Smaller numbers are denormal: the bits of their exponent are zeros.
LEAST_NORMAL = 2.2250738585072014e-308


@kernel
def fill_pairs(
    n_cab: CountArray,
    log_a: FloatArray,
    n_states: IntArray,
    pairs: IntArray,
    count_offsets: IntArray,
    value_offsets: IntArray,
    table_offsets: IntArray,
    n_classes: int,
    ess: float,
    log_ratio: FloatArray,
    log_ratio_reverse: FloatArray,
) -> None:
    """Fill in the corrections of the pairs: feature j under super-parent i, and the reverse if it differs.

    ``log_ratio`` holds log P(a_j|a_i,c) - log P(a_j|c); ``log_ratio_reverse``, empty for complete data, holds
    log P(a_i|a_j,c) - log P(a_i|c).
    """
    both_ways = len(log_ratio_reverse) > 0
    widest = 0
    for v in n_states:
        widest = max(widest, v)
    n_i, n_j = np.empty(widest), np.empty(widest)
    for p in range(len(pairs)):
        i, j = pairs[p]
        v_i, v_j = n_states[i], n_states[j]
        source, target = count_offsets[p], table_offsets[p]
        prior = ess / (n_classes * v_i * v_j)
        for c in range(n_classes):
            for b in range(v_j):
                n_j[b] = 0.0
            for a in range(v_i):
                n_i[a] = 0.0
                for b in range(v_j):
                    count = n_cab[source + (a * v_j + b) * n_classes + c]
                    n_i[a] += count
                    n_j[b] += count
            for a in range(v_i):
                n_i[a] = np.log(n_i[a] + ess / (n_classes * v_i))
            for b in range(v_j):
                n_j[b] = np.log(n_j[b] + ess / (n_classes * v_j))
            for a in range(v_i):
                for b in range(v_j):
                    log_pair = np.log(n_cab[source + (a * v_j + b) * n_classes + c] + prior)
                    cell = target + (a * (v_j + 1) + b) * n_classes + c
                    log_ratio[cell] = log_pair - n_i[a] - log_a[value_offsets[j] + b * n_classes + c]
                    if both_ways:
                        log_ratio_reverse[cell] = (
                            log_pair - n_j[b] - log_a[value_offsets[i] + a * n_classes + c]
                        )


@kernel
def _take_logs(x: FloatArray, n: int) -> None:
    """Replace positive numbers by their logarithms."""
    tiny = False
    for t in range(n):
        tiny |= x[t] < LEAST_NORMAL
    # A tiny prior leaves numbers so small that their bits do not hold their exponent.
    if tiny:
        for t in range(n):
            x[t] = np.log(x[t])
    else:
        for t in range(n):
            x[t] = log(x[t])


@kernel
def fill_spodes(
    first: int,
    last: int,
    n_cab: CountArray,
    log_a: FloatArray,
    log_masses: FloatArray,
    n_states: IntArray,
    count_offsets: IntArray,
    value_offsets: IntArray,
    n_classes: int,
    ess: float,
    line_offsets: IntArray,
    log_ratio: FloatArray,
) -> None:
    """Fill in the corrections of the pairs of the features from ``first`` to ``last`` with later ones.

    The line of a_i holds log P(a_j|a_i,c) - log P(a_j|c) at the offset of a_j, and the line of a_j holds the
    reverse at the offset of a_i. Where cells are unknown, ``log_masses`` is empty: the masses of the
    super-parents are those of the rows that know both features.
    """
    k, widest = len(n_states), 0
    for v in n_states:
        widest = max(widest, v)
    size = max(2 * widest * n_classes, BATCH)
    log_pair = np.empty(size)
    # The masses of i, and from ``width_i`` on those of j.
    log_mass = np.empty(2 * widest * n_classes)
    # In tiles of features: neighbours share the cache lines that their corrections are written to.
    for i_tile in range(first, last, FEATURE_TILE):
        for j_tile in range(i_tile, k, FEATURE_TILE):
            for i in range(i_tile, min(i_tile + FEATURE_TILE, last)):
                for j in range(max(i + 1, j_tile), min(j_tile + FEATURE_TILE, k)):
                    width_i, width_j = n_states[i] * n_classes, n_states[j] * n_classes
                    begin = count_offsets[i * k - i * (i + 1) // 2 + (j - i - 1)]
                    if len(log_masses) > 0:
                        for t in range(width_i):
                            log_mass[t] = log_masses[value_offsets[i] + t]
                        for t in range(width_j):
                            log_mass[width_i + t] = log_masses[value_offsets[j] + t]
                    else:
                        _sum_masses(n_cab[begin:], n_states[i], n_states[j], n_classes, ess, log_mass)
                        _take_logs(log_mass, width_i + width_j)
                    _fill_pair(
                        i,
                        j,
                        n_cab[begin : begin + n_states[i] * width_j],
                        log_a,
                        log_mass,
                        n_states,
                        value_offsets,
                        n_classes,
                        ess,
                        line_offsets,
                        log_pair,
                        log_ratio,
                    )


@step
def _sum_masses(n_cab: CountArray, v_i: int, v_j: int, n_classes: int, ess: float, mass: FloatArray) -> None:
    """Fill in the masses of the values of both features of a pair, from the rows that know both."""
    width_i, width_j = v_i * n_classes, v_j * n_classes
    for t in range(width_i + width_j):
        mass[t] = 0.0
    for a in range(v_i):
        for b in range(v_j):
            for c in range(n_classes):
                count = n_cab[a * width_j + b * n_classes + c]
                mass[a * n_classes + c] += count
                mass[width_i + b * n_classes + c] += count
    # Counts first, the prior last: a sum of integers does not depend on the order of the states.
    for t in range(width_i + width_j):
        mass[t] += ess / width_i if t < width_i else ess / width_j


@step
def _fill_pair(
    i: int,
    j: int,
    counts: CountArray,
    log_a: FloatArray,
    log_mass: FloatArray,
    n_states: IntArray,
    value_offsets: IntArray,
    n_classes: int,
    ess: float,
    line_offsets: IntArray,
    log_pair: FloatArray,
    log_ratio: FloatArray,
) -> None:
    """Fill in the corrections of a pair ``i < j`` in both directions."""
    v_i, width_j = n_states[i], n_states[j] * n_classes
    prior = ess / (n_classes * v_i * n_states[j])
    end = value_offsets[len(n_states)]
    # Unsigned: an index that might be negative takes longer. (Views were slower still.)
    zero, n_c, v_j = np.uint64(0), np.uint64(n_classes), np.uint64(n_states[j])
    of_i, of_j = np.uint64(value_offsets[i]), np.uint64(value_offsets[j])
    line_i = np.uint64(end - value_offsets[i + 1] + value_offsets[i])
    line_j = np.uint64(end - value_offsets[j + 1] + value_offsets[j])
    # In the lines of j, feature i comes after the wrap-around.
    i_to_j = np.uint64(line_offsets[i] + value_offsets[j] - value_offsets[i + 1])
    j_to_i = np.uint64(line_offsets[j] + value_offsets[i] - value_offsets[j + 1] + end)
    masses_j = np.uint64(v_i * n_classes)
    at_once = max(BATCH // width_j, 1)
    for first in range(0, v_i, at_once):
        last = min(v_i, first + at_once)
        some = counts[first * width_j : last * width_j]
        for t in range(len(some)):
            log_pair[t] = some[t] + prior
        _take_logs(log_pair, len(some))
        cell = zero
        for a in range(np.uint64(first), np.uint64(last)):
            at_a, forward, backward = a * n_c, i_to_j + a * line_i, j_to_i + a * n_c
            for b in range(zero, v_j):
                at_b = b * n_c
                for c in range(zero, n_c):
                    # One logarithm serves both directions.
                    log_n = log_pair[cell + c]
                    log_ratio[forward + c] = log_n - log_mass[at_a + c] - log_a[of_j + at_b + c]
                    log_ratio[backward + c] = log_n - log_mass[masses_j + at_b + c] - log_a[of_i + at_a + c]
                cell += n_c
                forward += n_c
                backward += line_j
