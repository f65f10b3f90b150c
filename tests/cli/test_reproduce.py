import pytest
from typer.testing import CliRunner

import skcredal.cli.reproduce as reproduce_module
from skcredal.cli.app import app

ARFF = """@relation small
@attribute colour {red, green}
@attribute size numeric
@attribute class {yes, no}
@data
"""


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, ["reproduce", *arguments])


@pytest.fixture
def folder(tmp_path):
    rows = "\n".join(f"{'red' if r % 3 else 'green'},{r},{'yes' if r > 14 else 'no'}" for r in range(30))
    (tmp_path / "small.arff").write_text(ARFF + rows + "\n")
    return tmp_path


def test_a_table_with_every_data_set_and_classifier_is_printed(run):
    result = run("--datasets", "iris,wine", "--folds", "3")
    assert result.exit_code == 0
    for expected in (
        "iris",
        "wine",
        "comp-aode",
        "bma-aode*",
        "comp-aode*",
        "mean",
        "determ",
        "u80",
        "on its own 39",
    ):
        assert expected in result.stdout
    # It fits a terminal of 80 columns, where nothing is cut off.
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()) <= 80
    assert "…" not in result.stdout


def test_a_folder_of_arff_files_will_do(run, folder):
    result = run("--data", str(folder), "--classifiers", "comp-aode-star", "--folds", "2", "--runs", "2")
    assert result.exit_code == 0
    assert "small" in result.stdout
    assert " 30 " in result.stdout  # rows of the data set, not of all runs
    assert "bma-aode" not in result.stdout


def test_a_data_set_that_fails_does_not_take_the_others_down(run, folder):
    (folder / "broken.arff").write_text(ARFF + "red,1\n")
    result = run("--data", str(folder), "--folds", "2")
    assert result.exit_code == 1
    assert "small" in result.stdout
    assert "Error: broken:" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--datasets", "irises"), "no data set 'irises' in embedded; there are balance_scale"),
        (("--classifiers", "c45"), "no classifier 'c45'; there are aode"),
        (("--data", "nowhere/at/all"), "nowhere/at/all"),
        (("--datasets", ","), "--datasets must name something"),
        (("--classifiers", ""), "--classifiers must name something"),
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


def test_an_interrupt_keeps_what_is_finished(run, monkeypatch):
    original = reproduce_module.load_dataset

    def interrupted(name, source):
        if name == "wine":
            raise KeyboardInterrupt
        return original(name, source)

    monkeypatch.setattr(reproduce_module, "load_dataset", interrupted)
    result = run("--datasets", "iris,wine", "--folds", "2")
    assert result.exit_code == 130
    assert "iris" in result.stdout
    assert "wine" not in result.stdout
    assert "interrupted: 1 of 2 data sets" in result.stdout
    assert "Interrupted after 1 of 2 data sets." in result.stderr
