"""What every SPODE says of a training row that it was not trained on (§5, §12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import CodeArray, CountArray, FloatArray, IntArray, LabelArray
from skcredal._ensemble.counts import JointCounts
from skcredal._ensemble.parameters import SpodeTables

__all__ = ["LeaveOneOut", "itself"]


def itself(weights: CountArray | None, n_rows: int) -> FloatArray:
    """Return what each row takes off the counts: one of weight w ≥ 1 itself once, one of less all of it."""
    return np.ones(n_rows) if weights is None else np.minimum(weights, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """The counts and tables of all rows, from which single rows are left out.

    Parameters
    ----------
    counts : JointCounts
        The counts of all rows.
    tables : SpodeTables
        The parameters learned from them.
    log_pairs : ndarray
        The logarithm of every pair's cell less one row, or nothing.
    margins, margin_offsets : ndarray
        The counts of both values of each pair over the rows that know both; nothing for complete data.
    """

    counts: JointCounts
    tables: SpodeTables
    log_pairs: FloatArray
    margins: FloatArray
    margin_offsets: IntArray

    @classmethod
    def prepare(cls, counts: JointCounts, tables: SpodeTables, taken_off: FloatArray) -> LeaveOneOut:
        """Prepare for rows that take the given numbers off the counts."""
        layout = counts.layout
        # Where all cells are known, the rows in which both cells of a pair are known are all rows.
        n_margins = np.zeros(len(layout.pairs), np.int64)
        if not counts.complete:
            n_margins = layout.n_states[layout.pairs].sum(axis=1) * layout.n_classes
        margin_offsets = np.cumsum(n_margins) - n_margins
        margins = np.zeros(n_margins.sum())
        if len(margins) > 0:
            kernels.leave_one_out.fill_margins(
                counts.n_cab, layout.n_states, layout.pair_offsets, margin_offsets, layout.n_classes, margins
            )
        # The logarithm of a pair's cell without a row is the same for all rows that count once.
        in_table = bool(np.all(taken_off == 1.0)) and len(counts.n_cab) <= len(taken_off) * len(layout.pairs)
        log_pairs = np.empty(len(counts.n_cab) if in_table else 0)
        if in_table:
            kernels.leave_one_out.fill_log_pairs(
                counts.n_cab, layout.n_states, layout.pair_offsets, layout.n_classes, tables.ess, log_pairs
            )
        return cls(counts, tables, log_pairs, margins, margin_offsets)

    def log_posteriors(self, codes: CodeArray, labels: LabelArray, taken_off: FloatArray) -> FloatArray:
        """Return log P_{-r}(c | a_r, s_j) of a chunk of training rows, (k, rows, n_classes).

        Where the super-parent is unknown, the numbers mean nothing.

        Examples
        --------
        Two classes, one feature; all rows agree with their class. Without the first row, class 0 has one row
        of two: P(c) ∝ 3/2 and 5/2, P(a|c) = (1 + 1/4)/(1 + 1/2) and (0 + 1/4)/(2 + 1/2).

        >>> import numpy as np
        >>> from skcredal._ensemble.counting import count
        >>> from skcredal._ensemble.parameters import spode_tables
        >>> codes, labels = np.array([[0, 0, 1, 1]], np.uint8), np.array([0, 0, 1, 1], np.int32)
        >>> counts = count(codes, labels, np.array([2]), 2)
        >>> left_out = LeaveOneOut.prepare(counts, spode_tables(counts, 1.0), np.ones(4))
        >>> out = left_out.log_posteriors(codes, labels, np.ones(4))
        >>> round(float(np.exp(out[0, 0, 0])), 6), round(1.25 / (1.25 + 0.25), 6)
        (0.833333, 0.833333)
        """
        counts, layout = self.counts, self.counts.layout
        log_posterior = self.tables.log_joints(codes)
        kernels.leave_one_out.leave_one_out(
            codes,
            labels,
            taken_off,
            layout.n_states,
            counts.n_c,
            counts.n_ca,
            layout.value_offsets,
            counts.n_cab,
            layout.pair_offsets,
            self.log_pairs,
            self.margins,
            self.margin_offsets,
            self.tables.ess,
            log_posterior,
        )
        return log_posterior
