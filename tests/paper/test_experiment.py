"""Plans, their journal, and running them: resumed after any end, and never mixed."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import joblib
import pytest

import killed_runs
import skcredal
from skcredal import CredalCompAODE, NullClassifier
from skcredal.evaluation import make_classifiers
from skcredal.paper import Journal, Plan, run_plan, study_tables, summary_table
from skcredal.paper._tables import fold_table

NAMES = ["aode", "comp-aode*", "naive-bayes", "cdt"]
ARFF = """@relation small
@attribute colour {red, green}
@attribute size numeric
@attribute class {yes, no}
@data
"""
ROWS = [f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30)]


def plan_of(**changes):
    options = {"datasets": ["iris", "monks1"], "classifiers": make_classifiers(NAMES), "runs": 2, "folds": 3}
    return Plan(changes.pop("source", "embedded"), **{**options, **changes})


def run_in(folder, plan, *, fresh=False, **options):
    with Journal(folder, fresh=fresh) as journal:
        return run_plan(plan, journal, **options)


def lines_of(folder):
    return (folder / "journal.jsonl").read_text().splitlines()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a folder with the whole journal of a plan, and what was found."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, run_in(folder, plan_of())


@pytest.mark.parametrize("parameters", [{"folds": 1}, {"runs": 0}, {"seed": -1}, {"setting": "honset"}])
def test_bad_plans_are_refused(parameters):
    ((name, value),) = parameters.items()
    with pytest.raises(ValueError, match=rf"{name} must be .*got {value!r}"):
        plan_of(**parameters)


def test_the_summary_pools_all_test_rows(finished):
    _, run = finished
    summary, folds = summary_table(run.records), fold_table(run.records)
    assert list(zip(summary["dataset"], summary["classifier"], strict=True)) == [
        (dataset, name) for dataset in ("iris", "monks1") for name in NAMES
    ]
    assert summary.loc[0, ["n", "k", "classes"]].tolist() == [150, 4, 3]
    assert len(folds) == 2 * 4 * 2 * 3
    assert not run.failures
    of_iris = folds[(folds["dataset"] == "iris") & (folds["classifier"] == "aode")]
    pooled = (of_iris["accuracy"] * of_iris["n_test"]).sum() / of_iris["n_test"].sum()
    assert summary["accuracy"][0] == pytest.approx(pooled, rel=1e-12)
    assert summary["u65"].isna().tolist() == [True, False, True, False] * 2
    assert summary["n_undecided"].isna().tolist() == [True, False, True, False] * 2


def test_the_same_seed_gives_the_same_tables_on_any_number_of_jobs(finished, tmp_path):
    _, alone = finished
    with joblib.parallel_config(backend="threading", n_jobs=3):
        threads = run_in(tmp_path, plan_of())
    assert summary_table(threads.records).equals(summary_table(alone.records))
    for name, table in study_tables(alone.records).items():
        assert study_tables(threads.records)[name].equals(table)


def test_what_is_finished_is_not_run_again(tmp_path):
    run_in(tmp_path, plan_of(runs=1))
    before = lines_of(tmp_path)
    assert len(before) == 1 + 2 * 3
    steps = []
    run_in(tmp_path, plan_of(runs=1), on_fold=steps.append)
    assert lines_of(tmp_path) == before
    assert sorted(steps) == ["iris"] * 3 + ["monks1"] * 3
    # More runs and more data sets go on from there.
    more = run_in(tmp_path, plan_of(datasets=["iris", "monks1", "wine"]))
    assert lines_of(tmp_path)[: len(before)] == before
    assert len(more.records) == len(lines_of(tmp_path)) - 1 == 3 * 2 * 3
    assert len(run_in(tmp_path, plan_of(runs=1)).records) == 6


def test_a_line_that_was_cut_short_is_cut_off_before_the_next_is_appended(finished, tmp_path):
    folder, whole = finished
    content = (folder / "journal.jsonl").read_bytes()
    for kept in (len(content) - 1, content.rfind(b"\n", 0, -1) + 20, content.find(b"\n") // 2):
        (tmp_path / "journal.jsonl").write_bytes(content[:kept])
        run = run_in(tmp_path, plan_of())
        assert summary_table(run.records).equals(summary_table(whole.records))
        assert all(json.loads(line) for line in lines_of(tmp_path))
        assert len(lines_of(tmp_path)) == 1 + 12
        assert [path.name for path in tmp_path.glob("*.jsonl")] == ["journal.jsonl"]


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"folds": 2},
        {"setting": "paper"},
        {"classifiers": make_classifiers(NAMES[:2])},
        {"classifiers": make_classifiers(NAMES) | {"comp-aode*": CredalCompAODE(epsilon=0.02)}},
    ],
)
def test_a_journal_of_another_plan_is_set_aside(finished, tmp_path, other):
    folder, _ = finished
    content = (folder / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(content)
    plan = replace(plan_of(datasets=["iris"], runs=1), **other)
    with Journal(tmp_path) as journal:
        run = run_plan(plan, journal)
        assert journal.set_aside == tmp_path / "journal-1.jsonl"
    assert (tmp_path / "journal-1.jsonl").read_bytes() == content
    assert len(run.records) == plan.folds == len(lines_of(tmp_path)) - 1


def test_a_journal_of_another_version_or_damaged_is_set_aside(finished, tmp_path, monkeypatch):
    folder, _ = finished
    plan = plan_of(datasets=["iris"], classifiers=make_classifiers(["null"]), runs=1)
    run_in(tmp_path, plan)
    monkeypatch.setattr(skcredal, "__version__", "0.0.0")
    run_in(tmp_path, plan)
    assert (tmp_path / "journal-1.jsonl").exists()
    (tmp_path / "journal.jsonl").write_text("{\n" + (folder / "journal.jsonl").read_text())
    assert len(run_in(tmp_path, plan).records) == 3
    assert (tmp_path / "journal-2.jsonl").read_text().startswith("{\n")


def test_other_data_set_the_journal_aside(tmp_path):
    file = tmp_path / "small.arff"
    file.write_text(ARFF + "\n".join(ROWS) + "\n")
    plan = plan_of(source=str(tmp_path), datasets=["small"], runs=1)
    run_in(tmp_path / "out", plan)
    run_in(tmp_path / "out", plan)
    assert not (tmp_path / "out" / "journal-1.jsonl").exists()
    file.write_text(ARFF + "\n".join(["red,3.5,yes", *ROWS]) + "\n")
    assert run_in(tmp_path / "out", plan).records[0]["n"] == 31
    assert (tmp_path / "out" / "journal-1.jsonl").exists()


def test_fresh_starts_over_and_keeps_the_earlier_journal(finished, tmp_path):
    folder, _ = finished
    (tmp_path / "journal.jsonl").write_bytes((folder / "journal.jsonl").read_bytes())
    run_in(tmp_path, plan_of(datasets=["iris"], runs=1), fresh=True)
    assert len(lines_of(tmp_path)) == 1 + 3
    assert (tmp_path / "journal-1.jsonl").exists()


def test_a_data_set_that_fails_does_not_take_the_others_down(tmp_path):
    (tmp_path / "good.arff").write_text(ARFF + "\n".join(ROWS) + "\n")
    (tmp_path / "broken.arff").write_text(ARFF + "red,1\n")
    (tmp_path / "tiny.arff").write_text(ARFF + "red,1,yes\nred,2,no\n")
    plan = plan_of(source=str(tmp_path), datasets=["broken", "good", "tiny"], runs=1)
    run = run_in(tmp_path, plan)
    assert summary_table(run.records)["dataset"].unique().tolist() == ["good"]
    assert set(run.failures) == {"broken", "tiny"}
    assert "broken.arff" in run.failures["broken"]


class Failing(NullClassifier):
    """Learns nothing at all."""

    def _learn(self, rows):
        raise ValueError("this classifier has a reason")


def test_a_classifier_that_fails_in_a_worker_is_reported_with_its_reason(tmp_path):
    run = run_in(tmp_path, plan_of(classifiers={"null": Failing()}, runs=1))
    assert run.failures["iris"] == "ValueError: this classifier has a reason"
    assert run.records == []


def test_an_interrupt_goes_through_and_keeps_what_is_finished(tmp_path):
    plan, seen = plan_of(), []

    def interrupt(name):
        seen.append(name)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in(tmp_path, plan, on_fold=interrupt)
    assert len(lines_of(tmp_path)) == 1 + 4
    assert len(run_in(tmp_path, plan).records) == 12


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_two_runs_on_one_folder_are_refused_until_the_first_is_killed(tmp_path):
    code = f"""
        from skcredal.paper import Journal
        with Journal({str(tmp_path)!r}):
            print("ready", flush=True)
            input()
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "ready\n"
    for fresh in (False, True):
        with pytest.raises(BlockingIOError, match=f"{tmp_path} is in use by another run"):
            Journal(tmp_path, fresh=fresh)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    Journal(tmp_path).__exit__()


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_killed_runs_end_in_the_tables_of_an_undisturbed_one(tmp_path):
    """Killed as soon as some folds are finished; `make soak` kills at random moments, and more often."""
    killed_runs.run(tmp_path / "undisturbed", jobs=1)
    for n_folds in (1, 4):
        killed_runs.kill_after(tmp_path / "killed", n_folds, jobs=2)
        assert not (tmp_path / "killed" / "summary.csv").exists()
    killed_runs.run(tmp_path / "killed", jobs=2)
    expected = killed_runs.tables(tmp_path / "undisturbed")
    assert {"summary.csv", "results.csv", "claims.json", "epsilon.csv"} <= expected.keys()
    assert killed_runs.tables(tmp_path / "killed") == expected
