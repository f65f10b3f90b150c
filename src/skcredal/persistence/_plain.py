"""Estimators as JSON and arrays, and back: only of what ``_trust`` lists, and without calling any of it.

A value that JSON does not know is an object with its kind as the key. Arrays are files of their own beside
the JSON, and stand in it as their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from zipfile import ZipFile

import numpy as np
from sklearn.base import BaseEstimator

from skcredal._arrays import AnyArray
from skcredal._config import get_config
from skcredal._validation import check_instance
from skcredal.persistence._contents import pack_estimator, unpack_estimator
from skcredal.persistence._trust import (
    ACCEPTED,
    ESTIMATORS,
    FUNCTIONS,
    OBJECTS,
    UFUNCS,
    ForeignNameError,
    short_name,
)

__all__ = ["Reader", "Writer"]

_TYPES: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, str, object)}
# Numbers, booleans, text and bytes; objects are written out, and dates, records and the like are refused.
_KINDS_OF_ARRAYS = "biufUS"


@dataclass
class Writer:
    """Collects what an estimator holds: the arrays, and the names of what a file may not hold.

    Counts and scores are apart from other arrays: they may be large, and how large follows from the features.
    """

    arrays: list[AnyArray] = field(default_factory=list)
    counts: list[AnyArray] = field(default_factory=list)
    foreign: set[str] = field(default_factory=set)

    def encode(self, value: Any) -> Any:
        """Return a value as JSON holds it."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self.encode(one) for one in value]
        if type(value) in (tuple, set):
            return {type(value).__name__: [self.encode(one) for one in value]}
        if type(value) is dict:
            if all(type(key) is str for key in value):
                return {"dict": {key: self.encode(one) for key, one in value.items()}}
            return {"pairs": [[self.encode(key), self.encode(one)] for key, one in value.items()]}
        if isinstance(value, slice):
            return {"slice": [self.encode(part) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        return self._named(value)

    def _array(self, value: Any) -> Any:
        if value.dtype == object:
            return {
                "objects": [self.encode(one) for one in value.ravel().tolist()],
                "shape": list(value.shape),
            }
        if value.dtype.kind not in _KINDS_OF_ARRAYS:
            self.foreign.add(f"an array of {value.dtype}")
        self.arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "scalar": len(self.arrays) - 1}

    def _named(self, value: Any) -> Any:
        """Return what is not built of plain values, by its name."""
        if isinstance(value, np.dtype) and value.kind in _KINDS_OF_ARRAYS + "O":
            return {"dtype": value.str}
        if isinstance(value, type) and value in _TYPES.values():
            return {"type": value.__name__}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"type": f"numpy.{value.__name__}"}
        for kind, names in (("ufunc", UFUNCS), ("function", FUNCTIONS)):
            if getattr(value, "__name__", None) in names and names[value.__name__] is value:
                return {kind: value.__name__}
        if isinstance(value, partial):
            return {"partial": [self.encode(part) for part in (value.func, value.args, value.keywords)]}
        if OBJECTS.get(short_name(type(value))) is type(value):
            return {"object": short_name(type(value)), "state": self._state(value)}
        named = value if hasattr(value, "__qualname__") else type(value)
        self.foreign.add(f"{named.__module__}.{named.__qualname__}")
        return None

    def _state(self, value: Any) -> dict[str, Any]:
        if type(value) in ESTIMATORS:
            state = pack_estimator(value, self.counts)
        else:
            state = value.__getstate__() if isinstance(value, BaseEstimator) else vars(value)
        return {name: self.encode(one) for name, one in state.items()}


@dataclass(frozen=True, slots=True)
class Reader:
    """Makes values of JSON and of the arrays of an archive."""

    archive: ZipFile

    def decode(self, node: Any) -> Any:
        """Return the value that a part of the JSON stands for."""
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is list:
            return [self.decode(one) for one in node]
        kind, *_ = node
        if kind not in _MAKERS or len(node) > (2 if kind in ("object", "objects") else 1):
            raise ValueError(f"it holds a value of the unknown kind {kind!r}")
        return _MAKERS[kind](self, node)

    def counts(self, name: str, index: Any, shape: tuple[int, ...]) -> AnyArray:
        """Return an array of counts or scores: numbers of eight bytes, which must have this shape."""
        check_instance(name, index, int)
        needed, limit = 8 * math.prod(shape), get_config()["pair_table_limit"]
        if needed > limit:
            raise ValueError(f"{name} would take {needed:,} bytes, more than pair_table_limit ({limit:,})")
        found, dtype = self._header(f"counts-{index}.npy")
        if found != shape or dtype not in (np.int64, np.float64):
            raise ValueError(f"{name} must have the shape {shape}, got {dtype} of the shape {found}")
        return self._array(f"counts-{index}.npy")

    def _stored(self, index: Any) -> AnyArray:
        check_instance("array", index, int)
        _, dtype = self._header(f"array-{index}.npy")
        if dtype.kind not in _KINDS_OF_ARRAYS:
            raise ValueError(f"it holds an array of {dtype}")
        return self._array(f"array-{index}.npy")

    def _header(self, name: str) -> tuple[tuple[int, ...], Any]:
        """Return the shape and dtype of an array before it is read; it must be as large as the zip says."""
        info = self.archive.getinfo(name)
        with self.archive.open(info) as file:
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            if info.file_size != file.tell() + math.prod(shape) * dtype.itemsize:
                raise ValueError(f"{name} does not hold an array of the shape {shape}")
        return shape, dtype

    def _array(self, name: str) -> AnyArray:
        with self.archive.open(name) as file:
            array: AnyArray = np.lib.format.read_array(file, allow_pickle=False)
        return array

    def _objects(self, node: Any) -> AnyArray:
        items, shape = self.decode(node["objects"]), tuple(self.decode(node["shape"]))
        if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) != len(items):
            raise ValueError(f"{len(items)} objects cannot have the shape {shape}")
        array = np.empty(len(items), object)
        # One by one: numpy would take apart a tuple.
        for index, item in enumerate(items):
            array[index] = item
        return array.reshape(shape)

    def _type(self, name: str) -> Any:
        module, _, short = name.rpartition(".")
        found = _TYPES.get(short) if not module else getattr(np, short, None) if module == "numpy" else None
        if not isinstance(found, type) or not (found in _TYPES.values() or issubclass(found, np.generic)):
            raise ForeignNameError(f"it holds {name}, but {ACCEPTED}")
        return found

    def _function(self, names: dict[str, Any], name: str) -> Any:
        if name not in names:
            raise ForeignNameError(f"it holds {name}, but {ACCEPTED}")
        return names[name]

    def _object(self, node: Any) -> Any:
        if node["object"] not in OBJECTS:
            raise ForeignNameError(f"it holds {node['object']}, but {ACCEPTED}")
        kind = OBJECTS[node["object"]]
        made: Any = object.__new__(kind)
        check_instance("state", node["state"], dict)
        state = {name: self.decode(one) for name, one in node["state"].items()}
        if kind in ESTIMATORS:
            made.__dict__ = unpack_estimator(made, state, self.counts)
        elif issubclass(kind, BaseEstimator):
            made.__setstate__(state)  # warns if another version of scikit-learn wrote it
        else:
            made.__dict__ = state
        return made


# How each kind of value is made.
_MAKERS: dict[str, Callable[[Reader, Any], Any]] = {
    "tuple": lambda read, node: tuple(read.decode(node["tuple"])),
    "set": lambda read, node: set(read.decode(node["set"])),
    "dict": lambda read, node: {key: read.decode(one) for key, one in node["dict"].items()},
    "pairs": lambda read, node: {read.decode(key): read.decode(one) for key, one in node["pairs"]},
    "slice": lambda read, node: slice(*read.decode(node["slice"])),
    "array": lambda read, node: read._stored(node["array"]),
    "scalar": lambda read, node: read._stored(node["scalar"])[()],
    "objects": lambda read, node: read._objects(node),
    "dtype": lambda read, node: np.dtype(str(node["dtype"])),
    "type": lambda read, node: read._type(node["type"]),
    "ufunc": lambda read, node: read._function(UFUNCS, node["ufunc"]),
    "function": lambda read, node: read._function(FUNCTIONS, node["function"]),
    "partial": lambda read, node: _partial(*read.decode(node["partial"])),
    "object": lambda read, node: read._object(node),
}


def _partial(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if function not in FUNCTIONS.values():
        raise ForeignNameError(f"it holds a partial of {function!r}, but {ACCEPTED}")
    return partial(function, *arguments, **keywords)
