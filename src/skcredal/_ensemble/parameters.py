"""The BDeu parameters of all SPODEs as logarithmic tables (§2, §3)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import BoolArray, CodeArray, FloatArray, IntArray
from skcredal._ensemble.counts import JointCounts, Layout
from skcredal._ensemble.networks import class_prior, value_tables
from skcredal._kernels._arguments import (
    NO_AVERAGE,
    NO_LIKELIHOODS,
    Average,
    Decision,
    Likelihoods,
    Tables,
)
from skcredal._threads import run_in_threads

__all__ = ["CHUNK_ROWS", "SpodeTables", "chunks", "prediction_chunks", "spode_tables"]

# Rows per chunk of inference: whole blocks of the kernel, which takes 256 rows at a time.
CHUNK_ROWS = 512
# A chunk of this many numbers, 1 MiB, stays in the cache.
CACHED_NUMBERS = 1 << 17
# Fewer rows do not pay for packing the tables; as many as the most are taken together, unless the answers of
# the SPODEs to them are more than so many numbers, 16 MiB.
LEAST_PACKED, MOST_PACKED, MOST_JOINTS = 256, 2048, 1 << 21
# Smaller tables are filled faster than a thread is started.
CELLS_WORTH_A_THREAD = 200_000


@dataclass(frozen=True, eq=False)
class SpodeTables:
    """log P(c), log P(a|c), and corrections that turn naive Bayes into a SPODE (see ``kernels.parameters``).

    Parameters
    ----------
    layout : Layout
        Where each block lies, with a slot for the unknown value.
    log_c : ndarray of shape (n_classes,)
        The class probabilities.
    log_a : ndarray
        The naive Bayes factors, padded with a few zeros.
    log_ratio : ndarray
        The corrections, a line for each value of each super-parent, which begins with the feature after it;
        padded likewise.
    counts : JointCounts
        What they were learned from.
    ess : float
        The equivalent sample size of the prior.
    """

    layout: Layout
    log_c: FloatArray
    log_a: FloatArray
    log_ratio: FloatArray
    counts: JointCounts
    ess: float

    # A pickle holds only what the tables are made of, which the classifier holds anyway: they are three times
    # as large, and made faster than read.

    def __getstate__(self) -> list[Any]:
        return [self.counts, self.ess]

    def __setstate__(self, state: list[Any]) -> None:
        made = spode_tables(*state)
        for field in fields(self):
            object.__setattr__(self, field.name, getattr(made, field.name))

    @property
    def prior(self) -> FloatArray:
        """P(c), the answer of the null model."""
        return np.exp(self.log_c)

    @property
    def kernel_tables(self) -> Tables:
        """The tables as kernels take them."""
        layout = self.layout
        return Tables(
            layout.n_states, self.log_c, self.log_a, layout.value_offsets, self.log_ratio, layout.line_offsets
        )

    def packed_size_for(self, n_rows: int) -> int:
        """Return how many numbers packed tables have at most; 0 if packing does not pay for so few rows."""
        return self.packed_size if n_rows >= LEAST_PACKED else 0

    @cached_property
    def packed_size(self) -> int:
        """How many numbers the packed tables of a super-parent have at most; 0 if packing does not pay."""
        packing, n_states, n_classes = kernels.packing, self.layout.n_states, self.layout.n_classes
        if not packing.CAN_PERMUTE or n_classes < 2 or len(n_states) < 2:
            return 0

        def count_pieces(n_values: IntArray) -> IntArray:
            n_indices = np.multiply.outer(n_states, n_values)
            # No feature is combined with itself; but naive Bayes has a table of each.
            np.fill_diagonal(n_indices, n_values)
            return -(-n_indices // packing.PIECE)

        # With the unknown value, for which there must be room.
        n_pieces = count_pieces(n_states + 1)
        too_many = n_pieces.max() * packing.PIECE > packing.MOST_INDICES
        if too_many or n_classes * count_pieces(n_states).mean() > packing.MOST_PERMUTATIONS:
            return 0
        # One piece more, for the feature that may be added to make their number even.
        return n_classes * packing.PIECE * (1 + int(n_pieces.sum(axis=1).max()))

    def log_joints(self, codes: CodeArray, out: FloatArray | None = None) -> FloatArray:
        """Return log P(c, a | s_j) of a chunk of codes (k, rows), as an array (k, rows, n_classes).

        What stands for a SPODE whose super-parent is unknown in a row means nothing.
        """
        layout, (k, n), block = self.layout, codes.shape, kernels.inference.BLOCK_ROWS
        out = np.empty((k, n, layout.n_classes)) if out is None else out
        if n_packed := self.packed_size_for(n):
            wanted, said = (
                np.ones(k, np.bool_),
                np.empty((-(-n // block), k, layout.n_classes, kernels.inference.WIDTH)),
            )
            kernels.packing.look_up_joints(codes, 0, n, self.kernel_tables, wanted, n_packed, said)
            for start, joints in zip(range(0, n, block), said, strict=True):
                some = out[:, start : start + block]
                some[:] = joints[:, :, : some.shape[1]].swapaxes(1, 2)
            return out
        kernels.inference.spode_log_joints(
            codes, self.log_c, self.log_a, layout.value_offsets, self.log_ratio, layout.line_offsets, out
        )
        return out

    def posteriors(self, codes: CodeArray, *, left_out: float = 0.0) -> FloatArray:
        """Return P(c | a, s_j) of a chunk likewise; ``left_out`` where a SPODE is left out of a row."""
        return self.mean_posterior(codes, np.zeros(len(codes)), keep=True, left_out=left_out)[1]

    def mean_posterior(
        self,
        codes: CodeArray,
        weights: FloatArray,
        *,
        keep: bool = False,
        left_out: float = 0.0,
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ_j w_j P(c | a, s_j) of rows, (rows, n_classes), and with ``keep`` its terms.

        The weights are renormalised over the SPODEs whose super-parent is known; without any, the answer is
        P(c).
        """
        k, n = codes.shape
        mean = np.empty((n, self.layout.n_classes))
        posterior = np.empty((k if keep else 0, *mean.shape))
        self.infer(codes, slice(0, n), average=Average(weights, left_out, mean, posterior))
        return mean, posterior

    def mean_joint(self, codes: CodeArray, log_weights: FloatArray) -> FloatArray:
        """Return Σ_j w_j P(c, a | s_j) of rows, normalised over the classes, (rows, n_classes).

        Unlike in the mean of posteriors, a SPODE counts the more, the more probable it finds the row. Those
        whose super-parent is unknown are left out; without any, the answer is P(c).
        """
        out = np.empty((codes.shape[1], self.layout.n_classes))
        kernels.inference.mean_joint(
            codes, self.layout.n_states, self.log_joints(codes), log_weights, self.prior, out
        )
        return out

    def decide(
        self, codes: CodeArray, weights: FloatArray, least: FloatArray, most: FloatArray, tie: float
    ) -> tuple[FloatArray, IntArray, BoolArray]:
        """Return the mean, its best class, and where it is in doubt whether that dominates all others.

        There is no doubt if the class is ahead even with the factor, between ``least`` and ``most``, of each
        SPODE that favours its rival most. A prior cannot favour the rival in all of them at once: what this
        test leaves in doubt may still be dominance, but what it decides is certain.
        """
        n = codes.shape[1]
        mean = np.empty((n, self.layout.n_classes))
        best, doubtful = np.empty(n, np.int64), np.empty(n, np.bool_)
        self.infer(
            codes,
            slice(0, n),
            average=Average(weights, 0.0, mean, np.empty((0, 0, 0))),
            decision=Decision(mean, least, most, tie, best, doubtful),
        )
        return mean, best, doubtful

    def infer(
        self,
        codes: CodeArray,
        rows: slice,
        *,
        average: Average = NO_AVERAGE,
        decision: Decision | None = None,
        likelihoods: Likelihoods = NO_LIKELIHOODS,
    ) -> None:
        """Fill the arrays of what is wanted, for some of the rows."""
        layout = self.layout
        # The kernel does not check bounds, and reads one weight for each SPODE.
        if len(average.mean) and len(average.weights) != len(layout.n_states):
            raise ValueError(
                f"weights must hold one number for each of {len(layout.n_states)} SPODEs, got "
                f"{len(average.weights)}."
            )
        tables, k, n_classes = self.kernel_tables, len(layout.n_states), layout.n_classes
        wanted = np.ones(k, np.bool_)
        # A SPODE without weight costs as much as any other: it is left out unless its answer is asked for.
        if len(average.weights) and not average.posterior.size:
            wanted = average.weights != 0.0
            if decision is not None:
                wanted |= decision.most > 0.0
        n, block = rows.stop - rows.start, kernels.inference.BLOCK_ROWS
        n_packed = self.packed_size_for(n)
        looked_up = n_packed > 0
        most, n_blocks = n, 0
        if looked_up or decision is not None:
            most = min(MOST_PACKED, max(MOST_JOINTS // max(k * n_classes, 1), block)) // block * block
            n_blocks = -(-min(n, most) // block)
        said = np.empty((n_blocks, k, n_classes, kernels.inference.WIDTH))
        for first in range(rows.start, rows.stop, max(most, 1)):
            last = min(first + most, rows.stop)
            if looked_up:
                kernels.packing.look_up_joints(codes, first, last, tables, wanted, n_packed, said)
            kernels.inference.infer(
                codes, rows.start, first, last, tables, wanted, said, looked_up, average, likelihoods
            )
            if decision is not None:
                kernels.inference.find_doubtful(codes, first, last, layout.n_states, said, decision)


def spode_tables(counts: JointCounts, ess: float, *, n_threads: int = 1) -> SpodeTables:
    """Learn the parameters of all SPODEs from the counts."""
    singles = counts.singles
    n_states, n_classes = singles.layout.n_states, singles.layout.n_classes
    layout = Layout(n_states, n_classes, slots=1)
    log_c = np.log(class_prior(singles.n_c, ess))
    log_a, log_masses = value_tables(singles, ess, layout)
    # Padded, since the kernel reads whole vectors, also beyond the last cell.
    log_a = np.append(log_a, np.zeros(kernels.inference.LANES))
    log_ratio = np.zeros(layout.line_offsets[-1] + kernels.inference.LANES)
    if not counts.complete:
        # The rows that know both values differ from pair to pair: the kernel sums the masses of each.
        log_masses = np.empty(0)

    def fill_some(first: int) -> None:
        kernels.parameters.fill_spodes(
            first,
            min(first + step, k),
            counts.n_cab,
            log_a,
            log_masses,
            n_states,
            singles.layout.pair_offsets,
            layout.value_offsets,
            n_classes,
            ess,
            layout.line_offsets,
            log_ratio,
        )

    # Small tasks, which the threads take in turns: the first features have the most pairs.
    k = len(n_states)
    step = kernels.parameters.FEATURE_TILE if len(log_ratio) > CELLS_WORTH_A_THREAD else max(k, 1)
    run_in_threads(fill_some, range(0, k, step), n_threads)
    return SpodeTables(layout, log_c, log_a, log_ratio, counts, ess)


def prediction_chunks(n_rows: int, n_numbers: int, n_threads: int) -> list[slice]:
    """Return the chunks of rows to predict: so large that calls are few and tables are packed seldom.

    Examples
    --------
    >>> [len(prediction_chunks(10_000, n_numbers, 2)) for n_numbers in (40, 8000)]
    [8, 20]
    """
    n_numbers = max(n_numbers, 1)
    most = max(CACHED_NUMBERS // n_numbers, min(MOST_JOINTS // n_numbers, MOST_PACKED), CHUNK_ROWS)
    # Several chunks per thread: while one thread is held up, the others take over its share.
    rows = max(min(most, -(-n_rows // (4 * n_threads))), CHUNK_ROWS)
    return [slice(start, min(start + rows, n_rows)) for start in range(0, n_rows, rows)]


def chunks(n_rows: int) -> list[slice]:
    """Return chunks of ``CHUNK_ROWS`` rows."""
    return [slice(start, min(start + CHUNK_ROWS, n_rows)) for start in range(0, n_rows, CHUNK_ROWS)]
