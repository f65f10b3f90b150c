"""`make soak`: the package for many minutes, on random and strange tables, interrupted and killed.

Not among the tests, for it takes long and no two runs are the same; the seed is printed.
"""

import argparse
import gc
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import psutil

import interrupts
import killed_runs
import skcredal
from messy_tables import messy_table
from pressure_problems import CLASSIFIERS, answers, assert_same

WEIGHTINGS = ("none", "whole", "eighths")
# The first tables fill caches and pools.
WARM_UP = 0.25
# Of the whole run; fragments of the allocator make up some of it.
MOST_GROWTH = 32 * 2**20


def soak_tables(minutes, seed):
    """Fit, predict, explain, save and load random tables, and watch memory."""
    begin, n_tables, n_rows, before = time.monotonic(), 0, 0, None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skcredal"
        while (spent := (time.monotonic() - begin) / 60) < minutes:
            rng = np.random.default_rng([seed, n_tables])
            classifier = CLASSIFIERS[n_tables % len(CLASSIFIERS)]
            try:
                n_rows += check_table(rng, classifier, path)
            except Exception as error:
                error.add_note(f"with {classifier.__name__} on table {n_tables} of seed {seed}")
                raise
            n_tables += 1
            if before is None and spent > WARM_UP * minutes:
                before = resident()
    grown = resident() - before
    print(f"{n_tables:,} tables, {n_rows:,} rows;")
    print(f"memory grew by {grown / 2**20:.1f} MiB in the last {100 * (1 - WARM_UP):.0f} % of the time.")
    assert grown < MOST_GROWTH


def resident():
    gc.collect()
    return psutil.Process().memory_info().rss


def check_table(rng, classifier, path):
    """Learn a random table, and ask everything, before and after a model file; return its number of rows."""
    X, y, weights = messy_table(rng, weighting=rng.choice(WEIGHTINGS))
    # Cells of other rows, so that there are rows unlike any that was learned. Those of weight 0 were not: a
    # column may have no text but theirs, and text among numbers is refused.
    learned = X if weights is None else X[np.asarray(weights) > 0]
    test = learned.apply(
        lambda column: column.iloc[rng.integers(0, len(learned), len(X))].reset_index(drop=True)
    )
    clf = classifier(missing=rng.choice(["impute", "marginalize"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y) if weights is None else clf.fit(X, y, weights)
        found = all_answers(clf, test)
        skcredal.save(clf, path)
        assert_same(all_answers(skcredal.load(path), test), found)
    return len(X)


def all_answers(clf, X):
    """Return all that a classifier says; of text, a model file does not keep a width that no class has."""
    found = answers(clf, X)
    return {**found, "predict": found["predict"].astype(object)}


def soak_strange(n_rounds):
    """Strange tables and many threads with every classifier, with other examples in each round."""
    environment = {**os.environ, "SKCREDAL_SOAK": "1", "HYPOTHESIS_PROFILE": "search"}
    pressure = Path(__file__).parent / "pressure"
    for _ in range(n_rounds):
        subprocess.run([sys.executable, "-m", "pytest", "-q", str(pressure)], env=environment, check=True)


def soak_interrupts(n_moments):
    """Press Ctrl-C at many moments of every command, with kernels compiled before and not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = folder / "made"
        made.mkdir()
        for call in (
            ["datasets", "iris", "-o", "iris.csv"],
            [*interrupts.COMMANDS["fit"][:-1], "iris.skcredal"],
        ):
            subprocess.run([sys.executable, "-m", "skcredal", *call], cwd=made, check=True)
        for command, arguments in interrupts.COMMANDS.items():
            begin, stopped = time.perf_counter(), 0
            process = interrupts.start(arguments, shutil.copytree(made, folder / command))
            _, errors = process.communicate()
            assert process.returncode == 0, errors
            # Twice each, since every other time nothing is compiled before.
            moments = np.repeat(np.linspace(0.05, time.perf_counter() - begin, n_moments), 2)
            for number, moment in enumerate(moments.tolist()):
                own = shutil.copytree(made, folder / f"{command}-{number}")
                cache = own / "cache" if number % 2 else None
                ending = interrupts.press_ctrl_c(arguments, own, moment, cache=cache)
                assert not interrupts.complaints(ending), (command, moment, ending)
                stopped += ending.code != 0
                shutil.rmtree(own)
            print(
                f"{command}: stopped at {stopped} of {len(moments)} moments, ended before others.", flush=True
            )


def soak_kills(n_kills):
    with tempfile.TemporaryDirectory() as name:
        undisturbed, *folders = (Path(name) / out for out in ("undisturbed", "one", "two"))
        begin = time.perf_counter()
        killed_runs.run(undisturbed, jobs=1)
        longest = time.perf_counter() - begin
        n_killed = sum(
            killed_runs.run_killed(out, jobs, kills=n_kills, longest=longest, seed=jobs)
            for jobs, out in enumerate(folders, start=1)
        )
        expected = killed_runs.tables(undisturbed)
        for out in folders:
            assert killed_runs.tables(out) == expected
        print(f"{n_killed} runs were killed on two folders; the tables are those of an undisturbed run.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to try tables")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of the tables")
    parser.add_argument(
        "--moments", type=int, default=30, help="how often each command is interrupted; 0: never"
    )
    parser.add_argument("--kills", type=int, default=20, help="of each of two experiments; 0: none")
    parser.add_argument("--rounds", type=int, default=2, help="of strange tables with every classifier")
    chosen = parser.parse_args()
    print(f"Tables of seed {chosen.seed}:", flush=True)
    soak_tables(chosen.minutes, chosen.seed)
    soak_strange(chosen.rounds)
    if chosen.kills:
        soak_kills(chosen.kills)
    if chosen.moments:
        soak_interrupts(chosen.moments)


if __name__ == "__main__":
    main()
