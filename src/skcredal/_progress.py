"""How far the work has come: a bar on the error stream, or a function of the user's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from skcredal._validation import safe_repr

__all__ = ["Progress", "ProgressChoice", "progress_bar", "report_progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """What a function given as ``progress`` receives after every batch.

    Parameters
    ----------
    stage : str
        What the pass is for: ``"encoding"``, ``"counts"``, ``"likelihoods"``, ``"rows"`` (some of which
        LP-AODE learns its weights from) or ``"predictions"``.
    n_rows : int
        The rows of this pass so far.
    total : int or None
        The rows of a pass, where that is known.
    seconds : float
        How long the pass has taken.

    Examples
    --------
    >>> from skcredal.scale import Progress
    >>> progress = Progress("counts", n_rows=1000, total=4000, seconds=0.5)
    >>> progress.rows_per_second
    2000.0
    >>> print(progress)
    counts: 1,000 of 4,000 rows, 2,000 rows/s
    """

    stage: str
    n_rows: int
    total: int | None
    seconds: float

    @property
    def rows_per_second(self) -> float:
        """The speed of the pass so far."""
        return self.n_rows / self.seconds if self.seconds > 0.0 else 0.0

    def __str__(self) -> str:
        of = f" of {self.total:,}" if self.total is not None else ""
        return f"{self.stage}: {self.n_rows:,}{of} rows, {self.rows_per_second:,.0f} rows/s"


ProgressChoice = bool | Callable[[Progress], Any]


@contextmanager
def report_progress(choice: ProgressChoice, stage: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the rows of each batch, which tells whom the user has chosen."""
    if not (isinstance(choice, bool) or callable(choice)):
        raise TypeError(f"progress must be True, False or a function, got {safe_repr(choice)}.")
    start = time.perf_counter()
    at = Progress(stage, 0, total, 0.0)
    # The bars of finished passes stay, with the speed of each.
    with _bar(stage, total, transient=False) if choice is True else nullcontext() as draw:

        def advance(n_rows: int) -> None:
            nonlocal at
            at = Progress(stage, at.n_rows + n_rows, total, time.perf_counter() - start)
            if callable(choice):
                choice(at)
            elif draw is not None:
                draw(completed=at.n_rows, count=f"{at.n_rows:,} rows, {at.rows_per_second:,.0f} rows/s,")

        yield advance
    if choice is True and draw is None:
        print(at, file=sys.stderr)


@contextmanager
def progress_bar(unit: str, total: int, title: str) -> Iterator[Callable[..., None]]:
    """Yield a function that advances a bar by steps, and shows beside it where the work is now.

    The title tells bars that follow each other apart. The bar is drawn only where someone is watching, and
    disappears at the end.
    """
    done = 0
    with _bar(title, total, transient=True) as draw:

        def advance(steps: int, where: str = "") -> None:
            nonlocal done
            done += steps
            if draw is not None:
                described = f"{title}: {where}" if where else title
                draw(completed=done, count=f"{done:,}/{total:,} {unit},", description=described)

        advance(0)  # the total is seen from the start
        yield advance


@contextmanager
def _bar(title: str, total: int | None, *, transient: bool) -> Iterator[Callable[..., None] | None]:
    """Yield a function that draws a bar, or ``None`` where that cannot be done: no rich, no terminal."""
    try:
        from rich import progress as bars
        from rich.console import Console
    except ModuleNotFoundError:
        yield None
        return
    console, text = Console(stderr=True), partial(bars.TextColumn, markup=False)
    if not (console.is_terminal or console.is_jupyter):  # rich would leave an empty line, in some versions
        yield None
        return
    columns = text("{task.description}"), bars.BarColumn(), text("{task.fields[count]}")
    left = bars.TimeRemainingColumn(), text("left")
    with bars.Progress(*columns, *left, console=console, transient=transient) as bar:
        yield partial(bar.update, bar.add_task(title, total=total, count=""))
