"""Tables in a terminal. It needs rich, so that only commands import it."""

from __future__ import annotations

import math
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["TableConsole", "format_cell", "new_table"]


class TableConsole(Console):
    """Standard output for tables; the reader may close it early, as `head` does."""

    def __init__(self) -> None:
        # In less than 80 columns rich would cut cells to dots; wrapped lines are easier to read. Names are
        # printed as they are: [red] and :cat: are data sets, too.
        super().__init__(width=max(80, Console().width), markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Leave it to OneLineGroup, which does not treat it as an error; rich would exit with code 1."""
        raise BrokenPipeError


def new_table(**options: Any) -> Table:
    """Return an empty table without a frame, narrow enough for seven columns in 80 characters."""
    return Table(title_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0), pad_edge=False, **options)


def format_cell(value: Any, decimals: int | None) -> str:
    """Return a number with the given decimals, or any value as text without; a dash if it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return str(value) if decimals is None else f"{value:.{decimals}f}"
