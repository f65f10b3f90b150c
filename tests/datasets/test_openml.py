"""The source "openml": scikit-learn's own `fetch_openml`, which reads a cache that the tests write."""

import gzip
import hashlib
import json
import re
import urllib.error

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from paper_data import load_paper_dataset
from skcredal.datasets._openml import OPENML
from skcredal.datasets._sources import load_dataset


def write_cache(home, data_id, frame, target, missing=None):
    """Write what openml.org would have answered about a table of numbers and categories."""
    lines, features = ["@relation set"], []
    for j, column in enumerate(frame):
        nominal = frame[column].dtype == "category"
        domain = (
            [quote(value) for value in frame[column].cat.categories if value != missing] if nominal else []
        )
        lines.append(f"@attribute {quote(column)} {'{' + ','.join(domain) + '}' if nominal else 'numeric'}")
        feature = {"index": str(j), "name": column, "data_type": "nominal" if nominal else "numeric"}
        feature |= {"is_target": str(column == target).lower(), "is_ignore": "false"}
        feature |= {"is_row_identifier": "false", "number_of_missing_values": str(frame[column].isna().sum())}
        features.append(feature)
    cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    rows = [",".join("?" if one in (None, missing) else cell_text(one) for one in row) for row in cells]
    arff = "\n".join([*lines, "@data", *rows, ""]).encode()
    description = {"id": str(data_id), "name": "set", "version": "1", "format": "ARFF", "status": "active"}
    description |= {"url": f"https://www.openml.org/data/v1/download/{data_id}", "file_id": str(data_id)}
    description |= {"description": "A set.", "default_target_attribute": target}
    description |= {"md5_checksum": hashlib.md5(arff).hexdigest()}
    qualities = {"quality": [{"name": "NumberOfInstances", "value": str(float(len(frame)))}]}
    answers = {
        f"api/v1/json/data/{data_id}": {"data_set_description": description},
        f"api/v1/json/data/features/{data_id}": {"data_features": {"feature": features}},
        f"api/v1/json/data/qualities/{data_id}": {"data_qualities": qualities},
        f"data/v1/download/{data_id}": arff,
    }
    for path, content in answers.items():
        file = home / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(content if content is arff else json.dumps(content).encode()))


def quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def cell_text(cell):
    return quote(cell) if isinstance(cell, str) else repr(float(cell))


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """No answer from outside, at once: what the cache lacks cannot be had."""

    def refuse(*args, **kwargs):
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)


def clover(n=63):
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.integers(0, 9, (n, 31)).astype(float)).rename(columns="x{}".format)
    return features.assign(**{"class": pd.Categorical([f"c{r % 4}" for r in range(n)])})


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda frame: frame[1:], "got 62 rows, 31 features, 4 classes and 0 missing cells"),
        (lambda frame: frame.assign(x0=[None, *[1.0] * 62]), "4 classes and 1 missing cells"),
        (
            lambda frame: frame.assign(**{"class": frame["class"].cat.add_categories("more")}),
            "got 63 rows, 31 features, 5 classes and 0 missing cells",
        ),
    ],
)
def test_another_table_under_the_id_is_refused(tmp_path, change, found):
    write_cache(tmp_path, 343, change(clover()), "class")
    with pytest.raises(ValueError, match=rf"^white_clover of openml.org \(data id 343, .*{found}"):
        load_dataset("white_clover", "openml", data_home=tmp_path)


@pytest.mark.filterwarnings("ignore:A network error occurred", "ignore:Invalid cache")
@pytest.mark.parametrize(("name", "kind"), [("solarflare_x", ValueError), ("iris", ConnectionError)])
def test_the_advice_of_a_refusal_works(tmp_path, name, kind):
    """Neither the set that OpenML does not have nor one out of reach; the call in the message has both."""
    with pytest.raises(kind, match=rf"^{name} .*openml\.org") as caught:
        load_dataset(name, "openml", data_home=tmp_path)
    text = "@relation r\n@attribute x real\n@attribute y {a, b}\n@data\n1,a\n"
    (tmp_path / f"{name}.arff").write_text(text, encoding="utf-8")
    advice = re.search(r"load_dataset\(.*\)", str(caught.value))[0]
    assert eval(advice, {"load_dataset": load_dataset, "FOLDER": tmp_path}).target.to_list() == ["a"]


@pytest.mark.parametrize("name", list(OPENML))
def test_the_published_files_through_the_cache(tmp_path, name):
    """What the folder's file holds has the size of the table and comes back from OpenML's form unchanged."""
    entry, expected = OPENML[name], load_paper_dataset(name)
    frame = expected.features.assign(**{expected.target.name: expected.target})
    missing = int(expected.features.isna().sum().sum())
    size = (*expected.features.shape, len(expected.target.cat.categories), missing)
    n_missing = 0 if entry.missing_value else entry.n_missing
    assert size == (entry.n_rows, entry.n_features, entry.n_classes, n_missing)
    if entry.data_id is None or entry.n_rows > 4000:
        return
    write_cache(tmp_path, entry.data_id, frame, expected.target.name, entry.missing_value)
    found = load_dataset(name, "openml", data_home=tmp_path)
    assert_frame_equal(found.features, expected.features)
    assert_series_equal(found.target, expected.target)
    assert found.checksum() == expected.checksum()
