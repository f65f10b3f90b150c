"""Messy tables, every route by which a classifier learns from them, and all that it then says.

``expected/net.json`` holds the answers, ``test_net.py`` compares with them. Only public names are used, so
that the code below them may be moved about. The tables must stay as they are for ever, hence their own
generator.
"""

import hashlib
import importlib
import json
import math
import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

import skcredal
from skcredal.scale import fit_batches, fit_dask, scan_parquet

EXPECTED = Path(__file__).parent / "expected" / "net.json"

PARAMETERS = {
    "AODE": {"ess": 2.0, "average": "joint"},
    "BmaAODE": {"ess": 2.0, "likelihood_floor": 0.01},
    "CompAODE": {"ess": 2.0, "likelihood_floor": 0.01, "epsilon": 0.05},
    "MaplmgAODE": {"ess": 2.0},
    "CompressionNB": {"ess": 2.0, "random_state": 7},
    "CredalBmaAODE": {"ess": 2.0, "epsilon": 0.02, "criterion": "e_admissibility"},
    "CredalCompAODE": {"ess": 2.0, "likelihood_floor": 0.01, "epsilon": 1e-100},
    "NaiveBayes": {"ess": 2.0},
    "TAN": {"ess": 2.0},
    "NullClassifier": {"ess": 2.0},
    "NaiveCredal": {"ess": 2.0, "s": 2.0, "contamination": 0.1},
    "CredalModelAveraging": {"ess": 2.0, "epsilon": 0.1},
    "CredalTree": {"s": 2.0},
    "LogPoolAODE": {"ess": 2.0, "n_regions": 3, "line": False, "max_rows": 50, "random_state": 7},
    "CredalLogPoolAODE": {"ess": 2.0, "n_regions": 0, "credibility": 0.99, "criterion": "interval_dominance"},
}
# Their trees and lines are those of one version of scikit-learn, and depend on the order of the rows.
POOLS = ("LogPoolAODE", "CredalLogPoolAODE")
CREDAL = (
    "CredalBmaAODE",
    "CredalCompAODE",
    "NaiveCredal",
    "CredalModelAveraging",
    "CredalTree",
    "CredalLogPoolAODE",
)
# Those that learn along other routes than ``fit``: in three passes, from counts alone, and from chosen rows.
ALONG_ROUTES = ("CredalCompAODE", "NaiveCredal", "CredalLogPoolAODE")


# The tables.

N_TRAIN, N_TEST = 240, 40
SIZES = ["small", "medium", "large", "huge"]  # the last one is declared, and occurs in the test rows alone
KINDS = {
    "length": "float64",  # with missing cells
    "width": "float64",  # noise, in which no cut is found
    "level": "int8",
    "pages": "int64",
    "colour": "text",  # with missing cells
    "town": "text",  # with rare states
    "ripe": "bool",
    "sold": "bool",  # with missing cells
    "size": "category",
    "same": "float64",  # constant
    "nothing": "float64",  # missing everywhere
}


@dataclass(frozen=True)
class Table:
    """Columns as lists, ``None`` where a cell is missing; or arrays, whose columns have no names."""

    train: Any
    target: list
    test: Any
    whole_weights: list
    real_weights: list

    def weights(self, weighting, rows=slice(None)):
        chosen = {None: None, "whole": self.whole_weights, "real": self.real_weights}[weighting]
        return None if chosen is None else np.array(chosen)[rows]

    def fingerprint(self):
        """Return a short text that changes with any cell."""
        cells = [
            {name: list(column) for name, column in part.items()} if isinstance(part, dict) else part.tolist()
            for part in (self.train, self.test)
        ]
        content = [cells, self.target, self.whole_weights, self.real_weights]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


class Dice:
    """Uniform numbers from the raw bits, the only stream that numpy promises to keep."""

    def __init__(self, seed):
        self.bits = np.random.PCG64(seed)

    def uniform(self, n):
        return (self.bits.random_raw(n) >> np.uint64(11)) * 2.0**-53

    def below(self, m, n):
        return np.floor(self.uniform(n) * m).astype(np.int64)

    def bell(self, n):
        """Return sums of uniform numbers, in thousandths, from -2 to 2."""
        total = self.uniform(n) + self.uniform(n) + self.uniform(n) + self.uniform(n)
        return np.floor((total - 2) * 1000) / 1000


def _classes(dice, n_classes, n):
    u = dice.uniform(n)
    return np.floor(n_classes * (0.6 * u + 0.4 * u * u)).astype(np.int64)


def _with_gaps(values, missing):
    return [None if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]


def _columns(dice, y):
    """Return the columns of some rows without missing test cells; all but three hang on the class."""
    n = len(y)
    colours, towns = ["green", "red", "blue"], [*"ABCD", *(f"village {i}" for i in range(9))]
    follow = [dice.uniform(n) < share for share in (0.35, 0.3, 0.45)]
    town = np.where(
        follow[1], (y + 1) % 4, np.where(dice.uniform(n) < 0.85, dice.below(4, n), dice.below(13, n))
    )
    columns = {
        "length": _with_gaps((1.2 * y + dice.bell(n)).round(2).tolist(), dice.uniform(n) < 0.1),
        "width": dice.bell(n).round(1).tolist(),
        "level": (np.floor(2 * dice.bell(n)).astype(np.int64) + 2 * (y % 2)).tolist(),
        "pages": (dice.below(400, n) + 150 * (y // 2) + 60 * y).tolist(),
        "colour": _with_gaps(
            [colours[c] for c in np.where(follow[0], y % 3, dice.below(3, n))], dice.uniform(n) < 0.12
        ),
        "town": [towns[c] for c in town],
        "ripe": (dice.uniform(n) < 0.3 + 0.15 * y).tolist(),
        "sold": _with_gaps((dice.uniform(n) < 0.8 - 0.15 * y).tolist(), dice.uniform(n) < 0.15),
        "size": _with_gaps(
            [SIZES[c] for c in np.where(follow[2], (2 * y) % 3, dice.below(3, n))], dice.uniform(n) < 0.05
        ),
        "same": [7.5] * n,
        "nothing": [None] * n,
    }
    assert list(columns) == list(KINDS)
    return columns


def _test_columns(dice, n_classes):
    """Return test rows: the first all missing, the next ones strange, and gaps in all others."""
    columns, other = (_columns(dice, _classes(dice, n_classes, N_TEST)) for _ in range(2))
    for name in columns:
        # Rows whose columns speak for different classes leave some classifiers undecided.
        columns[name][N_TEST // 2 :] = (columns, other)[dice.below(2, 1)[0]][name][N_TEST // 2 :]
    columns["nothing"] = [3.0] * N_TEST
    strange = {
        "length": [-50.0, 99.0],
        "width": [1e9, -1e9],
        "level": [-120, 120],
        "pages": [10**9, -1],
        "colour": ["violet", "grün"],
        "town": ["Atlantis", ""],
        "size": ["giant", "huge"],
        "same": [8.0, -8.0],
    }
    for name, values in strange.items():
        # Rows 1 and 2 are strange in all of their cells, the others in one or two of them.
        for r in (1, 2, *(3 + dice.below(N_TEST - 3, 3)).tolist()):
            columns[name][r] = values[r % 2]
    for name, column in columns.items():
        gaps = dice.uniform(N_TEST) < 0.15
        gaps[:3] = [True, False, False]
        columns[name] = _with_gaps(column, gaps)
    return columns


def _weights(dice, n):
    return dice.below(4, n).tolist(), (dice.uniform(n) * 3).tolist()


def messy_table(seed, classes):
    """Return a table of all kinds of columns, about the given classes."""
    dice = Dice(seed)
    y = _classes(dice, len(classes), N_TRAIN)
    train, test = _columns(dice, y), _test_columns(dice, len(classes))
    return Table(train, [classes[c] for c in y], test, *_weights(dice, N_TRAIN))


def array_table(seed):
    """Return an array of small integers, with values in the test rows that did not occur before."""
    dice = Dice(seed)
    y = _classes(dice, 3, N_TRAIN)

    def cells(y):
        columns = [
            np.where(dice.uniform(len(y)) < 0.4, (y + j) % 3, dice.below(2 + j, len(y))) for j in range(5)
        ]
        return np.stack([*columns, np.full(len(y), 4)], axis=1)

    train, test = cells(y), cells(_classes(dice, 3, N_TEST))
    strange = dice.uniform(test.size).reshape(test.shape) < 0.08
    test = np.where(strange, 9 + 100 * (np.arange(N_TEST)[:, None] % 2), test)
    whole, real = _weights(dice, N_TRAIN)
    # No weight is 0: batches of integers with such rows were miscounted when the answers were stored.
    return Table(train, y.tolist(), test, [max(weight, 1) for weight in whole], real)


TABLES = {
    "two": messy_table(2, [0, 1]),
    "four": messy_table(4, ["oak", "ash", "elm", "yew"]),
    "array": array_table(3),
}


# The same rows in every library.


def _states(sizes):
    """Return the declared categories: the test rows declare one more, which is unknown to a model."""
    return [*SIZES, "giant"] if "giant" in sizes else SIZES


def as_pandas(columns):
    series = {}
    for name, values in columns.items():
        kind, gaps = KINDS[name], None in values
        if kind == "category":
            series[name] = pd.Categorical(values, _states(values))
        elif kind == "text":
            series[name] = pd.Series(values)
        elif name == "sold":
            series[name] = pd.Series(values, dtype="boolean")
        elif kind == "bool":
            series[name] = pd.Series(values, dtype=object if gaps else bool)
        elif name == "pages" and gaps:
            series[name] = pd.Series(values, dtype="Int64")
        else:
            series[name] = pd.Series(values, dtype="float64" if gaps else kind)
    return pd.DataFrame(series)


def as_arrow(columns):
    import pyarrow as pa

    return pa.Table.from_pandas(as_pandas(columns), preserve_index=False)


def as_polars(columns):
    import polars as pl

    frame = pl.DataFrame(as_arrow(columns))
    return frame.with_columns(pl.Series("size", columns["size"], pl.Enum(_states(columns["size"]))))


def as_objects(columns):
    """Return an array of objects, in which a category is text, and nothing declares it."""
    array = np.empty((len(columns["length"]), len(columns)), object)
    for j, values in enumerate(columns.values()):
        array[:, j] = values
    return array


# The routes: each fits the estimator to a table, and returns it with the rows to answer for.

# Three parts of different sizes.
PARTS = [slice(0, 70), slice(70, 200), slice(200, N_TRAIN)]


def _batches(X, table, weighting, *, in_order):
    y = np.array(table.target)
    part = (lambda rows: X[rows]) if isinstance(X, np.ndarray) else (lambda rows: X.iloc[rows])
    return [
        (part(rows), y[rows]) if weighting is None else (part(rows), y[rows], table.weights(weighting, rows))
        for rows in (PARTS if in_order else [PARTS[-1], *PARTS[:-1]])
    ]


def _fit(convert, vector=lambda values: values):
    """Return a route with the table, its classes and weights in a library of their own."""

    def route(estimator, table, weighting, folder):
        weights = None if weighting is None else vector(table.weights(weighting))
        return estimator.fit(convert(table.train), vector(table.target), weights), convert(table.test)

    return route


def _fit_batches(convert):
    def route(estimator, table, weighting, folder):
        in_order = type(estimator).__name__ in POOLS
        batches = _batches(convert(table.train), table, weighting, in_order=in_order)
        return fit_batches(estimator, batches), convert(table.test)

    return route


def _saved(convert):
    def route(estimator, table, weighting, folder):
        estimator.fit(convert(table.train), table.target, table.weights(weighting))
        skcredal.save(estimator, folder / "model.skcredal")
        return skcredal.load(folder / "model.skcredal"), convert(table.test)

    return route


def _parquet(estimator, table, weighting, folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = as_arrow(table.train).append_column("target", pa.array(table.target))
    if weighting is not None:
        rows = rows.append_column("weight", pa.array(table.weights(weighting)))
    pq.write_table(rows[:150], folder / "a.parquet")
    pq.write_table(rows[150:], folder / "b.parquet")
    weight = None if weighting is None else "weight"
    scan = scan_parquet(folder, target="target", weight=weight, batch_rows=64)
    return fit_batches(estimator, scan), as_arrow(table.test)


def _dask_frame(estimator, table, weighting, folder):
    import dask
    import dask.dataframe as dd

    X, weight = as_pandas(table.train), None if weighting is None else "weight"
    rows = X.assign(target=table.target)
    if weighting is not None:
        rows = rows.assign(weight=table.weights(weighting))
    with dask.config.set(scheduler="synchronous"):
        parts = dd.from_pandas(rows, npartitions=3)
        return fit_dask(estimator, parts, target="target", sample_weight=weight), as_pandas(table.test)


def _dask_array(estimator, table, weighting, folder):
    import dask
    import dask.array as da

    weights = None if weighting is None else da.from_array(table.weights(weighting), chunks=100)
    with dask.config.set(scheduler="synchronous"):
        X, y = da.from_array(table.train, chunks=(90, 3)), da.from_array(np.array(table.target), chunks=100)
        return fit_dask(estimator, X, target=y, sample_weight=weights), table.test


FRAME_ROUTES = {
    "fit": _fit(as_pandas),
    "polars": _fit(as_polars, lambda values: importlib.import_module("polars").Series(values)),
    "arrow": _fit(as_arrow, lambda values: importlib.import_module("pyarrow").array(values)),
    "objects": _fit(as_objects),
    "batches": _fit_batches(as_pandas),
    "parquet": _parquet,
    "dask": _dask_frame,
    "saved": _saved(as_pandas),
}
ARRAY_ROUTES = {
    "fit": _fit(np.array),
    "objects": _fit(lambda X: X.astype(object)),
    "batches": _fit_batches(np.array),
    "dask": _dask_array,
    "saved": _saved(np.array),
}
# What a route needs besides pandas.
EXTRAS = {
    "polars": ["polars"],
    "arrow": ["pyarrow"],
    "parquet": ["pyarrow.parquet"],
    "dask": ["dask.array", "dask.dataframe"],
}


# The settings: parameters, and the weights of the rows.

SETTINGS = {
    "impute": ({}, None),
    "marginalize": ({"missing": "marginalize"}, None),
    "whole weights": ({}, "whole"),
    "real weights": ({"missing": "marginalize"}, "real"),
    "few categories": ({"max_categories": 3}, None),
    "interval dominance": ({"criterion": "interval_dominance"}, None),
    "other parameters": (PARAMETERS, None),
    "marginal likelihood": ({"likelihood": "marginal", "missing": "marginalize"}, None),
    "states": ({"categorical_features": "all"}, None),
    "few states": ({"categorical_features": "all", "max_categories": 3}, "whole"),
}
FRAME_SETTINGS = [name for name in SETTINGS if "states" not in name]
SETTINGS_OF_TABLES = {
    "two": [name for name in FRAME_SETTINGS if name != "few categories"],
    "four": FRAME_SETTINGS,
    "array": ["impute", "states", "few states"],
}
# Along every other route than ``fit``, the settings of frames that tell it from that; for arrays, all.
SETTINGS_OF_ROUTES = ["impute", "marginalize", "whole weights"]


def _go_together(table, setting, classifier, route):
    if setting == "interval dominance" and classifier not in CREDAL:
        return False
    if setting == "marginal likelihood" and classifier != "BmaAODE":
        return False
    if route == "fit":
        return True
    if classifier not in ALONG_ROUTES:
        return False
    if table != "array" and route == "objects":  # its answers are stored besides: once is enough
        return table == "two" and setting in SETTINGS_OF_ROUTES[:2]
    return table == "array" or setting in SETTINGS_OF_ROUTES


def cases():
    return [
        case
        for table, settings in SETTINGS_OF_TABLES.items()
        for setting in settings
        for classifier in PARAMETERS
        for route in (ARRAY_ROUTES if table == "array" else FRAME_ROUTES)
        if _go_together(*(case := (table, setting, classifier, route)))
    ]


def answers_along(table, setting, classifier, route, folder):
    parameters, weighting = SETTINGS[setting]
    parameters = parameters.get(classifier, {}) if parameters is PARAMETERS else parameters
    if classifier in POOLS:
        parameters = {"n_regions": 2, **parameters}  # fast, and enough to tell what changed
    estimator = getattr(skcredal, classifier)(**parameters)
    learn = (ARRAY_ROUTES if table == "array" else FRAME_ROUTES)[route]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return answers_of(*learn(estimator, TABLES[table], weighting, folder))


# The answers.

# How close numbers must be, relatively and near 0, and from where on they are tied; those of pools depend on
# scikit-learn's line, which is not found to the last digits.
CLOSE, POOLS_CLOSE = (1e-9, 1e-12), (1e-5, 1e-5)
TIE, POOLS_TIE = 1e-9, 1e-4


def answers_of(model, X):
    """Return all that a model says of rows, as lists of text, whole numbers and floats.

    Where classes or votes are tied, rounding decides between them: such an answer is left out.
    """
    proba, tie = model.predict_proba(X), POOLS_TIE if type(model).__name__ in POOLS else TIE
    ranked = np.sort(proba, axis=1)
    gaps = 1 - ranked[:, :-1] / ranked[:, 1:]
    # Ties of a tree are those of class counts, which no rounding breaks.
    no_winner = (gaps[:, -1] < tie) & (type(model).__name__ != "CredalTree")
    answers = {
        "classes": model.classes_.tolist(),
        "predict": _with_gaps(plain(model.predict(X).tolist()), no_winner),
        "predict_proba": plain(proba.tolist()),
    }
    for method in ("predict_interval", "robustness", "spode_proba"):
        if hasattr(model, method):
            answers[method] = plain(getattr(model, method)(X).tolist())
    if hasattr(model, "predict_set"):
        answers["predict_set"] = ["".join(map(str, row)) for row in plain(model.predict_set(X).tolist())]
    if hasattr(model, "explain"):
        explanation = nw.from_native(model.explain(X), eager_only=True)
        columns = {name: plain(explanation[name].to_list()) for name in explanation.columns}
        # Sets are compared above; when the net was made, a column told only whether classes are several.
        # Words may change.
        del columns["sentence"]
        columns["undecided"] = [int(size > 1) for size in columns.pop("set_size")]
        del columns["set"]
        votes = columns["votes" if "votes" in columns else "contributions"]
        no_order = (gaps < tie).any(axis=1) | [_has_ties(own, tie) for own in votes]
        for name, column in columns.items():
            steady = name in ("probability", "undecided", "robustness")
            answers[f"explain {name}"] = column if steady else _with_gaps(column, no_order)
    return answers


def _has_ties(votes, tie):
    ordered = sorted([0.0, *votes])
    return any(high - low < tie for low, high in pairwise(ordered))


def plain(value):
    """Return a value as JSON can hold it: 12 digits of floats, no NaN, 0 and 1 for false and true."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if value is None or value is pd.NA:
        return None
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return None if math.isnan(value) else float(f"{value:.12g}")
    if isinstance(value, (int, np.integer)):
        return int(value)
    return str(value)


def differences(found, expected, close=CLOSE, where=""):
    """Yield where answers differ: floats beyond rounding, all others at all."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted({*found, *expected}):
            yield from differences(found.get(name, "absent"), expected.get(name, "absent"), close, name)
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for place, pair in enumerate(zip(found, expected, strict=True)):
            yield from differences(*pair, close, f"{where}[{place}]")
    elif isinstance(expected, float) and isinstance(found, float):
        if not math.isclose(found, expected, rel_tol=close[0], abs_tol=close[1]):
            yield f"{where}: found {found!r}, expected {expected!r}"
    elif type(found) is not type(expected) or found != expected:
        yield f"{where}: found {found!r}, expected {expected!r}"


class Net:
    """The stored answers: each list of values once, and for every case which of them are its answers."""

    def __init__(self, content):
        self.scikit_learn, self.fingerprints = content["scikit-learn"], content["tables"]
        self.cases, self.values = content["cases"], content["values"]

    @classmethod
    def read(cls):
        return cls(json.loads(EXPECTED.read_text(encoding="utf-8")))

    @staticmethod
    def key(table, setting, classifier, route):
        # An array of objects has no names, and declares no category: it has other answers than a frame.
        own = table != "array" and route == "objects"
        return "/".join((table, setting, classifier, *([route] if own else [])))

    def answers(self, case):
        return {name: self.values[place] for name, place in self.cases[self.key(*case)].items()}
