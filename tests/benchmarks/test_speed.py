"""The part of the benchmark that all targets of speed come from runs, on a small table."""

import pytest
from benchmarks.problems import Problem
from benchmarks.yardstick import compiler

pytest.importorskip("mapie")

SMALL = Problem("small", 300, (2, 3, 4), 3, n_test=40)


@pytest.mark.skipif(compiler() is None, reason="the yardstick is C, and there is no gcc")
def test_every_contender_is_measured_and_agrees():
    from benchmarks.targets import judge

    from benchmarks import speed

    results = speed.measure([SMALL], 1, say=lambda text: None)
    measured = {(time["contender"], time["action"], time["threads"]) for time in results["times"]}
    assert all(time["seconds"] > 0.0 for time in results["times"])
    for threads in (1, 2):
        assert {
            ("counts", "count", threads),
            ("plain C", "count", threads),
            ("plain C", "predict_proba", threads),
            *((name, "fit", threads) for name in ("AODE", "COMP-AODE", "COMP-AODE*")),
            *((name, "predict_proba", threads) for name in ("AODE", "COMP-AODE", "COMP-AODE*")),
            ("COMP-AODE*", "predict_set", threads),
            ("COMP-AODE*", "predict_interval", threads),
        } <= measured
    assert ("MAPIE on CategoricalNB", "predict_set", 1) in measured
    assert ("HistGradientBoosting", "fit", 2) in measured
    assert results["agreement"]["small"]["plain C, largest"] < 1e-12
    # Without Weka the targets relative to it are left out, and the others stay.
    assert len(judge(results["times"])) == 2


def test_every_stage_of_a_fit_is_measured_by_its_unit():
    from benchmarks import stages

    found = stages.measure([SMALL], 1, say=lambda text: None)
    units = {one["stage"]: one["seconds"] / one["nanoseconds_a_unit"] * 1e9 for one in found}
    # Six pairs of features, each with itself; 9 · 9 pairs of states, each for three classes.
    expected = {"classes": 300, "learn": 900, "learn and encode": 900}
    expected |= {"count": 1800, "tables": 243, "likelihoods": 2700}
    assert {stage: round(number) for stage, number in units.items()} == expected
    assert list(units) == list(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "A,Z"], "must name some of A, B, C, D, got 'Z'"),
        (["--rounds", "0"], "--rounds must be at least 1, got 0"),
    ],
)
def test_bad_options_are_refused(arguments, message, capsys):
    from benchmarks.run import main

    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_pools_are_measured_and_judged_beside_a_forest(monkeypatch):
    from benchmarks.targets import judge_pool

    from benchmarks import pool

    monkeypatch.setattr(pool, "PROBLEMS", {"A": SMALL})
    numbers = pool._numbers
    monkeypatch.setattr(pool, "_numbers", lambda: numbers(100, 40, 3))
    found = pool.measure(1, tables=("A", pool.NUMBERS), threads=1, say=lambda text: None)
    (judged,) = judge_pool(found)
    assert pool.NUMBERS in judged["target"]
    assert judged["wanted"] == "≤ 1"
