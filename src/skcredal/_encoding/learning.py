"""Learning how a table becomes codes, from what the user says about the columns and from their cells (§1)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, BoolArray, CodeArray, CountArray, LabelArray
from skcredal._encoding.factors import is_missing
from skcredal._encoding.features import CategoricalFeature, NumericFeature, state_counts, too_many_states
from skcredal._encoding.frames import Table
from skcredal._encoding.table_encoding import Codings, Feature, TableEncoding
from skcredal._threads import run_in_threads
from skcredal._validation import safe_repr

__all__ = [
    "EncodingPlan",
    "EncodingRules",
    "categorical_mask",
    "conservative_mask",
    "learn_encoding",
    "warn_of_identifiers",
]

# It takes at least so many rows to be worth starting threads for the columns.
ROWS_WORTH_A_THREAD = 10_000
BYTES_WORTH_A_THREAD = 1_000_000


@dataclass(frozen=True, slots=True)
class EncodingRules:
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


def learn_encoding(
    table: Table,
    labels: LabelArray,
    weights: CountArray | None,
    n_classes: int,
    rules: EncodingRules,
    *,
    names: Sequence[str] | None = None,
    n_threads: int = 1,
) -> tuple[TableEncoding, CodeArray]:
    """Learn from training rows how the table becomes codes, and return their codes with it.

    Parameters
    ----------
    table : Table
        The training table.
    labels : ndarray of shape (n_rows,)
        The classes, which supervise the cuts of numeric features.
    weights : ndarray of shape (n_rows,), optional
        Positive weights of the rows.
    n_classes : int
        The number of classes.
    rules : EncodingRules
        The user's parameters.
    names : sequence of str, optional
        The names of the features, if they have any.
    n_threads : int
        Threads; the result does not depend on it.
    """
    plan = EncodingPlan.of(
        [column.label for column in table.columns],
        # A table of bytes is one of integers: its columns need not be asked one by one.
        [table.cells is not None or column.is_numeric for column in table.columns],
        rules,
        names,
    )

    # Learned and encoded at once, so that a column is read only once.
    def learn(j: int) -> tuple[list[Feature], list[AnyArray]]:
        column = table.columns[j]
        if not plan.categorical[j]:
            numbers = column.numbers()
            numeric = NumericFeature.learn(
                numbers, labels, weights, n_classes, impute=plan.imputes(j), bins=rules.bins or ()
            )
            numeric = plan.with_missing(j, numeric)
            return list(numeric), [feature.encode(numbers) for feature in numeric]
        factor = column.factor()
        has_missing = bool(plan.conservative[j] and (factor.codes < 0).any())
        feature = plan.learn_states(j, state_counts(factor, weights), has_missing=has_missing)
        return [feature], [feature.encode(factor, column.label)]

    # For short columns, threads would only wait for each other to release the interpreter; bytes are read so
    # fast that most columns are short.
    least = ROWS_WORTH_A_THREAD if table.cells is None else BYTES_WORTH_A_THREAD
    n_learners = n_threads if table.n_rows >= least else 1
    learned = run_in_threads(learn, range(len(table.columns)), n_learners)
    encoding = plan.encoding([features for features, _ in learned])
    warn_of_identifiers(encoding, plan.labels, table.n_rows)
    if isinstance(encoding, Codings) and encoding.others:
        return encoding, encoding._stack_versions([versions for _, versions in learned], table.n_rows)
    codes = [versions[0] for _, versions in learned]
    as_they_are = table.cells is not None and all(codes[j] is table.columns[j].data for j in encoding.kept)
    # Codes need room for unknown, too: with 256 states, bytes have none.
    if as_they_are and table.cells is not None and encoding.n_states.max(initial=0) < kernels.encoding.BYTE:
        return encoding, table.cells if len(encoding.kept) == len(codes) else table.cells[encoding.kept]
    return encoding, encoding._stack(lambda j: codes[j], table.n_rows, n_threads=1)


@dataclass(frozen=True, slots=True, eq=False)
class EncodingPlan:
    """Which columns are categorical, and which states the user declares, before anything is learned.

    However the columns come (as rows, as sums over batches, as counts of a stream), the states of each are
    learned here, from how often they were seen.

    Parameters
    ----------
    labels : list of str
        What messages call the columns.
    categorical : ndarray of bool of shape (n_columns,)
        Which are categorical, by their type or because the user says so.
    declared : dict
        The states that the user declares, by column.
    conservative : ndarray of bool of shape (n_columns,)
        In which of them a missing value may be any (§13).
    rules : EncodingRules
        The user's parameters.
    """

    labels: list[str]
    categorical: BoolArray
    declared: dict[int, list[Any]]
    conservative: BoolArray
    rules: EncodingRules

    @classmethod
    def of(
        cls, labels: list[str], numeric: Sequence[bool], rules: EncodingRules, names: Sequence[str] | None
    ) -> EncodingPlan:
        """Make a plan for columns, given which are numeric by their type."""
        categorical = categorical_mask(numeric, rules.categorical_features, names)
        declared = declared_states(labels, categorical, rules.categories)
        conservative = conservative_mask(len(labels), rules.conservative_features, names)
        return cls(labels, categorical, declared, conservative, rules)

    def imputes(self, j: int) -> bool:
        """Tell whether a column's missing values become its median or mode (§1)."""
        return self.rules.missing == "impute" and not self.conservative[j]

    def with_missing(self, j: int, features: list[NumericFeature]) -> list[NumericFeature]:
        """Return what was learned of numbers, with missing ones that may be any if the user wants so."""
        return [feature.conservative() for feature in features] if self.conservative[j] else features

    def learn_states(
        self, j: int, seen: Mapping[Any, float], *, has_missing: bool = False
    ) -> CategoricalFeature:
        """Learn a categorical column from how often each state was seen, in the order of the states.

        ``has_missing``, whether there are missing cells, matters only where they may have any state.
        """
        feature = CategoricalFeature.from_counts(
            seen,
            declared=self.declared.get(j),
            max_categories=self.rules.max_categories,
            impute=self.imputes(j),
            refuse_unknown=self.rules.handle_unknown == "error",
        )
        # In training, too: declared states of another type than the values would make all of them unknown.
        feature.warn_of_another_kind(list(seen), self.labels[j])
        return feature.conservative(has_missing=has_missing) if self.conservative[j] else feature

    def encoding(self, learned: Sequence[list[Feature]]) -> TableEncoding:
        """Return the encoding of columns that were learned, in one version or in one for every coding."""
        features, bins = [versions[0] for versions in learned], self.rules.bins
        if bins is None:
            return TableEncoding(features)
        # Without a numeric column that varies, other cuts would only repeat the first coding (§12).
        if not any(isinstance(feature, NumericFeature) and feature.varies for feature in features):
            return Codings(features, (), [])
        # Of a categorical column, the one version serves all codings.
        numbers = range(1, 1 + len(bins))
        return Codings(
            features, bins, [[versions[min(f, len(versions) - 1)] for versions in learned] for f in numbers]
        )


def warn_of_identifiers(encoding: TableEncoding, labels: Sequence[str], n_rows: int) -> None:
    """Warn of features with so many states that most have too few rows to learn from."""
    suspects = [
        f"{label} ({feature.n_observed} states)"
        for feature, label in zip(encoding.features, labels, strict=True)
        if isinstance(feature, CategoricalFeature) and too_many_states(feature.n_observed, n_rows)
    ]
    if suspects:
        some = ", ".join(suspects[:5]) + (", ..." if len(suspects) > 5 else "")
        warnings.warn(
            f"In {n_rows} rows these look like identifiers, which will be trusted too much: {some}. "
            "Drop them, turn them into numbers, or set max_categories.",
            stacklevel=2,
        )


def categorical_mask(numeric: Sequence[bool], choice: Any, names: Sequence[str] | None) -> BoolArray:
    """Return which features are categorical: those that are not numeric, and those that the user names."""
    # The user can declare numbers as categories, but not text as numbers.
    mask: BoolArray = np.logical_not(np.asarray(numeric, np.bool_))
    if isinstance(choice, str) and choice == "from_dtype":
        return mask
    if isinstance(choice, str) and choice == "all":
        return np.ones(len(mask), np.bool_)
    if isinstance(choice, str) or np.ndim(choice) != 1:
        raise ValueError(
            "categorical_features must be 'from_dtype', 'all', or a list of names or indices or a mask, "
            f"got {safe_repr(choice)}."
        )
    return np.logical_or(mask, _chosen("categorical_features", choice, len(mask), names))


def conservative_mask(n_columns: int, choice: Any, names: Sequence[str] | None) -> BoolArray:
    """Return in which features a missing value may be any (§13): those that the user names.

    Examples
    --------
    >>> conservative_mask(3, ["b"], ["a", "b", "c"])
    array([False,  True, False])
    """
    if choice is None:
        return np.zeros(n_columns, np.bool_)
    if isinstance(choice, str) and choice == "all":
        return np.ones(n_columns, np.bool_)
    if isinstance(choice, str) or np.ndim(choice) != 1:
        raise ValueError(
            "conservative_features must be None, 'all', or a list of names or indices or a mask, got "
            f"{safe_repr(choice)}."
        )
    return _chosen("conservative_features", choice, n_columns, names)


def _chosen(parameter: str, choice: Any, n_columns: int, names: Sequence[str] | None) -> BoolArray:
    """Return which features a parameter names, in a list of names or indices, or in a mask."""
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
    mask = np.zeros(n_columns, np.bool_)
    for one in chosen:
        mask[_index(parameter, one, n_columns, names)] = True
    return mask


def _index(parameter: str, choice: Any, n_columns: int, names: Sequence[str] | None) -> int:
    if isinstance(choice, str):
        if names is None:
            raise ValueError(f"{parameter} names {safe_repr(choice)}, but the table has no column names.")
        if choice not in names:
            raise ValueError(
                f"{parameter} names {safe_repr(choice)}, which is not a column; there are "
                f"{safe_repr(list(names))}."
            )
        return list(names).index(choice)
    if not isinstance(choice, Integral) or isinstance(choice, bool):
        raise TypeError(
            f"{parameter} must hold names or indices, or be a mask, got {safe_repr(choice)} in it."
        )
    if not -n_columns <= int(choice) < n_columns:
        raise ValueError(
            f"{parameter} holds the index {safe_repr(choice)}, but there are {n_columns} features."
        )
    return int(choice)


def declared_states(labels: Sequence[str], categorical: BoolArray, categories: Any) -> dict[int, list[Any]]:
    """Return the states that the user declares for each categorical feature."""
    if isinstance(categories, str) and categories == "auto":
        return {}
    indices = np.flatnonzero(categorical).tolist()
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
    declared = {}
    for j, given in zip(indices, categories, strict=True):
        # A set has no order, and the order of the states is that of the codes.
        if isinstance(given, (str, set, frozenset)) or not hasattr(given, "__iter__"):
            raise TypeError(f"categories must hold a list of states for {labels[j]}, got {safe_repr(given)}.")
        states = np.asarray(given).tolist() if isinstance(given, np.ndarray) else list(given)
        if not _are_different(states):
            raise ValueError(
                "categories must hold different states, at least one and none missing, for "
                f"{labels[j]}, got {safe_repr(states)}."
            )
        declared[j] = states
    return declared


def _are_different(states: list[Any]) -> bool:
    """Tell whether a list of states is valid: not empty, none twice, and none missing."""
    try:
        return 0 < len(set(states)) == len(states) and not any(is_missing(state) for state in states)
    except TypeError:  # lists and the like have no hash
        return False
