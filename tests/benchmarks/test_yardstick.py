"""The yardstick counts and predicts what we do: otherwise no ratio to it would mean anything."""

import numpy as np
import pytest
from benchmarks.problems import Problem, declared, make_table
from benchmarks.weka import laplace_joint_proba
from benchmarks.yardstick import Yardstick, compiler

from skcredal import AODE

needs_gcc = pytest.mark.skipif(compiler() is None, reason="the yardstick is C, and there is no gcc")

SMALL = [
    Problem("pair", 20, (2, 3), 2, n_test=7),
    Problem("mixed", 301, (2, 5, 3, 4), 5, n_test=50),
    Problem("wide", 40, (3,) * 17, 3, n_test=33),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("yardstick")


@needs_gcc
@pytest.mark.parametrize("problem", SMALL, ids=lambda problem: problem.name)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_yardstick_counts_and_predicts_as_we_do(problem, threads, folder):
    table = make_table(problem)
    clf = AODE(**declared(problem)).fit(table.X, table.y)
    plain = Yardstick(problem.states, problem.n_classes, n_threads=threads, folder=folder)
    plain.count(table.X, table.y)
    plain.count(table.X, table.y)  # starts anew
    for j in range(problem.k):
        np.testing.assert_array_equal(plain.values(j), clf.counts_.values(j))
        for i in range(j):
            np.testing.assert_array_equal(plain.pair(i, j), clf.counts_.pair(i, j))
    plain.fill_tables()
    proba = plain.predict_proba(table.X_test)
    np.testing.assert_allclose(proba, clf.predict_proba(table.X_test), rtol=0, atol=1e-12)


@needs_gcc
def test_the_yardstick_refuses_another_number_of_features(folder):
    plain = Yardstick([2, 3], 2, folder=folder)
    with pytest.raises(ValueError, match="X must have 2 columns, got 3"):
        plain.count(np.zeros((4, 3), np.uint8), np.zeros(4, np.int32))


def test_the_tables_are_what_they_claim():
    """Seeded, of the declared size, every class and state present, and the class speaks to the features."""
    problem = Problem("check", 2_000, (2, 3, 4, 5), 3, n_test=1_000)
    table, again = make_table(problem), make_table(problem)
    assert table.X.shape == (2_000, 4)
    assert table.X_test.shape == (1_000, 4)
    np.testing.assert_array_equal(table.X, again.X)
    np.testing.assert_array_equal(table.y_test, again.y_test)
    assert [sorted(set(column)) for column in table.X.T.tolist()] == [list(range(v)) for v in problem.states]
    assert set(table.y.tolist()) == {0, 1, 2}
    clf = AODE(**declared(problem)).fit(table.X, table.y)
    assert clf.score(table.X_test, table.y_test) > np.bincount(table.y_test).max() / 1_000 + 0.03


def test_wekas_definition_by_hand():
    """P(c,a,b) = (n(c,a)+1)/(n+4) · (n(c,a,b)+1)/(n(c,a)+2) for two features of two states, and exchanged."""
    X = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 0]], np.uint8)
    y = np.array([0, 0, 1, 1, 1])
    settings = {"categorical_features": "all", "categories": [[0, 1], [0, 1]]}
    counts = AODE(**settings).fit(X, y).counts_
    # The row (0, 0): n(c,a) = 2, 1; n(c,b) = 1, 1; n(c,a,b) = 1, 1.
    first = 3 / 9 * 2 / 4 + 2 / 9 * 2 / 3
    second = 2 / 9 * 2 / 3 + 2 / 9 * 2 / 3
    proba = laplace_joint_proba(counts, np.array([[0, 0]], np.uint8))
    np.testing.assert_allclose(proba, [[first / (first + second), second / (first + second)]], rtol=1e-14)
