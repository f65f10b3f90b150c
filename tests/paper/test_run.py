"""Plans, and running them: resumed after any end, the same on any number of jobs, and never mixed."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import joblib
import numpy as np
import pytest

import killed_runs
import skcredal
import skcredal.paper._run as run_module
from report_problems import CREDAL, DETERMINATE
from skcredal import AODE, CredalCompAODE, NullClassifier
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._fold import splits
from skcredal.evaluation._registry import CLASSIFIERS, is_credal, make_classifiers
from skcredal.paper._run import Plan, run_plan
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import studies_of
from skcredal.paper._summary import FOLD_COLUMNS, SUMMARY_COLUMNS, fold_table, summary_table

pytest.importorskip("pandas", reason="data sets are tables of pandas")

NAMES = ["aode", "comp-aode*", "naive-bayes", "cdt"]
ARFF = """@relation small
@attribute colour {red, green}
@attribute size numeric
@attribute class {yes, no}
@data
"""


def plan_of(**changes):
    options = {"datasets": ["iris", "monks1"], "classifiers": make_classifiers(NAMES), "runs": 2, "folds": 3}
    return Plan(changes.pop("source", "embedded"), **{**options, **changes})


def table_of(plan, path, **options):
    with ResultStore(path) as store:
        outcome = run_plan(plan, store, **options)
        summary = summary_table(plan, store, outcome.facts)
    return summary.drop(columns=["fit_seconds", "predict_seconds"]), outcome


def fits_of(plan, path):
    """Return how many classifiers are really learned in a run."""
    with ResultStore(path) as store:
        before = _count(store)
        run_plan(plan, store)
        return _count(store) - before


def _count(store):
    with store._transaction() as cursor:
        return cursor.execute("SELECT count(*) FROM folds").fetchone()[0]


def test_classifiers_answer_to_the_names_of_the_paper():
    assert list(make_classifiers(["COMP-AODE-star", "aode"])) == ["comp-aode*", "aode"]
    assert type(make_classifiers(["aode"])["aode"]) is AODE
    assert list(make_classifiers()) == list(CLASSIFIERS)
    # Others may join them, the paper's twelve stay.
    assert set(DETERMINATE) <= {name for name in CLASSIFIERS if not is_credal(name)}
    assert set(CREDAL) <= {name for name in CLASSIFIERS if is_credal(name)}
    with pytest.raises(ValueError, match=r"no classifier 'c45'. Choose from aode, bma-aode"):
        make_classifiers(["c45"])


@pytest.mark.parametrize("parameters", [{"folds": 1}, {"runs": 0}, {"seed": -1}, {"setting": "honset"}])
def test_bad_plans_are_refused(parameters):
    with pytest.raises(ValueError, match=rf"{next(iter(parameters))} must be"):
        Plan("embedded", ["iris"], make_classifiers(), **parameters)


def test_each_run_has_splits_of_its_own_and_every_row_is_tested_once():
    target = np.array(["a"] * 30 + ["b"] * 15 + ["c"] * 2, dtype=object)
    first, second = (splits(target, folds=5, run=run, seed=0) for run in (0, 1))
    for run in (first, second):
        assert np.sort(np.concatenate([test for _, test in run])).tolist() == list(range(47))
        for train, test in run:
            assert set(train).isdisjoint(test)
            assert abs((target[test] == "a").sum() - 6) <= 1
    assert any((a[1].tolist() != b[1].tolist()) for a, b in zip(first, second, strict=True))
    again = splits(target, folds=5, run=1, seed=0)
    assert [test.tolist() for _, test in again] == [test.tolist() for _, test in second]
    assert [test.tolist() for _, test in splits(target, folds=5, run=1, seed=1)] != [
        t.tolist() for _, t in again
    ]


def test_baselines_are_asked_for_and_change_no_digest_of_others():
    plan = Plan("embedded", ["iris"], make_classifiers(["aode", "comp-aode*"]), runs=1)
    with_baselines = replace(plan, baselines=True)
    assert plan.names == ["aode", "comp-aode*"]
    assert with_baselines.names == [*plan.names, *BASELINES]
    assert with_baselines.n_fits == 5 * 5
    assert plan.digest("iris", "c", "aode") == with_baselines.digest("iris", "c", "aode")
    for study in studies_of(plan.names):
        assert plan.study_digest("iris", "c", study) == with_baselines.study_digest("iris", "c", study)
    assert len({with_baselines.digest("iris", "c", name) for name in BASELINES}) == 3
    more = replace(plan, classifiers=make_classifiers(["aode", "comp-aode*", "lp-aode", "tan"]))
    # Only these two use LP-AODE, and none TAN.
    changed = [
        s for s in studies_of(plan.names) if plan.study_digest("", "", s) != more.study_digest("", "", s)
    ]
    assert changed == ["rivals", "reliability"]


def test_the_digest_names_all_that_the_numbers_depend_on(monkeypatch):
    plan = Plan("embedded", ["iris"], make_classifiers())
    digest = plan.digest("iris", "checksum", "comp-aode*")
    assert digest == Plan("elsewhere", ["iris", "wine"], make_classifiers(), runs=3).digest(
        "iris", "checksum", "comp-aode*"
    )
    others = [
        plan.digest("iris", "other checksum", "comp-aode*"),
        plan.digest("wine", "checksum", "comp-aode*"),
        plan.digest("iris", "checksum", "bma-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), folds=3).digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), seed=3).digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), "paper").digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], {"comp-aode*": CredalCompAODE(epsilon=0.02)}).digest(
            "iris", "checksum", "comp-aode*"
        ),
    ]
    monkeypatch.setattr(skcredal, "__version__", "0.0.0")
    others.append(plan.digest("iris", "checksum", "comp-aode*"))
    assert len({digest, *others}) == len(others) + 1


def test_the_table_has_a_row_per_data_set_and_classifier(tmp_path):
    plan = plan_of()
    steps = []
    with ResultStore(tmp_path / "s.sqlite") as store:
        outcome = run_plan(plan, store, on_progress=steps.append)
        summary, folds = summary_table(plan, store, outcome.facts), fold_table(plan, store, outcome.facts)
    assert tuple(summary.columns[: len(SUMMARY_COLUMNS)]) == SUMMARY_COLUMNS
    assert list(zip(summary["dataset"], summary["classifier"], strict=True)) == [
        (dataset, name) for dataset in ("iris", "monks1") for name in NAMES
    ]
    assert summary.loc[0, ["n", "k", "classes"]].tolist() == [150, 4, 3]
    assert tuple(folds.columns) == FOLD_COLUMNS
    assert len(folds) == 2 * 4 * 2 * 3
    assert sum(step.fits for step in steps) == plan.n_fits
    assert not outcome.failures
    # Pooled over all test rows, not a mean of means.
    of_iris = folds[(folds["dataset"] == "iris") & (folds["classifier"] == "aode")]
    pooled = (of_iris["accuracy"] * of_iris["n_test"]).sum() / of_iris["n_test"].sum()
    assert summary["accuracy"][0] == pytest.approx(pooled, rel=1e-12)
    assert summary["u65"].isna().tolist() == [True, False, True, False] * 2


def test_the_same_seed_gives_the_same_table_on_any_number_of_jobs(tmp_path):
    alone, _ = table_of(plan_of(), tmp_path / "one.sqlite", jobs=1)
    together, _ = table_of(plan_of(), tmp_path / "two.sqlite", jobs=2)
    assert alone.equals(together)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        threads, _ = table_of(plan_of(), tmp_path / "three.sqlite")
    assert alone.equals(threads)
    other, _ = table_of(plan_of(seed=1), tmp_path / "four.sqlite")
    assert not alone.equals(other)


def test_a_dask_cluster_gives_the_same_table(tmp_path):
    distributed = pytest.importorskip("distributed")
    alone, _ = table_of(plan_of(runs=1), tmp_path / "one.sqlite")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        spread, outcome = table_of(plan_of(runs=1), tmp_path / "two.sqlite")
    assert not outcome.failures
    assert alone.equals(spread)


def test_what_is_there_is_not_run_again(tmp_path):
    path = tmp_path / "s.sqlite"
    assert fits_of(plan_of(runs=1), path) == 2 * 4 * 3
    assert fits_of(plan_of(runs=1), path) == 0
    assert fits_of(plan_of(), path) == 2 * 4 * 3  # one more run
    more = plan_of(classifiers=make_classifiers([*NAMES, "tan"]))
    assert fits_of(more, path) == 2 * 1 * 2 * 3  # the new classifier alone
    resumed, _ = table_of(more, path)
    at_once, _ = table_of(more, tmp_path / "fresh.sqlite")
    assert resumed.equals(at_once)


def test_a_changed_data_file_is_run_anew(tmp_path):
    rows = [f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30)]
    file, path = tmp_path / "small.arff", tmp_path / "s.sqlite"
    file.write_text(ARFF + "\n".join(rows) + "\n")
    plan = plan_of(source=str(tmp_path), datasets=["small"], runs=1)
    assert fits_of(plan, path) == 12
    assert fits_of(plan, path) == 0
    rows[3] = "red,3.5,yes"
    file.write_text(ARFF + "\n".join(rows) + "\n")
    assert fits_of(plan, path) == 12


def test_a_data_set_that_fails_does_not_take_the_others_down(tmp_path):
    good = "\n".join(f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30))
    (tmp_path / "good.arff").write_text(ARFF + good + "\n")
    (tmp_path / "broken.arff").write_text(ARFF + "red,1\n")
    (tmp_path / "tiny.arff").write_text(ARFF + "red,1,yes\nred,2,no\n")
    plan = plan_of(source=str(tmp_path), datasets=["broken", "good", "tiny"], runs=1)
    summary, outcome = table_of(plan, tmp_path / "s.sqlite")
    assert summary["dataset"].unique().tolist() == ["good"]
    assert set(outcome.failures) == {"broken", "tiny"}
    assert "broken.arff" in outcome.failures["broken"]


class Failing(NullClassifier):
    """Learns nothing at all."""

    def _learn(self, rows):
        raise ValueError("this classifier has a reason")


def test_a_classifier_that_fails_in_a_worker_is_reported_with_its_reason(tmp_path):
    plan = plan_of(classifiers={"null": Failing()}, runs=1)
    _, outcome = table_of(plan, tmp_path / "s.sqlite")
    assert outcome.failures["iris"] == "ValueError: this classifier has a reason"


def test_an_interrupt_keeps_what_is_finished(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    original, folds = run_module.run_fold, []

    def interrupted(*arguments):
        folds.append(1)
        if len(folds) == 4:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(run_module, "run_fold", interrupted)
    _, outcome = table_of(plan_of(), path)
    assert outcome.interrupted
    monkeypatch.undo()
    assert fits_of(plan_of(), path) == (12 - 3) * 4


def test_killed_at_any_moment_the_next_call_ends_with_the_identical_table(tmp_path):
    """kill -9 three times at different moments, then let it finish."""
    path = tmp_path / "s.sqlite"
    code = f"""
        from skcredal.paper._run import Plan
        from skcredal.evaluation._registry import make_classifiers
        from skcredal.paper._run import run_plan
        from skcredal.paper._store import ResultStore
        if __name__ == "__main__":
            plan = Plan("embedded", ["digits", "iris"], make_classifiers({NAMES!r}), runs=2, folds=5)
            with ResultStore({str(path)!r}) as store:
                run_plan(plan, store, on_progress=lambda at: print(at, flush=True))
    """
    kept = []
    for steps in (1, 3, 6):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
        )
        for _ in range(steps):
            process.stdout.readline()
        time.sleep(0.02 * steps)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with ResultStore(path) as store:
            kept.append(_count(store))
    assert kept[0] > 0
    assert kept == sorted(kept)
    plan = Plan("embedded", ["digits", "iris"], make_classifiers(NAMES), runs=2, folds=5)
    resumed, _ = table_of(plan, path)
    at_once, _ = table_of(plan, tmp_path / "at_once.sqlite")
    assert resumed.equals(at_once)


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_killed_on_two_folders_at_once_the_tables_are_those_of_an_undisturbed_run(tmp_path):
    """Killed at random moments; `make soak` kills more often."""
    begin = time.perf_counter()
    killed_runs.run(tmp_path / "undisturbed", jobs=1)
    longest = time.perf_counter() - begin
    folders = [tmp_path / "one", tmp_path / "two"]
    assert killed_runs.run_two_killed(folders, kills=1, longest=longest) > 0
    expected = killed_runs.tables(tmp_path / "undisturbed")
    assert {"summary.csv", "results.csv", "claims.md", "claims.json", "epsilon.csv"} <= expected.keys()
    for out in folders:
        assert killed_runs.tables(out) == expected
