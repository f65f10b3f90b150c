"""The source "openml": scikit-learn's own `fetch_openml`, which reads a cache that the tests write."""

import gzip
import hashlib
import json
import re
import urllib.error

import numpy as np
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from paper_data import load_paper_dataset
from skcredal.datasets._openml import OPENML
from skcredal.datasets._sources import load_dataset


def write_cache(home, data_id, columns, rows, *, name="set", target="class", ignore=()):
    """Write what openml.org would have answered; a column is (name, None or its domain)."""
    domain = dict(columns)
    lines = [f"@relation {name}"]
    for column, values in columns:
        kind = "numeric" if values is None else "{" + ",".join(map(quote, values)) + "}"
        lines.append(f"@attribute {quote(column)} {kind}")
    lines.append("@data")
    for row in rows:
        cells = zip(columns, row, strict=True)
        lines.append(",".join("?" if cell is None else cell_text(domain[c], cell) for (c, _), cell in cells))
    arff = ("\n".join(lines) + "\n").encode()

    missing = [sum(row[j] is None for row in rows) for j in range(len(columns))]
    features = []
    for j, (column, values) in enumerate(columns):
        feature = {"index": str(j), "name": column, "data_type": "numeric" if values is None else "nominal"}
        feature |= {"is_target": str(column == target).lower(), "is_ignore": str(column in ignore).lower()}
        feature |= {"is_row_identifier": "false", "number_of_missing_values": str(missing[j])}
        features.append(feature | ({} if values is None else {"nominal_value": list(values)}))
    description = {
        "id": str(data_id),
        "name": name,
        "version": "1",
        "description": "A set.",
        "format": "ARFF",
    }
    description |= {"url": f"https://www.openml.org/data/v1/download/{data_id}", "file_id": str(data_id)}
    description |= {"default_target_attribute": target, "status": "active"}
    description |= {"md5_checksum": hashlib.md5(arff).hexdigest()}
    qualities = [{"name": "NumberOfInstances", "value": str(float(len(rows)))}]
    answers = {
        f"api/v1/json/data/{data_id}": json.dumps({"data_set_description": description}).encode(),
        f"api/v1/json/data/features/{data_id}": json.dumps({"data_features": {"feature": features}}).encode(),
        f"api/v1/json/data/qualities/{data_id}": json.dumps(
            {"data_qualities": {"quality": qualities}}
        ).encode(),
        f"data/v1/download/{data_id}": arff,
    }
    for path, content in answers.items():
        file = home / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(content))


def quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def cell_text(values, cell):
    return repr(float(cell)) if values is None else quote(cell)


def made_up(name):
    """Make columns and rows of the size that the table expects."""
    entry = OPENML[name]
    n_numeric = entry.n_features // 2 if entry.missing_value is None else 0
    columns = [(f"x{j}", None if j < n_numeric else ["a", "b", "c"]) for j in range(entry.n_features)]
    # Domains that are larger than what occurs, where the paper counts what occurs.
    classes = [f"c{c}" for c in range(entry.n_classes + 3 * entry.present_classes)]
    target = entry.target or "class"
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, (entry.n_rows, entry.n_features)).tolist()
    rows = [[v if j < n_numeric else "abc"[v % 2] for j, v in enumerate(row)] for row in numbers]
    for cell in range(entry.n_missing):
        rows[cell % entry.n_rows][cell // entry.n_rows] = None
    rows = [[*row, f"c{r % entry.n_classes}"] for r, row in enumerate(rows)]
    return [*columns, (target, classes)], rows


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """No answer from outside, at once: what the cache lacks cannot be had."""

    def refuse(*args, **kwargs):
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("rows", "got 62 rows, 31 features, 4 classes and 0 missing cells"),
        ("features", "got 63 rows, 30 features, 4 classes and 0 missing cells"),
        ("classes", "got 63 rows, 31 features, 5 classes and 0 missing cells"),
        ("missing", "got 63 rows, 31 features, 4 classes and 1 missing cells"),
        ("a class", "got 63 rows, 31 features, 4 classes and 1 missing cells"),
    ],
)
def test_another_table_under_the_id_is_refused(tmp_path, change, found):
    columns, rows = made_up("white_clover")
    if change == "rows":
        rows = rows[1:]
    elif change == "features":
        columns, rows = columns[1:], [row[1:] for row in rows]
    elif change == "classes":
        columns[-1] = ("class", [*columns[-1][1], "more"])
    else:
        rows[0][-1 if change == "a class" else 0] = None
    write_cache(tmp_path, 343, columns, rows)
    with pytest.raises(ValueError, match=rf"^white_clover of openml.org \(data id 343, .*{found}"):
        load_dataset("white_clover", "openml", data_home=tmp_path)


def test_a_class_of_numbers_that_openml_does_not_take_for_one(tmp_path):
    columns, rows = made_up("liver_disorders")
    columns[-1] = ("selector", None)
    rows = [[*row[:-1], 1 + r % 2] for r, row in enumerate(rows)]
    write_cache(tmp_path, 8, columns, rows, target="x2", ignore=["selector"])
    data = load_dataset("liver_disorders", "openml", data_home=tmp_path)
    assert (data.target.name, data.target.cat.categories.to_list()) == ("selector", ["1", "2"])
    assert data.features.shape == (345, 6)


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
    columns = []
    for column in frame:
        nominal = frame[column].dtype == "category"
        domain = frame[column].cat.categories.to_list() if nominal else None
        columns.append((column, [v for v in domain if v != entry.missing_value] if nominal else None))
    cells = frame.astype(object).where(frame.notna(), None)
    rows = [
        [None if v is not None and v == entry.missing_value else v for v in row] for row in cells.to_numpy()
    ]
    write_cache(tmp_path, entry.data_id, columns, rows, target=expected.target.name)
    found = load_dataset(name, "openml", data_home=tmp_path)
    assert_frame_equal(found.features, expected.features)
    assert_series_equal(found.target, expected.target)
    assert found.checksum() == expected.checksum()
