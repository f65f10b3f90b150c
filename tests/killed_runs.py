"""`skcredal reproduce`, killed at random moments, and the tables that it ends with."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

# How many samples of the posterior are drawn for the report is for the tests of the comparison to judge.
FEW_SAMPLES = """
from functools import partial
import skcredal.paper._displays.tests as tests
tests.bayesian_signed_rank = partial(tests.bayesian_signed_rank, n_samples=500)
import skcredal.paper._beyond as beyond
beyond._SAMPLES = 500
"""
PROGRAM = f"""{FEW_SAMPLES}
from skcredal._cli import main
main()
"""
EXPERIMENT = (
    *("--datasets", "iris,wine", "--runs", "2", "--folds", "3"),
    *("--classifiers", "aode,bma-aode-star,comp-aode-star,lp-aode-star"),
)
SECONDS = ["fit_seconds", "predict_seconds"]


def start(out, jobs):
    call = [sys.executable, "-c", PROGRAM, "reproduce", "--out", str(out), "--jobs", str(jobs), *EXPERIMENT]
    return subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(out, jobs):
    assert start(out, jobs).wait() == 0


def run_killed(out, jobs, *, kills, longest, seed):
    """Kill at random moments so many times, then let it finish; return how often it was still running."""
    rng = np.random.default_rng(seed)
    n_killed = 0
    for _ in range(kills):
        process = start(out, jobs)
        try:
            process.wait(timeout=rng.uniform(0.0, longest))
        except subprocess.TimeoutExpired:
            n_killed += 1
        # Only the process itself: its workers have to notice.
        process.kill()
        process.wait()
    run(out, jobs)
    return n_killed


def run_two_killed(folders, **options):
    """Run on two folders at once, with one process and with two; return how many runs were killed."""
    with ThreadPoolExecutor(2) as both:
        turns = [
            both.submit(run_killed, out, jobs, seed=jobs, **options)
            for jobs, out in enumerate(folders, start=1)
        ]
        return sum(turn.result() for turn in turns)


def tables(out):
    """Return all that was written but the report and what tells how long it took."""
    found = {path.name: path.read_text(encoding="utf-8") for path in Path(out).glob("claims.*")}
    for path in Path(out).glob("*.csv"):
        found[path.name] = pd.read_csv(path).drop(columns=SECONDS, errors="ignore").to_csv()
    return found
