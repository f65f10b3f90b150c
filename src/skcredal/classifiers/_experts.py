"""The experts of LP-AODE: SPODEs, regions and a line, learned alike from all rows and in a fold (§14)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skcredal._arrays import BoolArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._encoding.encoding import Cells, EncodedTable, Encoding
from skcredal._encoding.features import NumericFeature
from skcredal._encoding.regions import LineColumns, Regions, varying_columns
from skcredal._ensemble.counts import Counts, count
from skcredal._ensemble.line import Line
from skcredal._ensemble.regions import RegionCounts, RegionTables, count_regions
from skcredal._ensemble.spodes import SpodeTables

__all__ = ["Experts", "PoolCounts", "View"]


@dataclass(frozen=True, eq=False)
class View:
    """What is learned of some rows besides their counts: trees over the table, and a line through it.

    ``None`` stands for what is not wanted, or has no column to learn from.
    """

    trees: Regions | None = None
    columns: LineColumns | None = None
    line: Line | None = None

    @classmethod
    def of(
        cls,
        encoding: Encoding,
        cells: Cells,
        labels: LabelArray,
        weights: FloatArray,
        n_classes: int,
        *,
        n_regions: int,
        line: bool,
        seed: int,
    ) -> View:
        """Grow the trees and fit the line."""
        numbers, fills = encoding.numbers(cells), encoding.fills
        varying = varying_columns(numbers, fills)
        if n_classes < 2 or not len(varying):
            return cls()
        is_number = np.array([isinstance(feature, NumericFeature) for feature in encoding.features])
        trees = columns = fitted = None
        if n_regions:
            trees = Regions.grow(
                numbers, fills, is_number, labels, weights, n_trees=n_regions, seed=seed
            )
        if line:
            columns = LineColumns.of(numbers, varying, is_number, weights)
            fitted = Line.fit(columns.of_rows(numbers), labels, weights, n_classes)
        return cls(trees, columns, fitted)

    @property
    def used(self) -> set[int]:
        """The columns of the table that trees or line look at."""
        of_trees = [] if self.trees is None else self.trees.columns.tolist()
        return {*of_trees, *([] if self.columns is None else self.columns.column.tolist())}

    @property
    def sizes(self) -> list[int]:
        """The sizes of the blocks of experts: the regions are one, and so is the line."""
        return [1] * ((self.trees is not None) + (self.line is not None))


@dataclass(frozen=True, eq=False)
class PoolCounts:
    """What the experts count, which adds up over rows."""

    spodes: Counts
    regions: RegionCounts | None

    @classmethod
    def of(
        cls,
        rows: EncodedTable,
        trees: Regions | None,
        labels: LabelArray,
        weights: FloatArray,
        n_classes: int,
        *,
        n_threads: int = 1,
    ) -> PoolCounts:
        """Count rows by their states, and by their leaf in each tree."""
        encoding, states = rows.encoding, rows.states
        spodes = count(states, labels, weights, encoding.n_states, n_classes, n_threads=n_threads)
        if trees is None:
            return cls(spodes, None)
        leaves = trees.leaves(encoding.numbers(rows.cells))
        n_leaves, n_values = trees.n_leaves, encoding.n_values
        regions = count_regions(leaves, states, labels, weights, n_leaves, n_values, n_classes)
        return cls(spodes, regions)

    def __add__(self, other: PoolCounts) -> PoolCounts:
        regions = None if self.regions is None or other.regions is None else self.regions + other.regions
        return PoolCounts(self.spodes + other.spodes, regions)


@dataclass(frozen=True, eq=False)
class Experts:
    """What all experts say of rows, as log-odds over the first class."""

    encoding: Encoding
    view: View
    counts: PoolCounts
    ess: float

    @cached_property
    def spodes(self) -> SpodeTables:
        """The parameters of the SPODEs."""
        return SpodeTables(self.counts.spodes, self.ess)

    @cached_property
    def regions(self) -> RegionTables | None:
        """The parameters of the regions."""
        counts = self.counts.spodes
        if self.counts.regions is None:
            return None
        return RegionTables(self.counts.regions, counts.n_states, counts.n_c, self.ess)

    def odds(
        self, rows: EncodedTable, log_odds_c: FloatArray, super_parents: list[int], n_others: int
    ) -> FloatArray:
        """Return the log-odds, (1 + m, n_classes - 1, rows), of the null model and the others.

        ``super_parents`` are the columns of the SPODEs that are asked, and ``n_others`` how many experts come
        after them. An expert that these rows do not have, or that does not know the value of its
        super-parent, knows no more than the frequencies, ``log_odds_c``.
        """
        odds = np.empty((1 + len(super_parents) + n_others, len(log_odds_c), rows.states.shape[1]))
        odds[:] = log_odds_c[:, None]
        line_of = {j: line for line, j in enumerate(self.encoding.kept)}
        asked = [(at, line_of[j]) for at, j in enumerate(super_parents, start=1) if j in line_of]
        if asked:
            to, lines = (list(indices) for indices in zip(*asked, strict=True))
            known = rows.states[lines] != self.spodes.unknown
            odds[to] = np.where(known[:, None], self.spodes.odds(rows.states)[lines], odds[to])
        numbers = self.encoding.numbers(rows.cells)
        if self.regions is not None and self.view.trees is not None:
            odds[1 + len(super_parents)] = self.regions.odds(self.view.trees.leaves(numbers), rows.states)
        if self.view.line is not None and self.view.columns is not None:
            odds[-1] = self.view.line.odds(self.view.columns.of_rows(numbers))
        return odds

    def speaks(self, rows: EncodedTable) -> BoolArray:
        """Tell which rows know a cell among the columns of coding, trees and line."""
        speaks: BoolArray = (rows.states != self.spodes.unknown).any(axis=0)
        if not speaks.all():
            others = sorted(self.view.used)
            speaks |= ~np.isnan(self.encoding.numbers(rows.cells)[others]).all(axis=0)
        return speaks

    def contributions(
        self, rows: EncodedTable, weights: FloatArray, log_c: FloatArray, one: IntArray, other: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the frequencies, (rows,), and all columns, (n_columns, rows), add to the log-odds.

        These are the log-odds of one class over another, of each row. ``weights`` are those of the null model
        and of all experts. A tree's own P(z|c) is split along the path to the leaf, among the columns that
        it asks about.
        """
        numbers, kept, view = self.encoding.numbers(rows.cells), self.encoding.kept, self.view
        by_column = np.zeros(numbers.shape)
        by_column[kept] = self.spodes.contributions(rows.states, weights[1 : len(kept) + 1], one, other)
        of_classes, of_line = weights.sum(), np.zeros(len(one))
        if view.line is not None and view.columns is not None:
            slopes = view.line.slopes[one] - view.line.slopes[other]
            np.add.at(by_column, view.columns.column, weights[-1] * slopes.T * view.columns.of_rows(numbers))
            of_line = weights[-1] * (view.line.intercepts[one] - view.line.intercepts[other])
            of_classes -= weights[-1]
        if self.regions is not None and view.trees is not None:
            share = weights[len(kept) + 1] / len(view.trees.roots)
            leaves = view.trees.leaves(numbers)
            by_column[kept] += share * self.regions.contributions(leaves, rows.states, one, other)
            log_mass = np.log(view.trees.sums_below(np.exp(self.regions.log_cz)))
            for some, node, child in view.trees.steps(numbers):
                step = log_mass[:, child] - log_mass[:, node]
                at = np.arange(len(some))
                column = view.trees.columns[view.trees.feature[node]]
                by_column[column, some] += share * (step[one[some], at] - step[other[some], at])
        speaks = self.speaks(rows)
        frequencies = np.where(speaks, of_classes, 1.0) * (log_c[one] - log_c[other]) + speaks * of_line
        return frequencies, by_column * speaks
