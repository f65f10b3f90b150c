"""Tables, targets and weights that a user could pass by mistake, and the law that everything public obeys.

Missing values of every library, wrong types and shapes, masked and empty arrays, text for numbers; nothing
that someone would have to construct on purpose.
"""

import datetime as dt
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from scipy import sparse

# --- Cells ----------------------------------------------------------------------------------------

MISSING = (None, float("nan"), pd.NA, pd.NaT, np.float32("nan"), Decimal("nan"), np.datetime64("NaT"))
EXTREME = (1e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.0, -0.0, 1e16, 1e16 + 2, 1.0, 2.5)
TEXTS = (*("a", "b", "", " ", "ä"), *("\x00", "日本", "e\u0301", "<script>", "1", "nan", "None", "a" * 300))
CELLS = {
    "integers": (0, 1, 2, -1, 7),
    "extremes": EXTREME,
    "huge integers": (-(10**30), 2**63, 2**64, 5),
    "infinities": (float("inf"), float("-inf"), 1.0),
    "texts": TEXTS,
    "booleans": (True, False),
    "numpy scalars": (np.int8(3), np.float16(1.5), np.bool_(True), np.longdouble(2), np.uint64(2**64 - 1)),
    "decimals": (Decimal("1.5"), Decimal("1e999"), Decimal("-1e-999")),
    "complexes": (1j, complex("nan"), np.complex64(2)),
    "dates": (dt.date(2020, 1, 1), dt.date(1, 1, 1)),
    "zoned": (dt.datetime(2020, 1, 1, tzinfo=dt.UTC), pd.Timestamp("2020", tz="UTC")),
    "spans": (dt.timedelta(1), pd.Timedelta(2), np.timedelta64(3, "s")),
    "lists": ([], [1], ["a", [2]]),
    "dicts": ({}, {"a": 1}),
    "tuples": ((), (1, 2), ("a",)),
    "arrays": (np.arange(2), np.arange(3.0)),
    "masked": (np.ma.masked, 1.0),
    "intervals": (pd.Interval(0, 1), pd.Interval(1, 2)),
}


def object_array(values):
    """Return values as an array of objects; numpy would look inside of lists and tuples."""
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    return array


@st.composite
def cells(draw, n):
    """Draw a column of one or two kinds of cells, some of them missing perhaps."""
    kinds = draw(
        st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=draw(st.sampled_from([1, 1, 3])))
    )
    pool = [cell for kind in kinds for cell in CELLS[kind]]
    if draw(st.integers(0, 2)) == 0:
        pool.append(draw(st.sampled_from(MISSING)))
    if draw(st.integers(0, 9)) == 0:
        pool = list(MISSING[: draw(st.integers(1, len(MISSING)))])
    picks = draw(st.lists(st.integers(0, len(pool) - 1), min_size=n, max_size=n))
    return [pool[pick] for pick in picks]


@st.composite
def plain_cells(draw, n):
    """Draw a column that a model can be learned from."""
    pool = draw(
        st.sampled_from([EXTREME, (0, 1, 2), TEXTS[:5], (True, False), (0.5, None, 2.5), ("a", None, "b")])
    )
    picks = draw(st.lists(st.integers(0, len(pool) - 1), min_size=n, max_size=n))
    return [pool[pick] for pick in picks]


# --- Columns of libraries -------------------------------------------------------------------------


def _polars_series(values):
    # polars panics at some decimals and at arrays of several types, and writes of it on standard error.
    if any(isinstance(value, (Decimal, np.ndarray)) for value in values):
        raise ValueError("not for polars")
    return pl.Series(values, strict=False)


def _for_arrow(values):
    # pyarrow ends the process at a list of dates and integers of numpy.
    if any(isinstance(value, (np.datetime64, np.timedelta64)) for value in values):
        raise ValueError("not for pyarrow")
    return values


def _arrow_array(values):
    return pa.array(_for_arrow(values))


PANDAS = {
    "inferred": lambda values: pd.Series(values),
    "objects": lambda values: pd.Series(object_array(values), dtype=object),
    "category": lambda values: pd.Series(pd.Categorical(values)),
    "ordered": lambda values: pd.Series(pd.Categorical(values, ordered=True)),
    "nullable": lambda values: pd.Series(values).convert_dtypes(),
    "arrow": lambda values: pd.Series(_for_arrow(values)).convert_dtypes(dtype_backend="pyarrow"),
    "sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
    "interval": lambda values: pd.Series(pd.IntervalIndex.from_breaks(np.arange(len(values) + 1.0))),
    "interval categories": lambda values: pd.Series(pd.cut(np.arange(float(len(values))), 3)),
    "dates": lambda values: pd.Series(pd.date_range("2020", periods=len(values), tz="UTC")),
    "complex": lambda values: pd.Series(np.arange(len(values)) * 1j),
    "half": lambda values: pd.Series(values, dtype=np.float16),
}
POLARS = {
    "inferred": _polars_series,
    "objects": lambda values: pl.Series(values, dtype=pl.Object),
    "null": lambda values: pl.Series([None] * len(values), dtype=pl.Null),
    "list": lambda values: pl.Series([[1]] * len(values)),
    "struct": lambda values: pl.Series([{"a": 1}] * len(values)),
    "categorical": lambda values: pl.Series(map(str, values), dtype=pl.Categorical),
    "decimal": lambda values: pl.Series([Decimal("1.5")] * len(values)),
    "duration": lambda values: pl.Series([dt.timedelta(1)] * len(values)),
}
ARROW = {
    "inferred": _arrow_array,
    "null": lambda values: pa.nulls(len(values)),
    "struct": lambda values: pa.array([{"a": 1}] * len(values)),
    "map": lambda values: pa.array([[("a", 1)]] * len(values), pa.map_(pa.string(), pa.int64())),
    "dictionary": lambda values: _arrow_array(values).dictionary_encode(),
    "half": lambda values: pa.array(np.arange(len(values), dtype=np.float16)),
    "large text": lambda values: pa.array(map(str, range(len(values))), pa.large_string()),
}


DTYPES = (*("f8", "f4", "f2", "i8", "u8", "i1", "?", "g"), *("U3", "S3", "c16", "M8[s]", "V8", ">f8", ">i4"))
NAMES = (*("a", "b", "a", "", "<script>", "日本"), *(0, 1, 1.5, None, float("nan"), ("a", "b"), True, b"a"))


def _or_none(make, *arguments):
    """Return what a library makes of the values, None if it refuses them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(*arguments)
    except (Exception, pl.exceptions.PanicException):
        # What a library cannot hold, no user can hand over in it.
        return None


@st.composite
def tables(draw, n=None):
    """Draw a table of any kind, or what only looks like one."""
    n = draw(st.sampled_from([0, 1, 2, 8, 8, 8, 12, 12])) if n is None else n
    k = draw(st.sampled_from([0, 1, 2, 2, 3, 4]))
    if draw(st.integers(0, 9)) == 0:
        return draw(oddities(n))
    strange = draw(st.sampled_from([0, 0, 1, 1, 2]))
    kind = draw(
        st.sampled_from(["rows", "objects", "numpy", *["pandas"] * 3, *["polars"] * 2, *["arrow"] * 2])
    )
    columns = [draw(cells(n) if j < strange else plain_cells(n)) for j in range(k)]
    if kind == "rows":
        rows = [list(row) for row in zip(*columns, strict=True)]
        return draw(
            st.sampled_from([rows, tuple(map(tuple, rows)), rows[:1] + [row[:-1] for row in rows[1:]]])
        )
    if kind == "objects":
        array = np.empty((n, k), object)
        for j, column in enumerate(columns):
            array[:, j] = object_array(column)
        return array
    if kind == "numpy":
        dtype = draw(st.sampled_from(DTYPES))
        pool = draw(st.sampled_from([(0, 1, 2), (0, 255), EXTREME]))
        picks = draw(st.lists(st.sampled_from(pool), min_size=n * k, max_size=n * k))
        array = _or_none(lambda: np.array(picks).reshape(n, k).astype(dtype))
        return np.ones((n, k)) if array is None else array
    if kind == "pandas":
        return draw(_pandas(columns, n))
    library, makers = (pl, POLARS) if kind == "polars" else (pa, ARROW)
    made = []
    for column in columns:
        values = _or_none(makers[draw(st.sampled_from(sorted(makers)))], column)
        made.append(makers["null"](column) if values is None else values)
    names = [draw(st.sampled_from(["a", "b", "", "<script>", "日本"])) + str(j) for j in range(k)]
    if library is pl:
        frame = pl.DataFrame(dict(zip(names, made, strict=True)))
        return draw(st.sampled_from([frame, frame, frame.lazy()]))
    if k > 1 and draw(st.integers(0, 9)) == 0:
        names[1] = names[0]
    return pa.table(made, names=names)


@st.composite
def _pandas(draw, columns, n):
    series = []
    for column in columns:
        values = _or_none(PANDAS[draw(st.sampled_from(sorted(PANDAS)))], column)
        series.append(pd.Series(object_array(column), dtype=object) if values is None else values)
    frame = pd.concat(series, axis=1) if series else pd.DataFrame(index=range(n))
    style = draw(st.sampled_from(["letters", "letters", "letters", "numbers", "odd", "levels", "same"]))
    if style == "letters":
        frame.columns = pd.Index([f"c{j}" for j in range(len(series))], dtype=object)
    if style == "odd":
        frame.columns = pd.Index([draw(st.sampled_from(NAMES)) for _ in series], dtype=object)
    if style == "levels" and series:
        frame.columns = pd.MultiIndex.from_tuples([("a", j // 2, j) for j in range(len(series))])
    if style == "same":
        frame.columns = ["c"] * len(series)
    if draw(st.integers(0, 4)) == 0:
        frame.index = pd.Index([0] * n)
    return frame


@st.composite
def sane_tables(draw):
    """Draw a table that can be learned from, in any library."""
    n = draw(st.sampled_from([6, 12]))
    frame = pd.DataFrame(
        {f"c{j}": object_array(draw(plain_cells(n))) for j in range(draw(st.integers(1, 3)))}
    )
    way = draw(st.sampled_from(["pandas", "inferred", "polars", "arrow", "numpy"]))
    if way == "pandas":
        return frame
    if way == "numpy":
        return frame.to_numpy(object)
    frame = frame.apply(lambda column: pd.Series(column.tolist()))
    return {"inferred": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[way]


@st.composite
def changed(draw, X):
    """Draw a table beside one: with columns in another order, fewer, more, renamed, or of other cells."""
    names = list(getattr(X, "column_names", getattr(X, "columns", [f"c{j}" for j in range(np.shape(X)[1])])))
    n = draw(st.sampled_from([1, 5]))
    how = draw(st.sampled_from(["cells", "cells", "cells", "order", "fewer", "more", "renamed"]))
    if how == "order":
        names = names[::-1]
    if how == "fewer":
        names = names[1:]
    if how == "more":
        names = [*names, "new"]
    if how == "renamed":
        names = ["new", *names[1:]]
    columns = {name: draw(st.one_of(plain_cells(n), cells(n))) for name in names}
    library = draw(st.sampled_from(["pandas", "objects", "polars", "arrow", "numpy"]))
    objects = pd.DataFrame({name: object_array(column) for name, column in columns.items()}, dtype=object)
    makers = {"pandas": PANDAS, "polars": POLARS, "arrow": ARROW}.get(library)
    if library == "numpy":
        return objects.to_numpy()
    if makers is None or not names:
        return objects
    made = {name: _or_none(makers["inferred"], column) for name, column in columns.items()}
    if any(column is None for column in made.values()):
        return objects
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[library](made)


def _numbers(n):
    return np.arange(2.0 * n).reshape(n, 2)


# What is no table, or one only to its library.
ODDITIES = {
    "None": lambda n: None,
    "integer": lambda n: 3,
    "text": lambda n: "text",
    "bytes": lambda n: b"bytes",
    "dict": lambda n: {"a": [1] * n},
    "range": range,
    "generator": lambda n: (row for row in _numbers(n).tolist()),
    "0-d": lambda n: np.array(1.0),
    "1-d": np.ones,
    "3-d": lambda n: np.ones((n, 2, 2)),
    "matrix": lambda n: np.asmatrix(_numbers(n)),
    "masked": lambda n: np.ma.masked_array(_numbers(n), _numbers(n) > 1),
    "structured": lambda n: np.zeros(n, dtype=[("a", float), ("b", "U2")]),
    "sparse matrix": lambda n: sparse.csr_matrix(_numbers(n)),
    "sparse frame": lambda n: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(_numbers(n))),
    "series": lambda n: pd.Series(_numbers(n)[:, 0]),
    "polars series": lambda n: pl.Series(_numbers(n)[:, 0]),
    "empty polars": lambda n: pl.DataFrame(),
    "empty arrow": lambda n: pa.table({}),
    "arrow array": lambda n: pa.array(_numbers(n)[:, 0]),
    "arrow batch": lambda n: pa.RecordBatch.from_pydict({"a": _numbers(n)[:, 0]}),
    "ragged": lambda n: [[[1], [2, 3]]] * n,
    "records as dicts": lambda n: [{"a": 1, "b": 2}] * n,
    "list of text": lambda n: ["ab"] * n,
}


@st.composite
def oddities(draw, n):
    """Draw what is no table."""
    return ODDITIES[draw(st.sampled_from(sorted(ODDITIES)))](n)


@st.composite
def vectors(draw, n):
    """Draw a target or weights: of a sane sort, or of any sort at all."""
    if draw(st.integers(0, 3)) > 0:
        values = draw(st.one_of(plain_cells(n), st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n)))
    else:
        values = draw(cells(n))
    plain = {
        "list": lambda: values,
        "short": lambda: values[:-1],
        "column": lambda: object_array(values)[:, None],
    }
    makers = {"numpy": {"": np.asarray}, "pandas": PANDAS, "polars": POLARS, "arrow": ARROW}
    way = draw(st.sampled_from([*plain, "list", "list", *makers, "pandas", "objects", "oddity"]))
    if way == "oddity":
        return draw(oddities(n))
    if way in plain:
        return plain[way]
    if way == "objects":
        return object_array(values)
    made = _or_none(makers[way][draw(st.sampled_from(sorted(makers[way])))], values)
    return object_array(values) if made is None else made


def rows_of(X):
    """Return how many rows a table has, 8 if it has none to count."""
    if hasattr(X, "shape"):
        return int(X.shape[0]) if len(X.shape) else 8
    return len(X) if hasattr(X, "__len__") else 8


# --- The law --------------------------------------------------------------------------------------


def outcome(work, names):
    """Return the result, or None for a refusal: a ValueError or TypeError that names what it refuses.

    names is a pattern of the parameters; a column will do as well.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=RuntimeWarning, module="skcredal")
        try:
            return work()
        except (ValueError, TypeError) as refusal:
            said = str(refusal)
            if not re.search(rf"(?<!\w)({names}|Column .+|Feature \d+)(?!\w)", said):
                raise AssertionError(f"A refusal that names nothing: {said}") from refusal
            return None
