"""A bar is drawn where someone is watching; elsewhere there are few lines of text, and never an empty one."""

import sys

import pytest

from skcredal._progress import progress_bar, report_progress

pytest.importorskip("tqdm")


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_without_a_terminal_there_is_no_bar_and_no_empty_line(capsys, monkeypatch, with_tqdm):
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with progress_bar("folds", 10, "comparing") as advance:
        advance(10)
    assert capsys.readouterr() == ("", "")
    with report_progress(True, "counts", 20) as advance:
        advance(10)
        advance(10)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("counts: 20 of 20 rows, ")
