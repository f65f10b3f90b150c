"""Output of the command line: one line on standard error per error or warning, results on standard output."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
import typer.core

from skcredal._cli.interrupts import INTERRUPTED

__all__ = [
    "CallError",
    "OneLineGroup",
    "PlainCommand",
    "note",
    "shown_warnings",
]

# A hyphen that no line is broken at.
_UNBROKEN = "\u2011"


class CallError(ValueError):
    """The call itself is wrong, not the data: an unknown name, options that contradict each other."""


_recorders: list[list[str]] = []


def note(message: str, *, label: str = "Note") -> None:
    """Print a message that is not a result, in one line on standard error."""
    # In one line, so that scripts can read it; messages of other libraries may have several.
    line = " ".join(message.split())
    print(f"{label}: {line}", file=sys.stderr)
    for recorded in _recorders:
        recorded.append(line)


@contextmanager
def recorded_notes() -> Iterator[list[str]]:
    """Collect what :func:`note` prints inside the block."""
    _recorders.append([])
    try:
        yield _recorders[-1]
    finally:
        _recorders.pop()


class PlainCommand(typer.core.TyperCommand):
    """A command whose help does not say that arguments are texts, nor break lp-aode* at its hyphen."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        described: Any
        for described in (self, *self.params):
            if described.help:  # some versions of typer lose that of arguments
                described.help = described.help.replace("-", _UNBROKEN)

    def get_help(self, ctx: Any) -> str:
        """Return the help, aligned as it was."""
        text = super().get_help(ctx).replace(_UNBROKEN, "-")
        text = re.sub(r"(?<=[A-Z]) <\w+>", lambda added: " " * len(added[0]), text)
        return re.sub(r"\{([A-Z]+)\}", r"\1", text)


class OneLineGroup(typer.core.TyperGroup):
    """Commands whose errors are one line on standard error.

    The exit code is 0 for success, 1 if data or a model cannot be used, 2 if the call itself is wrong, and
    130 after Ctrl-C. With ``--debug`` anywhere in the call, an error keeps its traceback.
    """

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return super().get_help(ctx).replace(_UNBROKEN, "-")

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> NoReturn:
        """Run a command and exit."""
        _never_fail_to_print()
        given = list(sys.argv[1:] if args is None else args)
        # Taken out before parsing, because the parser accepts it only before the command.
        self.debug = "--debug" in given
        options["standalone_mode"] = False
        try:
            code = super().main([word for word in given if word != "--debug"], *more, **options)
        except Exception as error:
            # The exceptions of typer's parser have different names in different versions; all of them have
            # this method.
            if not hasattr(error, "format_message"):
                raise
            if not error.format_message().strip() or type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                note(error.format_message(), label="Error")
            sys.exit(getattr(error, "exit_code", 2))
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and report errors in one line."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader has closed the pipe; the interpreter would fail when it flushes the rest at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            raise _interrupted() from None
        except Exception as error:
            # Arrow keeps Ctrl-C for itself while it reads a file. By name: few commands have imported it.
            if type(error).__name__ == "ArrowCancelled":
                raise _interrupted() from None
            if self.debug or hasattr(error, "format_message") or isinstance(error, (typer.Exit, typer.Abort)):
                raise
            note(_reason(error), label="Error")
            raise typer.Exit(2 if isinstance(error, CallError) else 1) from None
        return result


def _interrupted() -> typer.Exit:
    note("stopped by Ctrl-C.", label="Interrupted")
    return typer.Exit(INTERRUPTED)


def _never_fail_to_print() -> None:
    """Let a terminal that lacks a character show another one: what took hours must not end with an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, (ValueError, TypeError, ImportError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Print each warning raised inside the block once, in one line, and before an error if there is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for message in dict.fromkeys(str(warning.message) for warning in caught):
                # user_tables warns about identifiers itself, and names the option that drops them.
                if "look like identifiers" not in message:
                    note(message, label="Warning")
