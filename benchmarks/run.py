"""Run the benchmark: ``python -m benchmarks.run`` (or ``make bench``); ``--help`` names the options."""

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path

from benchmarks import growth, other, pool, small, speed, stages, targets, waiting
from benchmarks.machine import describe
from benchmarks.memory import MemoryMeter
from benchmarks.problems import PROBLEMS
from benchmarks.tables import markdown
from benchmarks.warm_up import load_kernels
from benchmarks.weka import UnavailableError, Weka
from benchmarks.yardstick import compiler

__all__ = ["main"]

PARTS = ("speed", "stages", "memory", "growth", "small", "start", "other", "credal", "pool", "waiting")
RESULTS = Path(__file__).with_name("results") / "bench"


def main(arguments=None):
    """Measure the parts asked for, print the tables and write them where they are wanted."""
    options = _options(arguments)
    start = time.perf_counter()

    def say(text):
        print(f"[{time.perf_counter() - start:5.0f} s] {text}", file=sys.stderr, flush=True)

    results = {
        "machine": describe(),
        "settings": {"rounds": options.rounds, "problems": options.only, "parts": options.parts},
        "targets": [],
    }
    with contextlib.ExitStack() as stack:
        # First, while this process is small: the measurements of memory are forked from a server of it.
        meter = stack.enter_context(MemoryMeter())
        load_kernels()
        _measure(results, options, meter, stack, say)
    results["settings"]["seconds"] = round(time.perf_counter() - start)
    text = markdown(results)
    print(text)
    output = options.output or (RESULTS if _is_complete(options) else None)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.with_suffix(".json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        output.with_suffix(".md").write_text(text)
        say(f"written to {output}.json and .md")


def _measure(results, options, meter, stack, say):
    problems, rounds, parts = [PROBLEMS[name] for name in options.only], options.rounds, options.parts
    if "speed" in parts:
        weka = None if options.no_weka else _weka(stack, results, say)
        if compiler() is None:
            say("no gcc: going on without the yardstick")
        results["speed"] = speed.measure(
            problems, rounds, weka=weka, yardstick=compiler() is not None, say=say
        )
        results["targets"] += targets.judge(results["speed"]["times"])
    if "stages" in parts:
        results["stages"] = stages.measure(problems, rounds, say=say)
    if "memory" in parts:
        results["memory"] = speed.measure_memory(problems, meter, say=say)
    if "growth" in parts:
        results["growth"] = growth.measure(rounds, meter, say=say)
    if "small" in parts:
        results["small"] = small.measure(rounds, say=say)
        results["targets"] += targets.judge_small(results["small"])
    if "start" in parts:
        results["start"] = small.measure_start(say=say)
        results["targets"] += targets.judge_start(results["start"])
    if "other" in parts:
        results["other"] = other.measure(rounds, say=say)
        results["targets"] += targets.judge_others(results["other"])
    if "credal" in parts:
        results["credal"] = other.measure_credal(rounds, say=say)
    if "pool" in parts:
        results["pool"] = pool.measure(rounds, say=say)
        results["targets"] += targets.judge_pool(results["pool"])
    if "waiting" in parts:
        results["waiting"] = waiting.measure(rounds, say=say)
        results["targets"] += targets.judge_waiting(results["waiting"])


def _weka(stack, results, say):
    try:
        weka = stack.enter_context(Weka())
    except UnavailableError as error:
        say(f"going on without Weka: {error}")
        return None
    results["machine"]["weka"] = weka.version
    return weka


def _is_complete(options):
    return set(options.parts) == set(PARTS) and set(options.only) == set(PROBLEMS)


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measure speed and memory.")
    parser.add_argument("--only", type=_names(PROBLEMS), default=list(PROBLEMS), help="problems, as in A,D")
    parser.add_argument("--parts", type=_names(PARTS), default=list(PARTS), help=f"of {','.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    parser.add_argument("--no-weka", action="store_true", help="leave Weka out")
    parser.add_argument(
        "--output",
        type=Path,
        help="where the results go, without .json and .md; a complete run goes to benchmarks/results/bench, "
        "a partial one nowhere",
    )
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}.")
    return options


def _names(known):
    def split(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"must name some of {', '.join(known)}, got {name!r}.")
        return names

    return split


if __name__ == "__main__":
    main()
