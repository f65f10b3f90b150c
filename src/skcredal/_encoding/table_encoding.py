"""How a table becomes codes, in one coding or in several (§1, §12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from skcredal._encoding.factors import holds_integers
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.frames import Table
from skcredal._threads import run_in_threads

__all__ = ["Codings", "EncodedTable", "Feature", "FeatureEncoding", "TableEncoding"]

Feature = NumericFeature | CategoricalFeature


class FeatureEncoding(NamedTuple):
    """How one column becomes codes.

    Parameters
    ----------
    name : str or int
        The name of the column, or its index.
    kind : {"numeric", "categorical"}
        How it is read.
    states : tuple
        The states of a categorical column; empty for a numeric one.
    cuts : tuple of float
        The cut points of a numeric column, by MDL; empty for a categorical one.
    range : tuple of float, optional
        The least and the greatest training value of a numeric column.
    kept : bool
        Whether it takes part.
    why_not : str
        Why it does not, if so.
    """

    name: Any
    kind: str
    states: tuple[Any, ...]
    cuts: tuple[float, ...]
    range: tuple[float, float] | None
    kept: bool
    why_not: str

    @classmethod
    def of(cls, name: Any, feature: Feature, *, kept: bool) -> FeatureEncoding:
        """Describe a feature."""
        if isinstance(feature, CategoricalFeature):
            why_not = "it has a single value" if feature.n_observed else "no value was seen"
            return cls(name, "categorical", tuple(feature.states), (), None, kept, "" if kept else why_not)
        why_not = "no value was seen" if np.isnan(feature.low) else "it has a single value"
        if feature.varies:
            why_not = "no cut tells the classes apart"
        cuts, span = tuple(feature.cuts.tolist()), (feature.low, feature.high)
        return cls(name, "numeric", (), cuts, span, kept, "" if kept else why_not)


@dataclass(frozen=True, eq=False)
class TableEncoding:
    """How a table becomes codes: what was learned about each feature, and which features were kept."""

    features: list[Feature]

    @cached_property
    def kept(self) -> list[int]:
        """The indices of the features that are kept: those with a single bin or value are dropped (§1)."""
        return [j for j, feature in enumerate(self.features) if feature.is_informative]

    @cached_property
    def n_states(self) -> IntArray:
        """The numbers of states of the features kept."""
        return np.array([self.features[j].n_states for j in self.kept], np.int64)

    def every_cut(self, j: int) -> FloatArray:
        """Return the cut points of a numeric column in all its codings, sorted."""
        found: FloatArray = np.unique(np.concatenate([one.cuts for one in self._versions(j)]))
        return found

    def _versions(self, j: int) -> list[Any]:
        """Return how a column is coded, in each of the codings that differ."""
        return [self.features[j]]

    @cached_property
    def conservative(self) -> BoolArray:
        """Which features kept have missing values that may be any (§13)."""
        return np.array([self.features[j].is_conservative for j in self.kept], np.bool_)

    @cached_property
    def byte_codes(self) -> AnyArray | None:
        """The code of every byte, and of any other integer, for each feature kept, (k, 257).

        ``None`` where a table of integers needs more care: a feature is numeric, has states that are not
        bytes, or refuses unknown ones. Integers are never missing: all that are not states are unknown.
        """
        beyond = kernels.encoding.BYTE
        # The code for unknown, which is the number of states, must be a byte itself.
        if self.n_states.max(initial=0) >= beyond:
            return None
        codes = np.repeat(self.n_states.astype(np.uint8)[:, None], beyond + 1, axis=1)
        row_of = {j: row for row, j in enumerate(self.kept)}
        for j, feature in enumerate(self.features):
            # Dropped features count, too: what they refuse must still be refused.
            if not isinstance(feature, CategoricalFeature) or feature.refuse_unknown or not feature.values:
                return None
            if not all(isinstance(state, int) and 0 <= state < beyond for state in feature.values):
                return None
            if j in row_of:
                codes[row_of[j], np.array(feature.values, np.int64)] = feature.codes
        return codes

    def encode(self, table: Table, *, n_threads: int = 1, is_part: bool = False) -> CodeArray:
        """Return the codes of the features kept, (k, n_rows), of a table or a part of one."""
        # An array of small integers is encoded in one pass over its cells, without an object for each column.
        matrix = table.data
        if isinstance(matrix, np.ndarray) and holds_integers(matrix) and self.byte_codes is not None:
            codes = np.empty((len(self.kept), len(matrix)), np.uint8)
            kernels.encoding.translate_table(matrix, np.array(self.kept, np.int64), self.byte_codes, codes)
            return codes
        # A dropped feature is not encoded, but its column is checked like the others.
        kept = set(self.kept)
        for j, (feature, column) in enumerate(zip(self.features, table.columns, strict=True)):
            if j in kept:
                continue
            if isinstance(feature, CategoricalFeature) and feature.refuse_unknown:
                feature.read(column, is_part=is_part)
            else:
                column.check()

        def read(j: int) -> AnyArray:
            return self.features[j].read(table.columns[j], is_part=is_part)

        return self._stack(read, table.n_rows, n_threads)

    def _stack(self, read: Callable[[int], AnyArray], n_rows: int, n_threads: int) -> CodeArray:
        """Return the codes of the features kept in the smallest integers that hold all states and unknown."""
        # A missing value that may be any has the code after the one for unknown.
        kept, most = self.kept, int((self.n_states + self.conservative).max(initial=0))
        codes = np.empty((len(kept), n_rows), np.min_scalar_type(most))

        def fill(row: int) -> None:
            codes[row] = read(kept[row])

        run_in_threads(fill, range(len(kept)), n_threads)
        return codes


@dataclass(frozen=True, eq=False)
class Codings(TableEncoding):
    """Several codings of one table (§12), whose codes are stacked, those of the first on top.

    Parameters
    ----------
    features : list of Feature
        The columns as MDL cuts them.
    bins : tuple of int
        The numbers of bins of the other codings, of equal frequency; none if no numeric column varies.
    others : list of list of Feature
        The columns in each of these. Categorical ones are the same in all.
    """

    bins: tuple[int, ...]
    others: list[list[Feature]]

    @cached_property
    def codings(self) -> dict[str, TableEncoding]:
        """The codings that keep some feature, by name."""
        names = ["MDL", *(f"{n} bins" for n in self.bins)]
        every = [TableEncoding(features) for features in (self.features, *self.others)]
        return {name: coding for name, coding in zip(names, every, strict=True) if coding.kept}

    @cached_property
    def kept(self) -> list[int]:
        """The columns that the codes come from: those that the first coding keeps, then the second's."""
        return [j for coding in self.codings.values() for j in coding.kept]

    @cached_property
    def n_states(self) -> IntArray:
        """The numbers of states, likewise."""
        return np.concatenate([np.empty(0, np.int64), *(coding.n_states for coding in self.codings.values())])

    @cached_property
    def rows(self) -> list[slice]:
        """Where the codes of each coding lie."""
        sizes = [len(coding.kept) for coding in self.codings.values()]
        ends = np.cumsum([0, *sizes]).tolist()
        return [slice(begin, end) for begin, end in pairwise(ends)]

    def encode(self, table: Table, *, n_threads: int = 1, is_part: bool = False) -> CodeArray:
        """Return the codes of all codings, (m, n_rows); a column is read once for all of them."""
        if not self.others:
            return super().encode(table, n_threads=n_threads, is_part=is_part)
        kept = set(self.kept)

        def read(j: int) -> list[AnyArray]:
            feature, column = self.features[j], table.columns[j]
            if isinstance(feature, NumericFeature):
                numbers = column.numbers()
                return [one.encode(numbers) for one in self._versions(j)]
            if j in kept or feature.refuse_unknown:
                return [feature.read(column, is_part=is_part)]
            column.check()
            return []

        read_columns = run_in_threads(read, range(len(self.features)), n_threads)
        return self._stack_versions(read_columns, table.n_rows)

    def _versions(self, j: int) -> list[Any]:
        """Return how a column is coded: in as many ways as there are codings, or in one for all of them."""
        every = [self.features[j], *(features[j] for features in self.others)]
        return every if isinstance(self.features[j], NumericFeature) else every[:1]

    def _stack_versions(self, versions: Sequence[list[AnyArray]], n_rows: int) -> CodeArray:
        """Return the codes of the features kept, given those of every version of every column."""
        codes = np.empty((len(self.kept), n_rows), np.min_scalar_type(int(self.n_states.max(initial=0))))
        row = 0
        for f, features in enumerate((self.features, *self.others)):
            for j in TableEncoding(features).kept:
                # A categorical column has one version for all codings.
                codes[row] = versions[j][min(f, len(versions[j]) - 1)]
                row += 1
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """Rows that are already codes, (k, n_rows), and the encoding that made them.

    A classifier with the same encoding takes them instead of the table, so that many classifiers can answer
    for rows that are encoded once.
    """

    encoding: TableEncoding
    codes: CodeArray
