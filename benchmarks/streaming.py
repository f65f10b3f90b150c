"""Rows that do not fit in memory: peak resident memory and time per row of ``fit_batches`` on Parquet.

Files with 1, 3, 10 and 30 million rows are written, k = 20: fourteen columns of text, two of whole numbers
and four of real numbers, two of them with about as many values as rows. Each size is learned and predicted in
a process of its own. Memory should be flat, and the time per row constant within 20 %. On a machine with
other things to do, the seconds of the processor say more than those on the wall.

    python benchmarks/streaming.py --rows 1000000 3000000 10000000 --json streaming.json
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_FILE = 1_000_000
N_CLASSES = 2


def rows(n: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_CLASSES, n)
    columns = {}
    for j in range(14):
        v = 3 + j % 4
        codes = np.where(rng.random(n) < 0.3, y % v, rng.integers(0, v, n)).astype(np.int32)
        states = pa.array([f"state {a}" for a in range(v)])
        columns[f"text{j}"] = pa.DictionaryArray.from_arrays(codes, states).cast(pa.string())
    for j in range(2):
        columns[f"whole{j}"] = (rng.poisson(20 + 4 * y)).astype(np.int32)
    for j in range(2):
        columns[f"rounded{j}"] = np.round(rng.normal(size=n) + y, 3)
        columns[f"real{j}"] = rng.normal(size=n) + y
    columns["class"] = np.array(["no", "yes"])[y]
    return pa.table(columns)


def write(folder: Path, n: int) -> None:
    for number, start in enumerate(range(0, n, ROWS_PER_FILE)):
        path = folder / f"part{number:04d}.parquet"
        if not path.exists():
            pq.write_table(rows(min(ROWS_PER_FILE, n - start), number), path, row_group_size=250_000)


def measure(folder: str, n: int, classifier: str, n_jobs: int, predict: bool) -> dict[str, float | str]:
    """Learn and predict in this process."""
    import skcredal
    from skcredal.scale import fit_batches, predict_batches, scan_parquet

    files = sorted(Path(folder).glob("part*.parquet"))[: -(-n // ROWS_PER_FILE)]
    clf = getattr(skcredal, classifier)(n_jobs=n_jobs)
    small = scan_parquet(files[0], target="class", batch_rows=100_000)
    fit_batches(clf, [next(iter(small))])  # compiles the kernels
    stages: dict[str, float] = {}
    start, start_cpu = time.perf_counter(), time.process_time()
    fit_batches(
        clf,
        scan_parquet(files, target="class"),
        progress=lambda p: stages.__setitem__(p.stage, p.seconds),
    )
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    fit_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result: dict[str, float | str] = {
        "classifier": classifier,
        "n": n,
        "seconds": seconds,
        "ns_per_row": seconds / n * 1e9,
        "cpu_ns_per_row": cpu / n * 1e9,
        **{f"{stage}_ns_per_row": passed / n * 1e9 for stage, passed in stages.items()},
        "fit_peak_mib": fit_peak / 1024,
    }
    if predict:
        start, start_cpu = time.perf_counter(), time.process_time()
        answers = f"{folder}/answers.parquet"
        predict_batches(clf, scan_parquet(files, columns=clf.feature_names_in_), answers)
        result["predict_ns_per_row"] = (time.perf_counter() - start) / n * 1e9
        result["predict_cpu_ns_per_row"] = (time.process_time() - start_cpu) / n * 1e9
        result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 3 * 10**6, 10**7, 3 * 10**7])
    parser.add_argument("--classifier", nargs="+", default=["CredalCompAODE"])
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--predict", action="store_true", help="predict sets and bounds, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        (n,), (classifier,) = arguments.rows, arguments.classifier
        print(json.dumps(measure(arguments.measure, n, classifier, arguments.n_jobs, arguments.predict)))
        return
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for n in sorted(arguments.rows):
            write(Path(folder), n)
            for classifier in arguments.classifier:
                command = [sys.executable, __file__, "--measure", folder, "--rows", str(n)]
                command += ["--classifier", classifier, "--n-jobs", str(arguments.n_jobs)]
                command += ["--predict"] if arguments.predict else []
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                results.append(json.loads(done.stdout))
                print(
                    {key: round(v) if isinstance(v, float) else v for key, v in results[-1].items()},
                    flush=True,
                )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
