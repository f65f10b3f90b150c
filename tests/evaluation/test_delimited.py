"""Delimited text: encodings, delimiters, decimal signs, missing values."""

import csv
import gzip
import io
import math
import re
import unicodedata
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skcredal.datasets._arff import parse_arff
from skcredal.evaluation._cell_types import CellTypes
from skcredal.evaluation._delimited import decode, read_delimited
from skcredal.evaluation._table_files import read_table_file


def read(content, *, encoding=None, delimiter=None, default_decimal=None, **types):
    text = decode(content if isinstance(content, bytes) else content.encode(), "t.csv", encoding)
    return read_delimited(
        text, "t.csv", CellTypes(**types), delimiter=delimiter, default_decimal=default_decimal
    )


def as_lists(frame):
    return {
        name: [None if value is None or value != value else value for value in frame[name]] for name in frame
    }


TABLE = "größe;farbe\n1,5;grün\n2;blau\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_encodings_are_found(encoding):
    assert as_lists(read(TABLE.encode(encoding))) == {"größe": [1.5, 2.0], "farbe": ["grün", "blau"]}


def test_big_endian_marks_are_known():
    for encoding in ("utf-16-be", "utf-32-be"):
        content = ("\ufeff" + TABLE).encode(encoding)
        assert list(read(content)) == ["größe", "farbe"]


def test_a_byte_that_windows_does_not_know_is_latin_1():
    assert list(read(b"a\x81,b\n1,2\n")) == ["a\x81", "b"]


def test_an_encoding_can_be_given():
    assert as_lists(read("a,b\nд,1\n".encode("cp1251"), encoding="cp1251")) == {"a": ["д"], "b": [1.0]}
    assert list(read("a,b\n1,2\n".encode("utf-16-le"), encoding="utf-16-le")) == ["a", "b"]
    assert list(read("a,b\n1,2\n".encode("utf-8-sig"), encoding="utf-8")) == ["a", "b"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(delimiter, line_end):
    rows = [["a", "b c", "d"], ["1", "x, y; z", "3"], ["2", 'say "no" | yes', "4"]]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    assert as_lists(read(text.getvalue())) == {"a": [1, 2], "b c": [rows[1][1], rows[2][1]], "d": [3, 4]}


def test_a_single_column_needs_no_delimiter():
    assert as_lists(read("a\n1\n\n2\n")) == {"a": [1, 2]}


def test_a_spreadsheet_may_declare_its_delimiter():
    assert as_lists(read("sep=;\na;b,c\n1;2\n")) == {"a": [1], "b,c": [2]}


def test_a_comma_in_the_header_beside_decimal_ones_is_no_delimiter():
    rows = ["id;CRP, mg/l;sex", *(f"{r};{r},5;f" for r in range(20)), "20;n/a;m"]
    assert list(read("\n".join(rows))) == ["id", "CRP, mg/l", "sex"]


def test_text_before_the_delimiter_counts_decides_by_equal_rows():
    # More commas than semicolons, but not the same number in every row.
    assert as_lists(read("note;n\na, b, c;1\nd;2\n")) == {"note": ["a, b, c", "d"], "n": [1, 2]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n-2,25;y\n", [1.5, -2.25]),
        ("a;b\n1,234;x\n2;y\n", [1.234, 2.0]),  # with semicolons a comma is decimal
        ("a\tb\n1,5\tx\n2\ty\n", [1.5, 2.0]),
        ("a;b\n1.5;x\n2;y\n", [1.5, 2.0]),
        ('a,b\n"1,5",x\n2,y\n', [1.5, 2.0]),  # quoted, as spreadsheets write it
        ('a,b\n"1,234",x\n2,y\n', [1234.0, 2.0]),  # in a file with commas between cells it groups digits
        ("a;b\n1.5;x\n2,5;y\n", ["1.5", "2,5"]),
    ],
)
def test_the_decimal_sign_is_found_where_it_is_clear(text, expected):
    assert read(text)["a"].tolist() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Another column tells what the comma is.
        ("a;b\n1.275;25,5\n576;3\n", [1275.0, 576.0]),
        ("a;b\n1.275;25,50\n1.275.300;3,1\n", [1275.0, 1275300.0]),
        ("a;b\n1.275,5;x\n576;y\n", [1275.5, 576.0]),
        ("a\tb\n1.275\t2.5\n576\t3\n", [1.275, 576.0]),
        ("a\tb\n1,275\t2.5\n576\t3\n", [1275.0, 576.0]),
        ('a,b\n"1,275",2.5\n"1,275,300.25",3\n', [1275.0, 1275300.25]),
        ("a;b\n0.275;x\n1.300;y\n", [0.275, 1.3]),  # nothing that is grouped begins with a zero
        ("a;b\n1.2750;x\n1.300;y\n", [1.275, 1.3]),
        ("a;b\n1 275;x\n12 576,5;y\n", [1275.0, 12576.5]),
        ("a;b\n1\u202f275;x\n1\u00a0576;y\n", [1275.0, 1576.0]),
        ("a;b\n1'275.5;x\n576;y\n", [1275.5, 576.0]),
        ("a;b\n12.75.300;x\n576;y\n", ["12.75.300", "576"]),
    ],
)
def test_grouped_digits_are_recognised_by_the_whole_file(text, expected):
    assert read(text)["a"].tolist() == expected


def test_what_can_be_read_in_two_ways_is_said_with_the_remedy():
    with pytest.warns(UserWarning, match=r"t\.csv: column 'a' can be read in two ways: '1\.275' is read"):
        assert read("a;b\n1.275;x\n576;y\n")["a"].tolist() == [1.275, 576.0]
    with pytest.warns(UserWarning, match=r"'1,234' is read as text.*--thousands ,.*--decimal ,"):
        assert read("a\tb\n1,234\tx\n2\ty\n")["a"].tolist() == ["1,234", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read("a;b\n1.275;x\n576;y\n", thousands=".")["a"].tolist() == [1275.0, 576.0]
        assert read("a;b\n1.275;x\n576;y\n", decimal=".")["a"].tolist() == [1.275, 576.0]
        assert read("a\tb\n1,234\tx\n2\ty\n", thousands=",")["a"].tolist() == [1234.0, 2.0]


def test_codes_with_leading_zeros_stay_text():
    assert read("a,b\n003,1\n12,2\n")["a"].tolist() == ["003", "12"]
    assert read("a,b\n0,1\n0.5,2\n")["a"].tolist() == [0.0, 0.5]
    assert read("a,b\n003,1\n12,2\n", numeric_columns=["a"])["a"].tolist() == [3.0, 12.0]


def test_columns_can_be_declared_numeric():
    with pytest.raises(ValueError, match=r"line 3, column 'a': must be a number, got 'x'.*--missing x"):
        read("a,b\n1,1\nx,2\n", numeric_columns=["a"])
    with pytest.raises(ValueError, match=r"t\.csv, column 'a': its numbers must be written in one style"):
        read("a;b\n1.5;1\n2,5;2\n", numeric_columns=["a"])


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-03-01", "2024-12-31"],
        ["01.03.2024", "31.12.2024"],
        ["3/1/2024", "12/31/2024"],
        ["2024-03-01 10:30", "2024-12-31 00:00:00"],
    ],
)
def test_dates_are_dates(dates):
    frame = read("a,b\n" + "".join(f"{date},1\n" for date in [*dates, ""]))
    assert frame["a"].dtype.kind == "M"
    assert frame["a"].isna().tolist() == [False, False, True]


def test_the_decimal_sign_can_be_given():
    assert read("a\tb\n1,234\tx\n2\ty\n", decimal=",")["a"].tolist() == [1.234, 2.0]
    assert read("a;b\n1,5;x\n2;y\n", decimal=".")["a"].tolist() == ["1,5", "2"]


def test_a_decimal_sign_that_separates_cells_is_no_default():
    assert read("a\tb\n1,234\tx\n2\ty\n", default_decimal=",")["a"].tolist() == [1.234, 2.0]
    assert read("a,b\n1.5,x\n2,y\n", default_decimal=",")["a"].tolist() == [1.5, 2.0]
    assert read("a\tb\n1,5\tx\n2\ty\n", decimal=".", default_decimal=",")["a"].tolist() == ["1,5", "2"]


def test_missing_markers_and_what_is_no_marker():
    marks = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", " ", "<NA>"]
    frame = read("n,t\n1,mild\n" + "".join(f"{mark},{mark}\n" for mark in marks) + "2,None\n3,none\n4,-\n")
    assert as_lists(frame) == {
        "n": [1, *[None] * len(marks), 2, 3, 4],
        "t": ["mild", *[None] * len(marks), "None", "none", "-"],
    }
    assert as_lists(read("n\n1\nNone\n-\n.\nnone\n")) == {"n": [1, None, None, None, None]}


def test_missing_markers_can_be_given():
    text = "n,t\n1,null\n-9,NA\n2,-9\n,x\n"
    assert as_lists(read(text, missing=["-9"])) == {"n": [1, None, 2, None], "t": [None, None, None, "x"]}
    only = read(text, missing=["-9", ""], usual_missing=False)
    assert as_lists(only) == {"n": [1, None, 2, None], "t": ["null", "NA", None, "x"]}


def test_columns_can_be_kept_as_text():
    assert read("a,b\n01,2\n3.0,\n", text_columns=["a"])["a"].tolist() == ["01", "3.0"]


def test_blanks_around_a_cell_are_not_part_of_it():
    assert as_lists(read('a , "b"\n x ,  "y, z" \n')) == {"a": ["x"], "b": ["y, z"]}


def test_columns_without_a_name_are_called_by_their_place():
    assert list(read(",a,\n1,2,3\n")) == ["column 1", "a", "column 3"]


def test_a_cell_may_be_huge():
    limit = csv.field_size_limit(131_072)
    assert [len(cell) for cell in read("a,b\n1," + "x" * 200_000)["b"]] == [200_000]
    csv.field_size_limit(limit)


def test_a_header_alone_is_a_table_without_rows():
    frame = read("a,b\n")
    assert frame.shape == (0, 2)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "t.csv is empty"),
        ("\n \n", {}, "t.csv is empty"),
        ("a,b\n1,2\n1\n", {}, "t.csv, line 3: a row must have 2 cells, one for each column, got 1 in '1'"),
        ('a,b\n"x\ny",2\n1,2,3\n', {}, "t.csv, line 4: a row must have 2 cells"),
        ('a,b\n1,2\n"x,2\n3,4\n', {}, "t.csv, line 3: a quote is opened here and never closed"),
        ("a,b,a\n1,2,3\n", {}, "t.csv, line 1: column names must be unique, got 'a' twice"),
        ("a,b\n1,2\0\n", {}, "t.csv, line 2: text must not contain NUL"),
        ("a,b\n1,2\n3,-inf\n", {}, "t.csv, line 3, column 'b': a number must be finite, got '-inf'"),
        ("a,b\n1e999,2\n", {}, "t.csv, line 2, column 'a': a number must be finite, got '1e999'"),
        ("a,b\n", {"encoding": "klingon"}, "unknown text encoding 'klingon'"),
        ("a,b\n", {"encoding": "rot13"}, "unknown text encoding 'rot13'"),
        (b"\xff", {"encoding": "utf-8"}, "t.csv cannot be decoded as utf-8"),
        (b"\xef\xbb\xbf\xff", {}, "t.csv cannot be decoded as utf-8, which its byte order mark stands for"),
        ("a,b\n", {"delimiter": ",,"}, "delimiter must be one ASCII character"),
        ("a,b\n", {"delimiter": '"'}, "delimiter must be one ASCII character"),
        ("a,b\n", {"delimiter": "a"}, "delimiter must be one ASCII character"),
        ("a,b\n", {"decimal": "'"}, "decimal must be '.' or ','"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content, options, message):
    with pytest.raises(ValueError) as refusal:
        read(content, **options)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_default_decimal_sign_must_be_one():
    with pytest.raises(ValueError, match=r"default_decimal must be '\.' or ',', got \"'\"\."):
        read_table_file(io.BytesIO(b"a,b\n"), default_decimal="'")


def test_a_stray_word_in_a_column_of_numbers_is_pointed_out():
    with pytest.warns(UserWarning, match=r"t\.csv, line 12: column 'a' is read as text, because 'unknown'"):
        read("a,b\n" + "".join(f"{'unknown' if i == 10 else i},x\n" for i in range(40)))


def test_a_header_of_numbers_is_pointed_out():
    with pytest.warns(UserWarning, match=r"t\.csv, line 1: the first line should contain the column names"):
        read("1,2\n3,4\n")


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8),
)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), max_size=6)))
def test_what_a_writer_wrote_pandas_reads_the_same(rows):
    width = len(rows[0]) if rows else 1
    header = [f"column {j}" for j in range(width)]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = read(text.getvalue(), delimiter=",", text_columns=header)
    theirs = pd.read_csv(
        io.StringIO(text.getvalue()), dtype=str, keep_default_na=False, skip_blank_lines=False
    )
    kept = theirs.values.tolist()
    markers = {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "Null"}
    # What looks the same is the same.
    composed = [
        [re.sub("[\u00a0\u2009\u202f]", " ", unicodedata.normalize("NFC", cell.strip())) for cell in row]
        for row in kept
    ]
    expected = [[None if cell in markers else cell for cell in row] for row in composed]
    assert [list(row) for row in ours.itertuples(index=False)] == expected


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=20))
def test_numbers_come_back_exactly(numbers):
    content = pd.DataFrame({"a": numbers, "b": "x"}).to_csv(index=False, sep=";")
    found = read(content)["a"]
    assert found.dtype == np.float64
    assert all(
        (math.isnan(got) and put is None) or got == put for got, put in zip(found, numbers, strict=True)
    )


STRANGE = st.one_of(
    st.binary(max_size=200),
    st.text(",;|\t\"'\n\r\0 abc01.-eE?\ufeffé", max_size=200).map(lambda text: text.encode()),
    st.text(',;|\t"\n ab01.', max_size=100).map(lambda text: text.encode("utf-16")),
    st.lists(
        st.lists(st.sampled_from(["", "1", "1,5", "x", '"', '""', "inf", "NA", "y" * 500]), max_size=4),
        max_size=5,
    ).map(lambda rows: "\n".join(";".join(row) for row in rows).encode()),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "encoding": st.sampled_from(
            ["utf-8", "utf-16", "latin-1", "utf-7", "unicode_escape", "idna", "hex", ""]
        )
        | st.text(max_size=5),
        "delimiter": st.text(max_size=2) | st.sampled_from([",", ";", " ", ":", "\t", "."]),
        "decimal": st.sampled_from([".", ","]),
        "default_decimal": st.sampled_from([".", ","]),
        "missing": st.lists(st.text(max_size=2), max_size=2),
        "usual_missing": st.booleans(),
        "text_columns": st.lists(st.sampled_from(["a", "1", "x"]), max_size=2),
    },
)


def is_table_or_refusal(name, read_it):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            frame = read_it()
        except ValueError as error:
            refusal = str(error)
        else:
            refusal = None
    if refusal is not None:
        assert refusal.startswith((name, "encoding: unknown", "delimiter must"))
        return
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.is_unique
    assert not any(np.isinf(frame[column]).any() for column in frame.select_dtypes("number"))


@given(STRANGE, OPTIONS)
@example(b"a\xff\xfe", {})
@example(b"\xff\xfe\x00", {})
@example(b"\xff\xfe\x00\xd8\x00\x00", {"encoding": "utf-16"})
@example(rb"a\ud800", {"encoding": "unicode_escape"})
@example(b"a\n1", {"encoding": "\0"})
@example(b"1;2\n3;4", {"delimiter": "."})
def test_any_bytes_are_a_table_or_a_refusal_that_names_the_file(content, options):
    is_table_or_refusal("t.csv", lambda: read(content, **options))


@given(
    st.one_of(
        STRANGE,
        st.lists(
            st.sampled_from(
                [
                    "@relation",
                    "@attribute",
                    "@data",
                    "a",
                    "'b c'",
                    '"',
                    "'",
                    "{x,y}",
                    "{",
                    "}",
                    "numeric",
                    "x",
                    "real [0,1]",
                    "?",
                    "1",
                    "1e999",
                    ",",
                    "\n",
                    " ",
                    "\\",
                    "x",
                    "%",
                    "string",
                    "date",
                    "\x85",
                    "é",
                ]
            ),
            max_size=40,
        ).map(lambda words: " ".join(words).encode()),
        st.text(",{}'\"\\?% \t\n1xy", max_size=80).map(
            lambda rows: f"@relation r\n@attribute a {{x,y}}\n@attribute b real\n@data\n{rows}".encode(
                "latin-1"
            )
        ),
    )
)
def test_any_bytes_are_an_arff_table_or_a_refusal_that_names_the_file(content):
    is_table_or_refusal("t.arff", lambda: parse_arff(content, "t.arff").frame)


@given(
    st.binary(max_size=100),
    st.sampled_from([b"", b"PAR1", b"\x1f\x8b", b"\x1f\x8b\x08\0", b"@relation", b"PK\x03\x04xl/"]),
)
def test_any_stream_is_a_table_or_a_refusal(content, magic):
    is_table_or_refusal("standard input", lambda: read_table_file(io.BytesIO(magic + content)))


@pytest.fixture
def table():
    return pd.DataFrame({"size": [1.5, np.nan, 3.0], "colour": ["red", None, "blue"]})


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "T.CSV", "t.parquet", "t.pq", "t.arff", "t.txt"]
)
def test_the_format_is_that_of_the_name(tmp_path, table, name):
    path = tmp_path / name
    if name.endswith("arff"):
        path.write_text(
            "@relation r\n@attribute size real\n@attribute colour {red, blue}\n@data\n1.5,red\n?,?\n3,blue\n"
        )
    elif name.endswith(("parquet", "pq")):
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        content = table.to_csv(index=False, sep="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert as_lists(read_table_file(path)) == as_lists(table)
    with path.open("rb") as stream:
        assert as_lists(read_table_file(stream)) == as_lists(table)


def test_decimals_of_parquet_are_numbers(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    cells = arrow.array([1, None, 3]).cast(arrow.decimal128(25, 2))
    parquet.write_table(arrow.table({"price": cells}), tmp_path / "t.parquet")
    frame = read_table_file(tmp_path / "t.parquet")
    assert frame["price"].dtype == np.float64
    assert as_lists(frame) == {"price": [1.0, None, 3.0]}


def test_parquet_keeps_a_named_index_as_a_column(tmp_path, table):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    table.set_index("colour").to_parquet(path)
    assert list(read_table_file(path)) == ["colour", "size"]
    table.loc[[2, 0]].to_parquet(path)
    assert list(read_table_file(path).index) == [0, 1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.sav", b"PK", "The file name must end in .csv, .txt"),
        ("t.xlsx", b"PK", "t.xlsx cannot be read as an Excel file"),
        ("t.gz", b"a,b\n", "The file name must end in"),
        ("t.parquet", b"PAR1", "cannot be read as Parquet"),
        ("t.csv.gz", b"\x1f\x8bnothing", "cannot be decompressed"),
        ("t.arff", b"a,b\n", "t.arff cannot be read as ARFF"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table_file(path)


def test_a_format_can_be_given(tmp_path):
    path = tmp_path / "table.unknown"
    path.write_bytes(b"a\tb,c\n1\t2\n")
    assert list(read_table_file(path, format="tsv")) == ["a", "b,c"]
    with pytest.raises(ValueError, match="format must be"):
        read_table_file(path, format="xls")
