"""Ctrl-C ends the command line at once: one line, exit code 130, no traceback."""

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress

__all__ = ["INTERRUPTED", "keep_from_workers", "stop_at_ctrl_c"]

INTERRUPTED = 130  # 128 + SIGINT, as shells report it
_LINE = b"Interrupted: stopped by Ctrl-C.\n"
# A progress bar leaves a half-drawn line and no cursor.
_TIDY_TERMINAL = b"\r\x1b[K\x1b[?25h"


def stop_at_ctrl_c() -> None:
    """Let Ctrl-C end this process from a thread of its own, whatever the main thread is doing.

    Python would raise an exception in the main thread: seconds late while a kernel is compiled or runs, lost
    inside a callback of the compiler, and with a traceback in the midst of an import. Nothing has to be
    unwound: files are replaced as a whole (``skcredal._files``), and the store of results keeps whole folds.
    """
    # A shell lets a command in the background ignore Ctrl-C, which is meant for the one in front.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    reader, writer = os.pipe()
    if os.name == "posix":
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # It does nothing, but it must be there: only for signals with a handler is something written to the pipe.
    signal.signal(signal.SIGINT, lambda *_: None)
    threading.Thread(target=_wait, args=(reader,), name="ctrl-c", daemon=True).start()
    if hasattr(signal, "pthread_sigmask"):
        # Workers inherit this: a terminal sends Ctrl-C to them, too, and each would show a traceback.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Its work done, Python puts back what ends a process without a word, and has a few things to clear away.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    # joblib's process that tidies up after a stopped one would tell at length what it found.
    sys.warnoptions.append("ignore:resource_tracker")


def keep_from_workers() -> None:
    """Start Python's tracker of resources now, where Ctrl-C is blocked for worker processes to inherit that.

    With some versions of Python, starting the tracker lets Ctrl-C through again from then on. That would
    happen just before the first worker is started, and each would show a traceback.
    """
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        if signal.SIGINT in blocked:
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _wait(reader: int) -> None:
    while signal.SIGINT not in os.read(reader, 64):
        pass
    try:
        _tidy_up()
    finally:
        os._exit(INTERRUPTED)


def _tidy_up() -> None:
    with suppress(OSError):  # nobody may be listening
        os.write(2, (_TIDY_TERMINAL if os.isatty(2) else b"") + _LINE)
    # From here on nobody hears what the main thread has to say about workers and files that are gone.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # Nothing is imported here: the main thread may be in the midst of importing the same module.
    with suppress(KeyError, AttributeError):
        sys.modules["skcredal._files"].remove_unfinished()
    with suppress(KeyError, AttributeError):
        for worker in sys.modules["multiprocessing"].active_children():
            worker.terminate()
