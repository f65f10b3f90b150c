"""A table as a reader sees it: cells with the bins that they fall into, and what each column is used as."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from skcredal._arrays import AnyArray
from skcredal._encoding.columns import is_missing
from skcredal._encoding.encoding import FeatureEncoding
from skcredal._encoding.features import CategoricalFeature, Feature, NumericFeature
from skcredal.classifiers._base import TabularClassifier, learned_features
from skcredal.classifiers._log_pool import LogPoolAODE
from skcredal.classifiers._rows import MemoryRows
from skcredal.evaluation._names import listed

if TYPE_CHECKING:
    import pandas

__all__ = ["bin_in_words", "column_notes", "how_used", "values_with_bins"]

# How many bins or states are written out.
_LISTED = 12


def values_with_bins(model: TabularClassifier, rows: pandas.DataFrame) -> list[dict[str, str]]:
    """Return the cells of each row, by the names that ``explain`` gives the features.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50] * 9, "sex": ["f", None] * 18})
    >>> model = AODE().fit(table, table["age"] > 30)
    >>> values_with_bins(model, table.iloc[:2])
    [{'age': '20, up to 35', 'sex': 'f'}, {'age': '30, up to 35', 'sex': 'missing, read as f'}]
    """
    has_names = hasattr(model, "feature_names_in_")
    columns: dict[str, list[str]] = {}
    for j, how in enumerate(model.encoding_):
        name = str(how.name) if has_names else f"feature {j}"
        if_missing = _missing(learned_features(model)[j])
        columns[name] = [
            if_missing if is_missing(value) else _with_bin(value, how.cuts)
            for value in rows.iloc[:, j].tolist()
        ]
    return [{name: cells[r] for name, cells in columns.items()} for r in range(len(rows))]


def _missing(feature: Feature) -> str:
    """Return what a missing cell is called: where it is imputed, also as what it is read."""
    if feature.missing != "impute" or np.isnan(feature.fill_number):
        return "missing"
    if isinstance(feature, CategoricalFeature):
        return f"missing, read as {feature.states[feature.codes[feature.fill]]}"
    return f"missing, read as {feature.fill:.6g}"


def _with_bin(value: Any, cuts: Sequence[float]) -> str:
    # repr of a float may have 17 digits, most of them rounding.
    shown = _shown(value) if isinstance(value, (float, np.floating)) else str(value)
    return f"{shown}, {bin_in_words(float(value), cuts)}" if cuts else shown


def bin_in_words(number: float, cuts: Sequence[float]) -> str:
    """Return the bin of a number in words; a bin contains its upper cut.

    Examples
    --------
    >>> bin_in_words(57, (54.0, 61.0)), bin_in_words(54, (54.0, 61.0)), bin_in_words(70, (54.0, 61.0))
    ('in 54 to 61', 'up to 54', 'above 61')
    """
    index = int(np.searchsorted(cuts, number))
    if index == 0:
        return f"up to {_shown(cuts[0])}"
    low = _shown(cuts[index - 1])
    return f"above {low}" if index == len(cuts) else f"in {low} to {_shown(cuts[index])}"


def _shown(number: Any) -> str:
    """Return a number without digits that are only rounding, but with all before the decimal point."""
    return f"{number:.0f}" if 1e6 <= abs(number) < 1e15 else f"{number:.6g}"


def column_notes(
    classifier: TabularClassifier, features: pandas.DataFrame, target: AnyArray
) -> list[tuple[str, str, str, str]]:
    """Return, for each column, its name, what it contains, how a classifier uses it, and missing cells."""
    with warnings.catch_warnings():
        # Warnings were given when the table was read.
        warnings.simplefilter("ignore")
        encoding = MemoryRows.of(clone(classifier), features, target).encoding
    # Trees and line of LP-AODE look at numbers that no cut divides, too.
    looks = isinstance(classifier, LogPoolAODE) and (classifier.line or classifier.n_regions)
    numbers = ((j, one) for j, one in enumerate(encoding.features) if isinstance(one, NumericFeature))
    described = encoding.describe(list(features.columns), [j for j, one in numbers if looks and one.varies])
    return [
        (str(how.name), _contents(column, how), how_used(how), _share(int(column.isna().sum()), len(column)))
        for how, (_, column) in zip(described, features.items(), strict=True)
    ]


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
        return f"{len(how.states)} categories: {listed([str(state) for state in how.states], _LISTED)}"
    if not how.cuts:
        return "as a number; no cut tells the classes apart"
    first, *others = (f"{cut:.4g}" for cut in how.cuts)
    bins = [f"up to {first}", *(f"to {cut}" for cut in others), "above"]
    return f"{len(bins)} bins: {listed(bins, _LISTED)}"


def _contents(column: Any, how: FeatureEncoding) -> str:
    if how.kind == "categorical":
        return "yes or no" if column.dtype.kind == "b" else "categories"
    assert how.range is not None
    low, high = how.range
    return "numbers" if low != low else f"numbers from {low:.4g} to {high:.4g}"


def _share(n: int, n_rows: int) -> str:
    return f"{n} ({n / n_rows:.0%})" if n else "none"
