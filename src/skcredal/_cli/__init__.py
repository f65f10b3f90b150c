"""The command line: it says things in one line and computes nothing. It may import everything."""

import os
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from skcredal._cli import commands
from skcredal._cli.console import CallError, say, shown_warnings
from skcredal._cli.parser import build_parser
from skcredal._extras import require

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the call, and return the exit code.

    It is 0 for success, 1 if data or a model cannot be used, and 2 if the call itself is wrong. An error is
    one line on standard error; with ``--debug`` anywhere in the call it keeps its traceback.
    """
    # A shell lets a command in the background ignore Ctrl-C, which is meant for the one in front.
    if words is None and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # It ends the process at once. Nothing has to be unwound: files are replaced as a whole.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    given = list(sys.argv[1:] if words is None else words) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        # What took hours must not end with an error because a terminal lacks a character.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        _run([word for word in given if word != "--debug"])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe; the interpreter would fail when it flushes the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except SystemExit as end:  # after --help or --version
        return int(end.code or 0)
    except Exception as error:
        if "--debug" in given:
            raise
        say("Error", _reason(error))
        return 2 if isinstance(error, CallError) else 1
    return 0


def _run(words: Sequence[str]) -> None:
    arguments = build_parser().parse_args(words)
    for module in ("pandas", "pyarrow", "openpyxl", "tqdm"):
        # Looked for, not imported: not every command needs them at once.
        if find_spec(module) is None:
            require(module, extra="cli", purpose="The command line")
    with shown_warnings():
        getattr(commands, arguments.command)(arguments)


def _reason(error: Exception) -> str:
    from skcredal._config import VARIABLE, PairTableError  # imports numpy, for which help must not wait

    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, PairTableError):
        return f"{error.args[0]} use --max-categories or --drop, or set {VARIABLE} to more bytes."
    if isinstance(error, (ValueError, TypeError, ImportError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"
