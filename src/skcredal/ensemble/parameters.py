"""The BDeu parameters of all SPODEs as logarithmic tables (§2, §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import kernels
from skcredal._arrays import CodeArray, FloatArray, IntArray
from skcredal._threads import run_in_threads
from skcredal.ensemble.counts import JointCounts, Layout

__all__ = ["CHUNK_ROWS", "SpodeTables", "chunks", "spode_tables"]

# Rows that inference takes at a time. The likelihoods are summed chunk by chunk: their last digits depend on
# this number, and on nothing else.
CHUNK_ROWS = 512


@dataclass(frozen=True, slots=True, eq=False)
class SpodeTables:
    """log P(c), log P(a|c) and the corrections that make a SPODE of naive Bayes (see ``kernels.tables``).

    Parameters
    ----------
    layout : Layout
        Where each block lies, with a slot for the unknown value.
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    log_a : ndarray
        The naive Bayes factors.
    log_ratio, log_ratio_reverse : ndarray
        The corrections of feature j under super-parent i, and of i under j; the latter is empty for complete
        data, where the two are the same.
    """

    layout: Layout
    log_c: FloatArray
    log_a: FloatArray
    log_ratio: FloatArray
    log_ratio_reverse: FloatArray

    @property
    def prior(self) -> FloatArray:
        """P(c), what the null model answers."""
        return np.exp(self.log_c)

    def log_joints(self, codes: CodeArray) -> FloatArray:
        """Return log P(c, a | s_j) of a chunk of codes (k, rows) as an array (k, rows, n_classes)."""
        out = np.empty((*codes.shape, self.layout.n_classes))
        kernels.inference.spode_log_joints(
            codes,
            self.layout.n_states,
            self.log_c,
            self.log_a,
            self.layout.value_offsets,
            self.log_ratio,
            self.log_ratio_reverse,
            self.layout.pair_offsets,
            out,
        )
        return out

    def posteriors(self, codes: CodeArray, *, left_out: float = 0.0) -> FloatArray:
        """Return P(c | a, s_j) of a chunk likewise; a SPODE left out of a row gets the given number."""
        out = self.log_joints(codes)
        kernels.inference.normalise(codes, self.layout.n_states, left_out, out)
        return out


def spode_tables(counts: JointCounts, ess: float, *, n_threads: int = 1) -> SpodeTables:
    """Learn the parameters of all SPODEs from the counts.

    Examples
    --------
    Three rows of class 0 and one of class 1, no feature: P(c) = (n(c) + 1/2)/(n + 1).

    >>> import numpy as np
    >>> from skcredal.ensemble.counts import count
    >>> labels = np.array([0, 0, 0, 1], np.int32)
    >>> counts = count(np.empty((0, 4), np.uint8), labels, np.empty(0, np.int64), 2)
    >>> spode_tables(counts, 1.0).prior
    array([0.7, 0.3])
    """
    n_states, n_classes = counts.layout.n_states, counts.layout.n_classes
    layout = Layout(n_states, n_classes, slots=1)
    log_c = np.log((counts.n_c + ess / n_classes) / (counts.n + ess))
    log_a = np.empty(layout.value_offsets[-1])
    log_ratio = np.zeros(layout.pair_offsets[-1])
    log_ratio_reverse = np.zeros(0 if counts.complete else layout.pair_offsets[-1])
    kernels.tables.fill_values(
        counts.n_ca,
        n_states,
        counts.layout.value_offsets,
        layout.value_offsets,
        n_classes,
        ess,
        log_a,
    )

    def fill_some(some: IntArray) -> None:
        kernels.tables.fill_pairs(
            counts.n_cab,
            log_a,
            n_states,
            layout.pairs[some],
            counts.layout.pair_offsets[some],
            layout.value_offsets,
            layout.pair_offsets[some],
            n_classes,
            ess,
            log_ratio,
            log_ratio_reverse,
        )

    if len(layout.pairs) > 0:
        run_in_threads(fill_some, np.array_split(np.arange(len(layout.pairs)), n_threads), n_threads)
    return SpodeTables(layout, log_c, log_a, log_ratio, log_ratio_reverse)


def chunks(n_rows: int) -> list[slice]:
    """Return the chunks that inference goes by, in the order of the rows."""
    return [slice(start, min(start + CHUNK_ROWS, n_rows)) for start in range(0, n_rows, CHUNK_ROWS)]
