"""How the command line speaks: errors and warnings in one line, results apart from everything else."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
import typer.core
from rich.console import Console

__all__ = ["CallError", "OneLineGroup", "TableConsole", "note", "shown_warnings"]

_INTERRUPTED = 130


class CallError(ValueError):
    """The call is wrong, not the data: a name that does not exist, options that contradict each other."""


class TableConsole(Console):
    """Standard output for tables, whose reader may have enough of it."""

    def __init__(self) -> None:
        # Narrower tables would be cut to dots; a narrow terminal wraps the lines instead.
        super().__init__(width=max(80, Console().width))

    def on_broken_pipe(self) -> None:
        """Leave it to the group, for which that is no error; rich would end with exit code 1."""
        raise BrokenPipeError


def note(message: str, *, label: str = "Note") -> None:
    """Say something in one line that is no result."""
    print(f"{label}: {' '.join(message.split())}", file=sys.stderr)


class OneLineGroup(typer.core.TyperGroup):
    """Commands whose errors are one line on standard error.

    The exit code is 0 for success, 1 where data or a model cannot be used, 2 where the call itself is wrong,
    and 130 after Ctrl-C. With ``--debug`` anywhere in the call, an error keeps its traceback.
    """

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> NoReturn:
        """Run a command and exit."""
        given = list(sys.argv[1:] if args is None else args)
        self.debug = "--debug" in given
        options["standalone_mode"] = False
        try:
            code = super().main([word for word in given if word != "--debug"], *more, **options)
        except Exception as error:
            # typer brings the exceptions of its parser with it, under names that differ between versions.
            if not hasattr(error, "format_message"):
                raise
            if not error.format_message().strip() or type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                note(error.format_message(), label="Error")
            sys.exit(getattr(error, "exit_code", 2))
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and say in one line what goes wrong."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read the output has enough; the interpreter must not try to write the rest at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            note("stopped by Ctrl-C.", label="Interrupted")
            raise typer.Exit(_INTERRUPTED) from None
        except Exception as error:
            if self.debug or hasattr(error, "format_message") or isinstance(error, (typer.Exit, typer.Abort)):
                raise
            note(_reason(error), label="Error")
            raise typer.Exit(2 if isinstance(error, CallError) else 1) from None
        return result


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, (ValueError, TypeError, ImportError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Show each warning of what is done inside once, in one line, before an error if there is one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for message in dict.fromkeys(str(warning.message) for warning in caught):
                # The command line names the columns itself, with the option that drops them.
                if "look like identifiers" not in message:
                    note(message, label="Warning")
