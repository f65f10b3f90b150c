import errno
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import skcredal.paper._run as run_module
import skcredal.paper._store as store_module
from report_problems import CREDAL, DETERMINATE
from skcredal._cli.app import app
from skcredal.paper import ResultStore
from skcredal.paper._summary import FOLD_COLUMNS, SUMMARY_COLUMNS

ARFF = """@relation small
@attribute colour {red, green}
@attribute size numeric
@attribute class {yes, no}
@data
"""


@pytest.fixture
def run(tmp_path, few_samples):
    runner = CliRunner()
    out = ["--out", str(tmp_path / "out"), "--jobs", "1"]
    return lambda *arguments: runner.invoke(app, ["reproduce", *out, *arguments])


@pytest.fixture
def folder(tmp_path):
    rows = "\n".join(f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "small.arff").write_text(ARFF + rows + "\n")
    return tmp_path / "data"


def test_tables_and_claims_are_printed_and_written(run, tmp_path):
    result = run("--datasets", "iris,wine", "--folds", "3", "--runs", "2")
    assert result.exit_code == 0, result.output
    for expected in (
        "iris",
        "wine",
        "maplmg",
        "comp-aode*",
        "mean",
        "determ",
        "u80",
        "This call took",
        "claims",
        "Beyond the paper",
        "LP-AODE*",
    ):
        assert expected in result.stdout
    # It fits a terminal of 80 columns, where nothing is cut off.
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()) <= 80
    assert "…" not in result.stdout
    # There is a classifier called "null".
    summary = pd.read_csv(tmp_path / "out" / "summary.csv", keep_default_na=False)
    assert tuple(summary.columns[: len(SUMMARY_COLUMNS)]) == SUMMARY_COLUMNS
    names = summary["classifier"].unique()
    assert {*DETERMINATE, *CREDAL} <= set(names)
    assert len(summary) == 2 * len(names)
    folds = pd.read_csv(tmp_path / "out" / "results.csv")
    assert tuple(folds.columns) == FOLD_COLUMNS
    assert len(folds) == len(summary) * 2 * 3
    claims = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert len(claims) == 30
    markdown = (tmp_path / "out" / "claims.md").read_text()
    # Two data sets show directions; the paper's figures are not theirs.
    assert "| not comparable |" in markdown
    assert "same direction, not significant on these 2 data sets" in markdown
    assert "does not hold |" not in markdown
    assert "same direction, not" in result.stdout
    # Whoever has not read the paper learns what was run, and where to read it.
    assert markdown.startswith("# The paper's claims\n\nAODE is a classifier for tables")
    assert "compared on 2 data sets: 2 runs of stratified 3-fold cross-validation" in markdown
    for text in (markdown, result.stdout):
        assert "https://doi.org/10.48550/arXiv.1203.5716" in text
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert "2 runs of stratified 3-fold cross-validation" in page
    assert str(tmp_path) not in page


def test_baselines_run_only_where_they_are_asked_for(run, folder, tmp_path):
    arguments = ("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,lp-aode,cdt")
    assert run(*arguments).exit_code == 0
    summary = tmp_path / "out" / "summary.csv"
    assert pd.read_csv(summary)["classifier"].tolist() == ["aode", "lp-aode", "cdt"]
    assert not (tmp_path / "out" / "baselines.csv").exists()
    result = run(*arguments, "--baselines")
    assert result.exit_code == 0, result.output
    names = ["random-forest", "gradient-boosting", "logistic-regression"]
    assert pd.read_csv(summary)["classifier"].tolist() == ["aode", "lp-aode", "cdt", *names]
    assert "logistic regression" in result.stdout
    assert "…" not in result.stdout
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()) <= 80
    markdown = (tmp_path / "out" / "claims.md").read_text()
    claims, beyond = markdown.split("## Beyond the paper")
    assert "forest" not in claims
    assert "| LP-AODE | random forest | log-loss | 1 |" in beyond
    assert "utility-optimal, random-forest" in (tmp_path / "out" / "baselines.csv").read_text()


def test_a_second_call_finds_what_the_first_finished(run, tmp_path):
    arguments = ("--datasets", "iris", "--runs", "1", "--classifiers", "aode,cdt")
    first = run(*arguments)
    table = (tmp_path / "out" / "summary.csv").read_bytes()
    second = run(*arguments)
    assert first.exit_code == second.exit_code == 0
    # Seconds included: nothing was run again.
    assert (tmp_path / "out" / "summary.csv").read_bytes() == table
    assert run(*arguments, "--fresh").exit_code == 0
    assert (tmp_path / "out" / "summary.csv").read_bytes() != table


def test_a_folder_of_arff_files_will_do(run, folder, tmp_path):
    result = run(
        "--data", str(folder), "--classifiers", "comp-aode-star", "--folds", "2", "--setting", "paper"
    )
    assert result.exit_code == 0, result.output
    assert "small" in result.stdout
    assert "discretised once" in result.stdout
    assert pd.read_csv(tmp_path / "out" / "summary.csv")["n"].tolist() == [30]


def test_a_data_set_that_fails_does_not_take_the_others_down(run, folder):
    (folder / "broken.arff").write_text(ARFF + "red,1\n")
    result = run("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")
    assert result.exit_code == 1
    assert "small" in result.stdout
    assert "Error: broken:" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--datasets", "irises"), "no data set 'irises' in embedded. Choose from balance_scale"),
        (("--classifiers", "c45"), "no classifier 'c45'. Choose from aode"),
        (("--data", "nowhere/at/all"), "nowhere/at/all"),
        (("--datasets", ","), "--datasets must name at least one"),
        (("--classifiers", ""), "--classifiers must name at least one"),
        (("--setting", "honset"), "setting must be 'honest' or 'paper', got 'honset'"),
    ],
)
def test_wrong_names_are_refused_before_any_work(run, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_a_folder_without_data_sets_is_refused(run, tmp_path):
    result = run("--data", str(tmp_path))
    assert result.exit_code == 2
    assert "There is no data set in" in " ".join(result.stderr.split())


def test_a_store_that_is_none_is_refused_with_a_way_out(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.sqlite").write_text("not a database at all, though long enough" * 30)
    result = run("--datasets", "iris", "--runs", "1", "--classifiers", "null")
    assert result.exit_code == 2
    assert "--fresh" in result.stderr
    assert run("--datasets", "iris", "--runs", "1", "--classifiers", "null", "--fresh").exit_code == 0


SMALL = ("--datasets", "iris,wine", "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")


def written(folder):
    """Return what the files hold that were written for the reader."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if "sqlite" not in path.name}


def interrupt_at(monkeypatch, dataset):
    original = run_module.load_dataset

    def interrupted(name, source):
        if name == dataset:
            raise KeyboardInterrupt
        return original(name, source)

    monkeypatch.setattr(run_module, "load_dataset", interrupted)


def test_an_interrupt_keeps_what_is_finished(run, tmp_path, monkeypatch):
    interrupt_at(monkeypatch, "wine")
    result = run(*SMALL)
    assert result.exit_code == 130
    assert result.stderr.splitlines() == ["Interrupted: stopped by Ctrl-C."]
    assert written(tmp_path / "out") == {}
    monkeypatch.undo()
    with ResultStore(tmp_path / "out" / "results.sqlite") as store, store._transaction() as cursor:
        assert cursor.execute("SELECT count(*) FROM folds").fetchone() == (2 * 2,)


def test_an_interrupt_leaves_the_tables_of_a_finished_run(run, tmp_path, monkeypatch):
    assert run(*SMALL).exit_code == 0
    before = written(tmp_path / "out")
    assert {"summary.csv", "results.csv", "claims.md", "claims.json", "report.html"} <= before.keys()
    interrupt_at(monkeypatch, "iris")
    assert run(*SMALL, "--seed", "1").exit_code == 130
    assert written(tmp_path / "out") == before


def test_data_that_are_gone_leave_the_tables_of_a_finished_run(run, tmp_path, folder):
    call = ("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")
    assert run(*call).exit_code == 0
    before = written(tmp_path / "out")
    (folder / "small.arff").write_text(ARFF + "red,1\n")
    assert run(*call).exit_code == 1
    assert written(tmp_path / "out") == before


@pytest.mark.parametrize("full_at", ["results.csv", "claims.md", "report.html"])
def test_a_full_disk_leaves_the_tables_of_a_finished_run(run, tmp_path, monkeypatch, full_at):
    assert run(*SMALL).exit_code == 0
    before = written(tmp_path / "out")
    original = Path.write_text

    def write(path, text, **options):
        if full_at in path.name:
            original(path, text[: len(text) // 2], **options)
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(path, text, **options)

    monkeypatch.setattr(Path, "write_text", write)
    result = run(*SMALL, "--seed", "1")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [f"Error: {tmp_path / 'out' / full_at}: No space left on device."]
    assert written(tmp_path / "out") == before


@pytest.fixture
def other_process(tmp_path):
    """Start Python code in another process, which ends with the test; it holds what it opened meanwhile."""
    started = []

    def start(code):
        code = f"{textwrap.dedent(code)}\nprint('ready', flush=True)\ninput()"
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"

    yield start
    for process in started:
        process.communicate("\n")
        assert process.returncode == 0


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_a_store_that_is_being_written_is_not_called_broken(run, tmp_path, monkeypatch, other_process, fresh):
    monkeypatch.setattr(store_module, "_PATIENCE", 0.2)
    assert run(*SMALL).exit_code == 0
    store = tmp_path / "out" / "results.sqlite"
    before = store.read_bytes()
    other_process(f"""
        import sqlite3
        connection = sqlite3.connect({str(store)!r})
        connection.execute("BEGIN EXCLUSIVE")
    """)
    result = run(*SMALL, *fresh)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert f"{store} is in use by another process" in line
    assert "--fresh" not in line
    assert store.read_bytes() == before


def test_fresh_never_removes_a_store_in_use(run, tmp_path, monkeypatch, other_process):
    monkeypatch.setattr(store_module, "_PATIENCE", 0.2)
    assert run(*SMALL).exit_code == 0
    store = tmp_path / "out" / "results.sqlite"
    before = store.read_bytes()
    other_process(f"""
        from skcredal.paper import ResultStore
        store = ResultStore({str(store)!r})
    """)
    result = run(*SMALL, "--fresh")
    assert result.exit_code == 2
    assert f"{store} is in use by another process" in result.stderr
    assert store.read_bytes() == before
    # Beside it, another may work on the same store.
    assert run(*SMALL).exit_code == 0


def test_fresh_starts_over(run, tmp_path):
    assert run(*SMALL).exit_code == 0
    assert run(*SMALL[:2], *SMALL[2:6], "--classifiers", "null", "--fresh").exit_code == 0
    with ResultStore(tmp_path / "out" / "results.sqlite") as store, store._transaction() as cursor:
        assert cursor.execute("SELECT DISTINCT classifier FROM folds").fetchall() == [("null",)]


def test_a_flipped_byte_of_a_study_is_reported_with_the_file(run, tmp_path):
    call = ("--datasets", "iris", "--folds", "2", "--runs", "1", "--classifiers", "aode,comp-aode-star")
    assert run(*call).exit_code == 0
    store = tmp_path / "out" / "results.sqlite"
    content = bytearray(store.read_bytes())
    content[content.index(b'{"comp-aode*"')] ^= 1
    store.write_bytes(content)
    result = run(*call)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert f"{store} is damaged" in line
    assert "Move it away, or start over with --fresh." in line
    assert run(*call, "--fresh").exit_code == 0
