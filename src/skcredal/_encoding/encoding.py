"""How the user wants a table to be read, and the encoding by which its rows become states (§1, §12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, TypeVar

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray, StateArray
from skcredal._encoding.columns import is_missing
from skcredal._encoding.features import CategoricalFeature, Feature, NumericFeature, too_many_states
from skcredal._encoding.tables import Table
from skcredal._threads import run_in_threads
from skcredal._validation import has_hash, safe_repr, warn

__all__ = [
    "Chunk",
    "EncodedTable",
    "Encoding",
    "FeatureEncoding",
    "Rules",
    "for_each_column",
    "warn_of_identifiers",
]

Value = TypeVar("Value")
# It takes at least so many rows to be worth starting threads for the columns.
ROWS_WORTH_A_THREAD = 200_000


@dataclass(frozen=True, slots=True)
class Rules:
    """How the user wants tables to be read: the parameters of the same names of every estimator.

    ``bins`` is that of the estimators that read a table in several codings; ``None`` where there is only one.
    ``conservative_features`` is that of the naive credal classifier; all others have none.
    """

    categorical_features: Any = "from_dtype"
    categories: Any = "auto"
    missing: str = "impute"
    handle_unknown: str = "ignore"
    max_categories: int | None = None
    bins: tuple[int, ...] | None = None
    conservative_features: Any = None

    def categorical(self, numeric: Sequence[bool], names: Sequence[str] | None) -> BoolArray:
        """Return which features are categorical: those that are not numeric, and the user's choice."""
        # The user can declare numbers as categories, but not text as numbers.
        mask: BoolArray = np.logical_not(np.asarray(numeric, np.bool_))
        choice = self.categorical_features
        if isinstance(choice, str) and choice == "from_dtype":
            return mask
        return mask | _chosen("categorical_features", choice, "'from_dtype'", len(mask), names)

    def conservative(self, n_columns: int, names: Sequence[str] | None) -> BoolArray:
        """Return in which features a missing value may be any (§13): those that the user names.

        Examples
        --------
        >>> Rules(conservative_features=["b"]).conservative(3, ["a", "b", "c"])
        array([False,  True, False])
        """
        if self.conservative_features is None:
            return np.zeros(n_columns, np.bool_)
        return _chosen("conservative_features", self.conservative_features, "None", n_columns, names)

    def declared(self, labels: Sequence[str], categorical: BoolArray) -> dict[int, list[Any]]:
        """Return the states that the user declares for each categorical feature."""
        categories, indices = self.categories, np.flatnonzero(categorical).tolist()
        if isinstance(categories, str) and categories == "auto":
            return {}
        if isinstance(categories, (str, dict)) or not hasattr(categories, "__len__"):
            raise TypeError(
                "categories must be 'auto' or one list of states per categorical feature, got "
                f"{safe_repr(categories)}."
            )
        if len(categories) != len(indices):
            raise ValueError(
                f"categories must be one list of states for each of the {len(indices)} categorical features, "
                f"got {len(categories)}."
            )
        return {j: _declared(labels[j], given) for j, given in zip(indices, categories, strict=True)}


class FeatureEncoding(NamedTuple):
    """How one column becomes states.

    Parameters
    ----------
    name : str or int
        The name of the column, or its index.
    kind : {"numeric", "categorical"}
        How it is read.
    states : tuple
        The states of a categorical column; empty for a numeric one.
    cuts : tuple of float
        The cut points of a numeric column, in all codings together; empty for a categorical one.
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


@dataclass(frozen=True, eq=False)
class Encoding:
    """How a table becomes states: what was learned about each column, in one coding or in several (§12).

    All states of a coding are numbered 0 to V-1, feature after feature; V is *unknown*, and V+1 a missing
    value that may be any (§13).

    Parameters
    ----------
    features : list of Feature
        All columns of the table, kept or not, with the cuts of MDL.
    bins : dict, optional
        The columns in the other codings, with bins of equal frequency; the keys are the names of the codings.
    """

    features: list[Feature]
    bins: dict[str, list[Feature]] = field(default_factory=dict)

    @cached_property
    def _codings(self) -> dict[str, list[Feature]]:
        """The codings that keep some feature, by name."""
        every = {"MDL": self.features} | self.bins
        return {name: some for name, some in every.items() if any(one.is_informative for one in some)}

    @property
    def coding_names(self) -> list[str]:
        """The names of the codings that keep some feature."""
        return list(self._codings)

    @cached_property
    def rows(self) -> list[slice]:
        """Which lines of ``states`` belong to each coding."""
        sizes = [sum(one.is_informative for one in some) for some in self._codings.values()]
        return [slice(begin, end) for begin, end in pairwise(np.cumsum([0, *sizes]).tolist())]

    @cached_property
    def kept(self) -> list[int]:
        """The columns behind the lines of ``states``: those of the first coding, then of the second.

        A feature with a single bin or value is dropped (§1).
        """
        return [j for some in self._codings.values() for j, one in enumerate(some) if one.is_informative]

    @cached_property
    def _lines(self) -> list[Feature]:
        """The features behind the lines of ``states``."""
        return [feature for some in self._codings.values() for feature in some if feature.is_informative]

    @cached_property
    def n_states(self) -> IntArray:
        """The numbers of states of the features kept."""
        return np.array([feature.n_states for feature in self._lines], np.int64)

    @cached_property
    def conservative(self) -> BoolArray:
        """Which of the features kept have missing values that may be any (§13)."""
        return np.array([feature.conservative for feature in self._lines], np.bool_)

    def every_cut(self, j: int) -> FloatArray:
        """Return the cut points of a numeric column in all its codings, sorted."""
        versions: list[Any] = [self.features[j], *(features[j] for features in self.bins.values())]
        cuts: FloatArray = np.unique(np.concatenate([feature.cuts for feature in versions]))
        return cuts

    def encode(self, table: Table, *, n_threads: int = 1, is_part: bool = False) -> StateArray:
        """Return the states (k, n_rows) of the features kept; several codings are stacked.

        Parameters
        ----------
        table : Table
            The rows.
        n_threads : int
            Threads; the result does not depend on it.
        is_part : bool
            Whether these are training rows or a part of a table. Then nothing is said of a column without a
            single known state: this has been said in training, or it may be by chance.
        """
        numberings, states = self._numberings, np.empty((len(self.kept), table.n_rows), self._dtype)

        def write(j: int) -> None:
            feature, column = self.features[j], table.columns[j]
            lines = [line for line, kept in enumerate(self.kept) if kept == j]
            if isinstance(feature, CategoricalFeature) and lines and not is_part:
                feature.warn_of_another_kind(column.factor().states, column.label)
            for line in lines:
                states[line] = self._lines[line].encode(column, numberings[line])
            # A dropped column is not written, but what it contains is refused like that of others.
            if not lines and isinstance(feature, CategoricalFeature):
                feature.encode(column, np.zeros(feature.n_states + 2))
            elif not lines:
                column.check()

        for_each_column(write, len(self.features), table.n_rows, n_threads)
        return states

    def columns_with_new_states(self, table: Table) -> list[str]:
        """Return what messages call the categorical columns in which some rows have unknown states."""
        new = []
        for j in sorted(set(self.kept)):
            feature, column = self.features[j], table.columns[j]
            if isinstance(feature, CategoricalFeature) and feature.unknown_states(column.factor()):
                new.append(column.label)
        return new

    @cached_property
    def _dtype(self) -> type[np.unsignedinteger[Any]]:
        most = max((int(self.n_states[some].sum()) for some in self.rows), default=0) + 1
        return np.uint16 if most < 2**16 else np.uint32

    @property
    def _numberings(self) -> list[AnyArray]:
        """What each code of each feature kept is called among the states of its coding."""
        numberings = []
        for some in self.rows:
            ends = np.cumsum([0, *self.n_states[some]]).tolist()
            beyond = [ends[-1], ends[-1] + 1]
            numberings += [np.array([*range(*own), *beyond], self._dtype) for own in pairwise(ends)]
        return numberings

    def describe(self, names: Sequence[Any] | None = None) -> tuple[FeatureEncoding, ...]:
        """Describe how each column is read, by its name or, where there are none, its index."""
        kept, found = set(self.kept), []
        for j, feature in enumerate(self.features):
            name = j if names is None else str(names[j])
            if isinstance(feature, NumericFeature):
                why_not = "no value was seen" if np.isnan(feature.low) else "it has a single value"
                if feature.varies:
                    why_not = "no cut tells the classes apart"
                cuts, span = tuple(self.every_cut(j).tolist()), (feature.low, feature.high)
                one = FeatureEncoding(name, "numeric", (), cuts, span, j in kept, why_not)
            else:
                why_not = "it has a single value" if feature.n_observed else "no value was seen"
                one = FeatureEncoding(
                    name, "categorical", tuple(feature.states), (), None, j in kept, why_not
                )
            found.append(one._replace(why_not="") if one.kept else one)
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """Rows that are already states (k, n_rows), with their columns, and the encoding that made them.

    A classifier with the very same encoding takes them instead of a table, so that many classifiers can
    answer for rows that are encoded once.
    """

    encoding: Encoding
    states: StateArray
    table: Table

    @classmethod
    def of(cls, encoding: Encoding, table: Table, *, n_threads: int = 1) -> EncodedTable:
        """Encode a table."""
        return cls(encoding, encoding.encode(table, n_threads=n_threads), table)

    def chunk(self, rows: slice) -> Chunk:
        """Return some of the rows."""
        return Chunk(np.ascontiguousarray(self.states[:, rows]), self.table, rows)

    def select(self, rows: AnyArray) -> EncodedTable:
        """Return the rows of these indices."""
        states = np.ascontiguousarray(self.states[:, rows])
        return EncodedTable(self.encoding, states, self.table.select(rows))


class Chunk(NamedTuple):
    """Some rows of a table: their states (k, n), and where their columns are, for what states do not tell."""

    states: StateArray
    table: Table
    rows: slice


def warn_of_identifiers(encoding: Encoding, labels: Sequence[str], n_rows: int) -> None:
    """Warn of features with so many states that most have too few rows to learn from."""
    suspects = [
        f"{label} ({feature.n_observed} states)"
        for feature, label in zip(encoding.features, labels, strict=True)
        if isinstance(feature, CategoricalFeature) and too_many_states(feature.n_observed, n_rows)
    ]
    if suspects:
        some = ", ".join(suspects[:5]) + (", ..." if len(suspects) > 5 else "")
        warn(
            f"In {n_rows} rows these look like identifiers, which will be trusted too much: {some}. "
            "Drop them, turn them into numbers, or set max_categories."
        )


def _chosen(
    parameter: str, choice: Any, default: str, n_columns: int, names: Sequence[str] | None
) -> BoolArray:
    """Return which features a parameter chooses: all, or those of a list of names or indices or a mask."""
    if isinstance(choice, str) and choice == "all":
        return np.ones(n_columns, np.bool_)
    if isinstance(choice, str) or np.ndim(choice) != 1:
        raise ValueError(
            f"{parameter} must be {default}, 'all', or a list of names or indices or a mask, got "
            f"{safe_repr(choice)}."
        )
    # A list stays a list: numpy would turn [0, "a"] into text. Of an array, Python's own bool and int.
    chosen = list(choice) if isinstance(choice, (list, tuple)) else np.asarray(choice).tolist()
    # A mask before indices: to Python, True and False are the integers 1 and 0.
    if chosen and all(isinstance(one, bool) for one in chosen):
        if len(chosen) != n_columns:
            raise ValueError(
                f"{parameter} as a mask must have one entry for each of {n_columns} features, got "
                f"{len(chosen)}."
            )
        return np.array(chosen, np.bool_)
    known, mask = [] if names is None else list(names), np.zeros(n_columns, np.bool_)
    for one in chosen:
        is_index = isinstance(one, Integral) and not isinstance(one, bool)
        is_index = is_index and -n_columns <= int(one) < n_columns
        if not is_index and one not in known:
            there_are = safe_repr(known) if known else "no names"
            raise ValueError(
                f"{parameter} must hold names or indices of the {n_columns} features ({there_are}), got "
                f"{safe_repr(one)}."
            )
        mask[one if is_index else known.index(one)] = True
    return mask


def _declared(label: str, given: Any) -> list[Any]:
    # A set has no order, and the order of the states is that of the codes.
    if isinstance(given, (str, set, frozenset)) or not hasattr(given, "__iter__"):
        raise TypeError(f"categories must hold a list of states for {label}, got {safe_repr(given)}.")
    states = given.tolist() if isinstance(given, np.ndarray) else list(given)
    are_states = all(has_hash(state) and not is_missing(state) for state in states)
    if not (are_states and 0 < len(set(states)) == len(states)):
        raise ValueError(
            f"categories must hold different states, at least one and none missing, for {label}, got "
            f"{safe_repr(states)}."
        )
    return states


def for_each_column(work: Callable[[int], Value], n_columns: int, n_rows: int, n_threads: int) -> list[Value]:
    """Return what the work on each column gives, in threads if the columns are long enough."""
    return run_in_threads(work, range(n_columns), n_threads if n_rows >= ROWS_WORTH_A_THREAD else 1)
