"""What the benchmark computes from times, on times that are given."""

import json

import numpy as np
import pytest
from benchmarks.measuring import Step, exponent, geometric_mean, interleave, records, upper_part
from benchmarks.tables import markdown
from benchmarks.targets import TARGETS, judge, judge_others, judge_small


def test_the_geometric_mean():
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([1e-3, 1e3, 1.0]) == pytest.approx(1.0)


def test_the_exponent_of_a_power_is_found():
    sizes = [8, 16, 32, 64, 128, 256]
    assert exponent(sizes, [3.0 * size**2 for size in sizes]) == pytest.approx(2.0)
    assert exponent(sizes, [5.0] * 6) == pytest.approx(0.0)


def test_the_exponent_comes_from_the_upper_part_of_the_range():
    """Costs that matter only for small sizes are not seen; those that grow with the size are."""
    sizes = [1, 4, 16, 64, 256]
    np.testing.assert_array_equal(upper_part(sizes), [False, False, True, True, True])
    values = [7.0, 7.0, 16.0, 64.0, 256.0]
    assert exponent(sizes, values) == pytest.approx(1.0)
    assert exponent(sizes, [7.0, 7.0, 2.0 * 16**2, 2.0 * 64**2, 2.0 * 256**2]) == pytest.approx(2.0)
    # At least three points, however they lie.
    assert upper_part([1, 2, 1024]).sum() == 3


def test_steps_take_turns_and_the_best_counts():
    calls = []
    times = {"a": iter([9.0, 3.0, 1.0, 2.0]), "b": iter([9.0, 5.0, 5.0, 4.0]), "slow": iter([30.0])}

    def run(name):
        calls.append(name)
        return next(times[name])

    steps = [Step(name, "fit", 1, lambda name=name: run(name)) for name in times]
    steps[0].budget = steps[1].budget = 12.0
    interleave(steps, 3, turn=0.5)
    # The warm-up, then rounds; what used up its budget in the warm-up is not run again.
    assert calls == ["a", "b", "slow", "a", "b", "a", "b", "a", "b"]
    assert [record["seconds"] for record in records(steps)] == [1.0, 4.0, 30.0]
    assert [record["times_measured"] for record in records(steps)] == [3, 3, 1]


def test_short_steps_are_repeated_in_their_turn_and_long_ones_end_with_the_budget():
    short, long = Step("short", "fit", 1, lambda: 0.1), Step("long", "fit", 1, lambda: 5.0, budget=9.0)
    interleave([short, long], 4, turn=0.25)
    assert len(short.seconds) == 12
    assert len(long.seconds) == 2


def test_a_step_that_returns_nothing_is_timed_from_outside():
    ticks = iter([2.0, 2.5])
    step = Step("a", "fit", 1, lambda: None)
    assert step.take(clock=lambda: next(ticks)) == 0.5


def times(seconds):
    return [
        {"problem": problem, "contender": contender, "action": action, "threads": threads, "seconds": value}
        for (problem, contender, action, threads), value in seconds.items()
    ]


def test_targets_are_judged_by_the_geometric_mean_over_problems():
    measured = times(
        {
            ("A", "Weka AODE", "fit", 1): 8.0,
            ("A", "AODE", "fit", 2): 1.0,
            ("D", "Weka AODE", "fit", 1): 2.0,
            ("D", "AODE", "fit", 2): 1.0,
            ("A", "COMP-AODE*", "predict_set", 2): 1.2,
            ("A", "COMP-AODE*", "predict_proba", 2): 1.0,
            ("D", "COMP-AODE*", "predict_set", 2): 1.2,
            ("D", "COMP-AODE*", "predict_proba", 2): 1.0,
        }
    )
    fit, sets = judge(measured)
    assert fit["value"] == pytest.approx(4.0)
    assert fit["by_problem"] == {"A": 8.0, "D": 2.0}
    assert (fit["wanted"], fit["met"]) == ("≥ 3", True)
    assert sets["value"] == pytest.approx(1.2)
    assert (sets["wanted"], sets["met"]) == ("≤ 1.6", True)
    assert len(TARGETS) == 5


def test_small_calls_and_cuts_are_judged():
    small = times(
        {
            ("iris", "COMP-AODE*", "predict_set", 1): 0.0020,
            ("iris", "validate_data", "one row", 1): 0.0005,
            ("D", "COMP-AODE*", "predict_set", 1): 0.0004,
            ("D", "validate_data", "one row", 1): 0.0001,
            ("A as a DataFrame", "COMP-AODE*", "predict_set", 1): 0.0020,
            ("A as a DataFrame", "validate_data", "one row", 1): 0.0014,
            ("iris", "KBinsDiscretizer, CategoricalNB", "fit", 1): 0.004,
            ("iris", "AODE", "fit", 1): 0.002,
            ("iris", "COMP-AODE*", "fit", 1): 0.008,
        }
    )
    assert [one["value"] for one in judge_small(small)] == pytest.approx([1.5, 0.3, 0.6, 2.0, 0.5])
    assert [one["met"] for one in judge_small(small)] == [False, True, True, True, False]
    cuts = times(
        {
            ("", "MDLDiscretizer", "fit", 1): 3.0,
            ("", "np.argsort", "each column", 1): 1.0,
            ("", "MDLDiscretizer", "fit", 2): 1.0,
            ("", "np.argsort", "each column", 2): 0.5,
        }
    )
    assert [(one["value"], one["met"]) for one in judge_others(cuts)] == [(3.0, False), (2.0, True)]


def test_the_tables_show_what_was_measured():
    measured = times(
        {
            ("A", "AODE", "fit", 2): 0.002,
            ("A", "AODE", "predict_proba", 2): 0.004,
            ("A", "Weka AODE", "fit", 1): 0.02,
            ("A", "counts", "count", 2): 0.001,
        }
    )
    growth = {
        "sizes": [1, 16],
        "values": {"fit": [0.001, 0.016], "memory": [2**20, 2**21]},
        "mean_set_size": [1.0, 1.5],
        "exponents": {"fit": 1.0, "memory": 0.25},
        "paper": {"fit": 1, "memory": 0},
    }
    results = {
        "machine": {"cpu": "a processor", "memory_gib": 8},
        "settings": {"rounds": 3},
        "targets": judge(measured),
        "speed": {"times": measured, "agreement": {"A": {"plain C, largest": 1e-15}}},
        "memory": [
            {"problem": "A", "contender": "AODE", "threads": 1, "fit": 2**21, "predict": 0, "data": 2**20}
        ],
        "growth": {"n": growth},
        "start": {"import": 0.25},
    }
    text = markdown(json.loads(json.dumps(results)))
    lines = [" ".join(line.replace("|", " ").split()) for line in text.splitlines()]
    assert "AODE's fit: times faster than Weka's AODE 10.00 10.00 ≥ 3 met" in lines
    assert "Weka AODE fit 1 20.00 10.00" in lines
    assert "counts count 2 1.00" in lines
    assert "A AODE 1 2.0 0.0 1.0" in lines
    assert "fit 1.00 (1)" in lines
    assert "16 16.00 2.0 1.50" in lines
    assert "import 0.25" in lines
    assert "On cpu a processor, memory gib 8; best of 3 rounds, in turns." in lines
