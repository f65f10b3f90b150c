"""How far a pass over the rows has come: a bar on the error stream, or a function of the user's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from skcredal._validation import safe_repr

__all__ = ["Progress", "ProgressWish", "reporting"]

# A line of plain text this often, where there is no bar.
SECONDS_BETWEEN_LINES = 10.0


@dataclass(frozen=True, slots=True)
class Progress:
    """What a function given as ``progress`` receives after every batch.

    Parameters
    ----------
    stage : str
        What the pass is for: ``"encoding"``, ``"bins"``, ``"counts"``, ``"likelihoods"`` or
        ``"predictions"``.
    n_rows : int
        The rows of this pass so far.
    total : int or None
        The rows of a pass, where that is known.
    seconds : float
        How long the pass has taken.
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


ProgressWish = bool | Callable[[Progress], Any]


@contextmanager
def reporting(wish: ProgressWish, stage: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a function to be told of every batch how many rows it had."""
    start, done = time.perf_counter(), 0
    if not (isinstance(wish, bool) or callable(wish)):
        raise TypeError(f"progress must be True, False or a function, got {safe_repr(wish)}.")
    with _listener(wish, stage, total) as listen:

        def advance(n_rows: int) -> None:
            nonlocal done
            done += n_rows
            listen(Progress(stage, done, total, time.perf_counter() - start))

        yield advance


@contextmanager
def _listener(wish: ProgressWish, stage: str, total: int | None) -> Iterator[Callable[[Progress], Any]]:
    if wish is False:
        yield lambda progress: None
        return
    if wish is not True:
        yield wish
        return
    try:
        from rich import progress as bars
        from rich.console import Console
    except ModuleNotFoundError:
        yield _plain_lines()
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TextColumn("{task.completed:,.0f} rows, {task.fields[speed]:,.0f} rows/s"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(stage, total=total, speed=0.0)
        yield lambda progress: bar.update(task, completed=progress.n_rows, speed=progress.rows_per_second)


def _plain_lines() -> Callable[[Progress], None]:
    last = time.perf_counter()

    def say(progress: Progress) -> None:
        nonlocal last
        if progress.n_rows == progress.total or time.perf_counter() - last > SECONDS_BETWEEN_LINES:
            last = time.perf_counter()
            print(progress, file=sys.stderr)

    return say
