"""What would change an answer: the changes of one feature after which another set of classes remains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal._encoding.columns import is_missing
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._log_pool import LogPoolAODE
from skcredal.evaluation._values import range_in_words

if TYPE_CHECKING:
    import pandas

__all__ = ["Change", "single_changes"]

# A feature with more states is not tried: nobody reads a list of what each of them would do.
_MOST_STATES = 50
# Of the states that lead to the same answer, how many are named.
_NAMED = 5
# Where numbers are tried besides the middles of bins.
_QUANTILES = np.arange(0.05, 1.0, 0.1)
# Rows predicted at once; each is a whole row of the table.
_BATCH = 20_000


class Change(NamedTuple):
    """One feature with other values, and the indices of the classes that would remain."""

    feature: str
    condition: str
    remaining: tuple[int, ...]


def single_changes(
    model: TabularClassifier, rows: pandas.DataFrame, training: pandas.DataFrame
) -> list[list[Change]]:
    """Return, for each row, the nearest values of each single feature with which another set remains.

    Found by predicting changed rows: a number is moved to the middle of every bin of the model, a category to
    every other one. Where the answer also depends on the number itself, it is moved to quantiles of the
    ``training`` rows, too. Changes that leave fewer classes come first.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal import AODE
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50] * 9, "sex": ["f", "m"] * 18})
    >>> model = AODE().fit(table, table["age"] > 30)
    >>> single_changes(model, table.iloc[:1], table)
    [[Change(feature='age', condition='above 35', remaining=(1,))]]
    """
    tried = [_alternatives(model, j, training.iloc[:, j]) for j in range(len(model.encoding_))]
    n_tried = sum(map(len, tried))
    if not n_tried:
        return [[] for _ in range(len(rows))]
    at_once = max(1, _BATCH // n_tried)
    present = _sets(model, rows)
    found = []
    for start in range(0, len(rows), at_once):
        part = rows.iloc[start : start + at_once]
        sets = _sets(model, _changed(model, part, tried)).reshape(len(part), n_tried, -1)
        found += [_changes(model, part.iloc[r], present[start + r], sets[r], tried) for r in range(len(part))]
    return found


def _sets(model: TabularClassifier, rows: pandas.DataFrame) -> BoolArray:
    """Return the sets; those of a classifier without sets hold the most probable class."""
    if isinstance(model, CredalMixin):
        return model.predict_set(rows)
    sets: BoolArray = model.predict(rows)[:, None] == model.classes_
    return sets


def _alternatives(model: TabularClassifier, j: int, training: Any) -> list[Any]:
    """Return numbers to try, in order, or every state of a categorical feature."""
    how = model.encoding_[j]
    if how.kind == "categorical":
        return list(how.states) if how.kept and 1 < len(how.states) <= _MOST_STATES else []
    cuts, middles = np.array(how.cuts), np.empty(0)
    assert how.range is not None
    if len(cuts):
        # Outside of all training values if need be: a first bin may begin at the lowest of them. By so much
        # that it is not lost in the rounding of large numbers.
        beyond = max(1.0, 1e-6 * abs(cuts[0]), 1e-6 * abs(cuts[-1]))
        low, high = (min(how.range[0], cuts[0] - beyond), max(how.range[1], cuts[-1] + beyond))
        edges: FloatArray = np.concatenate([[low], cuts, [high]])
        middles = (edges[:-1] + edges[1:]) / 2.0
    if not (isinstance(model, LogPoolAODE) and how.kept):
        return list(middles.tolist())
    known = training.to_numpy(dtype=float, na_value=np.nan)
    return list(np.unique([*middles, *np.nanquantile(known, _QUANTILES)]).tolist())


def _changed(
    model: TabularClassifier, rows: pandas.DataFrame, tried: Sequence[list[Any]]
) -> pandas.DataFrame:
    """Return every row as often as there are alternatives, each time with one of them."""
    n_tried = sum(map(len, tried))
    columns, begin = {}, 0
    for j, alternatives in enumerate(tried):
        column = rows.iloc[:, j]
        is_number = model.encoding_[j].kind == "numeric"
        # Categories as objects, since those that were seen need not be among those of the column's type.
        dtype: Any = float if is_number else object
        cells: AnyArray = column.to_numpy(dtype=dtype, na_value=np.nan)
        repeated = np.repeat(cells[:, None], n_tried, axis=1)
        repeated[:, begin : begin + len(alternatives)] = _row_of(alternatives, repeated.dtype)
        columns[column.name] = repeated.ravel()
        begin += len(alternatives)
    changed: pandas.DataFrame = type(rows)(columns)
    return changed


def _row_of(values: list[Any], dtype: Any) -> AnyArray:
    # One by one: numpy would take apart a category that is a tuple.
    row = np.empty(len(values), dtype)
    for index, value in enumerate(values):
        row[index] = value
    return row


def _changes(
    model: TabularClassifier, row: Any, present: BoolArray, sets: BoolArray, tried: Sequence[list[Any]]
) -> list[Change]:
    changes: list[Change] = []
    begin = 0
    for j, alternatives in enumerate(tried):
        of_feature = sets[begin : begin + len(alternatives)]
        begin += len(alternatives)
        value, how = row.iloc[j], model.encoding_[j]
        if not alternatives or is_missing(value):
            continue
        kept = (of_feature == present).all(axis=1)
        if how.kind == "numeric" and isinstance(model, LogPoolAODE):
            changes += _at_numbers(str(how.name), float(value), alternatives, of_feature, kept)
        elif how.kind == "numeric":
            cuts = np.array(how.cuts)
            changes += _of_number(str(how.name), float(value), cuts, alternatives, of_feature, kept)
        else:
            changes += _of_category(str(how.name), alternatives, of_feature, kept)
    # Stable: changes that leave equally many classes stay in the order of the columns.
    return sorted(changes, key=lambda change: len(change.remaining))


def _at_numbers(
    name: str, value: float, numbers: list[float], sets: BoolArray, kept: BoolArray
) -> list[Change]:
    """Return the nearest numbers below and above with another answer."""
    other = np.flatnonzero(~kept)
    below, above = (other[np.array(numbers)[other] < value], other[np.array(numbers)[other] > value])
    nearest = [*below[-1:], *above[:1]]
    return [
        Change(name, f"at about {_about(numbers[near], value)}", _indices(sets[near])) for near in nearest
    ]


def _about(number: float, other: float) -> str:
    """Return a number with as many digits as it takes to tell it from another.

    Examples
    --------
    >>> _about(41.26, 38.0), _about(1_000_003.7, 1_000_000.0)
    ('41.3', '1000003.7')
    """
    digits = 3
    while abs(float(f"{number:.{digits}g}") - number) > abs(number - other) / 20.0 and digits < 17:
        digits += 1
    return f"{number:.{digits}g}"


def _of_number(
    name: str, value: float, cuts: FloatArray, middles: list[float], sets: BoolArray, kept: BoolArray
) -> list[Change]:
    """Return the nearest bins below and above with another answer, with those beyond that share it."""
    at, last = int(np.searchsorted(cuts, value)), len(cuts)
    changes = []
    for step, end in ((-1, 0), (1, last)):
        near = at
        while near != end and kept[near]:
            near += step
        if kept[near]:
            continue
        far = near
        while far != end and (sets[far + step] == sets[near]).all():
            far += step
        first, final = min(near, far), max(near, far)
        # Bin i lies between cuts i - 1 and i.
        low, high = None if first == 0 else cuts[first - 1], None if final == last else cuts[final]
        changes.append(Change(name, range_in_words(low, high, middles[near]), _indices(sets[near])))
    return changes


def _of_category(name: str, states: list[Any], sets: BoolArray, kept: BoolArray) -> list[Change]:
    by_answer: dict[tuple[int, ...], list[Any]] = {}
    for state, mask, is_kept in zip(states, sets, kept, strict=True):
        if not is_kept:
            by_answer.setdefault(_indices(mask), []).append(state)
    changes = []
    for remaining, leading in by_answer.items():
        named = [str(state) for state in leading[:_NAMED]]
        more = len(leading) - len(named)
        words = [*named, f"{more} more"] if more else named
        either = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        changes.append(Change(name, f"= {either}", remaining))
    return changes


def _indices(mask: BoolArray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())
