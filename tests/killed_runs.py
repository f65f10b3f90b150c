"""`skcredal reproduce`, killed, and the tables that it ends with."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

# How many samples of the posterior are drawn for the report is for the tests of the comparison to judge.
FEW_SAMPLES = "import skcredal.paper._compare as compare; compare._SAMPLES = 500"
PROGRAM = f"{FEW_SAMPLES}\nfrom skcredal._cli import main\nmain()"
EXPERIMENT = (
    *("--datasets", "iris,wine", "--runs", "2", "--folds", "3"),
    *("--classifiers", "aode,bma-aode-star,comp-aode-star"),
)


def start(out, jobs):
    call = [sys.executable, "-c", PROGRAM, "reproduce", "--out", str(out), "--jobs", str(jobs), *EXPERIMENT]
    return subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(out, jobs):
    assert start(out, jobs).wait() == 0


def n_finished(out):
    """Return how many folds are in the journal, whose first line is about the plan."""
    journal = Path(out) / "journal.jsonl"
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def kill_after(out, n_folds, jobs):
    """Kill a run as soon as so many folds are finished; its workers have to notice."""
    process = start(out, jobs)
    while process.poll() is None and n_finished(out) < n_folds:
        time.sleep(0.02)
    process.kill()
    process.wait()


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
        process.kill()
        process.wait()
    run(out, jobs)
    return n_killed


def tables(out):
    """Return all that was written but the report, which says how long it took, and the journal."""
    paths = (path for path in Path(out).iterdir() if path.suffix in (".csv", ".md", ".json"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}
