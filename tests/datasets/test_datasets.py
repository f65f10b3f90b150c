"""The embedded sets against their definitions, and folders of ARFF files."""

import hashlib
import itertools
import socket
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from paper_data import load_paper_dataset
from skcredal.datasets import Dataset, list_datasets, load_dataset

EMBEDDED = [
    "balance_scale",
    "breast_cancer",
    "digits",
    "iris",
    "led",
    "monks1",
    "monks2",
    "monks3",
    "tic_tac_toe",
    "waveform",
    "wine",
]
NUMERIC = {"breast_cancer", "digits", "iris", "waveform", "wine"}
ARFF = (
    "@relation shoes\n@attribute size real\n@attribute colour {red, blue}\n@attribute fits {no, yes}\n@data\n"
)


def rows(data):
    return [tuple(map(str, row)) for row in data.features.itertuples(index=False)]


def class_counts(data):
    return data.target.value_counts(sort=False).to_dict()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shoes.arff").write_text(ARFF + "38,red,yes\n?,?,no\n", encoding="utf-8")
    (tmp_path / "BOOTS.ARFF").write_text(ARFF, encoding="utf-8")
    (tmp_path / "._shoes.arff").write_bytes(b"\0")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    (tmp_path / "deeper.arff").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", EMBEDDED)
def test_every_embedded_set(name):
    data = load_dataset(name)
    assert data.name == name
    assert len(data.description) > 50
    assert data.description.endswith(".")
    assert not data.features.isna().any(axis=None)
    assert data.features.columns.is_unique
    assert data.target.name == "class"
    assert len(data.features) == len(data.target)
    assert set(data.target) == set(data.target.cat.categories)
    assert all(isinstance(label, str) for label in data.target.cat.categories)
    kinds = {"float64"} if name in NUMERIC else {"category"}
    assert set(map(str, data.features.dtypes)) == kinds
    again = load_dataset(name)
    assert_frame_equal(data.features, again.features)
    assert_series_equal(data.target, again.target)


def test_list():
    assert list_datasets() == list_datasets("embedded") == EMBEDDED


def test_no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    for name in EMBEDDED:
        load_dataset(name)


@pytest.mark.parametrize(
    ("name", "shape", "feature", "classes"),
    [
        ("iris", (150, 4), "sepal length (cm)", {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", (178, 13), "alcohol", {"class_0": 59, "class_1": 71, "class_2": 48}),
        ("breast_cancer", (569, 30), "mean radius", {"malignant": 212, "benign": 357}),
    ],
)
def test_copies_of_sklearn(name, shape, feature, classes):
    data = load_dataset(name)
    assert data.features.shape == shape
    assert data.features.columns[0] == feature
    assert class_counts(data) == classes


def test_digits():
    data = load_dataset("digits")
    assert data.features.shape == (1797, 64)
    assert data.features.columns[[0, -1]].to_list() == ["pixel_0_0", "pixel_7_7"]
    assert data.target.cat.categories.to_list() == list("0123456789")


@pytest.mark.parametrize(("name", "positive"), [("monks1", 216), ("monks2", 142), ("monks3", 228)])
def test_monks(name, positive):
    data = load_dataset(name)
    assert data.features.columns.to_list() == ["a1", "a2", "a3", "a4", "a5", "a6"]
    domains = [data.features[column].cat.categories.to_list() for column in data.features]
    assert [len(domain) for domain in domains] == [3, 3, 2, 3, 4, 2]
    assert rows(data) == list(itertools.product(*domains))
    assert class_counts(data) == {"0": 432 - positive, "1": positive}


@pytest.mark.parametrize("name", ["monks1", "monks2", "monks3"])
def test_monks_agree_with_the_published_files(name):
    published = load_paper_dataset(name)
    embedded = load_dataset(name)
    # The file is the sample for training followed by the complete space.
    complete = dict(zip(rows(published)[-432:], published.target[-432:], strict=True))
    assert complete == dict(zip(rows(embedded), embedded.target, strict=True))


def test_balance_scale():
    data = load_dataset("balance_scale")
    assert rows(data) == list(itertools.product("12345", repeat=4))
    assert class_counts(data) == {"L": 288, "B": 49, "R": 288}
    states = data.features.astype(int).to_numpy()
    left, right = states[:, :2].prod(axis=1), states[:, 2:].prod(axis=1)
    assert data.target.to_list() == np.array(["B", "L", "R"])[np.sign(left - right)].tolist()


def test_tic_tac_toe_against_the_legal_boards():
    data = load_dataset("tic_tac_toe")
    assert class_counts(data) == {"negative": 332, "positive": 626}
    grid = np.arange(9).reshape(3, 3)
    lines = [*grid, *grid.T, grid.diagonal(), grid[::-1].diagonal()]
    expected = {}
    for board in itertools.product("xob", repeat=9):
        won = {player: any(all(board[s] == player for s in line) for line in lines) for player in "xo"}
        lead = board.count("x") - board.count("o")
        state = (won["x"], won["o"], lead)
        if state == (True, False, 1):
            expected[board] = "positive"
        elif state == (False, True, 0) or (state == (False, False, 1) and "b" not in board):
            expected[board] = "negative"
    assert len(expected) == 958
    assert dict(zip(rows(data), data.target, strict=True)) == expected
    assert rows(data) == list(expected)
    assert all(data.features[name].cat.categories.to_list() == ["x", "o", "b"] for name in data.features)


def test_led():
    digits = ["1110111", "0010010", "1011101", "1011011", "0111010"]
    digits += ["1101011", "1101111", "1010010", "1111111", "1111011"]
    data = load_dataset("led")
    assert data.features.shape == (1000, 7)
    assert data.target.cat.categories.to_list() == list("0123456789")
    assert all(data.features[name].cat.categories.to_list() == ["0", "1"] for name in data.features)
    pairs = zip(rows(data), data.target, strict=True)
    inverted = [np.array(row) != np.array(list(digits[int(label)])) for row, label in pairs]
    # Five standard deviations around 10 %, for each segment and for all of them.
    assert np.all(np.abs(np.mean(inverted, axis=0) - 0.1) < 5 * np.sqrt(0.09 / 1000))
    assert abs(np.mean(inverted) - 0.1) < 5 * np.sqrt(0.09 / 7000)
    assert data.target.value_counts().between(60, 140).all()

    right = 0.0
    for shown in itertools.product("01", repeat=7):
        wrong = [sum(a != b for a, b in zip(shown, digit, strict=True)) for digit in digits]
        right += 0.1 * max(0.1**n * 0.9 ** (7 - n) for n in wrong)
    assert right == pytest.approx(0.74, abs=0.005)
    assert "74 %" in data.description


def test_waveform():
    data = load_dataset("waveform")
    assert data.features.shape == (5000, 40)
    assert data.features.columns.to_list() == [f"x{i}" for i in range(1, 41)]
    assert data.target.value_counts().between(1500, 1833).all()
    values = data.features.to_numpy()
    np.testing.assert_array_equal(values, values.round(2))
    peaks = {"0": (11, 15), "1": (11, 7), "2": (15, 7)}
    for label, two in peaks.items():
        first, second = (np.array([max(6 - abs(t - peak), 0) for t in range(1, 22)]) for peak in two)
        part = values[data.target == label]
        # u first + (1 - u) second has the mean of the two and a variance of (first - second)² / 12.
        np.testing.assert_allclose(part[:, :21].mean(axis=0), (first + second) / 2, atol=0.25)
        np.testing.assert_allclose(part[:, :21].var(axis=0), 1 + (first - second) ** 2 / 12, rtol=0.15)
    np.testing.assert_allclose(values[:, 21:].mean(axis=0), 0, atol=0.07)
    np.testing.assert_allclose(values[:, 21:].std(axis=0), 1, atol=0.05)
    assert np.abs(np.corrcoef(values[:, 21:].T) - np.eye(19)).max() < 0.07


@pytest.mark.parametrize(("name", "checksum"), [("led", 1733927452), ("waveform", 3901698928)])
def test_generated_values_never_change(name, checksum):
    data = load_dataset(name)
    cells = np.rint(data.features.astype(float).to_numpy() * 100)
    labels = data.target.astype(int).to_numpy()
    assert zlib.crc32(np.column_stack([cells, labels]).astype("<i4").tobytes()) == checksum


def test_folder(folder):
    assert list_datasets(folder) == list_datasets(str(folder)) == ["BOOTS", "shoes"]
    data = load_dataset("shoes", folder)
    assert data.name == "shoes"
    assert data.features.columns.to_list() == ["size", "colour"]
    assert data.features["colour"].cat.categories.to_list() == ["red", "blue"]
    assert data.features.isna().sum().to_list() == [1, 1]
    assert data.target.name == "fits"
    assert data.target.to_list() == ["yes", "no"]
    assert "shoes" in data.description
    assert len(load_dataset("BOOTS", str(folder)).target) == 0


def test_none_is_the_folder_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv("SKCREDAL_DATA", str(folder))
    assert list_datasets(None) == ["BOOTS", "shoes"]
    assert load_dataset("shoes", None).target.name == "fits"
    assert list_datasets() == EMBEDDED
    monkeypatch.setenv("SKCREDAL_DATA", "")
    assert list_datasets(None) == EMBEDDED
    monkeypatch.delenv("SKCREDAL_DATA")
    assert list_datasets(None) == EMBEDDED
    monkeypatch.setenv("SKCREDAL_DATA", str(folder / "gone"))
    with pytest.raises(FileNotFoundError, match=r"SKCREDAL_DATA.* got '.*gone'"):
        list_datasets(None)


def test_a_folder_called_embedded(folder, monkeypatch):
    (folder / "embedded").mkdir()
    monkeypatch.chdir(folder)
    assert list_datasets("./embedded") == list_datasets(Path("embedded")) == []
    assert list_datasets("embedded") == EMBEDDED


def test_unknown_names(folder, tmp_path):
    with pytest.raises(ValueError, match=r"^name must be .*'embedded' \('balance_scale', .*, got 'irish'"):
        load_dataset("irish")
    for name in ("../shoes", "shoes.arff", None):
        with pytest.raises(ValueError, match=r"^name must be one of .*folder.* \('BOOTS', 'shoes'\), got "):
            load_dataset(name, folder)


@pytest.mark.parametrize("source", ["embeded", "notes.txt", ""])
def test_missing_folder(folder, monkeypatch, source):
    monkeypatch.chdir(folder)
    with pytest.raises(FileNotFoundError, match=rf"^source .*'embedded', 'openml' or .* got '{source}'"):
        list_datasets(source)


def test_source_of_a_wrong_type():
    with pytest.raises(TypeError, match=r"^source must be .* got 3"):
        load_dataset("iris", 3)


def test_the_class_must_be_nominal(tmp_path):
    text = "@relation r\n@attribute x {a}\n@attribute y real\n@data\na,1\n"
    (tmp_path / "line.arff").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"line\.arff, attribute 'y': .*must be nominal, got dtype float64"):
        load_dataset("line", tmp_path)


def test_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert list_datasets() == EMBEDDED
    expected = r"^Loading a data set needs pandas\. Install it with: pip install 'skcredal\[cli\]'$"
    for name in EMBEDDED:
        with pytest.raises(ImportError, match=expected):
            load_dataset(name)


def checksum_of(name, source="embedded"):
    return load_dataset(name, source).checksum()


def test_checksum_of_a_reloaded_set(folder):
    for name in EMBEDDED:
        assert checksum_of(name) == checksum_of(name)
    checksum = checksum_of("shoes", folder)
    assert checksum == checksum_of("shoes", str(folder)) == checksum_of("shoes", folder)
    assert len({checksum_of(name) for name in EMBEDDED}) == len(EMBEDDED)
    (folder / "boots.arff").write_text((folder / "shoes.arff").read_text(encoding="utf-8"), encoding="utf-8")
    assert checksum_of("boots", folder) == checksum


def test_checksums_are_the_same_everywhere():
    features = pd.DataFrame({"x": [1.5, np.nan], "a": pd.Categorical(["é", None], categories=["b", "é"])})
    target = pd.Series(pd.Categorical(["no", "yes"]), name="class")
    data = Dataset("n", features, target, "d")
    parts = [b"x", b"numeric", struct.pack("<dQ", 1.5, 0x7FF8000000000000)]
    parts += [b"a", b"nominal", struct.pack("<q", 2), b"b", "é".encode(), struct.pack("<qq", 1, -1)]
    parts += [b"class", b"nominal", struct.pack("<q", 2), b"no", b"yes", struct.pack("<qq", 0, 1)]
    joined = b"".join(struct.pack("<q", len(part)) + part for part in parts)
    assert data.checksum() == hashlib.sha256(joined).hexdigest()
    # The bits of NaN and the sign of zero are not part of the table.
    zero, other_zero = (
        Dataset("n", pd.DataFrame({"x": [value, -np.float64("nan")]}), target, "d").checksum()
        for value in (0.0, -0.0)
    )
    assert zero == other_zero


def variants():
    yield "a number", ARFF + "38.5,red,yes\n?,?,no\n"
    yield "a value", ARFF + "38,blue,yes\n?,?,no\n"
    yield "a class", ARFF + "38,red,no\n?,?,no\n"
    yield "a missing number", ARFF + "38,red,yes\n0,?,no\n"
    yield "a missing value", ARFF + "38,red,yes\n?,red,no\n"
    yield "the order of rows", ARFF + "?,?,no\n38,red,yes\n"
    yield "a row less", ARFF + "38,red,yes\n"
    yield "a name", ARFF.replace("size", "length") + "38,red,yes\n?,?,no\n"
    yield "the name of the class", ARFF.replace("fits", "sold") + "38,red,yes\n?,?,no\n"
    yield "a declared value", ARFF.replace("blue", "blue, green") + "38,red,yes\n?,?,no\n"
    yield "the order of a domain", ARFF.replace("red, blue", "blue, red") + "38,red,yes\n?,?,no\n"
    yield "a declared class", ARFF.replace("{no, yes}", "{no, yes, maybe}") + "38,red,yes\n?,?,no\n"
    yield "a nominal size", ARFF.replace("size real", "size {38}") + "38,red,yes\n?,?,no\n"
    yield "a size that is text", ARFF.replace("size real", "size string") + "38,red,yes\n?,?,no\n"


@pytest.mark.parametrize(("what", "text"), list(variants()))
def test_checksum_changes_with(folder, what, text):
    (folder / "variant.arff").write_text(text, encoding="utf-8")
    assert checksum_of("variant", folder) != checksum_of("shoes", folder)


def test_checksum_changes_with_any_cell():
    data = load_dataset("monks1")
    seen = {data.checksum()}
    for j, name in enumerate(data.features):
        for r in (0, 200, 431):
            features = data.features.copy()
            domain = features[name].cat.categories
            features.iloc[r, j] = domain[(features[name].cat.codes.iloc[r] + 1) % len(domain)]
            seen.add(Dataset(data.name, features, data.target, data.description).checksum())
    assert len(seen) == 1 + 6 * 3
