"""The states of text and of declared categories, found by the library that a column comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np

from skcredal import _kernels as kernels
from skcredal._arrays import AnyArray, IntArray
from skcredal._encoding.factors import Factor, is_missing, translated

__all__ = ["declared_factor", "factor_of_text"]

# For fewer rows than this, loading the kernel takes longer than it saves.
ROWS_WORTH_A_KERNEL = 1_000

# What tells the kernel that no text is missing; read-only, as the views of Arrow's buffers are.
_ALL_VALID = np.frombuffer(b"\0", np.uint8)[:0]


def declared_factor(series: nw.Series[Any]) -> Factor | None:
    """Read declared categories from the native column; ``None`` for a polars Categorical, without any.

    narwhals reports only the categories that occur, and ignores a null in an Arrow dictionary.
    """
    native = nw.to_native(series)
    if hasattr(getattr(native, "dtype", None), "categories") and not hasattr(native, "to_physical"):
        # From the array: the ``cat`` accessor is built for each use, and wraps the codes in a series.
        values: Any = getattr(native, "array", None)
        if hasattr(values, "codes"):
            return Factor(values.codes, values.categories.tolist(), declared=True)
    if hasattr(native, "to_physical"):
        # The categories of a polars Categorical are a pool shared by the whole process: they say nothing
        # about this column (§1).
        if not isinstance(series.dtype, nw.Enum):
            return None
        physical = nw.from_native(native.to_physical(), series_only=True).cast(nw.Int64())
        return Factor(physical.fill_null(-1).to_numpy(), list(series.dtype.categories), declared=True)
    codes, states = _merged([_read_dictionary(chunk) for chunk in _arrow_chunks(native)], list)
    return Factor(codes, states, declared=True)


def factor_of_text(series: nw.Series[Any]) -> Factor | None:
    """Find the states of a column of text that Arrow holds, or that polars can give to Arrow; else ``None``.

    An object column of pandas does not count as text, although narwhals reports it as such after a look at
    its first rows. Strings that pandas stores as Python objects are read faster as objects.
    """
    native = nw.to_native(series)
    if hasattr(native, "to_physical"):
        # Without pyarrow, text of polars is read as objects.
        if series.dtype not in (nw.String, nw.Categorical) or find_spec("pyarrow") is None:
            return None
        text = native if series.dtype == nw.String else nw.to_native(series.cast(nw.String()))
        return _factor_of_chunks([_polars_text(text)])
    kind = getattr(native, "dtype", None)
    if series.dtype != nw.String or str(kind) == "object" or getattr(kind, "storage", "pyarrow") != "pyarrow":
        return None
    return _factor_of_chunks(_arrow_chunks(native))


def _factor_of_chunks(chunks: Sequence[Any]) -> Factor:
    """Return the sorted states of the arrays of text that a column of Arrow consists of."""
    codes, states = _merged([_read_text(chunk) for chunk in chunks], sorted)
    # Bytes that have no missing values, as the codes of small integers: they need not be translated again.
    if codes.dtype == np.int8 and not any(chunk.null_count for chunk in chunks):
        codes = codes.view(np.uint8)
    return Factor(codes, states, declared=False)


def _polars_text(series: Any) -> Any:
    """Return a series of polars as an array of Arrow, without a copy if all texts are short."""
    pyarrow = import_module("pyarrow")
    if len(series) >= ROWS_WORTH_A_KERNEL and hasattr(pyarrow, "string_view"):
        views = series.to_arrow(compat_level=import_module("polars").CompatLevel.newest())
        if _are_short(views):
            return views
    return series.to_arrow()


def _are_short(texts: Any) -> bool:
    """Tell whether an array of Arrow holds views, all with the text itself in them (at most 12 bytes)."""
    return str(texts.type) == "string_view" and len(texts.buffers()) == 2


def _arrow_chunks(native: Any) -> list[Any]:
    """Return the arrays of a column of Arrow, or of a column of pandas that Arrow holds."""
    column = native if hasattr(native, "chunks") else native.array.__arrow_array__()
    return list(column.chunks)


def _read_text(texts: Any) -> tuple[AnyArray, list[Any]]:
    """Return the code of each text of an array of Arrow, -1 where it is missing, and the texts by code."""
    if len(texts) >= ROWS_WORTH_A_KERNEL:
        codes, found = np.empty(len(texts), np.int8), np.empty(kernels.text.MOST_TEXTS, np.int64)
        n_texts = _number(texts, codes, found)
        if n_texts >= 0:
            return codes, [texts[r].as_py() for r in found[:n_texts].tolist()]
    return _read_dictionary(texts.dictionary_encode())


def _number(texts: Any, codes: AnyArray, found: IntArray) -> int:
    """Call the kernel for an array of Arrow (see ``_kernels.text``).

    Return -1 where Arrow has to number the texts: they are too many, too long for views, or all missing.
    """
    buffers, kind = texts.buffers(), str(texts.type)
    valid = np.frombuffer(buffers[0], np.uint8) if texts.null_count else _ALL_VALID
    if _are_short(texts):
        words = np.frombuffer(buffers[1], np.uint64, 2 * (texts.offset + len(texts)))
        return kernels.text.number_views(words.reshape(-1, 2), valid, texts.offset, codes, found)
    widths = {"string": np.int32, "large_string": np.int64}
    if kind not in widths or not buffers[2]:
        return -1
    text, offsets = np.frombuffer(buffers[2], np.uint8), np.frombuffer(buffers[1], widths[kind])
    return kernels.text.number_texts(text, offsets, valid, texts.offset, codes, found)


def _read_dictionary(array: Any) -> tuple[AnyArray, list[Any]]:
    """Return the codes of a dictionary of Arrow, -1 where a value is missing, and its values."""
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, array.dictionary.to_pylist()


def _merged(
    chunks: Sequence[tuple[AnyArray, list[Any]]], order: Callable[[list[Any]], list[Any]]
) -> tuple[AnyArray, list[Any]]:
    """Return the codes of all chunks, -1 where a value is missing, and their states in order.

    Each chunk may have its own states, with missing ones and repetitions among them.
    """
    states = order(list({state: None for _, own in chunks for state in own if not is_missing(state)}))
    code_of = {state: code for code, state in enumerate(states)}
    kind = np.min_scalar_type(-1 - len(states))
    parts = [
        translated(codes, np.array([*(code_of.get(state, -1) for state in own), -1], kind))
        for codes, own in chunks
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts]), states
