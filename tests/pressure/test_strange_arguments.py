"""Wrong arguments to settings, discretisation and readers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skcredal
from skcredal import MDLDiscretizer
from skcredal.datasets import load_dataset
from skcredal.datasets._arff import read_arff
from strange_problems import CELLS, outcome, rows_of, tables, vectors

EXAMPLES = settings(max_examples=60)
# What numpy and pandas warn of while a strange argument is made or read is not under test.
pytestmark = pytest.mark.filterwarnings("ignore")


# --- Settings and discretisation ------------------------------------------------------------------


@pytest.mark.parametrize("kind", CELLS)
def test_a_setting_is_taken_or_refused(kind):
    before = skcredal.get_config()
    try:
        for value in CELLS[kind]:
            outcome(lambda value=value: skcredal.set_config(pair_table_limit=value), "pair_table_limit")
            assert isinstance(skcredal.get_config()["pair_table_limit"], int)
    finally:
        skcredal.set_config(**before)


@EXAMPLES
@given(data=st.data())
def test_a_strange_table_is_discretised_or_refused(data):
    X = data.draw(tables(), "X")
    y = data.draw(vectors(rows_of(X)), "y")
    mdl, names = MDLDiscretizer(), "X|y|sample_weight|feature names"
    if outcome(lambda: mdl.fit(X, y), names) is None:
        return
    bins = mdl.transform(X)
    assert bins.shape == (len(bins), mdl.n_features_in_)
    assert ((bins >= 0) & (bins < mdl.n_bins_)).all()
    bins = outcome(lambda: mdl.transform(data.draw(tables(), "X new")), names)
    assert bins is None or ((bins >= 0) & (bins < mdl.n_bins_)).all()


# --- Readers --------------------------------------------------------------------------------------

PIECES = (
    *("@relation", "@attribute", "@data", "@end", "@", "% comment", "numeric", "real", "integer", "string"),
    *(
        "date",
        "relational",
        "{a, b}",
        "{a b}",
        "{}",
        "{",
        "}",
        "{'a', \"b\"}",
        "'a b'",
        "a",
        "b",
        "1",
        "1e400",
    ),
    *(
        "-0",
        "?",
        "'?'",
        ",",
        ",,",
        " ",
        "\t",
        "\n",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "'",
        '"',
        "\\",
        "\x00",
        "\ufeff",
    ),
    *("ä", "日本", "nan", "inf", "1_000", "[0, 1]", "(", "a" * 300, "{0 1}", "\x85", "\u2028"),
)
HEADER = "@relation r\n@attribute x numeric\n@attribute c {a, b}\n@data\n"


@settings(max_examples=400)
@given(
    header=st.sampled_from(["", HEADER]),
    pieces=st.lists(st.sampled_from(PIECES), max_size=30),
    noise=st.binary(max_size=8),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
)
def test_any_bytes_are_read_as_arff_or_refused(tmp_path_factory, header, pieces, noise, encoding):
    folder = tmp_path_factory.getbasetemp() / "arff"
    folder.mkdir(exist_ok=True)
    path = folder / "strange.arff"
    path.write_bytes((header + "".join(pieces)).encode(encoding, "replace") + noise)
    names = r"\S*strange\.arff"
    table = outcome(lambda: read_arff(path), names)
    assert table is None or table.frame.columns.is_unique
    data = outcome(lambda: load_dataset("strange", folder), names)
    assert data is None or len(data.features) == len(data.target)
