"""What is legal but probably not meant is said aloud, once, by the name of the column."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalLogPoolAODE


@pytest.mark.parametrize("classifier", [AODE, CredalLogPoolAODE])
def test_a_column_that_looks_like_an_identifier_is_named(classifier):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=400), "day": rng.integers(0, 300, 400).astype(str)})
    y = np.where(X["x"] + rng.normal(size=400) > 0, "high", "low")
    with pytest.warns(UserWarning, match=r"400 rows .*Column 'day' \(\d+ states\).*max_categories") as caught:
        classifier().fit(X, y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier(max_categories=10).fit(X, y)
        classifier().fit(X.assign(day=X["day"].str[:1]), y)


@pytest.mark.parametrize(("learned", "given"), [(["1", "2", "x"], [1, 2, 1]), ([1, 2, 3], ["1", "2", "1"])])
def test_a_column_whose_kind_changes_altogether_is_named_and_a_new_category_is_not(learned, given):
    X = pd.DataFrame({"code": learned * 20, "v": range(60)})
    clf = AODE(categorical_features=["code"]).fit(X, ["a", "b", "b"] * 20)
    with pytest.warns(UserWarning, match=r"Column 'code' .*(text|numbers)") as caught:
        proba = clf.predict_proba(pd.DataFrame({"code": given, "v": [1, 1, 1]}))
    assert caught[0].filename == __file__
    assert np.isfinite(proba).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for code in (["new", learned[0]], [learned[0], 7]):
            clf.predict(pd.DataFrame({"code": code, "v": [1, 1]}))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]), "masked array"),
        ([[1, 2], [3]], "X cannot be read: .* inhomogeneous shape"),
        ([[10**400], [1]], r"Feature 0 is numeric, but row 0 holds 10{30}"),
    ],
)
def test_tables_that_would_lose_something_are_refused(X, message):
    with pytest.raises((TypeError, ValueError), match=message):
        AODE().fit(X, [0, 1])


@pytest.mark.parametrize("categories", [[{"a", "b"}], {"c": ["a", "b"]}])
def test_declared_states_need_an_order(categories):
    with pytest.raises(TypeError, match="categories must"):
        AODE(categories=categories).fit(pd.DataFrame({"c": ["a", "b"] * 5}), [0, 1] * 5)
