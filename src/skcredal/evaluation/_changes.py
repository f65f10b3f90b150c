"""What would change an answer: the changes of one feature after which another set of classes remains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skcredal._arrays import BoolArray
from skcredal._encoding.columns import is_missing
from skcredal._encoding.encoding import FeatureEncoding
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin

if TYPE_CHECKING:
    import pandas

__all__ = ["Change", "single_changes"]

# A feature with more states is not tried: nobody reads a list of what each of them would do.
_MOST_STATES = 50
# Of the states that lead to the same answer, how many are named.
_NAMED = 5
# Which numbers of the training rows are tried: enough to meet each bin that has two in a hundred rows.
_QUANTILES = np.linspace(0.0, 1.0, 51)


class Change(NamedTuple):
    """One feature with other values, and the indices of the classes that would remain."""

    feature: str
    condition: str
    remaining: tuple[int, ...]


def single_changes(
    model: TabularClassifier, rows: pandas.DataFrame, training: pandas.DataFrame
) -> list[list[Change]]:
    """Return, for each row, the nearest values of each single feature with which another set remains.

    Found by predicting changed rows: a number is replaced by quantiles of the ``training`` rows, a category
    by every other one. Changes that leave fewer classes come first.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50] * 9, "sex": ["f", "m"] * 18})
    >>> model = AODE().fit(table, table["age"] > 30)
    >>> single_changes(model, table.iloc[:1], table)
    [[Change(feature='age', condition='at about 40', remaining=(1,))]]
    """
    tried = [_alternatives(how, training.iloc[:, j]) for j, how in enumerate(model.encoding_)]
    if not any(tried):
        return [[] for _ in range(len(rows))]
    present = _sets(model, rows)
    found = []
    for r in range(len(rows)):
        row = rows.iloc[r].tolist()
        sets = np.split(_sets(model, _changed(rows, r, tried)), np.cumsum([*map(len, tried)])[:-1])
        changes: list[Change] = []
        for how, value, alternatives, its_sets in zip(model.encoding_, row, tried, sets, strict=True):
            other = (its_sets != present[r]).any(axis=1)
            if is_missing(value) or not other.any():
                continue
            describe = _nearest if how.kind == "numeric" else _categories
            leading = [alternative for alternative, leads in zip(alternatives, other, strict=True) if leads]
            changes += describe(str(how.name), value, leading, its_sets[other])
        # Stable: changes that leave equally many classes stay in the order of the columns.
        found.append(sorted(changes, key=lambda change: len(change.remaining)))
    return found


def _sets(model: TabularClassifier, rows: pandas.DataFrame) -> BoolArray:
    """Return the sets; those of a classifier without sets contain the most probable class."""
    if isinstance(model, CredalMixin):
        return model.predict_set(rows)
    sets: BoolArray = model.predict(rows)[:, None] == model.classes_
    return sets


def _alternatives(how: FeatureEncoding, training: Any) -> list[Any]:
    """Return numbers to try, in order, or every state of a categorical feature."""
    if not how.kept:
        return []
    if how.kind == "categorical":
        return list(how.states) if 1 < len(how.states) <= _MOST_STATES else []
    known = training.to_numpy(dtype=float, na_value=np.nan)
    numbers: list[Any] = np.unique(np.nanquantile(known, _QUANTILES, method="nearest")).tolist()
    return numbers


def _changed(rows: pandas.DataFrame, r: int, tried: Sequence[list[Any]]) -> pandas.DataFrame:
    """Return row r as often as there are alternatives, each time with one of them."""
    # As objects: categories that were seen need not be among those of the column's type.
    cells = rows.iloc[np.repeat(r, sum(map(len, tried)))].to_numpy(dtype=object, copy=True)
    begin = 0
    for j, alternatives in enumerate(tried):
        cells[begin : begin + len(alternatives), j] = alternatives
        begin += len(alternatives)
    return type(rows)(cells, columns=rows.columns)


def _nearest(name: str, value: float, numbers: Sequence[float], sets: BoolArray) -> list[Change]:
    """Return the nearest numbers below and above."""
    below = [index for index, number in enumerate(numbers) if number < value]
    above = [index for index, number in enumerate(numbers) if number > value]
    return [
        Change(name, f"at about {_about(numbers[index], value)}", _indices(sets[index]))
        for index in (*below[-1:], *above[:1])
    ]


def _about(number: float, other: float) -> str:
    """Return a number with as many digits as it takes to tell it from another.

    Examples
    --------
    >>> _about(41.26, 38.0), _about(2947.6, 1500.0), _about(1_000_003.7, 1_000_000.0)
    ('41.3', '2950', '1000003.7')
    """
    digits = 3
    while abs(float(f"{number:.{digits}g}") - number) > abs(number - other) / 20.0 and digits < 17:
        digits += 1
    return f"{float(f'{number:.{digits}g}'):.15g}"


def _categories(name: str, _: Any, states: Sequence[Any], sets: BoolArray) -> list[Change]:
    """Return the states that lead to each other answer."""
    by_answer: dict[tuple[int, ...], list[str]] = {}
    for state, mask in zip(states, sets, strict=True):
        by_answer.setdefault(_indices(mask), []).append(str(state))
    changes = []
    for remaining, words in by_answer.items():
        if len(words) > _NAMED:
            words = [*words[:_NAMED], f"{len(words) - _NAMED} more"]
        either = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
        changes.append(Change(name, f"= {either}", remaining))
    return changes


def _indices(mask: BoolArray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())
