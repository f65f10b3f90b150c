"""The embedded sets, which never change, and folders of ARFF files."""

import pytest

from skcredal.datasets import list_datasets, load_dataset

# Those of scikit-learn by their shapes; the others, which were compared with their definitions, by checksums.
EMBEDDED = {
    "balance_scale": "284795a02b36f619",
    "breast_cancer": (569, 30),
    "digits": (1797, 64),
    "iris": (150, 4),
    "led": "6deecae6fc53d855",
    "monks1": "36e73c1a28d3362b",
    "monks2": "5f1e2ce3a1d35714",
    "monks3": "a69c00d542573e77",
    "tic_tac_toe": "11725193b7f58b1b",
    "waveform": "bce6081b9556b71c",
    "wine": (178, 13),
}
ARFF = (
    "@relation shoes\n@attribute size real\n@attribute colour {red, blue}\n@attribute fits {no, yes}\n@data\n"
)
ROWS = "38,red,yes\n?,?,no\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shoes.arff").write_text(ARFF + ROWS, encoding="utf-8")
    (tmp_path / "BOOTS.ARFF").write_text(ARFF, encoding="utf-8")
    (tmp_path / "._shoes.arff").write_bytes(b"\0")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    (tmp_path / "deeper.arff").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", EMBEDDED)
def test_every_embedded_set(name):
    data, expected = load_dataset(name), EMBEDDED[name]
    assert expected in (data.features.shape, data.checksum()[:16])
    assert not data.features.isna().any(axis=None)
    assert data.target.name == "class"
    assert set(data.target) == set(data.target.cat.categories)
    numeric = isinstance(expected, tuple) or name == "waveform"
    assert set(map(str, data.features.dtypes)) == ({"float64"} if numeric else {"category"})


def test_folder(folder):
    assert list_datasets(folder) == list_datasets(str(folder)) == ["BOOTS", "shoes"]
    data = load_dataset("shoes", folder)
    assert data.features.columns.to_list() == ["size", "colour"]
    assert data.features["colour"].cat.categories.to_list() == ["red", "blue"]
    assert data.features.isna().sum().to_list() == [1, 1]
    assert (data.target.name, data.target.to_list()) == ("fits", ["yes", "no"])
    assert len(load_dataset("BOOTS", str(folder)).target) == 0


def test_none_is_the_folder_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv("SKCREDAL_DATA", str(folder))
    assert list_datasets(None) == ["BOOTS", "shoes"]
    assert load_dataset("shoes", None).target.name == "fits"
    assert list_datasets() == list(EMBEDDED)
    monkeypatch.setenv("SKCREDAL_DATA", "")
    assert list_datasets(None) == list(EMBEDDED)
    monkeypatch.setenv("SKCREDAL_DATA", str(folder / "gone"))
    with pytest.raises(FileNotFoundError, match=r"SKCREDAL_DATA.* got '.*gone'"):
        list_datasets(None)


def test_names_and_sources_that_are_not_there_are_refused(folder):
    with pytest.raises(ValueError, match=r"^name must be .*'balance_scale', .*, got 'irish'"):
        load_dataset("irish")
    for name in ("../shoes", "shoes.arff", None):
        with pytest.raises(ValueError, match=r"^name must be .*'BOOTS', 'shoes'.*, got "):
            load_dataset(name, folder)
    with pytest.raises(FileNotFoundError, match=r"^source .* got 'embeded'"):
        list_datasets("embeded")
    with pytest.raises(TypeError, match=r"^source must be .* got 3"):
        load_dataset("iris", 3)
    (folder / "line.arff").write_text(ARFF.replace("{no, yes}", "real"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"line\.arff, attribute 'fits': .*nominal, got dtype float64"):
        load_dataset("line", folder)


def test_a_checksum_changes_with_every_part_of_a_table(folder):
    texts = [ARFF + rows for rows in (ROWS, "38,blue,yes\n?,?,no\n", "38,red,yes\n0,?,no\n")]
    changes = (("size", "length"), ("fits", "sold"), ("e}", "e, x}"), ("red, blue", "blue, red"))
    texts += [ARFF.replace(*change) + ROWS for change in (*changes, ("yes}", "yes, maybe}"))]
    seen = set()
    for text in texts:
        (folder / "variant.arff").write_text(text, encoding="utf-8")
        seen.add(load_dataset("variant", folder).checksum())
    assert len(seen) == len(texts)
