"""Ctrl-C ends a command at once, and a killed command leaves no worker; `make soak` tries more moments."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from command_line import invoke
from interrupts import COMMANDS, complaints, members, press_ctrl_c, start

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")
# Longer than any test waits.
ENDLESS = (*COMMANDS["evaluate"], "--runs", "1000")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    iris = made / "iris.csv"
    assert invoke("datasets", "iris", "-o", iris).exit_code == 0
    assert invoke("fit", iris, "--target", "class", "-o", made / "iris.skcredal").exit_code == 0
    return made


def wait_for_workers(process):
    until, found = time.monotonic() + 60.0, []
    while len(found) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        found = [child for child in children if any("LokyProcess" in word for word in child.cmdline())]


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_a_command_without_a_traceback_or_half_a_file(folder, command):
    assert complaints(press_ctrl_c(COMMANDS[command], folder, 1.0)) == []


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_command(folder, sent):
    """Also where nobody tells them: only the command itself gets the signal."""
    process = start(ENDLESS, folder)
    wait_for_workers(process)
    os.kill(process.pid, sent)
    assert process.wait(timeout=60) == -sent
    assert members(process.pid, patience=30.0) == []


def test_a_command_in_the_background_ignores_ctrl_c(folder):
    program = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from skcredal._cli import main; "
    program += "assert main() == 0; assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN"
    done = subprocess.run([sys.executable, "-c", program, "datasets"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
