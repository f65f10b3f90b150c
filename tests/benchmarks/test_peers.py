"""What the comparison with other implementations compares, and that its tables say what the page says."""

import csv
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.problems import OURS, read_problems
from benchmarks.peers.run import ACCURACIES, SUMMARY, categorical_nb_proba, compare_cuts, known_columns
from benchmarks.peers.weka import laplace_naive_proba
from benchmarks.weka import laplace_joint_proba

from skcredal import AODE, MDLDiscretizer, NaiveBayes

SETTINGS = {"categorical_features": "all", "categories": [[0, 1], [0, 1, 2]]}
X = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, 0]])
Y = np.array([0, 0, 1, 1, 1])


@pytest.fixture(scope="module")
def problems():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SKCREDAL_DATA", raising=False)
        return {problem.name: problem for problem in read_problems()}


def test_wekas_naive_bayes_by_hand():
    """P(c) = (n(c)+1)/(n+2) and P(a|c) = (n(c,a)+1)/(n(c)+v)."""
    counts = NaiveBayes(**SETTINGS).fit(X, Y).counts_
    # The row (0, 2): n(c) = 2, 3; n(c,a) = 2, 1; n(c,b) = 0, 0.
    first, second = 3 / 7 * 3 / 4 * 1 / 5, 4 / 7 * 2 / 5 * 1 / 6
    proba = laplace_naive_proba(counts, np.array([[0, 2]]))
    np.testing.assert_allclose(proba, [[first / (first + second), second / (first + second)]], rtol=1e-14)


def test_wekas_aode_leaves_out_a_super_parent_that_was_never_seen():
    counts = AODE(**SETTINGS).fit(X, Y).counts_
    # The row (0, 2): only the first feature is a super-parent; n(c,a) = 2, 1; n(c,a,b) = 0, 0.
    first, second = 3 / 9 * 1 / 5, 2 / 9 * 1 / 4
    proba = laplace_joint_proba(counts, np.array([[0, 2]]))
    np.testing.assert_allclose(proba, [[first / (first + second), second / (first + second)]], rtol=1e-14)


def test_categorical_nb_with_our_pseudo_counts_is_our_naive_bayes():
    rng = np.random.default_rng(0)
    n_states, labels = np.array([2, 5, 3]), rng.integers(0, 3, 60)
    train, test = (rng.integers(0, n_states, (n, 3)) for n in (60, 40))
    states = [np.arange(v) for v in n_states]
    ours = NaiveBayes(categorical_features="all", categories=states).fit(train, labels)
    theirs = categorical_nb_proba(train, labels, test, n_states, 3)
    np.testing.assert_allclose(ours.predict_proba(test), theirs, rtol=1e-12)


def test_cuts_are_compared_to_the_last_bit():
    cuts = [np.array([0.5, 1.5]), np.array([0.1 + 0.2]), np.empty(0)]
    assert compare_cuts(cuts, [np.array([0.5, 1.5]), np.array([0.3]), np.empty(0)]) == (2, [1])


def test_the_problems_are_those_of_the_data_sets(problems):
    iris = problems["iris"]
    columns = list(known_columns(iris))
    for (values, labels), cuts in zip(columns, iris.cuts, strict=True):
        alone = MDLDiscretizer().fit(np.array(values)[:, None], labels)
        np.testing.assert_array_equal(alone.cut_points_[0], cuts)
    fold, train, test = iris.folds[0]
    assert sorted([*train, *test]) == list(range(150))
    assert (iris.codes < iris.n_states).all()
    for name in OURS:
        learner, proba = iris.ours(name, fold)
        assert proba.shape == (len(test), 3)
        assert learner.counts_.n == len(train)


def test_others_can_read_a_problem(problems, tmp_path):
    problems["iris"].write(tmp_path / "iris")
    assert '"edges": [[' in (tmp_path / "iris").read_text(encoding="utf-8")


def read(path):
    with Path(path).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_tables_leave_no_difference_unexplained():
    summary = read(SUMMARY)
    assert {line["implementation"].split("-")[0].split()[0] for line in summary} >= {
        "weka",
        "Orange",
        "pgmpy",
    }
    for line in summary:
        assert line["compared"] == line["the same"] or line["why not all"]
        assert not line["largest difference"] or float(line["largest difference"]) < 1e-12
    accuracies = read(ACCURACIES)
    assert len(accuracies) >= 5
    for line in accuracies:
        for name in ("NB", "AODE"):
            # Different definitions explain all that is different.
            assert line[f"{name}, left"] == "0"
            assert line[f"{name}, differ"] != "0" or line[name] == line[f"{name}, Weka's"]
