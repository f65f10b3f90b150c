"""Tables of results, as someone may have read them from a file and changed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skcredal._extras import require
from skcredal._validation import naming, real_numbers, safe_repr

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["check_table"]

# Means and ratios of larger numbers would not be finite.
_LARGEST = 1e100


def check_table(name: str, table: DataFrame, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return a table with its measures as floats, those that it has; refuse what is no such table.

    Parameters
    ----------
    name : str
        What errors call the table.
    table : DataFrame
        What was given for one.
    text, measures : sequence of str
        The columns that name something, and those that hold numbers.

    Returns
    -------
    DataFrame
        The table, NaN where a measure is missing.
    """
    pandas = require("pandas", extra="paper", purpose="A table of results")
    if not isinstance(table, pandas.DataFrame):
        raise TypeError(f"{name} must be a pandas DataFrame, got a {type(table).__name__}.")
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{name} must have columns of different names, has {safe_repr(twice[0])} twice.")
    with naming(name):
        for column in text:
            for value in table[column].dropna() if column in table.columns else ():
                if not isinstance(value, str):
                    raise TypeError(
                        f"{name} must hold text in the column {column!r}, got {safe_repr(value)}."
                    )
    numbers = {
        column: real_numbers(f"{name}, column {column!r},", table[column].to_numpy(dtype=object))
        for column in measures
        if column in table.columns
    }
    for column, values in numbers.items():
        if np.any(np.isfinite(values) & (np.abs(values) > _LARGEST)):
            raise ValueError(f"{name}, column {column!r}, must hold numbers up to {_LARGEST:g}.")
    checked: DataFrame = table.assign(**numbers)
    return checked
