"""A bar is drawn where someone is watching; elsewhere there are few lines of text, and never an empty one."""

import sys

import pytest

from skcredal._progress import progress_bar, report_progress

rich = pytest.importorskip("rich.console")


@pytest.fixture
def terminal(monkeypatch):
    """Standard error that rich takes for a terminal, wide enough for a line."""
    monkeypatch.setattr(rich.Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", "120")


def test_a_bar_names_the_unit_and_the_step(terminal, capsys):
    with progress_bar("fits", 2000, "cross-validation") as advance:
        advance(1500, "iris, run 1, fold 2")
    printed = capsys.readouterr()
    assert "1,500/2,000 fits," in printed.err
    assert "cross-validation: iris, run 1, fold 2" in printed.err
    assert printed.out == ""


def test_a_pass_over_rows_keeps_its_bar_with_the_speed(terminal, capsys):
    with report_progress(True, "counts", None) as advance:
        advance(1000)
        advance(2000)
    *_, bar, _ = capsys.readouterr().err.splitlines()  # at last the cursor comes back
    assert "counts" in bar
    assert "3,000 rows, " in bar
    assert "rows/s" in bar


@pytest.mark.parametrize("with_rich", [True, False])
def test_without_a_terminal_there_is_no_bar_and_no_empty_line(capsys, monkeypatch, with_rich):
    if not with_rich:
        monkeypatch.setitem(sys.modules, "rich", None)
    with progress_bar("folds", 10, "comparing") as advance:
        advance(10)
    assert capsys.readouterr() == ("", "")
    with report_progress(True, "counts", 20) as advance:
        advance(10)
        advance(10)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("counts: 20 of 20 rows, ")
