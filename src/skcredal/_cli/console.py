"""What is printed: errors, warnings and notes in one line each, on standard error; and tables of results."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["CallError", "format_table", "say", "shown_warnings"]


class CallError(ValueError):
    """The call itself is wrong, not the data: an unknown name, options that contradict each other."""


def say(label: str, message: str) -> str:
    """Print a message in one line on standard error, and return it."""
    # Messages of other libraries may have several lines.
    line = " ".join(message.split())
    print(f"{label}: {line}", file=sys.stderr)
    return line


@contextmanager
def shown_warnings() -> Iterator[list[str]]:
    """Print each warning inside the block once, in one line; yields the list of them."""
    said: list[str] = []

    def show(message: Any, *_: Any, **__: Any) -> None:
        # What was read in a doubtful way is settled by an option here, by a parameter in Python.
        settings = getattr(message, "settings", None)
        advice = " or ".join(f"--{name} {shlex.quote(value)}" for name, value in (settings or {}).items())
        text = f"{message.fact}; use {advice} to settle it." if advice else str(message)
        if " ".join(text.split()) not in said:
            # Without anything to settle, it is only a note.
            said.append(say("Note" if settings == {} else "Warning", text))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.filterwarnings("ignore", ".*look like identifiers")  # kept because the user said so
        warnings.showwarning = show
        yield said


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, n_texts: int) -> str:
    """Return rows as a table for a terminal: the first columns are texts, the others numbers.

    Examples
    --------
    >>> print(format_table(["name", "rows"], [["iris", "150"]], n_texts=1))
    name  rows
    iris   150
    """
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = zip(row, widths, strict=True)
        lines.append(
            "  ".join(f"{cell:{'<' if j < n_texts else '>'}{w}}" for j, (cell, w) in enumerate(cells))
        )
    return "\n".join(line.rstrip() for line in lines)
