"""Killed at random moments, an experiment ends with the same tables; `make soak` kills more often."""

import os
import time

import pytest

from killed_runs import run, run_two_killed, tables


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_killed_on_two_folders_at_once_the_tables_are_those_of_an_undisturbed_run(tmp_path):
    begin = time.perf_counter()
    run(tmp_path / "undisturbed", jobs=1)
    longest = time.perf_counter() - begin
    folders = [tmp_path / "one", tmp_path / "two"]
    assert run_two_killed(folders, kills=2, longest=longest) > 0
    expected = tables(tmp_path / "undisturbed")
    assert {"summary.csv", "results.csv", "claims.md", "claims.json", "epsilon.csv"} <= expected.keys()
    for out in folders:
        assert tables(out) == expected
