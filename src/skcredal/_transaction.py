"""Fitting is all or nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["all_or_nothing"]


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was if learning fails or is interrupted: unfitted, or fitted as before."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
