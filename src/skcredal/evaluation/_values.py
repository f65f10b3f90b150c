"""The cells of a table as a reader sees them: short, and numbers with the bin that they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._encoding.factors import is_missing
from skcredal.classifiers._base import TabularClassifier, every_cut

if TYPE_CHECKING:
    import pandas

__all__ = ["bin_in_words", "short_number", "values_with_bins"]


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
    if index == 0:
        return f"up to {short_number(cuts[0])}"
    if index == len(cuts):
        return f"above {short_number(cuts[-1])}"
    return f"in {short_number(cuts[index - 1])} to {short_number(cuts[index])}"


def short_number(number: float) -> str:
    """Return a number with four digits that count.

    Examples
    --------
    >>> short_number(1234.56), short_number(0.1 + 0.2)
    ('1235', '0.3')
    """
    return f"{number:.4g}"
