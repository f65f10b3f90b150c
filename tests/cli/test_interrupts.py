"""Ctrl-C at any moment: exit code 130 and one line; killed, no worker stays. `make soak` tries far more."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from typer.testing import CliRunner

from interrupts import COMMANDS, members, press_at, start
from skcredal._cli.app import app

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")
# In turns those of a command whose kernels are compiled before, which imports, reads and writes for about two
# seconds, and those of one whose kernels are not, which compiles for longer than five.
MOMENTS = np.column_stack([np.geomspace(0.05, 2.0, 15), np.geomspace(0.06, 5.0, 15)]).ravel()
# Long enough for all moments, whatever the machine.
ENDLESS = (*COMMANDS["evaluate"], "--runs", "1000")


@pytest.fixture
def folder(tmp_path):
    assert CliRunner().invoke(app, ["datasets", "iris", "-o", str(tmp_path / "iris.csv")]).exit_code == 0
    return tmp_path


def workers_of(pid):
    children = psutil.Process(pid).children(recursive=True)
    return [child.pid for child in children if any("LokyProcess" in word for word in child.cmdline())]


def blocks(pid, number):
    (mask,) = re.findall(r"^SigBlk:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_at_any_moment_is_one_line(tmp_path, command):
    made = tmp_path / "made"
    made.mkdir()
    iris, model = str(made / "iris.csv"), str(made / "iris.skcredal")
    for call in (["datasets", "iris", "-o", iris], ["fit", iris, "--target", "class", "-o", model]):
        assert CliRunner().invoke(app, call).exit_code == 0
    endings, wrong = press_at(MOMENTS.tolist(), COMMANDS[command], made)
    assert wrong == {}
    # Some commands have ended before the last moments.
    assert sum(ending.code == 130 for ending in endings) > len(MOMENTS) / 2


def test_ctrl_c_is_heard_inside_a_callback_of_c_code_and_leaves_no_unfinished_file(tmp_path):
    """An exception inside such a callback, as LLVM has them, is dropped; the callbacks take a minute."""
    code = """
        import ctypes, time
        from skcredal._cli.interrupts import stop_at_ctrl_c
        from skcredal._files import replacing
        stop_at_ctrl_c()
        with replacing("notes.txt") as unfinished:
            unfinished.write_text("milk")
            callback = ctypes.CFUNCTYPE(None)(lambda: time.sleep(0.1))
            print("begun", flush=True)
            for _ in range(600):
                callback()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    assert len(list(tmp_path.iterdir())) == 1
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "Interrupted: stopped by Ctrl-C.\n")
    assert list(tmp_path.iterdir()) == []


def test_a_command_in_the_background_goes_on_ignoring_ctrl_c():
    """Shells without job control start it so, and Ctrl-C is meant for what is in front."""
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    stop = "from skcredal._cli.interrupts import stop_at_ctrl_c; stop_at_ctrl_c();"
    press = "import os; os.kill(os.getpid(), signal.SIGINT); print('still there')"
    done = subprocess.run(
        [sys.executable, "-c", f"{ignoring} {stop} {press}"], stdout=subprocess.PIPE, text=True
    )
    assert (done.returncode, done.stdout) == (0, "still there\n")


def test_ctrl_c_after_the_work_does_not_look_like_a_crash():
    """While Python clears away what was imported, the signal would end it without a word, and by force."""
    code = """
        from skcredal._cli.interrupts import stop_at_ctrl_c
        stop_at_ctrl_c()
        import pandas
        print("done", flush=True)
    """
    for moment in (0.0, 0.01, 0.02):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout.readline() == b"done\n"
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        # The second if it was heard just before the end.
        assert (process.returncode, errors) in ((0, b""), (130, b"Interrupted: stopped by Ctrl-C.\n"))


def test_workers_do_not_hear_ctrl_c_and_end_with_a_parent_that_is_killed(folder):
    process = start(ENDLESS, folder)
    until = time.monotonic() + 120
    while len(workers := workers_of(process.pid)) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    if sys.platform == "linux":
        # A terminal sends it to them, too: each would show a traceback unless it is blocked from the start.
        assert all(blocks(worker, signal.SIGINT) for worker in workers)
    time.sleep(1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    try:
        assert members(process.pid, patience=30.0) == []
    finally:
        for left in members(process.pid, patience=0.0):
            left.kill()
        process.communicate()
