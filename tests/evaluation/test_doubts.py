"""Two kinds of doubt, counted on the same folds as everything else."""

from dataclasses import replace

import numpy as np
import pytest

from skcredal.datasets import load_dataset
from skcredal.evaluation import evaluate_table, make_classifiers
from skcredal.evaluation._doubts import DoubtSums, doubt_of_rows, evaluate_with_doubts
from skcredal.evaluation._registry import CLOSE_CALL

pytest.importorskip("pandas")


def test_a_close_call_is_one_class_below_the_threshold_and_not_at_it():
    proba = np.array([[0.75, 0.25], [0.74, 0.26], [0.26, 0.74], [0.99, 0.01]])
    sets = np.array([[True, False], [True, False], [True, True], [True, True]])
    assert CLOSE_CALL == 0.75
    assert doubt_of_rows(proba, sets).tolist() == ["", "close call", "undecided", "undecided"]
    assert doubt_of_rows(proba, sets, close_call=0.0).tolist() == ["", "", "undecided", "undecided"]
    # Without sets there is always one class.
    assert doubt_of_rows(proba, None, close_call=0.9).tolist() == ["close call"] * 3 + [""]
    assert doubt_of_rows(np.empty((0, 2)), None).tolist() == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_doubts_are_counted_on_the_folds_of_the_comparison(jobs):
    data = load_dataset("tic_tac_toe")
    features, target = data.features[::4].reset_index(drop=True), data.target[::4].to_numpy()
    made = make_classifiers(["aode", "bma-aode*", "lp-aode*"])
    protocol = {"runs": 2, "folds": 3, "seed": 1, "jobs": jobs}
    sums, doubts = evaluate_with_doubts(made, features, target, close_call=0.8, **protocol)
    expected = evaluate_table(made, features, target, **protocol)
    timeless = {"fit_seconds": 0.0, "predict_seconds": 0.0}
    for name in made:
        assert replace(sums[name], **timeless) == replace(expected[name], **timeless)
    assert set(doubts) == {"bma-aode*", "lp-aode*"}
    for name, found in doubts.items():
        of_all = expected[name]
        assert (found.decided, found.decided_correct) == (of_all.determinate, of_all.single_correct)
        assert (found.undecided, found.undecided_correct) == (of_all.indeterminate, of_all.dependent_correct)
        assert 0 < found.close < found.decided
        assert found.close_correct / found.close < found.decided_correct / found.decided


def test_what_there_is_none_of_was_never_right_or_wrong():
    found = DoubtSums(decided=4, decided_correct=3).measures()
    assert found["accuracy_decided"] == 0.75
    assert np.isnan(found["accuracy_close_calls"])
    assert np.isnan(found["accuracy_undecided"])
