"""Measure the passes on this machine: the table of rates on the page about large data.

    python docs/experiment/measure_costs.py

Rates are rows per second of *processor* time on one thread, reading Parquet included, so that other work on
the machine hardly shows.
"""

import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skcredal import CredalCompAODE
from skcredal._ensemble.counts import pair_table_bytes
from skcredal.scale import fit_batches, scan_parquet

DATA = Path(__file__).parent / "data"
N_ROWS, REPEATS = 400_000, 3
# Name, features, states of each, classes; categorical as dictionaries of strings, or numeric with cuts.
SHAPES = [
    ("A", 30, 5, 3, "categorical"),
    ("B", 20, 4, 2, "categorical"),
    ("B, numbers", 20, 4, 2, "numeric"),
]
STAGES = ("encoding", "counts", "likelihoods")


def write_rows(folder: Path, k: int, v: int, n_classes: int, kind: str) -> int:
    """Write rows that depend on their class, and return their bytes on disk."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_classes, N_ROWS)
    columns = {}
    for j in range(k):
        shifted = (rng.integers(0, v, N_ROWS) + labels * (rng.random(N_ROWS) < 0.3)) % v
        if kind == "numeric":
            # Two decimals, some hundred different values; the classes lie half a standard deviation apart.
            columns[f"x{j}"] = pa.array((rng.normal(size=N_ROWS) + labels / 2).round(2))
        else:
            names = pa.array([f"state {a}" for a in range(v)])
            columns[f"x{j}"] = pa.DictionaryArray.from_arrays(pa.array(shifted.astype(np.int32)), names)
    columns["class"] = pa.array(labels.astype(str))
    file = folder / "rows.parquet"
    pq.write_table(pa.table(columns), file)
    return file.stat().st_size


def measure(folder: Path) -> tuple[dict[str, float], np.ndarray]:
    """Return the best rate of each pass, and how many states the features have."""
    best: dict[str, float] = {}
    for _ in range(REPEATS):
        marks = {}

        def remember(progress, marks=marks):
            marks[progress.stage] = time.process_time()

        start = time.process_time()
        clf = fit_batches(CredalCompAODE(), scan_parquet(folder, target="class"), progress=remember)
        for stage in STAGES:
            best[stage] = max(best.get(stage, 0.0), N_ROWS / (marks[stage] - start))
            start = marks[stage]
    return best, clf.counts_.layout.n_states


def table(name: str, header: list[str], rows: list[list[str]]) -> None:
    """Write one table."""
    with (DATA / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    rates = []
    for name, k, v, n_classes, kind in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            size = write_rows(Path(folder), k, v, n_classes, kind) / N_ROWS
            rate, states = measure(Path(folder))
        shape = [name, str(len(states)), f"{states.mean():.0f}", str(n_classes), kind]
        tables = pair_table_bytes(states, n_classes) / 1e3
        rates.append([*shape, f"{size:.0f}", *(f"{rate[s] / 1e6:.2f}" for s in STAGES), f"{tables:.0f}"])
    table(
        "rates.csv",
        [
            "rows like",
            "k",
            "v",
            "l",
            "features",
            "bytes a row",
            *(f"{s}, 1e6 rows/s" for s in STAGES),
            "model, kB",
        ],
        rates,
    )
