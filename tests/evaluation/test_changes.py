"""What would change an answer: each sentence is tried out on the model of the fold."""

import re

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalBmaAODE, CredalLogPoolAODE, NaiveCredal
from skcredal.evaluation._changes import single_changes
from skcredal.evaluation._words import values_with_bins


def mixed_table(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    table = pd.DataFrame(
        {
            "pressure": 1200 + 30 * y + rng.normal(0, 25, n),
            "dose": np.round(0.001 * y + rng.normal(0, 0.001, n), 6),
            "cells": (1e9 + 1e3 * y + rng.normal(0, 1e3, n)).round(),
            "ward": np.array(["north", "south", "west"], object)[(y + (rng.random(n) < 0.5)) % 3],
            "smoker": rng.random(n) < 0.3 + 0.2 * y,
            "few": pd.Categorical(rng.integers(1, 4, n)),
        }
    )
    table.loc[rng.random(n) < 0.1, "pressure"] = np.nan
    table.loc[rng.random(n) < 0.1, "ward"] = None
    return table, np.array(["a", "b", "c"])[y]


def stated_values(change, column, value):
    words = change.condition
    if words.startswith("= "):
        named = re.split(r", | or ", words[2:])
        return [known for known in column.dropna().unique() if str(known) in named]
    # A row need not be changed to the very number.
    stated = float(words.removeprefix("at about "))
    return list(stated + np.linspace(-0.06, 0.06, 25) * abs(stated - value))


def answers(model, row, feature, values):
    changed = pd.concat([row] * len(values), ignore_index=True)
    changed[feature] = pd.Series(values, dtype=float if isinstance(values[0], float) else object)
    if hasattr(model, "predict_set"):
        return [tuple(np.flatnonzero(mask)) for mask in model.predict_set(changed)]
    return [(int(c),) for c in np.searchsorted(model.classes_, model.predict(changed))]


@pytest.mark.parametrize(
    "classifier",
    [
        *(CredalLogPoolAODE(n_regions=2), CredalBmaAODE(), NaiveCredal(), AODE()),
        CredalBmaAODE(missing="marginalize"),
    ],
)
def test_rows_changed_as_stated_have_the_stated_set_and_nothing_is_forgotten(classifier):
    features, target = mixed_table(150, 3)
    model, rows = classifier.fit(features[:100], target[:100]), features[100:]
    tried = set()
    for r, found in enumerate(single_changes(model, rows, features[:100])):
        row, by_category = rows.iloc[[r]], {}
        (before,) = answers(model, row, "dose", row["dose"].tolist())
        for change in found:
            value = row[change.feature].iloc[0]
            stated = stated_values(change, features[change.feature], value)
            sets = answers(model, row, change.feature, stated)
            # Every named category leads to the stated set, and a number close to the stated one.
            assert change.remaining in sets, change
            assert change.remaining != before
            if change.condition.startswith("= "):
                assert set(sets) == {change.remaining}, change
                by_category |= {(change.feature, one): change.remaining for one in stated}
            tried.add(change.feature)
        sizes = [len(change.remaining) for change in found]
        assert sizes == sorted(sizes)
        for name in ("ward", "smoker"):
            known = [] if pd.isna(row[name].iloc[0]) else features[name].dropna().unique().tolist()
            expected = dict(zip(known, answers(model, row, name, known) if known else [], strict=True))
            for one in features[name].dropna().unique():
                assert by_category.get((name, one), before) == expected.get(one, before)
    assert tried >= {"pressure", "dose", "ward", "smoker"}


def test_a_missing_cell_is_shown_with_what_it_is_read_as():
    table = pd.DataFrame({"x": [1.0, 2.5, 4.0, np.nan] * 10, "t": ["f", "f", "m", None] * 10})
    target = ["a", "a", "b", "b"] * 10
    for missing, expected in (
        ("impute", {"x": "missing, read as 2.5", "t": "missing, read as f"}),
        ("marginalize", {"x": "missing", "t": "missing"}),
    ):
        model = AODE(missing=missing).fit(table, target)
        assert values_with_bins(model, table.iloc[[3]]) == [expected]
