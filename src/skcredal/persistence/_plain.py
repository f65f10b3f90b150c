"""Estimators as JSON and arrays, and back: only of what ``_trust`` lists, and without calling any of it.

The JSON is one line, and the arrays follow it as numpy writes them, in the order in which the JSON names
them. A value that JSON does not know is an object with its type as the key.

Nothing is compressed, and every array is read once. So a file takes memory in proportion to its length: a
small one cannot unpack to more than memory holds. To keep files small nonetheless, integers are written in
the smallest type that holds them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from skcredal._arrays import AnyArray
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._extras import require
from skcredal._validation import check_instance
from skcredal.classifiers._stream import Slots
from skcredal.persistence._contents import pack_estimator, unpack_estimator
from skcredal.persistence._trust import (
    ESTIMATORS,
    ForeignNameError,
    check_one_hot,
    find_by_name,
    find_type,
    is_score_function,
    name_of,
    short_name,
)

__all__ = ["pack", "unpack"]

# Arrays of booleans, numbers, text and objects; dates, records and the like are refused.
_KINDS = "biufU"


def _make_interval(ends: list[Any]) -> Any:
    pandas = require("pandas", extra="cli", purpose="A model with intervals of pandas")
    return pandas.Interval(*ends)


def _partial_parts(value: Any) -> list[Any]:
    # Of a score function alone: a ufunc writes to whatever array an argument names.
    if not is_score_function(value.func):
        raise ForeignNameError(f"a partial of {value.func!r}")
    return [value.func, value.args, value.keywords]


def _make_partial(parts: list[Any]) -> Any:
    function, arguments, keywords = parts
    made = partial(function, *arguments, **keywords)
    _partial_parts(made)  # for its check alone
    return made


def _make_part(kind: type, found: dict[str, Any]) -> Any:
    part: Any = kind(**found)
    part.check()
    return part


# How a value of each type is taken apart, into what JSON knows or what is listed here, and made again.
_TYPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "builtins.tuple": (list, tuple),
    # With keys that are not all text.
    "builtins.dict": (lambda value: [list(item) for item in value.items()], dict),
    # Which columns of the output come from which step of a column transformer.
    "builtins.slice": (lambda value: [value.start, value.stop, value.step], lambda parts: slice(*parts)),
    # What a selector scores columns by, with a fixed random state.
    "functools.partial": (_partial_parts, _make_partial),
    "numpy.dtype": (lambda value: value.str, np.dtype),
    # What pandas.cut makes of numbers.
    "pandas.Interval": (lambda value: [value.left, value.right, value.closed], _make_interval),
    **{
        short_name(kind): (
            lambda part: {one.name: getattr(part, one.name) for one in fields(part)},
            partial(_make_part, kind),
        )
        for kind in (NumericFeature, CategoricalFeature, Slots)
    },
}


def pack(estimator: Any) -> bytes:
    """Return an estimator as bytes."""
    writer = _Writer()
    model = json.dumps(writer.encode(estimator))
    return model.encode() + b"\n" + writer.arrays.getvalue()


def unpack(content: bytes) -> Any:
    """Return what the bytes hold, if that is nothing but what may be in them."""
    file = BytesIO(content)
    return _Reader(file).decode(json.loads(file.readline()))


@dataclass
class _Writer:
    arrays: BytesIO = field(default_factory=BytesIO)

    def encode(self, value: Any) -> Any:
        """Return a value as JSON holds it."""
        if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
            value = value.item()
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self.encode(one) for one in value]
        if type(value) is dict and all(type(key) is str for key in value):
            return {"dict": {key: self.encode(one) for key, one in value.items()}}
        if (own_name := name_of(value)) is not None:
            return {"name": own_name}
        if type(value) is np.ndarray:
            return self._encode_array(value)
        name = "numpy.dtype" if isinstance(value, np.dtype) else short_name(type(value))
        if name in _TYPES:
            return {name: self.encode(_TYPES[name][0](value))}
        if type(value) in ESTIMATORS:
            return {name: self.encode(pack_estimator(value))}
        if find_type(name) is type(value):
            return {name: self.encode(value.__getstate__())}
        named = value if hasattr(value, "__qualname__") else type(value)
        raise ForeignNameError(f"{named.__module__}.{named.__qualname__}")

    def _encode_array(self, array: AnyArray) -> Any:
        dtype = array.dtype
        if dtype.kind == "O" and array.ndim == 1:
            return {"objects": self.encode(list(array))}
        if dtype.kind not in _KINDS:
            raise ForeignNameError(f"an array of {dtype} of {array.ndim} dimensions")
        if dtype.kind in "bi" and array.min(initial=0) >= 0:
            array = array.astype(np.min_scalar_type(int(array.max(initial=0))))
        np.lib.format.write_array(self.arrays, array, allow_pickle=False)
        return {"array": dtype.str}


@dataclass
class _Reader:
    file: BytesIO

    def decode(self, node: Any) -> Any:
        """Return the value that a part of the JSON stands for."""
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is list:
            return [self.decode(one) for one in node]
        if len(node) != 1:
            raise ValueError(f"it holds a value of {len(node)} types instead of one: {', '.join(node)}")
        ((name, content),) = node.items()
        if name == "dict":
            return {key: self.decode(one) for key, one in content.items()}
        if name == "array":
            return self._read_array(np.dtype(content))
        if name == "objects":
            return _object_array(self.decode(content))
        if name in _TYPES:
            return _TYPES[name][1](self.decode(content))
        found = find_by_name(content) if name == "name" else find_type(name)
        if found is None:
            raise ForeignNameError(content if name == "name" else name)
        return found if name == "name" else _make_object(found, self.decode(content))

    def _read_array(self, dtype: np.dtype[Any]) -> AnyArray:
        """Return the next array, with numbers in the type that they had."""
        array: AnyArray = np.lib.format.read_array(self.file, allow_pickle=False)
        stored = array.dtype
        # Text as it is: a few letters could claim to be a very wide one.
        if dtype.kind == stored.kind == "U" and stored.itemsize > 0:
            return array
        # Booleans are written as integers: numpy relies on their bytes being 0 or 1.
        if dtype.kind not in "biuf" or stored.kind not in "iuf":
            raise ValueError(f"it holds an array of {dtype} as one of {stored}")
        return array.astype(dtype)


def _object_array(items: list[Any]) -> AnyArray:
    array = np.empty(len(items), object)
    # One by one: numpy would take apart a tuple.
    for index, item in enumerate(items):
        array[index] = item
    return array


def _make_object(kind: type, state: Any) -> Any:
    check_instance(f"the state of {kind.__name__}", state, dict)
    if kind in ESTIMATORS:
        return unpack_estimator(kind, state)
    made: Any = object.__new__(kind)
    if isinstance(made, BaseEstimator):
        made.__setstate__(state)  # warns if another version of scikit-learn wrote it
    else:
        made.__dict__ = state
    if short_name(kind) == "sklearn.OneHotEncoder" and hasattr(made, "categories_"):
        check_one_hot(made)
    return made
