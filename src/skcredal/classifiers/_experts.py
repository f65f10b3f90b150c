"""The experts of LP-AODE: SPODEs, regions and a line, learned alike from all rows and in a fold (§14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable, Encoding
from skcredal._encoding.features import NumericFeature
from skcredal._encoding.regions import Regions, varying_columns
from skcredal._ensemble.counts import Counts, count, count_regions
from skcredal._ensemble.line import Line
from skcredal._ensemble.spodes import SpodeTables
from skcredal.classifiers._rows import Part


def count_part(part: Part, trees: Regions | None, n_classes: int, n_threads: int = 1) -> Counts:
    """Count rows by their states, and by their regions."""
    encoding = part.rows.encoding
    counts = count(*part.labelled, encoding.n_states, n_classes, n_threads=n_threads)
    if trees is None:
        return counts
    leaves = trees.leaves(encoding.numbers(part.rows.cells))
    return count_regions(counts, leaves, trees.n_leaves, part.labelled)


@dataclass(frozen=True, eq=False)
class Experts:
    """All experts: what they say about rows, as log-odds over the first class."""

    encoding: Encoding
    trees: Regions | None
    line: Line | None
    counts: Counts
    ess: float

    @classmethod
    def learn(
        cls,
        part: Part,
        n_classes: int,
        count_rows: Callable[[Regions | None], Counts],
        n_regions: int,
        line: bool,
        seed: int,
        ess: float,
    ) -> Experts:
        """Grow trees, fit a line, and count rows by states and regions.

        ``None`` stands for what is not wanted, or has no column to learn from.
        """
        encoding, labels, weights = part.rows.encoding, part.labels, part.weights
        numbers, fills = encoding.numbers(part.rows.cells), encoding.fills
        columns, trees, fitted = varying_columns(numbers, fills), None, None
        is_number = np.array([isinstance(feature, NumericFeature) for feature in encoding.features])
        if n_classes > 1 and len(columns) and n_regions:
            trees = Regions.grow(numbers, fills, is_number, labels, weights, n_trees=n_regions, seed=seed)
        if n_classes > 1 and len(columns) and line:
            fitted = Line.fit(numbers, columns, is_number, labels, weights, n_classes)
        return cls(encoding, trees, fitted, count_rows(trees), ess)

    @cached_property
    def tables(self) -> SpodeTables:
        """The parameters of SPODEs and regions."""
        return SpodeTables(self.counts, self.ess)

    @property
    def columns(self) -> set[int]:
        """The columns of the table that trees or line look at."""
        of_trees = [] if self.trees is None else self.trees.columns.tolist()
        return {*of_trees, *([] if self.line is None else self.line.column.tolist())}

    @property
    def sizes(self) -> list[int]:
        """How many experts each block has: the regions are one, and so is the line."""
        blocks = len(self.encoding.kept), self.trees is not None, self.line is not None
        return [int(size) for size in blocks if size]

    def odds(self, rows: EncodedTable, whole: Experts) -> FloatArray:
        """Return what the experts of the ``whole`` would say, (1 + m, n_classes - 1, rows), null model first.

        An expert that is not one of these, or that does not know the value of its super-parent, knows no
        more than the frequencies of the whole.
        """
        log_c, line_of = whole.tables.log_c, {j: line for line, j in enumerate(self.encoding.kept)}
        odds = np.empty((1 + sum(whole.sizes), len(log_c) - 1, rows.states.shape[1]))
        odds[:] = (log_c[1:] - log_c[0])[:, None]
        of_spodes, known = self.tables.odds(rows.states), rows.states != self.tables.unknown
        for expert, j in enumerate(whole.encoding.kept, start=1):
            if (line := line_of.get(j)) is not None:
                np.copyto(odds[expert], of_spodes[line], where=known[line])
        numbers, last = self.encoding.numbers(rows.cells), len(whole.encoding.kept) + 1
        if self.trees is not None:
            odds[last] = self.tables.odds_of_regions(self.trees.leaves(numbers), rows.states)
        if self.line is not None:
            odds[-1] = self.line.odds(numbers)
        return odds

    def speaks(self, rows: EncodedTable) -> BoolArray:
        """Tell which rows know a cell among the columns of coding, trees and line."""
        speaks: BoolArray = (rows.states != self.tables.unknown).any(axis=0)
        if not speaks.all():
            others = sorted(self.columns)
            speaks |= ~np.isnan(self.encoding.numbers(rows.cells)[others]).all(axis=0)
        return speaks

    def contributions(
        self, rows: EncodedTable, weights: FloatArray, one: IntArray, other: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the frequencies, (rows,), and all columns, (n_columns, rows), add to the log-odds.

        These are the log-odds of one class over another, of each row. ``weights`` are those of the null model
        and of all experts. A tree's own P(z|c) is split along the path to the leaf, among the columns that
        it asks about.
        """
        numbers, kept = self.encoding.numbers(rows.cells), self.encoding.kept
        trees, line = self.trees, self.line
        by_column, of_line = np.zeros(numbers.shape), np.zeros(len(one))
        leaves = np.empty((0, len(one)), np.uint32) if trees is None else trees.leaves(numbers)
        by_column[kept] = self.tables.contributions(leaves, rows.states, weights[1:], one, other)
        of_classes = weights.sum()
        if line is not None:
            slopes = line.slopes[one] - line.slopes[other]
            np.add.at(by_column, line.column, weights[-1] * slopes.T * line.terms(numbers))
            of_line = weights[-1] * (line.intercepts[one] - line.intercepts[other])
            of_classes -= weights[-1]
        if trees is not None:
            share = weights[len(kept) + 1] / len(leaves)
            log_mass = np.log(trees.sums_below(np.exp(self.tables.log_cz)))
            for some, node, child in trees.steps(numbers):
                step = log_mass[:, child] - log_mass[:, node]
                at, column = np.arange(len(some)), trees.columns[trees.feature[node]]
                by_column[column, some] += share * (step[one[some], at] - step[other[some], at])
        speaks, log_c = self.speaks(rows), self.tables.log_c
        frequencies = np.where(speaks, of_classes, 1.0) * (log_c[one] - log_c[other]) + speaks * of_line
        return frequencies, by_column * speaks
