import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from dataclasses import astuple

import numpy as np
import pytest

from skcredal.evaluation._sums import FoldSums
from skcredal.paper._store import ResultStore


def some_sums(seed):
    losses = {"brier": seed / 3, "brier_multiclass": seed / 2, "log_loss": seed / 7}
    return FoldSums(n=10 + seed, correct=seed, **losses, determinate=seed, u65=2.0, fit_seconds=0.1)


def test_what_was_written_is_read_as_it_was(tmp_path):
    with ResultStore(tmp_path / "deep" / "er" / "results.sqlite") as store:
        store.write({("plan", "aode"): some_sums(1), ("plan", "cdt"): some_sums(2)}, run=1, fold=0)
        store.write({("plan", "aode"): some_sums(3)}, run=0, fold=4)
    with ResultStore(tmp_path / "deep" / "er" / "results.sqlite") as store:
        assert store.read("plan", "aode") == {(0, 4): some_sums(3), (1, 0): some_sums(1)}
        assert list(store.read("plan", "aode")) == [(0, 4), (1, 0)]
        found = store.read("plan", "cdt")[1, 0]
        assert found == some_sums(2)
        # A whole number that is a float stays one.
        assert isinstance(found.u65, float)
        assert isinstance(found.correct, int)


def test_plans_do_not_mix(tmp_path):
    with ResultStore(tmp_path / "results.sqlite") as store:
        store.write({("one", "aode"): some_sums(1)}, run=0, fold=0)
        assert store.read("other", "aode") == {}
        assert store.read("one", "tan") == {}


def test_a_foreign_file_is_refused_with_a_way_out(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("this is no database, but it is long enough to be taken for one" * 20)
    with pytest.raises(ValueError, match=r"results\.sqlite is not a store of results .*--fresh"):
        ResultStore(path)


def test_a_store_without_all_sums_is_refused_with_a_way_out(tmp_path):
    path = tmp_path / "results.sqlite"
    ResultStore(path).__exit__()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE folds DROP COLUMN log_loss")
    with pytest.raises(ValueError, match=r"results\.sqlite holds results of another version .*--fresh"):
        ResultStore(path)


def test_a_killed_writer_leaves_whole_folds(tmp_path):
    """A process that writes without end is killed; every fold it left has all its classifiers."""
    path = tmp_path / "results.sqlite"
    code = f"""
        import itertools
        from skcredal.evaluation._sums import FoldSums
        from skcredal.paper._store import ResultStore
        with ResultStore({str(path)!r}) as store:
            for fold in itertools.count():
                sums = FoldSums(fold, 0, 0.0, 0.0, 0.0)
                store.write({{("plan", str(c)): sums for c in range(12)}}, run=0, fold=fold)
                print(fold, flush=True)
    """
    writer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    for _ in range(20):
        writer.stdout.readline()
    time.sleep(0.05)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    with ResultStore(path) as store:
        folds = [set(store.read("plan", str(c))) for c in range(12)]
    assert len(folds[0]) >= 20
    assert all(found == folds[0] for found in folds)


def test_any_flipped_byte_ends_in_results_or_in_an_error_with_the_file(tmp_path):
    """An error says what to do; a fold whose name has changed is as if it had not been run."""
    path = tmp_path / "results.sqlite"
    with ResultStore(path) as store:
        for fold in range(3):
            series = {"epsilon": {"comp-aode*": np.arange(6.0).reshape(3, 2) / 7}}
            store.write({("plan", "aode"): some_sums(fold)}, series, run=0, fold=fold)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    errors = []
    used = np.flatnonzero(np.frombuffer(whole, np.uint8))
    for place in rng.choice(used, 300, replace=False).tolist():
        content = bytearray(whole)
        content[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(content)
        try:
            with ResultStore(path) as store:
                for sums in store.read("plan", "aode").values():
                    assert all(isinstance(value, (int, float)) for value in astuple(sums))
                for of_fold in store.read_study("epsilon").values():
                    assert all(sums.dtype == float for sums in of_fold.values())
        except ValueError as error:
            errors.append(str(error))
    assert len(errors) > 30
    for error in errors:
        assert str(path) in error
        assert "Move it away, or start over with --fresh." in error
    with ResultStore(path, fresh=True) as store:
        assert store.read("plan", "aode") == {}


def test_a_full_disk_is_reported_with_the_file(tmp_path):
    """The limit of a file's size stands for the disk; a process of its own, since it cannot be lifted."""
    code = """
        import resource
        from skcredal.evaluation._sums import FoldSums
        from skcredal.paper._store import ResultStore
        with ResultStore("results.sqlite") as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
            try:
                for fold in range(10_000):
                    store.write({("plan", "aode"): FoldSums(fold, 0, 0.0, 0.0, 0.0)}, run=0, fold=fold)
            except OSError as error:
                print(error)
                print(fold == len(store.read("plan", "aode")) > 10)
    """
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    message, kept = done.stdout.splitlines()
    assert message.startswith("results.sqlite cannot be used: ")
    assert kept == "True"
