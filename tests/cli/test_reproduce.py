import errno
import json
from pathlib import Path

import pandas as pd
import pytest

from command_line import invoke
from skcredal.evaluation import CLASSIFIERS
from skcredal.paper import Journal

ARFF = "@relation small\n@attribute size numeric\n@attribute class {yes, no}\n@data\n"
DATA = ARFF + "".join(f"{r},{'yes' if r > 14 else 'no'}\n" for r in range(30))
SMALL = ("--folds", "2", "--runs", "1", "--classifiers", "aode")


@pytest.fixture
def run(tmp_path, few_samples):
    out = ["--out", str(tmp_path / "out"), "--jobs", "1"]
    return lambda *arguments: invoke("reproduce", *out, *arguments)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "small.arff").write_text(DATA)
    return tmp_path / "data"


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix not in (".jsonl", "")}


def test_means_and_claims_are_printed_and_written(run, tmp_path):
    result = run("--datasets", "iris", "--folds", "2", "--runs", "1")
    assert result.exit_code == 0, result.output
    assert "Running time" in result.stdout
    summary = pd.read_csv(tmp_path / "out" / "summary.csv", keep_default_na=False)
    assert summary["classifier"].tolist() == list(CLASSIFIERS)
    claims = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert [claim["number"] for claim in claims] == list(range(1, 31))
    assert {claim["verdict"] for claim in claims} <= {"holds", "does not hold here", "not judged"}


def test_baselines_are_added_and_a_data_set_that_fails_is_reported(run, folder, tmp_path):
    (folder / "broken.arff").write_text(ARFF + "1\n")
    result = run("--data", str(folder), *SMALL, "--setting", "paper", "--baselines")
    assert result.exit_code == 1
    assert "Error: broken:" in result.stderr
    names = ["aode", "random-forest", "gradient-boosting", "logistic-regression"]
    assert pd.read_csv(tmp_path / "out" / "summary.csv")["classifier"].tolist() == names
    assert "('n_trees', 500)" in (tmp_path / "out" / "journal.jsonl").read_text()


def test_neither_a_second_call_nor_one_that_fails_changes_the_tables(run, tmp_path, folder, monkeypatch):
    out, call = tmp_path / "out", ("--data", str(folder), *SMALL)
    with Journal(out):
        refused = run(*call)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
    assert f"{out} is in use" in refused.stderr
    assert run(*call).exit_code == 0
    journal, tables = (out / "journal.jsonl").read_bytes(), written(out)
    assert run(*call).exit_code == 0
    assert (out / "journal.jsonl").read_bytes() == journal
    original = Path.write_text

    def write(path, text, **options):
        if "report.html" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(path, text, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", write)
        full = run(*call, "--seed", "1")
    assert full.exit_code == 1
    assert f"{out / 'report.html'}: No space left on device" in full.stderr
    assert (out / "journal-1.jsonl").read_bytes() == journal
    (folder / "small.arff").write_text(ARFF + "1\n")
    assert run(*call).exit_code == 1
    assert written(out) == tables


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--datasets", "irises"), "'irises' in embedded. Choose from balance_scale"),
        (("--classifiers", "c45"), "'c45'. Choose from aode"),
        (("--data", str(Path(__file__).parent)), "no data set in"),
    ],
)
def test_wrong_names_are_refused_before_any_work(run, tmp_path, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()
