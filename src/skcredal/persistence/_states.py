"""Categories as text: what tables hold, and what else may be a category."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from skcredal._extras import require
from skcredal._validation import safe_repr

__all__ = ["states_from_text", "states_to_text"]


def _pandas() -> Any:
    return require("pandas", extra="cli", purpose="A model with categories of pandas")


# How the categories that JSON does not know are written, and read again.
_KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "decimal.Decimal": (str, Decimal),
    "builtins.bytes": (lambda state: b64encode(state).decode("ascii"), b64decode),
    "builtins.tuple": (lambda state: [_to_json(part) for part in state], tuple),
    "pandas.Timestamp": (lambda state: state.isoformat(), lambda text: _pandas().Timestamp(text)),
    "pandas.Interval": (
        lambda state: [_to_json(state.left), _to_json(state.right), state.closed],
        lambda bounds: _pandas().Interval(*bounds),
    ),
}


def states_to_text(states: list[Any]) -> str:
    """Return states as one text: a hundred thousand of them would be as many nodes to skops.

    Examples
    --------
    >>> states_to_text(["a", True, 2, 0.1, Decimal("0.10")])
    '["a", true, 2, 0.1, {"decimal.Decimal": "0.10"}]'
    >>> states_from_text(_)
    ['a', True, 2, 0.1, Decimal('0.10')]
    """
    return json.dumps([_to_json(state) for state in states], ensure_ascii=False)


def _to_json(state: Any) -> Any:
    state = state.item() if isinstance(state, np.generic) else state
    kind = type(state)
    if kind in (str, bool, int, float):
        return state
    name = f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"
    if name not in _KINDS:
        raise TypeError(
            f"a category is of the type {kind.__module__}.{kind.__qualname__} ({safe_repr(state)}). Fit with "
            "text or numbers instead."
        )
    return {name: _KINDS[name][0](state)}


def states_from_text(text: str) -> list[Any]:
    """Return the states of a text."""
    return list(json.loads(text, object_hook=_from_json))


def _from_json(item: dict[str, Any]) -> Any:
    ((name, value),) = item.items()
    if name not in _KINDS:
        raise ValueError(f"it holds a category of the type {name}, which this version does not know")
    return _KINDS[name][1](value)
