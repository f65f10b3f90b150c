"""The cells of a table as a reader sees them: short, and numbers with the bin that they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._encoding.factors import is_missing
from skcredal.classifiers._base import TabularClassifier, every_cut

if TYPE_CHECKING:
    import pandas

__all__ = ["bin_in_words", "range_in_words", "short_number", "values_with_bins"]


def values_with_bins(model: TabularClassifier, rows: pandas.DataFrame) -> list[dict[str, str]]:
    """Return the cells of each row, by the names that ``explain`` gives the features.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50] * 9, "sex": ["f", None] * 18})
    >>> model = AODE().fit(table, table["age"] > 30)
    >>> values_with_bins(model, table.iloc[:2])
    [{'age': '20, up to 35', 'sex': 'f'}, {'age': '30, up to 35', 'sex': 'missing'}]
    """
    has_names = hasattr(model, "feature_names_in_")
    columns: dict[str, list[str]] = {}
    for j, how in enumerate(model.encoding_):
        name = str(how.name) if has_names else f"feature {j}"
        # Without cuts by MDL there may still be those of other codings.
        cuts = how.cuts or (every_cut(model, j).tolist() if how.kind == "numeric" else ())
        columns[name] = [_with_bin(value, cuts) for value in rows.iloc[:, j].tolist()]
    return [{name: cells[r] for name, cells in columns.items()} for r in range(len(rows))]


def _with_bin(value: Any, cuts: Sequence[float]) -> str:
    if is_missing(value):
        return "missing"
    # repr of a float may have 17 digits, most of them rounding.
    shown = f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
    return f"{shown}, {bin_in_words(float(value), cuts)}" if cuts else shown


def bin_in_words(number: float, cuts: Sequence[float]) -> str:
    """Return the bin of a number in words; a bin holds its upper cut.

    Examples
    --------
    >>> bin_in_words(57, (54.0, 61.0)), bin_in_words(54, (54.0, 61.0)), bin_in_words(70, (54.0, 61.0))
    ('in 54 to 61', 'up to 54', 'above 61')
    """
    index = int(np.searchsorted(cuts, number))
    low = None if index == 0 else cuts[index - 1]
    high = None if index == len(cuts) else cuts[index]
    return range_in_words(low, high, number)


def range_in_words(low: float | None, high: float | None, inside: float) -> str:
    """Return the numbers above ``low``, up to ``high``, in words; without an edge they have no end there.

    The edges have four digits that count, or as many more as it takes to keep a number inside of them. They
    are rounded inwards, so that every number of the range in words is one of the range.

    Examples
    --------
    >>> range_in_words(None, 1234.567, 900), range_in_words(1234.567, None, 1234.7)
    ('up to 1234', 'above 1234.6')
    >>> range_in_words(0.1 + 0.2, 0.5, 0.4)
    'in 0.3 to 0.5'
    """
    for digits in range(4, 17):
        lower = None if low is None else _rounded(low, digits, ROUND_CEILING)
        upper = None if high is None else _rounded(high, digits, ROUND_FLOOR)
        if (lower is None or lower < inside) and (upper is None or inside <= upper):
            break
    if lower is None:
        return f"up to {upper:.{digits}g}"
    return f"above {lower:.{digits}g}" if upper is None else f"in {lower:.{digits}g} to {upper:.{digits}g}"


def _rounded(edge: float, digits: int, rounding: str) -> float:
    # First to the ten digits that a reader may count on: 0.30000000000000004 is 0.3.
    exact = f"{edge:.{max(digits, 10)}g}"
    return float(Context(prec=digits, rounding=rounding).create_decimal(exact))


def short_number(number: float) -> str:
    """Return a number with four digits that count.

    Examples
    --------
    >>> short_number(1234.56), short_number(0.1 + 0.2)
    ('1235', '0.3')
    """
    return f"{number:.4g}"
