"""Tables, targets and weights that a user could pass by mistake, and the law that everything public obeys.

Missing values of every library, wrong types and shapes, masked and empty arrays, text for numbers; nothing
that someone would have to construct on purpose.
"""

import datetime as dt
import re
import warnings
from decimal import Decimal
from itertools import chain

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from scipy import sparse

MISSING = (None, float("nan"), pd.NA, pd.NaT, np.float32("nan"), Decimal("nan"), np.datetime64("NaT"))
EXTREME = (1e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.0, -0.0, 1e16, 1e16 + 2, 1.0, 2.5)
TEXTS = (*("a", "b", "", " ", "ä"), *("\x00", "日本", "e\u0301", "<script>", "1", "nan", "None", "a" * 300))
CELLS = [
    (0, 1, 2, -1, 7),
    EXTREME,
    (-(10**30), 2**63, 2**64, 5),
    (float("inf"), float("-inf"), 1.0),
    TEXTS,
    (b"a", b"\xff", b""),
    (True, False),
    (np.int8(3), np.float16(1.5), np.bool_(True), np.longdouble(2), np.uint64(2**64 - 1)),
    (Decimal("1.5"), Decimal("1e999"), Decimal("Infinity")),
    (1j, complex("nan"), np.complex64(2)),
    (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), pd.Timestamp("2020"), dt.timedelta(1)),
    ([], [1], ["a", [2]], {}, {"a": 1}, (), (1, 2), np.arange(2)),
    (np.ma.masked, 1.0),
    (pd.Interval(0, 1), pd.Period("2020")),
]
PLAIN = [EXTREME, (0, 1, 2), TEXTS[:5], (True, False), (0.5, None, 2.5), ("a", None, "b")]


def object_array(values):
    """Return values as an array of objects; numpy would look inside of lists and tuples."""
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def picked(draw, pool, n):
    return [pool[i] for i in draw(st.lists(st.integers(0, len(pool) - 1), min_size=n, max_size=n))]


@st.composite
def plain_cells(draw, n):
    return picked(draw, draw(st.sampled_from(PLAIN)), n)


@st.composite
def cells(draw, n):
    """Draw a column of one or two kinds of cells, some of them missing perhaps, or all."""
    kinds = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=draw(st.sampled_from([1, 1, 3]))))
    pool = [cell for kind in kinds for cell in kind]
    if draw(st.integers(0, 2)) == 0:
        pool.append(draw(st.sampled_from(MISSING)))
    return picked(draw, list(MISSING) if draw(st.integers(0, 9)) == 0 else pool, n)


# --- Columns of libraries -------------------------------------------------------------------------


def _polars_series(values):
    # polars panics at some decimals and at arrays of several types, and writes of it on standard error.
    if any(isinstance(value, (Decimal, np.ndarray)) for value in values):
        raise ValueError("not for polars")
    return pl.Series(values, strict=False)


def _arrow_array(values):
    # pyarrow ends the process at a list of dates and integers of numpy.
    if any(isinstance(value, (np.datetime64, np.timedelta64)) for value in values):
        raise ValueError("not for pyarrow")
    return pa.array(values)


COLUMNS = {
    "pandas": [
        pd.Series,
        lambda values: pd.Series(object_array(values), dtype=object),
        lambda values: pd.Series(pd.Categorical(values)),
        lambda values: pd.Series(values).convert_dtypes(),
        lambda values: _arrow_array(values).to_pandas(types_mapper=pd.ArrowDtype),
        lambda values: pd.Series(pd.arrays.SparseArray(values)),
        lambda values: pd.Series(pd.cut(np.arange(float(len(values))), 3)),
        lambda values: pd.Series(pd.date_range("2020", periods=len(values), tz="UTC")),
    ],
    "polars": [
        _polars_series,
        lambda values: pl.Series(values, dtype=pl.Object),
        lambda values: pl.Series([None] * len(values), dtype=pl.Null),
        lambda values: pl.Series([{"a": 1}] * len(values)),
        lambda values: pl.Series(map(str, values), dtype=pl.Categorical),
        lambda values: pl.Series([dt.timedelta(1)] * len(values)),
    ],
    "arrow": [
        _arrow_array,
        lambda values: pa.nulls(len(values)),
        lambda values: pa.array([{"a": 1}] * len(values)),
        lambda values: _arrow_array(values).dictionary_encode(),
        lambda values: pa.array(np.arange(len(values), dtype=np.float16)),
    ],
}
DTYPES = (*("f8", "f4", "f2", "i8", "u8", "i1", "?", "g"), *("U3", "S3", "c16", "M8[s]", "V8", ">f8", ">i4"))
NAMES = (*("a", "b", "a", "", "<script>", "日本"), *(0, 1, 1.5, None, float("nan"), ("a", "b"), True, b"a"))
# What is no table, or one only to its library.
ODDITIES = [
    *(lambda n: None, lambda n: 3, lambda n: "text", lambda n: {"a": [1] * n}, range, np.ones),
    *(lambda n: iter([[1, 2]] * n), lambda n: np.array(1.0), lambda n: np.ones((n, 2, 2))),
    *(lambda n: np.asmatrix(np.ones((n, 2))), lambda n: np.ma.masked_array(np.ones((n, 2)), np.eye(n, 2))),
    *(lambda n: np.zeros(n, dtype=[("a", float), ("b", "U2")]), lambda n: sparse.csr_matrix(np.ones((n, 2)))),
    *(lambda n: pd.Series(np.ones(n)), lambda n: pl.DataFrame(), lambda n: pa.array(np.ones(n))),
    *(lambda n: [[[1], [2, 3]]] * n, lambda n: [{"a": 1, "b": 2}] * n, lambda n: ["ab"] * n),
]


def made(draw, makers, values):
    """Return what a library makes of the values, ``None`` if it refuses them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return draw(st.sampled_from(makers))(values)
    except (Exception, pl.exceptions.PanicException):
        return None  # what a library cannot hold, no user can hand over in it


@st.composite
def tables(draw, names=None, *, sane=False):
    """Draw a table of any kind, or what only looks like one; given names, they may be changed."""
    n = draw(st.sampled_from([6, 12] if sane else [0, 1, 2, 8, 8, 8, 12, 12]))
    if not sane and draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(ODDITIES))(n)
    if names is None:
        names = [f"c{j}" for j in range(draw(st.sampled_from([1, 2, 3] if sane else [0, 1, 2, 2, 3, 4])))]
    else:
        names = draw(st.sampled_from([names, names, names, names[::-1], names[1:], [*names, "new"]]))
    strange = 0 if sane else draw(st.sampled_from([0, 0, 1, 1, 2]))
    columns = [draw(cells(n) if j < strange else plain_cells(n)) for j in range(len(names))]
    objects = pd.DataFrame({name: object_array(column) for name, column in zip(names, columns, strict=True)})
    if sane:
        inferred = objects.infer_objects()
        own = [objects, objects.to_numpy(object), inferred, pl.from_pandas(inferred)]
        return draw(st.sampled_from([*own, pa.Table.from_pandas(inferred)]))
    kind = draw(st.sampled_from(["rows", "objects", "numpy", *[*COLUMNS] * 2]))
    if kind == "rows":
        rows = [list(row) for row in zip(*columns, strict=True)]
        return draw(st.sampled_from([rows, rows[:1] + [row[:-1] for row in rows[1:]]]))
    if kind == "objects":
        return objects.to_numpy(object)
    if kind == "numpy":
        numbers = np.array(picked(draw, draw(st.sampled_from([(0, 1, 2), EXTREME])), n * len(names)))
        found = made(draw, [lambda values: values.astype(draw(st.sampled_from(DTYPES)))], numbers)
        return (numbers if found is None else found).reshape(n, len(names))
    found = [made(draw, COLUMNS[kind], column) for column in columns]
    if not names or any(column is None for column in found):
        return objects
    if kind == "polars":
        frame = pl.DataFrame(dict(zip(names, found, strict=True)))
        return draw(st.sampled_from([frame, frame, frame.lazy()]))
    if kind == "arrow":
        return pa.table(found, names=draw(st.sampled_from([names, names, ["c"] * len(names)])))
    frame = pd.concat(found, axis=1, keys=names)
    if draw(st.integers(0, 3)) == 0:
        frame.columns = pd.Index([draw(st.sampled_from(NAMES)) for _ in names], dtype=object)
    return frame


@st.composite
def vectors(draw, n):
    """Draw a target or weights: of a sane sort, or of any sort at all."""
    values = draw(cells(n) if draw(st.integers(0, 3)) == 0 else plain_cells(n))
    if draw(st.integers(0, 3)) > 0:
        return draw(st.sampled_from([values, values, [r % 3 for r in range(n)]]))
    found = made(draw, [np.asarray, *chain(*COLUMNS.values())], values)
    plain = [values[:-1], object_array(values)[:, None], object_array(values)]
    odd = draw(st.sampled_from(ODDITIES))(n)
    return draw(st.sampled_from([*plain, odd, *([] if found is None else [found] * 4)]))


def rows_of(X):
    if hasattr(X, "shape"):
        return int(X.shape[0]) if len(X.shape) else 8
    return len(X) if hasattr(X, "__len__") else 8


# --- The law --------------------------------------------------------------------------------------


def outcome(work):
    """Return the result, or None for a refusal: a ValueError or TypeError that names what it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=RuntimeWarning, module="skcredal")
        try:
            return work()
        except (ValueError, TypeError) as refusal:
            names = "X|y|sample_weight|categories|categorical_features|feature names|Column .+|Feature \\d+"
            if not re.search(rf"(?<!\w)({names})(?!\w)", str(refusal)):
                raise AssertionError(f"A refusal that names nothing: {refusal}") from refusal
            return None
