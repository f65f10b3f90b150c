"""Plans, their journal, and running them: resumed after any end, and never mixed."""

import os
from dataclasses import replace

import pytest

import killed_runs
import skcredal
from command_line import invoke
from skcredal import CredalCompAODE
from skcredal.evaluation import make_classifiers
from skcredal.paper import Journal, Plan, run_plan, summary_table

NAMES = ["aode", "comp-aode*", "naive-bayes", "cdt"]
ARFF = "@relation small\n@attribute size numeric\n@attribute class {yes, no}\n@data\n"
SMALL = ARFF + "".join(f"{r},{'yes' if r > 14 else 'no'}\n" for r in range(30))


def plan_of(**changes):
    options = {"datasets": ["iris", "monks1"], "classifiers": make_classifiers(NAMES), "runs": 2, "folds": 3}
    return Plan(changes.pop("source", "embedded"), **{**options, **changes})


def run_in(folder, plan, *, fresh=False, **options):
    with Journal(folder, fresh=fresh) as journal:
        return run_plan(plan, journal, **options)


def lines_of(folder):
    return (folder / "journal.jsonl").read_text().splitlines()


def test_what_is_finished_before_an_interrupt_is_not_run_again(tmp_path):
    plan, steps = plan_of(runs=1), []

    def interrupt(name):
        steps.append(name)
        if len(steps) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in(tmp_path, plan, on_fold=interrupt)
    header, *folds = lines_of(tmp_path)
    assert len(folds) == 4
    # A line that was cut short is cut off before the next is appended.
    path, steps = tmp_path / "journal.jsonl", []
    path.write_bytes(path.read_bytes()[:-5])
    assert len(run_in(tmp_path, plan, on_fold=steps.append).records) == 6
    assert sorted(steps) == ["iris"] * 3 + ["monks1"] * 3
    # More runs and more data sets go on from there.
    more = run_in(tmp_path, plan_of(datasets=["iris", "monks1", "wine"]))
    assert lines_of(tmp_path)[:4] == [header, *folds[:3]]
    assert len(more.records) == len(lines_of(tmp_path)) - 1 == 3 * 2 * 3
    path.write_text(header[:20])
    assert len(run_in(tmp_path, plan).records) == len(lines_of(tmp_path)) - 1 == 6
    assert [file.name for file in tmp_path.glob("*.jsonl")] == ["journal.jsonl"]


def test_a_journal_of_another_plan_version_or_data_is_set_aside(tmp_path, monkeypatch):
    file, path = tmp_path / "small.arff", tmp_path / "journal.jsonl"
    file.write_text(SMALL)
    plan = plan_of(source=str(tmp_path), datasets=["small"], runs=1)
    run_in(tmp_path, plan)

    def is_set_aside(plan, *, fresh=False):
        before = path.read_text()
        with Journal(tmp_path, fresh=fresh) as journal:
            assert len(run_plan(plan, journal).records) == plan.folds
        assert (path.read_text() == before) == (journal.set_aside is None)
        return journal.set_aside is not None and journal.set_aside.read_text() == before

    assert not is_set_aside(plan)
    assert is_set_aside(plan, fresh=True)
    parameter = make_classifiers(NAMES) | {"comp-aode*": CredalCompAODE(epsilon=0.02)}
    for change in ({"seed": 1}, {"folds": 2}, {"setting": "paper"}, {"classifiers": parameter}):
        assert is_set_aside(replace(plan, **change))
        assert is_set_aside(plan)
    file.write_text(SMALL + "3.5,yes\n")
    assert is_set_aside(plan)
    path.write_text("{\n" + path.read_text())
    assert is_set_aside(plan)
    monkeypatch.setattr(skcredal, "__version__", "0.0.0")
    assert is_set_aside(plan)


def test_a_data_set_that_fails_does_not_take_the_others_down(tmp_path):
    (tmp_path / "good.arff").write_text(SMALL)
    (tmp_path / "broken.arff").write_text(ARFF + "1\n")
    (tmp_path / "tiny.arff").write_text(ARFF + "1,yes\n2,no\n")
    options = {"source": str(tmp_path), "datasets": ["broken", "good", "tiny"], "runs": 1}
    run = run_in(tmp_path, plan_of(**options))
    assert summary_table(run.records)["dataset"].unique().tolist() == ["good"]
    assert run.failures.keys() == {"broken", "tiny"}
    assert "broken.arff" in run.failures["broken"]


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
@pytest.mark.usefixtures("few_samples")
def test_a_killed_run_ends_in_the_tables_of_an_undisturbed_one(tmp_path):
    """Killed as soon as some folds are finished; `make soak` kills at random moments, and more often."""
    killed_runs.kill_after(tmp_path / "killed", 3, jobs=2)
    assert 3 <= killed_runs.n_finished(tmp_path / "killed") < 12
    assert not (tmp_path / "killed" / "summary.csv").exists()
    found = []
    for name in ("killed", "undisturbed"):
        command = ("reproduce", "--out", tmp_path / name, "--jobs", "1", *killed_runs.EXPERIMENT)
        assert invoke(*command).exit_code == 0
        found.append(killed_runs.tables(tmp_path / name))
    assert {"summary.csv", "results.csv", "claims.json", "epsilon.csv"} <= found[0].keys()
    assert found[0] == found[1]
