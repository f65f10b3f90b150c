"""What fitted estimators hold, as plain numbers, text and arrays by name, and back.

A model file names none of the types below: it says "JointCounts", and this table says what that is. A field
that is added later with a default can be absent; one that this version does not know is refused.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import MISSING, Field, fields, is_dataclass
from decimal import Decimal
from inspect import signature
from typing import Any

import numpy as np
from sklearn.utils._metadata_requests import SIMPLE_METHODS

from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._encoding.table_encoding import TableEncoding
from skcredal._ensemble.counts import JointCounts, Layout
from skcredal._ensemble.credal_tree import DecisionTree
from skcredal._ensemble.idm import DirichletPriors
from skcredal._ensemble.inclusion import InclusionPriors
from skcredal._ensemble.naive import NaiveTables, ValueCounts
from skcredal._ensemble.parameters import SpodeTables, spode_tables
from skcredal._ensemble.priors import BmaPriors, CompressionPriors
from skcredal._ensemble.tan import TanTables
from skcredal._extras import require
from skcredal._state import State
from skcredal._validation import check_real, safe_repr
from skcredal.classifiers._spodes import SpodeEnsemble
from skcredal.classifiers._stream import CountStream, Slots
from skcredal.persistence._checks import check_estimator, check_part

__all__ = ["pack_estimator", "unpack_estimator"]

PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        BmaPriors,
        CategoricalFeature,
        CompressionPriors,
        CountStream,
        DecisionTree,
        DirichletPriors,
        InclusionPriors,
        JointCounts,
        Layout,
        NaiveTables,
        NumericFeature,
        Slots,
        TableEncoding,
        TanTables,
        ValueCounts,
    )
}
_PART = "part"
# Which metadata, such as weights, an estimator asks a pipeline for.
_REQUEST = "_metadata_request"
# Fields that hold what tables hold: text, numbers, and what else may be a category.
_STATES = {
    ("CategoricalFeature", "states"),
    ("CategoricalFeature", "lookup"),
    ("Slots", "places"),
    ("Slots", "declared"),
}


def pack_estimator(estimator: Any, state: State) -> State:
    """Return the state of an estimator with its parts as plain values."""
    # The tables of SPODEs follow from the counts, take most of the room, and may look different tomorrow.
    packed = {name: _pack(value) for name, value in state.items() if not isinstance(value, SpodeTables)}
    if _REQUEST in packed:
        # The request points back to its owner, and a file has no way to say so.
        packed[_REQUEST] = {
            method: dict(getattr(packed[_REQUEST], method).requests)
            for method in SIMPLE_METHODS
            if getattr(packed[_REQUEST], method).requests
        }
    return packed


def unpack_estimator(estimator: Any, state: State) -> State:
    """Return the state with its parts as they were, and refuse what no estimator can hold."""
    kind = type(estimator)
    if not isinstance(state, dict):
        raise ValueError(f"the state of {kind.__name__} must be a dictionary, got {type(state).__name__}")
    unpacked: State = {}
    for name, value in state.items():
        # What is stored on an estimator goes before the methods of its class.
        defined = getattr(kind, str(name), None)
        if not isinstance(name, str) or callable(defined) or isinstance(defined, property):
            raise ValueError(f"{name!r} is no attribute that {kind.__name__} stores")
        unpacked[name] = _unpack(value)
    for name, parameter in signature(kind).parameters.items():
        # A parameter that the version that wrote the file did not have.
        unpacked.setdefault(name, parameter.default)
    if _REQUEST in unpacked:
        unpacked[_REQUEST] = _metadata_request(estimator, unpacked[_REQUEST])
    check_estimator(estimator, unpacked)
    if isinstance(estimator, SpodeEnsemble) and "counts_" in unpacked:
        ess = check_real("ess", unpacked["ess"], low=0.0, low_open=True)
        unpacked["_tables"] = spode_tables(unpacked["counts_"], float(ess), n_threads=1)
    return unpacked


def _metadata_request(estimator: Any, wanted: dict[str, dict[str, Any]]) -> Any:
    request = estimator.get_metadata_routing()
    for method, aliases in wanted.items():
        if method not in SIMPLE_METHODS:
            raise ValueError(f"metadata can be requested for {', '.join(SIMPLE_METHODS)}, not {method!r}")
        for param, alias in aliases.items():
            getattr(request, method).add_request(param=param, alias=alias)
    return request


def _pack(value: Any) -> Any:
    name = type(value).__name__
    if is_dataclass(value) and type(value) is PARTS.get(name):
        packed: State = {_PART: name}
        for field in fields(value):
            packed[field.name] = _pack_field(name, field, getattr(value, field.name))
        return packed
    if isinstance(value, list) and value and type(value[0]).__name__ in PARTS:
        return [_pack(item) for item in value]
    return value


def _pack_field(part: str, field: Field[Any], value: Any) -> Any:
    if value is None or (part, field.name) not in _STATES:
        return _pack(value)
    if isinstance(value, dict):
        return {"states": _states_to_text(list(value)), "codes": np.array(list(value.values()), np.int64)}
    return _states_to_text(value)


def _unpack(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], dict) and _PART in value[0]:
        return [_unpack(item) for item in value]
    if not isinstance(value, dict) or _PART not in value:
        return value
    name = value[_PART]
    if not isinstance(name, str) or name not in PARTS:
        raise ValueError(f"it holds a part {name!r}, which this version does not know")
    part, given = PARTS[name], {key: item for key, item in value.items() if key != _PART}
    known = {field.name: field for field in fields(part)}
    wanted = {key for key, field in known.items() if field.default is field.default_factory is MISSING}
    if not wanted <= set(given) <= set(known):
        listed = ", ".join(sorted(set(given) ^ set(known)))
        raise ValueError(f"{name} has other fields than this version knows: {listed}")
    unpacked = part(**{key: _unpack_field(name, key, item) for key, item in given.items()})
    check_part(unpacked)
    return unpacked


def _unpack_field(part: str, key: str, value: Any) -> Any:
    if value is None or (part, key) not in _STATES:
        return _unpack(value)
    if isinstance(value, dict):
        states, codes = _states_from_text(value["states"]), np.asarray(value["codes"]).tolist()
        return dict(zip(states, codes, strict=True))
    return _states_from_text(value)


def _states_to_text(states: list[Any]) -> str:
    """Return states as one text: a hundred thousand of them would be as many nodes to skops.

    Examples
    --------
    >>> _states_to_text(["a", True, 2, 0.1, Decimal("0.10")])
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


def _states_from_text(text: Any) -> list[Any]:
    """Return the states of a text.

    Examples
    --------
    >>> _states_from_text('["a", true, 2, 0.1, {"Decimal": "0.10"}]')
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
