"""What the user says about the columns: which are categorical or conservative, and which states they have."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray
from skcredal._encoding.factors import is_missing
from skcredal._validation import safe_repr

__all__ = ["categorical_mask", "conservative_mask", "declared_states"]


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
