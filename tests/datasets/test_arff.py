"""ARFF files: what is read and what is refused, and scipy's reader as the independent judge."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy.io import arff as scipy_arff

from skcredal.datasets._arff import parse_arff, read_arff

FOLDER = os.environ.get("SKCREDAL_DATA")
FILES = sorted(Path(FOLDER).glob("*.arff")) if FOLDER else []
HEADER = "@relation r\n@attribute size real\n@attribute kind {a, b}\n@data\n"


def frame_of(text):
    return parse_arff(text.encode(), "table.arff").frame


def nominal(values, domain):
    return pd.Series(pd.Categorical(values, categories=pd.Index(domain, dtype=str)))


def test_three_kinds_of_attributes(tmp_path):
    path = tmp_path / "zoo.arff"
    path.write_text(
        "% a comment\n\n@RELATION 'a zoo'\n@attribute legs Integer\n"
        "@ATTRIBUTE\t'its kind'\t{bird, fish, 'sea horse'}\n"
        "@attribute name string\n@data\n% the rows\n2.5,bird,'% \\'it\\', so'\n\n0 , 'sea horse' , ?\n?,?,\n",
        encoding="utf-8",
    )
    table = read_arff(path)
    assert table.relation == "a zoo"
    expected = {
        "legs": [2.5, 0.0, np.nan],  # an integer keeps its fraction
        "its kind": nominal(["bird", "sea horse", None], ["bird", "fish", "sea horse"]),
        "name": pd.Series(["% 'it', so", None, None], dtype=object),
    }
    assert_frame_equal(table.frame, pd.DataFrame(expected))
    assert table.frame["name"][1] is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "layout"),
        (HEADER[: HEADER.index("@data")], "layout"),
        (HEADER + "1,a,b\n", "line 5"),
        (HEADER + "1,c\n", "c not found .* line 5"),
        (HEADER + "much,a\n", "line 5"),
        (HEADER.replace("size", "kind"), "kind"),
        (HEADER.replace("real", "date"), "line 2"),
    ],
)
def test_refusals_name_the_file_and_the_reason(text, reason):
    with pytest.raises(ValueError, match=rf"^table\.arff cannot be read as ARFF: .*{reason}"):
        frame_of(text)


@pytest.mark.skipif(not FILES, reason="SKCREDAL_DATA names no folder with ARFF files")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scipy_reads_the_same(path):
    frame = read_arff(path).frame
    records, meta = scipy_arff.loadarff(path)
    # scipy leaves the quotes around names of one character.
    assert frame.columns.to_list() == [name.strip("'") for name in meta.names()]
    for column, name in zip(frame, meta.names(), strict=True):
        kind, domain = meta[name]
        values = frame[column]
        if kind == "numeric":
            np.testing.assert_array_equal(values.to_numpy(), records[name])
        else:
            assert tuple(values.cat.categories) == domain
            # scipy reads a missing value as the text "?".
            ours = [value if isinstance(value, str) else "?" for value in values]
            assert ours == [value.decode() for value in records[name]]
