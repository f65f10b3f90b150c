"""Estimators as JSON and arrays, and back: only of what ``_trust`` lists, and without calling any of it.

A value that JSON does not know is an object with its type as the key. Arrays of counts and scores are files
of their own beside the JSON: they may be large, and how large follows from the features, so that
``_contents`` asks for them one after another when it knows.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import partial
from typing import Any
from zipfile import ZipFile

import numpy as np
from sklearn.base import BaseEstimator

from skcredal._arrays import AnyArray
from skcredal._config import get_config
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

__all__ = ["Reader", "Writer"]

# Arrays of numbers, booleans, text, bytes and objects; dates, records and the like are refused.
_KINDS_OF_ARRAYS = "biufUSO"
# How many bytes the JSON may take, and all arrays in it: a few letters can claim to be a very wide text.
_LARGEST = 2**28


def _pandas() -> Any:
    return require("pandas", extra="cli", purpose="A model with categories of pandas")


def _make_partial(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if not is_score_function(function):
        raise ForeignNameError(f"a partial of {function!r}")
    return partial(function, *arguments, **keywords)


def _make_part(kind: type, found: dict[str, Any]) -> Any:
    part: Any = kind(**found)
    part.check()
    return part


# How a value of each type is taken apart, into what JSON knows or what is listed here, and made again.
_TYPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "builtins.tuple": (list, tuple),
    "builtins.set": (list, set),
    # With keys that are not all text.
    "builtins.dict": (lambda value: [list(item) for item in value.items()], dict),
    "builtins.slice": (lambda value: [value.start, value.stop, value.step], lambda parts: slice(*parts)),
    "builtins.bytes": (lambda value: b64encode(value).decode("ascii"), b64decode),
    "decimal.Decimal": (str, Decimal),
    "functools.partial": (
        lambda value: [value.func, value.args, value.keywords],
        lambda parts: _make_partial(*parts),
    ),
    "numpy.dtype": (lambda value: value.str, np.dtype),
    "pandas.Timestamp": (lambda value: value.isoformat(), lambda text: _pandas().Timestamp(text)),
    "pandas.Interval": (
        lambda value: [value.left, value.right, value.closed],
        lambda parts: _pandas().Interval(*parts),
    ),
    **{
        short_name(kind): (
            lambda part: {one.name: getattr(part, one.name) for one in fields(part)},
            partial(_make_part, kind),
        )
        for kind in (NumericFeature, CategoricalFeature, Slots)
    },
}


@dataclass
class Writer:
    """Writes what an estimator holds: counts and scores to an archive, all else as JSON."""

    archive: ZipFile
    n_counts: int = 0

    def write(self, estimator: Any) -> None:
        """Write an estimator."""
        model = json.dumps(self._encode(estimator), ensure_ascii=False)
        self.archive.writestr("model.json", model)

    def _encode(self, value: Any) -> Any:
        """Return a value as JSON holds it."""
        if isinstance(value, np.generic) and value.dtype.kind in _KINDS_OF_ARRAYS:
            value = value.item()
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self._encode(one) for one in value]
        if type(value) is dict and all(type(key) is str for key in value):
            return {"dict": {key: self._encode(one) for key, one in value.items()}}
        if (own_name := name_of(value)) is not None:
            return {"name": own_name}
        if type(value) is np.ndarray:
            if value.dtype.kind not in _KINDS_OF_ARRAYS:
                raise ForeignNameError(f"an array of {value.dtype}")
            return {"array": [value.dtype.str, list(value.shape), self._encode(value.ravel().tolist())]}
        name = "numpy.dtype" if isinstance(value, np.dtype) else short_name(type(value))
        if name in _TYPES:
            return {name: self._encode(_TYPES[name][0](value))}
        if find_type(name) is type(value):
            return {name: self._encode(self._state(value))}
        named = value if hasattr(value, "__qualname__") else type(value)
        raise ForeignNameError(f"{named.__module__}.{named.__qualname__}")

    def _state(self, value: Any) -> dict[str, Any]:
        if type(value) in ESTIMATORS:
            return pack_estimator(value, self._write_counts)
        state: dict[str, Any] = value.__getstate__()
        return state

    def _write_counts(self, array: AnyArray) -> None:
        """Write the next array of counts or scores."""
        with self.archive.open(f"counts-{self.n_counts}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
        self.n_counts += 1


@dataclass
class Reader:
    """Makes an estimator of JSON and of the arrays in an archive."""

    archive: ZipFile
    n_counts: int = 0
    n_bytes: int = 0

    def read(self) -> Any:
        """Read an estimator."""
        size = self.archive.getinfo("model.json").file_size
        if size > _LARGEST:
            raise ValueError(f"it would unpack to {size:,} bytes, beside its counts")
        return self._decode(json.loads(self.archive.read("model.json")))

    def _decode(self, node: Any) -> Any:
        """Return the value that a part of the JSON stands for."""
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is list:
            return [self._decode(one) for one in node]
        if len(node) != 1:
            raise ValueError(f"it holds a value of {len(node)} types instead of one: {', '.join(node)}")
        ((name, content),) = node.items()
        if name == "dict":
            return {key: self._decode(one) for key, one in content.items()}
        if name == "name":
            check_instance("a name", content, str)
            if (named := find_by_name(content)) is None:
                raise ForeignNameError(content)
            return named
        if name == "array":
            return self._array(*self._decode(content))
        if name in _TYPES:
            return _TYPES[name][1](self._decode(content))
        if (kind := find_type(name)) is not None:
            return self._object(kind, self._decode(content))
        raise ForeignNameError(name)

    def _array(self, dtype_name: str, shape: list[int], items: list[Any]) -> AnyArray:
        dtype = np.dtype(dtype_name)
        self.n_bytes += len(items) * dtype.itemsize
        if dtype.kind not in _KINDS_OF_ARRAYS or self.n_bytes > _LARGEST:
            raise ValueError(f"it holds an array of {len(items)} values of {dtype}")
        array = np.empty(len(items), dtype)
        # One by one: numpy would take apart a tuple.
        for index, item in enumerate(items):
            array[index] = item
        return array.reshape(shape)

    def _object(self, kind: type, state: Any) -> Any:
        check_instance(f"the state of {kind.__name__}", state, dict)
        if kind in ESTIMATORS:
            return unpack_estimator(kind, state, self._read_counts)
        made: Any = object.__new__(kind)
        if isinstance(made, BaseEstimator):
            made.__setstate__(state)  # warns if another version of scikit-learn wrote it
        else:
            made.__dict__ = state
        if short_name(kind) == "sklearn.OneHotEncoder" and hasattr(made, "categories_"):
            check_one_hot(made)
        return made

    def _read_counts(self, name: str, shape: tuple[int, ...]) -> AnyArray:
        """Return the next array of counts or scores: numbers of eight bytes, which must have this shape."""
        needed, limit = 8 * math.prod(shape), get_config()["pair_table_limit"]
        if needed > limit:
            raise ValueError(f"{name} would take {needed:,} bytes, more than pair_table_limit ({limit:,})")
        # Its own header is compared before anything is unpacked.
        file_name = f"counts-{self.n_counts}.npy"
        with self.archive.open(file_name) as file:
            np.lib.format.read_magic(file)
            found, _, dtype = np.lib.format.read_array_header_1_0(file)
        if found != shape or dtype not in (np.int64, np.float64):
            raise ValueError(f"{name} must have the shape {shape}, got {dtype} of the shape {found}")
        self.n_counts += 1
        with self.archive.open(file_name) as file:
            array: AnyArray = np.lib.format.read_array(file, allow_pickle=False)
        return array
