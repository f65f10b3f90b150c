"""What the command line writes: on any terminal, whatever names hold, and part by part."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import skcredal._cli.commands as commands_module
import skcredal._cli.models as models_module
import skcredal.classifiers._answers as answers_module
from skcredal._cli.app import app
from skcredal.evaluation._terminal import TableConsole, new_table

pytest.importorskip("skops")


def patients(n=60):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, n)
    smoker = rng.choice(["yes", "no"], n)
    ill = age / 90 + (smoker == "yes") * 0.4 + rng.normal(0, 0.2, n) > 0.7
    case = [None if r < 20 else f"p{r}" for r in range(n)]
    return pd.DataFrame({"case": case, "age": age, "smoker": smoker, "outcome": np.where(ill, "ill", "wéll")})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients().to_csv("p.csv", index=False)

    def invoke(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == 0, result.output
        return result

    return invoke


def test_a_terminal_that_lacks_characters_shows_others(tmp_path):
    patients().to_csv(tmp_path / "p.csv", index=False)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    call = ["evaluate", "p.csv", "--target", "outcome", "--drop", "case", "--classifiers", "naive-bayes"]
    done = subprocess.run(
        [sys.executable, "-m", "skcredal", *call, "--folds", "2"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"60 rows, 1 ? 2-fold cross-validation" in done.stdout
    assert b"naive-bayes" in done.stdout


def test_names_are_printed_as_they_are(capsys):
    table = new_table(title="[up]")
    table.add_column("[i]", footer="[b]")
    table.add_row("[red] :cat:")
    console = TableConsole()
    console.print(table)
    console.print("[red] :dog:", highlight=False)
    shown = capsys.readouterr().out
    for name in ("[up]", "[i]", "[red] :cat:", "[red] :dog:"):
        assert name in shown


@pytest.mark.parametrize("out", ["answers.csv", "answers.tsv", "answers.parquet", "-"])
@pytest.mark.parametrize("classifier", ["lp-aode-star", "naive-bayes"])
def test_answers_are_written_part_by_part_and_are_those_of_all_rows(run, monkeypatch, out, classifier):
    run("fit", "p.csv", "--target", "outcome", "--id", "case", "--classifier", classifier, "-o", "m.skcredal")
    events = []
    answers, table_writer = answers_module.answers, models_module.table_writer

    def answering(model, rows):
        events.append(len(rows))
        return answers(model, rows)

    class Writer:
        def __init__(self, *arguments):
            self.writer = table_writer(*arguments)

        def __enter__(self):
            write = self.writer.__enter__()
            return lambda columns: (events.append("written"), write(columns))

        def __exit__(self, *error):
            return self.writer.__exit__(*error)

    monkeypatch.setattr(answers_module, "answers", answering)
    monkeypatch.setattr(models_module, "table_writer", Writer)
    found = []
    for n_rows in (1000, 25):
        monkeypatch.setattr(commands_module, "_ROWS", n_rows)
        result = run("predict", "m.skcredal", "p.csv", "-o", out)
        content = result.stdout_bytes if out == "-" else Path(out).read_bytes()
        # Last digits may depend on which rows are answered together.
        table = pd.read_parquet(out).round(12).to_csv().encode() if out.endswith("parquet") else content
        found.append(table)
        found.append(result.stderr)
    # The ids of the first rows are missing, which must not decide the type of the column.
    assert found[:2] == found[2:]
    assert "p59" in found[0].decode()
    assert found[1].startswith("Note: Of 60 rows, ")
    assert events == [60, "written", 25, "written", 25, "written", 10, "written"]


def test_an_error_on_the_way_leaves_nothing_behind(run, monkeypatch, tmp_path):
    run("fit", "p.csv", "--target", "outcome", "--drop", "case", "-o", "m.skcredal")
    monkeypatch.setattr(commands_module, "_ROWS", 25)
    answers, calls = answers_module.answers, []

    def failing(model, rows):
        calls.append(rows)
        if len(calls) % 3 == 0:
            raise ValueError("no more")
        return answers(model, rows)

    monkeypatch.setattr(answers_module, "answers", failing)
    before = sorted(tmp_path.iterdir())
    for out in ("answers.csv", "-"):
        result = CliRunner().invoke(app, ["predict", "m.skcredal", "p.csv", "-o", out])
        assert result.exit_code == 1
        assert result.stdout == ""
        assert "no more" in result.stderr
    assert sorted(tmp_path.iterdir()) == before
