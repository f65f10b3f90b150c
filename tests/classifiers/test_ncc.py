"""NCC, NCC2 and CMA through the public interface: laws of conservative features, and examples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from problems import mixed_table
from skcredal import NaiveCredal

STATES = [["a", "b"], ["p", "q", "r"], ["u", "v"]]


def declared(rows):
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            f"f{j}": pd.Categorical(column, categories=states)
            for j, (column, states) in enumerate(zip(columns, STATES, strict=True))
        }
    )


def holed_problem(seed, *, n=12, share=0.12, n_test=6, most_open=5):
    rng = np.random.default_rng(seed)
    y = [*"xyz", *rng.choice(list("xyz"), n - 3).tolist()]

    def row(share):
        return [None if rng.random() < share else str(rng.choice(states)) for states in STATES]

    train, test = [row(share) for _ in y], [row(0.3) for _ in range(n_test)]
    places = [(r, j) for r, one in enumerate(train) for j, cell in enumerate(one) if cell is None]
    for r, j in places[most_open:]:
        train[r][j] = STATES[j][0]
    return train, y, test


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1]))
@settings(max_examples=60)
def test_the_set_holds_that_of_every_completion(seed, contamination):
    """A completion of the table and the rows at random, judged by NCC without any missing cell."""
    train, y, test = holed_problem(seed, n=20, share=0.2, most_open=30)
    rng = np.random.default_rng(seed)
    clf = NaiveCredal(conservative_features="all", contamination=contamination).fit(declared(train), y)

    def complete(rows):
        return declared(
            [
                [cell or str(rng.choice(states)) for cell, states in zip(row, STATES, strict=True)]
                for row in rows
            ]
        )

    wide, wide_bounds = clf.predict_set(declared(test)), clf.predict_interval(declared(test))
    ncc = NaiveCredal(contamination=contamination).fit(complete(train), y)
    whole = complete(test)
    assert (wide >= ncc.predict_set(whole)).all()
    bounds = ncc.predict_interval(whole)
    assert (wide_bounds[..., 0] <= bounds[..., 0] + 1e-9).all()
    assert (wide_bounds[..., 1] >= bounds[..., 1] - 1e-9).all()


@given(st.integers(0, 2**32 - 1), st.integers(4, 20))
@settings(max_examples=60)
def test_without_missing_cells_it_is_ncc(seed, n):
    """Also where a declared state does not occur, or only one does."""
    train, y, test = holed_problem(seed, n=n, share=0.0)
    test = [[cell or states[0] for cell, states in zip(row, STATES, strict=True)] for row in test]
    ncc, ncc2 = (NaiveCredal(conservative_features=f).fit(declared(train), y) for f in (None, "all"))
    assert ncc.features_.tolist() == ncc2.features_.tolist()
    np.testing.assert_array_equal(ncc.predict_set(declared(test)), ncc2.predict_set(declared(test)))
    np.testing.assert_array_equal(ncc.predict_interval(declared(test)), ncc2.predict_interval(declared(test)))


def test_cuts_come_from_known_cells_and_missing_cells_are_counted():
    table, y, _ = mixed_table(np.random.default_rng(70), 60, 2)
    clf = NaiveCredal(conservative_features=["number"]).fit(table, y)
    known = table["number"].notna().to_numpy()
    cuts = NaiveCredal().fit(table.loc[known, ["number"]], y[known]).encoding_[0].cuts
    assert clf.encoding_[0].cuts == cuts
    expected = [int((~known & (y == c)).sum()) for c in (0, 1)]
    assert clf.missing_counts_.tolist() == [expected, [0, 0], [0, 0]]
    assert clf.counts_.values(0).sum(axis=0).tolist() == [int((known & (y == c)).sum()) for c in (0, 1)]
    # The others are imputed: all of their cells count.
    assert clf.counts_.values(1).sum() == len(y)


def test_an_unknown_value_is_left_out_and_not_any_value():
    table, y, _ = mixed_table(np.random.default_rng(73), 200, 2)
    clf = NaiveCredal(conservative_features="all").fit(table, y)
    row = table[table.notna().all(axis=1)].iloc[:1]
    new, missing = row.assign(kind="new"), row.assign(kind=None)
    without = NaiveCredal(conservative_features="all").fit(table.drop(columns="kind"), y)
    np.testing.assert_allclose(
        clf.predict_interval(new), without.predict_interval(row.drop(columns="kind")), rtol=1e-9
    )
    width = np.diff(clf.predict_interval(missing)).max()
    assert width > np.diff(clf.predict_interval(new)).max()
    strict = NaiveCredal(conservative_features="all", handle_unknown="error").fit(table, y)
    strict.predict_set(missing)
    with pytest.raises(ValueError, match="known states"):
        strict.predict_set(new)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_more_conservative_features_never_narrow_a_set(seed):
    train, y, test = holed_problem(seed, n=20, share=0.2, most_open=30)
    observed = [{row[j] for row in train} - {None} for j in range(3)]
    assume(min(map(len, observed)) > 1)
    sets = [
        NaiveCredal(conservative_features=chosen, missing="marginalize")
        .fit(declared(train), y)
        .predict_set(declared(test))
        for chosen in (["f1"], ["f1", "f2"], "all")
    ]
    assert (sets[0] <= sets[1]).all()
    assert (sets[1] <= sets[2]).all()
