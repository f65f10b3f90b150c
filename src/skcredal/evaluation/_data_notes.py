"""What was read, and how it is used: every column with its bins or states, and what was said meanwhile."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from skcredal._arrays import AnyArray
from skcredal._encoding.table_encoding import FeatureEncoding
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._rows import training_rows
from skcredal.evaluation._values import short_number

if TYPE_CHECKING:
    import pandas

__all__ = ["column_notes", "how_used", "read_as"]

# How many bins or states are written out.
_LISTED = 12


def read_as(classifier: TabularClassifier, features: Any, target: AnyArray) -> tuple[FeatureEncoding, ...]:
    """Return how a classifier reads the columns of a table: what its ``encoding_`` is after fitting.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from skcredal import AODE
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50] * 9})
    >>> read_as(AODE(), table, np.repeat(["a", "b"], 18))[0].kind
    'numeric'
    """
    with warnings.catch_warnings():
        # What there is to warn of was said when the table was read.
        warnings.simplefilter("ignore")
        encoding = training_rows(clone(classifier), features, target).encoding
    kept = set(encoding.kept)
    named = zip(features.columns, encoding.features, strict=True)
    return tuple(FeatureEncoding.of(str(name), one, kept=j in kept) for j, (name, one) in enumerate(named))


def column_notes(
    features: pandas.DataFrame, encoding: Sequence[FeatureEncoding], *, aside: Iterable[tuple[str, str]] = ()
) -> list[list[str]]:
    """Return, for each column, its name, what it holds, how it is used, and how many cells are missing.

    Parameters
    ----------
    features : pandas.DataFrame
        The features.
    encoding : sequence of FeatureEncoding
        How they are read, as :func:`read_as` returns it.
    aside : iterable of (name, use)
        Other columns of the file, and what became of them.
    """
    rows = [
        [str(how.name), _holds(column, how), how_used(how), _missing(int(column.isna().sum()), len(column))]
        for how, (_, column) in zip(encoding, features.items(), strict=True)
    ]
    return rows + [[name, "", use, ""] for name, use in aside]


def how_used(how: FeatureEncoding) -> str:
    """Return in words how a column becomes codes, or why it does not.

    Examples
    --------
    >>> how_used(FeatureEncoding("age", "numeric", (), (54.0, 61.0), (20.0, 90.0), True, ""))
    '3 bins: up to 54, to 61, above'
    >>> how_used(FeatureEncoding("sex", "categorical", ("f", "m"), (), None, True, ""))
    '2 categories: f, m'
    >>> how_used(FeatureEncoding("site", "categorical", ("a",), (), None, False, "it has a single value"))
    'left out: it has a single value'
    """
    if not how.kept:
        return f"left out: {how.why_not}"
    if how.kind == "categorical":
        return f"{len(how.states)} categories: {_listed([str(state) for state in how.states])}"
    if not how.cuts:
        return "bins of equal frequency; no cut tells the classes apart"
    cuts = [short_number(cut) for cut in how.cuts]
    return f"{len(cuts) + 1} bins: up to {_listed([cuts[0], *(f'to {cut}' for cut in cuts[1:]), 'above'])}"


def _listed(words: list[str]) -> str:
    return ", ".join(words[:_LISTED]) + (f" and {len(words) - _LISTED} more" if len(words) > _LISTED else "")


def _holds(column: Any, how: FeatureEncoding) -> str:
    if how.kind == "categorical":
        return "yes or no" if column.dtype.kind == "b" else "categories"
    assert how.range is not None
    low, high = how.range
    return "numbers" if low != low else f"numbers from {short_number(low)} to {short_number(high)}"


def _missing(n: int, n_rows: int) -> str:
    return f"{n} ({n / n_rows:.0%})" if n else "none"
