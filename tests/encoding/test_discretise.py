"""MDLDiscretizer: the cuts of the definition and of Orange3, and a transformer like any other."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from skcredal import MDLDiscretizer

ORANGE = json.loads((Path(__file__).parents[1] / "expected" / "orange_mdl_cuts.json").read_text("utf-8"))
LOADERS = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}


def fit(values, labels, **kwargs):
    return MDLDiscretizer().fit(np.asarray(values, float)[:, None], labels, **kwargs)


def lower_edges(mdl, values):
    """Return the largest training value of each bin but the last."""
    values = np.asarray(values, float)
    bins = mdl.transform(values[:, None])[:, 0]
    return sorted(float(values[bins == b].max()) for b in np.unique(bins))[:-1]


@cache
def dataset(name):
    return LOADERS[name](return_X_y=True)


def agrees_with_orange(entry, values, labels):
    want = entry.get("lowest", entry)
    mdl = fit(values, labels)
    assert mdl.cut_points_[0].tolist() == pytest.approx(want["cuts"], rel=1e-12, abs=1e-12)
    assert lower_edges(mdl, values) == want["lower_edges"]
    assert mdl.n_bins_.tolist() == [len(want["cuts"]) + 1]


@pytest.mark.parametrize(
    "entry", ORANGE["datasets"], ids=lambda entry: f"{entry['dataset']}-{entry['feature']}"
)
def test_cuts_of_known_data_sets_are_those_of_orange(entry):
    X, y = dataset(entry["dataset"])
    agrees_with_orange(entry, X[:, entry["feature"]], y)


@pytest.mark.parametrize("entry", ORANGE["random"], ids=lambda entry: entry["name"])
def test_cuts_of_random_problems_are_those_of_orange(entry):
    agrees_with_orange(entry, entry["values"], entry["labels"])


TABLES = {
    "array": lambda columns: np.array(list(columns.values()), object).T,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}
COLUMNS = {"p": [1, 2, 3, None, 11, 12, 13, 14], "q": [0.5, 1.5, 0.5, 1.5, 0.5, 1.5, None, 1.5]}
LABELS = list("uuuvvvvv")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(("output", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_tables_of_every_kind_have_the_same_cuts_and_outputs_with_names(output, frame, kind):
    X = TABLES[kind](COLUMNS)
    mdl = MDLDiscretizer().set_output(transform=output).fit(X, LABELS)
    bins = mdl.transform(X)
    assert [cuts.tolist() for cuts in mdl.cut_points_] == [[7.0], []]
    assert isinstance(bins, frame)
    assert list(bins.columns) == (["x0", "x1"] if kind == "array" else ["p", "q"])
    assert bins.to_numpy().T.tolist() == [[0, 0, 0, 1, 1, 1, 1, 1], [0] * 8]
