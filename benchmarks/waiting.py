"""Part ``waiting``: what a user waits for, each beside something that cannot be avoided."""

import os
import pickle
import pstats
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from benchmarks.measuring import Step, interleave
from benchmarks.problems import PROBLEMS, declared, make_table
from skcredal import AODE, CredalCompAODE, save

__all__ = ["GOALS", "measure"]

# At most this much of what each is compared with, or seconds of processor time.
GOALS = {
    "explain over predict_proba, COMP-AODE*, 10,000 × 30 texts": 20.0,
    "predict_interval over predict_proba, COMP-AODE*, 10,000 × 30 texts": 4.0,
    "skcredal --help, seconds of CPU": 0.3,
    "skcredal fit --help, seconds of CPU": 0.3,
    "skcredal predict of ten rows over importing scikit-learn, numba and pandas, CPU": 1.5,
    "AODE's fit, small integers in a DataFrame over the same array, A": 1.5,
    "AODE's fit, text of pandas over the same as categories, 100,000 × 30": 2.0,
    "AODE's fit, text of polars over the same as categories, 100,000 × 30": 2.0,
    "AODE's fit, text of Arrow over the same as categories, 100,000 × 30": 2.0,
    "the largest share of skcredal evaluate with its page that neither learns nor predicts": 0.2,
    "a pickle of COMP-AODE* over its counts and encoding, bytes": 1.2,
    "a saved COMP-AODE* over its counts and encoding, bytes": 1.2,
}


def measure(rounds, *, say=print):
    """Return what was found for each of the goals."""
    say("what a user waits for")
    found = {**_predictions(rounds), **_processes(rounds), **_fits(rounds), **_shares(), **_sizes()}
    return {name: found[name] for name in GOALS}


def _texts(n, k, n_classes=3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    words = np.array([f"value {a}" for a in range(8)])
    # A third of the features say something.
    shift = np.where(np.arange(k) % 3 == 0, y[:, None], 0)
    return pd.DataFrame(words[(rng.integers(0, 6, (n, k)) + shift) % 8]).add_prefix("x"), y


def _ratios(rounds, base, others):
    steps = [Step(name, "", 2, run) for name, run in {"": base, **others}.items()]
    best = {step.contender: step.best for step in interleave(steps, rounds)}
    return {name: best[name] / best[""] for name in others}


def _predictions(rounds):
    X, y = _texts(10_000, 30)
    clf = CredalCompAODE(n_jobs=2).fit(X, y)
    others = {
        f"{method} over predict_proba, COMP-AODE*, 10,000 × 30 texts": partial(getattr(clf, method), X)
        for method in ("explain", "predict_interval")
    }
    return _ratios(rounds, partial(clf.predict_proba, X), others)


def _fits(rounds):
    table = make_table(PROBLEMS["A"])
    clf = AODE(n_jobs=2, **declared(table.problem))
    frame = pd.DataFrame(table.X)
    name = "AODE's fit, small integers in a DataFrame over the same array, A"
    found = _ratios(rounds, partial(clf.fit, table.X, table.y), {name: partial(clf.fit, frame, table.y)})
    X, y = _texts(100_000, 30)
    aode = AODE(n_jobs=2)
    kinds = {"pandas": X.astype("str"), "polars": pl.from_pandas(X), "Arrow": pa.Table.from_pandas(X)}
    others = {
        f"AODE's fit, text of {kind} over the same as categories, 100,000 × 30": partial(aode.fit, given, y)
        for kind, given in kinds.items()
    }
    return found | _ratios(rounds, partial(aode.fit, X.astype("category"), y), others)


def _processes(rounds):
    X, y = _texts(300, 10)
    with tempfile.TemporaryDirectory() as folder:
        model, rows = Path(folder) / "model", Path(folder) / "rows.csv"
        save(CredalCompAODE().fit(X, y), model)
        X.iloc[:10].to_csv(rows, index=False)
        calls = {
            "help": ["-m", "skcredal", "--help"],
            "fit help": ["-m", "skcredal", "fit", "--help"],
            "predict": ["-m", "skcredal", "predict", model, rows],
            "imports": ["-c", "import sklearn.base, numba, pandas"],
        }
        for call in calls.values():
            _cpu_seconds(call)  # warms up the disk's cache, numba's, and that of the byte code
        seconds = [{name: _cpu_seconds(call) for name, call in calls.items()} for _ in range(rounds)]
        best = {name: min(one[name] for one in seconds) for name in calls}
    return {
        "skcredal --help, seconds of CPU": best["help"],
        "skcredal fit --help, seconds of CPU": best["fit help"],
        "skcredal predict of ten rows over importing scikit-learn, numba and pandas, CPU": best["predict"]
        / best["imports"],
    }


def _run(call):
    # Installed packages come with their byte code; so must ours.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *map(os.fspath, call)], capture_output=True, check=True, env=environment)


def _cpu_seconds(call):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(call)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# What an evaluation does, by the functions that do it: learning and predicting first, then the rest.
STEPS = {
    "learning and predicting": ("_fold.py answers",),
    "reading the file": ("tables.py label_table",),
    "explaining the doubtful cases": ("_cases.py case_details",),
    "ranking": ("_cross_validation.py ranking",),
    "the page": ("rankings.py write_page",),
}


def shares_of_evaluate(folds=3):
    """Return the share of the time of each step of ``skcredal evaluate``: 10,000 × 30."""
    X, y = _texts(10_000, 30)
    rng = np.random.default_rng(1)
    for j in range(1, 30, 2):
        X[f"x{j}"] = (rng.normal(size=len(y)) + y * (j % 3 == 0)).round(2)
    table = X.mask(rng.random(X.shape) < 0.05).assign(answer=y)
    with tempfile.TemporaryDirectory() as folder:
        csv, profile, page = (Path(folder) / name for name in ("table.csv", "profile", "page.html"))
        table.to_csv(csv, index=False)
        options = ["--target", "answer", "--folds", str(folds), "--jobs", "1", "--report", page]
        _run(["-m", "cProfile", "-o", profile, "-m", "skcredal", "evaluate", csv, *options])
        stats = pstats.Stats(os.fspath(profile))
    # Of each function, the time with all that it calls.
    seconds = {f"{Path(file).name} {name}": times[3] for (file, _, name), times in stats.stats.items()}
    shares = {step: sum(seconds[one] for one in names) / stats.total_tt for step, names in STEPS.items()}
    return shares | {"importing, and all else": 1.0 - sum(shares.values())}


def _shares():
    shares = shares_of_evaluate()
    shares.pop("learning and predicting")
    return {
        "the largest share of skcredal evaluate with its page that neither learns nor predicts": max(
            shares.values()
        )
    }


def _sizes():
    X, y = _texts(5_000, 30)
    clf = CredalCompAODE().fit(X, y)
    needed = len(pickle.dumps((clf.counts_, clf._encoding)))
    with tempfile.TemporaryDirectory() as folder:
        save(clf, Path(folder) / "model")
        saved = (Path(folder) / "model").stat().st_size
    return {
        "a pickle of COMP-AODE* over its counts and encoding, bytes": len(pickle.dumps(clf)) / needed,
        "a saved COMP-AODE* over its counts and encoding, bytes": saved / needed,
    }
