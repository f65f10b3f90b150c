import errno
import json
import re
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

from command_line import invoke
from skcredal.evaluation import CLASSIFIERS
from skcredal.paper import Journal

ARFF = """@relation small
@attribute colour {red, green}
@attribute size numeric
@attribute class {yes, no}
@data
"""
SMALL = ("--datasets", "iris", "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")


@pytest.fixture
def run(tmp_path, few_samples):
    out = ["--out", str(tmp_path / "out"), "--jobs", "1"]
    return lambda *arguments: invoke("reproduce", *out, *arguments)


@pytest.fixture
def folder(tmp_path):
    rows = "\n".join(f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "small.arff").write_text(ARFF + rows + "\n")
    return tmp_path / "data"


def written(folder):
    """Return what the files contain that were written for the reader."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix not in (".jsonl", "")}


def test_means_and_claims_are_printed_and_written(run, tmp_path):
    result = run("--datasets", "iris,wine", "--folds", "2", "--runs", "1")
    assert result.exit_code == 0, result.output
    for expected in ("COMP-AODE*", "u80", "can be judged here", "10.48550"):
        assert expected in result.stdout
    # The report opens with the same words, and the same running time.
    printed = " ".join(result.stdout.partition("Means over")[0].split())
    report = (tmp_path / "out" / "report.html").read_text()
    for label, text in re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", report.partition("</header>")[0]):
        assert f"{label} {unescape(text)}" in printed
    assert "Running time" in printed
    # There is a classifier called "null".
    summary = pd.read_csv(tmp_path / "out" / "summary.csv", keep_default_na=False)
    assert summary["classifier"].tolist() == list(CLASSIFIERS) * 2
    claims = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert [claim["number"] for claim in claims] == list(range(1, 31))
    assert {claim["verdict"] for claim in claims} <= {"holds", "does not hold here", "not judged"}
    assert str(tmp_path) not in report
    # Nothing was run that is slow.
    assert "forest" not in (tmp_path / "out" / "rivals.csv").read_text()


def test_baselines_run_only_where_they_are_asked_for(run, folder, tmp_path):
    arguments = ("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,lp-aode")
    result = run(*arguments, "--setting", "paper", "--baselines")
    assert result.exit_code == 0, result.output
    names = ["aode", "lp-aode", "random-forest", "gradient-boosting", "logistic-regression"]
    assert pd.read_csv(tmp_path / "out" / "summary.csv")["classifier"].tolist() == names
    rivals = set(pd.read_csv(tmp_path / "out" / "rivals.csv")["series"])
    assert {f"conformal {level} %, random-forest" for level in (80, 90, 95)} <= rivals
    assert "utility-optimal, random-forest" in rivals
    header = json.loads((tmp_path / "out" / "journal.jsonl").read_text().splitlines()[0])
    assert "500" in header["classifiers"]["random-forest"]


def test_a_second_call_finds_what_the_first_finished(run, tmp_path):
    assert run(*SMALL).exit_code == 0
    journal, tables = (tmp_path / "out" / "journal.jsonl").read_bytes(), written(tmp_path / "out")
    assert run(*SMALL).exit_code == 0
    assert (tmp_path / "out" / "journal.jsonl").read_bytes() == journal
    assert written(tmp_path / "out") == tables
    other = run(*SMALL, "--seed", "1")
    assert other.exit_code == 0
    assert "journal-1.jsonl" in other.stderr
    assert (tmp_path / "out" / "journal-1.jsonl").read_bytes() == journal


def test_a_data_set_that_fails_is_reported_and_the_others_are_not_lost(run, folder):
    (folder / "broken.arff").write_text(ARFF + "red,1\n")
    result = run("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")
    assert result.exit_code == 1
    assert "1 (folder data)" in result.stdout
    assert "Error: broken:" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--datasets", "irises"), "no data set 'irises' in embedded. Choose from balance_scale"),
        (("--classifiers", "c45"), "no classifier 'c45'. Choose from aode"),
        (("--data", "nowhere/at/all"), "nowhere/at/all"),
        (("--datasets", ","), "--datasets: must be a list of names"),
        (("--setting", "honset"), "argument --setting: invalid choice: 'honset'"),
    ],
)
def test_wrong_names_are_refused_before_any_work(run, tmp_path, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_folder_without_data_sets_is_refused(run, tmp_path):
    result = run("--data", str(tmp_path))
    assert result.exit_code == 2
    assert "There is no data set in" in result.stderr


def test_a_folder_in_use_is_refused_in_one_sentence(run, tmp_path):
    with Journal(tmp_path / "out"):
        result = run(*SMALL)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert f"{tmp_path / 'out'} is in use by another run" in line
    assert run(*SMALL).exit_code == 0


def test_data_that_are_gone_leave_the_tables_of_a_finished_run(run, tmp_path, folder):
    call = ("--data", str(folder), "--folds", "2", "--runs", "1", "--classifiers", "aode,cdt")
    assert run(*call).exit_code == 0
    before = written(tmp_path / "out")
    (folder / "small.arff").write_text(ARFF + "red,1\n")
    assert run(*call).exit_code == 1
    assert written(tmp_path / "out") == before


@pytest.mark.parametrize("full_at", ["results.csv", "report.html"])
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
    assert f"{tmp_path / 'out' / full_at}: No space left on device" in result.stderr
    assert written(tmp_path / "out") == before
