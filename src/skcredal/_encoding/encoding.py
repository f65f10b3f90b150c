"""How the user wants a table to be read, and the encoding by which its rows become states (§1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray, IntArray, LabelArray, StateArray
from skcredal._encoding.columns import is_missing
from skcredal._encoding.features import CategoricalFeature, Feature, NumericFeature
from skcredal._encoding.tables import Table
from skcredal._threads import run_in_threads
from skcredal._validation import has_hash, safe_repr

__all__ = ["Cells", "EncodedTable", "Encoding", "FeatureEncoding", "Rules", "for_each_column"]

Value = TypeVar("Value")
# The columns of some rows as they were read, one array each.
Cells: TypeAlias = list[AnyArray]
# It takes at least so many rows to be worth starting threads for the columns.
ROWS_WORTH_A_THREAD = 200_000


@dataclass(frozen=True, slots=True)
class Rules:
    """How the user wants tables to be read: the parameters of the same names of every estimator.

    ``conservative_features`` is that of the naive credal classifier; all others have none.
    """

    categorical_features: Any = "from_dtype"
    categories: Any = "auto"
    missing: str = "impute"
    handle_unknown: str = "ignore"
    max_categories: int | None = None
    conservative_features: Any = None

    def categorical(self, n_columns: int, names: Sequence[str] | None) -> BoolArray:
        """Return which features the user declares as categorical, regardless of their values."""
        return _chosen("categorical_features", self.categorical_features, "from_dtype", n_columns, names)

    def conservative(self, n_columns: int, names: Sequence[str] | None) -> BoolArray:
        """Return in which features a missing value may be any (§13): those that the user names.

        Examples
        --------
        >>> Rules(conservative_features=["b"]).conservative(3, ["a", "b", "c"])
        array([False,  True, False])
        """
        return _chosen("conservative_features", self.conservative_features, None, n_columns, names)

    def declared(self, labels: Sequence[str], categorical: BoolArray) -> dict[int, list[Any]]:
        """Return the states that the user declares for each categorical feature."""
        categories, indices = self.categories, np.flatnonzero(categorical).tolist()
        if isinstance(categories, str) and categories == "auto":
            return {}
        is_list = hasattr(categories, "__len__") and not isinstance(categories, (str, dict))
        if not is_list or len(categories) != len(indices):
            raise (ValueError if is_list else TypeError)(
                "categories must be 'auto' or one list of states for each of the "
                f"{len(indices)} categorical features, got {safe_repr(categories)}."
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
        The cut points of a numeric column; empty for a categorical one.
    range : tuple of float, optional
        The least and the greatest training value of a numeric column.
    kept : bool
        Whether the column is used.
    why_not : str
        Why it is not used, if so.
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
    """How a table becomes states: what was learned about each column.

    A table is first read as cells, a list with an array for each column (see :mod:`.features`). All states of
    the features kept are numbered 0 to V-1, feature after feature; V is *unknown*, and V+1 a missing value
    that may be any (§13).
    """

    features: list[Feature]  # all columns of the table, kept or not

    @cached_property
    def kept(self) -> list[int]:
        """The columns behind the lines of ``states``: those with a single bin or value are dropped (§1)."""
        return [j for j, feature in enumerate(self.features) if feature.is_informative]

    @cached_property
    def n_states(self) -> IntArray:
        """The numbers of states of the features kept."""
        return np.array([self.features[j].n_states for j in self.kept], np.int64)

    @property
    def n_values(self) -> int:
        """V, the number of all states."""
        return int(self.n_states.sum())

    @cached_property
    def conservative(self) -> BoolArray:
        """Which of the features kept have missing values that may be any (§13)."""
        return np.array([self.features[j].missing == "any" for j in self.kept], np.bool_)

    def read(self, table: Table, *, n_threads: int = 1, is_part: bool = False) -> Cells:
        """Return the cells of all columns.

        Of training rows or a part of a table (``is_part``) there is no warning about a column without a known
        state: either training has warned, or it may be chance.
        """

        def read(j: int) -> AnyArray:
            feature, column = self.features[j], table.columns[j]
            if isinstance(feature, CategoricalFeature) and feature.is_informative and not is_part:
                feature.warn_of_another_kind(column.factor.states, column.label)
            return feature.read(column)

        return for_each_column(read, len(self.features), table.n_rows, n_threads)

    def encode(self, cells: Cells, *, n_threads: int = 1) -> StateArray:
        """Return the states (k, n_rows) of the features kept."""
        n_rows = len(cells[0])
        dtype = np.uint16 if self.n_values + 1 < 2**16 else np.uint32
        states, ends = np.empty((len(self.kept), n_rows), dtype), np.cumsum([0, *self.n_states]).tolist()

        def write(line: int) -> None:
            j, beyond = self.kept[line], [ends[-1], ends[-1] + 1]
            numbering = np.array([*range(ends[line], ends[line + 1]), *beyond], dtype)
            states[line] = self.features[j].encode(cells[j], numbering)

        for_each_column(write, len(self.kept), n_rows, n_threads)
        return states

    def numbers(self, cells: Cells) -> FloatArray:
        """Return the cells as numbers, (n_columns, n_rows): those of a category's states in their order.

        NaN stands for an unknown state, and for a missing value that is not imputed.
        """
        pairs = zip(self.features, cells, strict=True)
        return np.stack([feature.numbers(own) for feature, own in pairs])

    @property
    def fills(self) -> FloatArray:
        """The numbers of the medians and modes of all columns, NaN where nothing was seen."""
        return np.array([feature.fill_number for feature in self.features])

    def learned_from(self, cells: Cells, labels: LabelArray, weights: FloatArray, n_classes: int) -> Encoding:
        """Return the encoding as fewer rows of the same table would have it (§14)."""
        pairs = zip(self.features, cells, strict=True)
        return Encoding([feature.learned_from(own, labels, weights, n_classes) for feature, own in pairs])

    def columns_with_new_states(self, table: Table) -> list[str]:
        """Return what messages call the categorical columns in which some rows have unknown states."""
        pairs = [(self.features[j], table.columns[j]) for j in self.kept]
        categorical = [(one, column) for one, column in pairs if isinstance(one, CategoricalFeature)]
        return [column.label for one, column in categorical if one.unknown_states(column.factor)]

    def describe(
        self, names: Sequence[Any] | None = None, used: Collection[int] = ()
    ) -> tuple[FeatureEncoding, ...]:
        """Describe how each column is read, by its name or, where there are none, its index.

        ``used`` are the columns that take part even if the coding drops them.
        """
        kept, found = {*self.kept, *used}, []
        for j, feature in enumerate(self.features):
            name = j if names is None else str(names[j])
            why_not = "no value was seen" if np.isnan(feature.fill_number) else "it has a single value"
            if isinstance(feature, NumericFeature):
                if feature.varies:
                    why_not = "no cut tells the classes apart"
                cuts, span = tuple(feature.cuts.tolist()), (feature.low, feature.high)
                one = FeatureEncoding(name, "numeric", (), cuts, span, j in kept, why_not)
            else:
                states = tuple(feature.states)
                one = FeatureEncoding(name, "categorical", states, (), None, j in kept, why_not)
            found.append(one._replace(why_not="") if one.kept else one)
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """Rows that are already cells and states (k, n_rows), and the encoding that made them.

    A classifier with the very same encoding takes them instead of a table, so that many classifiers can
    answer for rows that are encoded once.
    """

    encoding: Encoding
    cells: Cells
    states: StateArray

    @classmethod
    def of(
        cls, encoding: Encoding, table: Table, *, n_threads: int = 1, is_part: bool = False
    ) -> EncodedTable:
        """Read and encode a table."""
        cells = encoding.read(table, n_threads=n_threads, is_part=is_part)
        return cls.encoded(encoding, cells, n_threads=n_threads)

    @classmethod
    def encoded(cls, encoding: Encoding, cells: Cells, *, n_threads: int = 1) -> EncodedTable:
        """Encode cells."""
        return cls(encoding, cells, encoding.encode(cells, n_threads=n_threads))

    def select(self, rows: Any) -> EncodedTable:
        """Return some of the rows: a slice, or an array of indices."""
        states = np.ascontiguousarray(self.states[:, rows])
        return EncodedTable(self.encoding, [own[rows] for own in self.cells], states)


def _chosen(
    parameter: str, choice: Any, default: Any, n_columns: int, names: Sequence[str] | None
) -> BoolArray:
    """Return which features a parameter chooses: none by default, all, or those of a list."""
    if (choice is None or isinstance(choice, str)) and choice in (default, "all"):
        return np.full(n_columns, choice == "all")
    if isinstance(choice, str) or np.ndim(choice) != 1:
        raise ValueError(
            f"{parameter} must be {default!r}, 'all', or a list of names or indices or a mask, got "
            f"{safe_repr(choice)}."
        )
    # A list stays a list: numpy would turn [0, "a"] into text. Of an array, Python's own bool and int.
    chosen = list(choice) if isinstance(choice, (list, tuple)) else np.asarray(choice).tolist()
    # A mask before indices: to Python, True and False are the integers 1 and 0.
    if len(chosen) == n_columns and all(isinstance(one, bool) for one in chosen):
        return np.array(chosen, np.bool_)
    known, indices = [] if names is None else list(names), range(-n_columns, n_columns)
    mask = np.zeros(n_columns, np.bool_)
    for one in chosen:
        is_index = isinstance(one, Integral) and not isinstance(one, bool) and one in indices
        if not is_index and one not in known:
            there_are = safe_repr(known) if known else "no names"
            raise ValueError(
                f"{parameter} must contain names or indices of the {n_columns} features ({there_are}), or be "
                f"a mask of them, got {safe_repr(one)}."
            )
        mask[one if is_index else known.index(one)] = True
    return mask


def _declared(label: str, given: Any) -> list[Any]:
    # A set has no order, and the order of the states is that of the codes.
    is_list = hasattr(given, "__iter__") and not isinstance(given, (str, set, frozenset))
    states = (given.tolist() if isinstance(given, np.ndarray) else list(given)) if is_list else []
    are_states = all(has_hash(state) and not is_missing(state) for state in states)
    if not (are_states and 0 < len(set(states)) == len(states)):
        raise (ValueError if is_list else TypeError)(
            f"categories must contain a list of different states, at least one and none missing, for {label},"
            f" got {safe_repr(given)}."
        )
    return states


def for_each_column(work: Callable[[int], Value], n_columns: int, n_rows: int, n_threads: int) -> list[Value]:
    """Return what the work on each column gives, in threads if the columns are long enough."""
    return run_in_threads(work, range(n_columns), n_threads if n_rows >= ROWS_WORTH_A_THREAD else 1)
