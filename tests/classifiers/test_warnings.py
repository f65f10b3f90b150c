"""What is legal but probably not meant is said aloud, once, by the name of the column."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalCompAODE, CredalLogPoolAODE


def visits(n=400, n_days=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=n), "day": rng.integers(0, n_days, n).astype(str)})
    return frame, np.where(frame["x"] + rng.normal(size=n) > 0, "high", "low")


@pytest.mark.parametrize("classifier", [CredalCompAODE, CredalLogPoolAODE])
def test_a_column_that_looks_like_an_identifier_is_named(classifier):
    X, y = visits()
    with pytest.warns(
        UserWarning, match=r"In 400 rows .* identifiers.*Column 'day' \(\d+ states\).*max_categories"
    ):
        classifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier(max_categories=10).fit(X, y)
        classifier().fit(*visits(n_days=30))


@pytest.mark.parametrize(("learned", "given"), [(["1", "2", "x"], [1, 2, 1]), ([1, 2, 3], ["1", "2", "1"])])
@pytest.mark.parametrize("classifier", [AODE, CredalLogPoolAODE])
def test_a_column_whose_kind_changes_altogether_is_named(classifier, learned, given):
    X = pd.DataFrame({"code": learned * 20, "v": range(60)})
    clf = classifier(categorical_features=["code"]).fit(X, ["a", "b", "b"] * 20)
    with pytest.warns(UserWarning, match=r"Column 'code' was learned as (text|numbers) and now holds only"):
        proba = clf.predict_proba(pd.DataFrame({"code": given, "v": [1, 1, 1]}))
    assert np.isfinite(proba).all()


@pytest.mark.parametrize("classifier", [AODE, CredalLogPoolAODE])
def test_a_single_new_category_is_no_reason_to_warn(classifier):
    X = pd.DataFrame({"code": ["1", "2", "x"] * 20, "v": range(60)})
    clf = classifier().fit(X, ["a", "b", "b"] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(pd.DataFrame({"code": ["new", "newer"], "v": [1, 1]}))
        clf.predict(pd.DataFrame({"code": ["1", 7], "v": [1, 1]}))


def test_a_missing_label_in_a_list_does_not_become_a_class():
    with pytest.raises(ValueError, match="y contains a missing value"):
        AODE().fit([[1], [2], [3], [4]], ["a", "b", float("nan"), "a"])


def test_labels_of_different_kinds_are_refused_by_name():
    with pytest.raises(ValueError, match="y must be all text or all numbers"):
        AODE().fit([[1], [2], [3], [4]], np.array(["a", 1, "a", 1], dtype=object))


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
    X = pd.DataFrame({"c": ["a", "b"] * 5})
    with pytest.raises(TypeError, match="categories must"):
        AODE(categories=categories).fit(X, [0, 1] * 5)
