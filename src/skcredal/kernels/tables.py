"""From counts to the logarithmic tables of inference (specification, §2 and §3).

A SPODE is naive Bayes plus, for every other feature, a correction: with BDeu's masses
``D_c = n(c) + s/l``, ``D_j = n(c,a_j) + s/(l v_j)``, ``N_ij = n(c,a_i,a_j) + s/(l v_i v_j)``,

    log P(c, a | s_j) = log P(c) + Σ_i log P(a_i|c) + Σ_{i≠j} log [ P(a_i|a_j,c) / P(a_i|c) ]

and the correction is ``log (N_ij D_c / (D_i D_j))``, symmetric in i and j: one entry serves two SPODEs. The
sum starts from the same naive Bayes score for all of them, and the corrections are small numbers, which keeps
rounding small. An unknown value has a slot of its own, the last, filled with zeros: its factors drop out.

Where training cells are unknown, ``P(a_i|a_j,c)`` is divided by the rows in which both cells are known (§1),
the symmetry is lost, and a second table holds the correction in the other direction.
"""

import numpy as np

from skcredal._arrays import CountArray, FloatArray, IntArray
from skcredal.kernels._jit import kernel

__all__ = ["fill_pairs", "fill_values"]


@kernel
def fill_values(
    n_ca: CountArray,
    n_states: IntArray,
    count_offsets: IntArray,
    table_offsets: IntArray,
    n_classes: int,
    ess: float,
    log_a: FloatArray,
) -> None:
    """Fill in log P(a_j|c), with zeros at the unknown value."""
    for j in range(len(n_states)):
        v = n_states[j]
        for c in range(n_classes):
            n_known = 0.0
            for a in range(v):
                n_known += n_ca[count_offsets[j] + a * n_classes + c]
            log_mass = np.log(n_known + ess / n_classes)
            for a in range(v):
                mass = n_ca[count_offsets[j] + a * n_classes + c] + ess / (n_classes * v)
                log_a[table_offsets[j] + a * n_classes + c] = np.log(mass) - log_mass
            log_a[table_offsets[j] + v * n_classes + c] = 0.0


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
