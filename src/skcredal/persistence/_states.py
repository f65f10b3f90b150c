"""Categories as text: what tables hold, and what else may be a category."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from decimal import Decimal
from typing import Any

import numpy as np

from skcredal._extras import require
from skcredal._validation import safe_repr

__all__ = ["states_from_text", "states_to_text"]


def states_to_text(states: list[Any]) -> str:
    """Return states as one text: a hundred thousand of them would be as many nodes to skops.

    Examples
    --------
    >>> states_to_text(["a", True, 2, 0.1, Decimal("0.10")])
    '["a", true, 2, 0.1, {"Decimal": "0.10"}]'
    """
    return json.dumps([_state_to_json(state) for state in states], ensure_ascii=False)


def _state_to_json(state: Any) -> Any:
    if isinstance(state, np.generic):
        state = state.item()
    kind = type(state)
    if kind in (str, bool, int, float):
        return state
    if kind is Decimal:
        return {"Decimal": str(state)}
    if kind is bytes:
        return {"bytes": b64encode(state).decode("ascii")}
    library = kind.__module__.partition(".")[0]
    if library == "pandas" and kind.__name__ == "Timestamp":
        return {"Timestamp": state.isoformat()}
    if library == "pandas" and kind.__name__ == "Interval":
        bounds = [_state_to_json(state.left), _state_to_json(state.right)]
        return {"Interval": [*bounds, state.closed]}
    if kind is tuple:
        return {"tuple": [_state_to_json(item) for item in state]}
    raise TypeError(
        f"a category is of the type {kind.__module__}.{kind.__qualname__} ({safe_repr(state)}). Fit with "
        "text or numbers instead."
    )


def states_from_text(text: Any) -> list[Any]:
    """Return the states of a text.

    Examples
    --------
    >>> states_from_text('["a", true, 2, 0.1, {"Decimal": "0.10"}]')
    ['a', True, 2, 0.1, Decimal('0.10')]
    """
    return [_state_from_json(item) for item in json.loads(text)]


def _state_from_json(item: Any) -> Any:
    if isinstance(item, (str, bool, int, float)):
        return item
    if isinstance(item, dict) and len(item) == 1:
        ((kind, value),) = item.items()
        if kind == "Decimal":
            return Decimal(value)
        if kind == "bytes":
            return b64decode(value)
        if kind == "tuple":
            return tuple(_state_from_json(part) for part in value)
        if kind in ("Timestamp", "Interval"):
            pandas = require("pandas", extra="cli", purpose=f"A model with categories of type {kind}")
            if kind == "Timestamp":
                return pandas.Timestamp(value)
            left, right, closed = value
            return pandas.Interval(_state_from_json(left), _state_from_json(right), closed)
    raise ValueError(f"it holds a category {item!r}, which this version does not know")
