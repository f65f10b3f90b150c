"""How far the work has come: a bar on the error stream, or the user's own function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from skcredal._validation import safe_repr


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
        The rows of a pass, if known.
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
Advance = Callable[..., None]


@contextmanager
def report_progress(choice: ProgressChoice, stage: str, total: int | None) -> Iterator[Advance]:
    """Yield a function to call with the rows of each batch; ``True`` shows a bar, and then the speed."""
    if not (isinstance(choice, bool) or callable(choice)):
        raise TypeError(f"progress must be True, False or a function, got {safe_repr(choice)}.")
    start = time.perf_counter()
    at = Progress(stage, 0, total, 0.0)
    with progress_bar("rows", total, stage, hidden=choice is not True) as draw:

        def advance(n_rows: int) -> None:
            nonlocal at
            at = Progress(stage, at.n_rows + n_rows, total, time.perf_counter() - start)
            draw(n_rows)
            if callable(choice):
                choice(at)

        yield advance
    if choice is True:
        print(at, file=sys.stderr)


@contextmanager
def progress_bar(unit: str, total: int | None, title: str, hidden: bool = False) -> Iterator[Advance]:
    """Yield a function that advances a bar by steps, and shows next to it where the work is now.

    The bar is drawn only where tqdm is installed and someone is watching, and disappears at the end.
    """
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError:
        yield lambda steps, where="": None
        return
    with tqdm(total=total, unit=f" {unit}", desc=title, leave=False, disable=hidden or None) as bar:

        def advance(steps: int, where: str = "") -> None:
            bar.set_postfix_str(where, refresh=False)
            bar.update(steps)

        yield advance
