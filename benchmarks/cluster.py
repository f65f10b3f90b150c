"""Past one machine: the time of ``fit_dask`` with two workers relative to one, on table B repeated 20 times.

The rows lie in 20 Parquet files of a million rows each; a worker is a process with one thread. One and two
workers take turns, and the best turn of each counts. Two workers should take at most 0.65 of the time of one.

    python -m benchmarks.cluster --output benchmarks/results/cluster.json
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

from benchmarks.machine import describe
from benchmarks.problems import PROBLEMS, make_table
from skcredal import CredalCompAODE
from skcredal.scale import fit_dask

TARGET = 0.65


def write_files(folder, repeats):
    table = make_table(PROBLEMS["B"])
    states = [pd.CategoricalDtype(range(v)) for v in table.problem.states]
    columns = {f"x{j}": pd.Categorical(table.X[:, j], dtype=dtype) for j, dtype in enumerate(states)}
    frame = pd.DataFrame({**columns, "class": table.y})
    for place in range(repeats):
        frame.to_parquet(folder / f"part{place:02d}.parquet", index=False)
    return frame


def read_one(path):
    return pd.read_parquet(path)


def seconds_of(folder, frame, n_workers):
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        files = sorted(folder.glob("part*.parquet"))

        def fit(some):
            data = dd.from_map(read_one, some, meta=frame.head(0))
            start = time.perf_counter()
            clf = fit_dask(CredalCompAODE(), data, target="class", client=client)
            return time.perf_counter() - start, clf

        fit(files[: 2 * n_workers])  # loads and compiles what every worker needs
        return fit(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    times = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        frame = write_files(folder, arguments.repeats)
        expected = arguments.repeats * len(frame)
        for _ in range(arguments.rounds):
            for n_workers in times:
                seconds, clf = seconds_of(folder, frame, n_workers)
                assert clf.counts_.n == expected
                times[n_workers].append(seconds)
                print(f"{n_workers} worker(s): {seconds:.1f} s", flush=True)
    best = {n_workers: min(found) for n_workers, found in times.items()}
    ratio = best[2] / best[1]
    verdict = "reached" if ratio <= TARGET else "missed"
    print(f"two workers take {ratio:.2f} of one worker's time (at most {TARGET}: {verdict})")
    if arguments.output:
        result = {"machine": describe(), "rows": expected, "seconds": times, "ratio": ratio}
        arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
