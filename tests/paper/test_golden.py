"""`skcredal reproduce` on six data sets: killed and resumed, with the numbers last looked at.

``make golden`` renews the numbers.
"""

import importlib.util
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import sklearn

from killed_runs import FEW_SAMPLES, n_finished

EXPECTED = Path(__file__).parent.parent / "expected"


@pytest.fixture(scope="module")
def make_golden():
    spec = importlib.util.spec_from_file_location("make_golden", EXPECTED / "make_golden.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(make_golden):
    folder = os.environ.get("SKCREDAL_DATA")
    if not folder or not all((Path(folder) / f"{name}.arff").exists() for name in make_golden.DATASETS):
        pytest.skip("SKCREDAL_DATA names no folder with the six data sets")
    return folder


def kill_after(command, out, n_folds):
    """Start the command, and kill it with all its processes as soon as so many folds are finished."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        while process.poll() is None and n_finished(out) < n_folds:
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check(found, golden, *, same_trees):
    """Compare; without the same trees, all but LP-AODE and LP-AODE*."""
    assert list(found) == list(golden)
    for dataset, classifiers in golden.items():
        assert list(found[dataset]) == list(classifiers)
        for classifier, measured in classifiers.items():
            is_pool = classifier in ("lp-aode", "lp-aode*")
            for measure, value in measured.items() if same_trees or not is_pool else ():
                where, close = (dataset, classifier, measure), 1e-5 if is_pool else 1e-8
                assert found[dataset][classifier][measure] == pytest.approx(value, abs=close), where


@pytest.mark.parametrize(("setting", "jobs"), [("honest", 2), ("paper", 1)])
def test_the_numbers_have_not_moved_though_the_run_was_killed(make_golden, folder, setting, jobs, tmp_path):
    """Killed with its worker processes; test_experiment kills at other moments, and again."""
    command = make_golden.reproduce(folder, setting, tmp_path, jobs=jobs, before=FEW_SAMPLES)
    n_all = 6 * 5
    if jobs > 1:
        kill_after(command, tmp_path, int(0.4 * n_all))
        assert 0.4 * n_all <= n_finished(tmp_path) < n_all
        assert not (tmp_path / "summary.csv").exists()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    golden = json.loads((EXPECTED / "golden.json").read_text(encoding="utf-8"))
    same_trees = golden["scikit-learn"] == sklearn.__version__
    check(make_golden.golden_values(tmp_path / "summary.csv"), golden[setting], same_trees=same_trees)
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {
        *("journal.jsonl", "results.csv", "summary.csv", "means.csv", "tests.csv"),
        *("claims.json", "report.html"),
        *("epsilon.csv", "set-aside.csv", "rivals.csv", "reliability.csv"),
    }
    if not same_trees:
        pytest.skip(f"those of LP-AODE are of trees and lines of scikit-learn {golden['scikit-learn']}")
