"""Pressing Ctrl-C at a moment of a command's life, and what must hold afterwards."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Moments are counted from here: what happens before is Python's own start.
PROGRAM = "import sys; from skcredal._cli import main; print('begun', flush=True); sys.exit(main())"
COMMANDS = {
    "fit": ("fit", "iris.csv", "--target", "class", "-o", "new.skcredal"),
    "predict": ("predict", "iris.skcredal", "iris.csv", "-o", "new.csv"),
    "explain": ("explain", "iris.skcredal", "iris.csv", "--row", "3"),
    "evaluate": ("evaluate", "iris.csv", "--target", "class", "--jobs", "2", "--report", "new.html"),
    "reproduce": (
        *("reproduce", "--datasets", "iris,wine", "--runs", "1", "--folds", "2", "--jobs", "2"),
        *("--classifiers", "aode,comp-aode-star", "--out", "results"),
    ),
}


def start(arguments, folder, *, cache=None):
    """Start a command in a session of its own, as a shell would in front of a terminal."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "begun\n"
    return process


@dataclass(frozen=True)
class Ending:
    """How a command ended: its code, what it said, and the processes and files that it left."""

    code: int
    said: list[str]
    left: list[str]


def press_ctrl_c(arguments, folder, moment, *, cache=None):
    """Start a command, and send what a terminal sends to all of its processes."""
    process = start(arguments, folder, cache=cache)
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    left = [f"a worker: {worker}" for worker in members(process.pid, patience=30.0)]
    # A file that is being written stays behind under another name, but never as the one that was asked for.
    left += [f"a file: {path.name}" for path in Path(folder).glob("new.*") if process.returncode]
    return Ending(process.returncode, errors.splitlines(), left)


def complaints(ending):
    """Return what is wrong with the ending; a command may end before it hears of Ctrl-C."""
    found = list(ending.left)
    if ending.code not in (0, -signal.SIGINT):
        found.append(f"code {ending.code}")
    return found + [line for line in ending.said if line and not line.startswith(("Note: ", "Warning: "))]


def members(session, *, patience):
    """Return the processes of a session that are still there after some seconds; none, if all is well."""
    until = time.monotonic() + patience
    while there := [process for process in psutil.process_iter() if _is_in(process, session)]:
        if time.monotonic() > until:
            return there
        time.sleep(0.1)
    return []


def _is_in(process, session):
    try:
        return os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE
    except (ProcessLookupError, psutil.NoSuchProcess):
        return False
