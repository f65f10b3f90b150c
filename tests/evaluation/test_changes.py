"""What would change an answer: each sentence is tried out on the model of the fold."""

import re

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalBmaAODE, CredalLogPoolAODE, NaiveCredal
from skcredal.evaluation._changes import single_changes
from skcredal.evaluation._cross_validation import evaluate_table
from skcredal.evaluation._fold import splits
from skcredal.evaluation._words import bin_in_words, values_with_bins


def mixed_table(n=180, seed=0):
    """Return a table of long numbers, small and large ones, categories, truth values and missing cells."""
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


def stated_values(change, value=None):
    """Return values that the words of a change speak of."""
    words = change.condition
    if words.startswith("= "):
        return [part for part in re.split(r", | or ", words[2:]) if not part.endswith(" more")]
    # A row need not be changed to the very number.
    stated = float(words.removeprefix("at about "))
    return list(stated + np.linspace(-0.06, 0.06, 25) * abs(stated - value))


def answer(model, row):
    if hasattr(model, "predict_set"):
        return tuple(np.flatnonzero(model.predict_set(row)[0]))
    return (model.classes_.tolist().index(model.predict(row)[0]),)


def as_in_column(value, column):
    """Return a value, or how the page writes it, as the column holds it."""
    if isinstance(value, str):
        return next(known for known in column.dropna().unique() if str(known) == value)
    return value


@pytest.mark.parametrize(
    ("name", "classifier"),
    [
        ("bma-aode*", CredalBmaAODE()),
        ("ncc", NaiveCredal()),
        ("aode", AODE()),
        ("bma-aode*", CredalBmaAODE(missing="marginalize")),
    ],
)
def test_rows_changed_as_stated_have_the_stated_set(name, classifier):
    features, target = mixed_table()
    found = evaluate_table({name: classifier}, features, target, folds=3, explain=True, seed=4).cases[name]
    tried, kinds = 0, set()
    for train, test in splits(target, folds=3, run=0, seed=4):
        model = classifier.fit(features.iloc[train], target[train])
        for r in test:
            if r not in found.details or "changes" not in found.details[r]:
                continue
            row = features.iloc[[r]]
            before = answer(model, row)
            assert before == tuple(np.flatnonzero(found.sets[r]))
            for change in found.details[r]["changes"]:
                assert change.remaining != before
                answers = set()
                for value in stated_values(change, row[change.feature].iloc[0]):
                    changed = row.copy()
                    dtype = float if isinstance(value, float) else object
                    cell = as_in_column(value, features[change.feature])
                    changed[change.feature] = pd.Series([cell], index=row.index, dtype=dtype)
                    answers.add(answer(model, changed))
                    tried += 1
                # Every named category leads to the stated set, and a number close to the stated one.
                assert change.remaining in answers, change
                assert len(answers) == 1 or not change.condition.startswith("="), change
                kinds.add(change.condition.split()[0])
            sizes = [len(change.remaining) for change in found.details[r]["changes"]]
            assert sizes == sorted(sizes)
    assert tried > 100
    assert kinds == {"=", "at"}


def test_numbers_of_a_pool_are_changed_to_about_the_stated_ones():
    """They are tried themselves, not by bins: near the stated number the set is the stated one."""
    features, target = mixed_table(120, 3)
    features["noise"] = np.random.default_rng(3).normal(size=120)
    model = CredalLogPoolAODE(n_regions=2).fit(features, target)
    rows, seen = features.iloc[:20], set()
    for r, found in enumerate(single_changes(model, rows, features)):
        row = rows.iloc[[r]]
        for change in (one for one in found if not one.condition.startswith("= ")):
            near = stated_values(change, row[change.feature].iloc[0])
            changed = pd.concat([row] * len(near)).assign(**{change.feature: near})
            sets = [tuple(np.flatnonzero(mask)) for mask in model.predict_set(changed)]
            assert change.remaining in sets
            assert change.remaining != answer(model, row)
            seen.add(change.feature)
    # The cuts leave out the column of noise, but the line looks at it.
    assert seen >= {"pressure", "dose", "cells"}
    assert not model.encoding_[-1].cuts


def test_nothing_that_would_change_the_answer_is_forgotten():
    """Every category, and the middle of every bin, is tried here as well."""
    features, target = mixed_table(120, 1)
    model = CredalBmaAODE().fit(features, target)
    rows = features.iloc[:25]
    for r, found in enumerate(single_changes(model, rows, features)):
        row = rows.iloc[[r]]
        for name in ("ward", "smoker"):
            if pd.isna(row[name].iloc[0]):
                assert not [change for change in found if change.feature == name]
                continue
            stated = {}
            for change in found:
                if change.feature == name:
                    stated |= dict.fromkeys(stated_values(change), change.remaining)
            for state in features[name].dropna().unique():
                changed = row.copy()
                changed[name] = pd.Series([state], index=row.index, dtype=object)
                expected = answer(model, changed)
                assert stated.get(str(state), answer(model, row)) == expected


def test_only_the_opening_classifier_and_its_least_certain_cases_are_tried():
    features, target = mixed_table(300, 2)
    made = {"bma-aode*": CredalBmaAODE(), "lp-aode*": CredalLogPoolAODE(n_regions=2), "aode": AODE()}
    found = evaluate_table(made, features, target, folds=5, explain=True)
    assert found.opening == "lp-aode*"
    cases = found.cases["lp-aode*"]
    with_changes = [r for r, details in cases.details.items() if "changes" in details]
    assert len(with_changes) == 50
    without = [r for r, details in cases.details.items() if "changes" not in details]
    assert cases.undecided[with_changes].mean() > cases.undecided[without].mean()
    for name in ("bma-aode*", "aode"):
        assert not found.cases[name].details
    assert all("interval" in details for details in cases.details.values())
    quiet = evaluate_table(made, features, target, folds=5)
    assert all(not one.details for one in quiet.cases.values())


def test_bins_in_words():
    assert bin_in_words(1234.7, [1234.567]) == "above 1234.57"
    assert bin_in_words(5.5, [5.5, 6.5]) == "up to 5.5"
    assert bin_in_words(6, [5.5, 6.5]) == "in 5.5 to 6.5"
    assert bin_in_words(1e9, [1_234_567_890.4]) == "up to 1234567890"


def test_a_category_that_is_no_text_and_a_column_without_cuts_are_no_obstacle():
    table = pd.DataFrame({"t": [(1, 2), (3, 4)] * 20, "noise": [1.0] * 40, "x": [0.0, 1.0] * 20})
    model = AODE().fit(table, ["a", "b"] * 20)
    (found,) = single_changes(model, table.iloc[[0]], table)
    assert {change.feature for change in found} <= {"t", "x"}
    assert values_with_bins(model, table.iloc[[0]])[0]["t"] == "(1, 2)"


def test_a_missing_cell_is_shown_with_what_it_is_read_as():
    table = pd.DataFrame({"x": [1.0, 2.5, 4.0, np.nan] * 10, "t": ["f", "f", "m", None] * 10})
    target = ["a", "a", "b", "b"] * 10
    for missing, expected in (
        ("impute", {"x": "missing, read as 2.5", "t": "missing, read as f"}),
        ("marginalize", {"x": "missing", "t": "missing"}),
    ):
        model = AODE(missing=missing).fit(table, target)
        assert values_with_bins(model, table.iloc[[3]]) == [expected]


def test_large_numbers_are_moved_into_the_next_bin():
    table = pd.DataFrame({"x": [1e17, 3e17] * 20})
    model = AODE().fit(table, ["a", "b"] * 20)
    (found,) = single_changes(model, table.iloc[[0]], table)
    assert [(change.feature, change.remaining) for change in found] == [("x", (1,))]
