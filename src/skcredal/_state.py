"""How estimators are kept: as they are for pickle, taken apart and put together again for model files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["KeepsState", "converted_states"]

State = dict[str, Any]
Conversion = Callable[[Any, State], State]

_packing: ContextVar[Conversion | None] = ContextVar("packing", default=None)
_unpacking: ContextVar[Conversion | None] = ContextVar("unpacking", default=None)


class KeepsState:
    """A mixin whose state goes through a conversion, if one is in force, on its way out and in.

    A model file names no type but the estimators': what an estimator holds is written as plain arrays and
    numbers by name. Estimators may be anywhere inside a pipeline, and so each is converted where it is met.
    """

    def __getstate__(self) -> State:
        state: State = super().__getstate__()  # type: ignore[assignment]
        convert = _packing.get()
        return state if convert is None else convert(self, state)

    def __setstate__(self, state: State) -> None:
        convert = _unpacking.get()
        super().__setstate__(state if convert is None else convert(self, state))  # type: ignore[misc]


@contextmanager
def converted_states(*, out: Conversion | None = None, back: Conversion | None = None) -> Iterator[None]:
    """Put conversions into force for a ``with`` block of the current thread."""
    tokens = _packing.set(out), _unpacking.set(back)
    try:
        yield
    finally:
        _packing.reset(tokens[0])
        _unpacking.reset(tokens[1])
