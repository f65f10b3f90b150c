"""Checks of result tables, which a user may have read from a file and changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skcredal._extras import require
from skcredal._validation import naming, real_numbers, safe_repr

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["check_columns", "check_summary", "check_table", "check_unique_rows", "datasets_word"]

# No measure is as large, and means and ratios of smaller numbers stay finite.
_LARGEST = 1e100


def check_table(name: str, table: DataFrame, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return a table with its measures as floats; refuse anything but a table with plausible cells.

    Parameters
    ----------
    name : str
        The name of the table in errors.
    table : DataFrame
        What was given as the table.
    text, measures : sequence of str
        The columns of names, and those of numbers; columns that the table lacks are skipped.

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
        raise ValueError(f"{name} must have unique column names, got {safe_repr(twice[0])} twice.")
    with naming(name):
        for column in text:
            for value in table[column].dropna() if column in table.columns else ():
                if not isinstance(value, str):
                    raise TypeError(
                        f"{name} must have text in the column {column!r}, got {safe_repr(value)}."
                    )
    numbers = {
        column: real_numbers(f"{name}, column {column!r},", table[column].to_numpy(dtype=object))
        for column in measures
        if column in table.columns
    }
    for column, values in numbers.items():
        if np.any(np.isfinite(values) & (np.abs(values) > _LARGEST)):
            raise ValueError(f"{name}, column {column!r}, must contain numbers up to {_LARGEST:g}.")
    checked: DataFrame = table.assign(**numbers)
    return checked


def check_columns(name: str, table: DataFrame, columns: Sequence[str], file: str) -> None:
    """Refuse a table that lacks columns of the file it should come from."""
    if lacking := [column for column in dict.fromkeys(columns) if column not in table.columns]:
        raise ValueError(f"{name} must have the columns of {file}, lacks {', '.join(lacking)}.")


def check_unique_rows(summary: DataFrame) -> None:
    """Refuse a summary that has two rows for the same data set and classifier."""
    twice = summary.duplicated(["dataset", "classifier"])
    if twice.any():
        dataset, classifier = summary.loc[twice, ["dataset", "classifier"]].iloc[0]
        raise ValueError(f"summary must have one row for {classifier} on {dataset}, has several.")


def check_summary(summary: DataFrame, measures: Sequence[str]) -> DataFrame:
    """Return a summary with its measures as floats; refuse one that lacks columns or repeats rows."""
    summary = check_table("summary", summary, ("dataset", "classifier"), measures)
    check_columns("summary", summary, ("dataset", "classifier", *measures), "summary.csv")
    check_unique_rows(summary)
    return summary


def datasets_word(n: int, total: int | None = None) -> str:
    """Return a number of data sets in words.

    Examples
    --------
    >>> datasets_word(1), datasets_word(0), datasets_word(3, 39)
    ('1 data set', 'no data sets', '3 of 39 data sets')
    """
    if total is not None:
        return f"{n} of {total} data set{'' if total == 1 else 's'}"
    return f"{n or 'no'} data set{'' if n == 1 else 's'}"
